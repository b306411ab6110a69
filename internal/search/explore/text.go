package explore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"codeintel/internal/audit/shown"
	"codeintel/internal/search"
	"codeintel/internal/search/gaps"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// Text gives the answer for people and models.
func (a *Answer) Text() string {
	var b strings.Builder
	what := "place"
	if a.Weak {
		what = "weak place"
	}
	if a.File != nil {
		a.File.write(&b)
	} else {
		fmt.Fprintf(&b, "%s\n", a.Counted(len(a.Places), what, "s"))
	}
	first, rest := a.Remarks, a.Remarks
	first.Notes, rest.Notes = a.Notes[:a.firstNotes], a.Notes[a.firstNotes:]
	first.Completeness = gaps.Completeness{Complete: true}
	b.WriteString(search.Coverage{Remarks: first}.Text())
	for i := range a.Places {
		a.Places[i].write(&b)
	}
	writeSpots(&b, "tests", "", a.Tests, "")
	if len(a.Together) > 0 {
		fmt.Fprintf(&b, "changes with %s:", a.File.Path)
		for i, t := range a.Together {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, " %s (%d of %d times)", t.File, t.Together, t.Changes)
		}
		b.WriteByte('\n')
	}
	if len(a.Further) > 0 {
		b.WriteString("further places:\n")
		grouped(&b, a.Further)
	}
	return b.String() + search.Coverage{Remarks: rest}.Text()
}

func (p *Place) write(b *strings.Builder) {
	fmt.Fprintf(b, "%s:%s", p.File, text.LineRange(p.StartLine, p.EndLine))
	for _, s := range []string{string(p.Kind), p.Symbol} {
		if s != "" {
			b.WriteString(" " + s)
		}
	}
	if p.Why != "" {
		fmt.Fprintf(b, " (%s)", p.Why)
	}
	b.WriteByte('\n')
	next, width := p.StartLine, len(strconv.Itoa(p.EndLine))
	leftOut := func(until int) {
		if until >= next && next > p.StartLine {
			fmt.Fprintf(b, "%*s  %s\n", width, "…", text.LineRange(next, until))
		}
	}
	for _, c := range p.Code {
		leftOut(c.Line - 1)
		n := c.Line
		for l := range strings.Lines(c.Text) {
			fmt.Fprintf(b, "%*d  %s\n", width, n, strings.TrimRight(l, "\n"))
			n++
		}
		next = c.last + 1
	}
	leftOut(p.EndLine)
	for i, m := range p.Members {
		if i == 0 {
			b.WriteString("  members: ")
		} else {
			b.WriteString(", ")
		}
		b.WriteString(text.LineRange(m.StartLine, m.EndLine) + " " + m.Symbol)
	}
	if len(p.Members) > 0 {
		b.WriteByte('\n')
	}
	by := "extended by"
	if p.Kind == syntax.Interface || p.Kind == syntax.Trait {
		by = "implemented by"
	}
	writeSpots(b, "  "+by, unlistedText(len(p.Derived), p.MoreDerived), ownFirst(p.File, p.Derived), p.File)
	head := "called by"
	if !called(p.Kind) {
		head = "used by"
	}
	p.writeCallers(b, head)
	p.writeUses(b)
	writeSpots(b, "  calls", "", ownFirst(p.File, p.Calls), p.File)
}

// writeCallers writes what calls a place: first what does for certain, then what may.
func (p *Place) writeCallers(b *strings.Builder, head string) {
	var sure, possible []Spot
	for _, s := range ownFirst(p.File, p.CalledBy) {
		if s.Confidence == search.Possible {
			s.Confidence = ""
			possible = append(possible, s)
		} else {
			sure = append(sure, s)
		}
	}
	writeSpots(b, "  "+head, unlistedText(len(sure), p.More), sure, p.File)
	writeSpots(b, "  "+head+" (possible)", unlistedText(len(possible), p.Possible), possible, p.File)
}

// unlistedText says how many are not listed beside those that are.
func unlistedText(listed, more int) string {
	switch {
	case more == 0:
		return ""
	case listed == 0:
		return fmt.Sprintf(" %d not listed", more)
	}
	return fmt.Sprintf(" and %d more", more)
}

// ownFirst puts the spots of a file before the others.
func ownFirst(file string, list []Spot) []Spot {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Spot) int {
		switch {
		case a.File == file && b.File != file:
			return -1
		case b.File == file && a.File != file:
			return 1
		}
		return 0
	})
	return list
}

// writeSpots writes a list of spots in a line, those of one file together. Those that come first and
// lie in the file that is spoken of are written as :LINE.
func writeSpots(b *strings.Builder, head, tail string, list []Spot, file string) {
	if len(list) == 0 && tail == "" {
		return
	}
	fmt.Fprintf(b, "%s:", head)
	for i, s := range list {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte(' ')
		if s.File != file {
			b.WriteString(s.File)
			file = s.File
		}
		fmt.Fprintf(b, ":%d", s.StartLine)
		for _, line := range s.Also {
			fmt.Fprintf(b, ",%d", line)
		}
		if s.Symbol != "" {
			b.WriteString(" " + s.Symbol)
		}
		if s.Confidence != "" {
			fmt.Fprintf(b, " (%s)", s.Confidence)
		}
	}
	b.WriteString(tail + "\n")
}

// grouped writes spots, a line for each file.
func grouped(b *strings.Builder, list []Spot) {
	var order []string
	of := map[string][]string{}
	for _, s := range list {
		if of[s.File] == nil {
			order = append(order, s.File)
		}
		of[s.File] = append(of[s.File], strings.TrimSpace(text.LineRange(s.StartLine, s.EndLine)+" "+s.Symbol))
	}
	for _, file := range order {
		fmt.Fprintf(b, "  %s: %s\n", file, strings.Join(of[file], ", "))
	}
}

// Observed says which lines, definitions and callers the answer shows.
func (a *Answer) Observed() shown.Facts {
	f := shown.Facts{Asked: []string{a.Query}, Empty: len(a.Places) == 0 && a.File == nil}
	for i := range a.Places {
		p := &a.Places[i]
		for _, c := range p.Code {
			f.Lines = append(f.Lines, shown.Lines{File: p.File, Start: c.Line, End: c.last})
		}
		if p.Kind != "" {
			f.Definitions = append(f.Definitions, p.Symbol)
		}
		for _, s := range slices.Concat(p.CalledBy, p.Derived) {
			if s.Symbol != "" {
				f.Callers = append(f.Callers, s.Symbol)
			}
		}
		for _, u := range p.Uses {
			if u.Symbol != "" {
				f.Callers = append(f.Callers, u.Symbol)
			}
		}
	}
	if !f.Empty {
		f.Patterns = []string{a.Query}
	}
	for _, list := range []*[]string{&f.Definitions, &f.Callers} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return f
}
