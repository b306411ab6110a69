package artifact

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// TestRead holds texts against their visible lines: number, level of the heading
// as #, depth as *, text.
func TestRead(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"paragraphs", "a\nb\n\n c", []string{"1 a", "2 b", "4 c"}},
		{"headings", "# a\n##b\n## c ##\n###\n#######\n   ###### C#\n#\td #x#", []string{"1 # a", "2 ##b", "3 ## c", "4 ### ", "5 #######", "6 ###### C#", "7 # d #x#"}},
		{"lists", "- a\n  b\n  - c\n    1. d\n- e\n\n  f\n\ng", []string{"1 * a", "2 * b", "3 ** c", "4 *** d", "5 * e", "7 * f", "9 g"}},
		{"lists that are hardly indented", "1. a\n  - b\n10. c\n * d\n", []string{"1 * a", "2 ** b", "3 * c", "4 ** d"}},
		{"items in items", "- - a\n- 1) b", []string{"1 ** a", "2 ** b"}},
		{"lines that go on", "- a\nb\n  - c\nd\n    e", []string{"1 * a", "2 b", "3 ** c", "4 d", "5 ** e"}},
		{"tabs", "-\ta\n\t- b\n\tc", []string{"1 * a", "2 ** b", "3 * c"}},
		{"rules", "a\n---\n* * *\n___\n- b", []string{"1 a", "5 * b"}},
		{"no lists", "-a\n1.b\n**c**\n-", []string{"1 -a", "2 1.b", "3 **c**"}},
		{"fences", "```\na\n```\nb\n~~~ go\n```\nc\n~~~~\nd\n````\n```\ne\n````\nf", []string{"4 b", "9 d", "14 f"}},
		{"no fences", "``` a`b\n``\nc", []string{"1 ``` a`b", "2 ``", "3 c"}},
		{"a fence without an end", "a\n```\nb\n\n# c", []string{"1 a"}},
		{"a fence in an item", "- a\n  ```\n  b\n  ```\n  c\n- ```\n  d\n  ```\n", []string{"1 * a", "5 * c"}},
		{"a fence that ends with its item", "- a\n  ```\n  b\n\nc\n", []string{"1 * a", "5 c"}},
		{"code in a fence that looks like its end", "```\n    ```\na\n```\nb", []string{"5 b"}},
		{"indented code", "a\n\n    b\n\nc\n    d\n\n- e\n\n      f\n\n  g", []string{"1 a", "5 c", "6 d", "8 * e", "12 * g"}},
		{"quotes", "> a\n>\n> # b\nc\n- > d\n  e", []string{"4 c", "6 * e"}},
		{"comments", "a <!-- b --> c\n<!-- d -->\n<!--\n# e\n-->f\n`<!--` g <!-- h", []string{"1 a  c", "5 f", "6 `<!--` g <!-- h"}},
		{"a comment that begins in a line", "a <!-- b\n# c\nd --> e", []string{"1 a", "3 e"}},
		{"a comment without an end", "a\n<!-- b\n\nc", []string{"1 a"}},
		{"an empty comment", "a<!-->b<!--->c", []string{"1 abc"}},
		{"line ends", "\ufeff# a\r\nb\r\n", []string{"1 # a", "2 b"}},
		{"a table", "| a | b |\n|---|---|\n| c | d |", []string{"1 | a | b |", "2 |---|---|", "3 | c | d |"}},
		{"HTML", "<details>\n<summary>a</summary>\n\nb\n</details>", []string{"1 <details>", "2 <summary>a</summary>", "4 b", "5 </details>"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, l := range read(tt.text) {
				marks := strings.Repeat("#", l.level) + strings.Repeat("*", l.depth)
				if marks != "" {
					marks += " "
				}
				got = append(got, fmt.Sprintf("%d %s%s", l.n, marks, l.text))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("lines (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCodeSpans(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"`a` and `b`", []string{"a", "b"}},
		{"``a`b`` `c`", []string{"a`b", "c"}},
		{"`a", nil},
		{"`` a ` b", nil},
		{"` a `", []string{"a"}},
		{"`a` ```b `c`", []string{"a", "c"}},
		{"``", nil},
	} {
		var got []string
		for _, s := range codeSpans(tt.text) {
			got = append(got, s.text)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.text, diff)
		}
	}
}

// hostile are texts that are made to be repeated.
var hostile = []string{
	">", "> ", "- ", "-\t", "1) ", "+ - ", "* a\n", "#", "# \n", "a\n", "\n", " ", "\t", "\r", "`", "`` ` ", "`a` ", "``` ``` ", "```\n", "~~~\n", "<!--", "<!-- ", "-->", "<!-- -->", "<!-- a\n",
	"- a\n\n", "    x\n", "---\n", "***", "|", "||\n", "[", "]", "(", "[ ] ", "[CRITICAL]", "[CRITICAL] ", "[CRITICAL] a\n", "- [MINOR] a [MAJOR] b\n", "**[CRITICAL", "~~", "~~a~~", "Critical:\n",
	"### Critical\n", "Verdict:\n", "## Verdict\n", "Verdict: PASS ", "Verdict: PASS\n", "## PASS\n", "判定：", "PASS | ", "## Task 1: a\n", "## Task 1: a\nfiles:\n", "## Task 2: b\nmode: parallel\nfiles: a.go\n",
	"files:\n", "files: ", "`a.go`, ", "`a.go` ", "a.go, ", "- a.go\n", "- `a`\n", "depends_on: 1\n", "1 ", "1, ", "acceptance:\n- ", "- [ ] a\n", "mode: parallel\n", "## Files\n", "## Tests\n", "## Friction\n- a\n", "## Suggestion\n- a\n",
	"（", "[（", "_", "\\_", "\x00", "\xff", "長", "👩‍👩‍👧", "\u0301", "ﷺ", "no ", "none. ", "a.b.", "(*a).", "a::", "{a}\n",
}

// TestHostileTexts gives every reader much of each hostile text, and a megabyte
// of those that tempt a reader to look back or ahead again and again.
func TestHostileTexts(t *testing.T) {
	for _, s := range hostile {
		readAll(t, strings.Repeat(s, 1<<15/len(s)))
	}
	var deep, ticks, chain strings.Builder
	for i := range 600 {
		fmt.Fprintf(&deep, "%s- [MINOR] a\n", strings.Repeat("  ", i))
		fmt.Fprintf(&ticks, "%s ", strings.Repeat("`", i+1))
	}
	for i := range 4000 {
		fmt.Fprintf(&chain, "## Task %d: t\nmode: parallel\nfiles: a.go\ndepends_on: %d\n", i+1, i)
	}
	readAll(t, chain.String())
	if testing.Short() {
		return
	}
	readAll(t, deep.String()+strings.Repeat("a\n", 1<<17))
	readAll(t, "- files: "+ticks.String()+strings.Repeat("`a` <!-- ", 1<<16))
	for _, s := range []string{">", "- ", "1) ", "<!--", "`a` ", "[", "[CRITICAL] ", "## Verdict\n", "- a\n\n"} {
		readAll(t, strings.Repeat(s, 1<<20/len(s)))
	}
}

// readAll has every reader read the text, and asserts what holds of any text.
func readAll(t testing.TB, text string) {
	t.Helper()
	reviewHolds(t, CodeVerdict, text)
	tasksHold(t, text)
	Mentions(text)
	Frictions(text)
	Check("phase-5", text)
}

func reviewHolds(t testing.TB, f Family, text string) {
	t.Helper()
	r := ParseReview(f, text)
	member := r.Verdict == Unknown
	for _, v := range f.Verdicts() {
		member = member || r.Verdict == v
	}
	switch {
	case !member:
		t.Errorf("%.200q: verdict %s is not of the family", text, r.Verdict)
	case r.Findings == nil:
		t.Errorf("%.200q: the findings are nil", text)
	case r.Verdict.Approves() && Blocks(r.Findings):
		t.Errorf("%.200q: %s in spite of %v", text, r.Verdict, r.Findings)
	case r.Verdict == Unknown && len(r.Findings) == 0:
		t.Errorf("%.200q: UNKNOWN without a finding", text)
	}
	for _, d := range r.Findings {
		if d.Description == "" || len(d.Description) > maxDescription+3 || utf8.ValidString(text) && !utf8.ValidString(d.Description) {
			t.Errorf("%.200q: description %.200q", text, d.Description)
		}
		if d.Severity != Critical && d.Severity != Major && d.Severity != Minor {
			t.Errorf("%.200q: severity %q", text, d.Severity)
		}
	}
}

func tasksHold(t testing.TB, text string) {
	t.Helper()
	tasks, found := ParseTasks(text)
	lines := len(rawLines(text))
	for _, d := range found {
		if d.Line < 0 || d.Line > lines || d.Message == "" || len(d.Message) > 1000 {
			t.Errorf("%.200q: %+v", text, d)
		}
	}
	if len(tasks) == 0 && len(found) == 0 {
		t.Errorf("%.200q: neither tasks nor a diagnostic", text)
	}
	for _, task := range tasks {
		if !id.MatchString(task.ID) || (task.Mode == HumanGate) != (task.Gate != "") {
			t.Errorf("%.200q: %+v", text, task)
		}
		for _, f := range task.Files {
			if clean, why := cleanPath(f.Path); clean != f.Path || why != "" {
				t.Errorf("%.200q: file %q: %q %s", text, f.Path, clean, why)
			}
		}
	}
}

func FuzzReview(f *testing.F) {
	for _, s := range hostile {
		f.Add(s + s)
	}
	f.Add("# Review\n\n## Verdict: PASS | FAIL\n\n- **[CRITICAL]** a\n  b\n\n### Minor\n\nNone.\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, family := range []Family{DesignVerdict, CodeVerdict, FinalVerdict} {
			reviewHolds(t, family, text)
		}
		// What no reader sees changes nothing.
		plain, fenced := ParseReview(CodeVerdict, ""), ParseReview(CodeVerdict, strings.Repeat("~", len(text)+3)+"\n"+text)
		if diff := cmp.Diff(plain, fenced); diff != "" {
			t.Errorf("%q in a fence (-empty +fenced):\n%s", text, diff)
		}
	})
}

