package request

import (
	"cmp"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"codeintel/internal/text"
)

// A Document is what request.md holds.
type Document struct {
	SourceType string `yaml:"source_type"`
	SourceURL  string `yaml:"source_url"`
	SourceID   string `yaml:"source_id"`
	Title      string `yaml:"title,omitempty"` // of an issue

	Original string `yaml:"-"` // what was typed, or the issue
	Body     string `yaml:"-"` // the same, or as it was enriched
}

const fence = "---\n"

// Markdown writes request.md: the source as front matter, then the body.
func Markdown(d Document) string {
	for _, s := range []*string{&d.SourceType, &d.SourceURL, &d.SourceID, &d.Title} {
		*s = oneLine(*s)
	}
	d.SourceType = cmp.Or(d.SourceType, Text)
	front, err := yaml.Marshal(d)
	if err != nil {
		panic(err) // four strings
	}
	body := strings.Trim(lines(d.Body), "\n")
	if original := strings.Trim(lines(d.Original), "\n"); original != "" && !strings.Contains(folded(body), folded(original)) {
		body = "## Original request\n\n" + original + "\n\n## As it was confirmed\n\n" + body
	}
	if body != "" {
		body = "\n" + body + "\n"
	}
	return fence + string(front) + fence + body
}

// folded is a text with its white space as single blanks.
func folded(text string) string { return strings.Join(strings.Fields(text), " ") }

// lines makes text valid, with lines that end in "\n".
func lines(text string) string {
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(strings.ToValidUTF8(text, "\uFFFD"))
}

func oneLine(s string) string { return text.OneLine(clean(s)) }

// Body is the text of a request as the agents will read it: what was typed, or
// the issue, then the answers to the questions, if any were asked.
func Body(c Context, text, answers string) string {
	var parts []string
	if title, body := c.Title(), c.Body(); title != "" || body != "" {
		if title != "" {
			parts = append(parts, "# "+oneLine(title))
		}
		if body != "" {
			parts = append(parts, body)
		}
	} else if text = clean(text); text != "" {
		parts = append(parts, text)
	}
	if answers = clean(answers); answers != "" {
		parts = append(parts, "## Discussion")
		var asked []string
		for i, q := range questions {
			asked = append(asked, fmt.Sprintf("> %d. %s", i+1, q))
		}
		parts = append(parts, strings.Join(asked, "\n"), answers)
	}
	return strings.Join(parts, "\n\n")
}
