package search

import (
	"testing"

	"codeintel/internal/syntax"
)

func TestTestFile(t *testing.T) {
	for file, want := range map[string]bool{
		"a/b_test.go": true, "a/b.go": false, "test_x.py": true, "x_test.py": true, "tests/helpers.py": true, "latest.py": false,
		"src/x.test.ts": true, "src/x.spec.tsx": true, "src/__tests__/x.js": true, "src/contest.js": false,
		"src/test/java/FooTest.java": true, "src/main/java/Foo.java": false, "src/main/Latest.java": false, "FooTests.cs": true,
		"spec/foo_spec.rb": true, "testing.go": false, "src/KettleSpec.kt": true, "PriceSuite.scala": true, "inspec.kt": false, "pkg/testdata/a.go": true,
		"Shop.Tests/Cart.cs": true, "Shop.Tests.Web/Cart.cs": true, "src/Shop.IntegrationTests/Cart.cs": true, "UnitTests/Cart.cs": true,
		"Shop.TestAdapter/Cart.cs": false, "Contests/Cart.cs": false,
		"t/mojo/transactor.t": true, "t/lib/Helper.pm": true, "pkg/t/Table.pm": false, "test.bats": true, "src/http_SUITE.erl": true, "src/http.erl": false, "src/x.tt": false,
	} {
		if TestFile(file) != want {
			t.Errorf("TestFile(%q) = %v", file, !want)
		}
	}
}

func TestTestPlace(t *testing.T) {
	for _, c := range []struct {
		file, scope string
		want        bool
	}{
		{"src/keymap.rs", "tests", true}, {"src/keymap.rs", "merge_tests.Case", true}, {"src/a/test.rs", "", true},
		{"src/keymap.rs", "", false}, {"src/keymap.rs", "Keymap", false}, {"src/contest.rs", "latest", false},
		{"src/keymap.ts", "tests", false}, {"a_test.go", "", true},
	} {
		if TestPlace(c.file, c.scope) != c.want {
			t.Errorf("TestPlace(%q, %q) = %v", c.file, c.scope, !c.want)
		}
	}
}

// A header belongs to each language that it may be of, a script to the one that it names.
func TestHeadersOfAType(t *testing.T) {
	e := open(t, map[string]string{"cord.h": "class Cord {};\n", "a.py": "x = 1\n", "go": "#!/bin/sh\n# class Cord\n"})
	for name, want := range map[string]int{"cpp": 1, "c": 1, "h": 1, "python": 0, "bash": 1} {
		a, err := e.Text(t.Context(), TextQuery{Pattern: OneOrMore{"class Cord"}, FileType: name})
		if err != nil || a.Total != want {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
	a, err := e.Files(t.Context(), FilesQuery{Pattern: "*"})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range a.Files {
		if want := map[string]syntax.Language{"cord.h": syntax.CPP, "a.py": syntax.Python, "go": syntax.Bash}[f.File]; f.Language != want {
			t.Errorf("%s: %s, want %s", f.File, f.Language, want)
		}
	}
}
