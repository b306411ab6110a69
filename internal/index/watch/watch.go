// Package watch reports which folders of a tree have changed since the last call.
//
// A [Watcher] has the system report changes in the folders that it follows, and collects
// them, each folder once, until its owner asks. [Watcher.Drain] first makes sure that the
// reports of all changes that ended before the call have arrived: it writes to a file of
// its own and waits for that report, which is behind all others in the queue.
//
// No change is lost silently. If reports were lost, or are not available at all, it says so
// from then on, and its owner looks at all files again. It cannot see what no system
// reports: writes through a memory map, or through another name of the file in a folder
// that is not followed. It knows nothing of ignore rules: its owner names the folders.
// Symbolic links are not followed, and nothing is written but its own file.
package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"

	"codeintel/internal/platform/repofile"
)

// errMissedChanges says that changes may have gone unseen. Its Watcher is of no use any
// more, except to be closed.
var errMissedChanges = errors.New("watch: changes were lost")

// ErrOverflow says that the reason was too many changes at once: another Watcher
// may do better.
var ErrOverflow = fsnotify.ErrEventOverflow

// ErrUnavailable says that this system, or this file system, does not report
// changes, or not in an order that a Drain could rely on.
var ErrUnavailable = errors.New("watch: changes are not reported here")

// patience is how long a Drain waits for its own report, which takes well under
// a millisecond, before it holds that reports no longer arrive.
const patience = 2 * time.Second

// A Watcher follows folders. It is safe for concurrent use.
type Watcher struct {
	system *fsnotify.Watcher
	mark   *os.File // written by Drain, and watched

	draining sync.Mutex    // one Drain at a time
	seen     chan struct{} // the report of the mark arrived
	news     chan struct{} // something changed
	broken   chan struct{} // closed when lost is set
	ended    chan struct{} // closed when gather has returned

	mu       sync.Mutex
	err      error
	followed map[string]struct{}
	touched  map[string]struct{}
	moved    map[string]struct{}
}

// Changes are what happened to the folders followed, by their absolute paths.
type Changes struct {
	// Folders in which a name came, went, or became another, or a file changed.
	Touched []string
	// Followed folders that came, went or moved. What bears the name now, if
	// anything, is not what was followed. They are not followed any more, nor is
	// any folder below.
	Moved []string
}

// Open returns a Watcher that follows nothing yet and keeps its own file in dir,
// which must exist.
func Open(dir string) (*Watcher, error) {
	if err := reliable(dir); err != nil {
		return nil, err
	}
	sweep(dir)
	system, err := fsnotify.NewBufferedWatcher(256)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, explain(err))
	}
	w := &Watcher{
		system: system,
		seen:   make(chan struct{}, 1), news: make(chan struct{}, 1),
		broken: make(chan struct{}), ended: make(chan struct{}),
		followed: make(map[string]struct{}), touched: make(map[string]struct{}), moved: make(map[string]struct{}),
	}
	if err := w.makeMark(dir); err != nil {
		return nil, errors.Join(err, system.Close())
	}
	go w.collectEvents()
	return w, nil
}

// markPrefix begins the names of the files that Watchers keep.
const markPrefix = ".watch-"

func (w *Watcher) makeMark(dir string) error {
	f, mark, err := repofile.At(dir).CreateTemp(markPrefix + "*")
	if err != nil {
		return fmt.Errorf("watch: open: %w", err)
	}
	_, err = f.WriteString(".") // so that a full disk shows now, not later
	if err == nil {
		err = w.system.Add(f.Name())
	}
	if err != nil {
		return errors.Join(fmt.Errorf("%w: %w", ErrUnavailable, explain(err)), f.Close(), mark.Remove())
	}
	w.mark = f
	return nil
}

// staleMark is the age from which another Watcher's mark counts as left behind by a dead
// process. If that process is alive after all, no harm is done: it goes on writing to the
// file, which has lost only its name.
const staleMark = 24 * time.Hour

// sweep removes the marks that dead processes left behind.
func sweep(dir string) {
	entries, err := repofile.At(dir).List()
	if err != nil {
		return
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), markPrefix) &&
			time.Since(info.ModTime()) > staleMark {
			repofile.At(filepath.Join(dir, e.Name())).Remove()
		}
	}
}

// Close ends the Watcher and removes its file.
func (w *Watcher) Close() error {
	w.fail(fs.ErrClosed)
	err := w.system.Close()
	<-w.ended
	w.draining.Lock()
	defer w.draining.Unlock()
	if w.mark == nil {
		return nil
	}
	name := w.mark.Name()
	err = errors.Join(err, w.mark.Close())
	if gone := repofile.At(name).Remove(); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
		err = errors.Join(err, gone)
	}
	w.mark = nil
	if err != nil {
		return fmt.Errorf("watch: close: %w", err)
	}
	return nil
}

