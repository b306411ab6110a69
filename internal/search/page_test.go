package search

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"codeintel/internal/problem"
)

func TestCursor(t *testing.T) {
	for _, c := range []cursor{{Query: "q", Offset: 7}, {Query: "q", File: "a b/日本.go", Line: 3, Rank: 2}} {
		got, err := parseCursor(c.String(), "q")
		if err != nil || got != c {
			t.Errorf("%+v came back as %+v, %v", c, got, err)
		}
		if _, err := parseCursor(c.String(), "other"); problem.Of(err) == nil || problem.Of(err).Code != InvalidCursor {
			t.Errorf("a cursor of another question: %v", err)
		}
	}
}

func FuzzCursor(f *testing.F) {
	f.Add(cursor{Query: "q", Offset: 7}.String())
	f.Add("")
	f.Add("e30")
	f.Add("eyJvIjotMX0")
	f.Add(strings.Repeat("A", 9000))
	f.Fuzz(func(t *testing.T, s string) {
		c, err := parseCursor(s, "q")
		if err != nil {
			if problem.Of(err) == nil {
				t.Fatalf("not a Problem: %v", err)
			}
			return
		}
		if c.Query != "q" || c.Offset < 0 || c.Line < 0 {
			t.Fatalf("%q became %+v", s, c)
		}
	})
}

func FuzzOneOrMore(f *testing.F) {
	f.Add(`"x"`)
	f.Add(`["x","y"]`)
	f.Add(`null`)
	f.Add(`{"a":1}`)
	f.Add(`[1]`)
	f.Add(` "\ud800" `)
	f.Fuzz(func(t *testing.T, s string) {
		var o OneOrMore
		if err := o.UnmarshalJSON([]byte(s)); err != nil {
			if p := problem.Of(err); p == nil || len(p.Next) == 0 {
				t.Fatalf("%q: %v", s, err)
			}
			return
		}
		again, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		var back OneOrMore
		if err := json.Unmarshal(again, &back); err != nil || !cmp.Equal(o, back) {
			t.Fatalf("%q: %v is not %v (%v)", s, back, o, err)
		}
	})
}

func TestOneOrMore(t *testing.T) {
	for in, want := range map[string]OneOrMore{`"[a-z]"`: {"[a-z]"}, `["a","b"]`: {"a", "b"}, `null`: nil} {
		var got OneOrMore
		if err := json.Unmarshal([]byte(in), &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", in, diff)
		}
	}
}

// TestSchemas derives every schema that the tools are offered with.
func TestSchemas(t *testing.T) {
	options := &jsonschema.ForOptions{TypeSchemas: Schemas()}
	for _, v := range []any{
		TextQuery{}, FilesQuery{}, DefinitionsQuery{}, ReferencesQuery{}, SymbolsQuery{}, StructureQuery{}, FunctionAtQuery{}, SemanticQuery{}, ChunkQuery{},
		TextAnswer{}, FilesAnswer{}, DefinitionsAnswer{}, ReferencesAnswer{}, SymbolsAnswer{}, StructureAnswer{}, FunctionAtAnswer{}, SemanticAnswer{}, ChunkAnswer{},
	} {
		s, err := jsonschema.ForType(reflect.TypeOf(v), options)
		if err != nil {
			t.Errorf("%T: %v", v, err)
			continue
		}
		if !strings.HasSuffix(reflect.TypeOf(v).Name(), "Query") {
			continue
		}
		for name, p := range s.Properties {
			if p.Description == "" {
				t.Errorf("%T: argument %s has no description", v, name)
			}
		}
	}
}
