// Package setup creates the folder .code-intel in a user's project.
//
// It writes what is missing and keeps what the user has: a second run changes nothing, and
// edits stay. A file that is still exactly as this program would have written it counts as
// not edited, and is updated when the language or the proposal changes. It runs no commands
// and only proposes them.
package setup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/project"
)

// Options say how to lay out.
type Options struct {
	Langs  []string // languages of the prompts, "en" or "ja"; the first is the project's; none: English, or what config.json says
	DryRun bool     // only say what would be written
}

// An Action says what was done, or would be done, with a file.
type Action string

// The actions.
const (
	Created Action = "created"
	Kept    Action = "kept"
	Updated Action = "updated"
)

// A File is one line of a report.
type File struct {
	Path   string      `json:"path"` // relative to the root; folders end in "/"
	Action Action      `json:"action"`
	Note   msg.Message `json:"note,omitzero"`
}

// A Report says what Init did, or would do.
type Report struct {
	Root      string     `json:"root"`
	DryRun    bool       `json:"dry_run,omitempty"`
	Files     []File     `json:"files"`
	Verifiers []Proposal `json:"verifiers"` // the first went into verifiers/backend.md
}

// Init lays out .code-intel in the project whose root is root. What is in the way
// (a folder where a file belongs, a link that leads outside) ends it before
// anything is written.
func Init(ctx context.Context, root string, o Options) (Report, error) {
	langs, err := languages(o.Langs)
	if err != nil {
		return Report{}, err
	}
	p, err := project.OpenRoot(root)
	if err != nil {
		return Report{}, err
	}
	in := findExisting(p.Root)
	in.chosen = len(langs) > 0
	if !in.chosen {
		langs = []string{p.Config.Lang}
	}
	r := Report{Root: p.Root, DryRun: o.DryRun, Verifiers: in.proposals}
	if r.Verifiers == nil {
		r.Verifiers = []Proposal{}
	}
	want, err := layout(in, langs)
	if err != nil {
		return Report{}, err
	}
	for i := range want {
		if err := compare(p, &want[i]); err != nil {
			return Report{}, err
		}
	}
	for _, w := range want {
		if err := ctx.Err(); err != nil {
			return r, err
		}
		if !o.DryRun {
			if err := w.write(p); err != nil {
				return r, err
			}
		}
		r.Files = append(r.Files, File{w.path, w.action, w.note})
	}
	return r, nil
}

// A wanted is a file or folder of the layout.
type wanted struct {
	path   string                   // ends in "/" if a folder
	text   []byte                   // of a file
	before func() ([]former, error) // what may have been written there; nil: nothing

	action Action
	note   msg.Message
}

// A former is a text that this program may have written before, and the one that
// takes its place.
type former struct{ text, now []byte }

// compare finds out what is to be done with w.
func compare(p *project.Project, w *wanted) error {
	rel, err := p.Resolve(w.path)
	if err != nil {
		return err
	}
	info, err := os.Stat(p.Abs(rel))
	if errors.Is(err, fs.ErrNotExist) {
		w.action = Created
		return nil
	}
	if err != nil {
		return fmt.Errorf("setup: %w", err)
	}
	w.action = Kept
	if strings.HasSuffix(w.path, "/") != info.IsDir() || !info.IsDir() && !info.Mode().IsRegular() {
		return inTheWay(w.path, info)
	}
	if info.IsDir() {
		return nil
	}
	have, err := repofile.In(p.Root, rel).Read(repofile.Settings)
	if err != nil {
		return fmt.Errorf("setup: %w", err)
	}
	if bytes.Equal(have, w.text) {
		return nil
	}
	former, err := w.formerText(have)
	switch {
	case err != nil:
		return err
	case former != nil && bytes.Equal(former.now, have):
	case former != nil:
		w.action, w.note, w.text = Updated, msg.New("setup.as_the_program_wrote_it"), former.now
	case w.path == ignoreFile:
		if missing := missingLines(have, w.text); len(missing) > 0 {
			w.action, w.note = Updated, msg.New("setup.lines_added", msg.Listed(" ", missing))
			w.text = appendLines(have, missing)
		}
	default:
		w.note = msg.New("setup.edited")
	}
	return nil
}

// formerText returns the text that have is, if this program has written it.
func (w *wanted) formerText(have []byte) (*former, error) {
	if w.before == nil {
		return nil, nil
	}
	all, err := w.before()
	if err != nil {
		return nil, fmt.Errorf("setup: %w", err)
	}
	for _, f := range all {
		if bytes.Equal(f.text, have) {
			return &f, nil
		}
	}
	return nil, nil
}

func (w *wanted) write(p *project.Project) error {
	if w.action == Kept {
		return nil
	}
	if strings.HasSuffix(w.path, "/") {
		if err := repofile.In(p.Root, strings.TrimSuffix(w.path, "/")).MakeFolder(0o755); err != nil {
			return fmt.Errorf("setup: %w", err)
		}
		return nil
	}
	return p.WriteFile(w.path, w.text)
}

// missingLines returns the patterns of want that have does not hold, in any form.
func missingLines(have, want []byte) (missing []string) {
	held := make(map[string]bool)
	for line := range strings.Lines(string(have)) {
		held[strings.Trim(strings.TrimSpace(line), "/")] = true
	}
	for line := range strings.Lines(string(want)) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") && !held[strings.Trim(line, "/")] {
			missing = append(missing, line)
		}
	}
	return missing
}

func appendLines(text []byte, lines []string) []byte {
	text = slices.Clone(text)
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	return append(text, strings.Join(lines, "\n")+"\n"...)
}
