package codediff

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
)

// truth evaluates a condition whose parts are all written out. No node, as the value that a pipe of
// Elixir hands to "case", says nothing.
func (s *side) truth(node int32) expression.Truth {
	if node < 0 {
		return expression.Unknown
	}
	if n := s.tree.Nodes[node]; n.End-n.Start > 200 {
		return expression.Unknown
	}
	text := s.tree.Text(node)
	switch s.lang {
	case syntax.TypeScript, syntax.TSX:
		text = typed.ReplaceAllString(text, "")
	case syntax.Rust:
		text = strings.ReplaceAll(strings.ReplaceAll(text, "cfg!(any())", "false"), "cfg!(all())", "true")
	}
	text = strings.TrimSpace(text)
	t := expression.Evaluate(text)
	if f := s.functionAround(node); t == expression.Unknown {
		where := expression.Where{Rust: s.lang == syntax.Rust, File: s.src}
		if f >= 0 {
			where.Function = s.tree.Text(f)
		}
		t = where.Extreme(strings.Trim(text, "( )"))
	}
	if t == expression.Unknown {
		if own := s.withOwnValues(node, text); own != text {
			t = expression.Evaluate(own)
		}
	}
	if t != expression.Unknown || !plainWord.MatchString(text) {
		return t
	}
	if s.falses == nil {
		s.falses = make(map[string]bool)
		for _, m := range falseConstant.FindAllStringSubmatch(string(s.src), -1) {
			s.falses[m[1]] = true
		}
		for i := range s.tree.Nodes { // what is false unless it is given
			if node := int32(i); s.tree.Kind(node) == "class_parameter" {
				for c := range s.children(node) {
					delete(s.falses, s.tree.Text(c))
				}
			}
		}
	}
	if s.falses[text] {
		return expression.No
	}
	return expression.Unknown
}

// nameIn finds a name in a condition.
var nameIn = lazyregexp.MustCompile(`[\pL_$][\pL\pN_$]*`)

// withOwnValues returns the text of a condition in which each local that the function around it gives a
// number, or true or false, and never anything else, stands for that.
func (s *side) withOwnValues(node int32, text string) string {
	f := s.functionAround(node)
	if f < 0 || strings.ContainsAny(text, "('\"`") || s.tree.Nodes[f].End-s.tree.Nodes[f].Start > 1<<14 {
		return text
	}
	return nameIn.ReplaceAllStringFunc(text, func(name string) string {
		if value := s.onlyValue(f, name); value != "" {
			return value
		}
		return name
	})
}

// onlyValue returns the number, or true or false, that a local of a function is given where it is
// declared, if no other line may change it, or "".
func (s *side) onlyValue(function int32, name string) string {
	if expression.IsWord(name) && (flows[name] || !holdsWord(s.tree.Text(function), name)) {
		return ""
	}
	value := ""
	for i := function + 1; i < s.tree.Nodes[function].Next; i++ {
		if !s.tree.Named(i) || !s.isStatement(i) || s.isBlock(i) || s.functionAround(i) != function {
			continue
		}
		if left, right, ok := s.assignment(i); ok && s.tree.Text(left) == name {
			if is := s.tree.Text(right); value != "" || !(s.declares(i, left, right) || s.spec.Comparing.Undeclared) || !plainNumber.MatchString(is) {
				return ""
			} else {
				value = is
			}
		}
	}
	if value == "" {
		return ""
	}
	declared := false
	for line := range strings.Lines(s.withoutTexts(function)) {
		if !holdsWord(line, name) {
			continue
		}
		at := strings.Index(line, name)
		if before, after, assigns := strings.Cut(line, "="); !declared && assigns && holdsWord(before, name) && plainNumber.MatchString(strings.Trim(strings.TrimSpace(after), "; ")) {
			declared = true
			continue
		}
		if !onlyDecides.MatchString(line) || changesName.MatchString(line[at:]) {
			return ""
		}
	}
	if !declared {
		return ""
	}
	return value
}

// withoutTexts returns what a node reads without comments, and without texts that hold no values.
func (s *side) withoutTexts(node int32) string {
	n := s.tree.Nodes[node]
	return plainTexts.ReplaceAllString(string(s.withoutComments()[n.Start:n.End]), `""`)
}

var plainTexts = lazyregexp.MustCompile(`"[^"$#{\\\n]*"|'[^'$#{\\\n]{2,}'`)

// onlyInDecided reports whether an assignment gives a local the one value that it ever has, and it is
// named only in conditions that are decided by that.
func (s *side) onlyInDecided(assignment int32, name string) bool {
	f := s.functionAround(assignment)
	if f < 0 || !plainWord.MatchString(name) || s.onlyValue(f, name) == "" {
		return false
	}
	left := count(s.withoutTexts(f), name) - s.named(assignment, name)
	for i := f + 1; i < s.tree.Nodes[f].Next && left > 0; i++ {
		if cond := s.condition(i); cond >= 0 && !s.isLoop(i) && s.named(cond, name) > 0 && s.truth(cond) != expression.Unknown {
			left -= s.named(cond, name)
		}
	}
	return left == 0
}

var (
	plainNumber = lazyregexp.MustCompile(`^(?:-?\d[\d_.]*|true|false|True|False)$`)
	// onlyDecides finds a line that is a condition, and does nothing else with what it names.
	onlyDecides = lazyregexp.MustCompile(`^\s*(?:\}\s*)?(?:if|elif|elsif|else if|unless|return)\b[^&=]*(?:(?:&&|[=!<>]==?|==)[^&=]*)*$`)
	changesName = lazyregexp.MustCompile(`^\S*\s*(?:\+\+|--|<<|[-+*/%|]=)`)
)

// typed finds what an expression of TypeScript is said to be.
var typed = lazyregexp.MustCompile(`\s+as\s+(?:const|[\w.]+)\b`)

// plainWord finds a condition that is a name; falseConstant the declaration of one that
// stands for false throughout the file.
var (
	plainWord     = lazyregexp.MustCompile(`^[\pL_$][\pL\pN_$]*$`)
	falseConstant = lazyregexp.MustCompile(`(?m)^[ \t]*(?:export |public |private |protected |internal |pub |static |final |constexpr |inline )*(?:const|final|val)[ \t]+(?:bool |boolean |Boolean )?([\pL_$][\pL\pN_$]*)(?:[ \t]*:[ \t]*(?:bool|boolean|Boolean)|[ \t]+bool)?[ \t]*=[ \t]*false\b`)
)
