package shellcheck

import (
	"slices"
	"strings"

	"codeintel/internal/text"
)

// A gitCommand is a row of the table of git's own commands.
type gitCommand struct {
	names   string
	values  options // the options that take the next word; those of most, if there are none
	reads   bool    // it changes nothing
	neutral bool    // it changes something, but neither history nor the checked-out branch
	risky   bool    // an argument that is not known may make it do more

	// lists reports whether a call changes nothing, though others do. It may be nil.
	lists func(g *gitCall) bool
	// follow notes what a call does, and reports whether that is all. It may be nil.
	follow func(w *walk, g *gitCall) bool
}

// gitTable lists the commands of git. All others change history or the checked-out
// branch, or may: an alias can be anything.
func gitTable() []gitCommand {
	return []gitCommand{
		{names: `annotate blame cat-file check-attr check-ignore check-mailmap count-objects describe diff diff-files diff-index
			diff-tree for-each-ref fsck help log ls-files ls-tree merge-base name-rev range-diff rev-list rev-parse shortlog
			show show-branch show-ref status var verify-commit verify-tag version whatchanged cherry patch-id check-ref-format
			get-tar-commit-id column stripspace verify-pack show-index interpret-trailers`, reads: true},
		{names: "grep", values: options{short: "mefABC", rest: "O"}, reads: true},
		{names: "ls-remote", reads: true, follow: (*walk).gitLsRemote},

		{names: "rm mv", follow: (*walk).gitRemove},
		{names: "checkout restore", follow: (*walk).gitRestore},
		{names: "clean", follow: (*walk).gitClean},

		{names: "branch", values: options{short: "mn", long: []string{"--format", "--sort"}}, risky: true,
			lists: branchLists, follow: (*walk).gitBranch},
		{names: "tag", neutral: true, risky: true, lists: tagLists},
		{names: "stash", risky: true, lists: firstIs("list", "show")},
		{names: "worktree", risky: true, lists: firstIs("list")},
		{names: "remote", neutral: true, risky: true, lists: firstIs("", "show", "get-url")},
		{names: "reflog", risky: true, lists: func(g *gitCall) bool { return !reflogWrites[g.first()] }},
		{names: "config", values: options{short: "f", long: []string{"--file", "--blob", "--type", "--default"}}, risky: true,
			lists: configLists},
		{names: "symbolic-ref", lists: func(g *gitCall) bool { return len(g.operands) == 1 && g.onlyOptions(symbolicReads) }},
		{names: "bisect", lists: firstIs("log", "status", "list")},
		{names: "notes", neutral: true, lists: firstIs("log", "status", "list", "show")},
		{names: "bundle", neutral: true, lists: firstIs("verify", "list-heads")},
		{names: "lfs", neutral: true, lists: firstIs("ls-files", "env", "status", "locks", "version")},
		{names: "sparse-checkout", lists: firstIs("list")},
		{names: "rerere", lists: firstIs("status", "diff", "remaining")},
		{names: "difftool", lists: func(g *gitCall) bool { return len(g.args) == 1 && g.args[0].text == "--tool-help" }},
		{names: "apply archive format-patch hash-object", neutral: true, risky: true, lists: func(*gitCall) bool { return true }},
		{names: "submodule", neutral: true, lists: firstIs("", "log", "status", "list", "summary"), follow: (*walk).gitSubmodule},

		{names: "fetch", neutral: true, follow: (*walk).gitFetch},
		{names: "update-index", neutral: true, follow: (*walk).gitUpdateIndex},
		{names: "add merge-file merge-tree mktree request-pull write-tree", neutral: true},
	}
}

// gitCommands are the rows of the table by their names. It is set at the start: the
// functions of its rows follow other commands.
var gitCommands = make(map[string]*gitCommand)

func init() {
	rows := gitTable()
	for i := range rows {
		for name := range strings.FieldsSeq(rows[i].names) {
			gitCommands[name] = &rows[i]
		}
	}
}

// A gitCall is a command of git with its arguments.
type gitCall struct {
	name     string
	args     []word
	operands []word
	given    []string
	plain    bool
}

