package msg

import (
	"fmt"
	"strconv"
	"strings"

	"codeintel/internal/platform/op"
	"codeintel/internal/platform/plainjson"
)

// A Language is one that the catalogue has texts in, as the configuration names it.
type Language string

// The languages. An unknown language reads English, as does a message that has no
// text in the language.
const (
	English  Language = "en"
	Japanese Language = "ja"
)

// A Printer writes messages for one reader. The zero Printer writes English and
// calls as a model makes them.
type Printer struct {
	Lang Language
	// Call writes the call of an operation, and Param the name of an argument, where
	// the surface does it otherwise than the protocol. They may be nil.
	Call  func(Call) string
	Param func(Param) string
}

// In returns a printer for readers of a language, which writes calls as a model
// makes them.
func In(lang string) Printer { return Printer{Lang: Language(lang)} }

// Say returns the text of the message of key.
func (p Printer) Say(key string, args ...any) string { return p.Text(New(key, args...)) }

// Text returns the text of m; of a bound message, the text it is bound to.
func (p Printer) Text(m Message) string {
	switch {
	case m.fixed:
		return m.bound
	case m.key == "":
		var b strings.Builder
		for _, a := range m.args {
			fmt.Fprint(&b, p.value(a))
		}
		return b.String()
	}
	e := find(m.key)
	if e == nil { // a state file of another version
		return strings.TrimSpace(m.key + " " + p.list(List{Sep: " ", Items: m.args}))
	}
	format := e.en
	if p.Lang == Japanese && e.ja != "" {
		format = e.ja
	}
	values := make([]any, len(m.args))
	for i, a := range m.args {
		values[i] = p.value(a)
		said, foreign := a.(string)
		if m, ok := a.(Message); ok {
			said, foreign = m.Literal()
		}
		if foreign {
			values[i] = quotation(said)
		}
	}
	return fmt.Sprintf(plural(format, values), values...)
}

// A quotation is a text in a gap of a message: a name, a setting, an error. It may come
// from an unknown author, so it stays on its line: no part of it looks like a line of ours.
type quotation string

// Format implements fmt.Formatter. A verb that quotes needs no help.
func (q quotation) Format(s fmt.State, verb rune) {
	text := string(q)
	if verb != 'q' && strings.ContainsAny(text, "\n\r") {
		text = lineEnds.Replace(strings.TrimRight(text, "\r\n"))
	}
	fmt.Fprintf(s, fmt.FormatString(s, verb), text)
}

var lineEnds = strings.NewReplacer("\r\n", `\n`, "\n", `\n`, "\r", `\r`)

// Texts returns the texts of messages.
func (p Printer) Texts(messages []Message) []string {
	if messages == nil {
		return nil
	}
	texts := make([]string, len(messages))
	for i, m := range messages {
		texts[i] = p.Text(m)
	}
	return texts
}

// value returns an argument as package fmt is to see it.
func (p Printer) value(arg any) any {
	switch arg := arg.(type) {
	case Message:
		return p.Text(arg)
	case List:
		return p.list(arg)
	case Call:
		if p.Call != nil {
			return p.Call(arg)
		}
		return arg.String()
	case op.Name:
		if p.Call != nil {
			return p.Call(Call{Op: arg})
		}
		return string(arg)
	case Param:
		if p.Param != nil {
			return p.Param(arg)
		}
		return string(arg)
	}
	return arg
}

func (p Printer) list(l List) string {
	sep := l.Sep
	if find(sep) != nil {
		sep = p.Say(sep)
	}
	texts := make([]string, len(l.Items))
	for i, item := range l.Items {
		if said, ok := item.(string); ok && strings.TrimSpace(sep) != "" { // else the items are paragraphs
			item = quotation(said)
		}
		texts[i] = fmt.Sprint(p.value(item))
	}
	return strings.Join(texts, sep)
}

// plural chooses between the forms of a word: {2:match|matches} is "match" if the
// second value is 1.
func plural(format string, values []any) string {
	var b strings.Builder
	for {
		head, rest, found := strings.Cut(format, "{")
		b.WriteString(head)
		if !found {
			return b.String()
		}
		number, forms, colon := strings.Cut(rest, ":")
		n, err := strconv.Atoi(number)
		if !colon || err != nil || n < 1 || n > len(values) {
			b.WriteByte('{')
			format = rest
			continue
		}
		forms, format, _ = strings.Cut(forms, "}")
		one, other, _ := strings.Cut(forms, "|")
		if values[n-1] == int64(1) {
			other = one
		}
		b.WriteString(other)
	}
}

// String writes a call as a model makes it, find_references(symbol="Reader.Read"),
// and arguments alone as JSON does, "kind": "function".
func (c Call) String() string {
	if c.Op == "" {
		return strings.Trim(WriteValue(c.Args), "{}")
	}
	if len(c.Args) == 0 {
		return string(c.Op)
	}
	parts := make([]string, len(c.Args))
	for i, f := range c.Args {
		parts[i] = f.Name + "=" + WriteValue(f.Value)
	}
	return string(c.Op) + "(" + strings.Join(parts, ", ") + ")"
}

// WriteValue writes the value of an argument as JSON does, and a blank as an ellipsis.
func WriteValue(v any) string {
	var parts []string
	switch v := v.(type) {
	case blank:
		return "…"
	case Fields:
		for _, f := range v {
			parts = append(parts, quote(f.Name)+": "+WriteValue(f.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []string:
		for _, s := range v {
			parts = append(parts, quote(s))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string:
		return quote(v)
	}
	return fmt.Sprint(v)
}

// quote writes a JSON string, without escaping what only HTML would read otherwise.
func quote(s string) string {
	data, err := plainjson.Encode(s)
	if err != nil {
		return strconv.Quote(s)
	}
	return string(data)
}
