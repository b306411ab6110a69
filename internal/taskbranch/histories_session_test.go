package taskbranch

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"codeintel/internal/git"
)

// A session is what the session server remembers.
type session struct {
	number int
	task   *Task
	begun  *state // when the task branch was made
	tip    string // its last commit
}

// An outcome is what an action answered.
type outcome struct {
	err  error
	task *Task // made or moved
	says string
}

// An action is one of the session's, on what was chosen for it: the same each time
// it is called.
type action struct {
	name  string
	files []string // those it may touch, of those that are no matter of HEAD
	run   func(r *git.Repo) outcome
	// check returns what is wrong after the action has done its work.
	check func(before, after *state, o outcome) []string
}

// sessionDoes are the actions by name. One that cannot be is nil.
var sessionDoes = []struct {
	name   string
	weight int
	plan   func(w *world, rnd *rand.Rand) *action
}{
	{"Create", 10, planCreate},
	{"Commit", 12, planCommit},
	{"Discard", 8, planDiscard},
	{"Fold", 5, planFold},
	{"TakeBase", 6, planTakeBase},
	{"Merge", 10, planMerge},
	{"DeleteStale", 4, planStale(DeleteStale, "trash")},
	{"MergeStale", 4, planStale(MergeStale, "done")},
	{"LeaveStale", 2, planLeave},
}

func planCreate(w *world, rnd *rand.Rand) *action {
	if w.sess.task == nil || rnd.IntN(4) == 0 {
		w.sess.number++
	}
	id := fmt.Sprint("s", w.sess.number)
	return &action{name: "Create", run: func(r *git.Repo) outcome {
		t, err := Create(w.ctx, r, id)
		return outcome{err: err, task: &t}
	}, check: func(before, after *state, o outcome) (bad []string) {
		if after.head != "ref: refs/heads/"+o.task.Name || after.refs[heads+o.task.Name] == "" {
			bad = append(bad, "HEAD is on "+after.head)
		}
		if before.head == after.head { // taken up again
			return bad
		}
		return append(bad, w.backedUp(before, after, *o.task)...)
	}}
}

// backedUp checks that the backup holds what the user had not committed.
func (w *world) backedUp(before, after *state, t Task) (bad []string) {
	base, err := w.s.tree(t.BaseCommit)
	if err != nil {
		return []string{err.Error()}
	}
	saved, staged := base, base
	if t.Backup != "" {
		commit, err := w.s.read(after.refs[t.Backup])
		if err != nil {
			return []string{err.Error()}
		}
		saved, _ = w.s.tree(commit.refs[0])
		if len(commit.refs) > 2 {
			staged, _ = w.s.tree(commit.refs[2])
		}
	}
	for key := range before.index {
		path := key[2:]
		b, there := before.files[path]
		if f := strings.Fields(before.index[key]); f[2] != "0" || f[3] != "0" || f[0] == "160000" || isOurFolder(path) {
			continue // the user told git not to look
		}
		if got := saved[path]; there != (got.mode != "") || there && !b.like(got.id, got.mode) {
			bad = append(bad, fmt.Sprintf("the backup holds %q as %s, the user had %s", path, got, b))
		}
		if got := staged[path]; got.String() != before.staged(path) {
			bad = append(bad, fmt.Sprintf("the backup holds %q as staged %s, the user had %s", path, got, before.staged(path)))
		}
	}
	return bad
}

// open returns files that a review could name: those that differ from the base
// commit, in the working tree or in HEAD, a part of them or all.
func (w *world) open(rnd *rand.Rand, t Task) (files []string) {
	changes, err := Changes(w.ctx, w.r, t.BaseCommit)
	if err != nil {
		return nil
	}
	all := rnd.IntN(2) == 0
	for _, f := range git.Paths(changes) {
		if all || rnd.IntN(2) == 0 {
			files = append(files, f)
		}
	}
	return files
}

