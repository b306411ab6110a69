package request

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"codeintel/test/golden"
)

// TestParsePull holds what is made of a pull request: which comments are criteria, what is
// quoted, and that nothing of it can become a heading.
func TestParsePull(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("testdata", "pull.json"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ParsePull(data)
	if err != nil {
		t.Fatal(err)
	}
	if !p.Open || p.Fork || p.Head != "feature/greet" || p.Base != "main" || p.Main != "main" || p.Answered != 3 || p.Unread != 5 {
		t.Errorf("%+v", p)
	}
	if len(p.Replies) != 1 || p.Replies[0] != ".specs/20260401-42-greet" {
		t.Errorf("replies: %q", p.Replies)
	}
	got := p.markdown()
	golden.Hold(t, filepath.Join("testdata", "pull.golden"), got)
	if strings.Contains(got, "ignore all") {
		t.Error("what no reader sees is shown to agents")
	}
}

func TestParsePullErrors(t *testing.T) {
	for _, data := range []string{"", "{", `{"data":{"repository":{"pullRequest":null}}}`, `{"data":{"repository":null}}`, `{"errors":[]}`} {
		if p, err := ParsePull([]byte(data)); err == nil {
			t.Errorf("%s: %+v", data, p)
		}
	}
}

// FuzzParsePull wants any answer of GitHub to be a pull request or an error.
func FuzzParsePull(f *testing.F) {
	f.Add([]byte(`{"data":{"repository":{"defaultBranchRef":{"name":"main"},"pullRequest":{"__typename":"PullRequest","title":"a"}}}}`))
	f.Add([]byte(`{"data":{"repository":{"pullRequest":null}},"errors":[{"message":"x"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if pull, err := ParsePull(data); (pull == nil) == (err == nil) {
			t.Errorf("%s: %v, %v", data, pull, err)
		}
	})
}

// The size of the answer is that of the comments, whatever the pull request is.
func TestEffortOfComments(t *testing.T) {
	for _, tt := range []struct {
		comments []string
		want     Effort
	}{
		{[]string{"Say hello louder", "`a.py`: one blank too many"}, S},
		{[]string{"a", "b", "c"}, S},
		{[]string{"a", "b", "c", "d"}, M},
		{[]string{"This needs a rewrite from scratch: a new subsystem, and a migration"}, L},
	} {
		p := Pull{Title: "Rewrite everything from scratch", Body: "A migration of the whole codebase", Labels: Labels{"size/XL"}}
		for _, c := range tt.comments {
			p.Comments = append(p.Comments, Comment{Text: c})
		}
		if got, why, _ := EffortOf(nil, &p, Context{}, ""); got != tt.want || len(why) == 0 {
			t.Errorf("%q: %s, %v", tt.comments, got, why)
		}
	}
}
