package languages

import (
	"bytes"
	"slices"
	"unicode"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax/engine"
	"codeintel/internal/text"
)

// Where declarations begin, for what is read after a syntax error. A line that is none
// costs a little time; one that is not known is lost with what is broken above it.

var (
	cRecovery = &engine.Recovery{Closer: "}", IsHead: cHead, MayBegin: cMayBegin, Heads: lazyregexp.MustCompile(
		`(?m)\A(?:[ \t]*#[ \t]*define[ \t]+(\w+)|[ \t]*(?:typedef[ \t]+|static[ \t]+)*(?:struct|union|enum)[ \t]+(\w+)[ \t]*(?:\{|$)|` +
			`(?:[A-Za-z_][\w \t*]*[ \t*])?([A-Za-z_]\w*)[ \t]*\([^;{}#=]*(?:\)|$))`)}
	cppRecovery = &engine.Recovery{Closer: "}", IsHead: cHead, MayBegin: cMayBegin, Heads: lazyregexp.MustCompile(
		`(?m)\A(?:[ \t]*#[ \t]*define[ \t]+(\w+)|[ \t]*(?:inline[ \t]+)?namespace[ \t]+(?:(?:inline[ \t]+)?\w+::)*(?:inline[ \t]+)?(\w+)[ \t]*\{?[ \t]*$|[ \t]*(?:typedef[ \t]+)?(?:enum[ \t]+)?(?:class|struct|union|enum)[ \t]+(?:[A-Z_]+[ \t]+)?(?:\w+::)*(\w+)(?:[ \t]*<[^;{}]*>)?[ \t]*(?:final[ \t]*)?(?:[:{]|$)|` +
			`[ \t]*(?:[A-Za-z_][\w \t*&:<>,\[\]]*[ \t*&>])?(?:[A-Za-z_]\w*(?:<[\w, ]*>)?::)*(~?[A-Za-z_]\w*)[ \t]*\([^;{}#=]*(?:\)|$))`)}
	javaRecovery = &engine.Recovery{Closer: "}", IsHead: functionHead, Heads: lazyregexp.MustCompile(
		`(?m)\A[ \t]*(?:@\w+(?:\([^()\n]*\))?[ \t]+)*(?:(?:public|protected|private|static|final|abstract|sealed|non-sealed|strictfp|default|synchronized|native)[ \t]+)*` +
			`(?:(?:class|interface|enum|record|@interface)[ \t]+(\w+)|(?:<[^;{}()]*>[ \t]*)?(?:[A-Za-z_][\w.]*(?:<[^;{}()]*>)?(?:\[\])*(?:\.\.\.)?[ \t]+)?([A-Za-z_]\w*)[ \t]*\([^;{}=]*(?:\)|$))`)}
	csharpRecovery = &engine.Recovery{Closer: "}", IsHead: functionHead, Heads: lazyregexp.MustCompile(
		`(?m)\A[ \t]*(?:\[[^\]\n]*\][ \t]*)*(?:(?:public|protected|private|internal|static|sealed|abstract|partial|readonly|ref|unsafe|new|virtual|override|async|extern|file|required|record)[ \t]+)*` +
			`(?:(?:class|interface|enum|struct|record|namespace)[ \t]+(?:[\w.]*\.)?(\w+)|(?:[A-Za-z_][\w.]*(?:<[^;{}()]*>)?(?:\[,*\])*\??[ \t]+(?:\w+\.)*)?([A-Za-z_]\w*)[ \t]*(?:<[\w, ]*>)?[ \t]*\([^;{}=]*(?:\)|$))`)}
	scriptRecovery = &engine.Recovery{Closer: "}", IsHead: functionHead, Heads: lazyregexp.MustCompile(
		`(?m)\A[ \t]*(?:export[ \t]+)?(?:default[ \t]+)?(?:declare[ \t]+)?(?:abstract[ \t]+)?(?:(?:async[ \t]+)?function[ \t]*\*?[ \t]*([\w$]+)[ \t]*[(<]|(?:class|interface|enum|namespace)[ \t]+([\w$]+)|type[ \t]+([\w$]+)[ \t]*(?:<[^=\n]*>)?[ \t]*=|` +
			`(?:[\w$]+\.)+([\w$]+)[ \t]*=[ \t]*(?:async[ \t]*)?function\b|` +
			`(?:const|let|var)[ \t]+([\w$]+)[ \t]*(?::[^=\n]*)?=[ \t]*(?:async[ \t]*)?(?:function\b|(?:<[^()\n]*>)?\([^()\n]*\)[ \t]*(?::[^=\n]*)?=>|\w+[ \t]*=>)|` +
			`(?:(?:public|private|protected|static|readonly|override|async|get|set)[ \t]+)*\*?(#?[A-Za-z_$][\w$]*)[ \t]*(?:<[^()\n]*>)?\([^;=\n]*\)[ \t]*(?::[^=;\n]*)?\{)`)}
	kotlinRecovery = &engine.Recovery{Closer: "}", Heads: lazyregexp.MustCompile(
		`(?m)\A[ \t]*(?:@[\w.]+(?:\([^()\n]*\))?[ \t]+)*(?:(?:public|protected|private|internal|open|final|abstract|sealed|data|inner|enum|annotation|value|inline|noinline|crossinline|infix|operator|suspend|tailrec|override|external|expect|actual|fun)[ \t]+)*` +
			"(?:(?:class|interface|object)[ \\t]+(\\w+)|\\bfun[ \\t]+(?:<[^()\\n]*>[ \\t]*)?(?:[\\w.<>, *?]+\\.)?(\\w+)[ \\t]*\\()")}
	rustRecovery = &engine.Recovery{Closer: "}", Heads: lazyregexp.MustCompile(
		`(?m)\A[ \t]*(?:pub(?:\([^()\n]*\))?[ \t]+)?(?:(?:default|const|async|unsafe|extern(?:[ \t]+"[^"\n]*")?)[ \t]+)*(?:fn[ \t]+(\w+)|(?:struct|enum|union|trait|mod)[ \t]+(\w+)|macro_rules![ \t]*(\w+)|impl(?:<[^{}\n]*>)?[ \t]+(?:[^{}\n]*[ \t]for[ \t]+)?(?:[\w]+::)*(\w+))`)}
	phpRecovery = &engine.Recovery{Closer: "}", Before: "<?php ", IsHead: insideTags, Heads: lazyregexp.MustCompile(
		`(?mi)\A[ \t]*(?:(?:public|protected|private|static|final|abstract|readonly)[ \t]+)*(?:function[ \t]+&?[ \t]*(\w+)[ \t]*\(|(?:class|interface|trait|enum)[ \t]+(\w+))`)}
	pythonRecovery = &engine.Recovery{Heads: lazyregexp.MustCompile(`(?m)\A[ \t]*(?:(?:async[ \t]+)?def|class)[ \t]+(\w+)[ \t]*[(:\[]?`)}
	rubyRecovery   = &engine.Recovery{Closer: "end", Heads: lazyregexp.MustCompile(
		`(?m)\A[ \t]*(?:(?:private|protected|public|private_class_method|module_function)[ \t]+)?(?:def[ \t]+(?:[\w]+\.)?(\w+[?!=]?)|(?:class|module)[ \t]+(?:\w+::)*([A-Z]\w*))`)}
	luaRecovery = &engine.Recovery{Closer: "end", Heads: lazyregexp.MustCompile(
		`(?m)\A[ \t]*(?:(?:local[ \t]+)?function[ \t]+(?:[\w]+[.:])*(\w+)[ \t]*\(|(?:local[ \t]+)?(?:\w+\.)*(\w+)[ \t]*=[ \t]*function[ \t]*\()`)}
	elixirRecovery = &engine.Recovery{Closer: "end", Heads: lazyregexp.MustCompile(
		`(?m)\A[ \t]*(?:(?:defmodule|defprotocol)[ \t]+([\w.]+)|(?:def|defp|defmacro|defmacrop|defdelegate|defguard|defguardp)[ \t]+([a-z_]\w*[?!]?))`)}
	bashRecovery = &engine.Recovery{Closer: "}",
		Heads: lazyregexp.MustCompile(`(?m)\A[ \t]*(?:function[ \t]+([\w:.-]+)|([\w:.-]+)[ \t]*\([ \t]*\))`)}
	swiftRecovery = &engine.Recovery{Closer: "}", Heads: lazyregexp.MustCompile(
		`(?m)\A[ \t]*(?:@\w+(?:\([^()\n]*\))?[ \t]+)*(?:(?:public|package|open|internal|fileprivate|private|static|final|override|mutating|nonmutating|borrowing|consuming|convenience|required|indirect|nonisolated|prefix|postfix)(?:\(set\))?[ \t]+)*` +
			"(?:func[ \\t]+(\\w+)|(?:class|struct|enum|protocol|actor|extension)[ \\t]+(?:\\w+\\.)*(\\w+)|(init)[?!]?[ \\t]*[(<])")}
	scalaRecovery = &engine.Recovery{Closer: "}", Heads: lazyregexp.MustCompile(
		`(?m)\A[ \t]*(?:@\w+(?:\([^()\n]*\))?[ \t]+)*(?:(?:private|protected)(?:\[\w+\])?[ \t]+|(?:override|final|implicit|lazy|sealed|abstract|case|inline|transparent|open)[ \t]+)*` +
			`(?:def[ \t]+(\w*_[^\s\w\[({:=]+|\w+)|(?:class|object|trait|enum)[ \t]+(\w+)|val[ \t]+(\w+)[ \t]*[:=]|given[ \t]+(\w+)[ \t]*(?:\[[^\n]*\])?[ \t]*:)`)}
	goRecovery = &engine.Recovery{Closer: "}", Before: "package p\n",
		Heads: lazyregexp.MustCompile(`(?m)\A(?:func[ \t]+(?:\([^()\n]*\)[ \t]*)?(\w+)[ \t]*[(\[]|type[ \t]+(\w+))`)}
	haskellRecovery = &engine.Recovery{Alone: true, IsHead: haskellHead, Heads: lazyregexp.MustCompile(
		`(?m)\A(?:(?:data|newtype|class|type(?:[ \t]+family)?|instance)[ \t]+(?:\{-#[^#\n]*#-\}[ \t]*)?(?:[^=\n]*=>[ \t]*)?(?:\w+\.)*([A-Z][\w']*)|` +
			`([a-z_][\w']*)(?:[ \t]*::|(?:[ \t]+[^\n]*)?=|[^\n=]*\n[ \t]+(?:\||=|::)))`)}
	zigRecovery = &engine.Recovery{Closer: "}",
		Heads: lazyregexp.MustCompile(`(?m)\A[ \t]*(?:(?:pub|export|inline|extern)[ \t]+)*fn[ \t]+(\w+)[ \t]*\(`)}
	sqlRecovery = &engine.Recovery{Alone: true, Heads: lazyregexp.MustCompile(
		`(?mi)\Acreate[ \t]+(?:or[ \t]+(?:replace|alter)[ \t]+)?(?:(?:temp|temporary|unlogged|materialized|unique|global|local|constraint)[ \t]+)*` +
			`(?:table|view|function|procedure|index|type|trigger|schema|sequence|domain)[ \t]+(?:concurrently[ \t]+)?(?:if[ \t]+not[ \t]+exists[ \t]+)?(?:"?\w+"?\.)*(?:"([^"\n]+)"|(\w+))`)}
)

