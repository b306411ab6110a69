package engine

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

// Bodies says where the grammar of a language keeps what a function does, and how
// a function admits that it is not written, where that is not as in most
// languages. Kinds are words with blanks between.
type Bodies struct {
	Functions  string // kinds that are functions here and something else in other grammars
	Bodiless   string // kinds of functions that are empty if they have no body
	MayBeEmpty bool   // an empty body is nothing to speak of
	Docstrings bool   // the first statement may be documentation

	IsFunction  func(t *Tree, node int32) bool                  // whether one of Functions is a function
	Name        func(t *Tree, function int32) string            // what it is called
	Body        func(t *Tree, function int32) int32             // what it does; -1 if it is only declared
	Constructor func(t *Tree, function int32, name string) bool // whether it may be empty for good reason
	Unwritten   *lazyregexp.Regexp                              // matches a statement that says there is nothing
}

// isUnwritten says whether a statement admits that there is nothing.
func (s *Spec) isUnwritten(text string) bool {
	if own := s.Bodies.Unwritten; own != nil && own.MatchString(text) {
		return true
	}
	return unwritten.MatchString(text)
}

// isFunction says whether a node is a function of the language.
func (s *Spec) isFunction(t *Tree, node int32) bool {
	kind := t.Kind(node)
	if s.Bodies.Functions == "" || !hasWord(s.Bodies.Functions, kind) {
		return functionKinds[kind]
	}
	return s.Bodies.IsFunction == nil || s.Bodies.IsFunction(t, node)
}

// bodyOf returns what a function does, or -1 if it is only declared.
func (s *Spec) bodyOf(t *Tree, function int32) int32 {
	if s.Bodies.Body != nil {
		return s.Bodies.Body(t, function)
	}
	return t.Field(function, "body")
}

// hasWord says whether a word is in a list.
func hasWord(list, word string) bool {
	return list != "" && slices.Contains(strings.Fields(list), word)
}
