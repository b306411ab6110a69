// Package lenientjson reads JSON that a language model wrote.
//
// It is strict about meaning and lenient about form. A wrong type is never guessed at, and
// all errors are reported at once, each with the path of its field. But a list or an object
// that arrives as a string of JSON is read, one string is taken for a list of one, and "10"
// for an integer: models send these, and what they mean is plain.
package lenientjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"codeintel/internal/platform/msg"
)

// A Mismatch is what is wrong with one field.
type Mismatch struct {
	Path string      // "tasks[0].checklist"; empty for the whole document
	Want msg.Message // "a list of strings"
	Got  msg.Message // "a number", "nothing"
}

// AsMessage says what is wrong: "tasks: want a list of strings, got nothing".
func (m Mismatch) AsMessage() msg.Message {
	path := msg.Literal(m.Path)
	if m.Path == "" {
		path = msg.New("lenientjson.the_arguments")
	}
	return msg.New("lenientjson.want_got", path, m.Want, m.Got)
}

func (m Mismatch) String() string { return m.AsMessage().String() }

// A Result says how the document differed from the struct.
type Result struct {
	Mismatches []Mismatch
	Unknown    []string // paths of fields that the struct does not have, sorted
}

// maxDepth is how deeply a document may be nested. No struct of ours goes
// beyond six; the limit is there for documents made to exhaust the reader.
const maxDepth = 64

// A Document is JSON that was parsed once, to be read into structs. The zero Document
// is an empty one.
type Document struct {
	value any
	fault msg.Message // what is there instead of JSON
}

// Parse parses data, and leaves it to [Document.Into] to report what is wrong with it.
func Parse(data []byte) (d Document) {
	d.value, d.fault = parse(data)
	return d
}

// Of returns the Document of an object.
func Of(object map[string]any) Document { return Document{value: object} }

// Object returns the members of an object, which may have come as a string of JSON;
// nil if the document is something else.
func (d Document) Object() map[string]any {
	o, _ := nested[map[string]any](d.value)
	return o
}

// Into reads the document into the struct that dst points to. A field is required
// unless it says omitempty. dst is filled in only if nothing mismatches; fields
// that the struct does not have are reported and otherwise left alone.
// Nothing at all and null count as an empty object.
func (d Document) Into(dst any) (Result, error) {
	var r reader
	if !d.fault.IsZero() {
		r.mismatch("", msg.New("lenientjson.json_object"), d.fault)
		return r.Result, nil
	}
	v := d.value
	if v == nil {
		v = map[string]any{}
	}
	fitted := r.fit("", v, reflect.TypeOf(dst).Elem(), 0)
	slices.Sort(r.Unknown)
	if len(r.Mismatches) > 0 {
		return r.Result, nil
	}
	plain, err := json.Marshal(fitted)
	if err != nil {
		return r.Result, fmt.Errorf("decode: %w", err)
	}
	if err := json.Unmarshal(plain, dst); err != nil { // a type's own UnmarshalJSON refused it
		r.mismatch("", msg.New("lenientjson.other_values"), msg.Literal(err.Error()))
	}
	return r.Result, nil
}

// parse returns what the JSON in data holds, or what is there instead.
func parse(data []byte) (v any, got msg.Message) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, got
	}
	if !utf8.Valid(data) {
		return nil, msg.New("lenientjson.bytes_not_utf")
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&v); err != nil {
		return nil, msg.New("lenientjson.not_json", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, msg.New("lenientjson.more_than_one_json_value")
	}
	return v, got
}

type reader struct{ Result }

func (r *reader) mismatch(path string, want, got msg.Message) {
	r.Mismatches = append(r.Mismatches, Mismatch{path, want, got})
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// fit returns v in the form that t unmarshals from, noting where it has none.
func (r *reader) fit(path string, v any, t reflect.Type, depth int) any {
	if depth > maxDepth {
		r.mismatch(path, msg.New("lenientjson.less_nesting"), msg.New("lenientjson.more_than_levels", maxDepth))
		return nil
	}
	if reflect.PointerTo(t).Implements(unmarshaler) { // the type knows best
		data, err := json.Marshal(v)
		if err == nil {
			err = json.Unmarshal(data, reflect.New(t).Interface())
		}
		if _, known := formOf(t); err != nil && known {
			r.mismatch(path, describeType(t), describe(v))
			return nil
		}
		return v
	}
	switch t.Kind() {
	case reflect.Pointer:
		if v == nil {
			return nil
		}
		return r.fit(path, v, t.Elem(), depth)
	case reflect.Struct, reflect.Map:
		if o, ok := nested[map[string]any](v); ok {
			return r.fitObject(path, o, t, depth)
		}
	case reflect.Slice:
		if l, ok := nested[[]any](v); ok {
			return r.fitList(path, l, t, depth)
		}
		if s, ok := v.(string); ok && t.Elem().Kind() == reflect.String {
			return []any{s}
		}
		if v == nil {
			return []any{}
		}
	case reflect.Interface:
		return v
	default:
		if fitted, ok := fitScalar(v, t.Kind()); ok {
			return fitted
		}
	}
	r.mismatch(path, describeType(t), describe(v))
	return nil
}

func (r *reader) fitList(path string, l []any, t reflect.Type, depth int) any {
	out := make([]any, len(l))
	for i, e := range l {
		out[i] = r.fit(fmt.Sprintf("%s[%d]", path, i), e, t.Elem(), depth+1)
	}
	return out
}

func (r *reader) fitObject(path string, o map[string]any, t reflect.Type, depth int) any {
	out := make(map[string]any, len(o))
	if t.Kind() == reflect.Map {
		for k, v := range o {
			out[k] = r.fit(join(path, k), v, t.Elem(), depth+1)
		}
		return out
	}
	fields := Fields(t)
	for k, v := range o {
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == k })
		if i < 0 {
			r.Unknown = append(r.Unknown, join(path, k))
			continue
		}
		if v == nil && !fields[i].Required {
			continue // an optional field may be null
		}
		out[k] = r.fit(join(path, k), v, fields[i].Type, depth+1)
	}
	for _, f := range fields {
		if v, ok := o[f.Name]; f.Required && (!ok || v == nil && f.Type.Kind() == reflect.Pointer) {
			r.mismatch(join(path, f.Name), describeType(f.Type), msg.New("lenientjson.nothing"))
		}
	}
	return out
}

