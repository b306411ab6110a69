package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"codeintel/internal/platform/repofile"
)

// Reading history runs nothing that a user or a repository configures, takes no
// mailmap, and never fetches what a partial clone left out.
var (
	historyEnv = []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none"}
	plainDiff  = []string{"--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=none", "-O" + os.DevNull}
	plainLog   = []string{"-c", "log.showSignature=false", "-c", "log.mailmap=false", "-c", "log.follow=false",
		"-c", "core.quotePath=false", "-c", "core.fsmonitor=false", "-c", "blame.ignoreRevsFile="}
)

// renameLimit is for how many new files of one commit an old one with other content is
// looked for. Beyond it only files that kept their content count as renamed.
const renameLimit = 200

// A Stamp is a commit and when it was committed.
type Stamp struct {
	ID   string
	Time int64 // seconds since 1970
}

// Newest returns the newest commits that a commit contains, merges left out, newest
// first, at most that many.
func (r *Repo) Newest(ctx context.Context, commit string, most int) ([]Stamp, error) {
	out, err := r.runHistory(ctx, nil, "rev-list", "--no-merges", "--timestamp", "--max-count="+strconv.Itoa(most), commit, "--")
	if err != nil {
		return nil, err
	}
	list := make([]Stamp, 0, strings.Count(out, "\n"))
	for line := range strings.Lines(out) {
		at, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		if id == "" {
			return nil, fmt.Errorf("git rev-list: unexpected answer %q", line)
		}
		list = append(list, Stamp{id, timeOf(at)})
	}
	return list, nil
}

// Behind returns the commit that comes many commits after commit in the order of
// [Repo.Newest], merges included, or "" if there are fewer.
func (r *Repo) Behind(ctx context.Context, commit string, many int) (string, error) {
	out, err := r.runHistory(ctx, nil, "rev-list", "--max-count=1", "--skip="+strconv.Itoa(many), commit, "--")
	return strings.TrimSpace(out), err
}

// runHistory runs a reading command for history.
func (r *Repo) runHistory(ctx context.Context, in io.Reader, args ...string) (string, error) {
	return r.Do(ctx, Command{Args: append(plainLog[:len(plainLog):len(plainLog)], args...), Env: historyEnv,
		Stdin: in, Bare: true})
}

// A Touched file is one that a commit changed.
type Touched struct {
	Path    string
	OldPath string // of a renamed file
	Status  Status // never Mode: a commit that changed nothing but the mode has modified it
}

// maxUnlisted is how many commits of one call may have more files than git can list.
const maxUnlisted = 3

// EachChange calls each for every commit, in their order, with the files that it changed
// against its first parent, or against nothing. files is empty for a commit that changed no
// file; listed is false for a commit with more files than git can list. Where a partial clone
// lacks the text to compare, only files that kept their content count as renamed. An error of
// each ends the loop and is returned.
func (r *Repo) EachChange(ctx context.Context, commits []string,
	each func(commit string, files []Touched, listed bool) error) error {
	done, unlisted := 0, 0
	next := func(commit string, files []Touched) error {
		for ; done < len(commits) && commits[done] != commit; done++ {
			if err := each(commits[done], nil, true); err != nil {
				return err
			}
		}
		if done == len(commits) {
			if commit == "" {
				return nil
			}
			return fmt.Errorf("git diff-tree: %s was not asked for", commit)
		}
		done++
		return each(commit, files, true)
	}
	renames := "-M"
	for {
		args := append(append([]string{}, plainLog...), "diff-tree", "--stdin", "-r", "-z", "--raw", "--no-abbrev", "--root",
			renames, "--no-rename-empty", "-l"+strconv.Itoa(renameLimit))
		c := Command{Args: append(args, plainDiff...), Env: historyEnv,
			Stdin: strings.NewReader(strings.Join(commits[done:], "\n") + "\n"), Bare: true}
		refused := error(nil)
		err := r.pipe(ctx, c, func(p io.Reader) error {
			refused = eachChange(bufio.NewReaderSize(p, 64<<10), next)
			return refused
		})
		over := (*excess)(nil)
		switch {
		case refused != nil:
			return refused
		case err == nil:
			return next("", nil)
		case errors.As(err, &over) && over.code == repositoryUnfolds && done < len(commits) && unlisted < maxUnlisted:
			unlisted++
			if err := each(commits[done], nil, false); err != nil {
				return err
			}
			if done++; done == len(commits) {
				return nil
			}
		case renames != "-M" || ctx.Err() != nil:
			return err
		default:
			renames = "-M100%"
		}
	}
}

