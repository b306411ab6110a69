package doctor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codeintel/internal/clients"
	"codeintel/internal/clients/install"
	"codeintel/internal/clients/registry"
)

// canaryTime is how long server and hook may take together.
const canaryTime = 20 * time.Second

// canary asks an installed hook whether a file may be written, while the installed
// server leads a session that forbids it, in a project made for this and removed
// again. It returns an error if the hook does not deny it.
func canary(ctx context.Context, client *clients.Client, s *install.Standing) (err error) {
	run, err := os.MkdirTemp("", "code-intel-doctor-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(run)) }()
	root := filepath.Join(run, "project")
	if err := os.MkdirAll(filepath.Join(root, ".code-intel"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, "locked.txt"), []byte("locked\n"), 0o644); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, canaryTime)
	defer cancel()
	env := canaryEnv(run, root)

	server := exec.CommandContext(ctx, s.Server, "mcp", "--root", root)
	server.Env, server.Dir = env, root
	c, err := mcp.NewClient(&mcp.Implementation{Name: "code-intel-doctor", Version: "1"}, nil).
		Connect(ctx, &mcp.CommandTransport{Command: server, TerminateDuration: 5 * time.Second}, nil)
	if err != nil {
		return fmt.Errorf("the server %s does not answer: %w", s.Server, err)
	}
	defer c.Close()
	begun, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "start_session", Arguments: map[string]any{
		"intent": "MODIFY", "query": "unlock the file", "flags": []string{"--quick", "--no-doc"},
	}})
	if err != nil || begun.IsError {
		return fmt.Errorf("the server %s leads no session: %w", s.Server, errors.Join(err, said(begun)))
	}

	var out, problem bytes.Buffer
	hook := command(ctx, s.Ask)
	hook.Env, hook.Dir = env, root
	hook.Stdin = bytes.NewReader(bytes.ReplaceAll(client.WriteProbe, []byte("$RUN"), []byte(filepath.ToSlash(run))))
	hook.Stdout, hook.Stderr = &out, &problem
	runErr := hook.Run()
	if strings.Contains(out.String(), `"deny"`) && strings.Contains(out.String(), "QUERY_FRAME") {
		return nil
	}
	if said := strings.TrimSpace(out.String() + problem.String()); said != "" {
		runErr = errors.Join(runErr, errors.New(said))
	}
	if runErr != nil {
		return fmt.Errorf("its hook does not deny a write: %w", runErr)
	}
	return errors.New("its hook does not deny a write")
}

// canaryEnv is the environment without what clients have set, and with a state of its
// own.
func canaryEnv(run, root string) []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "XDG_STATE_HOME=") || slices.ContainsFunc(registry.All, func(c *clients.Client) bool {
			return c.Variables.Prefix != "" && strings.HasPrefix(v, c.Variables.Prefix)
		})
	})
	for _, c := range registry.All {
		if c.Variables.Project != "" {
			env = append(env, c.Variables.Project+"="+root)
		}
	}
	return append(env, "XDG_STATE_HOME="+filepath.Join(run, "state"))
}

func said(r *mcp.CallToolResult) error {
	if r == nil || len(r.Content) == 0 {
		return nil
	}
	if t, ok := r.Content[0].(*mcp.TextContent); ok {
		return errors.New(t.Text)
	}
	return nil
}

// command is a hook as its client starts it.
func command(ctx context.Context, a install.Ask) *exec.Cmd {
	switch {
	case a.Line == "":
		return exec.CommandContext(ctx, a.Program, a.Args...)
	case runtime.GOOS == "windows":
		return exec.CommandContext(ctx, "cmd", "/C", a.Line)
	}
	return exec.CommandContext(ctx, "sh", "-c", a.Line)
}

// installed looks at each place where the program is set up.
func (r *Report) installed(ctx context.Context, places []install.Place) {
	for _, p := range places {
		name := p.Client.ID
		repair := fmt.Sprintf("code-intel install %s --scope %s", name, p.Scope)
		s, err := install.Look(p)
		if err != nil {
			r.refused(name, err, repair)
			continue
		}
		if s.Server == "" && s.Hooks == 0 {
			continue
		}
		r.standing(ctx, p, s, fmt.Sprintf("%s scope: ", p.Scope), repair)
	}
}

// standing says how one installation stands, and what it holds up to.
func (r *Report) standing(ctx context.Context, p install.Place, s *install.Standing, where, repair string) {
	client := registry.All.Find(clients.ID(p.Client.ID))
	add := func(v Verdict, detail, fix string) { r.add(p.Client.ID, v, where+detail, fix) }
	if s.Server == "" {
		add(Bad, "there are hooks, and no server", repair)
		return
	}
	if _, err := exec.LookPath(s.Server); err != nil {
		add(Bad, fmt.Sprintf("it starts %s, which cannot be started", s.Server), repair)
		return
	}
	if s.Hooks == 0 {
		fix := repair
		if client.RunsHooksOf != "" {
			fix = fmt.Sprintf("code-intel install %s, whose hooks %s runs", client.RunsHooksOf, p.Client.Title)
		}
		add(Weak, "the server is there, no hook is: nothing denies a write before it happens", fix)
		return
	}
	if len(s.Missing) > 0 {
		add(Weak, fmt.Sprintf("missing: %s", strings.Join(s.Missing[:min(5, len(s.Missing))], ", ")), repair)
	}
	if s.Off != "" {
		add(Bad, s.Off+" switches all hooks off (disableAllHooks)", "take it out of that file")
		return
	}
	if err := canary(ctx, client, s); err != nil {
		add(Bad, err.Error(), "if somebody has changed the hook, remove it; then: "+repair)
		return
	}
	if s.Trust == install.NotNoted {
		add(Weak, fmt.Sprintf("the hook denies a write, but %s runs it only once you trust it", p.Client.Title), p.Client.TrustStep)
		return
	}
	detail := "its hook denies a write that a session forbids"
	if s.Trust == install.Noted {
		detail += fmt.Sprintf("; %s has noted that you trust it, in its form of then", p.Client.Title)
	}
	add(Good, detail+" (L3)", "")
	r.Enforcement = Guarded
}
