// Package codediff classifies a change to source files: which lines change what the program
// means, and why the others do not.
//
// It compares the texts of files before and after, by their syntax trees, and does not know
// where they come from. White space, comments, formatting, moved declarations and renamed
// locals change nothing; neither does code that never runs or has no effect. What cannot be
// recognised in a language is listed in docs/design/limits.md.
package codediff

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
	"codeintel/internal/workflow/unbuilt"
)

// A File is one file of a change.
type File struct {
	Path    string
	OldPath string // of a renamed file
	Base    []byte // nil if it was not there
	New     []byte // nil if it is gone
	Test    bool   // it tests others, or helps to
}

// A Why says why a line is no change of the program.
type Why string

// The reasons, the most telling first.
const (
	LeftOut     Why = "left_out"     // the build leaves the file out
	Unreachable Why = "unreachable"  // after a return, or under a condition that is never true
	Stub        Why = "stub"         // a function that only stands for one
	Constant    Why = "constant"     // a function that returns a constant in place of what it should compute
	NoEffect    Why = "no_effect"    // a statement without any
	InString    Why = "in_string"    // code in a string
	Comment     Why = "comment"      // also documentation
	Moved       Why = "moved"        // as it was, in another place
	RenamedName Why = "local_rename" // only a name that nothing outside the function sees
	Format      Why = "format"       // white space, quotes, line breaks
	Blank       Why = "blank"
)

var severity = []Why{LeftOut, Unreachable, Stub, Constant, NoEffect, InString, Comment, Moved, RenamedName,
	Format, Blank}

// A Verdict is what is said of some lines of a file.
type Verdict struct {
	Lines    []int  // those that change the program, 1-based, also those at which something was taken out
	Why      Why    // if there are none: why not
	Function string // that a Stub or Constant stands for
}

// A Diff is what some files' change does.
type Diff struct{ files map[string]*compared }

// maxCompared is how long a text may be to be compared. Of a longer one every line
// counts as changed.
const maxCompared = 2 << 20

// Compare compares the files of a change. read returns another file of the project as
// it is now, or nil; it may be nil itself.
func Compare(files []File, read func(path string) []byte) *Diff {
	d := &Diff{files: make(map[string]*compared, len(files))}
	var all []*compared
	var plain []unbuilt.File
	for _, f := range files {
		plain = append(plain, unbuilt.File{Path: f.Path, OldPath: f.OldPath, Base: f.Base, New: f.New})
		c := &compared{File: f}
		d.files[f.Path] = c
		if f.New == nil && f.Base == nil {
			continue
		}
		c.lang = syntax.Detect(f.Path, f.New)
		if len(f.New) > maxCompared || len(f.Base) > maxCompared {
			c.unread = isCode(c.lang)
			continue
		}
		c.now = readSide(c.lang, f.Path, f.New, f.Base)
		c.was = readSide(c.lang, f.Path, f.Base, nil)
		c.unread = c.now.unread || c.was.unread
		all = append(all, c)
	}
	out := unbuilt.Among(plain, read)
	matched := guarded(func() { matchUnits(all) })
	for _, c := range all {
		if !matched || !guarded(func() { c.compare(); c.stubs() }) {
			c.now, c.unread = nil, isCode(c.lang)
		}
		if out[c.Path] {
			c.out = LeftOut
		}
	}
	return d
}

// isCode reports whether a language is one that programs are written in.
func isCode(l syntax.Language) bool {
	s := syntax.Of(l)
	return l != syntax.Unknown && !s.Prose && s.Rules != nil
}

// compared is a file with what has become of it.
type compared struct {
	File
	lang     syntax.Language
	was, now *side
	changed  map[int]bool   // lines of the new text
	why      map[int]Why    // of lines that do not count
	in       map[int]string // the function of a Stub or Constant
	out      Why            // of the whole file
	unread   bool           // its syntax tree is not known, before or after
}

