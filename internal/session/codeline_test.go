package session

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codeintel/internal/client"
	"codeintel/internal/problem"
)

func prompts(text string) client.Event {
	return client.Event{Client: client.Claude, Name: client.Prompt, Text: text}
}

func TestWhatThePersonAskedBinds(t *testing.T) {
	const fits, not = "", string(NotWhatWasAsked)
	for name, tt := range map[string]struct {
		prompt string
		query  string
		flags  []string
		want   string
	}{
		"word for word":                    {"/code Fix the total", "Fix the total", nil, fits},
		"other white space, other width":   {"/code  Ｆｉｘ the\n total ", "Fix the total", nil, fits},
		"flags in front":                   {"/code --fast -g=auto Fix it", "Fix it", []string{"--fast"}, fits},
		"flags behind":                     {"$code Fix it --no-doc", "Fix it", []string{"--no-doc-research"}, fits},
		"flags sent in the query as well":  {"/code -q Fix it", "-q Fix it", []string{"-q"}, fits},
		"the command of a plugin":          {"/code-intel:code Fix it", "Fix it", nil, fits},
		"Japanese":                         {"/code --fast 合計を　直す", "合計を 直す", []string{"-f"}, fits},
		"another query":                    {"/code Fix the total", "Fix everything", nil, not},
		"part of the query":                {"/code Fix the total and the tax", "Fix the total", nil, not},
		"a flag more":                      {"/code Fix it", "Fix it", []string{"--no-verify"}, not},
		"a flag less":                      {"/code --gate=full Fix it", "Fix it", nil, not},
		"another value":                    {"/code --gate=full Fix it", "Fix it", []string{"--gate=auto"}, not},
		"an option word within":            {"/code why does grep -v fail", "why does grep -v fail", nil, fits},
		"an option word within, meant":     {"/code Fix it -f and quickly", "Fix it and quickly", []string{"-f"}, fits},
		"a flag that there is not":         {"/code --fats Fix it", "Fix it", []string{"--fast"}, not},
		"flags that contradict each other": {"/code -f -q Fix it", "Fix it", []string{"-f"}, not},
		"no request":                       {"/code --fast", "Fix it", nil, fits},
		"another command":                  {"/codex Fix it", "Fix everything", nil, fits},
		"the word in a sentence":           {"run /code Fix it", "Fix everything", nil, fits},
		"a path":                           {"/code/a.go is broken", "Fix it", nil, fits},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, map[string]string{"a.txt": "one\n"})
			d.hear(prompts(tt.prompt))
			a, err := d.server.Start(t.Context(), StartRequest{Intent: "MODIFY", Query: tt.query, Flags: tt.flags})
			p := problem.Of(err)
			switch {
			case tt.want == fits && (err != nil || a.SessionID == ""):
				t.Errorf("refused: %v", err)
			case tt.want != fits && (p == nil || string(p.Code) != tt.want || len(p.Next) == 0):
				t.Errorf("answered %v, %v", a, err)
			case tt.want != fits && !strings.Contains(p.Message, tt.prompt):
				t.Errorf("the refusal does not say what was asked: %v", err)
			}
		})
	}
}

func TestALineBindsOneSession(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "one\n"})
	start := func(query string, flags ...string) (problem.Code, *Answer) {
		a, err := d.server.Start(t.Context(), StartRequest{Intent: "QUESTION", Query: query, Flags: flags})
		if p := (*problem.Problem)(nil); errors.As(err, &p) {
			return p.Code, nil
		} else if err != nil {
			t.Fatal(err)
		}
		return "", a
	}
	end := func() {
		if _, err := d.server.Status(t.Context(), StatusRequest{DiscardActive: true}); err != nil {
			t.Fatal(err)
		}
	}
	d.hear(prompts("/code Where is it?"))
	if code, _ := start("What is it?"); code != NotWhatWasAsked {
		t.Fatalf("another request: %q", code)
	}
	if code, _ := start("Where is it?"); code != "" {
		t.Fatalf("the request: %q", code)
	}
	end()
	if code, _ := start("What is it?"); code != "" {
		t.Errorf("a used line binds again: %q", code)
	}
	end()
	// A sub-agent's prompt is no person's.
	e := prompts("/code Delete it")
	e.Agent = "a1"
	d.hear(e)
	if code, _ := start("What is it?"); code != "" {
		t.Errorf("a sub-agent's line binds: %q", code)
	}
	// What interrupted work needs is not bound by a line that asks for other work.
	d.hear(prompts("/code Where is it?"))
	if err := d.server.Close(); err != nil {
		t.Fatal(err)
	}
	if code, a := start("Where is it?"); code != "" || a.Recovery == nil {
		t.Fatalf("no recovery: %q", code)
	}
	if code, a := start("", "--resume"); code != "" || a.SessionID == "" {
		t.Errorf("--resume is refused: %q", code)
	}
	end()
	if code, _ := start("What is it?"); code != NotWhatWasAsked {
		t.Errorf("the line is lost: %q", code)
	}
	d.server = d.process(func() time.Time { return time.Now().Add(lineLife + time.Minute) })
	if code, _ := start("What is it?"); code != "" {
		t.Errorf("an old line binds: %q", code)
	}
	end()
	d.write(".code-intel/sessions/"+lineFile, "{spoilt")
	if code, _ := start("What is it?"); code != "" {
		t.Errorf("a spoilt line is in the way: %q", code)
	}
	if _, err := os.Stat(filepath.Join(d.root, ".code-intel/sessions", lineFile)); err == nil {
		t.Error("a spoilt line stays")
	}
}
