package languages

import (
	"bytes"

	"codeintel/internal/text"
)

// repairCalls leaves out the macros that are given statements, and so keeps the
// statements: CHECK_THROWS(Reader r(file));. To the grammar such a call is the head of a
// function, and what follows is lost.
func repairCalls(src []byte, toks []cToken, drop func(start, end int)) []cToken {
	var gone map[int]bool
	for i := 1; i+1 < len(toks); i++ {
		t := toks[i]
		if t.kind != cWord || toks[i+1].kind != '(' || bytes.IndexByte([]byte(";{}"), toks[i-1].kind) < 0 ||
			!isMacroName(src[t.start:t.end]) {
			continue
		}
		near := toks[:min(len(toks), i+longestList)]
		end := closingToken(near, i+1)
		if end+1 >= len(near) || near[end+1].kind != ';' || !givenStatements(src, near[i+2:end]) {
			continue
		}
		if gone == nil {
			gone = map[int]bool{}
		}
		drop(t.start, toks[i+1].end)
		gone[i], gone[i+1] = true, true
		from := end
		if toks[i+2].kind == '{' { // what is behind the block: CHECK_DIES({ f(); }, "why")
			from = min(end, closingToken(near, i+2)+1)
		}
		drop(toks[from].start, toks[end].end)
		for ; from <= end; from++ {
			gone[from] = true
		}
	}
	if gone == nil {
		return toks
	}
	rest := toks[:0:0]
	for i, t := range toks {
		if !gone[i] {
			rest = append(rest, t)
		}
	}
	return rest
}

// givenStatements reports whether the arguments of a macro are statements: a block, or a
// declaration that has a value or arguments.
func givenStatements(src []byte, st []cToken) bool {
	if len(st) == 0 {
		return false
	}
	if st[0].kind == '{' {
		return true
	}
	for i := 0; i < len(st); i++ {
		switch t := st[i]; t.kind {
		case ';':
			return true
		case '(', '[', '{':
			i = closingToken(st, i)
		case cWord:
			if i+2 < len(st) && st[i+1].kind == cWord && bytes.IndexByte([]byte("(={;"), st[i+2].kind) >= 0 &&
				!beforeWords[string(src[t.start:t.end])] {
				return true
			}
		}
	}
	return false
}

// beforeWords come before a word in expressions.
var beforeWords = text.WordSet("new return sizeof typename struct class union enum const throw co_await delete not and or case goto")