// Unread returns the files of code whose syntax tree could not be read or compared, sorted: what the rules
// find there is not all.
func (d *Diff) Unread() (files []string) {
	if d == nil {
		return nil
	}
	for _, path := range slices.Sorted(maps.Keys(d.files)) {
		if c := d.files[path]; c.unread && !bytes.Equal(c.Base, c.New) {
			files = append(files, path)
		}
	}
	return files
}

// found returns what rules find, each of which is told what those before it found, and the files that
// may hold tests of which one of them can say nothing.
func (d *Diff) found(rules ...func(said []Weakening) []Weakening) (all []Weakening) {
	if d == nil {
		return nil
	}
	for _, rule := range rules {
		var more []Weakening
		if !guarded(func() { more = rule(all) }) {
			for _, c := range d.files {
				c.unread = isCode(c.lang)
			}
		}
		all = append(all, more...)
	}
	for _, path := range d.Unread() {
		if c := d.files[path]; c.Test || holdsTests.Match(c.Base) {
			all = append(all, Weakening{path, "", Unread})
		}
	}
	slices.SortStableFunc(all, func(a, b Weakening) int { return strings.Compare(a.File, b.File) })
	return all
}

// holdsTests finds what code may hold tests by, where they stand in the files of the code they test.
var holdsTests = lazyregexp.MustCompile(`(?i)\btest|\bspec`)

// Known reports whether a file was compared.
func (d *Diff) Known(path string) bool {
	c := d.files[path]
	return c != nil && c.now != nil
}

// Lines says what the lines from start to end of a file do. A file that was not
// compared changes everything.
func (d *Diff) Lines(path string, start, end int) Verdict {
	c := d.files[path]
	if c == nil || c.now == nil {
		return Verdict{Lines: []int{start}}
	}
	var v Verdict
	worst := len(severity)
	for n := start; n <= min(end, c.now.lines+1); n++ {
		switch {
		case c.out == "" && c.changed[n]:
			v.Lines = append(v.Lines, n)
			continue
		}
		why := c.out
		if why == "" {
			why = c.whyNot(n)
		}
		if i := slices.Index(severity, why); i < worst {
			worst, v.Why, v.Function = i, why, c.in[n]
		}
	}
	if len(v.Lines) > 0 {
		v.Why, v.Function = "", ""
	}
	return v
}

// Contradicts reports whether an item says that true or false is returned, and the lines return only the
// other one.
func (d *Diff) Contradicts(item, path string, start, end int) bool {
	m := returned.FindAllStringSubmatch(item, -1)
	c := d.files[path]
	if len(m) != 1 || c == nil || c.now == nil || c.now.tree == nil {
		return false
	}
	wanted, other := strings.ToLower(m[0][1]), false
	for i, t := range c.now.toks {
		if t.line < start || t.line > end || t.text != "return" {
			continue
		}
		switch value, next := strings.ToLower(at(c.now.toks, i+1)), at(c.now.toks, i+2); {
		case value != "true" && value != "false", value == wanted, next != ";" && next != "}" && i+2 < len(c.now.toks) && c.now.toks[i+2].line == t.line:
			return false
		}
		other = true
	}
	return other
}

// returned finds what an item says is returned.
var returned = lazyregexp.MustCompile(`(?i)\breturn(?:s|ing)?\s+` + "`?" + `(true|false)\b`)

// twoNames finds two names of functions of which an item speaks together, as they are written in code.
var twoNames = lazyregexp.MustCompile("(?:`([\\w.]+?)(?:\\(\\))?`|\\b([\\w.]+)\\(\\)|\\b([A-Z]{3,}|[a-z]+(?:[A-Z_][\\w]*))\\b)(?:,? and |, ?|/)" +
	"(?:`([\\w.]+?)(?:\\(\\))?`|\\b([\\w.]+)\\(\\)|\\b([A-Z]{3,}|[a-z]+(?:[A-Z_][\\w]*))\\b)")

