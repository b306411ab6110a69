package syntax

import (
	"bytes"
	"strings"
)

// specVue is the row of the language.
var specVue = &spec{name: Vue, read: readVue}

// readVue reads a single-file component: its blocks are symbols, its script and
// style are of the languages they name, and its template mentions components,
// classes and what its expressions name.
func readVue(src []byte, embedded parseFunc) *File {
	return readMarkup("vue", src, embedded, func(m *markup) {
		m.elements(dialect{
			parts:     map[string]Kind{"template_element": Component, "script_element": Component, "style_element": Component},
			component: vueComponent,
		})
		v := scripted{markup: m}
		v.walk(v.vueNode)
		m.embedWeave(v.language(), &v.weave, nil)
	})
}

// vueComponent mentions a component: its name is capitalised or has a hyphen,
// and is none that Vue brings.
func vueComponent(m *markup, name word, parent int) {
	switch strings.ToLower(strings.ReplaceAll(name.text, "-", "")) {
	case "transition", "transitiongroup", "keepalive", "teleport", "suspense":
		return
	}
	for end := name.at + uint32(len(name.text)); int(end)+1 < len(m.src) && m.src[end] == '.' && isWord(m.src[end+1]); {
		for end++; int(end) < len(m.src) && isWord(m.src[end]); end++ { // the grammar ends the name of Menu.Item at its dot
		}
		name.text = string(m.src[name.at:end])
	}
	dotted(m, name, parent)
}

// dotted mentions a component that may be a member of something: Menu.Item.
func dotted(m *markup, name word, parent int) {
	dot := strings.LastIndexByte(name.text, '.')
	if dot < 0 {
		customElement(m, name, parent)
		return
	}
	m.occur(name.text[:dot], name.at, Read, parent)
	m.occur(name.text[dot+1:], name.at+uint32(dot)+1, Call, parent)
}

// A scripted is a template whose expressions are woven into one script, which
// keeps the scopes of the template.
type scripted struct {
	*markup
	weave   weave
	closers []closer
}

// A closer is what the weave needs when the walk leaves a node.
type closer struct {
	end  int32 // index of the first node behind it
	text string
}

// walk visits the nodes in order and closes what they open.
func (t *scripted) walk(visit func(i int32)) {
	for i := int32(1); int(i) < len(t.nodes); i++ {
		t.close(i)
		visit(i)
	}
	t.close(1 << 30)
}

func (t *scripted) close(before int32) {
	for n := len(t.closers); n > 0 && t.closers[n-1].end <= before; n-- {
		t.weave.glue(t.closers[n-1].text)
		t.closers = t.closers[:n-1]
	}
}

// until has text added when the walk leaves a node.
func (t *scripted) until(i int32, text string) {
	t.closers = append(t.closers, closer{t.nodes[i].Next, text})
}

// value adds an expression whose value is used.
func (t *scripted) value(s stretch) { t.weave.wrap("(", t.src, trim(t.src, s), "\n);\n") }

// language returns that of the scripts: the widest one that a script names.
func (t *scripted) language() Language {
	lang := JavaScript
	for i := int32(1); int(i) < len(t.nodes); i = t.nodes[i].Next {
		if t.kind(i) != "script_element" {
			continue
		}
		if tag := t.child(i, "start_tag", "self_closing_tag"); tag >= 0 {
			if l := embedded("script_element", t.attributes(tag)); l == TypeScript || l == TSX {
				lang = l
			}
		}
	}
	return lang
}

// vueNode adds what one node of a template says.
func (t *scripted) vueNode(i int32) {
	switch t.kind(i) {
	case "interpolation":
		if raw := t.child(i, "raw_text"); raw >= 0 {
			t.value(t.span(raw))
		}
	case "element", "template_element":
		tag := t.child(i, "start_tag", "self_closing_tag")
		if tag < 0 {
			return
		}
		// What v-for and v-slot name can be seen in the other attributes too.
		for c := tag + 1; c < t.nodes[tag].Next; c = t.nodes[c].Next {
			if t.kind(c) == "directive_attribute" {
				for _, d := range t.directivesOf(c) {
					t.vueScope(i, d)
				}
			}
		}
	case "script_element":
		if tag := t.child(i, "start_tag"); tag >= 0 {
			if g := t.attributes(tag)["generic"]; g.text != "" { // the type parameters of the component
				t.weave.wrap("type _<", t.src, stretch{g.at, g.at + uint32(len(g.text))}, "> = 0;\n")
			}
		}
	case "directive_attribute":
		for _, d := range t.directivesOf(i) {
			t.vueDirective(d)
		}
	case "attribute":
		t.vueRef(i)
	}
}

// vueRef mentions the variable that a ref fills.
func (t *scripted) vueRef(i int32) {
	if name := t.child(i, "attribute_name"); name >= 0 && t.text(name) == "ref" {
		for v := i + 1; v < t.nodes[i].Next; v++ {
			if t.kind(v) == "attribute_value" {
				t.occur(t.text(v), t.nodes[v].Start, Read, byPlace)
			}
		}
	}
}

