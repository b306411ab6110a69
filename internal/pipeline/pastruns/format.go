package pastruns

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"codeintel/internal/platform/plainjson"
)

// formatVersion is that of the format. A file of a later one is read by nobody here, and
// written over by nobody.
const formatVersion = 1

// document is the file: {"version": 1, "entries": […]}, and what later versions put
// beside them.
type document struct {
	Version int     `json:"version"`
	Entries []Entry `json:"entries"`

	extra extra
}

// extra is the fields of an object that this version does not know.
type extra map[string]json.RawMessage

// A field is a key and its value in JSON, compact.
type field struct {
	key   string
	value json.RawMessage
}

// The types without methods, for the codec to see their fields.
type (
	plainEntry    Entry
	plainFinding  Finding
	plainFriction Friction
	plainPhaseLog PhaseLog
)

// MarshalJSON writes the entry with what was kept.
func (e Entry) MarshalJSON() ([]byte, error) { return object(plainEntry(e), e.extra) }

// MarshalJSON writes the finding with what was kept.
func (f Finding) MarshalJSON() ([]byte, error) { return object(plainFinding(f), f.extra) }

// MarshalJSON writes the friction with what was kept.
func (f Friction) MarshalJSON() ([]byte, error) { return object(plainFriction(f), f.extra) }

// MarshalJSON writes the step with what was kept.
func (l PhaseLog) MarshalJSON() ([]byte, error) { return object(plainPhaseLog(l), l.extra) }

// keepUnknown puts what this version does not know of a document that has been read into
// its parts.
func keepUnknown(data []byte, d *document) error {
	var all extra
	if err := json.Unmarshal(data, &all); err != nil {
		return err
	}
	entries, err := objects(all, "entries", len(d.Entries))
	if err != nil {
		return err
	}
	d.extra = unknown[document](all)
	for i, raw := range entries {
		e := &d.Entries[i]
		e.extra = unknown[Entry](raw)
		findings, err1 := objects(raw, "findings", len(e.Findings))
		for i, raw := range findings {
			e.Findings[i].extra = unknown[Finding](raw)
		}
		frictions, err2 := objects(raw, "frictions", len(e.Frictions))
		for i, raw := range frictions {
			e.Frictions[i].extra = unknown[Friction](raw)
		}
		steps, err3 := objects(raw, "phases", len(e.Phases))
		for i, raw := range steps {
			e.Phases[i].extra = unknown[PhaseLog](raw)
		}
		if err := cmp.Or(err1, err2, err3); err != nil {
			return err
		}
	}
	return nil
}

// objects returns the list of n objects under a key. A key that is there in several
// spellings could give another number.
func objects(of extra, key string, n int) (list []extra, err error) {
	if raw, ok := of[key]; ok {
		err = json.Unmarshal(raw, &list)
	}
	if err == nil && len(list) != n {
		return nil, fmt.Errorf("%q is there twice", key)
	}
	return list, err
}

// unknown returns the fields that T has not; nil for none.
func unknown[T any](all extra) extra {
	t := reflect.TypeFor[T]()
	more := maps.Clone(all)
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		maps.DeleteFunc(more, func(key string, _ json.RawMessage) bool { return name != "" && strings.EqualFold(key, name) })
	}
	if len(more) == 0 {
		return nil
	}
	return more
}

// fields returns the fields of a plain struct in its order, then the extra ones in
// that of their names.
func fields(v any, more extra) ([]field, error) {
	data, err := plainjson.Encode(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	var all []field
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		all = append(all, field{key.(string), value})
	}
	for _, key := range slices.Sorted(maps.Keys(more)) {
		value, err := plainjson.Encode(more[key])
		if err != nil {
			return nil, err
		}
		all = append(all, field{key, value})
	}
	return all, nil
}

