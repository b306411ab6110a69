package project

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
)

// A ContextUpdate holds new values for context.yml. Nil fields stay as they are.
type ContextUpdate struct {
	Source      *string
	Summary     *string
	ContentHash *string
	LastSynced  *time.Time
}

// An edit is one value to set in context.yml.
type edit struct {
	section, name string // section "" is the top
	value         string
}

func (u ContextUpdate) edits() []edit {
	var es []edit
	add := func(section, name string, value *string) {
		if value != nil {
			es = append(es, edit{section, name, *value})
		}
	}
	add("project_rules", "source", u.Source)
	add("project_rules", "summary", u.Summary)
	add("project_rules", "content_hash", u.ContentHash)
	if u.LastSynced != nil {
		when := u.LastSynced.Format(time.RFC3339)
		add("", "last_synced", &when)
	}
	return es
}

// EditContext returns the text of a context.yml with u applied. Only the lines of
// the values concerned differ: they are found by their nodes and replaced as
// text, because encoding the nodes again would move blank lines and quotes of the
// user's. Where that cannot be done (values in flow style, anchors), the nodes
// are encoded after all, comments included.
func EditContext(data []byte, u ContextUpdate) ([]byte, error) {
	for _, e := range u.edits() {
		root, err := contextRoot(data)
		if err != nil {
			return nil, err
		}
		var want map[string]any
		if err := yaml.Unmarshal(data, &want); err != nil {
			return nil, invalidContext([]msg.Message{msg.New("project.not_yaml", err.Error())})
		}
		want, err = e.inValues(want)
		if err != nil {
			return nil, err
		}
		edited := e.inText(data, root)
		if !holds(edited, want) {
			if edited, err = e.inNodes(data); err != nil {
				return nil, err
			}
			if !holds(edited, want) {
				return nil, problem.New(problem.InvalidArgument, "project.new_cannot_written_yaml", e.name).
					Or("project.send_utf_without_control_characters")
			}
		}
		data = edited
	}
	return data, nil
}

// inValues sets the value in decoded values, to know what the text must mean.
func (e edit) inValues(values map[string]any) (map[string]any, error) {
	if values == nil {
		values = make(map[string]any)
	}
	if e.section == "" {
		values[e.name] = e.value
		return values, nil
	}
	switch section := values[e.section].(type) {
	case nil:
		values[e.section] = map[string]any{e.name: e.value}
	case map[string]any:
		section[e.name] = e.value
	default:
		return nil, invalidContext([]msg.Message{msg.New("project.must_have_keys_of_its_own", e.section)})
	}
	return values, nil
}

func holds(data []byte, want map[string]any) bool {
	var got map[string]any
	return yaml.Unmarshal(data, &got) == nil && reflect.DeepEqual(got, want)
}

// inText sets the value in the text, as far as its form is the usual one. The
// caller checks the result against what it must mean.
func (e edit) inText(data []byte, root *yaml.Node) []byte {
	lines := strings.SplitAfter(string(data), "\n")
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	} else {
		lines[last] += "\n"
	}
	splice := func(from, to int, with string) []byte {
		if strings.HasSuffix(lines0(lines), "\r\n") {
			with = strings.ReplaceAll(with, "\n", "\r\n")
		}
		return []byte(strings.Join(lines[:from], "") + with + strings.Join(lines[to:], ""))
	}

	parent, column := root, 1
	if e.section != "" {
		key, value := pair(root, e.section)
		switch {
		case key == nil:
			return splice(len(lines), len(lines), e.section+":\n"+e.render(3, ""))
		case isNull(value):
			return splice(key.Line-1, key.Line, e.section+":"+trailing(key, value)+"\n"+e.render(3, ""))
		}
		parent, column = value, 0
	}
	if parent != nil && len(parent.Content) > 0 {
		column = parent.Content[0].Column
	}
	if key, value := pair(parent, e.name); key != nil {
		return splice(key.Line-1, blockEnd(lines, key), e.render(column, trailing(key, value)))
	}
	end := len(lines)
	if e.section != "" && len(parent.Content) > 0 {
		end = blockEnd(lines, parent.Content[len(parent.Content)-2])
	}
	return splice(end, end, e.render(column, ""))
}

func lines0(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return lines[0]
}

// pair returns the nodes of a key and its value, or nil.
func pair(mapping *yaml.Node, name string) (key, value *yaml.Node) {
	if mapping == nil || mapping.Kind != yaml.MappingNode {
		return nil, nil
	}
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			return mapping.Content[i], mapping.Content[i+1]
		}
	}
	return nil, nil
}

