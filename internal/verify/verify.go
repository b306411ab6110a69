// Package verify reads and runs a project's verifiers, the commands and prompts by which a finished change is
// checked.
//
// A verifier is a Markdown file in .code-intel/verifiers. Its front matter says for which files
// it is (globs) and may name a command; its body is a prompt for the model. This package reads
// verifiers, selects them and runs their commands. Whether a command may run is the user's
// decision, and the caller has to ask: see package trust.
package verify

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/search/textmatch"
	"codeintel/internal/text/glob"
)

// badVerifier is the code of a verifier file that cannot be read.
const badVerifier problem.Code = "invalid_verifier"

// A Verifier is one file of .code-intel/verifiers.
type Verifier struct {
	Name    string        // file name without .md
	Globs   []string      // files it is for; none: the files that no other is for
	Command []string      // argument vector; none: the body is a prompt for the model
	Timeout time.Duration // of the command; zero: [defaultTimeout]
	Expect  Expect
	Body    string
	Content []byte // the whole file: trust is in exactly these bytes
}

// Expect is the result that the command must have.
type Expect struct {
	Exit   int    `yaml:"exit"`
	Output string `yaml:"output"` // regular expression that the output must match; empty: any
}

// File returns the path of the verifier, relative to the root of its project.
func (v Verifier) File() string { return project.Dir + "/verifiers/" + v.Name + ".md" }

// maxFile is how long a verifier file may be. Its body goes into an answer.
const maxFile = 64 << 10

// Load reads the project's verifiers, sorted by name. A file that cannot be read
// is a Problem that names it, and the others are returned all the same; a project
// without the folder has none.
func Load(p *project.Project) ([]Verifier, error) {
	dir := p.Path("verifiers")
	entries, err := repofile.At(dir).List()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("verifiers: %w", err)
	}
	var all []Verifier
	var broken error
	for _, e := range entries {
		if e.IsDir() || path.Ext(e.Name()) != ".md" {
			continue
		}
		v, err := read(filepath.Join(dir, e.Name()))
		if err != nil {
			broken = errors.Join(broken, problem.New(badVerifier, "verify.code_intel_verifiers", e.Name(), err).
				Or("verify.fix_file_front_matter_globs"))
			continue
		}
		all = append(all, v)
	}
	return all, broken
}

func read(file string) (Verifier, error) {
	f, _, err := repofile.At(file).Open()
	if err != nil {
		return Verifier{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return Verifier{}, err
	}
	if len(data) > maxFile {
		return Verifier{}, msg.Err("verify.too_long", maxFile)
	}
	return Parse(strings.TrimSuffix(filepath.Base(file), ".md"), data)
}

// Parse reads one verifier file. Without front matter it is all body.
func Parse(name string, data []byte) (Verifier, error) {
	v := Verifier{Name: name, Content: data}
	head, body, ok := frontMatter(data)
	v.Body = strings.TrimSpace(string(body))
	if !ok {
		return v, nil
	}
	var fields struct {
		Globs   []string `yaml:"globs"`
		Command []string `yaml:"command"`
		Timeout string   `yaml:"timeout"`
		Expect  Expect   `yaml:"expect"`
	}
	dec := yaml.NewDecoder(bytes.NewReader(head))
	dec.KnownFields(true)
	if err := dec.Decode(&fields); err != nil && !errors.Is(err, io.EOF) {
		return Verifier{}, msg.Err("verify.front_matter", err)
	}
	v.Globs, v.Command, v.Expect = fields.Globs, fields.Command, fields.Expect
	for _, g := range v.Globs {
		if !glob.Valid(g) {
			return Verifier{}, msg.Err("verify.malformed_glob", g)
		}
	}
	if len(v.Command) > 0 && strings.TrimSpace(v.Command[0]) == "" {
		return Verifier{}, msg.Err("verify.no_program")
	}
	if _, err := textmatch.OfAFile(v.Expect.Output); err != nil {
		return Verifier{}, msg.Err("verify.expect_output", err)
	}
	if fields.Timeout != "" {
		d, err := time.ParseDuration(fields.Timeout)
		if err != nil || d <= 0 {
			return Verifier{}, msg.Err("verify.timeout", fields.Timeout)
		}
		v.Timeout = d
	}
	return v, nil
}

// frontMatter splits a file at its two lines of "---".
func frontMatter(data []byte) (head, body []byte, ok bool) {
	data = bytes.ReplaceAll(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), []byte("\r\n"), []byte("\n"))
	rest, ok := bytes.CutPrefix(data, []byte("---\n"))
	if !ok {
		return nil, data, false
	}
	if body, ok := bytes.CutPrefix(rest, []byte("---\n")); ok {
		return nil, body, true
	}
	head, body, ok = bytes.Cut(rest, []byte("\n---\n"))
	if !ok {
		if head, ok = bytes.CutSuffix(rest, []byte("\n---")); !ok {
			return nil, data, false
		}
	}
	return head, body, true
}

// A Choice is a verifier together with the changed files that it is chosen for.
type Choice struct {
	Verifier
	Files []string
	Base  *Base // on which other files it runs; nil: on those of the project
}

// Choose returns the verifiers for the changed files. A verifier without globs
// is for the files that no other one is for.
func Choose(all []Verifier, changed []string) []Choice {
	var chosen []Choice
	claimed := make(map[string]bool)
	for _, v := range all {
		if len(v.Globs) == 0 {
			continue
		}
		if files := matching(v.Globs, changed); len(files) > 0 {
			chosen = append(chosen, Choice{Verifier: v, Files: files})
			for _, f := range files {
				claimed[f] = true
			}
		}
	}
	rest := slices.DeleteFunc(slices.Clone(changed), func(f string) bool { return claimed[f] })
	for _, v := range all {
		if len(v.Globs) == 0 && len(rest) > 0 {
			chosen = append(chosen, Choice{Verifier: v, Files: rest})
		}
	}
	return chosen
}

func matching(globs, files []string) (matched []string) {
	for _, f := range files {
		for _, g := range globs {
			if glob.Match(g, f) || !strings.Contains(g, "/") && glob.Match(g, path.Base(f)) {
				matched = append(matched, f)
				break
			}
		}
	}
	return matched
}
