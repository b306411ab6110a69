package pipeline

import (
	"fmt"
	"strings"
	"testing"
)

// reviews are ways in which honest reviewers show below "## Criteria" that all is well.
var reviews = map[string]string{
	"repeats the words of the task": "- The change is as design.md says, all of it → `greet.py:2`\n- Its tests pass → `python3 main.py`\n",
	"nests the places below a criterion": "- The change is as design.md says, all of it → met:\n  - `greet.py` greets by name → `greet.py:2`\n  - of the other two → `farewell.py:1`, `main.py:2`\n" +
		"- Its tests pass → met: `python3 main.py`; compared with tasks.md and impl-1.md\n",
	"names a file that the change did away with, in words": "- The change is as the design says; nothing reads `old.cfg` → `greet.py:2`\n- Its tests pass → `python3 main.py`\n",
	"fills a table":            "| criterion | place |\n|---|---|\n| as design.md says | `greet.py:2` |\n| its tests pass | `python3 main.py` |\n",
	"names modules and calls":  "- as design.md says: `str.format`, `os.path` and greet.greet → greet.py:1-2\n- its tests pass → `python3 main.py` printed `hello you`\n",
	"writes arrows of its own": "- as design.md says => greet.py:2, main.py:3 -> farewell.py:1\n- its tests pass => `python3 main.py`\n",
	"writes paragraphs":        "1. As design.md says: see `greet.py:2` and `farewell.py:1`.\n\n2. Its tests pass: `python3 main.py` was run.\n",
	"links the places":         "- as design.md says → [greet.py](greet.py#L2)\n- its tests pass → `python3 main.py`\n",
	"ticks boxes":              "- [x] as design.md says → `greet.py:2`\n- [x] its tests pass → `python3 main.py`\n",
	"names the workspace":      "- as `WORKSPACE/design.md` says → `./greet.py:2`\n- its tests pass → `python3 main.py`\n",
}

// TestHonestReviews: a review that shows what it must is taken, however it is worded.
func TestHonestReviews(t *testing.T) {
	for name, criteria := range reviews {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			o := &orchestrator{fixture: newFixture(t, repository)}
			o.works = func(o *orchestrator, file string) bool {
				if file != "review-1.md" {
					return false
				}
				o.Write(o.file(file), fmt.Sprintf("# Code Review\n\n## Verdict: PASS\n\n## Criteria\n\n%s\n## Findings\n\nNone.\n",
					strings.ReplaceAll(criteria, "WORKSPACE", o.ws)))
				return true
			}
			o.begin("--auto --nopr "+request, "S")
			o.play("review-1.md")
			if o.step(); o.at() != "comprehensive-review.md" {
				t.Errorf("%s", o.now.Raw)
			}
		})
	}
}
