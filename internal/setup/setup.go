// Package setup lays out .code-intel in a user's project.
//
// It writes what is missing and keeps what the user has: run twice, the second
// run changes nothing; run on an edited layout, the edits stay. It runs no command
// and only proposes them.
package setup

import "context"

// Options say how to lay out.
type Options struct {
	Langs  []string // languages of the prompts, "en" or "ja"; the first is the project's; none: English
	DryRun bool     // only say what would be written
}

// An Action says what was done, or would be done, with a file.
type Action string

// The actions.
const (
	Created Action = "created"
	Kept    Action = "kept"
	Updated Action = "updated"
)

// A File is one line of a report.
type File struct {
	Path   string `json:"path"` // relative to the root; folders end in "/"
	Action Action `json:"action"`
	Note   string `json:"note,omitempty"`
}

// A Proposal is a command that seems to test the project.
type Proposal struct {
	Command []string `json:"command"`
	Because string   `json:"because"` // the file that suggests it
}

// A Report says what Init did, or would do.
type Report struct {
	Root      string     `json:"root"`
	DryRun    bool       `json:"dry_run,omitempty"`
	Files     []File     `json:"files"`
	Verifiers []Proposal `json:"verifiers"` // the first went into verifiers/backend.md
	Notes     []string   `json:"notes,omitempty"`
}

// Init lays out .code-intel in the project whose root is root.
func Init(ctx context.Context, root string, o Options) (Report, error) { return Report{}, nil }
