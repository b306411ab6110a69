package markup

import (
	"bytes"
	"slices"
	"strings"

	"codeintel/internal/syntax/engine"
	"codeintel/internal/text"
)

// Blade is the row of the language.
var Blade = &engine.Spec{
	Name:       engine.Blade,
	Aliases:    "blade.php",
	Extensions: "blade.php",
	Form:       engine.Page,
	Read:       readBlade,
	Names: engine.Names{
		Groups:    "script style template",
		Accessors: "-> ::",
		Typed:     engine.PHPTyped,
		Imports:   engine.ImportsView,
	},

	Comparing: engine.Comparing{Comments: "{{-- --}}"},
}

// readBlade reads a Blade template: its sections, stacks, yields, slots and
// props are symbols, as are elements with an id; the views and components it
// brings in are imports under the names that Blade knows them by
// (layouts.app, components.card).
func readBlade(src []byte, embedded engine.ParseFunc) *engine.File {
	tokens := scanBlade(src)
	text := bytes.Clone(src)
	masks := make([]span, len(tokens))
	for i, t := range tokens {
		masks[i] = t.all
		if t.kind == bladeEcho || t.kind == bladeDirective && bladeValues[string(src[t.name.Start:t.name.End])] {
			fill(text, t.all)
		} else {
			blank(text, t.all)
		}
	}
	joinTagNames(text)
	m := newMarkup(text, src, masks, embedded)
	v := bladeView{markup: m, open: make(map[string]int)}
	if m.parse("html") {
		m.elements(dialect{component: v.component, handlers: true})
		v.attributes()
		m.embedInterleaved(engine.JavaScript, &v.script, func(s *engine.Symbol) bool { return s.Kind.IsFunction() })
	}
	m.masks = nil
	v.php.appendOwn("<?php\n")
	v.ownDirectives(tokens)
	for _, t := range tokens {
		v.token(t)
	}
	v.closeAll()
	m.embedInterleaved(engine.PHP, &v.php, func(s *engine.Symbol) bool {
		s.Exported = s.Exported && s.Kind != engine.Variable
		return true
	})
	v.widenVariables(tokens)
	m.settle()
	return m.file
}

// widenVariables lets a variable that a directive sets span the directive: @for ($i = 0;
// …), @php($x = 1).
func (v *bladeView) widenVariables(tokens []bladeToken) {
	for i := range v.file.Symbols {
		s := &v.file.Symbols[i]
		if s.Kind != engine.Variable {
			continue
		}
		at, _ := slices.BinarySearchFunc(tokens, s.Start, func(t bladeToken, at int) int {
			if int(t.all.End) <= at {
				return -1
			}
			return 1
		})
		if at == len(tokens) || tokens[at].kind != bladeDirective || int(tokens[at].all.Start) > s.Start {
			continue
		}
		all := tokens[at].all
		s.Start, s.End, s.DocStart = int(all.Start), int(all.End), int(all.Start)
		s.StartLine, s.EndLine = v.row(all.Start)+1, v.row(all.End-1)+1
	}
}

// A bladeView is a template whose tokens are being read.
type bladeView struct {
	*markup
	php, script interleaved
	blocks      []bladeBlock
	open        map[string]int  // number of open blocks by what they are
	own         map[string]bool // directives of the project that enclose something
}

// A bladeBlock is a directive that waits for its end.
type bladeBlock struct {
	what   string
	symbol int
}

// bladeValues are the directives that write a value in their place.
var bladeValues = text.WordSet("json js yield lang choice")

// bladeBlocks says what a directive opens, if what follows is not given as its
// second argument; bladeEnds what one closes.
var bladeBlocks = map[string]string{
	"section": "section", "push": "push", "pushIf": "push", "pushOnce": "push", "prepend": "push", "prependOnce": "push",
	"slot": "slot", "component": "component", "componentFirst": "component", "fragment": "fragment",
}

var bladeEnds = map[string]string{
	"endsection": "section", "stop": "section", "show": "section", "append": "section", "overwrite": "section",
	"endpush": "push", "endPushIf": "push", "endPushOnce": "push", "endprepend": "push", "endPrependOnce": "push",
	"endpushOnce": "push", "endpushIf": "push", "endprependOnce": "push",
	"endslot": "slot", "endcomponent": "component", "endcomponentFirst": "component",
	"endComponentFirst": "component", "endfragment": "fragment",
}

