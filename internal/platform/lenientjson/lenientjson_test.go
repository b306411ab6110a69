package lenientjson

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/platform/msg"
)

type item struct {
	Name string `json:"name"`
	Done *bool  `json:"done"`
}

type base struct {
	Summary string `json:"summary"`
}

// texts reads its own JSON.
type texts []string

func (texts) Form() msg.Message { return msg.Literal("a text or several") }

func (l *texts) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*l = texts{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(l))
}

type document struct {
	base
	Files []string          `json:"files"`
	Items []item            `json:"items,omitempty"`
	Limit int               `json:"limit,omitempty"`
	Extra map[string]string `json:"extra,omitempty"`
	Inner *item             `json:"inner,omitempty"`
	Texts texts             `json:"texts,omitempty"`
	Plain json.RawMessage   `json:"plain,omitempty"`
}

func TestInto(t *testing.T) {
	yes := true
	for _, tt := range []struct {
		name, json string
		want       document
		unknown    []string
	}{
		{"as it should be", `{"summary":"s","files":["a","b"],"limit":3}`, document{base: base{"s"}, Files: []string{"a", "b"}, Limit: 3}, nil},
		{"a list as a string", `{"summary":"s","files":"[\"a\"]"}`, document{base: base{"s"}, Files: []string{"a"}}, nil},
		{"one string for a list", `{"summary":"s","files":"a"}`, document{base: base{"s"}, Files: []string{"a"}}, nil},
		{"objects as a string", `{"summary":"s","files":[],"items":"[{\"name\":\"x\",\"done\":true}]"}`, document{base: base{"s"}, Files: []string{}, Items: []item{{"x", &yes}}}, nil},
		{"an object as a string", `{"summary":"s","files":[],"inner":"{\"name\":\"x\",\"done\":true}"}`, document{base: base{"s"}, Files: []string{}, Inner: &item{"x", &yes}}, nil},
		{"an integer as a string", `{"summary":"s","files":[],"limit":"12"}`, document{base: base{"s"}, Files: []string{}, Limit: 12}, nil},
		{"an integer as 3.0", `{"summary":"s","files":[],"limit":3.0}`, document{base: base{"s"}, Files: []string{}, Limit: 3}, nil},
		{"null for what may be left out", `{"summary":"s","files":null,"limit":null}`, document{base: base{"s"}, Files: []string{}}, nil},
		{"fields that are not there", `{"summary":"s","files":[],"moon":1,"items":[{"name":"x","done":true,"sun":2}]}`, document{base: base{"s"}, Files: []string{}, Items: []item{{"x", &yes}}}, []string{"items[0].sun", "moon"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got document
			r, err := Parse([]byte(tt.json)).Into(&got)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Mismatches) > 0 {
				t.Fatalf("mismatches: %v", r.Mismatches)
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(document{}, base{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.unknown, r.Unknown); diff != "" {
				t.Errorf("unknown (-want +got):\n%s", diff)
			}
		})
	}
}

func TestIntoRefuses(t *testing.T) {
	for _, tt := range []struct{ name, json, want string }{
		{"nothing", ``, "summary: want a string, got nothing"},
		{"null", `null`, "files: want a list of strings, got nothing"},
		{"no JSON", `{`, "what is not JSON"},
		{"two values", `{} {}`, "more than one JSON value"},
		{"not UTF-8", "{\"summary\":\"\xff\"}", "not UTF-8"},
		{"a list for the whole", `[]`, "the arguments: want an object {"},
		{"a number for a string", `{"summary":1,"files":[]}`, "summary: want a string, got the number 1"},
		{"null for what is required", `{"summary":null,"files":[]}`, "summary: want a string, got null"},
		{"a number in a list", `{"summary":"s","files":[1]}`, "files[0]: want a string, got the number 1"},
		{"a string for a bool", `{"summary":"s","files":[],"items":[{"name":"x","done":"false"}]}`, `items[0].done: want true or false, got the string "false"`},
		{"a required bool left out", `{"summary":"s","files":[],"items":[{"name":"x"}]}`, "items[0].done: want true or false, got nothing"},
		{"a fraction for an integer", `{"summary":"s","files":[],"limit":1.5}`, "limit: want an integer, got the number 1.5"},
		{"an integer beyond all measure", `{"summary":"s","files":[],"limit":1e300}`, "limit: want an integer"},
		{"a number for a type of its own", `{"summary":"s","files":[],"texts":5}`, "texts: want a text or several, got the number 5"},
		{"a word for an object", `{"summary":"s","files":[],"inner":"x"}`, `inner: want an object {name, done}, got the string "x"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := document{Limit: 7}
			r, err := Parse([]byte(tt.json)).Into(&got)
			if err != nil {
				t.Fatal(err)
			}
			var all []string
			for _, m := range r.Mismatches {
				all = append(all, m.String())
			}
			if !strings.Contains(strings.Join(all, "\n"), tt.want) {
				t.Errorf("mismatches %q, want one with %q", all, tt.want)
			}
			if got.Limit != 7 || got.Summary != "" {
				t.Error("a document that was refused has been filled in")
			}
		})
	}
}

func FuzzInto(f *testing.F) {
	f.Add([]byte(`{"summary":"s","files":["a"],"items":[{"name":"x","done":true}],"extra":{"a":"b"}}`))
	f.Add([]byte(`{"summary":"s","files":"[[[[","inner":"{\"name\":{}}"}`))
	f.Add([]byte(strings.Repeat(`{"inner":`, 200)))
	f.Add([]byte(strings.Repeat(`[`, 20000)))
	f.Fuzz(func(t *testing.T, data []byte) {
		var d document
		r, err := Parse(data).Into(&d)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Mismatches) == 0 {
			if _, err := json.Marshal(d); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// What is missing is named as what its type says of itself, and an object that is
// read later as an object.
func TestForms(t *testing.T) {
	var d struct {
		Texts texts           `json:"texts"`
		Data  json.RawMessage `json:"data"`
	}
	r, err := Parse([]byte(`{}`)).Into(&d)
	if err != nil || len(r.Mismatches) != 2 || r.Mismatches[0].String() != "texts: want a text or several, got nothing" || r.Mismatches[1].String() != "data: want an object, got nothing" {
		t.Errorf("%v, %v", r.Mismatches, err)
	}
}
