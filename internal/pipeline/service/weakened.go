package service

import (
	"context"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/text"
	"codeintel/internal/trust"
	"codeintel/internal/verify"
	"codeintel/internal/workflow/codediff"
)

// mostCompared is how large a file may be whose tests are compared with those of the base.
const mostCompared = 2 << 20

// A loss is what the checks of the project can find no longer: a test, or the file that a
// trusted verifier runs.
type loss struct {
	file, name string // the name is "" for a file as a whole
	what       msg.Message
}

// losses compares the tests of the files that tasks changed with those of the commit at
// which the work began.
func (t *turn) losses(ctx context.Context) (lost []loss, err error) {
	claimed := t.claimed()
	if len(claimed) == 0 || t.st.BaseCommit == "" || t.s.o.Code == nil || t.s.o.Code.IsTest == nil {
		return nil, nil
	}
	had, err := t.Repo.Contents(ctx, t.st.BaseCommit, claimed, mostCompared)
	if err != nil {
		return nil, err
	}
	read := func(file string) []byte {
		now, err := repofile.In(t.s.project.Root, file).Read(mostCompared)
		if err != nil {
			return nil // it is gone, or no text
		}
		return now
	}
	var files []codediff.File
	for _, f := range claimed {
		if now := read(f); now != nil || had[f] != nil {
			files = append(files, codediff.File{Path: f, Base: had[f], New: now, Test: t.s.o.Code.IsTest(f)})
		}
	}
	for _, w := range codediff.Compare(files, read).Weakened() {
		lost = append(lost, loss{w.File, w.Name(), w.Message()})
	}
	for _, f := range t.runByVerifiers() {
		if had[f] != nil && slices.Contains(claimed, f) {
			lost = append(lost, loss{f, "", msg.New("pipeline.file_of_verifier_changed", f)})
		}
	}
	return lost, nil
}

// runByVerifiers returns what the commands of trusted verifiers run: the program, and its
// first argument, which may be a script.
func (t *turn) runByVerifiers() (files []string) {
	store, err := trust.Open()
	if err != nil {
		return nil // the verification says so
	}
	standing, _, err := verify.Standings(t.s.project, store)
	if err != nil {
		return nil
	}
	for _, s := range standing {
		if s.State != trust.Trusted || len(s.Command) == 0 {
			continue
		}
		files = append(files, path.Clean(s.Command[0]))
		arguments := s.Command[1:] // "sh check.sh", "node test/run.js"
		at := slices.IndexFunc(arguments, func(word string) bool { return !strings.HasPrefix(word, "-") })
		if at >= 0 {
			files = append(files, path.Clean(arguments[at]))
		}
	}
	return files
}

// unreasoned returns a finding for each loss in the files of a task of which its review does
// not say why, and keeps what it says of the others.
func (t *turn) unreasoned(lost []loss, task *engine.Task, name, review string) (found []artifact.Finding) {
	task.Weakened = nil
	said := artifact.ParseWeakened(review)
	for _, l := range lost {
		if !slices.Contains(task.Claimed, l.file) {
			continue
		}
		reason := slices.IndexFunc(said, l.isReasonedBy)
		if reason < 0 {
			example := "`" + l.file + "` " + l.name
			found = append(found, artifact.Diagnostic{Line: 1, Severity: artifact.Critical,
				Message: msg.New("pipeline.tests_weakened", l.what, strings.TrimSpace(example))}.Finding(name))
		} else if line := text.Clip(text.OneLine(said[reason]), 300); !slices.Contains(task.Weakened, line) {
			task.Weakened = append(task.Weakened, line)
		}
	}
	return found
}

// isReasonedBy reports whether a line names what was lost, and says more than that.
func (l loss) isReasonedBy(line string) bool {
	names := []string{l.name}
	if l.name == "" {
		names = []string{l.file, path.Base(l.file)}
	}
	for _, n := range names {
		if strings.Contains(line, n) {
			const words, signs = 4, 8
			said := strings.NewReplacer(l.file, "", path.Base(l.file), "", n, "").Replace(line)
			wide := strings.Map(func(r rune) rune {
				if r < utf8.RuneSelf || !unicode.IsLetter(r) {
					return -1
				}
				return r
			}, said)
			return len(strings.FieldsFunc(said, func(r rune) bool { return !unicode.IsLetter(r) })) >= words ||
				utf8.RuneCountInString(wide) >= signs
		}
	}
	return false
}

// weakenedTests are the lines of the reviews that say which tests can find less, and why.
func (t *turn) weakenedTests() (lines []string) {
	for _, k := range t.st.Tasks {
		lines = append(lines, k.Weakened...)
	}
	return lines
}