func (g *gitCall) option(names ...string) (value string, ok bool) { return has(g.given, names...) }

func (g *gitCall) first() string {
	if len(g.operands) == 0 {
		return ""
	}
	return g.operands[0].text
}

// history notes a command of git that changes history, refs or the checked-out branch.
func (w *walk) history(what string) { w.effect.History = append(w.effect.History, "git "+what) }

// followGit follows a command of git.
func (w *walk) followGit(c *call) []Read {
	dir, lost := w.dir, w.lost
	defer func() { w.dir, w.lost = dir, lost }()
	args, steered := w.gitOptions(c.args)
	if len(args) == 0 {
		return nil
	}
	g := &gitCall{name: args[0].text, args: args[1:], plain: c.plain}
	if g.name == "" {
		w.noteUnclear("runs a command of git that is only known when it runs")
		return nil
	}
	if steered {
		w.runs("git with settings of its own")
	}
	row := gitCommands[g.name]
	if row == nil {
		row = &gitCommand{}
	}
	if (row.reads || row.risky) && mayBeOption(g.args) {
		w.runs("git " + g.name + " with an argument that may be an option")
	}
	values := row.values
	if values.short == "" {
		values.short = "mn"
	}
	g.operands, g.given = values.operands(g.args)
	if row.names != "" && len(g.args) == 1 && g.args[0].text == "--help" {
		return nil
	}
	switch noted := w.effect.countNoted(); {
	case row.follow != nil && row.follow(w, g):
	case row.reads:
		w.gitReads(g)
	case row.lists != nil && row.lists(g) && w.gitReads(g):
	case w.effect.countNoted() > noted: // by that
	case row.neutral:
		w.runs("git " + g.name)
	default:
		w.history(g.name)
	}
	return nil
}

// gitOptions follows the options before the command, and returns what comes after
// them. steered: they may have git run something.
func (w *walk) gitOptions(args []word) (rest []word, steered bool) {
	i := 0
	for ; i < len(args) && strings.HasPrefix(args[i].text, "-"); i++ {
		switch name, _, valued := strings.Cut(args[i].text, "="); name {
		case "-C":
			if i++; i < len(args) {
				w.cd(args[i:i+1], args[i].text != "")
			}
		case "-c":
			i++
			steered = steered || i >= len(args) || !strings.HasPrefix(args[i].text, "color.") && args[i].text != "core.pager=cat"
		case "--config-env", "--exec-path", "--git-dir", "--work-tree", "--namespace":
			steered = true
			if !valued && name != "--exec-path" {
				i++
			}
		}
	}
	return args[min(i, len(args)):], steered
}

// gitReads checks the options of a reading command against the table of readers, and
// reports whether they are all harmless. A file that one of them names is noted.
func (w *walk) gitReads(g *gitCall) bool {
	r := readerOf("git-" + g.name)
	if r == nil {
		r = readerOf("git-read")
	}
	if r.reads(g.args) {
		return true
	}
	if to, ok := g.option("--output"); ok {
		w.write(word{text: to}, to != "", false, "names a file for git")
		return false
	}
	if row := gitCommands[g.name]; !row.neutral {
		w.runs("git " + g.name + " with an option that may write or run something")
	}
	return false
}

// gitLsRemote follows ls-remote, which runs a program for addresses like ext::….
func (w *walk) gitLsRemote(g *gitCall) bool {
	w.gitReads(g)
	if slices.ContainsFunc(g.operands, func(o word) bool { return strings.Contains(o.text, "::") }) {
		w.runs("git ls-remote with a program of its own")
	}
	return true
}

func (w *walk) gitRemove(g *gitCall) bool {
	if g.name == "mv" {
		w.followCopy(&call{name: "mv", operands: g.operands, given: g.given, plain: g.plain})
	} else {
		w.each("git rm", g.operands, g.plain, true)
	}
	return true
}

