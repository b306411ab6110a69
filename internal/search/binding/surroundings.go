package binding

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"codeintel/internal/index"
	"codeintel/internal/search/gaps"
	"codeintel/internal/search/textmatch"
	"codeintel/internal/syntax"
)

// A surroundings is what the text around one occurrence shows. It is read once and
// held against many definitions.
type surroundings struct {
	file         string
	line, column int

	dotted, hasDotted     bool
	declared, constructed string
	hasDeclared, hasMade  bool
}

// surroundingsOf returns what is known of an occurrence so far.
func (r *Resolver) surroundingsOf(o *index.Occurrence) *surroundings {
	if r.surroundings.file != o.File || r.surroundings.line != o.Line || r.surroundings.column != o.Column {
		r.surroundings = surroundings{file: o.File, line: o.Line, column: o.Column}
	}
	return &r.surroundings
}

// maxScanned bounds in how much text one question looks for written types. Names that
// stand in tens of thousands of long functions are judged by place alone after that.
const maxScanned = 256 << 20

// constructed returns the type of a value that is made just before the dot:
// Counter in Counter().total and in new Counter(1).total.
func (r *Resolver) constructed(o *index.Occurrence) string {
	s := r.surroundingsOf(o)
	if !s.hasMade {
		s.constructed, s.hasMade = r.findConstructed(o), true
	}
	return s.constructed
}

func (r *Resolver) findConstructed(o *index.Occurrence) string {
	line := r.src.Raw(o.File, o.Line, o.Line)
	before := strings.TrimRight(string(line[:min(max(o.Column-1, 0), len(line))]), ".?->: \t")
	if !strings.HasSuffix(before, ")") {
		return ""
	}
	depth := 0
	for i := len(before) - 1; i >= 0; i-- {
		switch before[i] {
		case ')':
			depth++
		case '(':
			if depth--; depth > 0 {
				continue
			}
			head := before[:i]
			at := strings.LastIndexFunc(head, func(c rune) bool { return !textmatch.WordRune(c) }) + 1
			if t := head[at:]; t != "" && unicode.IsUpper(rune(t[0])) {
				return t
			}
			// (new Counter(1)).total: PHP and Java.
			if inner, ok := strings.CutPrefix(strings.TrimSpace(before[i+1:]), "new "); ok && head[at:] == "" {
				return lastPart(strings.TrimSpace(inner[:strings.IndexAny(inner+"(", "()")]))
			}
			return ""
		}
	}
	return ""
}

// AfterDot reports whether an occurrence follows a dot, an arrow or colons.
func (r *Resolver) AfterDot(o *index.Occurrence) bool {
	if o.Qualifier != "" {
		return true
	}
	s := r.surroundingsOf(o)
	if !s.hasDotted {
		s.dotted, s.hasDotted = r.findDot(o), true
	}
	return s.dotted
}

func (r *Resolver) findDot(o *index.Occurrence) bool {
	before := r.src.Before(o.File, o.Line, o.Column)
	return strings.HasSuffix(before, ".") ||
		slices.ContainsFunc(strings.Fields(syntax.Of(o.Language).Names.Accessors), func(a string) bool {
			return strings.HasSuffix(before, a)
		})
}

// qualifier returns the name before the dot, as the syntax gives it or, where that is a word
// of the language such as this, something that has a member of the name, or what an import
// brings in, as the text has it.
func (r *Resolver) qualifier(o *index.Occurrence) string {
	if o.Qualifier != "" || o.Language == syntax.Go {
		return o.Qualifier
	}
	line := r.src.Raw(o.File, o.Line, o.Line)
	before := strings.TrimRight(string(line[:min(max(o.Column-1, 0), len(line))]), " \t")
	for _, sep := range []string{"?.", ".", "?->", "->", "::"} {
		if head, ok := strings.CutSuffix(before, sep); ok {
			for _, word := range []string{"self", "this", "cls", "$this", "Self", "static", "super", "parent"} {
				if rest, ok := strings.CutSuffix(head, word); ok && (rest == "" ||
					!textmatch.WordRune(rune(rest[len(rest)-1])) && rest[len(rest)-1] != '$') {
					return word
				}
			}
			word := head[strings.LastIndexFunc(head, func(c rune) bool { return !textmatch.WordRune(c) })+1:]
			if r.rivals[word] || word != "" && slices.ContainsFunc(r.imports[o.File], func(i index.Import) bool {
				return boundName(i) == word
			}) {
				return word
			}
		}
	}
	return ""
}

// throughValue reports whether a name follows a value and a dot, and no name of a type: members
// of enums do not.
func (r *Resolver) throughValue(o *index.Occurrence) bool {
	if !r.AfterDot(o) {
		return false
	}
	before := o.Qualifier
	if before == "" {
		line := r.src.Raw(o.File, o.Line, o.Line)
		before = strings.TrimRight(string(line[:min(max(o.Column-1, 0), len(line))]), ". \t")
	}
	word := before[strings.LastIndexFunc(before, func(c rune) bool { return !textmatch.WordRune(c) })+1:]
	if word == "" {
		return before != "" && strings.IndexByte(")]}?!", before[len(before)-1]) >= 0
	}
	return !unicode.IsUpper([]rune(word)[0])
}

// followedBy reports whether the first byte after an occurrence that is no white
// space is c.
func (r *Resolver) followedBy(o *index.Occurrence, c byte) bool {
	text := r.src.Text(o.File)
	at := min(r.src.Offset(o.File, o.Line)+o.Column-1+len(o.Name), len(text))
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	return at < len(text) && text[at] == c
}

// declaredType returns the type that the function around an occurrence writes
// down for the name before the dot, or "".
func (r *Resolver) declaredType(o *index.Occurrence) string {
	s := r.surroundingsOf(o)
	if !s.hasDeclared {
		s.declared, s.hasDeclared = r.findDeclared(o), true
	}
	return s.declared
}

func (r *Resolver) findDeclared(o *index.Occurrence) string {
	q := strings.TrimLeft(o.Qualifier, "$")
	if q == "" || o.Enclosing.StartLine == 0 {
		return ""
	}
	text := string(r.src.Raw(o.File, o.Enclosing.StartLine, o.Line))
	if len(text) > 200_000 {
		return ""
	}
	if r.scanned += len(text); r.scanned > maxScanned {
		r.src.Lacks(gaps.Written, o.File)
		return ""
	}
	re := r.patterns[string(o.Language)+" "+q]
	if re == nil {
		var err error
		if re, err = typePatterns(q, o.Language); err != nil {
			return ""
		}
		r.patterns[string(o.Language)+" "+q] = re
	}
	// The last one before the place is the one that holds there.
	all := re.FindAllStringSubmatch(text, -1)
	for i := len(all) - 1; i >= 0; i-- {
		for _, g := range all[i][1:] {
			if g != "" {
				return lastPart(strings.TrimLeft(g, "*&?"))
			}
		}
	}
	return ""
}

// typePatterns builds the expression that finds a written type of a name.
func typePatterns(q string, lang syntax.Language) (*regexp.Regexp, error) {
	typed := syntax.Of(lang).Names.Typed
	if typed == "" {
		return nil, fmt.Errorf("binding: no patterns for %s", lang)
	}
	return regexp.Compile(strings.NewReplacer(
		"NAME", regexp.QuoteMeta(q),
		"TYPE", `([A-Za-z_][\w.:\\]*)`,
		"CAPITAL", `((?:[a-z_]\w*\.)*[A-Z]\w*)`,
	).Replace(typed))
}
