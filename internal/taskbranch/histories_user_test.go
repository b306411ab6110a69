package taskbranch

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// oddNames is what files are called.
var oddNames = []string{
	"new", "sp ace", "[x] *.go", `quo"te's`, "line\nbreak", "日本/新しい [1].txt", "-n", ":(top)a", "tab\there", "back\\slash",
	"deep/er/and/deeper", "dir/new", "dir", "a/x", "b/y z", "x.log", "dir/y.log", "build/out", "new.rot", "new.crlf", "A", "B", "Dir/c",
	"é", "e\u0301", ".hidden", "a -> b", "{a => b}", "@", "sub2/x", strings.Repeat("long", 60), strings.Repeat("d/", 40) + "x", ".code-intel/agreements/x.md", "dir/.code-intel/y",
}

func oddName(rnd *rand.Rand) string { return oddNames[rnd.IntN(len(oddNames))] }

// text is new content, never written before.
func text(rnd *rand.Rand) string {
	u := rnd.Uint64()
	switch rnd.IntN(8) {
	case 0:
		return fmt.Sprintf("\x00\xff%x", u)
	case 1:
		return fmt.Sprintf("%x\r\ntwo\r\n", u)
	case 2:
		return fmt.Sprintf("%x\r\nmixed\n", u)
	case 3:
		return fmt.Sprintf("no line break %x", u)
	}
	return fmt.Sprintf("1\n2\n3 %x\n4\n5\n", u)
}

// edited is a text with one line changed.
func edited(old string, rnd *rand.Rand) string {
	lines := strings.SplitAfter(old, "\n")
	i := rnd.IntN(len(lines))
	end := ""
	if strings.HasSuffix(lines[i], "\n") {
		end = "\n"
	}
	lines[i] = fmt.Sprintf("edited %x%s", rnd.Uint64(), end)
	return strings.Join(lines, "")
}

// A doing is something that can happen, and how often it does.
type doing struct {
	name   string
	weight int
	do     func(w *world, rnd *rand.Rand)
}

var hooks = []string{"pre-commit", "commit-msg", "post-checkout", "post-merge", "post-commit", "reference-transaction"}

