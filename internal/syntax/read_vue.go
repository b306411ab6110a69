package syntax

import (
	"bytes"
	"strings"
)

// readVue reads a single-file component: its blocks are symbols, its script and
// style are of the languages they name, and its template mentions components,
// classes and what its expressions name.
func readVue(src []byte) *File {
	return readMarkup("vue", src, func(m *markup) {
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
				t.vueScope(i, c)
			}
		}
	case "directive_attribute":
		t.vueDirective(i)
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
	name     string // without v-: for, slot, on, bind, …
	argument stretch
	value    stretch
}

// directiveOf takes a directive apart. Its short forms are those of on, bind
// and slot.
func (t *scripted) directiveOf(i int32) vueAttribute {
	d := vueAttribute{}
	switch t.src[t.nodes[i].Start] {
	case '@':
		d.name = "on"
	case ':', '.':
		d.name = "bind"
	case '#':
		d.name = "slot"
	}
	for c := i + 1; c < t.nodes[i].Next; c++ {
		switch t.kind(c) {
		case "directive_name":
			d.name = strings.TrimPrefix(t.text(c), "v-")
		case "directive_value":
			d.argument = t.span(c)
		case "dynamic_directive_inner_value":
			t.value(t.span(c))
		case "attribute_value":
			d.value = trim(t.src, t.span(c))
		}
	}
	return d
}

// vueScope opens what v-for and v-slot declare for an element.
func (t *scripted) vueScope(element, i int32) {
	d := t.directiveOf(i)
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
func (t *scripted) vueDirective(i int32) {
	d := t.directiveOf(i)
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
		if at := bytes.Index(t.src[t.nodes[i].Start:t.nodes[i].End], []byte(d.name)); at >= 0 {
			t.occur(d.name, t.nodes[i].Start+uint32(at), Call, byPlace)
		}
		t.value(d.value)
	}
}
