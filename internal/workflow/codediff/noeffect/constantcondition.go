package noeffect

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/expression"
	"codeintel/internal/workflow/codediff/source"
)

// emptyList matches an empty collection, in the spellings of many languages.
var emptyList = lazyregexp.MustCompile(`^(?:\[\]|\(\)|\{\}|""|0|range\(0\)|0\.\.0|1\.\.=0|0until0|0\.\.<0|(?:list|tuple|set|dict|array|emptyList|listOf|setOf|mapOf|Array|List\.of|Set\.of|Collections\.empty(?:List|Set)|Enumerable\.Empty<[^()]*>|(?:std::)?iter::empty(?:::<[^()]*>)?)\(\)|vec!\[\]|make\(\[\][^()]*,0(?:,[^()]*(?:\([^()]*\))?)?\)|make\(map\[[^()]*\)|(?:Vec|HashMap|BTreeMap)(?:::<[^()]*>)?::new\(\)|(?:\[\]|map\[).*\{\}|new(?:ArrayList|List|HashMap|HashSet|Array|Set|Map|Dictionary)(?:<[^()]*>)?\(\)(?:\{\})?|new\w+\[0\]|(?:Array|Hash|Set)\.new|%[wi]\[\])$`)

// refusesAll is a filter that lets nothing through, in the spellings of many languages; filtersAll matches
// one in a list, overRefused a call that runs a function for what is left of it.
const refusesAll = `\b(?:filter|select|[wW]here|find_all|keep_if)\b\s*[({]\s*(?:fn\s*)?(?:lambda\b[^:]*:|\(?[\w\s,:$&]*\)?\s*(?:=>|->)|\|[\w\s,&]*\|)?` +
	`\s*\{?\s*(?:return\s+)?(?:false|False|nil)\b\s*;?\s*\}?\s*(?:end\s*)?`

var (
	filtersAll  = lazyregexp.MustCompile(`(?:` + refusesAll + `[,)}]|\bfor\b[^\[\]]*\bin\b[^\[\]]*\bif\s+False\s*[\])])`)
	overRefused = lazyregexp.MustCompile(`^[\w.$@()\[\]]*\b` + refusesAll + `[)}]\s*\.\s*(?:for_?[eE]ach|ForEach|each\w*|map)\b`)
)

// isEmptyCollection reports whether an expression is an empty collection: a literal one, one that a filter
// has emptied, or the name of a local that is given such a literal and then only read here.
func (s *Analysis) isEmptyCollection(over int32) bool {
	text := source.PlainText(s.Tree.Text(over))
	if len(text) > 200 {
		return false
	}
	if emptyList.MatchString(text) || filtersAll.MatchString(s.Tree.Text(over)) || strings.HasSuffix(text, ".take(0)") || strings.HasSuffix(text, ".first(0)") {
		return true
	}
	for _, part := range []string{"&", ".iter()", ".into_iter()", ".items()", ".entries()", ".each", "$"} {
		text = strings.TrimSuffix(strings.TrimPrefix(text, part), part)
	}
	f := s.FunctionAround(over)
	if f < 0 || !source.PlainWord.MatchString(text) || source.CountWord(s.Tree.Text(f), text) != 2 {
		return false
	}
	for i := f + 1; i < over; i++ {
		if s.Tree.Kind(i) == "var_spec" && s.Tree.Field(i, "value") < 0 && s.Tree.Text(s.Tree.Field(i, "name")) == text {
			return true // of Go, declared and given nothing
		}
		if !s.Tree.Named(i) || !s.IsStatement(i) {
			continue
		}
		if left, right, ok := s.Assignment(i); ok && strings.TrimLeft(s.Tree.Text(left), "$") == text {
			return emptyList.MatchString(source.PlainText(s.Tree.Text(right)))
		}
	}
	return false
}

// ReturnsNothing reports whether a block returns a list that it makes and leaves empty, or nothing earlier.
func (s *Analysis) ReturnsNothing(block int32) bool {
	last := s.LastChild(block)
	value := s.OnlyChild(last)
	for s.Tree.Kind(value) == "expression_list" {
		value = s.OnlyChild(value)
	}
	name := s.Tree.Text(value)
	if s.Tree.Kind(last) != "return_statement" || !source.PlainWord.MatchString(name) || !s.isEmptyCollection(value) {
		return false
	}
	for c := range s.Children(block) {
		left, _, ok := s.Assignment(c)
		switch cond := s.Condition(c); {
		case c == last, strings.Contains(s.Tree.Kind(c), "comment"), ok && s.Tree.Text(left) == name,
			s.Tree.Kind(c) == "var_declaration":
		case cond < 0 || s.IsLoop(c) || s.hasEffect(cond) && !s.onlyAsksOf(cond):
			return false
		default:
			nothing := true
			s.Branches(c, cond, func(b int32, _ bool) {
				nothing = nothing && endsEmpty.MatchString(source.PlainText(s.Tree.Text(b)))
			})
			if !nothing {
				return false
			}
		}
	}
	return true
}

// endsEmpty matches a block that only returns nothing, without its blanks.
var endsEmpty = lazyregexp.MustCompile(`^\{?return(?:nil|null|None|undefined|\[\]|\{\})?;?\}?$`)

