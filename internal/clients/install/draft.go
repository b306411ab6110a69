package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"codeintel/internal/clients/jsonedit"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/text"
)

// A draft is one file on the way from what it is to what it is to be.
type draft struct {
	plan   *Plan
	path   string
	target string // where it really lies
	before []byte // nil: there is none
	text   []byte
}

// anyOf reports whether any part of the entries is in the file, in whatever form.
func (d *draft) anyOf(entries []Entry) (bool, error) {
	if d.before == nil {
		return false, nil
	}
	for _, e := range entries {
		switch e.Kind {
		case Member:
			if have, err := d.get(e.At...); err != nil ||
				have != nil && !e.AnyValue && (!e.OnRequest || e.mentioned(have)) {
				return true, err
			}
		case Element:
			all, err := jsonedit.Elements(d.text, e.At...)
			if err != nil || slices.ContainsFunc(all, e.mentioned) {
				return true, d.broken(err)
			}
		case Block:
			if bytes.Contains(d.text, []byte(blockBegin)) {
				return true, nil
			}
		case Whole:
			return true, nil
		}
	}
	return false, nil
}

// read begins a draft. A file of a project that lies elsewhere is refused: who set up
// the project is not who owns that file.
func (p *Plan) read(file string) (*draft, error) {
	d := &draft{plan: p, path: file, target: file}
	if p.place.Scope == Project && p.place.Plugin == "" {
		at := &project.Project{Root: p.place.Root}
		rel, err := at.Resolve(file)
		if err != nil {
			return nil, err
		}
		d.target = at.Abs(rel)
	} else if real, err := filepath.EvalSymlinks(file); err == nil {
		d.target = real
	}
	info, err := os.Stat(d.target)
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	if err != nil {
		return nil, fmt.Errorf("install: %e", err)
	}
	if !info.Mode().IsRegular() {
		return nil, problem.New(Unreadable, "install.not_a_file", file).Or("install.move_it")
	}
	if d.before, err = repofile.At(d.target).Read(repofile.Records); err != nil {
		return nil, fmt.Errorf("install: %e", err)
	}
	if d.before == nil {
		d.before = []byte{}
	}
	d.text = d.before
	return d, nil
}

// install adds an entry.
func (d *draft) install(e Entry) error {
	switch e.Kind {
	case Member:
		return d.putMember(e)
	case Element:
		return d.putElement(e)
	case Block:
		return d.putBlock(e)
	}
	return d.putWhole(e)
}

// uninstall removes an entry.
func (d *draft) uninstall(e Entry) error {
	if d.before == nil {
		d.plan.memory.forget(d.path)
		return nil
	}
	switch e.Kind {
	case Member:
		return d.takeMember(e)
	case Element:
		return d.takeElement(e)
	case Block:
		return d.takeBlock(e)
	}
	return d.takeWhole(e)
}

func (d *draft) get(at ...string) ([]byte, error) {
	v, err := jsonedit.Get(d.text, at...)
	return v, d.broken(err)
}

// broken makes a Problem of an error about a file.
func (d *draft) broken(err error) error {
	if err == nil {
		return nil
	}
	return problem.New(Unreadable, "install.cannot_edit", d.path, err).Or("install.fix_file")
}

func (d *draft) putMember(e Entry) error {
	have, err := d.get(e.At...)
	if err != nil {
		return err
	}
	if have == nil {
		if other, err := d.elsewhere(e); other != "" || err != nil {
			d.plan.note(other, "install.would_overrule", strings.Join(e.At, "."), d.path)
			return err
		}
		return d.add(e, jsonedit.Put, e.At)
	}
	if e.AnyValue || canonical(have) == canonical(e.value(d.plan.place.Program)) {
		return nil
	}
	if !d.written(e, have) {
		d.plan.note(d.path, "install.member_differs", strings.Join(e.At, "."))
		return nil
	}
	return d.add(e, jsonedit.Put, e.At)
}

