package project

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
)

// A Context is what .code-intel/context.yml holds.
type Context struct {
	ProjectRules   ProjectRules
	DocResearch    DocResearch
	DocumentSearch DocumentSearch
	LastSynced     time.Time     // zero: never
	Unknown        []msg.Message // keys that mean nothing here, "line 3: doc_reserch"
}

// ProjectRules say what always holds in a project.
type ProjectRules struct {
	Source      string // the file they come from, relative to the root; "" if not set
	Summary     string
	ContentHash string // hash of the source when the summary was made
}

// DocResearch says how documents are read before work begins.
type DocResearch struct {
	Enabled        bool
	DocsPath       []string
	DefaultPrompts []string // names of files in .code-intel/doc_research
}

// DocumentSearch says which documents an impact analysis looks through.
type DocumentSearch struct {
	IncludePatterns []string
	ExcludePatterns []string
}

// defaultContext returns the context of a project without a context.yml.
func defaultContext() Context {
	return Context{
		DocResearch: DocResearch{
			Enabled:        true,
			DocsPath:       []string{"docs/"},
			DefaultPrompts: []string{"default.md"},
		},
		DocumentSearch: UsualDocuments(),
	}
}

// UsualDocuments are the documents of a project without a context.yml.
func UsualDocuments() DocumentSearch {
	return DocumentSearch{
		IncludePatterns: []string{"**/*.md", "**/*.mdx", "**/*.rst", "**/*.adoc", "docs/**/*.txt", "doc/**/*.txt"},
		ExcludePatterns: []string{"node_modules/**"},
	}
}

// maxContextBytes bounds context.yml; people write it by hand.
const maxContextBytes = 1 << 20

// LoadContext reads context.yml. Without the file, and for keys it does not
// have, [defaultContext] holds; a value of the wrong kind is a Problem that names
// line and key.
func (p *Project) LoadContext() (Context, error) {
	data, err := p.readContext()
	if err != nil {
		return Context{}, err
	}
	return parseContext(data)
}

