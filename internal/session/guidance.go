package session

import (
	"path"
	"path/filepath"

	"codeintel/internal/platform/repofile"
	"codeintel/internal/project"
	"codeintel/internal/session/rules"
	"codeintel/internal/trust"
	"codeintel/internal/verify"
)

// A Guide is a text of the project that tells agents what to do, if the user wrote or
// trusts it.
type Guide struct {
	File    string // from the root
	Content []byte // what trust is in
	State   trust.State
}

// Guides returns the texts of a project that tell agents what to do: its contract of the
// phases, its prompts, verifiers without a command, and its rules. What cannot be read is
// left out, and is not followed either.
func Guides(p *project.Project) (all []Guide) {
	texts := trust.NewTexts(p.Root)
	add := func(file string, content []byte) {
		if len(content) > 0 {
			all = append(all, Guide{file, content, texts.State(file, content)})
		}
	}
	for _, pattern := range []string{"phase_contract.yml", "task_planning.md", "user_escalation.md",
		"doc_research/*.md", "interventions/*.md", "review_prompts/*.md"} {
		folder := path.Dir(pattern)
		for _, name := range repofile.At(p.Path(folder)).Match(path.Base(pattern)) {
			if data, err := repofile.At(p.Path(folder, filepath.Base(name))).Read(repofile.Settings); err == nil {
				add(path.Join(project.Dir, folder, filepath.Base(name)), data)
			}
		}
	}
	verifiers, _ := verify.Load(p) // what is broken is not used
	for _, v := range verifiers {
		if len(v.Command) == 0 {
			add(v.File(), v.Content)
		}
	}
	if r, err := rules.Load(p); err == nil {
		add(r.From, r.Text)
	}
	return all
}
