package codediff

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/testrun"
)

// Tests that stand there as they did and look at less, and assertions that others take the
// place of.

// inTestFile finds files of C whose functions may be tests by their names alone.
var inTestFile = lazyregexp.MustCompile(`(?i)test|spec|check|mock`)

// takesNothing finds the head of a function of C that is handed nothing, or the state of its
// test program.
var takesNothing = lazyregexp.MustCompile(`\(\s*(?:void|void\s*\*\*\s*\w+)?\s*\)\s*$`)

// nameStart returns where the name of a function begins.
func (s *side) nameStart(function int32) int {
	if name := s.tree.Field(function, "name"); name >= 0 {
		return int(s.tree.Nodes[name].Start)
	}
	return int(s.tree.Nodes[function].Start)
}

// unheardExample is 1 for an example of Go that says nothing of its output: it is compiled,
// and not run.
func (s *side) unheardExample(name string, function int32) int {
	if s.isExample(name) && !exampleOutput.MatchString(s.tree.Text(function)) {
		return 1
	}
	return 0
}

func (s *side) isExample(name string) bool {
	return s.lang == syntax.Go && strings.HasPrefix(name, "Example")
}

var exampleOutput = lazyregexp.MustCompile(`(?i)//\s*(?:unordered )?output:`)

// narrowed counts the loops of a test that go through a part of their cases, and the further
// conditions under which something fails.
func (s *side) narrowed(test int32) (n int) {
	for i := test + 1; i < s.tree.Nodes[test].Next; i++ {
		if !s.tree.Named(i) {
			continue
		}
		if over, _ := s.loopOver(i); over >= 0 && partOf.MatchString(s.tree.Text(over)) {
			n++
		}
		if s.lang != syntax.Go || s.tree.Kind(i) != "if_statement" {
			continue
		}
		cond, then := s.condition(i), s.tree.Field(i, "consequence")
		if cond >= 0 && then >= 0 && failing.MatchString(s.tree.Text(then)) {
			n += strings.Count(s.tree.Text(cond), "&&")
		}
	}
	return n
}

// partOf finds a part of a list; failing what fails a test of Go.
var (
	partOf = lazyregexp.MustCompile(`\[[^\]\[]*:[^\]\[]*\]$|\.(?:slice|take|first|head|limit|Take|drop|skip` +
		`|Skip)\s*\([^()]*\)$|\bislice\(`)
	failing = lazyregexp.MustCompile(`^\{\s*(?:t|tb|b|f|c)\.(?:Error|Fatal|Fail)\w*\(`)
)

// onlyIfThrown returns the handlers of what is tried whose assertions are only looked at if
// something goes wrong, where nothing says that it must.
func (s *side) onlyIfThrown(try int32) (all []mark) {
	f := s.functionAround(try)
	if f < 0 || s.tree.Kind(try) != "try_statement" || counted.MatchString(s.tree.Text(f)) {
		return nil
	}
	for c := range s.children(try) {
		k := s.tree.Kind(c)
		n := s.tree.Nodes[c]
		caught := strings.Contains(k, "except") || strings.Contains(k, "catch")
		fails := slices.ContainsFunc(s.live(int(n.Start), int(n.End)), func(t tok) bool { return isAssert(t.text) })
		switch {
		case caught && !rethrows.MatchString(s.tree.Text(c)):
			all = append(all, mark{start: int(n.Start), end: int(n.End)})
		case fails && !strings.Contains(k, "finally"), caught: // one of them fails if nothing is thrown
			return nil
		}
	}
	return all
}

var (
	counted  = lazyregexp.MustCompile(`\b(?:expect|t|assert)\.(?:assertions|hasAssertions|plan|expect)\(`)
	rethrows = lazyregexp.MustCompile(`\b(?:throw|raise)\b`)
)