// eachChange reads what diff-tree prints: the id of a commit, then its files, in the
// form that [readEntries] reads. The last commit counts only if all of it is there.
func eachChange(in *bufio.Reader, each func(commit string, files []Touched) error) error {
	commit, files := "", []Touched(nil)
	for {
		field, err := in.ReadString(0)
		field = strings.TrimSuffix(field, "\x00")
		switch {
		case errors.Is(err, io.EOF) && field != "":
			return nil // cut short
		case errors.Is(err, io.EOF):
			if commit != "" {
				return each(commit, files)
			}
			return nil
		case err != nil:
			return err
		case !strings.HasPrefix(field, ":"):
			if commit != "" {
				if err := each(commit, files); err != nil {
					return err
				}
			}
			commit, files = field, nil
			continue
		}
		f, err := readTouched(in, field)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		files = append(files, f)
	}
}

// readTouched reads one file, of which the first field is read.
func readTouched(in *bufio.Reader, head string) (f Touched, err error) {
	path := func() string {
		s, readErr := in.ReadString(0)
		if readErr != nil {
			err = readErr
		}
		return strings.TrimSuffix(s, "\x00")
	}
	status := head[strings.LastIndexByte(head, ' ')+1:]
	if status == "" {
		return f, fmt.Errorf("git diff-tree: unexpected answer %q", head)
	}
	f = Touched{Path: path(), Status: Modified}
	switch status[0] {
	case 'A':
		f.Status = Added
	case 'D':
		f.Status = Deleted
	case 'R':
		f.Status, f.OldPath = Renamed, f.Path
		f.Path = path()
	}
	return f, err
}

// Shallow returns the commits at which a shallow clone ends: their parents are not
// there, so that they look as if they had added every file. It is empty for a whole clone.
func (r *Repo) Shallow() (map[string]bool, error) {
	data, err := repofile.At(filepath.Join(r.CommonDir, "shallow")).Read(repofile.Records)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("git: %w", err)
	}
	ends := map[string]bool{}
	for id := range strings.FieldsSeq(string(data)) {
		ends[id] = true
	}
	return ends, nil
}

// An Origin is where a line of a file comes from.
type Origin struct {
	Commit string
	Path   string // what the file was called there
	Edge   bool   // no older commit was looked at, so it may come from further back
}

// Blame returns where a line of a file of a commit comes from: the commit that wrote it,
// not one that only moved or indented it. Commits that one of the others contains are
// not looked at.
func (r *Repo) Blame(ctx context.Context, commit, path string, line int, without ...string) (o Origin, err error) {
	args := []string{"blame", "--porcelain", "--root", "--no-textconv", "-w", "-C", "-L", fmt.Sprintf("%d,%d", line, line), commit}
	for _, id := range without {
		args = append(args, "^"+id)
	}
	out, err := r.runHistory(ctx, nil, append(args, "--", path)...)
	if err != nil {
		return o, err
	}
	for i, l := range strings.Split(out, "\n") {
		key, value, found := strings.Cut(l, " ")
		switch {
		case i == 0 && !found:
			return o, fmt.Errorf("git blame: unexpected answer %q", l)
		case i == 0:
			o.Commit = key
		case strings.HasPrefix(l, "\t"):
			return o, nil
		case key == "boundary":
			o.Edge = true
		case key == "filename":
			o.Path = unquoted(value)
		}
	}
	return o, nil
}

