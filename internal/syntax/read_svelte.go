package syntax

import (
	"bytes"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

// specSvelte is the row of the language.
var specSvelte = &spec{name: Svelte, read: readSvelte}

// readSvelte reads a component: its script and style are of the languages they
// name; its props are symbols, and so are its slots, its snippets and what it
// derives; its template mentions components, classes, stores and what its
// expressions name.
func readSvelte(src []byte, embedded parseFunc) *File {
	// An attachment is an expression that the grammar does not know yet.
	src = bytes.ReplaceAll(src, []byte("{@attach "), []byte("{        "))
	return readMarkup("svelte", src, embedded, func(m *markup) {
		for i := range m.nodes {
			switch m.kind(int32(i)) {
			case "expression", "html_tag", "render_tag":
				m.masks = append(m.masks, m.span(int32(i)))
			}
		}
		m.elements(dialect{
			parts:     map[string]Kind{"script_element": Component, "style_element": Component},
			component: svelteComponent,
		})
		m.masks = nil
		t := scripted{markup: m}
		t.svelteScripts()
		t.walk(t.svelteNode)
		m.embedWeave(t.language(), &t.weave, nil)
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
	var styles []stretch // there the sign means a variable of the sheet
	for i := int32(1); int(i) < len(m.nodes); i = m.nodes[i].Next {
		if m.kind(i) == "style_element" {
			styles = append(styles, m.span(i))
		}
	}
	for i := range m.file.Occurrences {
		o := &m.file.Occurrences[i]
		at := m.lines[o.Line-1]
		if slices.ContainsFunc(styles, func(s stretch) bool { return s.start < at && at < s.end }) {
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
	// moduleScript finds the script whose exports are no props.
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
		if s.Kind != Variable && s.Kind != Constant {
			continue
		}
		text := t.src[s.Start:s.End]
		name := int(t.lines[s.NameLine-1]) + s.NameColumn - 1
		switch {
		case s.Kind == Variable && s.Exported && !moduleScript.MatchString(t.signatureOf(s.Parent)):
			s.Kind = Property
		case propsRune.Match(text) && bytes.IndexByte(text[:min(len(text), name-s.Start)], '{') >= 0:
			t.svelteProp(i, name)
		}
	}
	for i := int32(1); int(i) < len(t.nodes); i = t.nodes[i].Next {
		raw := int32(-1)
		if t.kind(i) == "script_element" {
			raw = t.child(i, "raw_text")
		}
		if raw < 0 {
			continue
		}
		at := t.nodes[raw].Start
		script := innermostNamed(t.file.Symbols, "script", int(at))
		for _, found := range reactive.FindAllSubmatchIndex(t.src[at:t.nodes[raw].End], -1) {
			name := string(t.src[at+uint32(found[4]) : at+uint32(found[5])])
			if known[name] {
				continue
			}
			known[name] = true
			whole := stretch{at + uint32(found[2]), at + uint32(found[3])}
			s := t.addSpan(whole, Variable, name, at+uint32(found[4]), script, string(t.src[whole.start:whole.end]))
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
// byte of its name. One that goes by another name here is a symbol besides; what
// is left over is no prop.
func (t *scripted) svelteProp(i, name int) {
	before := bytes.TrimRight(t.src[:name], " \t\r\n")
	switch {
	case bytes.HasSuffix(before, []byte("...")):
	case bytes.HasSuffix(before, []byte(":")):
		end := len(bytes.TrimRight(before[:len(before)-1], " \t\r\n"))
		start := end
		for start > 0 && isWord(t.src[start-1]) {
			start--
		}
		if start == end {
			return
		}
		s := t.file.Symbols[i]
		prop := t.addSpan(stretch{uint32(s.Start), uint32(s.End)}, Property, string(t.src[start:end]), uint32(start), s.Parent, s.Signature)
		t.define(uint32(start), prop)
	default:
		t.file.Symbols[i].Kind, t.file.Symbols[i].Exported = Property, true
	}
}

// innermostNamed returns the part of that name around a byte, or -1.
func innermostNamed(symbols []Symbol, name string, at int) int {
	for i, s := range symbols {
		if s.Name == name && s.Kind == Component && s.Start <= at && at < s.End {
			return i
		}
	}
	return -1
}

// define turns the occurrence at a byte into the definition of a symbol.
func (m *markup) define(at uint32, symbol int) {
	line, column := m.place(at)
	for i := range m.file.Occurrences {
		if o := &m.file.Occurrences[i]; o.Line == line && o.Column == column {
			o.Role, o.Symbol = Definition, symbol
		}
	}
}

// svelteNode adds what one node of a template says.
func (t *scripted) svelteNode(i int32) {
	raw := func(j int32) stretch {
		if c := t.child(j, "svelte_raw_text"); c >= 0 {
			return trim(t.src, t.span(c))
		}
		return stretch{}
	}
	switch t.kind(i) {
	case "expression", "html_tag", "render_tag", "debug_tag", "attribute_name":
		s := raw(i)
		if bytes.HasPrefix(t.src[s.start:s.end], []byte("...")) {
			s.start += 3
		}
		t.value(s)
	case "const_tag":
		t.weave.wrap("const ", t.src, raw(i), ";\n")
	case "if_statement", "else_if_block", "else_block", "key_statement", "catch_block", "then_block", "await_statement":
		t.weave.glue("{\n")
		t.until(i, "}\n")
	case "if_start", "else_if_start", "key_start":
		t.value(raw(i))
	case "then_start", "catch_start":
		t.weave.wrap("let ", t.src, raw(i), " = 0;\n")
	case "await_start":
		t.svelteAwait(raw(i))
	case "each_statement":
		t.svelteEach(i)
	case "snippet_statement":
		t.svelteSnippet(i)
	case "element":
		if tag := t.child(i, "start_tag", "self_closing_tag"); tag >= 0 {
			t.svelteLets(i, tag)
		}
	case "attribute":
		t.svelteDirective(i)
	}
}

// svelteAwait reads "promise", "promise then value" and "promise catch error".
func (t *scripted) svelteAwait(s stretch) {
	at, word := topLevel(t.src[s.start:s.end], " then ", " catch ")
	if at < 0 {
		t.value(s)
		return
	}
	t.value(stretch{s.start, s.start + uint32(at)})
	t.weave.wrap("let ", t.src, stretch{s.start + uint32(at+len(word)), s.end}, " = 0;\n")
}

// svelteEach reads "list as item, index (key)", of which all but the list may be
// left out.
func (t *scripted) svelteEach(i int32) {
	start := t.child(i, "each_start")
	if start < 0 {
		return
	}
	var texts []stretch
	for c := start + 1; c < t.nodes[start].Next; c = t.nodes[c].Next {
		if t.kind(c) == "svelte_raw_text" {
			texts = append(texts, trim(t.src, t.span(c)))
		}
	}
	if len(texts) == 0 {
		return
	}
	t.value(texts[0])
	t.weave.glue("for (const [")
	key := stretch{}
	if len(texts) > 1 {
		item := texts[1]
		code := t.src[item.start:item.end]
		if at, _ := topLevel(code, "("); at >= 0 {
			key = stretch{item.start + uint32(at), item.end}
			item.end = item.start + uint32(at)
		}
		t.weave.take(t.src, trim(t.src, item))
	}
	t.weave.glue("] of 0) {\n")
	t.value(key)
	t.until(i, "}\n")
}

// svelteSnippet reads a piece of a template that is called like a function.
func (t *scripted) svelteSnippet(i int32) {
	start := t.child(i, "snippet_start")
	if start < 0 {
		return
	}
	if name := t.child(start, "snippet_name"); name >= 0 {
		at := t.nodes[name].Start
		s := t.add(i, Function, t.text(name), at, -1, strings.Trim(t.text(start), "{#}"))
		t.file.Symbols[s].Exported = false
		t.occur(t.text(name), at, Definition, s)
	}
	t.weave.glue("((")
	if raw := t.child(start, "svelte_raw_text"); raw >= 0 {
		t.weave.take(t.src, t.span(raw))
	}
	t.weave.glue(") => {\n")
	t.until(i, "});\n")
}

// svelteLets opens what let: directives declare for an element.
func (t *scripted) svelteLets(element, tag int32) {
	opened := false
	for c := tag + 1; c < t.nodes[tag].Next; c = t.nodes[c].Next {
		name := t.child(c, "attribute_name")
		if t.kind(c) != "attribute" || name < 0 || !strings.HasPrefix(t.text(name), "let:") {
			continue
		}
		if !opened {
			opened = true
			t.weave.glue("{\n")
			t.until(element, "}\n")
		}
		bound := t.span(name)
		bound.start += uint32(len("let:"))
		if e := t.child(c, "expression"); e >= 0 {
			if raw := t.child(e, "svelte_raw_text"); raw >= 0 {
				bound = t.span(raw)
				t.svelteSkip(e)
			}
		}
		t.weave.wrap("let ", t.src, bound, " = 0;\n")
	}
}

// svelteSkip takes an expression out of the walk: it is no value.
func (t *scripted) svelteSkip(expression int32) {
	for c := expression + 1; c < t.nodes[expression].Next; c++ {
		t.nodes[c].End = t.nodes[c].Start
	}
}

// svelteDirective reads an attribute with a colon: use:action, class:name and
// the like. Where there is no value, the name is the value.
func (t *scripted) svelteDirective(i int32) {
	name := t.child(i, "attribute_name")
	if name < 0 {
		return
	}
	what, rest, ok := strings.Cut(t.text(name), ":")
	if !ok {
		if t.text(name) == "class" {
			for c := i + 1; c < t.nodes[i].Next; c++ {
				if t.kind(c) == "svelte_raw_text" {
					classWords(t.src, t.span(c), func(text string, at uint32) { t.occur(text, at, Read, byPlace) })
				}
			}
		}
		return
	}
	rest, _, _ = strings.Cut(rest, "|")
	at := t.nodes[name].Start + uint32(len(what)) + 1
	target := stretch{at, at + uint32(len(rest))}
	bare := t.nodes[i].End == t.nodes[name].End
	switch what {
	case "use", "transition", "in", "out", "animate":
		t.weave.wrap("", t.src, target, "();\n")
	case "class":
		t.occur(rest, at, Read, byPlace)
		if bare && !strings.Contains(rest, "-") {
			t.value(target)
		}
	case "bind", "style":
		if bare && rest != "" && !strings.Contains(rest, "-") {
			t.value(target)
		}
	}
}
