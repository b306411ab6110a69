package files

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// A Follower has changes of folders reported; package watch has one.
type Follower interface {
	Follow(dir string) error // before the folder is read
	Unfollow(dir string)     // and all below it
}

// A Tree is a listing that is kept up to date folder by folder, as changes are
// reported. It is not for concurrent use; the listings it returns are, and do
// not change.
type Tree struct {
	l *Lister
	f Follower

	stale   bool // it does not say what is there: the next look is a sweep
	listing *Listing
	folders map[string]*folder
	starts  []string
	work    *workTree
	known   gitFacts
	outer   uint64 // a sum over the ignore files outside of the root
}

// NewTree returns a Tree that knows nothing yet; see [Tree.Sweep].
func (l *Lister) NewTree(f Follower) *Tree { return &Tree{l: l, f: f, stale: true} }

// Sweep lists everything, and has every folder followed. The listing names no
// skips one by one.
func (t *Tree) Sweep(ctx context.Context) (*Listing, error) {
	t.stale = true
	var outer uint64
	s, known, err := t.l.run(ctx, func(s *sweep) {
		outer = s.outerSum
		s.keep = make(map[string]*folder)
		// What cannot be followed the Follower knows itself.
		s.follow = func(dir string) { _ = t.f.Follow(dir) }
	})
	if err != nil {
		return nil, err
	}
	for rel := range t.folders {
		if s.keep[rel] == nil {
			t.f.Unfollow(t.l.p.Abs(rel))
		}
	}
	s.out.Skips = nil
	t.listing, t.folders, t.starts, t.known, t.outer = &s.out, s.keep, s.starts, known, outer
	t.work = findWorkTree(t.l.p.Root)
	t.stale = s.out.Skipped[TooMany] > 0
	return t.listing, nil
}

// Update looks at the folders that changed, as a Follower reports them by their
// absolute paths: something changed in the touched ones; the moved ones, and all
// below them, are no longer the folders that were followed. It returns the new
// listing and, sorted, the paths that are new, changed or gone in it; or whole, if it
// had to sweep, so that any path may have changed.
func (t *Tree) Update(ctx context.Context, touched, moved []string) (l *Listing, changed []string, whole bool,
	err error) {
	if t.stale || len(touched) > 64 && len(touched) > len(t.folders)/4 {
		l, err = t.Sweep(ctx)
		return l, nil, true, err
	}
	s := t.prepare(ctx)
	if s == nil {
		l, err = t.Sweep(ctx)
		return l, nil, true, err
	}
	if len(touched)+len(moved) == 0 {
		return t.listing, nil, false, nil
	}
	t.stale = true // until this is done
	u := update{t: t, s: s, before: make(map[string]Entry), skipped: maps.Clone(t.listing.Skipped)}
	if !u.forget(moved) || !u.relist(touched) {
		l, err = t.Sweep(ctx)
		return l, nil, true, err
	}
	for _, at := range u.fresh {
		s.walk(ctx, at)
	}
	s.group.Wait()
	if err := cmp.Or(ctx.Err(), s.short); err != nil {
		return nil, nil, false, err
	}
	changed = u.merge()
	t.stale = false
	return t.listing, changed, false, nil
}

// prepare returns a sweep with the rules of now, nil if these may be others than
// those by which the tree was made.
func (t *Tree) prepare(ctx context.Context) *sweep {
	w := findWorkTree(t.l.p.Root)
	if (w == nil) != (t.work == nil) || w != nil && *w != *t.work {
		return nil
	}
	known := t.known
	if w != nil {
		now := t.l.facts(ctx, w)
		if now.excludesFile != known.excludesFile || !known.tracked.equal(ctx, now.tracked) {
			return nil
		}
		known = now
		t.l.storeFacts(known)
		t.known = known
	}
	s := t.l.sweep(ctx, w, known)
	if s.outerSum != t.outer {
		return nil
	}
	s.out.Skipped = make(map[Reason]int)
	s.starts = t.starts
	if len(t.l.p.Config.SourceDirs) > 0 {
		if s.starts = s.sources(); !slices.Equal(s.starts, t.starts) {
			return nil
		}
		clear(s.out.Skipped)
	}
	s.entries = maxEntries
	s.group.SetLimit(1)
	s.keep = make(map[string]*folder)
	s.follow = func(dir string) { _ = t.f.Follow(dir) }
	return s
}

// An update is one change of a Tree.
type update struct {
	t       *Tree
	s       *sweep
	before  map[string]Entry // entries of folders that were looked at again or forgotten
	now     []Entry          // entries of folders that were looked at again
	fresh   []place          // folders to be walked
	skipped map[Reason]int
}

// rel returns the path of a folder in the project; ok is false for one outside.
func (u *update) rel(abs string) (rel string, ok bool) {
	root := u.t.l.p.Root
	if abs == root {
		return "", true
	}
	rel, ok = strings.CutPrefix(abs, strings.TrimSuffix(root, string(filepath.Separator))+string(filepath.Separator))
	return filepath.ToSlash(rel), ok
}

