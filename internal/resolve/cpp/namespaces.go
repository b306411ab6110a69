package cpp

import (
	"slices"
	"strings"

	"codeintel/internal/resolve"
)

// Libraries open and close their namespaces by macros: LIBRARY_BEGIN, where that is
// namespace library { inline namespace v1 {. To the tree such a line is nothing, so what
// comes after it lies in a region, which has a scope of its own.

// A region is the part of a file that such a macro puts into a namespace.
type region struct {
	start, end uint32
	name       string // "" for none
	inline     bool   // what it holds is seen from outside
}

// A spaceMacro is what a macro does to namespaces.
type spaceMacro struct {
	opens  []region
	closes int
}

// A regionKey is a region within the scope around it.
type regionKey struct {
	around *resolve.Scope
	region int
}

// maxRegions bounds how many are looked for in one file.
const maxRegions = 256

// findRegions finds the regions of a file.
func (t *table) findRegions(r *resolve.Resolver) {
	u := t.unit
	var open []int
	for _, l := range u.LeftOut {
		words(u.Source[l.Start:l.End], func(word string, at uint32) bool {
			m := spaceMacroOf(r, u, word)
			for range min(m.closes, len(open)) {
				t.regions[open[len(open)-1]].end = l.Start + at
				open = open[:len(open)-1]
			}
			for _, g := range m.opens {
				g.start, g.end = l.Start+at, uint32(len(u.Source))
				open = append(open, len(t.regions))
				t.regions = append(t.regions, g)
			}
			return len(t.regions) < maxRegions
		})
	}
}

// regionAt returns the scope of a place in a namespace or at the top of a file: that of
// the innermost region around it, if there is one.
func (t *table) regionAt(s *resolve.Scope, at uint32) *resolve.Scope {
	if len(t.regions) == 0 || s.Kind != resolve.ModuleScope {
		return s
	}
	from := uint32(0)
	if s.Outer != nil {
		from = t.unit.Nodes[s.Node].Start
	}
	for i, g := range t.regions {
		if from <= g.start && g.start <= at && at < g.end {
			s = t.regionIn(s, i)
		}
	}
	return s
}

// regionIn returns the scope of a region, and declares its namespace when it is new.
func (t *table) regionIn(around *resolve.Scope, i int) *resolve.Scope {
	key := regionKey{around, i}
	if s := t.inRegion[key]; s != nil {
		return s
	}
	g, path := t.regions[i], t.paths[around]
	s := &resolve.Scope{Kind: resolve.ModuleScope, Node: around.Node, Outer: around, Unit: t.unit,
		Names: map[string]*resolve.Symbol{}}
	t.inRegion[key] = s
	inner := path
	if !g.inline {
		inner = join(path, g.name)
	}
	t.paths[s], t.hidden[s] = inner, t.hidden[around] || g.name == "" && !g.inline
	if g.name != "" {
		d := &decl{unit: t.unit, kind: kindNamespace, called: g.name, name: -1, node: -1, path: path,
			inner: inner, spelled: -1, defines: true}
		name := scopedName{path, g.name}
		t.names[name] = append(t.names[name], d)
	}
	return s
}

// spaceMacroOf says what a macro does to namespaces: nothing, for most words.
func spaceMacroOf(r *resolve.Resolver, u *resolve.Unit, name string) *spaceMacro {
	m := memoryOf(u)
	if s := m.spaces[name]; s != nil {
		return s
	}
	s := &spaceMacro{}
	m.spaces[name] = s
	if isCapitals(name) {
		for body := range macroBodies(r, u, name) {
			if found := readSpaces(r, u, body); found != nil {
				*s = *found
				break
			}
		}
	}
	return s
}

