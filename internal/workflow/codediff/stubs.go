package codediff

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/workflow/codediff/expression"
	"codeintel/internal/workflow/codediff/noeffect"
	"codeintel/internal/workflow/codediff/reason"
	"codeintel/internal/workflow/codediff/source"
	"codeintel/internal/workflow/codediff/tokens"
)

// stubs removes functions without an implementation from the lines that change the program.
func (c *compared) stubs() {
	if c.now.Tree == nil {
		return
	}
	had := make(map[string]bodyKind)
	if c.was.Tree != nil {
		c.was.functions(func(name string, node int32, b bodyKind) { had[name] = b })
	}
	c.now.functions(func(name string, node int32, b bodyKind) {
		was, there := had[name]
		why := reason.Reason("")
		switch {
		case c.Test && !c.isTest(node), !there && c.now.forOthers(node, b), b == throws && c.now.throwsGiven(node):
		case b == echoes && !there && !c.now.Tree.Constructor(node) && c.now.HasUniqueName(node):
			why = reason.Stub
		case b == empty && (!there || was != empty) && !c.now.Tree.Constructor(node):
			why = reason.Stub
		case b == throws && (!there || was == computes):
			why = reason.Stub
		case b == constant && was == computes && there:
			why = reason.Constant
		case b == nothing && (!there || was == computes):
			why = reason.Constant
		case b == constant && !there && c.now.HasParameters(node):
			why = reason.Constant
		}
		if why == "" {
			return
		}
		n := c.now.Tree.Nodes[node]
		for line := int(n.StartRow) + 1; line <= int(n.EndRow)+1; line++ {
			delete(c.changed, line)
			if !c.now.IsBlank(line) && c.now.ReasonOf(line) != reason.Comment {
				c.why[line], c.function[line] = why, c.now.Tree.FunctionName(node)
			}
		}
	})
}

func (c *compared) isTest(function int32) bool {
	_, _, ok := c.now.tests().Test(function, c.Path)
	return ok
}

// forOthers reports whether a function that hardly does anything is there for classes below
// to do more, or overrides one above with a literal.
func (s *side) forOthers(function int32, b bodyKind) bool {
	return s.HasModifier(function, "open") || s.HasModifier(function, "virtual") ||
		b == constant && (s.HasModifier(function, "override") || s.HasModifier(function, "@Override"))
}

// unwritten finds what says that something is still to be written.
var unwritten = lazyregexp.MustCompile(`(?i)not[ _]?(?:yet|implement|done|supported)|unimplement|\bto ?do\b|\blater\b|coming|soon|pending|unsupported`)

// throwsGiven reports whether a function that only throws says what it was given: it is
// there to do so.
func (s *side) throwsGiven(function int32) bool {
	n := s.Tree.Nodes[s.Tree.Body(function)]
	names := s.Parameters(function)
	return !unwritten.Match(s.Src[n.Start:n.End]) && slices.ContainsFunc(s.TokensIn(int(n.Start), int(n.End)),
		func(t tokens.Token) bool { return slices.Contains(names, t.Text) })
}

// A bodyKind is what kind of thing a function does.
type bodyKind int

const (
	computes bodyKind = iota
	empty             // nothing
	nothing           // returns nothing, or an empty value
	constant          // returns a literal
	throws            // only throws
	echoes            // returns its argument, or calls the same method of the class above
)

