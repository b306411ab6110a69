package pipeline

import (
	"fmt"
	"strings"
	"testing"

	"codeintel/test/tier"
)

// An unusual run is honest, and has something that most runs have not.
type unusual struct {
	effort  string // "": S
	flags   string // "": --auto --nopr
	lay     func(o *orchestrator)
	works   func(o *orchestrator, file string) bool
	before  map[string]func(o *orchestrator)
	after   map[string]func(o *orchestrator)
	answers map[string]string
}

// only has the one task change one file, which a review names.
func only(file, text string) func(o *orchestrator, name string) bool {
	return func(o *orchestrator, name string) bool {
		proof := fmt.Sprintf("## Criteria\n\n- what was asked for is there → `%s:1`\n- nothing else was touched → `git diff --stat`\n", file)
		switch name {
		case "impl-1.md":
			o.Write(file, text)
			o.Write(o.file(name), report(english.impl, []string{file}))
		case "review-1.md":
			o.Write(o.file(name), codeText(proof))
		case "final-verification.md":
			o.Write(o.file(name), finalText(proof))
		default:
			return false
		}
		return true
	}
}

// many plans so many small tasks that may be done at the same time.
func many(n int) func(o *orchestrator, name string) bool {
	return func(o *orchestrator, name string) bool {
		id := strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(name, "impl-"), "review-"), ".md")
		file := partOf(id)
		switch {
		case name == "design.md":
			o.Write(o.file(name), "# Design\n\n## Approach\n\nEach part has a file of its own.\n")
		case name == "tasks.md":
			plan := "# Tasks\n"
			for i := range n {
				plan += fmt.Sprintf("\n## Task %d: Part %d\nmode: parallel\nfiles:\n- `%s` (new)\nacceptance criteria:\n- part %d is there\n", i+1, i+1, partOf(fmt.Sprint(i+1)), i+1)
			}
			o.Write(o.file(name), plan)
		case strings.HasPrefix(name, "impl-"):
			o.Write(file, "part = "+id+"\n")
			o.Write(o.file(name), report(english.impl, []string{file}))
		case strings.HasPrefix(name, "review-") && name != "review-design.md":
			o.Write(o.file(name), codeText("## Criteria\n\n- part "+id+" is there → `"+file+":1`\n")+"\nOf "+file+".\n")
		case name == "final-verification.md":
			proof := "## Criteria\n\n"
			for i := range n {
				proof += fmt.Sprintf("- part %d is there → `%s:1`\n", i+1, partOf(fmt.Sprint(i+1)))
			}
			o.Write(o.file(name), finalText(proof))
		default:
			return false
		}
		return true
	}
}

// partOf is the file of a part, by letters: reviews that differ in digits alone are one text.
func partOf(id string) string {
	return "part" + strings.NewReplacer("0", "o", "1", "i", "2", "z", "3", "e", "4", "a", "5", "s", "6", "b", "7", "t", "8", "x", "9", "q").Replace(id) + ".py"
}

func renamesUser(o *orchestrator) { o.Git("config", "user.name", "Ann Other") }

