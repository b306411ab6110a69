package impact

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/search"
)

// Limits of the code that an answer about symbols shows.
const (
	fewLines        = 80 // in the files that must be verified: so many that have to do with the symbols are shown
	fewInAll        = 40 // and in all files
	longestShown    = 80 // lines of the definitions of a target
	maxOfSameName   = 5
	symbolsOfOne    = 100 // that are looked at for one name
	largestOverhead = 2   // characters around each file in a list
)

// extents are how much code may be shown, the most first: lines behind one that uses a
// symbol, and whether definitions are.
var extents = []struct {
	behind      int
	definitions bool
}{{6, true}, {3, true}, {3, false}, {0, false}}

// aboutSymbols reports whether symbols were asked for, and no files.
func (r *run) aboutSymbols() bool { return len(r.asked) > 0 && len(r.whole) == 0 }

// A linesOf says which files are listed with every line that has to do with the targets, and
// its text.
type linesOf int

const (
	noFile    linesOf = iota
	mustFiles         // those that must be verified
	allFiles
)

// choices returns which files may be shown with their lines, the most first: for symbols,
// those that have few of them together.
func (r *run) choices() []linesOf {
	switch n := r.found.count(must); {
	case !r.aboutSymbols() || n > fewLines:
		return []linesOf{noFile}
	case n+r.found.count(should) <= fewInAll:
		return []linesOf{allFiles, mustFiles, noFile}
	}
	return []linesOf{mustFiles, noFile}
}

// listed returns the lists of an answer, with every line of the files whose lines are shown.
func (r *run) listed(e extent, of linesOf) (musts, shoulds []Affected) {
	whole := extent{fewLines, e.symbols, e.only}
	if of == allFiles {
		return r.found.lists(whole)
	}
	musts, shoulds = r.found.lists(e)
	if of == mustFiles {
		musts, _ = r.found.lists(whole)
	}
	return musts, shoulds
}

// showCode gives files whose lines are shown their text, and targets their definitions, as
// much of both as fits into an answer of so many characters. It reports whether all files
// fit.
func (r *run) showCode(all []Affected, of linesOf, budget int) (fits bool) {
	coded := func(f *Affected) bool { return of == allFiles || of == mustFiles && r.found[f.File].grade == must }
	for _, e := range extents {
		left := budget
		for j := range r.targets {
			t := &r.targets[j]
			if t.Code = nil; e.definitions && of != noFile {
				t.Code = r.definitions(t)
			}
			left -= search.Size(t.Code)
		}
		for j := range all {
			behind := e.behind
			if search.TestFile(all[j].File) {
				behind = 0
			}
			if coded(&all[j]) {
				all[j].Code = r.code(&all[j], behind)
			}
			left -= search.Size(all[j]) + largestOverhead
		}
		if left >= 0 {
			return true
		}
	}
	return false
}

// definitions returns the lines of the symbols that a target is, unless they are many. Of
// several, the file comes before those in it.
func (r *run) definitions(t *Target) (list []string) {
	for i := range t.defined {
		s := &t.defined[i]
		if len(list)+s.EndLine-s.StartLine >= longestShown {
			return nil
		}
		if len(t.defined) > 1 && (i == 0 || s.File != t.defined[i-1].File) {
			list = append(list, s.File)
		}
		text, _ := r.src.Block(s.File, s.StartLine, s.EndLine, longestShown)
		n := s.StartLine
		for l := range strings.Lines(text) {
			list = append(list, numbered(n, l))
			n++
		}
	}
	return list
}

func numbered(n int, l string) string { return fmt.Sprintf("%d: %s", n, strings.TrimRight(l, " \t\n")) }

// code returns the lines of a file that have to do with the targets, each with what is
// around it and so many that follow it in the same block. Those of definitions that are
// shown are left out.
func (r *run) code(f *Affected, behind int) (list []string) {
	for i, line := range f.Lines {
		if r.inDefinition(f.File, line) {
			continue
		}
		s := fmt.Sprintf("%d: %s", line, r.src.Line(f.File, line))
		if in := f.inside[i]; in != "" {
			s += "  (in " + in + ")"
		}
		list = append(list, s)
		if until := line + behind; f.inside[i] != "" && !r.declares(f, i) {
			if i+1 < len(f.Lines) {
				until = min(until, f.Lines[i+1]-1)
			}
			list = append(list, r.following(f.File, line, until)...)
		}
	}
	return list
}

// inDefinition reports whether a line is in the definition of a target that is shown.
func (r *run) inDefinition(file string, line int) bool {
	for i := range r.targets {
		t := &r.targets[i]
		if len(t.Code) > 0 && slices.ContainsFunc(t.defined, func(s index.Symbol) bool {
			return s.File == file && s.StartLine <= line && line <= s.EndLine
		}) {
			return true
		}
	}
	return false
}

// declares reports whether a line but declares one of the symbols elsewhere, without a body.
func (r *run) declares(f *Affected, i int) bool {
	name := f.inside[i]
	return r.asked[name[strings.LastIndexByte(name, '.')+1:]] && strings.HasSuffix(r.src.Line(f.File, f.Lines[i]), ";")
}

// following returns the lines behind one up to an empty line, as long as they are indented as
// much as it is.
func (r *run) following(file string, line, until int) (list []string) {
	text, _ := r.src.Block(file, line, until, until-line+1)
	indent, n := "", line
	for l := range strings.Lines(text) {
		code := strings.TrimLeft(l, " \t")
		switch {
		case n == line:
			indent = strings.TrimSuffix(l, code)
		case strings.TrimSpace(l) == "", !strings.HasPrefix(l, indent):
			return list
		case code == "{\n" && len(list) == 0 && n == until: // says nothing
			return nil
		default:
			list = append(list, numbered(n, strings.TrimPrefix(l, indent)))
		}
		n++
	}
	return list
}

// sameName notes which other things have the name of a symbol that was asked for: their
// uses are left out.
func (r *run) sameName() error {
	if !r.aboutSymbols() {
		return nil
	}
	var others []string
	for _, name := range slices.Sorted(maps.Keys(r.asked)) {
		list, err := r.a.x.Symbols(r.ctx, index.SymbolQuery{Name: name, Match: index.Exact, Limit: symbolsOfOne})
		if err != nil {
			return fmt.Errorf("symbols of one name: %w", err)
		}
		for i := range list {
			o := &list[i]
			if o.Kind.Callable() && !search.TestFile(o.File) && !r.isTouched(o) {
				others = append(others, fmt.Sprintf("%s %s:%d", qualified(o), o.File, o.NameLine))
			}
		}
	}
	if n := len(others); n > maxOfSameName {
		others = append(others[:maxOfSameName], "…")
	}
	if len(others) > 0 {
		r.notes = append(r.notes, msg.New("impact.same_name", strings.Join(others, ", ")))
	}
	return nil
}

// isTouched reports whether a symbol is one of those that change, or was found to have to
// do with them.
func (r *run) isTouched(o *index.Symbol) bool {
	if slices.ContainsFunc(r.symbols, func(s index.Symbol) bool { return s.File == o.File && s.Start == o.Start }) {
		return true
	}
	return r.found.has(o.File, o.NameLine) || r.found.has(o.File, o.StartLine)
}
