package git

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func (p playground) settings() *Settings {
	p.Helper()
	b, err := p.Settings(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	return b
}

// Whatever could hide a change from a snapshot is seen.
func TestSettingsTellWhatHides(t *testing.T) {
	const config, ignored = " in git's configuration", ", which git itself ignores"
	for name, tt := range map[string]struct {
		do   func(p playground)
		want []string
	}{
		"exclude":    {func(p playground) { p.write(".git/info/exclude", "new\n") }, []string{".git/info/exclude"}},
		"attributes": {func(p playground) { p.write(".git/info/attributes", "*.go -diff\n") }, []string{".git/info/attributes"}},
		"grafts":     {func(p playground) { p.write(".git/info/grafts", p.git("rev-parse", "HEAD")) }, []string{".git/info/grafts"}},
		"a replaced file": {func(p playground) {
			p.write("x", "innocent\n")
			p.git("replace", strings.TrimSpace(p.git("rev-parse", "HEAD:src/a b.go")), strings.TrimSpace(p.git("hash-object", "-w", "x")))
			p.remove("x")
		}, []string{"objects that stand for others (git replace)"}},
		"a replaced file, packed": {func(p playground) {
			p.write("x", "innocent\n")
			p.git("replace", strings.TrimSpace(p.git("rev-parse", "HEAD:src/a b.go")), strings.TrimSpace(p.git("hash-object", "-w", "x")))
			p.git("pack-refs", "--all")
			p.remove("x")
		}, []string{"objects that stand for others (git replace)"}},
		"ignored submodules": {func(p playground) { p.git("config", "submodule.lib.ignore", "all") }, []string{"submodule.lib.ignore" + config}},
		"a filter":           {func(p playground) { p.git("config", "filter.x.clean", "true") }, []string{"filter.x.clean" + config}},
		"modes":              {func(p playground) { p.git("config", "core.fileMode", "false") }, []string{"core.filemode" + config}},
		"an ignore file": {func(p playground) {
			p.write("../mine", "x\n")
			p.git("config", "core.excludesFile", filepath.Join(p.Dir, "../mine"))
		}, []string{"core.excludesfile" + config, "the user's git ignore file"}},
		"rules of themselves": {func(p playground) { p.write(".gitignore", "*\n") }, []string{".gitignore" + ignored}},
		"attributes likewise": {func(p playground) {
			p.write("src/.gitignore", ".gitattributes\n")
			p.write("src/.gitattributes", "* -text\n")
		}, []string{"src/.gitattributes" + ignored}},
		"a repository": {func(p playground) { p.git("init", "-q", "in here") }, []string{"in here/, a repository of its own"}},
		"left out": {func(p playground) {
			p.git("update-index", "--skip-worktree", "src/a b.go")
			p.remove("src/a b.go")
		}, []string{"which files are left out of the working tree (skip-worktree, sparse checkout)"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := play(t)
			p.write("src/a b.go", "package a\n")
			p.commit("Source")
			before := p.settings()
			tt.do(p)
			var changed []string
			for what, sum := range p.settings().Values {
				if before.Values[what] != sum {
					changed = append(changed, what)
				}
			}
			slices.Sort(changed)
			if diff := cmp.Diff(tt.want, changed); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Where a push goes to is told apart from which files git looks at. A remote that is new may
// be the one that is pushed to.
func TestSettingsTellWherePushesGo(t *testing.T) {
	p := play(t)
	p.write("a.go", "package a\n")
	p.commit("Source")
	p.git("remote", "add", "origin", "https://example.com/ours.git")
	before := p.settings()
	p.git("remote", "add", "fork", "https://example.com/fork.git")
	p.git("remote", "set-url", "origin", "https://example.com/theirs.git")
	p.git("remote", "set-url", "--push", "origin", "https://example.com/theirs.git")
	p.git("config", "url.https://example.net/.insteadOf", "https://example.com/")
	now := p.settings()
	if differ := Differing(before.Values, now.Values); len(differ) > 0 {
		t.Errorf("changes what is looked at: %q", differ)
	}
	differ := Differing(before.All(), now.All())
	want := []string{"remote.fork.url in git's configuration", "remote.origin.pushurl in git's configuration", "remote.origin.url in git's configuration", "url.https://example.net/.insteadof in git's configuration"}
	if diff := cmp.Diff(want, differ); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What users and tools do all day changes none of them.
func TestSettingsStay(t *testing.T) {
	p := play(t)
	p.write("src/a.go", "package a\n")
	p.commit("Source")
	before := p.settings()
	p.write("src/a.go", "package b\n")
	p.write("src/.gitignore", "*.log\n")
	p.write("build/out", "x\n")
	p.write(".pytest_cache/.gitignore", "*\n")
	p.write(".pytest_cache/x", "x\n")
	p.git("config", "log.date", "iso")
	p.git("switch", "-q", "-c", "other")
	p.git("add", "src")
	p.commit("More")
	p.git("stash", "-u")
	if diff := cmp.Diff(before, p.settings()); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

func TestSettingsOfSubmodulesAndHooks(t *testing.T) {
	p := play(t)
	lib := play(t)
	p.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib.Dir, "libs/x y")
	p.commit("A library")
	before := p.settings()
	if len(before.Submodules) > 0 || before.Hooks != "" {
		t.Errorf("a clean submodule and no hook: %+v", before)
	}
	p.write("libs/x y/new", "x\n")
	p.write(".git/hooks/pre-commit.sample", "#!/bin/sh\n")
	p.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 0\n")
	if err := os.Chmod(filepath.Join(p.Dir, ".git/hooks/pre-commit"), 0o755); err != nil {
		t.Fatal(err)
	}
	after := p.settings()
	if after.Submodules["libs/x y"] == "" || after.Hooks == "" {
		t.Errorf("a changed submodule and a hook: %+v", after)
	}
	p.git("config", "core.hooksPath", ".husky")
	if got := p.settings(); got.Hooks != "" || cmp.Diff(after.Values, got.Values) != "" {
		t.Errorf("with hooks in a folder that is not there: %+v", got)
	}
}

// TestSettingsUndone has a file of git's, which was not there, be left behind empty.
func TestSettingsUndone(t *testing.T) {
	p := play(t)
	p.write("a.go", "package a\n")
	p.commit("First")
	p.remove(".git/info")
	before := p.settings()
	p.write(".git/info/exclude", "\n")
	if diff := cmp.Diff(before, p.settings()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
