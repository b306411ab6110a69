package markup

import (
	"bytes"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax/engine"
)

// Svelte is the row of the language.
var Svelte = &engine.Spec{
	Name:       engine.Svelte,
	Aliases:    "sveltejs",
	Extensions: "svelte",
	Family:     "script",
	Form:       engine.Page,
	Read:       readSvelte,
	Names: engine.Names{
		Groups:   "script style",
		Strict:   true,
		Members:  engine.ScriptMembers,
		Typed:    engine.ScriptTyped,
		Imports:  engine.ImportsScript,
		FileOnly: true,
	},

	Comparing: engine.Comparing{Comments: "<!-- -->"},
}

// readSvelte reads a component: its script and style are of the languages they
// name; its props are symbols, and so are its slots, its snippets and what it
// derives; its template mentions components, classes, stores and what its
// expressions name.
func readSvelte(src []byte, embedded engine.ParseFunc) *engine.File {
	// An attachment is an expression that the grammar does not know yet.
	src = bytes.ReplaceAll(src, []byte("{@attach "), []byte("{        "))
	return readMarkup("svelte", src, embedded, func(m *markup) {
		for i := range m.Nodes {
			switch m.Kind(int32(i)) {
			case "expression", "html_tag", "render_tag":
				m.masks = append(m.masks, m.span(int32(i)))
			}
		}
		m.elements(dialect{
			parts:     map[string]engine.Kind{"script_element": engine.Component, "style_element": engine.Component},
			component: svelteComponent,
		})
		m.masks = nil
		t := scripted{markup: m}
		t.svelteScripts()
		t.walk(t.svelteNode)
		m.embedInterleaved(t.language(), &t.code, nil)
		m.stores()
	})
}

// svelteComponent mentions a component; the elements of Svelte itself are none.
func svelteComponent(m *markup, name word, parent int) {
	if !strings.Contains(name.text, ":") {
		dotted(m, name, parent)
	}
}

// runes are the words of Svelte that look like stores.
var runes = []string{"$bindable", "$derived", "$effect", "$host", "$inspect", "$props", "$state"}

// stores takes the sign off a store that is read as $name, so that it is found
// by the name it is declared with.
func (m *markup) stores() {
	var styles []span // there the sign means a variable of the sheet
	for i := int32(1); int(i) < len(m.Nodes); i = m.Nodes[i].Next {
		if m.Kind(i) == "style_element" {
			styles = append(styles, m.span(i))
		}
	}
	for i := range m.file.Occurrences {
		o := &m.file.Occurrences[i]
		at := m.lines[o.Line-1]
		if slices.ContainsFunc(styles, func(s span) bool { return s.Start < at && at < s.End }) {
			continue
		}
		if len(o.Name) > 1 && o.Name[0] == '$' && o.Name[1] != '$' && !o.Local && !slices.Contains(runes, o.Name) {
			o.Name, o.Column = o.Name[1:], o.Column+1
		}
		if len(o.Qualifier) > 1 && o.Qualifier[0] == '$' && o.Qualifier[1] != '$' && !slices.Contains(runes, o.Qualifier) {
			o.Qualifier = o.Qualifier[1:]
		}
	}
}

var (
	// moduleScript finds the script whose exports are not props.
	moduleScript = lazyregexp.MustCompile(`\smodule\b|context="module"`)
	// propsRune finds those of Svelte 5.
	propsRune = lazyregexp.MustCompile(`=\s*\$props(\.id)?\s*\(`)
	// reactive finds what a reactive statement declares.
	reactive = lazyregexp.MustCompile(`(?m)^[ \t]*(\$:[ \t]*([A-Za-z_$][\w$]*)[ \t]*=[^=>].*)`)
)

