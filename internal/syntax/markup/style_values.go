package markup

import (
	"slices"
	"strings"

	"codeintel/internal/syntax/engine"
)

// animationWords are the values of animation that name no keyframes.
var animationWords = strings.Fields("alternate alternate-reverse backwards both ease ease-in ease-in-out ease-out forwards infinite inherit initial linear none normal paused reverse revert running step-end step-start unset important")

// styleFunctions are the functions that CSS and Sass bring; what else is called
// is the project's.
var styleFunctions = strings.Fields(`abs acos adjust-color alpha and anchor asin atan atan2 attr blur brightness calc change-color circle
 clamp color color-mix complement conic-gradient contrast cos counter counters cross-fade cubic-bezier darken desaturate dir drop-shadow element
 ellipse env exp fade fadein fadeout fit-content format grayscale green has has-slotted host host-context hsl hsla hue-rotate hwb hypot if image image-set
 inset invert is ic lab lang layer lch light-dark lighten linear linear-gradient local log map-get map-merge map-keys map-values map-has-key matches matrix
 matrix3d max min minmax mix mod not nth-child nth-last-child nth-last-of-type nth-of-type nth oklab oklch only opacity or paint path percentage
 perspective polygon pow radial-gradient ray rect rem repeat repeating-conic-gradient repeating-linear-gradient repeating-radial-gradient
 rgb rgba rotate rotate3d rotatex rotatey rotatez round saturate scale scale-color scale3d scalex scaley scalez selector sepia sign sin skew skewx skewy slotted
 spin sqrt steps style supports symbols tan translate translate3d translatex translatey translatez unit unquote url url-prefix var where
 xywh cue part type-of length append join index inspect global`)

// values mentions what a value names: variables, custom properties, functions
// of the project.
func (s *style) values(at span, parent int) {
	for i := at.Start; i < at.End; {
		c := s.Source[i]
		if end := s.commentEnd(int(i)); end > int(i) && c == '/' {
			i = uint32(end)
			continue
		}
		switch {
		case c == '"' || c == '\'':
			end := uint32(s.quoted(int(i), int(at.End)))
			s.interpolated(span{i + 1, end}, parent)
			i = end
		case c == '$' || s.extended && c == '@' && i+1 < at.End && (isWord(s.Source[i+1]) || s.Source[i+1] == '{'):
			end := s.identEnd(i+1, at.End)
			if end > i+1 {
				s.readVariable(span{i, end}, at.End, parent)
			}
			i = max(end, i+1)
		case c == '-' || isWord(c):
			i = s.word(i, at.End, parent)
		case c == '#':
			i = max(i+1, s.identEnd(i+1, at.End)) // a colour
		default:
			i++
		}
	}
}

// readVariable mentions a variable, which may be that of a module, or the name
// of an argument.
func (s *style) readVariable(name span, limit uint32, parent int) {
	text := s.slice(name.Start, name.End)
	if after := uint32(SkipBlanks(s.Source, int(name.End))); after < limit && s.Source[after] == ':' {
		s.occur(text, name.Start, engine.Write, parent)
		return
	}
	if qualifier := s.qualifier(name.Start); qualifier != "" {
		s.qualified(text, qualifier, name.Start, engine.Read, parent)
		return
	}
	if s.isLocal(text) {
		s.local(text, name.Start, engine.Read, parent)
		return
	}
	s.occur(text, name.Start, engine.Read, parent)
}

// qualifier returns the name of the module before a dot that ends at a byte.
func (s *style) qualifier(at uint32) string {
	if at == 0 || s.Source[at-1] != '.' {
		return ""
	}
	from := at - 1
	for from > 0 && (isWord(s.Source[from-1]) && s.Source[from-1] != '$' || s.Source[from-1] == '-') {
		from--
	}
	return s.slice(from, at-1)
}

func (s *style) qualified(name, qualifier string, at uint32, role engine.Role, parent int) {
	n := len(s.file.Occurrences)
	s.occur(name, at, role, parent)
	for ; n < len(s.file.Occurrences); n++ {
		s.file.Occurrences[n].Qualifier = qualifier
	}
}

// word reads a word of a value and returns where it ends.
func (s *style) word(i, limit uint32, parent int) uint32 {
	end := s.identEnd(i, limit)
	if end == i {
		return i + 1
	}
	name := s.slice(i, end)
	switch {
	case strings.HasPrefix(name, "--"):
		if len(name) > 2 {
			s.occur(name, i, engine.Read, parent)
		}
	case name == "v-bind" && end < limit && s.Source[end] == '(': // a value of the component in Vue
		for end++; end < limit && (engine.IsSpace(s.Source[end]) || s.Source[end] == '\'' || s.Source[end] == '"'); end++ {
		}
		last := s.identEnd(end, limit)
		s.occur(s.slice(end, last), end, engine.Read, parent)
		return last
	case end < limit && s.Source[end] == '(' && strings.EqualFold(name, "url"):
		return uint32(min(s.urlEnd(int(end)), int(limit)))
	case end < limit && s.Source[end] == '(' && s.extended && name[0] != '-' && (name[0] < '0' || name[0] > '9'):
		qualifier := s.qualifier(i)
		switch {
		case i > 0 && (s.Source[i-1] == ':' || s.Source[i-1] == '.' && qualifier == ""), s.modules[qualifier]:
		case qualifier != "":
			s.qualified(name, qualifier, i, engine.Call, parent)
		case s.functions[name] || !slices.Contains(styleFunctions, strings.ToLower(name)):
			s.occur(name, i, engine.Call, parent)
		}
	}
	return end
}

