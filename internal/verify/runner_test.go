//go:build unix

package verify

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"codeintel/internal/platform/msg"
)

func newRunner(t *testing.T) *Runner {
	r := NewRunner(t.TempDir())
	t.Cleanup(r.Close)
	return r
}

// leaves is a Look at files that have moved.
func leaves(files string, moved ...string) Look {
	return func(context.Context) (string, []string) { return files, moved }
}

// ended waits for a job.
func ended(t *testing.T, j *Job) *Job {
	t.Helper()
	if all, err := Await(t.Context(), []*Job{j}, nil, func(time.Duration, msg.Message) {}); !all || err != nil {
		t.Fatal(all, err)
	}
	return j
}

// What has run on the files is valid; another change, another command, and after a
// failure another round are to be run on.
func TestValidJob(t *testing.T) {
	other := sh("true")
	other.Content = []byte("edited")
	for _, c := range []struct {
		name   string
		script string
		left   Look
		ask    Choice
		on     string
		round  int64
		stands bool
	}{
		{"the same", "true", leaves("one"), sh("true"), "one", 1, true},
		{"a later round", "true", leaves("one"), sh("true"), "one", 2, true},
		{"other files", "true", leaves("one"), sh("true"), "two", 1, false},
		{"another file of the verifier", "true", leaves("one"), other, "one", 1, false},
		{"a failure", "false", leaves("one"), sh("false"), "one", 1, true},
		{"a failure, a later round", "false", leaves("one"), sh("false"), "one", 2, false},
		{"what it has written besides", "true", leaves("two", "coverage"), sh("true"), "two", 1, true},
		{"what it has changed itself", "true", leaves("two", "coverage", "a"), sh("true"), "two", 1, false},
		{"as before what it has changed itself", "true", leaves("two", "a"), sh("true"), "one", 1, false},
		{"as before what it has written besides", "true", leaves("two", "coverage"), sh("true"), "one", 1, true},
		{"what nobody could look at", "true", leaves(""), sh("true"), "two", 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRunner(t)
			if r.ValidJob(c.ask, c.on, c.round) != nil {
				t.Fatal("nothing has run")
			}
			j := ended(t, r.Begin(sh(c.script), "one", 1, c.left))
			want := j
			if !c.stands {
				want = nil
			}
			if got := r.ValidJob(c.ask, c.on, c.round); got != want {
				t.Errorf("stands: %v", got != nil)
			}
		})
	}
}

// A command that changes what it verifies, whenever it runs, is believed in the end;
// in another round it has to run as often again.
func TestNeverSettles(t *testing.T) {
	r, on, ran := newRunner(t), "0", 0
	settle := func(round int64) {
		for ran = 0; r.ValidJob(sh("true"), on, round) == nil && ran < 9; ran++ {
			next := on + "x"
			ended(t, r.Begin(sh("true"), on, round, leaves(next, "a")))
			on = next
		}
	}
	settle(1)
	if ran != 3 {
		t.Errorf("it ran %d times", ran)
	}
	on += "and another change"
	settle(2)
	if ran != 3 {
		t.Errorf("it ran %d times in another round", ran)
	}
}

// piped returns a command that waits at a pipe of the root, and what waits until it
// is there. The pipe, closed, lets it go on.
func piped(t *testing.T, r *Runner, name string) (c Choice, reached func() *os.File) {
	t.Helper()
	pipe := filepath.Join(r.root, name)
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	c = sh("cat " + name + "; echo " + name + " >>order")
	c.Name = name
	return c, func() *os.File {
		t.Helper()
		f, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
}

func TestOneAfterTheOther(t *testing.T) {
	r := newRunner(t)
	slow, reached := piped(t, r, "slow")
	quick := sh("echo quick >>order")
	quick.Name = "quick"
	jobs := []*Job{r.Begin(slow, "one", 1, leaves("one"))}
	pipe := reached()
	jobs = append(jobs, r.Begin(quick, "one", 1, leaves("one")))
	pipe.Close()
	for _, j := range jobs {
		if got, moved, err := ended(t, j).Result(); !got.Passed || moved != nil || err != nil {
			t.Errorf("%+v, %q, %v", got, moved, err)
		}
	}
	order, err := os.ReadFile(filepath.Join(r.root, "order"))
	if err != nil || string(order) != "slow\nquick\n" {
		t.Errorf("%q, %v", order, err)
	}
}

// While a command runs, it may be what changes the files; in another round it is
// begun anew, and what ran is stopped.
func TestWhatRunsIsWaitedFor(t *testing.T) {
	r := newRunner(t)
	c, reached := piped(t, r, "pipe")
	first := r.Begin(c, "one", 1, leaves("one"))
	for _, at := range []struct {
		on    string
		round int64
		want  *Job
	}{{"one", 1, first}, {"two", 1, first}, {"one", 2, first}, {"two", 2, nil}} {
		if got := r.ValidJob(c, at.on, at.round); got != at.want {
			t.Errorf("on %s in round %d: %v", at.on, at.round, got != nil)
		}
	}
	second := r.Begin(c, "two", 2, leaves("two"))
	if _, _, err := ended(t, first).Result(); !errors.Is(err, context.Canceled) {
		t.Errorf("the first: %v", err)
	}
	reached().Close()
	if got, _, err := ended(t, second).Result(); err != nil || !got.Passed {
		t.Errorf("the second: %+v, %v", got, err)
	}
}

func TestClose(t *testing.T) {
	var none *Runner
	none.Close()
	r := newRunner(t)
	running, _ := piped(t, r, "running")
	waiting, _ := piped(t, r, "waiting")
	jobs := []*Job{r.Begin(running, "one", 1, leaves("one")), r.Begin(waiting, "one", 1, leaves("one"))}
	r.Close()
	for _, j := range jobs {
		if _, _, err := j.Result(); !j.Ended() || err == nil {
			t.Errorf("%s: ended %v, %v", j.Name, j.Ended(), err)
		}
	}
	if _, err := os.Stat(filepath.Join(r.root, "order")); err == nil {
		t.Error("a command has come to its end")
	}
}

func TestAwait(t *testing.T) {
	r := newRunner(t)
	c, reached := piped(t, r, "pipe")
	jobs := []*Job{r.Begin(c, "one", 1, leaves("one"))}
	var told []string
	tell := func(_ time.Duration, what msg.Message) { told = append(told, what.String()) }
	now := make(chan time.Time, 1)
	now <- time.Time{}
	if all, err := Await(t.Context(), jobs, now, tell); all || err != nil {
		t.Errorf("not time enough: %v, %v", all, err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if all, err := Await(gone, jobs, nil, tell); all || !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits any more: %v, %v", all, err)
	}
	reached().Close()
	if all, err := Await(t.Context(), jobs, nil, tell); !all || err != nil {
		t.Errorf("at the end: %v, %v", all, err)
	}
	if len(told) == 0 || slices.ContainsFunc(told, func(what string) bool { return !strings.HasPrefix(what, "running /bin/sh -c cat pipe") }) {
		t.Errorf("told %q", told)
	}
}
