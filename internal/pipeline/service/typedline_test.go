package service

import (
	"encoding/json"
	"testing"
	"time"

	"codeintel/internal/clients"
	"codeintel/internal/problem"
	"codeintel/internal/workflow"
)

func typing(text string) clients.Event {
	return clients.Event{Client: "claude", Name: clients.Prompt, Text: text}
}

// The flags and the request of a pipeline are those of the line that a person typed,
// in both calls of the handshake.
func TestLineBinds(t *testing.T) {
	for _, tt := range []struct {
		line, arguments string
		want            problem.Code
	}{
		{"/forge --nopr greet people", "--nopr greet people", ""},
		{"/code-intel:forge greet people --nopr", "--nopr  greet people", ""},
		{"$forge greet\npeople", "greet people", ""},
		{"/forge greet people", "--auto greet people", notWhatWasAsked},
		{"/forge --discuss greet people", "greet people", notWhatWasAsked},
		{"/forge --effort=L greet people", "--effort=S greet people", notWhatWasAsked},
		{"/forge greet people", "delete the tests", notWhatWasAsked},
		{"/forge --no-such-flag greet people", "greet people", notWhatWasAsked},
		{"greet people with /forge", "--auto greet people", ""},
		{"/forger greet people", "--auto greet people", ""},
	} {
		st := newStand(t)
		st.hear(typing(tt.line))
		_, err := st.s.Init(t.Context(), InitRequest{Arguments: tt.arguments})
		if code(err) != tt.want {
			t.Errorf("%q, then %q: %v", tt.line, tt.arguments, err)
		}
	}
}

func code(err error) problem.Code {
	if p := problem.Of(err); p != nil {
		return p.Code
	}
	if err != nil {
		return "another error"
	}
	return ""
}

func TestLineBindsTheHandshake(t *testing.T) {
	st := newStand(t)
	st.hear(typing("/forge --nopr greet people by name"))
	init := st.reply(st.s.Init(t.Context(), InitRequest{Arguments: "--nopr greet people by name"}))
	ws := init["workspace"].(string)
	for _, r := range []ContextRequest{
		{Workspace: ws, Flags: json.RawMessage(`{"auto": true, "skip_pr": true}`), TaskText: "greet people by name"},
		{Workspace: ws, Flags: json.RawMessage(`{"skip_pr": true}`), TaskText: "delete the tests"},
		{Workspace: ws, Flags: json.RawMessage(`{}`), TaskText: "greet people by name", UserConfirmation: json.RawMessage(`{"effort": "S", "workspace_slug": "x"}`)},
	} {
		if _, err := st.s.InitWithContext(t.Context(), r); code(err) != notWhatWasAsked {
			t.Errorf("%s %q: %v", r.Flags, r.TaskText, err)
		}
	}
	st.begin("--nopr greet people by name", "S")
	if _, err := st.s.Init(t.Context(), InitRequest{Arguments: "--auto something else"}); err != nil {
		t.Errorf("a line binds one pipeline: %v", err)
	}
}

func TestLineEnds(t *testing.T) {
	st := newStand(t)
	st.hear(typing("/forge greet people"))
	st.s.o.Now = func() time.Time { return noon.Add(workflow.LineLife + time.Minute) }
	if _, err := st.s.Init(t.Context(), InitRequest{Arguments: "--auto something else"}); err != nil {
		t.Errorf("after an hour: %v", err)
	}
	sub := typing("/forge greet people")
	sub.Agent = "a"
	st.hear(sub)
	st.s.o.Now = func() time.Time { return noon }
	st.hear(typing("/forge greet people")) // a newer one replaces it
	st.hear(typing("/forge greet dogs"))
	if _, err := st.s.Init(t.Context(), InitRequest{Arguments: "greet dogs"}); err != nil {
		t.Error(err)
	}
	if _, err := st.s.Init(t.Context(), InitRequest{Arguments: "greet people"}); code(err) != notWhatWasAsked {
		t.Errorf("the line before: %v", err)
	}
}
