package dependencies

import (
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/audit/shown"
	"codeintel/internal/search"
)

// Text gives the answer for people and models: what is of the project first, each with
// its lines, then what lies outside.
func (a *Answer) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", a.Path)
	if a.asked != Imports {
		fmt.Fprintf(&b, ": imported by %s", a.Counted(a.Importing, "file", "s"))
	}
	b.WriteByte('\n')
	a.writeImports(&b)
	a.writeImporters(&b)
	return b.String() + search.Coverage{NextCursor: a.NextCursor, Remarks: a.Remarks}.Text()
}

func (a *Answer) writeImports(b *strings.Builder) {
	var outside, missing []string
	heading := "imports:\n"
	for i := range a.Imports {
		d := &a.Imports[i]
		at := fmt.Sprintf("line %d", d.Line)
		if d.File != "" {
			at = fmt.Sprintf("%s:%d", d.File, d.Line)
		}
		switch {
		case len(d.Files) > 0 || d.Folder != "":
			b.WriteString(heading)
			heading = ""
			names := strings.Join(d.Files, " ")
			if d.Folder != "" {
				names = d.Folder + "/"
			}
			if d.More > 0 {
				names += fmt.Sprintf(" and %d more", d.More)
			}
			fmt.Fprintf(b, "  %s (%s: %s%s)\n", names, at, d.Name, perhaps(d.Guessed))
		case d.Missing:
			missing = append(missing, fmt.Sprintf("%s (%s)", d.Name, at))
		case !slices.Contains(outside, d.Outside):
			outside = append(outside, d.Outside)
		}
	}
	if len(outside) > 0 {
		fmt.Fprintf(b, "from outside: %s\n", strings.Join(outside, ", "))
	}
	if len(missing) > 0 {
		fmt.Fprintf(b, "not in the project: %s\n", strings.Join(missing, ", "))
	}
}

func (a *Answer) writeImporters(b *strings.Builder) {
	for i := 0; i < len(a.ImportedBy); {
		d := &a.ImportedBy[i]
		if i == 0 || d.Test != a.ImportedBy[i-1].Test {
			heading := "imported by"
			if d.Test {
				heading = "imported by tests"
			}
			fmt.Fprintf(b, "%s:\n", heading)
		}
		var lines []string
		guessed := true
		j := i
		for ; j < len(a.ImportedBy) && a.ImportedBy[j].File == d.File; j++ {
			lines = append(lines, fmt.Sprint(a.ImportedBy[j].Line))
			guessed = guessed && a.ImportedBy[j].Guessed
		}
		fmt.Fprintf(b, "  %s:%s%s\n", d.File, strings.Join(slices.Compact(lines), ","), perhaps(guessed))
		i = j
	}
}

func perhaps(guessed bool) string {
	if guessed {
		return ", likely"
	}
	return ""
}

// Observed tells which file was asked about; lines of importers are shown by their number
// alone.
func (a *Answer) Observed() shown.Facts {
	f := shown.Facts{Asked: []string{a.Path}, Empty: a.Total == 0}
	return f
}
