package markup

import (
	"bytes"
	"strings"

	"codeintel/internal/syntax/engine"
)

// Vue is the row of the language.
var Vue = &engine.Spec{
	Name:       engine.Vue,
	Aliases:    "vuejs",
	Extensions: "vue",
	Family:     "script",
	Form:       engine.Page,
	Read:       readVue,
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

// readVue reads a single-file component: its blocks are symbols, its script and
// style are of the languages they name, and its template mentions components,
// classes and what its expressions name.
func readVue(src []byte, embedded engine.ParseFunc) *engine.File {
	return readMarkup("vue", src, embedded, func(m *markup) {
		m.elements(dialect{
			parts: map[string]engine.Kind{"template_element": engine.Component,
				"script_element": engine.Component, "style_element": engine.Component},
			component: vueComponent,
		})
		v := scripted{markup: m}
		v.walk(v.vueNode)
		m.embedInterleaved(v.language(), &v.code, nil)
	})
}

// vueComponent mentions a component: its name is capitalised or has a hyphen,
// and is none that Vue brings.
func vueComponent(m *markup, name word, parent int) {
	switch strings.ToLower(strings.ReplaceAll(name.text, "-", "")) {
	case "transition", "transitiongroup", "keepalive", "teleport", "suspense":
		return
	}
	for end := name.at + uint32(len(name.text)); int(end)+1 < len(m.Source) && m.Source[end] == '.' && isWord(m.Source[end+1]); {
		for end++; int(end) < len(m.Source) && isWord(m.Source[end]); end++ { // the grammar ends the name of Menu.Item at its dot
		}
		name.text = string(m.Source[name.at:end])
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
	m.occur(name.text[:dot], name.at, engine.Read, parent)
	m.occur(name.text[dot+1:], name.at+uint32(dot)+1, engine.Call, parent)
}

// A scripted is a template whose expressions are joined into one script, which
// keeps the scopes of the template.
type scripted struct {
	*markup
	code    interleaved
	closers []closer
}

// A closer is what the interleaved text needs when the walk leaves a node.
type closer struct {
	end  int32 // index of the first node behind it
	text string
}

// walk visits the nodes in order and closes what they open.
func (t *scripted) walk(visit func(i int32)) {
	for i := int32(1); int(i) < len(t.Nodes); i++ {
		t.close(i)
		visit(i)
	}
	t.close(1 << 30)
}

func (t *scripted) close(before int32) {
	for n := len(t.closers); n > 0 && t.closers[n-1].end <= before; n-- {
		t.code.appendOwn(t.closers[n-1].text)
		t.closers = t.closers[:n-1]
	}
}

// addAtLeave has text added when the walk leaves a node.
func (t *scripted) addAtLeave(i int32, text string) {
	t.closers = append(t.closers, closer{t.Nodes[i].Next, text})
}

// value adds an expression whose value is used.
func (t *scripted) value(s span) { t.code.appendWrapped("(", t.Source, trim(t.Source, s), "\n);\n") }

// language returns that of the scripts: the widest one that a script names.
func (t *scripted) language() engine.Language {
	lang := engine.JavaScript
	for i := int32(1); int(i) < len(t.Nodes); i = t.Nodes[i].Next {
		if t.Kind(i) != "script_element" {
			continue
		}
		if tag := t.Child(i, "start_tag", "self_closing_tag"); tag >= 0 {
			if l := embedded("script_element", t.attributes(tag)); l == engine.TypeScript || l == engine.TSX {
				lang = l
			}
		}
	}
	return lang
}

// vueNode adds what one node of a template says.
func (t *scripted) vueNode(i int32) {
	switch t.Kind(i) {
	case "interpolation":
		if raw := t.Child(i, "raw_text"); raw >= 0 {
			t.value(t.span(raw))
		}
	case "element", "template_element":
		tag := t.Child(i, "start_tag", "self_closing_tag")
		if tag < 0 {
			return
		}
		// What v-for and v-slot name can be seen in the other attributes too.
		for c := tag + 1; c < t.Nodes[tag].Next; c = t.Nodes[c].Next {
			if t.Kind(c) == "directive_attribute" {
				for _, d := range t.directivesOf(c) {
					t.vueScope(i, d)
				}
			}
		}
	case "script_element":
		if tag := t.Child(i, "start_tag"); tag >= 0 {
			if g := t.attributes(tag)["generic"]; g.text != "" { // the type parameters of the component
				t.code.appendWrapped("type _<", t.Source, span{g.at, g.at + uint32(len(g.text))}, "> = 0;\n")
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
	if name := t.Child(i, "attribute_name"); name >= 0 && t.Text(name) == "ref" {
		for v := i + 1; v < t.Nodes[i].Next; v++ {
			if t.Kind(v) == "attribute_value" {
				t.occur(t.Text(v), t.Nodes[v].Start, engine.Read, byPlace)
			}
		}
	}
}

// A vueAttribute is an attribute that is an instruction.
type vueAttribute struct {
	name     string // without v-: for, slot, on, bind, …
	own      span   // where the name is, unless it is a short form
	argument span
	dynamic  span // an argument that is an expression
	value    span
}

// directivesOf takes directives apart. The grammar may have joined several: all
// but the last then have no value.
func (t *scripted) directivesOf(i int32) []vueAttribute {
	name, value := t.span(i), span{}
	if at := t.Child(i, "quoted_attribute_value", "attribute_value"); at >= 0 {
		name.End = t.Nodes[at].Start
		value = span{name.End, name.End}
		for v := at; v < t.Nodes[at].Next; v++ {
			if t.Kind(v) == "attribute_value" {
				value = trim(t.Source, t.span(v))
			}
		}
	}
	var all []vueAttribute
	depth := 0
	for at := name.Start; at < name.End; at++ {
		start := at
		for ; at < name.End && (depth > 0 || !engine.IsSpace(t.Source[at]) && t.Source[at] != '='); at++ {
			switch t.Source[at] {
			case '[':
				depth++
			case ']':
				depth--
			}
		}
		if at > start && (start == 0 || !isWord(t.Source[start-1])) { // else it is the rest of a tag: Menu.Item
			all = append(all, t.directiveAt(span{start, at}))
		}
	}
	if n := len(all); n > 0 {
		all[n-1].value = value
	}
	return all
}

// directiveAt reads the name of a directive: v-on:click.once, or a short form
// of on, bind or slot.
func (t *scripted) directiveAt(s span) vueAttribute {
	d := vueAttribute{}
	at := s.Start + 1
	switch t.Source[s.Start] {
	case '@':
		d.name = "on"
	case ':', '.':
		d.name = "bind"
	case '#':
		d.name = "slot"
	default:
		for at < s.End && t.Source[at] != ':' && t.Source[at] != '.' {
			at++
		}
		d.name = strings.TrimPrefix(string(t.Source[s.Start:at]), "v-")
		d.own = span{at - uint32(len(d.name)), at}
		if at == s.End || t.Source[at] == '.' {
			return d
		}
		at++
	}
	if at < s.End && t.Source[at] == '[' {
		d.dynamic = span{at + 1, s.End}
		if shut := bytes.LastIndexByte(t.Source[at:s.End], ']'); shut > 0 {
			d.dynamic.End = at + uint32(shut)
		}
		return d
	}
	d.argument = span{at, s.End}
	if dot := bytes.IndexByte(t.Source[at:s.End], '.'); dot >= 0 {
		d.argument.End = at + uint32(dot)
	}
	return d
}

// vueScope opens what v-for and v-slot declare for an element.
func (t *scripted) vueScope(element int32, d vueAttribute) {
	if d.value.Start == d.value.End {
		return
	}
	switch d.name {
	case "for":
		code := t.Source[d.value.Start:d.value.End]
		at, word := topLevel(code, " in ", " of ")
		if at < 0 {
			t.value(d.value)
			return
		}
		t.value(span{d.value.Start + uint32(at+len(word)), d.value.End})
		left := trim(t.Source, span{d.value.Start, d.value.Start + uint32(at)})
		if left.End-left.Start > 1 && t.Source[left.Start] == '(' && t.Source[left.End-1] == ')' {
			left = span{left.Start + 1, left.End - 1}
		}
		t.code.appendWrapped("for (const [", t.Source, left, "] of 0) {\n")
		t.addAtLeave(element, "}\n")
	case "slot", "slot-scope", "scope":
		t.code.appendWrapped("((", t.Source, d.value, ") => {\n")
		t.addAtLeave(element, "});\n")
	}
}

// vueDirective adds what any other directive says.
func (t *scripted) vueDirective(d vueAttribute) {
	t.value(d.dynamic)
	argument := string(t.Source[d.argument.Start:d.argument.End])
	switch d.name {
	case "for", "slot-scope", "scope":
	case "slot":
		if argument != "" && argument != "default" {
			t.occur(argument, d.argument.Start, engine.Read, byPlace)
		}
	case "on":
		t.code.appendWrapped("(($event) => { ", t.Source, d.value, "\n});\n")
	case "bind":
		if d.value.Start == d.value.End && argument != "" { // :title means :title="title"
			if !strings.Contains(argument, "-") {
				t.value(d.argument)
			}
			return
		}
		t.value(d.value)
		if argument == "class" {
			classWords(t.Source, d.value, func(text string, at uint32) { t.occur(text, at, engine.Read, byPlace) })
		}
	case "if", "else-if", "else", "show", "model", "html", "text", "once", "pre", "cloak", "memo":
		t.value(d.value)
	default: // a directive of the project
		t.occur(d.name, d.own.Start, engine.Call, byPlace)
		t.value(d.value)
	}
}
