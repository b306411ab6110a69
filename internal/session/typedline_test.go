package session

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"codeintel/internal/clients"
	"codeintel/internal/problem"
	"codeintel/internal/session/answer"
	"codeintel/internal/session/codecommand"
	"codeintel/internal/workflow"
)

func prompts(text string) clients.Event {
	return clients.Event{Client: "claude", Name: clients.Prompt, Text: text}
}

func TestALineBindsOneSession(t *testing.T) {
	d := newDesk(t, map[string]string{"a.txt": "one\n"})
	start := func(query string, flags ...string) (problem.Code, *answer.Answer) {
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
	if code, _ := start("What is it?"); code != codecommand.NotWhatWasAsked {
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
	if code, _ := start("What is it?"); code != codecommand.NotWhatWasAsked {
		t.Errorf("the line is lost: %q", code)
	}
	d.server = d.process(func() time.Time { return time.Now().Add(workflow.LineLife + time.Minute) })
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
