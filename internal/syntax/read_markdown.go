package syntax

import (
	"bytes"
	"strings"
)

// Markdown, YAML and JSON are outlined by readers of their own: what is wanted
// of them is where a section or a key is, not a tree.

// outliner collects symbols whose end is known only when the next one begins.
type outliner struct {
	src  []byte
	file *File
	open []int // indexes of symbols that have not ended, the outermost first
}

// begin opens a symbol at depth (0 is the outermost) and ends what is not above
// it.
func (o *outliner) begin(depth int, s Symbol) {
	o.end(depth, s.Start, s.StartLine)
	s.Parent = -1
	if n := len(o.open); n > 0 {
		s.Parent = o.open[n-1]
		parent := &o.file.Symbols[s.Parent]
		s.Scope = parent.Name
		if parent.Scope != "" {
			s.Scope = parent.Scope + "." + parent.Name
		}
	}
	s.DocStart, s.Exported = s.Start, true
	o.file.Symbols = append(o.file.Symbols, s)
	o.open = append(o.open, len(o.file.Symbols)-1)
}

// end closes all symbols at depth and below it before a byte and line.
func (o *outliner) end(depth, at, line int) {
	for len(o.open) > depth {
		s := &o.file.Symbols[o.open[len(o.open)-1]]
		text := bytes.TrimRight(o.src[s.Start:at], " \t\r\n")
		s.End = s.Start + len(text)
		s.EndLine = s.StartLine + bytes.Count(text, []byte("\n"))
		o.open = o.open[:len(o.open)-1]
	}
}

// readMarkdown outlines headings: "# x" and "x" underlined by = or -. Fenced
// code holds none.
func readMarkdown(src []byte) *File {
	o := &outliner{src: src, file: &File{}}
	var levels []int // of the open headings
	at, line := 0, 0
	fence := ""
	previous, previousAt := "", 0
	heading := func(level int, name string, start, startLine int) {
		for len(levels) > 0 && levels[len(levels)-1] >= level {
			levels = levels[:len(levels)-1]
		}
		o.begin(len(levels), Symbol{
			Name: clip(name, 100), Kind: Heading, Signature: clip(strings.Repeat("#", level)+" "+name, maxSignature),
			Start: start, StartLine: startLine, NameLine: startLine, NameColumn: 1,
		})
		levels = append(levels, level)
	}
	for raw := range bytes.Lines(src) {
		line++
		text := strings.TrimRight(string(raw), "\r\n")
		bare := strings.TrimSpace(text)
		indent := len(text) - len(strings.TrimLeft(text, " "))
		switch mark := fenceOf(bare); {
		case fence != "":
			if mark != "" && strings.HasPrefix(mark, fence) && strings.Trim(bare, fence[:1]) == "" {
				fence = ""
			}
			bare = ""
		case mark != "":
			fence, bare = mark, ""
		case indent > 3:
			bare = ""
		case strings.HasPrefix(bare, "#"):
			level := len(bare) - len(strings.TrimLeft(bare, "#"))
			name := strings.TrimSpace(strings.TrimRight(bare[level:], "# "))
			if level <= 6 && name != "" && (bare[level] == ' ' || bare[level] == '\t') {
				heading(level, name, at, line)
			}
			bare = ""
		case previous != "" && bare != "" && strings.Trim(bare, "=") == "":
			heading(1, previous, previousAt, line-1)
			bare = ""
		case previous != "" && len(bare) >= 2 && strings.Trim(bare, "-") == "":
			heading(2, previous, previousAt, line-1)
			bare = ""
		}
		previous, previousAt = bare, at
		at += len(raw)
	}
	o.end(0, len(src), line)
	return o.file
}

// fenceOf returns the mark that a line of Markdown begins or ends fenced code
// with, "" for none.
func fenceOf(line string) string {
	for _, mark := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, mark)); n >= 3 {
			return strings.Repeat(mark, n)
		}
	}
	return ""
}

