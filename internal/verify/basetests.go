package verify

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/platform/tempdir"
	"codeintel/internal/syntax"
)

// A Base describes the other files that a command runs on: a copy of the project in
// which a part of the files is unchanged.
type Base struct {
	Part    Part
	Files   []string          // of the project, relative to its root: what is copied
	Ignored []string          // files, and folders with a "/" behind them, that git ignores
	Was     map[string][]byte // files of the part by their path, as they were
	Added   []string          // files of the part that were not there
	Source  []string          // source files of the part: those that changed, and what is beside them
	Known   []string          // failures of the command now: those do not count
	Since   time.Time         // of what git ignores, files that came or changed later are left out; zero: none is
}

// A Part says which of the changed files are as they were in a copy.
type Part string

// The parts.
const (
	Tests Part = "tests" // a failure that the copy itself causes is not counted
	Code  Part = "code"  // what is not a test; what has nothing to do with that code is not counted
	Whole Part = "whole" // all
)

// Limits of what is copied.
const (
	maxCopied       = 512 << 20 // bytes in all
	maxFiles        = 50_000
	maxIgnored      = 5_000   // files that git ignores
	maxIgnoredBytes = 1 << 20 // of one of them
)

// Installed are the folders, usually ignored, in which what a project needs is
// installed. A copy is led to those of the project.
var Installed = []string{"node_modules", ".venv", "venv", "env", ".env", "vendor", ".bundle", "bower_components",
	"deps", ".yarn", "elm-stuff", "Pods"}

// built are the folders, usually ignored, that are made anew when tests run.
var built = []string{"target", "build", "dist", "out", "bin", "obj", "_build", "coverage", "htmlcov", "tmp", "logs", "__pycache__"}

func errTooLarge() error { return msg.Err("verify.too_large_to_copy", maxFiles, maxCopied>>20) }

// run runs a command on the copy, and once more where only that tells whether the result says something
// of the part. A failure is the copy's if the command fails there with everything as it is now, too. Code
// of which the command still passes when it cannot be read was not read from the copy, but from the
// project perhaps, where what is installed leads to it. In both cases the Result is skipped. Of
// the whole, the Result is all that is known.
func (b *Base) run(ctx context.Context, root string, c Choice) (Result, error) {
	skipped := func(why msg.Message) (Result, error) {
		return Result{Name: c.Name, Command: c.Command, Files: c.Files, Exit: -1, Skipped: why}, context.Cause(ctx)
	}
	c.Base = b // which tells run that it is a copy
	dir, err := tempdir.NewApart("code-intel-tests-")
	if err != nil {
		return skipped(msg.New("verify.no_copy", err))
	}
	defer dir.Remove()
	p := &projectCopy{root: root, at: filepath.Join(dir.Path, filepath.Base(root))}
	if err := p.makeFolder(dir.Path); err != nil {
		return skipped(msg.New("verify.no_copy", err))
	}
	defer p.in.Close()
	if err := errors.Join(p.fill(ctx, b), p.putBase(b)); err != nil {
		return skipped(msg.New("verify.no_copy", err))
	}
	r, err := run(ctx, p.at, c)
	r = r.Beyond(b.Known)
	if err != nil || b.Part == Whole || r.Passed && b.Part == Tests {
		return r, err
	}
	change := p.putCurrent
	if r.Passed {
		change = p.breakSources
	}
	if err := change(b); err != nil {
		return skipped(msg.New("verify.no_copy", err))
	}
	again, err := run(ctx, p.at, c)
	switch passes := again.Beyond(b.Known).Passed; {
	case err != nil:
		return again, err
	case r.Passed && passes:
		return skipped(msg.New("verify.copy_is_not_read"))
	case !r.Passed && !passes:
		return skipped(msg.New("verify.fails_in_a_copy", again.Why))
	}
	return r, nil
}

