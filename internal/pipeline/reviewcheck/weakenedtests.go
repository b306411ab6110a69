package reviewcheck

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/platform/msg"
	"codeintel/internal/project"
	"codeintel/internal/text"
	"codeintel/internal/trust"
	"codeintel/internal/verify"
	"codeintel/internal/workflow"
	"codeintel/internal/workflow/codediff"
)

// A WeakenedTestFinder compares the tests of one pipeline with those that it began with.
type WeakenedTestFinder struct {
	Project *project.Project
	Repo    *git.Repo
	State   *engine.State
	IsTest  func(file string) bool // nil: nothing is compared
}

func (r WeakenedTestFinder) textNow(file string) []byte {
	return workflow.TextNow(r.Project.Root, file)
}

// Find compares the tests of the files that tasks changed with those of the commit at
// which the work began.
func (r WeakenedTestFinder) Find(ctx context.Context) (weakened []WeakenedTest, err error) {
	files, had, err := r.Files(ctx)
	if err != nil || len(files) == 0 {
		return nil, err
	}
	claimed, read := r.State.ClaimedFiles(), r.textNow
	for _, w := range codediff.Compare(files, read).Weakened() {
		weakened = append(weakened, WeakenedTest{w.File, w.Name(), w.Message()})
	}
	for _, f := range r.scriptsOfVerifiers(claimed, had, read) {
		if slices.Contains(claimed, f) {
			weakened = append(weakened, WeakenedTest{f, "", msg.New("pipeline.file_of_verifier_changed", f)})
		}
	}
	return weakened, nil
}

// Files returns the files that tasks changed, with what they hold, and held in the commit at
// which the work began.
func (r WeakenedTestFinder) Files(ctx context.Context) (files []codediff.File, had map[string][]byte, err error) {
	claimed := r.State.ClaimedFiles()
	if len(claimed) == 0 || r.State.BaseCommit == "" || r.IsTest == nil {
		return nil, nil, nil
	}
	if had, err = r.Repo.Contents(ctx, r.State.BaseCommit, claimed, workflow.MostCompared); err != nil {
		return nil, nil, err
	}
	for _, f := range claimed {
		if now := r.textNow(f); now != nil || had[f] != nil {
			files = append(files, codediff.File{Path: f, Base: had[f], New: now, Test: r.IsTest(f)})
		}
	}
	return files, had, nil
}

// runByVerifiers returns what the commands of trusted verifiers name: programs, and scripts
// among their arguments.
func (r WeakenedTestFinder) runByVerifiers() (files []string) {
	store, err := trust.Open()
	if err != nil {
		return nil // the verification says so
	}
	verifiers, _, err := verify.TrustStates(r.Project, store)
	if err != nil {
		return nil
	}
	for _, s := range verifiers {
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
func (r WeakenedTestFinder) scriptsOfVerifiers(claimed []string, had map[string][]byte,
	read func(string) []byte) []string {
	files := r.runByVerifiers()
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

// A WeakenedTest is what the checks of the project no longer find: a test, or the file that a
// trusted verifier runs.
type WeakenedTest struct {
	File, Name string // the name is "" for a file as a whole
	What       msg.Message
}

// IsReasonedBy reports whether a line names the weakened test and adds a reason.
func (l WeakenedTest) IsReasonedBy(line string) bool {
	files := []string{l.File, path.Base(l.File)}
	if l.Name == "" {
		return artifact.GivesReason(line, files, l.What.String())
	}
	for _, f := range files { // "test_greet.py" does not name "test_greet"
		if !strings.Contains(l.Name, f) {
			line = strings.ReplaceAll(line, f, " ")
		}
	}
	return artifact.GivesReason(line, []string{l.Name}, l.What.String())
}

// WeakenedWithoutReason returns a finding for each weakened test in the files of a task for which its review
// gives no reason, and keeps the reasons it gives for the others.
func WeakenedWithoutReason(weakened []WeakenedTest, task *engine.Task, name, review string) (found []artifact.Finding) {
	task.Weakened = nil
	said := artifact.ParseWeakened(review)
	for _, l := range weakened {
		if !slices.Contains(task.Claimed, l.File) {
			continue
		}
		reason := slices.IndexFunc(said, l.IsReasonedBy)
		if reason < 0 {
			example := "`" + l.File + "` " + l.Name
			found = append(found, artifact.Diagnostic{Line: 1, Severity: artifact.Critical,
				Message: msg.New("pipeline.tests_weakened", l.What, strings.TrimSpace(example))}.Finding(name))
		} else if line := text.Clip(text.OneLine(said[reason]), 300); !slices.Contains(task.Weakened, line) {
			task.Weakened = append(task.Weakened, line)
		}
	}
	return found
}

// WeakenedTestsText returns the section of a prompt that lists the weakened tests a review must give a reason for.
func WeakenedTestsText(st *engine.State, weakened []WeakenedTest, id string) string {
	var list strings.Builder
	for _, l := range weakened {
		if k := st.Task(id); k != nil && slices.Contains(k.Claimed, l.File) && list.Len() < maxWeakened {
			fmt.Fprintf(&list, "- %s\n", l.What)
		}
	}
	if list.Len() == 0 {
		return ""
	}
	return "\n\n## Changed Tests\n\nAn approval gives the reason for each of these below \"## Weakened Tests\", in a sentence " +
		"that names it; one may name several:\n\n" + list.String()
}

// maxWeakened limits the list of weakened tests in the prompt of a reviewer, in bytes.
const maxWeakened = 1500
