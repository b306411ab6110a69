// Package plancheck checks the design and the tasks of a pipeline against the request, the repository and the index,
// before reviewers and people see them. The service asks it when an agent has reported a plan.
package plancheck

import (
	"context"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"

	"codeintel/internal/git"
	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/request"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/msg"
	"codeintel/internal/project"
	"codeintel/internal/text"
	"codeintel/internal/workflow/phase"
	"codeintel/internal/workflow/requirements"
)

// A Checker checks the plans of one pipeline.
type Checker struct {
	Project *project.Project
	Repo    *git.Repo
	State   *engine.State
	Design  func() (string, error) // reads the design
	Code    *PlannedCode           // nil: plans are not checked against the code
	Warn    func(key string, args ...any)
}

// Check checks an artifact against what it must have and, if it is a plan,
// against the repository and the index.
func (c Checker) Check(ctx context.Context, id phase.ID, name, text string) []artifact.Finding {
	found := artifact.Findings(name, artifact.Check(string(id), text))
	switch id {
	case engine.Design:
		return append(found, c.checkDesign(ctx, text)...)
	case engine.Decomposition:
		tasks, wrong := artifact.ParseTasks(text)
		wrong = append(wrong, c.checkFiles(ctx, tasks)...)
		found = artifact.UniqueFindings(slices.Concat(found, artifact.Findings(name, wrong), c.checkCoverage(tasks)))
		if artifact.Blocks(found) {
			return found
		}
		return append(found, c.checkTasks(ctx, tasks)...)
	}
	return found
}

// checkFiles finds the files of tasks that are not there, and not marked as new.
func (c Checker) checkFiles(ctx context.Context, tasks []artifact.Task) (found []artifact.Diagnostic) {
	made := make(map[string]bool) // by some task
	hidden := artifact.Critical   // is what no commit can hold
	var all []string
	for _, k := range tasks {
		for _, f := range k.Files {
			if rel, err := c.Project.Resolve(f.Path); err == nil && !workspace.IsOwnFile(rel) {
				all = append(all, rel)
			}
			made[f.Path] = made[f.Path] || f.New
			if path.Base(f.Path) == ".gitignore" { // it may be none any more when its task comes
				hidden = artifact.Minor
			}
		}
	}
	ignored := Ignored(ctx, c.Repo, all...)
	add := func(severity, key string, f artifact.File) {
		found = append(found, artifact.Diagnostic{Line: f.Line, Severity: severity, Message: msg.New(key, f.Path)})
	}
	for _, k := range tasks {
		for _, f := range k.Files {
			rel, err := c.Project.Resolve(f.Path)
			if err != nil {
				add(artifact.Critical, "pipeline.lies_outside_repository", f)
				continue
			}
			if workspace.IsOwnFile(rel) {
				add(artifact.Critical, "pipeline.belongs_pipeline_itself", f)
				continue
			}
			info, err := os.Stat(c.Project.Abs(rel))
			switch {
			case err != nil && !made[f.Path]:
				add(artifact.Critical, "pipeline.does_not_exist_not_marked", f)
			case err == nil && info.IsDir():
				add(artifact.Critical, "pipeline.folder_name_its_files", f)
			}
			if slices.Contains(ignored, rel) {
				add(hidden, "pipeline.ignored_file_gets_into_no_commit", f)
			}
		}
	}
	return found
}

// Ignored returns the files that git keeps no track of. What git does not know is not
// ignored.
func Ignored(ctx context.Context, r *git.Repo, files ...string) []string {
	ignored, err := r.AllIgnored(ctx, files)
	if err != nil || len(ignored) == 0 {
		return nil
	}
	tracked, err := r.Run(ctx, append([]string{"ls-files", "-z", "--"}, ignored...)...)
	if err != nil {
		return nil
	}
	return text.Without(ignored, strings.Split(tracked, "\x00"))
}

// maxSymbols is how many symbols of a plan are looked up.
const maxSymbols = 40

