package request

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/platform/msg"
)

// The examples of the data contract, in testdata/contract, are what clients were
// written against: what we answer has their keys, their nesting and their
// values. A string of an example that ends in "..." is the beginning of ours.

// added are the keys that we have beyond an example's.
var added = map[string]bool{"fetch_needed.argv": true, "fetch_needed.mapping": true}

// excerpts are lists of which an example shows only some elements.
var excerpts = map[string]bool{"needs_user_confirmation.effort_options.S.skipped_phases": true}

func example(t *testing.T, name string) (v any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "contract", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func holds(t *testing.T, name string, answer any) {
	t.Helper()
	data, err := json.Marshal(msg.Bind(answer, msg.Printer{}))
	if err != nil {
		t.Fatal(err)
	}
	var got any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	same(t, "", example(t, name), got)
}

func same(t *testing.T, path string, want, got any) {
	t.Helper()
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			t.Errorf("%s: got %v, want an object", path, got)
			return
		}
		for key, v := range w {
			at := strings.TrimPrefix(path+"."+key, ".")
			if _, ok := g[key]; !ok {
				t.Errorf("%s is missing", at)
				continue
			}
			same(t, at, v, g[key])
		}
		for key := range g {
			if at := strings.TrimPrefix(path+"."+key, "."); !added[at] {
				if _, ok := w[key]; !ok {
					t.Errorf("%s is not in the contract", at)
				}
			}
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) && !(excerpts[path] && len(g) > len(w)) {
			t.Errorf("%s: got %v, want %v", path, got, want)
			return
		}
		for i := range w {
			same(t, path+"[]", w[i], g[i])
		}
	case string:
		g, ok := got.(string)
		if start, open := strings.CutSuffix(w, "..."); !ok || g != w && !(open && strings.HasPrefix(g, start)) {
			t.Errorf("%s: got %v, want %q", path, got, w)
		}
	default:
		if !reflect.DeepEqual(want, got) {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
}

func TestContractInit(t *testing.T) {
	r, errs := Parse("https://github.com/owner/repo/issues/42", Options{})
	if errs != nil {
		t.Fatal(errs)
	}
	r.Flags.CurrentBranch = "main"
	holds(t, "init", r.Init("20260401"))
}

func TestContractResume(t *testing.T) {
	r, errs := Parse(".specs/20260330-fix-auth-timeout", Options{})
	if errs != nil {
		t.Fatal(errs)
	}
	holds(t, "resume", ResumeOf(r.Workspace))
}

func TestContractErrors(t *testing.T) {
	_, errs := Parse("ab", Options{})
	holds(t, "errors", Errors{errs})
}

func readExample(t *testing.T, name string, dst any) {
	t.Helper()
	data, err := json.Marshal(example(t, name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, dst); err != nil {
		t.Fatal(err)
	}
}

func TestContractExternalContext(t *testing.T) {
	var c Context
	readExample(t, "external_context", &c)
	three := 3.0
	if got := c.storyPoints(); got == nil || *got != three {
		t.Errorf("story points: %v", got)
	}
	got := []string{c.Title(), c.Body(), c.issueType(), strings.Join(c.labels(), " ")}
	want := []string{"Fix auth timeout in middleware", "requests timeout after 30s", "Bug", "bug priority-high"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	holds(t, "external_context", c)
}

func TestContractUserConfirmation(t *testing.T) {
	var u UserConfirmation
	readExample(t, "user_confirmation", &u)
	if want := (UserConfirmation{Effort: "M", WorkspaceSlug: "fix-auth-timeout", EnrichedRequestBody: "..."}); u != want {
		t.Errorf("got %+v, want %+v", u, want)
	}
}

var skips = map[Effort][]Skip{
	S: {{"phase-2", msg.Literal("Investigation")}, {"phase-3b", msg.Literal("Design Review")}, {"phase-4", msg.Literal("Task Decomposition")}},
	M: {{"phase-4b", msg.Literal("Tasks Review")}, {"checkpoint-b", msg.Literal("Human Reviews Tasks")}},
}

func TestContractConfirmation(t *testing.T) {
	text := "implement login feature"
	effort, reasons, err := Detect(nil, Context{}, text)
	if err != nil {
		t.Fatal(err)
	}
	holds(t, "needs_user_confirmation", Confirm(effort, reasons, skips, Flags{CurrentBranch: "main"}, IsMain("main", ""), Body(Context{}, text, "")))
}

func TestContractDiscussion(t *testing.T) { holds(t, "needs_discussion", Discuss()) }

func TestContractReady(t *testing.T) {
	s, err := ParseSource("https://github.com/owner/repo/issues/42", Options{})
	if err != nil {
		t.Fatal(err)
	}
	slug := Slug("Fix auth timeout")
	holds(t, "ready", Ready{
		Ready: true, Workspace: specs + WorkspaceName("20260401", s.ID, slug), Effort: M, FlowTemplate: M.Template(),
		SkippedPhases:    []string{skips[M][0].PhaseID, skips[M][1].PhaseID},
		RequestMDContent: Markdown(Document{SourceType: s.Type, SourceURL: s.URL, SourceID: s.ID, Body: "..."}),
		Branch:           BranchName("feature", s.ID, slug), CreateBranch: true,
	})
}

func TestCallOf(t *testing.T) {
	confirmed := &UserConfirmation{Effort: "M"}
	for _, tt := range []struct {
		answers string
		c       *UserConfirmation
		want    Call
		wrong   string
	}{
		{"", nil, DetectCall, ""},
		{" \n", nil, DetectCall, ""},
		{"speed", nil, DiscussCall, ""},
		{"", confirmed, ConfirmCall, ""},
		{"speed", confirmed, "", "ambiguous: "},
	} {
		got, err := CallOf(tt.answers, tt.c)
		if got != tt.want || (err != nil) != (tt.wrong != "") || err != nil && !strings.HasPrefix(err.Error(), tt.wrong) {
			t.Errorf("CallOf(%q, %v) = %q, %v", tt.answers, tt.c, got, err)
		}
	}
}

func TestConfirmAuto(t *testing.T) {
	asks := Confirm(S, []msg.Message{msg.Literal("3 story points")}, skips, Flags{}, false, "x").NeedsUserConfirmation
	if !strings.Contains(asks.Message.String(), "3 story points") || strings.Contains(asks.Message.String(), "without asking") || asks.EffortOptions.M.Recommended || !asks.EffortOptions.S.Recommended {
		t.Errorf("%+v", asks)
	}
	if auto := Confirm(S, nil, skips, Flags{Auto: true}, false, "x").NeedsUserConfirmation; !strings.Contains(auto.Message.String(), "without asking") {
		t.Errorf("--auto: %s", auto.Message.String())
	}
}

func TestDiscusses(t *testing.T) {
	for _, tt := range []struct {
		f      Flags
		source string
		want   bool
	}{
		{Flags{Discuss: true}, Text, true},
		{Flags{}, Text, false},
		{Flags{Discuss: true, Auto: true}, Text, false},
		{Flags{Discuss: true}, GitHubIssue, false},
	} {
		if got := tt.f.Discusses(tt.source); got != tt.want {
			t.Errorf("%+v of %s: %v", tt.f, tt.source, got)
		}
	}
}

func TestIsMain(t *testing.T) {
	for _, tt := range []struct {
		branch, standard string
		want             bool
	}{
		{"main", "", true}, {"master", "develop", true}, {"develop", "develop", true},
		{"feature/x", "main", false}, {"", "", false},
	} {
		if got := IsMain(tt.branch, tt.standard); got != tt.want {
			t.Errorf("IsMain(%q, %q) = %v", tt.branch, tt.standard, got)
		}
	}
}

// TestFlagsOfAClient: a client sends back the flags that it has.
func TestFlagsOfAClient(t *testing.T) {
	m := "M"
	for in, want := range map[string]Flags{
		`{}`:                                   {},
		`{"auto":true}`:                        {Auto: true},
		`{"effort_override":null,"until":""}`:  {},
		`{"effort_override":""}`:               {},
		`{"effort_override":"M","debug":true}`: {Debug: true, EffortOverride: &m},
	} {
		var got Flags
		if err := json.Unmarshal([]byte(in), &got); err != nil {
			t.Errorf("%s: %v", in, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", in, diff)
		}
	}
	if err := json.Unmarshal([]byte(`{"auto":"yes"}`), new(Flags)); err == nil {
		t.Error("a word is no boolean")
	}
}
