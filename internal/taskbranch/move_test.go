//go:build unix

package taskbranch

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// cutShort keeps git from writing files larger than 16 kB to the working tree, as a full disk
// does. It is killed for it, or, like on a disk with a quota, is refused the rest of the file.
func (p playground) cutShort(kill bool) (give func()) {
	p.t.Helper()
	real, err := exec.LookPath("git")
	if err != nil {
		p.t.Fatal(err)
	}
	trap := "trap '' XFSZ\n"
	if kill {
		trap = ""
	}
	dir := p.t.TempDir()
	script := "#!/bin/bash\n" + trap + "case \" $* \" in *\" switch \"*|*\" merge \"*|*\" restore \"*) ulimit -f 16;; esac\nexec '" + real + "' \"$@\"\n"
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
		p.t.Fatal(err)
	}
	path := os.Getenv("PATH")
	p.t.Setenv("PATH", dir+string(os.PathListSeparator)+path)
	return func() { os.Setenv("PATH", path) }
}

// A file that git could not write whole is completed by the next call; what the user has
// changed stays.
func TestFilesThatGitLeavesCutShort(t *testing.T) {
	base := strings.Repeat("base\n", 20000)
	acts := map[string]func(ctx context.Context, p playground, task Task) error{
		"Merge": func(ctx context.Context, p playground, task Task) error {
			_, err := Merge(ctx, p.r, task, "x")
			return err
		},
		"TakeBase": func(ctx context.Context, p playground, task Task) error {
			_, _, err := TakeBase(ctx, p.r, task)
			return err
		},
		"LeaveStale": func(ctx context.Context, p playground, task Task) error {
			return LeaveStale(ctx, p.r, Stale{Name: task.Name, Base: task.Base})
		},
	}
	for name, act := range acts {
		for how, kill := range map[string]bool{"killed": true, "refused": false} {
			for _, file := range []string{"a", "new"} {
				if kill && (file == "new" || name == "LeaveStale") { // the lock that is left takes time
					continue
				}
				t.Run(name+" "+how+" "+file, func(t *testing.T) {
					p := play(t)
					task := p.create()
					p.git("switch", "-q", "main")
					p.write(file, base)
					p.write("c", "base\n")
					p.commit("The base moves on")
					p.git("switch", "-q", task.Name)
					p.write("日本/画面 [1].html", "task\n")
					p.keep(task, "日本/画面 [1].html")
					p.write("b", "user\n")
					give := p.cutShort(kill)
					first := act(t.Context(), p, task)
					if first == nil {
						t.Errorf("%s was cut short, and nothing was said", file)
					}
					give()
					if err := act(t.Context(), p, task); err != nil {
						t.Fatalf("with space again: %v, after %v", err, first)
					}
					if p.read(file) != base || p.read("c") != "base\n" || p.read("b") != "user\n" {
						t.Errorf("files: %d bytes, %q, %q", len(p.read(file)), p.read("c"), p.read("b"))
					}
					if got := p.git("status", "--porcelain"); got != "M b" && got != " M b" {
						t.Errorf("status: %q", got)
					}
					if id, err := p.r.Resolve(t.Context(), moving); id != "" || err != nil {
						t.Errorf("the note is left: %s, %v", id, err)
					}
				})
			}
		}
	}
}

// What the user has cut short is not completed.
func TestFilesThatTheUserCutsShort(t *testing.T) {
	p := play(t)
	task := p.create()
	p.git("switch", "-q", "main")
	p.write("a", "1\n2\n3\n4\n5\n6\n")
	p.commit("The base moves on")
	p.git("switch", "-q", task.Name)
	p.write("b", "task\n")
	p.keep(task, "b")
	p.write("a", "1\n")
	for range 2 {
		_, err := Merge(t.Context(), p.r, task, "x")
		code(t, err, CheckoutFailed)
		if got := p.read("a"); got != "1\n" {
			t.Errorf("the user's file: %q", got)
		}
	}
}
