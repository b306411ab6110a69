// Package jsonedit edits JSON files that people write, and leaves every byte alone that it was not asked to
// change: order, comments, trailing commas, indentation, line endings, byte order mark and the end of the
// last line. It is pure.
//
// Inserted text follows the style around it. Removing it again restores the text as it was
// before, whatever was changed elsewhere in the meantime. An empty object or array is the
// exception: once it is filled, what was between its brackets cannot be seen any more,
// so [Blank] reads it before, and [Remove] is given it.
package jsonedit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// errShape is an error about a text in which something else is where an object
// or an array is to be.
var errShape = errors.New("the shape of the file does not allow it")

// mark is what some editors put at the beginning of a file.
const mark = "\ufeff"

// A node is an object or an array in a text.
type node struct {
	open, close int // of its brackets
	object      bool
	items       []item
}

// An item is a member of an object or an element of an array.
type item struct {
	name  string // of a member
	from  int    // where it begins, name included
	value *hujson.Value
	comma int // behind it; -1: none
}

func (i item) end() int { return i.value.EndOffset }

// parse reads a text without its mark.
func parse(text []byte) (*hujson.Value, error) {
	v, err := hujson.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	return &v, nil
}

// openContainer takes an object or an array apart.
func openContainer(v *hujson.Value) (node, bool) {
	n := node{open: v.StartOffset, close: v.EndOffset - 1}
	add := func(name string, from int, value *hujson.Value, last bool) {
		i := item{name: name, from: from, value: value, comma: -1}
		if !last || value.AfterExtra != nil {
			i.comma = value.EndOffset + len(value.AfterExtra)
		}
		n.items = append(n.items, i)
	}
	switch c := v.Value.(type) {
	case *hujson.Object:
		n.object = true
		for i := range c.Members {
			m := &c.Members[i]
			add(m.Name.Value.(hujson.Literal).String(), m.Name.StartOffset, &m.Value, i == len(c.Members)-1)
		}
	case *hujson.Array:
		for i := range c.Elements {
			add("", c.Elements[i].StartOffset, &c.Elements[i], i == len(c.Elements)-1)
		}
	default:
		return n, false
	}
	return n, true
}

// find returns the place of a name, or of an index; -1 if there is none. Of members
// with the same name the last counts, as readers have it.
func (n node) find(name string) int {
	if !n.object {
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(n.items) {
			return i
		}
		return -1
	}
	for i := len(n.items) - 1; i >= 0; i-- {
		if n.items[i].name == name {
			return i
		}
	}
	return -1
}

// walk follows a path as far as it leads. rest is what is left of it.
func walk(v *hujson.Value, path []string) (at *hujson.Value, rest []string) {
	for len(path) > 0 {
		n, ok := openContainer(v)
		i := n.find(path[0])
		if !ok || i < 0 {
			break
		}
		v, path = n.items[i].value, path[1:]
	}
	return v, path
}

// Get returns what is at a path, as plain JSON without white space; nil if
// nothing does. A name of the path is a member, a number an element.
func Get(text []byte, path ...string) ([]byte, error) {
	text = bytes.TrimPrefix(text, []byte(mark))
	if blank(text) {
		return nil, nil
	}
	v, err := parse(text)
	if err != nil {
		return nil, err
	}
	at, rest := walk(v, path)
	if len(rest) > 0 {
		return nil, nil
	}
	c := at.Clone()
	c.BeforeExtra, c.AfterExtra = nil, nil
	c.Minimize()
	return c.Pack(), nil
}

// Elements returns what [Get] does for each element of an array; none if there is no
// array at the path.
func Elements(text []byte, path ...string) (all [][]byte, err error) {
	raw, err := Get(text, path...)
	if err != nil || raw == nil {
		return nil, err
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil, nil
	}
	for _, e := range list {
		all = append(all, e)
	}
	return all, nil
}

// Blank reports whether the object or array at a path is there and empty, and what
// is between its brackets.
func Blank(text []byte, path ...string) (inner string, empty bool, err error) {
	text = bytes.TrimPrefix(text, []byte(mark))
	if blank(text) {
		return "", false, nil
	}
	v, err := parse(text)
	if err != nil {
		return "", false, err
	}
	at, rest := walk(v, path)
	n, ok := openContainer(at)
	if len(rest) > 0 || !ok || len(n.items) > 0 {
		return "", false, nil
	}
	return string(text[n.open+1 : n.close]), true, nil
}

// Put puts a value, which is JSON, at a path of members: in the place of what is
// there, else behind the last member. Objects on the way are made.
func Put(text, value []byte, path ...string) ([]byte, error) {
	return change(text, path, value, false)
}