// functions calls f for each function that has a name, with its place among others of
// its file.
func (s *side) functions(f func(name string, node int32, b bodyKind)) {
	seen := make(map[string]int)
	for i := range s.Tree.Nodes {
		node := int32(i)
		if !s.Tree.Function(node) || s.Anonymous(node) || s.emptyMark(node) {
			continue
		}
		name := s.Tree.FunctionName(node)
		for p := s.Tree.Parent(node); p >= 0; p = s.Tree.Parent(p) {
			if n := s.NameOf(p); n != "" {
				name = n + "." + name
			}
		}
		if r := s.Tree.Field(node, "receiver"); r >= 0 {
			words := strings.FieldsFunc(s.Tree.Text(r), func(r rune) bool { return !(r == '_' || r >= '0') })
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

// emptyMark reports whether a function lies in what does not count.
func (s *side) emptyMark(node int32) bool {
	n := s.Tree.Nodes[node]
	return slices.ContainsFunc(s.Marks, func(m noeffect.Mark) bool { return m.Start <= int(n.Start) && int(n.End) <= m.End })
}

// raises matches statements that only throw.
var raises = lazyregexp.MustCompile(`(?s)^(?:(?:(?:std::)?panic|todo|unimplemented)!|(?:raise|throw)\b|(?:panic|fail|die|(?:std::)?(?:abort|terminate|unreachable)|error|TODO|fatalError|preconditionFailure|assertionFailure|__builtin_(?:unreachable|trap))(?:\s*\(|\s+["'\pL:]|\s*$))`)

// bodyKind says what kind of thing a function does.
func (s *side) bodyKind(function int32) bodyKind {
	node := s.Tree.Body(function)
	n := s.Tree.Nodes[node]
	start, end := int(n.Start), int(n.End)
	toks := s.TokensIn(start, end)
	if kind := s.Tree.Kind(node); !s.IsBlock(node) && !strings.Contains(kind, "body") { // x => value
		if raises.MatchString(strings.TrimLeft(s.Tree.Text(node), "=> \t\n")) {
			return throws
		}
		return s.valueOf(function, toks)
	}
	from := node
	for {
		only := s.OnlyChild(from)
		if only < 0 || !s.IsBlock(only) {
			break
		}
		from = only
	}
	if s.ReturnsNothing(from) {
		return nothing
	}
	var does, prepares []tokens.Token
	threw := false
	for c := range s.Children(from) {
		child := s.Tree.Nodes[c]
		rest := s.TokensIn(int(child.Start), int(child.End))
		text := strings.TrimSpace(s.Tree.Text(c))
		switch {
		case len(rest) == 0, noeffect.Printing.MatchString(text) && !s.assigns(c):
			continue
		case raises.MatchString(text):
			threw = true
			continue
		}
		if _, right, ok := s.Assignment(c); ok && source.IsLiteral(s.Tree.Kind(right)) {
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

func isBracket(t tokens.Token) bool {
	switch t.Text {
	case "{", "}", "=", ":", "do", "end", "begin", "then":
		return true
	}
	return false
}

// onlyTalks reports whether there is anything in a body that counts.
func (s *side) onlyTalks(start, end int) bool {
	return slices.ContainsFunc(s.TokensIn(start, end),
		func(t tokens.Token) bool { return t.Text == "(" || t.Text == "puts" || t.Text == "echo" })
}

func (s *side) assigns(statement int32) bool {
	_, _, ok := s.Assignment(statement)
	return ok
}

// nothings are the words with which a function returns nothing.
var nothings = map[string]bool{"nil": true, "null": true, "None": true, "undefined": true, "false": true, "False": true, "nullptr": true, "Unit": true, "NULL": true, "default": true, "0": true,
	`""`: true, "''": true, "``": true, "void": true, "Nil": true, "-": false}

// template matches an expression within a literal.
var template = lazyregexp.MustCompile(`\$\{?[\pL_]|\\\(|#\{`)

// collections are functions that make a collection of what they are given, which may be nothing.
var collections = source.WordSet("emptyList emptyMap emptySet emptyArray emptySequence listOf mapOf setOf arrayOf" +
	" mutableListOf mutableMapOf mutableSetOf List Seq Vector Set Map IndexedSeq Array LazyList Iterator Collections")

// makesNothing are the words behind the name of a collection that make one.
var makesNothing = source.WordSet("empty of emptyList emptySet emptyMap apply newBuilder")

// makesCollection reports whether a name at a place makes a collection: listOf(…), emptyList<Int>(), List.empty[Int].
func makesCollection(toks []tokens.Token, i int) bool {
	next := tokens.TextAt(toks, i+1)
	return collections[toks[i].Text] && (next == "(" || next == "<" || next == "[" || next == "." && makesNothing[tokens.TextAt(toks, i+2)]) ||
		i > 1 && makesNothing[toks[i].Text] && toks[i-1].Text == "." && collections[toks[i-2].Text]
}

// typeArguments returns the place behind the types that a collection is given at a place, or the place.
func typeArguments(toks []tokens.Token, i int) int {
	closing := map[string]string{"<": ">", "[": "]"}[tokens.TextAt(toks, i)]
	for j := i; closing != "" && j < len(toks) && j < i+20; j++ {
		if toks[j].Text == closing {
			return j + 1
		}
	}
	return i
}

// constantOf says whether tokens only return a literal.
func constantOf(toks []tokens.Token) bodyKind {
	kind, values, types := nothing, 0, 0
	for i, t := range toks {
		if i < types {
			continue
		}
		if makesCollection(toks, i) {
			types = typeArguments(toks, i+1)
			continue
		}
		switch text := t.Text; {
		case nothings[text]:
			values++
		case i > 1 && toks[i-1].Text == "(" && toks[i-2].Text == "default": // of a type
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

// valueOf says whether tokens only return a literal, or what the function was
// given.
func (s *side) valueOf(function int32, toks []tokens.Token) bodyKind {
	if b := constantOf(toks); b != computes {
		return b
	}
	text := strings.TrimPrefix(strings.Join(tokens.Texts(toks), " "), "return ")
	text = strings.TrimPrefix(text, "= > ")
	names := s.Parameters(function)
	switch {
	case expression.Evaluate(text) != expression.Unknown:
		return nothing
	case len(names) > 1 && slices.Contains(names, text):
		return echoes
	case len(names) > 0 && (text == "self" || text == "this" || text == "$this" || text == "* this" || text == "super"):
		return echoes
	}
	name := s.Tree.FunctionName(function)
	for _, above := range []string{"super . ", "super ( ) . ", "base . ", "parent : : "} {
		if text == above+name+" ( "+strings.Join(names, " , ")+" )" || len(names) == 0 && text == above+name+" ( )" {
			return echoes
		}
	}
	return computes
}
