package impact

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
)

// A markName is a class or an id.
type markName struct {
	id   bool
	name string
}

func (m markName) String() string {
	if m.id {
		return "#" + m.name
	}
	return "." + m.name
}

// selectorName reads ".card" or "#nav".
func selectorName(s string) (markName, bool) {
	if len(s) > 1 && (s[0] == '.' || s[0] == '#') && selectorPattern.FindString(s) == s {
		return markName{id: s[0] == '#', name: s[1:]}, true
	}
	return markName{}, false
}

// A markUse says what a place does with a class or an id.
type markUse int

const (
	styles  markUse = 1 << iota // a style sheet gives it looks
	has                         // an element has it
	selects                     // a script looks elements up by it, or sets it
)

// A mark is a class or id at a place.
type mark struct {
	name markName
	use  markUse
	line int
}

// templates are suffixes of templates in languages that package syntax does not know.
var templates = strings.Fields(".erb .ejs .hbs .mustache .jinja .j2 .twig .tmpl .gohtml .astro")

// markupForm says what a file has to do with classes and ids.
func markupForm(file string) syntax.Form {
	switch ext := strings.ToLower(path.Ext(file)); {
	case slices.Contains(templates, ext):
		return syntax.Page
	case ext == ".sass":
		return syntax.Sheet
	}
	return syntax.Of(syntax.Detect(file, nil)).Form
}

const identPattern = `-?[A-Za-z_\x{80}-\x{10FFFF}][\w\x{80}-\x{10FFFF}-]*`

var (
	selectorPattern = lazyregexp.MustCompile(`[.#]` + identPattern)
	identOnly       = lazyregexp.MustCompile(`^` + identPattern + `$`)
	blockPattern    = lazyregexp.MustCompile(`(?is)<(style|script)\b[^>]*>(.*?)</(?:style|script)\s*>`)
	linkPattern     = lazyregexp.MustCompile(`(?i)(?:\b(?:href|src|action)\s*=\s*["']([^"']+)["']|@(?:import|use|forward)\s+(?:url\(\s*)?["']?([^"')\s;]+))`)

	// Attributes of elements. Values in braces are expressions of JSX.
	classAttr = lazyregexp.MustCompile(`(?is)(?:^|[\s<:"'])(:?class|:?className|v-bind:class|ng-class|x-bind:class|\[ngClass\])\s*=\s*(?:"([^"]*)"|'([^']*)'|\{((?:[^{}]|\{[^{}]*\})*)\}|([^\s"'>{]+))`)
	idAttr    = lazyregexp.MustCompile(`(?i)(?:^|[\s<:"'])(?:id|for|htmlFor|aria-labelledby|aria-describedby|aria-controls|data-target|data-bs-target)\s*=\s*(?:"([^"]*)"|'([^']*)'|\{\s*["']([^"']*)["']\s*\})`)
	hashLink  = lazyregexp.MustCompile(`(?i)\shref\s*=\s*["']#([^"']+)["']`)
	// The classes of Svelte: class:active={…}.
	classDirective = lazyregexp.MustCompile(`\sclass:([\w-]+)`)
	// The classes of Blade: @class(['a', 'b' => $on]), $attributes->class([…]), 'class' => 'a b'.
	bladeClasses = lazyregexp.MustCompile(`(?:@class|->class)\s*\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)`)
	classKey     = lazyregexp.MustCompile(`["'](class|id)["']\s*=>\s*(?:"([^"\n]*)"|'([^'\n]*)')`)
	arrow        = lazyregexp.MustCompile(`=>[^,\]]*`)

	inlineString = lazyregexp.MustCompile("\"([^\"\\n]*)\"|'([^'\\n]*)'|`([^`]*)`")
	objectKey    = lazyregexp.MustCompile(`[{,]\s*([A-Za-z_][\w-]*)\s*:`)
	templateHole = lazyregexp.MustCompile(`(?s)\{\{.*?\}\}|\{%.*?%\}|<\?.*?\?>|<%.*?%>|\$\{[^}]*\}|@\w+\([^)]*\)`)

	// What scripts do with classes and ids.
	byID      = lazyregexp.MustCompile("\\bgetElementById\\(\\s*[\"'`]([^\"'`]+)[\"'`]")
	byClass   = lazyregexp.MustCompile("\\bgetElementsByClassName\\(\\s*[\"'`]([^\"'`]+)[\"'`]")
	bySel     = lazyregexp.MustCompile("(?:\\b(?:querySelector|querySelectorAll|closest|matches|find|filter|on|delegate|locator|waitForSelector|\\$\\$?eval)|\\$|\\bjQuery|\\bcy\\.get|\\$\\$)\\s*(?:<[^>()]*>)?\\(\\s*(?:[\"'`]\\w+[\"'`]\\s*,\\s*)?(\"[^\"\\n]*\"|'[^'\\n]*'|`[^`]*`)")
	classList = lazyregexp.MustCompile(`\b(?:classList\s*\??\.\s*(?:add|remove|toggle|contains|replace)|addClass|removeClass|toggleClass|hasClass)\(([^)]*)\)`)
	setClass  = lazyregexp.MustCompile("\\.className\\s*\\+?=\\s*[\"'`]([^\"'`]+)[\"'`]|\\bsetAttribute\\(\\s*[\"']class[\"']\\s*,\\s*[\"'`]([^\"'`]+)[\"'`]")
	setID     = lazyregexp.MustCompile("\\.id\\s*=\\s*[\"'`]([^\"'`]+)[\"'`]|\\bsetAttribute\\(\\s*[\"']id[\"']\\s*,\\s*[\"'`]([^\"'`]+)[\"'`]")
)