// Untouched returns a function of a file that an item names together with another one, and in which, and
// in what it calls, nothing has changed, although something has in the other.
func (d *Diff) Untouched(item, path string) string {
	m := twoNames.FindStringSubmatch(item)
	c := d.files[path]
	if m == nil || c == nil || c.now == nil || c.now.tree == nil {
		return ""
	}
	names := []string{m[1] + m[2] + m[3], m[4] + m[5] + m[6]}
	changed, there := make(map[string]bool), make(map[string]int32)
	for i := range c.now.tree.Nodes {
		node := int32(i)
		if !c.now.tree.Function(node) || c.now.anonymous(node) || c.now.tree.Body(node) < 0 {
			continue
		}
		name := c.now.tree.FunctionName(node)
		there[name] = node
		for n := c.now.tree.Nodes[node]; n.StartRow <= n.EndRow; n.StartRow++ {
			changed[name] = changed[name] || c.changed[int(n.StartRow)+1]
		}
	}
	found := func(name string) string {
		name = name[strings.LastIndexByte(name, '.')+1:]
		for n := range there {
			if n == name || strings.ToUpper(n) == name {
				return n
			}
		}
		return ""
	}
	a, b := found(names[0]), found(names[1])
	if a == "" || b == "" || a == b || changed[a] == changed[b] {
		return ""
	}
	if changed[b] {
		a, b = b, a
	}
	for name := range changed { // it may call what has changed
		if changed[name] && c.now.named(there[b], name) > 0 {
			return ""
		}
	}
	return b
}

// wantsErrors finds an item by which an error is to be heard of.
var wantsErrors = lazyregexp.MustCompile(`(?i)\b(?:report|throw|rais|propagat|surfac)\w*\b|\breturn\w*\s+(?:an?\s+|the\s+)?errors?\b`)

// forgetsError finds what drops an error where it stands: out.flush().ok(), let _ = f()?, .catch(() => {}).
var forgetsError = lazyregexp.MustCompile(`^\s*pcall\(|\|\|\s*(?:true|:)\s*$|\)\.ok\(\);\s*$|^\s*let _ = .*\(|^\s*_(?:, _)* :?= .*\(|\.catch\(\s*(?:\(\w*\)|\w+)\s*=>\s*(?:\{\s*\}|undefined|null)\s*\)|\brescue\s+(?:nil|false|\[\])\s*$|^\s*@\$?\w+.*\(|^\s*(?:_\s*=\s*)?try\?\s|\.getOrElse\(\(\)\)|^\s*(?:scala\.util\.)?Try\s*[({].*[)}]\s*$|\.recover\w*\s*\{\s*case _[^=]*=>\s*(?:\(\))?\s*\}`)

// silencedPHP finds a call of PHP whose error is silenced, emptied an error of Go that is given to nobody.
var (
	silencedPHP = lazyregexp.MustCompile(`(?:=|return)\s*@[$\\\w]+\(`)
	emptied     = lazyregexp.MustCompile(`^\s*_ = \w*[eE]rr\s*$`)
)

