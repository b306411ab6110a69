package mcpserver

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"codeintel/internal/search"
)

// argumentSchema derives the schema of a tool's arguments. Its descriptions are
// what a model reads, so they are kept.
func argumentSchema(t reflect.Type) (*jsonschema.Schema, error) {
	s, err := schemaOf(t)
	if err != nil {
		return nil, err
	}
	prune(s, 0, false)
	for name, words := range common {
		if p := s.Properties[name]; p != nil {
			p.Description = words
		}
	}
	s.AdditionalProperties = falseSchema() // unknown arguments are refused, see [tool.decode]
	return s, nil
}

// common are the arguments of many tools. The server's instructions explain them
// once; said in full with every tool, they would be a third of the whole list.
var common = map[string]string{
	"path":       "File or directory",
	"globs":      `Such as "src/**/*.go", "!vendor/**"`,
	"limit":      "",
	"cursor":     "next_cursor of the last answer",
	"max_tokens": "",
	"language":   "",
	"session_id": "",
}

// answerSchema derives the schema of a tool's answer. Programs read it, models
// do not, and every client loads the whole list: so it says what there is, of
// what type, and stops at the second level. Nothing is required at the top,
// because a refusal, too, is structured content, and clients that check it check
// it against this schema.
func answerSchema(t reflect.Type) (*jsonschema.Schema, error) {
	s, err := schemaOf(t)
	if err != nil {
		return nil, err
	}
	prune(s, answerDepth, true)
	return s, nil
}

// answerDepth is how many levels of objects an answer's schema spells out.
const answerDepth = 2

func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	types := search.Schemas()
	object := &jsonschema.Schema{Type: "object"}
	types[reflect.TypeFor[json.RawMessage]()] = object
	types[reflect.TypeFor[any]()] = object // where a field of ours may be anything, it is an object
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: types})
	if err != nil {
		return nil, err
	}
	if s.Type != "object" {
		return nil, fmt.Errorf("%s is no struct", t)
	}
	return s, nil
}

// prune takes from s what its readers can do without: that a list may be null,
// that objects are closed, and, if bare, all words and everything beyond depth
// levels of objects. Depth 0 is without limit.
func prune(s *jsonschema.Schema, depth int, bare bool) {
	if s == nil {
		return
	}
	if bare {
		s.Description, s.Required = "", nil
	}
	if len(s.Types) == 2 && s.Types[0] == "null" {
		// A list that may be missing is sent as [] or left out; see [encode].
		s.Type, s.Types = s.Types[1], nil
	}
	s.AdditionalProperties = mapValues(s)
	prune(s.AdditionalProperties, depth, bare)
	prune(s.Items, depth, bare)
	for _, of := range s.AnyOf {
		prune(of, depth, bare)
	}
	if len(s.Properties) == 0 {
		return
	}
	if bare && depth == 0 {
		s.Properties, s.PropertyOrder = nil, nil
		return
	}
	for p := range maps.Values(s.Properties) {
		prune(p, depth-1, bare)
	}
}

// mapValues returns the schema of the values of a map, nil for a struct: there
// it only says that there are no other fields.
func mapValues(s *jsonschema.Schema) *jsonschema.Schema {
	if s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil {
		return nil
	}
	return s.AdditionalProperties
}

func falseSchema() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }
