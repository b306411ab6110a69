package taskbranch

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/git"
	"codeintel/internal/problem"
)

// recoverable checks the model against git: git reaches all that the model reached,
// and still reads the repository.
func (w *world) recoverable() (bad []string) {
	st, err := w.look()
	if err != nil {
		return []string{err.Error()}
	}
	out, err := w.feed("", "rev-list", "--objects", "--no-object-names", "--all", "--reflog", "--indexed-objects")
	if err != nil {
		return []string{err.Error()}
	}
	git := make(map[string]bool)
	for id := range strings.Lines(out) {
		git[strings.TrimSpace(id)] = true
	}
	for id := range st.reach {
		if !git[id] {
			bad = append(bad, "git does not reach "+id)
		}
	}
	if _, err := w.feed("", "status", "--porcelain=v2", "-z"); err != nil {
		bad = append(bad, err.Error())
	}
	return bad
}

// untouched returns what an action must not have done to the files and the index,
// whether it was done, refused, or cut short.
func (w *world) untouched(a *action, before, after *state) (bad []string) {
	was, err := w.s.tree(before.commit())
	now, err2 := w.s.tree(after.commit())
	if err := errors.Join(err, err2); err != nil {
		return []string{err.Error()}
	}
	allowed := func(path string) bool {
		switch a.name {
		case "Create", "Fold":
			return false
		case "Commit", "Discard":
			return slices.Contains(a.files, path) || nested(path, a.files)
		}
		return was[path] != now[path]
	}
	for _, path := range differences(before.files, after.files) {
		if a.name == "Commit" || !allowed(path) {
			bad = append(bad, fmt.Sprintf("%q was %s and is %s", path, before.files[path], after.files[path]))
		}
	}
	for _, key := range differences(before.index, after.index) {
		path := key[2:]
		b := before.files[path]
		if arrived := after.staged(path); arrived != "" && b.mode != "" && b.mode+" " == arrived[:7] && b.may(arrived[7:]) && a.files == nil && a.name != "Create" && a.name != "Fold" {
			continue // a switch that was cut short is finished: the file was there already
		}
		if !allowed(path) {
			bad = append(bad, fmt.Sprintf("%q was staged as %s and is %s", path, before.index[key], after.index[key]))
		}
	}
	moved := false // some branch that another working tree may be on
	for ref, id := range before.refs {
		if strings.HasPrefix(ref, namespace) && after.refs[ref] != id {
			bad = append(bad, fmt.Sprintf("%s was %s and is %s", ref, id, after.refs[ref]))
		}
		moved = moved || after.refs[ref] != id
	}
	if len(differences(before.dirs, after.dirs)) > 0 && !moved {
		bad = append(bad, fmt.Sprintf("other working trees changed: %q", differences(before.dirs, after.dirs)))
	}
	return bad
}

// refusedClean returns what a refusal has changed.
func (w *world) refusedClean(a *action, before, after *state) (bad []string) {
	if a.name == "Discard" { // the trash was made first, and it may stop half-way: it is called again
		return nil
	}
	if before.head != after.head {
		bad = append(bad, "HEAD was "+before.head+" and is "+after.head)
	}
	for _, ref := range differences(before.refs, after.refs) {
		if !strings.HasPrefix(ref, namespace) {
			bad = append(bad, fmt.Sprintf("%s was %q and is %q", ref, before.refs[ref], after.refs[ref]))
		}
	}
	if gone := differences(before.files, after.files); len(gone) > 0 {
		bad = append(bad, fmt.Sprintf("files changed: %q", gone))
	}
	if gone := differences(before.index, after.index); len(gone) > 0 && a.name != "Commit" {
		bad = append(bad, fmt.Sprintf("staged: %q", gone))
	}
	return bad
}

var errCut = errors.New("cut short")

// cutting returns the repository as one that stops before its n-th command and
// runs none after it, and whether it did.
func (w *world) cutting(n int) (*git.Repo, *bool) {
	r, cut := *w.r, new(bool)
	r.Before = func([]string) error {
		if n--; n < 0 {
			*cut = true
			return errCut
		}
		return nil
	}
	return &r, cut
}

func (w *world) look() (*state, error) { return look(w.s, w.root, w.dir, w.r.GitDir) }

