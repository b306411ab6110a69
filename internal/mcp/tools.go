package mcp

import (
	"codeintel/internal/pipeline/service"
	"codeintel/internal/search"
	"codeintel/internal/session"
)

// tools is every tool the server offers: first the questions about the
// repository, then the session and the pipeline, in the order one meets them.
var tools = []tool{
	row(Search, "explore", "Explore", reads, `{"query": "where is the config file parsed"}`, (*handlers).explore, alwaysLoaded),
	row(Search, "semantic_search", "Find code by meaning", reads, `{"query": "where is the config file parsed"}`, ofSearch((*search.Engine).Semantic), alwaysLoaded, longAnswers),
	row(Search, "search_text", "Search text", reads, `{"pattern": "NewReader"}`, ofSearch((*search.Engine).Text)),
	row(Search, "search_files", "Find files", reads, `{"pattern": "**/*.go"}`, ofSearch((*search.Engine).Files)),
	row(Search, "find_definitions", "Find definitions", reads, `{"symbol": "NewReader"}`, ofSearch((*search.Engine).Definitions)),
	row(Search, "find_references", "Find references", reads, `{"symbol": "NewReader"}`, ofSearch((*search.Engine).References)),
	row(Search, "get_symbols", "List symbols of a file", reads, `{"path": "main.go"}`, ofSearch((*search.Engine).Symbols)),
	row(Search, "get_function_at_line", "Show the function at a line", reads, `{"file_path": "main.go", "line": 12}`, ofSearch((*search.Engine).FunctionAt)),
	row(Search, "analyze_structure", "Outline a file or folder", reads, `{"path": "internal"}`, ofSearch((*search.Engine).Structure)),
	row(Search, "fetch_chunk_detail", "Show a whole chunk", reads, `{"chunk_id": "main.go:24#272aebd943508c69"}`, ofSearch((*search.Engine).ChunkDetail)),
	row(Search, "query", "Ask a question", records, `{"query": "where are requests retried"}`, (*handlers).query),
	row(Search, "validate_symbol_relevance", "Check symbol relevance", reads, `{"target_feature": "retry of requests", "symbols": ["Client.do"]}`, ofSearch((*search.Engine).Relevance)),
	row(Search, "analyze_impact", "Analyze impact", reads, `{"targets": ["NewReader"]}`, (*handlers).analyzeImpact),
	row(Search, "file_history", "Explain a file or line by its commits", reads, `{"file_path": "main.go"}`, (*handlers).fileHistory),
	row(Search, "file_dependencies", "Show what a file imports and what imports it", reads, `{"path": "main.go"}`, (*handlers).fileDependencies),
	row(Search, "find_dead_code", "Find code that nothing uses", reads, `{"path": "internal"}`, (*handlers).deadCode),
	row(Search, "sync_index", "Update the index", records, `{"force": false}`, (*handlers).syncIndex),

	row(Code, "start_session", "Start a session", advances, `{"intent": "MODIFY", "query": "make login case-insensitive", "flags": []}`, (*handlers).startSession, alwaysLoaded),
	row(Code, "submit_phase", "Complete the phase", destroys, `{"data": {"summary": "what was done and found"}}`, (*handlers).submitPhase, alwaysLoaded),
	row(Code, "get_session_status", "Show the session's status", records, `{}`, (*handlers).getSessionStatus),
	row(Code, "check_write_target", "Check write target", records, `{"file_path": "main.go"}`, (*handlers).checkWriteTarget),
	row(Code, "add_explored_files", "Add files to the explored set", records, `{"files": ["main.go"]}`, ofSession((*session.Service).AddExploredFiles)),
	row(Code, "review_changes", "Show the whole change", reads, `{}`, ofSession((*session.Service).ReviewChanges), longAnswers),
	row(Code, "confirm_decision", "Confirm the user's decision", advances, `{"choice": "retry"}`, (*handlers).confirmDecision, personal),
	row(Code, "cleanup_stale_branches", "Remove old task branches", destroys, `{"action": "delete"}`, (*handlers).cleanupStaleBranches),
	row(Code, "update_context", "Store a summary of the rules", records, `{"project_rules_summary": "DO: … DON'T: …"}`, ofSession((*session.Service).UpdateContext)),
	row(Code, "record_outcome", "Record the outcome", advances, `{"outcome": "failure", "trigger_message": "still broken"}`, ofSession((*session.Service).RecordOutcome)),
	row(Code, "get_outcome_stats", "Show outcome statistics", reads, `{}`, ofSession((*session.Service).OutcomeStats)),

	row(Forge, "pipeline_init", "Start a pipeline", reads, `{"arguments": "--auto fix the login timeout"}`, ofPipeline((*service.Service).Init)),
	row(Forge, "pipeline_init_with_context", "Confirm a pipeline", records, `{"workspace": ".specs/20260401-fix-login", "task_text": "fix the login timeout"}`, ofPipeline((*service.Service).InitWithContext)),
	row(Forge, "pipeline_next_action", "Get the next action", pushes, `{"workspace": ".specs/20260401-fix-login"}`, (*handlers).pipelineNextAction, longAnswers),
	row(Forge, "pipeline_report_result", "Report an action", advances, `{"workspace": ".specs/20260401-fix-login", "phase": "phase-1"}`, ofPipeline((*service.Service).ReportResult)),
	row(Forge, "state_resume_info", "Show a pipeline's status", reads, `{"workspace": ".specs/20260401-fix-login"}`, ofPipeline((*service.Service).ResumeInfo)),
}