// maxKeyDepth is how deep keys of data files are outlined. What lies deeper is
// data, not structure.
const maxKeyDepth = 4

// readYAML outlines the keys of block mappings by their indentation.
func readYAML(src []byte) *File {
	o := &outliner{src: src, file: &File{}}
	var indents []int // of the open keys
	at, line, literal := 0, 0, -1
	for raw := range bytes.Lines(src) {
		line++
		start := at
		at += len(raw)
		text := strings.TrimRight(string(raw), "\r\n")
		bare := strings.TrimLeft(text, " ")
		indent := len(text) - len(bare)
		if bare == "" || bare[0] == '#' {
			continue
		}
		if literal >= 0 {
			if indent > literal {
				continue
			}
			literal = -1
		}
		if bare == "---" || bare == "..." {
			o.end(0, start, line)
			indents = indents[:0]
			continue
		}
		for strings.HasPrefix(bare, "- ") {
			rest := strings.TrimLeft(bare[2:], " ")
			indent += len(bare) - len(rest)
			bare = rest
		}
		key, value, ok := yamlKey(bare)
		if !ok {
			continue
		}
		if v := strings.TrimSpace(value); strings.HasPrefix(v, "|") || strings.HasPrefix(v, ">") {
			literal = indent
		}
		for len(indents) > 0 && indents[len(indents)-1] >= indent {
			indents = indents[:len(indents)-1]
		}
		if len(indents) >= maxKeyDepth {
			continue
		}
		o.begin(len(indents), Symbol{
			Name: key, Kind: Key, Signature: oneLine([]byte(bare)), Start: start + len(text) - len(bare), StartLine: line,
			NameLine: line, NameColumn: len(text) - len(bare) + 1,
		})
		indents = append(indents, indent)
	}
	o.end(0, len(src), line)
	return o.file
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
	if strings.IndexByte("[{!&*|>%@`,?", line[0]) >= 0 {
		return "", "", false
	}
	for i := 0; i < len(line); i++ {
		if line[i] == ':' && (i+1 == len(line) || line[i+1] == ' ') {
			key = strings.TrimSpace(line[:i])
			return key, line[i+1:], key != "" && len(key) <= 100
		}
	}
	return "", "", false
}

// readJSON outlines the keys of objects.
func readJSON(src []byte) *File {
	o := &outliner{src: src, file: &File{}}
	depth, line := 0, 1
	var objects []bool // by depth: an object, not a list
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case '\n':
			line++
		case '{', '[':
			objects = append(objects, src[i] == '{')
			depth++
		case '}', ']':
			if depth > 0 {
				o.end(keyDepth(objects[:depth-1]), i, line)
				objects, depth = objects[:depth-1], depth-1
			}
		case '"':
			end := i + 1
			for end < len(src) && src[end] != '"' && src[end] != '\n' {
				if src[end] == '\\' {
					end++
				}
				end++
			}
			if end >= len(src) || src[end] != '"' {
				continue
			}
			rest := bytes.TrimLeft(src[end+1:min(end+64, len(src))], " \t")
			if at := keyDepth(objects); len(rest) > 0 && rest[0] == ':' && depth > 0 && objects[depth-1] && at <= maxKeyDepth && end-i <= 101 {
				lineStart := bytes.LastIndexByte(src[:i], '\n') + 1
				lineEnd := len(src)
				if n := bytes.IndexByte(src[i:], '\n'); n >= 0 {
					lineEnd = i + n
				}
				o.begin(at-1, Symbol{
					Name: string(src[i+1 : end]), Kind: Key, Signature: oneLine(src[i:min(lineEnd, i+400)]), Start: i, StartLine: line,
					NameLine: line, NameColumn: i - lineStart + 1,
				})
			}
			i = end
		}
	}
	o.end(0, len(src), line)
	return o.file
}

// keyDepth is how many objects are open: a list adds no name to a key.
func keyDepth(objects []bool) (n int) {
	for _, object := range objects {
		if object {
			n++
		}
	}
	return n
}
