// Package unread finds names that a change declares and nothing in the project reads: settings,
// variables, classes of style sheets, components, inputs of pipelines, types, and what documents say
// that a program has.
//
// It goes by how such names are written where they are read, as a table says, not by a syntax tree;
// comments do not count. Where only the project can tell how a kind is read, a name is listed if most
// names of that kind that were there before are read like that.
package unread

import (
	"bytes"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"codeintel/internal/platform/lazyregexp"
)

// A File is one file of a change.
type File struct {
	Path      string
	Base, New []byte // nil if it was not there, or is gone
	Test      bool
}

// A Project gives access to the files of the project, changed or not.
type Project struct {
	// Containing returns the texts of the files that contain any of some words, by path. It returns false if
	// they cannot be found, or are too many.
	Containing func(words []string) (map[string][]byte, bool)
	// InFolder returns the paths of the files directly in a folder.
	InFolder func(folder string) []string
}

// A Name is declared by a change, and nothing reads it.
type Name struct {
	Path, Name string
	Asked      bool // a request that contains the name explains it
	Claim      bool // a document says that it is there
}

// maxAlike is how many names that were there before are looked at.
const maxAlike = 12

// maxSplit is how many names are looked for one by one, if too many files contain one of them.
const maxSplit = 64

// A candidate is a name that a file declares and did not declare before.
type candidate struct {
	kind  *kind
	file  File
	name  string
	alike []string
}

// Names lists the names that files of a change declare, and that nothing reads.
func Names(files []File, p Project) (all []Name) {
	if p.Containing == nil {
		return nil
	}
	return unreadOf(newlyDeclared(files, p), files, p, make(map[string]bool))
}

// unreadOf returns those of some names that nothing reads. Names that too many files contain count as read.
func unreadOf(candidates []candidate, files []File, p Project, listed map[string]bool) (all []Name) {
	if len(candidates) == 0 {
		return nil
	}
	var words []string
	for _, c := range candidates {
		for _, name := range append(c.alike, c.name) {
			words = append(words, c.kind.spellings(name)...)
		}
	}
	slices.Sort(words)
	texts, ok := p.Containing(slices.Compact(words))
	if half := len(candidates) / 2; !ok && half > 0 && len(candidates) <= maxSplit {
		return append(unreadOf(candidates[:half], files, p, listed), unreadOf(candidates[half:], files, p, listed)...)
	}
	if !ok {
		return nil
	}
	t := readable(files, texts)
	type place struct {
		kind *kind
		file string
	}
	most := make(map[place]bool)
	for _, c := range candidates {
		at := place{c.kind, c.file.Path}
		if _, known := most[at]; !known {
			most[at] = !c.kind.alike || t.mostRead(c)
		}
		key := c.file.Path + "\x00" + c.name
		if listed[key] || !most[at] || t.reads(c, c.name) {
			continue
		}
		listed[key] = true
		all = append(all, Name{c.file.Path, c.name, c.kind.asked, c.kind.claim})
	}
	return all
}

// Generated reports whether a program writes a file, by its path.
func Generated(file string) bool { return generated.MatchString(file) }

// newlyDeclared lists the names that a change declares and that may be unread.
func newlyDeclared(files []File, p Project) (all []candidate) {
	lost := make(map[*kind]map[string]bool) // what other files of the change declared
	for _, f := range files {
		if f.New == nil || f.Test || inTests.MatchString(f.Path) || Generated(f.Path) {
			continue
		}
		for i := range kinds {
			k := &kinds[i]
			if !k.files.MatchString(f.Path) || k.notIn != nil && k.notIn.MatchString(f.Path) || k.unless != nil && k.unless.Match(f.New) || k.only != nil && !k.only.Match(f.New) {
				continue
			}
			if k.newFile {
				all = append(all, k.newFiles(f, files, p)...)
				continue
			}
			was := make(map[string]bool)
			for _, d := range k.declared(f.Base) {
				was[d.name] = true
			}
			alike := slices.Sorted(maps.Keys(was))
			alike = alike[:min(len(alike), maxAlike)]
			if lost[k] == nil {
				lost[k] = moved(k, files)
			}
			maps.Copy(was, lost[k])
			for _, d := range k.declared(f.New) {
				if !was[d.name] && len(d.name) > 1 && (k.but == nil || !k.but.MatchString(d.name)) {
					all = append(all, candidate{k, f, d.name, alike})
				}
			}
		}
	}
	return all
}

