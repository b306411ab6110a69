package shellcheck

import (
	"slices"
	"strings"

	"codeintel/internal/text"
)

// gitReading are the commands of git that change nothing; gitNeutral change
// something, but neither history nor the checked-out branch. All others do, or
// may, for an alias can be anything.
var (
	gitReading = text.WordSet(`annotate blame cat-file check-attr check-ignore check-mailmap count-objects describe diff diff-files diff-index
		diff-tree for-each-ref fsck grep help log ls-files ls-remote ls-tree merge-base name-rev range-diff rev-list rev-parse shortlog
		show show-branch show-ref status var verify-commit verify-tag version whatchanged`)
	gitNeutral = text.WordSet(`add apply archive bundle fetch format-patch hash-object lfs merge-file mktree notes remote request-pull
		stripspace submodule tag update-index write-tree`)
)

// listingOnly are those that list, given nothing or the right options.
var listingOnly = text.WordSet(`branch tag stash worktree remote reflog config`)

// git follows a command of git.
func (w *walk) git(args []word, plain bool) {
	i, steered := 0, false
	for ; i < len(args) && strings.HasPrefix(args[i].text, "-"); i++ {
		switch name, _, valued := strings.Cut(args[i].text, "="); name {
		case "-C":
			if i++; i >= len(args) {
				break
			}
			defer func(dir string, lost bool) { w.dir, w.lost = dir, lost }(w.dir, w.lost)
			w.cd(args[i:i+1], args[i].text != "")
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
	if i >= len(args) {
		return
	}
	sub, rest := args[i].text, args[i+1:]
	if sub == "" {
		w.unclear("runs a command of git that is only known when it runs")
		return
	}
	if steered {
		w.effect.Programs = append(w.effect.Programs, "runs git with settings of its own")
	}
	if (gitReading[sub] || listingOnly[sub]) && open(rest) {
		w.effect.Programs = append(w.effect.Programs, "runs git "+sub+" with an argument that may be an option")
	}
	o := options{short: "mn"}
	if sub == "grep" {
		o = options{short: "mefABC", rest: "O"}
	}
	operands, given := o.operands(rest)
	switch {
	case sub == "rm" || sub == "mv":
		if sub == "mv" {
			w.target(sub, operands, given, plain)
		} else {
			w.each("git rm", operands, plain, true)
		}
	case sub == "checkout" && slices.ContainsFunc(rest, func(a word) bool { return a.text == "--" }) || sub == "restore":
		if at := slices.IndexFunc(rest, func(a word) bool { return a.text == "--" }); at >= 0 {
			operands = rest[at+1:]
		}
		w.each("git "+sub, operands, plain, false)
	case sub == "clean":
		if slices.ContainsFunc(given, func(g string) bool { return g == "-x" || g == "-X" }) || !plain {
			w.effect.History = append(w.effect.History, "git clean -x, which takes the state of sessions away")
		} else {
			w.effect.Programs = append(w.effect.Programs, "runs git clean")
		}
	case gitReading[sub]:
		w.gitReads(sub, given)
		if sub == "ls-remote" && slices.ContainsFunc(operands, func(o word) bool { return strings.Contains(o.text, "::") }) {
			w.effect.Programs = append(w.effect.Programs, "runs git ls-remote with a program of its own")
		}
	case sub == "update-index" && slices.ContainsFunc(given, func(g string) bool {
		return strings.Contains(g, "skip-worktree") || strings.Contains(g, "assume-unchanged")
	}):
		w.effect.History = append(w.effect.History, "git update-index, which hides changes,")
	case sub == "fetch" && slices.ContainsFunc(operands, func(o word) bool {
		return strings.Contains(o.text, ":") && !strings.Contains(o.text, "/") || strings.Contains(o.text, ":refs/") || o.text == ""
	}):
		w.effect.History = append(w.effect.History, "git fetch into a branch")
	case sub == "submodule" && len(operands) > 0 && operands[0].text == "foreach":
		w.effect.Programs = append(w.effect.Programs, "runs git submodule foreach")
		w.apart(func() { w.evaluate(operands[1:], plain) })
	case gitLists(sub, operands, given, plain):
	case sub == "branch" && plain && len(given) == 0, gitNeutral[sub]:
		w.effect.Programs = append(w.effect.Programs, "runs git "+sub)
	default:
		w.effect.History = append(w.effect.History, "git "+sub)
	}
}

// gitReads notes what options of a reading command may do beyond.
func (w *walk) gitReads(sub string, given []string) {
	if to, ok := has(given, "--output"); ok {
		w.write(word{text: to}, to != "", false, "names a file for git")
	}
	if _, ok := has(given, "-O", "--open-files-in-pager", "--ext-diff", "--textconv", "--upload-pack", "--exec", "--lost-found"); ok && sub != "diff" {
		w.effect.Programs = append(w.effect.Programs, "runs git "+sub+" with a program of its own")
	}
}

// gitLists reports whether a command that can change something only lists here.
func gitLists(sub string, operands []word, given []string, plain bool) bool {
	first := ""
	if len(operands) > 0 {
		first = operands[0].text
	}
	switch sub {
	case "branch":
		lists := []string{"-a", "-r", "-v", "-l", "--list", "--all", "--remotes", "--show-current", "--contains", "--merged", "--no-merged", "--verbose", "--sort", "--format"}
		_, list := has(given, "-l", "--list", "--contains", "--merged", "--no-merged")
		return plain && (list || len(operands) == 0) && !slices.ContainsFunc(given, func(g string) bool {
			name, _, _ := strings.Cut(g, "=")
			return !slices.Contains(lists, name)
		})
	case "tag":
		_, list := has(given, "-l", "--list", "--contains")
		return plain && (list || len(operands) == 0 && len(given) == 0)
	case "stash", "worktree":
		return first == "list" || sub == "stash" && first == "show"
	case "remote":
		return first == "" || first == "show" || first == "get-url"
	case "reflog":
		return first == "" || first == "show"
	case "config":
		_, get := has(given, "--get", "--get-all", "--get-regexp", "--list", "-l")
		return get || first == "get" || first == "list"
	case "symbolic-ref":
		return len(operands) == 1 && len(given) == 0
	case "bisect", "submodule", "notes":
		return first == "log" || first == "status" || first == "list"
	}
	return false
}
