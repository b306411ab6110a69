package install

import (
	"bytes"
	"encoding/json"
	"strings"

	"codeintel/internal/platform/plainjson"
)

// A Kind says what part of its file an entry is.
type Kind int

// The kinds.
const (
	Member  Kind = iota // a member of an object in a JSON file
	Element             // an element of an array in a JSON file
	Block               // a block of lines in another file: the table of our server in config.toml
	Whole               // the file itself
)

// An Entry is one thing that install writes for a client.
type Entry struct {
	Kind Kind
	File string
	At   []string                             // path of a member, or of the array of an element
	JSON func(program string) any             // its value
	TOML func(program, newline string) []byte // the lines of a block
	Text []byte                               // the text of a whole file

	AnyValue  bool     // of a member: whatever value it has already will do
	OnRequest bool     // of a member: only if it is asked for, and there is none, here or in the files of Yields
	Yields    []string // files that would be overruled, or would overrule it
	IfMissing bool     // of a whole file: only where there is none

	Command string // of an element: how its command goes on after the program; it is known by that
	Guards  bool   // of an element: the hook that is asked before a write

	InLanguage func(lang string) ([]byte, error)      // of a whole file: its text in that language
	Inspect    func(text []byte) (hooks int, ask Ask) // of a whole file of hooks: how many there are, and the one before a write
}

func (e Entry) value(program string) []byte { return encode(e.JSON(program)) }

// mentioned reports whether a value has to do with this entry, as it is or changed. A
// hook is known by how its command goes on, whatever the program is called.
func (e Entry) mentioned(value []byte) bool {
	text := strings.Join(words(value), " ")
	return strings.Contains(text, e.Command) && (e.Kind == Element || strings.Contains(text, "code-intel"))
}

// words returns the strings in a JSON value, in their order.
func words(value []byte) (all []string) {
	d := json.NewDecoder(bytes.NewReader(value))
	for {
		t, err := d.Token()
		if err != nil {
			return all
		}
		if s, ok := t.(string); ok {
			all = append(all, s)
		}
	}
}

// isWholeFile reports whether a text is that of a whole file in some language.
func (e Entry) isWholeFile(text []byte) bool {
	if e.InLanguage == nil {
		return bytes.Equal(text, e.Text)
	}
	for _, lang := range []string{"en", "ja"} {
		if t, err := e.InLanguage(lang); err == nil && bytes.Equal(t, text) {
			return true
		}
	}
	return false
}

// encode writes JSON with nothing escaped that need not be.
func encode(v any) []byte {
	data, err := plainjson.Encode(v)
	if err != nil {
		panic(err) // maps, lists and strings
	}
	return data
}

func object(name string, value []byte) []byte {
	return encode(map[string]json.RawMessage{name: value})
}

// QuoteJSON returns a string as JSON, and as TOML, writes it.
func QuoteJSON(s string) string { return string(encode(s)) }

// UnquoteJSON returns the string that QuoteJSON has written, or "" for any other text.
func UnquoteJSON(s string) (text string) {
	if json.Unmarshal([]byte(s), &text) != nil {
		return ""
	}
	return text
}
