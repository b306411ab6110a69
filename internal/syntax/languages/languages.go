// Package languages holds the rules of the languages that have a grammar, one file per
// language. Package engine explains how rules are written; package syntax lists the languages.
package languages
