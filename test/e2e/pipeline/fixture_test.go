package pipeline

import (
	"strings"
	"testing"

	"codeintel/internal/trust"
	"codeintel/test/e2e/harness"
)

// gh stands in for GitHub's client: it records its arguments in the git directory and
// answers as GitHub would.
const gh = `#!/bin/sh
dir=$(git rev-parse --absolute-git-dir) || exit 1
printf '%s\0' "$@" >> "$dir/gh.log"
printf '\n\0' >> "$dir/gh.log"
if test -e "$dir/gh-first"; then . "$dir/gh-first"; fi
case "$1 $2" in
"pr create"|"pr edit")
	if test -e "$dir/gh-fails"; then echo "HTTP 502: bad gateway" >&2; exit 1; fi
	echo open > "$dir/gh-pull"
	while test $# -gt 0; do
		case "$1" in
		--title|--base|--body) printf '%s\n' "$2" > "$dir/gh$1"; shift ;;
		esac
		shift
	done
	echo https://github.com/owner/repo/pull/7 ;;
"pr view")
	if test ! -e "$dir/gh-pull"; then echo "no pull requests found" >&2; exit 1; fi
	case "$*" in *baseRefName*) cat "$dir/gh--title" "$dir/gh--base" "$dir/gh--body"; exit ;; esac
	echo https://github.com/owner/repo/pull/7 ;;
"issue comment")
	mark=$(printf '%s' "$5" | sed -n 's/^<!-- code-intel: \(.*\) -->$/\1/p')
	printf '{"data":{"repository":{"pullRequest":{"__typename":"Issue","comments":{"nodes":[{"viewerDidAuthor":true,"body":"<!-- code-intel: %s -->"}]}}}}}' "$mark" > "$dir/gh-issue.json"
	echo https://github.com/owner/repo/issues/42#issuecomment-1 ;;
"pr comment")
	mv "$dir/gh-pull-answered.json" "$dir/gh-pull.json"
	echo https://github.com/owner/repo/pull/7#issuecomment-2 ;;
"api graphql")
	case "$*" in
	*number=42*) cat "$dir/gh-issue.json" 2>/dev/null || echo '{"data":{"repository":{"pullRequest":{"__typename":"Issue"}}}}' ;;
	*) cat "$dir/gh-pull.json" ;;
	esac ;;
*)	exit 1 ;;
esac
`

func TestMain(m *testing.M) {
	trust.PermitPrograms()
	harness.Main(m, map[string]string{"gh": gh})
}

// A fixture is a project with a server over it, and the repository it is pushed to.
type fixture struct {
	*harness.Project
	origin string
}

type (
	reply  = harness.Reply
	object = map[string]any
)

// newFixture lays out the files, commits them, and serves the folder.
func newFixture(t testing.TB, files map[string]string) *fixture {
	t.Helper()
	return fixtureOf(harness.Lay(t, files))
}

// fixtureOf commits the files of a folder, and serves it.
func fixtureOf(p *harness.Project) *fixture {
	st := &fixture{p, p.Beside("origin.git")}
	head := st.Commit()
	harness.Copy(st.T, st.origin, st.Path(".git")) // as after "git init --bare" there and "git push" here
	st.Write("../origin.git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
	st.Git("remote", "add", "origin", st.origin)
	st.Write(".git/refs/remotes/origin/main", head+"\n")
	st.Serve()
	return st
}

// asked returns the argument vectors that gh got, those that only look left out.
func (st *fixture) asked() (all [][]string) {
	for call := range strings.SplitSeq(st.Read(".git/gh.log"), "\n\x00") {
		if argv := strings.Split(strings.TrimSuffix(call, "\x00"), "\x00"); len(argv) > 1 && argv[1] != "view" && argv[0] != "api" {
			all = append(all, argv)
		}
	}
	return all
}
