//go:build unix

package e2e

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"codeintel/test/tier"
)

var killFlag = flag.String("kill", "", "play one `scenario:life,life…`: a life ends at the point of that number or name, or after so many milliseconds (t120), with git if there is a g behind it")

// A survivor is an agent whose server dies. The agent restarts it, asks for the state,
// and continues.
type survivor struct {
	*agent
	scenario crashScenario
	lives    []life // what the server will live; then it lives on
	anew     bool   // the last server has died, and nothing was submitted since
	sent     object // payload of the submission that was under way, nil if none was
	over     bool   // the session ended in the call that was lost
	server   *process

	kills     int
	doubles   int      // of these before the last recovery had come to its end
	recovered int      // sessions found again, or known to have ended
	deaths    []string // the points at which it died; "outside"
	twice     []string // codes of refusals of what was submitted again
	mayRepeat int      // submissions that failed halfway without a death, for want of space
	clean     []string // the phases of a run without a death; nil: this is it
	came      int      // points of all lives
	spawned   int
	end       end
	lasted    time.Duration
}

func newSurvivor(t testing.TB, p crashScenario, lives []life) *survivor {
	t.Helper()
	w := p.work()
	st := gitFixture(t, w.files)
	st.mayDie()
	if p.setup != nil {
		p.setup(st)
	}
	a := newAgent(st, w)
	a.habits = p.habits()
	return &survivor{agent: a, scenario: p, lives: lives}
}

// most is how often an agent tries before it gives up.
const most = 400

// live plays the session to its end.
func (u *survivor) live() {
	u.T.Helper()
	defer func() {
		if u.server != nil {
			u.reap()
		}
	}()
	for range most {
		switch {
		case u.at() == "END" || u.over:
			return
		case u.server == nil && !u.begin():
			u.reap()
		case !survives(u.next):
			u.reap()
			u.anew = true
		}
	}
	u.T.Fatalf("no end after %d tries: %v", most, u.trail)
}

// begin starts a server; false if it died at once.
func (u *survivor) begin() bool {
	l := life{}
	if u.spawned < len(u.lives) {
		l = u.lives[u.spawned]
	}
	u.spawned++
	var err error
	u.server, err = u.spawn(l, u.spawned)
	u.Client = u.server.client
	if err != nil && l == (life{}) {
		u.T.Fatalf("the server does not start: %v\n%s", err, u.server.stderr.String())
	}
	return err == nil
}

// reap waits for the end of the server and notes how it died, if it was killed.
func (u *survivor) reap() {
	u.server.end()
	came := u.server.came()
	u.came += len(came)
	if state := u.server.cmd.ProcessState; state != nil && !state.Exited() {
		at := came[len(came)-1]
		if u.spawned <= len(u.lives) && u.lives[u.spawned-1].after > 0 {
			at = "outside"
		}
		u.kills, u.deaths = u.kills+1, append(u.deaths, at)
		if u.anew {
			u.doubles++
		}
	} else if u.at() != "END" && !u.over && !u.T.Failed() {
		u.T.Errorf("the server ended by itself: %v\n%s", state, u.server.stderr.String())
	}
	u.server = nil
}

// survives reports whether the server lived through f.
func survives(f func()) (alive bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(death); !ok {
				panic(r)
			}
			alive = false
		}
	}()
	f()
	return true
}

// next is the next thing to do.
func (u *survivor) next() {
	switch {
	case u.anew:
		u.goOn()
	case u.answer.Answer == nil:
		u.start()
	default:
		u.step()
	}
}

// goOn finds out where the session is. Every other time the agent first resends
// what it had sent, as if nothing had happened.
func (u *survivor) goOn() {
	u.T.Helper()
	if u.sent != nil && u.kills%2 == 0 {
		r := u.submit(u.sent)
		switch {
		case r.Code() == "no_session":
			u.gone(r)
			return
		case r.Refused:
			u.twice = append(u.twice, u.at()+": "+r.Code()+": "+r.Text)
		default:
			u.found(r)
			return
		}
	}
	r := u.Call(nil, "get_session_status", object{})
	if r.Code() == "no_session" {
		u.gone(r)
		return
	}
	u.found(r)
}

// found takes the answer that says where the session is: where it was, or a
// phase further.
func (u *survivor) found(r reply) {
	u.T.Helper()
	before := u.at()
	u.took(r)
	if u.clean != nil && u.at() != before {
		if u.sent == nil && before != "" {
			u.T.Errorf("the session was in %q, nothing was under way, and now it is in %q", before, u.at())
		}
		if before != "" && !follows(u.clean, before, u.at()) {
			u.T.Errorf("the session was in %q, and now it is in %q", before, u.at())
		}
	}
	u.used, u.anew, u.sent = nil, false, nil
	u.recovered++
}

// follows reports whether one phase comes so soon after another in a run.
func follows(trail []string, one, other string) bool {
	for i := range trail {
		if trail[i] == one && slices.Contains(trail[i:min(i+2, len(trail))], other) {
			return true
		}
	}
	return false
}

