package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"codeintel/internal/clients"
	"codeintel/internal/clients/registry"
	"codeintel/internal/pipeline/service"
	"codeintel/internal/platform/memlimit"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session"
	"codeintel/internal/session/state"
	"codeintel/internal/text/redact"
	"codeintel/internal/workflow"
)

// hookWork is how long a hook may work before it answers, and hookTime how long it
// may take: on a busy machine, most of that is waiting.
const (
	hookWork = 200 * time.Millisecond
	hookTime = 10 * hookWork
)

// hookMemory is how much memory a hook takes before it collects garbage, in bytes.
const hookMemory = 256 << 20

// longestHook is how much of a payload is read, in bytes; [clients.Registry.Parse] refuses less.
const longestHook = 64 << 20

// hook is the command that the clients' hooks run. Clients read a status of 2 as
// no, so that here a wrong command line has the status 1, which they pass over.
func (a *app) hook() *cobra.Command {
	return &cobra.Command{
		Use:   "hook CLIENT [EVENT]",
		Short: "Answer a coding agent's hook (set up by install)",
		Long: strings.TrimSpace(`
The command that a client's hooks run: it reads the event from standard input, decides,
and answers in the client's format. If no session is open in the project, it prints nothing.

CLIENT is claude, codex, cursor, copilot, gemini or opencode; EVENT is needed for clients
whose payload does not name it.`),
		Example:            "  code-intel hook claude < event.json",
		Args:               cobra.ArbitraryArgs,
		FParseErrWhitelist: cobra.FParseErrWhitelist{UnknownFlags: true},
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.answerHook(cmd.Context(), args)
		},
	}
}

// exitStatus is an exit status with which everything has been said.
type exitStatus int

func (q exitStatus) Error() string { return fmt.Sprintf("exit status %d", int(q)) }

func (a *app) answerHook(ctx context.Context, args []string) error {
	// What so short a process leaves behind need not be collected, short of a lot of it.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(memlimit.Within(hookMemory, 4)))
	known := registry.All.WithHooks()
	if len(args) == 0 || known.Find(clients.ID(args[0])) == nil {
		said := "CLIENT is missing"
		if len(args) > 0 {
			said = fmt.Sprintf("%q is not a client", args[0])
		}
		a.note("code-intel hook: %s; the clients are %s\n", said, known.Names())
		return exitStatus(1)
	}
	event := ""
	if len(args) > 1 {
		event = args[1]
	}
	data, err := io.ReadAll(io.LimitReader(a.in, longestHook+1))
	if err != nil {
		return err
	}
	e, err := registry.All.Parse(clients.ID(args[0]), event, data)
	if err != nil {
		return a.reply(e, a.failedHook(e, err))
	}
	return a.reply(e, a.answerEvent(ctx, e))
}

// reply prints the answer.
func (a *app) reply(e clients.Event, r clients.Reply) error {
	out := registry.All.Encode(e, r)
	if _, err := a.out.Write(redact.Keys(out.Stdout)); err != nil {
		return err
	}
	if out.Stderr != "" {
		a.note("%s\n", out.Stderr)
	}
	if out.Status != 0 {
		return exitStatus(out.Status)
	}
	return nil
}

// answerEvent asks the session that the event concerns. What goes wrong denies what is
// about to be written while a session is led, and is passed over else.
func (a *app) answerEvent(ctx context.Context, e clients.Event) (r clients.Reply) {
	defer func() {
		if p := recover(); p != nil {
			r = a.failedHook(e, fmt.Errorf("panic: %v", p))
		}
	}()
	ctx, cancel := limited(ctx)
	defer cancel()
	begins := session.Typed(e) || service.Typed(e) // perhaps the first piece of work in this project
	for _, root := range a.hookRoots(e) {
		if _, err := os.Stat(filepath.Join(root, project.Dir)); err != nil && !begins {
			continue
		}
		p, err := project.OpenRoot(root)
		if err != nil {
			return a.failedHook(e, err)
		}
		if e.Name == clients.Config {
			if state.Guarded(root) && removesOurHooks(e, root) {
				return clients.Reply{Deny: "A session is running in this project, and with this change the hooks that it relies on would be gone. Change it once the session is over."}
			}
			return clients.Reply{}
		}
		s, err := a.sessions(p)
		if err != nil {
			return a.failedHook(e, err)
		}
		h, err := s.HandleEvent(ctx, e)
		if err != nil {
			return a.failedHook(e, err)
		}
		if h.ID != "" {
			return replyOf(h, "session", msg.In(p.Config.Lang))
		}
		if led, err := a.answerPipelineEvent(ctx, p, e); err != nil {
			return a.failedHook(e, err)
		} else if led != nil {
			return *led
		}
		if e.Name == clients.Prompt { // the line is kept where the client works
			break
		}
	}
	return clients.Reply{}
}