var unusuals = map[string]unusual{
	"changes a document alone":                 {works: only("README.md", "# Greeter\n\nGreets people by name.\n")},
	"changes a document alone, in a small run": {effort: "XS", works: only("README.md", "# Greeter\n\nGreets people by name.\n")},
	"adds a test alone":                        {works: only("test_greet.py", greetTest)},
	"works on thirty tasks at the same time":   {effort: "M", works: many(30)},
	"has the base branch renamed in mid-run":   {before: when("impl-1.md", func(o *orchestrator) { o.Git("branch", "-m", "main", "trunk") })},
	"has the base branch deleted in mid-run":   {before: when("impl-1.md", func(o *orchestrator) { o.Git("branch", "-D", "main") })},
	"has the remote taken away in mid-run":     {flags: "--auto", before: when("summary.md", func(o *orchestrator) { o.Git("remote", "remove", "origin") }), answers: map[string]string{"git-settings-changed": "approve", "push-failed": "skip"}},
	"may not push": {flags: "--auto", lay: func(o *orchestrator) {
		o.Exec("sh", "-c", "mkdir "+o.origin+"/hooks; printf '#!/bin/sh\\nexit 1\\n' > "+o.origin+"/hooks/pre-receive; chmod +x "+o.origin+"/hooks/pre-receive")
	}, answers: map[string]string{"push-failed": "skip"}},
	"cannot open a pull request":                                {flags: "--auto", lay: func(o *orchestrator) { o.Write(".git/gh-fails", "") }, answers: map[string]string{"command-failed": "skip"}},
	"has a user who takes another name before the pull request": {flags: "--auto", before: when("summary.md", renamesUser), answers: map[string]string{"git-settings-changed": "approve"}},
	"has a user who takes another name after the pull request":  {flags: "--auto", after: when("pr-creation", renamesUser), answers: map[string]string{"git-settings-changed": "approve"}},
	"has a bot write into its pull request": {flags: "--auto", after: when("pr-creation", func(o *orchestrator) {
		o.Write(".git/gh--body", "Preview: https://x\r\n\r\n"+strings.ReplaceAll(o.Read(".git/gh--body"), "\n", "\r\n")+"\r\n- [ ] checked\r\n")
	})},
	"has a user who words its commit anew": {before: when("comprehensive-review.md", func(o *orchestrator) { o.Git("commit", "-q", "--amend", "-m", "Say hello, really") }), answers: says("mine")},
	"has a user who makes an empty commit": {before: when("summary.md", func(o *orchestrator) { o.Git("commit", "-q", "--allow-empty", "-m", "Run CI again") }), answers: says("approve")},
	"has a check that fails once":          {lay: trusts("---\nglobs: [\"*.py\"]\ncommand: [\"sh\", \"-c\", \"test -e .git/flip || { touch .git/flip; exit 1; }\"]\n---\nNow and then.\n")},
	"has a person who never answers for long": {flags: "--nopr", before: when("checkpoint-a", func(o *orchestrator) {
		for range 20 {
			o.next(object{})
		}
	})},
	"has a user who renames its remote": {flags: "--auto", before: when("review-1.md", func(o *orchestrator) { o.Git("remote", "rename", "origin", "github") }), answers: map[string]string{"git-settings-changed": "approve"}},
	"has its base rewritten by others": {flags: "--auto", before: when("review-1.md", func(o *orchestrator) {
		dir := o.Beside("theirs")
		o.Git("worktree", "add", "-q", dir, "main")
		o.Git("-C", dir, "commit", "-q", "--amend", "-m", "Anew")
		o.Git("-C", dir, "push", "-q", "--force", "origin", "main")
		o.Git("worktree", "remove", "--force", dir)
	})},
	"has a clock that was set back": {lay: func(o *orchestrator) {
		o.Exec("sh", "-c", "GIT_COMMITTER_DATE=2040-01-01T00:00:00Z git commit -q --amend --no-edit --date=2040-01-01T00:00:00Z && git push -q --force origin main")
	}, flags: "--auto"},
	"has checks that take longer than they may": {lay: trusts("---\nglobs: [\"*.py\"]\ncommand: [\"sleep\", \"100\"]\ntimeout: 1s\n---\nLong.\n"), works: func(o *orchestrator, name string) bool {
		if !strings.HasPrefix(name, "review-fix-") {
			return false
		}
		o.Write(o.file(name), o.text(name)+"\nOf "+strings.Repeat("another ", len(o.trail))+"round.\n")
		return true
	}, answers: map[string]string{"retry-limit-final-verification": "approve"}},
	"writes files with hard names": {works: alsoDoes(func(o *orchestrator) []string {
		names := []string{"my texts/it's a greeting.py", "挨拶/こんにちは 世界.py", "a\u0301ccents/ünï.py", "-n.py"}
		for _, f := range names {
			o.Write(f, "x = 1\n")
		}
		return names
	})},
	"moves a submodule to another commit": {lay: func(o *orchestrator) {
		o.Git("commit", "-q", "--allow-empty", "-m", "Second")
		o.Git("push", "-q", "origin", "main")
		o.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", o.origin, "lib")
		o.Git("commit", "-q", "-a", "-m", "Add lib")
		o.Git("push", "-q", "origin", "main")
	}, works: alsoDoes(func(o *orchestrator) []string {
		o.Git("-C", "lib", "checkout", "-q", "HEAD~1")
		return []string{"lib"}
	})},
	"writes files whose names git quotes": {works: alsoDoes(func(o *orchestrator) []string {
		for _, f := range []string{`say "hi".py`, "a\tb.py", `a\b.py`, "what?.py", "a`b.py", "n\nl.py", "log:12"} {
			o.Write(f, "x = 1\n")
		}
		return []string{`"say \"hi\".py"`, `"a\tb.py"`, `"a\\b.py"`, `"what\077.py"`, `"a\140b.py"`, `"n\nl.py"`, `"log\07212"`}
	})},
	"writes files that are named like refs": {works: alsoDoes(func(o *orchestrator) []string {
		files := []string{"HEAD", "main", "feature/greet-people"}
		for _, f := range files {
			o.Write(f, "x\n")
		}
		return files
	})},
	"has a file take the place of a folder": {lay: func(o *orchestrator) {
		o.Write("lib/a.txt", "a\n")
		o.Git("add", "-A")
		o.Git("commit", "-q", "--amend", "-m", "Begin")
		o.Git("push", "-qf", "origin", "main")
	}, works: alsoDoes(func(o *orchestrator) []string {
		o.Remove("lib/a.txt")
		o.Remove("lib")
		o.Write("lib", "x\n")
		return []string{"lib", "lib/a.txt"}
	})},
	"is to change what git ignores": {works: alsoDoes(func(o *orchestrator) []string {
		o.Write(".gitignore", "build/\n")
		o.Write(".gitattributes", "*.png binary\n")
		return []string{".gitignore", ".gitattributes"}
	})},
	"has a branch that is called feature": {lay: func(o *orchestrator) { o.Git("branch", "feature") }},
	"leaves out a file that its plan calls new": {effort: "M", works: planned(strings.Replace(tasks, "- `greet.py`\n", "- `greet.py`\n- `extra.py` (new)\n", 1)),
		before: when("phase-6 [1 2 3]", func(o *orchestrator) {
			if !strings.Contains(o.now.Raw, "they are not there") || !strings.Contains(o.now.Raw, "extra.py") {
				o.T.Errorf("the reviewers are not told: %s", o.now.Raw)
			}
		})},
	"has a user with settings of their own": {lay: func(o *orchestrator) {
		for key, v := range map[string]string{"diff.noprefix": "true", "log.showSignature": "true", "status.short": "true", "core.quotePath": "false", "color.ui": "always",
			"diff.renames": "copies", "commit.cleanup": "scissors", "core.commentChar": "f", "feature.manyFiles": "true", "extensions.worktreeConfig": "true"} {
			o.Git("config", key, v)
		}
	}},
	"has its own folder cleaned away in mid-run": {before: when("review-1.md", func(o *orchestrator) { o.Git("clean", "-fdq") })},
	"is taken up by another client at each step": {before: map[string]func(o *orchestrator){"design.md": restarts, "phase-5": restarts, "review-1.md": restarts, "summary.md": restarts}},
}

func restarts(o *orchestrator) {
	o.Stop()
	o.Serve()
}

// TestHonestUnusual: each of them reaches the end.
func TestHonestUnusual(t *testing.T) {
	for name, c := range tier.Cases(unusuals, 3) {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			if c.effort == "" {
				c.effort = "S"
			}
			if c.flags == "" {
				c.flags = "--auto --nopr"
			}
			o := &orchestrator{fixture: newFixture(t, repository), answers: c.answers}
			done := make(map[string]bool)
			o.works = c.works
			o.before = func(o *orchestrator) {
				if f, at := c.before[o.at()], o.at(); f != nil && !done[at] {
					done[at] = true
					f(o)
				}
			}
			o.after = func(o *orchestrator, said object) object {
				if f := c.after[o.at()]; f != nil {
					f(o)
				}
				return said
			}
			if c.lay != nil {
				c.lay(o)
			}
			o.begin(c.flags+" "+request, c.effort)
			o.play("")
			if s := o.state(); s.Status != "completed" {
				t.Errorf("%s: %v\n%s", s.Status, o.trail, o.now.Raw)
			}
			if out := strings.TrimSpace(o.Git("status", "--porcelain")); out != "" {
				t.Errorf("git status: %q", out)
			}
		})
	}
}

// TestOddAnswers: whatever a person says at a checkpoint, it is taken for what it is, or they are
// asked again; a plain word afterwards is understood.
func TestOddAnswers(t *testing.T) {
	for said, understood := range map[string]bool{
		"lgtm 👍": true, "APPROVE!!!": true, "はい、進めてください": true, "Looks good to me, thanks!": true, "approve.": true, "y": true,
		"ja, passt": false, "oui": false, "maybe": false, "   ": false, "what does that mean?": false, strings.Repeat("hm ", 5000): false,
	} {
		t.Run(strings.ReplaceAll(said[:min(len(said), 20)], " ", "_"), func(t *testing.T) {
			t.Parallel()
			o := newOrchestrator(t, "--nopr "+request, "S")
			o.play("checkpoint-a")
			r := o.next(object{"user_response": said, "ticket": o.now.Answer["ticket"]})
			if got := line(r.Answer) != "checkpoint-a"; got != understood {
				t.Errorf("understood: %v; %s", got, r.Raw)
			}
			o.took(r)
			o.play("")
			o.whole()
		})
	}
}