// act lets the session do something, perhaps cut short, and returns what is wrong.
func (w *world) act(plan func(w *world, rnd *rand.Rand) *action, rnd *rand.Rand) (bad []string) {
	before, err := w.look()
	if err != nil {
		return []string{err.Error()}
	}
	a := plan(w, rnd)
	if a == nil {
		return nil
	}
	w.count.Actions++
	how, n := rnd.IntN(6), rnd.IntN(40)
	uncut := ""
	if how == 0 { // first uncut, to compare
		// Both run in copies: git looks more closely at files that it has not seen.
		err := errors.Join(copyTree(w.root, w.root+".spare"), copyTree(w.root, w.root+".twin"), os.RemoveAll(w.root), os.Rename(w.root+".twin", w.root))
		if err != nil {
			return []string{err.Error()}
		}
		known := maps.Clone(w.s.known)
		o := a.run(w.r)
		st, err := w.look()
		if err == nil {
			uncut = w.describe(st, o)
		}
		err = errors.Join(err, os.RemoveAll(w.root), os.Rename(w.root+".spare", w.root))
		w.s.known = known
		if err != nil {
			return []string{err.Error()}
		}
	}
	if how <= 2 {
		r, cut := w.cutting(n)
		o := a.run(r)
		if *cut {
			w.count.Cuts++
			after, err := w.look()
			if err != nil {
				return []string{err.Error()}
			}
			bad := prefixed(fmt.Sprintf("%s, cut short before command %d: ", a.name, n+1), append(lost(w.s, before, after), w.untouched(a, before, after)...))
			if len(bad) > 0 || how == 2 {
				return bad
			}
		} else {
			return w.judge(a, before, before, o, uncut)
		}
	}
	again, err := w.look()
	if err != nil {
		return []string{err.Error()}
	}
	return w.judge(a, before, again, a.run(w.r), uncut)
}

// judge checks what an action has done, and takes over what the session learned.
// If it was cut short at first, again is how that left things.
func (w *world) judge(a *action, before, again *state, o outcome, uncut string) (bad []string) {
	after, err := w.look()
	if err != nil {
		return []string{err.Error()}
	}
	if bad = lost(w.s, before, after); len(bad) == 0 && w.unruly() && o.err != nil {
		return nil // git itself stops half-way where a hook forbids to move HEAD
	}
	bad = append(bad, w.untouched(a, before, after)...)
	if now := w.describe(after, o); uncut != "" && uncut != now {
		bad = append(bad, "cut short and repeated it ends otherwise:\n"+cmp.Diff(strings.Split(uncut, "\n"), strings.Split(now, "\n")))
	}
	var conflict *Conflict
	switch {
	case o.err == nil:
		bad = append(bad, a.check(before, after, o)...)
		w.learn(a, before, after, o)
	case errors.As(o.err, &conflict), problem.Of(o.err) != nil:
		w.count.Refused++
		bad = append(bad, w.refusedClean(a, again, after)...)
	default:
		w.count.Failed++
		if !w.unruly() {
			bad = append(bad, "it failed without a way on: "+o.err.Error())
		}
	}
	if o.err != nil {
		return prefixed(fmt.Sprintf("%s, which said %q: ", a.name, o.err), bad)
	}
	return prefixed(a.name+": ", bad)
}

// unruly reports whether a hook forbids git to move any ref.
func (w *world) unruly() bool {
	_, err := os.Stat(w.s.dir + "/hooks/reference-transaction")
	return err == nil
}

func (w *world) learn(a *action, before, after *state, o outcome) {
	if o.task != nil {
		w.sess.task = o.task
	}
	switch a.name {
	case "Create":
		w.sess.begun, w.sess.tip = after, o.task.BaseCommit
		if before.head == after.head { // taken up again: it began with what the backup holds
			w.sess.begun = &state{conf: before.conf}
			if commit, err := w.s.read(after.refs[o.task.Backup]); err == nil {
				w.sess.begun.files, _ = w.s.tree(commit.refs[0])
			}
		}
	case "Commit", "TakeBase":
		w.sess.tip = after.commit()
	}
	if t := w.sess.task; t != nil && after.refs[heads+t.Name] == "" {
		w.sess.task = nil
	}
}

// describe is a state and an answer without dates, to compare two runs.
func (w *world) describe(st *state, o outcome) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%v %s; HEAD %s\n", o.err != nil, o.says, w.s.shape(st.head, 4)) // a branch, or where HEAD is detached
	for _, ref := range union(st.refs) {
		if !strings.HasPrefix(ref, namespace+"trash/discarded/") {
			fmt.Fprintf(&out, "%s %s\n", ref, w.s.shape(st.refs[ref], 4))
		}
	}
	for _, key := range union(st.index) {
		fmt.Fprintf(&out, "staged %q %s\n", key, st.index[key])
	}
	for _, path := range union(st.files) {
		fmt.Fprintf(&out, "%q %s\n", path, st.files[path])
	}
	return out.String()
}

func prefixed(with string, all []string) (out []string) {
	for _, s := range all {
		out = append(out, with+s)
	}
	return out
}