var userDoes = []doing{
	{"edit", 14, func(w *world, rnd *rand.Rand) {
		name := w.pick(rnd)
		if data, err := os.ReadFile(w.file(name)); err == nil {
			w.put(name, edited(string(data), rnd))
		}
	}},
	{"write", 10, func(w *world, rnd *rand.Rand) { w.put(oddName(rnd), text(rnd)) }},
	{"delete", 5, func(w *world, rnd *rand.Rand) { os.Remove(w.file(w.pick(rnd))) }},
	{"rename", 5, func(w *world, rnd *rand.Rand) {
		from, to := w.pick(rnd), oddName(rnd)
		if data, err := os.ReadFile(w.file(from)); err == nil {
			os.Remove(w.file(from))
			w.put(to, string(data))
		}
	}},
	{"git mv", 3, func(w *world, rnd *rand.Rand) { w.git("mv", "--", w.pick(rnd), oddName(rnd)) }},
	{"case", 2, func(w *world, rnd *rand.Rand) {
		from := w.pick(rnd)
		os.Rename(w.file(from), w.file(path.Join(path.Dir(from), strings.ToUpper(path.Base(from)))))
	}},
	{"chmod", 3, func(w *world, rnd *rand.Rand) {
		name := w.file(w.pick(rnd))
		if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() {
			os.Chmod(name, info.Mode()^0o111)
		}
	}},
	{"link", 3, func(w *world, rnd *rand.Rand) {
		name := w.pick(rnd)
		os.Remove(w.file(name))
		os.Symlink([]string{"b", ".", "/no/such", fmt.Sprint("to ", rnd.Uint64())}[rnd.IntN(4)], w.file(name))
	}},
	{"folder to link", 1, func(w *world, rnd *rand.Rand) {
		if dir := path.Dir(w.pick(rnd)); dir != "." {
			os.RemoveAll(w.file(dir))
			os.Symlink(".", w.file(dir))
		}
	}},
	{"file to folder", 3, func(w *world, rnd *rand.Rand) {
		name := w.pick(rnd)
		os.Remove(w.file(name))
		w.put(name+"/"+[]string{"in", "in.log", "x.rot"}[rnd.IntN(3)], text(rnd))
	}},
	{"ignored beside", 3, func(w *world, rnd *rand.Rand) {
		w.put(path.Join(path.Dir(w.pick(rnd)), fmt.Sprintf("%d.log", rnd.IntN(3))), text(rnd))
	}},
	{"folder to file", 2, func(w *world, rnd *rand.Rand) {
		if dir := path.Dir(w.pick(rnd)); dir != "." {
			os.RemoveAll(w.file(dir))
			w.put(dir, text(rnd))
		}
	}},
	{"stage", 9, func(w *world, rnd *rand.Rand) { w.git("add", "--", w.pick(rnd)) }},
	{"stage all", 3, func(w *world, rnd *rand.Rand) { w.git("add", "--all") }},
	{"stage an ignored one", 2, func(w *world, rnd *rand.Rand) { w.git("add", "-f", "--", w.pick(rnd)) }},
	{"intend", 1, func(w *world, rnd *rand.Rand) { w.git("add", "-N", "--", w.pick(rnd)) }},
	{"unstage", 3, func(w *world, rnd *rand.Rand) { w.git("reset", "-q", "--", w.pick(rnd)) }},
	{"untrack", 2, func(w *world, rnd *rand.Rand) { w.git("rm", "-q", "--cached", "--", w.pick(rnd)) }},
	{"commit", 3, func(w *world, rnd *rand.Rand) {
		w.git("commit", "-q", "--allow-empty", "-m", fmt.Sprint("By hand ", rnd.IntN(9)))
	}},
	{"commit all", 3, func(w *world, rnd *rand.Rand) {
		w.git("add", "--all")
		w.git("commit", "-q", "--allow-empty", "-m", "All by hand")
	}},
	{"amend", 1, func(w *world, rnd *rand.Rand) { w.git("commit", "-q", "--amend", "--allow-empty", "-m", "Amended") }},
	{"stash", 1, func(w *world, rnd *rand.Rand) { w.git("stash", "-q", "-u") }},
	{"unstash", 2, func(w *world, rnd *rand.Rand) { w.git("stash", "pop", "-q") }},
	{"hook", 5, func(w *world, rnd *rand.Rand) {
		name := filepath.Join(w.r.CommonDir, "hooks", hooks[rnd.IntN(len(hooks))])
		if os.Remove(name) != nil {
			os.MkdirAll(filepath.Dir(name), 0o755)
			os.WriteFile(name, []byte("#!/bin/sh\nexit 1\n"), 0o755)
		}
	}},
	{"no hooks", 3, func(w *world, rnd *rand.Rand) { os.RemoveAll(filepath.Join(w.r.CommonDir, "hooks")) }},
	{"attributes", 1, func(w *world, rnd *rand.Rand) {
		w.put(".gitattributes", []string{"", "* text=auto\n", "*.rot filter=rot\n*.txt text eol=crlf\n", "* -text\n", "* filter=rot\n"}[rnd.IntN(5)])
	}},
	{"ignore", 1, func(w *world, rnd *rand.Rand) {
		w.put(".gitignore", []string{"*.log\n", "build/\nnew*\n", "*\n!.gitignore\n", ""}[rnd.IntN(4)])
	}},
	{"line ends", 1, func(w *world, rnd *rand.Rand) {
		w.git("config", "core.autocrlf", []string{"true", "input", "false"}[rnd.IntN(3)])
	}},
	{"assume", 1, func(w *world, rnd *rand.Rand) {
		w.git("update-index", []string{"--assume-unchanged", "--no-assume-unchanged"}[rnd.IntN(2)], "--", w.pick(rnd))
	}},
	{"skip", 1, func(w *world, rnd *rand.Rand) {
		w.git("update-index", []string{"--skip-worktree", "--no-skip-worktree"}[rnd.IntN(2)], "--", w.pick(rnd))
	}},
	{"base moves", 7, baseMoves},
	{"as the base", 3, asBase},
	{"switch", 2, func(w *world, rnd *rand.Rand) {
		branches := strings.Fields(w.git("for-each-ref", "--format=%(refname:short)", "refs/heads/"))
		w.git("switch", "-q", branches[rnd.IntN(len(branches))])
	}},
	{"back to the task", 3, func(w *world, rnd *rand.Rand) {
		if w.sess.task != nil {
			w.git("switch", "-q", w.sess.task.Name)
		}
	}},
	{"detach", 1, func(w *world, rnd *rand.Rand) { w.git("switch", "-q", "--detach") }},
	{"merge side", 1, func(w *world, rnd *rand.Rand) { w.git("merge", "-q", "side") }},
	{"abort", 1, func(w *world, rnd *rand.Rand) { w.git("merge", "--abort") }},
	{"base elsewhere", 1, func(w *world, rnd *rand.Rand) {
		w.trees++
		w.git("worktree", "add", "-q", filepath.Join(w.root, fmt.Sprint("beside", w.trees)), w.base())
	}},
	{"edit elsewhere", 1, func(w *world, rnd *rand.Rand) {
		os.WriteFile(filepath.Join(w.root, fmt.Sprint("beside", w.trees), oddName(rnd)), []byte(text(rnd)), 0o644)
	}},
	{"clone inside", 1, func(w *world, rnd *rand.Rand) { w.git("init", "-q", "sub/inner") }},
}

