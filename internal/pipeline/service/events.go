package service

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"codeintel/internal/clients"
	"codeintel/internal/git"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/shellcheck"
	"codeintel/internal/workflow"
)

// Events reach a pipeline from another process than the one that has it open: the hook
// of a client. What they say is kept in the git directory, one line each, until the
// pipeline ends; the state is the leading process's alone.

// An eventLine is one recorded event.
type eventLine struct {
	Ticket   string    `json:"ticket"`
	Time     time.Time `json:"time"`
	Kind     string    `json:"kind"` // ran: a command of the action; agent: an agent has ended; wrote
	Call     string    `json:"call,omitempty"`
	Agent    string    `json:"agent,omitempty"`
	Files    []string  `json:"files,omitempty"`
	Tokens   int       `json:"tokens,omitempty"`
	Duration int       `json:"duration_ms,omitempty"`
	Model    string    `json:"model,omitempty"`
}

// The kinds of recorded events.
const (
	ran   = "ran"
	ended = "agent"
	wrote = "wrote"
)

// HandleEvent takes an event of a client while a pipeline is open in this working tree. It
// decides on what is about to be written or run, and notes what agents did; a report
// is then checked against that. It may be called in any process. With an error the
// answer still names the pipeline, where it is known.
func (s *Service) HandleEvent(ctx context.Context, e clients.Event) (*workflow.HookResult, error) {
	if err := s.keepLine(ctx, e); err != nil {
		return &workflow.HookResult{}, err
	}
	ws, err := s.Live(ctx)
	if err != nil || ws == "" {
		return &workflow.HookResult{}, err
	}
	h := &workflow.HookResult{ID: ws, Live: true}
	w, st, err := s.read(ws)
	if err != nil {
		return h, err
	}
	h.Phase = string(st.Phase)
	switch e.Name {
	case clients.Before:
		switch e.Kind {
		case clients.Write:
			s.beforeWrite(st, e, h)
		case clients.Shell:
			err = s.beforeShell(w, st, e, h)
		}
	case clients.After:
		if st.Ticket == nil || e.Failed {
			break
		}
		switch e.Kind {
		case clients.Write:
			if files := workflow.Files(s.project, e); e.Agent != "" && len(files) > 0 {
				err = s.recordEvent(w, eventLine{Ticket: st.Ticket.ID, Kind: wrote, Agent: e.Agent, Files: files})
			}
		case clients.Agent:
			if e.Tokens > 0 || e.Duration > 0 {
				err = s.recordEvent(w, eventLine{Ticket: st.Ticket.ID, Kind: ended, Tokens: e.Tokens,
					Duration: e.Duration, Model: e.Model})
			}
		}
	case clients.SubagentStop:
		if st.Ticket != nil {
			err = s.recordEvent(w, eventLine{Ticket: st.Ticket.ID, Kind: ended, Agent: e.Agent})
		}
	}
	return h, err
}

// beforeWrite decides on the files that a tool is about to write.
func (s *Service) beforeWrite(st *engine.State, e clients.Event, h *workflow.HookResult) {
	if len(e.Files) == 0 {
		h.Deny(msg.New("pipeline.tool_does_not_name_file", e.Tool), msg.New("pipeline.use_tool_names"))
		return
	}
	for _, f := range e.Files {
		rel, err := s.project.Resolve(project.From(e.Dir, f.Path))
		if err != nil {
			h.Deny(msg.New("pipeline.outside_repository", f.Path), msg.New("pipeline.write_only_output_file_your"))
			return
		}
		if t := target(st, rel); !t.Allowed {
			h.Deny(t.Reason, t.Next)
			return
		}
	}
}