// NoteSource notes the source files of the part that changed, and those in the same folder and language,
// of the files for which of is true.
func (b *Base) NoteSource(of func(file string) bool) {
	changed := slices.Concat(slices.Sorted(maps.Keys(b.Was)), b.Added)
	beside := func(file string) bool {
		l := syntax.Detect(file, nil)
		return of(file) && syntax.Of(l) != nil && syntax.Of(l).Testing.Passed != nil &&
			slices.ContainsFunc(changed, func(c string) bool { return path.Dir(c) == path.Dir(file) && syntax.Detect(c, nil) == l })
	}
	b.Source = slices.DeleteFunc(slices.Concat(changed, b.Files), func(f string) bool { return !beside(f) })
}

// projectCopy is a copy of a project. Nothing is written through a link that leads out of it.
type projectCopy struct {
	root  string // the project
	at    string // the copy
	in    *os.Root
	bytes int64
	deep  int // files in folders that git ignores
}

// makeFolder makes the copy's folder in dir, with the name that the project's has.
func (p *projectCopy) makeFolder(dir string) error {
	above, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer above.Close()
	name := filepath.Base(p.at)
	if err := above.Mkdir(name, 0o700); err != nil {
		return err
	}
	p.in, err = above.OpenRoot(name)
	return err
}

// fill copies the project.
func (p *projectCopy) fill(ctx context.Context, b *Base) error {
	if len(b.Files) > maxFiles {
		return errTooLarge()
	}
	for _, f := range b.Files {
		if err := errors.Join(p.file(f), p.dated(f), ctx.Err()); err != nil {
			return err
		}
		if p.bytes > maxCopied {
			return errTooLarge()
		}
	}
	for _, f := range b.Ignored {
		name, folder := strings.CutSuffix(f, "/")
		if err := p.ignored(ctx, name, folder, b.Since); err != nil {
			return err
		}
	}
	return nil
}

// ignored copies what git ignores, if it is not made anew: small files that are no newer than
// since, and links to what is installed.
func (p *projectCopy) ignored(ctx context.Context, name string, folder bool, since time.Time) error {
	base := path.Base(name)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case p.bytes > maxCopied:
		return errTooLarge()
	case slices.Contains(built, base), strings.HasSuffix(base, "_cache"), base == ".git", base == ".code-intel":
		return nil
	case slices.Contains(Installed, base):
		return p.installed(name, 2)
	case !folder:
		info, err := os.Lstat(filepath.Join(p.root, filepath.FromSlash(name)))
		if p.deep++; err != nil || p.deep > maxIgnored || !info.Mode().IsRegular() || info.Size() > maxIgnoredBytes ||
			!since.IsZero() && changedAt(info).After(since) {
			return nil
		}
		return p.file(name)
	}
	entries, err := repofile.In(p.root, name).List()
	if err != nil {
		return nil // as if it were not there
	}
	for _, e := range entries {
		if err := p.ignored(ctx, path.Join(name, e.Name()), e.IsDir(), since); err != nil {
			return err
		}
	}
	return nil
}

