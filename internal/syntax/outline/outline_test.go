package outline

import (
	"strings"
	"testing"

	"codeintel/internal/syntax/engine"
)

// TestOutlineRules compiles every row.
func TestOutlineRules(t *testing.T) {
	seen := make(map[engine.Language]bool)
	files := make(map[string]engine.Language)
	for _, o := range rows {
		if seen[o.language] {
			t.Errorf("%s is there twice", o.language)
		}
		seen[o.language] = true
		rules, err := o.compileRules()
		if err != nil {
			t.Error(err)
			continue
		}
		for _, r := range rules {
			switch r.extent {
			case ofLine, ofBraces, ofIndent, ofEnd, ofAssigned, ofBrackets, ofNext, ofUntil, ofBack, ofList:
			default:
				t.Errorf("%s: no extent %q", o.language, r.extent)
			}
		}
		for _, file := range strings.Fields(o.files) {
			if other, ok := files[file]; ok {
				t.Errorf("%s: %s belongs to %s", o.language, file, other)
			}
			files[file] = o.language
		}
	}
}
