// Package lazyregexp provides regular expressions that are compiled on first use. A hook is a short-lived
// process; it should not compile what only a server needs.
package lazyregexp

import (
	"regexp"
	"sync"
)

// A Regexp is a regular expression that compiles when it is first used, and panics
// then if it is malformed. It may be used by many goroutines.
type Regexp struct {
	text string
	get  func() *regexp.Regexp
}

// all is every expression, in the order in which they were made.
var all []*Regexp

// MustCompile returns a regular expression. It is for variables of packages.
func MustCompile(text string) *Regexp {
	r := &Regexp{text, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })}
	all = append(all, r)
	return r
}

// Texts returns every expression that was made, so that a test can compile them.
func Texts() (texts []string) {
	for _, r := range all {
		texts = append(texts, r.text)
	}
	return texts
}

// The methods are those of [regexp.Regexp].

func (r *Regexp) MatchString(s string) bool                  { return r.get().MatchString(s) }
func (r *Regexp) Match(b []byte) bool                        { return r.get().Match(b) }
func (r *Regexp) FindString(s string) string                 { return r.get().FindString(s) }
func (r *Regexp) FindStringIndex(s string) []int             { return r.get().FindStringIndex(s) }
func (r *Regexp) FindStringSubmatch(s string) []string       { return r.get().FindStringSubmatch(s) }
func (r *Regexp) FindStringSubmatchIndex(s string) []int     { return r.get().FindStringSubmatchIndex(s) }
func (r *Regexp) FindAllString(s string, n int) []string     { return r.get().FindAllString(s, n) }
func (r *Regexp) FindAllStringIndex(s string, n int) [][]int { return r.get().FindAllStringIndex(s, n) }
func (r *Regexp) FindSubmatchIndex(b []byte) []int           { return r.get().FindSubmatchIndex(b) }
func (r *Regexp) FindAllSubmatchIndex(b []byte, n int) [][]int {
	return r.get().FindAllSubmatchIndex(b, n)
}
func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.get().FindAllStringSubmatch(s, n)
}
func (r *Regexp) FindAllStringSubmatchIndex(s string, n int) [][]int {
	return r.get().FindAllStringSubmatchIndex(s, n)
}
func (r *Regexp) FindIndex(b []byte) []int              { return r.get().FindIndex(b) }
func (r *Regexp) ReplaceAllLiteral(b, to []byte) []byte { return r.get().ReplaceAllLiteral(b, to) }
func (r *Regexp) ReplaceAll(b, to []byte) []byte        { return r.get().ReplaceAll(b, to) }
func (r *Regexp) ReplaceAllString(s, to string) string  { return r.get().ReplaceAllString(s, to) }
func (r *Regexp) ReplaceAllStringFunc(s string, to func(string) string) string {
	return r.get().ReplaceAllStringFunc(s, to)
}
func (r *Regexp) Split(s string, n int) []string { return r.get().Split(s, n) }
func (r *Regexp) SubexpNames() []string          { return r.get().SubexpNames() }