// unquoted takes a path out of the quotes in which git writes one with unusual characters.
func unquoted(path string) string {
	if strings.HasPrefix(path, `"`) {
		if s, err := strconv.Unquote(path); err == nil {
			return s
		}
	}
	return path
}

// Merge reports whether a commit has several parents.
func (r *Repo) Merge(ctx context.Context, commit string) (bool, error) {
	out, err := r.runHistory(ctx, nil, "rev-list", "--parents", "--max-count=1", commit, "--")
	return len(strings.Fields(out)) > 2, err
}

// LineLog returns the commits that changed lines of a file of a commit, newest first,
// at most so many; renames are followed. Commits that one of the others contains are
// not looked at.
func (r *Repo) LineLog(ctx context.Context, commit, path string, lines Range, most int,
	without ...string) ([]string, error) {
	args := append([]string{"log", "-s", "--format=%H", "--no-merges", "--no-notes", "--no-decorate",
		fmt.Sprintf("-L%d,%d:%s", lines.Start, lines.End, path), "--max-count=" + strconv.Itoa(most)}, plainDiff...)
	args = append(args, commit)
	for _, id := range without {
		args = append(args, "^"+id)
	}
	out, err := r.runHistory(ctx, nil, append(args, "--")...)
	return strings.Fields(out), err
}

// A Described commit holds its author, date and subject.
type Described struct {
	ID      string
	Author  string // the name
	Time    int64  // when it was written, in seconds since 1970
	Zone    int    // of the author, in seconds east of Greenwich
	Subject string
}

// Describe returns author, date and subject of commits, in their order.
func (r *Repo) Describe(ctx context.Context, commits []string) ([]Described, error) {
	if len(commits) == 0 {
		return nil, nil
	}
	out, err := r.runHistory(ctx, strings.NewReader(strings.Join(commits, "\n")+"\n"), "log", "--no-walk=unsorted", "--stdin",
		"-s", "-z", "--no-notes", "--no-decorate", "--encoding=UTF-8", "--date=raw", "--format=tformat:%H%n%ad%n%an%n%s")
	if err != nil {
		return nil, err
	}
	var list []Described
	for entry := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		f := strings.SplitN(entry, "\n", 4)
		if len(f) < 4 {
			return nil, fmt.Errorf("git log: unexpected answer %q", entry)
		}
		d := Described{ID: f[0], Author: strings.ToValidUTF8(f[2], "\uFFFD"),
			Subject: strings.ToValidUTF8(strings.TrimSpace(f[3]), "\uFFFD")}
		at, zone, _ := strings.Cut(f[1], " ")
		d.Time, d.Zone = timeOf(at), zoneOf(zone)
		list = append(list, d)
	}
	return list, nil
}

// timeOf returns the seconds of a date, or 0 if a commit has one that git cannot read: it shows such a date as
// the largest number of 64 bits.
func timeOf(seconds string) int64 {
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// zoneOf reads "+0930".
func zoneOf(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < -2400 || n > 2400 {
		return 0
	}
	return n/100*3600 + n%100*60
}

// Content returns the text of a file in a commit, or nil if there is no file of that
// name, and at most so many bytes of it.
func (r *Repo) Content(ctx context.Context, commit, path string, most int64) ([]byte, error) {
	var out bytes.Buffer
	c := Command{Args: append(plainLog[:len(plainLog):len(plainLog)], "cat-file", "blob", commit+":"+path),
		Env: historyEnv, Bare: true}
	err := r.pipe(ctx, c, func(p io.Reader) error {
		_, err := io.Copy(&out, io.LimitReader(p, most))
		return errors.Join(err, drain(p))
	})
	if e := (*Error)(nil); errors.As(err, &e) {
		return nil, nil
	}
	return out.Bytes(), err
}

func drain(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}