// elsewhere returns the file that already contains the entry, of those that
// go before.
func (d *draft) elsewhere(e Entry) (string, error) {
	for _, file := range e.Yields {
		text, err := repofile.At(file).Read(repofile.Records)
		if errors.Is(err, fs.ErrNotExist) || len(bytes.TrimSpace(text)) == 0 && err == nil {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("install: %e", err)
		}
		if have, err := jsonedit.Get(text, e.At...); err != nil || have != nil { // who cannot be read may say anything
			return file, nil
		}
	}
	return "", nil
}

// add puts an entry into the text, and remembers what there was before.
func (d *draft) add(e Entry, put func(text, value []byte, path ...string) ([]byte, error), at []string) error {
	m := d.plan.memory.trace(d.path)
	if m == nil {
		m = d.plan.memory.begin(d.path, d.before)
	}
	for i := range len(at) + 1 {
		inner, empty, err := jsonedit.Blank(d.text, at[:i]...)
		if err != nil {
			return d.broken(err)
		}
		if empty && !slices.Contains(m.Made, pointer(at[:i])) {
			m.Inner[pointer(at[:i])] = inner
		}
		if there, err := d.get(at[:i]...); err != nil {
			return err
		} else if i > 0 && there == nil && !slices.Contains(m.Made, pointer(at[:i])) {
			m.Made = append(m.Made, pointer(at[:i]))
		}
	}
	value := e.value(d.plan.place.Program)
	text, err := put(d.text, value, at...)
	if err != nil {
		return d.broken(err)
	}
	d.text = text
	m.noteWritten(canonical(value))
	return nil
}

func (d *draft) putElement(e Entry) error {
	all, err := jsonedit.Elements(d.text, e.At...)
	if err != nil {
		return d.broken(err)
	}
	changed := false
	for i, have := range all {
		switch {
		case canonical(have) == canonical(e.value(d.plan.place.Program)):
			return nil
		case d.written(e, have):
			return d.add(e, jsonedit.Put, append(slices.Clone(e.At), strconv.Itoa(i)))
		case e.mentioned(have):
			changed = true
		}
	}
	if changed {
		d.plan.note(d.path, "install.hook_differs", strings.Join(e.At, "."))
		return nil
	}
	return d.add(e, jsonedit.Append, e.At)
}

// written reports whether a value is what install has put there: now with another
// program, or in an earlier version.
func (d *draft) written(e Entry, have []byte) bool {
	now := canonical(have)
	if m := d.plan.memory.trace(d.path); m != nil && slices.Contains(m.Wrote, text.Hash(now)) {
		return true
	}
	return slices.ContainsFunc(programs(have), func(p string) bool { return canonical(e.value(p)) == now })
}

