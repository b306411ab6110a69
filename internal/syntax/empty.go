package syntax

import (
	"strings"

	"codeintel/internal/lazy"
	"codeintel/internal/treesitter"
)

// functionKinds are the kinds of nodes, over all grammars, that have a body which
// someone can forget to write. Constructors are not among them: theirs is often
// empty for good reason.
var functionKinds = map[string]bool{
	"function_declaration": true, "method_declaration": true, "func_literal": true, // Go, Java, PHP, C#
	"function_definition": true,                                                                                              // Python, PHP, C, C++, Bash
	"method_definition":   true, "function_expression": true, "generator_function_declaration": true, "arrow_function": true, // JavaScript
	"function_item": true, "closure_expression": true, // Rust
	"local_function_statement": true, "anonymous_function": true, // C#, PHP
	"method": true, "singleton_method": true, // Ruby
	"accessor_declaration": true, // C#
}

// mayBeEmpty are functions that are often empty for good reason: they count only
// if they say that they are not written.
var mayBeEmpty = map[string]bool{
	"func_literal": true, "function_expression": true, "arrow_function": true, "closure_expression": true, "anonymous_function": true,
	"accessor_declaration": true,
}

// unwritten matches a statement that admits there is nothing.
var unwritten = lazy.MustCompile(`(?is)^(?:return\s+|=>\s*)?(?:` + strings.Join([]string{
	`raise\s*\(?\s*NotImplementedError\b.*`,
	`assert\s*\(\s*!\s*"[^"]*(?:not (?:yet )?implemented|todo)[^"]*".*`,
	`raise\s+["'][^"']*(?:not (?:yet )?implemented|todo)[^"']*["'].*`,
	`panic!?\s*\(\s*["` + "`" + `][^"` + "`" + `]*(?:not (?:yet )?implemented|unimplemented|todo)[^"` + "`" + `]*["` + "`" + `].*`,
	`(?:todo|unimplemented)!\s*[({\[].*`,
	`throw\s+(?:new\s+)?[\w\\.:]*(?:NotImplemented|UnsupportedOperation|BadMethodCall)\w*.*`,
	`throw\s+(?:new\s+)?[\w\\.:]+\s*[({]\s*["'` + "`" + `][^"'` + "`" + `]*(?:not (?:yet )?implemented|unimplemented|todo)[^"'` + "`" + `]*["'` + "`" + `].*`,
	`(?:die|exit|abort|fatalError)\s*\(\s*["'][^"']*(?:not (?:yet )?implemented|todo)[^"']*["'].*`,
	`:`,
}, "|") + `)\s*;?\s*$`)

// bare matches a return of nothing, which next to a TODO is no work either.
var bare = lazy.MustCompile(`(?i)^(?:return\s*)?\(?(?:nil|null|none|undefined|nullptr|false|0|-1|""|''|\[\]|\{\}|default(?:\(\w*\))?|Ok\(\(\)\))?\)?\s*;?$`)

// todo matches a comment that puts the work off.
var todo = lazy.MustCompile(`(?i)\b(?:TODO|FIXME|XXX)\b|not (?:yet )?implemented`)

// EmptyBodies returns the functions of src whose body has no effect beyond
// saying that it is not written: pass, "...", a TODO, an error that says so, or
// nothing at all. What an abstract method or an overload leaves out is none.
func EmptyBodies(lang Language, src []byte) []EmptyBody {
	l, ok := languages[lang]
	if !ok || l.rules == nil {
		return nil
	}
	g, ok := treesitter.Lookup(l.rules.grammar)
	if !ok {
		return nil
	}
	tree, err := parseMended(g, lang, src, treesitter.Limit{Time: maxTime, Nodes: maxNodes, Bytes: maxBytes})
	if err != nil {
		return nil
	}
	defer tree.Release()
	m := &markup{src: src, nodes: tree.Nodes, grammar: g}
	var found []EmptyBody
	for i := range m.nodes {
		node := int32(i)
		if !m.isFunction(lang, node) || m.inConstructor(lang, node) {
			continue
		}
		if why := m.emptyBody(lang, node); why != "" {
			n := &m.nodes[i]
			found = append(found, EmptyBody{Name: m.functionName(node), StartLine: int(n.StartRow) + 1, EndLine: int(n.EndRow) + 1, Why: why})
		}
	}
	return found
}