// svelteScripts makes props of the variables that are props, and variables of
// what reactive statements declare.
func (t *scripted) svelteScripts() {
	known := make(map[string]bool)
	for i := range t.file.Symbols {
		s := &t.file.Symbols[i]
		known[s.Name] = true
		if s.Kind != engine.Variable && s.Kind != engine.Constant {
			continue
		}
		text := t.Source[s.Start:s.End]
		name := int(t.lines[s.NameLine-1]) + s.NameColumn - 1
		switch {
		case s.Kind == engine.Variable && s.Exported && !moduleScript.MatchString(t.signatureOf(s.Parent)):
			s.Kind = engine.Property
		case propsRune.Match(text) && bytes.IndexByte(text[:min(len(text), name-s.Start)], '{') >= 0:
			t.svelteProp(i, name)
		}
	}
	for i := int32(1); int(i) < len(t.Nodes); i = t.Nodes[i].Next {
		raw := int32(-1)
		if t.Kind(i) == "script_element" {
			raw = t.Child(i, "raw_text")
		}
		if raw < 0 {
			continue
		}
		at := t.Nodes[raw].Start
		script := innermostNamed(t.file.Symbols, "script", int(at))
		for _, found := range reactive.FindAllSubmatchIndex(t.Source[at:t.Nodes[raw].End], -1) {
			name := string(t.Source[at+uint32(found[4]) : at+uint32(found[5])])
			if known[name] {
				continue
			}
			known[name] = true
			whole := span{at + uint32(found[2]), at + uint32(found[3])}
			s := t.addSpan(whole, engine.Variable, name, at+uint32(found[4]), script,
				string(t.Source[whole.Start:whole.End]))
			t.file.Symbols[s].Exported, t.file.Symbols[s].Scope = false, ""
			t.define(at+uint32(found[4]), s)
		}
	}
}

// signatureOf returns the signature of a symbol, "" for -1.
func (t *scripted) signatureOf(symbol int) string {
	if symbol < 0 {
		return ""
	}
	return t.file.Symbols[symbol].Signature
}

// svelteProp makes a prop of a variable that takes one out of $props(), at the
// byte of its name. If the variable has another name, it is a symbol as well; the
// rest ("...others") is not a prop.
func (t *scripted) svelteProp(i, name int) {
	before := bytes.TrimRight(t.Source[:name], " \t\r\n")
	switch {
	case bytes.HasSuffix(before, []byte("...")):
	case bytes.HasSuffix(before, []byte(":")):
		end := len(bytes.TrimRight(before[:len(before)-1], " \t\r\n"))
		start := end
		for start > 0 && isWord(t.Source[start-1]) {
			start--
		}
		if start == end {
			return
		}
		s := t.file.Symbols[i]
		prop := t.addSpan(span{uint32(s.Start), uint32(s.End)}, engine.Property, string(t.Source[start:end]),
			uint32(start), s.Parent, s.Signature)
		t.define(uint32(start), prop)
	default:
		t.file.Symbols[i].Kind, t.file.Symbols[i].Exported = engine.Property, true
	}
}

// innermostNamed returns the part of that name around a byte, or -1.
func innermostNamed(symbols []engine.Symbol, name string, at int) int {
	for i, s := range symbols {
		if s.Name == name && s.Kind == engine.Component && s.Start <= at && at < s.End {
			return i
		}
	}
	return -1
}

// define turns the occurrence at a byte into the definition of a symbol.
func (m *markup) define(at uint32, symbol int) {
	line, column := m.position(at)
	for i := range m.file.Occurrences {
		if o := &m.file.Occurrences[i]; o.Line == line && o.Column == column {
			o.Role, o.Symbol = engine.Definition, symbol
		}
	}
}

// svelteNode adds what one node of a template says.
func (t *scripted) svelteNode(i int32) {
	raw := func(j int32) span {
		if c := t.Child(j, "svelte_raw_text"); c >= 0 {
			return trim(t.Source, t.span(c))
		}
		return span{}
	}
	switch t.Kind(i) {
	case "expression", "html_tag", "render_tag", "debug_tag", "attribute_name":
		s := raw(i)
		if bytes.HasPrefix(t.Source[s.Start:s.End], []byte("...")) {
			s.Start += 3
		}
		t.value(s)
	case "const_tag":
		t.code.appendWrapped("const ", t.Source, raw(i), ";\n")
	case "if_statement", "else_if_block", "else_block", "key_statement", "catch_block", "then_block", "await_statement":
		t.code.appendOwn("{\n")
		t.addAtLeave(i, "}\n")
	case "if_start", "else_if_start", "key_start":
		t.value(raw(i))
	case "then_start", "catch_start":
		t.code.appendWrapped("let ", t.Source, raw(i), " = 0;\n")
	case "await_start":
		t.svelteAwait(raw(i))
	case "each_statement":
		t.svelteEach(i)
	case "snippet_statement":
		t.svelteSnippet(i)
	case "element":
		if tag := t.Child(i, "start_tag", "self_closing_tag"); tag >= 0 {
			t.svelteLets(i, tag)
		}
	case "attribute":
		t.svelteDirective(i)
	}
}

// svelteAwait reads "promise", "promise then value" and "promise catch error".
func (t *scripted) svelteAwait(s span) {
	at, word := topLevel(t.Source[s.Start:s.End], " then ", " catch ")
	if at < 0 {
		t.value(s)
		return
	}
	t.value(span{s.Start, s.Start + uint32(at)})
	t.code.appendWrapped("let ", t.Source, span{s.Start + uint32(at+len(word)), s.End}, " = 0;\n")
}

