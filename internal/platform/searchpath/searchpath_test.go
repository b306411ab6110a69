package searchpath

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestCommand lays programs of the project on PATH, which are not started.
func TestCommand(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its programs are no scripts")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root, machine := filepath.Join(top, "clone"), filepath.Join(top, "machine")
	for _, dir := range []string{root + "/.git", root + "/inner", root + "/node_modules/.bin", machine} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{root, root + "/node_modules/.bin", machine} {
		script := "#!/bin/sh\necho " + dir + " $1 $PATH\n"
		for _, name := range []string{"tool", filepath.Base(dir)} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Symlink(root+"/node_modules/.bin", top+"/link"); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", filepath.Join(top, "home"))
	t.Setenv("PATH", strings.Join([]string{".", "", root, root + "/node_modules/.bin", top + "/link", machine}, ":"))
	t.Chdir(root)
	for _, dir := range []string{root, root + "/inner", "", ".", "inner"} {
		out, err := Command(t.Context(), dir, "tool", "once").Output()
		if want := machine + " once " + machine + "\n"; err != nil || string(out) != want {
			t.Errorf("in %s: %q, %v; want %q", dir, out, err, want)
		}
	}
	if err := Command(t.Context(), root, ".bin").Run(); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("a program that only the project has: %v", err)
	}
	t.Setenv("HOME", root+"/inner")
	if out, err := Command(t.Context(), root, "tool").Output(); err != nil || !strings.HasPrefix(string(out), root+" ") {
		t.Errorf("in the user's home: %q, %v", out, err)
	}
}

// TestNested has a clone bring .code-intel along in a deeper folder, and an archive lie in a home
// that is in git: neither's programs are started.
func TestNested(t *testing.T) {
	top := t.TempDir()
	for _, d := range []string{"/clone/.git", "/clone/packages/a/.code-intel", "/clone/node_modules/.bin", "/home/.git", "/home/zip/node_modules/.bin", "/machine"} {
		if err := os.MkdirAll(top+d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []string{"/clone/node_modules/.bin", "/home/zip/node_modules/.bin", "/machine"} {
		if err := os.WriteFile(top+d+"/git", []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HOME", top+"/home")
	t.Setenv("PATH", top+"/clone/node_modules/.bin:"+top+"/home/zip/node_modules/.bin:"+top+"/machine")
	for _, dir := range []string{"/clone/packages/a"} {
		if got := Command(t.Context(), top+dir, "git").Path; got != top+"/home/zip/node_modules/.bin/git" {
			t.Errorf("in %s: %s", dir, got)
		}
	}
	if got := Command(t.Context(), top+"/home/zip", "git").Path; got != top+"/clone/node_modules/.bin/git" {
		t.Errorf("in the archive: %s", got)
	}
}

func TestRuns(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if !Runs(own) || Runs(filepath.Join(t.TempDir(), "none")) || Runs(os.DevNull) {
		t.Error("this program is not told from other files")
	}
}
