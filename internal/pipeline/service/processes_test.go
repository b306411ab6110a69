package service

import (
	"maps"
	"testing"
)

// gits has the robot count the processes of git that the server starts, by command.
func (r *robot) gits() map[string]int {
	if _, err := r.s.repository(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	count := make(map[string]int)
	r.s.repo.Before = func(args []string) error {
		for len(args) > 2 && args[0] == "-c" {
			args = args[2:]
		}
		count[args[0]]++
		return nil
	}
	return count
}

func total(count map[string]int) (n int) {
	for c := range maps.Values(count) {
		n += c
	}
	return n
}

// What the server asks git does not grow with the tasks of a batch, and is asked once a
// call. It was 38 for the report of this batch, and 119 for the run.
func TestProcesses(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "M")
	r.fourParts()
	count := r.gits()
	a := r.walk(func(a map[string]any) bool { return a["parallel_task_ids"] != nil })
	for _, most := range []int{12, 1, 4, 9, 17} { // tasks, their reviews, the whole, verification, summary
		req, what := r.do(a), line(a)
		before := total(count)
		a = r.next(req)
		if n := total(count) - before; n > most {
			t.Errorf("%s: its report starts git %d times, of at most %d", what, n, most)
		}
	}
	t.Logf("in all %d: %v", total(count), count)
	if a["type"] != "done" || total(count) > 48 {
		t.Errorf("%s after %d: %v", line(a), total(count), count)
	}
}
