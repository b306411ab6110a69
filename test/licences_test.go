package test

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// licences tell a licence by sentences that no other has, the most telling first.
var licences = []struct {
	name  string
	words []string
	tests bool // only what tests need may have it
}{
	{"Apache-2.0", []string{"Apache License", "Version 2.0"}, false},
	{"MPL-2.0", []string{"Mozilla Public License", "2.0"}, true},
	{"MIT", []string{"Permission is hereby granted, free of charge", "The above copyright notice and this permission notice"}, false},
	{"BSD-3-Clause", []string{"Redistribution and use in source and binary forms", "may be used to endorse or promote"}, false},
	{"BSD-2-Clause", []string{"Redistribution and use in source and binary forms"}, false},
	{"ISC", []string{"Permission to use, copy, modify, and/or distribute"}, false},
}

// TestLicences reads the licence of every module that the program or its tests are made of,
// checks it against those that are allowed, and against docs/design/dependencies.md where the
// module is a direct dependency.
func TestLicences(t *testing.T) {
	rows := make(map[string]string) // licence by module, as the page says
	tests := make(map[string]bool)  // the page has it among those of tests
	for _, r := range read(t, "design/dependencies.md") {
		for _, module := range unfolded(r.cells[0]) {
			rows[module], tests[module] = r.cells[2], strings.Contains(r.cells[1], "tests")
		}
	}
	program := modules(t, "./cmd/code-intel")
	for module, dir := range modules(t, "-test", "./...") {
		names, text := licenceOf(t, dir)
		if len(names) == 0 {
			t.Errorf("%s has no licence that is allowed:\n%.300s", module, text)
			continue
		}
		_, shipped := program[module]
		for _, l := range licences {
			if l.tests && shipped && slices.Equal(names, []string{l.name}) {
				t.Errorf("%s is part of the program and has the licence %s, which only tests may", module, l.name)
			}
		}
		if !direct(t)[module] {
			continue
		}
		said, ok := rows[module]
		for prefix, licence := range rows { // the row may name a package of the module
			if strings.HasPrefix(prefix, module+"/") && !ok {
				said, ok = licence, true
			}
		}
		if !ok {
			t.Errorf("docs/design/dependencies.md has no row for %s (%s)", module, names)
		} else if !slices.ContainsFunc(names, func(n string) bool { return strings.Contains(said, n) }) {
			t.Errorf("docs/design/dependencies.md says that %s has the licence %q; its own files say %s", module, said, names)
		}
	}
}

// modules returns the folders of the modules that packages are made of, without our own.
func modules(t *testing.T, packages ...string) map[string]string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Dir}}{{end}}{{end}}"}, packages...)...)
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	all := make(map[string]string)
	for line := range strings.Lines(string(out)) {
		if module, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			all[module] = dir
		}
	}
	return all
}

// direct are the modules that go.mod requires for our own imports.
func direct(t *testing.T) map[string]bool {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]bool)
	for _, m := range regexp.MustCompile(`(?m)^(?:require )?\s*(\S+\.\S+/\S+) v\S+(.*)$`).FindAllStringSubmatch(string(data), -1) {
		all[m[1]] = !strings.Contains(m[2], "indirect")
	}
	return all
}

// unfolded returns the modules that a cell of the page names: "a/{b,c}" is two.
func unfolded(cell string) (all []string) {
	head, rest, ok := strings.Cut(cell, "{")
	if !ok {
		return []string{cell}
	}
	inner, tail, _ := strings.Cut(rest, "}")
	for name := range strings.SplitSeq(inner, ",") {
		all = append(all, head+strings.TrimSpace(name)+tail)
	}
	return all
}

// licenceOf returns the licences that the files of a module say it has, and the text of one.
func licenceOf(t *testing.T, dir string) (names []string, text string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	space := regexp.MustCompile(`\s+`)
	for _, e := range entries {
		if ok, _ := path.Match("LICENSE*", strings.ToUpper(e.Name())); !ok {
			continue
		}
		data, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		text = space.ReplaceAllString(string(data), " ")
		for _, l := range licences {
			if !slices.ContainsFunc(l.words, func(w string) bool { return !strings.Contains(text, w) }) &&
				(l.name != "BSD-2-Clause" || !slices.Contains(names, "BSD-3-Clause")) {
				names = append(names, l.name)
			}
		}
	}
	return names, text
}
