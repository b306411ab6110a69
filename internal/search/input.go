package search

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/search/filekind"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
	globs "codeintel/internal/text/glob"
)

// Limits on what a caller may send.
const (
	maxPatternRunes = 1000 // length of a pattern or name
	maxGlobs        = 50
	maxLimit        = 1000
)

// MaxQuestion bounds a question in words, in characters: an issue with its stack trace
// is one.
const MaxQuestion = 50_000

// OneOrMore is a list of strings that may be sent as one string.
type OneOrMore []string

// Form says what may be sent.
func (OneOrMore) Form() msg.Message { return msg.New("search.string_list_strings") }

// UnmarshalJSON takes a string or a list of strings.
func (o *OneOrMore) UnmarshalJSON(data []byte) error {
	data = bytes.TrimSpace(data)
	if bytes.Equal(data, []byte("null")) {
		*o = nil
		return nil
	}
	var one string
	if json.Unmarshal(data, &one) == nil {
		*o = OneOrMore{one}
		return nil
	}
	var list []string
	if json.Unmarshal(data, &list) == nil {
		*o = list
		return nil
	}
	return problem.New(problem.InvalidArgument, "search.expected_string_list_strings_got", text.Clip(string(data), 60)).
		Or("search.send_one_string_newreader_list")
}

// MarshalJSON writes one string as it may be sent, several as a list.
func (o OneOrMore) MarshalJSON() ([]byte, error) {
	if len(o) == 1 {
		return json.Marshal(o[0])
	}
	return json.Marshal([]string(o))
}

// Schemas gives the JSON schemas of the types here that cannot be derived from
// their Go form: lists that may be one string, choices, and nested outlines.
func Schemas() map[reflect.Type]*jsonschema.Schema {
	choice := func(values ...any) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "string", Enum: values}
	}
	text := &jsonschema.Schema{Type: "string"}
	return map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[OneOrMore](): {AnyOf: []*jsonschema.Schema{
			text, {Type: "array", Items: text},
		}},
		reflect.TypeFor[Case]():       choice(enum(cases)...),
		reflect.TypeFor[FileMatch]():  choice(enum(fileMatches)...),
		reflect.TypeFor[Collection](): choice(enum(collections)...),
		reflect.TypeFor[Outline]():    outlineSchema(),
	}
}

func enum[S ~string](values []S) []any {
	all := make([]any, len(values))
	for i, v := range values {
		all[i] = string(v)
	}
	return all
}

// oneOf returns value, or the first of the choices if it is empty.
func oneOf[S ~string](name string, value S, choices []S) (S, error) {
	if value == "" {
		return choices[0], nil
	}
	if slices.Contains(choices, value) {
		return value, nil
	}
	quoted := make([]string, len(choices))
	for i, c := range choices {
		quoted[i] = fmt.Sprintf("%q", c)
	}
	return "", problem.New(problem.InvalidArgument, "search.is_not_one_of", msg.Param(name), value, strings.Join(quoted, ", ")).
		Or("search.leave_out_for_text", msg.Param(name), choices[0])
}

// required refuses an empty or overlong argument.
func required(name, value string, example msg.Call) error {
	if strings.TrimSpace(value) == "" {
		return problem.New(problem.InvalidArgument, "search.missing_or_empty", msg.Param(name)).
			Or("search.for_example", example)
	}
	return shortEnough(msg.Param(name), value)
}

// inWords checks a question.
func inWords(name, value string, example msg.Call) error {
	if strings.TrimSpace(value) == "" {
		return required(name, value, example)
	}
	return atMost(MaxQuestion, msg.Param(name), value)
}

func shortEnough(name any, value string) error { return atMost(maxPatternRunes, name, value) }

func atMost(runes int, name any, value string) error {
	if n := utf8.RuneCountInString(value); n > runes {
		return problem.New(problem.InvalidArgument, "search.too_many_characters", name, n, runes).
			Or("search.send_most_telling_part")
	}
	if strings.IndexByte(value, 0) >= 0 {
		return problem.New(problem.InvalidArgument, "search.contains_nul_byte", name).
			Or("search.send_without_nul_byte")
	}
	return nil
}

