// Package repofile opens, writes, moves, removes and lists files in a repository, which may
// contain anything.
//
// No link is followed out of the project, not even one that appears between a check and its
// use, and no link at all is followed to write, move or remove something. Only regular files
// are opened, so nothing blocks and no device is read. Reads have a limit. A violation is a
// [Refusal], which a surface shows as a problem with the code [Code].
package repofile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"codeintel/internal/platform/msg"
)

// Limits of what is read, in bytes. A file that is larger is a [Refusal].
const (
	Settings = 1 << 20  // written by people: configuration, prompts, rules
	Records  = 64 << 20 // written by this program: ledgers, checkpoints
)

// Code is the code of the problem that a [Refusal] is.
const Code = "unsafe_file"

// A Reason says why a file is not touched.
type Reason string

// The reasons; each is the key of a message.
const (
	Link       Reason = "repofile.link"        // it is a link, or is behind one, and is to be changed
	Outside    Reason = "repofile.outside"     // a link leads out of the project
	NotRegular Reason = "repofile.not_regular" // a device, pipe, socket or folder in the place of a file
	HardLink   Reason = "repofile.hard_link"   // it has another name, perhaps outside of the project, and is to be changed
	TooLarge   Reason = "repofile.too_large"
)

// A Refusal is the error for a file that is there, and not to be touched.
type Refusal struct {
	Path  string // as it is shown: relative to the project, with "/"
	Why   Reason
	Limit int64 // of TooLarge, in bytes
}

func (r *Refusal) message() msg.Message {
	if r.Why == TooLarge {
		return msg.New(string(r.Why), r.Path, r.Limit)
	}
	return msg.New(string(r.Why), r.Path)
}

func (r *Refusal) Error() string { return r.message().String() }

// AsProblem returns what a surface shows.
func (r *Refusal) AsProblem() (code string, what msg.Message, next []msg.Message) {
	return Code, r.message(), []msg.Message{msg.New("repofile.replace_it")}
}

// own are the folders of a project that this program and git keep their files in.
var own = []string{".code-intel", ".specs", ".git"}

// A Place is where a file lies, or will lie.
type Place struct {
	path string // absolute
	root string // the project; "" for a file of the user's own, outside of all projects
	rel  string
}

// At returns the place of an absolute path. What is in .code-intel, .specs or .git
// is confined to the project that holds this folder. Everything else is the user's
// own: there, links are followed.
func At(path string) Place {
	path = filepath.Clean(path)
	for rest := path; ; {
		dir, name := filepath.Split(rest)
		if slices.Contains(own, name) {
			return Place{path, filepath.Clean(dir), path[len(dir):]}
		}
		up := strings.TrimSuffix(dir, string(filepath.Separator))
		if up == "" || up == rest {
			return Place{path: path}
		}
		rest = up
	}
}

// In returns the place of a path relative to a project, with "/".
func In(root, rel string) Place {
	rel = filepath.Clean(filepath.FromSlash(rel))
	return Place{filepath.Join(root, rel), root, rel}
}

// Join returns the place of a name in a folder.
func (p Place) Join(name string) Place {
	p.path = filepath.Join(p.path, name)
	if p.root != "" {
		p.rel = filepath.Join(p.rel, name)
	}
	return p
}

// Folder returns the place of the folder that holds p.
func (p Place) Folder() Place {
	p.path = filepath.Dir(p.path)
	if p.root != "" {
		p.rel = filepath.Dir(p.rel)
	}
	return p
}

// Path returns the absolute path.
func (p Place) Path() string { return p.path }

// Real returns the absolute path without the links that lead to the project. Of a file of the
// user's own, it is the path without those that lead to its folder.
func (p Place) Real() (string, error) {
	if p.root == "" {
		dir, err := filepath.EvalSymlinks(filepath.Dir(p.path))
		return filepath.Join(dir, filepath.Base(p.path)), err
	}
	root, err := filepath.EvalSymlinks(p.root)
	return filepath.Join(root, p.rel), err
}

func (p Place) refuse(why Reason) error {
	return &Refusal{Path: filepath.ToSlash(cmp.Or(p.rel, p.path)), Why: why}
}

func (p Place) tooLarge(limit int64) error {
	return &Refusal{Path: filepath.ToSlash(cmp.Or(p.rel, p.path)), Why: TooLarge, Limit: limit}
}

// explain turns what the system says of a link or a special file into a Refusal.
func (p Place) explain(err error) error {
	if err == nil {
		return nil
	}
	if e := (*fs.PathError)(nil); errors.As(err, &e) && e.Err.Error() == "path escapes from parent" {
		return p.refuse(Outside) // the error of os.Root, which has no name
	}
	if e := (*os.LinkError)(nil); errors.As(err, &e) && e.Err.Error() == "path escapes from parent" {
		return p.refuse(Outside)
	}
	switch {
	case errors.Is(err, syscall.ENXIO) || errors.Is(err, syscall.EISDIR):
		return p.refuse(NotRegular) // a socket, or a pipe without a reader
	case errors.Is(err, syscall.ELOOP):
		return p.refuse(Link)
	}
	return err
}