// limited ends the context when the hook has worked as long as it may.
func limited(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeoutCause(ctx, hookTime, context.DeadlineExceeded)
	ctx, end := context.WithCancelCause(ctx)
	before := cpuTime()
	go func() {
		tick := time.NewTicker(hookWork / 10)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if cpuTime()-before > hookWork {
					end(context.DeadlineExceeded)
					return
				}
			}
		}
	}()
	return ctx, func() { end(nil); cancel() }
}

// answerPipelineEvent asks the pipeline that is led in the project; nil if none is.
func (a *app) answerPipelineEvent(ctx context.Context, p *project.Project, e clients.Event) (*clients.Reply, error) {
	if _, err := os.Stat(filepath.Join(p.Root, ".specs")); err != nil && !service.Typed(e) {
		return nil, nil
	}
	s, err := service.New(p, service.Options{Log: a.log, Now: time.Now})
	if err != nil {
		return nil, err
	}
	h, err := s.HandleEvent(ctx, e)
	if h == nil || h.ID == "" {
		return nil, err
	}
	if err != nil && mayWrite(e) {
		return &clients.Reply{Deny: fmt.Sprintf("The pipeline %s is running in this project, and it could not be determined whether this is allowed: %v", h.ID, err)}, nil
	}
	r := replyOf(h, "pipeline", msg.In(p.Config.Lang))
	return &r, nil
}

// replyOf puts what was decided about a session or a pipeline into words for the client.
func replyOf(h *workflow.HookResult, kind string, words msg.Printer) clients.Reply {
	r := clients.Reply{Context: words.Text(h.Context), Note: words.Text(h.Note)}
	if h.Denied {
		parts := append([]string{words.Text(h.Reason)}, words.Texts(h.Next)...)
		r.Deny = strings.Join(append(parts, fmt.Sprintf("(%s, %s; code-intel %s show %s)", h.ID, h.Phase, kind,
			path.Base(h.ID))), " ")
	}
	return r
}

// failedHook is the answer when something of ours went wrong.
func (a *app) failedHook(e clients.Event, err error) clients.Reply {
	led := slices.ContainsFunc(a.hookRoots(e), state.Guarded)
	if !led || !mayWrite(e) {
		if led {
			a.log.Warn("hook", "err", err)
		}
		return clients.Reply{}
	}
	why := err.Error()
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		why = "the decision took too long; check_write_target has more time for it, and what it approves is decided at once"
	}
	if p := problem.Of(err); p != nil {
		why = msg.Join(" ", p.Message, msg.Listed(" ", p.Next)).String()
	}
	return clients.Reply{Deny: "A session is running in this project, and it could not be determined whether this is allowed: " + why}
}

// mayWrite reports whether the event is about something that may write files.
func mayWrite(e clients.Event) bool {
	return e.Name == clients.Before && (e.Kind == clients.Write || e.Kind == clients.Shell || e.Kind == clients.Foreign)
}

// hookRoots returns the projects that an event may concern: that of the client, of
// the folder that it happens in, and of this process, and the projects around them: a
// repository that was made inside a project is no way out of its session. A client that
// was told to change its folder still works in its project.
func (a *app) hookRoots(e clients.Event) (roots []string) {
	dirs := []string{a.root}
	for _, c := range registry.All {
		if name := c.Variables.Project; name != "" {
			dirs = append(dirs, os.Getenv(name))
		}
	}
	for _, dir := range append(dirs, e.Dir, ".") {
		if dir == "" {
			continue
		}
		around, _ := project.Around(dir) // what is not a folder has no project
		for _, root := range around {
			if !slices.Contains(roots, root) {
				roots = append(roots, root)
			}
		}
	}
	return roots
}

// removesOurHooks reports whether the client would run our hooks no longer after a change of
// its settings.
func removesOurHooks(e clients.Event, root string) bool {
	client := registry.All.Find(e.Client)
	if client == nil || client.Setup.Hooked == nil {
		return false
	}
	home, _ := os.UserHomeDir() // without one there are no settings of a user
	return !client.Setup.Hooked(root, home, os.Getenv)
}
