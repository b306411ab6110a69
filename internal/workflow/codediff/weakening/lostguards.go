package weakening

import (
	"cmp"
	"strings"

	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
	"codeintel/internal/workflow/codediff/source"
	"codeintel/internal/workflow/codediff/testcase"
	"codeintel/internal/workflow/codediff/tokens"
)

// Code that is not a test and checks less than before: a function that raises fewer errors or takes
// no lock any more, and one that lost a part when it was renamed or moved into another.

// A routine is a function with what it checks.
type routine struct {
	name   string
	unit   string         // the function with the class around it, and which of that name it is
	raises int            // ways out with an error, and locks
	ways   int            // the same, and for each the conditions that it is the way out of
	asked  map[string]int // the words of those conditions
	exits  int            // ways out at all
	words  map[string]int // names that are not its locals, and calls with how much they are given
	calls  map[string]int
	waits  map[string]int // calls that it waits for, by name
	alone  map[string]int // calls that are a statement, and that it does not wait for
	whole  string
}

// routines returns the functions of a text, by unit.
func routines(s *testcase.File) map[string]routine {
	all := make(map[string]routine)
	if s == nil || s.Tree == nil {
		return all
	}
	for i := range s.Tree.Nodes {
		node := int32(i)
		if !s.Tree.Function(node) || s.Anonymous(node) || s.FunctionAround(node) >= 0 || s.Tree.Body(node) < 0 {
			continue
		}
		r := routine{name: s.Tree.FunctionName(node), words: make(map[string]int), asked: make(map[string]int)}
		r.unit = r.name
		for p := s.Tree.Parent(node); p >= 0; p = s.Tree.Parent(p) {
			if name := s.NameOf(p); name != "" {
				r.unit = name + "." + r.unit
			}
		}
		if on := s.Tree.Field(node, "receiver"); on >= 0 {
			r.unit = source.PlainText(s.Tree.Text(on)) + r.unit
		}
		for _, there := all[r.unit]; there; _, there = all[r.unit] { // an overload
			r.unit += "'"
		}
		body := s.Tree.Nodes[s.Tree.Body(node)]
		toks := s.TokensIn(int(body.Start), int(body.End))
		r.calls = tokens.CallsOf(toks, r.name)
		r.waits, r.alone = waitsOf(toks)
		noteTokens(s, &r, toks)
		r.whole = strings.Join(tokens.Texts(toks), "\x00")
		all[r.unit] = r
	}
	return all
}

// noteTokens notes what the tokens of a function check and name.
func noteTokens(s *testcase.File, r *routine, toks []tokens.Token) {
	for j, t := range toks {
		switch {
		case refuses(s, toks, j):
			r.raises++
			n, words := alternatives(toks[:j])
			r.ways += n
			for _, w := range words {
				if s.Lang != syntax.Rust { // there an error may become a value of an arm
					r.asked[w]++
				}
			}
			if s.Lang != syntax.Rust || t.Text != "return" { // it gives an "Err" back, which counts
				r.ways++
			}
			r.exits++
		case t.Text == "return":
			r.exits++
		case s.Lang == syntax.Rust && t.Text == "Err" && givesError(s, toks, j):
			r.ways++
		}
		if !t.Local && expression.IsWord(t.Text) && !source.ControlWords[t.Text] && (t.Text[0] != '$' || s.Lang != syntax.PHP || tokens.TextAt(toks, j-1) == ":") {
			r.words[t.Text]++
		}
		if expression.IsWord(t.Text) && tokens.TextAt(toks, j+1) == "(" {
			if args := tokens.SplitArguments(toks[j+2 : tokens.ClosingBracket(toks, j+1)]); len(args) > 1 {
				for n := range args {
					r.words[t.Text+"("+strings.Repeat(",", n)]++
				}
			}
		}
	}
}

// refuses reports whether a token ends the function with an error, or takes a lock.
func refuses(s *testcase.File, toks []tokens.Token, i int) bool {
	text, next := toks[i].Text, tokens.TextAt(toks, i+1)
	switch text {
	case "throw", "raise":
		return next != ";" && next != "}"
	case "panic", "bail", "ensure", "abort", "lock", "Lock", "RLock", "acquire":
		return next == "(" || next == "!"
	case "synchronized":
		return true
	case "return":
		for j := i + 1; j < len(toks) && toks[j].Line == toks[i].Line && toks[j].Text != ";"; j++ {
			if s.Lang == syntax.Go && source.ErrorValue.MatchString(toks[j].Text) || s.Lang == syntax.Rust && toks[j].Text == "Err" {
				return true
			}
		}
	}
	return false
}

