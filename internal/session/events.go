package session

import (
	"context"
	"errors"
	"slices"
	"strings"

	"codeintel/internal/audit"
	"codeintel/internal/clients"
	"codeintel/internal/clients/registry"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/session/hookguard"
	"codeintel/internal/session/hookproof"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
	"codeintel/internal/session/writablefiles"
	"codeintel/internal/shellcheck"
	"codeintel/internal/text"
	"codeintel/internal/workflow"
	"codeintel/internal/workflow/hint"
)

// Events reach a session from another process than the one that has it open: the
// hook of a client. It takes the short lock only, reads the checkpoint, decides,
// and appends to the ledger, where the server finds the entry at its next call.

// The names of events that other files look for.
const (
	before = string(clients.Before)
	after  = string(clients.After)
)

// maxMessage is how much of an agent's last message is kept, in characters.
const maxMessage = 4000

// errNothingToRecord makes an append write no entry.
var errNothingToRecord = errors.New("nothing to be kept")

// HandleEvent takes an event of a client: it keeps the line that a person typed,
// decides on what is about to be done, and notes in the ledger what was done.
// It may be called in any process, and never owns the session. An event that
// concerns no session is passed over.
func (s *Service) HandleEvent(ctx context.Context, e clients.Event) (*workflow.HookResult, error) {
	if e.Name == clients.Other {
		return &workflow.HookResult{}, nil
	}
	if err := s.keepLine(e); err != nil {
		return nil, err
	}
	st := s.current()
	if st == nil {
		return &workflow.HookResult{}, nil
	}
	l, err := audit.Open(s.folder().Ledger(st.ID))
	if err != nil {
		return s.ignoreIfEnded(st, err)
	}
	h := &workflow.HookResult{ID: st.ID}
	foreign, err := s.foreign(ctx, e, st, l)
	if err != nil {
		return s.ignoreIfEnded(st, err)
	}
	_, err = l.AppendFrom(func(entries []audit.Entry) (audit.Entry, error) {
		now := s.current() // as it is while nobody else writes
		if now == nil || now.ID != st.ID {
			*h = workflow.HookResult{}
			return audit.Entry{}, errNothingToRecord
		}
		if err := state.Genuine(s.folder().Checkpoint(st.ID), l); err != nil {
			return audit.Entry{}, err
		}
		live, err := s.folder().OwnerLock().Held()
		if err != nil {
			return audit.Entry{}, err
		}
		h.Phase, h.Live = s.wire(now.Phase), live
		entry, err := s.entryOf(ctx, e, now, entries, h)
		if err == nil && len(foreign) > 0 {
			foreign = s.name(foreign, entries, &entry, h)
		}
		if err == nil && (isOwnTool(e) && e.Name == clients.After || isRecorded(entry, entries) ||
			e.Name == clients.Batch && len(foreign) == 0) {
			err = errNothingToRecord
		}
		return entry, err
	})
	if err != nil && !errors.Is(err, errNothingToRecord) {
		return s.ignoreIfEnded(st, err)
	}
	return h, nil
}

// ignoreIfEnded passes an error on, unless the session has ended meanwhile.
func (s *Service) ignoreIfEnded(st *state.State, err error) (*workflow.HookResult, error) {
	if now := s.current(); now == nil || now.ID != st.ID {
		return &workflow.HookResult{}, nil
	}
	return nil, err
}

// current returns the session that is open now, or was last, from its checkpoint;
// nil if there is none. It leaves the checkpoints as they are.
func (s *Service) current() (st *state.State) {
	files := s.folder().Checkpoints()
	for _, f := range files {
		if open, err := state.Read(f); err == nil && open.Outcome == "" && (st == nil || open.Updated.After(st.Updated)) {
			st = open
		}
	}
	return st
}

// isOwnTool reports whether the event is about one of the server's own tools, whose
// calls the server notes itself.
func isOwnTool(e clients.Event) bool {
	return clients.IsOwnServer(e.Server)
}

// isRecorded reports whether the same event of the same call is in the ledger:
// some clients run the hooks of another one too.
func isRecorded(e audit.Entry, entries []audit.Entry) bool {
	call := e.Detail["call"]
	return call != "" && slices.ContainsFunc(entries[max(0, len(entries)-50):], func(o audit.Entry) bool {
		return o.Kind == audit.Event && o.Name == e.Name && o.Detail["call"] == call
	})
}

// entryOf makes the entry of an event, and decides on it.
func (s *Service) entryOf(ctx context.Context, e clients.Event, st *state.State, entries []audit.Entry,
	h *workflow.HookResult) (audit.Entry, error) {
	entry := audit.Entry{
		Kind: audit.Event, Session: st.ID, Phase: string(st.Phase), Name: string(e.Name), Outcome: audit.OK,
		Detail: audit.Details("client", string(e.Client), "tool", e.Tool, "kind", string(e.Kind), "call", e.Call, "agent",
			e.Agent, "source", e.Source),
	}
	if isOwnTool(e) && e.Session != "" {
		entry.Detail["conversation"] = e.Session
	}
	var err error
	switch e.Name {
	case clients.Before:
		if entries, err = addProvenReads(e, st, entries); err == nil {
			err = s.decideBeforeTool(ctx, e, s.writeScope(st, entries), &entry, h)
		}
	case clients.After:
		s.after(e, &entry)
		h.Context = hintOf(e, entries, &entry)
	case clients.Prompt:
		if line, ok := lineOf(e); ok {
			entry.Detail["line"] = text.Clip(string(line), maxMessage)
		}
	case clients.Stop:
		s.stops(e, st, entries, &entry, h)
	case clients.SubagentStop:
		entry.Detail["message"] = text.Clip(e.Text, maxMessage)
	}
	if err == nil && hookproof.Doubtful(e, entries) {
		err = hookproof.Claim(e, st.Started, entries, msg.In(s.project.Config.Lang).Text(h.Reason), &entry)
	}
	if needsReminder(e, entries) {
		h.Context, entry.Detail["recap"] = msg.Literal(s.reminder(st)), "given"
	}
	return entry, err
}