// beforeShell decides on a command line. The command of the action that is
// outstanding may run, once: what has become of it is to be reported. Any other may
// neither change history nor what no task names.
func (s *Service) beforeShell(w *workspace.Workspace, st *engine.State, e clients.Event, h *workflow.HookResult) error {
	words, plain := shellcheck.Words(e.Command)
	if argv := argvOf(st.Ticket); plain && len(argv) > 0 && slices.Equal(words, argv) {
		lines, err := s.eventsOf(w, st.Ticket.ID)
		if err != nil {
			return err
		}
		for _, l := range lines {
			if l.Kind == ran && (l.Call == "" || l.Call != e.Call) { // else a client runs the hooks of another, too
				report := msg.CallOf(op.PipelineNextAction, "previous_action_complete", msg.Blank,
					"previous_exit_code", msg.Blank, "previous_output", msg.Blank)
				h.Deny(msg.New("pipeline.command_run_already_action_outstanding"),
					msg.New("pipeline.report_what_came_of_it", report))
				return nil
			}
		}
		return s.recordEvent(w, eventLine{Ticket: st.Ticket.ID, Kind: ran, Call: e.Call})
	}
	effect, err := shellcheck.Inspect(e.Command, nil)
	if err != nil {
		h.Deny(msg.New("pipeline.what_command_would_do_cannot", err), msg.New("pipeline.write_one_command_at_a_time"))
		return nil
	}
	next := msg.New("pipeline.run_only_handed_out_command")
	switch {
	case len(effect.History) > 0:
		h.Deny(msg.New("pipeline.changes_history_repository_which_pipeline", strings.Join(effect.History, ", ")), next)
	case len(effect.People) > 0:
		h.Deny(msg.New("pipeline.people_type", strings.Join(effect.People, ", ")),
			msg.New("pipeline.show_checkpoint_to_person"))
	case plain && len(words) > 2 && words[0] == "gh" && words[1] == "pr" &&
		!slices.Contains([]string{"view", "list", "status", "checks", "diff"}, words[2]):
		h.Deny(msg.New("pipeline.gh_pr_pipeline", words[2]), next)
	}
	for _, f := range effect.Writes {
		if h.Denied {
			return nil
		}
		rel, err := s.project.Resolve(project.From(e.Dir, f.Path))
		switch {
		case problem.Of(err) != nil && f.Remove:
			h.Deny(msg.New("pipeline.outside_repository", f.Path), msg.New("pipeline.remove_nothing"))
		case problem.Of(err) != nil: // a temporary file, say
		case err != nil:
			return err
		default:
			if t := target(st, rel); !t.Allowed {
				h.Deny(t.Reason, t.Next)
			}
		}
	}
	return nil
}

// argvOf returns the command that an action hands out.
func argvOf(k *engine.Ticket) []string {
	if k == nil {
		return nil
	}
	var x engine.Exec
	if k.Type != x.Kind() || json.Unmarshal(k.Action, &x) != nil {
		return nil
	}
	return x.Commands
}

// recordEvent keeps a line.
func (s *Service) recordEvent(w *workspace.Workspace, line eventLine) error {
	repo, err := s.repository(context.Background())
	if err != nil {
		return err
	}
	file := eventsPath(repo, w)
	line.Time = s.o.Now()
	return atomicfile.Under(file+".lock", func() error { return atomicfile.Append(file, line) })
}

// dropEvents removes the recorded events of a pipeline that is over. A file that
// stays does no harm.
func (s *Service) dropEvents(w *workspace.Workspace, repo *git.Repo) {
	repofile.At(eventsPath(repo, w)).Remove()
	repofile.At(eventsPath(repo, w) + ".lock").Remove()
}

func eventsPath(repo *git.Repo, w *workspace.Workspace) string {
	return filepath.Join(locksOf(repo).Dir, w.Name()+".heard.jsonl")
}

// eventsOf returns the events recorded since a ticket was handed out.
func (s *Service) eventsOf(w *workspace.Workspace, ticket string) (lines []eventLine, err error) {
	repo, err := s.repository(context.Background())
	if err != nil {
		return nil, err
	}
	file := eventsPath(repo, w)
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all [][]byte
	err = atomicfile.Under(file+".lock", func() (err error) {
		all, err = atomicfile.Lines(file)
		return err
	})
	for _, line := range all {
		var l eventLine
		if json.Unmarshal(line, &l) == nil && l.Ticket == ticket {
			lines = append(lines, l)
		}
	}
	return lines, err
}

// agentRun sums up the recorded events of the agents of an action. It returns nil if
// no agent is known to have ended. Parallel agents count as long as the longest.
func (s *Service) agentRun(w *workspace.Workspace, k engine.Ticket) (*agentRun, error) {
	lines, err := s.eventsOf(w, k.ID)
	if err != nil || !slices.ContainsFunc(lines, func(l eventLine) bool { return l.Kind == ended }) {
		return nil, err
	}
	run := new(agentRun)
	for _, l := range lines {
		run.Tokens += l.Tokens
		run.Duration = max(run.Duration, time.Duration(l.Duration)*time.Millisecond)
		if l.Model != "" {
			run.Model = l.Model
		}
		run.Files = append(run.Files, l.Files...)
	}
	slices.Sort(run.Files)
	run.Files = slices.Compact(run.Files)
	return run, nil
}
