//go:build unix

package e2e

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"codeintel/internal/cli"
	"codeintel/test/e2e/harness"
	"codeintel/test/e2e/page"
	"codeintel/test/golden"
	"codeintel/test/tier"
)

// A trick is a command line, and what is known of it; testdata/tricks.txtar says
// what its marks mean.
type trick struct {
	class, what string
	marks       []string
	command     string
}

func (k trick) is(mark string) bool { return slices.Contains(k.marks, mark) }

// tool is what Claude Code calls the shell that the command is for.
func (k trick) tool() string {
	if k.is("powershell") {
		return "PowerShell"
	}
	return "Bash"
}

var trickMark = regexp.MustCompile(` \[([^\]]*)\]`)

// tricksOf reads the command lines of a file in testdata.
func tricksOf(t *testing.T, file string) (all []trick) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	named := make(map[string]bool)
	for _, f := range archive.Files {
		k := trick{command: strings.TrimSuffix(string(f.Data), "\n")}
		for _, m := range trickMark.FindAllStringSubmatch(f.Name, -1) {
			k.marks = append(k.marks, m[1])
		}
		var ok bool
		if k.class, k.what, ok = strings.Cut(trickMark.ReplaceAllString(f.Name, ""), ": "); !ok || k.command == "" || named[f.Name] {
			t.Fatalf("%s: %q is nothing, is there twice, or has no class", file, f.Name)
		}
		named[f.Name] = true
		all = append(all, k)
	}
	if len(all) < 150 {
		t.Fatalf("%s holds %d command lines, fewer than it is to", file, len(all))
	}
	return all
}