// constantTruth evaluates a condition whose parts are all written out. No node, as the value that a pipe of
// Elixir hands to "case", says nothing.
func (s *Analysis) constantTruth(node int32) expression.Truth {
	if node < 0 {
		return expression.Unknown
	}
	if n := s.Tree.Nodes[node]; n.End-n.Start > 200 {
		return expression.Unknown
	}
	text := s.Tree.Text(node)
	switch s.Lang {
	case syntax.TypeScript, syntax.TSX:
		text = typed.ReplaceAllString(text, "")
	case syntax.Rust:
		text = strings.ReplaceAll(strings.ReplaceAll(text, "cfg!(any())", "false"), "cfg!(all())", "true")
	}
	text = strings.TrimSpace(text)
	where := expression.Where{Rust: s.Lang == syntax.Rust, Script: s.Spec.Comparing.Coerces, File: s.Src}
	if where.IsOpen(text) {
		return expression.Unknown
	}
	t := expression.Evaluate(text)
	if f := s.FunctionAround(node); t == expression.Unknown {
		if f >= 0 {
			where.Function = s.Tree.Text(f)
		}
		bare := text
		for strings.HasPrefix(bare, "(") && strings.HasSuffix(bare, ")") {
			bare = strings.TrimSpace(bare[1 : len(bare)-1])
		}
		t = where.Extreme(bare)
	}
	if t == expression.Unknown {
		if own := s.withOwnValues(node, text); own != text {
			t = expression.Evaluate(own)
		}
	}
	if t != expression.Unknown || !source.PlainWord.MatchString(text) {
		return t
	}
	if s.falseConstants == nil {
		s.falseConstants = make(map[string]bool)
		for _, m := range falseConstant.FindAllStringSubmatch(string(s.Src), -1) {
			s.falseConstants[m[1]] = true
		}
		for i := range s.Tree.Nodes { // a parameter whose default is false
			if node := int32(i); s.Tree.Kind(node) == "class_parameter" {
				for c := range s.Children(node) {
					delete(s.falseConstants, s.Tree.Text(c))
				}
			}
		}
	}
	if s.falseConstants[text] {
		return expression.No
	}
	return expression.Unknown
}

// nameIn finds a name in a condition.
var nameIn = lazyregexp.MustCompile(`[\pL_$][\pL\pN_$]*`)

// withOwnValues returns the text of a condition in which each local that the function around it gives a
// number, or true or false, and never anything else, is replaced by that value.
func (s *Analysis) withOwnValues(node int32, text string) string {
	f := s.FunctionAround(node)
	if f < 0 || strings.ContainsAny(text, "('\"`") || s.Tree.Nodes[f].End-s.Tree.Nodes[f].Start > 1<<14 {
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
func (s *Analysis) onlyValue(function int32, name string) string {
	if expression.IsWord(name) && (source.ControlWords[name] || !source.ContainsWord(s.Tree.Text(function), name)) {
		return ""
	}
	value := ""
	for i := function + 1; i < s.Tree.Nodes[function].Next; i++ {
		if !s.Tree.Named(i) || !s.IsStatement(i) || s.IsBlock(i) || s.FunctionAround(i) != function {
			continue
		}
		if left, right, ok := s.Assignment(i); ok && s.Tree.Text(left) == name {
			if is := s.Tree.Text(right); value != "" || !(s.declares(i, left, right) || s.Spec.Comparing.Undeclared) || !plainNumber.MatchString(is) {
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
		if !source.ContainsWord(line, name) {
			continue
		}
		at := strings.Index(line, name)
		if before, after, assigns := strings.Cut(line, "="); !declared && assigns && source.ContainsWord(before, name) && plainNumber.MatchString(strings.Trim(strings.TrimSpace(after), "; ")) {
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

// withoutTexts returns the text of a node without comments and plain strings.
func (s *Analysis) withoutTexts(node int32) string {
	n := s.Tree.Nodes[node]
	return plainTexts.ReplaceAllString(string(s.WithoutComments()[n.Start:n.End]), `""`)
}

var plainTexts = lazyregexp.MustCompile(`"[^"$#{\\\n]*"|'[^'$#{\\\n]{2,}'`)

// onlyInDecided reports whether an assignment gives a local the one value that it ever has, and it is
// named only in conditions that are decided by that.
func (s *Analysis) onlyInDecided(assignment int32, name string) bool {
	f := s.FunctionAround(assignment)
	if f < 0 || !source.PlainWord.MatchString(name) || s.onlyValue(f, name) == "" {
		return false
	}
	left := source.CountWord(s.withoutTexts(f), name) - s.CountName(assignment, name)
	for i := f + 1; i < s.Tree.Nodes[f].Next && left > 0; i++ {
		if cond := s.Condition(i); cond >= 0 && !s.IsLoop(i) && s.CountName(cond, name) > 0 && s.constantTruth(cond) != expression.Unknown {
			left -= s.CountName(cond, name)
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

var (
	falseConstant = lazyregexp.MustCompile(`(?m)^[ \t]*(?:export |public |private |protected |internal |pub |static |final |constexpr |inline )*(?:const|final|val)[ \t]+(?:bool |boolean |Boolean )?([\pL_$][\pL\pN_$]*)(?:[ \t]*:[ \t]*(?:bool|boolean|Boolean)|[ \t]+bool)?[ \t]*=[ \t]*false\b`)
)
