package search

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// A Declaration is a place that declares what is defined elsewhere: a prototype in a
// header of C.
type Declaration struct {
	File string `json:"file"`
	Line int    `json:"line"`
}

// joined puts the declarations of C and C++ behind the definitions that they announce, so
// that what is one thing is one result, in the better of their places. Declarations
// without a definition stay as they are.
func (s *sources) joined(found []foundSymbol) []foundSymbol {
	groups := map[string][]int{}
	for i := range found {
		f := &found[i]
		if syntax.SameGroup(f.Language, "c") && announced(f.Kind) {
			key := string(f.Kind) + " " + text.Dotted(f.Scope, f.Name)
			groups[key] = append(groups[key], i)
		}
	}
	place, gone := make([]int, len(found)), make([]bool, len(found))
	for i := range place {
		place[i] = i
	}
	for _, group := range groups {
		if len(group) > 1 {
			s.join(found, group, place, gone)
		}
	}
	order := make([]int, 0, len(found))
	for i := range found {
		if !gone[i] {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return place[a] - place[b] })
	kept := make([]foundSymbol, len(order))
	for i, at := range order {
		kept[i] = found[at]
	}
	return kept
}

// countThings counts what symbols of a name are: a declaration and what it announces are one.
func (s *sources) countThings(list []index.Symbol) int {
	found := make([]foundSymbol, len(list))
	for i := range list {
		found[i] = foundSymbol{Symbol: list[i]}
	}
	return len(s.joined(found))
}

// defined puts the definition in the place of each symbol that only declares it, where a list of
// all of a name has one.
func (s *sources) defined(all []index.Symbol, some []*index.Symbol) []*index.Symbol {
	found := make([]foundSymbol, len(all))
	for i := range all {
		found[i] = foundSymbol{Symbol: all[i]}
	}
	out := slices.Clone(some)
	for _, f := range s.joined(found) {
		for i, d := range some {
			if slices.Contains(f.declared, Declaration{d.File, nameLine(d)}) {
				out[i] = &f.Symbol
			}
		}
	}
	return out
}

// join does so for symbols of one name. It says which declarations are gone, and what
// place each definition takes instead of its own.
func (s *sources) join(found []foundSymbol, group, place []int, gone []bool) {
	var definitions []int
	for _, i := range group {
		if !s.announces(&found[i]) {
			definitions = append(definitions, i)
		}
	}
	for _, i := range group {
		if len(definitions) == 0 || slices.Contains(definitions, i) {
			continue
		}
		near := -1
		var of []int
		for _, d := range definitions {
			if !sameThing(&found[i], &found[d]) {
				continue
			}
			if n := text.CommonFolders(found[i].File, found[d].File); n > near {
				near, of = n, []int{d}
			} else if n == near {
				of = append(of, d) // one for each system
			}
		}
		for _, d := range of {
			gone[i] = true
			found[d].declared = append(found[d].declared, Declaration{found[i].File, nameLine(&found[i].Symbol)})
			if found[d].Doc == "" {
				found[d].Doc = found[i].Doc
			}
			place[d] = min(place[d], i)
		}
	}
}

// announced reports whether things of a kind are declared in one place and defined in another.
func announced(k syntax.Kind) bool {
	return slices.Contains([]syntax.Kind{syntax.Function, syntax.Method, syntax.Constructor, syntax.Variable, syntax.Constant}, k)
}

// madeHere ends a function that needs no body.
var madeHere = lazyregexp.MustCompile(`=\s*(default|delete)\s*;?\s*$`)

// announces reports whether a symbol is only declared: a function without a body, a
// variable that lies elsewhere.
func (s *sources) announces(f *foundSymbol) bool {
	code := s.Text(f.File)
	if f.Start < 0 || f.End > len(code) || f.Start > f.End {
		return false
	}
	code = bytes.TrimRight(code[f.Start:f.End], " \t\r\n;")
	if f.Kind == syntax.Variable || f.Kind == syntax.Constant {
		return bytes.HasPrefix(code, []byte("extern ")) && !bytes.ContainsRune(code, '=')
	}
	return !bytes.HasSuffix(code, []byte("}")) && !madeHere.Match(code)
}

// sameThing reports whether a declaration announces a definition of the same name: what is
// declared in another source need not, unless it says so.
func sameThing(declared, defined *foundSymbol) bool {
	within := declared.File == defined.File || strings.HasPrefix(path.Ext(declared.File), ".h") ||
		strings.HasPrefix(declared.Signature, "extern ")
	return within && (defined.Language == "c" || sameParameters(declared.Signature, defined.Signature))
}

// sameParameters reports whether functions take parameters of the same types, as far as their
// heads show it. The names and default values of parameters do not matter.
func sameParameters(a, b string) bool { return slices.Equal(parameters(a), parameters(b)) }

// words are names, with their namespaces, and single characters of other kinds.
var words = lazyregexp.MustCompile(`[\w:]+|[^\s\w:]`)

// parameters returns the types of the parameters in the head of a function, cut at what the
// head was cut at.
func parameters(head string) (list []string) {
	at := strings.IndexByte(head, '(')
	if at < 0 {
		return nil
	}
	var now []string
	depth, skipped := 0, false
	end := func() {
		n := len(now)
		if n > 1 && isWord(now[n-1]) && !builtIn[now[n-1]] && now[n-2] != "const" && now[n-2] != "struct" {
			now = now[:n-1] // its name
		}
		if n > 0 {
			list = append(list, strings.Join(now, " "))
		}
		now, skipped = nil, false
	}
	for _, w := range words.FindAllString(head[at:], -1) {
		switch w {
		case "(", "<", "[", "{":
			depth++
		case ")", ">", "]", "}":
			depth--
		}
		switch {
		case depth == 0:
			end()
			return list
		case depth == 1 && w == ",":
			end()
		case w == "=":
			skipped = true
		case !skipped && (depth > 1 || w != "("):
			now = append(now, w[strings.LastIndexByte(w, ':')+1:])
		}
	}
	end()
	return list
}

// builtIn are words of types that are no names of parameters.
var builtIn = text.WordSet("void bool char short int long float double unsigned signed auto size_t")

func isWord(w string) bool {
	return strings.Trim(w[:1], "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}
