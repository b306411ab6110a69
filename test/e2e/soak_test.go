//go:build unix

package e2e

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"codeintel/test/e2e/page"
	"codeintel/test/golden"
)

var (
	soak    = flag.Bool("soak", false, "kill servers until -minutes are over, going on where the last soak stopped")
	minutes = flag.Float64("minutes", 10, "how long a -soak takes")
	seed    = flag.Uint64("seed", 0, "of what a -soak leaves to chance; 0: the clock")
	random  = flag.Bool("random", false, "a -soak kills at random moments only, and leaves the points alone")
	sweeps  = flag.Bool("sweep", false, "a -soak kills once in each session, at the next point of its scenario, and ends when all points were swept")
)

// soakFile keeps the results of all soaks.
const soakFile = "testdata/soak.json"

// A record is the result of all soaks of this program so far.
type record struct {
	file string

	Program    string            `json:"program"` // hash of the packages that a crash could affect
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
	Before     earlier           `json:"before"`
}

// earlier is what came of soaks of earlier programs.
type earlier struct {
	Sessions int `json:"sessions"`
	Kills    int `json:"kills"`
	Failures int `json:"failures"`
}

// A sweep goes over all points of a crash scenario, one in each session, in leaps, so
// that it has been everywhere long before it is through.
type sweep struct {
	Points int `json:"points"` // of a run without a death
	Done   int `json:"done"`   // of these, in this sweep
	Whole  int `json:"whole"`  // sweeps that are complete
}

// few is by how many points two runs of a crash scenario may differ: waiting for a lock
// passes more points on a slow machine.
const few = 8

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

// over reports whether all points were swept.
func (s *sweep) over() bool { return s != nil && s.Whole > 0 && s.Done == 0 }

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// A failure can be reproduced by go test ./test/e2e -run TestKill -kill SPEC.
type failure struct {
	Spec   string    `json:"spec"`
	Deaths []string  `json:"deaths"`
	Seed   uint64    `json:"seed"`
	Time   time.Time `json:"time"`
}

// lastRecord reads the results of all soaks.
func lastRecord(t *testing.T, file string) *record {
	t.Helper()
	r := &record{file: file}
	data, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(data, r)
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return r
}

// ofThisProgram starts a new record if it is of another program; the sweeps continue.
func (r *record) ofThisProgram(t *testing.T, packages ...string) *record {
	t.Helper()
	h := sha256.New()
	for _, pkg := range packages {
		files, _ := filepath.Glob("../../internal/" + pkg + "/*.go") // the pattern is well-formed
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(f, "_test.go") {
				h.Write(data)
			}
		}
	}
	if program := hex.EncodeToString(h.Sum(nil))[:16]; r.Program != program {
		was := r.Before
		r = &record{file: r.file, Program: program, Sweeps: r.Sweeps, Before: earlier{was.Sessions + r.Sessions, was.Kills + r.Kills, was.Failures + len(r.Failures)}}
	}
	if r.At == nil {
		r.At = make(map[string]int)
	}
	if r.Sweeps == nil {
		r.Sweeps = make(map[string]*sweep)
	}
	return r
}

// TestSoak kills servers for as long as it is told: at every point of every
// crash scenario in turn, twice in short order, and at random moments from outside.
func TestSoak(t *testing.T) {
	if !*soak {
		t.Skip("-soak is not given")
	}
	r := lastRecord(t, soakFile).ofThisProgram(t, "platform/failpoint", "platform/atomicfile", "audit", "git", "taskbranch", "session")
	var scenes []scene
	for _, p := range crashScenarios {
		scenes = append(scenes, scene{p.name, func(t *testing.T) rehearsed {
			clean := p.play(t, nil, nil)
			return rehearsed{clean.came, clean.lasted, func(lives []life) string {
				return (&survivor{scenario: p, lives: lives, spawned: len(lives)}).spec()
			}, func(t *testing.T, lives []life) (func(), func() fate) {
				u := newSurvivor(t, p, lives)
				return func() { u.against(clean) }, u.fate
			}}
		}})
	}
	r.soak(t, scenes)
	page.Hold(t, "../..", "soak", r.String(), true)
}

// A scene is a session or pipeline in which servers are killed.
type scene struct {
	name string
	play func(t *testing.T) rehearsed // once, without a death
}

// A rehearsed scene can be played with deaths, and is then compared with the one
// without.
type rehearsed struct {
	came   int // points
	lasted time.Duration
	spec   func(lives []life) string
	begin  func(t *testing.T, lives []life) (against func(), fate func() fate)
}

