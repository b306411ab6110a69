// Package index builds and stores the index of a project: the declarations, references and text of every
// file.
//
// The index is a cache, in the folder that [project.Project.IndexDir] returns. SQLite
// is its system of record, and holds what was read from each file. The segments beside
// it (package postings) invert that by word and by name; they are mapped into memory,
// and rebuilt from SQLite whenever they are missing or damaged. A database that is
// damaged or of another version is set aside and rebuilt from the files; while a
// program of another version has one open, this program's is in a folder beside it.
//
// Many processes may hold one index. One at a time writes, under a lock; none
// waits to read. [Index.Refresh] looks at the files before an answer and reads
// again what changed, so that a file just edited is found by its new content,
// even while another process writes.
//
// It never reads a file outside the project and never changes one inside.
package index

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"codeintel/internal/files"
	"codeintel/internal/index/ctags"
	"codeintel/internal/index/postings"
	"codeintel/internal/index/segment"
	"codeintel/internal/index/sqlite"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/project"
)

// An Index is the index of one project. It is safe for concurrent use.
type Index struct {
	p      *project.Project
	log    *slog.Logger
	dir    string
	in     atomic.Pointer[string] // where the database and the segments are: dir, or a folder in it
	recipe string
	lister *files.Lister
	tagger *ctags.Tagger
	now    func() time.Time

	dbLock sync.Mutex // held while the database is exchanged, never while it is asked
	db     *sqlite.DB
	using  map[*sqlite.DB]int // how many do; one that was exchanged is closed by the last
	unused sync.Cond          // under dbLock; told when somebody is done

	spaces spaceCache

	sweeping sync.Mutex // one look at the files at a time
	sight    sight
	checked  time.Time                      // when the last Refresh that did all it could began to look
	early    func() (*files.Listing, error) // a sweep under way since Open; nil if none

	loading sync.Mutex // one load at a time
	overlay overlay    // under loading: what shown has and base has not

	sampling sync.Mutex
	sample   *symbolSample // of sampleOf; nil until it is asked for
	sampleOf weak.Pointer[snapshot]

	mu      sync.Mutex
	base    *snapshot // what the database says
	shown   *snapshot // what questions are answered from: base, or base with the overlay
	state   Freshness
	serial  int64      // of the last snapshot loaded
	damages int64      // how often files of the index were found damaged, written to or exchanged
	did     SyncReport // what this Index added, changed and removed, in all

	turns chan struct{} // see [Index.InTurn]

	looking sync.Mutex // one look at the segments' files at a time; before mu

	work background
}

// Open opens the index of p and makes an empty one if there is none. It reads
// no source file: see [Index.Sync] and [Index.Refresh].
func Open(ctx context.Context, p *project.Project, log *slog.Logger) (*Index, error) {
	dir, err := p.IndexDir()
	if err != nil {
		return nil, err
	}
	if err := adopt(p, dir); err != nil {
		log.Warn("index: built anew", "error", err)
	}
	x := &Index{p: p, log: log, dir: dir, recipe: recipe(p.Config), lister: files.NewLister(p),
		tagger: ctags.New(p.Root, ctags.Look, log), now: time.Now, turns: make(chan struct{}, 1)}
	db, err := x.openDatabase(ctx)
	if err != nil {
		return nil, err
	}
	x.db, x.using, x.unused.L = db, make(map[*sqlite.DB]int), &x.dbLock
	x.base = &snapshot{view: postings.NewView(), users: 1}
	x.shown = x.base
	if err := x.withDB(ctx, func(db *sqlite.DB) error { return x.reload(ctx, db, nil) }); err != nil {
		x.db.Close()
		return nil, err
	}
	return x, nil
}

