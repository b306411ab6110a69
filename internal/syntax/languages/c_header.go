package languages

import (
	"bytes"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax/engine"
)

// headerBytes is how much of a header is looked at: it may begin with macros and with a licence
// for each of the files that it was made of.
const headerBytes = 64 << 10

// headerOf tells headers of C++ and of Objective-C from those of C by lines that C does not have.
// What is under a condition that asks for C++ counts where it is the larger part.
func headerOf(ext string, text []byte) engine.Language {
	if ext != "h" {
		return engine.C
	}
	inComment := false
	asked := 0              // depth of conditions within the first that asks for C++
	inside, outside := 0, 0 // lines under such conditions and elsewhere
	isCPP := false          // some inside
	for line := range bytes.Lines(text[:min(len(text), headerBytes)]) {
		line, inComment = withoutComments(line, inComment)
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if line[0] == '@' && objectiveC.Match(line) {
			return "objective-c"
		}
		only := cppLine(line)
		if only && asked == 0 {
			return engine.CPP
		}
		isCPP = isCPP || only
		if line[0] == '#' {
			name, rest := directive(line)
			switch {
			case (name == "if" || name == "ifdef" || name == "ifndef") && (asked > 0 || bytes.Contains(rest, []byte("__cplusplus"))):
				asked++
			case name == "endif":
				asked = max(asked-1, 0)
			}
		} else if asked == 0 {
			outside++
		} else {
			inside++
		}
	}
	if isCPP && inside > outside {
		return engine.CPP
	}
	return engine.C
}

// objectiveC is a line of the declarations that Objective-C adds to C.
var objectiveC = lazyregexp.MustCompile(`^@(?:interface|protocol|class|import|property|end)\b`)

// cppLine says whether a line is none of C.
func cppLine(line []byte) bool {
	for _, word := range cppOnly {
		if bytes.HasPrefix(line, word) {
			return true
		}
	}
	if line[0] == '#' { // the standard library of C++ has no suffixes
		name, rest := directive(line)
		if name == "include" {
			return len(rest) > 0 && rest[0] == '<' && bytes.IndexByte(rest, '.') < 0
		}
	}
	return bytes.Contains(line, []byte("std::")) || bytes.Contains(line, []byte("static_cast<"))
}

// directive returns the name of a line of the preprocessor, and what follows it.
func directive(line []byte) (name string, rest []byte) {
	line = bytes.TrimLeft(line[1:], " \t")
	end := macroWordEnd(line, 0)
	return string(line[:end]), bytes.TrimLeft(line[end:], " \t")
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