// workshop is what the command lines find: a project with some tools that change
// lib/a.txt, and with settings of every client.
func workshop(t *testing.T, root string) {
	t.Helper()
	evil := "#!/bin/sh\necho evil >> \"${PWD%/tools*}/lib/a.txt\"\n"
	here := harness.At(t, root)
	for name, text := range map[string]string{
		"lib/a.txt": "one\ntwo\nthree\n", "lib/b.txt": "b\n",
		"tools/evil": evil, "tools/bin/ls": evil, "tools/bin/git-bang": evil, "tools/run.sh": "#!/bin/sh\necho run > lib/a.txt\n",
		"tools/x.py": "open('lib/a.txt', 'w').write('x')\n", "tools/x.awk": "{ print > \"lib/a.txt\" }\n", "tools/x.sed": "w lib/a.txt\n",
		"tools/x.patch": "--- a/lib/a.txt\n+++ b/lib/a.txt\n@@ -1,3 +1,3 @@\n-one\n+1\n two\n three\n",
		"tools/list":    "lib/a.txt\n", "tools/rgrc": "--pre=./tools/evil\n", "tools/evil.js": "require('fs').writeFileSync('lib/a.txt', 'x')\n",
		"tools/magic": "0 string x x\n", "tools/.claude/settings.json": "{\"disableAllHooks\":true}\n",
		"tools/gen/go.mod": "module gen\n\ngo 1.21\n", "tools/gen/gen.go": "package main\n//go:generate sh -c \"echo x > ../../lib/a.txt\"\nfunc main()  {}\n",
		"Makefile": "all:\n\techo made > lib/a.txt\n", "package.json": "{\"name\": \"x\", \"scripts\": {\"change\": \"echo x > lib/a.txt\"}}\n",
		".claude/settings.json": "{\"hooks\": {}}\n", ".codex/config.toml": "# code-intel\n", ".codex/hooks.json": "{\"hooks\": {}}\n", ".cursor/hooks.json": "{\"version\": 1}\n",
		".github/hooks/code-intel.json": "{\"version\": 1}\n", ".gemini/settings.json": "{\"hooks\": {}}\n", ".opencode/plugins/code-intel.js": "//\n", ".vscode/x": "",
		".specs/x/state.json": "{\"phase\": 1}\n", ".specs/x/journal.jsonl": "{}\n",
	} {
		here.Write(name, text)
		if strings.HasPrefix(text, "#!") {
			if err := os.Chmod(here.Path(name), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	var packed, zipped bytes.Buffer
	tw, zw := tar.NewWriter(&packed), zip.NewWriter(&zipped)
	w, err := zw.Create("lib/a.txt")
	if err == nil {
		_, err = w.Write([]byte("x"))
	}
	for _, step := range []func() error{
		func() error { return err }, zw.Close,
		func() error { return tw.WriteHeader(&tar.Header{Name: "lib/a.txt", Mode: 0o644, Size: 1}) },
		func() error { _, err := tw.Write([]byte("x")); return err }, tw.Close,
		func() error { return os.Symlink(".git", here.Path("gitlink")) },
		func() error { return os.Symlink("../outside", here.Path("link")) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	here.Write("tools/a.tar", packed.String())
	here.Write("tools/a.zip", zipped.String())
}

// hooked asks the hook of Claude Code about a command line, as the client does.
func (st *fixture) hooked(event, tool, command string) (status int, said string) {
	st.T.Helper()
	payload, err := json.Marshal(object{
		"session_id": "s", "cwd": st.Root, "hook_event_name": event, "tool_name": tool, "tool_input": object{"command": command},
	})
	if err != nil {
		st.T.Fatal(err)
	}
	var out, problem bytes.Buffer
	status = cli.Main(context.Background(), []string{"hook", "claude", event}, bytes.NewReader(payload), &out, &problem)
	var answer struct {
		Specific struct {
			Decision string `json:"permissionDecision"`
			Reason   string `json:"permissionDecisionReason"`
			Context  string `json:"additionalContext"`
		} `json:"hookSpecificOutput"`
	}
	if out.Len() > 0 {
		if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
			st.T.Fatalf("%s: the hook answers %q", command, out.String())
		}
	}
	if denied := answer.Specific.Decision == "deny"; denied != (status == 2) || problem.Len() > 0 && !denied {
		st.T.Fatalf("%s: status %d, %s%s", command, status, out.String(), problem.String())
	}
	return status, answer.Specific.Reason + answer.Specific.Context
}

// playedTo returns an agent in a workshop whose session is at a phase.
func playedTo(t *testing.T, phase string) *agent {
	t.Helper()
	t.Setenv("CLAUDE_PROJECT_DIR", "")
	w := discount()
	st := bareFixture(t, w.files)
	for _, dir := range []string{"outside/empty", "home/keep"} {
		if err := os.MkdirAll(filepath.Join(st.Root, "..", dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	workshop(t, st.Root)
	st.Write("../outside/file", "keep\n")
	st.Write("../home/keep/file", "keep\n")
	st.base = st.Commit()
	st.Serve()
	a := newAgent(st, w)
	a.start()
	a.play(phase)
	if a.at() != phase {
		t.Fatalf("the session never came to %q: %v", phase, a.trail)
	}
	return a
}

// A way names what is to be done in place of what was denied.
var way = regexp.MustCompile(`submit_phase|Send plain commands|[Aa]sk the user|git checkout -- FILE|Write commands and file names in full`)

// TestTricks tries each trick in a phase that only reads: it is denied, and the reason
// says where the session is and what to do instead.
func TestTricks(t *testing.T) {
	a := playedTo(t, "EXPLORATION")
	for _, k := range tier.Sample(tricksOf(t, "tricks.txtar"), 3) {
		status, reason := a.hooked("PreToolUse", k.tool(), k.command)
		switch {
		case status != 2:
			t.Errorf("%s: %s: it gets through:\n%s", k.class, k.what, k.command)
		case !way.MatchString(reason) || !strings.Contains(reason, "EXPLORATION") || !strings.Contains(reason, "code-intel session show"):
			t.Errorf("%s: %s: the denial shows no way on: %s", k.class, k.what, reason)
		}
	}
}

// TestHarmless tries what agents type all day: nothing of it is denied in a phase that
// only reads, nor in one that writes, where the usual work is allowed, too.
func TestHarmless(t *testing.T) {
	reading, writing := playedTo(t, "EXPLORATION"), playedTo(t, implement)
	for _, k := range tier.Sample(tricksOf(t, "harmless.txtar"), 3) {
		agents := []*agent{reading, writing}
		if strings.HasPrefix(k.class, "work in READY") {
			agents = agents[1:]
		}
		for _, a := range agents {
			if status, reason := a.hooked("PreToolUse", k.tool(), k.command); status != 0 {
				t.Errorf("%s: denied in %s:\n%s\n%s", k.class, a.at(), k.command, reason)
			}
		}
	}
}

// TestTricksInReady tries each trick in a phase that writes. What no phase permits is
// denied; what is allowed is run, and if it changed a file that was not approved, the
// audit finds it.
func TestTricksInReady(t *testing.T) {
	a := playedTo(t, implement)
	honest := a.deed()
	kept := t.TempDir()
	a.keep(kept)
	outcomes := make(map[string]*outcome)
	var classes []string
	for _, k := range tier.Sample(tricksOf(t, "tricks.txtar"), 15) {
		o := outcomes[k.class]
		if o == nil {
			o = &outcome{by: make(map[string]int)}
			outcomes[k.class], classes = o, append(classes, k.class)
		}
		o.count++
		status, reason := a.hooked("PreToolUse", k.tool(), k.command)
		switch {
		case status == 2 && !way.MatchString(reason):
			t.Errorf("%s: %s: the denial shows no way on: %s", k.class, k.what, reason)
		case status == 2:
			o.by["prevented"]++
		case k.is("ready"):
			t.Errorf("%s: %s: it gets through in READY:\n%s", k.class, k.what, k.command)
		case k.is("told") || k.is("home") || !k.runs(t):
			o.by["let through"]++
		default:
			how := "let through"
			if a.detects(k, honest) {
				how = "detected"
			}
			o.by[how]++
			a.restore(kept)
		}
	}
	var b strings.Builder
	b.WriteString("| class of technique | count | outside of READY | in READY |\n|---|---|---|---|\n")
	for _, c := range classes {
		fmt.Fprintf(&b, "| %s | %d | prevented | %s |\n", c, outcomes[c].count, outcomes[c])
	}
	switch {
	case !tier.Whole():
	case golden.Update():
		page.Hold(t, "../..", "tricks", b.String(), true)
	default:
		holdOutcomes(t, page.Part(t, "../..", "tricks"), outcomes)
	}
}

// holdOutcomes compares the outcomes with those on the page. How many changes are
// detected depends on which of the programs a machine has: without one of them nothing
// is changed there.
func holdOutcomes(t *testing.T, shown string, outcomes map[string]*outcome) {
	t.Helper()
	rows := 0
	for line := range strings.Lines(shown) {
		cells := strings.Split(line, " | ")
		if len(cells) != 4 {
			continue
		}
		class, count := strings.TrimPrefix(cells[0], "| "), cells[1]
		o := outcomes[class]
		if o == nil {
			continue // the header
		}
		rows++
		by := make(map[string]int)
		for part := range strings.SplitSeq(strings.TrimSuffix(cells[3], " |\n"), ", ") {
			n, how, some := strings.Cut(part, " ")
			if by[how], _ = strconv.Atoi(n); !some || by[how] == 0 {
				by[part], _ = strconv.Atoi(count) // all of the class
			}
		}
		if count != strconv.Itoa(o.count) || by["prevented"] != o.by["prevented"] {
			t.Errorf("docs/design/enforcement-tests.md says of %s: %sfound: %d, %v", class, line, o.count, o)
		}
	}
	if rows != len(outcomes) {
		t.Errorf("docs/design/enforcement-tests.md shows %d of %d classes", rows, len(outcomes))
	}
}

// An outcome is the result of a class of tricks in READY.
type outcome struct {
	count int
	by    map[string]int
}

func (o *outcome) String() string {
	var parts []string
	for _, how := range []string{"prevented", "detected", "let through"} {
		if n := o.by[how]; n == o.count {
			parts = append(parts, how)
		} else if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, how))
		}
	}
	return strings.Join(parts, ", ")
}

// detects runs the trick and requires the audit to name what it changed. It reports
// whether anything in the tree changed.
func (a *agent) detects(k trick, honest object) bool {
	a.T.Helper()
	before := a.Git("status", "--porcelain", "--untracked-files=all", "--ignored") + a.Git("diff", "HEAD")
	k.run(a.T, a.Root)
	if a.Git("status", "--porcelain", "--untracked-files=all", "--ignored")+a.Git("diff", "HEAD") == before {
		return false
	}
	if r := a.submit(honest); !r.Refused || r.Code() != "unapproved_changes" {
		a.T.Fatalf("%s: %s: the audit does not notice it:\n%s\n%s", k.class, k.what, k.command, r.Text)
	}
	return true
}

// keep copies the tree, without the files of git and of code-intel.
func (a *agent) keep(to string) {
	a.T.Helper()
	a.copyTree(to, a.Root)
}

func (a *agent) copyTree(to, from string) {
	a.T.Helper()
	cmd := exec.Command("cp", append([]string{"-a", "-t", to, "--"}, a.tree(from)...)...)
	cmd.Dir = from
	if out, err := cmd.CombinedOutput(); err != nil {
		a.T.Fatalf("%v: %s", err, out)
	}
}

// restore brings the tree back to what was kept.
func (a *agent) restore(from string) {
	a.T.Helper()
	for _, name := range a.tree(a.Root) {
		if err := os.RemoveAll(a.Path(name)); err != nil {
			a.T.Fatal(err)
		}
	}
	a.copyTree(a.Root, from)
	a.Git("reset", "-q")
}

func (a *agent) tree(dir string) (names []string) {
	a.T.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		a.T.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != ".git" && e.Name() != ".code-intel" {
			names = append(names, e.Name())
		}
	}
	return names
}

// runs reports whether the programs that the trick needs are on this machine.
func (k trick) runs(t testing.TB) bool {
	t.Helper()
	for _, m := range k.marks {
		if name, ok := strings.CutPrefix(m, "needs "); ok {
			if _, err := exec.LookPath(name); err != nil {
				return false
			}
		}
	}
	return true
}

// run types the command line into an unguarded bash.
func (k trick) run(t testing.TB, root string) (said string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", k.command)
	cmd.Dir, cmd.WaitDelay = root, time.Second
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "HOME=") || strings.HasPrefix(v, "XDG_")
	}), "HOME="+filepath.Join(filepath.Dir(root), "home"), "PWD="+root)
	out, _ := cmd.CombinedOutput() // many end with an error of their own
	if ctx.Err() != nil {
		t.Errorf("%s: %s: no end", k.class, k.what)
	}
	return string(out)
}