// Append puts a value behind the last element of the array at a path. The array, and
// objects on the way to it, are made.
func Append(text, value []byte, path ...string) ([]byte, error) {
	return change(text, path, value, true)
}

func change(whole []byte, path []string, value []byte, element bool) ([]byte, error) {
	text, marked := bytes.CutPrefix(whole, []byte(mark))
	if blank(text) {
		text = []byte("{}\n")
	}
	v, err := parse(text)
	if err != nil {
		return nil, err
	}
	at, rest := walk(v, path)
	f := formOf(text, v)
	var out []byte
	switch n, ok := openContainer(at); {
	case len(rest) == 0 && !element:
		line, _ := lineIndent(text, at.StartOffset)
		key := at.StartOffset - bytes.LastIndexByte(text[:at.StartOffset], '\n') - 1 - len(line)
		out = splice(text, at.StartOffset, at.EndOffset, f.render(value, line, key, f.manyLines(text, at)))
	case !ok || n.object == (len(rest) == 0):
		return nil, fmt.Errorf("%s: %w", strings.Join(path[:len(path)-len(rest)], "."), errShape)
	default:
		name := ""
		if element && len(rest) > 0 {
			value = enclose("[", value, "]")
		}
		for i := len(rest) - 1; i >= 0; i-- {
			if name = rest[i]; i > 0 {
				value = enclose("{"+quote(name)+":", value, "}")
			}
		}
		out = f.insert(text, at, n, name, value)
	}
	if marked {
		out = append([]byte(mark), out...)
	}
	return out, nil
}

// Remove takes away what is at a path, if anything does. If the object or array
// that held it has nothing else, and no comment, it holds inner afterwards.
func Remove(whole []byte, inner string, path ...string) ([]byte, error) {
	text, marked := bytes.CutPrefix(whole, []byte(mark))
	if blank(text) || len(path) == 0 {
		return whole, nil
	}
	v, err := parse(text)
	if err != nil {
		return nil, err
	}
	at, rest := walk(v, path[:len(path)-1])
	n, ok := openContainer(at)
	i := n.find(path[len(path)-1])
	if len(rest) > 0 || !ok || i < 0 {
		return whole, nil
	}
	out := n.remove(text, i, inner)
	if marked {
		out = append([]byte(mark), out...)
	}
	return out, nil
}

func (n node) remove(text []byte, i int, inner string) []byte {
	it := n.items[i]
	lead := n.open + 1
	if i > 0 {
		lead = n.items[i-1].comma + 1
	}
	from, line := commentEnd(text[lead:it.from])
	from += lead // of the white space before it
	last := i == len(n.items)-1
	switch {
	case len(n.items) == 1:
		end := it.end()
		if it.comma >= 0 {
			end = it.comma + 1
		}
		if tail, _ := commentEnd(text[end:n.close]); from == lead && tail == 0 {
			return splice(text, n.open+1, n.close, []byte(inner))
		}
		return splice(text, from, end, nil)
	case !last || it.comma >= 0:
		end := it.comma + 1
		if behind := bytes.TrimLeft(text[end:], " \t"); line && behind[0] != '\n' && behind[0] != '\r' {
			// What follows must not end up in the comment.
			return splice(text, it.from, len(text)-len(behind), nil)
		}
		return splice(text, from, end, nil)
	}
	text = splice(text, from, it.end(), nil)
	comma := n.items[i-1].comma
	return splice(text, comma, comma+1, nil)
}

// A form is how a text is written.
type form struct {
	newline string
	unit    string // of indentation
	many    bool   // lines
}

func formOf(text []byte, root *hujson.Value) form {
	f := form{newline: "\n", unit: "  ", many: true}
	if i := bytes.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		f.newline = "\r\n"
	}
	if n, ok := openContainer(root); ok && len(n.items) > 0 {
		f.many = bytes.IndexByte(text[root.StartOffset:root.EndOffset], '\n') >= 0
		outer, _ := lineIndent(text, n.open)
		if in, own := lineIndent(text, n.items[0].from); own && in != outer && strings.HasPrefix(in, outer) {
			f.unit = in[len(outer):]
		}
	}
	return f
}

// manyLines reports whether what is put into an object or array begins a line.
func (f form) manyLines(text []byte, v *hujson.Value) bool {
	n, ok := openContainer(v)
	if !ok || len(n.items) == 0 {
		return f.many
	}
	return bytes.IndexByte(text[n.open:n.items[0].from], '\n') >= 0
}

