package search

import (
	"testing"

	"codeintel/internal/index"
	"codeintel/internal/search/binding"
)

// A local of a name that thousands of symbols have is judged without looking at all of them again.
func TestRelateNestedOfManyDefinitions(t *testing.T) {
	m := &subject{Target: binding.Target{Definitions: make([]index.Symbol, 5000)}}
	for i := range m.Definitions {
		d := &m.Definitions[i]
		d.Name, d.File, d.NameLine, d.NameColumn = "name", "a.py", i+1, 1
	}
	local := index.Occurrence{Name: "name", File: "a.py", Line: 3, Column: 1, Local: true}
	r := &resolver{m: m, bindings: map[string][]*index.Occurrence{"a.py": {&local}}}
	judge := func() {
		if rel := r.relateNested(&local); rel != binding.Certain {
			t.Fatalf("relateNested = %v", rel)
		}
	}
	if n := testing.AllocsPerRun(10, judge); n > 10 {
		t.Errorf("%v allocations for one local", n)
	}
}