// A markReader collects the marks of one text.
type markReader struct {
	breaks []int // where the line breaks are
	found  []mark
}

// classesAndIDs returns the classes and ids of a file.
func classesAndIDs(file string, text []byte) []mark {
	r := &markReader{}
	for i, c := range text {
		if c == '\n' {
			r.breaks = append(r.breaks, i)
		}
	}
	switch markupForm(file) {
	case syntax.Sheet:
		r.readStyleSheet(text, 0)
	case syntax.Script:
		r.script(text, 0)
		r.elements(text, 0) // JSX, and mark-up in template strings
	case syntax.Page:
		rest := bytes.Clone(text)
		for _, m := range blockPattern.FindAllSubmatchIndex(text, -1) {
			body := text[m[4]:m[5]]
			if strings.EqualFold(string(text[m[2]:m[3]]), "style") {
				r.readStyleSheet(body, m[4])
			} else {
				r.script(body, m[4])
			}
			for i := m[4]; i < m[5]; i++ {
				if rest[i] != '\n' {
					rest[i] = ' '
				}
			}
		}
		r.elements(rest, 0)
	}
	return r.found
}

func (r *markReader) add(id bool, name string, use markUse, at int) {
	if identOnly.MatchString(name) {
		line, _ := slices.BinarySearch(r.breaks, at)
		r.found = append(r.found, mark{markName{id, name}, use, line + 1})
	}
}

// names adds the words of a list of classes or ids. Holes of templates are no
// names, and what touches one is only a part of one.
func (r *markReader) names(id bool, list string, use markUse, at int) {
	list = templateHole.ReplaceAllString(list, "\x00")
	for _, n := range strings.Fields(list) {
		if id {
			n = strings.TrimPrefix(n, "#")
		}
		r.add(id, n, use, at)
	}
}

// elements reads attributes of elements.
func (r *markReader) elements(text []byte, base int) {
	for _, m := range classAttr.FindAllSubmatchIndex(text, -1) {
		name := string(text[m[2]:m[3]])
		for g := 2; g <= 5; g++ {
			if m[2*g] < 0 {
				continue
			}
			value, at := string(text[m[2*g]:m[2*g+1]]), base+m[2*g]
			if g == 4 || name != "class" && name != "className" {
				r.expression(value, at)
			} else {
				r.names(false, value, has, at)
			}
		}
	}
	each(classDirective, text, base, func(v string, at int) { r.add(false, v, has, at) })
	each(bladeClasses, text, base, func(v string, at int) {
		list := arrow.ReplaceAllStringFunc(v, blank) // what follows is a condition
		for _, s := range inlineString.FindAllStringSubmatchIndex(list, -1) {
			r.names(false, strings.Trim(list[s[0]:s[1]], "\"'`"), has, at+s[0])
		}
	})
	for _, m := range classKey.FindAllSubmatchIndex(text, -1) {
		for g := 2; g <= 3; g++ {
			if m[2*g] >= 0 {
				r.names(string(text[m[2]:m[3]]) == "id", string(text[m[2*g]:m[2*g+1]]), has, base+m[2*g])
			}
		}
	}
	each(idAttr, text, base, func(v string, at int) { r.names(true, v, has, at) })
	each(hashLink, text, base, func(v string, at int) { r.add(true, v, has, at) })
}