// boundedNumber takes a number that may be left out.
func boundedNumber(name string, value, standard, low, high int) (int, error) {
	if value == 0 {
		return standard, nil
	}
	if value < low || value > high {
		return 0, problem.New(problem.InvalidArgument, "search.must_be_between", msg.Param(name), value, low, high).
			Or("search.leave_out_for_number", msg.Param(name), standard)
	}
	return value, nil
}

// An area is the part of the repository that a question is about.
type area struct {
	path     string   // repository-relative, "" for all of it
	include  []string // globs, one of which must match
	exclude  []string // globs, none of which may match
	fileType func(path string) bool

	languages []syntax.Language // nil for every language
}

// area checks a Where and the name of a language, "" for every language. A path that
// does not exist is found out by whoever lists the files, because only the list knows
// near names.
func (e *Engine) area(w Where, language string) (area, error) {
	languages, err := filekind.Languages(language)
	a := area{languages: languages}
	if err != nil {
		return a, err
	}
	if w.Path != "" && w.Path != "." {
		if err := shortEnough(msg.Param("path"), w.Path); err != nil {
			return a, err
		}
		rel, err := e.p.Resolve(w.Path)
		if err != nil {
			return a, err
		}
		if rel != "." {
			a.path = rel
		}
	}
	if len(w.Globs) > maxGlobs {
		return a, problem.New(problem.InvalidArgument, "search.too_many_globs", msg.Param("globs"), len(w.Globs), maxGlobs).
			Or("search.join_them_braces_go_mod")
	}
	for _, g := range w.Globs {
		bare, negative := strings.CutPrefix(g, "!")
		if bare == "" {
			return a, problem.New(problem.InvalidArgument, "search.globs_holds_an_empty_one", msg.Param("globs")).
				Or("search.leave_out_or_send_a_glob")
		}
		if !globs.Valid(bare) {
			return a, problem.New(problem.InvalidArgument, "search.globs_holds_no_glob", msg.Param("globs"), g).
				Or("search.send_a_glob_or_escape")
		}
		if negative {
			a.exclude = append(a.exclude, bare)
		} else {
			a.include = append(a.include, bare)
		}
	}
	return a, nil
}

// Inside checks a Where and returns whether a file lies in it.
func (e *Engine) Inside(ctx context.Context, w Where) (func(file string) bool, error) {
	a, err := e.area(w, "")
	if err != nil {
		return nil, err
	}
	if err := e.pathExists(ctx, &a); err != nil {
		return nil, err
	}
	return a.containsPath, nil
}

// containsPath reports whether a file is in the area.
func (a *area) containsPath(file string) bool {
	if a.path != "" && file != a.path && !strings.HasPrefix(file, a.path+"/") {
		return false
	}
	if a.fileType != nil && !a.fileType(file) {
		return false
	}
	if len(a.include) > 0 && !slices.ContainsFunc(a.include, func(g string) bool { return globMatch(g, file) }) {
		return false
	}
	return !slices.ContainsFunc(a.exclude, func(g string) bool { return globMatch(g, file) })
}

// contains reports whether a file of a language is in the area.
func (a *area) contains(file string, l syntax.Language) bool {
	return a.containsPath(file) && (a.languages == nil || slices.Contains(a.languages, l))
}

// globMatch matches as people write globs: one without a slash means the base
// name at any depth, one that ends in a slash or names a directory means all
// that is below.
func globMatch(glob, file string) bool {
	glob = strings.TrimPrefix(glob, "./")
	if !strings.Contains(strings.TrimSuffix(glob, "/"), "/") && !strings.HasPrefix(glob, "**") {
		if globs.Match(strings.TrimSuffix(glob, "/"), path.Base(file)) && !strings.HasSuffix(glob, "/") {
			return true
		}
		return globs.Match("**/"+strings.TrimSuffix(glob, "/")+"/**", file)
	}
	glob = strings.TrimPrefix(glob, "/")
	if dir, ok := strings.CutSuffix(glob, "/"); ok {
		return globs.Match(dir+"/**", file)
	}
	return globs.Match(glob, file)
}
