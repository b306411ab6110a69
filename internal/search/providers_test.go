package search

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protowire"

	"codeintel/internal/platform/softdeadline"
	"codeintel/internal/resolve"
)

// scipIndex writes an index in SCIP format of one document: lines of "line start end
// symbol", from 0, with " def" after a definition.
func scipIndex(path string, lines ...string) []byte {
	document := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), path)
	for _, line := range lines {
		f := strings.Fields(line)
		var at []byte
		for _, n := range f[:3] {
			at = append(at, n[0]-'0')
			if len(n) > 1 {
				at[len(at)-1] = at[len(at)-1]*10 + n[1] - '0'
			}
		}
		o := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), at)
		o = protowire.AppendString(protowire.AppendTag(o, 2, protowire.BytesType), "x . . . "+f[3])
		if len(f) > 4 {
			o = protowire.AppendVarint(protowire.AppendTag(o, 3, protowire.VarintType), 1)
		}
		document = protowire.AppendBytes(protowire.AppendTag(document, 2, protowire.BytesType), o)
	}
	return protowire.AppendBytes(protowire.AppendTag(nil, 2, protowire.BytesType), document)
}

// TestExact asks in a language whose names are not inferred: what an index in SCIP
// format says goes before names.
func TestExact(t *testing.T) {
	const code = "Tea = {}\nCup = {}\nfunction Tea.pour(t) end\nfunction Cup.pour(c) end\n" +
		"local function serve(a, b)\n  a.pour(a)\n  b.pour(b)\nend\n"
	index := scipIndex("tea.lua",
		"2 13 17 Tea#pour(). def", "3 13 17 Cup#pour(). def", "5 4 8 Tea#pour().", "6 4 8 Cup#pour().")
	ask := func(e *Engine) string {
		t.Helper()
		a, err := e.References(softdeadline.WithProgress(t.Context(), nil), ReferencesQuery{Symbol: "Tea.pour"})
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for _, r := range a.References {
			list = append(list, r.Content+" "+string(r.Confidence))
		}
		if !a.Complete {
			list = append(list, "incomplete")
		}
		return strings.Join(list, "; ")
	}
	if got := ask(open(t, map[string]string{"tea.lua": code})); strings.Contains(got, "certain") {
		t.Fatalf("without an index: %s", got)
	}
	e := open(t, map[string]string{"tea.lua": code, "index.scip": string(index)})
	if got, want := ask(e), "a.pour(a) certain"; got != want {
		t.Errorf("with an index: got %s, want %s", got, want)
	}
	if err := os.WriteFile(e.p.Abs("index.scip"), []byte("no index"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := ask(e); !strings.Contains(got, "a.pour(a)") || !strings.HasSuffix(got, "incomplete") {
		t.Errorf("with a damaged index: %s", got)
	}
}

// A provider may take the tag of a structure and the typedef that repeats it for two things:
// it is asked about both, wherever one of them is pointed at.
func TestExactTag(t *testing.T) {
	e := open(t, map[string]string{
		"tea.c": "typedef struct tea {\n  struct tea *next;\n} tea;\ntea *brew(void);\ntea *brew(void) { return 0; }\n",
	})
	for _, tt := range []struct {
		name  string
		place resolve.Position
		also  []resolve.Position
	}{
		{"tea", resolve.Position{File: "tea.c", Line: 1, Column: 16}, []resolve.Position{{File: "tea.c", Line: 3, Column: 3}}},
		{"tea", resolve.Position{File: "tea.c", Line: 3, Column: 3}, []resolve.Position{{File: "tea.c", Line: 1, Column: 16}}},
		{"brew", resolve.Position{File: "tea.c", Line: 4, Column: 6}, nil},
	} {
		_, err := e.References(softdeadline.WithProgress(t.Context(), nil), ReferencesQuery{Symbol: tt.name}) // reads the file
		if err != nil {
			t.Fatal(err)
		}
		src := e.sources()
		q := ReferencesQuery{Symbol: tt.name, FilePath: tt.place.File, Line: tt.place.Line, Column: tt.place.Column}
		m, err := e.subjectOf(t.Context(), q, src)
		if err != nil {
			t.Fatal(err)
		}
		names, err := e.resolve(t.Context(), m, e.resolver(t.Context(), m, src))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.also, m.repeated(names)); diff != "" {
			t.Errorf("%s at line %d (-want +got):\n%s", tt.name, tt.place.Line, diff)
		}
	}
}
