package codediff

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
)

// Which test of now stands for which old one, and what a test comes to whatever its conditions are.

// partners says for each of the old tests of a name which of those of now stands for it: one that says
// the same, or the next; -1 if there is none.
func partners(old, now []testcase) []int {
	of := make([]int, len(old))
	taken := make([]bool, len(now))
	take := func(i int, like func(testcase) bool) {
		if of[i] < 0 {
			for j, t := range now {
				if !taken[j] && like(t) {
					of[i], taken[j] = j, true
					return
				}
			}
		}
	}
	for i := range old {
		of[i] = -1
		take(i, func(t testcase) bool { return t.key == old[i].key })
	}
	for i := range old {
		if len(now) > 1 {
			take(i, func(t testcase) bool { return weaker(old[i], t) == "" })
		}
		take(i, func(testcase) bool { return true })
	}
	return of
}

// inRenamedClass returns the tests of a file that have the name of one in a class whose name is no longer
// there, or new, where theirs is not among the others either.
func inRenamedClass(t testcase, of, others []testcase) (found []testcase) {
	class, name, ok := strings.Cut(t.name, ".")
	if !ok || strings.Contains(name, ".") || t.helper {
		return nil
	}
	has := func(tests []testcase, class string) bool {
		return slices.ContainsFunc(tests, func(t testcase) bool { return strings.HasPrefix(t.name, class+".") && !t.helper })
	}
	if has(others, class) {
		return nil
	}
	for _, o := range others {
		if c, n, _ := strings.Cut(o.name, "."); n == name && !o.helper && !has(of, c) {
			found = append(found, o)
		}
	}
	return found
}

// conditionalCode counts what Rust compiles on a condition in a file with code and tests, beside its tests.
func (s *side) conditionalCode(inTests bool) (n int) {
	if s.lang != syntax.Rust || inTests {
		return 0
	}
	for i := range s.tree.Nodes {
		node := int32(i)
		if s.tree.Kind(node) != "attribute_item" || !conditionalItem.MatchString(s.tree.Text(node)) || s.amongTests(node) {
			continue
		}
		item := int32(-1)
		for c := range s.children(s.tree.Parent(node)) {
			if c > node && s.tree.Kind(c) != "attribute_item" && !strings.Contains(s.tree.Kind(c), "comment") {
				item = c
				break
			}
		}
		if item < 0 || s.tree.Kind(item) != "mod_item" && !marksTest.Match(s.src[s.attributes(item):s.tree.Nodes[item].Start]) {
			n++
		}
	}
	return n
}

// amongTests reports whether a node of Rust stands in a module of tests.
func (s *side) amongTests(node int32) bool {
	for p := s.tree.Parent(node); p >= 0; p = s.tree.Parent(p) {
		if s.tree.Kind(p) == "mod_item" && strings.Contains(s.nameOf(p), "test") {
			return true
		}
	}
	return false
}

// conditionalItem finds the attribute of Rust by which an item is compiled on a condition.
var conditionalItem = lazyregexp.MustCompile(`^#\[cfg\(\s*(?:feature|not|any|all|target)`)

// takenOver reports whether a new test, under another name, calls and expects all that one did that is gone.
// It takes over no other.
func takenOver(t testcase, come map[string][]testcase) bool {
	values := 0
	for _, n := range t.weights.literals {
		values += n
	}
	if t.helper || values < 3 || len(t.calls) < 2 {
		return false
	}
	for _, name := range slices.Sorted(maps.Keys(come)) {
		for i, c := range come[name] {
			if c.stands || c.helper || weaker(t, c) != "" {
				continue
			}
			all := true
			for called, n := range t.calls {
				all = all && c.calls[called] >= n
			}
			if all {
				come[name][i].stands = true
				return true
			}
		}
	}
	return false
}

// lostValues reports whether values are gone from what a test expects, or from what it does. One that
// was written more than once, and beside its assertions, may be written less often, if none is written
// more often in its place.
func lostValues(was, now weights) bool {
	less := false
	for k, n := range was.literals {
		if now.literals[k] < n {
			less = true
			if now.literals[k] == 0 || k[0] == '\x01' || now.wanted[k] < was.wanted[k] {
				return true
			}
		}
	}
	if less {
		for k, n := range now.literals {
			if n > was.literals[k] {
				return true
			}
		}
	}
	return false
}

