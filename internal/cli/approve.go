package cli

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"codeintel/internal/approval"
	"codeintel/internal/clients/registry"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/service"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session"
	"codeintel/internal/session/savedsessions"
	"codeintel/internal/workflow"
)

// Codes of approvals that are not taken.
const (
	notAPerson problem.Code = "not_a_person" // nothing shows that a person is there
	wrongWord  problem.Code = "wrong_word"
)

func (a *app) approve() *cobra.Command {
	var guidance string
	cmd := &cobra.Command{
		Use:   "approve [SESSION | PIPELINE] [DECISION]",
		Short: "Decide what a session or pipeline is waiting for you to decide",
		Long: strings.TrimSpace(`
Some decisions are yours, not the agent's: what becomes of left-over branches (delete,
merge, continue) and of work that is blocked (retry, accept, abort), and the answers at
a pipeline's checkpoints (approve, reject, …). Where the agent's program cannot ask you,
decide here: your choice holds, whatever the agent submits next.

This works only on a terminal, and not on one that the agent opened: it shows a word
that you must type. No flag bypasses that.`),
		Example: "  code-intel approve\n  code-intel approve retry --guidance \"keep the old signature\"\n  code-intel approve fix-auth-timeout reject",
		Args:    checkArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := a.project()
			if err != nil {
				return err
			}
			return a.decide(cmd.Context(), p, args, guidance)
		},
	}
	cmd.Flags().StringVar(&guidance, "guidance", "", "what the agent should know or do differently")
	return a.withJSON(cmd)
}

// recordedDecision is a decision that has been recorded.
type recordedDecision struct {
	Session  string `json:"session_id,omitempty"`
	Pipeline string `json:"workspace,omitempty"`
	Phase    string `json:"phase"`
	Decision string `json:"decision"`
	Guidance string `json:"guidance,omitempty"`
}

func (d *recordedDecision) Text() string {
	if d.Pipeline != "" {
		return fmt.Sprintf("%s at %s: %s. It applies from the agent's next call on.", d.Pipeline, d.Phase, d.Decision)
	}
	return fmt.Sprintf("%s in %s: %s. It applies from the agent's next submit_phase on.", d.Session, d.Phase, d.Decision)
}

// An openQuestion is a question that waits for a person's decision.
type openQuestion struct {
	recordedDecision // but for the decision
	*workflow.Question
	head    string   // one line
	reworks []string // those of the options for which words are wanted
	words   msg.Printer
	by      workflow.Decider
	command string // which the person runs
}

func (m *openQuestion) name() string { return cmp.Or(m.Session, path.Base(m.Pipeline)) }

// check returns a Problem if this decision cannot be made here.
func (m *openQuestion) check(decision string) error {
	if slices.Contains(m.Options, decision) || slices.Contains(m.Unlisted, decision) {
		return nil
	}
	return problem.New(problem.InvalidArgument, "cli.no_decision", decision, m.Name).
		Or("problem.choose_one", strings.Join(m.Options, ", "))
}

func (a *app) decide(ctx context.Context, p *project.Project, args []string, guidance string) error {
	m, decision, err := a.findQuestion(ctx, p, args)
	if err != nil {
		return err
	}
	m.Decision, m.Guidance = decision, guidance
	return a.askPerson(ctx, m)
}

// askPerson asks the person at the terminal, and records what they decide.
func (a *app) askPerson(ctx context.Context, m *openQuestion) error {
	if err := m.Takes(approval.Terminal); err != nil {
		return err
	}
	if m.Decision != "" {
		if err := m.check(m.Decision); err != nil {
			return err
		}
	}
	if err := a.checkPersonPresent(m); err != nil {
		return err
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return environment{fmt.Errorf("no terminal: %w", err)}
	}
	defer tty.Close()
	if err := askOnTerminal(tty, m); err != nil {
		return err
	}
	if err := m.by.Decide(ctx, m.Question, workflow.Choice{Option: m.Decision, Guidance: m.Guidance,
		Channel: approval.Terminal}); err != nil {
		return err
	}
	return a.print(&m.recordedDecision)
}

// findQuestion returns what the arguments are about, and the decision among them: a word
// that some gate knows. Without a name it is what waits.
func (a *app) findQuestion(ctx context.Context, p *project.Project, args []string) (m *openQuestion,
	decision string, err error) {
	words := slices.Concat(session.Decisions(), engine.Words())
	name := ""
	for _, arg := range args {
		switch {
		case slices.Contains(words, arg) && decision == "":
			decision = arg
		case name == "":
			name = arg
		default:
			return nil, "", problem.New(problem.InvalidArgument, "cli.not_a_decision", arg).Or("cli.choose_one_at_pipeline_checkpoint", strings.Join(session.Decisions(), ", "), strings.Join(engine.Words(), ", "))
		}
	}
	if name != "" {
		m, err = a.questionOf(ctx, p, name)
		return m, decision, err
	}
	all, err := a.openQuestions(ctx, p)
	switch {
	case err != nil:
		return nil, "", err
	case len(all) == 0:
		return nil, "", problem.New(approval.GateClosed, "cli.no_session_no_pipeline_project").
			Or("cli.code_intel_session_show_code")
	case len(all) > 1:
		var names []string
		for _, m := range all {
			names = append(names, m.name())
		}
		return nil, "", problem.New(problem.InvalidArgument, "cli.n_decisions_wait", len(all),
			strings.Join(names, ", ")).Or("cli.name_one")
	}
	return all[0], decision, nil
}

