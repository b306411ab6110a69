package markup

import (
	"bytes"
	"unicode/utf8"

	"codeintel/internal/syntax/engine"
)

// JSON is the row of the language.
var JSON = &engine.Spec{
	Name:       engine.JSON,
	Title:      "JSON",
	Extensions: "json jsonc json5 geojson webmanifest code-workspace",
	Files:      ".babelrc .eslintrc .prettierrc composer.lock Pipfile.lock",
	Prose:      true,
	Read:       readJSON,
}

// readJSON outlines the keys of objects. Comments, single quotes, keys without
// quotes and commas too many are read as JSON5 and editors read them.
func readJSON(src []byte, _ engine.ParseFunc) *engine.File {
	j := jsonOutliner{outliner: outliner{src: src, file: &engine.File{}}, row: 1}
	for at := 0; at < len(src) && !j.isFull(); {
		at = j.token(at)
	}
	j.end(0, len(src))
	return j.file
}

// A jsonOutliner reads JSON token by token.
type jsonOutliner struct {
	outliner
	row       int // line of the next token
	lineStart int
	objects   []bool // what is open: an object, not a list
	depth     int    // how many of them are objects: a list adds no name to a key
	keyed     bool   // the value of a key comes next
}

// token reads the token at a byte and returns where the next one begins.
func (j *jsonOutliner) token(at int) int {
	switch c := j.src[at]; {
	case c == '\n':
		j.row++
		j.lineStart = at + 1
	case c == '{' || c == '[':
		j.objects = append(j.objects, c == '{')
		if c == '{' {
			j.depth++
		}
		j.keyed = false
	case c == '}' || c == ']':
		j.close(at)
	case c == ',':
		if n := len(j.objects); n > 0 && j.objects[n-1] {
			j.end(j.depth-1, at)
		}
		j.keyed = false
	case c == '"' || c == '\'':
		end := j.stringEnd(at)
		j.key(at, end, span{uint32(at + 1), uint32(max(at+1, end-1))})
		return end
	case c == '/' && bytes.HasPrefix(j.src[at:], []byte("//")):
		if n := bytes.IndexByte(j.src[at:], '\n'); n >= 0 {
			return at + n
		}
		return len(j.src)
	case c == '/' && bytes.HasPrefix(j.src[at:], []byte("/*")):
		end := len(j.src)
		if n := bytes.Index(j.src[at+2:], []byte("*/")); n >= 0 {
			end = at + 2 + n + 2
		}
		for i := at; i < end; i++ {
			if j.src[i] == '\n' {
				j.row++
				j.lineStart = i + 1
			}
		}
		return end
	case isWord(c):
		end := at
		for end < len(j.src) && (isWord(j.src[end]) || j.src[end] == '-' || j.src[end] == '.') {
			end++
		}
		j.key(at, end, span{uint32(at), uint32(end)})
		return end
	}
	return at + 1
}

// stringEnd returns the place behind a string, which ends with its line at the
// latest.
func (j *jsonOutliner) stringEnd(at int) int {
	for i := at + 1; i < len(j.src); i++ {
		switch j.src[i] {
		case '\\':
			i++
		case j.src[at]:
			return i + 1
		case '\n':
			return i
		}
	}
	return len(j.src)
}

// close ends the innermost list or object.
func (j *jsonOutliner) close(at int) {
	j.keyed = false
	n := len(j.objects)
	if n == 0 {
		return
	}
	if j.objects[n-1] {
		j.depth--
		j.end(j.depth, at)
	}
	j.objects = j.objects[:n-1]
}

// key adds what is from a byte to another, if it is the key of an object.
func (j *jsonOutliner) key(at, end int, name span) {
	if n := len(j.objects); n == 0 || !j.objects[n-1] || j.keyed {
		return
	}
	colon := end
	for colon < len(j.src) && engine.IsSpace(j.src[colon]) {
		colon++
	}
	if colon == len(j.src) || j.src[colon] != ':' {
		return
	}
	j.keyed = true
	if j.depth > maxKeyDepth || name.End == name.Start || name.End-name.Start > 100 ||
		!utf8.Valid(j.src[name.Start:name.End]) {
		return
	}
	head := j.src[at:min(len(j.src), at+8*engine.MaxSignature)]
	if n := bytes.IndexByte(head, '\n'); n >= 0 {
		head = bytes.TrimRight(head[:n], " \t\r[")
	}
	j.begin(j.depth-1, engine.Symbol{
		Name: string(j.src[name.Start:name.End]), Kind: engine.Key, Signature: engine.OneLine(head), Start: at, StartLine: j.row,
		NameLine: j.row, NameColumn: int(name.Start) - j.lineStart + 1,
	})
}