// bladeWords are the directives that Blade brings and that say nothing by
// themselves; their arguments are PHP.
var bladeWords = text.WordSet(`append auth aware break can canany cannot case checked class component componentFirst continue csrf dd default
 disabled dump each else elseauth elsecan elsecanany elsecannot elseguest elseif empty endauth endcan endcanany endcannot endcomponent
 endComponentFirst endcomponentFirst endempty endenv enderror endfor endforeach endforelse endfragment endguest endif endisset endonce
 endphp endPrependOnce endprepend endproduction endpush endPushIf endPushOnce endsection endsession endslot endswitch endunless
 endverbatim endwhile env error extends for foreach forelse fragment guest hasSection hasStack if include includeFirst includeIf includeUnless
 includeWhen inject isset js json lang choice livewire livewireScripts livewireStyles method once overwrite parent php prepend prependOnce
 production props push pushIf pushOnce readonly required section sectionMissing selected session show slot stack stop style switch unless
 unset use verbatim vite viteReactRefresh while yield elsesession elseproduction context endcontext bool elsecontext endlang endPrependOnce`)

// ownDirectives notes which directives of the project enclose something: those
// that have an end. Without one and without arguments, @word is a word.
func (v *bladeView) ownDirectives(tokens []bladeToken) {
	v.own = make(map[string]bool)
	for _, t := range tokens {
		if name := v.slice(t.name); t.kind == bladeDirective {
			if own, ok := strings.CutPrefix(name, "end"); ok {
				v.own[own] = true
			}
		}
	}
}

func (v *bladeView) slice(s span) string { return string(v.whole[s.Start:s.End]) }

// token reads one token of the template.
func (v *bladeView) token(t bladeToken) {
	switch t.kind {
	case bladeEcho:
		code := trim(v.whole, t.code)
		if v.slice(code) == "$slot" {
			v.addSpan(t.all, engine.Slot, "slot", code.Start+1, -1, v.slice(t.all))
		}
		v.php.appendWrapped("(", v.whole, code, "\n);\n")
		v.classes(code)
	case bladePHP:
		v.php.appendWrapped("\n", v.whole, t.code, "\n")
		if tail := trim(v.whole, t.code); tail.End > tail.Start && strings.IndexByte(";:{}", v.whole[tail.End-1]) < 0 {
			v.php.appendOwn(";\n")
		}
	case bladeDirective:
		v.directive(t)
	}
}

// classes mentions the classes that a component adds to its attributes:
// $attributes->class([…]) and ->merge(['class' => '…']).
func (v *bladeView) classes(code span) {
	text := v.whole[code.Start:code.End]
	for _, mark := range []string{"->class(", "'class' =>", "\"class\" =>"} {
		at := bytes.Index(text, []byte(mark))
		if at < 0 {
			continue
		}
		list := span{code.Start + uint32(at+len(mark)), code.End}
		if end, _ := topLevel(v.whole[list.Start:list.End], ")", "]", ","); end >= 0 {
			list.End = list.Start + uint32(end)
		}
		classWords(v.whole, list, func(text string, at uint32) {
			if !strings.Contains(text, "$") {
				v.occur(text, at, engine.Read, byPlace)
			}
		})
	}
}

// directive reads one directive.
func (v *bladeView) directive(t bladeToken) {
	name := v.slice(t.name)
	switch name {
	case "foreach", "forelse", "for":
		if name == "forelse" {
			name = "foreach"
		}
		v.php.appendWrapped(name+" (", v.whole, t.code, "\n) {}\n")
		return
	case "php":
		v.php.appendWrapped("", v.whole, t.code, "\n;\n")
		return
	case "use":
		v.readUse(t)
		return
	case "empty":
		if t.code.Start == t.code.End { // of @forelse
			return
		}
	}
	v.php.appendWrapped("_(", v.whole, t.code, "\n);\n")
	args := v.arguments(t.code)
	switch name {
	case "extends", "include", "includeIf", "component", "livewire":
		v.view(args, 0, name)
	case "includeWhen", "includeUnless":
		v.view(args, 1, name)
	case "includeFirst", "componentFirst":
		if len(args) > 0 && v.whole[args[0].Start] == '[' {
			views := v.arguments(span{args[0].Start + 1, args[0].End - 1})
			for i := range views {
				v.view(views, i, name)
			}
		}
	case "each":
		v.view(args, 0, name)
		v.view(args, 3, name)
	case "inject":
		v.inject(args)
	case "props", "aware":
		v.props(t)
	case "class":
		classWords(v.whole, t.code, func(text string, at uint32) { v.occur(text, at, engine.Read, byPlace) })
	case "vite":
		for _, arg := range args {
			for _, s := range v.literals(arg) {
				v.noteIncluded(v.slice(s), s.Start)
			}
		}
	case "yield", "stack":
		v.named(t, args, engine.Slot)
	case "hasSection", "sectionMissing", "hasStack":
		if s, ok := v.literal(args, 0); ok {
			v.occur(v.slice(s), s.Start, engine.Read, byPlace)
		}
	}
	switch {
	case bladeBlocks[name] != "":
		v.openBlock(t, bladeBlocks[name], args)
	case bladeEnds[name] != "":
		v.closeBlock(bladeEnds[name], t.all.End)
	case !bladeWords[name]:
		v.custom(t, name)
	}
}