// moved returns the names of a kind that other files of a change declared and do not declare any more.
func moved(k *kind, files []File) map[string]bool {
	gone := make(map[string]bool)
	for _, f := range files {
		if f.Base == nil || !k.files.MatchString(f.Path) {
			continue
		}
		still := make(map[string]bool)
		for _, d := range k.declared(f.New) {
			still[d.name] = true
		}
		for _, d := range k.declared(f.Base) {
			if !still[d.name] {
				gone[d.name] = true
			}
		}
	}
	return gone
}

// newFiles returns the name by which others know a file that was not there before.
func (k *kind) newFiles(f File, files []File, p Project) []candidate {
	if f.Base != nil || p.InFolder == nil {
		return nil
	}
	dir := path.Dir(f.Path)
	var beside []string // what was there before
	for _, other := range p.InFolder(dir) {
		added := slices.ContainsFunc(files, func(o File) bool { return o.Path == other && o.Base == nil })
		if !added && path.Ext(other) == path.Ext(f.Path) {
			beside = append(beside, stem(other))
		}
	}
	switch {
	case k.files.MatchString("modules/x/x.tf"): // its folder is known
		if len(beside) > 0 {
			return nil
		}
		return []candidate{{k, f, path.Base(dir), nil}}
	case k.alike && len(beside) == 0 && sql.MatchString(f.Path):
		return []candidate{{&alone, f, stem(f.Path), nil}}
	}
	return []candidate{{k, f, stem(f.Path), beside[:min(len(beside), maxAlike)]}}
}

// alone is the kind of a file that lies where no other of its kind does.
var alone = kind{files: sql, newFile: true}

func stem(file string) string {
	base := strings.TrimPrefix(path.Base(file), "_")
	return strings.TrimSuffix(base, path.Ext(base))
}

// A declaration is a name and its position.
type declaration struct {
	name string
	at   int
}

// declared lists what a text declares of a kind.
func (k *kind) declared(text []byte) (all []declaration) {
	if k.files == shell {
		text = commandsOnly(text)
	}
	switch {
	case k.declares != nil:
		for _, m := range k.declares.FindAllSubmatchIndex(text, -1) {
			if k.foreign != nil && k.foreign.Match(text[m[0]:m[1]]) {
				continue
			}
			for g := 2; g+1 < len(m); g += 2 {
				if m[g] >= 0 {
					all = append(all, declaration{string(text[m[g]:m[g+1]]), m[g]})
				}
			}
		}
	case k.block != nil:
		for _, m := range k.block.FindAllSubmatchIndex(text, -1) {
			if len(m) < 4 || !handedOn(text, string(text[m[2]:m[3]])) {
				all = append(all, k.inBlock(text, m[1])...)
			}
		}
	}
	return all
}

// handedOn reports whether a text gives all of an object to another: a library may read what it holds.
func handedOn(text []byte, name string) bool {
	name = regexp.QuoteMeta(name)
	return regexp.MustCompile(`[(,]\s*` + name + `\s*[,)]|\.\.\.` + name + `\b`).Match(text)
}

// hereDocument finds what begins a text within a script.
var hereDocument = lazyregexp.MustCompile(`(?:^|[^<(])<<-?[ \t]*(?:\\|'|")?([A-Za-z_]\w*)`)

// commandsOnly returns a script in which texts and the further lines of a command are blank.
func commandsOnly(script []byte) []byte {
	out := bytes.Clone(script)
	end, goesOn, at := "", false, 0
	for line := range bytes.Lines(script) {
		row := string(bytes.TrimSpace(line))
		if end != "" || goesOn {
			for i := range bytes.TrimRight(line, "\n") {
				out[at+i] = ' '
			}
		}
		switch m := hereDocument.FindStringSubmatch(string(line)); {
		case end != "":
			if row == end {
				end = ""
			}
		case m != nil && !bytes.Contains(line, []byte("((")): // no shift of bits
			end = m[1]
		}
		goesOn = end == "" && strings.HasSuffix(row, "\\")
		at += len(line)
	}
	return out
}