// interpolated mentions the variables that are written into a string.
func (s *style) interpolated(at span, parent int) {
	for i := at.Start; i+1 < at.End; i++ {
		if s.Source[i] == '#' && s.Source[i+1] == '{' {
			end := uint32(min(s.interpolationEnd(int(i)), int(at.End)))
			if end > i+2 {
				s.values(span{i + 2, end}, parent)
				i = end - 1
			}
		}
	}
}

// maxBases bounds how many selectors & is followed for.
const maxBases = 8

// addSelector makes a symbol of a class, id or placeholder. written: its name is
// there as it is.
func (s *style) addSelector(head span, rule int, name string, at uint32, written bool) {
	if strings.IndexByte(name, '\\') >= 0 {
		name, written = unescape(name), false
	}
	i := s.addSpan(head, engine.Selector, name, at, rule, s.file.Symbols[rule].Signature)
	symbol := &s.file.Symbols[i]
	symbol.Start, symbol.DocStart = int(at)-1, int(at)-1
	symbol.StartLine = s.row(at-1) + 1
	symbol.End = int(at) + len(name)
	if !written {
		symbol.End = int(s.identEnd(at, head.End))
	}
	symbol.EndLine = symbol.StartLine
	if written {
		s.occur(name, at, engine.Definition, i)
	}
}

// selectors makes symbols of the classes, ids and placeholders that a rule
// selects, and returns the classes that & stands for in it: the last one of
// each of its selectors.
func (s *style) selectors(head span, rule int, outer []string) []string {
	var bases []string
	last := ""
	for i := head.Start; i < head.End; {
		if end := s.commentEnd(int(i)); end > int(i) && s.Source[i] == '/' {
			i = uint32(end)
			continue
		}
		switch c := s.Source[i]; c {
		case '"', '\'':
			i = uint32(s.quoted(int(i), int(head.End)))
			continue
		case '[':
			for i < head.End && s.Source[i] != ']' {
				i++
			}
		case ',':
			bases, last = addBase(bases, last), ""
		case '&':
			last = ""
			if end := s.identEnd(i+1, head.End); end > i+1 && !s.interpolates(end, head.End) {
				suffix := s.slice(i+1, end)
				for _, base := range outer {
					s.addSelector(head, rule, base+suffix, i+1, false)
					bases = addBase(bases, base+suffix)
				}
				i = end
				continue
			}
			for _, base := range outer {
				bases = addBase(bases, base)
			}
		case '.', '#', '%':
			end := s.identEnd(i+1, head.End)
			if s.interpolates(i, head.End) {
				i = uint32(s.interpolationEnd(int(i)))
				i = min(max(i, s.identEnd(i, head.End)), head.End)
				continue
			}
			if first := i + 1; end > first && !s.interpolates(end, head.End) && (s.Source[first] < '0' || s.Source[first] > '9') {
				s.addSelector(head, rule, s.slice(first, end), first, true)
				if c == '.' || c == '%' {
					last = s.slice(first, end)
				}
			}
			i = max(end, i+1)
			continue
		}
		i++
	}
	return addBase(bases, last)
}

// interpolates says whether #{ or @{ is at a byte.
func (s *style) interpolates(at, end uint32) bool {
	return at+1 < end && (s.Source[at] == '#' || s.Source[at] == '@') && s.Source[at+1] == '{'
}

func addBase(bases []string, name string) []string {
	if name == "" || len(bases) >= maxBases || slices.Contains(bases, name) || len(name) > 100 {
		return bases
	}
	return append(bases, name)
}

// unescape returns what a name with escapes means: sm\:hidden is sm:hidden.
func unescape(name string) string {
	var b strings.Builder
	for i := 0; i < len(name); i++ {
		if name[i] != '\\' {
			b.WriteByte(name[i])
			continue
		}
		code, digits := rune(0), 0
		for i+1 < len(name) && digits < 6 {
			d := strings.IndexByte("0123456789abcdef", name[i+1]|0x20)
			if name[i+1] >= '0' && name[i+1] <= '9' {
				d = int(name[i+1] - '0')
			}
			if d < 0 {
				break
			}
			code, digits, i = code<<4|rune(d), digits+1, i+1
		}
		switch {
		case digits > 0:
			b.WriteRune(code)
			if i+1 < len(name) && name[i+1] == ' ' {
				i++
			}
		case i+1 < len(name):
			i++
			b.WriteByte(name[i])
		}
	}
	return b.String()
}
