//go:build linux

package robustness

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// raw stores an object of git as it is, however wrong it is, and returns its id.
func (c *clone) raw(kind, content string) string {
	c.Helper()
	cmd := exec.Command("git", "-C", c.root, "hash-object", "-w", "-t", kind, "--literally", "--stdin")
	cmd.Stdin = strings.NewReader(content)
	out, err := cmd.Output()
	c.must(err)
	return strings.TrimSpace(string(out))
}

// invented are attacks by what git stores, and by rules.
func invented() map[string]func(*clone) {
	many := strings.Repeat
	return map[string]func(*clone){
		"git: thousands of references and working trees": func(c *clone) {
			var packed strings.Builder
			packed.WriteString("# pack-refs with: peeled fully-peeled sorted \n")
			for i := range 20_000 {
				fmt.Fprintf(&packed, "%s refs/heads/b%05d\n", head(c), i)
			}
			for i := range 20_000 {
				fmt.Fprintf(&packed, "%s refs/tags/t%05d\n", head(c), i)
			}
			put(c, c.root, ".git/packed-refs", packed.String())
			for i := range 1000 {
				at := fmt.Sprintf(".git/worktrees/w%d/", i)
				put(c, c.root, at+"HEAD", "ref: refs/heads/b00001\n")
				put(c, c.root, at+"commondir", "../..\n")
				put(c, c.root, at+"gitdir", filepath.Join(c.outside, fmt.Sprint("w", i), ".git")+"\n")
			}
		},
		"git: packed references that lie": func(c *clone) {
			put(c, c.root, ".git/packed-refs", "# pack-refs with: peeled fully-peeled sorted \n"+head(c)+" refs/heads/z\n"+head(c)+" refs/heads/../../../outside/a\n^"+many("0", 40)+"\n"+head(c)+" refs/heads/\x1b[2J\nx\n"+
				head(c)+" "+many("refs/", 50_000)+"\n"+many("^"+head(c)+"\n", 1000)+head(c)+" refs/heads/a")
		},
		"git: forms of the index": func(c *clone) {
			c.git("config", "core.splitIndex", "true")
			c.git("config", "core.untrackedCache", "true")
			c.git("config", "index.sparse", "true")
			c.git("update-index", "--index-version", "4", "--split-index", "--untracked-cache", "--skip-worktree", "README.md")
			c.git("update-index", "--assume-unchanged", "main.go")
			put(c, c.root, "main.go", "package main\n\nfunc Greeting() {}\n")
		},
		"git: a tree with names that lead outside": func(c *clone) {
			blob := c.raw("blob", "package main\n\nfunc Greeting() { println(1) }\n")
			var id [20]byte
			for i := range id {
				_, err := fmt.Sscanf(blob[2*i:2*i+2], "%02x", &id[i])
				c.must(err)
			}
			text := ""
			for _, name := range []string{"..", ".git", "../outside/a.go", "/etc/x", "a\x1b[2J\n" + forged, "main.go", "main.go", "-x"} {
				text += "100644 " + name + "\x00" + string(id[:])
			}
			commit := c.raw("commit", "tree "+c.raw("tree", text)+"\nparent "+head(c)+"\nauthor a <a> 1 +0000\ncommitter a <a> 1 +0000\n\nx\n")
			put(c, c.root, ".git/refs/heads/main", commit+"\n")
		},
		"git: caches of history that lie": func(c *clone) {
			for name, text := range map[string]string{"objects/info/commit-graph": "CGPH\x01\x01\xff\x00" + many("\xff", 10_000), "objects/pack/multi-pack-index": "MIDX\x01\x01\xff\x00\xff\xff\xff\xff" + many("\xff", 10_000),
				"objects/info/commit-graphs/commit-graph-chain": many(many("1", 40)+"\n", 5000), "info/refs": many("x", 100_000), "logs/HEAD": many("\x1b[2J\n", 100_000), "logs/refs/heads/main": many(many("0", 40)+" ", 200_000), "ORIG_HEAD": "ref: refs/heads/main", "MERGE_HEAD": many(many("1", 40)+"\n", 20_000), "FETCH_HEAD": many("x", 1<<20), "shallow": many(many("1", 40)+"\n", 20_000)} {
				put(c, c.root, ".git/"+name, text)
			}
		},
		"rules without number": func(c *clone) {
			var b strings.Builder
			for i := range 30_000 {
				fmt.Fprintf(&b, "**/a*%d*b*/**/c*[!a-z]*\n!/**/?%d\n", i, i)
			}
			put(c, c.root, ".gitignore", b.String())
			put(c, c.root, ".code-intelignore", b.String())
			for i := range 50 {
				put(c, c.root, fmt.Sprintf("a%d/b%d/c%d.go", i, i, i), "package c\n")
			}
		},
	}
}

// head is the id of the commit that is checked out.
func head(c *clone) string {
	c.Helper()
	out, err := exec.Command("git", "-C", c.root, "rev-parse", "HEAD").Output()
	c.must(err)
	return strings.TrimSpace(string(out))
}
