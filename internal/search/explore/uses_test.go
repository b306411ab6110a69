package explore

import (
	"slices"
	"strings"
	"testing"

	"codeintel/test/searchtest"
)

// TestUses asks for what holds a value: the lines of code that use it are shown, those first that share most
// with the question, and neither comments nor tests.
func TestUses(t *testing.T) {
	p, x, e := searchtest.Open(t, searchtest.Files(t, map[string]string{
		"options.rb": "module Options\n  mattr_accessor :sign_in_after_reset\n  @@sign_in_after_reset = true\nend\n",
		"passwords.rb": "class Passwords\n  # sign_in_after_reset is an option\n  def update\n" +
			"    return unless resource_class.sign_in_after_reset\n    sign_in\n  end\nend\n",
		"spec/passwords_spec.rb": "describe Passwords do\n  it { Options.sign_in_after_reset = false }\nend\n",
		"walker.py": "SKIPPED_NAMES = ['Thumbs.db', 'Desktop.ini']\n\n\ndef collect(paths, keep):\n    known = []\n    for p in paths:\n" +
			"        if not keep and p.name in SKIPPED_NAMES:\n            continue\n        known.append(p)\n" +
			strings.Repeat("        known.sort()\n", 20) + "    return known\n",
	}))
	explorer := New(p, x, e, nil)
	for query, want := range map[string]struct {
		tokens int
		text   string
	}{
		"sign_in_after_reset": {0, "options.rb:2 property Options.sign_in_after_reset\n2    mattr_accessor :sign_in_after_reset\n  used in:\n" +
			"    passwords.rb:4 Passwords.update (likely)  return unless resource_class.sign_in_after_reset\n" +
			"    options.rb:3 (likely)  @@sign_in_after_reset = true\n"},
		"where is Thumbs.db listed": {250, "  used in:\n    :7 collect  if not keep and p.name in SKIPPED_NAMES:\n"},
	} {
		a, err := explorer.Explore(t.Context(), Query{Query: query, MaxTokens: want.tokens})
		if err != nil {
			t.Fatal(err)
		}
		holdsAll(t, a)
		if !strings.Contains(a.Text(), want.text) || strings.Contains(a.Text(), "is an option") || strings.Contains(a.Text(), "= false") {
			t.Errorf("%s: want %q:\n%s", query, want.text, a.Text())
		}
	}
}

// TestCallersOfWrapper asks for a function that a short wrapper calls: the answer names who calls the wrapper.
func TestCallersOfWrapper(t *testing.T) {
	p, x, e := searchtest.Open(t, searchtest.Files(t, map[string]string{
		"go.mod": "module example.com/a\n\ngo 1.22\n",
		"auth.go": "package a\n\nfunc evaluate(name string) bool { return name != \"\" }\n\nfunc evaluateOrFail(name string) {\n" +
			"\tif !evaluate(name) {\n\t\tpanic(name)\n\t}\n}\n\n// RequireAdmin wants an admin.\nfunc RequireAdmin() { evaluateOrFail(\"admin\") }\n",
	}))
	a, err := New(p, x, e, nil).Explore(t.Context(), Query{Query: "evaluate"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "  called by: :12 RequireAdmin\n"; !strings.Contains(a.Text(), want) {
		t.Errorf("want %q:\n%s", want, a.Text())
	}
}

// TestUsesOfOneOfSeveral asks for a field whose name another type has as well: only the lines that mean the one that
// was asked for are shown, and each of two fields has its own.
func TestUsesOfOneOfSeveral(t *testing.T) {
	p, x, e := searchtest.Open(t, searchtest.Files(t, map[string]string{
		"go.mod": "module example.com/a\n\ngo 1.22\n",
		"a.go": "package a\n\ntype Config struct {\n\tName  string\n\tRetry int\n}\n\ntype Person struct {\n\tName  string\n\tRetry int\n}\n\n" +
			"func Greet(p *Person) string { return p.Name }\n\nfunc Open(c *Config) string { return c.Name }\n",
	}))
	for query, want := range map[string]string{
		"Config.Name":  "4  \tName  string\n  used in:\n    :15 Open  func Open(c *Config) string { return c.Name }\n",
		"Config.Retry": "5  \tRetry int\n",
		"Name": "4  \tName  string\n  used in:\n    :15 Open  func Open(c *Config) string { return c.Name }\n" +
			"a.go:9 field Person.Name\n9  \tName  string\n  used in:\n    :13 Greet  func Greet(p *Person) string { return p.Name }\n",
	} {
		a, err := New(p, x, e, nil).Explore(t.Context(), Query{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(a.Text(), want) {
			t.Errorf("%s: want at the end %q:\n%s", query, want, a.Text())
		}
		if facts := a.Observed(); query == "Config.Name" && !slices.Equal(facts.Callers, []string{"Open"}) {
			t.Errorf("callers that an agent saw: %q", facts.Callers)
		}
	}
}
