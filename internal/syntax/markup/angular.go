package markup

import (
	"bytes"
	"strings"

	"codeintel/internal/syntax/engine"
)

// Templates of Angular are files of HTML: (event)="…", [property]="…", [(both)]="…",
// *directive="…", {{ … }}, and blocks such as @if (…) { }. Many other template languages
// write {{ … }} as well, and Alpine and Vue without a build step @event, :property, v-… and
// x-…. All hold expressions, read as JavaScript; see
// https://angular.dev/guide/templates/expression-syntax.

// bound adds what an attribute says whose value is an expression.
func (m *markup) bound(name string, value word, parent int, script *interleaved) {
	at := span{value.at, value.at + uint32(len(value.text))}
	switch name[0] {
	case '(', '@':
		script.appendWrapped("(($event) => { ", m.Source, at, "\n});\n")
	case '[', ':':
		m.expression(at, script)
	case '*':
		m.microsyntax(at, script)
	default:
		if strings.HasPrefix(name, "v-") || strings.HasPrefix(name, "x-") {
			m.expression(at, script)
		}
		return
	}
	// What is bound is a member of the component or the directive, unless it is the element's.
	if bare := strings.Trim(name, "()[]*"); bare != name && value.at > uint32(len(name)) {
		from := value.at - min(value.at, uint32(len(name))+4)
		if i := bytes.LastIndex(bytes.ToLower(m.Source[from:value.at]), []byte(bare)); i >= 0 && isName(bare) {
			start := from + uint32(i)
			m.occur(string(m.Source[start:start+uint32(len(bare))]), start, engine.Read, parent)
		}
	}
}

func isName(s string) bool {
	return s != "" && strings.IndexFunc(s, func(r rune) bool { return r > 0x7f || !isWord(byte(r)) }) < 0
}

// expression adds an expression whose value is used, without the pipes that follow it.
func (m *markup) expression(at span, script *interleaved) {
	if pipe, _ := topLevel(m.Source[at.Start:at.End], " | "); pipe >= 0 {
		at.End = at.Start + uint32(pipe)
	}
	script.appendWrapped("(", m.Source, trim(m.Source, at), "\n);\n")
}

// microsyntax adds the expressions of a structural directive: "let a of list; trackBy: f" or
// "ready; else waiting".
func (m *markup) microsyntax(at span, script *interleaved) {
	for at.Start < at.End {
		part := at
		if end, _ := topLevel(m.Source[at.Start:at.End], ";"); end >= 0 {
			part.End = at.Start + uint32(end)
		}
		at.Start = part.End + 1
		part = trim(m.Source, part)
		code := m.Source[part.Start:part.End]
		if as, _ := topLevel(code, " as "); as >= 0 {
			part.End = part.Start + uint32(as)
			code = code[:as]
		}
		if bytes.HasPrefix(code, []byte("let ")) {
			of, word := topLevel(code, " of ")
			if of < 0 {
				continue // a name for what the directive offers
			}
			part.Start += uint32(of + len(word))
		} else if key, after := leadingKey(code); key {
			part.Start += uint32(after)
		}
		m.expression(part, script)
	}
}

// leadingKey reports whether a part of a structural directive begins with a key, as in
// "trackBy: f" and "else waiting", and where its value begins.
func leadingKey(code []byte) (is bool, after int) {
	end := 0
	for end < len(code) && isWord(code[end]) {
		end++
	}
	at := SkipBlanks(code, end)
	switch {
	case end == 0 || at >= len(code):
		return false, 0
	case code[at] == ':':
		return true, at + 1
	}
	return at > end && isWord(code[at]), at
}

// texts adds the expressions that a text holds: {{ … }}, and those of blocks.
func (m *markup) texts(at span, script *interleaved) {
	code := m.Source[at.Start:at.End]
	for i := 0; i+1 < len(code); i++ {
		switch {
		case code[i] == '{' && code[i+1] == '{':
			end := bytes.Index(code[i:], []byte("}}"))
			if end < 0 {
				return
			}
			// Handlebars and others have blocks and comments there.
			if first := SkipBlanks(code, i+2); first < i+end && bytes.IndexByte([]byte("#/>!^&%{-"), code[first]) < 0 {
				m.expression(span{at.Start + uint32(i) + 2, at.Start + uint32(i+end)}, script)
			}
			i += end + 1
		case code[i] == '@' && (i == 0 || !isWord(code[i-1])):
			i += m.block(span{at.Start + uint32(i), at.End}, script)
		}
	}
}

// block adds the expression of a block, @if (…) or @for (a of list; track a.id), and returns
// how long its head is.
func (m *markup) block(at span, script *interleaved) int {
	code := m.Source[at.Start:at.End]
	open := bytes.IndexByte(code[:min(len(code), len("@else if  ("))], '(')
	if open < 0 {
		return 0
	}
	switch strings.Join(strings.Fields(string(code[1:open])), " ") {
	case "if", "else if", "for", "switch", "case":
	default:
		return 0
	}
	end, _ := topLevel(code[open+1:], ")")
	if end < 0 {
		return 0
	}
	inner := span{at.Start + uint32(open) + 1, at.Start + uint32(open+1+end)}
	if cut, _ := topLevel(m.Source[inner.Start:inner.End], ";"); cut >= 0 {
		inner.End = inner.Start + uint32(cut)
	}
	if of, word := topLevel(m.Source[inner.Start:inner.End], " of "); of >= 0 {
		inner.Start += uint32(of + len(word))
	}
	m.expression(inner, script)
	return open
}
