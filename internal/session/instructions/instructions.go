// Package instructions assembles the instruction that a model gets in a phase: the built-in text in the
// language of the project, the overrides in phase_contract.yml, and the prompts in the folders of
// .code-intel.
package instructions

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session/codecommand"
	"codeintel/internal/trust"
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
	data    []byte // of phase_contract.yml
	trust   *trust.Texts
}

// ContractFile is what the project lays over the built-in instructions.
const ContractFile = project.Dir + "/phase_contract.yml"

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
	t := Texts{project: p, lang: "en", trust: trust.NewTexts(p.Root)}
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
	t.data = data
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
	var errs []string
	for _, id := range slices.Sorted(maps.Keys(doc.Phases)) {
		o := doc.Phases[id]
		if !slices.Contains(phases, id) {
			errs = append(errs, fmt.Sprintf("there is no phase %s", id))
		}
		for _, tool := range o.RequiredTools {
			if !slices.Contains(tools, tool) {
				errs = append(errs, fmt.Sprintf("%s: required_tools: there is no tool %q to require", id, tool))
			}
		}
	}
	if len(errs) > 0 {
		return nil, errors.New(strings.Join(errs, "; "))
	}
	return doc.Phases, nil
}

func (t Texts) builtIn(id phase.ID) (string, error) {
	data, err := builtIn.ReadFile(t.lang + "/" + string(id) + ".md")
	if errors.Is(err, fs.ErrNotExist) {
		data, err = builtIn.ReadFile("en/" + string(id) + ".md")
	}
	return strings.TrimSpace(string(data)), err
}

// overlayOf is what the project says of a phase, nothing while it may not.
func (t Texts) overlayOf(id phase.ID) overlay {
	if o, ok := t.overlay[id]; ok && t.May(ContractFile, t.data) {
		return o
	}
	return overlay{}
}

// ContractLeft reports whether there is a contract that is left out.
func (t Texts) ContractLeft() bool { return len(t.overlay) > 0 && !t.May(ContractFile, t.data) }

// May reports whether the user wrote or trusts a text of the project.
func (t Texts) May(file string, content []byte) bool { return t.trust.May(file, content) }

// Vouch notes that the user trusts a text, unless it may be followed anyway.
func (t Texts) Vouch(file string, content []byte) error { return t.trust.Vouch(file, content) }

// Of is what the model is told to do in the phase.
func (t Texts) Of(id phase.ID) string {
	text, _ := t.builtIn(id) // Load saw to it that it is there
	o := t.overlayOf(id)
	if o.Instruction != "" {
		text = strings.TrimSpace(o.Instruction)
	}
	if o.Append != "" {
		text += "\n" + strings.TrimSpace(o.Append)
	}
	return text
}

// Requires are the tools that the project requires in the phase besides the built-in ones.
func (t Texts) Requires(id phase.ID) []string { return t.overlayOf(id).RequiredTools }

// maxPrompt is how much of one prompt file goes into an answer, in bytes.
const maxPrompt = 6000

// A Source is a text of the project that may become part of an instruction.
type Source struct {
	File string // from the root; "" if there is none
	Text string
	Left bool // it is there, but nobody here wrote or trusted it
}

// Prompt returns a prompt file of .code-intel.
func (t Texts) Prompt(elem ...string) (Source, error) {
	data, err := repofile.At(t.project.Path(elem...)).Read(repofile.Settings)
	if errors.Is(err, fs.ErrNotExist) {
		return Source{}, nil
	}
	if err != nil {
		return Source{}, fmt.Errorf("prompt: %w", err)
	}
	src := Source{File: path.Join(project.Dir, path.Join(elem...))}
	if src.Left = !t.May(src.File, data); src.Left {
		return src, nil
	}
	text := strings.ToValidUTF8(string(data), "�")
	if src.Text = strings.TrimSpace(text); len(text) > maxPrompt {
		src.Text = strings.ToValidUTF8(text[:maxPrompt], "") + fmt.Sprintf("\n… (the rest is in %s)", src.File)
	}
	return src, nil
}

// A Prompt is a file of the project that instructs the model.
type Prompt struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Prompts returns every prompt file of a folder of .code-intel.
func (t Texts) Prompts(folder string) (all []Source, err error) {
	for _, f := range repofile.At(t.project.Path(folder)).Match("*.md") {
		src, err := t.Prompt(folder, filepath.Base(f))
		if err != nil {
			return nil, err
		}
		all = append(all, src)
	}
	return all, nil
}

// Research returns the prompts that guide document research: those that the
// flags name, else those of context.yml.
func (t Texts) Research(named, standard []string) (parts []Source, err error) {
	strict := len(named) > 0
	if !strict {
		named = standard
	}
	for _, name := range named {
		if filepath.Ext(name) == "" {
			name += ".md"
		}
		if filepath.Base(name) != name {
			return nil, problem.New(codecommand.UnknownFlag, "session.doc_research_names_no_file", name).
				Or("session.name_file_alone")
		}
		src, err := t.Prompt("doc_research", name)
		if err != nil {
			return nil, err
		}
		if src.Text == "" && !src.Left && strict {
			return nil, problem.New(codecommand.UnknownFlag, "session.no_code_intel_doc_research", name).
				Or("session.name_file_leave_doc_research")
		}
		parts = append(parts, src)
	}
	return parts, nil
}
