//go:build unix

package git

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"codeintel/internal/problem"
	"codeintel/test/tier"
)

// attacks are what a repository may hold to have a program run, which makes a file.
var attacks = map[string]func(p playground, program string){
	"file system monitor": func(p playground, program string) { p.git("config", "core.fsmonitor", program) },
	"monitor in an included file": func(p playground, program string) {
		p.write(".git/more", "[core]\n\tfsmonitor = "+program+"\n")
		p.git("config", "include.path", "more")
	},
	"clean filter": func(p playground, program string) {
		p.write(".gitattributes", "* filter=x\n")
		p.git("config", "filter.x.clean", program)
		p.git("config", "filter.x.required", "true")
	},
	"process filter": func(p playground, program string) {
		p.write(".gitattributes", "* filter=x\n")
		p.git("config", "filter.x.process", program)
	},
	"hooks": func(p playground, program string) {
		for _, name := range []string{"post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc"} {
			p.write(".git/hooks/"+name, "#!/bin/sh\n"+program+"\n")
			os.Chmod(filepath.Join(p.Dir, ".git/hooks", name), 0o755)
		}
	},
	"hooks elsewhere": func(p playground, program string) {
		p.write("h/post-index-change", "#!/bin/sh\n"+program+"\n")
		os.Chmod(filepath.Join(p.Dir, "h/post-index-change"), 0o755)
		p.git("config", "core.hooksPath", "h")
	},
	"external diff": func(p playground, program string) { p.git("config", "diff.external", program) },
	"textconv": func(p playground, program string) {
		p.write(".gitattributes", "* diff=x\n")
		p.git("config", "diff.x.textconv", program)
		p.git("config", "diff.x.command", program)
	},
	"signature": func(p playground, program string) {
		p.git("config", "log.showSignature", "true")
		p.git("config", "gpg.program", program)
	},
	"merge driver": func(p playground, program string) {
		p.write(".gitattributes", "* merge=x\n")
		p.git("config", "merge.x.driver", program)
	},
	"submodule": func(p playground, program string) {
		p.git("init", "-q", "sub")
		p.git("-C", "sub", "commit", "-q", "--allow-empty", "-m", "one")
		p.git("-c", "advice.addEmbeddedRepo=false", "add", "sub")
		p.write("sub/new.go", "package sub\n")
		p.git("-C", "sub", "add", "new.go")
		p.git("-C", "sub", "config", "core.fsmonitor", program)
	},
	"filter of a submodule": func(p playground, program string) {
		p.git("init", "-q", "sub")
		p.write("sub/new.go", "package sub\n")
		p.git("-C", "sub", "add", "new.go")
		p.git("-C", "sub", "commit", "-q", "-m", "one")
		p.git("-c", "advice.addEmbeddedRepo=false", "add", "sub")
		p.write("sub/.git/info/attributes", "* filter=x\n")
		p.git("-C", "sub", "config", "filter.x.clean", program)
		p.write("sub/new.go", "package sux\n")
	},
	"pager and editor": func(p playground, program string) {
		for _, key := range []string{"core.pager", "pager.log", "pager.status", "core.editor", "sequence.editor", "core.askPass"} {
			p.git("config", key, program)
		}
	},
	"alias": func(p playground, program string) { p.git("config", "alias.ls-files", "!"+program) },
	"remote helper": func(p playground, program string) {
		p.git("config", "remote.origin.url", "ext::"+program)
		p.git("config", "remote.origin.promisor", "true")
		p.git("config", "remote.origin.partialclonefilter", "blob:none")
		p.git("config", "protocol.ext.allow", "always")
		p.git("config", "extensions.partialClone", "origin")
	},
}

