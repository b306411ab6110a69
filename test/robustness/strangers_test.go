//go:build linux

package robustness

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// forged is a line that a stranger would like to be taken for one of ours. It may be
// behind something in a line, and never begin one.
const forged = "note: FORGED"

// prepared are attacks by what a stranger writes into files that the program understands.
func prepared() map[string]func(*clone) {
	many := func(n int, line string) string { return strings.Repeat(line, n) }
	numbered := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	files := func(list ...string) func(*clone) { // name, content, name, content …
		return func(c *clone) {
			for i := 0; i < len(list); i += 2 {
				put(c, c.root, list[i], list[i+1])
			}
			c.git("add", "-A", "-f")
			c.git("commit", "-qm", "more")
		}
	}
	quoted := fmt.Sprintf("%q", "x\n"+forged+"\x1b[2J")
	return map[string]func(*clone){
		"agreement: forged lines": files(".code-intel/agreements/a.md", "---\nnl_term: "+quoted+"\nsymbols: ["+quoted+"]\n---\n",
			".code-intel/agreements/b.md", "---\nnl_term: greeting\nsymbols: ["+quoted+", Greeting]\nfiles: ["+quoted+"]\n---\n",
			".code-intel/agreements/c.md", "---\n"+quoted+": [\n---\n"),
		"agreement: aliases unfold": files(".code-intel/agreements/a.md", "---\na: &a [x,x,x,x,x,x,x,x,x]\n"+numbered(30, "b%d: &a [*a,*a,*a,*a,*a,*a,*a,*a,*a]\n")+"nl_term: a\nsymbols: [Greeting]\n---\n"),
		"agreements: too many": func(c *clone) {
			for i := range 6000 {
				put(c, c.root, fmt.Sprintf(".code-intel/agreements/%d.md", i), fmt.Sprintf("---\nnl_term: greeting %d\nsymbols: [Greeting]\n---\n", i))
			}
			c.git("add", "-A", "-f")
			c.git("commit", "-qm", "many")
		},
		"verifiers: large expressions": func(c *clone) {
			for i := range 200 {
				put(c, c.root, fmt.Sprintf(".code-intel/verifiers/%d.md", i), "---\ncommand: [\"true\"]\nexpect:\n  output: '"+many(4000, "x{1000}")+"'\n---\n")
			}
		},
		"verifiers: forged lines": files(".code-intel/verifiers/a.md", "---\ncommand: ["+quoted+"]\nglobs: ["+quoted+"]\ntimeout: "+quoted+"\n---\n",
			".code-intel/verifiers/b.md", "---\ncommand: ["+quoted+"]\nglobs: ["+quoted+"]\n---\n"+forged+"\n", ".code-intel/verifiers/c.md", "---\nexpect:\n  output: "+fmt.Sprintf("%q", "(\n"+forged)+"\n---\n"),
		"contract: forged lines":     files(".code-intel/phase_contract.yml", "phases:\n  "+quoted+":\n    append: x\n  EXPLORATION:\n    required_tools: ["+quoted+"]\n"),
		"context: forged lines":      files(".code-intel/context.yml", "project_rules:\n  source: "+quoted+"\ndoc_research:\n  docs_path: ["+quoted+", \"../../outside\"]\n  default_prompts: ["+quoted+"]\n"),
		"context: documents outside": files(".code-intel/context.yml", "project_rules:\n  source: ../outside/secret\ndoc_research:\n  docs_path: [\"../outside\", \"/\"]\n"),
		"config: forged lines":       files(".code-intel/config.json", `{`+quoted+`: 1, "source_dirs": [`+quoted+`], "exclude_patterns": [`+quoted+`], "embedding_model": `+quoted+`, "scip": [`+quoted+`], "chunk_strategy": `+quoted+`}`),
		"config: outside":            files(".code-intel/config.json", `{"source_dirs": ["../outside", "/etc"], "scip": {"go": "../outside/secret"}}`),
		"rules: import from outside": files("CLAUDE.md", "@../outside/secret\n- @~/secret\n"+forged+"\n"),
		"agents: forged front matter": files(".claude/agents/a.md", "---\nname: "+quoted+"\ndescription: "+quoted+"\ntools: "+quoted+"\nmodel: "+quoted+"\n---\n"+forged+"\n",
			".code-intel/agents/implementer.md", "---\nname: "+quoted+"\nmodel: "+quoted+"\n---\n"+forged+"\n"),
		"workspace: forged names": files(".specs/a/state.json", `{"schema":1,"workspace":`+quoted+`,"phase":`+quoted+`,"request":`+quoted+`}`, ".specs/a/request.md", forged+"\n",
			".specs/x\n"+forged+"/state.json", "{}", ".specs/index.json", `[{"workspace":`+quoted+`,"title":`+quoted+`}]`),
		"session: forged names": files(".code-intel/sessions/a.json", `{"id":`+quoted+`,"query":`+quoted+`,"phase":"READY","intent":`+quoted+`}`,
			".code-intel/sessions/b\n"+forged+".json", `{"id":"b","query":"b"}`, ".code-intel/logs/outcomes.jsonl", `{"session_id":`+quoted+`,"outcome":"failure","phase_at_outcome":`+quoted+`,"trigger_message":`+quoted+`}`+"\n"),
		"names: everywhere": files("a\n"+forged+".go", "package main\n\n// Greeting greets.\nfunc Greeting2() { Greeting() }\n", "-rf.go", "package main\n\nfunc rf() { Greeting() }\n",
			"$(touch ran)/`touch ran`;touch ran #.go", "package main\n\nfunc shell() { Greeting() }\n", "\u202egnp.go", "package main\n\nfunc reversed() { Greeting() }\n",
			"docs/a\n"+forged+".md", "# Greeting\n\nmain.go greets\n", "a\r\x1b[1A.go", "package main\n\nfunc up() { Greeting() }\n"),
		"names: very deep": func(c *clone) {
			dir := c.root
			for range 15 {
				dir = filepath.Join(dir, strings.Repeat("d", 250))
			}
			c.must(os.MkdirAll(dir, 0o755))
			put(c, dir, "a.go", "package d\n\nfunc Deep() {}\n")
		},
		"compile_commands: outside": files("compile_commands.json", `[`+strings.TrimSuffix(many(20000, `{"directory":"/","file":"../outside/secret","command":"cc -I/ -I../outside -include ../outside/secret -c a.c"},`), ",")+`]`,
			"a.c", "#include \"../outside/secret\"\n#include \"secret\"\n#include \"/dev/zero\"\n#include \"a.c\"\nint greeting(void) { return 0; }\n"),
		"packages: outside": files("package.json", `{"name":`+quoted+`,"main":"../outside/secret","exports":{".":"../outside/secret"},"workspaces":["../outside/**","**/**/**/**","`+many(12, "{a,b,c,d}")+`"]}`,
			"tsconfig.json", `{"extends":"./tsconfig.json","compilerOptions":{"baseUrl":"../outside","rootDirs":["/"],"paths":{"*":["../outside/*","/dev/*"],"x":["../outside/secret"]}},"references":[{"path":"../outside"}]}`,
			"a.ts", "import { x } from 'secret'\nimport y from 'x'\nexport * from './a'\nexport function greeting() { return x + y }\n"),
		"packages: thousands of paths": files("tsconfig.json", `{"compilerOptions":{"paths":{`+strings.TrimSuffix(numbered(30000, `"p%d/*":["*"],`), ",")+`}}}`, "a.ts", numbered(3000, "import x%[1]d from 'q%[1]d/a'\n")+"export const greeting = x1\n"),
		"packages: nested":             files("package.json", many(200000, `{"a":`), "tsconfig.json", many(200000, `[`), "composer.json", many(200000, `{"a":`), "compile_commands.json", many(200000, `[`)),
		"go: outside": files("go.work", "go 1.26\nuse (\n\t../outside\n\t/\n\t.\n)\nreplace example.com/x => ../outside\n", "go.mod", "module \"a\\n"+forged+"\"\n\ngo 1.26\n\nreplace example.com/y => ../outside\n",
			"b.go", "package main\n\nimport \"example.com/x\"\n\nfunc useX() { x.Greeting() }\n"),
		"go: types without end": files("t.go", "package main\n\ntype A[T any] struct{ b *A[A[T]] }\ntype B []B\ntype C struct{ C }\ntype D interface{ D }\ntype E[T E[T]] interface{ m(T) }\nvar x, y = y, x\nfunc (a A[int]) Greeting3() { Greeting() }\n"+
			"var deep = "+many(20000, "[]")+"int{}\nvar f "+many(5000, "func(")+"int"+many(5000, ")")+"\n"),
		"other builds: outside": files("Cargo.toml", "[workspace]\nmembers = [\"../outside\", \"/\", \"**/**\"]\n[package]\nname = "+quoted+"\n[lib]\npath = \"../outside/secret\"\n",
			"composer.json", `{"name":`+quoted+`,"autoload":{"psr-4":{"":"../outside/","A\\":"/"},"files":["../outside/secret"]}}`, "pyproject.toml", "[project]\nname = "+quoted+"\n[tool.setuptools]\npackage-dir = {\"\" = \"../outside\"}\n",
			"pom.xml", "<!DOCTYPE a [<!ENTITY a \"x\">"+numbered(40, "<!ENTITY a%d \"&a;&a;&a;&a;&a;&a;&a;&a;\">")+"<!ENTITY f SYSTEM \"../outside/secret\">]><project><artifactId>&f;&a39;</artifactId><modules><module>../outside</module></modules></project>",
			"a.csproj", `<Project><ItemGroup><Compile Include="..\outside\**" /><ProjectReference Include="../outside/secret" /></ItemGroup></Project>`, "settings.gradle", "include '../outside'\nproject(':a').projectDir = file('../outside')\n",
			"a.php", "<?php\nrequire '../outside/secret';\nfunction greeting() {}\n", "a.rs", "#[path = \"../outside/secret\"]\nmod secret;\ninclude!(\"../outside/secret\");\nfn greeting() {}\n", "a.rb", "require_relative '../outside/secret'\ndef greeting; end\n", "a.py", "from . import *\nfrom ..outside import secret\ndef greeting(): pass\n"),
		"imports in a circle": func(c *clone) {
			for i := range 400 {
				put(c, c.root, fmt.Sprintf("ring/m%d.ts", i), fmt.Sprintf("export * from './m%d'\nexport * from './m%d'\nexport * from './m%d'\nimport { greeting } from './m%d'\nexport const g%d = greeting\n", (i+1)%400, (i+7)%400, (i+31)%400, (i+200)%400, i))
				put(c, c.root, fmt.Sprintf("ring/p%d.py", i), fmt.Sprintf("from .p%d import *\nfrom .p%d import *\nclass C%d(C%d, C%d): pass\n", (i+1)%400, (i+7)%400, i, (i+1)%400, (i+7)%400))
			}
		},
		"SCIP: hostile":         func(c *clone) { put(c, c.root, "index.scip", string(hostileSCIP())) },
		"SCIP: many names":      func(c *clone) { put(c, c.root, "index.scip", string(manyNames())) },
		"SCIP: cut length":      files("index.scip", "\x12\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x0a\x05a"),
		"attributes and owners": files(".gitattributes", numbered(300000, "*%d* text diff=x filter=y merge=z\n"), "CODEOWNERS", numbered(300000, "**/*%d* @"+"x\x1b[2J\n"), ".editorconfig", many(100000, "[{a,b,{c,d}}]\n")),
		"ignore: patterns":      files(".code-intelignore", many(20000, "**/a*a*a*a*a*a*a*a*b/**\n")+many(2000, "{a,b}{c,d}{e,f}{g,h}{i,j}{k,l}{m,n}{o,p}\n"), "a/a/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.go", "package a\n"),
		"grammars: brackets": func(c *clone) {
			for ext, text := range map[string]string{"kt": "val x = ", "zig": "const x = ", "lua": "x = ", "ex": "x = ", "sql": "SELECT ", "swift": "let x = ", "hs": "x = ", "scala": "val x = ", "rb": "x = ", "php": "<?php $x = ", "cs": "var x = ", "cpp": "int x = ", "java": "int x = ", "rs": "fn f() { ", "sh": "echo $"} {
				put(c, c.root, "bomb."+ext, text+many(60000, "("))
			}
		},
		"grammars: angle brackets": func(c *clone) {
			for ext, text := range map[string]string{"java": "int x = ", "cs": "var x = ", "cpp": "int x = ", "kt": "val x = ", "swift": "let x = "} {
				put(c, c.root, "lt."+ext, text+many(60000, "a<"))
			}
		},
		"grammars: texts in texts": func(c *clone) {
			for ext, text := range map[string]string{"kt": "\"${", "swift": "\"\\(", "js": "`${", "tsx": "`${", "rb": "\"#{", "php": "\"{$a[", "sh": "\"$(", "cs": "$\"{", "dart": "\"${", "scala": "s\"${", "ex": "\"#{", "py": "f\"{", "groovy": "\"${", "pl": "\"@{[", "lua": "[=[", "jl": "\"$(", "ps1": "\"$("} {
				put(c, c.root, "texts."+ext, "x = "+many(10000, text))
			}
		},
		"grammars: comments in comments": func(c *clone) {
			for ext, text := range map[string]string{"rs": "/*", "kt": "/*", "scala": "/*", "swift": "/*", "dart": "/*", "hs": "{-", "ml": "(*", "jl": "#=", "lua": "--[[", "php": "<?php /*", "html": "<!--", "sql": "/*", "d": "/+"} {
				put(c, c.root, "comments."+ext, many(20000, text))
			}
		},
		"grammars: documents here": func(c *clone) {
			for ext, text := range map[string]string{"sh": "<<A", "bash": "cat <<'A' ", "rb": "<<~A + ", "php": "<<<A ", "pl": "<<A.", "tf": "x = <<A\n", "ex": "~S\"\"\""} {
				put(c, c.root, "here."+ext, many(10000, text))
			}
		},
		"grammars: blocks and operators": func(c *clone) {
			for ext, text := range map[string]string{"go": "func() {", "java": "() -> {", "kt": "{ x -> ", "swift": "{ x in ", "cs": "x => ", "js": "x => ", "ts": "<T>(x: ", "py": "lambda: ", "rb": "-> { ", "rs": "|| ", "scala": "x => ", "hs": "\\x -> ", "ex": "fn x -> ", "cpp": "[&]{", "c": "a?b:", "php": "fn() => ", "lua": "function() ", "sh": "if ", "zig": "if (a) ", "sql": "SELECT (", "dart": "() => ", "ml": "fun x -> "} {
				put(c, c.root, "blocks."+ext, "x = "+many(8000, text))
				put(c, c.root, "unary."+ext, "x = "+many(8000, "-!")+"a"+many(8000, ".b()"))
				put(c, c.root, "plus."+ext, "x = "+many(8000, "a + "))
			}
		},
		"grammars: markup": func(c *clone) {
			for _, ext := range []string{"svelte", "vue", "html", "xml"} {
				put(c, c.root, "bomb."+ext, many(5000, "<a b='")+many(5000, "<p>"))
			}
			put(c, c.root, "bomb.md", many(40000, "> ")+many(40000, "[")+many(40000, "*a "))
			put(c, c.root, "bomb.yml", many(20000, "- ")+many(20000, "{a: "))
			put(c, c.root, "bomb.toml", "a = "+many(40000, "[")+"\n"+many(20000, "[a.b.c]\n"))
			put(c, c.root, "bomb.css", many(60000, "a{"))
		},
		"history: subjects and authors": func(c *clone) {
			put(c, c.root, "main.go", "package main\n\n// Greeting greets.\nfunc Greeting() string { return \"hi\" }\n\nfunc main() { println(Greeting()) }\n")
			put(c, c.outside, "message", "one\x1b[2J "+forged+"\r"+forged+"\n\n"+forged+"\n"+many(200000, "body "))
			c.git("-c", "user.name=x\x1b[2J"+forged, "commit", "-qa", "-F", filepath.Join(c.outside, "message"))
		},
		"history: dates": func(c *clone) {
			tree, err := exec.Command("git", "-C", c.root, "rev-parse", "HEAD^{tree}").Output()
			c.must(err)
			for _, date := range []string{"99999999999999999999", "-5", "0"} {
				cmd := exec.Command("git", "-C", c.root, "hash-object", "-t", "commit", "-w", "--stdin", "--literally")
				cmd.Stdin = strings.NewReader("tree " + strings.TrimSpace(string(tree)) + "\nauthor a <a> " + date + " +9999\ncommitter a <a> " + date + " -9999\n\n" + forged + "\n")
				id, err := cmd.Output()
				c.must(err)
				put(c, c.root, ".git/refs/heads/main", string(id))
			}
		},
		"history: a commit of very many files": func(c *clone) {
			for i := range 15000 {
				put(c, c.root, fmt.Sprintf("many/%d/%d.txt", i%100, i), "x\n")
			}
			put(c, c.root, "main.go", "package main\n\nfunc Greeting() {}\n\nfunc main() { Greeting() }\n")
			c.git("add", "-A")
			c.git("commit", "-qm", "many")
		},
		"git: work tree outside": func(c *clone) { c.git("config", "core.worktree", c.outside) },
		"git: directory outside": func(c *clone) {
			other := filepath.Join(filepath.Dir(c.root), "outside", "repository")
			c.must(os.MkdirAll(other, 0o755))
			c.must(os.Rename(filepath.Join(c.root, ".git"), filepath.Join(other, ".git")))
			put(c, c.root, ".git", "gitdir: ../outside/repository/.git\n")
		},
		"git: a clone inside with programs": func(c *clone) {
			put(c, c.root, "inner/a.go", "package inner\n\nfunc Greeting() {}\n")
			c.must(os.CopyFS(filepath.Join(c.root, "inner", ".git"), os.DirFS(filepath.Join(c.root, ".git"))))
			for _, s := range []string{"core.fsmonitor", "diff.external", "core.pager", "core.sshCommand"} {
				c.git("-C", filepath.Join(c.root, "inner"), "config", s, "touch "+c.ran)
			}
			put(c, c.root, ".gitmodules", numbered(20000, "[submodule \"m%d\"]\n\tpath = ../outside\n\turl = ext::touch ran\n")+"[submodule \"inner\"]\n\tpath = inner\n\turl = --upload-pack=touch ran\n")
			os.Remove(c.ran)
		},
		"git: replacements, grafts and sparse rules": func(c *clone) {
			put(c, c.root, ".git/info/grafts", numbered(1000, "%040x 0000000000000000000000000000000000000000\n"))
			put(c, c.root, ".git/info/sparse-checkout", many(100000, "**/a*a*a*b\n"))
			put(c, c.root, ".git/refs/replace/"+strings.Repeat("1", 40), strings.Repeat("2", 40)+"\n")
			c.git("config", "core.sparseCheckout", "true")
		},
		"git: references without end": func(c *clone) {
			put(c, c.root, ".git/packed-refs", "# pack-refs with: peeled fully-peeled sorted \n"+numbered(300000, "1111111111111111111111111111111111111111 refs/heads/b%d\n"))
		},
		"git: reflog forged": func(c *clone) {
			put(c, c.root, ".git/logs/HEAD", many(50000, strings.Repeat("0", 40)+" "+strings.Repeat("1", 40)+" a <a> 1 +0000\tcommit: "+forged+"\n"))
		},
		"git: config that includes itself": func(c *clone) {
			put(c, c.root, ".git/a", "[include]\n\tpath = config\n\tpath = a\n\tpath = ../../outside/secret\n")
			c.git("config", "include.path", "a")
		},
		"git: odd names of references": func(c *clone) {
			head, err := exec.Command("git", "-C", c.root, "rev-parse", "HEAD").Output()
			c.must(err)
			id := strings.TrimSpace(string(head))
			var packed strings.Builder
			for _, name := range []string{"heads/-x", "heads/$(touch ran)", "heads/a;touch ran", "heads/x\x1b[2J", "heads/x\r" + forged, "heads/\u202eevil", "heads/" + strings.Repeat("n/", 2000) + "n",
				"heads/..", "../../../outside/secret", "heads/code-intel/x", "code-intel/" + forged, "stash", "tags/--upload-pack=touch ran", "remotes/origin/--output=ran"} {
				fmt.Fprintf(&packed, "%s refs/%s\n", id, name)
			}
			put(c, c.root, ".git/packed-refs", packed.String())
			put(c, c.root, ".git/refs/heads/-n", id+"\n")
			put(c, c.root, ".git/refs/heads/--output=ran", id+"\n")
			put(c, c.root, ".git/HEAD", "ref: refs/heads/--output=ran\n")
		},
		"git: a head that forges": func(c *clone) { put(c, c.root, ".git/HEAD", "ref: refs/heads/x\x1b[2J "+forged+"\n") },
		"git: a head in a circle": func(c *clone) {
			put(c, c.root, ".git/refs/heads/main", "ref: refs/heads/b\n")
			put(c, c.root, ".git/refs/heads/b", "ref: refs/heads/main\n")
		},
		"git: directories outside": func(c *clone) {
			c.must(os.CopyFS(filepath.Join(c.outside, "objects"), os.DirFS(filepath.Join(c.root, ".git/objects"))))
			put(c, c.root, ".git/objects/info/alternates", "../../../outside/objects\n/dev\n/proc/self/root\n")
			put(c, c.root, ".git/worktrees/x/gitdir", "../../../../outside/.git\n")
			put(c, c.root, ".git/worktrees/x/HEAD", "ref: refs/heads/x\x1b[2J\n"+forged+"\n")
			put(c, c.root, ".git/worktrees/x/locked", forged+"\x1b[2J\n")
			put(c, c.root, ".git/worktrees/x/commondir", "../../../../outside\n")
			put(c, c.root, ".git/modules/m/config", "[core]\n\tworktree = ../../../../outside\n\tfsmonitor = touch "+c.ran+"\n")
		},
		"git: submodules": func(c *clone) {
			put(c, c.root, ".gitmodules", "[submodule \"a\"]\n\tpath = sub\n\turl = ext::sh -c touch% "+c.ran+"\n\tupdate = !touch "+c.ran+"\n\tignore = none\n[submodule \"../../x\"]\n\tpath = -x\n\turl = -utouch\n")
			c.git("config", "submodule.a.update", "!touch "+c.ran)
			c.git("config", "submodule.recurse", "true")
			c.git("config", "diff.submodule", "diff")
			c.git("config", "status.submoduleSummary", "true")
			head, err := exec.Command("git", "-C", c.root, "rev-parse", "HEAD").Output()
			c.must(err)
			c.git("update-index", "--add", "--cacheinfo", "160000,"+strings.TrimSpace(string(head))+",sub")
			c.must(os.CopyFS(filepath.Join(c.root, "sub", ".git"), os.DirFS(filepath.Join(c.root, ".git"))))
			for _, s := range []string{"core.fsmonitor", "diff.external", "filter.x.clean", "core.hooksPath"} {
				c.git("-C", filepath.Join(c.root, "sub"), "config", s, "touch "+c.ran)
			}
			put(c, c.root, "sub/.gitattributes", "* filter=x\n")
			put(c, c.root, "sub/a.go", "package sub\n\nfunc Greeting() {}\n")
			os.Remove(c.ran)
		},
		"git: settings that change what is shown": func(c *clone) {
			for name, value := range map[string]string{"log.showSignature": "true", "gpg.program": "touch " + c.ran, "log.format": forged, "format.pretty": "%n" + forged, "color.ui": "always", "core.quotePath": "false",
				"diff.noprefix": "true", "diff.renames": "copies", "diff.algorithm": forged, "core.abbrev": "4", "log.follow": "true", "status.short": "true", "i18n.logOutputEncoding": "UTF-16", "core.commentChar": "x",
				"trailer.x.command": "touch " + c.ran, "init.templateDir": "../outside", "core.notesRef": "refs/heads/main", "notes.displayRef": "*", "log.date": "format:" + forged, "pretty.oneline": forged, "grep.patternType": "perl",
				"core.askPass": "touch " + c.ran, "sequence.editor": "touch " + c.ran, "core.editor": "touch " + c.ran, "uploadpack.packObjectsHook": "touch " + c.ran, "remote.origin.vcs": "x", "core.gitProxy": "touch " + c.ran} {
				c.git("config", name, value)
			}
		},
		"clients: settings of the clone": files(".claude/settings.json", `{"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"touch ran"}]}],`+quoted+`:[]},"enabledMcpjsonServers":[`+quoted+`],"env":{"CODE_INTEL_MAX_FILE_BYTES":"999999999"}}`,
			".claude/settings.local.json", many(100000, "["), ".mcp.json", `{"mcpServers":{`+quoted+`:{"command":"touch","args":["ran"]},"code-intel":{"command":"touch","args":["ran","--root","/"]}}}`,
			".codex/config.toml", "[mcp_servers.code-intel]\ncommand = \"touch\"\nargs = ["+quoted+"]\nnotify = ["+quoted+"]\n", ".codex/hooks.json", `{"hooks":{`+quoted+`:[{"command":"touch ran"}]}}`,
			".cursor/mcp.json", `{"mcpServers":{`+quoted+`:{}}}`, ".gemini/settings.json", `{"mcpServers":{`+quoted+`:{"command":"touch ran"}}}`, ".opencode.json", `{`+quoted+`:1}`,
			".env", "CODE_INTEL_ROOT=/\n", ".claude/skills/code/SKILL.md", "---\nname: "+quoted+"\n---\n"+forged+"\n"),
		"places of data in every folder": func(c *clone) {
			for _, dir := range []string{"a", "a/b", "a/b/c", "vendor/x", "node_modules/y", ".git", "docs"} {
				put(c, c.root, dir+"/.code-intel/config.json", `{"lang":"ja","source_dirs":["../../../outside"],"required_enforcement":`+quoted+`}`)
				put(c, c.root, dir+"/.code-intel/sessions/a.json", `{"id":"a","phase":"READY"}`)
				put(c, c.root, dir+"/.code-intel/verifiers/a.md", "---\ncommand: [touch, ran]\n---\n")
				put(c, c.root, dir+"/a.go", "package a\n\nfunc Greeting() {}\n")
				c.link(dir+"/.code-intel/index", ".")
				c.link(dir+"/.code-intel/logs", ".")
			}
			c.dir = "a/b/c"
		},
		"an index that came along": func(c *clone) {
			put(c, c.root, ".code-intel/config.json", "{}")
			for _, name := range []string{"forest.db", "forest.db-wal", "forest.db-shm", ".segment-1", "segment-1", "vectors", "history.db", "lsa.space"} {
				put(c, c.root, ".code-intel/index/"+name, "SQLite format 3\x00"+many(5000, forged+"\n"))
			}
			c.git("add", "-A", "-f")
			c.git("commit", "-qm", "an index")
		},
		"history: a message without end": func(c *clone) {
			put(c, c.outside, "message", many(40<<20, "m"))
			put(c, c.root, "main.go", "package main\n\n// Greeting greets.\nfunc Greeting() string { return \"hi\" }\n\nfunc main() { println(Greeting()) }\n")
			c.git("commit", "-qa", "--cleanup=verbatim", "-F", filepath.Join(c.outside, "message"))
			c.must(os.Remove(filepath.Join(c.outside, "message")))
		},
		"history: very many parents": func(c *clone) {
			tree, err := exec.Command("git", "-C", c.root, "rev-parse", "HEAD^{tree}", "HEAD").Output()
			c.must(err)
			ids := strings.Fields(string(tree))
			cmd := exec.Command("git", "-C", c.root, "hash-object", "-t", "commit", "-w", "--stdin", "--literally")
			cmd.Stdin = strings.NewReader("tree " + ids[0] + "\n" + many(3000, "parent "+ids[1]+"\n") + numbered(3000, "parent %040x\n") + "author a <a> 1 +0000\ncommitter a <a> 1 +0000\n\nmany\n")
			id, err := cmd.Output()
			c.must(err)
			put(c, c.root, ".git/refs/heads/main", string(id))
		},
		"history: replaced texts": func(c *clone) {
			cmd := exec.Command("git", "-C", c.root, "hash-object", "-w", "--stdin")
			cmd.Stdin = strings.NewReader(many(3<<20, forged+"\n"))
			id, err := cmd.Output()
			c.must(err)
			names, err := exec.Command("git", "-C", c.root, "rev-parse", "HEAD", "HEAD^{tree}", "HEAD:main.go").Output()
			c.must(err)
			for _, name := range strings.Fields(string(names)) {
				put(c, c.root, ".git/refs/replace/"+name, string(id))
			}
		},
		"builds: chains": func(c *clone) {
			for i := range 3000 {
				put(c, c.root, fmt.Sprintf("t%d/tsconfig.json", i), fmt.Sprintf(`{"extends":["../t%d/tsconfig.json","../t%d/tsconfig.json"],"references":[{"path":"../t%d"}],"compilerOptions":{"baseUrl":"../../outside"}}`, (i+1)%3000, (i*7)%3000, (i+1)%3000))
			}
			put(c, c.root, "t0/a.ts", "import { greeting } from 'a/b'\nexport const x = greeting\n")
			put(c, c.root, "go.work", "go 1.26\nuse (\n"+numbered(50000, "\t../outside/m%d\n")+")\n")
			put(c, c.root, "Cargo.toml", "[workspace]\nmembers = ["+numbered(50000, "\"../outside/m%d\",")+"]\n")
			put(c, c.root, "pnpm-workspace.yaml", "packages:\n"+numbered(50000, "  - '../outside/**/m%d/**'\n"))
			put(c, c.root, "Makefile", "include /dev/zero\n-include ../outside/secret\n"+numbered(50000, "test%d: ; touch ran\n"))
			put(c, c.root, "CMakeLists.txt", numbered(50000, "add_subdirectory(../outside/%d)\ninclude(/dev/zero)\n"))
			put(c, c.root, "notebook.ipynb", `{"cells":[`+strings.TrimSuffix(many(20000, `{"cell_type":"code","source":["`+"\\u001b[2Jgreeting()"+`"],"outputs":[]},`), ",")+`]}`)
		},
		"names: as reports quote them": func(c *clone) {
			for _, name := range []string{"a::error file=x::FORGED.go", "%0Anote%3A FORGED.go", "]]>&amp;<script>alert(1)</script>.go", "\"a\\\".go", "a`b`.go", "a|b|c.go", "[x](javascript:alert(1)).go", "\u2028x.go", "a\tb.go", "x\x7f\u009b2J.go"} {
				put(c, c.root, strings.ReplaceAll(name, "/", "∕"), "package main\n\nfunc quoted() { Greeting() }\n")
			}
			put(c, c.root, "main.go", "package main\n\n// Greeting greets.\nfunc Greeting(s string) string { return s }\n\nfunc main() { println(Greeting(\"x\")) }\n")
		},
		"folders without end": func(c *clone) {
			for i := range 3000 {
				c.must(os.MkdirAll(filepath.Join(c.root, fmt.Sprintf("e%d/e/e/e/e", i)), 0o755))
			}
		},
		"a line without end": files("long.js", "var greeting = ["+many(300000, "'a',")+"]\n", "long.json", "["+many(400000, "1,")+"1]\n"),
	}
}