// forget drops folders that are not what they were. It reports whether the rest
// still stands.
func (u *update) forget(moved []string) bool {
	for _, abs := range moved {
		rel, ok := u.rel(abs)
		if !ok || rel == "" || slices.Contains(u.t.starts, rel) {
			return false
		}
		u.drop(rel)
	}
	return true
}

// drop takes a folder and all below it out of the tree.
func (u *update) drop(rel string) {
	f := u.t.folders[rel]
	if f == nil {
		return
	}
	u.dropFolder(f)
	delete(u.t.folders, rel)
	for _, sub := range f.folders {
		u.drop(sub)
	}
}

// dropFolder takes what was found in one folder out of the account.
func (u *update) dropFolder(f *folder) {
	for _, e := range f.entries {
		u.before[e.Path] = e
	}
	for r, n := range f.skipped {
		if u.skipped[r] -= n; u.skipped[r] == 0 {
			delete(u.skipped, r)
		}
	}
}

// relist looks at folders again, not at those below. It reports false where the
// rules have changed.
func (u *update) relist(touched []string) bool {
	var gone []string
	looked := make(map[string]bool, len(touched))
	for _, abs := range touched {
		rel, ok := u.rel(abs)
		if rel == ".git" || strings.HasSuffix(rel, "/.git") {
			rel = folderOf(rel) // which may be another repository now, or none
		}
		if looked[rel] {
			continue
		}
		looked[rel] = true
		f := u.t.folders[rel]
		if !ok || f == nil {
			if ok && u.aboveStart(rel) {
				return false
			}
			continue
		}
		now, subs := u.s.listFolder(f.at)
		if now.rules != f.rules {
			return false
		}
		u.dropFolder(f)
		u.t.folders[rel] = now
		for _, sub := range f.folders {
			if known := u.t.folders[sub]; known != nil && (known.unread || !slices.Contains(now.folders, sub)) {
				gone = append(gone, sub)
			}
		}
		u.fresh = append(u.fresh, subs...)
		for r, n := range now.skipped {
			u.skipped[r] += n
		}
		u.now = append(u.now, now.entries...)
	}
	// All that is gone is let go of before anything is followed: a folder that
	// moved is the same to the system under both names.
	for _, rel := range gone {
		u.drop(rel)
		u.t.f.Unfollow(u.t.l.p.Abs(rel))
	}
	u.fresh = slices.DeleteFunc(u.fresh, func(at place) bool { return u.t.folders[at.rel] != nil })
	// What was looked at may have been dropped since, with a folder above it.
	u.now = slices.DeleteFunc(u.now, func(e Entry) bool { return u.t.folders[folderOf(e.Path)] == nil })
	u.fresh = slices.DeleteFunc(u.fresh, func(at place) bool { return u.t.folders[folderOf(at.rel)] == nil })
	return true
}

// aboveStart reports whether a folder is above one that the walk starts at, so that
// its ignore files count.
func (u *update) aboveStart(rel string) bool {
	return slices.ContainsFunc(u.t.starts, func(start string) bool {
		return start != "." && (rel == "" || strings.HasPrefix(start, rel+"/"))
	})
}

func folderOf(rel string) string {
	if i := strings.LastIndexByte(rel, '/'); i >= 0 {
		return rel[:i]
	}
	return ""
}

// merge makes the new listing and returns the paths that differ in it.
func (u *update) merge() (changed []string) {
	t := u.t
	for rel, f := range u.s.keep { // what was walked anew
		t.folders[rel] = f
		for r, n := range f.skipped {
			u.skipped[r] += n
		}
	}
	now := make(map[string]Entry)
	for _, e := range slices.Concat(append(u.s.found, u.now)...) {
		now[e.Path] = e
		if old, ok := u.before[e.Path]; !ok || old != e {
			changed = append(changed, e.Path)
		}
	}
	for path := range u.before {
		if _, ok := now[path]; !ok {
			changed = append(changed, path)
		}
	}
	slices.Sort(changed)
	out := &Listing{Skipped: u.skipped, Notes: t.listing.Notes, Entries: t.listing.Entries}
	for rel, f := range t.folders {
		if f.isIncomplete() {
			out.Partly = append(out.Partly, rel)
		}
	}
	slices.Sort(out.Partly)
	if len(changed) > 0 {
		out.Entries = mergeEntries(t.listing.Entries, changed, now)
	}
	t.listing = out
	return changed
}

// mergeEntries returns the old entries with those of the changed paths as they
// are now.
func mergeEntries(old []Entry, changed []string, now map[string]Entry) []Entry {
	all := make([]Entry, 0, len(old)+len(changed))
	for _, path := range changed {
		n, found := slices.BinarySearchFunc(old, path, func(e Entry, path string) int { return cmp.Compare(e.Path, path) })
		all = append(all, old[:n]...)
		if e, ok := now[path]; ok {
			all = append(all, e)
		}
		if old = old[n:]; found {
			old = old[1:]
		}
	}
	return append(all, old...)
}
