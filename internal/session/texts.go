package session

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v3"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session/slashcmd"
	"codeintel/internal/workflow/phase"
)

//go:embed instructions
var instructions embed.FS

// texts are the words of the contract: the built-in instructions, and what the
// project lays over them.
type texts struct {
	project *project.Project
	lang    string
	overlay map[phase.ID]overlay
	broken  msg.Message // why phase_contract.yml is not used; empty if it is, or is not there
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

func loadTexts(p *project.Project, table *phase.Table[Contract]) (texts, error) {
	t := texts{project: p, lang: "en"}
	if _, err := fs.Stat(instructions, "instructions/"+p.Config.Lang); err == nil && p.Config.Lang != "" {
		t.lang = p.Config.Lang
	}
	for _, id := range table.IDs() {
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
	if t.overlay, err = parseOverlay(data, table); err != nil {
		t.overlay, t.broken = nil, msg.New("session.code_intel_phase_contract_yml", err)
	}
	return t, nil
}

// parseOverlay reads a project's contract. All that is wrong is told at once.
func parseOverlay(data []byte, table *phase.Table[Contract]) (map[phase.ID]overlay, error) {
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
		if !slices.Contains(table.IDs(), id) {
			errs = append(errs, fmt.Errorf("there is no phase %s", id))
		}
		for _, tool := range o.RequiredTools {
			if !slices.Contains(exploring, tool) && tool != string(op.ReviewChanges) && tool != string(op.CheckWriteTarget) {
				errs = append(errs, fmt.Errorf("%s: required_tools: there is no tool %q to require", id, tool))
			}
		}
	}
	return doc.Phases, errors.Join(errs...)
}

func (t texts) builtIn(id phase.ID) (string, error) {
	data, err := instructions.ReadFile("instructions/" + t.lang + "/" + string(id) + ".md")
	if errors.Is(err, fs.ErrNotExist) {
		data, err = instructions.ReadFile("instructions/en/" + string(id) + ".md")
	}
	return strings.TrimSpace(string(data)), err
}

// instruction is what the model is told to do in the phase.
func (t texts) instruction(id phase.ID) string {
	text, _ := t.builtIn(id) // loadTexts saw to it that it is there
	o := t.overlay[id]
	if o.Instruction != "" {
		text = strings.TrimSpace(o.Instruction)
	}
	if o.Append != "" {
		text += "\n" + strings.TrimSpace(o.Append)
	}
	return text
}

// requirement is what the phase requires, by the table and by the project.
func (t texts) requirement(id phase.ID, r Requirement) Requirement {
	r.Tools = append(slices.Clone(r.Tools), t.overlay[id].RequiredTools...)
	return r
}

// maxPrompt is how much of one prompt file goes into an answer, in bytes.
const maxPrompt = 6000

// prompt returns a prompt file of .code-intel, or nothing if it is not there.
func (t texts) prompt(elem ...string) (string, error) {
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

// prompts returns every prompt file of a folder of .code-intel.
func (t texts) prompts(folder string) ([]Prompt, error) {
	var all []Prompt
	for _, f := range repofile.At(t.project.Path(folder)).Match("*.md") {
		text, err := t.prompt(folder, filepath.Base(f))
		if err != nil {
			return nil, err
		}
		all = append(all, Prompt{filepath.Base(f), text})
	}
	return all, nil
}

// research returns the prompts that guide document research: those that the
// flags name, else those of context.yml.
func (t texts) research(named, standard []string) (string, error) {
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
		text, err := t.prompt("doc_research", name)
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

// documents returns the documents in the folders that context.yml names.
func (s *Service) documents() ([]string, error) {
	c, err := s.project.LoadContext()
	if err != nil {
		return nil, err
	}
	var docs []string
	for _, dir := range c.DocResearch.DocsPath {
		rel, err := s.project.Resolve(dir)
		if err != nil {
			return nil, err
		}
		found, err := doublestar.Glob(os.DirFS(s.project.Abs(rel)), "**/*.{md,txt,rst,adoc}", doublestar.WithFilesOnly(),
			doublestar.WithNoFollow())
		if err != nil {
			return nil, fmt.Errorf("documents in %s: %w", dir, err)
		}
		for _, f := range found {
			docs = append(docs, filepath.ToSlash(filepath.Join(rel, f)))
		}
	}
	slices.Sort(docs)
	return docs, nil
}
