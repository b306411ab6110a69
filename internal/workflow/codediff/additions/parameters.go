package additions

import (
	"slices"
	"strings"
	"unicode"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/workflow/codediff/source"
	"codeintel/internal/workflow/codediff/testcase"
	"codeintel/internal/workflow/codediff/tokens"
	"codeintel/internal/workflow/codediff/weakening"
)

// givenByOthers finds a parameter that does something by being there: it is a field too, a framework fills it, it
// takes whatever else there is, or those who call the function give it to all of its kind.
var givenByOthers = lazyregexp.MustCompile(`^(?:@|(?:private|public|protected|readonly|override)\b|\*|\.\.\.|&\w+$` +
	`|(?:next|ctx|context|cx)\b)|=\s*[\w.]+\(`)

// byOtherNames finds what reads parameters without their names.
var byOtherNames = lazyregexp.MustCompile(`\b(?:locals\(\)|arguments\b|func_get_args|compact\(|binding\b|vars\(\))`)

// withoutBody are the kinds of nodes by which interfaces declare functions.
var withoutBody = source.WordSet("method_elem method_spec method_signature function_signature function_signature_item " +
	"abstract_method_signature")

// unreadParameters lists the parameters that a change adds to functions that were there, and that these never
// name. Another function of the same name may have to take what this one needs, an interface may want it, and so
// may who is given the function as a value.
func unreadParameters(c *weakening.File, nows []*testcase.File) (all []weakening.Finding) {
	if c.Was == nil || c.Was.Tree == nil {
		return nil
	}
	for i := range c.Now.Tree.Nodes {
		f := int32(i)
		if !c.Now.Tree.Function(f) || c.Now.Anonymous(f) || c.Now.Tree.Body(f) < 0 ||
			!isChanged(c, c.Now.ParameterList(f)) || c.Now.HasModifier(f, "override") || c.Now.Annotated(f) {
			continue
		}
		name := c.Now.Tree.FunctionName(f)
		before := onlyFunction([]*testcase.File{c.Was}, name)
		if before < 0 || onlyFunction(nows, name) < 0 || isValue(nows, name) {
			continue
		}
		had, has := c.Was.Parameters(before), c.Now.Parameters(f)
		body := c.Now.Tree.Text(c.Now.Tree.Body(f))
		if byOtherNames.MatchString(body) ||
			!slices.ContainsFunc(had, func(name string) bool { return source.ContainsWord(body, name) }) {
			continue
		}
		for p := range c.Now.Children(c.Now.ParameterList(f)) {
			name, n := parameterOf(c.Now, p, has), c.Now.Tree.Nodes[p]
			if name != "" && !slices.Contains(had, name) && !givenByOthers.MatchString(c.Now.Tree.Text(p)) &&
				!source.ContainsWord(string(c.Now.Src[c.Now.Tree.Nodes[f].Start:n.Start]), name) &&
				!source.ContainsWord(string(c.Now.Src[n.End:c.Now.Tree.Nodes[f].End]), name) {
				all = append(all, weakening.Finding{File: c.Path, Test: name, How: weakening.NeverRead})
			}
		}
	}
	return all
}

// isChanged reports whether a line of a node changed; -1 is no node.
func isChanged(c *weakening.File, node int32) bool {
	if node < 0 {
		return false
	}
	for n := c.Now.Tree.Nodes[node]; n.StartRow <= n.EndRow; n.StartRow++ {
		if c.Changed[int(n.StartRow)+1] {
			return true
		}
	}
	return false
}

// parameterOf returns the first of some names in the text of a parameter, "" for one that nothing is to read.
func parameterOf(s *testcase.File, parameter int32, names []string) string {
	text := s.Tree.Text(parameter)
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		if slices.Contains(names, word) {
			if strings.HasPrefix(word, "_") || !source.PlainWord.MatchString(word) {
				return ""
			}
			return word
		}
	}
	return ""
}

// isValue reports whether some texts name a function without calling it.
func isValue(texts []*testcase.File, name string) bool {
	return slices.ContainsFunc(texts, func(s *testcase.File) bool {
		for i, t := range s.Tokens {
			if next := tokens.TextAt(s.Tokens, i+1); t.Text == name && next != "(" && next != "<" && next != "[" && next != "!" {
				return true
			}
		}
		return false
	})
}

// onlyFunction returns the one function of some texts that has a name, or -1 if there are none or several, or if
// an interface has one of that name.
func onlyFunction(texts []*testcase.File, name string) int32 {
	found := int32(-1)
	for _, s := range texts {
		if s.Tree == nil || name == "" {
			continue
		}
		for i := range s.Tree.Nodes {
			switch f := int32(i); {
			case withoutBody[s.Tree.Kind(f)] && s.NameOf(f) == name:
				return -1
			case !s.Tree.Function(f) || s.Anonymous(f) || s.Tree.FunctionName(f) != name:
			case found >= 0:
				return -1
			default:
				found = f
			}
		}
	}
	return found
}