// svelteEach reads "list as item, index (key)", of which all but the list may be
// left out.
func (t *scripted) svelteEach(i int32) {
	start := t.Child(i, "each_start")
	if start < 0 {
		return
	}
	var texts []span
	for c := start + 1; c < t.Nodes[start].Next; c = t.Nodes[c].Next {
		if t.Kind(c) == "svelte_raw_text" {
			texts = append(texts, trim(t.Source, t.span(c)))
		}
	}
	if len(texts) == 0 {
		return
	}
	t.value(texts[0])
	t.code.appendOwn("for (const [")
	key := span{}
	if len(texts) > 1 {
		item := texts[1]
		code := t.Source[item.Start:item.End]
		if at, _ := topLevel(code, "("); at >= 0 {
			key = span{item.Start + uint32(at), item.End}
			item.End = item.Start + uint32(at)
		}
		t.code.add(t.Source, trim(t.Source, item))
	}
	t.code.appendOwn("] of 0) {\n")
	t.value(key)
	t.addAtLeave(i, "}\n")
}

// svelteSnippet reads a piece of a template that is called like a function.
func (t *scripted) svelteSnippet(i int32) {
	start := t.Child(i, "snippet_start")
	if start < 0 {
		return
	}
	if name := t.Child(start, "snippet_name"); name >= 0 {
		at := t.Nodes[name].Start
		s := t.add(i, engine.Function, t.Text(name), at, -1, strings.Trim(t.Text(start), "{#}"))
		t.file.Symbols[s].Exported = false
		t.occur(t.Text(name), at, engine.Definition, s)
	}
	t.code.appendOwn("((")
	if raw := t.Child(start, "svelte_raw_text"); raw >= 0 {
		t.code.add(t.Source, t.span(raw))
	}
	t.code.appendOwn(") => {\n")
	t.addAtLeave(i, "});\n")
}

// svelteLets opens what let: directives declare for an element.
func (t *scripted) svelteLets(element, tag int32) {
	opened := false
	for c := tag + 1; c < t.Nodes[tag].Next; c = t.Nodes[c].Next {
		name := t.Child(c, "attribute_name")
		if t.Kind(c) != "attribute" || name < 0 || !strings.HasPrefix(t.Text(name), "let:") {
			continue
		}
		if !opened {
			opened = true
			t.code.appendOwn("{\n")
			t.addAtLeave(element, "}\n")
		}
		bound := t.span(name)
		bound.Start += uint32(len("let:"))
		if e := t.Child(c, "expression"); e >= 0 {
			if raw := t.Child(e, "svelte_raw_text"); raw >= 0 {
				bound = t.span(raw)
				t.svelteSkip(e)
			}
		}
		t.code.appendWrapped("let ", t.Source, bound, " = 0;\n")
	}
}

// svelteSkip takes an expression out of the walk: it is not a value.
func (t *scripted) svelteSkip(expression int32) {
	for c := expression + 1; c < t.Nodes[expression].Next; c++ {
		t.Nodes[c].End = t.Nodes[c].Start
	}
}

// svelteDirective reads an attribute with a colon: use:action, class:name and
// the like. Where there is no value, the name is the value.
func (t *scripted) svelteDirective(i int32) {
	name := t.Child(i, "attribute_name")
	if name < 0 {
		return
	}
	what, rest, ok := strings.Cut(t.Text(name), ":")
	if !ok {
		if t.Text(name) == "class" {
			for c := i + 1; c < t.Nodes[i].Next; c++ {
				if t.Kind(c) == "svelte_raw_text" {
					classWords(t.Source, t.span(c), func(text string, at uint32) { t.occur(text, at, engine.Read, byPlace) })
				}
			}
		}
		return
	}
	rest, _, _ = strings.Cut(rest, "|")
	at := t.Nodes[name].Start + uint32(len(what)) + 1
	target := span{at, at + uint32(len(rest))}
	bare := t.Nodes[i].End == t.Nodes[name].End
	switch what {
	case "use", "transition", "in", "out", "animate":
		t.code.appendWrapped("", t.Source, target, "();\n")
	case "class":
		t.occur(rest, at, engine.Read, byPlace)
		if bare && !strings.Contains(rest, "-") {
			t.value(target)
		}
	case "bind", "style":
		if bare && rest != "" && !strings.Contains(rest, "-") {
			t.value(target)
		}
	}
}
