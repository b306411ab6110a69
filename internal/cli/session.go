package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session"
	sessionanswer "codeintel/internal/session/answer"
	"codeintel/internal/session/savedsessions"
	"codeintel/internal/session/state"
	"codeintel/internal/text"
	"codeintel/internal/text/quote"
)

func (a *app) session() *cobra.Command {
	return a.group(&cobra.Command{
		Use:   "session",
		Short: "Show, verify, resume or abandon sessions; decide on unapproved changes",
		Long: strings.TrimSpace(`
Agents run sessions over MCP; this command is for people. Name a session by its ID, or
by any unambiguous beginning or end of it.`),
	}, a.sessionShow(), a.sessionVerify(), a.sessionResume(), a.sessionAbandon(), a.sessionChanges())
}

// sessions is what leads sessions, for commands that change one. It has no index.
func (a *app) sessions(p *project.Project) (*session.Service, error) {
	return session.New(p, session.Code{}, a.log, time.Now)
}

func (a *app) sessionShow() *cobra.Command {
	return a.withJSON(&cobra.Command{
		Use:     "show [ID]",
		Short:   "List sessions, or show one in detail",
		Example: "  code-intel session show\n  code-intel session show 20260314-0915 --json",
		Args:    checkArguments,
		RunE: func(_ *cobra.Command, args []string) error {
			p, list, err := a.namedSessions(args)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return a.print(newSessionList(list))
			}
			r := list[0]
			d := newSessionDetails(r)
			if r.State != nil && (r.Status == savedsessions.Live || r.Status == savedsessions.Interrupted) {
				s, err := a.sessions(p)
				if err != nil {
					return err
				}
				d.Instruction, d.Payload = s.Instruction(r.State)
			}
			return a.print(d)
		},
	})
}

func (a *app) sessionVerify() *cobra.Command {
	return a.withJSON(&cobra.Command{
		Use:   "verify [ID]",
		Short: "Check that the record of a session was not altered",
		Long: strings.TrimSpace(`
Check the ledger of a session, or of all sessions including archived ones, against the
key it was written with and the last entry that the checkpoint remembers, and the
checkpoint against its seal. Exits with 1 if a check fails. Anyone who can read the key
can forge both: see docs/design/limits.md.`),
		Example: "  code-intel session verify\n  code-intel session verify 20260314-0915",
		Args:    checkArguments,
		RunE: func(_ *cobra.Command, args []string) error {
			_, list, err := a.namedSessions(args)
			if err != nil {
				return err
			}
			v := &verifyReport{Checks: []savedsessions.Check{}, Whole: true}
			for _, r := range list {
				c, err := r.Verify()
				if err != nil {
					return err
				}
				v.Checks, v.Whole = append(v.Checks, c), v.Whole && c.Whole
			}
			if err := a.print(v); err != nil {
				return err
			}
			if !v.Whole {
				return errNo
			}
			return nil
		},
	})
}

// namedSessions returns the project and the session that the first argument names, see
// [savedsessions.Find], or all sessions if there is no argument.
func (a *app) namedSessions(args []string) (p *project.Project, list []*savedsessions.Record, err error) {
	if p, err = a.project(); err != nil {
		return nil, nil, err
	}
	if len(args) == 0 {
		list, err = savedsessions.List(p)
		return p, list, err
	}
	r, err := savedsessions.Find(p, args[0])
	return p, []*savedsessions.Record{r}, err
}

func (a *app) sessionResume() *cobra.Command {
	return a.withJSON(&cobra.Command{
		Use:   "resume ID",
		Short: "Choose the session to resume; bring back an aborted one",
		Long: strings.TrimSpace(`
The agent resumes a session, with /code --resume. If there are several, this command
chooses which one; it also brings back an aborted session, in the phase in which it was
given up.`),
		Example: "  code-intel session resume 20260314-0915",
		Args:    checkArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			p, list, err := a.namedSessions(args)
			if err != nil {
				return err
			}
			r := list[0]
			if r.Status == savedsessions.Live {
				return problem.New(session.SessionActive, "cli.session_open", r.ID, r.Holder).
					Or("cli.go_agent_calls_get_session").
					Or("cli.end_process_resume_elsewhere")
			}
			s, err := a.sessions(p)
			if err != nil {
				return err
			}
			st, err := s.Prefer(cmd.Context(), r.ID)
			if err != nil {
				return err
			}
			return a.print(&resumeReport{st.ID, string(st.Phase), st.Query, []string{
				"tell the agent: /code --resume",
				`or let it call start_session(flags=["--resume"])`,
				fmt.Sprintf("or get_session_status(session_id=%q)", st.ID),
			}})
		},
	})
}

func (a *app) sessionAbandon() *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use:   "abandon [ID]",
		Short: "End an interrupted session; branch and record are kept",
		Long: strings.TrimSpace(`
End an interrupted session as aborted: the named one, or the one that would be resumed.
Nothing in git changes; the checkpoint is archived, and "session resume" can bring it
back. A session that a running process is working on is not touched: end it there.`),
		Example: "  code-intel session abandon\n  code-intel session abandon 20260314-0915 --reason \"asked for something else\"",
		Args:    checkArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := a.project()
			if err != nil {
				return err
			}
			id := ""
			if len(args) > 0 {
				r, err := savedsessions.Find(p, args[0])
				if err != nil {
					return err
				}
				id = r.ID
			}
			s, err := a.sessions(p)
			if err != nil {
				return err
			}
			done, err := s.Abandon(cmd.Context(), id, reason)
			if p := problem.Of(err); p != nil && p.Code == session.NoSession && id == "" {
				return problem.New(session.NoSession, "cli.no_session_project_interrupted").
					Or("session.code_intel_session_show_lists")
			}
			if err != nil {
				return err
			}
			return a.print(&abandonReport{Answer: done})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "abandoned on the command line", "the reason, for the record")
	return a.withJSON(cmd)
}

