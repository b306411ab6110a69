package additions

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/workflow/codediff/source"
	"codeintel/internal/workflow/codediff/testcase"
	"codeintel/internal/workflow/codediff/weakening"
)

// givenByOthers finds a parameter that does something by being there: it is a field too, or a framework fills it.
var givenByOthers = lazyregexp.MustCompile(`^(?:@|(?:private|public|protected|readonly|override)\b)|=\s*[\w.]+\(`)

// byOtherNames finds what reads parameters without their names.
var byOtherNames = lazyregexp.MustCompile(`\b(?:locals\(\)|arguments\b|func_get_args|compact\(|binding\b|vars\(\))`)

// unreadParameters lists the parameters that a change adds to functions that were there, and that these never
// name. Another function of the same name may have to take what this one needs.
func unreadParameters(c *weakening.File, nows []*testcase.File) (all []weakening.Finding) {
	if c.Was == nil || c.Was.Tree == nil {
		return nil
	}
	for i := range c.Now.Tree.Nodes {
		f := int32(i)
		if !c.Now.Tree.Function(f) || c.Now.Anonymous(f) || c.Now.Tree.Body(f) < 0 ||
			c.Now.HasModifier(f, "override") || c.Now.Annotated(f) {
			continue
		}
		before := onlyFunction([]*testcase.File{c.Was}, c.Now.Tree.FunctionName(f))
		if before < 0 || onlyFunction(nows, c.Now.Tree.FunctionName(f)) < 0 {
			continue
		}
		had, has := c.Was.Parameters(before), c.Now.Parameters(f)
		body := c.Now.Tree.Text(c.Now.Tree.Body(f))
		reads := func(name string) bool { return source.ContainsWord(body, name) }
		if byOtherNames.MatchString(body) || !slices.ContainsFunc(had, reads) {
			continue
		}
		for c2 := range c.Now.Children(c.Now.ParameterList(f)) {
			name := parameterOf(c.Now, c2, has)
			if name != "" && !slices.Contains(had, name) && !reads(name) && !givenByOthers.MatchString(c.Now.Tree.Text(c2)) {
				all = append(all, weakening.Finding{File: c.Path, Test: name, How: weakening.NeverRead})
			}
		}
	}
	return all
}

// parameterOf returns which of some names a parameter has, "" for one that nothing is to read.
func parameterOf(s *testcase.File, parameter int32, names []string) string {
	text := s.Tree.Text(parameter)
	for _, name := range names {
		if source.PlainWord.MatchString(name) && !strings.HasPrefix(name, "_") && source.ContainsWord(text, name) {
			return name
		}
	}
	return ""
}

// onlyFunction returns the one function of some texts that has a name, or -1 if there are none or several.
func onlyFunction(texts []*testcase.File, name string) int32 {
	found := int32(-1)
	for _, s := range texts {
		if s.Tree == nil || name == "" {
			continue
		}
		for i := range s.Tree.Nodes {
			switch f := int32(i); {
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
