// Package plainjson encodes JSON without escaping <, > and &, for readers that are not web pages.
package plainjson

import (
	"bytes"
	"encoding/json"
)

// Encode returns v as JSON in one line.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
