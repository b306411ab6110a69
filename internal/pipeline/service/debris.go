package service

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"

	"codeintel/internal/files"
	"codeintel/internal/git"
	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
	"codeintel/internal/verify"
	"codeintel/internal/workflow"
)

// What the change depends on and no diff of code shows: ignored files, links, and the
// history that prompts quote.

// neededAndIgnored returns the files of code that git ignores, or that the user keeps out of
// git, and that changed files name where they did not before, in words: no commit holds them,
// though a verification may have used them. What tools install is left out, and so is what is
// made from a file that git knows, and named as that is.
func (t *turn) neededAndIgnored(ctx context.Context) (map[string]string, error) {
	args := []string{"ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--", "."}
	for _, dir := range slices.Concat(verify.Installed, []string{"site-packages", "target"}) {
		args = append(args, ":(exclude,glob)**/"+dir+"/**")
	}
	out, err := t.Repo.Run(ctx, args...)
	if err != nil || t.st.BaseCommit == "" {
		return nil, err
	}
	notCode := func(f string) bool { return workspace.IsOwnFile(f) || !isCode(f) }
	ignored := slices.DeleteFunc(strings.Split(out, "\x00"), notCode)
	users := slices.DeleteFunc(slices.Clone(t.st.UserFiles), notCode)
	if len(ignored)+len(users) == 0 {
		return nil, nil
	}
	claimed := t.st.ClaimedFiles()
	had, err := t.Repo.Contents(ctx, t.st.BaseCommit, claimed, workflow.MostCompared)
	if failure := (*git.Error)(nil); errors.As(err, &failure) {
		return nil, nil // history was rewritten, which a person is asked about
	} else if err != nil {
		return nil, err
	}
	list, err := t.Repo.Run(ctx, "ls-files", "-z")
	if err != nil {
		return nil, err
	}
	tracked := strings.Split(list, "\x00")
	known := make(map[string]bool)
	for _, f := range tracked {
		known[importedAs(f)] = true
	}
	users = text.Without(users, tracked)
	needed := make(map[string]string)
	for _, user := range claimed {
		now, err := repofile.In(t.s.project.Root, user).Read(workflow.MostCompared)
		if err != nil || !isCode(user) {
			continue
		}
		fresh := words(now)
		for w := range words(had[user]) {
			delete(fresh, w)
		}
		for i, f := range slices.Concat(ignored, users) {
			name, why := importedAs(f), "git ignores"
			if i >= len(ignored) {
				why = "no commit holds"
			}
			if fresh[name] && (!known[name] || fresh[path.Base(path.Dir(f))]) {
				needed[fmt.Sprintf("%s, which %s and %s names", f, why, user)] = t.s.contentOf(f)
			}
		}
	}
	return needed, nil
}

func isCode(file string) bool {
	l := syntax.Detect(file, nil)
	return l != syntax.Unknown && !syntax.Of(l).Prose
}

// importedAs is the word by which code names a file.
func importedAs(file string) string {
	name, _, _ := strings.Cut(path.Base(file), ".")
	if slices.Contains([]string{"__init__", "index", "mod", "main", "lib"}, name) {
		return path.Base(path.Dir(file))
	}
	return name
}

func words(text []byte) map[string]bool {
	all := make(map[string]bool)
	for _, w := range bytes.FieldsFunc(text, func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N) && r != '_' && r != '-' }) {
		all[string(w)] = true
	}
	return all
}

// leadsOut returns a finding if a file is a link out of the repository: whoever checks the
// branch out would have it lead to a file of their own. Where the request names what the
// link leads to, the user wants it.
func (t *turn) leadsOut(report, file string) []artifact.Finding {
	target, err := os.Readlink(t.s.project.Abs(file))
	inside := path.Join(path.Dir(file), target) + "/"
	out := path.IsAbs(target) || strings.HasPrefix(inside, "../") || strings.HasPrefix(strings.ToLower(inside), ".git/")
	if err != nil || !out || strings.Contains(t.st.Request, target) {
		return nil
	}
	return []artifact.Finding{artifact.NewCritical("pipeline.link_out_of_repository", report, file, target)}
}

// leftoverFindings returns a finding for each file in which a task leaves what nobody wants in a pull request: conflict
// markers, keys and tokens, and files that are there for those alone. Where the report says why they are kept, the
// user is told.
func (t *turn) leftoverFindings(ctx context.Context, report string, claims,
	kept []string) (found []artifact.Finding, err error) {
	what := func(f string, now, had []byte) string {
		switch {
		case now == nil:
			return ""
		case workflow.BringsConflict(now, had):
			return "pipeline.holds_conflict_markers"
		case workflow.BringsSecret(now, had), had == nil && files.IsSecret(f, now[:min(len(now), files.Head)]):
			return "pipeline.holds_a_secret"
		case workflow.BringsHidden(now, had):
			return "pipeline.holds_hidden_order"
		}
		return ""
	}
	now := make(map[string][]byte)
	for _, f := range claims {
		if text := t.textNow(f); what(f, text, nil) != "" {
			now[f] = text
		}
	}
	if len(now) == 0 {
		return nil, nil
	}
	names := slices.Sorted(maps.Keys(now))
	had, err := t.Repo.Contents(ctx, t.st.BaseCommit, names, workflow.MostCompared)
	if err != nil && !errors.As(err, new(*git.Error)) {
		return nil, err
	}
	for _, f := range names {
		left := what(f, now[f], had[f])
		if left == "" {
			continue
		}
		if i := slices.IndexFunc(kept, func(line string) bool { return artifact.GivesReason(line, []string{f, path.Base(f)}) }); i >= 0 {
			t.Warn("pipeline.kept_in_spite_of_it", msg.New(left, f), text.Clip(text.OneLine(kept[i]), 300))
			continue
		}
		found = append(found, artifact.NewCritical("pipeline.take_it_out_or_say_why", msg.New(left, f), f, report))
	}
	return found, nil
}

// historyChanged returns the file of the history if it is neither as it was when the user
// confirmed nor as a commit has it that was looked at: the server writes it at the end alone, and
// later prompts quote it.
func (t *turn) historyChanged(ctx context.Context) ([]string, error) {
	now := t.s.contentOf(indexFile)
	if t.st.History == nil || t.st.Over() || now == *t.st.History || slices.Contains(t.st.UserFiles, indexFile) {
		return nil, nil
	}
	here, err := repofile.In(t.s.project.Root, indexFile).Read(repofile.Records)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return []string{indexFile}, nil // it is not a file
	}
	for _, commit := range []string{t.st.BaseCommit, t.lastKnownCommit()} {
		had, err := t.Repo.Content(ctx, commit, indexFile, repofile.Records)
		if err != nil {
			return nil, err
		}
		if bytes.Equal(had, bytes.ReplaceAll(here, []byte("\r\n"), []byte("\n"))) {
			return nil, nil
		}
	}
	return []string{indexFile}, nil
}
