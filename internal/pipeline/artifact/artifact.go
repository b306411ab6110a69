// Package artifact parses what the agents of a pipeline write: verdicts and findings of
// reviews, tasks, reports of an implementation, the names in a design.
//
// Agents write Markdown, and not always as they were told. Every spelling with one meaning
// is accepted; where a text has none, or two, the error shows what was expected. An approval
// is never guessed. The package is pure: it knows a text, and not the files it mentions.
package artifact

import (
	"fmt"

	"codeintel/internal/platform/msg"
)

// Severities of findings and diagnostics.
const (
	Critical = "CRITICAL" // blocks: the work is done again
	Major    = "MAJOR"
	Minor    = "MINOR"
)

// maxQuoted is how many characters a message quotes of a text.
const maxQuoted = 60

// A Finding is one thing that a review, or the server, has to say of a work.
type Finding struct {
	Severity    string      `json:"severity"`
	Description msg.Message `json:"description"`
}

// A Diagnostic is what is wrong with an artifact itself. Line counts from 1; 0
// is the whole text. Severity is Critical if the artifact cannot be used so.
type Diagnostic struct {
	Line     int         `json:"line"`
	Severity string      `json:"severity"`
	Message  msg.Message `json:"message"`
}

// Finding is the diagnostic as a finding about the named file.
func (d Diagnostic) Finding(file string) Finding {
	if d.Line == 0 {
		return Finding{d.Severity, msg.Join(": ", file, d.Message)}
	}
	return Finding{d.Severity, msg.Join(": ", fmt.Sprintf("%s:%d", file, d.Line), d.Message)}
}

// Findings are the diagnostics as findings about the named file; never nil.
func Findings(file string, ds []Diagnostic) []Finding {
	all := make([]Finding, 0, len(ds))
	for _, d := range ds {
		all = append(all, d.Finding(file))
	}
	return all
}

// Blocks says whether any of the findings is critical.
func Blocks(fs []Finding) bool {
	for _, f := range fs {
		if f.Severity == Critical {
			return true
		}
	}
	return false
}
