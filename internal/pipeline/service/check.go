package service

import (
	"context"
	"os"
	"path"
	"slices"
	"strings"
	"unicode"

	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/platform/msg"
	"codeintel/internal/workflow/phase"
)

// checkPlan holds an artifact against what it must have and, if it is a plan,
// against the repository and the index.
func (t *turn) checkPlan(ctx context.Context, id phase.ID, name, text string) []artifact.Finding {
	found := artifact.Findings(name, artifact.Check(string(id), text))
	switch id {
	case engine.Design:
		return append(found, t.checkDesign(ctx, text)...)
	case engine.Decomposition:
		tasks, wrong := artifact.ParseTasks(text)
		wrong = append(wrong, t.checkFiles(ctx, tasks)...)
		found = artifact.UniqueFindings(slices.Concat(found, artifact.Findings(name, wrong), t.checkCoverage(tasks)))
		if artifact.Blocks(found) {
			return found
		}
		return append(found, t.checkTasks(ctx, tasks)...)
	}
	return found
}

// checkFiles finds the files of tasks that are not there, and not marked as new.
func (t *turn) checkFiles(ctx context.Context, tasks []artifact.Task) (found []artifact.Diagnostic) {
	made := make(map[string]bool) // by some task
	hidden := artifact.Critical   // is what no commit can hold
	var all []string
	for _, k := range tasks {
		for _, f := range k.Files {
			if rel, err := t.s.project.Resolve(f.Path); err == nil && !ours(rel) {
				all = append(all, rel)
			}
			made[f.Path] = made[f.Path] || f.New
			if path.Base(f.Path) == ".gitignore" { // it may be none any more when its task comes
				hidden = artifact.Minor
			}
		}
	}
	ignored := t.ignored(ctx, all...)
	add := func(severity, key string, f artifact.File) {
		found = append(found, artifact.Diagnostic{Line: f.Line, Severity: severity, Message: msg.New(key, f.Path)})
	}
	for _, k := range tasks {
		for _, f := range k.Files {
			rel, err := t.s.project.Resolve(f.Path)
			if err != nil {
				add(artifact.Critical, "pipeline.lies_outside_repository", f)
				continue
			}
			if ours(rel) {
				add(artifact.Critical, "pipeline.belongs_pipeline_itself", f)
				continue
			}
			info, err := os.Stat(t.s.project.Abs(rel))
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

// ignored returns the files that git keeps no track of. What git does not know is not
// ignored.
func (t *turn) ignored(ctx context.Context, files ...string) []string {
	ignored, err := t.Repo.AllIgnored(ctx, files)
	if err != nil || len(ignored) == 0 {
		return nil
	}
	tracked, err := t.Repo.Run(ctx, append([]string{"ls-files", "-z", "--"}, ignored...)...)
	if err != nil {
		return nil
	}
	return without(ignored, strings.Split(tracked, "\x00"))
}

// maxSymbols is how many symbols of a plan are looked up.
const maxSymbols = 40

// fromIndex reports whether a finding is one that the index makes. A person may
// overrule those.
func fromIndex(m msg.Message) bool {
	return m.Is("pipeline.index_defined_nowhere") || m.Is("pipeline.index_also_used") ||
		m.Is("pipeline.index_no_task_lists")
}

// onlyCode reports whether nothing but the index stands against a plan.
func onlyCode(found []artifact.Finding) bool {
	return !slices.ContainsFunc(found, func(f artifact.Finding) bool {
		return f.Severity == artifact.Critical && !fromIndex(f.Description)
	})
}

// checkDesign looks up what a design names. What it names wrongly, or forgets, is
// worth a note; whether the files get into tasks is for [turn.checkTasks]. Of what
// lies in files that the design does not change, nothing can be forgotten.
func (t *turn) checkDesign(ctx context.Context, text string) (found []artifact.Finding) {
	files, symbols := artifact.Mentions(text)
	changes := artifact.Changes(text)
	minor := func(key string, args ...any) {
		found = append(found, artifact.Finding{Severity: artifact.Minor, Description: msg.New(key, args...)})
	}
	for _, f := range files {
		if _, err := os.Stat(t.s.project.Abs(path.Clean(f))); err != nil && !artifact.MarkedNew(text, f) {
			minor("pipeline.design_names_missing_file", f)
		}
	}
	if t.s.o.Code == nil {
		t.Warn("pipeline.no_index_so_design_md")
		return found
	}
	var nowhere []string
	for _, symbol := range symbols[:min(len(symbols), maxSymbols)] {
		defined, refs, err := t.lookUp(ctx, symbol)
		if err != nil {
			t.Warn("pipeline.design_md_not_held_against", err)
			return found
		}
		switch missed := without(refs, files); {
		case len(defined) == 0 && !artifact.MarkedNew(text, symbol):
			if used, err := t.s.o.Code.Occurs(ctx, symbol); err != nil {
				t.Warn("pipeline.design_md_not_held_against", err)
				return found
			} else if !used {
				nowhere = append(nowhere, symbol)
			}
		case len(defined) > 0 && len(missed) > 0 && (len(changes) == 0 || slices.Contains(changes, defined[0])):
			minor("pipeline.index_also_used", symbol, listed(missed))
		}
	}
	if len(nowhere) > 0 {
		minor("pipeline.index_defined_nowhere", listed(nowhere))
	}
	return found
}

// checkTasks holds the tasks against the index: a file that refers to what a task
// changes should stand in some task. A task changes what it names and what one of
// its files defines.
func (t *turn) checkTasks(ctx context.Context, tasks []artifact.Task) (found []artifact.Finding) {
	if t.s.o.Code == nil {
		t.Warn("pipeline.no_index_so_tasks_md")
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
			defined, refs, err := t.lookUp(ctx, symbol)
			if err != nil {
				t.Warn("pipeline.tasks_md_not_held_against", err)
				return found
			}
			changes := slices.ContainsFunc(defined, func(d string) bool {
				return slices.ContainsFunc(k.Files, func(f artifact.File) bool { return f.Path == d })
			})
			missed := without(refs, all)
			if !changes || len(missed) == 0 {
				continue
			}
			severity := artifact.Minor
			if is := t.s.o.Code.IsType; exported(symbol, defined) && (is == nil || artifact.GoesAway(said, symbol) || !is(ctx, symbol)) {
				severity = artifact.Critical
			}
			f := artifact.Finding{Severity: severity,
				Description: msg.New("pipeline.index_no_task_lists", symbol, k.ID, listed(missed))}
			if !slices.ContainsFunc(found, func(o artifact.Finding) bool { return o.Description.Equal(f.Description) }) {
				found = append(found, f)
			}
		}
	}
	return found
}

// lookUp returns where a symbol is defined, and which files refer to it. A name
// that several files define is nobody's in particular.
func (t *turn) lookUp(ctx context.Context, symbol string) (defined, refs []string, err error) {
	if defined, err = t.s.o.Code.Defined(ctx, symbol); err != nil || len(defined) != 1 {
		return defined, nil, err
	}
	refs, err = t.s.o.Code.References(ctx, symbol)
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

func without(all, known []string) (rest []string) {
	for _, f := range all {
		if !slices.Contains(known, f) && !slices.Contains(rest, f) {
			rest = append(rest, f)
		}
	}
	return rest
}

// listed names files, the first few by name.
func listed(files []string) msg.Message {
	const most = 6
	if len(files) > most {
		return msg.New("pipeline.more_files", strings.Join(files[:most], ", "), len(files)-most)
	}
	return msg.Literal(strings.Join(files, ", "))
}
