package project

import "time"

// A Context is what .code-intel/context.yml holds.
type Context struct {
	ProjectRules   ProjectRules
	DocResearch    DocResearch
	DocumentSearch DocumentSearch
	LastSynced     time.Time // zero: never
	Unknown        []string  // keys that mean nothing here, "line 3: doc_reserch"
}

// ProjectRules say what always holds in a project.
type ProjectRules struct {
	Source      string // the file they come from, relative to the root; "" if not set
	Summary     string
	ContentHash string // hash of the source when the summary was made
}

// DocResearch says how documents are read before work begins.
type DocResearch struct {
	Enabled        bool
	DocsPath       []string
	DefaultPrompts []string // names of files in .code-intel/doc_research
}

// DocumentSearch says which documents an impact analysis looks through.
type DocumentSearch struct {
	IncludePatterns []string
	ExcludePatterns []string
}

// A ContextUpdate holds new values for context.yml. Nil fields stay as they are.
type ContextUpdate struct {
	Source      *string
	Summary     *string
	ContentHash *string
	LastSynced  *time.Time
}

// LoadContext reads context.yml. Without the file, and for keys it does not
// have, the defaults hold; a value of the wrong kind is a Problem that names line
// and key.
func (p *Project) LoadContext() (Context, error) { return Context{}, nil }

// UpdateContext changes context.yml, or makes it. Comments, order and all other
// keys survive, and readers see the old file or the new one.
func (p *Project) UpdateContext(u ContextUpdate) error { return nil }
