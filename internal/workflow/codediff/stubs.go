package codediff

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
)

// stubs takes functions that only stand for one out of what changes the program.
func (c *compared) stubs() {
	if c.now.tree == nil {
		return
	}
	had := make(map[string]body)
	if c.was.tree != nil {
		c.was.functions(func(name string, node int32, b body) { had[name] = b })
	}
	c.now.functions(func(name string, node int32, b body) {
		was, there := had[name]
		why := Why("")
		switch {
		case c.Test && !c.isTest(node), !there && c.now.forOthers(node, b), b == throws && c.now.throwsGiven(node):
		case b == echoes && !there && !c.now.tree.Constructor(node) && c.now.single(node):
			why = Stub
		case b == empty && (!there || was != empty) && !c.now.tree.Constructor(node):
			why = Stub
		case b == throws && (!there || was == computes):
			why = Stub
		case b == constant && was == computes && there:
			why = Constant
		case b == nothing && (!there || was == computes):
			why = Constant
		case b == constant && !there && c.now.hasParameters(node):
			why = Constant
		}
		if why == "" {
			return
		}
		n := c.now.tree.Nodes[node]
		for line := int(n.StartRow) + 1; line <= int(n.EndRow)+1; line++ {
			delete(c.changed, line)
			if !c.now.isBlank(line) && c.now.markOf(line) != Comment {
				c.why[line], c.in[line] = why, c.now.tree.FunctionName(node)
			}
		}
	})
}

func (c *compared) isTest(function int32) bool {
	_, _, ok := c.now.test(function, c.Path)
	return ok
}

// forOthers reports whether a function that hardly does anything is there for classes below
// to do more, or says in place of one above what is written out.
func (s *side) forOthers(function int32, b body) bool {
	return s.hasModifier(function, "open") || s.hasModifier(function, "virtual") ||
		b == constant && (s.hasModifier(function, "override") || s.hasModifier(function, "@Override"))
}

// unwritten finds what says that something is still to be written.
var unwritten = lazyregexp.MustCompile(`(?i)not[ _]?(?:yet|implement|done|supported)|unimplement|\bto ?do\b|\blater\b|coming|soon|pending|unsupported`)

// throwsGiven reports whether a function that only throws says what it was given: it is
// there to do so.
func (s *side) throwsGiven(function int32) bool {
	n := s.tree.Nodes[s.tree.Body(function)]
	names := s.parameters(function)
	return !unwritten.Match(s.src[n.Start:n.End]) && slices.ContainsFunc(s.live(int(n.Start), int(n.End)),
		func(t tok) bool { return slices.Contains(names, t.text) })
}

// A body is what kind of thing a function does.
type body int

const (
	computes body = iota
	empty         // nothing
	nothing       // returns nothing, or what stands for it
	constant      // returns what is written out
	throws        // only throws
	echoes        // gives back what it was given, or leaves everything to the class above
)

// functions calls f for each function that has a name, with its place among others of
// its file.
func (s *side) functions(f func(name string, node int32, b body)) {
	seen := make(map[string]int)
	for i := range s.tree.Nodes {
		node := int32(i)
		if !s.tree.Function(node) || s.anonymous(node) || s.emptyMark(node) {
			continue
		}
		name := s.tree.FunctionName(node)
		for p := s.tree.Parent(node); p >= 0; p = s.tree.Parent(p) {
			if n := s.nameOf(p); n != "" {
				name = n + "." + name
			}
		}
		if r := s.tree.Field(node, "receiver"); r >= 0 {
			words := strings.FieldsFunc(s.tree.Text(r), func(r rune) bool { return !(r == '_' || r >= '0') })
			if len(words) > 0 {
				name = words[len(words)-1] + "." + name
			}
		}
		if seen[name]++; seen[name] > 1 {
			name += strings.Repeat("'", seen[name]-1)
		}
		f(name, node, s.bodyKind(node))
	}
}

// anonymous reports whether a function has no name of its own.
func (s *side) anonymous(node int32) bool {
	switch s.tree.Kind(node) {
	case "func_literal", "function_expression", "arrow_function", "closure_expression", "anonymous_function",
		"lambda", "accessor_declaration",
		"lambda_literal", "lambda_expression":
		return true
	}
	return false
}

// emptyMark reports whether a function lies in what does not count.
func (s *side) emptyMark(node int32) bool {
	n := s.tree.Nodes[node]
	return slices.ContainsFunc(s.marks, func(m mark) bool { return m.start <= int(n.Start) && int(n.End) <= m.end })
}

// talk matches statements that only tell somebody something.
var talk = lazyregexp.MustCompile(`(?is)^(?:print|println!?|eprintln!?|puts|echo|printf|error_log|(?:self\.|this\.|\$this->)?_?log(?:ger|ging)?(?:\.|->|::)\w+|console\.\w+|fmt\.Print\w*|slog\.\w+|log\.Print\w*|warnings\.warn|System\.(?:out|err)\.print\w*|Console\.Write\w*|t\.Log\w*)\b`)