// readSpaces reads the text of a macro; nil if it does more than to open and close
// namespaces, or less.
func readSpaces(r *resolve.Resolver, u *resolve.Unit, body string) *spaceMacro {
	s := &spaceMacro{}
	inside, inline := false, false
	var name string
	for rest := strings.TrimSpace(body); rest != ""; rest = strings.TrimLeft(rest, " \t") {
		end := 0
		for end < len(rest) && (wordByte(rest[end]) || rest[end] == ':') {
			end++
		}
		if end == 0 {
			end = 1
		}
		word := rest[:end]
		rest = rest[end:]
		switch {
		case word == "namespace" && !inside:
			inside, name = true, ""
		case word == "inline" && !inside:
			inline = true
		case word == "{" && inside:
			s.opens = append(s.opens, region{name: spaceName(r, u, name), inline: inline})
			inside, inline = false, false
		case word == "}" && !inside:
			s.closes++
		case inside && wordByte(word[0]) && name == "":
			name = word
		case inside && wordByte(word[0]): // an attribute
		default:
			return nil
		}
	}
	if inside || len(s.opens) == 0 && s.closes == 0 {
		return nil
	}
	return s
}

// spaceName returns what a namespace is called whose name is a macro, else the name.
func spaceName(r *resolve.Resolver, u *resolve.Unit, name string) string {
	if !isCapitals(name) {
		return name
	}
	m := memoryOf(u)
	if to, ok := m.spaceNames[name]; ok {
		return to
	}
	m.spaceNames[name] = name
	for body := range macroBodies(r, u, name) {
		if body = strings.TrimSpace(body); body != "" && resolve.LeadingName(body) == body {
			m.spaceNames[name] = body
			break
		}
	}
	return m.spaceNames[name]
}

// maxMacroFiles bounds in how many files the definition of a macro is looked for.
const maxMacroFiles = 16

// macroBodies yields the texts of a macro without parameters: as this file defines it, then
// as others do.
func macroBodies(r *resolve.Resolver, u *resolve.Unit, name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for body := range definesOf(u.Source, name) {
			if !yield(body) {
				return
			}
		}
		for i, file := range definingFiles(r, u, name) {
			if i == maxMacroFiles {
				return
			}
			text, err := r.Read(file)
			if err != nil || file == u.Path || !isSource(file) {
				continue
			}
			for body := range definesOf(string(text), name) {
				if !yield(body) {
					return
				}
			}
		}
	}
}

// definingFiles lists the files that may define a macro: those that the index knows, or
// else those that are included here.
func definingFiles(r *resolve.Resolver, u *resolve.Unit, name string) []string {
	if r.Defines != nil {
		return r.Defining(name)
	}
	all := []string{u.Path}
	for i := 0; i < len(all) && i < maxMacroFiles; i++ {
		text, err := r.Read(all[i])
		if err != nil {
			continue
		}
		for _, inc := range includeLines(string(text)) {
			if to := included(r, memoryOf(u), all[i], inc); to != "" && !slices.Contains(all, to) {
				all = append(all, to)
			}
		}
	}
	return all
}

// definesOf yields the texts that a file gives a macro without parameters.
func definesOf(source, name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for at := 0; ; {
			i := strings.Index(source[at:], name)
			if i < 0 {
				return
			}
			start := at + i
			at = start + len(name)
			head := source[strings.LastIndexByte(source[:start], '\n')+1 : start]
			if strings.Join(strings.Fields(strings.Replace(head, "#", "# ", 1)), " ") != "# define" ||
				at < len(source) && source[at] != ' ' && source[at] != '\t' && source[at] != '\n' && source[at] != '\r' {
				continue
			}
			end := at
			for end < len(source) && (source[end] != '\n' || strings.HasSuffix(strings.TrimRight(source[at:end], "\r"), "\\")) {
				end++
			}
			if !yield(withoutComments(source[at:end])) {
				return
			}
			at = end
		}
	}
}

// continued joins lines that end with a backslash.
var continued = strings.NewReplacer("\\\n", " ", "\\\r\n", " ")

// withoutComments is the text of a macro on one line, without comments.
func withoutComments(text string) string {
	text = continued.Replace(text)
	for {
		i := strings.Index(text, "/*")
		if i < 0 {
			break
		}
		end := strings.Index(text[i:], "*/")
		if end < 0 {
			return text[:i]
		}
		text = text[:i] + " " + text[i+end+2:]
	}
	if i := strings.Index(text, "//"); i >= 0 {
		text = text[:i]
	}
	return text
}
