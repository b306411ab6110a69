package install_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"codeintel/internal/clients"
	. "codeintel/internal/clients/install"
	"codeintel/internal/clients/jsonedit"
	"codeintel/internal/clients/registry"
	"codeintel/internal/problem"
	"codeintel/test/golden"
)

const program = "/opt/tools/code-intel"

// at returns a place in a folder, for tests.
func at(dir string, client clients.ID, scope Scope) Place {
	var setup *Client
	if c := registry.All.Find(client); c != nil {
		setup = c.Setup
	}
	home := filepath.Join(dir, "home")
	return Place{
		Client: setup, Scope: scope, Root: filepath.Join(dir, "project"), Program: program, Lang: "en", Rules: []byte("# Rules\n"),
		Home: home, Config: filepath.Join(home, ".config"), XDG: filepath.Join(home, ".config"), State: filepath.Join(dir, "state"),
	}
}

type fataler interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

func put(t fataler, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// tree is all that lies in a folder but the memory; folders end in a slash.
func tree(t fataler, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		rel = filepath.ToSlash(rel)
		switch {
		case err != nil || rel == ".":
		case rel == "state":
			return fs.SkipDir
		case d.IsDir():
			all[rel+"/"] = ""
		default:
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all[rel] = string(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// do plans and applies.
func do(t fataler, plan func(Place) (*Plan, error), p Place) *Plan {
	t.Helper()
	done, err := plan(p)
	if err != nil {
		t.Fatalf("%s, %s: %v", p.Client.ID, p.Scope, err)
	}
	if err := done.Apply(); err != nil {
		t.Fatal(err)
	}
	return done
}

func begin(t fataler, dir string) {
	t.Helper()
	for _, name := range []string{"project", "home"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// TestTrees holds what is written to golden files, and what is left after uninstall
// to what was there before. An archive holds the files before and, below "after/",
// those that are no skills or agents of ours.
func TestTrees(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) < 10 {
		t.Fatalf("%d archives, %v", len(archives), err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			words := strings.Fields(strings.Split(string(a.Comment), ":")[0]) // "claude project: …"
			dir := t.TempDir()
			begin(t, dir)
			var before []txtar.File
			want := make(map[string]string)
			for _, f := range a.Files {
				text := strings.ReplaceAll(string(f.Data), "^M\n", "\r\n")
				text = strings.TrimSuffix(text, "%no end%\n")
				if rest, ok := strings.CutPrefix(f.Name, "after/"); ok {
					want[rest] = text
					continue
				}
				before = append(before, f)
				put(t, dir, f.Name, text)
			}
			p := at(dir, clients.ID(words[0]), Scope(words[1]))
			if len(before) > 0 && strings.HasSuffix(before[len(before)-1].Name, ".md") {
				p.Rules = nil
			}
			was := tree(t, dir)
			plan := do(t, Install, p)
			got := make(map[string]string)
			var others []string
			for name, text := range tree(t, dir) {
				switch {
				case strings.HasSuffix(name, "/") || was[name] == text:
				case strings.HasSuffix(name, "SKILL.md") || strings.Contains(name, "/agents/"):
					others = append(others, name)
				default:
					got[name] = text
				}
			}
			slices.Sort(others)
			got["files"] = strings.Join(others, "\n") + "\n"
			got["notes"] = notes(plan, dir)
			if golden.Update() {
				out := &txtar.Archive{Comment: a.Comment, Files: before}
				for _, name := range slices.Sorted(maps.Keys(got)) {
					text := strings.ReplaceAll(got[name], "\r\n", "^M\n")
					if !strings.HasSuffix(text, "\n") && text != "" {
						text += "%no end%\n"
					}
					out.Files = append(out.Files, txtar.File{Name: "after/" + name, Data: []byte(text)})
				}
				if err := os.WriteFile(name, txtar.Format(out), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			after := tree(t, dir)
			if again := do(t, Install, p); !again.Empty() {
				t.Errorf("a second run would change:\n%s", again.Diff())
			}
			if diff := cmp.Diff(after, tree(t, dir)); diff != "" {
				t.Errorf("a second run has changed: %s", diff)
			}
			do(t, Uninstall, p)
			if diff := cmp.Diff(was, tree(t, dir)); diff != "" {
				t.Errorf("uninstall leaves: %s", diff)
			}
			if again := do(t, Uninstall, p); !again.Empty() {
				t.Errorf("a second uninstall would change:\n%s", again.Diff())
			}
		})
	}
}

func notes(p *Plan, dir string) string {
	var b strings.Builder
	for _, n := range p.Notes {
		rel, _ := filepath.Rel(dir, n.Path)
		fmt.Fprintf(&b, "%s: %s\n", filepath.ToSlash(rel), n.Text)
	}
	return b.String()
}

// settings returns the files of a client that others write in, too.
func settings(p Place) (files []string) {
	entries, err := Entries(p)
	if err != nil {
		panic(err)
	}
	for _, e := range entries {
		if e.Kind != Whole && !slices.Contains(files, e.File) {
			files = append(files, e.File)
		}
	}
	return files
}

// odd is a settings file as somebody may have written it, with a value to edit.
func odd(t *rapid.T, toml bool) string {
	newline := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "newline")
	if toml {
		text := rapid.SampledFrom([]string{"", "\n", "model = \"EDIT\"\n", "model = \"EDIT\"", "# one\n\n[a]\nb = \"EDIT\"\n\n\n", "[mcp_servers.other]\ncommand = \"EDIT\""}).Draw(t, "toml")
		return strings.ReplaceAll(text, "\n", newline)
	}
	unit := rapid.SampledFrom([]string{"", " ", "  ", "    ", "\t"}).Draw(t, "unit")
	line := newline
	if rapid.Bool().Draw(t, "one line") {
		unit, line = "", ""
	}
	comment := rapid.SampledFrom([]string{"", " // not ours\n", " /* not ours */", "\n"}).Draw(t, "comment")
	last := rapid.SampledFrom([]string{"", "\n", "\n\n", " "}).Draw(t, "last")
	comma := rapid.SampledFrom([]string{"", ","}).Draw(t, "comma")
	members := []string{
		`"mcpServers": {"other": {"command": "EDIT"}}`, `"mcpServers": {}`, `"mcpServers": { }`, `"hooks": {}`, `"hooks": {` + comment + `}`,
		`"hooks": {"PreToolUse": []}`, `"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}]}],` + line + unit + `"Stop": [` + comment + `]}`,
		`"hooks": {"preToolUse": [{"command": "mine"},` + comment + `], "x": 1}`, `"model": "EDIT"`, `"version": 1`, `"servers": {}`, `"mcp": {"other": {}}`, `"x": [1, 2]`,
	}
	var list []string
	for _, m := range rapid.SliceOfNDistinct(rapid.SampledFrom(members), 0, 3, func(s string) string { return strings.SplitN(s, ":", 2)[0] }).Draw(t, "members") {
		list = append(list, unit+m)
	}
	if len(list) == 0 {
		text := rapid.SampledFrom([]string{"", " \n", "{}", "{ }", "{\n}\n", "{" + comment + "}", "\ufeff{}\n"}).Draw(t, "empty")
		return strings.ReplaceAll(text, "\n", newline)
	}
	text := "{" + line + strings.Join(list, ","+line) + comma + comment + line + "}" + last
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", newline)
}

// Whatever the settings of a client are: installed once or twice, and edited elsewhere
// meanwhile or not, uninstall leaves what would be there without.
func TestRestored(t *testing.T) {
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		dir := filepath.Join(dir, fmt.Sprint(n))
		begin(t, dir)
		p := at(dir, rapid.SampledFrom(registry.All).Draw(t, "client").ID(), rapid.SampledFrom([]Scope{Project, User}).Draw(t, "scope"))
		files := settings(p)
		for _, f := range files {
			if rapid.Bool().Draw(t, "exists") {
				put(t, "", f, odd(t, strings.HasSuffix(f, ".toml")))
			}
		}
		was := tree(t, dir)
		do(t, Install, p)
		first := tree(t, dir)
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(f, ".toml") {
				continue
			}
			if _, err := jsonedit.Get(text); err != nil {
				t.Fatalf("%s: %v:\n%s", f, err, text)
			}
		}
		if again := do(t, Install, p); !again.Empty() {
			t.Fatalf("a second run changes:\n%s", again.Diff())
		}
		if diff := cmp.Diff(first, tree(t, dir)); diff != "" {
			t.Fatal(diff)
		}
		if rapid.Bool().Draw(t, "another program") {
			moved := p
			moved.Program = "/usr/local/bin/code-intel"
			if plan := do(t, Install, moved); plan.Empty() || len(plan.Notes) > 0 {
				t.Fatalf("nothing follows the program: %v", plan.Notes)
			}
			do(t, Install, p)
			if diff := cmp.Diff(first, tree(t, dir)); diff != "" {
				t.Fatal(diff)
			}
		}
		if rapid.Bool().Draw(t, "edited") {
			for name, text := range tree(t, dir) {
				put1(t, dir, name, strings.ReplaceAll(text, "EDIT", "edited"))
			}
			for name, text := range was {
				was[name] = strings.ReplaceAll(text, "EDIT", "edited")
			}
		}
		if rapid.Bool().Draw(t, "forgotten") { // then empty objects may go, and nothing else may
			if err := os.RemoveAll(p.State); err != nil {
				t.Fatal(err)
			}
			do(t, Uninstall, p)
			for name, text := range tree(t, dir) {
				if strings.Contains(text, "code-intel") {
					t.Fatalf("%s still holds something of ours:\n%s", name, text)
				}
				if strings.Contains(was[name], "edited") != strings.Contains(text, "edited") || strings.Contains(was[name], "not ours") != strings.Contains(text, "not ours") {
					t.Fatalf("%s was\n%s\nand is\n%s", name, was[name], text)
				}
			}
			return
		}
		do(t, Uninstall, p)
		if diff := cmp.Diff(was, tree(t, dir)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func put1(t fataler, dir, name, text string) {
	if !strings.HasSuffix(name, "/") {
		put(t, dir, name, text)
	}
}

// What somebody has changed in our entries stays, and they are told.
func TestChangedByHand(t *testing.T) {
	for _, tt := range []struct {
		client         clients.ID
		file, old, new string
	}{
		{"claude", "project/.mcp.json", `"mcp"`, `"mcp", "--toolsets", "code"`},
		{"claude", "project/.claude/settings.json", `"timeout": 10`, `"timeout": 60`},
		{"claude", "project/.claude/skills/code/SKILL.md", "# /code", "# /code, as I like it"},
		{"claude", "project/.claude/CLAUDE.md", "# Rules", "# My rules"},
		{"codex", "project/.codex/config.toml", `args = ["mcp"]`, "args = [\"mcp\"]\ntool_timeout_sec = 90"},
		{"codex", "project/.codex/hooks.json", `"timeout": 10`, `"timeout": 60`},
		{"copilot", "project/.github/hooks/code-intel.json", `"timeoutSec": 10`, `"timeoutSec": 60`},
		{"opencode", "project/.opencode/plugins/code-intel.js", "// Asks", "// Mine: asks"},
	} {
		dir := t.TempDir()
		begin(t, dir)
		p := at(dir, tt.client, Project)
		do(t, Install, p)
		text := tree(t, dir)[tt.file]
		if !strings.Contains(text, tt.old) {
			t.Fatalf("%s holds no %s:\n%s", tt.file, tt.old, text)
		}
		put(t, dir, tt.file, strings.Replace(text, tt.old, tt.new, 1))
		told := func(p *Plan) bool {
			return slices.ContainsFunc(p.Notes, func(n Note) bool { return n.Path == filepath.Join(dir, filepath.FromSlash(tt.file)) })
		}
		if again := do(t, Install, p); !again.Empty() || !told(again) && !strings.HasSuffix(tt.file, "CLAUDE.md") {
			t.Errorf("%s: install: %v\n%s", tt.file, again.Notes, again.Diff())
		}
		if plan := do(t, Uninstall, p); !told(plan) {
			t.Errorf("%s: uninstall says %v", tt.file, plan.Notes)
		}
		left := tree(t, dir)
		if !strings.Contains(left[tt.file], strings.Fields(tt.new)[0]) {
			t.Errorf("%s is gone", tt.file)
		}
		for name, text := range left {
			if name != tt.file && text != "" {
				t.Errorf("%s stays besides %s", name, tt.file)
			}
		}
	}
}

// Codex puts tables of its own, the hooks that were trusted, before the end of our
// block. They stay, and ours goes.
func TestTablesInBlock(t *testing.T) {
	const theirs = "\n[hooks.state]\n\n[hooks.state.\"x:0\"]\ntrusted_hash = \"sha256:1\"\n"
	const file = "home/.codex/config.toml"
	for _, before := range []string{"", "model = \"m\"", "model = \"m\"\n", "model = \"m\"\r\n"} {
		dir := t.TempDir()
		begin(t, dir)
		if before != "" {
			put(t, dir, file, before)
		}
		p := at(dir, "codex", User)
		do(t, Install, p)
		newline := "\n"
		if strings.Contains(before, "\r") {
			newline = "\r\n"
		}
		added := strings.ReplaceAll(theirs, "\n", newline)
		put(t, dir, file, strings.Replace(tree(t, dir)[file], "# <<<", added+"# <<<", 1))
		if again := do(t, Install, p); !again.Empty() || len(again.Notes) > 0 {
			t.Errorf("%q: install: %v\n%s", before, again.Notes, again.Diff())
		}
		p.Program = "/elsewhere/code-intel"
		do(t, Install, p)
		if text := tree(t, dir)[file]; !strings.Contains(text, p.Program) || !strings.Contains(text, added) {
			t.Errorf("%q: with another program: %s", before, text)
		}
		if plan := do(t, Uninstall, p); len(plan.Notes) > 0 {
			t.Errorf("%q: uninstall: %v", before, plan.Notes)
		}
		if got := tree(t, dir)[file]; got != before+added {
			t.Errorf("%q: left %q", before, got)
		}
	}
}

// What is there under our name and not of ours is not touched, nor is anything written
// where something cannot be read.
func TestRefusals(t *testing.T) {
	for name, text := range map[string]string{
		"broken": "{", "a list": "[]", "hooks are a list": `{"hooks": []}`, "an event is a text": `{"hooks": {"Stop": "x"}}`, "null": `{"hooks": null}`,
	} {
		dir := t.TempDir()
		begin(t, dir)
		put(t, dir, "project/.claude/settings.json", text)
		was := tree(t, dir)
		plan, err := Install(at(dir, "claude", Project))
		if p := problem.Of(err); p == nil || p.Code != Unreadable || !strings.Contains(p.Message.String(), "settings.json") {
			t.Errorf("%s: %v, %v", name, plan, err)
		}
		if diff := cmp.Diff(was, tree(t, dir)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	dir, outside := t.TempDir(), t.TempDir()
	begin(t, dir)
	if err := os.Symlink(outside, filepath.Join(dir, "project", ".claude")); err != nil {
		t.Skip(err)
	}
	if _, err := Install(at(dir, "claude", Project)); problem.Of(err) == nil || problem.Of(err).Code != problem.OutsideRoot {
		t.Errorf("a link that leads outside: %v", err)
	}
	if _, err := Install(at(dir, "emacs", Project)); problem.Of(err) == nil {
		t.Errorf("another client: %v", err)
	}
}

// A program of another name, or at another place, takes the place of the one before,
// with and without what install remembers.
func TestAnotherProgram(t *testing.T) {
	for _, c := range registry.All {
		client := c.ID()
		dir := t.TempDir()
		begin(t, dir)
		was := tree(t, dir)
		p := at(dir, client, Project)
		do(t, Install, p)
		first := tree(t, dir)
		p.Program = "/opt/other/ci"
		do(t, Install, p)
		do(t, Install, p)
		p.Program = program
		do(t, Install, p)
		again := tree(t, dir)
		for name, text := range first { // but for where lines break
			if strings.Join(strings.Fields(text), "") != strings.Join(strings.Fields(again[name]), "") {
				t.Errorf("%s: %s: %s", client, name, cmp.Diff(text, again[name]))
			}
		}
		do(t, Uninstall, p)
		if diff := cmp.Diff(was, tree(t, dir)); diff != "" {
			t.Errorf("%s: %s", client, diff)
		}
	}
	dir := t.TempDir()
	begin(t, dir)
	p := at(dir, "claude", Project)
	p.Program = "/opt/other/ci"
	do(t, Install, p)
	p.Program, p.State = program, filepath.Join(dir, "state", "colleague")
	plan, err := Install(p)
	if err != nil || slices.ContainsFunc(plan.Changes, func(c Change) bool { return strings.HasSuffix(c.Path, "settings.json") }) || len(plan.Notes) == 0 {
		t.Errorf("a hook beside one of another program: %v, %v, %v", plan.Changes, plan.Notes, err)
	}
}

// A user's link to their settings stays a link, and the file keeps its mode.
func TestLinksAndModes(t *testing.T) {
	dir := t.TempDir()
	begin(t, dir)
	real := filepath.Join(dir, "home", "dotfiles", "claude.json")
	put(t, dir, "home/dotfiles/claude.json", "{\"secret\": 1}\n")
	link := filepath.Join(dir, "home", ".claude.json")
	if err := os.Chmod(real, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, link); err != nil {
		t.Skip(err)
	}
	p := at(dir, "claude", User)
	do(t, Install, p)
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if info, err := os.Stat(real); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode: %v, %v", info, err)
	}
	do(t, Uninstall, p)
	if text, _ := os.ReadFile(real); string(text) != "{\"secret\": 1}\n" {
		t.Errorf("%s", text)
	}
}

// A file that somebody writes while the plan is looked at is not overwritten.
func TestMeanwhile(t *testing.T) {
	dir := t.TempDir()
	begin(t, dir)
	plan, err := Install(at(dir, "gemini", Project))
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, "project/.gemini/settings.json", `{"theme": "dark"}`)
	if err := plan.Apply(); problem.Of(err) == nil || problem.Of(err).Code != Meanwhile {
		t.Errorf("%v", err)
	}
	if got := tree(t, dir); got["project/.gemini/settings.json"] != `{"theme": "dark"}` || len(got) != 4 {
		t.Errorf("%v", got)
	}
}

// AGENTS.md is for all clients that read it: it goes with the last of them.
func TestSharedRules(t *testing.T) {
	dir := t.TempDir()
	begin(t, dir)
	was := tree(t, dir)
	codex, opencode := at(dir, "codex", Project), at(dir, "opencode", Project)
	do(t, Install, codex)
	opencode.Rules = nil // there is a file of rules now
	do(t, Install, opencode)
	do(t, Uninstall, codex)
	if tree(t, dir)["project/AGENTS.md"] != "# Rules\n" {
		t.Error("AGENTS.md went with the first client")
	}
	do(t, Uninstall, opencode)
	if diff := cmp.Diff(was, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
	put(t, dir, "project/AGENTS.md", "# Rules\n") // the user's own, by chance the same
	codex.Rules = nil
	do(t, Install, codex)
	do(t, Uninstall, codex)
	if tree(t, dir)["project/AGENTS.md"] == "" {
		t.Error("AGENTS.md of the user is gone")
	}
}

// TestStatusLine wants a status line only where it is asked for and nobody has one,
// and uninstall to take away ours and no other.
func TestStatusLine(t *testing.T) {
	const ours = `"statusLine":{"type":"command","command":"/opt/tools/code-intel statusline"}`
	other := `{"statusLine": {"type": "command", "command": "~/line.sh"}}`
	for name, c := range map[string]struct {
		scope Scope
		files map[string]string // before
		asked bool
		want  bool
	}{
		"asked for":                     {Project, nil, true, true},
		"for the user":                  {User, nil, true, true},
		"not asked for":                 {Project, nil, false, false},
		"one is there":                  {Project, map[string]string{"project/.claude/settings.json": other}, true, false},
		"the user has one":              {Project, map[string]string{"home/.claude/settings.json": other}, true, false},
		"the user has one, for himself": {User, map[string]string{"home/.claude/settings.json": other}, true, false},
		"a local one":                   {Project, map[string]string{"project/.claude/settings.local.json": other}, true, false},
		"settings without one":          {Project, map[string]string{"home/.claude/settings.json": `{"model": "opus"}`}, true, true},
		"settings that say nothing":     {Project, map[string]string{"home/.claude/settings.json": ""}, true, true},
		"settings that nobody can read": {Project, map[string]string{"home/.claude/settings.json": "{"}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			begin(t, dir)
			for file, text := range c.files {
				put(t, dir, file, text)
			}
			before := tree(t, dir)
			p := at(dir, "claude", c.scope)
			p.Status = c.asked
			plan := do(t, Install, p)
			file := map[Scope]string{Project: "project/.claude/settings.json", User: "home/.claude/settings.json"}[c.scope]
			text := strings.NewReplacer(" ", "", "\n", "").Replace(tree(t, dir)[file])
			if got := strings.Contains(text, strings.ReplaceAll(ours, " ", "")); got != c.want {
				t.Errorf("written: %t\n%s", got, tree(t, dir)[file])
			}
			if c.asked && !c.want && len(plan.Notes) == 0 {
				t.Error("nobody is told that there is one already")
			}
			p.Status = false
			if again := do(t, Install, p); !again.Empty() {
				t.Errorf("a second time changes %v", again.Changes)
			}
			if left := do(t, Uninstall, p); len(left.Notes) > 0 {
				t.Errorf("uninstall notes %v", left.Notes)
			}
			if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
				t.Errorf("after uninstall: -want +got:\n%s", diff)
			}
		})
	}
	if _, err := Install(Place{Client: registry.All.Find("codex").Setup, Scope: Project, Status: true}); problem.Of(err) == nil {
		t.Errorf("Codex has got a status line: %v", err)
	}
}