// Swallows reports whether an item wants an error to be heard of, and the lines only have code that
// catches one, or drops it, and tells nobody.
func (d *Diff) Swallows(item, path string, start, end int) bool {
	c := d.files[path]
	if c == nil || c.now == nil || c.now.tree == nil || !wantsErrors.MatchString(item) {
		return false
	}
	if c.now.throwsInVain(item, start, end, c.changed) {
		return true
	}
	forgets, caught := false, []mark(nil)
	for n := start; n <= end; n++ {
		line := c.now.lineText(n)
		forgets = forgets || emptied.Match(line) && !bytes.Contains(c.Base, line) || // which has no effect, so it is not changed
			c.changed[n] && (forgetsError.Match(line) || c.lang == syntax.PHP && silencedPHP.Match(line))
	}
	for i := range c.now.tree.Nodes {
		node := c.now.tree.Nodes[i]
		k := c.now.tree.Kind(int32(i))
		first, last := int(node.StartRow)+1, int(node.EndRow)+1
		if c.now.tree.Named(int32(i)) && first <= end && last >= start && c.changed[first] && handlerKinds[k] && c.now.tellsNobody(int32(i)) {
			forgets = true
			if p := c.now.tree.Parent(int32(i)); p >= 0 && !c.now.tree.Function(p) { // what is thrown there it takes
				caught = append(caught, mark{start: int(c.now.tree.Nodes[p].Start), end: int(node.Start)})
			}
		}
	}
	if !forgets {
		return false
	}
	for i, t := range c.now.toks {
		switch {
		case t.line < start || t.line > end:
		case !inside(caught, t.at) && (t.text == "throw" || t.text == "raise" || t.text == "panic" || t.text == "Err" ||
			failure.MatchString(t.text) && c.lang == syntax.Go),
			at(c.now.toks, i+1) == "(" && !slices.Contains([]string{"new", "raise", "throw"}, at(c.now.toks, i-1)) && (saying.MatchString(t.text) || logs.MatchString(t.text)):
			return false
		}
	}
	return true
}

// wantsThrow finds an item by which an error leaves the function.
var wantsThrow = lazyregexp.MustCompile(`(?i)\b(?:throw|rais)\w*\b`)

// throwsInVain reports whether an item wants an error to be thrown, and the changed ones of some lines throw
// some, of which none leaves the function: it is caught there, or thrown when nobody listens any more.
func (s *side) throwsInVain(item string, start, end int, changed map[int]bool) bool {
	if !wantsThrow.MatchString(item) {
		return false
	}
	var kept []mark
	thrown := 0
	for i, t := range s.toks {
		if t.line < start || t.line > end || !changed[t.line] || t.text != "throw" && t.text != "raise" {
			continue
		}
		if kept == nil {
			kept = s.keepsErrors()
		}
		if thrown++; !slices.ContainsFunc(kept, func(m mark) bool {
			return m.start <= t.at && t.at < m.end && (m.by == "" || takes(m.by, s.toks[i+1:min(i+8, len(s.toks))]))
		}) {
			return false
		}
	}
	return thrown > 0
}

// takes reports whether the head of a handler takes what is thrown: one that names no class takes all.
func takes(head string, thrown []tok) bool {
	if !classNamed.MatchString(head) || holdsWord(head, "Exception") || holdsWord(head, "Throwable") || holdsWord(head, "BaseException") {
		return true
	}
	return slices.ContainsFunc(thrown, func(t tok) bool { return expression.IsWord(t.text) && t.text[0] <= 'Z' && holdsWord(head, t.text) })
}

var classNamed = lazyregexp.MustCompile(`\b[A-Z]\w+`)

// keepsErrors returns the stretches of text that no error leaves, with the head of the handler that takes it,
// or those that run when what has called them is over.
func (s *side) keepsErrors() (all []mark) {
	for i := range s.tree.Nodes {
		node, n := int32(i), s.tree.Nodes[i]
		switch kind := s.tree.Kind(node); {
		case !s.tree.Named(node):
		case kind == "with_statement" && idleContext.MatchString(s.tree.Text(node)):
			head, _, _ := strings.Cut(s.tree.Text(node), "\n")
			all = append(all, mark{start: int(n.Start), end: int(n.End), by: head})
		case kind == "finally_clause" && s.ends(s.lastChild(node)):
			all = append(all, mark{start: int(s.tree.Nodes[s.tree.Parent(node)].Start), end: int(n.Start)})
		case handlerKinds[kind] && s.lang != syntax.Ruby && !s.tells(node):
			head, _, _ := strings.Cut(s.tree.Text(node), "{")
			head, _, _ = strings.Cut(head, "\n")
			all = append(all, mark{start: int(s.tree.Nodes[s.tree.Parent(node)].Start), end: int(n.Start), by: head})
		case s.anonymous(node) && (s.isScript() && later.Match(s.src[max(0, int(n.Start)-24):n.Start]) || s.unawaited(node)):
			all = append(all, mark{start: int(n.Start), end: int(n.End)})
		}
	}
	return all
}

