package savedsessions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"codeintel/internal/audit"
	"codeintel/internal/embedding/vectorstore"
	"codeintel/internal/git"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/project"
	"codeintel/internal/session/state"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text"
)

// A Kind is what sort of thing is left over.
type Kind string

// The kinds.
const (
	oldSession Kind = "session"   // checkpoint and ledger of one that has ended
	setAside   Kind = "set-aside" // a checkpoint that could not be read
	oldRef     Kind = "ref"       // what git keeps under refs/code-intel
	oldBranch  Kind = "branch"    // a task branch of no session; it goes to a trash ref
	oldCache   Kind = "cache"     // vectors of a model that is not asked for
	temporary  Kind = "temporary" // what a killed process had begun to write
)

// An Item is one thing that is left over.
type Item struct {
	Kind   Kind      `json:"kind"`
	Name   string    `json:"name"`
	Since  time.Time `json:"since,omitzero"`
	Bytes  int64     `json:"bytes,omitempty"`
	Commit string    `json:"commit,omitempty"` // that a ref or branch names
	// Only counts the commits that no branch, tag or remote branch holds. Once the
	// ref is gone they live until git collects its garbage.
	Only int    `json:"commits_only_here,omitempty"`
	Note string `json:"note,omitempty"`

	take func(context.Context) error
}

// A Plan is what a cleaning would take away, and what it leaves although it is
// old, with the reason.
type Plan struct {
	Items []Item `json:"items"`
	Kept  []Item `json:"kept"`
}

// Options say what is old.
type Options struct {
	Now      time.Time
	Age      time.Duration // what is younger stays
	Branches bool          // stale task branches too, whatever their age
}

// What a process writes for a moment only is left over after so long.
const momentary = 24 * time.Hour

type cleaner struct {
	Options
	p      *project.Project
	wanted []*Record // sessions that can go on, and what cannot be read: it might
	plan   *Plan
}

// Leftovers returns what is no longer needed. It includes nothing of a session that can
// be resumed: every interrupted one and, until it is old, an aborted one.
func Leftovers(ctx context.Context, p *project.Project, o Options) (*Plan, error) {
	c := &cleaner{Options: o, p: p, plan: &Plan{Items: []Item{}, Kept: []Item{}}}
	all, err := List(p)
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		switch {
		case r.Status == Archived && c.isOld(r.lastWritten()):
			c.session(r)
		case r.Status != Archived || r.State.Outcome == state.Aborted:
			c.wanted = append(c.wanted, r)
		}
	}
	c.unreadable()
	if err := c.git(ctx); err != nil {
		return nil, err
	}
	c.caches()
	c.temporary()
	return c.plan, nil
}

func (c *cleaner) isOld(t time.Time) bool { return c.Now.Sub(t) > c.Age }

func (c *cleaner) add(i Item) { c.plan.Items = append(c.plan.Items, i) }

// lastWritten is when the session was last written.
func (r *Record) lastWritten() time.Time {
	if r.State != nil {
		return r.State.Updated
	}
	return modified(r.checkpoint())
}

func modified(file string) time.Time {
	info, err := os.Lstat(file)
	if err != nil {
		return time.Now() // unknown: young
	}
	return info.ModTime()
}

func (c *cleaner) session(r *Record) {
	i := Item{Kind: oldSession, Name: r.ID, Since: r.lastWritten(), Bytes: size(r.checkpoint()) + size(r.ledger())}
	if r.State != nil {
		i.Note = string(r.State.Outcome) + ": " + text.OneLine(r.State.Query)
	}
	i.take = func(context.Context) error {
		// The ledger first: as long as the checkpoint is here, the rest is found.
		return errors.Join(audit.Remove(r.ledger()), repofile.At(r.checkpoint()).Remove())
	}
	c.add(i)
}

// unreadable finds old checkpoints that could not be read, in the archive or set
// aside by the server.
func (c *cleaner) unreadable() {
	for _, dir := range []string{"set-aside", "archive"} {
		for _, f := range repofile.At(c.p.Path("sessions", dir)).Match("*.json") {
			at := modified(f)
			if dir == "archive" && atomicfile.Read(f, new(state.State)) == nil || !c.isOld(at) {
				continue
			}
			c.add(Item{Kind: setAside, Name: c.rel(f), Since: at, Bytes: size(f),
				take: func(context.Context) error { return repofile.At(f).Remove() }})
		}
	}
}

func (c *cleaner) rel(file string) string {
	if rel, err := filepath.Rel(c.p.Root, file); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return file
}