// base is the branch that things are merged into.
func (w *world) base() string {
	if w.sess.task != nil {
		return w.sess.task.Base
	}
	return "main"
}

// baseMoves commits on the base, unless some working tree is on it.
func baseMoves(w *world, rnd *rand.Rand) {
	for _, head := range append(glob(w.s.dir, "worktrees/*/HEAD"), filepath.Join(w.s.dir, "HEAD")) {
		if data, err := os.ReadFile(head); err == nil && strings.TrimSpace(string(data)) == "ref: refs/heads/"+w.base() {
			return
		}
	}
	data, err := os.ReadFile(filepath.Join(w.s.dir, "refs/heads", w.base()))
	if err != nil {
		return
	}
	tip := strings.TrimSpace(string(data))
	files, err := w.s.tree(tip)
	if err != nil || len(files) == 0 {
		return
	}
	var in strings.Builder
	fmt.Fprintf(&in, "commit refs/heads/%s\ncommitter X <x@example.com> %d +0000\ndata 4\nbase\nfrom %s\n", w.base(), 1700000000+rnd.IntN(1000), tip)
	names := union(files)
	for range 1 + rnd.IntN(3) {
		name := names[rnd.IntN(len(names))]
		was := files[name]
		content := text(rnd)
		if was.mode == "100644" && rnd.IntN(3) > 0 {
			if raw, err := w.feed("", "cat-file", "blob", was.id); err == nil {
				content = edited(raw, rnd)
			}
		}
		switch rnd.IntN(6) {
		case 0:
			fmt.Fprintf(&in, "D %s\n", quoted(name))
			continue
		case 1:
			name = oddName(rnd)
		case 2:
			if here := w.list(); len(here) > 0 { // perhaps one that only the user has
				name = here[rnd.IntN(len(here))]
			}
		}
		if was.mode == "160000" || strings.Contains(name, "sub") {
			continue
		}
		fmt.Fprintf(&in, "M 644 inline %s\ndata %d\n%s\n", quoted(name), len(content), content)
	}
	w.feed(in.String(), "fast-import", "--quiet")
}

func quoted(name string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`).Replace(name) + `"`
}

func glob(dir, pattern string) []string {
	names, _ := filepath.Glob(filepath.Join(dir, pattern))
	return names
}

// asBase writes what the base holds already, as a switch does that is cut short.
func asBase(w *world, rnd *rand.Rand) {
	data, err := os.ReadFile(filepath.Join(w.s.dir, "refs/heads", w.base()))
	if err != nil {
		return
	}
	files, err := w.s.tree(strings.TrimSpace(string(data)))
	names := union(files)
	if err != nil || len(names) == 0 {
		return
	}
	name := names[rnd.IntN(len(names))]
	if b := files[name]; b.mode == "100644" {
		raw, _ := w.feed("", "cat-file", "blob", b.id)
		w.put(name, raw)
	}
}