// notHeads are words that something in brackets follows, and no parameters.
var notHeads = text.WordSet(`if else for while switch return catch do sizeof case defined new throw await yield typeof delete using lock fixed foreach
	synchronized assert super this function static_assert decltype alignas alignof __attribute__ __declspec noexcept requires elif when
	explicit operator goto public private protected internal static in of instanceof with nameof base checked unchecked try finally`)

// typeWords name types, and no functions.
var typeWords = text.WordSet("int void char long short bool float double unsigned signed auto const")

// cMayBegin reports whether a line has something that every head in C and C++ has. Most lines
// are no heads, and the expression takes long.
func cMayBegin(line []byte) bool {
	return bytes.IndexByte(line, '(') >= 0 || bytes.IndexByte(line, '#') >= 0 ||
		slices.ContainsFunc(cHeadWords, func(word []byte) bool { return bytes.Contains(line, word) })
}

var cHeadWords = [][]byte{[]byte("struct"), []byte("class"), []byte("enum"), []byte("union"), []byte("namespace")}

// cHead is [functionHead] for C and C++: nothing in a macro's text is declared by the file, nor
// by a macro that is defined as itself, and what goes on with a list is an initializer.
func cHead(text []byte, start, end int) bool {
	line := lineStart(text, start)
	before := bytes.TrimRight(text[:line], " \t\r\n")
	if len(before) > 0 {
		switch before[len(before)-1] {
		case '\\', ',', '(', '=', '<', '&', '|', '+', '?':
			return false
		}
	}
	whole, _, _ := bytes.Cut(text[line:], []byte("\n"))
	if whole = bytes.TrimSpace(whole); whole[0] == '#' {
		return !definesItself(whole)
	}
	if cTestHeads.Match(text[start:end]) {
		return false // its name is in the brackets
	}
	return functionHead(text, start, end)
}