// Follow begins to report changes in a folder; not in those below. It is to be
// called before the folder is read. To follow one again does no harm, and is
// how a folder that was mounted anew is found. A folder that is not there, or
// may not be read, is passed over: the folder above reports when that changes.
func (w *Watcher) Follow(dir string) error {
	if err := w.Err(); err != nil {
		return err
	}
	err := w.system.Add(dir)
	switch {
	case err == nil:
		w.mu.Lock()
		w.followed[dir] = struct{}{}
		w.mu.Unlock()
		return nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR), errors.Is(err, fs.ErrPermission),
		errors.Is(err, syscall.ELOOP):
		return nil
	}
	return w.fail(explain(err))
}

// Unfollow ends the reports of a folder and of all below it.
func (w *Watcher) Unfollow(dir string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.unfollow(dir)
}

func (w *Watcher) unfollow(dir string) {
	below := dir + string(filepath.Separator)
	for name := range w.followed {
		if name == dir || strings.HasPrefix(name, below) {
			delete(w.followed, name)
			// The error is that the system let go of it first.
			_ = w.system.Remove(name)
		}
	}
}

// Followed returns how many folders are followed.
func (w *Watcher) Followed() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.followed)
}

// Err returns why the Watcher is of no use any more, nil while it is.
func (w *Watcher) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// News returns a channel that has something to say after a change, once for all
// changes until it is listened to.
func (w *Watcher) News() <-chan struct{} { return w.news }

// Drain returns all that changed until it was called and no Drain returned
// before. The error is ErrLost.
func (w *Watcher) Drain() (Changes, error) {
	w.draining.Lock()
	defer w.draining.Unlock()
	if err := w.Err(); err != nil {
		return Changes{}, err
	}
	// Each write makes one report, and each Drain waits for its own or gives the
	// Watcher up; so the next report of the mark is that of this write.
	if _, err := w.mark.WriteAt([]byte("."), 0); err != nil {
		return Changes{}, w.fail(err)
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-w.seen:
	case <-w.broken:
		return Changes{}, w.Err()
	case <-late.C:
		return Changes{}, w.fail(errors.New("no report of its own file"))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	var c Changes
	for dir := range w.moved {
		c.Moved = append(c.Moved, dir)
		w.unfollow(dir)
	}
	for dir := range w.touched {
		c.Touched = append(c.Touched, dir)
	}
	clear(w.moved)
	clear(w.touched)
	return c, nil
}

// fail gives the Watcher up.
func (w *Watcher) fail(why error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = fmt.Errorf("%w: %w", errMissedChanges, why)
		close(w.broken)
		w.notify()
	}
	return w.err
}

func (w *Watcher) notify() {
	select {
	case w.news <- struct{}{}:
	default: // not heard yet
	}
}

// collectEvents takes what the system reports, so that its queue does not fill.
func (w *Watcher) collectEvents() {
	defer close(w.ended)
	for {
		select {
		case e, ok := <-w.system.Events:
			if !ok {
				w.fail(errors.New("the system ended its reports"))
				return
			}
			w.record(e)
		case err, ok := <-w.system.Errors:
			switch {
			case errors.Is(err, syscall.EINVAL):
				// A folder moved and was then removed: there was nothing left to
				// unfollow. It says no more than that.
			case ok && err != nil:
				w.fail(explain(err))
			}
			if !ok {
				w.fail(errors.New("the system ended its reports"))
				return
			}
		}
	}
}

func (w *Watcher) record(e fsnotify.Event) {
	if e.Name == w.mark.Name() {
		if e.Has(fsnotify.Write) {
			select {
			case w.seen <- struct{}{}:
			default: // somebody else wrote to it
			}
		}
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ok := w.followed[e.Name]; ok {
		if e.Has(fsnotify.Create) || e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
			w.moved[e.Name] = struct{}{}
		} else {
			w.touched[e.Name] = struct{}{}
		}
	}
	w.touched[filepath.Dir(e.Name)] = struct{}{}
	w.notify()
}

// explain says what a user can do about an error.
func explain(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("no more folders can be watched (see fs.inotify.max_user_watches): %w", err)
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return fmt.Errorf("no more watchers can be opened (see fs.inotify.max_user_instances): %w", err)
	case errors.Is(err, fsnotify.ErrEventOverflow):
		return fmt.Errorf("more changes at once than the system queues (see fs.inotify.max_queued_events): %w", err)
	}
	return err
}
