package install

import "testing"

// TestStarts takes a hook for one of ours only if its command is as install writes it.
func TestStarts(t *testing.T) {
	p := Place{Client: &Client{ID: "claude", GuardEvent: "PreToolUse"}}
	for _, tt := range []struct {
		ask  Ask
		want string
	}{
		{Ask{Program: "/bin/ci", Args: []string{"hook", "claude", "PreToolUse"}}, "/bin/ci"},
		{Ask{Line: p.HookLine(Hook{Event: "PreToolUse"}, "/a b/c'i")}, "/a b/c'i"},
		{Ask{Line: "code-intel hook claude PreToolUse"}, "code-intel"},
		{Ask{Program: "sh", Args: []string{"-c", "x", "hook", "claude", "PreToolUse"}}, ""},
		{Ask{Line: "touch x; code-intel hook claude PreToolUse"}, ""},
		{Ask{Line: "$(touch${IFS}x) hook claude PreToolUse"}, ""},
		{Ask{Line: "'a'\\''$(touch x)' hook claude PreToolUse"}, "a'$(touch x)"},
		{Ask{Line: "code-intel hook claude PreToolUse; touch x"}, ""},
		{Ask{Line: "code-intel hook claude PostToolUse"}, ""},
		{Ask{}, ""},
	} {
		if got := tt.ask.Starts(p); got != tt.want {
			t.Errorf("%+v starts %q, want %q", tt.ask, got, tt.want)
		}
	}
}