// onDemand reports whether a test ends before its first assertion unless a variable of the environment
// is set, and nothing says that it was skipped.
func (s *side) onDemand(test int32) bool {
	for i := test + 1; i < s.tree.Nodes[test].Next; i++ {
		cond := int32(-1)
		if s.tree.Named(i) {
			cond = s.condition(i)
		}
		if cond < 0 || s.isLoop(i) || !environment.MatchString(s.tree.Text(cond)) {
			continue
		}
		n := s.tree.Nodes[cond]
		then, _, _ := strings.Cut(string(s.src[n.End:s.tree.Nodes[i].End]), "\n\n")
		first := s.live(int(s.tree.Nodes[test].Start), int(n.Start))
		if leavesOnly.MatchString(then) && !slices.ContainsFunc(first, func(t tok) bool { return isAssert(t.text) }) {
			return true
		}
	}
	return false
}

var (
	environment = lazyregexp.MustCompile(`\b(?:os\.Getenv|os\.LookupEnv|os\.environ|getenv|System\.getenv|System\.getProperty|process\.env|ENV|env::var(?:_os)?)\b|\$_(?:ENV|SERVER)\b`)
	leavesOnly  = lazyregexp.MustCompile(`^\)?\s*(?:[{:]|then)?\s*return\s*;?\s*(?:\}|end)?\s*$`)
)

// loopOver returns what a loop goes through, and its body, or -1.
func (s *side) loopOver(node int32) (over, body int32) {
	if k := s.tree.Kind(node); !strings.HasPrefix(k, "for") && k != "foreach_statement" &&
		k != "enhanced_for_statement" {
		return -1, -1
	}
	over, body = s.tree.Field(node, "right"), s.tree.Field(node, "body")
	if over < 0 {
		over = s.tree.Field(node, "value")
	}
	if s.lang == syntax.Swift {
		over, body = s.tree.Field(node, "collection"), s.lastChild(node)
	}
	if s.lang == syntax.Kotlin { // it names no parts
		over, body = s.nthChild(node, 1), s.nthChild(node, 2)
	}
	switch s.lang {
	case syntax.PHP:
		over, body = s.nthChild(node, 0), s.tree.Field(node, "body")
	case syntax.Go: // a clause holds what it goes through
		if clause := s.nthChild(node, 0); clause >= 0 && s.tree.Kind(clause) == "range_clause" {
			over = s.tree.Field(clause, "right")
		}
	}
	return over, body
}

var (
	// endsWell finds what ends a program as if all had gone well.
	endsWell = lazyregexp.MustCompile(`(?:\b(?:os\.Exit|process\.exit|sys\.exit|os\._exit|System\.exit` +
		`|exitProcess|Environment\.Exit|process::exit|quick_exit|_exit)|getRuntime(?:\(\))?\.halt)\(\s*0?\s*\)|\bprocess\.exitCode\s*=\s*0\b`)
)

// replacedAssertions lists what keeps the tests of a file from failing, or from being run,
// without a change of the tests.
func (c *compared) replacedAssertions() (all []Weakening) {
	if !c.Test && !testrun.SetsUp(c.Path) || c.New == nil ||
		!isCode(c.lang) || c.now.tree == nil {
		return nil
	}
	now, was := c.now.withoutComments(), []byte(nil)
	if c.was.tree != nil {
		was = c.was.withoutComments()
	}
	if testrun.Overridden(now) > testrun.Overridden(was) || c.Base != nil && slices.ContainsFunc(testrun.AssertionsFrom(now), func(from string) bool {
		return !slices.Contains(testrun.AssertionsFrom(was), from)
	}) {
		all = append(all, Weakening{c.Path, "", Settings})
	}
	if c.now.ownAssertions() && (c.was.tree == nil || !c.was.ownAssertions()) {
		all = append(all, Weakening{c.Path, "", Settings})
	}
	if c.now.endsWell() > c.was.endsWell() && len(c.mains()) == 0 {
		all = append(all, Weakening{c.Path, "", MainEnds})
	}
	if c.lang == syntax.C || c.lang == syntax.CPP {
		run := testrun.Registered(now)
		for _, name := range slices.Sorted(maps.Keys(testrun.Registered(was))) {
			if !run[name] && bytes.Contains(now, []byte(name)) {
				all = append(all, Weakening{c.Path, name, NotCollected})
			}
		}
	}
	return all
}
