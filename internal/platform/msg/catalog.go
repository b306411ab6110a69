package msg

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// catalog holds the sentences, a file a domain: catalog/session.txt has the keys that
// begin with "session.". Its format, and how to write a text, is in docs/design/messages.md.
//
//go:embed catalog/*.txt
var catalog embed.FS

// An entry is a message in each language. Texts are formats of package fmt: one
// whose order differs from the order of the arguments numbers its verbs, %[2]s.
// {2:match|matches} is the first form if argument 2 is 1, else the second. An entry
// without a Japanese text is English for everyone.
type entry struct{ key, en, ja string }

// find returns the entry of key; nil if there is none. Hooks are short processes: only
// the domains that they speak of are read.
func find(key string) *entry {
	domain, _, dotted := strings.Cut(key, ".")
	if !dotted {
		return nil
	}
	read, _ := domains.LoadOrStore(domain, sync.OnceValue(func() map[string]*entry {
		byKey := make(map[string]*entry)
		for _, e := range readDomain(domain) {
			byKey[e.key] = e
		}
		return byKey
	}))
	return read.(func() map[string]*entry)()[key]
}

var domains sync.Map // name -> func() map[string]*entry

// Known reports whether the catalogue has an entry of key.
func Known(key string) bool { return find(key) != nil }

// readDomain returns the entries of a domain in the order of its file; none if there is
// no such domain.
func readDomain(name string) []*entry {
	data, err := catalog.ReadFile("catalog/" + name + ".txt")
	if err != nil {
		return nil
	}
	entries, err := parse(string(data))
	if err != nil {
		panic(fmt.Sprintf("msg: %s.txt: %v", name, err)) // part of the program: a test reads them all
	}
	return entries
}

// parse reads a file of the catalogue: a line with the key, then the lines of each text,
// each behind "en: " or "ja: ". A line that begins and ends with a quotation mark is a Go
// string: so written are lines that begin or end with a space.
func parse(file string) (entries []*entry, err error) {
	for line := range strings.Lines(file) {
		line = strings.TrimSuffix(line, "\n")
		lang, text, spoken := strings.Cut(line, ":")
		switch {
		case line == "":
			continue
		case !spoken:
			entries = append(entries, &entry{key: line})
			continue
		case len(entries) == 0:
			return nil, fmt.Errorf("%q: a text before the first key", line)
		}
		text = strings.TrimPrefix(text, " ")
		if len(text) > 1 && text[0] == '"' && text[len(text)-1] == '"' {
			if text, err = strconv.Unquote(text); err != nil {
				return nil, fmt.Errorf("%q: %w", line, err)
			}
		}
		switch e := entries[len(entries)-1]; lang {
		case "en":
			e.en += text + "\n"
		case "ja":
			e.ja += text + "\n"
		default:
			return nil, fmt.Errorf("%q is neither a key nor a text", line)
		}
	}
	for _, e := range entries {
		e.en, e.ja = strings.TrimSuffix(e.en, "\n"), strings.TrimSuffix(e.ja, "\n")
	}
	return entries, nil
}
