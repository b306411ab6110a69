//go:build unix

package proof

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// forgeSoakFile keeps what came of all soaks of pipelines.
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
	r := lastRecord(t, forgeSoakFile).ofThisProgram(t, "fault", "statefile", "git", "workspace", "pipeline", "forge", "history")
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	rng := rand.New(rand.NewPCG(*seed, 1))
	until := time.Now().Add(time.Duration(*minutes * float64(time.Minute)))
	var mu sync.Mutex
	for time.Now().Before(until) {
		for _, p := range runs {
			if !time.Now().Before(until) {
				break
			}
			t.Run(p.name, func(t *testing.T) {
				clean := p.play(t, nil, nil)
				for round := range 12 {
					lives := r.lives(rng, round, p.name, clean.came, clean.lasted)
					o := &leader{run: p, lives: lives, spawned: len(lives)}
					t.Run(o.spec(), func(t *testing.T) {
						t.Parallel()
						began := time.Now()
						o := newLeader(t, p, lives)
						defer func() {
							mu.Lock()
							defer mu.Unlock()
							r.add(o.fate(), time.Since(began), !t.Failed())
							r.save(t)
						}()
						o.against(clean)
					})
				}
			})
		}
	}
	t.Logf("seed %d; %s", *seed, r)
	onPage(t, forgeSoakBegin, forgeSoakEnd, r.String(), true)
}

const (
	forgeSoakBegin = "<!-- soak of pipelines: written by make soak -->\n"
	forgeSoakEnd   = "<!-- end of soak of pipelines -->\n"
)

// TestSoakForgePage holds docs/enforcement.md against what came of all soaks.
func TestSoakForgePage(t *testing.T) {
	onPage(t, forgeSoakBegin, forgeSoakEnd, lastRecord(t, forgeSoakFile).String(), *update)
}
