package regexpoutline

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"codeintel/internal/syntax/engine"
)

// TestOutlineRules compiles every row.
func TestOutlineRules(t *testing.T) {
	seen := make(map[engine.Language]bool)
	files := make(map[string]engine.Language)
	for _, o := range rows() {
		if seen[o.language] {
			t.Errorf("%s is there twice", o.language)
		}
		seen[o.language] = true
		rules, err := o.compileRules()
		if err != nil {
			t.Error(err)
			continue
		}
		for _, r := range rules {
			switch r.extent {
			case ofLine, ofBraces, ofIndent, ofEnd, ofAssigned, ofBrackets, ofNext, ofUntil, ofBack, ofList:
			default:
				t.Errorf("%s: no extent %q", o.language, r.extent)
			}
		}
		for _, file := range strings.Fields(o.files) {
			if other, ok := files[file]; ok {
				t.Errorf("%s: %s belongs to %s", o.language, file, other)
			}
			files[file] = o.language
		}
	}
}

func TestReadRow(t *testing.T) {
	for _, mistake := range []string{"coment: #", "prose: no", `members: "\q"`, "files"} {
		if err := new(outlineRow).read(mistake); err == nil {
			t.Errorf("%s is no mistake", mistake)
		}
	}
}

// TestCodeInTexts finds the names in code that is within texts, and no others.
func TestCodeInTexts(t *testing.T) {
	for _, tt := range []struct {
		language engine.Language
		src      string
		want     string
	}{
		{"hcl", `a = "x ${b["y"].c} $${d} ${e}"` + "\nf = \"\\\"${g\"\n", "a b c e f g"},
		{"dart", "a() => 'x $b ${c.d('y${e}')} z';\n", "a b c d e"},
		{"nix", "{ a = ''\n  x ${b \"y\"}\n  z\n''; }\n", "a b"},
		{"crystal", "a = \"#{b} c\" # d\n", "a b"},
		{"julia", "a = \"$(b(\"c\")) $d\"\n", "a b d"},
		{"fish", `echo "$a ${b}"`, "echo"},
	} {
		for _, spec := range Specs() {
			if spec.Name != tt.language {
				continue
			}
			var got []string
			for _, o := range spec.Read([]byte(tt.src), nil).Occurrences {
				got = append(got, o.Name)
			}
			if got := strings.Join(got, " "); got != tt.want {
				t.Errorf("%s: %s, want %s", tt.language, got, tt.want)
			}
		}
	}
	deep := strings.Repeat(`"${`, 1<<20)
	for _, spec := range Specs() {
		if spec.Name == "hcl" {
			spec.Read([]byte(deep), nil)
		}
	}
}

// TestListedNames reads what Perl exports, imports and inherits by names in texts.
func TestListedNames(t *testing.T) {
	src := "use parent -norequire, 'Shop::Base';\nuse Util 'round_up', \"pay :all\";\nour @EXPORT_OK = (\n" +
		"  'total', # 'comment'\n  qw(boil\n     &fill :tag -flag));\nprint 'printed', q(printed), qw/listed/;\n"
	i := slices.IndexFunc(Specs(), func(s *engine.Spec) bool { return s.Name == "perl" })
	f := Specs()[i].Read([]byte(src), nil)
	var got []string
	for _, o := range f.Occurrences {
		got = append(got, fmt.Sprintf("%s@%d:%d", o.Name, o.Line, o.Column))
	}
	want := "parent Shop Base Util round_up pay EXPORT_OK total boil fill listed"
	for _, name := range strings.Fields(want) {
		if !slices.ContainsFunc(got, func(g string) bool { return strings.HasPrefix(g, name+"@") }) {
			t.Errorf("%s is missing in %v", name, got)
		}
	}
	for _, name := range []string{"all", "tag", "flag", "comment", "printed", "qw"} {
		if slices.ContainsFunc(got, func(g string) bool { return strings.HasPrefix(g, name+"@") }) {
			t.Errorf("%s is no name: %v", name, got)
		}
	}
	if f.Imports[0].Path != "Shop::Base" {
		t.Errorf("imports %v", f.Imports)
	}
}

// TestManyDeclarations keeps so many declarations of a text, and says that there are more.
func TestManyDeclarations(t *testing.T) {
	for name, src := range map[string]string{
		"ini": strings.Repeat("a=\\\n", 2*maxSymbols), "ocaml": "type t = " + strings.Repeat("A | ", 2*maxSymbols) + "B\n",
	} {
		i := slices.IndexFunc(Specs(), func(s *engine.Spec) bool { return string(s.Name) == name })
		if i < 0 {
			t.Fatalf("no %s", name)
		}
		if f := Specs()[i].Read([]byte(src), nil); len(f.Symbols) > maxSymbols || len(f.Symbols) < maxSymbols/2 || f.Partial == "" {
			t.Errorf("%s: %d symbols, %q", name, len(f.Symbols), f.Partial)
		}
	}
}