// OpenForQuestion is [Open] for somebody who has asked already: the files are swept
// while the index is opened, and the first look at them takes that for its own.
func OpenForQuestion(ctx context.Context, p *project.Project, log *slog.Logger) (*Index, error) {
	if _, err := p.IndexDir(); err != nil {
		return nil, err // before a folder is swept that may hold everything
	}
	type swept struct {
		listing *files.Listing
		err     error
	}
	lister := files.NewLister(p)
	done := make(chan swept, 1)
	sweeping, stop := context.WithCancel(ctx)
	go func() {
		l, err := lister.List(sweeping)
		done <- swept{l, err}
	}()
	x, err := Open(ctx, p, log)
	if err != nil {
		stop()
		<-done
		return nil, err
	}
	x.lister = lister
	x.early = func() (*files.Listing, error) {
		s := <-done
		stop()
		return s.listing, s.err
	}
	return x, nil
}

// Close lets go of all files, as soon as questions under way are answered. No
// other method may be called later.
func (x *Index) Close() error {
	x.sweeping.Lock()
	if x.early != nil {
		x.early() // its goroutines end with it; what it found is of no use any more
		x.early = nil
	}
	var unwatched error
	if w := x.sight.watcher; w != nil {
		x.sight = sight{}
		unwatched = w.Close()
	}
	x.sweeping.Unlock()
	x.mu.Lock()
	empty := &snapshot{view: postings.NewView(), users: 1}
	base, shown := x.base, x.shown
	x.base, x.shown = empty, empty
	x.mu.Unlock()
	if shown != base {
		x.release(shown)
	}
	x.release(base)
	x.tagger.Close()
	x.dbLock.Lock()
	defer x.dbLock.Unlock()
	for len(x.using) > 0 {
		x.unused.Wait()
	}
	if err := errors.Join(unwatched, x.db.Close()); err != nil {
		return fmt.Errorf("index: close: %w", err)
	}
	return nil
}

// Lister returns what the index lists the project's files by.
func (x *Index) Lister() *files.Lister { return x.lister }

// Dir returns the folder of the index.
func (x *Index) Dir() string { return x.dir }

// databaseName is the file of the database in the folder of the index.
const databaseName = "forest.db"

// versionPrefix begins the name of a folder in that of the index, with an index of another version. A program
// makes it while one of another version has the index open: they would replace each other's without end.
const versionPrefix = "version-"

// folder returns where the database and the segments are.
func (x *Index) folder() string { return *x.in.Load() }

// removeVersions removes the folders of versions that nobody uses.
func (x *Index) removeVersions(ctx context.Context) {
	entries, _ := repofile.At(x.dir).List() // they take no more than space
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), versionPrefix) {
			continue
		}
		at := filepath.Join(x.dir, e.Name())
		used, err := sqlite.InUse(ctx, filepath.Join(at, databaseName))
		if err == nil && !used {
			err = repofile.At(at).RemoveAll()
		}
		if err != nil {
			x.log.Debug("index: an unused version stays", "error", err)
		}
	}
}

// lockName is the file that whoever writes the index locks.
const lockName = "write.lock"

