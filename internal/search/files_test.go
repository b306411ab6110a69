package search

import (
	"context"
	"strings"
	"testing"

	"codeintel/internal/problem"
)

func TestFiles(t *testing.T) {
	e := textEngine(t, map[string]string{
		"cmd/server/main.go": "x", "internal/server/handler.go": "x", "internal/server/handler_test.go": "x",
		"internal/serverhandler.go": "x", "web/src/ServerHandler.tsx": "x", "web/node_modules/x/server.js": "x",
		"docs/server handler.md": "x", "README.md": "x",
	})
	for _, tt := range []struct {
		q    FilesQuery
		want string
	}{
		{FilesQuery{Pattern: "*.go"}, "cmd/server/main.go internal/server/handler.go internal/serverhandler.go internal/server/handler_test.go"},
		{FilesQuery{Pattern: "internal/*.go"}, "internal/serverhandler.go"},
		{FilesQuery{Pattern: "internal/**"}, "internal/server/handler.go internal/serverhandler.go internal/server/handler_test.go"},
		{FilesQuery{Pattern: "**/*.{md,tsx}"}, "README.md|docs/server handler.md|web/src/ServerHandler.tsx"},
		{FilesQuery{Pattern: "handler.go"}, "internal/server/handler.go internal/serverhandler.go"},
		{FilesQuery{Pattern: "srvhandler", FileType: "go"}, "internal/serverhandler.go internal/server/handler.go internal/server/handler_test.go"},
		{FilesQuery{Pattern: "server main"}, "cmd/server/main.go"},
		{FilesQuery{Pattern: "server handler", Where: Where{Path: "docs"}}, "docs/server handler.md"},
		{FilesQuery{Pattern: "[x]", Match: FuzzyMatch}, ""},
	} {
		a, err := e.Files(context.Background(), tt.q)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range a.Files {
			names = append(names, f.File)
		}
		sep := " "
		if strings.Contains(tt.want, "|") {
			sep = "|"
		}
		if got := strings.Join(names, sep); got != tt.want {
			t.Errorf("%+v:\n got %s\nwant %s", tt.q, got, tt.want)
		}
	}
}

func TestFilesSuggestsAndRefuses(t *testing.T) {
	e := textEngine(t, map[string]string{"internal/server.go": "x"})
	a, err := e.Files(context.Background(), FilesQuery{Pattern: "sevrer.go"})
	if err != nil {
		t.Fatal(err)
	}
	if a.Total != 0 || !a.Observed().Empty || !strings.Contains(a.Text(), "did you mean internal/server.go?") {
		t.Errorf("no suggestion: %s", a.Text())
	}
	for _, q := range []FilesQuery{{}, {Pattern: "{a"}, {Pattern: "x", Match: "regex"}, {Pattern: "x", Page: Page{Limit: 5000}}} {
		if _, err := e.Files(context.Background(), q); problem.Of(err) == nil {
			t.Errorf("%+v: %v, want a Problem", q, err)
		}
	}
}