// fromIndex reports whether a finding is one that the index makes. A person may
// overrule those.
func fromIndex(m msg.Message) bool {
	return m.Is("pipeline.index_defined_nowhere") || m.Is("pipeline.index_also_used") ||
		m.Is("pipeline.index_no_task_lists")
}

// OnlyIndex reports whether only the index contradicts a plan.
func OnlyIndex(found []artifact.Finding) bool {
	return !slices.ContainsFunc(found, func(f artifact.Finding) bool {
		return f.Severity == artifact.Critical && !fromIndex(f.Description)
	})
}

// checkDesign looks up what a design names. What it names wrongly, or forgets, is
// worth a note; whether the files get into tasks is for [Checker.checkTasks]. Of what
// is in files that the design does not change, nothing can be forgotten.
func (c Checker) checkDesign(ctx context.Context, content string) (found []artifact.Finding) {
	files, symbols := artifact.Mentions(content)
	changes := artifact.Changes(content)
	minor := func(key string, args ...any) {
		found = append(found, artifact.Finding{Severity: artifact.Minor, Description: msg.New(key, args...)})
	}
	for _, f := range files {
		if _, err := os.Stat(c.Project.Abs(path.Clean(f))); err != nil && !artifact.MarkedNew(content, f) {
			minor("pipeline.design_names_missing_file", f)
		}
	}
	if c.Code == nil {
		c.Warn("pipeline.no_index_so_design_md")
		return found
	}
	var nowhere []string
	for _, symbol := range symbols[:min(len(symbols), maxSymbols)] {
		defined, refs, err := c.lookUp(ctx, symbol)
		if err != nil {
			c.Warn("pipeline.design_md_not_held_against", err)
			return found
		}
		switch missed := text.Without(refs, files); {
		case len(defined) == 0 && !artifact.MarkedNew(content, symbol):
			if used, err := c.Code.Occurs(ctx, symbol); err != nil {
				c.Warn("pipeline.design_md_not_held_against", err)
				return found
			} else if !used {
				nowhere = append(nowhere, symbol)
			}
		case len(defined) > 0 && len(missed) > 0 && (len(changes) == 0 || slices.Contains(changes, defined[0])):
			minor("pipeline.index_also_used", symbol, textformat.Files(missed))
		}
	}
	if len(nowhere) > 0 {
		minor("pipeline.index_defined_nowhere", textformat.Files(nowhere))
	}
	return found
}

// checkTasks checks the tasks against the index: a file that refers to what a task
// changes should be in some task. A task changes what it names and what one of
// its files defines.
func (c Checker) checkTasks(ctx context.Context, tasks []artifact.Task) (found []artifact.Finding) {
	if c.Code == nil {
		c.Warn("pipeline.no_index_so_tasks_md")
		return nil
	}
	var all []string
	for _, k := range tasks {
		for _, f := range k.Files {
			all = append(all, f.Path)
		}
	}
	looked := 0
	for _, k := range tasks {
		said := k.Title + "\n\n" + k.Text + "\n\n" + strings.Join(k.Acceptance, "\n\n")
		_, symbols := artifact.Mentions(said)
		for _, symbol := range symbols {
			if looked++; looked > maxSymbols {
				return found
			}
			defined, refs, err := c.lookUp(ctx, symbol)
			if err != nil {
				c.Warn("pipeline.tasks_md_not_held_against", err)
				return found
			}
			changes := slices.ContainsFunc(defined, func(d string) bool {
				return slices.ContainsFunc(k.Files, func(f artifact.File) bool { return f.Path == d })
			})
			missed := text.Without(refs, all)
			if !changes || len(missed) == 0 {
				continue
			}
			severity := artifact.Minor
			if is := c.Code.IsType; exported(symbol, defined) && (is == nil || artifact.GoesAway(said, symbol) || !is(ctx, symbol)) {
				severity = artifact.Critical
			}
			f := artifact.Finding{Severity: severity,
				Description: msg.New("pipeline.index_no_task_lists", symbol, k.ID, textformat.Files(missed))}
			if !slices.ContainsFunc(found, func(o artifact.Finding) bool { return o.Description.Equal(f.Description) }) {
				found = append(found, f)
			}
		}
	}
	return found
}