// manyNames returns an index of 4 million symbols, each of which takes ten times more memory
// than bytes of the file.
func manyNames() []byte {
	all := []byte("\x0a\x05\x12\x03\x0a\x01x") // the name of its tool
	for i := uint32(0); i < 4_000_000; {
		const most = 400_000
		document := make([]byte, 0, most*13)
		for range most {
			document = append(document, 0x12, 11, 0x0a, 3, 1, 2, 3, 0x12, 4) // an occurrence, its range, its symbol
			document = binary.BigEndian.AppendUint32(document, i|0x80000000)
			i++
		}
		all = append(binary.AppendUvarint(append(all, 0x12), uint64(len(document))), document...)
	}
	return all
}

// hostileSCIP is an index whose documents lie outside and whose names forge lines.
func hostileSCIP() []byte {
	field := func(number int, data []byte) []byte {
		return append(binary.AppendUvarint(binary.AppendUvarint(nil, uint64(number<<3|2)), uint64(len(data))), data...)
	}
	text := []byte("scip x . . a\n" + forged + "\x1b[2J/Greeting().")
	occurrence := append(field(1, []byte{0, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 5}), field(2, text)...)
	var all []byte
	for _, path := range []string{"../outside/secret", "/dev/zero", "main.go", "a\n" + forged, strings.Repeat("../", 50) + "etc/passwd"} {
		document := append(field(1, []byte(path)), field(4, []byte("go"))...)
		for range 5000 {
			document = append(document, field(2, occurrence)...)
		}
		all = append(all, field(2, append(document, field(3, append(field(1, text), field(3, []byte(forged))...))...))...)
	}
	return all
}