func planCommit(w *world, rnd *rand.Rand) *action {
	if w.sess.task == nil {
		return nil
	}
	t, begun := *w.sess.task, w.sess.begun
	files := w.open(rnd, t)
	var hidden []string // by the rules for what git does not know: to it, such a file is gone
	for _, f := range files {
		if ignored, err := w.r.Ignored(w.ctx, f); err == nil && ignored {
			hidden = append(hidden, f)
		}
	}
	return &action{name: "Commit", files: files, run: func(r *git.Repo) outcome {
		id, err := Commit(w.ctx, r, t, files, "Work\n\n# of the task")
		return outcome{err: err, says: w.s.shape(id, 3)}
	}, check: func(before, after *state, o outcome) (bad []string) {
		was, err := w.s.tree(before.commit())
		now, err2 := w.s.tree(after.commit())
		if err := errors.Join(err, err2); err != nil {
			return []string{err.Error()}
		}
		for _, path := range union(was, now, before.files) {
			b, there := before.files[path]
			there = there && (before.known(path) || !slices.Contains(hidden, path))
			users := slices.Contains(t.UserFiles, path) && begun.same(path, b)
			if users && !(before.reads(begun) && begun.exact(path, b)) {
				continue // the same bytes may be another content now, or other line ends a change
			}
			got := now[path]
			switch {
			case b.mode == "160000", w.repository(path), after.hidden(path):
			case slices.Contains(files, path) && !users:
				if there != (got.mode != "") || there && !b.like(got.id, got.mode) {
					bad = append(bad, fmt.Sprintf("%q was committed as %s, and is %s", path, got, b))
				}
			case got != was[path] && !nested(path, files):
				bad = append(bad, fmt.Sprintf("%q was committed, too: %s, before %s", path, got, was[path]))
			}
		}
		return bad
	}}
}

// known reports whether the index has the path.
func (st *state) known(path string) bool {
	for key := range st.index {
		if key[2:] == path {
			return true
		}
	}
	return false
}

// nested reports whether a path lies above or below one of the files.
func nested(path string, files []string) bool {
	return slices.ContainsFunc(files, func(f string) bool {
		return strings.HasPrefix(f, path+"/") || strings.HasPrefix(path, f+"/")
	})
}

// hidden reports whether git was told not to look at a file.
func (st *state) hidden(path string) bool {
	f := strings.Fields(st.index["0 "+path])
	return len(f) == 4 && (f[2] != "0" || f[3] != "0")
}

// commit returns what HEAD is at.
func (st *state) commit() string {
	if ref, ok := strings.CutPrefix(st.head, "ref: "); ok {
		return st.refs[ref]
	}
	return st.head
}

func planDiscard(w *world, rnd *rand.Rand) *action {
	if w.sess.task == nil {
		return nil
	}
	t, begun := *w.sess.task, w.sess.begun
	files := w.open(rnd, t)
	if len(files) == 0 {
		return nil
	}
	return &action{name: "Discard", files: files, run: func(r *git.Repo) outcome {
		_, err := Discard(w.ctx, r, t, files)
		return outcome{err: err}
	}, check: func(before, after *state, o outcome) (bad []string) {
		base, err := w.s.tree(t.BaseCommit)
		if err != nil {
			return []string{err.Error()}
		}
		for _, path := range files {
			got, there := after.files[path]
			want := base[path]
			if want.mode == "160000" || w.repository(path) || after.hidden(path) {
				continue
			}
			users := t.Backup != "" && slices.Contains(t.UserFiles, path)
			switch {
			case after.staged(path) != want.String():
				bad = append(bad, fmt.Sprintf("%q is staged as %s, want %s", path, after.staged(path), want))
			case users && !begun.same(path, got):
				bad = append(bad, fmt.Sprintf("%q is %s, the user had %s", path, got, begun.files[path]))
			case !users && (there != (want.mode != "") || there && !w.s.out(want, got)):
				bad = append(bad, fmt.Sprintf("%q is %s, before the task %s", path, got, want))
			}
		}
		return bad
	}}
}

// exact reports whether a file is as it was to the byte, as far as its bytes are known.
func (st *state) exact(path string, b blob) bool {
	was := st.files[path]
	return was.id == b.id || was.as == [3]string{}
}

// same reports whether a file is as it was, but for its line ends.
func (st *state) same(path string, b blob) bool {
	was := st.files[path]
	return was == b || was.mode == b.mode && slices.ContainsFunc(append(b.as[:], b.id), was.may)
}

func planFold(w *world, rnd *rand.Rand) *action {
	if w.sess.task == nil {
		return nil
	}
	t, tip := *w.sess.task, w.sess.tip
	files := w.open(rnd, t)
	return &action{name: "Fold", run: func(r *git.Repo) outcome {
		_, err := Fold(w.ctx, r, t, tip, files)
		return outcome{err: err}
	}, check: func(before, after *state, o outcome) (bad []string) {
		if at := after.commit(); at != tip && at != before.commit() {
			bad = append(bad, "the branch is at "+at)
		}
		return bad
	}}
}

