//go:build unix

package search

import (
	"strings"
	"syscall"
	"testing"

	"codeintel/internal/problem"
)

// TestPathOfAPipe asks about a named pipe, which no rule of .gitignore leaves out.
func TestPathOfAPipe(t *testing.T) {
	e := open(t, map[string]string{"a.go": "package a\n"})
	if err := syscall.Mkfifo(e.p.Abs("x.go"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := e.Text(t.Context(), TextQuery{Pattern: OneOrMore{"a"}, Where: Where{Path: "x.go"}})
	p := problem.Of(err)
	if p == nil || !strings.Contains(p.Error(), "x.go is not a regular file") || len(p.Next) != 1 || !p.Next[0].Is("files.name_regular_file") {
		t.Errorf("the pipe is refused with %v", err)
	}
}
