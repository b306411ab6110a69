package request

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

func TestMarkdown(t *testing.T) {
	for _, tt := range []struct {
		name string
		d    Document
		want string
	}{
		{"a text", Document{SourceType: Text, Body: "fix it"}, "---\nsource_type: text\nsource_url: \"\"\nsource_id: \"\"\n---\n\nfix it\n"},
		{"an issue", Document{SourceType: GitHubIssue, SourceURL: "https://github.com/o/r/issues/42", SourceID: "42", Title: "Fix: it #now", Body: "# Fix it\n\nIt fails.\n"},
			"---\nsource_type: github_issue\nsource_url: https://github.com/o/r/issues/42\nsource_id: \"42\"\ntitle: 'Fix: it #now'\n---\n\n# Fix it\n\nIt fails.\n"},
		{"enriched", Document{SourceType: Text, Original: "fix it", Body: "Mend the parser."},
			"---\nsource_type: text\nsource_url: \"\"\nsource_id: \"\"\n---\n\n## Original request\n\nfix it\n\n## As it was confirmed\n\nMend the parser.\n"},
		{"enriched around what was typed", Document{SourceType: Text, Original: "fix  it", Body: "Please\nfix it."},
			"---\nsource_type: text\nsource_url: \"\"\nsource_id: \"\"\n---\n\nPlease\nfix it.\n"},
		{"no body", Document{SourceType: Text}, "---\nsource_type: text\nsource_url: \"\"\nsource_id: \"\"\n---\n"},
		{"a title of lines", Document{SourceType: Text, Title: "a\n---\nb: [c"}, "---\nsource_type: text\nsource_url: \"\"\nsource_id: \"\"\ntitle: 'a --- b: [c'\n---\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Markdown(tt.d)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMarkdownRoundTrip(t *testing.T) {
	for _, d := range []Document{
		{SourceType: Text, Body: "fix it"},
		{SourceType: Text, Body: "---\ntitle: x\n---\nthe body has a front, too"},
		{SourceType: Text, Body: "    code\n\n\n- [ ] a\n---"},
		{SourceType: JiraIssue, SourceURL: "https://x.atlassian.net/browse/A-1", SourceID: "A-1", Title: "yes", Body: "b"},
		{SourceType: LinearIssue, SourceID: "0x1F", Title: `"quoted" 'and' \n: - # & * ! | > % @`, Body: "b"},
		{SourceType: GitHubIssue, SourceID: "1_000", Title: "null", Body: "日本語の本文\n\n二行目"},
		{SourceType: GitHubIssue, SourceID: "2026-04-01", Title: "--- x ---", Body: ""},
		{SourceType: GitHubIssue, Title: "~", Body: "# ~"},
		{SourceType: GitHubIssue, Title: "zero\u200bwidth \u2028 line", Body: "\u2028"},
	} {
		text := Markdown(d)
		d.Title = oneLine(d.Title)
		got, err := parse(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		if diff := cmp.Diff(d, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
		if got, err := parse(strings.ReplaceAll(text, "\n", "\r\n")); err != nil || got != d {
			t.Errorf("%q with other line ends: %+v, %v", text, got, err)
		}
		front, _, _ := strings.Cut(strings.TrimPrefix(text, "---\n"), "---\n")
		var plain map[string]string // every value is a string to any reader
		if err := yaml.Unmarshal([]byte(front), &plain); err != nil || plain["source_id"] != d.SourceID {
			t.Errorf("%q: %v, %v", front, plain, err)
		}
		var typed map[string]any
		if err := yaml.Unmarshal([]byte(front), &typed); err != nil {
			t.Error(err)
		}
		for key, v := range typed {
			if _, ok := v.(string); !ok {
				t.Errorf("%q: %s is a %T", front, key, v)
			}
		}
	}
}

// parse reads request.md, as whoever is given it may.
func parse(text string) (Document, error) {
	text = strings.TrimPrefix(lines(text), "\uFEFF")
	rest, ok := strings.CutPrefix(text, fence)
	if !ok {
		return Document{SourceType: Text, Body: strings.Trim(text, "\n")}, nil
	}
	front, body, ok := strings.Cut("\n"+rest+"\n", "\n"+fence)
	if !ok {
		return Document{}, errors.New("request.md: the front matter has no end")
	}
	d := Document{SourceType: Text}
	if err := yaml.Unmarshal([]byte(front), &d); err != nil {
		return Document{}, fmt.Errorf("request.md: front matter: %w", err)
	}
	d.Body = strings.Trim(body, "\n")
	return d, nil
}

func FuzzMarkdown(f *testing.F) {
	f.Add("github_issue", "https://github.com/o/r/issues/1", "1", "Fix: 'it'", "---\nx\n---\n")
	f.Add("", "\u0085", "<<", "\u2028a\nb", "\r\n\xff")
	f.Add("!!str", "? a", "0b1", "=", "\uFEFF---\n")
	f.Add("\x00", "? a", "|\xaf'0bb", "'", "\n\x7f--\n")
	f.Fuzz(func(t *testing.T, kind, url, id, title, body string) {
		text := Markdown(Document{SourceType: kind, SourceURL: url, SourceID: id, Title: title, Body: body})
		want := Document{SourceType: oneLine(kind), SourceURL: oneLine(url), SourceID: oneLine(id), Title: oneLine(title), Body: strings.Trim(lines(body), "\n")}
		if want.SourceType == "" {
			want.SourceType = Text
		}
		got, err := parse(text)
		if err != nil || got != want {
			t.Errorf("%q is read back as %+v, %v, want %+v", text, got, err, want)
		}
	})
}

func TestBody(t *testing.T) {
	issue := Context{GitHubTitle: "Fix  the\nlogin", GitHubBody: "It fails.\r\n"}
	const asked = "\n\n## Discussion\n\n> 1. What is the main goal of this change?\n> 2. Are there any constraints or dependencies?\n> 3. What is the expected scope of changes?\n\nSpeed.\nNone."
	for _, tt := range []struct {
		name          string
		c             Context
		text, answers string
		want          string
	}{
		{"a text", Context{}, "implement login feature", "", "implement login feature"},
		{"an issue", issue, "https://github.com/o/r/issues/42", "", "# Fix the login\n\nIt fails."},
		{"an issue without a body", Context{JiraSummary: "Fix"}, "", "", "# Fix"},
		{"an issue without a title", Context{JiraDescription: "It fails."}, "", "", "It fails."},
		{"an issue nobody fetched", Context{}, "https://github.com/o/r/issues/42", "", "https://github.com/o/r/issues/42"},
		{"answers", Context{}, "implement login feature", " Speed.\nNone.\n", "implement login feature" + asked},
		{"nothing", Context{}, "", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Body(tt.c, tt.text, tt.answers)); diff != "" {
				t.Error(diff)
			}
		})
	}
}
