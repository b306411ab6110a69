package codediff

import (
	"maps"
	"path"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
	"codeintel/internal/workflow/codediff/silencers"
	"codeintel/internal/workflow/codediff/unread"
)

// What a change adds, and nothing in it uses: a function or a case that nobody names, an option that
// nobody reads, and one that is off wherever it is made. What a change adds by a name that no changed
// file had before, the rest of the project cannot name either.

// optionsType finds the names of types that hold options.
var optionsType = lazyregexp.MustCompile(`(?:Options?|Opts|Config|Configuration|Settings)$`)

// unusedNames lists the names that a change adds and does not use.
func (d *Diff) unusedNames() (all []Weakening) {
	had := make(map[string]bool)
	var nows []*side
	for _, path := range slices.Sorted(maps.Keys(d.files)) {
		c := d.files[path]
		if c.now == nil {
			continue
		}
		for _, w := range wordsOf(c.Base) {
			had[w] = true
		}
		if c.now.tree != nil || !syntax.Of(c.lang).Prose {
			nows = append(nows, c.now)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(d.files)) {
		c := d.files[path]
		if c.now != nil && (c.lang == syntax.Vue || c.lang == syntax.Svelte) && !c.Test {
			all = append(all, c.unusedInMarkup(had)...)
		}
		if c.now == nil || c.now.tree == nil || c.Test || c.out != "" || inTestFile.MatchString(path) {
			continue
		}
		all = append(all, c.unusedOf(nows, had)...)
	}
	return all
}

// unusedOf lists those of a file.
func (c *compared) unusedOf(nows []*side, had map[string]bool) (all []Weakening) {
	for i := range c.now.tree.Nodes {
		node := int32(i)
		if !c.now.tree.Named(node) {
			continue
		}
		switch {
		case c.now.callable(node, c.Path), c.now.idleConstant(node), variantKinds[c.now.tree.Kind(node)]:
			name := strings.Trim(c.now.variant(node), "`!?") // not what only belongs to how it is written
			if len(name) > 2 && !had[name] && namedIn(nows, name) == c.now.named(node, name) {
				all = append(all, Weakening{c.Path, name, NeverNamed})
			}
		case c.now.isOption(node):
			name := c.now.declared(node)
			if len(name) > 2 && !had[name] {
				if how := optionUse(nows, c.now, node); how != "" {
					all = append(all, Weakening{c.Path, name, how})
				}
			}
		}
	}
	return all
}

func wordsOf(text []byte) (words []string) {
	for len(text) > 0 {
		n := expression.TokenLength(text)
		if w := strings.TrimLeft(string(text[:n]), "$"); expression.IsWord(w) {
			words = append(words, w)
		}
		text = text[n:]
	}
	return words
}

// namedIn counts how often some texts name something.
func namedIn(sides []*side, name string) (n int) {
	for _, s := range sides {
		if s.tree == nil {
			n += count(string(s.src), name)
		} else {
			n += s.named(0, name)
		}
	}
	return n
}

// variantKinds are the kinds of nodes that declare one of the values of a type.
var variantKinds = map[string]bool{"enum_variant": true, "enum_member_declaration": true, "enum_constant": true,
	"enum_entry": true, "enum_case": true}

func (s *side) variant(node int32) string {
	if name := s.nameOf(node); name != "" || !variantKinds[s.tree.Kind(node)] {
		return name
	}
	if c := s.nthChild(node, 0); c >= 0 && plainWord.MatchString(s.tree.Text(c)) {
		return s.tree.Text(c)
	}
	return ""
}

// foundByName finds functions that a program or a framework finds by their names, and files whose
// functions it finds.
var (
	foundByName = lazyregexp.MustCompile(`^(?:main|Main|init|setup|teardown|register|activate|deactivate|load|run|handler` +
		`|plugin_\w*|pytest_\w*|Fuzz\w*|Test\w*|test_\w*|Example\w*|Benchmark\w*|[A-Z]{3,7}|_.*)$`)
	foundInFiles = lazyregexp.MustCompile(`(?:^|/)(?:(?:app|pages|routes)/.*|(?:index|main|mod|lib|__init__)\.\w+|[^/]*config\.\w+)$`)
)

// callable reports whether a node declares a function that only calls by its name reach: one that
// stands by itself, or a static one of a class that has nothing else.
func (s *side) callable(node int32, file string) bool {
	if !s.tree.Function(node) || s.anonymous(node) || s.tree.Body(node) < 0 || s.functionAround(node) >= 0 ||
		foundByName.MatchString(s.tree.FunctionName(node)) || foundInFiles.MatchString(file) || s.annotated(node) {
		return false
	}
	switch s.lang { // what only its own file can name
	case syntax.Lua:
		return strings.HasPrefix(s.tree.Text(node), "local ") && s.tree.Kind(s.tree.Parent(node)) == "chunk"
	case syntax.Elixir:
		return s.callee(node) == "defp"
	case syntax.Bash:
		return s.tree.Kind(s.tree.Parent(node)) == "program" && strings.HasPrefix(string(s.src), "#!") && !strings.HasSuffix(file, ".bats")
	}
	if !s.spec.Comparing.ByName || s.lang == syntax.Rust && s.attributes(node) < int(s.tree.Nodes[node].Start) {
		return false
	}
	parent := s.tree.Parent(node)
	switch s.lang {
	case syntax.Go:
		return s.tree.Field(node, "receiver") < 0 && path.Base(file) != "main.go"
	case syntax.CSharp:
		class := s.classAround(node)
		return class >= 0 && s.hasModifier(class, "static") && s.hasModifier(node, "static")
	}
	switch s.tree.Kind(parent) {
	case "program", "module", "source_file":
		return true
	case "export_statement":
		return !strings.HasPrefix(s.tree.Text(parent), "export default")
	}
	return false
}

// idleConstant reports whether a node declares a name of a module of JavaScript that no other may import,
// for a value that nothing is called for.
func (s *side) idleConstant(node int32) bool {
	if s.tree.Kind(node) != "variable_declarator" || s.tree.Kind(s.tree.Parent(s.tree.Parent(node))) != "program" ||
		strings.HasPrefix(s.nameOf(node), "_") || !plainWord.MatchString(s.nameOf(node)) || !isModule.Match(s.src) {
		return false
	}
	switch s.tree.Kind(s.tree.Field(node, "value")) {
	case "object", "array", "number", "string", "template_string", "arrow_function", "function_expression", "true", "false":
		return true
	}
	return false
}

var inScript = lazyregexp.MustCompile(`(?m)^(?:  |\t)?(?:const|let|(?:async )?function)\s+(\w+)\s*(?:\(|(?::[^=\n]*)?=\s*(\w*))`)

// unusedInMarkup lists the names that the script of a component adds, and neither it nor the markup uses:
// nothing else can name them.
func (c *compared) unusedInMarkup(had map[string]bool) (all []Weakening) {
	uses := make(map[string]int)
	for _, t := range c.now.toks {
		uses[strings.TrimLeft(t.text, "$")]++
	}
	for _, m := range inScript.FindAllStringSubmatch(string(c.New), -1) {
		name := m[1]
		if !had[name] && uses[name] == 1 && len(name) > 2 && !strings.HasPrefix(m[2], "define") &&
			!strings.HasPrefix(name, "_") && !directive.MatchString(name) {
			all = append(all, Weakening{c.Path, name, NeverNamed})
		}
	}
	return all
}

// directive finds the names that markup writes in another way.
var directive = lazyregexp.MustCompile(`^v[A-Z]`)

// isOption reports whether a node declares a field of a type that holds options.
func (s *side) isOption(node int32) bool {
	switch s.tree.Kind(node) {
	case "property_signature", "public_field_definition", "field_declaration", "property_declaration", "class_parameter":
	default:
		return false
	}
	if s.functionAround(node) >= 0 || s.annotated(node) || strings.ContainsAny(s.tree.Text(node), "`@") {
		return false
	}
	for p := s.tree.Parent(node); p >= 0; p = s.tree.Parent(p) {
		if name := s.nameOf(p); name != "" {
			return optionsType.MatchString(name)
		}
	}
	return false
}

// truthType finds the declaration of what is true or false, and not true by itself.
var truthType = lazyregexp.MustCompile(`^[^=]*\b[bB]ool(?:ean)?\b[^=]*(?:=\s*(?:false|False)\b[^=]*)?$`)

// optionUse says how an option that a node declares is not used, or "".
func optionUse(sides []*side, in *side, option int32) How {
	var u uses
	name, n := in.declared(option), in.tree.Nodes[option]
	truth := truthType.MatchString(in.tree.Text(option))
	for _, s := range sides {
		for i, t := range s.toks {
			if s == in && int(n.Start) <= t.at && t.at < int(n.End) {
				continue
			}
			if !u.add(s, i, name) {
				return ""
			}
		}
	}
	switch {
	case u.reads == 0:
		return NeverRead
	case truth && u.sets == 0:
		return NeverSet
	}
	return ""
}

// uses count how often an option is read, and how often it is given a value other than false.
type uses struct{ reads, sets int }

// add counts a token. It returns false if that is a name made of the option's, by which it may be used.
func (u *uses) add(s *side, i int, name string) bool {
	toks, text := s.toks, s.toks[i].text
	word, next := strings.TrimLeft(text, "$"), at(toks, i+1)
	switch {
	case word != name && expression.IsWord(text):
		flat := strings.ToLower(word)
		return len(flat) <= len(name) || !strings.HasSuffix(flat, strings.ToLower(strings.ReplaceAll(name, "_", "")))
	case word != name:
		if strings.IndexByte("\"'`", text[0]) >= 0 && unread.Holds(text, name) {
			u.sets++ // by that, or what it is called there
			if prev := at(toks, i-1); len(text) <= len(name)+4 && (prev == "(" || prev == "[" || prev == ",") {
				u.reads++
			}
		}
	case next == ":" && at(toks, i-1) != "?" && at(toks, i+2) != ":", next == "=" && at(toks, i+2) != "=",
		next == "?" && at(toks, i+2) == ":":
		value := at(toks, i+2)
		if next == "=" && (s.lang == syntax.TypeScript || s.lang == syntax.TSX) && at(toks, i-1) != "." {
			u.reads++ // taken apart
		}
		if !declaredAs.MatchString(value) && value != "false" && value != "False" && next != "?" {
			u.sets++
		}
	case declaredAs.MatchString(at(toks, i-1)), declaredAs.MatchString(next): // bool name, name bool
	default:
		u.reads++
	}
	return true
}

// declaredAs finds the type of what is true or false.
var declaredAs = lazyregexp.MustCompile(`^[bB]ool(?:ean)?$`)

// speaksOfOptions finds a request for something that may be turned on or off.
var speaksOfOptions = lazyregexp.MustCompile(`(?i)\b(?:option|setting|flag|config|opt[- ]in|switch|toggle|enable|disable|allow|parameter)|オプション|設定|フラグ|有効|無効`)

// askedFor reports whether a request, or the plan made for it, explains what was added.
func (w Weakening) askedFor(request, plan string) bool {
	switch w.How {
	case NeverNamed:
		return unread.Named(request, w.Test) || unread.Holds(plan, w.Test)
	case NeverSet:
		return unread.Holds(request, w.Test) || speaksOfOptions.MatchString(request)
	}
	return false
}

// WeakenedFor is Weakened, with what the change adds and nothing in it, or in the rest of the project, uses,
// as far as neither a request nor its plan asks for it.
func (d *Diff) WeakenedFor(request, plan string, rest unread.Project) []Weakening {
	return d.found(
		func([]Weakening) []Weakening { return d.weakened() },
		func([]Weakening) []Weakening {
			return slices.DeleteFunc(d.unusedNames(), func(w Weakening) bool { return w.askedFor(request, plan) })
		},
		func(said []Weakening) []Weakening { return d.unreadNames(request+"\n"+plan, rest, said) },
		func([]Weakening) []Weakening { return d.silences(request) },
	)
}

// unreadNames returns the names that nothing reads, without those that are said already and those
// that request and plan ask for.
func (d *Diff) unreadNames(asked string, rest unread.Project, said []Weakening) (all []Weakening) {
	for _, n := range d.readByNothing(rest) {
		w := Weakening{n.Path, n.Name, NothingReads}
		if n.Claim {
			w.How = NotThere
		}
		known := slices.ContainsFunc(said, func(o Weakening) bool { return o.File == w.File && o.Test == w.Test })
		if !known && !(n.Asked && unread.Named(asked, n.Name)) {
			all = append(all, w)
		}
	}
	return all
}

// readByNothing lists the names that the change declares and nothing in the project reads.
func (d *Diff) readByNothing(rest unread.Project) []unread.Name {
	var files []unread.File
	for _, path := range slices.Sorted(maps.Keys(d.files)) {
		if c := d.files[path]; c.now != nil {
			files = append(files, unread.File{Path: path, Base: c.Base, New: c.New, Test: c.Test})
		}
	}
	return unread.Names(files, rest)
}

// silences lists the files of code that keep a checker from saying what it finds, unless the request mentions that.
func (d *Diff) silences(request string) (all []Weakening) {
	var files []silencers.File
	for _, path := range slices.Sorted(maps.Keys(d.files)) {
		if c := d.files[path]; !c.Test && !inTestFile.MatchString(path) && !unread.Generated(path) {
			files = append(files, silencers.File{Path: path, Base: c.Base, New: c.New})
		}
	}
	for path, what := range silencers.Added(files) {
		if !speaksOfSilence.MatchString(request) {
			all = append(all, Weakening{path, what, Silences})
		}
	}
	return all
}

// speaksOfSilence finds a request for what a checker is not to say.
var speaksOfSilence = lazyregexp.MustCompile(`(?i)\b(?:suppress|silenc|noqa|nolint)\w*|抑制|` +
	`\b(?:ignor|disabl|opt(?:ing|s)?[- ]out)\w*\b[^.;]{0,60}\b(?:rules?|check\w*|lint\w*|warnings?|errors?|types?|typing)\b|` +
	`\b(?:rules?|check\w*|lint\w*|warnings?|errors?|types?|typing)\b[^.;]{0,60}\b(?:ignor|disabl)\w*|(?:警告|検査|ルール|エラー|型|リント)[^。]{0,20}(?:無視|無効)`)
