package doctor

import (
	"bytes"
	"context"
	"embed"
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

	"codeintel/internal/clients/install"
)

// payloads are what the clients' hooks are told before a write: recorded from Claude
// Code and Codex, made after the documentation of the others. $RUN stands for a folder.
//
//go:embed payloads
var payloads embed.FS

// canaryTime is how long server and hook may take together.
const canaryTime = 20 * time.Second

// canary asks an installed hook whether a file may be written, while the installed
// server leads a session that forbids it, in a project made for this and removed
// again. It returns an error if the hook does not deny it.
func canary(ctx context.Context, client install.Name, s *install.Standing) (err error) {
	payload, err := payloads.ReadFile("payloads/" + string(client) + ".json")
	if err != nil {
		return err
	}
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
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "CLAUDE_") || strings.HasPrefix(v, "XDG_STATE_HOME=")
	})
	env = append(env, "XDG_STATE_HOME="+filepath.Join(run, "state"), "CLAUDE_PROJECT_DIR="+root)

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
	hook.Stdin = bytes.NewReader(bytes.ReplaceAll(payload, []byte("$RUN"), []byte(filepath.ToSlash(run))))
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
		name := string(p.Client)
		repair := fmt.Sprintf("code-intel install %s --scope %s", p.Client, p.Scope)
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
	name := string(p.Client)
	add := func(v Verdict, detail, fix string) { r.add(name, v, where+detail, fix) }
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
		if p.Client == install.VSCode {
			fix = "code-intel install copilot, whose hooks VS Code runs"
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
	if err := canary(ctx, p.Client, s); err != nil {
		add(Bad, err.Error(), "if somebody has changed the hook, remove it; then: "+repair)
		return
	}
	if s.Trust == install.NotNoted {
		add(Weak, "the hook denies a write, but Codex runs it only once you trust it", "type /hooks in Codex, and trust those of code-intel")
		return
	}
	detail := "its hook denies a write that a session forbids"
	if s.Trust == install.Noted {
		detail += "; Codex has noted that you trust it, in its form of then"
	}
	add(Good, detail+" (L3)", "")
	r.Enforcement = Guarded
}
