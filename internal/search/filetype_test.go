package search

import (
	"testing"
)

func TestTestFile(t *testing.T) {
	for file, want := range map[string]bool{
		"a/b_test.go": true, "a/b.go": false, "test_x.py": true, "x_test.py": true, "tests/helpers.py": true, "latest.py": false,
		"src/x.test.ts": true, "src/x.spec.tsx": true, "src/__tests__/x.js": true, "src/contest.js": false,
		"src/test/java/FooTest.java": true, "src/main/java/Foo.java": false, "src/main/Latest.java": false, "FooTests.cs": true,
		"spec/foo_spec.rb": true, "testing.go": false, "src/KettleSpec.kt": true, "PriceSuite.scala": true, "inspec.kt": false, "pkg/testdata/a.go": true,
	} {
		if TestFile(file) != want {
			t.Errorf("TestFile(%q) = %v", file, !want)
		}
	}
}