// soak plays scenes until -minutes are over, or until all points of -sweep were swept.
func (r *record) soak(t *testing.T, scenes []scene) {
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	rng := rand.New(rand.NewPCG(*seed, 1))
	until := time.Now().Add(time.Duration(*minutes * float64(time.Minute)))
	rounds := 12
	if *sweeps {
		rounds = 60
	}
	done := func(s scene) bool { return *sweeps && r.Sweeps[s.name].over() }
	var mu sync.Mutex
	for time.Now().Before(until) && slices.ContainsFunc(scenes, func(s scene) bool { return !done(s) }) {
		for _, s := range scenes {
			if !time.Now().Before(until) {
				break
			}
			if done(s) {
				continue
			}
			t.Run(s.name, func(t *testing.T) {
				clean := s.play(t)
				for round := range rounds {
					if done(s) {
						break
					}
					lives := r.lives(rng, round, s.name, clean.came, clean.lasted)
					t.Run(clean.spec(lives), func(t *testing.T) {
						t.Parallel()
						began := time.Now()
						against, fate := clean.begin(t, lives)
						defer func() {
							mu.Lock()
							defer mu.Unlock()
							r.add(fate(), time.Since(began), !t.Failed())
							r.save(t)
						}()
						against()
					})
				}
			})
		}
	}
	t.Logf("seed %d; %s", *seed, r)
}

// lives are those of the next session: most die first at the next point of the
// sweep, and some once more while they recover, or later; others are killed at
// random moments.
func (r *record) lives(rng *rand.Rand, round int, name string, points int, lasts time.Duration) (lives []life) {
	if *random || round%4 == 3 && !*sweeps {
		for range 12 {
			lives = append(lives, life{after: time.Duration(1 + rng.Int64N(int64(lasts)/3)), git: rng.IntN(2) == 0})
		}
		return lives
	}
	s := r.Sweeps[name]
	if s == nil || max(s.Points-points, points-s.Points) > few {
		s = &sweep{Points: points}
		r.Sweeps[name] = s
	}
	lives = append(lives, life{at: s.next(), git: rng.IntN(2) == 0})
	if *sweeps {
		return lives
	}
	switch round % 4 {
	case 1:
		lives = append(lives, life{at: 1 + rng.IntN(12), git: rng.IntN(2) == 0})
	case 2:
		lives = append(lives, choose(rng, points, 3)...)
	}
	return lives
}

// A fate is what happened to the servers of one session.
type fate struct {
	spec                            string
	deaths                          []string
	points, kills, doubles, revived int
}

func (u *survivor) fate() fate {
	return fate{u.spec(), u.deaths, u.came, u.kills, u.doubles, u.recovered}
}

// add takes in what came of a session.
func (r *record) add(f fate, took time.Duration, passed bool) {
	r.Minutes += took.Minutes()
	r.Sessions, r.Points, r.Kills, r.Recoveries = r.Sessions+1, r.Points+f.points, r.Kills+f.kills, r.Recoveries+f.revived
	r.Doubles += f.doubles
	for _, at := range f.deaths {
		if r.At[at]++; at == "outside" {
			r.Outside++
		}
	}
	if !passed {
		r.Failures = append(r.Failures, failure{f.spec, slices.Clone(f.deaths), *seed, time.Now().UTC().Truncate(time.Second)})
	}
}

func (r *record) save(t *testing.T) {
	t.Helper()
	data, err := json.MarshalIndent(r, "", "\t")
	if err == nil {
		err = os.WriteFile(r.file+".new", append(data, '\n'), 0o644)
	}
	if err == nil {
		err = os.Rename(r.file+".new", r.file)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestSoakPage compares docs/design/enforcement-tests.md with the results of all soaks.
func TestSoakPage(t *testing.T) {
	page.Hold(t, "../..", "soak", lastRecord(t, soakFile).String(), golden.Update())
}

// String is what docs/design/enforcement-tests.md says of it.
func (r *record) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Program `%s`: %d sessions, %d points come to, **%d kills**: %d at %d kinds of points, %d from outside at random moments; %d of all during a recovery. %d recoveries; sessions that ended otherwise: **%d**.",
		r.Program, r.Sessions, r.Points, r.Kills, r.Kills-r.Outside, len(r.At)-min(1, r.At["outside"]), r.Outside, r.Doubles, r.Recoveries, len(r.Failures))
	for _, f := range r.Failures {
		fmt.Fprintf(&b, " `%s`.", f.Spec)
	}
	fmt.Fprintf(&b, " Earlier programs: %d sessions, %d kills, %d that ended otherwise.\n\n", r.Before.Sessions, r.Before.Kills, r.Before.Failures)
	b.WriteString("| scenario | first deaths of the sweep | points | whole sweeps |\n|---|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(r.Sweeps)) {
		s := r.Sweeps[name]
		fmt.Fprintf(&b, "| %s | %d | %d | %d |\n", name, s.Done, s.Points, s.Whole)
	}
	return b.String()
}

// TestHistoriesPage compares docs/design/enforcement-tests.md with the results of internal/taskbranch.
func TestHistoriesPage(t *testing.T) {
	var f struct {
		Program string
		Passed  int
		Steps   int
		Actions int
		Cuts    int `json:"cut_short"`
		Refused int
		Ever    int
	}
	data, err := os.ReadFile("../../internal/taskbranch/testdata/histories.json")
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	page.Hold(t, "../..", "histories", fmt.Sprintf(
		"Program `%s`: **%d** histories passed, with %d steps, %d actions of sessions among them, %d cut short, %d refused. With earlier programs: %d.\n",
		f.Program, f.Passed, f.Steps, f.Actions, f.Cuts, f.Refused, f.Ever), golden.Update())
}
