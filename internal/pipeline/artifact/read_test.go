package artifact

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/text/markdown"
	"codeintel/test/tier"
)

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
	if !tier.Whole() {
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
		if said := d.Description.String(); said == "" || len(said) > maxDescription+3 || utf8.ValidString(text) && !utf8.ValidString(said) {
			t.Errorf("%.200q: description %.200q", text, said)
		}
		if d.Severity != Critical && d.Severity != Major && d.Severity != Minor {
			t.Errorf("%.200q: severity %q", text, d.Severity)
		}
	}
}

func tasksHold(t testing.TB, text string) {
	t.Helper()
	tasks, found := ParseTasks(text)
	lines := len(markdown.RawLines(text))
	for _, d := range found {
		if d.Line < 0 || d.Line > lines || d.Message.IsZero() || len(d.Message.String()) > 1000 {
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
			if clean, why := cleanPath(f.Path); clean != f.Path || !why.IsZero() {
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
			if clean, why := cleanPath(file); clean != file || !why.IsZero() {
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
