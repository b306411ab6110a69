package setup

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"text/template"

	"codeintel/internal/problem"
	"codeintel/internal/project"
)

// The templates: one folder for each language, and the ignore file.
//
//go:embed templates
var embedded embed.FS

// known are the languages there are templates for.
var known = []string{"en", "ja"}

const ignoreFile = project.Dir + "/.gitignore"

// folders are those of the layout, with and without files in them.
var folders = []string{
	"", "agreements/", "doc_research/", "interventions/", "logs/", "review_prompts/", "sessions/", "verifiers/",
}

// backendGlobs are the files that verifiers/backend.md is for: code that has no
// face. What has one is for html_css.md.
var backendGlobs = []string{
	"**/*.go", "**/*.py", "**/*.js", "**/*.mjs", "**/*.cjs", "**/*.ts", "**/*.mts", "**/*.php", "**/*.rb", "**/*.java",
	"**/*.kt", "**/*.rs", "**/*.c", "**/*.h", "**/*.cc", "**/*.cpp", "**/*.hpp", "**/*.cs", "**/*.swift", "**/*.scala",
	"**/*.sh", "**/*.sql", "**/go.mod",
}

// languages checks the languages asked for. Commas separate, too.
func languages(asked []string) (langs []string, err error) {
	for _, a := range asked {
		for lang := range strings.SplitSeq(a, ",") {
			lang = strings.ToLower(strings.TrimSpace(lang))
			switch {
			case lang == "" || slices.Contains(langs, lang):
			case slices.Contains(known, lang):
				langs = append(langs, lang)
			default:
				return nil, problem.New(problem.InvalidArgument, "project.no_prompts", lang).
					Or("project.choose_from", strings.Join(known, ", "))
			}
		}
	}
	return langs, nil
}

func inTheWay(path string, info fs.FileInfo) error {
	kind := "a file"
	switch {
	case info.IsDir():
		kind = "a folder"
	case !info.Mode().IsRegular():
		kind = "a special file"
	}
	return problem.New(problem.InvalidArgument, "project.is_in_the_way", path, kind).
		Or("project.move_then_run_init_again")
}

// layout returns all that belongs in the project, with the files in the first
// language and, where they are prompts, in the others below.
func layout(in findings, langs []string) ([]wanted, error) {
	var all []wanted
	for _, f := range folders {
		all = append(all, wanted{path: path.Join(project.Dir, f) + "/"})
	}
	ignore, err := embedded.ReadFile("templates/gitignore")
	if err != nil {
		return nil, fmt.Errorf("setup: %w", err)
	}
	config := wanted{path: project.Dir + "/config.json"}
	if config.text, err = configText(langs[0]); err != nil {
		return nil, err
	}
	config.before = func() (all []former, err error) {
		for _, lang := range known {
			text, err := configText(lang)
			if err != nil {
				return nil, err
			}
			now := text
			if in.chosen {
				now = config.text
			}
			all = append(all, former{text, now})
		}
		return all, nil
	}
	all = append(all, wanted{path: ignoreFile, text: ignore}, config)
	root := "templates/" + langs[0]
	err = fs.WalkDir(embedded, root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name := strings.TrimPrefix(file, root+"/")
		w := wanted{path: path.Join(project.Dir, name)}
		if name == "CLAUDE.md" {
			if in.claude != "" {
				return nil
			}
			w.path = ".claude/CLAUDE.md"
		}
		if w.text, err = in.render(name, langs); err != nil {
			return err
		}
		w.before = func() ([]former, error) { return in.formerTexts(name, langs) }
		all = append(all, w)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("setup: %w", err)
	}
	return all, nil
}

// configText returns the text of config.json. Nothing in it narrows what is searched.
func configText(lang string) ([]byte, error) {
	c := project.Defaults()
	c.Lang = lang
	return project.EncodeConfig(c)
}

// formerTexts returns what this program may have written as name: in each choice of
// languages, with the proposal of today and with none, for each file of rules. The
// languages stay as they were unless others were chosen; the rules always do.
func (in findings) formerTexts(name string, langs []string) (all []former, err error) {
	for _, before := range [][]string{{"en"}, {"ja"}, {"en", "ja"}, {"ja", "en"}} {
		after := before
		if in.chosen {
			after = langs
		}
		for _, rules := range slices.Concat([]string{in.rules}, project.RuleFiles) {
			then := in
			then.rules = rules
			now, err := then.render(name, after)
			if err != nil {
				return nil, err
			}
			for _, proposals := range [][]Proposal{in.proposals, nil} {
				then.proposals = proposals
				text, err := then.render(name, before)
				if err != nil {
					return nil, err
				}
				all = append(all, former{text, now})
			}
			if name != "context.yml" {
				break // the rules are in no other
			}
		}
	}
	return all, nil
}

// render returns the file in the languages: a prompt in all of them, one below
// the other under the front matter of the first, settings in the first.
func (in findings) render(name string, langs []string) ([]byte, error) {
	var b bytes.Buffer
	for i, lang := range langs {
		text, err := in.renderOne("templates/" + lang + "/" + name)
		if err != nil {
			return nil, err
		}
		switch {
		case i == 0:
		case path.Ext(name) != ".md":
			continue
		default:
			text = withoutFrontMatter(text)
			b.WriteString("\n")
		}
		b.Write(text)
	}
	if name != "context.yml" {
		return b.Bytes(), nil
	}
	return project.EditContext(b.Bytes(), project.ContextUpdate{Source: &in.rules})
}

func (in findings) renderOne(file string) ([]byte, error) {
	t, err := template.ParseFS(embedded, file)
	if err != nil {
		return nil, err
	}
	data := struct {
		BackendGlobs         []string
		Command, CommandLine string
		Because, Rules       string
		Others               []struct{ Command, Because string }
	}{BackendGlobs: backendGlobs, Rules: in.otherRules}
	for i, p := range in.proposals {
		argv, err := list(p.Command)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			data.Command, data.CommandLine, data.Because = argv, strings.Join(p.Command, " "), p.Because
			continue
		}
		data.Others = append(data.Others, struct{ Command, Because string }{argv, p.Because})
	}
	var b bytes.Buffer
	err = t.Execute(&b, data)
	return b.Bytes(), err
}

// list writes words as a list in JSON, which is one in YAML, too.
func list(words []string) (string, error) {
	quoted := make([]string, len(words))
	for i, w := range words {
		q, err := json.Marshal(w)
		if err != nil {
			return "", err
		}
		quoted[i] = string(q)
	}
	return "[" + strings.Join(quoted, ", ") + "]", nil
}

func withoutFrontMatter(text []byte) []byte {
	if rest, ok := bytes.CutPrefix(text, []byte("---\n")); ok {
		if _, body, ok := bytes.Cut(rest, []byte("\n---\n")); ok {
			return body
		}
	}
	return text
}
