package additions

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/workflow/codediff/expression"
	"codeintel/internal/workflow/codediff/source"
	"codeintel/internal/workflow/codediff/testcase"
	"codeintel/internal/workflow/codediff/weakening"
)

// What a change adds that only looks as if it did something, and what it was to take away and has not.

// Mistakes lists the new lines of code, tests aside, that only look as if they did something.
func Mistakes(d *weakening.Change) (all []weakening.Finding) {
	for _, path := range slices.Sorted(maps.Keys(d.Files)) {
		c := d.Files[path]
		if c.Now == nil || c.Test || c.LeftOut || testcase.InTestFile.MatchString(path) {
			continue
		}
		for _, m := range c.Now.Mistakes {
			line, _, _ := strings.Cut(string(c.New[m.Start:m.End]), "\n")
			line = strings.TrimSpace(line)
			if bytes.Count(c.New, []byte(line)) > bytes.Count(c.Base, []byte(line)) || !bytes.Contains(c.Base, c.New[m.Start:m.End]) {
				all = append(all, weakening.Finding{File: path, Test: shortened(line), How: weakening.Mistake})
			}
		}
	}
	return all
}

// shortened returns a line, cut if it is long.
func shortened(line string) string {
	if r := []rune(line); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return line
}

var (
	// asksToRemove finds the beginning of a request to take something away.
	asksToRemove = lazyregexp.MustCompile(`(?i)^(?:remove|delete|drop|rename)s?\s+`)
	newName      = lazyregexp.MustCompile("^(?:\\s+in\\s+\\S+)?\\s+(?:to|as|into)\\s+[`'\"]?[A-Za-z_]")
	preposition  = source.WordSet("from in of for to when on by with at if that and or no")
	// ofCode matches a name that only code has: with a case or a bar within, or a bar in front.
	ofCode = lazyregexp.MustCompile("^[`'\"]?(?:\\w+(?:::|\\.))*(_+\\w+|[A-Za-z]\\w*(?:_|[a-z\\d][A-Z])\\w*)(?:\\(\\))?[`'\"]?[,;]?$")
)

// toRemove returns the name of code that a request wants to be removed or renamed, or "".
func toRemove(request string) string {
	verb := asksToRemove.FindString(request)
	if verb == "" {
		return ""
	}
	rest := request[len(verb):]
	for range 5 {
		word, behind, _ := strings.Cut(rest, " ")
		if m := ofCode.FindStringSubmatch(word); m != nil {
			if strings.HasPrefix(strings.ToLower(verb), "rename") && !newName.MatchString(" "+behind) {
				return ""
			}
			return m[1]
		}
		if word == "" || preposition[strings.ToLower(word)] {
			return ""
		}
		rest = behind
	}
	return ""
}

// StillThere lists the name that a request wants to be removed, or renamed, if the changed files have it as often
// as before.
func StillThere(d *weakening.Change, request string) (all []weakening.Finding) {
	name, was, now, in := toRemove(request), 0, 0, ""
	if name == "" {
		return nil
	}
	for _, path := range slices.Sorted(maps.Keys(d.Files)) {
		c := d.Files[path]
		if c.Now == nil && c.New != nil || c.Now != nil && c.Now.Tree == nil && c.Now.Spec.Prose {
			continue
		}
		was += countWord(c.Base, name)
		if n := countWord(c.New, name); n > 0 {
			now += n
			in = path
		}
	}
	if was > 0 && now >= was {
		all = append(all, weakening.Finding{File: in, Test: name, How: weakening.StillThere})
	}
	return all
}

// countWord counts a name in a text.
func countWord(text []byte, name string) (n int) {
	for len(text) > 0 {
		l := expression.TokenLength(text)
		if strings.TrimLeft(string(text[:l]), "$@:") == name {
			n++
		}
		text = text[l:]
	}
	return n
}