// custom mentions a directive of the project. Its end and its else say nothing
// more.
func (v *bladeView) custom(t bladeToken, name string) {
	for _, prefix := range []string{"end", "else", "unless"} {
		if base, ok := strings.CutPrefix(name, prefix); ok && (v.own[base] || prefix == "end") {
			return
		}
	}
	if t.code.End > 0 || v.own[name] {
		v.occur(name, t.name.Start, engine.Call, byPlace)
	}
}

// named adds the symbol that the first argument names.
func (v *bladeView) named(t bladeToken, args []span, kind engine.Kind) int {
	index := 0
	if name := v.slice(t.name); name == "pushIf" {
		index = 1
	}
	s, ok := v.literal(args, index)
	if !ok {
		return -1
	}
	symbol := v.addSpan(t.all, kind, v.slice(s), s.Start, -1, v.slice(t.all))
	v.occur(v.slice(s), s.Start, engine.Definition, symbol)
	return symbol
}

// openBlock adds what a block names. One whose text is an argument needs no
// end.
func (v *bladeView) openBlock(t bladeToken, what string, args []span) {
	b := bladeBlock{what: what, symbol: -1}
	switch what {
	case "component":
		if s, ok := v.literal(args, 0); ok {
			b.symbol = v.addSpan(t.all, engine.Component, v.slice(s), s.Start, -1, v.slice(t.all))
		}
	default:
		b.symbol = v.named(t, args, engine.Section)
	}
	if (what == "section" || what == "slot") && len(args) > 1 {
		return
	}
	v.blocks = append(v.blocks, b)
	v.open[what]++
}

// closeBlock ends the innermost block of a sort before a byte. Blocks in it
// that were not closed end with their directive.
func (v *bladeView) closeBlock(what string, end uint32) {
	if v.open[what] == 0 {
		return
	}
	for {
		b := v.blocks[len(v.blocks)-1]
		v.blocks = v.blocks[:len(v.blocks)-1]
		v.open[b.what]--
		if b.what != what {
			continue
		}
		if b.symbol >= 0 {
			s := &v.file.Symbols[b.symbol]
			s.End, s.EndLine = int(end), v.row(end-1)+1
		}
		return
	}
}

// closeAll leaves what is still open at that: it ends with its directive.
func (v *bladeView) closeAll() { v.blocks = nil }

// arguments cuts a list of arguments at its commas.
func (v *bladeView) arguments(list span) []span {
	var args []span
	for rest := trim(v.whole, list); rest.End > rest.Start; {
		at, _ := topLevel(v.whole[rest.Start:rest.End], ",")
		if at < 0 {
			return append(args, rest)
		}
		args = append(args, trim(v.whole, span{rest.Start, rest.Start + uint32(at)}))
		rest = trim(v.whole, span{rest.Start + uint32(at) + 1, rest.End})
	}
	return args
}

// literal returns the text of an argument that is one plain string.
func (v *bladeView) literal(args []span, index int) (span, bool) {
	if index >= len(args) {
		return span{}, false
	}
	a := args[index]
	if a.End-a.Start < 3 || v.whole[a.Start] != '\'' && v.whole[a.Start] != '"' ||
		stringEnd(v.whole[:a.End], int(a.Start)) != int(a.End) {
		return span{}, false
	}
	a = span{a.Start + 1, a.End - 1}
	if bytes.ContainsAny(v.whole[a.Start:a.End], "$\\\n'\"") && !isClassName(v.whole[a.Start:a.End]) {
		return span{}, false
	}
	return a, true
}