// installed leads the copy to what is installed in the project. Where links lead back to the project's own
// code, as those of workspaces do, they lead to that of the copy. So do the files by which Composer finds code.
func (p *projectCopy) installed(name string, deep int) error {
	entries, err := repofile.In(p.root, name).List()
	own := make(map[string]string) // where entries lead in the project
	composer := slices.Contains([]string{"vendor", "vendor/composer", "vendor/bin"}, name) &&
		repofile.In(p.root, "vendor/autoload.php").Exists()
	apart := composer
	for _, e := range entries {
		entry := path.Join(name, e.Name())
		switch {
		case e.Type()&fs.ModeSymlink != 0:
			own[entry] = p.leadsBack(entry)
		case e.IsDir() && deep > 1 && (composer || strings.HasPrefix(e.Name(), "@")):
			own[entry] = "/"
		}
		apart = apart || own[entry] != ""
	}
	if err != nil || !apart {
		return p.link(name, filepath.Join(p.root, filepath.FromSlash(name)))
	}
	for _, e := range entries {
		entry := path.Join(name, e.Name())
		switch lead := own[entry]; {
		case lead == "/":
			err = p.installed(entry, deep-1)
		case lead != "":
			err = p.link(entry, filepath.FromSlash(strings.Repeat("../", strings.Count(entry, "/"))+lead))
		case composer && e.Type().IsRegular():
			err = p.file(entry)
		default:
			err = p.link(entry, filepath.Join(p.root, filepath.FromSlash(entry)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// leadsBack returns what a link in the project leads to, if that is in the project and is not installed
// there, or "".
func (p *projectCopy) leadsBack(link string) string {
	root, err := filepath.EvalSymlinks(p.root)
	to, err2 := filepath.EvalSymlinks(filepath.Join(p.root, filepath.FromSlash(link)))
	if err != nil || err2 != nil {
		return ""
	}
	rel, err := filepath.Rel(root, to)
	if err != nil || !filepath.IsLocal(rel) || rel == "." {
		return ""
	}
	rel = filepath.ToSlash(rel)
	if slices.ContainsFunc(strings.Split(rel, "/"), func(part string) bool { return slices.Contains(Installed, part) }) {
		return ""
	}
	return rel
}

// link makes a link in the copy, unless the name is taken.
func (p *projectCopy) link(name, target string) error {
	name = filepath.FromSlash(name)
	if err := p.in.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	if err := p.in.Symlink(target, name); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// file copies a file, and a link as a link. What is not there or is neither is left out.
func (p *projectCopy) file(name string) error {
	local := filepath.FromSlash(name)
	info, err := os.Lstat(filepath.Join(p.root, local))
	if err != nil || info.IsDir() {
		return nil
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		lead, err := os.Readlink(filepath.Join(p.root, local))
		return errors.Join(err, p.link(name, lead))
	}
	if !info.Mode().IsRegular() {
		return nil
	}
	src, info, err := repofile.In(p.root, name).OpenPlain()
	if err != nil {
		return err
	}
	defer src.Close()
	if err := p.in.MkdirAll(filepath.Dir(local), 0o700); err != nil {
		return err
	}
	dst, err := p.in.OpenFile(local, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, info.Mode().Perm()|0o600)
	if err != nil {
		return err
	}
	n, err := io.Copy(dst, io.LimitReader(src, maxCopied+1))
	p.bytes += n
	return errors.Join(err, dst.Close())
}

// dated gives a file of the copy the time of the project's.
func (p *projectCopy) dated(name string) error {
	name = filepath.FromSlash(name)
	info, err := os.Lstat(filepath.Join(p.root, name))
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return p.in.Chtimes(name, info.ModTime(), info.ModTime())
}

// putBase makes the part of the copy what it was.
func (p *projectCopy) putBase(b *Base) (err error) {
	for _, f := range b.Added {
		err = errors.Join(err, p.in.RemoveAll(filepath.FromSlash(f)))
	}
	for f, text := range b.Was {
		name, mode := filepath.FromSlash(f), fs.FileMode(0o600)
		info, gone := os.Lstat(filepath.Join(p.root, name))
		if gone == nil && info.Mode()&0o100 != 0 || strings.HasPrefix(string(text), "#!") {
			mode = 0o700
		}
		err = errors.Join(err, p.in.MkdirAll(filepath.Dir(name), 0o700), p.in.RemoveAll(name),
			p.in.WriteFile(name, text, mode))
		if gone == nil {
			// older than what is put there next: bytecode and builds go by the time
			old := info.ModTime().Add(-2 * time.Second)
			err = errors.Join(err, p.in.Chtimes(name, old, old))
		}
	}
	return err
}

// putCurrent makes the part of the copy what it is now.
func (p *projectCopy) putCurrent(b *Base) (err error) {
	for f := range b.Was {
		err = errors.Join(err, p.in.RemoveAll(filepath.FromSlash(f)))
	}
	for _, f := range b.Files {
		if _, was := b.Was[f]; was || slices.Contains(b.Added, f) {
			err = errors.Join(err, p.file(f))
		}
	}
	return err
}

// breakSources makes source files of the part what no program can read.
func (p *projectCopy) breakSources(b *Base) (err error) {
	for _, f := range b.Source {
		name := filepath.FromSlash(f)
		err = errors.Join(err, p.in.MkdirAll(filepath.Dir(name), 0o700), p.in.RemoveAll(name),
			p.in.WriteFile(name, []byte(")(\n"), 0o700))
	}
	return err
}