// inBlock lists the keys at the first level of a block, which begins behind a bracket, or with the lines
// that are indented further.
func (k *kind) inBlock(text []byte, start int) (all []declaration) {
	if text[start-1] != '{' {
		return k.indented(text, start)
	}
	depth, fresh := 0, true
	for at := start; at < len(text) && depth >= 0; at++ {
		c := text[at]
		if fresh && depth == 0 && c != ' ' && c != '\t' && c != '\n' && c != '\r' {
			if m := k.keys.FindSubmatchIndex(text[at:]); m != nil {
				all = append(all, declaration{string(text[at+m[2] : at+m[3]]), at + m[2]})
			}
			fresh = false
		}
		switch c {
		case '{', '(', '[', '<':
			depth++
		case '}', ')', ']', '>':
			if c != '>' || at > 0 && text[at-1] != '=' {
				depth--
			}
		case '\n', ';', ',':
			fresh = true
		}
	}
	return all
}

func (k *kind) indented(text []byte, start int) (all []declaration) {
	line := bytes.LastIndexByte(text[:start], '\n') + 1
	outer, inner := indent(text[line:]), 0
	for at := start; at < len(text); {
		at++
		end := bytes.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text) - at
		}
		row := text[at : at+end]
		in := indent(row)
		switch {
		case len(bytes.TrimSpace(row)) == 0 || bytes.HasPrefix(bytes.TrimSpace(row), []byte("#")):
		case in <= outer:
			return all
		case inner == 0, in == inner:
			inner = in
			if m := k.keys.FindSubmatchIndex(row[in:]); m != nil {
				all = append(all, declaration{string(row[in+m[2] : in+m[3]]), at + in + m[2]})
			}
		}
		at += end
	}
	return all
}

func indent(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }

// spellings returns the ways in which code may write a name.
func (k *kind) spellings(name string) []string {
	all := []string{name}
	if k.joined {
		all = append(all, caseVariants(name)...)
	}
	if k.parts != "" { // "btn-" + size, `btn--${size}`
		for i, r := range name {
			if i > 0 && i+1 < len(name) && strings.ContainsRune(k.parts, r) {
				for _, end := range concatenators {
					all = append(all, name[:i+1]+end)
				}
			}
		}
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), func(word string) bool { return word == "" })
}

// concatenators follow the first part of a name that a program composes at run time.
var concatenators = []string{"${", "{", "#{", "<%", "<?", "@(", "%s", "' +", "\" +", "'.", "' .", "\".", "\" .", "' ~", "\" ~", "\" <>"}

// caseVariants returns a name in other case styles: snake_case, kebab-case, PascalCase, camelCase and so on.
func caseVariants(name string) []string {
	var parts []string
	for _, part := range strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' || r == '.' }) {
		from := 0
		for i, r := range part {
			if i > 0 && unicode.IsUpper(r) && part[i-1] >= 'a' && part[i-1] <= 'z' {
				parts, from = append(parts, part[from:i]), i
			}
		}
		parts = append(parts, part[from:])
	}
	lower, title := make([]string, len(parts)), make([]string, len(parts))
	for i, part := range parts {
		lower[i] = strings.ToLower(part)
		title[i] = strings.ToUpper(lower[i][:1]) + lower[i][1:]
	}
	pascal := strings.Join(title, "")
	all := []string{strings.Join(lower, "_"), strings.Join(lower, "-"), pascal,
		strings.ToUpper(strings.Join(lower, "_")), strings.Join(lower, "")}
	if pascal != "" {
		all = append(all, strings.ToLower(pascal[:1])+pascal[1:])
	}
	return all
}

