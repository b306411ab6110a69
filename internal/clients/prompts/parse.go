package prompts

import (
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"codeintel/internal/platform/msg"
)

// A header is the front matter of an agent file. Clients know more fields; they are
// theirs.
type header struct {
	Name        string `yaml:"name"`
	Description string `yaml:"description"`
	Model       string `yaml:"model"`
	Tools       tools  `yaml:"tools"`
	Hint        string `yaml:"argument-hint"` // of a skill
}

// tools is a list, or names separated by commas.
type tools []string

func (t *tools) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.SequenceNode {
		return n.Decode((*[]string)(t))
	}
	var line string
	if err := n.Decode(&line); err != nil {
		return err
	}
	for name := range strings.SplitSeq(line, ",") {
		if name = strings.TrimSpace(name); name != "" {
			*t = append(*t, name)
		}
	}
	return nil
}

// parse takes an agent file apart. Front matter may be missing, instructions not.
func parse(text string) (Agent, error) {
	h, body, err := split(text)
	if err != nil {
		return Agent{}, err
	}
	return Agent{Name: h.Name, Description: h.Description, Model: h.Model, Tools: h.Tools, Body: body}, nil
}

// split returns the front matter of a file and what follows it.
func split(text string) (h header, body string, err error) {
	if !utf8.ValidString(text) {
		return h, "", msg.Err("agents.not_utf8")
	}
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n")
	if rest, ok := strings.CutPrefix(text, "---\n"); ok {
		front, body, ended := strings.Cut("\n"+rest+"\n", "\n---\n")
		if !ended {
			return h, "", msg.Err("agents.front_matter_open")
		}
		if err := yaml.Unmarshal([]byte(front), &h); err != nil {
			return h, "", msg.Err("agents.front_matter", err)
		}
		text = body
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return h, "", msg.Err("agents.no_instructions")
	}
	return h, text + "\n", nil
}