// fitScalar returns v as a value of the kind, if it plainly is one. A string is
// never a bool: "false" would be true to half of its readers.
func fitScalar(v any, k reflect.Kind) (any, bool) {
	switch k {
	case reflect.Bool:
		b, ok := v.(bool)
		return b, ok
	case reflect.String:
		s, ok := v.(string)
		return s, ok
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		s := ""
		switch n := v.(type) {
		case json.Number:
			s = n.String()
		case string:
			s = strings.TrimSpace(n)
		default:
			return nil, false
		}
		if i, err := strconv.ParseInt(s, 10, 32); err == nil {
			return i, true
		}
		f, err := strconv.ParseFloat(s, 64)
		if err != nil || f != float64(int32(f)) {
			return nil, false
		}
		return int64(f), true
	case reflect.Float32, reflect.Float64:
		n, ok := v.(json.Number)
		return n, ok
	}
	return nil, false
}

// nested returns v as a T, also if v is a string that holds one as JSON.
func nested[T any](v any) (t T, ok bool) {
	if t, ok = v.(T); ok {
		return t, true
	}
	s, isString := v.(string)
	if !isString || !strings.HasPrefix(strings.TrimSpace(s), "{") && !strings.HasPrefix(strings.TrimSpace(s), "[") {
		return t, false
	}
	inner, broken := parse([]byte(s))
	if !broken.IsZero() {
		return t, false
	}
	t, ok = inner.(T)
	return t, ok
}

// A Field is one field of a struct as JSON has it.
type Field struct {
	Name     string
	Type     reflect.Type
	Required bool
}

// Fields returns the JSON fields of a struct type, those of embedded structs in
// their place.
func Fields(t reflect.Type) (fields []Field) {
	for _, f := range reflect.VisibleFields(t) {
		name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || f.Anonymous || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		optional := strings.Contains(opts, "omitempty") || strings.Contains(opts, "omitzero")
		fields = append(fields, Field{name, f.Type, !optional})
	}
	return fields
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// A formed type reads its own JSON, and says in a few words what that may be: "a
// string or a list of strings".
type formed interface{ Form() msg.Message }

// formOf returns what a type says of itself.
func formOf(t reflect.Type) (form msg.Message, known bool) {
	f, known := reflect.Zero(t).Interface().(formed)
	if !known {
		return msg.Message{}, false
	}
	return f.Form(), true
}

func describeType(t reflect.Type) msg.Message {
	if form, known := formOf(t); known {
		return form
	}
	if t == reflect.TypeFor[json.RawMessage]() {
		return msg.New("lenientjson.an_object")
	}
	switch t.Kind() {
	case reflect.Pointer:
		return describeType(t.Elem())
	case reflect.Bool:
		return msg.New("lenientjson.true_false")
	case reflect.String:
		return msg.New("lenientjson.a_string")
	case reflect.Float32, reflect.Float64:
		return msg.New("lenientjson.a_number")
	case reflect.Slice:
		if reflect.PointerTo(t.Elem()).Implements(unmarshaler) {
			return msg.New("lenientjson.a_list")
		}
		return msg.New("lenientjson.a_list_of", plural(t.Elem()))
	case reflect.Struct:
		return msg.New("lenientjson.an_object_of_form", names(t))
	case reflect.Map:
		return msg.New("lenientjson.an_object")
	}
	return msg.New("lenientjson.an_integer")
}

func plural(t reflect.Type) msg.Message {
	switch t.Kind() {
	case reflect.String:
		return msg.New("lenientjson.strings")
	case reflect.Struct:
		return msg.New("lenientjson.objects_of_form", names(t))
	}
	return msg.New("lenientjson.values")
}

// names returns the names of the fields of a struct.
func names(t reflect.Type) (all []string) {
	for _, f := range Fields(t) {
		all = append(all, f.Name)
	}
	return all
}

func describe(v any) msg.Message {
	switch v := v.(type) {
	case nil:
		return msg.New("lenientjson.null")
	case bool:
		return msg.Literal(strconv.FormatBool(v))
	case json.Number:
		return msg.New("lenientjson.the_number", v.String())
	case string:
		if utf8.RuneCountInString(v) > 40 {
			v = string([]rune(v)[:40]) + "…"
		}
		return msg.New("lenientjson.the_string", v)
	case []any:
		return msg.New("lenientjson.a_list")
	case map[string]any:
		return msg.New("lenientjson.an_object_with", slices.Sorted(maps.Keys(v)))
	}
	return msg.New("lenientjson.something_else")
}
