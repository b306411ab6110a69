package clients_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	. "codeintel/internal/clients"
	"codeintel/internal/clients/registry"
	"codeintel/test/golden"
)

// accepted is what the documentation of a client says that it takes as the answer to
// an event: its members, with the values of those that have few. A member that holds
// others is named with a dot.
var accepted = map[ID]map[Name]map[string][]string{
	"cursor": {
		Before: {"permission": {"allow", "deny", "ask"}, "user_message": nil, "agent_message": nil},
		Prompt: {"continue": nil, "user_message": nil},
		Stop:   {"followup_message": nil}, SessionStart: {"additional_context": nil},
	},
	"copilot": {
		Before: {"permissionDecision": {"allow", "deny", "ask"}, "permissionDecisionReason": nil, "modifiedArgs": nil},
		Stop:   {"decision": {"block"}, "reason": nil}, SubagentStop: {"decision": {"block"}, "reason": nil}, SessionStart: {"additionalContext": nil},
	},
	"gemini": {
		Before: geminiTakes, After: geminiTakes, Prompt: geminiTakes, Stop: geminiTakes, SessionStart: geminiTakes, Compact: {"systemMessage": nil},
	},
	"opencode": { // what the plugin that install writes takes
		Before: {"deny": nil, "context": nil, "note": nil}, After: {"context": nil, "deny": nil, "note": nil}, Prompt: {"context": nil, "deny": nil, "note": nil},
		Compact: {"context": nil, "deny": nil, "note": nil}, Stop: {"context": nil, "deny": nil, "note": nil},
	},
}

var geminiTakes = map[string][]string{
	"decision": {"allow", "deny", "block"}, "reason": nil, "continue": nil, "stopReason": nil, "systemMessage": nil,
	"hookSpecificOutput.hookEventName": nil, "hookSpecificOutput.additionalContext": nil,
}

// denies are the members that carry a denial before a tool is called, and its reason.
var denies = map[ID][2]string{
	"cursor": {"permission=deny", "agent_message"}, "copilot": {"permissionDecision=deny", "permissionDecisionReason"},
	"gemini": {"decision=deny", "reason"}, "opencode": {"", "deny"},
}

// TestDocumented reads payloads as the documentation of the clients describes them
// that were not recorded, and checks each answer, member by member, against what that
// documentation says is taken.
func TestDocumented(t *testing.T) {
	var b strings.Builder
	for f, data := range payloads(t, documented, 40) {
		as := ID(filepath.Base(filepath.Dir(f)))
		hook := strings.TrimSuffix(filepath.Base(f), ".json")
		if as != "opencode" || strings.Count(hook, ".") > 2 {
			hook, _, _ = strings.Cut(hook, ".")
		}
		if as == "opencode" {
			hook = "" // the plugin names it in the payload
		}
		e, err := registry.All.Parse(as, hook, data)
		if err != nil || e.Client != as || e.Name == Other {
			t.Errorf("%s: %v: taken for %q of %s", f, err, e.Name, e.Client)
			continue
		}
		fmt.Fprintf(&b, "%s\n\t%s\n", strings.TrimPrefix(f, "testdata/documented/"), short(t, e))
		for _, r := range []Reply{{Deny: "No."}, {Context: "Facts."}, {Note: "Look."}} {
			out := registry.All.Encode(e, r)
			fmt.Fprintf(&b, "\t%+v: %s", r, bytes.TrimSpace(out.Stdout))
			if out.Status != 0 {
				fmt.Fprintf(&b, " exit %d", out.Status)
			}
			b.WriteString("\n")
			members := membersOf(t, out.Stdout)
			for name, value := range members {
				values, ok := accepted[as][e.Name][name]
				if !ok || values != nil && !slices.Contains(values, value) {
					t.Errorf("%s: %s=%s is not what %s takes at %s: %s", f, name, value, as, e.Hook, out.Stdout)
				}
			}
			if e.Name != Before || r.Deny == "" {
				continue
			}
			how := denies[as]
			if name, value, ok := strings.Cut(how[0], "="); ok && members[name] != value || members[how[1]] != "No." {
				t.Errorf("%s: the denial is not in it: %s", f, out.Stdout)
			}
			if as == "copilot" && out.Status != 0 || as == "cursor" && out.Status != 2 {
				t.Errorf("%s: exit status %d", f, out.Status)
			}
		}
	}
	golden.Hold(t, "testdata/documented.golden", b.String())
}

// membersOf returns the members of an answer, those of objects in it with a dot.
func membersOf(t *testing.T, answer []byte) map[string]string {
	t.Helper()
	all := make(map[string]string)
	if len(answer) == 0 {
		return all
	}
	var v map[string]any
	if err := json.Unmarshal(answer, &v); err != nil {
		t.Fatalf("%s: %v", answer, err)
	}
	for name, value := range v {
		if inner, ok := value.(map[string]any); ok {
			for _, n := range slices.Sorted(maps.Keys(inner)) {
				all[name+"."+n] = fmt.Sprint(inner[n])
			}
			continue
		}
		all[name] = fmt.Sprint(value)
	}
	return all
}
