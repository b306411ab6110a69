package treesitter

// #include "flat.h"
import "C"

import (
	"sync"
	"unsafe"

	elixir "github.com/alexaandru/go-sitter-forest/elixir"
	sql "github.com/alexaandru/go-sitter-forest/sql"
	swift "github.com/alexaandru/go-sitter-forest/swift"
	vue "github.com/alexaandru/go-sitter-forest/vue"
	kotlin "github.com/tree-sitter-grammars/tree-sitter-kotlin/bindings/go"
	lua "github.com/tree-sitter-grammars/tree-sitter-lua/bindings/go"
	svelte "github.com/tree-sitter-grammars/tree-sitter-svelte/bindings/go"
	zig "github.com/tree-sitter-grammars/tree-sitter-zig/bindings/go"
	bash "github.com/tree-sitter/tree-sitter-bash/bindings/go"
	csharp "github.com/tree-sitter/tree-sitter-c-sharp/bindings/go"
	c "github.com/tree-sitter/tree-sitter-c/bindings/go"
	cpp "github.com/tree-sitter/tree-sitter-cpp/bindings/go"
	css "github.com/tree-sitter/tree-sitter-css/bindings/go"
	golang "github.com/tree-sitter/tree-sitter-go/bindings/go"
	haskell "github.com/tree-sitter/tree-sitter-haskell/bindings/go"
	html "github.com/tree-sitter/tree-sitter-html/bindings/go"
	java "github.com/tree-sitter/tree-sitter-java/bindings/go"
	javascript "github.com/tree-sitter/tree-sitter-javascript/bindings/go"
	json "github.com/tree-sitter/tree-sitter-json/bindings/go"
	php "github.com/tree-sitter/tree-sitter-php/bindings/go"
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
	ruby "github.com/tree-sitter/tree-sitter-ruby/bindings/go"
	rust "github.com/tree-sitter/tree-sitter-rust/bindings/go"
	scala "github.com/tree-sitter/tree-sitter-scala/bindings/go"
	typescript "github.com/tree-sitter/tree-sitter-typescript/bindings/go"
)

// A Grammar is one compiled grammar with the names of its kinds and fields.
// The id one past the last kind of the grammar stands for ERROR.
type Grammar struct {
	name     string
	language func() unsafe.Pointer
	correct  func(*Grammar, *Tree) // puts right what the grammar reads wrong; may be nil

	once        sync.Once
	kinds       []string
	named       []bool
	fields      []string // [0] is ""
	kindIDs     map[string][]uint16
	fieldIDs    map[string]uint16
	keepDefault []Keep
}

// grammars is the table of what is compiled in.
var grammars = []*Grammar{
	{name: "bash", language: bash.Language},
	{name: "c", language: c.Language},
	{name: "cpp", language: cpp.Language},
	{name: "csharp", language: csharp.Language},
	{name: "css", language: css.Language},
	{name: "elixir", language: elixir.GetLanguage},
	{name: "go", language: golang.Language},
	{name: "haskell", language: haskell.Language},
	{name: "html", language: html.Language},
	{name: "java", language: java.Language},
	{name: "javascript", language: javascript.Language},
	{name: "json", language: json.Language},
	{name: "kotlin", language: kotlin.Language},
	{name: "lua", language: lua.Language},
	{name: "php", language: php.LanguagePHP},
	{name: "python", language: python.Language},
	{name: "ruby", language: ruby.Language},
	{name: "rust", language: rust.Language},
	{name: "svelte", language: svelte.Language},
	{name: "scala", language: scala.Language},
	{name: "sql", language: sql.GetLanguage},
	{name: "swift", language: swift.GetLanguage},
	{name: "tsx", language: typescript.LanguageTSX, correct: lowerCalls},
	{name: "typescript", language: typescript.LanguageTypescript, correct: lowerCalls},
	{name: "zig", language: zig.Language},
	{name: "vue", language: vue.GetLanguage},
}

// Lookup returns the grammar of that name.
func Lookup(name string) (*Grammar, bool) {
	for _, g := range grammars {
		if g.name == name {
			return g, true
		}
	}
	return nil, false
}

// load reads the names of kinds and fields out of the grammar, once.
func (g *Grammar) load() *Grammar {
	g.once.Do(func() {
		l := (*C.TSLanguage)(g.language())
		g.kindIDs = make(map[string][]uint16)
		for i := range uint16(C.flat_kind_count(l)) {
			name := C.GoString(C.flat_kind_name(l, C.uint16_t(i)))
			g.kinds = append(g.kinds, name)
			g.named = append(g.named, bool(C.flat_kind_named(l, C.uint16_t(i))))
			g.kindIDs[name] = append(g.kindIDs[name], i)
		}
		g.kinds = append(g.kinds, "ERROR")
		g.named = append(g.named, true)
		g.kindIDs["ERROR"] = []uint16{uint16(len(g.kinds) - 1)}
		g.fields = []string{""}
		g.fieldIDs = make(map[string]uint16)
		for i := range uint16(C.flat_field_count(l)) {
			name := C.GoString(C.flat_field_name(l, C.uint16_t(i+1)))
			g.fields = append(g.fields, name)
			g.fieldIDs[name] = i + 1
		}
		g.keepDefault = make([]Keep, len(g.kinds))
	})
	return g
}

// Name returns the name the grammar is looked up by.
func (g *Grammar) Name() string { return g.name }

// Kinds is the number of kinds, ERROR included; ids are below it.
func (g *Grammar) Kinds() int { return len(g.load().kinds) }

// Fields is the number of fields plus one: id 0 means no field.
func (g *Grammar) Fields() int { return len(g.load().fields) }

// KindName returns the name of a kind. Several ids may share a name.
func (g *Grammar) KindName(id uint16) string { return g.load().kinds[id] }

// KindNamed says whether nodes of the kind are named nodes, not mere tokens.
func (g *Grammar) KindNamed(id uint16) bool { return g.load().named[id] }

// FieldName returns the name of a field, "" for 0.
func (g *Grammar) FieldName(id uint16) string { return g.load().fields[id] }

// KindIDs returns all ids of the kinds of that name, named ones and tokens.
func (g *Grammar) KindIDs(name string) []uint16 { return g.load().kindIDs[name] }

// FieldID returns the id of a field, 0 if the grammar has none of that name.
func (g *Grammar) FieldID(name string) uint16 { return g.load().fieldIDs[name] }

// NewKeep returns a table for [Limit] in which every kind has the default.
func (g *Grammar) NewKeep() []Keep { return make([]Keep, g.Kinds()) }
