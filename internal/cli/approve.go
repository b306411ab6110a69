package cli

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"codeintel/internal/messages"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/records"
	"codeintel/internal/session"
)

// Codes of approvals that are not taken.
const (
	notAPerson problem.Code = "not_a_person" // nothing shows that a person is there
	wrongWord  problem.Code = "wrong_word"
)

func (a *app) approve() *cobra.Command {
	var guidance string
	cmd := &cobra.Command{
		Use:   "approve [SESSION] [DECISION]",
		Short: "Decide what an agent's session waits for you to decide",
		Long: strings.TrimSpace(`
What becomes of left-over branches (delete, merge, continue) and of work that does
not get on (retry, accept, abort) is yours to decide, not the agent's. Where the
agent's program cannot ask you, decide here: what you choose holds, whatever the
agent submits next.

This works on a terminal only, and not on one that the agent opened: it shows a
word that you must type. There is no flag to get round that.`),
		Example: "  code-intel approve\n  code-intel approve retry --guidance \"keep the old signature\"",
		Args:    cobra.MaximumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := a.project()
			if err != nil {
				return err
			}
			return a.decide(p, args, guidance)
		},
	}
	cmd.Flags().StringVar(&guidance, "guidance", "", "what the agent should know or do differently")
	return a.withJSON(cmd)
}

// decided is a decision that was taken down.
type decided struct {
	Session  string `json:"session_id"`
	Phase    string `json:"phase"`
	Decision string `json:"decision"`
	Guidance string `json:"guidance,omitempty"`
}

func (d *decided) Text() string {
	return fmt.Sprintf("%s in %s: %s. It holds from the agent's next submit_phase on.", d.Session, d.Phase, d.Decision)
}

func (a *app) decide(p *project.Project, args []string, guidance string) error {
	r, decision, err := waiting(p, args)
	if err != nil {
		return err
	}
	s, err := a.sessions(p)
	if err != nil {
		return err
	}
	choice, err := s.ChoiceOf(r.State)
	if err != nil {
		return err
	}
	choice.Speak(messages.In(p.Config.Lang))
	if err := choice.Takes(session.Terminal); err != nil {
		return err
	}
	if decision != "" && !slices.Contains(choice.Options, decision) {
		return problem.Newf(problem.InvalidArgument, "%q is no decision in %s.", decision, choice.Phase).
			Or("Choose one of " + strings.Join(choice.Options, ", ") + ".")
	}
	if err := a.person(r); err != nil {
		return err
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return environment{fmt.Errorf("no terminal: %w", err)}
	}
	defer tty.Close()
	if decision, err = asks(tty, choice, decision); err != nil {
		return err
	}
	if err := s.Approve(choice, decision, guidance); err != nil {
		return err
	}
	return a.print(&decided{choice.Session, choice.Phase, decision, guidance})
}

// waiting returns the session that the arguments are about, and the decision
// among them: a word that some gate knows. Without a session it is the one that
// waits.
func waiting(p *project.Project, args []string) (r *records.Record, decision string, err error) {
	for _, arg := range args {
		switch {
		case slices.Contains(session.Decisions(), arg) && decision == "":
			decision = arg
		case r == nil:
			if r, err = records.Find(p, arg); err != nil {
				return nil, "", err
			}
			if r.State == nil {
				return nil, "", environment{fmt.Errorf("session %s: %s", r.ID, r.Fault)}
			}
		default:
			return nil, "", problem.Newf(problem.InvalidArgument, "%q is no decision.", arg).Or("Choose one of " + strings.Join(session.Decisions(), ", ") + ".")
		}
	}
	if r != nil {
		return r, decision, nil
	}
	all, err := records.List(p)
	if err != nil {
		return nil, "", err
	}
	all = slices.DeleteFunc(all, func(r *records.Record) bool {
		return r.State == nil || r.State.Gate == nil || r.State.Outcome != ""
	})
	switch len(all) {
	case 0:
		return nil, "", problem.New(session.GateClosed, "No session of this project waits for a decision of yours.", "code-intel session show lists them.")
	case 1:
		return all[0], decision, nil
	}
	return nil, "", problem.Newf(problem.InvalidArgument, "Two sessions wait: %s and %s.", all[0].ID, all[1].ID).Or("Name one.")
}

var pid = regexp.MustCompile(`^pid (\d+),`)

// person returns a Problem unless a person may be sitting there: on a terminal,
// and not on one that the agent's program opened.
func (a *app) person(r *records.Record) error {
	way := fmt.Sprintf("Open a terminal of your own, outside of the agent's program, and run there: code-intel approve %s", r.ID)
	in, _ := a.in.(io.Writer) // standard input is a file, and that is all isTerminal asks
	if in == nil || !isTerminal(in) || !isTerminal(a.out) {
		return problem.New(notAPerson, "Decisions are a person's: standard input and output must be a terminal.", way)
	}
	return outsideAgent(r.Holder, way)
}

// outsideAgent returns a Problem, with the way, if the command was started by an
// agent's program, or by the one that runs the server of the session's holder.
func outsideAgent(holder, way string) error {
	if os.Getenv("CLAUDECODE") != "" {
		return problem.New(notAPerson, "This is a shell of Claude Code.", way)
	}
	if m := pid.FindStringSubmatch(holder); m != nil {
		if server, err := strconv.Atoi(m[1]); err == nil && kin(server) {
			return problem.New(notAPerson, "This shell was opened by the program that runs the agent.", way)
		}
	}
	return nil
}

// asks puts the choice before whoever sits at the terminal and wants a word typed
// that stands nowhere but there.
func asks(tty io.ReadWriter, c *session.Choice, decision string) (string, error) {
	lines := bufio.NewReader(io.LimitReader(tty, 4096))
	answer := func(question string) (string, error) {
		fmt.Fprint(tty, question)
		line, err := lines.ReadString('\n')
		if err != nil {
			return "", environment{fmt.Errorf("terminal: %w", err)}
		}
		return strings.ToLower(strings.TrimSpace(line)), nil
	}
	fmt.Fprintf(tty, "\nSession %s, %s\n%s\n\n", c.Session, c.Phase, c.Text)
	if decision == "" {
		var err error
		if decision, err = answer(strings.Join(c.Options, ", ") + "? "); err != nil {
			return "", err
		}
		if !slices.Contains(c.Options, decision) {
			return "", problem.Newf(problem.InvalidArgument, "%q is no decision here.", decision).Or("Choose one of " + strings.Join(c.Options, ", ") + ".")
		}
	}
	word := strings.ToLower(rand.Text()[:6])
	typed, err := answer(c.Confirm(decision, word))
	if err != nil {
		return "", err
	}
	if typed != word {
		return "", problem.New(wrongWord, "That was another word. Nothing was decided.", "Run the command again.")
	}
	return decision, nil
}
