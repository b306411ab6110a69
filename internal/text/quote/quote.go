// Package quote escapes untrusted text for display: a terminal does not act on it, and no file name can look
// like a line of the answer. Each surface uses it once, where an answer becomes text.
package quote

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"codeintel/internal/text/redact"
)

// acts reports whether a character that comes after another may move the cursor, colour,
// hide or reorder what is shown, or is one that no person sees and a model reads. What
// emojis, Persian or Japanese are written with is none where it is used as they write it:
// one alone, behind a visible character beyond ASCII.
func acts(before, r rune) bool {
	switch {
	case r < 0x7f:
		return r < ' ' && r != '\n' && r != '\t'
	case r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x2028 || r == 0x2029:
		return true
	case !isInvisible(r):
		return false
	case r == 0xfe0f && before < 0x80: // the digit of a keycap
		return before != '#' && before != '*' && (before < '0' || before > '9')
	case r >= 0xe0100: // the shape of an ideograph
		return !unicode.Is(unicode.Han, before)
	case r >= 0xfe00 && r <= 0xfe0d || r >= 0x180b && r <= 0x180f:
		return !unicode.In(before, unicode.Han, unicode.S, unicode.Mongolian)
	case joins(r):
		return before < 0xa0 || isInvisible(before) && (r != 0x200d || before != 0xfe0f)
	}
	return true
}

// isStrayByte reports whether a character is a byte that is not text, and that terminals which take
// bytes for characters act on, given its first byte.
func isStrayByte(r rune, first byte) bool { return r == utf8.RuneError && first < 0xa0 }

// isInvisible reports whether no person sees a character: the unassigned ones among tags and
// selectors, too.
func isInvisible(r rune) bool {
	if r < 0xad || r > 0x3164 && r < 0xfe00 { // most, quickly
		return false
	}
	return unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) ||
		unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point) ||
		r >= 0xe0000 && r < 0xe1000
}

// joins reports whether scripts and emojis are written with an invisible character.
func joins(r rune) bool {
	return r >= 0x200b && r <= 0x200f || r == 0xad || r == 0x61c || r == 0x34f || r == 0x2060 || r == 0xfe0e ||
		r == 0xfe0f
}

// anyActs reports whether a character of a text acts.
func anyActs[T ~string | ~[]byte](s T) bool {
	before := rune(0)
	for i, r := range string(s) {
		if acts(before, r) || isStrayByte(r, s[i]) {
			return true
		}
		before = r
	}
	return false
}

// Text returns a text without keys, and with such characters written as in a string of Go.
// Line ends and tabs stay; a return before a line end goes.
func Text(s string) string {
	s = redact.String(s)
	if !anyActs(s) {
		return s
	}
	return escape(strings.TrimSuffix(strings.ReplaceAll(s, "\r\n", "\n"), "\r"), acts)
}

// Without returns a text without such characters, for where an escape would be out of place.
func Without(s string) string {
	before := rune(0)
	return strings.Map(func(r rune) rune {
		if acts(before, r) {
			return -1
		}
		before = r
		return r
	}, strings.ToValidUTF8(s, ""))
}

// JSON writes JSON in which no character acts on a terminal: such are written as escapes,
// which mean the same. Each Write has whole characters.
type JSON struct{ To io.Writer }