// TestRunsNothing has every way to have a program run, and every kind of command that
// this program gives before its user trusts the repository.
func TestRunsNothing(t *testing.T) {
	Permitted = func(string, Program) bool { return false }
	t.Cleanup(func() { Permitted = nil })
	for name, attack := range tier.Cases(attacks, 4) {
		t.Run(name, func(t *testing.T) {
			p := play(t)
			p.write("a.go", "package a\n")
			first := p.commit("First")
			p.write("a.go", "package a // changed\n")
			second := p.commit("Second")
			mark := filepath.Join(t.TempDir(), "ran")
			attack(p, "touch "+mark)
			os.Remove(mark) // what the attack itself, an ordinary git, has run
			p.write("a.go", "package a // changed again\n")
			for what, do := range map[string]func(context.Context) error{
				"open":     func(ctx context.Context) error { _, err := Open(ctx, p.Dir); return err },
				"settings": func(ctx context.Context) error { _, err := p.Settings(ctx); return err },
				"snapshot": func(ctx context.Context) error { _, err := p.Snapshot(ctx); return err },
				"clean":    func(ctx context.Context) error { _, err := p.Clean(ctx, "a.go"); return err },
				"diff":     func(ctx context.Context) error { _, err := p.Diff(ctx, first, second); return err },
				"files": func(ctx context.Context) error {
					_, err := p.Repo.Run(ctx, "diff", "--name-only", "HEAD", "--", "a.go")
					return err
				},
				"log":    func(ctx context.Context) error { _, err := p.Repo.Run(ctx, "log", "-p", "-1"); return err },
				"status": func(ctx context.Context) error { _, err := p.Repo.Run(ctx, "status", "--porcelain"); return err },
				"list": func(ctx context.Context) error {
					_, err := p.Repo.Run(ctx, "ls-files", "-z", "--others", "--exclude-standard")
					return err
				},
				"missing": func(ctx context.Context) error {
					_, err := p.Repo.Run(ctx, "cat-file", "-e", strings.Repeat("1", 40))
					if ExitCode(err) > 0 {
						err = nil
					}
					return err
				},
				"index": func(ctx context.Context) error {
					_, err := p.Do(ctx, Command{Args: []string{"update-index", "-q", "--refresh"}, Effect: Writes})
					if ExitCode(err) == 1 { // there are changes
						err = nil
					}
					return err
				},
				"ref": func(ctx context.Context) error {
					_, err := p.Do(ctx, Command{Args: []string{"update-ref", "refs/code-intel/x", first}, Effect: Writes})
					return err
				},
				"merge": func(ctx context.Context) error {
					_, err := p.Do(ctx, Command{Args: []string{"merge-tree", "--write-tree", first, second}, Effect: Writes})
					return err
				},
			} {
				if err := do(t.Context()); err != nil {
					t.Errorf("%s: %v", what, err)
				}
				if _, err := os.Lstat(mark); err == nil {
					t.Errorf("%s: the program ran", what)
					os.Remove(mark)
				}
			}
		})
	}
}

