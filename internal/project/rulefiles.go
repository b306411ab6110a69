package project

import "slices"

// ClaudeFiles are the documents in which Claude Code looks for the rules of a project.
var ClaudeFiles = []string{"CLAUDE.md", ".claude/CLAUDE.md"}

// OtherRuleFiles are the documents that hold rules for other readers.
var OtherRuleFiles = []string{".cursor/rules.md", "CONTRIBUTING.md", "AGENTS.md"}

// RuleFiles are all of them; the first that exists is taken.
var RuleFiles = slices.Concat(ClaudeFiles, OtherRuleFiles)