// programs returns what in a value may be the path of our program.
func programs(value []byte) (all []string) {
	var v any
	if json.Unmarshal(value, &v) != nil {
		return nil
	}
	var look func(v any)
	look = func(v any) {
		switch v := v.(type) {
		case string:
			command, _, _ := strings.Cut(v, " hook ")
			command = strings.TrimSuffix(command, " statusline")
			command = unquote(command)
			if base := path.Base(strings.ReplaceAll(command, `\`, "/")); strings.TrimSuffix(base, ".exe") == "code-intel" {
				all = append(all, command)
			}
		case []any:
			for _, e := range v {
				look(e)
			}
		case map[string]any:
			for _, e := range v {
				look(e)
			}
		}
	}
	look(v)
	return all
}

func (d *draft) takeMember(e Entry) error {
	have, err := d.get(e.At...)
	if err != nil || have == nil {
		return err
	}
	m := d.plan.memory.trace(d.path)
	if e.AnyValue {
		rest, err := d.get()
		if err != nil {
			return err
		}
		alone := canonical(rest) == canonical(object(e.At[0], e.value("")))
		if m == nil && alone || m != nil && slices.Contains(m.Made, pointer(e.At)) && (alone || m.Existed) {
			return d.remove(e.At)
		}
		return nil
	}
	if canonical(have) != canonical(e.value(d.plan.place.Program)) && !d.written(e, have) {
		if e.OnRequest && !e.mentioned(have) {
			return nil // it was never ours
		}
		d.plan.note(d.path, "install.member_differs_left", strings.Join(e.At, "."))
		return nil
	}
	return d.remove(e.At)
}

func (d *draft) takeElement(e Entry) error {
	all, err := jsonedit.Elements(d.text, e.At...)
	if err != nil {
		return d.broken(err)
	}
	for i := len(all) - 1; i >= 0; i-- {
		switch have := all[i]; {
		case canonical(have) == canonical(e.value(d.plan.place.Program)) || d.written(e, have):
			if err := d.remove(append(slices.Clone(e.At), strconv.Itoa(i))); err != nil {
				return err
			}
		case e.mentioned(have):
			d.plan.note(d.path, "install.hook_differs_left", strings.Join(e.At, "."))
		}
	}
	return nil
}

// remove removes the value at a path, and then each object that install made to hold it,
// if that is empty now.
func (d *draft) remove(at []string) error {
	m := d.plan.memory.trace(d.path)
	for len(at) > 0 {
		over := at[:len(at)-1]
		inner := ""
		if m != nil {
			inner = m.Inner[pointer(over)]
		}
		text, err := jsonedit.Remove(d.text, inner, at...)
		if err != nil {
			return d.broken(err)
		}
		d.text = text
		left, empty, err := jsonedit.Blank(d.text, over...)
		if err != nil {
			return d.broken(err)
		}
		if !empty || strings.TrimSpace(left) != "" || m != nil && len(over) > 0 && !slices.Contains(m.Made, pointer(over)) {
			return nil
		}
		at = over
	}
	// Nothing is left in the file.
	switch {
	case m == nil || !m.Existed:
		d.text = nil
	case m.Blank != nil:
		d.text = []byte(*m.Blank)
	}
	return nil
}

func (d *draft) putWhole(e Entry) error {
	m := d.plan.memory.trace(d.path)
	switch {
	case d.before == nil:
		m = d.plan.memory.begin(d.path, nil)
		d.text = e.Text
	case e.IfMissing:
		if m != nil && len(m.Owners) > 0 { // another client's has come first
			m.addOwner(d.plan.place)
		}
		return nil
	case bytes.Equal(d.before, e.Text):
		if m == nil {
			return nil
		}
	case e.isWholeFile(d.before) || m != nil && slices.Contains(m.Wrote, text.Hash(string(d.before))):
		if m == nil {
			m = d.plan.memory.begin(d.path, d.before)
		}
		d.text = e.Text
	default:
		d.plan.note(d.path, "install.file_differs")
		return nil
	}
	m.noteWritten(string(e.Text))
	m.addOwner(d.plan.place)
	return nil
}

func (d *draft) takeWhole(e Entry) error {
	m := d.plan.memory.trace(d.path)
	if m == nil && e.IfMissing || m != nil && len(m.Owners) == 0 {
		return nil // it is not ours
	}
	if m != nil && m.removeOwner(d.plan.place) {
		return nil // another client needs it
	}
	if !bytes.Equal(d.before, e.Text) && !e.isWholeFile(d.before) && (m == nil ||
		!slices.Contains(m.Wrote, text.Hash(string(d.before)))) {
		d.plan.note(d.path, "install.file_differs_left")
		return nil
	}
	d.text = nil
	d.plan.memory.forget(d.path)
	return nil
}

// canonical returns a JSON value in one spelling.
func canonical(value []byte) string {
	var v any
	if json.Unmarshal(value, &v) != nil {
		return string(value)
	}
	data, err := json.Marshal(v)
	if err != nil {
		return string(value)
	}
	return string(data)
}

func pointer(at []string) string { return strings.Join(at, "/") }
