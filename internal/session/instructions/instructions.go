// Package instructions is what a phase tells the model to do: the built-in text in the
// language of the project, what the project lays over it in phase_contract.yml, and the
// prompts in the folders of .code-intel.
package instructions

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session/slashcmd"
	"codeintel/internal/workflow/phase"
)

//go:embed en ja
var builtIn embed.FS

// Texts are the words of the contract: the built-in instructions, and what the
// project lays over them.
type Texts struct {
	Broken  msg.Message // why phase_contract.yml is not used; empty if it is, or is not there
	project *project.Project
	lang    string
	overlay map[phase.ID]overlay
}

// overlay is what .code-intel/phase_contract.yml may say of one phase:
//
//	phases:
//	  EXPLORATION:
//	    instruction: replaces the built-in one
//	    append: is added to the end of it
//	    required_tools: [find_references]   # in addition to the built-in ones
type overlay struct {
	Instruction   string   `yaml:"instruction"`
	Append        string   `yaml:"append"`
	RequiredTools []string `yaml:"required_tools"`
}

// Load reads the texts of a project for the phases. Of the tools that can be required, it
// may require more than the phases do.
func Load(p *project.Project, phases []phase.ID, tools []string) (Texts, error) {
	t := Texts{project: p, lang: "en"}
	if _, err := fs.Stat(builtIn, p.Config.Lang); err == nil && p.Config.Lang != "" {
		t.lang = p.Config.Lang
	}
	for _, id := range phases {
		if _, err := t.builtIn(id); err != nil {
			return t, err
		}
	}
	data, err := repofile.At(p.Path("phase_contract.yml")).Read(repofile.Settings)
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err != nil {
		return t, fmt.Errorf("phase contract: %w", err)
	}
	if t.overlay, err = parseOverlay(data, phases, tools); err != nil {
		t.overlay, t.Broken = nil, msg.New("session.code_intel_phase_contract_yml", err)
	}
	return t, nil
}

// parseOverlay reads a project's contract. All that is wrong is told at once.
func parseOverlay(data []byte, phases []phase.ID, tools []string) (map[phase.ID]overlay, error) {
	var doc struct {
		Phases map[phase.ID]overlay `yaml:"phases"`
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	if err := dec.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	var errs []error
	for _, id := range slices.Sorted(maps.Keys(doc.Phases)) {
		o := doc.Phases[id]
		if !slices.Contains(phases, id) {
			errs = append(errs, fmt.Errorf("there is no phase %s", id))
		}
		for _, tool := range o.RequiredTools {
			if !slices.Contains(tools, tool) {
				errs = append(errs, fmt.Errorf("%s: required_tools: there is no tool %q to require", id, tool))
			}
		}
	}
	return doc.Phases, errors.Join(errs...)
}

func (t Texts) builtIn(id phase.ID) (string, error) {
	data, err := builtIn.ReadFile(t.lang + "/" + string(id) + ".md")
	if errors.Is(err, fs.ErrNotExist) {
		data, err = builtIn.ReadFile("en/" + string(id) + ".md")
	}
	return strings.TrimSpace(string(data)), err
}

// Of is what the model is told to do in the phase.
func (t Texts) Of(id phase.ID) string {
	text, _ := t.builtIn(id) // Load saw to it that it is there
	o := t.overlay[id]
	if o.Instruction != "" {
		text = strings.TrimSpace(o.Instruction)
	}
	if o.Append != "" {
		text += "\n" + strings.TrimSpace(o.Append)
	}
	return text
}

// Requires are the tools that the project requires in the phase besides the built-in ones.
func (t Texts) Requires(id phase.ID) []string { return t.overlay[id].RequiredTools }

// maxPrompt is how much of one prompt file goes into an answer, in bytes.
const maxPrompt = 6000

// Prompt returns a prompt file of .code-intel, or nothing if it is not there.
func (t Texts) Prompt(elem ...string) (string, error) {
	file := t.project.Path(elem...)
	data, err := repofile.At(file).Read(repofile.Settings)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("prompt: %w", err)
	}
	if text := strings.ToValidUTF8(string(data), "�"); len(text) > maxPrompt {
		return strings.ToValidUTF8(text[:maxPrompt], "") + fmt.Sprintf("\n… (the rest is in .code-intel/%s)",
			filepath.ToSlash(filepath.Join(elem...))), nil
	} else {
		return strings.TrimSpace(text), nil
	}
}

// A Prompt is a file of the project that instructs the model.
type Prompt struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Prompts returns every prompt file of a folder of .code-intel.
func (t Texts) Prompts(folder string) ([]Prompt, error) {
	var all []Prompt
	for _, f := range repofile.At(t.project.Path(folder)).Match("*.md") {
		text, err := t.Prompt(folder, filepath.Base(f))
		if err != nil {
			return nil, err
		}
		all = append(all, Prompt{filepath.Base(f), text})
	}
	return all, nil
}

// Research returns the prompts that guide document research: those that the
// flags name, else those of context.yml.
func (t Texts) Research(named, standard []string) (string, error) {
	strict := len(named) > 0
	if !strict {
		named = standard
	}
	var parts []string
	for _, name := range named {
		if filepath.Ext(name) == "" {
			name += ".md"
		}
		if filepath.Base(name) != name {
			return "", problem.New(slashcmd.UnknownFlag, "session.doc_research_names_no_file", name).
				Or("session.name_file_alone")
		}
		text, err := t.Prompt("doc_research", name)
		if err != nil {
			return "", err
		}
		if text == "" && strict {
			return "", problem.New(slashcmd.UnknownFlag, "session.no_code_intel_doc_research", name).
				Or("session.name_file_leave_doc_research")
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n\n"), nil
}
