package policy

import (
	"strings"
	"testing"
)

func TestDecideCommand(t *testing.T) {
	reading, writing := Permissions{Phase: "EXPLORATION"}, Permissions{Phase: "READY", Step: "implement", Writing: true}
	verifying := Permissions{Phase: "POST_IMPL_VERIFY", Verifying: true}
	for name, tt := range map[string]struct {
		command          Command
		reading, writing bool
		verifying        bool
	}{
		"only reads":             {Command{}, true, true, true},
		"cannot be parsed":       {Command{Unparsed: "x"}, false, false, false},
		"runs a program":         {Command{NotReading: []string{"runs go test"}}, false, true, false},
		"runs tests":             {Command{NotReading: []string{"runs go test"}, Tests: []string{"runs go test"}}, false, true, true},
		"runs tests and writes":  {Command{NotReading: []string{"writes x", "runs go test"}, Tests: []string{"runs go test"}, Touched: []Touch{{Path: "x"}}}, false, true, false},
		"names git to tests":     {Command{NotReading: []string{"runs go test"}, Tests: []string{"runs go test"}, Touched: []Touch{{Path: ".git/config", Named: true}}}, false, false, false},
		"commits":                {Command{NotReading: []string{"git commit"}, History: []string{"git commit"}}, false, false, false},
		"decides for a person":   {Command{NotReading: []string{"x"}, People: []string{"code-intel trust"}}, false, false, false},
		"evaluates":              {Command{NotReading: []string{"x"}, Unclear: []string{"x"}}, false, false, false},
		"writes a file":          {touching("src/a.go", false), false, true, false},
		"removes a file":         {touching("src/a.go", true), false, true, false},
		"removes a folder":       {touching("src", true), false, true, false},
		"removes everything":     {touching(".", true), false, false, false},
		"removes git":            {touching(".git", true), false, false, false},
		"writes a hook":          {touching(".claude/hooks/x", false), false, false, false},
		"removes its folder":     {touching(".claude", true), false, false, false},
		"makes a folder":         {touching(".claude", false), false, true, false},
		"removes some":           {touching("src/*.tmp", true), false, true, false},
		"removes what is hidden": {touching(".*", true), false, false, false},
		"removes by a set":       {touching("[.]git", true), false, false, false},
		"a name with brackets":   {touching("app/[id]/a.tsx", false), false, true, false},
		"removes in the state":   {touching(".code-intel/*", true), false, false, false},
		"writes elsewhere":       {Command{NotReading: []string{"x"}, Touched: []Touch{{Path: "/tmp/x", Outside: true}}}, false, true, false},
		"removes elsewhere":      {Command{NotReading: []string{"x"}, Touched: []Touch{{Path: "/home/x", Outside: true, Remove: true}}}, false, false, false},
	} {
		for _, at := range []struct {
			state Permissions
			want  bool
		}{{reading, tt.reading}, {writing, tt.writing}, {verifying, tt.verifying}} {
			d := DecideCommand(tt.command, at.state)
			if d.Allowed != at.want {
				t.Errorf("%s in %s: %+v", name, at.state.Phase, d)
			}
			if !d.Allowed && (d.Reason.IsZero() || len(d.Next) == 0) {
				t.Errorf("%s in %s: refused without a reason or a way on", name, at.state.Phase)
			}
		}
	}
}

func touching(path string, remove bool) Command {
	return Command{NotReading: []string{"writes " + path}, Touched: []Touch{{Path: path, Remove: remove, Glob: strings.ContainsAny(path, "*[") && !strings.Contains(path, "id")}}}
}

func TestDecideChanged(t *testing.T) {
	s := Permissions{Phase: "READY", Writing: true, Explored: map[string]bool{"a.go": true}}
	if d := Decide(Target{Path: "a.go", Exists: true, Changed: true}, s); d.Allowed || len(d.Next) == 0 {
		t.Errorf("a file that has changed since: %+v", d)
	}
	if d := Decide(Target{Path: "a.go", Exists: true}, s); !d.Allowed {
		t.Errorf("a file as it was shown: %+v", d)
	}
}
