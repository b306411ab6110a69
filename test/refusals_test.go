package test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRefusalsPage wants docs/guide/refusals-and-reports.md to say what to do about
// every code that a session can refuse a call with, and to name no other.
func TestRefusalsPage(t *testing.T) {
	said := make(map[string]bool)
	for _, r := range read(t, "guide/refusals-and-reports.md") {
		if strings.Contains(r.section, "What to do") {
			for _, m := range code.FindAllStringSubmatch(r.cells[0], -1) {
				said[m[1]] = true
			}
		}
	}
	declared := regexp.MustCompile(`problem\.Code\s+= "([a-z_]+)"|\bCode = "([a-z_]+)"|\s+Code\s+= "([a-z_]+)"`)
	there := make(map[string]bool)
	for _, dir := range []string{"session", "taskbranch", "approval", "audit", "trust", "text/requestslots", "problem", "mcp", "project", "index"} {
		err := filepath.WalkDir(filepath.Join(root, "internal", dir), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
				there[m[1]+m[2]+m[3]] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name := range there {
		if !said[name] {
			t.Errorf("the page does not say what to do about %s", name)
		}
	}
	for name := range said {
		if !there[name] {
			t.Errorf("the page speaks of %s, which nothing refuses with", name)
		}
	}
}