// A vueAttribute is an attribute that is an instruction.
type vueAttribute struct {
	name     string  // without v-: for, slot, on, bind, …
	own      stretch // where the name stands, unless it is a short form
	argument stretch
	dynamic  stretch // an argument that is an expression
	value    stretch
}

// directivesOf takes directives apart. The grammar may have joined several: all
// but the last then have no value.
func (t *scripted) directivesOf(i int32) []vueAttribute {
	name, value := t.span(i), stretch{}
	if at := t.child(i, "quoted_attribute_value", "attribute_value"); at >= 0 {
		name.end = t.nodes[at].Start
		value = stretch{name.end, name.end}
		for v := at; v < t.nodes[at].Next; v++ {
			if t.kind(v) == "attribute_value" {
				value = trim(t.src, t.span(v))
			}
		}
	}
	var all []vueAttribute
	depth := 0
	for at := name.start; at < name.end; at++ {
		start := at
		for ; at < name.end && (depth > 0 || !isSpace(t.src[at]) && t.src[at] != '='); at++ {
			switch t.src[at] {
			case '[':
				depth++
			case ']':
				depth--
			}
		}
		if at > start && (start == 0 || !isWord(t.src[start-1])) { // else it is the rest of a tag: Menu.Item
			all = append(all, t.directiveAt(stretch{start, at}))
		}
	}
	if n := len(all); n > 0 {
		all[n-1].value = value
	}
	return all
}

// directiveAt reads the name of a directive: v-on:click.once, or a short form
// of on, bind or slot.
func (t *scripted) directiveAt(s stretch) vueAttribute {
	d := vueAttribute{}
	at := s.start + 1
	switch t.src[s.start] {
	case '@':
		d.name = "on"
	case ':', '.':
		d.name = "bind"
	case '#':
		d.name = "slot"
	default:
		for at < s.end && t.src[at] != ':' && t.src[at] != '.' {
			at++
		}
		d.name = strings.TrimPrefix(string(t.src[s.start:at]), "v-")
		d.own = stretch{at - uint32(len(d.name)), at}
		if at == s.end || t.src[at] == '.' {
			return d
		}
		at++
	}
	if at < s.end && t.src[at] == '[' {
		d.dynamic = stretch{at + 1, s.end}
		if shut := bytes.LastIndexByte(t.src[at:s.end], ']'); shut > 0 {
			d.dynamic.end = at + uint32(shut)
		}
		return d
	}
	d.argument = stretch{at, s.end}
	if dot := bytes.IndexByte(t.src[at:s.end], '.'); dot >= 0 {
		d.argument.end = at + uint32(dot)
	}
	return d
}

// vueScope opens what v-for and v-slot declare for an element.
func (t *scripted) vueScope(element int32, d vueAttribute) {
	if d.value.start == d.value.end {
		return
	}
	switch d.name {
	case "for":
		code := t.src[d.value.start:d.value.end]
		at, word := topLevel(code, " in ", " of ")
		if at < 0 {
			t.value(d.value)
			return
		}
		t.value(stretch{d.value.start + uint32(at+len(word)), d.value.end})
		left := trim(t.src, stretch{d.value.start, d.value.start + uint32(at)})
		if left.end-left.start > 1 && t.src[left.start] == '(' && t.src[left.end-1] == ')' {
			left = stretch{left.start + 1, left.end - 1}
		}
		t.weave.wrap("for (const [", t.src, left, "] of 0) {\n")
		t.until(element, "}\n")
	case "slot", "slot-scope", "scope":
		t.weave.wrap("((", t.src, d.value, ") => {\n")
		t.until(element, "});\n")
	}
}

// vueDirective adds what any other directive says.
func (t *scripted) vueDirective(d vueAttribute) {
	t.value(d.dynamic)
	argument := string(t.src[d.argument.start:d.argument.end])
	switch d.name {
	case "for", "slot-scope", "scope":
	case "slot":
		if argument != "" && argument != "default" {
			t.occur(argument, d.argument.start, Read, byPlace)
		}
	case "on":
		t.weave.wrap("(($event) => { ", t.src, d.value, "\n});\n")
	case "bind":
		if d.value.start == d.value.end && argument != "" { // :title means :title="title"
			if !strings.Contains(argument, "-") {
				t.value(d.argument)
			}
			return
		}
		t.value(d.value)
		if argument == "class" {
			classWords(t.src, d.value, func(text string, at uint32) { t.occur(text, at, Read, byPlace) })
		}
	case "if", "else-if", "else", "show", "model", "html", "text", "once", "pre", "cloak", "memo":
		t.value(d.value)
	default: // a directive of the project
		t.occur(d.name, d.own.start, Call, byPlace)
		t.value(d.value)
	}
}
