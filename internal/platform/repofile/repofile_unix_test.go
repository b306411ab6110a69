//go:build unix

package repofile

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
)

// tree makes a project beside a folder that nothing may touch.
func tree(t *testing.T) (project, outside string) {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project, outside = filepath.Join(top, "project"), filepath.Join(top, "outside")
	for _, dir := range []string{filepath.Join(project, ".code-intel", "real"), filepath.Join(project, "src"), outside} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(outside, "secret"), "secret")
	put(t, filepath.Join(project, "src", "a.go"), "package a\n")
	put(t, filepath.Join(project, ".code-intel", "real", "file"), "real")
	return project, outside
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// both runs a test with the kernel's help and without.
func both(t *testing.T, test func(t *testing.T)) {
	t.Run("kernel", test)
	t.Run("portable", func(t *testing.T) {
		withoutKernel(t)
		test(t)
	})
}

func why(err error) Reason {
	var r *Refusal
	if errors.As(err, &r) {
		return r.Why
	}
	return ""
}

func TestRead(t *testing.T) {
	both(t, func(t *testing.T) {
		project, outside := tree(t)
		dir := filepath.Join(project, ".code-intel")
		at := func(name string) string { return filepath.Join(dir, name) }
		for name, to := range map[string]string{"out": "../../outside/secret", "outdir": "../../outside", "absolute": filepath.Join(outside, "secret"),
			"zero": "/dev/zero", "in": "../src/a.go", "indir": "real", "loop": "loop", "nowhere": "gone", "up": "../src/../../outside/secret"} {
			if err := os.Symlink(to, at(name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := syscall.Mkfifo(at("pipe"), 0o644); err != nil {
			t.Fatal(err)
		}
		listener, err := net.Listen("unix", at("s"))
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		put(t, at("large"), string(make([]byte, 101)))
		for name, want := range map[string]struct {
			text string
			why  Reason
			err  error
		}{
			"real/file": {text: "real"}, "in": {text: "package a\n"}, "indir/file": {text: "real"},
			"out": {why: Outside}, "outdir/secret": {why: Outside}, "absolute": {why: Outside}, "zero": {why: Outside},
			"up": {why: Outside}, "loop": {why: Link}, "pipe": {why: NotRegular}, "s": {why: NotRegular},
			"real": {why: NotRegular}, "large": {why: TooLarge},
			"nowhere": {err: fs.ErrNotExist}, "none": {err: fs.ErrNotExist}, "real/file/below": {err: syscall.ENOTDIR},
		} {
			for _, p := range []Place{At(at(name)), In(project, ".code-intel/"+name)} {
				data, err := p.Read(100)
				if string(data) != want.text || why(err) != want.why || want.err != nil && !errors.Is(err, want.err) ||
					want.why == "" && want.err == nil && err != nil {
					t.Errorf("%s: %q, %v", name, data, err)
				}
			}
		}
		if _, err := In(project, "../outside/secret").Read(100); why(err) != Outside {
			t.Errorf("a path that leads out: %v", err)
		}
	})
}

// TestChange tries everything that changes something behind a link.
func TestChange(t *testing.T) {
	both(t, func(t *testing.T) {
		for _, target := range []string{"../../outside", "../src"} {
			project, outside := tree(t)
			dir := filepath.Join(project, ".code-intel")
			if err := os.Symlink(target, filepath.Join(dir, "link")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(filepath.Join(target, "secret"), filepath.Join(dir, "file")); err != nil {
				t.Fatal(err)
			}
			link, file, real := At(filepath.Join(dir, "link")), At(filepath.Join(dir, "file")), At(filepath.Join(dir, "real"))
			_, openErr := link.Join("new").OpenFile(os.O_WRONLY|os.O_CREATE, 0o644)
			_, _, tempErr := link.CreateTemp("t-*")
			for what, err := range map[string]error{
				"create": openErr, "temporary": tempErr,
				"write":       link.Join("secret").Write(nil, 0o644),
				"write link":  file.Write(nil, 0o644),
				"folder":      link.Join("a").Join("b").MakeFolder(0o755),
				"rename from": link.Join("secret").Rename(real.Join("secret")),
				"rename to":   real.Join("file").Rename(link.Join("file")),
				"remove":      link.Join("secret").Remove(),
				"remove all":  link.Join("secret").RemoveAll(),
				"check":       link.Join("secret").Check(),
				"check link":  file.Check(),
			} {
				if why(err) != Link {
					t.Errorf("%s → %s: %v", what, target, err)
				}
			}
			second := At(filepath.Join(dir, "second"))
			if err := os.Link(filepath.Join(outside, "secret"), second.Path()); err != nil {
				t.Fatal(err)
			}
			if err := second.Write(nil, 0o644); why(err) != HardLink {
				t.Errorf("write to a file with two names: %v", err)
			}
			if err := At(dir).CheckFolder(); why(err) != Link {
				t.Errorf("a folder with links: %v", err)
			}
			if err := link.Remove(); err != nil {
				t.Errorf("a link itself is removed: %v", err)
			}
			if data, err := os.ReadFile(filepath.Join(outside, "secret")); err != nil || string(data) != "secret" {
				t.Fatalf("outside: %q, %v", data, err)
			}
			if names, _ := filepath.Glob(filepath.Join(outside, "*")); len(names) != 1 {
				t.Fatalf("outside: %v", names)
			}
			if names, _ := filepath.Glob(filepath.Join(project, "src", "*")); len(names) != 1 {
				t.Fatalf("src: %v", names)
			}
		}
	})
}

// TestHonestUse writes, moves, lists and removes in a project, and through links in
// what is the user's own.
func TestHonestUse(t *testing.T) {
	both(t, func(t *testing.T) {
		project, outside := tree(t)
		if err := os.Symlink(outside, filepath.Join(project, "src", "own")); err != nil {
			t.Fatal(err)
		}
		for _, dir := range []Place{At(filepath.Join(project, ".code-intel", "a", "b")), In(project, "x/y"), At(filepath.Join(project, "src", "own", "z"))} {
			if err := dir.MakeFolder(0o755); err != nil {
				t.Fatal(err)
			}
			if err := dir.Join("f").Write([]byte("long text"), 0o644); err != nil {
				t.Fatal(err)
			}
			if err := dir.Join("f").Write([]byte("text"), 0o644); err != nil {
				t.Fatal(err)
			}
			f, temp, err := dir.CreateTemp("t-*.tmp")
			if err != nil {
				t.Fatal(err)
			}
			f.Close()
			if ok, _ := filepath.Match("t-*.tmp", filepath.Base(temp.Path())); !ok {
				t.Errorf("the name of a temporary file: %s", temp.Path())
			}
			if err := dir.Join("f").Rename(dir.Join("g")); err != nil {
				t.Fatal(err)
			}
			if data, err := dir.Join("g").Read(4); err != nil || string(data) != "text" {
				t.Errorf("%q, %v", data, err)
			}
			if got, want := dir.Match("[gt]*"), []string{dir.Join("g").Path(), temp.Path()}; !slices.Equal(got, want) {
				t.Errorf("%v, want %v", got, want)
			}
			if err := errors.Join(dir.Sync(), dir.Check(), dir.CheckFolder(), temp.Remove(), dir.RemoveAll(), dir.RemoveAll()); err != nil {
				t.Error(err)
			}
			if _, err := os.Lstat(dir.Path()); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s is still there: %v", dir.Path(), err)
			}
		}
	})
}

// TestRace exchanges a folder for a link to a place outside, again and again, while
// files are written, read and removed by way of it.
func TestRace(t *testing.T) {
	both(t, func(t *testing.T) {
		project, outside := tree(t)
		dir := filepath.Join(project, ".code-intel", "d")
		put(t, filepath.Join(outside, "f"), "secret")
		stop := make(chan struct{})
		var swapping sync.WaitGroup
		swapping.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				os.RemoveAll(dir)
				os.Mkdir(dir, 0o755)
				put(t, filepath.Join(project, "f"), "mine")
				os.Rename(filepath.Join(project, "f"), filepath.Join(dir, "f"))
				os.RemoveAll(dir)
				os.Symlink(outside, dir)
			}
		})
		for range 3000 {
			p := At(filepath.Join(dir, "f"))
			if data, err := p.Read(100); err == nil && string(data) == "secret" {
				t.Error("a file outside was read")
				break
			}
			p.Folder().Join("new").Write([]byte("x"), 0o644)
			p.Folder().Join("new").Rename(p)
			p.Remove()
		}
		close(stop)
		swapping.Wait()
		if data, err := os.ReadFile(filepath.Join(outside, "f")); err != nil || string(data) != "secret" {
			t.Errorf("outside: %q, %v", data, err)
		}
		if names, _ := filepath.Glob(filepath.Join(outside, "*")); len(names) != 2 {
			t.Errorf("outside: %v", names)
		}
	})
}
