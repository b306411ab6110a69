package service

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/digest"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/platform/msg"
	"codeintel/internal/text"
	"codeintel/internal/trust"
	"codeintel/internal/verify"
	"codeintel/internal/workflow"
	"codeintel/internal/workflow/codediff"
)

// A loss is what the checks of the project can find no longer: a test, or the file that a
// trusted verifier runs.
type loss struct {
	file, name string // the name is "" for a file as a whole
	what       msg.Message
}

// filesOfTasks returns the files that tasks changed, with what they hold, and held in the commit at
// which the work began.
func (t *turn) filesOfTasks(ctx context.Context) (files []codediff.File, had map[string][]byte, err error) {
	claimed := t.claimed()
	if len(claimed) == 0 || t.st.BaseCommit == "" || t.s.o.Code == nil || t.s.o.Code.IsTest == nil {
		return nil, nil, nil
	}
	if had, err = t.Repo.Contents(ctx, t.st.BaseCommit, claimed, workflow.MostCompared); err != nil {
		return nil, nil, err
	}
	for _, f := range claimed {
		if now := t.textNow(f); now != nil || had[f] != nil {
			files = append(files, codediff.File{Path: f, Base: had[f], New: now, Test: t.s.o.Code.IsTest(f)})
		}
	}
	return files, had, nil
}

// textNow is [workflow.TextNow] of the pipeline's project.
func (t *turn) textNow(file string) []byte { return workflow.TextNow(t.s.project.Root, file) }

// losses compares the tests of the files that tasks changed with those of the commit at
// which the work began.
func (t *turn) losses(ctx context.Context) (lost []loss, err error) {
	files, had, err := t.filesOfTasks(ctx)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	claimed, read := t.claimed(), t.textNow
	for _, w := range codediff.Compare(files, read).Weakened() {
		lost = append(lost, loss{w.File, w.Name(), w.Message()})
	}
	for _, f := range t.scriptsOfVerifiers(claimed, had, read) {
		if slices.Contains(claimed, f) {
			lost = append(lost, loss{f, "", msg.New("pipeline.file_of_verifier_changed", f)})
		}
	}
	return lost, nil
}

// runByVerifiers returns what the commands of trusted verifiers name: programs, and scripts
// among their arguments.
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
		first := true
		for _, argument := range s.Command[1:] { // "sh check.sh", "node test/run.js", "sh -c ./check.sh"
			for word := range strings.FieldsSeq(argument) {
				if file := path.Clean(strings.Trim(word, `"'()`)); first || runnable(file) {
					files = append(files, file)
				}
				first = first && strings.HasPrefix(word, "-")
			}
		}
		files = append(files, foundBy[path.Base(s.Command[0])]...)
	}
	return files
}

// foundBy are the files that a program looks for by itself.
var foundBy = map[string][]string{
	"make": {"GNUmakefile", "makefile", "Makefile"}, "gmake": {"GNUmakefile", "makefile", "Makefile"},
	"npm": {"package.json"}, "yarn": {"package.json"}, "pnpm": {"package.json"}, "bun": {"package.json"},
	"just": {"justfile", "Justfile"}, "task": {"Taskfile.yml", "Taskfile.yaml"}, "rake": {"Rakefile"}, "tox": {"tox.ini"}, "nox": {"noxfile.py"},
}

// runnable reports whether a file is one that scripts and builds run or include.
func runnable(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".sh", ".bash", ".zsh", ".mk", ".mak", ".make", ".ps1", ".bat", ".cmd", ".cmake", ".just":
		return true
	}
	return slices.Contains([]string{"makefile", "gnumakefile", "justfile", "rakefile"}, strings.ToLower(path.Base(file)))
}

// scriptsOfVerifiers returns what trusted verifiers run, and the claimed scripts that these name,
// now or at the base, as far as that leads.
func (t *turn) scriptsOfVerifiers(claimed []string, had map[string][]byte, read func(string) []byte) []string {
	files := t.runByVerifiers()
	for i := 0; i < len(files); i++ {
		script := string(read(files[i])) + "\n" + string(had[files[i]])
		for _, f := range claimed {
			if runnable(f) && !slices.Contains(files, f) && (strings.Contains(script, f) || strings.Contains(script, path.Base(f))) {
				files = append(files, f)
			}
		}
		for word := range strings.FieldsFuncSeq(script, func(r rune) bool { return strings.ContainsRune(" \t\n\"'`;&|()=", r) }) {
			if file := path.Clean(word); runnable(file) && len(files) < 200 && !slices.Contains(files, file) && read(file) != nil {
				files = append(files, file)
			}
		}
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// mostLosses is how many bytes of them a reviewer is told beforehand.
const mostLosses = 1500

// lossesText is the section of a prompt with what the review of a task has to give a reason for.
func (t *turn) lossesText(lost []loss, id string) string {
	var list strings.Builder
	for _, l := range lost {
		if k := t.st.Task(id); k != nil && slices.Contains(k.Claimed, l.file) && list.Len() < mostLosses {
			fmt.Fprintf(&list, "- %s\n", l.what)
		}
	}
	if list.Len() == 0 {
		return ""
	}
	return "\n\n## Changed Tests\n\nAn approval gives the reason for each of these below \"## Weakened Tests\", in a sentence " +
		"that names it; one may name several:\n\n" + list.String()
}

// missing are the files that the plan of a task calls new and that are not there.
func (t *turn) missing(id string) (files []string) {
	for _, f := range t.planned()[id].Files {
		if _, there := t.linesOf(f.Path); f.New && !there {
			files = append(files, f.Path)
		}
	}
	return files
}

// missingText is the section of a prompt that has the review of a task look for them.
func (t *turn) missingText(id string) string {
	files := t.missing(id)
	if len(files) == 0 || t.st.Phase != engine.CodeReview {
		return ""
	}
	return "\n\n## Missing Files\n\ntasks.md calls these new, and they are not there. Fail the task unless it is whole without them: " +
		digest.Files(files).String() + "\n"
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
	files := []string{l.file, path.Base(l.file)}
	if l.name == "" {
		return artifact.GivesReason(line, files, l.what.String())
	}
	for _, f := range files { // "test_greet.py" does not name "test_greet"
		if !strings.Contains(l.name, f) {
			line = strings.ReplaceAll(line, f, " ")
		}
	}
	return artifact.GivesReason(line, []string{l.name}, l.what.String())
}

// weakenedTests are the lines of the reviews that say which tests can find less, and why.
func (t *turn) weakenedTests() (lines []string) {
	for _, k := range t.st.Tasks {
		lines = append(lines, k.Weakened...)
	}
	return lines
}
