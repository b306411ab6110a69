//go:build linux

package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
)

// TestConfigLines reads configurations as git does.
func TestConfigLines(t *testing.T) {
	for _, text := range []string{
		"[a]\n\tx = /one\n", "[a \"b=c\"] x = /two # no\n", "[a \"]\\\"=\"]x=/th\"re\"e\n", "[a]\nx = \"/f ; o\"ur ; no\n",
		"[a]\nx = /fi\\\nve\n", "# x = 1 \\\n[a]\nx = 2 # \\\ny = 3\n", "[a]\nx\ny= \n[b.c]\r\nz = 1\r\n", "\ufeff[a]\nx-1 =  a  b  \n",
		"[a]\nx = \\t\\\\\\\"\\n.\n; y\n[c][d] w = 1", "[a]\nx = a\"\n", "[a]\n1x = a\n", "x = 1\n[a]\nX=Y", "[a \"\\\\\"] x = \"a \" b\n",
	} {
		file := filepath.Join(t.TempDir(), "config")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("git", "config", "--file", file, "--null", "--list").Output()
		if err != nil {
			continue // what is before the mistake counts for git, too
		}
		var want, got []string
		for entry := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			if name, value, ok := strings.Cut(entry, "\n"); ok {
				want = append(want, name[strings.LastIndexByte(name, '.')+1:]+"="+value)
			}
		}
		for _, l := range configLines(text) {
			got = append(got, l.key+"="+l.value)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, and git reads %q", text, got, want)
		}
	}
}

// TestNamedFiles has the configuration name a pipe in ways that only git understands.
func TestNamedFiles(t *testing.T) {
	for _, value := range []string{"%s", "%s # behind", "\"%s\"", "%%(prefix)/../../../../%s", "/proc/self/cwd/pipe", "~root/../../../..%s"} {
		for _, section := range []string{"[core]\n\texcludesFile = ", "[core] excludesFile = ", "[a \"=\"]\n[core]\nexcludesFile=", "# \\\n[include]\npath = "} {
			p := play(t)
			p.commit("One")
			pipe := filepath.Join(p.Dir, "pipe")
			if err := exec.Command("mkfifo", pipe).Run(); err != nil {
				t.Skip(err)
			}
			p.write(".git/config", section+strings.ReplaceAll(strings.ReplaceAll(value, "%s", pipe), "%%", "%")+"\n")
			_, err := p.Repo.Run(t.Context(), "status", "--porcelain")
			if _, refused := err.(*repofile.Refusal); !refused {
				t.Errorf("%s%s: %v", section, value, err)
			}
		}
	}
}

// TestIncludesWithoutEnd has files of the configuration include each other, so that they would be read a
// hundred to the power of ten times.
func TestIncludesWithoutEnd(t *testing.T) {
	p := play(t)
	p.commit("One")
	p.write(".git/config", "[core]\n\tbare = false\n"+strings.Repeat("[include]\n\tpath = a\n", 100))
	p.write(".git/a", strings.Repeat("[include]\n\tpath = b\n", 100))
	p.write(".git/b", strings.Repeat("[include]\n\tpath = a\n", 100))
	for what, do := range map[string]func() error{
		"run":  func() error { _, err := p.Repo.Run(t.Context(), "status", "--porcelain"); return err },
		"open": func() error { _, err := Open(t.Context(), p.Dir); return err },
	} {
		if refused := problem.Of(do()); refused == nil || refused.Code != gitTooSlow {
			t.Errorf("%s: %v", what, refused)
		}
	}
	p.write(".git/config", "[core]\n\tbare = false\n[a]\n"+strings.Repeat("x = ~nobody/x\n", 20_000))
	if refused := problem.Of(checkConfig(filepath.Join(p.GitDir, "config"), p.Dir)); refused == nil || refused.Code != gitTooSlow {
		t.Errorf("names of users: %v", refused)
	}
	p.write(".git/config", "[core]\n\tbare = false\n"+strings.Repeat("[include]\n\tpath = c\n", 100))
	p.write(".git/c", "[user]\n\tname = x\n")
	if _, err := p.Repo.Run(t.Context(), "status", "--porcelain"); err != nil {
		t.Errorf("a hundred includes: %v", err)
	}
}

// TestQuotes has git complain of a file outside that the configuration names: its words are not shown.
func TestQuotes(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("[core]\n\tfilemode = secret\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{outside, "more"} {
		p := play(t)
		p.commit("One")
		if name == "more" {
			if err := os.Symlink(outside, filepath.Join(p.Dir, ".git", name)); err != nil {
				t.Skip(err)
			}
		}
		if _, err := p.Repo.Run(t.Context(), "status", "--porcelain"); err != nil {
			t.Fatal(err)
		}
		p.write(".git/config", "[include]\n\tpath = "+name+"\n")
		for what, do := range map[string]func() error{
			"run":  func() error { _, err := p.Repo.Run(t.Context(), "status", "--porcelain"); return err },
			"open": func() error { _, err := Open(t.Context(), p.Dir); return err },
		} {
			if err := do(); err == nil || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s, %s: %v", name, what, err)
			}
		}
	}
}
