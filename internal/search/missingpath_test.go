package search

import (
	"slices"
	"strings"
	"testing"

	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/search/symbolname"
)

func TestNear(t *testing.T) {
	names := []string{"NewReader", "NewWriter", "newReader", "Read", "ReadAll", "Handler", "ServeHTTP"}
	for _, tt := range []struct{ in, want string }{
		{"NewRaeder", "NewReader newReader"},
		{"readall", "ReadAll Read"},
		{"ServeHttp", "ServeHTTP"},
		{"Zzzz", ""},
	} {
		if got := strings.Join(symbolname.Near(tt.in, names, 2), " "); got != tt.want {
			t.Errorf("near %s: %s, want %s", tt.in, got, tt.want)
		}
	}
}

// TestPathForSymbol holds what is said of the path of a file where a symbol is asked for.
func TestPathForSymbol(t *testing.T) {
	e := open(t, map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n", "plugin/manager.go": "package plugin\n\nfunc Load() {}\n",
		"Makefile": "GO = go\nall:\n\t$(GO) build\n", "web/NavBar.vue": "<template><b/></template>\n",
		"web/app.ts": "export const a = req.go\n",
	})
	for _, c := range []struct{ asked, file string }{
		{"plugin/manager.go", "plugin/manager.go"}, {`plugin\manager.go`, "plugin/manager.go"}, {"manager.go:3", "plugin/manager.go"},
		{"./web/app.ts", "web/app.ts"}, {"NavBar", "web/NavBar.vue"}, {"plugin/none.go", ""}, {"manager.Load", ""},
	} {
		want := c.file + " is a file: "
		d, err := e.Definitions(t.Context(), DefinitionsQuery{Symbol: c.asked})
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.References(t.Context(), ReferencesQuery{Symbol: c.asked})
		if err != nil {
			t.Fatal(err)
		}
		if c.file == "" {
			if strings.Contains(d.Text()+r.Text(), " is a file: ") {
				t.Errorf("%s: %s%s", c.asked, d.Text(), r.Text())
			}
			continue
		}
		if !strings.Contains(d.Text(), want) || !strings.Contains(r.Text(), want) || r.Total > 0 {
			t.Errorf("%s: %s%s", c.asked, d.Text(), r.Text())
		}
	}
}

// TestSymbolForPath says how a symbol is found where the path of a file is asked for.
func TestSymbolForPath(t *testing.T) {
	e := open(t, map[string]string{"a/b.go": "package a\n\nfunc Load() {}\n"})
	for asked, want := range map[string]bool{"Load": true, "a/c.go": false, "c.go": false} {
		_, err := e.Structure(t.Context(), StructureQuery{Where: Where{Path: asked}})
		p := problem.Of(err)
		if p == nil {
			t.Fatalf("%s: %v", asked, err)
		}
		if got := slices.ContainsFunc(p.Next, func(m msg.Message) bool { return m.Key() == "search.perhaps_symbol" }); got != want {
			t.Errorf("%s: names the way to a symbol: %t", asked, got)
		}
	}
}
