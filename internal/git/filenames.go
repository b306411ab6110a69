package git

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Names are names of files as git holds them: bytes, which need not be text. JSON
// would change names that are not; so it holds those as a list of bytes.
type Names []string

// MarshalJSON writes the names.
func (n Names) MarshalJSON() ([]byte, error) {
	list := make([]any, len(n))
	for i, name := range n {
		if list[i] = name; !utf8.ValidString(name) {
			list[i] = struct {
				Bytes []byte `json:"bytes"`
			}{[]byte(name)}
		}
	}
	return json.Marshal(list)
}

// UnmarshalJSON reads them.
func (n *Names) UnmarshalJSON(data []byte) error {
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	*n = make(Names, len(list))
	for i, entry := range list {
		if json.Unmarshal(entry, &(*n)[i]) == nil {
			continue
		}
		var raw struct{ Bytes []byte }
		if err := json.Unmarshal(entry, &raw); err != nil {
			return err
		}
		(*n)[i] = string(raw.Bytes)
	}
	return nil
}

// Shown returns a name as it appears in an answer, which is JSON, and as its reader can
// send it back.
func Shown(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	var b strings.Builder
	for _, r := range name { // each byte that is not text becomes one character
		b.WriteRune(r)
	}
	return b.String()
}
