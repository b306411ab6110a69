// Package additions lists what a change adds and nothing uses: functions and cases that no code names, options that
// nothing reads or turns on, and comments that silence a checker.
// Package codediff calls it beside package weakening, with the same files.
package additions

import (
	"maps"
	"path"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/additions/silencers"
	"codeintel/internal/workflow/codediff/additions/unread"
	"codeintel/internal/workflow/codediff/expression"
	"codeintel/internal/workflow/codediff/reason"
	"codeintel/internal/workflow/codediff/source"
	"codeintel/internal/workflow/codediff/testcase"
	"codeintel/internal/workflow/codediff/tokens"
	"codeintel/internal/workflow/codediff/weakening"
)

// What a change adds and does not use: a function or a case that no code names, an option that
// no code reads, and one that is off wherever it is set. What a change adds by a name that no changed
// file had before, the rest of the project cannot name either.

// optionsType matches the names of types whose fields are options.
var optionsType = lazyregexp.MustCompile(`(?:Options?|Opts|Config|Configuration|Settings)$`)

// UnusedNames lists the names that a change adds and does not use, unless the request or its plan asks for them.
func UnusedNames(d *weakening.Change, request, plan string, rest unread.Project) []weakening.Finding {
	return slices.DeleteFunc(unusedNames(d, rest), func(w weakening.Finding) bool { return isRequested(w, request, plan) })
}