// git finds refs, and branches if they are asked for.
func (c *cleaner) git(ctx context.Context) error {
	r, err := git.Open(ctx, c.p.Root)
	if errors.As(err, new(*git.NotRepository)) {
		return nil
	}
	if err != nil {
		return err
	}
	refs, err := taskbranch.Refs(ctx, r)
	if err != nil {
		return err
	}
	for _, ref := range refs {
		if !c.isOld(ref.Since) {
			continue
		}
		i := Item{Kind: oldRef, Name: ref.Name, Since: ref.Since, Commit: ref.Commit, Only: ref.Only}
		if owner := c.owner(ref.Name); owner != "" {
			i.Note = "session " + owner + " can be resumed"
			c.plan.Kept = append(c.plan.Kept, i)
			continue
		}
		i.take = func(ctx context.Context) error { return r.DeleteRef(ctx, ref.Name, ref.Commit) }
		c.add(i)
	}
	if !c.Branches {
		return nil
	}
	stale, err := taskbranch.FindStale(ctx, r, func(name string) bool { return c.owner(name) != "" })
	if err != nil {
		return err
	}
	for _, b := range stale {
		only, err := taskbranch.Only(ctx, r, b.Tip, b.Name)
		if err != nil {
			return err
		}
		c.add(Item{Kind: oldBranch, Name: b.Name, Commit: b.Tip, Only: only, Note: "goes to refs/code-intel/trash/" + b.Name,
			take: func(ctx context.Context) error { return taskbranch.DeleteStale(ctx, r, b) }})
	}
	return nil
}

// owner returns the session that a ref or branch belongs to, if it can go on.
func (c *cleaner) owner(name string) string {
	for _, r := range c.wanted {
		if strings.Contains(name, r.ID) ||
			r.State != nil && r.State.Branch != nil && (r.State.Branch.Name == name || r.State.Branch.Backup == name) {
			return r.ID
		}
	}
	return ""
}

// caches finds vectors that no search has read for long: those of a model that
// the project no longer names.
func (c *cleaner) caches() {
	index, err := c.p.IndexDir()
	if err != nil {
		return // there is none
	}
	for _, dir := range repofile.At(index).Match("*-????????????") {
		if _, err := strconv.ParseUint(dir[len(dir)-12:], 16, 64); err != nil {
			continue
		}
		files, bytes, last := weigh(dir)
		if files > 0 && c.isOld(last) {
			c.add(Item{Kind: oldCache, Name: c.rel(dir), Since: last, Bytes: bytes, Note: "grows back when it is asked for",
				take: func(context.Context) error { return vectorstore.Remove(dir) }})
		}
	}
}

// weigh returns how many files a folder holds, their size, and when the last of
// them was written.
func weigh(dir string) (files int, bytes int64, last time.Time) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error { // what cannot be read weighs nothing
		if err != nil {
			return nil
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files, bytes = files+1, bytes+info.Size()
			if info.ModTime().After(last) {
				last = info.ModTime()
			}
		}
		return nil
	})
	return files, bytes, last
}

// temporaries are the files that this program writes under another name first.
var temporaries = []string{".*.tmp-*", ".segment-*", ".trigram-*", ".latent-*", ".watch-*"}

// temporary finds what killed processes left, in the project's folder and in
// that of the system.
func (c *cleaner) temporary() {
	var found []string
	look := func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && slices.ContainsFunc(temporaries, func(pattern string) bool {
			ok, _ := filepath.Match(pattern, e.Name()) // the patterns are well-formed
			return ok
		}) {
			found = append(found, path)
		}
		return nil // what cannot be read stays
	}
	_ = filepath.WalkDir(c.p.Path(), look)
	if index, err := c.p.IndexDir(); err == nil && !c.p.IndexInProject(index) {
		_ = filepath.WalkDir(index, look)
	}
	outside := repofile.At(os.TempDir()).Match("code-intel-index-*")
	for _, f := range append(found, outside...) {
		at := modified(f)
		if c.Now.Sub(at) < momentary {
			continue
		}
		_, bytes, _ := weigh(f)
		c.add(Item{Kind: temporary, Name: c.rel(f), Since: at, Bytes: bytes,
			take: func(context.Context) error { return repofile.At(f).RemoveAll() }})
	}
}

// Carry removes what the plan names. What cannot be removed stays, and the error says
// so; the rest is removed all the same.
func (p *Plan) Carry(ctx context.Context) error {
	var failed []error
	for _, i := range p.Items {
		if err := i.take(ctx); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = append(failed, fmt.Errorf("%s %s: %w", i.Kind, i.Name, err))
		}
	}
	return errors.Join(failed...)
}
