// Package languages holds the rules of the languages that have a grammar, a file a
// language. Package engine says how rules are written, and its user, package syntax,
// lists the languages.
package languages
