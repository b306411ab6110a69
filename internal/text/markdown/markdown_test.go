package markdown

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRead checks texts against their visible lines: number, level of the heading
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
		{"a quote ends a list", "- a\n  - b\n\n> c\n\n    code", []string{"1 * a", "2 ** b"}},
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
			for _, l := range Read(tt.text) {
				marks := strings.Repeat("#", l.Level) + strings.Repeat("*", l.Depth)
				if marks != "" {
					marks += " "
				}
				got = append(got, fmt.Sprintf("%d %s%s", l.Number, marks, l.Text))
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
		for _, s := range CodeSpans(tt.text) {
			got = append(got, s.Text)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.text, diff)
		}
	}
}
