package languages

// repairEnumerators leaves the first argument alone of a macro that stands for an enumerator
// and is given more: OPT(NAME, KIND, 1) declares NAME. It returns the tokens that stay.
func repairEnumerators(src []byte, toks []cToken, drop func(start, end int)) []cToken {
	kept := toks[:0:0]
	until := 0 // where the list ends that the tokens are in
	for i := 0; i < len(toks); i++ {
		t := toks[i]
		if t.kind == '{' && i >= until && opensEnum(src, toks[:i]) {
			until = closingToken(toks, i)
		}
		begins := i > 0 && i < until && (toks[i-1].kind == '{' || toks[i-1].kind == ',' || toks[i-1].kind == cDirective)
		if begins && t.kind == cWord && i+4 < until && toks[i+1].kind == '(' && toks[i+2].kind == cWord && toks[i+3].kind == ',' {
			if end := closingToken(toks, i+1); end < until && (end+1 == until || toks[end+1].kind == ',') {
				drop(t.start, toks[i+2].start)
				drop(toks[i+2].end, toks[end].end)
				kept = append(kept, toks[i+2])
				i = end
				continue
			}
		}
		kept = append(kept, t)
	}
	return kept
}

// opensEnum reports whether a brace behind some tokens opens the list of an enumeration.
func opensEnum(src []byte, before []cToken) bool {
	for n := 1; n <= min(6, len(before)); n++ { // enum class Name : unsigned int
		switch t := before[len(before)-n]; {
		case t.kind == cWord && string(src[t.start:t.end]) == "enum":
			return true
		case t.kind != cWord && t.kind != ':' && t.kind != cScope:
			return false
		}
	}
	return false
}
