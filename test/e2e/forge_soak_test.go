//go:build unix

package e2e

import (
	"testing"

	"codeintel/test/e2e/page"
	"codeintel/test/golden"
)

// forgeSoakFile keeps the results of all soaks of pipelines.
const forgeSoakFile = "testdata/soak-forge.json"

func (o *leader) fate() fate {
	return fate{o.spec(), o.deaths, o.came, o.kills, o.doubles, o.recovered}
}

// TestSoakForge kills the servers of pipelines for as long as it is told, as
// [TestSoak] does those of sessions.
func TestSoakForge(t *testing.T) {
	if !*soak {
		t.Skip("-soak is not given")
	}
	r := lastRecord(t, forgeSoakFile).ofThisProgram(t, "platform/failpoint", "platform/atomicfile", "git", "pipeline/workspace", "pipeline/engine", "pipeline/service", "pipeline/pastruns")
	var scenes []scene
	for _, p := range runs {
		scenes = append(scenes, scene{p.name, func(t *testing.T) rehearsed {
			clean := p.play(t, nil, nil)
			return rehearsed{clean.came, clean.lasted, func(lives []life) string {
				return (&leader{run: p, lives: lives, spawned: len(lives)}).spec()
			}, func(t *testing.T, lives []life) (func(), func() fate) {
				o := newLeader(t, p, lives)
				return func() { o.against(clean) }, o.fate
			}}
		}})
	}
	r.soak(t, scenes)
	page.Hold(t, "../..", "soak of pipelines", r.String(), true)
}

// TestSoakForgePage compares docs/design/enforcement-tests.md with the results of all soaks.
func TestSoakForgePage(t *testing.T) {
	page.Hold(t, "../..", "soak of pipelines", lastRecord(t, forgeSoakFile).String(), golden.Update())
}