// lookUp returns where a symbol is defined, and which files refer to it. A name
// that several files define is nobody's in particular.
func (c Checker) lookUp(ctx context.Context, symbol string) (defined, refs []string, err error) {
	if defined, err = c.Code.Defined(ctx, symbol); err != nil || len(defined) != 1 {
		return defined, nil, err
	}
	refs, err = c.Code.References(ctx, symbol)
	return defined, refs, err
}

// exported reports whether others may use a symbol, by the custom of the language
// that defines it.
func exported(symbol string, defined []string) bool {
	name := symbol[strings.LastIndexAny(symbol, ".:#>")+1:]
	first := []rune(name + " ")[0]
	if slices.ContainsFunc(defined, func(f string) bool { return strings.HasSuffix(f, ".go") }) {
		return unicode.IsUpper(first)
	}
	return first != '_' && first != '#'
}

// checkCoverage checks the tasks against the request and the design: each requirement of the one, and each
// file that the other changes, is in some task, and each criterion says something.
func (c Checker) checkCoverage(tasks []artifact.Task) (found []artifact.Finding) {
	add := func(severity, key string, args ...any) {
		found = append(found, artifact.Finding{Severity: severity, Description: msg.New(key, args...)})
	}
	body := request.BodyOf(c.State.RequestFile)
	var plan []requirements.Task
	var files []string
	for _, k := range tasks {
		said := requirements.Task{Description: k.Title, Items: slices.Clone(k.Acceptance)}
		if text := artifact.Now(k.Text); !strings.Contains(text, strings.TrimSpace(body)) {
			said.Items = append(said.Items, text)
		}
		for _, f := range k.Files {
			said.Items, files = append(said.Items, f.Path), append(files, path.Clean(f.Path))
		}
		plan = append(plan, said)
		for _, criterion := range k.Acceptance {
			if requirements.Vague(criterion) || requirements.Thought(criterion, body) {
				add(artifact.Critical, "pipeline.criterion_says_nothing", k.ID, criterion)
			}
		}
	}
	if c.State.Pull == nil { // whose comments are answered at the end, each by itself
		there := func(f string) bool { info, err := os.Lstat(c.Project.Abs(f)); return err == nil && !info.IsDir() }
		if unmet, sure := requirements.Uncovered(body, plan, there); len(unmet) > 0 && sure {
			add(artifact.Critical, "pipeline.wish_without_task", textformat.Verbatim(strings.Join(unmet, "; ")))
		} else if len(unmet) > 0 {
			add(artifact.Minor, "pipeline.wish_without_task", textformat.Verbatim(strings.Join(unmet, "; ")))
		}
	}
	design, err := c.Design()
	if err != nil {
		return found
	}
	if left := text.Without(artifact.Changes(design), files); len(left) > 0 {
		add(artifact.Critical, "pipeline.design_changes_what_no_task_does", textformat.Files(left))
	}
	return found
}

// PlannedCode answers questions about the code of the project. Where it is nil, plans are not
// checked against the code, and the answer says so.
type PlannedCode struct {
	// Defined returns the files that define the symbol, none if none does.
	Defined func(ctx context.Context, symbol string) ([]string, error)
	// References returns the files that refer to the symbol.
	References func(ctx context.Context, symbol string) ([]string, error)
	// Occurs reports whether the project's files use the name at all: that of a library does,
	// which none of them defines.
	Occurs func(ctx context.Context, symbol string) (bool, error)
	// IsType reports whether a symbol is a type that may gain a member, and its users stay right.
	IsType func(ctx context.Context, symbol string) bool
	// IsTest reports whether a file tests others.
	IsTest func(file string) bool
}