// gitRestore follows restore, and checkout of files: those after "--".
func (w *walk) gitRestore(g *gitCall) bool {
	at := slices.IndexFunc(g.args, func(a word) bool { return a.text == "--" })
	files := g.operands
	if at >= 0 {
		files = g.args[at+1:]
	} else if g.name == "checkout" {
		return false
	}
	w.each("git "+g.name, files, g.plain, false)
	return true
}

func (w *walk) gitClean(g *gitCall) bool {
	if slices.Contains(g.given, "-x") || slices.Contains(g.given, "-X") || !g.plain {
		w.history("clean -x, which takes the state of sessions away")
	} else {
		w.runs("git clean")
	}
	return true
}

func (w *walk) gitBranch(g *gitCall) bool {
	if branchLists(g) || !g.plain || len(g.given) > 0 {
		return false
	}
	w.runs("git branch")
	return true
}

// gitSubmodule follows submodule foreach.
func (w *walk) gitSubmodule(g *gitCall) bool {
	if g.first() != "foreach" {
		return false
	}
	w.runs("git submodule foreach")
	w.inSubshell(func() { w.evaluate(g.operands[1:], g.plain) })
	return true
}

// gitFetch follows fetch, which moves a branch that is named after a colon.
func (w *walk) gitFetch(g *gitCall) bool {
	intoBranch := func(o word) bool {
		return strings.Contains(o.text, ":") && !strings.Contains(o.text, "/") ||
			strings.Contains(o.text, ":refs/") || o.text == ""
	}
	if !slices.ContainsFunc(g.operands, intoBranch) {
		return false
	}
	w.history("fetch into a branch")
	return true
}

func (w *walk) gitUpdateIndex(g *gitCall) bool {
	hides := func(option string) bool {
		return strings.Contains(option, "skip-worktree") || strings.Contains(option, "assume-unchanged")
	}
	if !slices.ContainsFunc(g.given, hides) {
		return false
	}
	w.history("update-index, which hides changes,")
	return true
}

// firstIs returns whether a command only lists if its first operand is one of these.
func firstIs(words ...string) func(*gitCall) bool {
	return func(g *gitCall) bool { return slices.Contains(words, g.first()) }
}

// onlyOptions reports whether all options that are given are among these.
func (g *gitCall) onlyOptions(list map[string]bool) bool {
	return g.plain && !slices.ContainsFunc(g.given, func(option string) bool {
		name, _, _ := strings.Cut(option, "=")
		return !list[name]
	})
}

// What keeps some commands from changing anything: the options with which branch and tag
// list, those with which config and symbolic-ref print, and the words with which reflog does
// not.
var (
	listOptions = text.WordSet(`-a -r -v -l -n -i -q --list --all --remotes --show-current --contains
		--no-contains --merged --no-merged --verbose --sort --format --points-at --color
		--no-color --column --no-column --abbrev --no-abbrev --ignore-case --omit-empty`)
	configReads = text.WordSet(`--get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool --list
		-l --global --local --system --worktree --show-origin --show-scope --includes
		--no-includes -z --null --name-only --type --bool --int --bool-or-int --path
		--expiry-date --default -f --file --blob --fixed-value --all --regexp --value --url
		--show-names`)
	symbolicReads = text.WordSet(`--short -q --quiet --recurse --no-recurse`)
	reflogWrites  = text.WordSet(`expire delete drop write migrate`)
)

func branchLists(g *gitCall) bool {
	_, list := g.option("-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at")
	return (list || len(g.operands) == 0) && g.onlyOptions(listOptions)
}

func tagLists(g *gitCall) bool {
	_, list := g.option("-l", "-n", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at")
	return (list || len(g.operands) == 0) && g.onlyOptions(listOptions)
}

// configLists reports whether config prints: by an option, or by one name without a value.
func configLists(g *gitCall) bool {
	_, get := g.option("--get", "--get-all", "--get-regexp", "--get-urlmatch", "--get-color", "--list", "-l")
	return (get || g.first() == "get" || g.first() == "list" || len(g.operands) == 1 && !configVerbs[g.first()]) &&
		g.onlyOptions(configReads)
}

// configVerbs are the commands of config, of which some take no name.
var configVerbs = text.WordSet(`set unset edit rename-section remove-section`)
