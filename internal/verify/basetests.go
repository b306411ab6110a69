package verify

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/platform/tempdir"
)

// A Base says on which other files a command is to run: on a copy of the project in
// which the tests are as they were.
type Base struct {
	Files   []string          // of the project, relative to its root: what is copied
	Ignored []string          // files, and folders with a "/" behind them, that git ignores
	Was     map[string][]byte // tests by their path, as they were
	Added   []string          // tests that were not there
}

// Limits of what is copied.
const (
	mostCopied      = 512 << 20 // bytes in all
	mostFiles       = 50_000
	mostIgnored     = 1 << 20 // bytes of one file that git ignores
	mostIgnoredDeep = 5_000   // files in folders that git ignores
)

// installed are the folders, usually ignored, in which what a project needs is
// installed. A copy is led to those of the project.
var installed = []string{"node_modules", ".venv", "venv", "env", ".env", "vendor", ".bundle", "bower_components", "deps", ".yarn", "elm-stuff", "Pods"}

// built are the folders, usually ignored, that running tests makes anew.
var built = []string{"target", "build", "dist", "out", "bin", "obj", "_build", "coverage", "htmlcov", "tmp", "logs", "__pycache__"}

func errTooLarge() error { return msg.Err("verify.too_large_to_copy", mostFiles, mostCopied>>20) }

// run runs a command on the tests as they were. Where it fails, it is tried on the
// copy with the tests as they are: if it fails there too, the copy is the reason, and
// the Result is skipped.
func (b *Base) run(ctx context.Context, root string, c Choice) (Result, error) {
	skipped := func(why msg.Message) Result {
		return Result{Name: c.Name, Command: c.Command, Files: c.Files, Exit: -1, Skipped: why}
	}
	dir, err := tempdir.New("code-intel-tests-")
	if err != nil {
		return skipped(msg.Literal(err.Error())), nil
	}
	defer dir.Remove()
	tree := filepath.Join(dir.Path, filepath.Base(root))
	if err := b.copy(ctx, root, tree); err != nil {
		return skipped(msg.New("verify.no_copy", err)), context.Cause(ctx)
	}
	if err := b.put(root, tree); err != nil {
		return skipped(msg.New("verify.no_copy", err)), nil
	}
	r, err := run(ctx, tree, c)
	if err != nil || r.Passed {
		return r, err
	}
	if err := b.back(root, tree); err != nil {
		return skipped(msg.New("verify.no_copy", err)), nil
	}
	now, err := run(ctx, tree, c)
	if err == nil && !now.Passed {
		return skipped(msg.New("verify.fails_in_a_copy", now.Why)), nil
	}
	return r, err
}

// copy copies the project.
func (b *Base) copy(ctx context.Context, root, to string) error {
	if len(b.Files) > mostFiles {
		return errTooLarge()
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	var all int64
	for _, f := range b.Files {
		n, err := copyFile(root, to, f)
		if err != nil {
			return err
		}
		if all += n; all > mostCopied {
			return errTooLarge()
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	deep := 0
	for _, f := range b.Ignored {
		name, folder := strings.CutSuffix(f, "/")
		base := path.Base(name)
		switch {
		case outside(name), slices.Contains(built, base), strings.HasSuffix(base, "_cache"), base == ".git", base == ".code-intel":
		case slices.Contains(installed, base):
			if err := link(root, to, name); err != nil {
				return err
			}
		case folder:
			if err := copyIgnored(root, to, name, &deep); err != nil {
				return err
			}
		default:
			if err := copySmall(root, to, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func outside(name string) bool { return !filepath.IsLocal(filepath.FromSlash(name)) }

// link makes a name of the copy lead to what the project has of that name.
func link(root, to, name string) error {
	target := filepath.Join(to, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return err
	}
	err := os.Symlink(filepath.Join(root, filepath.FromSlash(name)), target)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// copyIgnored copies the files of a folder that git ignores, as many as are left.
func copyIgnored(root, to, name string, deep *int) error {
	entries, err := repofile.In(root, name).List()
	if err != nil {
		return nil // as if it were not there
	}
	for _, e := range entries {
		inner := path.Join(name, e.Name())
		switch {
		case slices.Contains(built, e.Name()), e.Name() == ".git":
		case slices.Contains(installed, e.Name()):
			err = link(root, to, inner)
		case e.IsDir():
			err = copyIgnored(root, to, inner, deep)
		case *deep < mostIgnoredDeep:
			*deep++
			err = copySmall(root, to, inner)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// copySmall copies a file that git ignores if it is no large one.
func copySmall(root, to, name string) error {
	info, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil || !info.Mode().IsRegular() || info.Size() > mostIgnored {
		return nil
	}
	_, err = copyFile(root, to, name)
	return err
}

// copyFile copies a file, a link as a link, and says how long it is. What is not there
// or is no file is left out.
func copyFile(root, to, name string) (int64, error) {
	if outside(name) {
		return 0, nil
	}
	from, target := filepath.Join(root, filepath.FromSlash(name)), filepath.Join(to, filepath.FromSlash(name))
	info, err := os.Lstat(from)
	if err != nil || info.IsDir() {
		return 0, nil
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return 0, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		lead, err := os.Readlink(from)
		if err != nil {
			return 0, err
		}
		return 0, os.Symlink(lead, target)
	}
	if !info.Mode().IsRegular() {
		return 0, nil
	}
	src, info, err := repofile.In(root, name).OpenPlain()
	if err != nil {
		return 0, err
	}
	defer src.Close()
	dst, err := os.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, info.Mode().Perm()|0o600)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(dst, io.LimitReader(src, mostCopied+1))
	return n, errors.Join(err, dst.Close())
}

// put makes the tests of a copy what they were. It follows no link out of the copy.
func (b *Base) put(root, tree string) (err error) {
	in, err := os.OpenRoot(tree)
	if err != nil {
		return err
	}
	defer in.Close()
	for _, f := range b.Added {
		err = errors.Join(err, in.RemoveAll(filepath.FromSlash(f)))
	}
	for f, text := range b.Was {
		name, mode := filepath.FromSlash(f), fs.FileMode(0o600)
		if info, err := os.Lstat(filepath.Join(root, name)); err == nil && info.Mode()&0o100 != 0 || strings.HasPrefix(string(text), "#!") {
			mode = 0o700
		}
		err = errors.Join(err, in.MkdirAll(filepath.Dir(name), 0o700), in.RemoveAll(name), in.WriteFile(name, text, mode))
	}
	return err
}

// back makes the tests of a copy what they are now.
func (b *Base) back(root, tree string) (err error) {
	in, err := os.OpenRoot(tree)
	if err != nil {
		return err
	}
	defer in.Close()
	for f := range b.Was {
		err = errors.Join(err, in.RemoveAll(filepath.FromSlash(f)))
	}
	for _, f := range b.Files {
		if _, was := b.Was[f]; was || slices.Contains(b.Added, f) {
			_, copied := copyFile(root, tree, f)
			err = errors.Join(err, copied)
		}
	}
	return err
}