// functionHead tells the head of a function from a call, a prototype and a statement:
// a body follows its parameters. What has no parameters is a head as it is.
func functionHead(text []byte, start, end int) bool {
	if notHeads[string(text[start:end])] || typeWords[string(text[start:end])] {
		return false
	}
	i := end
	if i < len(text) && text[i] == '<' {
		i += bytes.IndexByte(text[i:min(len(text), i+400)], '>') + 1
	}
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	before := bytes.TrimLeft(text[lineStart(text, start):start], " \t")
	if declaresType.Match(before) {
		return true
	}
	if i >= len(text) || text[i] != '(' || bytes.HasPrefix(before, []byte("#")) {
		return true
	}
	if word := before[:macroWordEnd(before, 0)]; notHeads[string(word)] && string(word) != "function" && string(word) != "new" {
		return false
	}
	if bytes.HasSuffix(bytes.TrimRight(before, " \t"), []byte("operator")) {
		return false
	}
	if name := text[start:end]; len(name) > 3 && !bytes.ContainsFunc(name, unicode.IsLower) && bytes.IndexByte(name, '_') > 0 {
		return false // a macro
	}
	if arguments := bytes.TrimLeft(text[i+1:min(len(text), i+100)], " \t\r\n"); len(arguments) > 0 && arguments[0] == '"' {
		return false // a call, or the head of a test
	}
	close := parametersEnd(text, i)
	if close < 0 {
		parameters, _, body := bytes.Cut(text[i:min(len(text), i+400)], []byte("{"))
		return body && !bytes.ContainsAny(parameters, `["`) && !bytes.Contains(parameters, []byte("=>")) // one bracket is missing
	}
	for limit := min(len(text), close+600); close < limit; close++ {
		switch text[close] {
		case '{':
			return true
		case ';', '}', '=', '#', '"', '?', '/', '.':
			return text[close] == '=' && close+1 < limit && text[close+1] == '>'
		case '(':
			if close = parametersEnd(text, close) - 1; close < 0 {
				return false
			}
		case ')', ',':
			if text[close] == ')' {
				return false
			}
		}
	}
	return false
}

// declaresType matches what comes before the name of a type.
var declaresType = lazyregexp.MustCompile(`\b(?:class|interface|struct|record)[ \t]+$`)

// haskellWords begin lines that declare no function.
var haskellWords = text.WordSet("module import where infix infixl infixr deriving pattern foreign default type data newtype class instance")

// haskellHead tells the first line of a function, mostly its signature, from the equations
// that follow it.
func haskellHead(text []byte, start, end int) bool {
	name := text[start:end]
	if haskellWords[string(name)] {
		return false
	}
	for before := start - 1; before > 0; {
		from := lineStart(text, before)
		line := text[from:before]
		before = from - 1
		if len(line) == 0 || bytes.IndexByte([]byte(" \t\r-#{"), line[0]) >= 0 {
			continue
		}
		rest, same := bytes.CutPrefix(line, name)
		return !same || len(rest) > 0 && (macroWordEnd(rest, 0) > 0 || rest[0] == '\'')
	}
	return true
}

// insideTags says whether PHP is there and no page.
func insideTags(text []byte, start, _ int) bool {
	before := text[max(0, start-1<<14):start]
	return bytes.LastIndex(before, []byte("?>")) <= bytes.LastIndex(before, []byte("<?"))
}

func lineStart(text []byte, at int) int { return bytes.LastIndexByte(text[:at], '\n') + 1 }

// parametersEnd returns the byte behind the bracket that closes the one at i, or -1.
func parametersEnd(text []byte, i int) int {
	depth := 0
	for limit := min(len(text), i+4000); i < limit; i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		case ';', '{', '}':
			if depth <= 1 && text[i] != '{' && text[i] != '}' {
				return -1
			}
		}
	}
	return -1
}
