package syntax

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"codeintel/internal/syntax/engine"
	"codeintel/test/golden"
)

// TestGolden reads every source under testdata and compares what was found
// with the .golden file beside it.
func TestGolden(t *testing.T) {
	sources, err := filepath.Glob("testdata/*/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range sources {
		if strings.HasSuffix(source, ".golden") || filepath.Base(filepath.Dir(source)) == "fuzz" {
			continue
		}
		t.Run(filepath.Base(source), func(t *testing.T) {
			src, err := os.ReadFile(source)
			if err != nil {
				t.Fatal(err)
			}
			f, err := Parse(Detect(source, src), src)
			if err != nil {
				t.Fatal(err)
			}
			checkFile(t, f, src)
			golden.Hold(t, source+".golden", goldenText(f, src))
		})
	}
}

// goldenText writes all of a File for people to read and compare.
func goldenText(f *File, src []byte) string {
	var b strings.Builder
	fmt.Fprintf(&b, "language %s\n", f.Language)
	if f.Partial != "" {
		fmt.Fprintf(&b, "partial %s\n", f.Partial)
	}
	b.WriteString("\n-- symbols --\n")
	depth := make([]int, len(f.Symbols))
	for i, s := range f.Symbols {
		if s.Parent >= 0 {
			depth[i] = depth[s.Parent] + 1
		}
		mark := ""
		if s.Exported {
			mark = " exported"
		}
		if s.DocStart != s.Start {
			mark += fmt.Sprintf(" doc@%d", 1+strings.Count(string(src[:s.DocStart]), "\n"))
		}
		fmt.Fprintf(&b, "%s%s %s %d-%d @%d:%d scope=%q%s\n", strings.Repeat("  ", depth[i]), s.Kind, s.Name, s.StartLine, s.EndLine, s.NameLine, s.NameColumn, s.Scope, mark)
		fmt.Fprintf(&b, "%s    %s\n", strings.Repeat("  ", depth[i]), s.Signature)
		if s.Doc != "" {
			fmt.Fprintf(&b, "%s    doc: %q\n", strings.Repeat("  ", depth[i]), s.Doc)
		}
	}
	b.WriteString("\n-- imports --\n")
	for _, i := range f.Imports {
		fmt.Fprintf(&b, "%d %q as %q %q\n", i.Line, i.Path, i.Alias, i.Names)
	}
	if len(f.Blocks) > 0 {
		b.WriteString("\n-- blocks --\n")
	}
	for _, bl := range f.Blocks {
		fmt.Fprintf(&b, "%.50q\n", src[bl.Start:bl.End])
	}
	b.WriteString("\n-- occurrences --\n")
	line := 0
	for _, o := range f.Occurrences {
		if o.Line != line {
			if line > 0 {
				b.WriteByte('\n')
			}
			line = o.Line
			fmt.Fprintf(&b, "%d:", line)
		}
		name := o.Name
		if o.Qualifier != "" {
			name = o.Qualifier + "." + name
		}
		role := string(o.Role)
		if o.Local {
			role += ",local"
		}
		fmt.Fprintf(&b, " %s(%s", name, role)
		if o.Role == Definition && o.Symbol >= 0 && !o.Local {
			fmt.Fprintf(&b, " #%s", f.Symbols[o.Symbol].Name)
		}
		b.WriteByte(')')
	}
	b.WriteByte('\n')
	return b.String()
}

// checkFile checks a File against what its types promise.
func checkFile(t *testing.T, f *File, src []byte) {
	t.Helper()
	lines := engine.LineStarts(nil, src)
	for i, s := range f.Symbols {
		switch {
		case s.Start < 0 || s.End > len(src) || s.Start > s.End || s.DocStart > s.Start || s.DocStart < 0:
			t.Errorf("symbol %s: bytes %d..%d-%d of %d", s.Name, s.DocStart, s.Start, s.End, len(src))
		case s.Parent >= i || s.Parent < -1:
			t.Errorf("symbol %d %s has the parent %d", i, s.Name, s.Parent)
		case s.StartLine < 1 || s.EndLine < s.StartLine || s.EndLine > len(lines):
			t.Errorf("symbol %s: lines %d-%d of %d", s.Name, s.StartLine, s.EndLine, len(lines))
		case s.NameLine < s.StartLine || s.NameLine > s.EndLine:
			t.Errorf("symbol %s: named on line %d of %d-%d", s.Name, s.NameLine, s.StartLine, s.EndLine)
		case registered().languages[f.Language].Rules != nil && !stands(s, src, lines):
			t.Errorf("symbol %q does not stand at %d:%d", s.Name, s.NameLine, s.NameColumn)
		case len([]rune(s.Signature)) > engine.MaxSignature || strings.Contains(s.Signature, "\n"):
			t.Errorf("symbol %s: signature %q", s.Name, s.Signature)
		case len([]rune(s.Doc)) > engine.MaxDoc:
			t.Errorf("symbol %s: doc of %d bytes", s.Name, len(s.Doc))
		}
	}
	for _, o := range f.Occurrences {
		at := int(lines[o.Line-1]) + o.Column - 1
		if at > len(src) {
			t.Errorf("occurrence %+v is behind the end", o)
			continue
		}
		if !bytes.HasPrefix(src[at:], []byte(o.Name)) && !strings.HasPrefix(strings.Join(strings.Fields(string(src[at:])), " "), o.Name) {
			t.Errorf("occurrence %+v is not there", o)
		}
		if o.Symbol >= len(f.Symbols) {
			t.Errorf("occurrence %+v: %d symbols", o, len(f.Symbols))
		}
	}
	last := 0
	for _, b := range f.Blocks {
		if b.Start < last || b.End <= b.Start || b.End > len(src) {
			t.Errorf("block %+v after %d", b, last)
		}
		last = b.End
	}
}

// is says whether the name of a symbol is where it is said to. What has no
// name, a constructor or an operator, has its word there, and a destructor the name
// of its class.
func stands(s Symbol, src []byte, lines []uint32) bool {
	if s.NameLine < 1 || s.NameLine > len(lines) || s.NameColumn < 1 {
		return false
	}
	at := int(lines[s.NameLine-1]) + s.NameColumn - 1
	if at > len(src) {
		return false
	}
	name := strings.Fields(strings.TrimSuffix(s.Name, "[]"))
	if len(name) > 0 && !bytes.HasPrefix(src[at:], []byte("~")) {
		name[0] = strings.TrimPrefix(name[0], "~")
	}
	there := src[at:]
	for _, word := range name {
		there = bytes.TrimLeft(there, " \t\r\n")
		if !bytes.HasPrefix(there, []byte(word)) {
			return false
		}
		there = there[len(word):]
	}
	return true
}

// TestRules compiles every row: a kind or field that its grammar does not have
// is an error.
func TestRules(t *testing.T) {
	for lang, s := range registered().languages {
		if s.Rules == nil {
			continue
		}
		if _, err := s.Program(); err != nil {
			t.Errorf("%s:\n%v", lang, err)
		}
	}
}
