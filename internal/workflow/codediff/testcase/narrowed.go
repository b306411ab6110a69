package testcase

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/source"
	"codeintel/internal/workflow/codediff/tokens"
)

// Tests that look unchanged and check less, and assertions that others take the
// place of.

// InTestFile finds files of C whose functions may be tests by their names alone.
var InTestFile = lazyregexp.MustCompile(`(?i)test|spec|check|mock`)

// takesNothing matches the head of a function of C without parameters, or with the state of its
// test program.
var takesNothing = lazyregexp.MustCompile(`\(\s*(?:void|void\s*\*\*\s*\w+)?\s*\)\s*$`)

// nameStart returns where the name of a function begins.
func (s *File) nameStart(function int32) int {
	if name := s.Tree.Field(function, "name"); name >= 0 {
		return int(s.Tree.Nodes[name].Start)
	}
	return int(s.Tree.Nodes[function].Start)
}

// exampleWithoutOutput is 1 for an example of Go that says nothing of its output: it is compiled,
// and not run.
func (s *File) exampleWithoutOutput(name string, function int32) int {
	if s.isExample(name) && !exampleOutput.MatchString(s.Tree.Text(function)) {
		return 1
	}
	return 0
}

func (s *File) isExample(name string) bool {
	return s.Lang == syntax.Go && strings.HasPrefix(name, "Example")
}

var exampleOutput = lazyregexp.MustCompile(`(?i)//\s*(?:unordered )?output:`)

// narrowed counts the loops of a test that go through a part of their cases, and the further
// conditions under which something fails.
func (s *File) narrowed(test int32) (n int) {
	for i := test + 1; i < s.Tree.Nodes[test].Next; i++ {
		if !s.Tree.Named(i) {
			continue
		}
		if over, _ := s.LoopOver(i); over >= 0 && partOf.MatchString(s.Tree.Text(over)) {
			n++
		}
		if s.Lang != syntax.Go || s.Tree.Kind(i) != "if_statement" {
			continue
		}
		cond, then := s.Condition(i), s.Tree.Field(i, "consequence")
		if cond >= 0 && then >= 0 && failing.MatchString(s.Tree.Text(then)) {
			n += strings.Count(s.Tree.Text(cond), "&&")
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

// onlyIfThrown returns the handlers of a try statement whose assertions only run if
// something goes wrong, where nothing says that it must.
func (s *File) onlyIfThrown(try int32) (all []source.Span) {
	f := s.FunctionAround(try)
	if f < 0 || s.Tree.Kind(try) != "try_statement" || counted.MatchString(s.Tree.Text(f)) {
		return nil
	}
	for c := range s.Children(try) {
		k := s.Tree.Kind(c)
		n := s.Tree.Nodes[c]
		caught := strings.Contains(k, "except") || strings.Contains(k, "catch")
		fails := slices.ContainsFunc(s.TokensIn(int(n.Start), int(n.End)), func(t tokens.Token) bool { return isAssert(t.Text) })
		switch {
		case caught && !rethrows.MatchString(s.Tree.Text(c)):
			all = append(all, source.Span{Start: int(n.Start), End: int(n.End)})
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
func (s *File) onDemand(test int32) bool {
	for i := test + 1; i < s.Tree.Nodes[test].Next; i++ {
		cond := int32(-1)
		if s.Tree.Named(i) {
			cond = s.Condition(i)
		}
		if cond < 0 || s.IsLoop(i) || !environment.MatchString(s.Tree.Text(cond)) {
			continue
		}
		n := s.Tree.Nodes[cond]
		then, _, _ := strings.Cut(string(s.Src[n.End:s.Tree.Nodes[i].End]), "\n\n")
		first := s.TokensIn(int(s.Tree.Nodes[test].Start), int(n.Start))
		if leavesOnly.MatchString(then) && !slices.ContainsFunc(first, func(t tokens.Token) bool { return isAssert(t.Text) }) {
			return true
		}
	}
	return false
}

var (
	environment = lazyregexp.MustCompile(`\b(?:os\.Getenv|os\.LookupEnv|os\.environ|getenv|System\.getenv|System\.getProperty|process\.env|ENV|env::var(?:_os)?)\b|\$_(?:ENV|SERVER)\b`)
	leavesOnly  = lazyregexp.MustCompile(`^\)?\s*(?:[{:]|then)?\s*return\s*;?\s*(?:\}|end)?\s*$`)

	// cleanExit finds what ends a program as if all had gone well.
	cleanExit = lazyregexp.MustCompile(`(?:\b(?:os\.Exit|process\.exit|sys\.exit|os\._exit|System\.exit` +
		`|exitProcess|Environment\.Exit|process::exit|quick_exit|_exit)|getRuntime(?:\(\))?\.halt)\(\s*0?\s*\)|\bprocess\.exitCode\s*=\s*0\b`)
)