// gone handles a server that knows no session: there was none yet, or the session
// ended in the call that was lost.
func (u *survivor) gone(r reply) {
	u.T.Helper()
	switch all := u.checkpoints(); {
	case u.answer.Answer == nil && len(all) == 0:
		u.anew = false // it never began
		u.recovered++
	case len(all) == 1 && all[0].Archived && u.sent != nil:
		if !strings.Contains(r.Text, all[0].ID) || !strings.Contains(r.Text, all[0].Outcome) {
			u.T.Errorf("the session has ended as %s, and its agent is not told: %s", all[0].Outcome, r.Text)
		}
		u.over = true
		u.recovered++
	default:
		u.T.Fatalf("the session is lost: %s", r.Text)
	}
}

// step is that of an honest agent. What it resends after a death may be refused, if
// the refusal names a next step that works.
func (u *survivor) step() {
	u.T.Helper()
	if u.before != nil {
		u.before(u.agent)
	}
	honest := u.deed()
	if u.submits != nil {
		honest = u.submits(u.agent, honest)
	}
	u.sent = honest
	r := u.submit(honest)
	u.sent = nil
	if r.Refused && u.scenario.expects != nil && u.scenario.expects(u.agent, r) {
		return
	}
	if r.Refused && len(u.twice) < 3*u.kills+u.mayRepeat {
		u.twice = append(u.twice, u.at()+": "+r.Code()+": "+r.Text)
		u.used = nil
		return
	}
	u.took(r)
}

// TestKill kills the server of agents at seeded random points and at random moments.
// Each crash scenario is first played without a death, and the others are compared with
// that run.
func TestKill(t *testing.T) {
	if *killFlag != "" {
		name, lives, err := parseLives(*killFlag)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(crashScenarios, func(p crashScenario) bool { return p.name == name })
		if i < 0 {
			t.Fatalf("there is no scenario %q", name)
		}
		u := crashScenarios[i].play(t, lives, crashScenarios[i].play(t, nil, nil))
		t.Logf("died at %q; refused after that: %q", u.deaths, u.twice)
		return
	}
	// Deaths at points, and those of windows. What differs from run to run (kills
	// from outside at any instant, a git that dies with the server) is for the soak.
	const seed, points = 1, 12
	rng := rand.New(rand.NewPCG(seed, 0))
	for i, p := range crashScenarios {
		if i%8 > 0 && !tier.Whole() {
			continue
		}
		t.Run(p.name, func(t *testing.T) {
			clean := p.play(t, nil, nil)
			share := points / len(crashScenarios)
			if i < points%len(crashScenarios) {
				share++
			}
			lives := append(slices.Clone(p.windows), choose(rng, clean.came, share)...)
			for j := range lives {
				lives[j].git = false
			}
			p.play(t, lives, clean)
		})
	}
}

// choose spreads so many deaths over a run of n points.
func choose(rng *rand.Rand, n, deaths int) (lives []life) {
	for range deaths {
		lives = append(lives, life{at: 1 + rng.IntN(2*n/(deaths+1)), git: rng.IntN(2) == 0})
	}
	return lives
}

// play plays the crash scenario with a server that dies as lives says, and compares the
// result with the run without a death.
func (p crashScenario) play(t *testing.T, lives []life, clean *survivor) *survivor {
	t.Helper()
	u := newSurvivor(t, p, lives)
	u.against(clean)
	return u
}

// against plays the session and judges its end.
func (u *survivor) against(clean *survivor) {
	u.T.Helper()
	if clean != nil {
		u.clean = clean.trail
	}
	began := time.Now()
	defer func() {
		if u.T.Failed() && u.kills > 0 {
			u.T.Logf("again: go test ./test/e2e -run TestKill -kill %s; died at %q; refused after that: %q", u.spec(), u.deaths, u.twice)
		}
	}()
	u.live()
	u.judge(clean)
	u.lasted = time.Since(began)
}

// spec is what -kill takes for the same run.
func (u *survivor) spec() string {
	var lives []string
	for _, l := range u.lives[:min(len(u.lives), u.spawned)] {
		lives = append(lives, l.String())
	}
	return u.scenario.name + ":" + strings.Join(lives, ",")
}

// parseLives reads what -kill was given.
func parseLives(spec string) (name string, lives []life, err error) {
	name, list, _ := strings.Cut(spec, ":")
	for _, text := range strings.Split(list, ",") {
		var l life
		if strings.Contains(text, ": ") {
			lives = append(lives, life{point: text})
			continue
		}
		text, l.git = strings.CutSuffix(text, "g")
		text, timed := strings.CutPrefix(text, "t")
		n, err := strconv.Atoi(text)
		if err != nil {
			return "", nil, fmt.Errorf("-kill %s: %w", spec, err)
		}
		if timed {
			l.after = time.Duration(n) * time.Millisecond
		} else {
			l.at = n
		}
		lives = append(lives, l)
	}
	return name, lives, nil
}

// leftovers are the files that writers and git leave behind when they die.
func (st *fixture) leftovers() (left []string) {
	for _, dir := range []string{st.Root, st.Beside("state"), st.Beside("tmp")} {
		_ = filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
			name := filepath.Base(path)
			if strings.HasPrefix(path, st.Path(".git")+string(filepath.Separator)) && strings.HasSuffix(name, ".lock") {
				left = append(left, path)
			}
			for _, pattern := range []string{".*.tmp-*", ".key-*", "*.next", "code-intel-index-*", "code-intel-git-*"} {
				if ok, _ := filepath.Match(pattern, name); err == nil && ok {
					left = append(left, path)
				}
			}
			return nil
		})
	}
	return left
}
