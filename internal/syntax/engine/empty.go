package engine

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text"
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
	"func_literal": true, "function_expression": true, "arrow_function": true, "closure_expression": true,
	"anonymous_function":   true,
	"accessor_declaration": true,
}

// admission is what a message says of a function that is not written.
const admission = `(?:not (?:yet )?implemented|unimplemented|(?-i:TODO))`

// talk begins a statement that only tells somebody something.
const talk = `(?:print|println!?|eprintln!?|puts|echo|printf|error_log|(?:self\.|this\.|\$this->)?_?log(?:ger|ging)?(?:\.|->)\w+|console\.\w+|fmt\.Print\w*|slog\.\w+|warnings\.warn|System\.(?:out|err)\.print\w*|Console\.Write\w*)`

var talking = lazyregexp.MustCompile(`(?is)^` + talk + `\b`)

// unwritten matches a statement that admits there is nothing.
var unwritten = lazyregexp.MustCompile(`(?is)^(?:return\s+|=>\s*)?(?:` + strings.Join([]string{
	`raise\s*\(?\s*NotImplemented(?:Error)?\b.*`,
	`raise\s+[\w.]+\s*\(\s*[a-z]?["'][^"']*` + admission + `[^"']*["'].*`,
	`assert\s*\(?\s*(?:False|0)\s*,\s*[a-z]?["'][^"']*` + admission + `[^"']*["'].*`,
	`(?:[\w.&{}"]+\s*,\s*)*(?:panic\s*\(\s*)?(?:errors\.New|fmt\.Errorf|log\.(?:Fatal|Panic)\w*)\s*\(\s*["` + "`" +
		`][^"` + "`" + `]*` + admission + `.*`,
	`Promise\.reject\s*\(.*["'` + "`" + `][^"'` + "`" + `]*` + admission + `.*`,
	`(?:Err\s*\(|bail!\s*[({\[]).*"[^"]*` + admission + `.*`,
	talk + `\s*\(?\s*[a-z]?["'` + "`" + `][^"'` + "`" + `]*` + admission + `.*`,
	`assert\s*\(\s*!\s*"[^"]*(?:not (?:yet )?implemented|todo)[^"]*".*`,
	`raise\s+["'][^"']*(?:not (?:yet )?implemented|todo)[^"']*["'].*`,
	`panic!?\s*\(\s*["` + "`" + `][^"` + "`" + `]*(?:not (?:yet )?implemented|unimplemented|todo)[^"` + "`" + `]*["` + "`" + `].*`,
	`(?:todo|unimplemented)!\s*[({\[].*`,
	`throw\s+(?:new\s+)?[\w\\.:]*(?:NotImplemented|UnsupportedOperation|BadMethodCall)\w*.*`,
	`throw\s+(?:new\s+)?[\w\\.:]+\s*[({]\s*["'` + "`" + `][^"'` + "`" +
		`]*(?:not (?:yet )?implemented|unimplemented|todo)[^"'` + "`" + `]*["'` + "`" + `].*`,
	`(?:die|exit|abort|fatalError)\s*\(\s*["'][^"']*(?:not (?:yet )?implemented|todo)[^"']*["'].*`,
	`:`,
}, "|") + `)\s*;?\s*$`)

// bare matches a return of nothing, which next to a TODO is no work either.
var bare = lazyregexp.MustCompile(`(?i)^(?:return\s*)?\(?(?:nil|null|none|undefined|nullptr|false|0|-1|""|''|\[\]|\{\}|default(?:\(\w*\))?|Ok\(\(\)\))?\)?\s*;?$|^(?:_\s*=|\(void\)|void|del)\s*[\w.]+\s*;?$`)

// todo matches a comment that puts the work off.
var todo = lazyregexp.MustCompile(`(?im)\b(?:TODO|FIXME|XXX)\b|not (?:yet )?implemented|to be implemented|implement(?:ed)? (?:me|this|it|later)\b|(?:#|//|--|/\*)\s*(?:later|placeholder|stub|tbd)\W*$|未実装|(?:後|あと)で実装`)

// EmptyBodies returns the functions of src whose body has no effect beyond saying
// that it is not written.
func (s *Spec) EmptyBodies(src []byte) []EmptyBody {
	code := s.ReadCode(src)
	if code == nil {
		return nil
	}
	defer code.Release()
	m := &code.Tree
	var found []EmptyBody
	for i := range m.Nodes {
		node := int32(i)
		if !s.isFunction(m, node) || s.inConstructor(m, node) {
			continue
		}
		if why := s.emptyBody(m, node); why != "" {
			n := &m.Nodes[i]
			found = append(found, EmptyBody{Name: s.functionName(m, node), StartLine: int(n.StartRow) + 1,
				EndLine: int(n.EndRow) + 1, Why: why,
				Silent: !s.isUnwritten(why) && !todo.Match(src[n.Start:n.End])})
		}
	}
	return found
}