func FuzzTasks(f *testing.F) {
	for _, s := range hostile {
		f.Add(s + s)
	}
	f.Add("## Task 1: a\nmode: parallel\nfiles:\n- `a.go` (new)\ndepends_on: [2]\nacceptance_criteria:\n- [ ] b\n\n```\nc\n```\n## Task 2: d\nmode: human_gate\ngate: e\n")
	f.Fuzz(func(t *testing.T, text string) {
		tasksHold(t, text)
		keeps(t, text)
	})
}

func FuzzReports(f *testing.F) {
	for _, s := range hostile {
		f.Add(s + s)
	}
	f.Add("# Task 1\n\n## Files\n\n- `a.go`: b\n| `c.go` | d |\n\n## Tests\n\n- `go test`\n\n## Friction\n- a\n\n## Suggestion\n- b\n")
	f.Fuzz(func(t *testing.T, text string) {
		in, _ := ParseImpl(text)
		files, symbols := Mentions(text)
		for _, file := range append(in.Files, files...) {
			if clean, why := cleanPath(file); clean != file || why != "" {
				t.Errorf("%q: file %q: %s", text, file, why)
			}
		}
		for _, s := range symbols {
			if s == "" || strings.ContainsAny(s, " `\n") {
				t.Errorf("%q: symbol %q", text, s)
			}
		}
		for _, fr := range Frictions(text) {
			if fr.Friction == "" {
				t.Errorf("%q: %+v", text, fr)
			}
		}
		Check("phase-5", text)
	})
}