// later finds what calls a function when what has called it is over.
var later = lazyregexp.MustCompile(`\b(?:setTimeout|setInterval|setImmediate|queueMicrotask|requestAnimationFrame|nextTick)\(\s*(?:async\s*)?$`)

// tells reports whether a handler throws again, calls something, gives something back, or keeps what the
// function throws behind it: the last error of several tries.
func (s *side) tells(handler int32) bool {
	n := s.tree.Nodes[handler]
	toks := s.live(int(n.Start), int(n.End))
	open := slices.IndexFunc(toks, func(t tok) bool { return t.text == "{" || t.text == ":" || t.shape })
	for i := max(open, 0); i < len(toks); i++ {
		if text := toks[i].text; text == "throw" || text == "raise" || at(toks, i+1) == "(" && expression.IsWord(text) ||
			text == "return" && expression.IsWord(at(toks, i+1)) && expression.Literal([]string{at(toks, i+1)}) == expression.Unknown {
			return true
		}
		if toks[i].text == "=" && expression.IsWord(at(toks, i+1)) && s.throwsBehind(handler, at(toks, i-1)) {
			return true
		}
	}
	return false
}

// throwsBehind reports whether the function around a node throws what has a name behind it.
func (s *side) throwsBehind(node int32, name string) bool {
	f := s.functionAround(node)
	if f < 0 {
		return false
	}
	toks := s.live(int(s.tree.Nodes[node].End), int(s.tree.Nodes[f].End))
	for i := range toks {
		if (toks[i].text == "throw" || toks[i].text == "raise") && at(toks, i+1) == name {
			return true
		}
	}
	return false
}

// handlerKinds are the kinds of nodes that handle an error.
var handlerKinds = map[string]bool{"catch_clause": true, "except_clause": true, "rescue": true, "catch_block": true, "rescue_block": true}

// logs finds words by which somebody hears of something.
var logs = lazyregexp.MustCompile(`(?i)^(?:log\w*|warn\w*|error|info|report\w*|emit|notify|abort|exit|fail\w*|reject|status|print\w*)$`)

// tellsNobody reports whether a handler calls nothing, and gives back at most what is written out.
func (s *side) tellsNobody(handler int32) bool {
	n := s.tree.Nodes[handler]
	toks := s.live(int(n.Start), int(n.End))
	open := slices.IndexFunc(toks, func(t tok) bool { return t.text == "{" || t.text == ":" || t.shape })
	for i := max(open, 0); i < len(toks); i++ {
		if at(toks, i+1) == "(" && expression.IsWord(toks[i].text) || toks[i].text == "throw" || toks[i].text == "raise" ||
			toks[i].text == "." && at(toks, i+2) == "=" {
			return false
		}
	}
	return true
}

// Live reports whether any of the lines holds code that can run, changed or not.
func (d *Diff) Live(path string, text []byte, start, end int) bool {
	c := d.files[path]
	var s *side
	if c != nil {
		s = c.now
	} else if l := syntax.Detect(path, text); isCode(l) && len(text) <= maxCompared {
		s = readSide(l, path, text, nil)
	}
	return s == nil || slices.ContainsFunc(s.toks, func(t tok) bool { return t.line >= start && t.line <= end && !t.shape })
}

func (c *compared) whyNot(line int) Why {
	if w := c.why[line]; w != "" {
		return w
	}
	if w := c.now.markOf(line); w != "" {
		return w
	}
	if c.now.isBlank(line) {
		return Blank
	}
	return Format
}

// lineStarts returns where the lines of a text begin.
func lineStarts(text []byte) []int {
	starts := []int{0}
	for at := 0; ; {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 || at+i+1 == len(text) {
			return starts
		}
		at += i + 1
		starts = append(starts, at)
	}
}
