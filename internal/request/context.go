package request

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
)

// A Context is what was fetched from the source: external_context. Trackers and
// their tools say the same thing in several ways; all of them are read.
type Context struct {
	GitHubLabels Labels `json:"github_labels,omitempty"`
	GitHubTitle  Prose  `json:"github_title,omitempty"`
	GitHubBody   Prose  `json:"github_body,omitempty"`

	JiraIssueType   Prose   `json:"jira_issue_type,omitempty"`
	JiraStoryPoints *Points `json:"jira_story_points,omitempty"`
	JiraSummary     Prose   `json:"jira_summary,omitempty"`
	JiraDescription Prose   `json:"jira_description,omitempty"`
	JiraLabels      Labels  `json:"jira_labels,omitempty"`

	LinearLabels      Labels  `json:"linear_labels,omitempty"`
	LinearTitle       Prose   `json:"linear_title,omitempty"`
	LinearDescription Prose   `json:"linear_description,omitempty"`
	LinearEstimate    *Points `json:"linear_estimate,omitempty"`
}

// Title is the issue's title, or "".
func (c Context) Title() string {
	return first(c.GitHubTitle, c.JiraSummary, c.LinearTitle)
}

// Body is what the issue says below its title, or "".
func (c Context) Body() string {
	return first(c.GitHubBody, c.JiraDescription, c.LinearDescription)
}

// IssueType is the type that the tracker gives the issue, or "".
func (c Context) IssueType() string { return first(c.JiraIssueType) }

// Labels are the names of the issue's labels.
func (c Context) Labels() []string {
	var all []string
	for _, l := range []Labels{c.GitHubLabels, c.JiraLabels, c.LinearLabels} {
		all = append(all, l...)
	}
	return all
}

// StoryPoints is the tracker's estimate, or nil if there is none.
func (c Context) StoryPoints() *float64 {
	for _, p := range []*Points{c.JiraStoryPoints, c.LinearEstimate} {
		if p != nil && p.Known {
			return &p.Value
		}
	}
	return nil
}

func first(texts ...Prose) string {
	for _, t := range texts {
		if s := clean(string(t)); s != "" {
			return s
		}
	}
	return ""
}

// Labels are names of labels, written as strings or as objects with a name.
type Labels []string

// UnmarshalJSON reads a list of labels, {nodes: […]}, one label alone, or null.
func (l *Labels) UnmarshalJSON(data []byte) error {
	v, err := value(data)
	if err != nil {
		return err
	}
	if o, ok := v.(map[string]any); ok && o["nodes"] != nil {
		v = o["nodes"]
	}
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	*l = nil
	for _, item := range list {
		s, err := name(item)
		if err != nil {
			return err
		}
		if s = strings.TrimSpace(s); s != "" {
			*l = append(*l, s)
		}
	}
	return nil
}

// Prose is a text of a tracker.
type Prose string

// UnmarshalJSON reads a string, a number, null, an object with a name, or a
// document of Jira, of which the text is kept.
func (p *Prose) UnmarshalJSON(data []byte) error {
	v, err := value(data)
	if err != nil {
		return err
	}
	if o, ok := v.(map[string]any); ok && o["type"] == "doc" {
		*p = Prose(strings.TrimSpace(document(o)))
		return nil
	}
	s, err := name(v)
	*p = Prose(s)
	return err
}

// Points are an estimate. What is no number is no estimate.
type Points struct {
	Value float64
	Known bool
}

// UnmarshalJSON reads a number, or a string that holds one.
func (p *Points) UnmarshalJSON(data []byte) error {
	v, err := value(data)
	if err != nil {
		return err
	}
	s, err := name(v)
	if err != nil {
		return err
	}
	n, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	*p = Points{}
	if err == nil && n >= 0 && !math.IsInf(n, 0) {
		*p = Points{n, true}
	}
	return nil
}

// MarshalJSON writes the number, or null.
func (p Points) MarshalJSON() ([]byte, error) {
	if !p.Known {
		return []byte("null"), nil
	}
	return json.Marshal(p.Value)
}

func value(data []byte) (v any, err error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	err = dec.Decode(&v)
	return v, err
}

// name returns what v is called.
func name(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case map[string]any:
		for _, key := range []string{"name", "value"} {
			if v[key] != nil {
				return name(v[key])
			}
		}
	}
	return "", errors.New("want a string, or an object with a name")
}

// document returns the text of a node of Jira's document format, a paragraph a
// line.
func document(node map[string]any) string {
	var b strings.Builder
	switch s, _ := node["text"].(string); {
	case s != "":
		b.WriteString(s)
	case node["type"] == "hardBreak":
		b.WriteByte('\n')
	}
	children, _ := node["content"].([]any)
	for _, c := range children {
		if o, ok := c.(map[string]any); ok {
			b.WriteString(document(o))
		}
	}
	switch node["type"] {
	case "paragraph", "heading", "codeBlock", "listItem", "blockquote", "tableRow":
		if s := strings.TrimRight(b.String(), "\n"); s != "" {
			return s + "\n"
		}
	}
	return b.String()
}