// questionOf returns what the session or pipeline of a name waits for.
func (a *app) questionOf(ctx context.Context, p *project.Project, name string) (*openQuestion, error) {
	s, err := a.pipelines()
	if err != nil {
		return nil, err
	}
	if ws, unknown := s.Find(name); unknown == nil {
		d, err := s.QuestionOf(ctx, ws)
		if err != nil {
			return nil, err
		}
		return ofPipeline(p, s, d), nil
	}
	r, err := savedsessions.Find(p, name)
	if err != nil {
		return nil, err
	}
	if r.State == nil {
		return nil, environment{fmt.Errorf("session %s: %s", r.ID, r.Fault)}
	}
	return a.ofSession(p, r)
}

// openQuestions returns everything of the project that waits for a person.
func (a *app) openQuestions(ctx context.Context, p *project.Project) (all []*openQuestion, err error) {
	sessions, err := savedsessions.List(p)
	if err != nil {
		return nil, err
	}
	for _, r := range sessions {
		if r.State == nil || r.State.Gate == nil || r.State.Outcome != "" {
			continue
		}
		m, err := a.ofSession(p, r)
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	s, err := a.pipelines()
	if err != nil {
		return nil, err
	}
	asked, err := s.Waiting(ctx)
	for _, d := range asked {
		all = append(all, ofPipeline(p, s, d))
	}
	return all, err
}

func (a *app) ofSession(p *project.Project, r *savedsessions.Record) (*openQuestion, error) {
	s, err := a.sessions(p)
	if err != nil {
		return nil, err
	}
	q, err := s.QuestionOf(r.State)
	if err != nil {
		return nil, err
	}
	q.Holder = r.Holder
	return newOpenQuestion(p, s, q, recordedDecision{Session: q.ID, Phase: q.Name}, fmt.Sprintf("Session %s, %s", q.ID, q.Phase)), nil
}

func ofPipeline(p *project.Project, s *service.Service, q *workflow.Question) *openQuestion {
	m := newOpenQuestion(p, s, q, recordedDecision{Pipeline: q.ID, Phase: q.Name}, fmt.Sprintf("Pipeline %s, %s: %s", q.ID, q.Phase, q.Title))
	m.reworks = []string{"reject", "guide", "revise"}
	return m
}

func newOpenQuestion(p *project.Project, by workflow.Decider, q *workflow.Question, d recordedDecision,
	head string) *openQuestion {
	words := msg.In(p.Config.Lang)
	return &openQuestion{recordedDecision: d, Question: q, head: head, words: words, by: by, command: "approve"}
}

var pid = lazyregexp.MustCompile(`^pid (\d+),`)

// checkPersonPresent returns a Problem unless a person may be sitting there: on a terminal,
// and not on one that the agent's program opened.
func (a *app) checkPersonPresent(m *openQuestion) error {
	way := msg.New("cli.open_terminal_of_your_own", m.command, m.name())
	if !a.onTerminal() {
		return problem.New(notAPerson, "cli.decisions_person_standard_input_output").OrSay(way)
	}
	return outsideAgent(m.Holder, way)
}

// outsideAgent returns a Problem, with the way, if the command was started by an
// agent's program, or by the one that runs the server of the session's holder.
func outsideAgent(holder string, way msg.Message) error {
	for _, c := range registry.All {
		if name := c.Variables.Shell; name != "" && os.Getenv(name) != "" {
			return problem.New(notAPerson, "cli.shell_of_an_agent", c.Setup.Title).OrSay(way)
		}
	}
	if m := pid.FindStringSubmatch(holder); m != nil {
		if server, err := strconv.Atoi(m[1]); err == nil && descendsFromAgentOf(server) {
			return problem.New(notAPerson, "cli.shell_opened_program_runs_agent").
				OrSay(way)
		}
	}
	return nil
}

// askOnTerminal shows the matter on the terminal and stores the decision that is typed there in it.
// It also wants a word typed that is shown on the terminal alone.
func askOnTerminal(tty io.ReadWriter, m *openQuestion) error {
	lines := bufio.NewReader(io.LimitReader(tty, 1<<16))
	answer := func(question string) (string, error) {
		fmt.Fprint(tty, question)
		line, err := lines.ReadString('\n')
		if err != nil {
			return "", environment{fmt.Errorf("terminal: %w", err)}
		}
		return strings.TrimSpace(line), nil
	}
	fmt.Fprintf(tty, "\n%s\n%s\n\n", m.head, m.words.Text(m.Question.Text))
	if m.Decision == "" {
		said, err := answer(strings.Join(m.Options, ", ") + "? ")
		if err != nil {
			return err
		}
		m.Decision = strings.ToLower(said)
		if err := m.check(m.Decision); err != nil {
			return err
		}
	}
	if m.Guidance == "" && slices.Contains(m.reworks, m.Decision) {
		said, err := answer("What should be different, in a line? ")
		if err != nil {
			return err
		}
		m.Guidance = said
	}
	word := strings.ToLower(rand.Text()[:6])
	typed, err := answer(m.words.Say("cli.to_decide_type", m.Decision, word))
	if err != nil {
		return err
	}
	if strings.ToLower(typed) != word {
		return problem.New(wrongWord, "cli.another_word_nothing_decided").
			Or("cli.run_command_again")
	}
	return nil
}
