package codediff

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/testrun"
)

// What else than tests decides what tests find: settings of what runs them, recorded
// results, and programs that run them.

// settings returns what a file changes about how tests are run, and recorded results.
func (c *compared) settings() (all []Weakening) {
	inC := c.lang == syntax.CPP || c.lang == syntax.C
	if testrun.Less(c.Path, c.New, c.Base) || c.Test && inC && c.Base != nil && testrun.MacrosMore(c.New, c.Base) {
		all = append(all, Weakening{c.Path, "", Settings})
	}
	if !c.Test && isCode(c.lang) && asksForTests(c.now) > asksForTests(c.was) {
		all = append(all, Weakening{c.Path, "", AsksForTests})
	}
	if c.lang == syntax.Rust && testrun.ExamplesSkipped(c.New, c.Base) ||
		c.lang == syntax.Python && testrun.DoctestsSkipped(c.New, c.Base) {
		all = append(all, Weakening{c.Path, "", Skipped})
	}
	switch {
	case c.lang == syntax.SQL:
		all = append(all, c.testsOfSQL()...)
	case testrun.Sets(c.Path):
		for n, line := 1, 0; n <= c.now.lines+1; n++ {
			if c.changed[n] && line == 0 && testrun.Decides(c.Path, c.now.lineText(n), c.Base == nil) {
				line = n
				all = append(all, Weakening{c.Path, "", Settings})
			}
		}
	case testrun.Recorded(cmp.Or(c.OldPath, c.Path)) && c.Base != nil && !isCode(c.lang):
		if !bytes.HasPrefix(bytes.TrimSpace(c.New), bytes.TrimSpace(c.Base)) {
			all = append(all, Weakening{c.Path, "", Expected})
		}
	case testrun.SetsUp(c.Path):
		for n := 1; n <= c.now.lines; n++ {
			if line := c.now.lineText(n); c.changed[n] && testrun.DecidesThere(line) && !bytes.Contains(c.Base, line) {
				return append(all, Weakening{c.Path, "", Settings})
			}
		}
	case strings.HasPrefix(path.Base(c.Path), "conftest.") && testrun.HooksMore(c.New, c.Base):
		all = append(all, Weakening{c.Path, "", Settings})
	}
	return append(all, c.mains()...)
}

// mains lists the programs that run tests, and hide how they ended.
func (c *compared) mains() (all []Weakening) {
	name, hides := "", func([]tok) bool { return false }
	switch {
	case c.now.tree == nil:
		return nil
	case c.lang == syntax.Go && strings.HasSuffix(c.Path, "_test.go"):
		name, hides = "TestMain", func(toks []tok) bool {
			text := strings.Join(texts(toks), "")
			return strings.Contains(text, "os.Exit(0)") || !strings.Contains(text, ".Run(")
		}
	case c.lang == syntax.CPP, c.lang == syntax.C:
		name, hides = "main", func(toks []tok) bool {
			text := strings.Join(texts(toks), "")
			return runsTests.MatchString(text) && (hidesTests.MatchString(text) || endsTheSame(toks))
		}
	}
	for i := range c.now.tree.Nodes {
		node := int32(i)
		if !c.now.tree.Function(node) || c.now.tree.FunctionName(node) != name {
			continue
		}
		n := c.now.tree.Nodes[node]
		toks := c.now.live(int(n.Start), int(n.End))
		touched := slices.ContainsFunc(toks, func(t tok) bool { return c.changed[t.line] || c.why[t.line] == Stub })
		if touched && hides(toks) {
			all = append(all, Weakening{c.Path, name, MainEnds})
		}
	}
	return all
}

// endsTheSame reports whether a main function returns that all went well, and nothing else.
func endsTheSame(toks []tok) bool {
	returns := 0
	for i, t := range toks {
		switch {
		case t.text == "exit" || t.text == "abort":
			return false
		case t.text != "return":
		case at(toks, i+1) != "0" && at(toks, i+1) != "EXIT_SUCCESS", i+2 < len(toks) && toks[i+2].text != "}" && toks[i+2].line == t.line:
			return false
		default:
			returns++
		}
	}
	return returns > 0
}

var (
	runsTests  = lazyregexp.MustCompile(`RUN_ALL_TESTS\(|Session\(\)\.run\(|session\.run\(|context\.run\(|UNITY_END\(|unit_test_main\(|srunner_run(?:_all)?\(|cmocka_run_group_tests\w*\(|CU_\w+_run_tests\(|g_test_run\(`)
	hidesTests = lazyregexp.MustCompile(`[;{})](?:\(void\))?(?:RUN_ALL_TESTS\(\)|(?:session|context)\.run\([^)]*\))[^;]*return(?:0|EXIT_SUCCESS)|[{})](?:RUN_ALL_TESTS|UNITY_END)\(\)return(?:0|EXIT_SUCCESS)|GTEST_FLAG(?:_SET)?\(filter`)
)
