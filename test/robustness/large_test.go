//go:build linux

package robustness

import (
	"fmt"
	"path/filepath"
	"strings"
)

// large are attacks by how much there is of what is small in a repository of a person: names, places of one name,
// members, keys, and files that git's configuration includes.
func large() map[string]func(*clone) {
	long := strings.Repeat("x", 512<<10)
	numbered := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	all := map[string]func(*clone){
		"names: in places without number": func(c *clone) {
			for i := range 6 {
				put(c, c.root, fmt.Sprintf("a%d.go", i), fmt.Sprintf("package main\n\nfunc f%d() {\n", i)+strings.Repeat(strings.Repeat("Greeting();", 20)+"\n", 7000)+"}\n")
			}
		},
		"names: declared without number": func(c *clone) {
			put(c, c.root, "a.py", strings.Repeat("def Greeting(): pass\n", 70_000))
		},
		"names: overloads without number": func(c *clone) {
			put(c, c.root, "A.java", "class A {\n"+numbered(15_000, "void Greeting(T%d a, int b) { Greeting(a, 1); }\n")+"}\n")
		},
		"names: rules without number": func(c *clone) {
			put(c, c.root, "a.css", numbered(40_000, ".c%d")+" { color: red }\n"+numbered(20_000, ".c%d .Greeting { color: red }\n"))
		},
		"names: imports from half a megabyte": func(c *clone) {
			put(c, c.root, "a.ts", "import { "+numbered(20_000, "i%d, ")+"Greeting } from './"+long+"'\nexport const g = Greeting\n")
			put(c, c.root, "a.py", "from "+long+" import ("+numbered(20_000, "i%d, ")+"Greeting)\ng = Greeting\n")
			put(c, c.root, "a.rs", "use "+long+"::{"+numbered(20_000, "i%d, ")+"Greeting};\nfn g() { Greeting() }\n")
		},
		"names: keys without number": func(c *clone) {
			put(c, c.root, "a.json", "{"+numbered(60_000, "\"k%d\": 1,\n")+"\"Greeting\": 1}\n")
			put(c, c.root, "a.yml", numbered(60_000, "k%d: 1\n")+"Greeting: 1\n")
			put(c, c.root, "a.toml", numbered(60_000, "k%d = 1\n")+"Greeting = 1\n")
		},
		"git: includes of every kind": func(c *clone) {
			put(c, c.root, ".git/again", "[include]\n\tpath = again\n\tpath = ../.git/again\n[core]\n\tfsmonitor = touch "+c.ran+"\n")
			put(c, c.root, "sub/pipe-is-here", "")
			text := "[core]\n\trepositoryformatversion = 0\n[include]\n\tpath = again\n"
			for _, name := range []string{"../sub", "~", "%(prefix)/../../dev/null", "/proc/self/cwd/.git/again", "/dev/null", filepath.Join(c.outside, "secret"), long[:5000], "\x1b[2J\n" + forged} {
				text += fmt.Sprintf("[includeIf \"gitdir:**\"]\n\tpath = %q\n[includeIf \"onbranch:main\"]\n\tpath = %[1]q\n", name)
			}
			put(c, c.root, ".git/config", text)
		},
		"git: an included pipe": func(c *clone) {
			c.fifo("sub/pipe")
			c.git("config", "includeIf.onbranch:main.path", "../sub/pipe")
		},
		"git: an included device": func(c *clone) { c.git("config", "includeIf.gitdir:**.path", "/dev/zero") },
	}
	members := map[string][3]string{
		"ts": {"class A", " {\n", "}\n"}, "rb": {"module A", "\n", "end\n"}, "php": {"<?php\nnamespace A", ";\n", ""}, "cs": {"namespace A", ";\nclass B {\n", "}\n"},
		"kt": {"package a", "\n", ""}, "cpp": {"namespace a", " {\n", "}\n"},
	}
	forms := map[string]string{"ts": "m%d() {}\n", "rb": "def m%d; end\n", "php": "function m%d() {}\n", "cs": "void m%d() {}\n", "kt": "fun m%d() {}\n", "cpp": "void m%d() {}\n"}
	for ext, around := range members {
		all["names: half a megabyte around members of "+ext] = func(c *clone) {
			put(c, c.root, "a."+ext, around[0]+long+around[1]+numbered(30_000, forms[ext])+strings.Replace(forms[ext], "m%d", "Greeting", 1)+around[2])
		}
	}
	return all
}
