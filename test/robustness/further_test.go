//go:build linux

package robustness

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// further are attacks by what only few repositories have: files that claim any size, hundreds of thousands
// of references and objects, forms of repositories that git has learned since, and settings of every form.
func further() map[string]func(*clone) {
	numbered := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	claim := func(c *clone, name string, size int64) {
		put(c, c.root, name, "")
		if err := os.Truncate(filepath.Join(c.root, name), size); err != nil {
			c.Skip(err)
		}
	}
	return map[string]func(*clone){
		"sizes: a terabyte that is untracked": func(c *clone) { claim(c, "data.bin", 1<<40) },
		"sizes: a terabyte of source":         func(c *clone) { claim(c, "data.go", 1<<40) },
		"sizes: a tracked file grows": func(c *clone) {
			claim(c, "main.go", 1<<40)
			c.git("update-index", "--assume-unchanged", "main.go")
		},
		"sizes: thousands of large files": func(c *clone) {
			for i := range 3000 {
				claim(c, fmt.Sprintf("data/%d.go", i), 30<<20)
			}
		},
		"sizes: large files of every kind": func(c *clone) {
			for _, ext := range []string{"js", "json", "md", "csv", "py", "html", "txt", "c", "sql", "ts", "lock", "ipynb", "svg", "log"} {
				put(c, c.root, "large."+ext, strings.Repeat("greeting(1,2);", 1<<20))
			}
		},
		"git: loose references without end": func(c *clone) {
			id := head(c)
			for i := range 60000 {
				put(c, c.root, fmt.Sprintf(".git/refs/heads/d%d/b%d", i%100, i), id+"\n")
			}
		},
		"git: branches that all lead here": func(c *clone) {
			put(c, c.root, ".git/packed-refs", "# pack-refs with: peeled fully-peeled sorted \n"+numbered(100000, head(c)+" refs/heads/b%06d\n"))
		},
		"git: branches of this program without end": func(c *clone) {
			id := head(c)
			put(c, c.root, ".git/packed-refs", "# pack-refs with: peeled fully-peeled sorted \n"+numbered(100000, id+" refs/code-intel/kept/%06d\n")+numbered(100000, id+" refs/heads/code-intel/%06d\n"))
		},
		"git: loose objects without end": func(c *clone) {
			for i := range 60000 {
				put(c, c.root, fmt.Sprintf(".git/objects/%02x/%038x", i%256, i), "x")
			}
		},
		"git: packed references of strange lines": func(c *clone) {
			id := head(c)
			put(c, c.root, ".git/packed-refs", "\n# \n^"+id+"\n"+id+"\n"+id+" \n"+id+" refs/heads/../x\n"+id[:20]+" refs/heads/short\n"+id+"  refs/heads/two\n"+id+" refs/heads/nul\x00x\n"+strings.Repeat("z", 40)+" refs/heads/z\n"+id+" refs/heads/"+strings.Repeat("l", 200000)+"\n"+id+" refs/heads/last")
		},
		"git: packed references sorted wrong": func(c *clone) {
			id := head(c)
			put(c, c.root, ".git/packed-refs", "# pack-refs with: peeled fully-peeled sorted \n"+id+" refs/heads/z\n"+id+" refs/heads/main\n"+id+" refs/heads/a\n"+id+" refs/heads/a/b\n"+id+" HEAD\n")
		},
		"git: references in a table": func(c *clone) {
			c.git("config", "core.repositoryFormatVersion", "1")
			c.git("config", "extensions.refStorage", "reftable")
			put(c, c.root, ".git/reftable/tables.list", "0x000000000001-0x000000000002-RANDOM1.ref\n../../../outside/secret\n")
			put(c, c.root, ".git/reftable/0x000000000001-0x000000000002-RANDOM1.ref", "REFT\x01"+strings.Repeat("\xff", 5000))
		},
		"git: an unknown extension": func(c *clone) {
			put(c, c.root, ".git/config", "[core]\n\trepositoryformatversion = 99\n[extensions]\n\tworktreeConfig = true\n\tnobodyKnows = x\n")
			put(c, c.root, ".git/config.worktree", "[core]\n\tfsmonitor = touch "+c.ran+"\n\tworktree = ../outside\n")
		},
		"git: a monitor that listens": func(c *clone) {
			c.git("config", "core.fsmonitor", "true")
			c.git("config", "fsmonitor.socketDir", c.outside)
			c.git("config", "core.untrackedCache", "true")
			c.git("config", "core.fsmonitorHookVersion", "2")
			c.script(".git/hooks/fsmonitor-watchman")
			c.script(".git/hooks/query-watchman")
		},
		"git: bundles and remotes that fetch": func(c *clone) {
			for name, value := range map[string]string{"bundle.version": "1", "bundle.mode": "all", "bundle.a.uri": "file://" + c.outside + "/secret", "fetch.bundleURI": "file://" + c.outside + "/secret", "transfer.bundleURI": "true",
				"remote.origin.url": "ext::touch " + c.ran, "remote.origin.uploadpack": "touch " + c.ran, "remote.origin.promisor": "true", "remote.origin.partialCloneFilter": "blob:none", "protocol.ext.allow": "always",
				"url.ext::touch.insteadOf": "https://", "branch.main.remote": "origin", "branch.main.merge": "refs/heads/main", "maintenance.auto": "true", "gc.auto": "1", "gc.recentObjectsHook": "touch " + c.ran,
				"core.alternateRefsCommand": "touch " + c.ran + ";", "submodule.alternateLocation": "superproject", "http.proxy": "ext::x", "core.packedGitLimit": "1", "pack.window": "100000000", "core.bigFileThreshold": "1", "core.deltaBaseCacheLimit": "99g"} {
				c.git("config", name, value)
			}
			c.must(os.RemoveAll(filepath.Join(c.root, ".git", "objects", head(c)[:2])))
		},
		"git: conditions of inclusion": func(c *clone) {
			put(c, c.root, ".git/evil", "[core]\n\tfsmonitor = touch "+c.ran+"\n\thooksPath = h\n[alias]\n\tls-files = !touch "+c.ran+"\n[include]\n\tpath = ~/../outside/secret\n")
			c.script("h/post-index-change")
			for _, when := range []string{"gitdir:**", "gitdir/i:" + c.root + "/", "onbranch:**", "hasconfig:remote.*.url:**", "gitdir:" + strings.Repeat("*a", 300)} {
				c.git("config", "--add", "includeIf."+when+".path", "evil")
			}
			c.git("config", "remote.x.url", "x")
		},
		"git: a sparse index": func(c *clone) {
			put(c, c.root, "in/a.go", "package in\n\nfunc In() {}\n")
			put(c, c.root, "out/b.go", "package out\n\nfunc Greeting() {}\n")
			c.git("add", "-A")
			c.git("commit", "-qm", "two")
			c.git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
			put(c, c.root, "out", "a file in the place of a folder that is left out\n")
		},
		"git: an index with a conflict and marks": func(c *clone) {
			c.git("checkout", "-qb", "other")
			put(c, c.root, "main.go", "package main\n\nfunc Greeting() {}\n")
			c.git("commit", "-qam", "other")
			c.git("checkout", "-q", "main")
			put(c, c.root, "main.go", "package main\n\nfunc greeting() {}\n")
			c.git("commit", "-qam", "main")
			_ = exec.Command("git", "-C", c.root, "-c", "user.name=t", "-c", "user.email=t@example.com", "merge", "other").Run()
			put(c, c.root, ".git/rebase-merge/git-rebase-todo", "exec touch "+c.ran+"\n")
			put(c, c.root, ".git/rebase-merge/head-name", forged+"\x1b[2J\n")
			put(c, c.root, ".git/BISECT_LOG", forged+"\n")
			put(c, c.root, ".git/sequencer/todo", forged+"\n")
			put(c, c.root, ".git/MERGE_HEAD", strings.Repeat("0", 40)+"\n"+forged+"\n")
		},
		"git: locks that somebody left": func(c *clone) {
			for _, name := range []string{"index.lock", "HEAD.lock", "config.lock", "packed-refs.lock", "refs/heads/main.lock", "shallow.lock", "code-intel-git-1-1", "code-intel-git-99999999-1"} {
				put(c, c.root, ".git/"+name, forged+"\n")
			}
			c.link(".git/code-intel-git-99999998-1", "secret")
			c.fifo(".git/code-intel-git-99999997-1")
		},
		"git: objects that unfold": func(c *clone) {
			for i := range 40 {
				put(c, c.root, fmt.Sprintf("zeros%d.go", i), strings.Repeat("\x00", 9<<20))
				put(c, c.root, fmt.Sprintf("text%d.go", i), "package main\n"+strings.Repeat("// greeting greeting greeting\n", 30000))
			}
			c.git("add", "-A")
			c.git("commit", "-qm", "unfolds")
			for i := range 40 {
				c.must(os.Remove(filepath.Join(c.root, fmt.Sprintf("zeros%d.go", i))))
			}
		},
		"git: attributes of every form": func(c *clone) {
			put(c, c.root, ".gitattributes", "*.go working-tree-encoding=UTF-16 text eol=crlf ident export-subst merge=union diff=x filter=lfs -diff\n[attr]a b c d\n* "+strings.Repeat("a ", 100000)+"\n"+numbered(30000, "*.%d* a%[1]d=b%[1]d\n"))
			c.git("config", "core.autocrlf", "true")
			c.git("config", "core.safecrlf", "true")
			put(c, c.root, "main.go", "package main\r\n\n// $Id$ Greeting greets.\r\nfunc Greeting() {}\n")
		},
		"git: a tree of hostile names": func(c *clone) {
			blob := func(kind, text string) string {
				cmd := exec.Command("git", "-C", c.root, "hash-object", "-t", kind, "-w", "--stdin", "--literally")
				cmd.Stdin = strings.NewReader(text)
				id, err := cmd.Output()
				c.must(err)
				return strings.TrimSpace(string(id))
			}
			id := blob("blob", "package x\n\nfunc Greeting() {}\n")
			raw := make([]byte, 20)
			_, err := fmt.Sscanf(id, "%x", &raw)
			c.must(err)
			var tree bytes.Buffer
			for _, entry := range []string{"100644 ..", "100644 .", "100644 .git", "100644 ../outside/secret", "100644 /etc/passwd", "100644 a/b", "100644 ", "120000 link", "777777 odd", "100644 main.go", "100644 main.go", "40000 folder", "160000 module", "100644 \x1b[2J" + forged} {
				tree.WriteString(entry + "\x00")
				tree.Write(raw)
			}
			put(c, c.root, ".git/refs/heads/main", c.commit(blob("tree", tree.String()), head(c))+"\n")
		},
		"links in circles": func(c *clone) {
			for _, name := range []string{"a/b/c", "web/x"} {
				put(c, c.root, name+"/x.go", "package x\n\nfunc Greeting() {}\n")
				for i := range 30 {
					c.must(os.Symlink("..", filepath.Join(c.root, name, fmt.Sprintf("up%d", i))))
					c.must(os.Symlink(fmt.Sprintf("l%d", (i+1)%30), filepath.Join(c.root, name, fmt.Sprintf("l%d", i))))
				}
			}
			c.must(os.Symlink(".", filepath.Join(c.root, "self")))
			c.must(os.Symlink("/proc/self/root", filepath.Join(c.root, "proc")))
			c.must(os.Symlink("/proc/self/cwd/../outside", filepath.Join(c.root, "cwd")))
		},
		"folders in folders": func(c *clone) {
			at := c.root
			for i := range 500 {
				at = filepath.Join(at, "d")
				c.must(os.Mkdir(at, 0o755))
				put(c, at, fmt.Sprintf("f%d.go", i), "package d\n\nfunc Greeting() {}\n")
				put(c, at, ".gitignore", "!*\n**/x\n")
			}
		},
		"names in no encoding": func(c *clone) {
			for _, name := range []string{"\xff\xfe.go", "caf\xe9.go", "\xed\xa0\x80.go", "\xc0\xaf.go", "\x80/\x81/a.go", "e\u0301.go", "\u00e9.go", "\u202e.go", "\x01\x02.go", strings.Repeat("\u0301", 120) + ".go"} {
				put(c, c.root, name, "package main\n\nfunc Odd() { Greeting() }\n")
			}
			c.git("config", "core.precomposeUnicode", "true")
			c.git("config", "core.ignoreCase", "true")
			c.git("add", "-A")
			c.git("commit", "-qm", "odd")
		},
		"texts in odd encodings": func(c *clone) {
			for name, text := range map[string]string{"utf16.go": "\xff\xfep\x00a\x00c\x00k\x00", "utf32.go": "\x00\x00\xfe\xff\x00\x00\x00p", "utf7.go": "+ADw-script+AD4-", "latin.go": "package main\n\n// Gr\xfc\xdfe Greeting\nfunc Odd() {}\n", "half.go": "package main\n\nfunc Greeting2() {} // \xe3\x81",
				"nul.go": "package main\n\nfunc \x00Greeting() {}\n", "bom.go": "\xef\xbb\xbf\xef\xbb\xbfpackage main\n", "cr.go": strings.Repeat("package main\rfunc Greeting3() {}\r", 3000), "seps.js": strings.Repeat("greeting()\u2028\u2029\u0085\v\f", 50000), "sjis.py": "# -*- coding: shift_jis -*-\ndef greeting(): return '\x83\x5c'\n"} {
				put(c, c.root, name, text)
			}
		},
		"settings of every form": func(c *clone) {
			put(c, c.root, ".code-intel/config.json", `{"source_dirs":[1,null,{"a":[]},"`+strings.Repeat("../", 2000)+`","/dev/zero","\u0000","a\u0000b"],"exclude_patterns":["`+strings.Repeat("**/", 3000)+`","`+strings.Repeat("{a,b}", 40)+`","[!"],"max_file_bytes":9e99,"languages":{"go":{"a":1}},"scip":[{"path":"/dev/zero"}],"lang":"../../x","index_dir":"../outside","chunk_strategy":["a"],"embedding_model":{"a":"/dev/zero"},"merge":true,"source_dirs":"x"}`)
			put(c, c.root, ".code-intel/context.yml", "project_rules: [1, 2]\ndoc_research: !!python/object:os.system touch\ndoc_targets: &a\n  - *a\n? [a]\n: b\n--- \n--- \n")
			put(c, c.root, ".code-intel/phase_contract.yml", "phases: {EXPLORATION: [1, {a: b}], 1: 2, ~: ~, ? {a: b} : c}\nversion: 1e400\n")
			put(c, c.root, ".code-intel/verifiers/a.md", "---\ncommand: {a: b}\ntimeout: -1\nexpect: [1]\n---\n---\n---\n")
			put(c, c.root, ".code-intel/verifiers/b.md/c.md", "---\n---\n")
			put(c, c.root, ".code-intel/agreements/a.md", "---\nnl_term: [a]\nsymbols: {a: 1}\n")
			put(c, c.root, ".code-intel/sessions/next", strings.Repeat("9", 5000))
			put(c, c.root, ".code-intel/sessions/a.json", `{"id":["a"],"phase":1,"tasks":{"a":null}}`)
			put(c, c.root, ".code-intel/logs/decisions.jsonl", strings.Repeat("{\"a\":", 100000)+"\n\x00\n"+strings.Repeat("\n", 100000))
			put(c, c.root, ".code-intel/unknown/a/b/c", "x")
		},
		"settings in other encodings": func(c *clone) {
			wide := func(text string) string {
				var b strings.Builder
				for _, r := range "\ufeff" + text {
					b.WriteByte(byte(r))
					b.WriteByte(byte(r >> 8))
				}
				return b.String()
			}
			for name, text := range map[string]string{".code-intel/config.json": wide(`{"source_dirs":["../outside"]}`), ".gitignore": wide("*\n"), ".code-intelignore": wide("*\n"), "CLAUDE.md": wide("# " + forged + "\n"),
				"package.json": wide(`{"name":"x"}`), "tsconfig.json": "\xef\xbb\xbf{}", "go.mod": wide("module x\n"), ".code-intel/context.yml": wide("project_rules:\n  source: ../outside/secret\n"), ".code-intel/agreements/a.md": "\xef\xbb\xbf---\r\nnl_term: a\r---\n"} {
				put(c, c.root, name, text)
			}
		},
		"files that nobody may read": func(c *clone) {
			for _, name := range []string{"a.go", "d/b.go", ".gitignore", ".code-intelignore", "go.mod", ".code-intel/config.json", ".code-intel/sessions/a.json", ".git/info/exclude", ".git/packed-refs"} {
				put(c, c.root, name, "x\n")
				c.must(os.Chmod(filepath.Join(c.root, name), 0))
			}
			c.must(os.Chmod(filepath.Join(c.root, "d"), 0o111))
			c.Cleanup(func() { _ = os.Chmod(filepath.Join(c.root, "d"), 0o755) })
		},
		"modules in modules": func(c *clone) {
			at := c.root
			for range 12 {
				at = filepath.Join(at, "m")
				put(c, at, "a.go", "package m\n\nfunc Greeting() {}\n")
				c.must(os.CopyFS(filepath.Join(at, ".git"), os.DirFS(filepath.Join(c.root, ".git"))))
				put(c, at, ".gitmodules", "[submodule \"m\"]\n\tpath = m\n\turl = ../m\n")
				c.git("-C", at, "config", "core.fsmonitor", "touch "+c.ran)
			}
			c.git("update-index", "--add", "--cacheinfo", "160000,"+head(c)+",m")
			c.must(os.Remove(filepath.Join(c.root, "m/.git/HEAD")))
			c.fifo("m/.git/HEAD")
		},
		"repetitions that search meets": func(c *clone) {
			put(c, c.root, "a.go", "package main\n\nfunc r() {\n"+strings.Repeat("\tGreeting()\n", 20000)+"}\n")
			put(c, c.root, "b.ts", strings.Repeat("export const Greeting = Greeting(Greeting)\n", 20000))
			put(c, c.root, "c.py", strings.Repeat("class Greeting(Greeting): pass\n", 20000))
			put(c, c.root, "d.md", strings.Repeat("# Greeting\n", 20000))
		},
	}
}
