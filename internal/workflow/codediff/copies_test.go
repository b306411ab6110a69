package codediff

import (
	"testing"

	"codeintel/internal/workflow/codediff/weakening"
)

// TestCopies: a test of a function of its own, named like one that the change is about, finds nothing in that one.
func TestCopies(t *testing.T) {
	code := map[string]File{
		"shop.py":  {Base: []byte("def total(n):\n    return n\n"), New: []byte("def total(n):\n    return n * 2\n")},
		"shop.js":  {Base: []byte("export function total(n) {\n  return n;\n}\n"), New: []byte("export function total(n) {\n  return n * 2;\n}\n")},
		"shop.go":  {Base: []byte("package shop\n\nfunc total(n int) int { return n }\n"), New: []byte("package shop\n\nfunc total(n int) int { return n * 2 }\n")},
		"store.go": {Base: []byte("package store\n\nfunc (s *Store) Save(n int) int { return n }\n"), New: []byte("package store\n\nfunc (s *Store) Save(n int) int { return n * 2 }\n")},
		"store.py": {Base: []byte("class Store:\n    def save(self, n):\n        return n\n"), New: []byte("class Store:\n    def save(self, n):\n        return n * 2\n")},
	}
	for name, c := range map[string]struct {
		code, file, text string
		copies           bool
	}{
		"takes the place of what it imports":  {"shop.py", "tests/test_shop.py", "from shop import total\n\n\ndef total(n):\n    return n * 2\n\n\ndef test_total():\n    assert total(2) == 4\n", true},
		"imports the module alone":            {"shop.py", "tests/test_shop.py", "import shop\n\n\ndef total(n):\n    return n * 2\n\n\ndef test_total():\n    assert total(2) == 4\n", true},
		"has one inside":                      {"shop.py", "tests/test_shop.py", "import shop\n\n\ndef test_total():\n    def total(n):\n        return n * 2\n\n    assert total(2) == 4\n", true},
		"in JavaScript":                       {"shop.js", "test/shop.test.js", "import * as shop from '../shop';\n\nfunction total(n) {\n  return n * 2;\n}\n\ntest('total', () => {\n  expect(total(2)).toBe(4);\n});\n", true},
		"in Go":                               {"shop.go", "shop_test.go", "package shop_test\n\nimport \"testing\"\n\nfunc total(n int) int { return n * 2 }\n\nfunc TestTotal(t *testing.T) {\n\tif total(2) != 4 {\n\t\tt.Fatal()\n\t}\n}\n", true},
		"tests what it imports":               {"shop.py", "tests/test_shop.py", "from shop import total\n\n\ndef test_total():\n    assert total(2) == 4\n", false},
		"hands over to it":                    {"shop.py", "tests/test_shop.py", "import shop\n\n\ndef total(n):\n    return shop.total(n)\n\n\ndef test_total():\n    assert total(2) == 4\n", false},
		"has a class that stands in":          {"store.py", "tests/test_store.py", "import store\n\n\nclass Fake:\n    def save(self, n):\n        return 1\n\n\ndef test_save():\n    s = Fake()\n    assert s.save(2) == 1\n    assert store.Store().save(2) == 4\n", false},
		"has a method that stands in, in Go":  {"store.go", "store_test.go", "package store\n\nimport \"testing\"\n\ntype fake struct{}\n\nfunc (f *fake) Save(n int) int { return 1 }\n\nfunc TestSave(t *testing.T) {\n\tif (&Store{at: &fake{}}).Save(2) != 4 {\n\t\tt.Fatal()\n\t}\n}\n", false},
		"has a helper of another name":        {"shop.py", "tests/test_shop.py", "from shop import total\n\n\ndef double(n):\n    return n * 2\n\n\ndef test_total():\n    assert total(2) == double(2)\n", false},
		"has a helper that is given the test": {"shop.go", "store/store_test.go", "package store\n\nimport \"testing\"\n\nfunc total(t *testing.T, n int) int {\n\tt.Helper()\n\treturn Read(n)\n}\n\nfunc TestTotal(t *testing.T) {\n\tif total(t, 2) != 4 {\n\t\tt.Fatal()\n\t}\n}\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			changed := code[c.code]
			changed.Path = c.code
			copies := false
			for _, w := range Compare([]File{changed, {Path: c.file, Test: true, New: []byte(c.text)}}, nil).Weakened() {
				copies = copies || w.How == weakening.TestsCopy
				if w.How != weakening.TestsCopy {
					t.Errorf("%v", w)
				}
			}
			if copies != c.copies {
				t.Errorf("copies: %v", copies)
			}
		})
	}
}
