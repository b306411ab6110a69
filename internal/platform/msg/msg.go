// Package msg represents messages as data: a key and arguments, which a surface turns into a sentence in its
// reader's language when it prints them.
//
// The sentences themselves are in one catalogue, English and Japanese side by side.
package msg

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"codeintel/internal/platform/op"
)

// A Message is something the program says: the key of an entry of the catalogue
// and what fills the gaps of its text. The zero Message says nothing.
//
// Without a language it marshals as data and prints in English. [Bind] gives it a
// reader; from then on it marshals and prints as that reader's text.
type Message struct {
	key   string
	args  []any  // see [New]; a literal has its text in bound
	bound string // the text for one reader
	fixed bool   // bound counts
}

// New returns the message of key. Arguments are strings, booleans, numbers,
// Messages, calls and names of operations, and lists of these; anything else is
// kept as its text. A []string is a list joined by ", ".
func New(key string, args ...any) Message {
	m := Message{key: key}
	for _, a := range args {
		m.args = append(m.args, argument(a))
	}
	return m
}

// Literal returns a message that says s in every language: what a user, a file or
// another program said.
func Literal(s string) Message {
	if s == "" {
		return Message{}
	}
	return Message{args: []any{s}}
}

// Do returns a message that is nothing but a call of an operation; see [CallOf].
func Do(name op.Name, pairs ...any) Message {
	return Message{args: []any{CallOf(name, pairs...)}}
}

// Join returns a message of several, with sep between them. If sep is a key of the
// catalogue, its text is between them.
func Join(sep string, parts ...any) Message {
	if len(parts) == 0 {
		return Message{}
	}
	return Message{args: []any{ListOf(sep, parts...)}}
}

// IsZero reports whether m says nothing.
func (m Message) IsZero() bool { return m.key == "" && len(m.args) == 0 && m.bound == "" }

// Is reports whether m is the message of key.
func (m Message) Is(key string) bool { return m.key != "" && m.key == key }

// Key returns the key of the message; "" if it is a literal, a call or a list.
func (m Message) Key() string { return m.key }

// Literal returns the text of a message that says the same in every language.
func (m Message) Literal() (text string, literal bool) {
	if m.key != "" || len(m.args) != 1 {
		return "", false
	}
	text, literal = m.args[0].(string)
	return text, literal
}

// Equal reports whether two messages say the same.
func (m Message) Equal(other Message) bool { return reflect.DeepEqual(m, other) }

// String returns the text for the reader m is bound to, else the English text.
func (m Message) String() string { return Printer{}.Text(m) }

// A List is an argument with several members. Strings among them stay on their lines, unless
// nothing but white space is between them: then they are texts of several lines.
type List struct {
	Sep   string // between the members, or the key of what is between them
	Items []any
}

// ListOf returns a list whose members are joined by sep.
func ListOf(sep string, items ...any) List { return Listed(sep, items) }

// Listed returns a list of all members of s, joined by sep.
func Listed[T any](sep string, s []T) List {
	l := List{Sep: sep}
	for _, i := range s {
		l.Items = append(l.Items, argument(i))
	}
	return l
}

// Block returns a text of several lines as an argument. All but the first are indented, so
// that none looks like a line of ours.
func Block(text string) List { return Listed("\n  ", strings.Split(text, "\n")) }

// A Call is an operation with arguments, in the order in which they are written.
type Call struct {
	Op   op.Name // "" for arguments alone, see [ArgsOf]
	Args Fields
}

// Fields are arguments by name.
type Fields []Field

// A Field is one argument: a string, a boolean, a number, a []string, Fields for
// an object, or [Blank].
type Field struct {
	Name  string
	Value any
}

type blank struct{}

// Blank is a placeholder for a value that the reader has to fill in.
var Blank any = blank{}

// A Param is the name of an argument of an operation, where a message speaks of it:
// a flag on the command line.
type Param string

// CallOf returns a call with arguments in pairs of name and value.
func CallOf(name op.Name, pairs ...any) Call { return Call{Op: name, Args: FieldsOf(pairs...)} }

// ArgsOf returns arguments of the operation that the message answers, in pairs of
// name and value.
func ArgsOf(pairs ...any) Call { return CallOf("", pairs...) }

// FieldsOf returns fields of pairs of name and value.
func FieldsOf(pairs ...any) (f Fields) {
	for pair := range slices.Chunk(pairs, 2) {
		f = append(f, Field{Name: fmt.Sprint(pair[0]), Value: fieldValue(pair[1])})
	}
	return f
}

func fieldValue(v any) any {
	switch v := v.(type) {
	case Fields, blank:
		return v
	}
	if r := reflect.ValueOf(v); r.Kind() == reflect.Slice {
		var list []string
		for i := range r.Len() {
			list = append(list, fmt.Sprint(r.Index(i).Interface()))
		}
		return list
	}
	return argument(v)
}

// messager is an error that has a message of its own.
type messager interface{ AsMessage() Message }

// argument returns v as one of the few types that arguments have.
func argument(v any) any {
	switch v := v.(type) {
	case Message:
		if len(v.args) == 1 && v.key == "" && !v.fixed { // a literal, a call, a list
			if _, text := v.args[0].(string); !text {
				return v.args[0]
			}
		}
		return v
	case Call, List, op.Name, Param:
		return v
	case messager:
		return v.AsMessage()
	case error:
		return v.Error()
	case fmt.Stringer:
		return v.String()
	case []Message:
		return Listed("; ", v)
	}
	r := reflect.ValueOf(v)
	switch {
	case r.Kind() == reflect.String:
		return r.String()
	case r.Kind() == reflect.Bool:
		return r.Bool()
	case r.CanInt():
		return r.Int()
	case r.CanUint():
		return int64(r.Uint())
	case r.CanFloat():
		return r.Float()
	case r.Kind() == reflect.Slice && r.Type().Elem().Kind() == reflect.String:
		l := List{Sep: ", "}
		for i := range r.Len() {
			l.Items = append(l.Items, argument(r.Index(i).Interface()))
		}
		return l
	}
	return fmt.Sprint(v)
}

// Texts returns messages in English, or in the language that they are bound to.
func Texts(messages []Message) []string { return Printer{}.Texts(messages) }

// Contains reports whether one of messages is the message of key.
func Contains(messages []Message, key string) bool {
	return slices.ContainsFunc(messages, func(m Message) bool { return m.Is(key) })
}
