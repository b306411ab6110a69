package ranking

import (
	"fmt"
	"slices"
	"testing"

	"codeintel/internal/text/question"
)

// TestShape marks files down by what the repository looks like that they lie in.
func TestShape(t *testing.T) {
	many := func(n int, form string) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprintf(form, i))
		}
		return list
	}
	for _, c := range []struct {
		name       string
		files      []string
		up, marked []string // files that nothing speaks against, and such that something does
	}{
		{"a product in samples", slices.Concat(many(9, "samples/shop/a%d.java"), many(20, "samples/shop/src/test/java/A%dTest.java"), many(3, "tools/b%d.java")),
			[]string{"samples/shop/a1.java", "tools/b1.java"}, []string{"samples/shop/src/test/java/A1Test.java"}},
		{"a few samples", slices.Concat(many(9, "src/a%d.py"), many(3, "samples/b%d.py")), []string{"src/a1.py"}, []string{"samples/b1.py"}},
		{"samples in the name of a package", many(5, "src/main/java/org/spring/samples/a%d.java"), []string{"src/main/java/org/spring/samples/a1.java"}, nil},
		{"a demo that is all there is", many(5, "demo/a%d.ts"), []string{"demo/a1.ts"}, nil},
		{"documentation of a library", slices.Concat(many(9, "lib/a%d.rb"), many(4, "doc/b%d.rb")), []string{"lib/a1.rb"}, []string{"doc/b1.rb"}},
		{"built files beside their source", slices.Concat(many(9, "src/a%d.js"), many(2, "dist/a%d.js")), []string{"src/a1.js"}, []string{"dist/a1.js"}},
		{"nothing but built files", slices.Concat(many(5, "dist/a%d.js"), many(4, "test/a%d.test.js")), []string{"dist/a1.js"}, []string{"test/a1.test.js"}},
		{"a package that helps to test", slices.Concat(many(6, "shop/a%d.py"), many(4, "shop/test/b%d.py"), many(30, "tests/t/test_%d.py")),
			[]string{"shop/test/b1.py"}, []string{"tests/t/test_1.py"}},
		{"the same in one of several products", slices.Concat(many(6, "core/lib/shop/a%d.rb"), many(3, "core/lib/shop/testing/b%d.rb"), many(9, "core/test/%d_test.rb"), many(90, "web/lib/c%d.rb")),
			[]string{"core/lib/shop/testing/b1.rb"}, []string{"core/test/1_test.rb"}},
		{"tests beside their packages", slices.Concat(many(6, "shop/a%d.py"), many(4, "shop/tests/test_b%d.py"), []string{"shop/tests/helper.py"}, many(9, "tests/test_%d.py")),
			nil, []string{"shop/tests/test_b1.py", "shop/tests/helper.py"}},
		{"fixtures", slices.Concat(many(6, "shop/a%d.py"), many(4, "shop/fixtures/b%d.py"), many(9, "tests/test_%d.py")), nil, []string{"shop/fixtures/b1.py"}},
		{"modules that are called like tests", slices.Concat(many(6, "shop/a%d.py"), []string{"shop/test_runner.py", "shop/test_a3.py"}, many(9, "tests/test_%d.py")),
			[]string{"shop/test_runner.py"}, []string{"shop/test_a3.py", "tests/test_1.py"}},
		{"tests beside the code", slices.Concat(many(6, "shop/a%d.py"), many(6, "shop/test_a%d.py")), []string{"shop/a1.py"}, []string{"shop/test_a1.py"}},
		{"one file and its test", []string{"shop.py", "setup.py", "test_shop.py"}, []string{"shop.py"}, []string{"test_shop.py"}},
		{"a module of Maven called like a test", slices.Concat(many(4, "spring-test/src/main/java/a/B%d.java"), many(9, "core/src/main/java/C%d.java"), many(3, "core/src/test/java/C%dTest.java")),
			[]string{"spring-test/src/main/java/a/B1.java"}, []string{"core/src/test/java/C1Test.java"}},
		{"tests of other frameworks", slices.Concat(many(9, "src/A%d.php"), []string{"acceptance/LoginCest.php", "acceptance/LoginCept.php", "src/A1Suite.scala", "web/a.spec.ts"}),
			[]string{"src/A1.php"}, []string{"acceptance/LoginCest.php", "acceptance/LoginCept.php", "src/A1Suite.scala", "web/a.spec.ts"}},
	} {
		s := ShapeOf(slices.Values(c.files))
		for _, p := range c.up {
			if m := s.Mark(&question.Question{}, p); m != 0 {
				t.Errorf("%s: %s is marked %b", c.name, p, m)
			}
		}
		for _, p := range c.marked {
			if m := s.Mark(&question.Question{}, p); m == 0 {
				t.Errorf("%s: nothing speaks against %s", c.name, p)
			}
		}
	}
}