func (w JSON) Write(text []byte) (int, error) {
	quoted := inJSON(text, func(b []byte, r rune) []byte {
		for _, unit := range utf16.AppendRune(nil, r) {
			b = fmt.Appendf(b, `\u%04x`, unit)
		}
		return b
	})
	if _, err := w.To.Write(quoted); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Page returns JSON for whoever reads it as text, a person or a model: its texts have such
// characters written as [Text] does, those that JSON writes as \u, too.
func Page(text []byte) []byte {
	text = unescapeActing(text)
	return inJSON(text, func(b []byte, r rune) []byte { return append(append(b, '\\'), escape(string(r), always)...) })
}

func always(rune, rune) bool { return true }

// unescapeActing returns JSON whose escapes of characters that act are text themselves.
func unescapeActing(text []byte) []byte {
	b := make([]byte, 0, len(text))
	for len(text) > 0 {
		i := bytes.IndexByte(text, '\\')
		if i < 0 || i+1 >= len(text) {
			break
		}
		b, text = append(b, text[:i]...), text[i:]
		n, is := 2, false
		switch text[1] {
		case 'b', 'f':
			is = true
		case 'r':
			is = !bytes.HasPrefix(text[2:], []byte(`\n`))
		case 'u':
			n = min(6, len(text))
			unit, err := strconv.ParseUint(string(text[2:n]), 16, 16)
			is = err == nil && acts(0, rune(unit))
		}
		if is {
			b = append(b, '\\')
		}
		b, text = append(b, text[:n]...), text[n:]
	}
	return append(b, text...)
}

// inJSON returns JSON in which write has written what acts; it is nowhere but in strings.
func inJSON(text []byte, write func(b []byte, r rune) []byte) []byte {
	if !anyActs(text) {
		return text
	}
	var b []byte
	before := rune(0)
	for _, r := range string(text) {
		if acts(before, r) {
			b = write(b, r)
		} else {
			b = utf8.AppendRune(b, r)
		}
		before = r
	}
	return b
}

// Path returns the name of a file so that it stays on its line.
func Path(s string) string {
	if !strings.ContainsAny(s, "\n\t") && !anyActs(s) {
		return s
	}
	return escape(s, func(before, r rune) bool { return acts(before, r) || r == '\n' || r == '\t' })
}

func escape(s string, which func(before, r rune) bool) string {
	var b strings.Builder
	before := rune(0)
	for i, r := range s {
		switch {
		case isStrayByte(r, s[i]):
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == utf8.RuneError || !which(before, r):
			_, n := utf8.DecodeRuneInString(s[i:])
			b.WriteString(s[i : i+n])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		before = r
	}
	return b.String()
}

// paths are the fields of answers that hold paths, or places in files, by their names
// in JSON.
var paths = map[string]bool{"file": true, "likely": true, "location": true, "old_file": true, "other_files": true, "path": true,
	"places": true, "root": true, "tests_to_run": true}

// Paths returns a copy of an answer with its paths as shown writes them. Without paths
// that differ it is as good as the answer itself.
func Paths[T any](v T, shown func(string) string) T {
	r := reflect.ValueOf(&v).Elem()
	r.Set(relocated(r, shown))
	return v
}

func relocated(v reflect.Value, shown func(string) string) reflect.Value {
	out := v
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return v
		}
		inner := relocated(v.Elem(), shown)
		if v.Kind() == reflect.Interface {
			out = inner
		} else {
			out = reflect.New(v.Type().Elem())
			out.Elem().Set(inner)
		}
	case reflect.Slice:
		if v.IsNil() {
			return v
		}
		out = reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(relocated(v.Index(i), shown))
		}
	case reflect.Struct:
		out = reflect.New(v.Type()).Elem()
		out.Set(v)
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if !f.IsExported() {
				continue
			}
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if to := out.Field(i); !paths[name] || !rename(to, shown) {
				to.Set(relocated(v.Field(i), shown))
			}
		}
	}
	return out
}

// rename puts other paths in the place of a path or of a list of them. Of anything else,
// which may bear the same name, it reports false.
func rename(v reflect.Value, shown func(string) string) bool {
	switch {
	case v.Kind() == reflect.String:
		v.SetString(shown(v.String()))
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.String:
		list := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			list.Index(i).SetString(shown(v.Index(i).String()))
		}
		v.Set(list)
	default:
		return false
	}
	return true
}

// Shell returns a word as a shell takes it for one: as it is if it is plain, else in single
// quotes. It is for commands that an answer tells somebody to run.
func Shell(word string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_-+./:@%,=", r) ||
			r > 127 && !unicode.IsSpace(r)
	}
	if word != "" && word[0] != '-' && strings.IndexFunc(word, func(r rune) bool { return !plain(r) }) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