// raises matches statements that only throw.
var raises = lazyregexp.MustCompile(`(?s)^(?:(?:(?:std::)?panic|todo|unimplemented)!|(?:raise|throw)\b|(?:panic|fail|die|(?:std::)?(?:abort|terminate|unreachable)|error|TODO|fatalError|preconditionFailure|assertionFailure|__builtin_(?:unreachable|trap))(?:\s*\(|\s+["'\pL:]|\s*$))`)

// bodyKind says what kind of thing a function does.
func (s *side) bodyKind(function int32) body {
	node := s.tree.Body(function)
	n := s.tree.Nodes[node]
	start, end := int(n.Start), int(n.End)
	toks := s.live(start, end)
	if kind := s.tree.Kind(node); !s.isBlock(node) && !strings.Contains(kind, "body") { // x => value
		if raises.MatchString(strings.TrimLeft(s.tree.Text(node), "=> \t\n")) {
			return throws
		}
		return s.valueOf(function, toks)
	}
	from := node
	for {
		only := s.onlyChild(from)
		if only < 0 || !s.isBlock(only) {
			break
		}
		from = only
	}
	var does, prepares []tok
	threw := false
	for c := range s.children(from) {
		child := s.tree.Nodes[c]
		rest := s.live(int(child.Start), int(child.End))
		text := strings.TrimSpace(s.tree.Text(c))
		switch {
		case len(rest) == 0, talk.MatchString(text) && !s.assigns(c):
			continue
		case raises.MatchString(text):
			threw = true
			continue
		}
		if _, right, ok := s.assignment(c); ok && isLiteral(s.tree.Kind(right)) {
			prepares = append(prepares, rest...)
		} else {
			does = append(does, rest...)
		}
	}
	if !threw {
		does = append(prepares, does...)
	}
	switch {
	case threw && len(does) == 0:
		return throws
	case len(does) == 0 && s.onlyTalks(start, end):
		return computes // a function that tells something was written to do so
	case len(does) == 0 && len(slices.DeleteFunc(slices.Clone(toks), isBracket)) == 0:
		return empty
	case len(does) == 0:
		return s.valueOf(function, toks) // "= 2" and the like
	}
	return s.valueOf(function, does)
}

func isBracket(t tok) bool {
	switch t.text {
	case "{", "}", "=", ":", "do", "end", "begin", "then":
		return true
	}
	return false
}

// onlyTalks reports whether there is anything in a body that counts.
func (s *side) onlyTalks(start, end int) bool {
	return slices.ContainsFunc(s.live(start, end),
		func(t tok) bool { return t.text == "(" || t.text == "puts" || t.text == "echo" })
}

func (s *side) assigns(statement int32) bool {
	_, _, ok := s.assignment(statement)
	return ok
}

// live returns the tokens between two bytes.
func (s *side) live(start, end int) []tok {
	from, _ := slices.BinarySearchFunc(s.toks, start, func(t tok, at int) int { return t.at - at })
	to := from
	for to < len(s.toks) && s.toks[to].at < end {
		to++
	}
	return slices.DeleteFunc(slices.Clone(s.toks[from:to]), func(t tok) bool { return t.shape })
}

// nothings are the words with which a function returns nothing.
var nothings = map[string]bool{"nil": true, "null": true, "None": true, "undefined": true, "false": true, "False": true, "nullptr": true, "Unit": true, "NULL": true, "default": true, "0": true,
	`""`: true, "''": true, "``": true, "void": true, "Nil": true, "-": false}

// template finds what is computed within a literal.
var template = lazyregexp.MustCompile(`\$\{?[\pL_]|\\\(|#\{`)

// collections are functions that make a collection of what they are given, which may be nothing.
var collections = wordSet("emptyList emptyMap emptySet emptyArray emptySequence listOf mapOf setOf arrayOf" +
	" mutableListOf mutableMapOf mutableSetOf List Seq Vector Set Map IndexedSeq Array LazyList Iterator Collections")

// makesNothing are the words behind the name of a collection that make one.
var makesNothing = wordSet("empty of emptyList emptySet emptyMap apply newBuilder")

// makes reports whether a name at a place makes a collection: listOf(…), emptyList<Int>(), List.empty[Int].
func makes(toks []tok, i int) bool {
	next := at(toks, i+1)
	return collections[toks[i].text] && (next == "(" || next == "<" || next == "[" || next == "." && makesNothing[at(toks, i+2)]) ||
		i > 1 && makesNothing[toks[i].text] && toks[i-1].text == "." && collections[toks[i-2].text]
}