func unusedNames(d *weakening.Change, rest unread.Project) (all []weakening.Finding) {
	had := make(map[string]bool)
	var nows, code []*testcase.File
	for _, path := range slices.Sorted(maps.Keys(d.Files)) {
		c := d.Files[path]
		if c.Now == nil {
			continue
		}
		for _, w := range wordsOf(c.Base) {
			had[w] = true
		}
		if c.Now.Tree != nil || !syntax.Of(c.Lang).Prose {
			nows = append(nows, c.Now)
		}
		if c.Now.Tree != nil && !c.Test && !testcase.InTestFile.MatchString(path) {
			code = append(code, c.Now)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(d.Files)) {
		c := d.Files[path]
		if c.Now != nil && (c.Lang == syntax.Vue || c.Lang == syntax.Svelte) && !c.Test {
			all = append(all, unusedInMarkup(c, had)...)
		}
		if c.Now == nil || c.Now.Tree == nil || c.Test || c.LeftOut || testcase.InTestFile.MatchString(path) {
			continue
		}
		all = append(all, unusedOf(c, nows, code, had)...)
		all = append(all, unreadParameters(c, nows)...)
		all = append(all, neverChanged(c, had, rest)...)
	}
	return all
}

// unusedOf lists those of a file; code are the texts that are not tests.
func unusedOf(c *weakening.File, nows, code []*testcase.File, had map[string]bool) (all []weakening.Finding) {
	for i := range c.Now.Tree.Nodes {
		node := int32(i)
		if !c.Now.Tree.Named(node) {
			continue
		}
		switch {
		case isUnusedUnlessNamed(c.Now, node, c.Path), idleConstant(c.Now, node), variantKinds[c.Now.Tree.Kind(node)]:
			name := strings.Trim(variant(c.Now, node), "`!?") // not what only belongs to how it is written
			if len(name) < 3 || had[name] {
				continue
			}
			idle := namedWithoutEffect(code, c.Now, node, name)
			if idle == 0 && c.Now.Tree.Function(node) && foundInFiles.MatchString(c.Path) {
				continue
			}
			if namedIn(nows, name) == c.Now.CountName(node, name)+idle {
				all = append(all, weakening.Finding{File: c.Path, Test: name, How: weakening.NeverNamed})
			}
		case isOption(c.Now, node):
			name := c.Now.DeclaredName(node)
			if len(name) > 2 && !had[name] {
				if how := optionUse(nows, c.Now, node); how != "" {
					all = append(all, weakening.Finding{File: c.Path, Test: name, How: how})
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
func namedIn(sides []*testcase.File, name string) (n int) {
	for _, s := range sides {
		if s.Tree == nil {
			n += source.CountWord(string(s.Src), name)
		} else {
			n += s.CountName(0, name)
		}
	}
	return n
}

// namedWithoutEffect counts how often texts name something in stretches that have no effect, apart from where a node
// declares it.
func namedWithoutEffect(sides []*testcase.File, in *testcase.File, node int32, name string) (n int) {
	declared := in.Tree.Nodes[node]
	for _, s := range sides {
		text := s.WithoutComments()
		for _, m := range s.Marks {
			if (m.Why == reason.NoEffect || m.Why == reason.Unreachable) &&
				(s != in || m.End <= int(declared.Start) || int(declared.End) <= m.Start) {
				n += source.CountWord(string(text[m.Start:m.End]), name)
			}
		}
	}
	return n
}

// variantKinds are the kinds of nodes that declare one of the values of a type.
var variantKinds = map[string]bool{"enum_variant": true, "enum_member_declaration": true, "enum_constant": true,
	"enum_entry": true, "enum_case": true}

func variant(s *testcase.File, node int32) string {
	if name := s.NameOf(node); name != "" || !variantKinds[s.Tree.Kind(node)] {
		return name
	}
	if c := s.NthChild(node, 0); c >= 0 && source.PlainWord.MatchString(s.Tree.Text(c)) {
		return s.Tree.Text(c)
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

// isUnusedUnlessNamed reports whether a node declares a function that is unused if no code names it: one that
// is at the top of a file, or a static one of a static class.
func isUnusedUnlessNamed(s *testcase.File, node int32, file string) bool {
	if !s.Tree.Function(node) || s.Anonymous(node) || s.Tree.Body(node) < 0 || s.FunctionAround(node) >= 0 ||
		foundByName.MatchString(s.Tree.FunctionName(node)) || s.Annotated(node) {
		return false
	}
	switch s.Lang { // functions private to their file
	case syntax.Lua:
		return strings.HasPrefix(s.Tree.Text(node), "local ") && s.Tree.Kind(s.Tree.Parent(node)) == "chunk"
	case syntax.Elixir:
		return s.Callee(node) == "defp"
	case syntax.Bash:
		return s.Tree.Kind(s.Tree.Parent(node)) == "program" && strings.HasPrefix(string(s.Src), "#!") && !strings.HasSuffix(file, ".bats")
	}
	if !s.Spec.Comparing.ByName || s.Lang == syntax.Rust && s.Attributes(node) < int(s.Tree.Nodes[node].Start) {
		return false
	}
	parent := s.Tree.Parent(node)
	switch s.Lang {
	case syntax.Go:
		return s.Tree.Field(node, "receiver") < 0 && path.Base(file) != "main.go"
	case syntax.CSharp:
		class := s.ClassAround(node)
		return class >= 0 && s.HasModifier(class, "static") && s.HasModifier(node, "static")
	}
	switch s.Tree.Kind(parent) {
	case "program", "module", "source_file":
		return true
	case "export_statement":
		return !strings.HasPrefix(s.Tree.Text(parent), "export default")
	}
	return false
}

// idleConstant reports whether a node declares a name of a module of JavaScript that no other may import,
// for a value that nothing is called for.
func idleConstant(s *testcase.File, node int32) bool {
	if s.Tree.Kind(node) != "variable_declarator" || s.Tree.Kind(s.Tree.Parent(s.Tree.Parent(node))) != "program" ||
		strings.HasPrefix(s.NameOf(node), "_") || !source.PlainWord.MatchString(s.NameOf(node)) || !source.IsModule.Match(s.Src) {
		return false
	}
	switch s.Tree.Kind(s.Tree.Field(node, "value")) {
	case "object", "array", "number", "string", "template_string", "arrow_function", "function_expression", "true", "false":
		return true
	}
	return false
}

var inScript = lazyregexp.MustCompile(`(?m)^(?:  |\t)?(?:const|let|(?:async )?function)\s+(\w+)\s*(?:\(|(?::[^=\n]*)?=\s*(\w*))`)

// unusedInMarkup lists the names that the script of a component adds, and neither it nor the markup uses:
// nothing else can name them.
func unusedInMarkup(c *weakening.File, had map[string]bool) (all []weakening.Finding) {
	uses := make(map[string]int)
	for _, t := range c.Now.Tokens {
		uses[strings.TrimLeft(t.Text, "$")]++
	}
	for _, m := range inScript.FindAllStringSubmatch(string(c.New), -1) {
		name := m[1]
		if !had[name] && uses[name] == 1 && len(name) > 2 && !strings.HasPrefix(m[2], "define") &&
			!strings.HasPrefix(name, "_") && !directive.MatchString(name) {
			all = append(all, weakening.Finding{File: c.Path, Test: name, How: weakening.NeverNamed})
		}
	}
	return all
}

// directive finds the names that markup writes in another way.
var directive = lazyregexp.MustCompile(`^v[A-Z]`)

// isOption reports whether a node declares a field of an options type.
func isOption(s *testcase.File, node int32) bool {
	switch s.Tree.Kind(node) {
	case "property_signature", "public_field_definition", "field_declaration", "property_declaration", "class_parameter":
	default:
		return false
	}
	if s.FunctionAround(node) >= 0 || s.Annotated(node) || strings.ContainsAny(s.Tree.Text(node), "`@") {
		return false
	}
	for p := s.Tree.Parent(node); p >= 0; p = s.Tree.Parent(p) {
		if name := s.NameOf(p); name != "" {
			return optionsType.MatchString(name)
		}
	}
	return false
}

// truthType matches the declaration of a boolean whose default is not true.
var truthType = lazyregexp.MustCompile(`^[^=]*\b[bB]ool(?:ean)?\b[^=]*(?:=\s*(?:false|False)\b[^=]*)?$`)

// optionUse says how an option that a node declares is not used, or "".
func optionUse(sides []*testcase.File, in *testcase.File, option int32) weakening.How {
	var u uses
	name, n := in.DeclaredName(option), in.Tree.Nodes[option]
	truth := truthType.MatchString(in.Tree.Text(option))
	for _, s := range sides {
		for i, t := range s.Tokens {
			if s == in && int(n.Start) <= t.Start && t.Start < int(n.End) {
				continue
			}
			if !u.add(s, i, name) {
				return ""
			}
		}
	}
	switch {
	case u.reads == 0:
		return weakening.NeverRead
	case truth && u.sets == 0:
		return weakening.NeverSet
	}
	return ""
}

// uses count how often an option is read, and how often it is given a value other than false.
type uses struct{ reads, sets int }

// add counts a token. It returns false if that is a name made of the option's, by which it may be used.
func (u *uses) add(s *testcase.File, i int, name string) bool {
	toks, text := s.Tokens, s.Tokens[i].Text
	word, next := strings.TrimLeft(text, "$"), tokens.TextAt(toks, i+1)
	switch {
	case word != name && expression.IsWord(text):
		if prefix, ok := strings.CutSuffix(strings.ToLower(word), strings.ToLower(name)); ok && setters[prefix] {
			u.sets++
			return true
		}
		flat := strings.ToLower(word)
		return len(flat) <= len(name) || !strings.HasSuffix(flat, strings.ToLower(strings.ReplaceAll(name, "_", "")))
	case word != name:
		if strings.IndexByte("\"'`", text[0]) >= 0 && unread.ContainsName(text, name) {
			u.sets++ // by that, or what it is called there
			if prev := tokens.TextAt(toks, i-1); len(text) <= len(name)+4 && (prev == "(" || prev == "[" || prev == ",") {
				u.reads++
			}
		}
	case next == ":" && tokens.TextAt(toks, i-1) != "?" && tokens.TextAt(toks, i+2) != ":", next == "=" && tokens.TextAt(toks, i+2) != "=",
		next == "?" && tokens.TextAt(toks, i+2) == ":":
		value := tokens.TextAt(toks, i+2)
		if next == "=" && (s.Lang == syntax.TypeScript || s.Lang == syntax.TSX) && tokens.TextAt(toks, i-1) != "." {
			u.reads++ // destructured
		}
		if !declaredAs.MatchString(value) && value != "false" && value != "False" && next != "?" {
			u.sets++
		}
	case declaredAs.MatchString(tokens.TextAt(toks, i-1)), declaredAs.MatchString(next): // bool name, name bool
	case checksItself(s, toks[i].Start, name):
	default:
		u.reads++
	}
	return true
}

// setters are what names of functions begin with that only give an option its value.
var setters = map[string]bool{"with": true, "with_": true, "set": true, "set_": true}

// checksItself reports whether the name of an option is in a condition that asks for nothing but its value, or
// behind one, and all that depends on it is an error, or a value for the option itself.
func checksItself(s *testcase.File, at int, name string) bool {
	for i := range s.Tree.Nodes {
		node := int32(i)
		n := s.Tree.Nodes[node]
		if int(n.Start) > at || int(n.End) <= at {
			continue
		}
		cond := s.Condition(node)
		if cond < 0 || s.IsLoop(node) || !strings.Contains(s.Tree.Kind(node), "if") || !asksOnly(s.Tree.Text(cond), name) {
			continue
		}
		only := true
		s.Branches(node, cond, func(b int32, alternative bool) {
			only = only && !alternative && defaultsOrRefuses(s, b, name)
		})
		if only {
			return true
		}
	}
	return false
}

// asksOnly reports whether a condition names nothing but an option, what it belongs to, and values.
func asksOnly(cond, name string) bool {
	if !source.ContainsWord(cond, name) {
		return false
	}
	for _, chain := range chains.FindAllString(plainTexts.ReplaceAllString(cond, ""), -1) {
		if !source.ContainsWord(chain, name) && !ofValues[strings.TrimPrefix(chain, "Number.")] {
			return false
		}
	}
	return true
}

var (
	plainTexts = lazyregexp.MustCompile("\"[^\"]*\"|'[^']*'|`[^`]*`")
	chains     = lazyregexp.MustCompile(`[A-Za-z_]\w*(?:(?:[?!]?\.|->|::)#?\w+)*`)
	ofValues   = source.WordSet("undefined null nil None nullptr not is and or in typeof instanceof " +
		"isinstance int str float bool " +
		"isFinite isInteger isSafeInteger isNaN len true false True False length is_none is_some")
	// refuses finds a statement that only ends in an error.
	refuses = lazyregexp.MustCompile(`^(?:throw|raise|panic!?\(|return\b.*(?:[eE]rr(?:or)?\b|Error|Err\())`)
)

// defaultsOrRefuses reports whether a block only ends in an error, or gives an option a value.
func defaultsOrRefuses(s *testcase.File, block int32, name string) bool {
	gives := func(text string) bool {
		to, value, assigns := strings.Cut(text, "=")
		to = strings.TrimRight(to, ": \t")
		return assigns && !strings.HasPrefix(value, "=") && to[strings.LastIndexAny(to, ".>")+1:] == name
	}
	n := 0
	var each func(node int32) bool
	each = func(node int32) bool {
		for c := range s.Children(node) {
			switch text := s.Tree.Text(c); {
			case strings.Contains(s.Tree.Kind(c), "comment"):
			case refuses.MatchString(text), gives(text):
				n++
			case s.IsBlock(c) && each(c):
			default:
				return false
			}
		}
		return true
	}
	if !s.IsBlock(block) {
		return refuses.MatchString(s.Tree.Text(block))
	}
	return each(block) && n > 0
}

// declaredAs matches the boolean type.
var declaredAs = lazyregexp.MustCompile(`^[bB]ool(?:ean)?$`)

// speaksOfOptions finds a request for something that may be turned on or off.
var speaksOfOptions = lazyregexp.MustCompile(`(?i)\b(?:option|setting|flag|config|opt[- ]in|switch|toggle|enable|disable|allow|parameter)|オプション|設定|フラグ|有効|無効`)

// isRequested reports whether a request, or the plan made for it, explains what was added.
func isRequested(w weakening.Finding, request, plan string) bool {
	switch w.How {
	case weakening.NeverNamed:
		return unread.MentionsAsCode(request, w.Test) || unread.ContainsName(plan, w.Test)
	case weakening.NeverSet:
		return unread.ContainsName(request, w.Test) || speaksOfOptions.MatchString(request)
	}
	return false
}

// UnreadNames returns the names that nothing reads, without those of earlier findings and those that request and
// plan ask for.
func UnreadNames(d *weakening.Change, asked string, rest unread.Project,
	earlier []weakening.Finding) (all []weakening.Finding) {
	for _, n := range readByNothing(d, rest) {
		w := weakening.Finding{File: n.Path, Test: n.Name, How: weakening.NothingReads}
		if n.Claim {
			w.How = weakening.NotThere
		}
		known := slices.ContainsFunc(earlier, func(o weakening.Finding) bool { return o.File == w.File && o.Test == w.Test })
		if !known && !(n.Asked && unread.MentionsAsCode(asked, n.Name)) {
			all = append(all, w)
		}
	}
	return all
}

// readByNothing lists the names that the change declares and nothing in the project reads.
func readByNothing(d *weakening.Change, rest unread.Project) []unread.Name {
	var files []unread.File
	for _, path := range slices.Sorted(maps.Keys(d.Files)) {
		if c := d.Files[path]; c.Now != nil {
			files = append(files, unread.File{Path: path, Base: c.Base, New: c.New, Test: c.Test})
		}
	}
	return unread.Names(files, rest)
}

// Silencers lists the files of code that keep a checker from saying what it finds, unless the request mentions that.
func Silencers(d *weakening.Change, request string) (all []weakening.Finding) {
	var files []silencers.File
	for _, path := range slices.Sorted(maps.Keys(d.Files)) {
		if c := d.Files[path]; !c.Test && !testcase.InTestFile.MatchString(path) && !unread.Generated(path) {
			files = append(files, silencers.File{Path: path, Base: c.Base, New: c.New})
		}
	}
	for path, what := range silencers.Added(files) {
		if !speaksOfSilence.MatchString(request) {
			all = append(all, weakening.Finding{File: path, Test: what, How: weakening.Silences})
		}
	}
	return all
}

// speaksOfSilence finds a request for what a checker is not to say.
var speaksOfSilence = lazyregexp.MustCompile(`(?i)\b(?:suppress|silenc|noqa|nolint)\w*|抑制|` +
	`\b(?:ignor|disabl|opt(?:ing|s)?[- ]out)\w*\b[^.;]{0,60}\b(?:rules?|check\w*|lint\w*|warnings?|errors?|types?|typing)\b|` +
	`\b(?:rules?|check\w*|lint\w*|warnings?|errors?|types?|typing)\b[^.;]{0,60}\b(?:ignor|disabl)\w*|(?:警告|検査|ルール|エラー|型|リント)[^。]{0,20}(?:無視|無効)`)
