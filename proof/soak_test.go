//go:build unix

package proof

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	soak     = flag.Bool("soak", false, "kill servers until -minutes are over, going on where the last soak stopped")
	minutes  = flag.Float64("minutes", 10, "how long a -soak takes")
	seed     = flag.Uint64("seed", 0, "of what a -soak leaves to chance; 0: the clock")
	soakFile = flag.String("soakfile", "", "file that keeps what all soaks have found (default: code-intel/soak.json in the user's cache folder)")
)

// A record is what came of all soaks so far.
type record struct {
	Minutes    float64           `json:"minutes"`
	Sessions   int               `json:"sessions"`
	Points     int               `json:"points"` // come to, in all lives
	Kills      int               `json:"kills"`
	Outside    int               `json:"outside"` // of these: at a random moment, by another process
	Doubles    int               `json:"doubles"` // of these: before anything was submitted since the last one
	Recoveries int               `json:"recoveries"`
	At         map[string]int    `json:"at"` // kills by name of the point
	Sweeps     map[string]*sweep `json:"sweeps"`
	Failures   []failure         `json:"failures"`
}

// A sweep goes over all points of a plight, one in each session, in leaps, so
// that it has been everywhere long before it is through.
type sweep struct {
	Points int `json:"points"` // of a run without a death
	Done   int `json:"done"`   // of these, in this sweep
	Whole  int `json:"whole"`  // sweeps that are complete
}

// next returns the next point, counted from 1.
func (s *sweep) next() int {
	leap := s.Points*5/8 + 1
	for gcd(leap, s.Points) != 1 {
		leap++
	}
	at := 1 + s.Done*leap%s.Points
	if s.Done++; s.Done == s.Points {
		s.Done, s.Whole = 0, s.Whole+1
	}
	return at
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// A failure can be had again by go test ./proof -run TestKill -kill SPEC.
type failure struct {
	Spec   string    `json:"spec"`
	Deaths []string  `json:"deaths"`
	Seed   uint64    `json:"seed"`
	Time   time.Time `json:"time"`
}

func recordFile(t *testing.T) string {
	if *soakFile != "" {
		return *soakFile
	}
	dir := ""
	for _, v := range environment {
		if home, ok := strings.CutPrefix(v, "HOME="); ok && dir == "" {
			dir = filepath.Join(home, ".cache")
		}
		if cache, ok := strings.CutPrefix(v, "XDG_CACHE_HOME="); ok && cache != "" {
			dir = cache
		}
	}
	if dir == "" {
		t.Fatal("no home folder: name a file with -soakfile")
	}
	return filepath.Join(dir, "code-intel", "soak.json")
}

// TestSoak kills servers for as long as it is told: at every point of every
// plight in turn, twice in short order, and at random moments from outside.
func TestSoak(t *testing.T) {
	if !*soak {
		t.Skip("-soak is not given")
	}
	file := recordFile(t)
	r := &record{At: map[string]int{}, Sweeps: map[string]*sweep{}}
	if data, err := os.ReadFile(file); err == nil {
		if err := json.Unmarshal(data, r); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	rng := rand.New(rand.NewPCG(*seed, 1))
	until := time.Now().Add(time.Duration(*minutes * float64(time.Minute)))
	var mu sync.Mutex
	for time.Now().Before(until) {
		for _, p := range plights {
			if !time.Now().Before(until) {
				break
			}
			t.Run(p.name, func(t *testing.T) {
				clean := p.play(t, nil, nil)
				for round := range 12 {
					lives := r.lives(rng, round, p, clean)
					u := &unlucky{plight: p, lives: lives, spawned: len(lives)}
					t.Run(u.spec(), func(t *testing.T) {
						t.Parallel()
						began := time.Now()
						u := newUnlucky(t, p, lives)
						defer func() {
							mu.Lock()
							defer mu.Unlock()
							r.add(u, time.Since(began), !t.Failed())
							r.save(t, file)
						}()
						u.against(clean)
					})
				}
			})
		}
	}
	t.Logf("seed %d; %s: %s", *seed, file, r)
}

// lives are those of the next session: most die first at the next point of the
// sweep, and some once more while they recover, or later; others are killed at
// random moments.
func (r *record) lives(rng *rand.Rand, round int, p plight, clean *unlucky) (lives []life) {
	if round%4 == 3 {
		for range 12 {
			lives = append(lives, life{after: time.Duration(1 + rng.Int64N(int64(clean.lasted)/3)), git: rng.IntN(2) == 0})
		}
		return lives
	}
	s := r.Sweeps[p.name]
	if s == nil || s.Points != clean.came {
		s = &sweep{Points: clean.came}
		r.Sweeps[p.name] = s
	}
	lives = append(lives, life{at: s.next(), git: rng.IntN(2) == 0})
	switch round % 4 {
	case 1:
		lives = append(lives, life{at: 1 + rng.IntN(12), git: rng.IntN(2) == 0})
	case 2:
		lives = append(lives, choose(rng, clean.came, 3)...)
	}
	return lives
}

// add takes in what came of a session.
func (r *record) add(u *unlucky, took time.Duration, passed bool) {
	r.Minutes += took.Minutes()
	r.Sessions, r.Points, r.Kills, r.Recoveries = r.Sessions+1, r.Points+u.came, r.Kills+u.kills, r.Recoveries+u.recovered
	r.Doubles += u.doubles
	for _, at := range u.deaths {
		if r.At[at]++; at == "outside" {
			r.Outside++
		}
	}
	if !passed {
		r.Failures = append(r.Failures, failure{u.spec(), slices.Clone(u.deaths), *seed, time.Now().UTC().Truncate(time.Second)})
	}
}

func (r *record) save(t *testing.T, file string) {
	t.Helper()
	data, err := json.MarshalIndent(r, "", "\t")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o755)
	}
	if err == nil {
		err = os.WriteFile(file+".new", append(data, '\n'), 0o644)
	}
	if err == nil {
		err = os.Rename(file+".new", file)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (r *record) String() string {
	return fmt.Sprintf("%d sessions in %.0f minutes, %d points, %d kills (%d from outside, %d during a recovery), %d recoveries, %d failures",
		r.Sessions, r.Minutes, r.Points, r.Kills, r.Outside, r.Doubles, r.Recoveries, len(r.Failures))
}