func (a *app) sessionChanges() *cobra.Command {
	return a.withJSON(&cobra.Command{
		Use:   "changes ID [mine | session | undo]",
		Short: "Decide what becomes of unapproved changes",
		Long: strings.TrimSpace(`
If files change while a session is open, and neither its tools nor a hook approved that,
you decide what becomes of the changes: mine (they stay in the tree, and the session does
not commit them), session (they are reviewed and committed with the rest) or undo (the
contents are saved under a ref, and the files are restored to how the session found them).

This works only on a terminal, and not on one that the agent opened: it shows a word
that you must type.`),
		Example: "  code-intel session changes 20260314-0915\n  code-intel session changes 20260314-0915 mine",
		Args:    checkArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			p, list, err := a.namedSessions(args)
			if err != nil {
				return err
			}
			r := list[0]
			s, err := a.sessions(p)
			if err != nil {
				return err
			}
			q, changed, err := s.Unclaimed(cmd.Context(), r.ID)
			if err != nil {
				return err
			}
			q.Holder = r.Holder
			m := newOpenQuestion(p, changed, q, recordedDecision{Session: q.ID, Phase: q.Name}, fmt.Sprintf("Session %s, %s", q.ID, q.Phase))
			m.command = "session changes"
			if len(args) > 1 {
				m.Decision = args[1]
			}
			return a.askPerson(cmd.Context(), m)
		},
	})
}

// sessionList is every session in a line.
type sessionList struct {
	Sessions []sessionLine `json:"sessions"`
}

type sessionLine struct {
	ID      string               `json:"session_id"`
	Status  savedsessions.Status `json:"standing"`
	Holder  string               `json:"open_in,omitempty"`
	Next    bool                 `json:"resumed_next,omitempty"`
	Phase   string               `json:"phase,omitempty"`
	Outcome state.Outcome        `json:"outcome,omitempty"`
	Intent  state.Intent         `json:"intent,omitempty"`
	Query   string               `json:"query,omitempty"`
	Updated time.Time            `json:"updated,omitzero"`
	Fault   string               `json:"fault,omitempty"`
}

func newSessionLine(r *savedsessions.Record) sessionLine {
	l := sessionLine{ID: r.ID, Status: r.Status, Holder: r.Holder, Next: r.Next, Fault: r.Fault}
	if st := r.State; st != nil {
		l.Phase, l.Outcome, l.Intent, l.Query, l.Updated = string(st.Phase), st.Outcome, st.Intent, st.Query, st.Updated
	}
	return l
}

func newSessionList(all []*savedsessions.Record) *sessionList {
	l := &sessionList{Sessions: []sessionLine{}}
	for _, r := range all {
		l.Sessions = append(l.Sessions, newSessionLine(r))
	}
	return l
}

// Text is a table.
func (l *sessionList) Text() string {
	if len(l.Sessions) == 0 {
		return "no sessions"
	}
	var b strings.Builder
	w := columns(&b)
	for _, s := range l.Sessions {
		where := s.Phase
		if s.Outcome != "" {
			where = string(s.Outcome)
		}
		if s.Next {
			where += ", resumed next"
		}
		what := text.OneLine(s.Query)
		if s.Fault != "" {
			what = s.Fault
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", quote.Path(s.ID), s.Status, where, text.Clip(what, 72))
	}
	_ = w.Flush() // a strings.Builder takes everything
	return b.String()
}

// verifyReport is what the ledgers turned out to be.
type verifyReport struct {
	Whole  bool                  `json:"whole"` // all of them
	Checks []savedsessions.Check `json:"ledgers"`
}

func (v *verifyReport) Text() string {
	var b strings.Builder
	for _, c := range v.Checks {
		switch {
		case c.Whole:
			fmt.Fprintf(&b, "%s  intact: %s\n", quote.Path(c.ID), entries(c.Entries))
		case c.Broken > 0:
			fmt.Fprintf(&b, "%s  altered at entry %d: %s\n", quote.Path(c.ID), c.Broken, c.Why)
		default:
			fmt.Fprintf(&b, "%s  cannot verify: %s\n", quote.Path(c.ID), c.Why)
		}
	}
	if len(v.Checks) == 0 {
		return "no sessions"
	}
	return b.String()
}

// entries counts the entries of a ledger.
func entries(n int64) string {
	if n == 1 {
		return "1 entry"
	}
	return fmt.Sprintf("%d entries", n)
}

// resumeReport is a session that the agent can now resume.
type resumeReport struct {
	ID    string   `json:"session_id"`
	Phase string   `json:"phase"`
	Query string   `json:"query"`
	How   []string `json:"how"`
}

func (r *resumeReport) Text() string {
	return fmt.Sprintf("%s will be resumed next, in %s: %s\n  %s", r.ID, r.Phase, text.OneLine(r.Query), strings.Join(r.How, "\n  "))
}

// abandonReport is a session that was ended by hand.
type abandonReport struct{ *sessionanswer.Answer }

func (d *abandonReport) Text() string {
	text := fmt.Sprintf("%s ended: %s. code-intel session resume %s brings it back.", d.SessionID, d.Outcome, d.SessionID)
	for _, w := range d.Warnings {
		text += "\nwarning: " + w.String()
	}
	if d.Report != nil && d.Report.TaskBranch != "" {
		text += "\nThe work is on " + d.Report.TaskBranch + ":\n  " + strings.Join(msg.Texts(d.Report.GoOn), "\n  ")
	}
	return text
}