// TestPrograms lists what a repository names, and leaves out what the user does.
func TestPrograms(t *testing.T) {
	p := play(t)
	config := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(config, []byte("[filter \"mine\"]\n\tclean = mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GIT_CONFIG_GLOBAL", config)
	p.git("config", "filter.mine.clean", "mine")
	p.git("config", "filter.its.clean", "./its.sh %f")
	p.git("config", "core.sshCommand", "ssh -i key")
	p.write("its.sh", "#!/bin/sh\n")
	p.write(".git/hooks/pre-commit", "#!/bin/sh\n")
	os.Chmod(filepath.Join(p.Dir, ".git/hooks/pre-commit"), 0o755)
	p.write(".git/hooks/commit-msg", "not to be executed\n")
	names := func() (names []string) {
		all, err := p.Programs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range all {
			names = append(names, a.Name+" "+a.Command+" "+strings.TrimPrefix(a.File, p.Dir)+" "+strings.ReplaceAll(string(a.Content), "\x00", "|"))
		}
		return names
	}
	want := []string{"core.sshcommand ssh -i key  ssh -i key", "filter.its.clean ./its.sh %f /its.sh ./its.sh %f|#!/bin/sh\n",
		"hooks/pre-commit  /.git/hooks/pre-commit #!/bin/sh\n"}
	if got := names(); !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	defer func(before func(string, Program) bool) { Permitted = before }(Permitted)
	for trusted, wanted := range map[string]bool{"": true, "filter.its.clean": true, "filter.its.clean hooks/pre-commit": false} {
		Permitted = func(_ string, p Program) bool { return strings.Contains(trusted, p.Name) }
		for _, network := range []bool{false, true} {
			refused := problem.Of(p.Trusted(t.Context(), network))
			if got := refused != nil && refused.Code == Untrusted; got != (wanted || network) {
				t.Errorf("trusted %q, network %v: %v", trusted, network, refused)
			}
		}
	}
	p.git("config", "credential.helper", "!its")
	p.git("config", "--add", "credential.helper", "mine")
	if err := os.WriteFile(config, []byte("[filter \"mine\"]\n\tclean = mine\n[credential]\n\thelper = mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := names(); !slices.Contains(got, "credential.helper !its  !its") { // git asks every one
		t.Errorf("with a helper before the user's: %q", got)
	}
	p.git("config", "--unset-all", "credential.helper")
	Permitted = nil
	p.git("config", "--unset", "filter.its.clean")
	if got := names(); !slices.Equal(got, []string{want[0], want[2]}) {
		t.Errorf("after a change: %q", got)
	}
}

// TestHooksElsewhere has the folder of the hooks under names that git, or another process, takes for another
// folder than they look like: no hook runs that was not asked about.
func TestHooksElsewhere(t *testing.T) {
	Permitted = func(string, Program) bool { return false }
	t.Cleanup(func() { Permitted = nil })
	for _, name := range []string{"h", "/proc/self/cwd/h", "%(prefix)/../%s/h", "~root/..%s/h", "none/../h"} {
		p := play(t)
		p.write("a.go", "package a\n")
		first := p.commit("First")
		mark := filepath.Join(t.TempDir(), "ran")
		p.write("h/pre-commit", "#!/bin/sh\ntouch "+mark+"\n")
		os.Chmod(filepath.Join(p.Dir, "h/pre-commit"), 0o755)
		p.git("config", "core.hooksPath", strings.Replace(name, "%s", p.Dir, 1))
		commit := Command{Args: []string{"commit", "--quiet", "--allow-empty", "-m", "x"}, Effect: Hooks}
		_, err := p.Do(t.Context(), commit)
		if _, ran := os.Lstat(mark); ran == nil {
			t.Errorf("%s: its hook ran", name)
		}
		if refused := problem.Of(err); (refused == nil || refused.Code != Untrusted) && err != nil || err == nil && name == "h" {
			t.Errorf("%s: %v", name, err)
		}
		Permitted = func(string, Program) bool { return true }
		p.git("update-ref", "refs/heads/main", first)
		if _, err := p.Do(t.Context(), commit); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, ran := os.Lstat(mark); name == "h" && ran != nil {
			t.Errorf("%s: its hook is trusted and did not run", name)
		}
		Permitted = func(string, Program) bool { return false }
	}
}

// TestPathOfTrusted has programs that are trusted, and hooks of the user's own, lie in the project:
// git finds them.
func TestPathOfTrusted(t *testing.T) {
	t.Cleanup(func() { Permitted = nil })
	script := func(t *testing.T, file, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	commit := Command{Args: []string{"commit", "--quiet", "--allow-empty", "-m", "x"}, Effect: Hooks}
	own := func(t *testing.T) playground {
		Permitted = nil
		p := play(t)
		p.write("a.go", "x")
		p.commit("One")
		t.Setenv("PATH", filepath.Join(p.Dir, ".venv/bin")+":"+os.Getenv("PATH"))
		Permitted = func(string, Program) bool { return true }
		return p
	}
	t.Run("a filter", func(t *testing.T) {
		p := own(t)
		script(t, filepath.Join(p.Dir, ".venv/bin/strip-it"), "sed s/SECRET/x/")
		p.write(".gitattributes", "*.nb filter=s\n")
		p.write("a.nb", "SECRET\n")
		p.git("config", "filter.s.clean", "strip-it")
		id, err := p.Do(t.Context(), Command{Args: []string{"hash-object", "-w", "--path=a.nb", "a.nb"}, Effect: Writes})
		if err != nil {
			t.Fatal(err)
		}
		if blob, err := p.Repo.Run(t.Context(), "cat-file", "blob", strings.TrimSpace(id)); err != nil || blob != "x\n" {
			t.Errorf("%q %v", blob, err)
		}
	})
	t.Run("hooks of the user", func(t *testing.T) {
		p := own(t)
		home := t.TempDir()
		script(t, home+"/hooks/pre-commit", "exec lint-it")
		script(t, filepath.Join(p.Dir, ".venv/bin/lint-it"), "exit 0")
		if err := os.WriteFile(home+"/config", []byte("[core]\n\thooksPath = "+home+"/hooks\n[user]\nname=a\nemail=a@b\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Setenv("GIT_CONFIG_GLOBAL", home+"/config")
		if _, err := p.Do(t.Context(), commit); err != nil {
			t.Error(err)
		}
	})
	t.Run("hooks that come later", func(t *testing.T) {
		p := own(t)
		p.git("config", "core.hooksPath", ".husky/_")
		if _, err := p.Programs(t.Context()); err != nil {
			t.Fatal(err)
		}
		script(t, filepath.Join(p.Dir, ".husky/_/pre-commit"), "exit 1")
		if _, err := p.Do(t.Context(), commit); err == nil {
			t.Error("the hook does not run")
		}
	})
	t.Run("what a hook says", func(t *testing.T) {
		p := own(t)
		key := filepath.Join(t.TempDir(), "id.pub")
		if err := os.WriteFile(key, []byte("ssh-ed25519 AAAA"), 0o644); err != nil {
			t.Fatal(err)
		}
		p.git("config", "user.signingkey", key)
		script(t, filepath.Join(p.Dir, ".git/hooks/pre-commit"), "echo lint: a.go:1 is wrong >&2; exit 1")
		if _, err := p.Do(t.Context(), commit); err == nil || !strings.Contains(err.Error(), "a.go:1 is wrong") {
			t.Errorf("hidden: %v", err)
		}
	})
	t.Run("no folder of hooks", func(t *testing.T) {
		p := own(t)
		p.git("config", "core.hooksPath", "")
		script(t, filepath.Join(p.Dir, "pre-commit"), "exit 1")
		if _, err := p.Do(t.Context(), commit); err != nil {
			t.Errorf("a file of the project ran as a hook: %v", err)
		}
	})
}

// TestUsersOwnChange changes the user's own configuration of git while the repository's stays as it is: what the
// user no longer has is a program of the repository, and is not run unless it is trusted.
func TestUsersOwnChange(t *testing.T) {
	p := play(t)
	global := filepath.Join(t.TempDir(), "config")
	t.Setenv("GIT_CONFIG_GLOBAL", global)
	p.git("config", "filter.s.clean", "strip-it")
	for _, mine := range []string{"", "[filter \"s\"]\n\tclean = strip-it\n", "[filter \"s\"]\n\tclean = another\n"} {
		if err := os.WriteFile(global, []byte(mine), 0o644); err != nil {
			t.Fatal(err)
		}
		all, err := p.Programs(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		named := slices.ContainsFunc(all, func(p Program) bool { return p.Name == "filter.s.clean" })
		if own := strings.Contains(mine, "strip-it"); named == own {
			t.Errorf("with %q of the user's, the repository names %v", mine, all)
		}
	}
}