// isClassName says whether a text is the name of a class: App\Models\User.
func isClassName(text []byte) bool {
	for _, c := range text {
		if c != '\\' && (!isWord(c) || c == '$') {
			return false
		}
	}
	return true
}

// literals returns the texts of all plain strings of an argument.
func (v *bladeView) literals(a span) (all []span) {
	for i := a.Start; i < a.End; i++ {
		if c := v.whole[i]; c == '\'' || c == '"' {
			end := uint32(stringEnd(v.whole[:a.End], int(i)))
			if s, ok := v.literal([]span{{i, end}}, 0); ok {
				all = append(all, s)
			}
			i = end - 1
		}
	}
	return all
}

// view notes the view that an argument names.
func (v *bladeView) view(args []span, index int, directive string) {
	if s, ok := v.literal(args, index); ok {
		prefix := ""
		if directive == "livewire" {
			prefix = "livewire."
		}
		v.viewName(s, prefix)
	}
}

// viewName notes a view by its name: folders and file joined by dots. The last
// part is mentioned, the parts before it are its qualifier.
func (v *bladeView) viewName(s span, prefix string) {
	name := v.slice(s)
	if strings.Contains(name, "|raw") || strings.ContainsAny(name, " ") {
		return
	}
	v.file.Imports = append(v.file.Imports, engine.Import{Path: prefix + name, Line: v.row(s.Start) + 1})
	v.lastPart(word{name, s.Start}, engine.ImportUse)
}

// lastPart mentions the last part of a dotted name.
func (v *bladeView) lastPart(w word, role engine.Role) {
	at := strings.LastIndexAny(w.text, ".:/\\") + 1
	before := len(v.file.Occurrences)
	v.occur(w.text[at:], w.at+uint32(at), role, byPlace)
	if len(v.file.Occurrences) > before && at > 0 {
		v.file.Occurrences[before].Qualifier = strings.TrimRight(w.text[:at], ".:/\\")
	}
}

// readUse reads @use('App\Models\User', 'Alias').
func (v *bladeView) readUse(t bladeToken) {
	args := v.arguments(t.code)
	s, ok := v.literal(args, 0)
	if !ok {
		if len(args) == 0 || !isClassName(v.whole[args[0].Start:args[0].End]) {
			return
		}
		s = args[0]
	}
	path := strings.TrimPrefix(v.slice(s), `\`)
	i := engine.Import{Path: path, Names: []string{path[strings.LastIndexByte(path, '\\')+1:]}, Line: v.row(s.Start) + 1}
	if alias, ok := v.literal(args, 1); ok {
		i.Alias = v.slice(alias)
	}
	v.file.Imports = append(v.file.Imports, i)
	v.lastPart(word{v.slice(s), s.Start}, engine.ImportUse)
}

// inject reads @inject('metrics', 'App\Services\Metrics').
func (v *bladeView) inject(args []span) {
	if s, ok := v.literal(args, 0); ok {
		i := v.addSpan(s, engine.Variable, v.slice(s), s.Start, -1, v.slice(s))
		v.file.Symbols[i].Exported = false
		v.occur(v.slice(s), s.Start, engine.Definition, i)
	}
	if s, ok := v.literal(args, 1); ok {
		v.lastPart(word{v.slice(s), s.Start}, engine.TypeUse)
	}
}

// props makes symbols of the props that a component takes: the strings that
// begin the items of its list.
func (v *bladeView) props(t bladeToken) {
	list := trim(v.whole, t.code)
	if list.End-list.Start < 2 || v.whole[list.Start] != '[' {
		return
	}
	for _, item := range v.arguments(span{list.Start + 1, list.End - 1}) {
		name := item
		if at, _ := topLevel(v.whole[item.Start:item.End], "=>"); at >= 0 {
			name = trim(v.whole, span{item.Start, item.Start + uint32(at)})
		}
		if s, ok := v.literal([]span{name}, 0); ok {
			i := v.addSpan(item, engine.Property, v.slice(s), s.Start, -1, v.slice(item))
			v.occur(v.slice(s), s.Start, engine.Definition, i)
		}
	}
}
