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
	for i, u := range a.UsedBy {
		if i == 0 {
			b.WriteString("used without an import by:\n")
		}
		fmt.Fprintf(&b, "  %s:%s, %s\n", u.File, strings.Trim(strings.ReplaceAll(fmt.Sprint(u.Lines), " ", ","), "[]"), u.Reason)
	}
	return b.String() + search.Coverage{NextCursor: a.NextCursor, Remarks: a.Remarks}.Text()
}

// A use is what is imported, as it is shown, and all places that import it.
type use struct {
	what    string
	at      []*Import
	guessed bool
}

func (a *Answer) writeImports(b *strings.Builder) {
	var uses []*use
	of := map[string]*use{}
	var outside, missing []string
	for i := range a.Imports {
		d := &a.Imports[i]
		switch {
		case len(d.Files) > 0 || d.Folder != "":
			what := strings.Join(d.Files, " ")
			if d.Folder != "" {
				what = d.Folder + "/"
			}
			if d.More > 0 {
				what += fmt.Sprintf(" and %d more", d.More)
			}
			if of[what] == nil {
				of[what] = &use{what: what, guessed: true}
				uses = append(uses, of[what])
			}
			u := of[what]
			u.at, u.guessed = append(u.at, d), u.guessed && d.Guessed
		case d.Missing:
			missing = append(missing, fmt.Sprintf("%s (%s)", d.Name, linesOf([]*Import{d})))
		case !slices.Contains(outside, d.Outside):
			outside = append(outside, d.Outside)
		}
	}
	for i, u := range uses {
		if i == 0 {
			b.WriteString("imports:\n")
		}
		var names []string
		for _, d := range u.at {
			if !slices.Contains(names, d.Name) {
				names = append(names, d.Name)
			}
		}
		fmt.Fprintf(b, "  %s (%s: %s%s)\n", u.what, linesOf(u.at), strings.Join(names, ", "), likelySuffix(u.guessed))
	}
	if len(outside) > 0 {
		fmt.Fprintf(b, "from outside: %s\n", strings.Join(outside, ", "))
	}
	if len(missing) > 0 {
		fmt.Fprintf(b, "not in the project: %s\n", strings.Join(missing, ", "))
	}
}

// linesOf writes where imports stand, file by file.
func linesOf(list []*Import) string {
	var all []string
	for i := 0; i < len(list); {
		file := list[i].File
		var lines []string
		for ; i < len(list) && list[i].File == file; i++ {
			lines = append(lines, fmt.Sprint(list[i].Line))
		}
		switch lines = slices.Compact(lines); {
		case file != "":
			all = append(all, file+":"+strings.Join(lines, ","))
		case len(lines) > 1:
			all = append(all, "lines "+strings.Join(lines, ", "))
		default:
			all = append(all, "line "+lines[0])
		}
	}
	return strings.Join(all, ", ")
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
		fmt.Fprintf(b, "  %s:%s%s\n", d.File, strings.Join(slices.Compact(lines), ","), likelySuffix(guessed))
		i = j
	}
}

func likelySuffix(guessed bool) string {
	if guessed {
		return ", likely"
	}
	return ""
}

// Observed says which file was asked about; lines of importers are shown by their number
// alone.
func (a *Answer) Observed() shown.Facts {
	f := shown.Facts{Asked: []string{a.Path}, Empty: a.Total == 0}
	return f
}
