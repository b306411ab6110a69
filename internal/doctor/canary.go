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
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/searchpath"
)

// canaryTime is how long the server and the hook may take together.
const canaryTime = 20 * time.Second

// tryHook asks an installed hook whether a file may be written, while the installed
// server leads a session that forbids it, in a project made for this and removed
// again. It returns an error if the hook does not deny it.
func tryHook(ctx context.Context, client *clients.Client, p install.Place, s *install.Installation) (err error) {
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
		return msg.Err("doctor.server_does_not_answer", s.Server, err)
	}
	defer c.Close()
	begun, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "start_session", Arguments: map[string]any{
		"intent": "MODIFY", "query": "unlock the file", "flags": []string{"--quick", "--no-doc"},
	}})
	if err != nil || begun.IsError {
		return msg.Err("doctor.server_starts_no_session", s.Server, errors.Join(err, errorText(begun)))
	}

	var out, problem bytes.Buffer
	hook := command(ctx, s.Ask, p.Root)
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
		return msg.Err("doctor.hook_does_not_deny_because", runErr)
	}
	return msg.Err("doctor.hook_does_not_deny")
}

// self reports whether a name is that of this program. The settings of a project may have come
// with it: what else they name is not run.
func self(name string) bool {
	found, err := exec.LookPath(name)
	return err == nil && filepath.IsAbs(found) && searchpath.Runs(found)
}

// canaryEnv returns the environment without the variables that clients set, and with a state
// folder of its own.
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

func errorText(r *mcp.CallToolResult) error {
	if r == nil || len(r.Content) == 0 {
		return nil
	}
	if t, ok := r.Content[0].(*mcp.TextContent); ok {
		return errors.New(t.Text)
	}
	return nil
}

// command is a hook as its client starts it for a project.
func command(ctx context.Context, a install.Ask, project string) *exec.Cmd {
	switch {
	case a.Line == "":
		return exec.CommandContext(ctx, a.Program, a.Args...)
	case runtime.GOOS == "windows":
		return exec.CommandContext(ctx, "cmd", "/C", a.Line)
	}
	return searchpath.Command(ctx, project, "sh", "-c", a.Line)
}

// installed looks at each place where the program is set up.
func (r *Report) installed(ctx context.Context, places []install.Place) {
	for _, p := range places {
		name := p.Client.ID
		repair := fmt.Sprintf("code-intel install %s --scope %s", name, p.Scope)
		s, err := install.Look(p)
		if err != nil {
			r.refused(name, err, msg.Literal(repair))
			continue
		}
		if s.Server == "" && s.Hooks == 0 {
			continue
		}
		r.installation(ctx, p, s, msg.Literal(repair))
	}
}

// installation reports what one installation has and what its hooks achieve.
func (r *Report) installation(ctx context.Context, p install.Place, s *install.Installation, repair msg.Message) {
	client := registry.All.Find(clients.ID(p.Client.ID))
	add := func(v Verdict, detail, fix msg.Message) {
		r.add(p.Client.ID, v, msg.New("doctor.scope", p.Scope, detail), fix)
	}
	if s.Server == "" {
		add(Bad, msg.New("doctor.hooks_without_server"), repair)
		return
	}
	if _, err := exec.LookPath(s.Server); err != nil {
		add(Bad, msg.New("doctor.program_cannot_start", s.Server), repair)
		return
	}
	if s.Hooks == 0 {
		fix := repair
		if client.RunsHooksOf != "" {
			fix = msg.New("doctor.client_installed_other", client.RunsHooksOf, p.Client.Title)
		}
		add(Weak, msg.New("doctor.no_hook"), fix)
		return
	}
	if len(s.Missing) > 0 {
		add(Weak, msg.New("doctor.missing", s.Missing[:min(5, len(s.Missing))]), repair)
	}
	if s.Off != "" {
		add(Bad, msg.New("doctor.hooks_off", s.Off), msg.New("doctor.remove_from_file"))
		return
	}
	if p.Scope == install.Project && !(self(s.Server) && self(s.Ask.Starts(p))) {
		add(Bad, msg.New("doctor.another_program"), msg.New("doctor.remove_changed_hook", repair))
		return
	}
	if err := tryHook(ctx, client, p, s); err != nil {
		add(Bad, msg.Of(err), msg.New("doctor.remove_changed_hook", repair))
		return
	}
	if s.Trust == install.NotNoted {
		add(Weak, msg.New("doctor.hook_not_trusted", p.Client.Title), msg.Literal(p.Client.TrustStep))
		return
	}
	detail := msg.New("doctor.hook_denies")
	if s.Trust == install.Noted {
		detail = msg.New("doctor.hook_denies_trust_noted", p.Client.Title)
	}
	add(Good, detail, none)
	r.Enforcement = Guarded
}
