// Package syntax extracts from a source file its symbols, the places where names occur and what they do
// there, and its imports. [Detect] names the language of a file, [Parse] reads it.
//
// It never fails on broken code, reads no files, and knows only the text that it is given: what
// a name means in another file is found by the packages index and resolve.
//
// Other packages import this one alone. Below it:
//
//   - engine: one walker for all languages with a tree-sitter grammar. A language is a table
//     of rules over the kinds and fields of its grammar;
//   - languages: these tables, one file per language;
//   - golang: builds the same tree for Go with Go's own parser, faster;
//   - markup: readers for markup, templates, style sheets and data files;
//   - outline: outlines by regular expressions for languages without a grammar;
//   - treesitter: the grammars and their trees.
//
// registry.go lists the languages.
package syntax