func (s *Spec) functionName(m *Tree, i int32) string {
	if s.Bodies.Name != nil {
		return s.Bodies.Name(m, i)
	}
	for _, f := range []string{"name", "declarator"} {
		if c := m.Field(i, f); c >= 0 {
			name, _, _ := strings.Cut(m.Text(c), "(")
			return strings.TrimSpace(strings.TrimLeft(name, "*& "))
		}
	}
	return "a function"
}

// inConstructor says whether a function is a constructor, or in Python a stub
// that its decorator explains.
func (s *Spec) inConstructor(m *Tree, i int32) bool {
	switch name := s.functionName(m, i); {
	case name == "constructor", name == "__init__", name == "__construct", name == "initialize":
		return true
	case s.Bodies.Constructor != nil && s.Bodies.Constructor(m, i, name):
		return true
	}
	if p := m.Nodes[i].Parent; p >= 0 && m.Kind(p) == "decorated_definition" {
		head := string(m.Source[m.Nodes[p].Start:m.Nodes[i].Start])
		return strings.Contains(head, "abstract") || strings.Contains(head, "overload")
	}
	return false
}

// emptyBody says what is in place of a body, "" if there is one.
func (s *Spec) emptyBody(m *Tree, function int32) string {
	body := s.bodyOf(m, function)
	if body < 0 {
		if hasWord(s.Bodies.Bodiless, m.Kind(function)) {
			return "its body is empty"
		}
		return "" // a declaration without a body
	}
	kind := m.Kind(body)
	expression := !strings.Contains(kind, "block") && !strings.Contains(kind, "body") && !strings.Contains(kind,
		"compound") && kind != "statements"
	if expression { // x => value
		if s.isUnwritten(m.Text(body)) {
			return text.Prefix(OneLine([]byte(m.Text(body))), 60)
		}
		return ""
	}
	placeholder, put, talked, statements := "", false, false, 0
	list := body
	if c := body + 1; c < m.Nodes[body].Next && m.Kind(c) == "statement_list" && m.Nodes[c].Next == m.Nodes[body].Next {
		list = c // Go's block holds its statements in one node
	}
	for c := list + 1; c < m.Nodes[list].Next; c = m.Nodes[c].Next {
		line := strings.TrimSpace(m.Text(c))
		k := m.Kind(c)
		switch {
		case strings.Contains(k, "comment"):
			put = put || todo.MatchString(line)
			continue
		case k == "pass_statement", line == "...", k == "empty_statement", s.isUnwritten(line):
			placeholder = text.Prefix(OneLine([]byte(line)), 60)
		case k == "expression_statement" && statements == 0 && s.Bodies.Docstrings && len(line) > 0 &&
			strings.ContainsRune("\"'rRuU", rune(line[0])) && m.Child(c, "string") >= 0:
			continue // a docstring
		case m.isHollow(c):
			placeholder = text.Prefix(OneLine([]byte(line)), 60)
		case bare.MatchString(line):
			// counts only next to a TODO
		case talking.MatchString(line):
			talked = true // counts only next to what says that there is nothing
		default:
			return ""
		}
		statements++
	}
	put = put || m.trailingTodo(function, body)
	switch {
	case placeholder != "":
		return placeholder
	case talked:
		return ""
	case put:
		return "there is only a TODO"
	case statements == 0 && !s.Bodies.MayBeEmpty && !mayBeEmpty[m.Kind(function)]:
		return "its body is empty"
	}
	return ""
}

// branching are statements that hold others. A loop is none of them: it may go
// through something for the sake of going through it.
var branching = map[string]bool{
	"if_statement": true, "if_expression": true, "try_statement": true, "with_statement": true,
	"block": true, "statement_block": true, "compound_statement": true,
}

// isHollow says whether a statement holds others and none of them does anything.
func (m *Tree) isHollow(i int32) bool {
	if !branching[m.Kind(i)] {
		return false
	}
	for c := i + 1; c < m.Nodes[i].Next; c++ {
		kind := m.Kind(c)
		for _, deed := range []string{"call", "invocation", "assign", "return", "yield", "throw", "raise", "await", "update", "declar", "macro", "new", "delete", "send", "command", "break", "continue", "goto", "expression_statement"} {
			if strings.Contains(kind, deed) && m.Text(c) != "..." {
				return false
			}
		}
	}
	return true
}

// trailingTodo looks for a TODO in the body, and in comments that a grammar puts
// before the body, as Python's does with those above the first statement.
func (m *Tree) trailingTodo(function, body int32) bool {
	if todo.Match(m.Source[m.Nodes[body].Start:m.Nodes[body].End]) {
		return true
	}
	for c := function + 1; c < body; c = m.Nodes[c].Next {
		if strings.Contains(m.Kind(c), "comment") && todo.MatchString(m.Text(c)) {
			return true
		}
	}
	return false
}