func object(v any, more extra) ([]byte, error) {
	if len(more) == 0 {
		return plainjson.Encode(v)
	}
	all, err := fields(v, more)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for i, f := range all {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s:%s", quote(f.key), f.value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

func quote(s string) []byte {
	q, _ := plainjson.Encode(s) // a string has no error
	return q
}

// encode writes the file: a field a line, of lists an element a line.
func encode(d *document) ([]byte, error) {
	all, err := fields(struct {
		Version int `json:"version"`
	}{d.Version}, d.extra)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString("{\n")
	for _, f := range all {
		fmt.Fprintf(&b, " %s: %s,\n", quote(f.key), f.value)
	}
	b.WriteString(" \"entries\": [")
	for i, e := range d.Entries {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n  {\n")
		if all, err = fields(plainEntry(e), e.extra); err != nil {
			return nil, err
		}
		for j, f := range all {
			fmt.Fprintf(&b, "   %s: ", quote(f.key))
			writeValue(&b, f.value)
			if j < len(all)-1 {
				b.WriteByte(',')
			}
			b.WriteByte('\n')
		}
		b.WriteString("  }")
	}
	if len(d.Entries) > 0 {
		b.WriteString("\n ")
	}
	b.WriteString("]\n}\n")
	return b.Bytes(), nil
}

// writeValue writes the value of an entry's field.
func writeValue(b *bytes.Buffer, value json.RawMessage) {
	var list []json.RawMessage
	if value[0] != '[' || json.Unmarshal(value, &list) != nil || len(list) == 0 {
		b.Write(value)
		return
	}
	b.WriteString("[\n")
	for i, v := range list {
		b.WriteString("    ")
		b.Write(v)
		if i < len(list)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("   ]")
}

var (
	errNewer    = errors.New("a later version")
	errConflict = errors.New("a merge left its conflict in it")
)

// decode reads the file.
func decode(data []byte) (*document, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, errors.New("it is empty")
	}
	if _, _, conflict := splitConflict(data); conflict {
		return nil, errConflict
	}
	var d document
	err := read(data, &d)
	if err != nil { // a later version may have another form
		var only struct {
			Version int `json:"version"`
		}
		if json.Unmarshal(data, &only) == nil {
			d.Version = only.Version
		}
	}
	var syntax *json.SyntaxError
	switch {
	case d.Version > formatVersion:
		return nil, fmt.Errorf("%w, %d", errNewer, d.Version)
	case errors.As(err, &syntax):
		return nil, fmt.Errorf("line %d: %w", 1+bytes.Count(data[:min(int(syntax.Offset), len(data))], []byte("\n")), err)
	case err != nil:
		return nil, err
	case d.Version < 1:
		return nil, errors.New("it names no version")
	}
	for i := range d.Entries {
		if d.Entries[i].Key() == "" {
			return nil, fmt.Errorf("entry %d has no name", i+1)
		}
	}
	return &d, nil
}

// read reads a document. The strict reader refuses what this version does not know.
// That is rare, and much faster than looking for it everywhere.
func read(data []byte, d *document) error {
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	if err := strict.Decode(d); err == nil {
		if _, err := strict.Token(); errors.Is(err, io.EOF) {
			return nil
		}
	}
	*d = document{}
	if err := json.Unmarshal(data, d); err != nil {
		return err
	}
	return keepUnknown(data, d)
}

// splitConflict takes a file apart in which a merge left its marks.
func splitConflict(data []byte) (ours, theirs []byte, conflict bool) {
	const (
		both = iota
		left
		base
		right
	)
	if !bytes.Contains(data, []byte("<<<<<<<")) {
		return data, data, false
	}
	in := both
	for line := range bytes.Lines(data) {
		switch {
		case in == both && bytes.HasPrefix(line, []byte("<<<<<<<")):
			in, conflict = left, true
		case in == left && bytes.HasPrefix(line, []byte("|||||||")):
			in = base
		case (in == left || in == base) && bytes.HasPrefix(line, []byte("=======")):
			in = right
		case in == right && bytes.HasPrefix(line, []byte(">>>>>>>")):
			in = both
		default:
			if in == both || in == left {
				ours = append(ours, line...)
			}
			if in == both || in == right {
				theirs = append(theirs, line...)
			}
		}
	}
	return ours, theirs, conflict
}

// recoverEntries returns the entries of a damaged file that can still be read: those of
// both sides of a merge, those before the place where it breaks off.
func recoverEntries(data []byte) (entries []Entry) {
	ours, theirs, conflict := splitConflict(data)
	if !conflict {
		return wholeEntries(data)
	}
	return append(wholeEntries(theirs), wholeEntries(ours)...)
}

func wholeEntries(data []byte) (entries []Entry) {
	d := json.NewDecoder(bytes.NewReader(data))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return entries
		}
		if key != "entries" {
			var skipped json.RawMessage
			if d.Decode(&skipped) != nil {
				return entries
			}
			continue
		}
		if t, err := d.Token(); err != nil || t != json.Delim('[') {
			return entries
		}
		for d.More() {
			var raw json.RawMessage
			if d.Decode(&raw) != nil {
				return entries
			}
			var one document
			if read(fmt.Appendf(nil, `{"entries":[%s]}`, raw), &one) == nil && one.Entries[0].Key() != "" {
				entries = append(entries, one.Entries[0])
			}
		}
		if _, err := d.Token(); err != nil {
			return entries
		}
	}
	return entries
}