// each yields the groups of all matches in a text, and where they begin; the text
// begins at base.
func each(re *lazyregexp.Regexp, text []byte, base int, yield func(value string, at int)) {
	for _, m := range re.FindAllSubmatchIndex(text, -1) {
		for g := 2; g < len(m); g += 2 {
			if m[g] >= 0 {
				yield(string(text[m[g]:m[g+1]]), base+m[g])
			}
		}
	}
}

// blank returns as many spaces as s has bytes.
func blank(s string) string { return strings.Repeat(" ", len(s)) }

// expression reads the strings and keys of an expression that makes classes.
func (r *markReader) expression(value string, at int) {
	for _, m := range inlineString.FindAllStringSubmatch(value, -1) {
		r.names(false, m[1]+m[2]+m[3], has, at)
	}
	for _, m := range objectKey.FindAllStringSubmatch(value, -1) {
		r.names(false, m[1], has, at)
	}
}

// script reads what a script does with classes and ids.
func (r *markReader) script(text []byte, base int) {
	classes := func(v string, at int) { r.names(false, v, selects, at) }
	ids := func(v string, at int) { r.names(true, v, selects, at) }
	each(byID, text, base, ids)
	each(byClass, text, base, classes)
	each(setClass, text, base, classes)
	each(setID, text, base, ids)
	each(bySel, text, base, func(v string, at int) { r.selectors(strings.Trim(v, "\"'`"), selects, at) })
	each(classList, text, base, func(v string, at int) {
		for _, m := range inlineString.FindAllStringSubmatch(v, -1) {
			r.names(false, m[1]+m[2]+m[3], selects, at)
		}
	})
}

// selectors adds the classes and ids of a selector.
func (r *markReader) selectors(selector string, use markUse, at int) {
	selector = attributePart.ReplaceAllString(selector, "")
	for _, s := range selectorPattern.FindAllString(selector, -1) {
		r.add(s[0] == '#', s[1:], use, at)
	}
}

// attributePart is what may hold dots and strings without naming a class.
var attributePart = lazyregexp.MustCompile(`\[[^\]]*\]`)

// readStyleSheet reads a style sheet: whatever comes before a brace is a selector, and
// in nested sheets "&" is the selector around it.
func (r *markReader) readStyleSheet(text []byte, base int) {
	var around []string
	start, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote || c == '\n' {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '/' && i+1 < len(text) && text[i+1] == '*':
			end := bytes.Index(text[i+2:], []byte("*/"))
			if end < 0 {
				return
			}
			if len(bytes.TrimSpace(text[start:i])) == 0 {
				start = i + 2 + end + 2
			}
			i += 2 + end + 1
		case c == '/' && i+1 < len(text) && text[i+1] == '/' && (i == 0 || text[i-1] != ':'):
			end := bytes.IndexByte(text[i:], '\n')
			if end < 0 {
				return
			}
			if len(bytes.TrimSpace(text[start:i])) == 0 {
				start = i + end
			}
			i += end - 1
		case c == '#' && i+1 < len(text) && text[i+1] == '{': // an interpolation, no block
			if end := bytes.IndexByte(text[i:], '}'); end > 0 {
				i += end
			}
		case c == '{':
			around = append(around, r.prelude(text[start:i], base+start, around))
			start = i + 1
		case c == '}':
			if len(around) > 0 {
				around = around[:len(around)-1]
			}
			start = i + 1
		case c == ';':
			start = i + 1
		}
	}
}

// prelude reads the text before a brace and returns the selector that "&"
// means within.
func (r *markReader) prelude(text []byte, base int, around []string) string {
	parent := ""
	if len(around) > 0 {
		parent = around[len(around)-1]
	}
	s := string(text)
	if t := strings.TrimSpace(s); strings.HasPrefix(t, "@") && !strings.HasPrefix(t, "@at-root") {
		return parent // @media and the like pass the selector on
	}
	at := base
	whole := ""
	for part := range strings.SplitSeq(s, ",") {
		sel := strings.ReplaceAll(part, "&", strings.TrimSpace(parent))
		indent := len(part) - len(strings.TrimLeft(part, " \t\r\n"))
		r.selectors(sel, styles, at+indent)
		if whole == "" {
			whole = strings.TrimSpace(sel)
		}
		at += len(part) + 1
	}
	return whole
}