// insert puts an item behind the last one of n.
func (f form) insert(text []byte, v *hujson.Value, n node, name string, value []byte) []byte {
	many := f.manyLines(text, v)
	outer, _ := lineIndent(text, n.open)
	indent := outer + f.unit
	if len(n.items) > 0 && many {
		if in, own := lineIndent(text, n.items[0].from); own {
			indent = in
		}
	}
	key := ""
	if n.object {
		key = quote(name) + ": "
	}
	member := enclose(key, f.render(value, indent, len(key), many), "")
	if len(n.items) == 0 {
		head, _ := commentEnd(text[n.open+1 : n.close])
		switch {
		case head > 0:
			return splice(text, n.open+1+head, n.open+1+head, enclose(f.newline+indent, member, ""))
		case !many:
			return splice(text, n.open+1, n.close, member)
		}
		return splice(text, n.open+1, n.close, enclose(f.newline+indent, member, f.newline+outer))
	}
	last := n.items[len(n.items)-1]
	behind, comma := last.end(), ""
	if last.comma >= 0 {
		behind, comma = last.comma+1, ","
	}
	head, line := commentEnd(text[behind:n.close])
	sep := " "
	if many || line {
		sep = f.newline + indent
	}
	text = splice(text, behind+head, behind+head, enclose(sep, member, comma))
	if comma == "" {
		text = splice(text, last.end(), last.end(), []byte(","))
	}
	return text
}

// lineWidth is how long a line may be with an array in it.
const lineWidth = 80

// render writes a value in the form of the text, behind so many characters of an indented
// line, its further lines indented. In a text of
// many lines objects have a line for each member, and arrays that are too long or hold
// objects one for each element, as most formatters would have it.
func (f form) render(value []byte, indent string, key int, many bool) []byte {
	v, err := parse(value)
	if err != nil {
		return value
	}
	return f.write(v, indent, len(indent)+key, many)
}

// write is render for a value that begins at a column of its line.
func (f form) write(v *hujson.Value, indent string, column int, many bool) []byte {
	n, ok := openContainer(v)
	if !ok {
		return v.Value.(hujson.Literal)
	}
	begin, end := "[", "]"
	if n.object {
		begin, end = "{", "}"
	}
	one := enclose(begin, f.items(n, indent, false, ", "), end)
	if !many || len(n.items) == 0 || !n.object && !holdsObjects(n) && column+len(one)+len(",") <= lineWidth {
		return one
	}
	line := f.newline + indent
	return enclose(begin+line+f.unit, f.items(n, indent+f.unit, true, ","+line+f.unit), line+end)
}

// items writes what an object or array holds.
func (f form) items(n node, indent string, many bool, sep string) []byte {
	var list [][]byte
	for _, i := range n.items {
		name := ""
		if n.object {
			name = quote(i.name) + ": "
		}
		list = append(list, enclose(name, f.write(i.value, indent, len(indent)+len(name), many), ""))
	}
	return bytes.Join(list, []byte(sep))
}

func holdsObjects(n node) bool {
	return slices.ContainsFunc(n.items, func(i item) bool {
		in, ok := openContainer(i.value)
		return ok && (in.object || holdsObjects(in))
	})
}

// lineIndent returns the white space at the beginning of the line of an offset, and
// whether nothing else comes before the offset.
func lineIndent(text []byte, at int) (indent string, own bool) {
	line := text[bytes.LastIndexByte(text[:at], '\n')+1 : at]
	rest := bytes.TrimLeft(line, " \t")
	return string(line[:len(line)-len(rest)]), len(rest) == 0
}

// commentEnd returns where the last comment ends in a text of comments and white
// space, without the end of its line, and whether it is one that ends with its line.
func commentEnd(text []byte) (end int, line bool) {
	for i := 0; i+1 < len(text); i++ {
		switch string(text[i : i+2]) {
		case "//":
			n := bytes.IndexByte(text[i:], '\n')
			if n < 0 {
				return len(text), true
			}
			end, line = i+len(bytes.TrimSuffix(text[i:i+n], []byte("\r"))), true
			i += n
		case "/*":
			i += 2 + bytes.Index(text[i+2:], []byte("*/")) + 2
			end, line = i, false
			i--
		}
	}
	return end, line
}

func blank(text []byte) bool { return len(bytes.TrimSpace(text)) == 0 }

func quote(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err) // strings marshal
	}
	return string(data)
}

func enclose(before string, text []byte, after string) []byte {
	return append(append([]byte(before), text...), after...)
}

// splice returns text with what is from one offset to another replaced.
func splice(text []byte, from, to int, by []byte) []byte {
	out := make([]byte, 0, len(text)+len(by))
	out = append(append(out, text[:from]...), by...)
	return append(out, text[to:]...)
}