// field returns the first child of a node in a field, or -1.
func (m *markup) field(i int32, name string) int32 {
	id := m.grammar.FieldID(name)
	for c := i + 1; id != 0 && c < m.nodes[i].Next; c = m.nodes[c].Next {
		if m.nodes[c].Field == id {
			return c
		}
	}
	return -1
}

func (m *markup) functionName(i int32) string {
	if m.grammar.Name() == "elixir" {
		return elixirName(m.text(i))
	}
	for _, f := range []string{"name", "declarator"} {
		if c := m.field(i, f); c >= 0 {
			name, _, _ := strings.Cut(m.text(c), "(")
			return strings.TrimSpace(strings.TrimLeft(name, "*& "))
		}
	}
	return "a function"
}

// inConstructor says whether a function is a constructor, or in Python a stub
// that its decorator explains.
func (m *markup) inConstructor(lang Language, i int32) bool {
	switch name := m.functionName(i); {
	case name == "constructor", name == "__init__", name == "__construct", name == "initialize":
		return true
	case lang == CPP && m.field(i, "type") < 0: // constructors and destructors return nothing, not even void
		return true
	case lang == Rust && name == "drop":
		return true
	}
	if p := m.nodes[i].Parent; p >= 0 && m.kind(p) == "decorated_definition" {
		head := string(m.src[m.nodes[p].Start:m.nodes[i].Start])
		return strings.Contains(head, "abstract") || strings.Contains(head, "overload")
	}
	return false
}

// emptyBody says what stands in place of a body, "" if there is one.
func (m *markup) emptyBody(lang Language, function int32) string {
	body := m.bodyOf(lang, function)
	if body < 0 {
		if lang == Ruby || lang == Lua && m.kind(function) == "function_declaration" {
			return "its body is empty"
		}
		return "" // a declaration without a body
	}
	kind := m.kind(body)
	expression := !strings.Contains(kind, "block") && !strings.Contains(kind, "body") && !strings.Contains(kind, "compound") && kind != "statements"
	if expression { // x => value
		if isUnwritten(lang, m.text(body)) {
			return clip(oneLine([]byte(m.text(body))), 60)
		}
		return ""
	}
	said, put, statements := "", false, 0
	for c := body + 1; c < m.nodes[body].Next; c = m.nodes[c].Next {
		text := strings.TrimSpace(m.text(c))
		k := m.kind(c)
		switch {
		case strings.Contains(k, "comment"):
			put = put || todo.MatchString(text)
			continue
		case k == "pass_statement", text == "...", k == "empty_statement", isUnwritten(lang, text):
			said = clip(oneLine([]byte(text)), 60)
		case k == "expression_statement" && statements == 0 && lang == Python && len(text) > 0 && strings.ContainsRune("\"'rRuU", rune(text[0])) && m.child(c, "string") >= 0:
			continue // a docstring
		case bare.MatchString(text):
			// counts only next to a TODO
		default:
			return ""
		}
		statements++
	}
	put = put || m.trailingTodo(function, body)
	switch {
	case said != "":
		return said
	case put:
		return "there is only a TODO"
	case statements == 0 && lang != Bash && !mayBeEmpty[m.kind(function)]:
		return "its body is empty"
	}
	return ""
}

// trailingTodo looks for a TODO in the body, and in comments that a grammar puts
// before the body, as Python's does with those above the first statement.
func (m *markup) trailingTodo(function, body int32) bool {
	if todo.Match(m.src[m.nodes[body].Start:m.nodes[body].End]) {
		return true
	}
	for c := function + 1; c < body; c = m.nodes[c].Next {
		if strings.Contains(m.kind(c), "comment") && todo.MatchString(m.text(c)) {
			return true
		}
	}
	return false
}
