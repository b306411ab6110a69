package workflow

import (
	"codeintel/internal/clients"
	"codeintel/internal/platform/msg"
	"codeintel/internal/project"
)

// A HookResult is what became of an event that the hook of a client reported. Events
// come in another process than the one that leads the work.
type HookResult struct {
	ID      string // of the session, or the pipeline's workspace; empty if the event concerns none, and nothing was kept
	Phase   string // as answers name it
	Live    bool   // a process leads the work; only then is anything denied
	Denied  bool
	Reason  msg.Message   // why it is denied
	Next    []msg.Message // and what to do instead
	Context msg.Message   // what the model has to know now
	Note    msg.Message   // what the person has to know now
}

// Deny notes why something must not be done.
func (r *HookResult) Deny(reason msg.Message, next ...msg.Message) {
	r.Denied, r.Reason, r.Next = true, reason, next
}

// Files returns the files of an event that belong to the project, relative to its
// root.
func Files(p *project.Project, e clients.Event) (files []string) {
	for _, f := range e.Files {
		if rel, err := p.Resolve(project.From(e.Dir, f.Path)); err == nil {
			files = append(files, rel)
		}
	}
	return files
}