// foreign returns the files that were changed since the session began and that no
// layer of the write guard let through, after an event by which files may have
// come to be changed. Where the client reports each message's calls together, too, the
// look is taken once for all of them.
func (s *Service) foreign(ctx context.Context, e clients.Event, st *state.State, l *audit.Ledger) ([]string, error) {
	changing := e.Kind == clients.Write || e.Kind == clients.Shell || e.Kind == clients.Foreign
	if !changing || e.Name != clients.Batch && (e.Name != clients.After || batches(e.Client)) {
		return nil, nil
	}
	t := s.newTurn(st, l)
	changed, err := t.Unapproved(ctx)
	if p := problem.Of(err); p != nil { // the next call that needs git will say so
		return nil, nil
	}
	return changed, err
}

func batches(id clients.ID) bool {
	c := registry.All.Find(id)
	return c != nil && c.Hooks != nil && c.Hooks.Batches
}

// name tells the model of changes that it has not been told of yet, and returns them.
func (s *Service) name(foreign []string, entries []audit.Entry, entry *audit.Entry, h *workflow.HookResult) []string {
	named := make(map[string]bool)
	for _, e := range entries {
		if e.Kind == audit.Event {
			for f := range strings.Lines(e.Detail[unapproved]) {
				named[strings.TrimSuffix(f, "\n")] = true
			}
		}
	}
	foreign = slices.DeleteFunc(foreign, func(f string) bool { return named[f] })
	if len(foreign) == 0 {
		return nil
	}
	entry.Detail[unapproved] = strings.Join(foreign, "\n")
	h.Context = msg.New("session.files_differ_from_the_start", h.ID, refusal.Some(foreign, 20), op.CheckWriteTarget)
	return foreign
}

// unapproved is where an event notes the changes that the model was told of.
const unapproved = "unapproved"

// decideBeforeTool decides on a tool that is about to be called, whether or not a process leads
// the session: what a phase forbids stays forbidden until the session ends.
func (s *Service) decideBeforeTool(ctx context.Context, e clients.Event, v writablefiles.Scope, entry *audit.Entry,
	h *workflow.HookResult) error {
	d, approved, err := hookguard.Guard{Project: s.project, Scope: v}.Decide(ctx, e)
	if err != nil {
		return err
	}
	if entry.Files = approved; !d.Allowed {
		if !h.Live {
			d.Next = append(d.Next, msg.New("session.nobody_leads_it_resume_or_abandon", op.GetSessionStatus, h.ID))
		}
		h.Deny(d.Reason, d.Next...)
		entry.Outcome, entry.Files = audit.Blocked, nil
		entry.Detail["reason"] = text.Clip(d.Reason.String(), 500)
	}
	return nil
}

// after notes what a tool has shown or written.
func (s *Service) after(e clients.Event, entry *audit.Entry) {
	var reads []shellcheck.Read
	switch e.Kind {
	case clients.Read:
		for _, f := range e.Files {
			reads = append(reads, shellcheck.Read{Path: f.Path, Start: max(1, f.Start), End: f.End})
		}
	case clients.Shell:
		if effect, err := shellcheck.Inspect(e.Command, nil); err == nil && e.Output != "" {
			reads = effect.Reads
		}
	case clients.Write:
		entry.Files = workflow.Files(s.project, e)
	}
	if e.Failed {
		entry.Outcome = audit.Failed
		return
	}
	var files []string
	guard := hookguard.Guard{Project: s.project}
	for _, r := range reads {
		if lines, ok := guard.Lines(e, r); ok {
			entry.Observed.Lines = append(entry.Observed.Lines, lines)
			files = append(files, lines.File)
		}
	}
	if len(files) == 1 {
		entry.Detail[hint.Read] = hint.ReadOf(entry.Observed.Lines[0])
	}
	if len(files) > 0 {
		entry.Hashes = s.hashes(files)
	} else if e.Kind == clients.Read {
		entry.Outcome = audit.Empty
	}
}

// hintOf returns the hint that is due after an event, and notes it in its entry.
func hintOf(e clients.Event, entries []audit.Entry, entry *audit.Entry) msg.Message {
	if isRecorded(*entry, entries) {
		return msg.Message{}
	}
	if e.Kind == clients.Shell {
		entry.Detail[hint.Command] = text.Hash(strings.TrimSpace(e.Command))[:16]
	}
	own := slices.DeleteFunc(slices.Clone(entries), func(o audit.Entry) bool {
		return o.Kind == audit.Event && (o.Detail["agent"] != e.Agent || o.Name != after)
	})
	name, m := hint.Of(*entry, own, e.Output)
	if name != "" {
		entry.Detail[hint.Given] = name
	}
	return m
}