// givesError reports whether the "Err" at i is a value, and no pattern.
func givesError(s *testcase.File, toks []tokens.Token, i int) bool {
	behind := tokens.TextAt(toks, tokens.ClosingBracket(toks, min(i+1, len(toks)-1))+1)
	return tokens.TextAt(toks, i+1) == "(" && tokens.TextAt(toks, i+2) != "_" && behind != "=" && behind != "|" && behind != "if"
}

// alternatives counts by how many more conditions than one the last tokens lead to what follows them.
func alternatives(toks []tokens.Token) (n int, words []string) {
	for i := len(toks) - 1; i >= 0 && len(toks)-i < 60; i-- {
		switch text := toks[i].Text; {
		case text == "if" || text == "unless" || text == "when":
			return n, words
		case text == "}" || text == ";" || text == "throw" || text == "raise" || text == "return":
			return 0, nil
		case text == "or" || text == "|" && tokens.TextAt(toks, i+1) == "|":
			n++
		case expression.IsWord(text) && !source.ControlWords[text]:
			words = append(words, text)
		}
	}
	return 0, nil
}

// lostGuards lists the functions of a change that check less than before.
func (d *Change) lostGuards() (all []Finding) {
	type pair struct{ was, now map[string]routine }
	of, added := make(map[string]pair), make(map[string]routine) // by file; the new functions, by name
	undeclared := d.undeclared()
	for path, c := range d.Files {
		if c.Now == nil || c.Test || !source.IsCode(c.Lang) || c.LeftOut {
			continue
		}
		p := pair{routines(c.Was), routines(c.Now)}
		of[path] = p
		for unit, r := range p.now {
			if _, there := p.was[unit]; !there {
				if have, twice := added[r.name]; !twice || cmp.Or(cmp.Compare(have.raises, r.raises), strings.Compare(have.whole, r.whole)) < 0 {
					added[r.name] = r // of two of a name always the same
				}
			}
		}
	}
	for path, p := range of {
		var removed, fresh []routine
		for unit, old := range p.was {
			r, there := p.now[unit]
			switch {
			case !there:
				removed = append(removed, old)
			case r.whole == old.whole:
			case checksLess(old, r, added, p.now) && !overloaded(old.name, p.was, added, p.now):
				all = append(all, Finding{path, r.name, ChecksLess})
			case extractedLess(old, r, added, undeclared):
				all = append(all, Finding{path, r.name, MovedLess})
			case waitsLess(old, r):
				all = append(all, Finding{path, r.name, Unawaited})
			}
		}
		for unit, r := range p.now {
			if _, there := p.was[unit]; !there {
				fresh = append(fresh, r)
			}
		}
		if len(removed) == 1 && len(fresh) == 1 && shareWords(removed[0].words, fresh[0].words) && // it was renamed
			(fresh[0].exits < removed[0].exits || fresh[0].raises < removed[0].raises || decidesLess(removed[0], fresh[0])) {
			all = append(all, Finding{path, fresh[0].name, MovedLess})
		}
	}
	return all
}

// waitsOf counts the calls that a function waits for ("await a.save(x)"), and those that are a
// statement by themselves, by the names of what is called.
func waitsOf(toks []tokens.Token) (waits, alone map[string]int) {
	waits, alone = make(map[string]int), make(map[string]int)
	for i, t := range toks {
		if tokens.TextAt(toks, i+1) != "(" || !expression.IsWord(t.Text) {
			continue
		}
		first := i
		for first > 0 && toks[first-1].Line == t.Line && (toks[first-1].Text == "." || toks[first-1].Text == "?" ||
			toks[first].Text == "." && expression.IsWord(toks[first-1].Text)) {
			first--
		}
		before := tokens.TextAt(toks, first-1)
		end := tokens.ClosingBracket(toks, i+1)
		switch {
		case before == "await":
			waits[t.Text]++
		case (first == 0 || before == "{" || before == "}" || toks[first-1].Line != toks[first].Line && before != "(" && before != "," && before != "=") &&
			(end+1 >= len(toks) || tokens.TextAt(toks, end+1) == "}" || toks[end+1].Line != toks[end].Line && tokens.TextAt(toks, end+1) != "."):
			alone[t.Text]++
		}
	}
	return waits, alone
}