func (p *Project) readContext() ([]byte, error) {
	info, err := os.Stat(p.Path("context.yml"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil && info.Size() > maxContextBytes {
		return nil, invalidContext([]msg.Message{msg.New("project.file_more_than_bytes", maxContextBytes)})
	}
	data, err := repofile.At(p.Path("context.yml")).Read(maxContextBytes)
	if err != nil {
		return nil, fmt.Errorf("project: read context: %w", err)
	}
	return data, nil
}

// parseContext reads the text of a context.yml, see [Project.LoadContext].
func parseContext(data []byte) (Context, error) {
	root, err := contextRoot(data)
	if err != nil || root == nil {
		return defaultContext(), err
	}
	c := defaultContext()
	var wrong []msg.Message
	eachPair(root, func(key, value *yaml.Node) {
		section := key.Value
		if !slices.ContainsFunc(contextKeys, func(k contextKey) bool { return k.section == section }) {
			wrong = append(wrong, c.setValue("", key, value)...)
			return
		}
		switch {
		case value.Kind == yaml.MappingNode:
			eachPair(value, func(key, value *yaml.Node) {
				wrong = append(wrong, c.setValue(section, key, value)...)
			})
		case !isNull(value):
			wrong = append(wrong, msg.New("project.line_must_have_keys_of_its_own", key.Line, section))
		}
	})
	if len(wrong) > 0 {
		return defaultContext(), invalidContext(wrong)
	}
	return c, nil
}

// setValue puts one value into c and returns what is wrong with it, if anything.
func (c *Context) setValue(section string, key, value *yaml.Node) (wrong []msg.Message) {
	name := strings.TrimPrefix(section+"."+key.Value, ".")
	i := slices.IndexFunc(contextKeys, func(k contextKey) bool { return k.section == section && k.name == key.Value })
	switch {
	case i < 0:
		c.Unknown = append(c.Unknown, msg.New("project.line", key.Line, name))
	case isNull(value):
		// The key is there without a value: the default holds.
	case !contextKeys[i].set(c, value):
		return []msg.Message{msg.New("project.line_must", key.Line, name, contextKeys[i].allowed)}
	}
	return nil
}

// A contextKey is one key of context.yml.
type contextKey struct {
	section, name string
	allowed       msg.Message // what it may hold, after "must be"
	set           func(*Context, *yaml.Node) bool
}

var contextKeys = []contextKey{
	{"project_rules", "source", msg.New("project.path_file"),
		func(c *Context, n *yaml.Node) bool { return setString(&c.ProjectRules.Source, n) }},
	{"project_rules", "summary", msg.New("project.plain_text"),
		func(c *Context, n *yaml.Node) bool { return setString(&c.ProjectRules.Summary, n) }},
	{"project_rules", "content_hash", msg.New("project.plain_text"),
		func(c *Context, n *yaml.Node) bool { return setString(&c.ProjectRules.ContentHash, n) }},
	{"doc_research", "enabled", msg.New("lenientjson.true_false"),
		func(c *Context, n *yaml.Node) bool { return n.Decode(&c.DocResearch.Enabled) == nil }},
	{"doc_research", "docs_path", msg.New("project.list_paths"),
		func(c *Context, n *yaml.Node) bool { return list(&c.DocResearch.DocsPath, n) }},
	{"doc_research", "default_prompts", msg.New("project.list_file_names"),
		func(c *Context, n *yaml.Node) bool { return list(&c.DocResearch.DefaultPrompts, n) }},
	{"document_search", "include_patterns", msg.New("project.list_patterns"),
		func(c *Context, n *yaml.Node) bool { return list(&c.DocumentSearch.IncludePatterns, n) }},
	{"document_search", "exclude_patterns", msg.New("project.list_patterns"),
		func(c *Context, n *yaml.Node) bool { return list(&c.DocumentSearch.ExcludePatterns, n) }},
	{"", "last_synced", msg.New("project.a_time"), func(c *Context, n *yaml.Node) bool { return parseTime(&c.LastSynced, n) }},
}

// ContextKeys returns the keys of a context.yml, "project_rules.source".
func ContextKeys() (all []string) {
	for _, k := range contextKeys {
		all = append(all, strings.TrimPrefix(k.section+"."+k.name, "."))
	}
	return all
}

func setString(to *string, n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode {
		return false
	}
	*to = n.Value
	return true
}

// list accepts one value in place of a list of one.
func list(to *[]string, n *yaml.Node) bool {
	if n.Kind == yaml.ScalarNode {
		*to = []string{n.Value}
		return true
	}
	values := []string{}
	for _, item := range n.Content {
		if item = target(item); n.Kind != yaml.SequenceNode || item.Kind != yaml.ScalarNode {
			return false
		}
		values = append(values, item.Value)
	}
	*to = values
	return n.Kind == yaml.SequenceNode
}

// parseTime also accepts a time without a zone, as older programs wrote it, and
// takes that for local.
func parseTime(to *time.Time, n *yaml.Node) bool {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", time.DateTime, time.DateOnly} {
		if t, err := time.ParseInLocation(layout, n.Value, time.Local); err == nil {
			*to = t
			return true
		}
	}
	return n.Kind == yaml.ScalarNode && n.Value == ""
}

// contextRoot returns the mapping that a context.yml holds, or nil if it is empty.
func contextRoot(data []byte) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, invalidContext([]msg.Message{msg.New("project.not_yaml", strings.TrimPrefix(err.Error(), "yaml: "))})
	}
	if doc.Kind == 0 || isNull(doc.Content[0]) {
		return nil, nil
	}
	root := doc.Content[0]
	if root.Kind != yaml.MappingNode {
		return nil, invalidContext([]msg.Message{msg.New("project.file_must_hold_keys_values")})
	}
	return root, nil
}

func eachPair(mapping *yaml.Node, do func(key, value *yaml.Node)) {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		do(mapping.Content[i], target(mapping.Content[i+1]))
	}
}

// target returns the node that n refers to, if it is an alias.
func target(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

func invalidContext(wrong []msg.Message) error {
	return problem.New(InvalidConfig, "project.context_yml", Dir, wrong).
		Or("project.correct_file_key_left_out")
}