// lastLine returns the line on which the assertion at i ends, with what is called on it.
func lastLine(toks []tok, i int) int {
	for i++; i < len(toks); i++ {
		switch text := toks[i].text; {
		case text == "(" || text == "{" || text == "[":
			i = closing(toks, i)
		case text == "." || text == "!" || text == "-" || text == ">":
		case toks[i].line != toks[i-1].line && toks[i-1].text != "." && at(toks, i-1) != ">":
			return toks[i-1].line
		}
	}
	return toks[len(toks)-1].line
}

// ownName takes the name of a test out of what it says, where it stands in its texts.
func ownName(key, name string) string {
	if name = name[strings.LastIndexByte(name, '.')+1:]; len(name) < 8 {
		return key
	}
	return strings.ReplaceAll(key, name, "\x02")
}

// givesBack counts how often a test of the JVM gives back a value: it is not run then.
func (s *side) givesBack(test int32) (n int) {
	if s.lang != syntax.Kotlin && s.lang != syntax.Java {
		return 0
	}
	for i := test + 1; i < s.tree.Nodes[test].Next; i++ {
		if s.tree.Named(i) && strings.HasPrefix(s.tree.Kind(i), "return") && s.functionAround(i) == test &&
			len(s.tree.Text(i)) > len("return;") {
			n++
		}
	}
	return n
}

// countsFrom reports whether the number at i is where a loop begins to count.
func countsFrom(toks []tok, i int) bool {
	for j := i - 1; j >= 0 && i-j < 7 && toks[j].line == toks[i].line; j-- {
		if toks[j].text == "for" {
			return at(toks, i-1) == "="
		}
	}
	return false
}

// handedTo names a function that is handed a test; those that make what a test needs all alike.
func handedTo(function string) string {
	if !isAssert(function) && setsUpTest.MatchString(function) {
		return "\x01set up"
	}
	return function
}

// spread adds the lines from one to another.
func spread(lines map[int]bool, from, to int) {
	for ; from <= to; from++ {
		lines[from] = true
	}
}

// valuesOn counts the values that are written out on some lines.
func valuesOn(toks []tok, lines map[int]bool) map[string]int {
	values := make(map[string]int)
	for i, t := range toks {
		if lines[t.line] && writtenOut(t.text) {
			values[adjacent(toks, i)]++
		}
	}
	return values
}

// setsUpTest finds functions that make what a test of Go needs.
var setsUpTest = lazyregexp.MustCompile(`^(?:new|set[uU]p|make|create|open|start|build|prepare|New|Set[uU]p)(?:[A-Z_]|$)`)

// callsInherited reports whether a test calls a function that its class has from another file, or one that
// is called a test and stands in no class.
func (s *side) callsInherited(test int32, toks []tok) bool {
	class, from := int32(-1), 0
	if s.tree.Function(test) {
		class, from = s.classAround(test), int(s.tree.Nodes[s.tree.Body(test)].Start)
	}
	anyCall := class >= 0 && (s.lang == syntax.CSharp || s.lang == syntax.Java || s.lang == syntax.Kotlin) &&
		inherits.MatchString(s.headText(class))
	own := make(map[string]bool)
	for i := range s.tree.Nodes {
		if s.tree.Function(int32(i)) {
			own[s.tree.FunctionName(int32(i))] = true
		}
	}
	for i, t := range toks {
		if t.at < from || at(toks, i+1) != "(" || own[t.text] {
			continue
		}
		prev, before := at(toks, i-1), at(toks, i-2)
		if anyCall && plainWord.MatchString(t.text) && !flows[t.text] && prev != "." && prev != "new" ||
			sharedTest.MatchString(t.text) && prev != "[" && prev != "@" && (prev != "." || before == "self" || before == "this") {
			return true
		}
	}
	return false
}

// sharedTest finds the name of a function that several tests call.
var sharedTest = lazyregexp.MustCompile(`^_*(?:do_?|run_?)?[tT]est(?:_[a-z0-9]|[A-Z0-9])\w*$`)

// inherits finds the head of a class with another one above it.
var inherits = lazyregexp.MustCompile(`\bclass\s+\w+\s*(?::|extends\b)\s*\w`)

// withoutRemarks returns a text without its comments, but for those that say something to what runs tests.
func (s *side) withoutRemarks() string {
	if !s.spec.Testing.Documented {
		return string(s.withoutComments())
	}
	return string(s.blanked(func(comment []byte) bool { return !bytes.HasPrefix(comment, []byte("/**")) }))
}

