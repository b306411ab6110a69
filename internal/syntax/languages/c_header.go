package languages

import (
	"bytes"

	"codeintel/internal/syntax/engine"
)

// headerBytes is how much of a header is looked at: it begins with a licence.
const headerBytes = 16 << 10

// headerOf tells C++ headers from those of C by lines that C does not have.
func headerOf(ext string, text []byte) engine.Language {
	if ext != "h" {
		return engine.C
	}
	text = text[:min(len(text), headerBytes)]
	inComment := false
	for line := range bytes.Lines(text) {
		line, inComment = withoutComments(line, inComment)
		line = bytes.TrimSpace(line)
		for _, word := range cppOnly {
			if bytes.HasPrefix(line, word) {
				return engine.CPP
			}
		}
		if bytes.Contains(line, []byte("std::")) {
			return engine.CPP
		}
	}
	return engine.C
}

// cppOnly are beginnings of lines.
var cppOnly = [][]byte{
	[]byte("class "), []byte("namespace "), []byte("inline namespace "), []byte("template "), []byte("template<"),
	[]byte("using "),
	[]byte("enum class "), []byte("public:"), []byte("private:"), []byte("protected:"), []byte(`extern "C++"`),
}

// withoutComments takes the comments out of a line of C, of which the first may
// have begun before it, and says whether the last goes on behind it.
func withoutComments(line []byte, inComment bool) (code []byte, goesOn bool) {
	if !inComment && bytes.IndexByte(line, '/') < 0 {
		return line, false
	}
	for len(line) > 0 {
		if inComment {
			_, rest, ends := bytes.Cut(line, []byte("*/"))
			if !ends {
				return code, true
			}
			line, inComment = rest, false
			continue
		}
		i := bytes.IndexByte(line, '/')
		if i < 0 || i+1 == len(line) || line[i+1] == '/' {
			if i >= 0 && i+1 < len(line) {
				line = line[:i]
			}
			return append(code, line...), false
		}
		inComment = line[i+1] == '*'
		code = append(code, line[:i]...)
		line = line[i+2:]
	}
	return code, inComment
}
