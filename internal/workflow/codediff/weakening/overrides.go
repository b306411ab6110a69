package weakening

import (
	"bytes"
	"maps"
	"slices"

	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/source"
	"codeintel/internal/workflow/codediff/testrun"
)

// replacedAssertions lists what keeps the tests of a file from failing, or from being run,
// without a change of the tests.
func (c *File) replacedAssertions() (all []Finding) {
	if !c.Test && !testrun.SetsUp(c.Path) || c.New == nil ||
		!source.IsCode(c.Lang) || c.Now.Tree == nil {
		return nil
	}
	now, was := c.Now.WithoutComments(), []byte(nil)
	if c.Was.Tree != nil {
		was = c.Was.WithoutComments()
	}
	if testrun.Overridden(now) > testrun.Overridden(was) || c.Base != nil && slices.ContainsFunc(testrun.AssertionsFrom(now), func(from string) bool {
		return !slices.Contains(testrun.AssertionsFrom(was), from)
	}) {
		all = append(all, Finding{c.Path, "", Settings})
	}
	if c.Now.OwnAssertions() && (c.Was.Tree == nil || !c.Was.OwnAssertions()) {
		all = append(all, Finding{c.Path, "", Settings})
	}
	if c.Now.CountCleanExits() > c.Was.CountCleanExits() && len(c.exitHidingMains()) == 0 {
		all = append(all, Finding{c.Path, "", MainEnds})
	}
	if c.Lang == syntax.C || c.Lang == syntax.CPP {
		run := testrun.Registered(now)
		for _, name := range slices.Sorted(maps.Keys(testrun.Registered(was))) {
			if !run[name] && bytes.Contains(now, []byte(name)) {
				all = append(all, Finding{c.Path, name, NotCollected})
			}
		}
	}
	return all
}
