// Package charset turns the bytes of a source file into UTF-8.
//
// It recognises UTF-8, UTF-16, Shift_JIS, EUC-JP, ISO-2022-JP and, when nothing else fits,
// Latin-1. Decoding keeps every line in its place: the text has exactly as many line feeds
// as the file, in the same order, whatever bytes are between them. It never fails: bytes
// that mean nothing in their charset become U+FFFD.
package charset

import (
	"bytes"
	"unicode/utf8"
)

// A Charset names an encoding as the IANA registry does, in lower case.
type Charset string

// The charsets that [Detect] can return.
const (
	UTF8      Charset = "utf-8"
	UTF16LE   Charset = "utf-16le"
	UTF16BE   Charset = "utf-16be"
	ShiftJIS  Charset = "shift_jis" // with the extensions of code page 932
	EUCJP     Charset = "euc-jp"
	ISO2022JP Charset = "iso-2022-jp"
	Latin1    Charset = "iso-8859-1" // read as windows-1252, as everyone does
	Binary    Charset = "binary"     // no text in any charset known here
)

const (
	bom     = "\xef\xbb\xbf"
	bomLE   = "\xff\xfe"
	bomBE   = "\xfe\xff"
	bomLE32 = "\xff\xfe\x00\x00"
)

// sample is how much of a file decides its charset, once it is not UTF-8.
const sample = 256 << 10

// Detect returns the charset of a file from its bytes, or from its first bytes:
// a character cut off at the end does not count.
func Detect(b []byte) Charset { return detect(b, validHead) }

// detect is [Detect] with the question whether b is UTF-8.
func detect(b []byte, valid func([]byte) bool) Charset {
	switch {
	case bytes.HasPrefix(b, []byte(bom)):
		return UTF8
	case bytes.HasPrefix(b, []byte(bomLE32)):
		return Binary // UTF-32, which no compiler reads either
	case bytes.HasPrefix(b, []byte(bomLE)):
		return UTF16LE
	case bytes.HasPrefix(b, []byte(bomBE)):
		return UTF16BE
	case bytes.IndexByte(b, 0) >= 0:
		return detectUTF16(b[:min(len(b), sample)])
	case valid(b):
		if bytes.IndexByte(b, 0x1b) >= 0 && isISO2022JP(b) {
			return ISO2022JP
		}
		return UTF8
	}
	return detectBytes(b[:min(len(b), sample)])
}

// Decode returns the text of raw as valid UTF-8 without byte order mark, and the
// charset it was in. Where raw is valid UTF-8 already, the text shares its
// memory. The text of a [Binary] file is nil.
func Decode(raw []byte) (text []byte, cs Charset) {
	switch cs = detect(raw, utf8.Valid); cs {
	case Binary:
		return nil, cs
	case UTF8:
		raw = bytes.TrimPrefix(raw, []byte(bom))
		if utf8.Valid(raw) {
			return raw, cs
		}
		return bytes.ToValidUTF8(raw, []byte(string(utf8.RuneError))), cs
	case UTF16LE, UTF16BE:
		return decodeUTF16(raw, cs), cs
	case ISO2022JP:
		return decodeISO2022JP(raw), cs
	}
	return decodeLines(raw, cs), cs
}

// validHead reports whether b is UTF-8, but for a character cut off at its end.
func validHead(b []byte) bool {
	if utf8.Valid(b) {
		return true
	}
	for cut := 1; cut < utf8.UTFMax && cut <= len(b); cut++ {
		if end := b[len(b)-cut:]; utf8.RuneStart(end[0]) {
			return !utf8.FullRune(end) && utf8.Valid(b[:len(b)-cut])
		}
	}
	return false
}
