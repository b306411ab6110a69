package tokenizer

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// compile reads a regular expression in the syntax of Oniguruma's default
// (Ruby), as far as tokenizers use it.
func compile(text string) (expression, error) {
	p := parser{rest: text}
	e, err := p.alternatives()
	if err == nil && p.rest != "" {
		err = fmt.Errorf("%q closes nothing", p.rest[:1])
	}
	if err != nil {
		return expression{}, fmt.Errorf("the expression %q: %w", text, err)
	}
	start, err := e.build(&state{does: accept})
	if err != nil {
		return expression{}, fmt.Errorf("the expression %q: %w", text, err)
	}
	return expression{start}, nil
}

// mustCompile compiles an expression of our own.
func mustCompile(text string) expression {
	e, err := compile(text)
	if err != nil {
		panic(err)
	}
	return e
}

// A tree is an expression taken apart.
type tree struct {
	does     action
	set      *charset
	not      bool
	parts    []*tree // fork: alternatives; look, atom: one
	run      []*tree // of what stands one after the other
	repeated *tree   // if set, the tree is this one, min to max times
	min, max int
	how      greed
}

const unlimited = math.MaxInt32

// maxCopies bounds what a counted repetition of a group is written out to.
const maxCopies = 64

// build returns the states that match t and go on with next.
func (t *tree) build(next *state) (*state, error) {
	switch {
	case t.repeated != nil:
		return t.buildRepeat(next)
	case t.run != nil:
		for i := len(t.run) - 1; i >= 0; i-- {
			var err error
			if next, err = t.run[i].build(next); err != nil {
				return nil, err
			}
		}
		return next, nil
	case t.does == fork:
		s := &state{does: fork}
		for _, p := range t.parts {
			o, err := p.build(next)
			if err != nil {
				return nil, err
			}
			s.other = append(s.other, o)
		}
		return s, nil
	case t.does == look, t.does == atom:
		o, err := t.parts[0].build(&state{does: accept})
		return &state{does: t.does, other: []*state{o}, not: t.not, next: next}, err
	case t.does == accept: // nothing
		return next, nil
	}
	return &state{does: t.does, set: t.set, next: next}, nil
}

// buildRepeat counts characters; groups it writes out as often as they must come,
// and then as a loop or as often as they may.
func (t *tree) buildRepeat(next *state) (*state, error) {
	body := t.repeated
	if body.does == one && body.run == nil && body.repeated == nil {
		return &state{does: many, set: body.set, min: t.min, max: t.max, how: t.how, next: next}, nil
	}
	if t.how == possessive {
		loop := *t
		loop.how = greedy
		o, err := loop.buildRepeat(&state{does: accept})
		return &state{does: atom, other: []*state{o}, next: next}, err
	}
	copies := t.min
	if t.max != unlimited {
		copies = t.max
	}
	if copies > maxCopies {
		return nil, fmt.Errorf("a group is repeated %d times", copies)
	}
	choose := func(more *state) *state {
		if t.how == lazy {
			return &state{does: fork, other: []*state{next, more}}
		}
		return &state{does: fork, other: []*state{more, next}}
	}
	tail := next
	if t.max == unlimited {
		if body.canBeEmpty() {
			return nil, errors.New("a group that may be empty is repeated without end")
		}
		loop := &state{does: fork}
		more, err := body.build(loop)
		if err != nil {
			return nil, err
		}
		loop.other = choose(more).other
		tail = loop
	} else {
		for range t.max - t.min {
			more, err := body.build(tail)
			if err != nil {
				return nil, err
			}
			tail = choose(more)
		}
	}
	for range t.min {
		var err error
		if tail, err = body.build(tail); err != nil {
			return nil, err
		}
	}
	return tail, nil
}

func (t *tree) canBeEmpty() bool {
	switch {
	case t.repeated != nil:
		return t.min == 0 || t.repeated.canBeEmpty()
	case t.run != nil:
		for _, r := range t.run {
			if !r.canBeEmpty() {
				return false
			}
		}
		return true
	case t.does == fork:
		for _, p := range t.parts {
			if p.canBeEmpty() {
				return true
			}
		}
		return false
	case t.does == atom:
		return t.parts[0].canBeEmpty()
	}
	return t.does != one
}

type parser struct {
	rest string
	fold bool // regardless of case
	deep int
}

// maxDepth is how deep groups may lie in each other.
const maxDepth = 100

func (p *parser) accept(s string) bool {
	var ok bool
	p.rest, ok = strings.CutPrefix(p.rest, s)
	return ok
}

func (p *parser) next() rune {
	r, n := utf8.DecodeRuneInString(p.rest)
	p.rest = p.rest[n:]
	return r
}

// alternatives reads up to the end or a closing parenthesis.
func (p *parser) alternatives() (*tree, error) {
	if p.deep++; p.deep > maxDepth {
		return nil, errors.New("groups lie too deep in each other")
	}
	defer func() { p.deep-- }()
	all := &tree{does: fork}
	for {
		t, err := p.sequence()
		if err != nil {
			return nil, err
		}
		all.parts = append(all.parts, t)
		if !p.accept("|") {
			break
		}
	}
	if len(all.parts) == 1 {
		return all.parts[0], nil
	}
	return all, nil
}