// TestTricksAreReal runs the tricks without hooks: each changes something. The harmless
// command lines change nothing.
func TestTricksAreReal(t *testing.T) {
	folder := t.TempDir()
	here := harness.At(t, filepath.Join(folder, "template", "project"))
	workshop(t, here.Root)
	here.Write("../outside/file", "keep\n")
	here.Write("../outside/empty/x", "")
	here.Remove("../outside/empty/x")
	here.Write("../home/keep/file", "keep\n")
	here.Git("init", "-q", "-b", "main")
	here.Write("lib/a.txt", "zero\n")
	for _, message := range []string{"Begin", "Go on"} {
		here.Git("add", "-A")
		here.Git("commit", "-q", "-m", message)
		here.Write("lib/a.txt", "one\ntwo\nthree\n")
	}
	here.Git("checkout", "-qb", "side")
	here.Write("lib/side.txt", "side\n")
	here.Git("add", "-A")
	here.Git("commit", "-q", "-m", "Aside")
	here.Git("checkout", "-q", "main")
	for _, state := range []string{"config.json", "sessions/x.json", "sessions/x.ledger.jsonl", "locks/x", "verifiers/y.md"} {
		here.Write(".code-intel/"+state, "{\"level\": \"L2\"}\n")
	}
	here.Write("../home/.bashrc", "")
	before := contents(t, filepath.Join(folder, "template"))
	scene := func(name string) (root string) {
		if out, err := exec.Command("cp", "-a", filepath.Join(folder, "template"), filepath.Join(folder, name)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return filepath.Join(folder, name, "project")
	}
	ran, shown := 0, 0
	for _, k := range tier.Sample(tricksOf(t, "tricks.txtar"), 30) {
		if k.is("told") || !k.runs(t) {
			continue
		}
		root := scene(fmt.Sprint("scene", ran)) // its own: what a trick starts may outlive it and write on
		said := k.run(t, root)
		switch changed := !maps.Equal(before, contents(t, filepath.Dir(root))); {
		case changed:
			shown++
		case !strings.Contains(said, "command not found"):
			t.Errorf("%s: %s: it changes nothing:\n%s\n%s", k.class, k.what, k.command, said)
		}
		ran++
		_ = os.RemoveAll(filepath.Dir(root)) // for the room; t.TempDir removes the rest
	}
	root := scene("harmless")
	for _, k := range tier.Sample(tricksOf(t, "harmless.txtar"), 9) {
		if strings.HasPrefix(k.class, "work in READY") || k.class == "ours" || k.class == "go" || k.is("powershell") {
			continue // go has caches of its own
		}
		said := k.run(t, root)
		if after := contents(t, filepath.Dir(root)); !maps.Equal(before, after) {
			t.Errorf("%s: it is not harmless:\n%s\n%s", k.class, k.command, said)
			before = after
		}
	}
	if tier.Whole() && shown < 100 {
		t.Errorf("only %d of %d have changed something", shown, ran)
	}
}

// contents are all files below a folder, except git's caches.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		if strings.HasPrefix(rel, "home/.cache") || strings.HasPrefix(rel, "home/go") || strings.HasPrefix(rel, "home/.npm") || d.IsDir() && strings.HasPrefix(rel, "home/.config") || strings.HasPrefix(rel, "home/.config/go/telemetry") || strings.HasPrefix(rel, "home/.rustup") || strings.HasPrefix(rel, "home/.pyenv") {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(name)
			if err != nil && !os.IsPermission(err) {
				return err
			}
			if rel == "project/.git/index" { // git status refreshes it; what it holds is asked for
				cmd := exec.Command("git", "ls-files", "-s", "-v")
				cmd.Dir = filepath.Join(dir, "project")
				data, _ = cmd.Output() // none of a broken repository
			}
			text += fmt.Sprintf("%x", sha256.Sum256(data))
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(name)
			if err != nil {
				return err
			}
			text += to
		}
		all[rel] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
