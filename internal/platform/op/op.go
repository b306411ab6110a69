// Package op names the operations of the program, such as submit_phase, as the ledger, the phase tables and
// the protocol write them. A message that tells its reader to call an operation holds this name as data; each
// surface writes it in its own way.
package op

// A Name is the name of an operation on the wire. Names are part of the protocol:
// add, but never rename.
type Name string

// Operations that search and explain code.
const (
	SemanticSearch    Name = "semantic_search"
	SearchText        Name = "search_text"
	SearchFiles       Name = "search_files"
	FindDefinitions   Name = "find_definitions"
	FindReferences    Name = "find_references"
	GetSymbols        Name = "get_symbols"
	GetFunctionAtLine Name = "get_function_at_line"
	AnalyzeStructure  Name = "analyze_structure"
	FetchChunkDetail  Name = "fetch_chunk_detail"
	Query             Name = "query"
	ValidateRelevance Name = "validate_symbol_relevance"
	AnalyzeImpact     Name = "analyze_impact"
	FileHistory       Name = "file_history"
	FileDependencies  Name = "file_dependencies"
	DeadCode          Name = "find_dead_code"
	Explore           Name = "explore"
	SyncIndex         Name = "sync_index"
)

// Operations of a /code session.
const (
	StartSession         Name = "start_session"
	SubmitPhase          Name = "submit_phase"
	GetSessionStatus     Name = "get_session_status"
	CheckWriteTarget     Name = "check_write_target"
	AddExploredFiles     Name = "add_explored_files"
	ReviewChanges        Name = "review_changes"
	ConfirmDecision      Name = "confirm_decision"
	CleanupStaleBranches Name = "cleanup_stale_branches"
	UpdateContext        Name = "update_context"
	RecordOutcome        Name = "record_outcome"
	GetOutcomeStats      Name = "get_outcome_stats"
)

// Operations of a /forge pipeline.
const (
	PipelineInit            Name = "pipeline_init"
	PipelineInitWithContext Name = "pipeline_init_with_context"
	PipelineNextAction      Name = "pipeline_next_action"
	PipelineReportResult    Name = "pipeline_report_result"
	StateResumeInfo         Name = "state_resume_info"
)

// A Command is a command line of the program, or how one begins, where a message
// tells a person to run it.
type Command string

// The commands with flags that messages name.
const (
	Init        Command = "code-intel init"
	Serve       Command = "code-intel mcp --root"
	ListTrusted Command = "code-intel trust --list"
	PullFrom    Command = "code-intel model pull NAME --from FOLDER"
)

// Strings returns names as the ledger and the phase tables hold them.
func Strings(names ...Name) []string {
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = string(n)
	}
	return list
}
