package mcp

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"codeintel/internal/platform/lenientjson"
	"codeintel/internal/platform/msg"
	"codeintel/internal/search"
	"codeintel/internal/session"
	"codeintel/internal/session/payload"
)

// argumentSchema derives the schema of a tool's arguments. Its descriptions are
// what a model reads, so they are kept.
func argumentSchema(t reflect.Type) (*jsonschema.Schema, error) {
	all, err := schemaOf(t)
	if err != nil {
		return nil, err
	}
	s := pruned(all, whole)
	for name, words := range common {
		if p := s.Properties[name]; p != nil {
			p.Description = words
		}
	}
	if s.Properties["globs"] != nil { // may also be one string, but need not be told so
		s.Properties["globs"] = &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "string"},
			Description: common["globs"]}
	}
	s.AdditionalProperties = falseSchema() // unknown arguments are refused, see [tool.decode]
	return s, nil
}

// common are the arguments of many tools. The server's instructions explain them
// once; said in full with every tool, they would be a third of the whole list.
var common = map[string]string{
	"path":       "",
	"globs":      "",
	"limit":      "",
	"cursor":     "",
	"max_tokens": "",
	"kind":       "Such as function, class",
	"file_type":  "Language or extension",
	"language":   "",
	"session_id": "",
}

// answerSchema derives the schema of a tool's answer. Programs read it, models
// do not, and every client loads the whole list: so it says what there is, of
// what type, in as much detail as is short. Nothing is required, because a
// refusal, too, is structured content, and clients that check it check it against
// this schema; for the same reason nothing is closed.
func answerSchema(t reflect.Type) (*jsonschema.Schema, error) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if len(lenientjson.Fields(t)) <= manyFields {
		all, err := schemaOf(t)
		if err != nil {
			return nil, err
		}
		for _, detail := range []detail{twoLevels, oneLevel} {
			if s := pruned(all, detail); fields(s) <= manyFields {
				return s, nil
			}
		}
	}
	return &jsonschema.Schema{Type: "object"}, nil // its fields are said in words where they matter
}

// manyFields is how many fields of an answer are worth being spelled out. A field
// costs some 25 characters.
const manyFields = 3

// fields counts the fields that a schema spells out.
func fields(s *jsonschema.Schema) int {
	if s == nil {
		return 0
	}
	n := len(s.Properties) + fields(s.Items) + fields(s.AdditionalProperties)
	for p := range maps.Values(s.Properties) {
		n += fields(p)
	}
	return n
}

// A detail is how much a schema says.
type detail int

const (
	noParts   detail = iota // that it is a list or an object
	oneLevel                // lists and objects, but not what is in them
	twoLevels               // and that, without what is in it in turn
	whole                   // everything, with its words
)

// schemaOf derives the schema of a struct, with everything there is to say. It is shared, so
// nobody changes it.
func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s, ok := schemas.Load(t); ok {
		return s.(*jsonschema.Schema), nil
	}
	types := search.Schemas()
	object := &jsonschema.Schema{Type: "object"}
	types[reflect.TypeFor[json.RawMessage]()] = object
	types[reflect.TypeFor[payload.Payload]()] = object
	types[reflect.TypeFor[session.ThenPayload]()] = object // {phase, data}, as answers show it
	types[reflect.TypeFor[msg.Message]()] = &jsonschema.Schema{Type: "string"}
	types[reflect.TypeFor[any]()] = object // where a field of ours may be anything, it is an object
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: types})
	if err != nil {
		return nil, err
	}
	if s.Type != "object" {
		return nil, fmt.Errorf("%s is no struct", t)
	}
	schemas.Store(t, s)
	return s, nil
}

// schemas are those of the types that were asked for.
var schemas sync.Map // from reflect.Type to *jsonschema.Schema

// pruned returns a copy of s without what its readers can do without: that a list may be
// null, that objects are closed, and, unless it is whole, all words and the levels
// beyond its detail.
func pruned(s *jsonschema.Schema, d detail) *jsonschema.Schema {
	if s == nil {
		return nil
	}
	c := *s
	if len(c.Types) == 2 && c.Types[0] == "null" {
		// What may be missing is sent as [] or left out; an argument may be null all the same.
		c.Type, c.Types = c.Types[1], nil
	}
	c.AdditionalProperties = mapValues(s)
	inner := d
	if d != whole {
		c.Description, c.Required = "", nil
		if inner = d - 1; c.Type == "array" {
			inner = d
		}
		if d < oneLevel {
			c.Properties, c.PropertyOrder, c.AdditionalProperties = nil, nil, nil
		}
	}
	c.AdditionalProperties = pruned(c.AdditionalProperties, inner)
	c.Items = pruned(c.Items, inner)
	if c.Items != nil && c.Items.Properties == nil && d != whole {
		c.Items = nil // "a list" says as much as "a list of objects", and nearly as much as "of strings"
	}
	c.AnyOf = slices.Clone(c.AnyOf)
	for i, of := range c.AnyOf {
		c.AnyOf[i] = pruned(of, inner)
	}
	c.Properties = maps.Clone(c.Properties)
	for name, p := range c.Properties {
		c.Properties[name] = pruned(p, inner)
	}
	return &c
}

// mapValues returns the schema of the values of a map, nil if they may be anything,
// and for a struct: there it only says that there are no other fields.
func mapValues(s *jsonschema.Schema) *jsonschema.Schema {
	v := s.AdditionalProperties
	if v == nil || v.Not != nil || v.Type == "object" && v.Properties == nil && v.AdditionalProperties == nil {
		return nil
	}
	return v
}

func falseSchema() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }
