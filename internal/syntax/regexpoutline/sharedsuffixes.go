package regexpoutline

import (
	"bytes"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax/engine"
)

// Languages that share a suffix are distinguished by what is in one of them only.
// Without a text it is the one that has more files in the world.

// disputes tells, by one of the languages, which one a file is of.
var disputes = map[engine.Language]func(ext string, text []byte) engine.Language{
	"apex":        apexOr,
	"d":           notDependencies,
	"lisp":        openCL,
	"objective-c": matlabOr,
	"perl":        prologOr,
	"prolog":      notQt,
	"puppet":      pascalOr,
	"verilog":     vlangOr,
}

// has says whether one of the words is at the beginning of a text.
func has(text []byte, words ...string) bool {
	text = text[:min(len(text), engine.HeadBytes)]
	for _, word := range words {
		if bytes.Contains(text, []byte(word)) {
			return true
		}
	}
	return false
}

func matlabOr(ext string, text []byte) engine.Language {
	if ext == "m" && len(text) > 0 && has(text, "function", "%", "end") &&
		!has(text, "#import", "#include", "@interface", "@implementation", "@protocol", "@import", "//", "/*") {
		return "matlab"
	}
	return "objective-c"
}

func prologOr(ext string, text []byte) engine.Language {
	if ext == "pl" && has(text, ":-") && !has(text, "use strict", "#!", "my ") {
		return "prolog"
	}
	return "perl"
}

// notQt is for Prolog: the projects of Qt have its suffix.
func notQt(ext string, text []byte) engine.Language {
	if ext == "pro" && !has(text, ":-") {
		return engine.Unknown
	}
	return "prolog"
}

func vlangOr(ext string, text []byte) engine.Language {
	if ext == "v" && has(text, "fn ", "import ") && !has(text, "endmodule", "input", "wire") {
		return "vlang"
	}
	return "verilog"
}

func pascalOr(ext string, text []byte) engine.Language {
	if ext == "pp" && has(text, "program ", "unit ", "begin") && has(text, ";") {
		return "pascal"
	}
	return "puppet"
}

// apexOr is for Apex: classes of LaTeX, Visual Basic and others have its suffix.
func apexOr(ext string, text []byte) engine.Language {
	start := bytes.TrimLeft(text[:min(len(text), engine.HeadBytes)], "\ufeff \t\r\n")
	switch {
	case ext != "cls" || len(start) == 0:
		return "apex"
	case has(start, "\\Needs", "\\Provides", "\\documentclass", "\\RequirePackage", "\\LoadClass"), start[0] == '%', start[0] == '\\':
		return "latex"
	case has(start, "VERSION 1.0 CLASS", "Attribute VB_"):
		return "vb"
	case apexHead.Match(start):
		return "apex"
	}
	return engine.Unknown
}

var apexHead = lazyregexp.MustCompile(`^(?:/\*|//[^/]|(?i:@|(?:public|private|global|abstract|virtual|with|without)\s)|(?:class|interface|enum)\s)`)

// notDependencies is for D: what a compiler finds to depend on what has its suffix.
func notDependencies(ext string, text []byte) engine.Language {
	if ext == "d" && has(text, ".o:", ".o :") {
		return engine.Unknown
	}
	return "d"
}

// openCL is for Lisp: programs of OpenCL, which are C, have its suffix.
func openCL(ext string, text []byte) engine.Language {
	if ext == "cl" && has(text, "__kernel", "#include", "//") {
		return engine.C
	}
	return "lisp"
}