func planTakeBase(w *world, rnd *rand.Rand) *action {
	if w.sess.task == nil {
		return nil
	}
	t := *w.sess.task
	return &action{name: "TakeBase", run: func(r *git.Repo) outcome {
		moved, conflicts, err := TakeBase(w.ctx, r, t)
		return outcome{err: err, task: &moved, says: fmt.Sprintf("%s %q", moved.BaseCommit, conflicts)}
	}, check: func(before, after *state, o outcome) (bad []string) {
		if before.refs[heads+t.Base] != after.refs[heads+t.Base] {
			bad = append(bad, "the base has moved")
		}
		return bad
	}}
}

func planMerge(w *world, rnd *rand.Rand) *action {
	if w.sess.task == nil {
		return nil
	}
	t := *w.sess.task
	return &action{name: "Merge", run: func(r *git.Repo) outcome {
		id, err := Merge(w.ctx, r, t, "Merge the work")
		return outcome{err: err, says: w.s.shape(id, 3)}
	}, check: func(before, after *state, o outcome) []string {
		return w.merged(before, after, t.Name, t.Base, "done")
	}}
}

// planLeave leaves the task branch that HEAD is on.
func planLeave(w *world, _ *rand.Rand) *action {
	stale, err := FindStale(w.ctx, w.r, func(string) bool { return false })
	i := slices.IndexFunc(stale, func(s Stale) bool { return s.CheckedOut })
	if err != nil || i < 0 {
		return nil
	}
	s := stale[i]
	return &action{name: "leave a stale branch", run: func(r *git.Repo) outcome {
		return outcome{err: LeaveStale(w.ctx, r, s)}
	}, check: func(before, after *state, _ outcome) (bad []string) {
		if after.head != "ref: "+heads+s.Base {
			bad = append(bad, "HEAD is on "+after.head)
		}
		if after.refs[heads+s.Name] != before.refs[heads+s.Name] {
			bad = append(bad, "the branch was moved")
		}
		return bad
	}}
}

// merged checks that a task branch is gone, and that the base has nothing that
// neither side has.
func (w *world) merged(before, after *state, name, base, kind string) (bad []string) {
	tip := before.refs[heads+name]
	if tip == "" {
		return nil
	}
	if after.refs[heads+name] != "" {
		bad = append(bad, "the branch is still there")
	}
	if !slices.Contains(slices.Collect(maps.Values(after.code())), tip) {
		bad = append(bad, "no ref keeps the tip")
	}
	if kind == "trash" {
		return bad
	}
	from := w.git("merge-base", before.refs[heads+base], tip)
	old, err := w.s.tree(from)
	ours, err2 := w.s.tree(before.refs[heads+base])
	theirs, err3 := w.s.tree(tip)
	now, err4 := w.s.tree(after.refs[heads+base])
	if err := errors.Join(err, err2, err3, err4); err != nil {
		return append(bad, err.Error())
	}
	for _, path := range union(old, ours, theirs, now) {
		if old[path] == ours[path] && ours[path] == theirs[path] && now[path] != old[path] && !movedInto(path, old, ours, theirs) {
			bad = append(bad, fmt.Sprintf("the merge changed %q, which neither side had", path))
		}
	}
	return bad
}

// movedInto reports whether a path is new to all sides: the merge has put there
// what one side added to a folder that the other one renamed.
func movedInto(path string, sides ...map[string]blob) bool {
	return !slices.ContainsFunc(sides, func(s map[string]blob) bool { return s[path].mode != "" })
}

// code returns the refs of our own.
func (st *state) code() map[string]string {
	own := make(map[string]string)
	for ref, id := range st.refs {
		if strings.HasPrefix(ref, namespace) {
			own[ref] = id
		}
	}
	return own
}

func planStale(do func(ctx context.Context, r *git.Repo, s Stale) error, kind string) func(w *world, rnd *rand.Rand) *action {
	return func(w *world, rnd *rand.Rand) *action {
		owned := "" // by the session that goes on
		if w.sess.task != nil && rnd.IntN(2) == 0 {
			owned = w.sess.task.Name
		}
		stale, err := FindStale(w.ctx, w.r, func(name string) bool { return name == owned })
		if err != nil || len(stale) == 0 {
			return nil
		}
		s := stale[rnd.IntN(len(stale))]
		return &action{name: kind + " a stale branch", run: func(r *git.Repo) outcome {
			return outcome{err: do(w.ctx, r, s)}
		}, check: func(before, after *state, o outcome) []string {
			return w.merged(before, after, s.Name, s.Base, kind)
		}}
	}
}