func (p *parser) sequence() (*tree, error) {
	all := &tree{does: accept}
	for p.rest != "" && p.rest[0] != '|' && p.rest[0] != ')' {
		t, err := p.item()
		if err != nil {
			return nil, err
		}
		if t, err = p.quantified(t); err != nil {
			return nil, err
		}
		all.run = append(all.run, t)
	}
	return all, nil
}

func (p *parser) item() (*tree, error) {
	switch r := p.next(); r {
	case '(':
		return p.group()
	case '[':
		c, err := p.class()
		return &tree{does: one, set: c}, err
	case '.':
		return p.single(&charset{chars: []rune{'\n'}, not: true})
	case '^':
		return &tree{does: lineStart}, nil
	case '$':
		return &tree{does: lineEnd}, nil
	case '\\':
		switch {
		case p.accept("A"):
			return &tree{does: textStart}, nil
		case p.accept("z"):
			return &tree{does: textEnd}, nil
		}
		c := new(charset)
		if err := p.escape(c, false); err != nil {
			return nil, err
		}
		return p.single(c)
	case '*', '+', '?':
		return nil, fmt.Errorf("%q repeats nothing", r)
	default:
		return p.single(&charset{chars: []rune{r}})
	}
}

// single is one character of c.
func (p *parser) single(c *charset) (*tree, error) {
	if p.fold {
		if err := c.fold(); err != nil {
			return nil, err
		}
	}
	return &tree{does: one, set: c.seal()}, nil
}

// groups are the kinds of groups by how they open.
var groups = []struct {
	open string
	does action
	not  bool
}{
	{"?:", fork, false},
	{"?=", look, false},
	{"?!", look, true},
	{"?>", atom, false},
}

func (p *parser) group() (*tree, error) {
	fold := p.fold
	defer func() { p.fold = fold }()
	does, not := fork, false
	if strings.HasPrefix(p.rest, "?") {
		found := false
		for _, g := range groups {
			if p.accept(g.open) {
				does, not, found = g.does, g.not, true
				break
			}
		}
		if !found && p.accept("?i:") {
			p.fold, found = true, true
		}
		if !found {
			return nil, fmt.Errorf("the group (%.4s… is not known", p.rest)
		}
	}
	t, err := p.alternatives()
	if err != nil {
		return nil, err
	}
	if !p.accept(")") {
		return nil, errors.New("a ) is missing")
	}
	if does == fork {
		return &tree{does: fork, parts: []*tree{t}}, nil
	}
	return &tree{does: does, not: not, parts: []*tree{t}}, nil
}

// quantified reads how often t comes.
func (p *parser) quantified(t *tree) (*tree, error) {
	least, most, counted := 0, unlimited, false
	switch {
	case p.accept("*"):
	case p.accept("+"):
		least = 1
	case p.accept("?"):
		most = 1
	case strings.HasPrefix(p.rest, "{"):
		var err error
		if least, most, err = p.counts(); err != nil {
			return nil, err
		}
		counted = true
	default:
		return t, nil
	}
	if t.does == look || t.does == lineStart || t.does == lineEnd || t.does == textStart || t.does == textEnd {
		return nil, errors.New("what has no width is repeated")
	}
	q := &tree{repeated: t, min: least, max: most}
	switch {
	case p.accept("?"):
		if counted && least == most {
			return nil, errors.New("{n}? means different things to different readers")
		}
		q.how = lazy
	case !counted && p.accept("+"):
		q.how = possessive
	}
	if strings.HasPrefix(p.rest, "*") || strings.HasPrefix(p.rest, "+") || strings.HasPrefix(p.rest, "?") || strings.HasPrefix(p.rest, "{") {
		return nil, errors.New("a repetition is repeated")
	}
	return q, nil
}

// counts reads {n}, {n,}, {n,m} or {,m}.
func (p *parser) counts() (least, most int, err error) {
	text, rest, ok := strings.Cut(p.rest[1:], "}")
	from, to, span := strings.Cut(text, ",")
	if !ok || from == "" && to == "" {
		return 0, 0, errors.New("{ begins no count")
	}
	if from != "" {
		if least, err = strconv.Atoi(from); err != nil {
			return 0, 0, errors.New("{ begins no count")
		}
	}
	switch {
	case !span:
		most = least
	case to == "":
		most = unlimited
	default:
		if most, err = strconv.Atoi(to); err != nil {
			return 0, 0, errors.New("{ begins no count")
		}
	}
	if least > most || least < 0 || least > 1<<16 {
		return 0, 0, fmt.Errorf("{%s} cannot be counted", text)
	}
	p.rest = rest
	return least, most, nil
}

// whiteSpace is \s.
var whiteSpace = unicode.White_Space

// properties are what \p{…} may name. Go's tables are completed by those of
// later versions of Unicode; others would not be what the reference takes them for.
var properties = map[string]*unicode.RangeTable{
	"L": unicode.L, "Lu": unicode.Lu, "Ll": unicode.Ll, "Lt": unicode.Lt, "Lm": unicode.Lm, "Lo": unicode.Lo,
	"N": unicode.N, "Nd": unicode.Nd, "Nl": unicode.Nl, "No": unicode.No,
	"P": unicode.P, "S": unicode.S, "M": unicode.M, "Z": unicode.Z, "Han": unicode.Han,
}