// trailing returns the comment at the end of the line of a key, with a space.
func trailing(key, value *yaml.Node) string {
	for _, comment := range []string{value.LineComment, key.LineComment} {
		if comment != "" && !strings.Contains(comment, "\n") {
			return " " + comment
		}
	}
	return ""
}

// blockEnd returns the index of the line after the value of key: the first that
// is not blank and not indented deeper than the key. Blank lines before it
// belong to what follows.
func blockEnd(lines []string, key *yaml.Node) int {
	end := key.Line
	for i := key.Line; i < len(lines); i++ {
		text := strings.TrimRight(lines[i], "\r\n")
		indent := len(text) - len(strings.TrimLeft(text, " "))
		if strings.TrimSpace(text) == "" {
			continue
		}
		if indent < key.Column {
			break
		}
		end = i + 1
	}
	return end
}

// render returns the lines of the key and its value, starting at column.
func (e edit) render(column int, comment string) string {
	indent := strings.Repeat(" ", max(column-1, 0))
	encoded := strings.TrimRight(string(encode(&yaml.Node{
		Kind:    yaml.MappingNode,
		Content: []*yaml.Node{{Kind: yaml.ScalarNode, Value: e.name}, e.node()},
	})), "\n")
	first, rest, block := strings.Cut(encoded, "\n")
	var b strings.Builder
	b.WriteString(indent + first + comment + "\n")
	if block {
		for line := range strings.SplitSeq(rest, "\n") {
			if line != "" {
				line = indent + line
			}
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

func (e edit) node() *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: e.value, Style: yaml.DoubleQuotedStyle}
	if strings.Contains(e.value, "\n") {
		n.Style = yaml.LiteralStyle
	}
	return n
}

// inNodes sets the value in the nodes and encodes them all again.
func (e edit) inNodes(data []byte) ([]byte, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, invalidContext([]msg.Message{msg.New("project.not_yaml", err.Error())})
	}
	if doc.Kind == 0 || doc.Content[0].Kind != yaml.MappingNode {
		doc = yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode}}}
	}
	parent := doc.Content[0]
	if e.section != "" {
		_, value := pair(parent, e.section)
		if value == nil || target(value).Kind != yaml.MappingNode {
			value = &yaml.Node{Kind: yaml.MappingNode}
			set(parent, e.section, value)
		}
		if value.Kind == yaml.AliasNode {
			// Another section shares these values and must not change with them.
			own := *value.Alias
			own.Anchor = ""
			own.Content = append([]*yaml.Node(nil), own.Content...)
			value = &own
			set(parent, e.section, value)
		}
		parent = value
	}
	set(parent, e.name, e.node())
	return encode(&doc), nil
}

func set(mapping *yaml.Node, name string, value *yaml.Node) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == name {
			value.LineComment = mapping.Content[i+1].LineComment
			mapping.Content[i+1] = value
			return
		}
	}
	mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name}, value)
}

// encode encodes nodes made or parsed here, which is no reason to fail.
func encode(n *yaml.Node) []byte {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(n); err != nil {
		return nil
	}
	e.Close()
	return b.Bytes()
}

// UpdateContext changes context.yml as [EditContext] does, or creates it. Readers
// see the old file or the new one. A file that is not a valid context is left alone.
func (p *Project) UpdateContext(u ContextUpdate) error {
	unlock, err := atomicfile.Lock(p.Path("locks", "context.lock"))
	if err != nil {
		return fmt.Errorf("project: %w", err)
	}
	defer unlock()
	data, err := p.readContext()
	if err != nil {
		return err
	}
	edited, err := EditContext(data, u)
	if err != nil {
		return err
	}
	if _, err := parseContext(edited); err != nil {
		return err
	}
	if bytes.Equal(edited, data) {
		return nil
	}
	return p.WriteFile(Dir+"/context.yml", edited)
}

// WriteFile replaces the file at path, which is confined to p, and makes its
// folders. Readers see the old file or the new one.
func (p *Project) WriteFile(path string, data []byte) error {
	rel, err := p.Resolve(path)
	if err != nil {
		return err
	}
	if err := atomicfile.WriteAt(repofile.In(p.Root, rel), data); err != nil {
		return fmt.Errorf("project: %w", err)
	}
	return nil
}