// Exists reports whether something has that path, if only a link.
func (p Place) Exists() bool {
	_, err := os.Lstat(p.path)
	return err == nil
}

// WithoutLinks reports whether there is something at the place of a file of a project, and no
// link at its end or on the way. It may also return false where that cannot be found out in one
// step.
func (p Place) WithoutLinks() bool { return p.root != "" && p.withoutLinks() }

// Open opens a regular file for reading. A link is followed that stays in the project.
func (p Place) Open() (*os.File, fs.FileInfo, error) {
	f, err := p.open(os.O_RDONLY, 0, true)
	if err != nil {
		return nil, nil, p.explain(err)
	}
	info, err := p.regular(f)
	return f, info, err
}

// OpenPlain is [Place.Open] for a path that a listing or a resolved name gave: no link
// is followed.
func (p Place) OpenPlain() (*os.File, fs.FileInfo, error) {
	f, err := p.open(os.O_RDONLY, 0, p.root == "")
	if err != nil {
		return nil, nil, p.explain(err)
	}
	info, err := p.regular(f)
	return f, info, err
}

// regular closes a file that is not a regular one.
func (p Place) regular(f *os.File) (fs.FileInfo, error) {
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = p.refuse(NotRegular)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return info, nil
}

// Read returns what a regular file holds, which is no more than limit bytes.
func (p Place) Read(limit int64) ([]byte, error) {
	f, info, err := p.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > limit {
		return nil, p.tooLarge(limit)
	}
	data := make([]byte, 0, info.Size()+512)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > limit: // it has grown
			return nil, p.tooLarge(limit)
		case errors.Is(err, io.EOF):
			return data, nil
		case err != nil:
			return nil, err
		case len(data) == cap(data):
			data = slices.Grow(data, len(data))
		}
	}
}

// OpenFile opens a regular file for writing, or makes it. No link is followed.
func (p Place) OpenFile(flag int, perm fs.FileMode) (*os.File, error) {
	f, err := p.open(flag&^os.O_TRUNC, perm, p.root == "") // what turns out to be another file is not emptied
	if err != nil {
		return nil, p.explain(err)
	}
	info, err := p.regular(f)
	if err != nil {
		return nil, err
	}
	if p.root != "" && names(info) > 1 {
		return nil, errors.Join(p.refuse(HardLink), f.Close())
	}
	if flag&os.O_TRUNC != 0 {
		if err := f.Truncate(0); err != nil {
			return nil, errors.Join(err, f.Close())
		}
	}
	return f, nil
}