// waitsLess reports whether a function calls what it waited for before as a statement, and does not
// wait for it.
func waitsLess(old, r routine) bool {
	for name, n := range old.waits {
		if r.waits[name] < n && r.alone[name] > old.alone[name] {
			return true
		}
	}
	return false
}

// withAdded adds to a function what the new functions that it calls do.
func withAdded(r routine, added map[string]routine, depth int) (raises, ways int, words map[string]int) {
	raises, ways, words = r.raises, r.ways, make(map[string]int)
	for w, n := range r.words {
		words[w] += n
	}
	for name := range r.calls {
		if g, there := added[name]; there && depth > 0 {
			more, most, said := withAdded(g, added, depth-1)
			raises, ways = raises+more, ways+most
			for w, n := range said {
				words[w] += n
			}
		}
	}
	return raises, ways, words
}

// overloaded reports whether there are more functions of a name than there were, which raise as many errors
// together.
func overloaded(name string, was, added, now map[string]routine) bool {
	sum := func(of map[string]routine) (n, raises int) {
		for _, r := range of {
			if r.name == name {
				more, _, _ := withAdded(r, added, testcase.Deepest)
				n, raises = n+1, raises+more
			}
		}
		return n, raises
	}
	before, had := sum(was)
	after, has := sum(now)
	return after > before && has >= had
}

// stillAsks reports whether the conditions of errors name all that they named.
func stillAsks(old, r routine, added map[string]routine) bool {
	for word := range old.asked {
		asked := r.asked[word] > 0
		for name := range r.calls {
			asked = asked || added[name].asked[word] > 0
		}
		if !asked {
			return false
		}
	}
	return true
}

// checksLess reports whether a function, with the new ones that it calls, raises fewer errors. One
// that hands over to another of the file may rely on it.
func checksLess(old, r routine, added, now map[string]routine) bool {
	raises, ways, _ := withAdded(r, added, testcase.Deepest)
	if overload, fresh := added[old.name]; raises >= old.raises || ways >= old.ways && stillAsks(old, r, added) || fresh && raises+overload.raises >= old.raises {
		return false
	}
	for _, other := range now {
		overload := other.name == r.name && other.unit != r.unit && r.words[r.name] > old.words[r.name]
		if _, fresh := added[other.name]; (overload || !fresh && r.calls[other.name] > old.calls[other.name]) && other.raises > 0 {
			return false
		}
	}
	return true
}

// extractedLess reports whether a part of a function was moved into a new one, and something of it is
// in neither, although the change still declares it, or never did.
func extractedLess(old, r routine, added map[string]routine, undeclared map[string]bool) bool {
	elsewhere := make(map[string]int)
	for _, g := range added {
		for w, n := range g.words {
			elsewhere[w] = max(elsewhere[w], n)
		}
	}
	_, _, words := withAdded(r, added, testcase.Deepest)
	moved, lost := 0, make(map[string]bool)
	for w, n := range old.words {
		moved += min(max(0, n-r.words[w]), words[w]-r.words[w])
		if name, _, call := strings.Cut(w, "("); (words[w] == 0 || call && words[w] < n) && !undeclared[name] && elsewhere[w] < n {
			lost[name] = true
		}
	}
	return len(lost) > 0 && moved >= 2*len(lost)
}

// decidesLess reports whether a function lost a negation or a comparison.
func decidesLess(old, r routine) bool {
	had, has := strings.Split(old.whole, "\x00"), strings.Split(r.whole, "\x00")
	count := func(toks []string, op string) (n int) {
		for _, t := range toks {
			if t == op {
				n++
			}
		}
		return n
	}
	for _, op := range []string{"!", "not", "<", ">", "&", "|", "and", "or"} {
		if count(has, op) < count(had, op) {
			return true
		}
	}
	return false
}

// shareWords reports whether two functions have most of their words in common.
func shareWords(a, b map[string]int) bool {
	same, all := 0, 0
	for w, n := range a {
		same, all = same+min(n, b[w]), all+n
	}
	return all > 0 && same*10 >= all*6
}
