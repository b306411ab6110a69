package artifact

import (
	"strings"
	"testing"
)

func TestSummaryTitle(t *testing.T) {
	const rest = "# Summary\n\n## What Changed\n\nIt greets.\n"
	for text, want := range map[string]string{
		"Title: fix: greet people\n" + rest:                 "fix: greet people",
		"\ufeff\n**Title:** greet people\n" + rest:          "greet people",
		"# Summary\n\n> title: `greet people`\n":            "greet people",
		"# Title: greet people\r\n\n## What Changed\n":      "greet people",
		"タイトル：挨拶する\n":                                       "挨拶する",
		rest:                                                "",
		"# Summary\n\nIt greets.\n\nTitle: of another part": "",
		"": "",
	} {
		got, without := SummaryTitle(text)
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if again, _ := SummaryTitle(without); again != "" {
			t.Errorf("%q: the line is still there: %q", text, without)
		}
	}
	if _, without := SummaryTitle("Title: x\n" + rest); without != rest {
		t.Errorf("without the title: %q", without)
	}
}

func TestContained(t *testing.T) {
	const heading = "Checks run by code-intel"
	for text, want := range map[string]string{
		"It greets.\n":                        "It greets.",
		"It greets.\n\n<!-- \n":               "It greets.\n\n&lt;!--",
		"<details><summary>x</summary>\n":     "&lt;details><summary>x</summary>",
		"a\n```sh\nmake\n":                    "a\n```sh\nmake\n```",
		"a\n```sh\nmake\n```\n":               "a\n```sh\nmake\n```",
		"- a\n  ~~~~\n  ```\n":                "- a\n  ~~~~\n  ```\n~~~~",
		"a < b && c <= d":                     "a < b && c <= d",
		"## Checks run  by Code-Intel\n\n- x": "\n\n- x",
	} {
		if got := Contained(text, heading); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := Contained("Checks Run by code-intel\n===\n\n- `make`: passed", heading); strings.Contains(got, "Checks Run") {
		t.Errorf("an underlined heading: %q", got)
	}
}

// A summary orders nothing from services, programs and terminals; what only looks so stays.
func TestContainedGivesNoOrders(t *testing.T) {
	for said, want := range map[string]string{
		"Closes #12":                              "Closes `#12`",
		"It greets.\nSigned-off-by: A <a@b>":      "It greets.\n`Signed-off-by`: A <a@b>",
		"co-authored-by: A <a@b>":                 "`co-authored-by`: A <a@b>",
		"It was reviewed-by design":               "It was reviewed-by design",
		"This fixes owner/repo#3 so":              "This fixes `owner/repo#3` so",
		"Resolves: GH-7":                          "Resolves: `GH-7`",
		"closed https://github.com/o/r/issues/9.": "closed `https://github.com/o/r/issues/9`.",
		"/merge now":                              "`/merge` now",
		"> @dependabot rebase":                    "> `@dependabot` rebase",
		"a\x1b[2Jb \u202ec\u2066":                 "a[2Jb c",
		"see #12, which fixes what /tmp held":     "see #12, which fixes what /tmp held",
		"The prefix #12 and fixed 3 of 4":         "The prefix #12 and fixed 3 of 4",
	} {
		if got := Contained(said, "Checks"); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}
