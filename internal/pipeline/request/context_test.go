package request

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/platform/lenientjson"
)

// summary is what a context says, in one line.
func summary(c Context) string {
	s := strings.Join([]string{c.Title(), c.Body(), c.issueType(), strings.Join(c.labels(), ",")}, "|")
	if p := c.storyPoints(); p != nil {
		data, _ := json.Marshal(*p)
		s += "|" + string(data)
	}
	return s
}

func TestContext(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"null", `null`, "|||"},
		{"nothing", `{}`, "|||"},
		{"github", `{"github_labels":["bug","ui"],"github_title":"T","github_body":"B"}`, "T|B||bug,ui"},
		{"labels as gh gives them", `{"github_labels":[{"id":"1","name":"bug","color":"red"},{"name":"ui"}]}`, "|||bug,ui"},
		{"labels of both forms, and none", `{"github_labels":["bug",null,{"name":null},"",{"name":" ui "}]}`, "|||bug,ui"},
		{"labels of GraphQL", `{"linear_labels":{"nodes":[{"name":"bug"}]}}`, "|||bug"},
		{"one label", `{"github_labels":"bug"}`, "|||bug"},
		{"nulls", `{"github_labels":null,"github_title":null,"github_body":null,"jira_story_points":null,"jira_issue_type":null}`, "|||"},
		{"numbers as strings", `{"jira_story_points":"3.5"}`, "||||3.5"},
		{"strings as numbers", `{"github_title":404}`, "404|||"},
		{"a number that is none", `{"jira_story_points":"unknown"}`, "|||"},
		{"an empty number", `{"jira_story_points":""}`, "|||"},
		{"no finite number", `{"jira_story_points":"Inf","linear_estimate":"NaN"}`, "|||"},
		{"less than nothing", `{"jira_story_points":-1}`, "|||"},
		{"no points", `{"jira_story_points":0}`, "||||0"},
		{"an object of a number", `{"linear_estimate":{"name":"Medium","value":3}}`, "||||3"},
		{"jira", `{"jira_issue_type":{"name":"Bug"},"jira_summary":"T","jira_description":"B","jira_labels":["x"]}`, "T|B|Bug|x"},
		{"linear", `{"linear_labels":["x"],"linear_title":"T","linear_description":"B","linear_estimate":2}`, "T|B||x|2"},
		{"as the tracker calls them", `{"labels":[{"name":"bug"}],"title":"T","body":"B","estimate":5}`, "T|B||bug|5"},
		{"ours before the tracker's", `{"title":"theirs","github_title":"ours"}`, "ours|||"},
		{"fields we do not know", `{"github_title":"T","assignee":{"login":"x"}}`, "T|||"},
		{"an object in a string", `"{\"github_title\":\"T\"}"`, "T|||"},
		{"lines and control characters", `{"github_body":"a\r\nb\u0000c\rd"}`, "|a\nbc\nd||"},
		{"a document of Jira", `{"jira_description":{"type":"doc","version":1,"content":[
			{"type":"heading","content":[{"type":"text","text":"Steps"}]},
			{"type":"paragraph","content":[{"type":"text","text":"Log in as "},{"type":"mention","attrs":{"text":"@ann"}},{"type":"hardBreak"},{"type":"text","text":"twice"}]},
			{"type":"bulletList","content":[{"type":"listItem","content":[{"type":"paragraph","content":[{"type":"text","text":"one"}]}]},
				{"type":"listItem","content":[{"type":"paragraph","content":[{"type":"inlineCard","attrs":{"url":"https://x.example"}}]}]}]}]}}`,
			"|Steps\nLog in as @ann\ntwice\n- one\n- https://x.example||"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c Context
			if err := json.Unmarshal([]byte(tt.in), &c); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, summary(c)); diff != "" {
				t.Error(diff)
			}
			data, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			var again Context
			if err := json.Unmarshal(data, &again); err != nil || summary(again) != summary(c) {
				t.Errorf("%s is read back as %q, %v", data, summary(again), err)
			}
		})
	}
}

func TestContextErrors(t *testing.T) {
	for in, want := range map[string]string{
		`[]`:                            "external_context: want an object",
		`"words"`:                       "external_context: want an object",
		`{"github_title":{"text":1}}`:   "external_context.github_title: want a string, or an object with a name",
		`{"labels":[[]]}`:               "external_context.labels: want a string, or an object with a name",
		`{"jira_story_points":[3]}`:     "external_context.jira_story_points: want a string, or an object with a name",
		`{"github_body":true}`:          "external_context.github_body: want a string, or an object with a name",
		`{"github_labels":{"name":{}}}`: "external_context.github_labels: want a string, or an object with a name",
	} {
		var c Context
		if err := json.Unmarshal([]byte(in), &c); err == nil || err.Error() != want {
			t.Errorf("%s: %v", in, err)
		}
	}
}

// TestContextOfACall: a context is read the same as an argument of a tool.
func TestContextOfACall(t *testing.T) {
	var args struct {
		Context Context `json:"external_context,omitempty"`
		Flags   Flags   `json:"flags,omitempty"`
	}
	result, err := lenientjson.Parse([]byte(`{"external_context":{"github_labels":[{"name":"bug"}],"jira_story_points":"5"},"flags":{"auto":true}}`)).Into(&args)
	if err != nil || len(result.Mismatches) > 0 || len(result.Unknown) > 0 {
		t.Fatalf("%+v, %v", result, err)
	}
	if got := summary(args.Context); got != "|||bug|5" || !args.Flags.Auto {
		t.Errorf("%q, %+v", got, args.Flags)
	}
}

func TestDeepDocument(t *testing.T) {
	text := `{"type":"text","text":"x"}`
	nest := func(n int) string {
		return strings.Repeat(`{"type":"blockquote","content":[`, n) + text + strings.Repeat(`]}`, n)
	}
	for depth, want := range map[int]string{10: "x", 2000: ""} {
		var c Context
		if err := json.Unmarshal([]byte(`{"jira_description":{"type":"doc","content":[`+nest(depth)+`]}}`), &c); err != nil {
			t.Fatal(err)
		}
		if got := c.Body(); got != want {
			t.Errorf("%d deep: %q, want %q", depth, got, want)
		}
	}
}

func FuzzContext(f *testing.F) {
	for _, s := range []string{`null`, `{"github_labels":[{"name":"a"},null,1]}`, `{"jira_description":{"type":"doc","content":[{"type":"listItem"}]}}`, `{"linear_estimate":"1e3"}`, `"{}"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		var c Context
		if json.Unmarshal([]byte(in), &c) != nil {
			return
		}
		data, err := json.Marshal(c)
		if err != nil {
			t.Fatalf("%+v: %v", c, err)
		}
		var again Context
		if err := json.Unmarshal(data, &again); err != nil || summary(again) != summary(c) {
			t.Errorf("%s is read back as %q, %v, want %q", data, summary(again), err, summary(c))
		}
		if e, why, err := Detect(nil, c, ""); err != nil || e.Template() == "" || len(why) == 0 {
			t.Errorf("effort %q, %q, %v", e, why, err)
		}
		Body(c, "", "")
		BranchType(c, "")
	})
}
