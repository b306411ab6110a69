package markup

import (
	"bytes"
	"strings"

	"codeintel/internal/syntax/engine"
	"codeintel/internal/text"
)

// joinTagNames writes a hyphen over the dots in the names of components, with
// which HTML would end the name.
func joinTagNames(text []byte) {
	for at := 0; ; {
		i := bytes.IndexByte(text[at:], '<')
		if i < 0 {
			return
		}
		at += i + 1
		name := bytes.TrimPrefix(text[at:min(len(text), at+len("/livewire:"))], []byte("/"))
		if !bytes.HasPrefix(name, []byte("x-")) && !bytes.HasPrefix(name, []byte("livewire:")) {
			continue
		}
		for at++; at < len(text) && (isWord(text[at]) || strings.IndexByte("-.:", text[at]) >= 0); at++ {
			if text[at] == '.' {
				text[at] = '-'
			}
		}
	}
}

// component mentions what the name of a tag means to Blade: x-forms.input is
// the component forms.input, x-slot:title a slot.
func (v *bladeView) component(m *markup, name word, parent int) {
	name.text = v.slice(span{name.at, name.at + uint32(len(name.text))})
	prefix, folder := "x-", "components."
	if strings.HasPrefix(name.text, "livewire:") {
		prefix, folder = "livewire:", "livewire."
	}
	rest, ok := strings.CutPrefix(name.text, prefix)
	switch {
	case !ok:
		customElement(m, name, parent)
		return
	case rest == "", rest == "dynamic-component", rest == "slot", strings.HasPrefix(rest, "slot:"),
		m.masked(name.at, name.at+uint32(len(name.text))):
		return
	}
	path := folder + rest
	if space, inner, ok := strings.Cut(rest, "::"); ok {
		path = space + "::" + folder + inner
	}
	v.file.Imports = append(v.file.Imports, engine.Import{Path: path, Line: m.row(name.at) + 1})
	v.lastPart(word{rest, name.at + uint32(len(prefix))}, engine.Call)
}

// attributes reads the attributes that hold code, and slots.
func (v *bladeView) attributes() {
	for i := int32(1); int(i) < len(v.Nodes); i++ {
		if kind := v.Kind(i); kind != "start_tag" && kind != "self_closing_tag" {
			continue
		}
		name := v.Child(i, "tag_name")
		if name < 0 {
			continue
		}
		tag := v.source(name)
		if tag == "x-slot" || strings.HasPrefix(tag, "x-slot:") {
			v.slot(i, name)
		}
		isComponent := strings.HasPrefix(tag, "x-") || strings.HasPrefix(tag, "livewire:")
		for c := i + 1; c < v.Nodes[i].Next; c = v.Nodes[c].Next {
			if v.Kind(c) == "attribute" {
				v.attribute(c, isComponent)
			}
		}
	}
}

// slot adds the symbol of <x-slot:title> or <x-slot name="title">.
func (v *bladeView) slot(tag, name int32) {
	at := word{strings.TrimPrefix(v.source(name), "x-slot:"), v.Nodes[name].Start + uint32(len("x-slot:"))}
	if v.Text(name) == "x-slot" {
		at = v.markup.attributes(tag)["name"]
	}
	if at.text == "" || v.masked(at.at, at.at+uint32(len(at.text))) {
		return
	}
	s := v.add(v.Nodes[tag].Parent, engine.Section, at.text, at.at, -1, v.source(tag))
	v.occur(at.text, at.at, engine.Definition, s)
}

// attribute reads one attribute: PHP for a component, a method or property of
// a Livewire component, a script for Alpine.
func (v *bladeView) attribute(i int32, ofComponent bool) {
	n := v.Child(i, "attribute_name")
	if n < 0 {
		return
	}
	name, value := v.Text(n), span{}
	for c := i + 1; c < v.Nodes[i].Next; c++ {
		if v.Kind(c) == "attribute_value" {
			value = v.span(c)
		}
	}
	what, _, _ := strings.Cut(name, ".")
	switch {
	case ofComponent && strings.HasPrefix(name, ":$"):
		v.php.appendWrapped("(", v.whole, span{v.Nodes[n].Start + 1, v.Nodes[n].End}, ");\n")
	case ofComponent && name[0] == ':' && !strings.HasPrefix(name, "::"):
		v.php.appendWrapped("(", v.whole, value, "\n);\n")
	case strings.HasPrefix(name, "wire:"):
		v.livewire(what, value)
	case name[0] == '@' || name[0] == ':' || strings.HasPrefix(name, "x-on:"):
		v.script.appendWrapped("(function ($event) { ", v.Source, value, "\n});\n")
	case what == "x-for":
		code := v.Source[value.Start:value.End]
		if at, in := topLevel(code, " in "); at >= 0 {
			value.Start += uint32(at + len(in))
			v.script.appendWrapped("(", v.Source, value, "\n);\n")
		}
	case what == "x-ref":
		v.occur(v.slice(value), value.Start, engine.Read, byPlace)
	case alpine[strings.SplitN(what, ":", 2)[0]]:
		v.script.appendWrapped("(", v.Source, value, "\n);\n")
	}
}

var alpine = text.WordSet("x-data x-init x-show x-bind x-text x-html x-model x-modelable x-if x-effect x-id")

// livewire mentions the method that wire:click calls, or the property that
// wire:model fills.
func (v *bladeView) livewire(name string, value span) {
	value = trim(v.Source, value)
	end := value.Start
	for end < value.End && isWord(v.Source[end]) && v.Source[end] != '$' {
		end++
	}
	if end == value.Start || end < value.End && v.Source[end] != '(' && v.Source[end] != '.' {
		return
	}
	role := engine.Call
	switch name {
	case "wire:model", "wire:target", "wire:key", "wire:loading":
		role = engine.Read
	}
	v.occur(string(v.Source[value.Start:end]), value.Start, role, byPlace)
	if end < value.End && v.Source[end] == '(' {
		v.php.appendWrapped("_", v.whole, span{end, value.End}, ";\n")
	}
}