// typeArguments returns the place behind the types that a collection is given at a place, or the place.
func typeArguments(toks []tok, i int) int {
	closing := map[string]string{"<": ">", "[": "]"}[at(toks, i)]
	for j := i; closing != "" && j < len(toks) && j < i+20; j++ {
		if toks[j].text == closing {
			return j + 1
		}
	}
	return i
}

// constantOf says whether tokens only return what is written out.
func constantOf(toks []tok) body {
	kind, values, types := nothing, 0, 0
	for i, t := range toks {
		if i < types {
			continue
		}
		if makes(toks, i) {
			types = typeArguments(toks, i+1)
			continue
		}
		switch text := t.text; {
		case nothings[text]:
			values++
		case i > 1 && toks[i-1].text == "(" && toks[i-2].text == "default": // of a type
		case text == "return", strings.Contains("()[]{},=&>:!", text), text == "Ok", text == "Some", text == "Default",
			text == "Optional", text == "empty", text == ".":
		case text == "true" || text == "True" || text == "-", text[0] >= '0' && text[0] <= '9', text[0] == '"' ||
			text[0] == '\'' || text[0] == '`':
			if template.MatchString(text) {
				return computes
			}
			kind = constant
			values++
		default:
			return computes
		}
	}
	return kind
}

// valueOf says whether tokens only return what is written out, or what the function was
// given.
func (s *side) valueOf(function int32, toks []tok) body {
	if b := constantOf(toks); b != computes {
		return b
	}
	text := strings.TrimPrefix(strings.Join(texts(toks), " "), "return ")
	text = strings.TrimPrefix(text, "= > ")
	names := s.parameters(function)
	switch {
	case expression.Evaluate(text) != expression.Unknown:
		return nothing
	case len(names) > 1 && slices.Contains(names, text):
		return echoes
	case len(names) > 0 && (text == "self" || text == "this" || text == "$this" || text == "* this" || text == "super"):
		return echoes
	}
	name := s.tree.FunctionName(function)
	for _, above := range []string{"super . ", "super ( ) . ", "base . ", "parent : : "} {
		if text == above+name+" ( "+strings.Join(names, " , ")+" )" || len(names) == 0 && text == above+name+" ( )" {
			return echoes
		}
	}
	return computes
}

// single reports whether no other function of the file has the name of one.
func (s *side) single(function int32) bool {
	name, n := s.tree.FunctionName(function), 0
	for i := range s.tree.Nodes {
		if s.tree.Function(int32(i)) && s.tree.FunctionName(int32(i)) == name {
			n++
		}
	}
	return n == 1
}

// hasParameters reports whether a function takes anything besides the object it
// belongs to.
func (s *side) hasParameters(function int32) bool { return len(s.parameters(function)) > 0 }

// parameters returns the names of what a function takes besides the object it belongs to;
// of a pattern, its text.
func (s *side) parameters(function int32) (names []string) {
	list := s.parameterList(function)
	if list < 0 && s.lang == syntax.Swift { // they stand beside its name
		for c := range s.children(function) {
			if s.tree.Kind(c) == "parameter" {
				names = append(names, s.parameterName(c))
			}
		}
	}
	for c := range s.children(list) {
		switch text := s.tree.Text(c); {
		case strings.Contains(s.tree.Kind(c), "comment"):
		case text == "self", text == "cls", text == "this", text == "void",
			strings.HasPrefix(text, "&") && strings.HasSuffix(text, "self"), text == "*", text == "/":
		default:
			names = append(names, s.parameterName(c))
		}
	}
	return names
}

func (s *side) parameterName(parameter int32) string {
	for _, field := range []string{"name", "pattern", "declarator"} {
		if n := s.tree.Field(parameter, field); n >= 0 {
			return s.tree.Text(n)
		}
	}
	for c := range s.children(parameter) {
		if s.tree.Kind(c) == "identifier" {
			return s.tree.Text(c)
		}
	}
	return s.tree.Text(parameter)
}

// parameterList returns the node that holds what a function takes, or -1.
func (s *side) parameterList(function int32) int32 {
	if s.spec.Comparing.Calls {
		head := s.argument(function)
		if head >= 0 && s.tree.Kind(head) == "binary_operator" { // with a guard
			head = s.tree.Field(head, "left")
		}
		for c := range s.children(head) {
			if s.tree.Kind(c) == "arguments" {
				return c
			}
		}
		return -1
	}
	for i := function + 1; i < s.tree.Nodes[function].Next && i != s.tree.Body(function); i++ {
		k := s.tree.Kind(i)
		if (strings.Contains(k, "parameters") && !strings.Contains(k, "type_param") || k == "parameter_list") &&
			s.tree.FieldName(i) != "receiver" {
			return i
		}
	}
	return -1
}