// Write makes a file, or replaces what it holds, in place: a crash may leave half of
// it. Package atomicfile has what cannot be read half.
func (p Place) Write(data []byte, perm fs.FileMode) error {
	f, err := p.OpenFile(os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// CreateTemp makes a new file in the folder p. The last "*" of the pattern becomes a
// random string.
func (p Place) CreateTemp(pattern string) (*os.File, Place, error) {
	before, after := pattern, ""
	if i := strings.LastIndexByte(pattern, '*'); i >= 0 {
		before, after = pattern[:i], pattern[i+1:]
	}
	for attempt := 0; ; attempt++ {
		to := p.Join(fmt.Sprintf("%s%d%s", before, rand.Uint32(), after))
		f, err := to.OpenFile(os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if attempt == 1000 || !errors.Is(err, fs.ErrExist) {
			return f, to, err
		}
	}
}

// MakeTemp makes a new folder in the folder p, as CreateTemp does a file.
func (p Place) MakeTemp(pattern string) (Place, error) {
	f, to, err := p.CreateTemp(pattern) // which finds a name that is free
	if err != nil {
		return to, err
	}
	return to, errors.Join(f.Close(), to.Remove(), to.MakeFolder(0o755))
}

// MakeFolder makes the folder and those above it in the project.
func (p Place) MakeFolder(perm fs.FileMode) error {
	if p.root == "" {
		return os.MkdirAll(p.path, perm)
	}
	if p.rel == "." {
		return nil
	}
	return p.within(true, func(r *os.Root) error { return r.MkdirAll(p.rel, perm) })
}

// Rename moves a file or folder, over one that is there. Both places are of one
// project, or of the user.
func (p Place) Rename(to Place) error {
	if p.root != to.root {
		return fmt.Errorf("rename %s: %s is in another project", p.path, to.path)
	}
	if p.root == "" {
		return os.Rename(p.path, to.path)
	}
	return p.within(false, func(r *os.Root) error {
		if err := to.noLinks(r, false); err != nil {
			return err
		}
		return r.Rename(p.rel, to.rel)
	})
}

// Remove removes a file, a link or an empty folder.
func (p Place) Remove() error {
	if p.root == "" {
		return os.Remove(p.path)
	}
	return p.within(false, func(r *os.Root) error { return r.Remove(p.rel) })
}

// RemoveAll removes a folder and everything in it; links in it, not what they lead to.
func (p Place) RemoveAll() error {
	if p.root == "" {
		return os.RemoveAll(p.path)
	}
	err := p.within(false, func(r *os.Root) error { return r.RemoveAll(p.rel) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Chtimes sets the times of a file.
func (p Place) Chtimes(accessed, modified time.Time) error {
	if p.root == "" {
		return os.Chtimes(p.path, accessed, modified)
	}
	return p.within(true, func(r *os.Root) error { return r.Chtimes(p.rel, accessed, modified) })
}

// Sync forces the entries of a folder to disk.
func (p Place) Sync() error {
	d, err := p.openFolder()
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// List returns what is in a folder, by name. A link to a folder is followed that
// stays in the project.
func (p Place) List() ([]fs.DirEntry, error) {
	d, err := p.openFolder()
	if err != nil {
		return nil, err
	}
	entries, err := d.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return entries, errors.Join(err, d.Close())
}

// Match returns the paths in a folder whose names match a pattern of
// [filepath.Match], sorted. A folder that cannot be read holds none.
func (p Place) Match(pattern string) (paths []string) {
	entries, _ := p.List()
	for _, e := range entries {
		if ok, err := filepath.Match(pattern, e.Name()); ok && err == nil {
			paths = append(paths, filepath.Join(p.path, e.Name()))
		}
	}
	return paths
}

// Check returns a Refusal if there is a link on the way, or something at the place
// that is neither a regular file nor a folder. It is for files that a library opens
// by their names.
func (p Place) Check() error {
	if p.root == "" {
		return nil
	}
	err := p.within(true, func(r *os.Root) error {
		info, err := r.Lstat(p.rel)
		if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
			err = p.refuse(NotRegular)
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// CheckTarget returns a Refusal if a program that opens files by their names, such as
// git, would wait for what is at the place, read from a device, or read more than limit
// bytes; 0 is no limit. Links are followed as that program would follow them. A folder,
// a socket, the null device, and what is not there are harmless.
func (p Place) CheckTarget(limit int64) error {
	info, err := os.Stat(p.path)
	if err != nil {
		return nil
	}
	if info.Mode()&(fs.ModeNamedPipe|fs.ModeDevice) != 0 {
		if null, err := os.Stat(os.DevNull); err == nil && os.SameFile(info, null) {
			return nil
		}
		return p.refuse(NotRegular)
	}
	if limit > 0 && info.Mode().IsRegular() && info.Size() > limit {
		return p.tooLarge(limit)
	}
	return nil
}

// CheckFolder is [Place.Check] for a folder and each entry in it.
func (p Place) CheckFolder() error {
	if err := p.Check(); err != nil {
		return err
	}
	entries, err := p.List()
	if errors.Is(err, fs.ErrNotExist) || p.root == "" {
		return nil
	}
	for _, e := range entries {
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			return p.Join(e.Name()).refuse(Link)
		case !e.Type().IsRegular() && !e.IsDir():
			return p.Join(e.Name()).refuse(NotRegular)
		}
	}
	return err
}

// within calls do with the project, in which no link is on the way to the place; nor
// at its end, if last.
func (p Place) within(last bool, do func(*os.Root) error) error {
	r, err := os.OpenRoot(p.root)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := p.noLinks(r, last); err != nil {
		return err
	}
	return p.explain(do(r))
}

// noLinks returns a Refusal if one of the folders on the way is a link. That one is
// put in afterwards is for r to notice: it then leads no further than the project.
func (p Place) noLinks(r *os.Root, last bool) error {
	names := strings.Split(p.rel, string(filepath.Separator))
	for i := range names {
		if i == len(names)-1 && !last {
			break
		}
		info, err := r.Lstat(filepath.Join(names[:i+1]...))
		if err != nil {
			break // what is not there is no link
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return (Place{p.path, p.root, filepath.Join(names[:i+1]...)}).refuse(Link)
		}
	}
	return nil
}

func (p Place) openFolder() (*os.File, error) {
	if p.root == "" {
		return os.Open(p.path)
	}
	f, err := p.open(os.O_RDONLY, 0, true)
	if err != nil {
		return nil, p.explain(err)
	}
	if info, err := f.Stat(); err != nil || !info.IsDir() {
		return nil, errors.Join(&fs.PathError{Op: "readdir", Path: p.path, Err: syscall.ENOTDIR}, f.Close())
	}
	return f, nil
}

// openPortably opens by way of os.Root. Links are followed within the project, or not
// at all.
func (p Place) openPortably(flag int, perm fs.FileMode, links bool) (*os.File, error) {
	if p.root == "" {
		return os.OpenFile(p.path, flag|nonblock, perm)
	}
	r, err := os.OpenRoot(p.root)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if links {
		return r.OpenFile(p.rel, flag|nonblock, perm)
	}
	if err := p.noLinks(r, true); err != nil {
		return nil, err
	}
	f, err := r.OpenFile(p.rel, flag|nonblock, perm)
	if err != nil {
		return nil, err
	}
	// A link that was put in meanwhile: what it led to is another file than the name.
	named, namedErr := r.Lstat(p.rel)
	opened, openedErr := f.Stat()
	if err := errors.Join(namedErr, openedErr); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if !os.SameFile(named, opened) {
		return nil, errors.Join(p.refuse(Link), f.Close())
	}
	return f, nil
}