// unconditional returns the tokens of a test that it comes to whatever its conditions are. A branch that
// only fails is none, and what stands in both branches of a condition is in neither.
func (s *side) unconditional(test int32, toks []tok) []tok {
	var out []mark
	same := make(map[int]bool) // by place, of what stands in both branches
	for i := test + 1; i < s.tree.Nodes[test].Next; i++ {
		if !s.tree.Named(i) || s.isLoop(i) || strings.HasPrefix(s.tree.Kind(i), "preproc") {
			continue
		}
		if cond := s.condition(i); cond >= 0 && s.kind(i) != "conditional_expression" {
			out = append(out, s.onlyIf(test, i, cond, same)...)
		}
	}
	var left []tok
	for _, t := range toks {
		if same[t.at] || !inside(out, t.at) {
			left = append(left, t)
		}
	}
	return left
}

// onlyIf returns what a test comes to on a condition only.
func (s *side) onlyIf(test, node, cond int32, same map[int]bool) (out []mark) {
	var branches [2][]tok
	end := int(s.tree.Nodes[test].End)
	if f := s.functionAround(node); f > test {
		end = int(s.tree.Nodes[f].End)
	}
	s.branches(node, cond, func(b int32, alternative bool) {
		n := s.tree.Nodes[b]
		toks := s.live(int(n.Start), int(n.End))
		if slices.ContainsFunc(toks, func(t tok) bool { return failsItself[t.text] }) {
			return
		}
		which := 0
		if alternative {
			which = 1
		}
		branches[which] = append(branches[which], toks...)
		out = append(out, mark{start: int(n.Start), end: int(n.End)})
		if leaves := slices.ContainsFunc(toks, func(t tok) bool { return leavingWords[t.text] }); leaves {
			out = append(out, mark{start: int(s.tree.Nodes[node].End), end: end})
		}
	})
	for i, toks := range branches {
		for _, t := range toks {
			if slices.ContainsFunc(branches[1-i], func(o tok) bool { return o.text == t.text }) {
				same[t.at] = true
			}
		}
	}
	return out
}

var (
	failsItself  = wordSet("Fatal Fatalf Error Errorf Fail FailNow fail throw raise panic XCTFail")
	leavingWords = wordSet("return continue next break exit Exit exitProcess abort")
)

// undeclared returns the names that the change no longer declares outside of functions, but for those of
// functions that raise errors.
func (d *Diff) undeclared() map[string]bool {
	names := make(map[string]bool)
	for _, c := range d.files {
		for name := range c.was.outerNames() {
			names[name] = true
		}
		for _, r := range c.was.routines() {
			if r.raises > 0 {
				delete(names, r.name)
			}
		}
	}
	for _, c := range d.files {
		for name := range c.now.outerNames() {
			delete(names, name)
		}
	}
	return names
}

// outerNames returns the names that a text declares outside of functions.
func (s *side) outerNames() map[string]bool {
	names := make(map[string]bool)
	if s == nil || s.tree == nil {
		return names
	}
	for i := range s.tree.Nodes {
		node := int32(i)
		if !s.tree.Named(node) || s.functionAround(node) >= 0 {
			continue
		}
		name := s.declared(node)
		if s.tree.Kind(node) == "const_element" {
			name = s.tree.Text(s.nthChild(node, 0))
		}
		if name != "" {
			names[strings.TrimLeft(name, "$")] = true
		}
	}
	return names
}

// endsWell counts what ends the program as if all had gone well, but for the tests that the file runs as
// a program of their own, by their name.
func (s *side) endsWell() int {
	if s == nil || s.tree == nil {
		return 0
	}
	text := s.withoutComments()
	n := len(endsWell.FindAllString(string(text), -1))
	for i := range s.tree.Nodes {
		node := int32(i)
		if n > 0 && s.tree.Function(node) && !s.anonymous(node) && s.runAlone(node) {
			n -= len(endsWell.FindAllString(s.tree.Text(node), -1))
		}
	}
	return n
}

// runAlone reports whether a test of Go is run as a program of its own, by its name, and ends at once
// otherwise.
func (s *side) runAlone(test int32) bool {
	return s.spec.Testing.Functions != "" && s.onDemand(test) &&
		bytes.Contains(s.src, []byte("-test.run="+s.tree.FunctionName(test)))
}
