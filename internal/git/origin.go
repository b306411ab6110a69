package git

import (
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/platform/repofile"
)

// Foreign returns those of the paths, from the top level, of which a version was made
// elsewhere: it is in the checked out commit, in one that is being brought in, or is on the
// disk as a commit that some reference leads to holds it, and no `git commit` of this clone
// brought it. What came by a clone, a pull, a merge, a rebase or a patch is foreign, and so is
// what was taken from another branch as a single file. What is in no commit is not.
//
// The reflogs are the witness: no clone brings them along.
func (r *Repo) Foreign(ctx context.Context, paths []string) ([]string, error) {
	committed, err := r.blobs(ctx, paths)
	if err != nil {
		return nil, err
	}
	versions := []map[string]string{committed}
	var bringing []string
	if r.InProgress() != "" {
		bringing = []string{"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "REBASE_HEAD"}
	}
	for _, head := range bringing {
		brought, err := r.changedSince(ctx, head, paths)
		if err != nil {
			return nil, err
		}
		versions = append(versions, brought)
	}
	laid, err := r.differingOnDisk(ctx, paths, committed)
	if err != nil {
		return nil, err
	}
	versions = append(versions, laid)
	if !slices.ContainsFunc(versions, func(v map[string]string) bool { return len(v) > 0 }) {
		return nil, nil
	}
	own, err := r.committedHere(ctx, paths)
	if err != nil {
		return nil, err
	}
	var foreign []string
	for _, path := range paths {
		if slices.ContainsFunc(versions, func(v map[string]string) bool {
			// Some file systems fold the case of names, and git does not.
			blob, ok := v[strings.ToLower(path)]
			return ok && !own[strings.ToLower(path)+" "+blob]
		}) {
			foreign = append(foreign, path)
		}
	}
	return foreign, nil
}

// blobs returns what the checked out commit holds in the place of paths, by their names in
// lower case.
func (r *Repo) blobs(ctx context.Context, paths []string) (map[string]string, error) {
	if head, err := r.Head(ctx); head == "" || err != nil {
		return nil, nil // no commit yet
	}
	empty, err := r.line(ctx, "hash-object", "-t", "tree", "--stdin") // git knows it, so nothing is stored
	if err != nil {
		return nil, err
	}
	return r.versions(ctx, paths, "diff-tree", "-r", empty, "HEAD")
}

// changedSince returns what a commit has changed in the place of paths since it and the checked out
// one parted; nothing if there is no such commit.
func (r *Repo) changedSince(ctx context.Context, commit string, paths []string) (map[string]string, error) {
	if id, err := r.Resolve(ctx, commit); id == "" || err != nil {
		return nil, err
	}
	return r.versions(ctx, paths, "diff", "HEAD..."+commit)
}

// differingOnDisk returns what is on the disk in the place of paths, where it is not what the checked
// out commit holds, and some other commit has it in the same place. Stashes are the user's own,
// and so is what this program keeps.
func (r *Repo) differingOnDisk(ctx context.Context, paths []string,
	committed map[string]string) (map[string]string, error) {
	lying := make(map[string]string) // path in lower case, by name of the object
	var ask strings.Builder
	for _, path := range paths {
		text, err := repofile.In(r.Dir, filepath.FromSlash(path)).Read(repofile.Records)
		if err != nil {
			continue // it is gone, or not readable
		}
		for _, id := range blobNames(text) {
			if at := strings.ToLower(path); id != committed[at] {
				lying[at+" "+id] = at
				fmt.Fprintln(&ask, id)
			}
		}
	}
	if len(lying) == 0 {
		return nil, nil
	}
	out, err := r.Do(ctx, Command{Args: []string{"cat-file", "--batch-check"}, Stdin: strings.NewReader(ask.String()), Bare: true})
	if err != nil || !strings.Contains(out, " blob ") { // nearly always: what was written is not an object yet
		return nil, err
	}
	refs := []string{"--exclude=refs/code-intel/*", "--exclude=refs/stash", "--all"}
	if id, err := r.Resolve(ctx, "FETCH_HEAD"); err != nil {
		return nil, err
	} else if id != "" {
		refs = append(refs, id)
	}
	if out, err = r.pastOf(ctx, paths, slices.Concat([]string{"log"}, refs,
		[]string{"-z", "-m", "--raw", "--no-abbrev", "--no-renames", "--root", "--format="})...); err != nil {
		return nil, err
	}
	found := make(map[string]string)
	eachRaw(out, func(path, blob string) {
		if at, ok := lying[strings.ToLower(path)+" "+blob]; ok {
			found[at] = blob
		}
	})
	return found, nil
}

// blobNames returns what git may call the object of a text: a checkout may have changed its
// line ends, and there are two kinds of repositories.
func blobNames(text []byte) (names []string) {
	for _, t := range [][]byte{text, bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))} {
		whole := append(fmt.Appendf(nil, "blob %d\x00", len(t)), t...)
		names = append(names, fmt.Sprintf("%x", sha1.Sum(whole)), fmt.Sprintf("%x", sha256.Sum256(whole)))
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// versions returns the new sides of a difference, by their names in lower case.
func (r *Repo) versions(ctx context.Context, paths []string, args ...string) (map[string]string, error) {
	args = slices.Insert(args, 1, "-z", "--raw", "--no-abbrev", "--no-renames")
	out, err := r.pastOf(ctx, paths, args...)
	if err != nil {
		return nil, err
	}
	blobs := make(map[string]string)
	eachRaw(out, func(path, blob string) {
		path = strings.ToLower(path)
		if before, ok := blobs[path]; ok && before != blob {
			blob = "several" // it is not known which one is on disk
		}
		blobs[path] = blob
	})
	return blobs, nil
}

// committedHere returns what the commits of this clone brought in the place of paths, as
// "path blob". A commit that concludes a merge brings what others made, and so does one that
// amends theirs.
func (r *Repo) committedHere(ctx context.Context, paths []string) (map[string]bool, error) {
	const mark = "\x01" // begins a line of the reflog, after a NUL: a field contains none
	out, err := r.pastOf(ctx, paths, "log", "--walk-reflogs", "--branches", "HEAD", "-z", "--raw", "--no-abbrev", "--no-renames",
		"--root", "--format="+mark+"%gs")
	if err != nil {
		return nil, err
	}
	own := make(map[string]bool)
	for part := range strings.SplitSeq("\x00"+out, "\x00"+mark) {
		subject, files, _ := strings.Cut(part, "\x00")
		if strings.HasPrefix(subject, "commit: ") || strings.HasPrefix(subject, "commit (initial): ") {
			eachRaw(files, func(path, blob string) { own[strings.ToLower(path)+" "+blob] = true })
		}
	}
	return own, nil
}

// pastOf runs a reading command for the history of paths, as names whose case does not count.
func (r *Repo) pastOf(ctx context.Context, paths []string, args ...string) (string, error) {
	args = slices.Concat(plainLog, args, []string{"--"})
	for _, path := range paths {
		args = append(args, ":(icase,literal)"+filepath.ToSlash(path))
	}
	return r.Do(ctx, Command{Args: args, Env: append(slices.Clone(historyEnv), "GIT_LITERAL_PATHSPECS=0"), Bare: true})
}

// eachRaw goes through the lines of a raw difference, ended by NUL: modes, names of
// objects and a status, then a path.
func eachRaw(out string, each func(path, blob string)) {
	parts := strings.Split(strings.TrimLeft(out, "\n"), "\x00")
	for i := 0; i+1 < len(parts); i++ {
		fields := strings.Fields(parts[i])
		if len(fields) == 5 && strings.HasPrefix(fields[0], ":") {
			i++
			each(parts[i], fields[3])
		}
	}
}
