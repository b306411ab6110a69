package markup

import (
	"bytes"
	"strings"

	"codeintel/internal/syntax/engine"
)

// maxKeyDepth is how deep keys of data files are outlined. What lies deeper is
// data, not structure.
const maxKeyDepth = 4

// YAML is the row of the language.
var YAML = &engine.Spec{
	Name:       engine.YAML,
	Title:      "YAML",
	Aliases:    "yml",
	Extensions: "yaml yml",
	Files:      ".clang-format .clang-tidy",
	Prose:      true,
	Read:       readYAML,

	Comparing: engine.Comparing{Comments: "#"},
}

// readYAML outlines the keys of block mappings by their indentation, and notes
// anchors and the aliases that mean them.
func readYAML(src []byte, _ engine.ParseFunc) *engine.File {
	y := yamlOutliner{outliner: outliner{src: src, file: &engine.File{}}, literal: -1}
	for raw := range bytes.Lines(src) {
		y.row++
		y.line(strings.TrimRight(string(raw), "\r\n"))
		y.at += len(raw)
		if y.isFull() {
			break
		}
	}
	y.end(0, len(src))
	return y.file
}

// A yamlOutliner reads YAML line by line.
type yamlOutliner struct {
	outliner
	at, row int   // of the line being read
	indents []int // of the open keys
	literal int   // the indentation of the key whose text goes on as long as lines are indented more, or -1
	flow    int   // brackets that are open
	quote   byte  // the quote that is open
	comment span
	docLine int // last line of the comment
}

// line reads one line, without its end.
func (y *yamlOutliner) line(text string) {
	bare := strings.TrimLeft(text, " ")
	indent := len(text) - len(bare)
	switch {
	case y.literal >= 0 && (strings.TrimSpace(bare) == "" || indent > y.literal):
		return
	case y.flow > 0 || y.quote != 0:
		y.value(text, 0)
		return
	}
	y.literal = -1
	if bare == "" {
		return
	}
	if bare[0] == '#' {
		y.noteComment(indent, len(text))
		return
	}
	y.leave(indent, bare[0] == '-')
	if bare == "---" || bare == "..." || strings.HasPrefix(bare, "--- ") && indent == 0 {
		y.end(0, y.at)
		y.indents = y.indents[:0]
		return
	}
	for strings.HasPrefix(bare, "- ") || bare == "-" {
		rest := strings.TrimLeft(bare[1:], " ")
		indent += len(bare) - len(rest)
		bare = rest
	}
	if bare == "" {
		return
	}
	key, value, ok := yamlKey(bare)
	if !ok {
		y.value(text, len(text)-len(bare))
		return
	}
	y.key(key, bare, indent, len(text)-len(bare))
	if v := strings.TrimSpace(value); strings.HasPrefix(v, "|") || strings.HasPrefix(v, ">") {
		y.literal = indent
		return
	}
	y.value(text, len(text)-len(value))
}

// leave ends the keys that a line at an indentation is no part of. An item of a
// list may be indented as much as the key of the list.
func (y *yamlOutliner) leave(indent int, item bool) {
	n := len(y.indents)
	for n > 0 && (y.indents[n-1] > indent || y.indents[n-1] == indent && !item) {
		n--
	}
	at := y.at
	if y.docLine == y.row-1 && y.comment.End > 0 {
		at = int(y.comment.Start)
	}
	y.end(n, at)
	y.indents = y.indents[:n]
}

// key adds a key that is at an offset of its line.
func (y *yamlOutliner) key(key, bare string, indent, offset int) {
	for len(y.indents) > 0 && y.indents[len(y.indents)-1] >= indent {
		y.indents = y.indents[:len(y.indents)-1]
	}
	if len(y.indents) >= maxKeyDepth {
		return
	}
	s := engine.Symbol{
		Name: key, Kind: engine.Key, Signature: engine.OneLine([]byte(bare)), Start: y.at + offset, StartLine: y.row,
		NameLine: y.row, NameColumn: offset + 1,
	}
	if c := y.comment; c.End > c.Start && y.docLine == y.row-1 {
		s.Doc, s.DocStart = engine.CommentText(string(y.src[c.Start:c.End])), int(c.Start)
	}
	y.begin(len(y.indents), s)
	y.indents = append(y.indents, indent)
}

// noteComment keeps a comment for the key below it.
func (y *yamlOutliner) noteComment(from, to int) {
	if y.docLine != y.row-1 || y.comment.End == 0 {
		y.comment.Start = uint32(y.at + from)
	}
	y.comment.End, y.docLine = uint32(y.at+to), y.row
}

// value looks through the rest of a line for what goes on in the next one, and
// for anchors and aliases.
func (y *yamlOutliner) value(text string, from int) {
	for i := from; i < len(text); i++ {
		c := text[i]
		if y.quote != 0 {
			switch {
			case c == '\\' && y.quote == '"':
				i++
			case c == y.quote:
				y.quote = 0
			}
			continue
		}
		starts := i == 0 || text[i-1] == ' ' || strings.IndexByte("[{,", text[i-1]) >= 0
		switch {
		case (c == '"' || c == '\'') && starts:
			y.quote = c
		case c == '[' || c == '{':
			if starts || y.flow > 0 {
				y.flow++
			}
		case c == ']' || c == '}':
			y.flow = max(0, y.flow-1)
		case c == '#' && i > 0 && text[i-1] == ' ':
			return
		case (c == '&' || c == '*') && starts:
			end := i + 1
			for end < len(text) && strings.IndexByte(" ,]}\t", text[end]) < 0 {
				end++
			}
			y.anchor(text[i+1:end], i+1, c == '&')
			i = end - 1
		}
	}
}

// anchor notes an anchor, or an alias that means one.
func (y *yamlOutliner) anchor(name string, offset int, defines bool) {
	if name == "" || len(name) > 100 {
		return
	}
	o := engine.Occurrence{Name: name, Line: y.row, Column: offset + 1, Role: engine.Read, Symbol: -1}
	if defines {
		o.Role = engine.Definition
	}
	if n := len(y.open); n > 0 {
		o.Symbol = y.open[n-1]
	}
	y.file.Occurrences = append(y.file.Occurrences, o)
}

// yamlKey splits "key: value". Flow collections and plain text have no key.
func yamlKey(line string) (key, value string, ok bool) {
	if q := line[0]; q == '"' || q == '\'' {
		end := strings.IndexByte(line[1:], q)
		if end < 0 {
			return "", "", false
		}
		key, line = line[1:end+1], line[end+2:]
		value, ok = strings.CutPrefix(strings.TrimLeft(line, " "), ":")
		return key, value, ok && key != "" && (value == "" || value[0] == ' ')
	}
	if strings.IndexByte("[{!&*|>%@`,?#", line[0]) >= 0 {
		return "", "", false
	}
	for i := 0; i < len(line); i++ {
		if line[i] == ':' && (i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\t') {
			key = strings.TrimSpace(line[:i])
			return key, line[i+1:], key != "" && len(key) <= 100
		}
		if line[i] == '#' && i > 0 && line[i-1] == ' ' {
			break
		}
	}
	return "", "", false
}