// A text is one file that may read names.
type text struct {
	path string
	code string // without comments
	test bool

	declared map[*kind]map[int]bool // where it declares names, as far as asked
}

// declares returns where a text declares names of a kind.
func (t text) declares(k *kind) map[int]bool {
	at, known := t.declared[k]
	if !known {
		at = make(map[int]bool)
		if !k.newFile && k.files.MatchString(t.path) {
			for _, d := range k.declared([]byte(t.code)) {
				at[d.at] = true
			}
		}
		t.declared[k] = at
	}
	return at
}

type readers []text

// readable returns the texts of the change and of the project, less comments.
func readable(files []File, others map[string][]byte) (all readers) {
	changed := make(map[string]bool)
	for _, f := range files {
		changed[f.Path] = true
		if f.New != nil {
			all = append(all, text{f.Path, withoutComments(f.Path, f.New), f.Test || inTests.MatchString(f.Path), make(map[*kind]map[int]bool)})
		}
	}
	for _, p := range slices.Sorted(maps.Keys(others)) {
		if !changed[p] {
			all = append(all, text{p, withoutComments(p, others[p]), inTests.MatchString(p), make(map[*kind]map[int]bool)})
		}
	}
	return all
}

// commented matches lines that are only a comment; hashed matches comments that begin with "#".
var (
	commented = lazyregexp.MustCompile(`(?m)^[ \t]*(?://|/\*|\*[ \t/]|<!--|--[ \t]).*$`)
	hashed    = lazyregexp.MustCompile(`(?m)^[ \t]*#[ \t].*$|[ \t]#[ \t][^"'\n]*$`)
)

func withoutComments(file string, src []byte) string {
	blank := func(s string) string { return strings.Repeat(" ", len(s)) }
	code := commented.ReplaceAllStringFunc(string(src), blank)
	if !documents.MatchString(file) {
		code = hashed.ReplaceAllStringFunc(code, blank)
	}
	return code
}

// mostRead reports whether most names that were there before are read.
func (t readers) mostRead(c candidate) bool {
	n := 0
	for _, name := range c.alike {
		if t.reads(c, name) {
			n++
		}
	}
	return n > 0 && 2*n >= len(c.alike)
}

// reads reports whether any text reads a name.
func (t readers) reads(c candidate, name string) bool {
	for _, s := range t {
		if c.kind.mayRead(c.file.Path, s) && c.kind.readIn(c.file.Path, s, name) {
			return true
		}
	}
	return false
}

// mayRead reports whether a text could read what a file declares.
func (k *kind) mayRead(from string, t text) bool {
	switch {
	case t.test && !k.asked, k.where == file && t.path != from, k.where == folder && path.Dir(t.path) != path.Dir(from):
		return false
	case k.blind != nil && k.blind.MatchString(t.path):
		return false
	case k.newFile && t.path == from:
		return false
	case k.readers != nil:
		return k.readers.MatchString(t.path)
	}
	return !documents.MatchString(t.path)
}

// around is how many bytes beside a name are looked at.
const around = 120

func (k *kind) readIn(from string, t text, name string) bool {
	declared := t.declares(k)
	for _, word := range k.spellings(name) {
		for at := 0; ; {
			i := strings.Index(t.code[at:], word)
			if i < 0 {
				break
			}
			i += at
			at = i + len(word)
			before, after := t.code[max(0, i-around):i], t.code[at:min(len(t.code), at+around)]
			if declared[i] || !isWholeWord(before, word, after) ||
				k.before != nil && !k.before.MatchString(before) || k.after != nil && !k.after.MatchString(after) ||
				k.never != nil && k.never.MatchString(before) {
				continue
			}
			return true
		}
	}
	return false
}

// isWholeWord reports whether a word is not part of a longer one.
func isWholeWord(before, word, after string) bool {
	inWord := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	dashed := strings.Contains(word, "-")
	touches := func(c byte) bool { return inWord(c) || dashed && c == '-' }
	return !(before != "" && touches(before[len(before)-1]) && touches(word[0])) &&
		!(after != "" && touches(after[0]) && touches(word[len(word)-1]))
}