func (x *Index) openDatabase(ctx context.Context) (*sqlite.DB, error) {
	if err := x.p.MakeIndexDir(x.dir); err != nil {
		return nil, err
	}
	in := x.dir
	db, err := sqlite.Open(ctx, filepath.Join(in, databaseName), schema, schemaVersion)
	if errors.Is(err, sqlite.ErrInUse) {
		in = filepath.Join(x.dir, fmt.Sprint(versionPrefix, schemaVersion))
		if err := repofile.At(in).MakeFolder(0o700); err != nil {
			return nil, fmt.Errorf("index: %w", err)
		}
		db, err = sqlite.Open(ctx, filepath.Join(in, databaseName), schema, schemaVersion)
	} else if err == nil {
		x.removeVersions(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	x.in.Store(&in)
	if why := db.SetAside(); why != "" {
		x.log.Warn("index: database set aside; it grows back", "why", why)
	}
	return db, nil
}

// withDB runs f with the database. If the database shows damage, or is no longer
// the one on disk, it is exchanged, and if a segment shows damage, all are opened
// anew; f runs once more then. Whoever cuts the files of the index cuts both, and
// so each may happen, in either order: opening the segments anew may be what shows
// that the database is damaged too. A database that does not stay is a Problem.
func (x *Index) withDB(ctx context.Context, f func(*sqlite.DB) error) error {
	for exchanges, reopened := 0, false; ; {
		db := x.acquireDB()
		var err error
		replaced := db.Replaced()
		if !replaced {
			err = segment.Guard(func() error {
				if reopened {
					if err := x.reloadAll(ctx, db); err != nil {
						return err
					}
				}
				return db.Judge(f(db))
			})
			replaced = err != nil && db.Replaced()
		}
		x.letGo(db)
		switch corrupt := sqlite.IsCorrupt(err); {
		case (replaced || corrupt) && exchanges < maxExchanges:
			exchanges++
			if replaced {
				err = nil // which is what came of that
			}
			if err := x.exchange(ctx, db, err); err != nil {
				return err
			}
		case replaced:
			return ReplacedProblem()
		case !reopened && errors.Is(err, postings.ErrCorrupt):
			x.log.Warn("index: segment damaged", "error", err)
			reopened = true // and verified, all of each
		default:
			return err
		}
	}
}

// maxExchanges is how often the database is exchanged while it is asked once.
const maxExchanges = 3

// Replaced is the code of an index that another program puts its own in the place of, or
// damages, again and again.
const Replaced problem.Code = "index_replaced"

// ReplacedProblem is the Problem of such an index.
func ReplacedProblem() *problem.Problem {
	return problem.New(Replaced, "index.replaced").Or("index.end_other_versions")
}

// acquireDB returns the database; it stays open until it is let go. Nobody waits for
// those who hold it but [Index.Close]: one of them may be waiting for a look at
// the files that finds the database damaged.
func (x *Index) acquireDB() *sqlite.DB {
	x.dbLock.Lock()
	defer x.dbLock.Unlock()
	x.using[x.db]++
	return x.db
}

func (x *Index) letGo(db *sqlite.DB) {
	x.dbLock.Lock()
	defer x.dbLock.Unlock()
	if x.using[db]--; x.using[db] > 0 {
		return
	}
	delete(x.using, db)
	x.unused.Broadcast()
	if db != x.db {
		x.closeOld(db)
	}
}

// closeOld closes a database that was exchanged and that nobody holds.
func (x *Index) closeOld(db *sqlite.DB) {
	if err := db.Close(); err != nil {
		x.log.Warn("index: close damaged database", "error", err)
	}
}

// exchange puts another database in the place of a damaged or replaced one.
func (x *Index) exchange(ctx context.Context, old *sqlite.DB, why error) error {
	x.dbLock.Lock()
	defer x.dbLock.Unlock()
	if x.db != old {
		return nil // somebody else was faster
	}
	if why != nil {
		x.log.Warn("index: database damaged; it is set aside and grows back", "error", why)
		if err := old.Discard(ctx); err != nil {
			return fmt.Errorf("index: %w", err)
		}
	}
	db, err := x.openDatabase(ctx)
	if err != nil {
		return err
	}
	x.markIncomplete()
	x.db = db
	if x.using[old] == 0 {
		x.closeOld(old)
	}
	return nil
}

// markIncomplete has answers say that they may lack something, before what is shown is
// of a database that has to grow back. The next look at the files says how much.
func (x *Index) markIncomplete() {
	f := Freshness{VerifiedAt: x.now(), Building: true}
	s := x.acquire(base)
	s.each(func(postings.Ref) bool { f.Files++; return true })
	x.release(s)
	f.Pending = f.Files
	x.note(f)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.damages++
}

// lockWriting takes the right to write, which one process at a time has. It
// returns nil if another has it.
func (x *Index) lockWriting() (unlock func(), err error) {
	if err := x.p.MakeIndexDir(x.dir); err != nil {
		return nil, err
	}
	if err := sqlite.ClearLock(filepath.Join(x.folder(), lockName)); err != nil {
		return nil, fmt.Errorf("index: lock: %w", err)
	}
	l, err := atomicfile.LockFile(filepath.Join(x.folder(), lockName))
	if err != nil {
		return nil, fmt.Errorf("index: lock: %w", err)
	}
	ok, err := l.TryLock()
	if err != nil {
		return nil, fmt.Errorf("index: lock: %w", err)
	}
	if !ok {
		return nil, nil
	}
	return func() { l.Unlock() }, nil
}

// acquire returns the snapshot to answer from. It lives until it is released.
func (x *Index) acquire(which func(*Index) *snapshot) *snapshot {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := which(x)
	s.users++
	return s
}

func base(x *Index) *snapshot  { return x.base }
func shown(x *Index) *snapshot { return x.shown }

func (x *Index) release(s *snapshot) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if s.users--; s.users > 0 {
		return
	}
	for _, p := range s.parts {
		if p.users--; p.users == 0 {
			if err := p.close(); err != nil {
				x.log.Warn("index: close segment", "error", err)
			}
		}
	}
}

// reload reads the state of the database, and makes it what is shown, under the
// overlay if there is one.
func (x *Index) reload(ctx context.Context, db *sqlite.DB, over overlay) error {
	x.loading.Lock()
	defer x.loading.Unlock()
	before := x.acquire(base)
	defer x.release(before)
	return x.replace(ctx, db, before, over)
}

// reloadAll is [Index.reload] without trust in any segment that is open. What is shown
// stays until there is something to show in its place.
func (x *Index) reloadAll(ctx context.Context, db *sqlite.DB) error {
	x.loading.Lock()
	defer x.loading.Unlock()
	return x.replace(ctx, db, &snapshot{view: postings.NewView(), users: 1, distrusted: true}, x.overlay)
}

// replace is under loading. Parts that before has too are used again. What a
// database says that was exchanged meanwhile is not shown.
func (x *Index) replace(ctx context.Context, db *sqlite.DB, before *snapshot, over overlay) error {
	next, err := x.load(ctx, db, before, nil)
	if err != nil {
		return err
	}
	top := next
	if len(over) > 0 {
		s, err := x.load(ctx, db, next, over)
		if err != nil {
			x.release(next)
			return err
		}
		top = s
	}
	x.date(top)
	oldBase, oldShown := next, top
	x.dbLock.Lock()
	if x.db == db {
		x.overlay = over
		x.mu.Lock()
		oldBase, oldShown = x.base, x.shown
		x.base, x.shown = next, top
		if before.distrusted {
			x.damages++
		}
		x.mu.Unlock()
	}
	x.dbLock.Unlock()
	if oldShown != oldBase {
		x.release(oldShown)
	}
	x.release(oldBase)
	return nil
}

// date gives a snapshot the state of what is shown if it says the same: no answer is made
// void by a file that was read again with the text that it had, or by segments that were
// merged. It is under loading.
func (x *Index) date(next *snapshot) {
	now := x.acquire(shown)
	defer x.release(now)
	next.state = next.serial
	err := segment.Guard(func() error {
		if next.sameContent(now) {
			next.state = now.state
		}
		return nil
	})
	if err != nil {
		next.state = next.serial
	}
}

// load returns a snapshot with one user.
func (x *Index) load(ctx context.Context, db *sqlite.DB, before *snapshot, over overlay) (*snapshot, error) {
	s, err := load(ctx, db, x.folder(), before, over)
	if err != nil {
		return nil, err
	}
	if len(s.missing) > 0 {
		x.log.Warn("index: segments missing or damaged; they are made again", "segments", len(s.missing))
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	s.users, s.from = 1, db
	x.serial++
	s.serial = x.serial
	for _, p := range s.parts {
		p.users++
	}
	return s, nil
}

// ask answers a question from what is shown. Where a segment turns out to be
// damaged, all are verified and the question is asked once more.
func (x *Index) ask(ctx context.Context, f func(*snapshot) error) error {
	for again := false; ; again = true {
		s := x.acquire(shown)
		err := segment.Guard(func() error { return f(s) })
		x.release(s)
		if again || !errors.Is(err, postings.ErrCorrupt) {
			return err
		}
		x.log.Warn("index: segment damaged", "error", err)
		if err := x.withDB(ctx, func(db *sqlite.DB) error { return x.reloadAll(ctx, db) }); err != nil {
			return err
		}
	}
}
