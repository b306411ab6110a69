package charset

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"

	"codeintel/internal/text"
)

// decodeLines decodes each line by itself. In these charsets a line feed is
// always the byte 0x0A and 0x0A always a line feed; but a decoder that meets
// half a character before it might swallow it, and all lines after would move.
func decodeLines(raw []byte, cs Charset) []byte {
	var d *encoding.Decoder
	switch cs {
	case ShiftJIS:
		d = japanese.ShiftJIS.NewDecoder()
	case EUCJP:
		d = japanese.EUCJP.NewDecoder()
	default:
		d = charmap.Windows1252.NewDecoder()
	}
	text := make([]byte, 0, len(raw)+len(raw)/2)
	for line := range bytes.Lines(raw) {
		text = appendLine(text, line, d)
	}
	return text
}

// decodeISO2022JP decodes like [decodeLines]. The charset has states, which should
// end with the line; where a file lets one last, the next line takes it over.
func decodeISO2022JP(raw []byte) []byte {
	d := japanese.ISO2022JP.NewDecoder()
	text := make([]byte, 0, len(raw)+len(raw)/2)
	var state []byte
	for line := range bytes.Lines(raw) {
		text = appendLine(text, append(state[:len(state):len(state)], line...), d)
		if at := bytes.LastIndexByte(line, 0x1b); at >= 0 && at+2 < len(line) {
			state = line[at : at+3]
		}
	}
	return text
}

// appendLine appends the text of one line, with a line feed if it ends in one
// and none otherwise.
func appendLine(body, line []byte, d *encoding.Decoder) []byte {
	content, ended := bytes.CutSuffix(line, []byte("\n"))
	if text.IsASCII(content) && bytes.IndexByte(content, 0x1b) < 0 {
		return append(body, line...)
	}
	decoded, err := d.Bytes(content)
	if err != nil {
		decoded = bytes.ToValidUTF8(content, []byte(string(utf8.RuneError)))
	}
	body = append(body, bytes.ReplaceAll(decoded, []byte("\n"), []byte(string(utf8.RuneError)))...)
	if ended {
		body = append(body, '\n')
	}
	return body
}

// decodeUTF16 decodes unit by unit, so that half a surrogate pair cannot take
// the line feed after it along.
func decodeUTF16(raw []byte, cs Charset) []byte {
	text := make([]byte, 0, len(raw))
	if len(raw) >= 2 && unit(raw, cs) == 0xfeff {
		raw = raw[2:]
	}
	for len(raw) >= 2 {
		r := rune(unit(raw, cs))
		raw = raw[2:]
		if utf16.IsSurrogate(r) {
			pair := utf8.RuneError
			if len(raw) >= 2 {
				pair = utf16.DecodeRune(r, rune(unit(raw, cs)))
			}
			if pair != utf8.RuneError {
				raw = raw[2:]
			}
			r = pair
		}
		text = utf8.AppendRune(text, r)
	}
	if len(raw) == 1 {
		text = utf8.AppendRune(text, utf8.RuneError)
	}
	return text
}
