package engine

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

// Where the grammars of some languages keep what a function does.

// ownFunctions are kinds of nodes that are functions in one language and
// something else in others.
var ownFunctions = map[Language]map[string]bool{
	Haskell: {"function": true, "bind": true},
	Elixir:  {"call": true},
}

// ownUnwritten matches what says in one language that there is nothing.
var ownUnwritten = map[Language]*lazyregexp.Regexp{
	Kotlin:  lazyregexp.MustCompile(`^(?:=\s*)?(?:throw\s+)?(?:TODO\s*\(.*\)|NotImplementedError\s*\(.*\))$`),
	Scala:   lazyregexp.MustCompile(`^\?\?\?$`),
	Swift:   lazyregexp.MustCompile(`(?i)^(?:fatalError|preconditionFailure)\s*\(\s*"[^"]*(?:not (?:yet )?implemented|unimplemented|todo)[^"]*".*\)$`),
	Lua:     lazyregexp.MustCompile(`(?i)^error\s*\(?\s*["'][^"']*(?:not (?:yet )?implemented|unimplemented|todo)[^"']*["'].*$`),
	Zig:     lazyregexp.MustCompile(`(?i)^@(?:panic|compileError)\s*\(\s*"[^"]*(?:not (?:yet )?implemented|unimplemented|todo)[^"]*"\s*\);?$`),
	Haskell: lazyregexp.MustCompile(`(?i)^(?:undefined|error\s+"[^"]*(?:not (?:yet )?implemented|unimplemented|todo)[^"]*")$`),
	Elixir:  lazyregexp.MustCompile(`(?i)^raise\s*\(?\s*(?:\w+\s*,\s*)?"[^"]*(?:not (?:yet )?implemented|unimplemented|todo)[^"]*"\s*\)?$`),
}

// isUnwritten says whether a statement admits that there is nothing.
func isUnwritten(lang Language, text string) bool {
	if own := ownUnwritten[lang]; own != nil && own.MatchString(text) {
		return true
	}
	return unwritten.MatchString(text)
}

// isFunction says whether a node is a function of the language.
func (m *Tree) isFunction(lang Language, node int32) bool {
	kind := m.Kind(node)
	if !ownFunctions[lang][kind] {
		return functionKinds[kind]
	}
	if lang != Elixir {
		return true
	}
	switch target := m.field(node, "target"); {
	case target < 0:
		return false
	default:
		name := m.Text(target)
		return name == "def" || name == "defp" || name == "defmacro" || name == "defmacrop"
	}
}

// bodyOf returns what a function does, or -1 if it is only declared.
func (m *Tree) bodyOf(lang Language, function int32) int32 {
	body := m.field(function, "body")
	switch lang {
	case Kotlin:
		if body = m.Child(function, "function_body"); body >= 0 && m.Nodes[body].Next > body+1 {
			body++ // a block, or the value behind the sign
		}
	case Swift:
		if statements := m.Child(body, "statements"); body >= 0 && statements >= 0 {
			body = statements
		}
	case Haskell:
		if match := m.field(function, "match"); match >= 0 {
			body = m.field(match, "expression")
		}
	case Elixir:
		if body = m.Child(function, "do_block"); body >= 0 {
			return body
		}
		arguments := m.Child(function, "arguments")
		keywords := int32(-1)
		if arguments >= 0 {
			keywords = m.Child(arguments, "keywords")
		}
		if keywords >= 0 {
			if pair := m.Child(keywords, "pair"); pair >= 0 && strings.HasPrefix(m.Text(pair), "do:") {
				return m.field(pair, "value")
			}
		}
	}
	return body
}

// elixirName returns the name behind def.
func elixirName(definition string) string {
	head, _, _ := strings.Cut(definition, "\n")
	words := strings.FieldsFunc(head, func(r rune) bool { return strings.ContainsRune(" (,", r) })
	if len(words) < 2 {
		return "a function"
	}
	return words[1]
}