// property is the set of \p{name}.
func property(name string) (*charset, error) {
	t, ok := properties[name]
	if !ok {
		return nil, fmt.Errorf(`the class \p{%s} is not known`, name)
	}
	c := &charset{tables: []*unicode.RangeTable{t}}
	if l := later[name]; l != nil {
		c.tables = append(c.tables, l)
	}
	return c, nil
}

// escape reads what follows a backslash, and adds it to c; a few escapes mean
// something else within brackets.
func (p *parser) escape(c *charset, inClass bool) error {
	if p.rest == "" {
		return errors.New(`\ escapes nothing`)
	}
	switch r := p.next(); r {
	case 's', 'S':
		return c.add(&charset{tables: []*unicode.RangeTable{whiteSpace}}, r == 'S')
	case 'd', 'D':
		set, err := property("Nd")
		return errors.Join(err, c.add(set, r == 'D'))
	case 'w', 'W':
		set := &charset{tables: []*unicode.RangeTable{expressionWord}}
		if !inClass {
			set.chars = []rune("\u00b2\u00b3\u00b9\u00bc\u00bd\u00be") // an oddity of Oniguruma
		}
		return c.add(set, r == 'W')
	case 'p', 'P':
		name, rest, ok := strings.Cut(strings.TrimPrefix(p.rest, "{"), "}")
		if !ok || !strings.HasPrefix(p.rest, "{") {
			return fmt.Errorf(`\%c names no class`, r)
		}
		p.rest = rest
		name, inverse := strings.CutPrefix(name, "^")
		set, err := property(name)
		if err != nil {
			return err
		}
		return c.add(set, (r == 'P') != inverse)
	case 'x':
		return p.hexadecimal(c)
	default:
		if i := strings.IndexRune("tnrfva", r); i >= 0 {
			r = rune("\t\n\r\f\v\a"[i])
		} else if 'a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' {
			return fmt.Errorf(`\%c is not known`, r)
		}
		c.chars = append(c.chars, r)
	}
	return nil
}

// hexadecimal reads \x41 or \x{1F600}, after the x.
func (p *parser) hexadecimal(c *charset) error {
	digits, rest := p.rest, ""
	if p.accept("{") {
		digits, rest, _ = strings.Cut(p.rest, "}")
	} else if len(digits) >= 2 {
		digits, rest = digits[:2], digits[2:]
		if digits > "7f" { // a byte, not a character
			return fmt.Errorf(`\x%s is no character`, digits)
		}
	}
	n, err := strconv.ParseUint(digits, 16, 21)
	if err != nil || !utf8.ValidRune(rune(n)) {
		return fmt.Errorf(`\x%s is no character`, digits)
	}
	p.rest = rest
	c.chars = append(c.chars, rune(n))
	return nil
}

// add adds a set, turned round or not.
func (c *charset) add(set *charset, not bool) error {
	if set == nil {
		return nil
	}
	set.not = not
	c.nested = append(c.nested, set.seal())
	return nil
}

// class reads […], after the bracket.
func (p *parser) class() (*charset, error) {
	c := &charset{not: p.accept("^")}
	if strings.HasPrefix(p.rest, "]") {
		return nil, errors.New("a class is empty")
	}
	for !p.accept("]") {
		switch {
		case p.rest == "":
			return nil, errors.New("a ] is missing")
		case strings.HasPrefix(p.rest, "[:"), strings.HasPrefix(p.rest, "&&"):
			return nil, fmt.Errorf("%.2s in a class is not known", p.rest)
		case p.accept("["):
			inner, err := p.class()
			if err != nil {
				return nil, err
			}
			c.nested = append(c.nested, inner)
		default:
			if err := p.span(c); err != nil {
				return nil, err
			}
		}
	}
	if p.fold {
		if err := c.fold(); err != nil {
			return nil, err
		}
	}
	return c.seal(), nil
}

// span reads a character of a class, or a range of them, or an escaped class.
func (p *parser) span(c *charset) error {
	before := len(c.chars)
	if p.accept(`\`) {
		if err := p.escape(c, true); err != nil {
			return err
		}
	} else {
		c.chars = append(c.chars, p.next())
	}
	if len(c.chars) == before || !strings.HasPrefix(p.rest, "-") || strings.HasPrefix(p.rest, "-]") {
		return nil
	}
	p.accept("-")
	if strings.HasPrefix(p.rest, "[") {
		return errors.New("a range ends in a class")
	}
	from := c.chars[before]
	if p.accept(`\`) {
		if err := p.escape(c, true); err != nil {
			return err
		}
	} else {
		c.chars = append(c.chars, p.next())
	}
	if len(c.chars) != before+2 || c.chars[before+1] < from {
		return errors.New("a range has no end")
	}
	c.spans = append(c.spans, [2]rune{from, c.chars[before+1]})
	c.chars = c.chars[:before]
	return nil
}
