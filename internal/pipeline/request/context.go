package request

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"codeintel/internal/platform/msg"
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

// UnmarshalJSON reads the keys of the struct, and those by which the trackers
// call the same fields. A key that is neither is passed over.
func (c *Context) UnmarshalJSON(data []byte) error {
	var inner string
	if json.Unmarshal(data, &inner) == nil && inner != "" {
		data = []byte(inner) // an object in a string
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(data, &given); err != nil {
		return msg.Err("request.external_context_want_object")
	}
	*c = Context{}
	for _, f := range []struct {
		key, tracker string
		dst          any
	}{
		{"github_labels", "labels", &c.GitHubLabels},
		{"github_title", "title", &c.GitHubTitle},
		{"github_body", "body", &c.GitHubBody},
		{"jira_issue_type", "issuetype", &c.JiraIssueType},
		{"jira_story_points", "story_points", &c.JiraStoryPoints},
		{"jira_summary", "summary", &c.JiraSummary},
		{"jira_description", "description", &c.JiraDescription},
		{"jira_labels", "", &c.JiraLabels},
		{"linear_labels", "", &c.LinearLabels},
		{"linear_title", "", &c.LinearTitle},
		{"linear_description", "", &c.LinearDescription},
		{"linear_estimate", "estimate", &c.LinearEstimate},
	} {
		key := f.key
		if given[key] == nil {
			key = f.tracker
		}
		if given[key] == nil {
			continue
		}
		if err := json.Unmarshal(given[key], f.dst); err != nil {
			return msg.Err("request.external_context_field", key, err)
		}
	}
	return nil
}

// Title is the issue's title, or "".
func (c Context) Title() string {
	return first(c.GitHubTitle, c.JiraSummary, c.LinearTitle)
}

// Body is what the issue says below its title, or "".
func (c Context) Body() string {
	return first(c.GitHubBody, c.JiraDescription, c.LinearDescription)
}

// issueType is the type that the tracker gives the issue, or "".
func (c Context) issueType() string { return first(c.JiraIssueType) }

// labels are the names of the issue's labels.
func (c Context) labels() []string {
	var all []string
	for _, l := range []Labels{c.GitHubLabels, c.JiraLabels, c.LinearLabels} {
		all = append(all, l...)
	}
	return all
}

// storyPoints is the tracker's estimate, or nil if there is none.
func (c Context) storyPoints() *float64 {
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
		s, err := name(item, "name")
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
		*p = Prose(strings.TrimSpace(document(o, 0)))
		return nil
	}
	s, err := name(v, "name", "value")
	*p = Prose(s)
	return err
}

// Points are an estimate. What is not a number is no estimate.
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
	s, err := name(v, "value", "name")
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

// name returns what v is called: v itself, or what it has at one of the keys.
func name(v any, keys ...string) (string, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case map[string]any:
		for _, key := range keys {
			if inner, ok := v[key]; ok {
				return name(inner)
			}
		}
	}
	return "", msg.Err("request.want_string_object_name")
}

// maxNesting is how deeply a document of Jira is read.
const maxNesting = 64

// document returns the text of a node of Jira's document format: a paragraph a
// line, an item of a list behind a hyphen.
func document(node map[string]any, depth int) string {
	if depth > maxNesting {
		return ""
	}
	var b strings.Builder
	attrs, _ := node["attrs"].(map[string]any)
	for _, said := range []any{node["text"], attrs["text"], attrs["url"]} { // a text, a mention, a card
		if s, ok := said.(string); ok {
			b.WriteString(s)
		}
	}
	children, _ := node["content"].([]any)
	for _, c := range children {
		if o, ok := c.(map[string]any); ok {
			b.WriteString(document(o, depth+1))
		}
	}
	s := b.String()
	switch node["type"] {
	case "hardBreak":
		return "\n"
	case "listItem":
		return "- " + strings.TrimRight(s, "\n") + "\n"
	case "paragraph", "heading", "codeBlock", "tableRow":
		return strings.TrimRight(s, "\n") + "\n"
	}
	return s
}
