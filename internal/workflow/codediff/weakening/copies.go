package weakening

import (
	"maps"

	"codeintel/internal/syntax"
)

// copied lists the tests that call a function which the change adds to their file, and which has the name of one
// that it changes elsewhere: they test that one, and find nothing in the other.
func copied(files []comparedTests) (all []Finding) {
	changed := make(map[syntax.Language]map[string]bool)
	for _, f := range files {
		if f.Test || f.LeftOut {
			continue
		}
		for name := range f.Now.ChangedFunctions(f.Changed) {
			if changed[f.Lang] == nil {
				changed[f.Lang] = make(map[string]bool)
			}
			changed[f.Lang][name] = true
		}
	}
	for _, f := range files {
		if !f.Test || f.LeftOut || len(changed[f.Lang]) == 0 {
			continue
		}
		copies, had := f.Now.OwnFunctions(), f.Was.OwnFunctions()
		maps.DeleteFunc(copies, func(name string, own bool) bool {
			_, before := had[name]
			return before || !own || !changed[f.Lang][name]
		})
		for _, t := range f.new {
			for name := range copies {
				if !t.IsHelper && t.Calls[name] > 0 {
					all = append(all, Finding{f.Path, t.Name, TestsCopy})
					break
				}
			}
		}
	}
	return all
}
