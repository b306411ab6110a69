package service

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"

	"codeintel/internal/clients/prompts"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/textformat"
	"codeintel/internal/pipeline/workspace"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/trust"
)

// instructions names the content of the instructions that files of the project, or of the
// user, give to agents in place of the program's own. A file that cannot be used has no part
// in it: who hands out its agent says so.
func (s *Service) instructions() (map[string]string, error) {
	given := make(map[string]string)
	for _, name := range prompts.Names() {
		own, err := prompts.Load(name)
		if err != nil {
			return nil, err
		}
		used, err := prompts.Load(name, s.o.AgentDirs...)
		if problem.Of(err) != nil {
			continue
		}
		if err != nil {
			return nil, err
		}
		if used.Body != own.Body || used.Model != own.Model {
			given[name] = workspace.HashOf(used.Model + "\n" + used.Body)
		}
	}
	return given, nil
}

// approved are the instructions that nobody needs to be asked about when a pipeline begins:
// those of the user's own files, and of files of the project that the user wrote or trusts.
func (s *Service) approved() (map[string]string, error) {
	given, err := s.instructions()
	if err != nil {
		return nil, err
	}
	texts := trust.NewTexts(s.project.Root)
	for name := range given {
		file := path.Join(workspace.Folder, "agents", name+".md")
		data, err := repofile.In(s.project.Root, file).Read(repofile.Settings)
		if !errors.Is(err, fs.ErrNotExist) && !texts.May(file, data) {
			delete(given, name)
		}
	}
	return given, nil
}

// askAboutInstructions has a person asked if an agent is told something else than what was
// approved, when the pipeline began or later: who may write into the repository would else choose what its reviewers
// are told. That the program's own count again needs no question.
func (t *turn) askAboutInstructions(context.Context) error {
	if t.st.Over() || t.st.Ticket != nil || t.st.Pause != nil {
		return nil
	}
	now, err := t.s.instructions()
	if err != nil {
		return err
	}
	var other []string
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if now[name] != t.st.Instructions[name] {
			other = append(other, name)
		}
	}
	if len(other) == 0 {
		return nil
	}
	t.st.Pause = &engine.Pause{Name: engine.InstructionsCheckpoint, Instructions: now,
		Text: textformat.Paragraphs(msg.New("pipeline.instructions_changed", textformat.Files(other)), msg.New("pipeline.instructions_changed_options"))}
	t.dirty = true
	return nil
}

// askAboutUnknown has a person asked before a pipeline is led on that this user has not led
// in this folder: nothing tells whether its state is what a server wrote.
func (t *turn) askAboutUnknown() {
	if t.st.Over() || !t.w.Unknown() {
		return
	}
	decisions := make([]any, 0, len(t.st.Decisions))
	for _, d := range t.st.Decisions {
		decisions = append(decisions, d.Name+": "+d.Choice)
	}
	t.st.Ticket, t.st.Held, t.st.Pause = nil, t.st.Pause, &engine.Pause{Name: engine.UnknownStateCheckpoint,
		Text: textformat.Paragraphs(
			msg.New("pipeline.unknown_state", t.w.Path(), t.st.Phase, t.st.Effort, len(t.st.Tasks), msg.ListOf(", ", decisions...)),
			msg.New("pipeline.unknown_state_options"))}
	t.dirty = true
}
