package taskbranch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"codeintel/internal/platform/msg"
	"codeintel/test/tier"
)

// A git that outlives the call which began it does its work while that is done
// again: at each ref in turn, just before the same command comes again. Nothing is
// kept twice.
func TestOrphans(t *testing.T) {
	for name, c := range map[string]struct {
		act  func(p playground, task Task) error
		refs []string // all that are kept at the end
	}{
		"Merge": {func(p playground, task Task) error {
			_, err := Merge(p.t.Context(), p.r, task, "x")
			return err
		}, []string{"backup/s1", "done/llm_task_s1_from_main"}},
		"DeleteStale": {func(p playground, task Task) error {
			return DeleteStale(p.t.Context(), p.r, Stale{Name: task.Name, Base: task.Base})
		}, []string{"backup/s1", "trash/llm_task_s1_from_main", "trash/worktree/llm_task_s1_from_main"}},
		"Discard": {func(p playground, task Task) error {
			_, err := Discard(p.t.Context(), p.r, task, []string{"a", "new"})
			return err
		}, []string{"backup/s1", "trash/discarded/llm_task_s1_from_main"}},
	} {
		for nth, met := 1, true; met; nth++ {
			t.Run(fmt.Sprintf("%s, ref %d", name, nth), func(t *testing.T) {
				p := play(t)
				task := worked(p)
				came := 0
				met = false
				p.r.Before = func(args []string) error {
					if args[0] != "update-ref" {
						return nil
					}
					if came++; came == nth {
						met = true
						p.git(args...)
					}
					return nil
				}
				if c.act(p, task) != nil {
					if err := c.act(p, task); err != nil {
						t.Fatalf("again: %v", err)
					}
				}
				p.r.Before = nil
				var kept []string
				for ref := range strings.Lines(p.git("for-each-ref", "--format=%(refname)", namespace)) {
					kept = append(kept, strings.TrimPrefix(strings.TrimSpace(ref), namespace))
				}
				if !slices.Equal(kept, c.refs) {
					t.Errorf("kept are %q, want %q", kept, c.refs)
				}
				users(t, p)
			})
		}
	}
}

// A ref whose lock somebody holds is not kept under another name instead: that
// would be there for ever, beside the one that comes when the lock has gone.
func TestKeepUnderALock(t *testing.T) {
	tier.Full(t) // it waits for the lock
	p := play(t)
	task := worked(p)
	lock := p.file(".git/" + namespace + "done/" + task.Name + ".lock")
	if err := errors.Join(os.MkdirAll(filepath.Dir(lock), 0o755), os.WriteFile(lock, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	_, err := Merge(t.Context(), p.r, task, "x")
	if got := code(t, err, KeepFailed); !strings.Contains(strings.Join(msg.Texts(got.Next), " "), lock) {
		t.Errorf("the lock is not named: %q", got.Next)
	}
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	id, err := Merge(t.Context(), p.r, task, "x")
	if err != nil {
		t.Fatal(err)
	}
	mergedInto(t, p, task, id)
	if kept := p.git("for-each-ref", "--format=%(refname)", namespace+"done"); kept != namespace+"done/"+task.Name {
		t.Errorf("kept as %q", kept)
	}
}
