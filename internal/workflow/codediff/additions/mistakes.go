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
				all = append(all, weakening.Finding{File: path, Test: shortenLine(line), How: weakening.Mistake})
			}
		}
	}
	return all
}

// shortenLine returns a line, cut if it is long.
func shortenLine(line string) string {
	if r := []rune(line); len(r) > 80 {
		return string(r[:80]) + "…"
	}
	return line
}

var (
	// asksToRemove finds the beginning of a request to take something away.
	asksToRemove = lazyregexp.MustCompile(`(?i)^(?:remove|delete|drop|rename)s?\s+`)
	newName      = lazyregexp.MustCompile("^(?:\\s+in\\s+\\S+)?\\s+(?:to|as|into)\\s+[`'\"]?[A-Za-z_]")
	// keepsSome matches what leaves the name in the code, for others or for a while.
	keepsSome = lazyregexp.MustCompile(`(?i)\b(?:keep|alias|deprecat\w*|compatib\w*|shim|instead|moves?|but|except|unless|only)\b`)
	// ofName are words between the verb and a name of code, or behind the name, that say what it is.
	ofName = source.WordSet(`the a an this that our unused old obsolete deprecated dead legacy redundant
		public private internal exported function functions method methods class classes
		struct type interface enum trait module helper helpers option options parameter
		parameters param argument arguments field fields property attribute variable constant
		flag setting macro hook feature`)
	// ofCode matches a name that only code has: with a case or a bar within, or a bar in front.
	ofCode = lazyregexp.MustCompile("^[`'\"]?(?:\\w+(?:::|\\.))*(_+\\w+|[A-Za-z]\\w*(?:_|[a-z\\d][A-Z])\\w*)(?:\\(\\))?[`'\"]?[,;.]?$")
)

// toRemove returns the name of code that a request wants to be removed or renamed, or "". The name ends the request,
// but for the word for what it is: "Delete user_id duplicates" is about data.
func toRemove(request string) string {
	verb := asksToRemove.FindString(request)
	if verb == "" || keepsSome.MatchString(request) {
		return ""
	}
	words := strings.Fields(request[len(verb):])
	for i, word := range words[:min(5, len(words))] {
		if m := ofCode.FindStringSubmatch(word); m != nil {
			behind := words[i+1:]
			if strings.HasPrefix(strings.ToLower(verb), "rename") {
				if !newName.MatchString(" " + strings.Join(behind, " ")) {
					return ""
				}
			} else if len(behind) > 0 && !ofName[strings.ToLower(strings.TrimRight(behind[0], ".,;"))] {
				return ""
			}
			return m[1]
		}
		if !ofName[strings.ToLower(word)] {
			return ""
		}
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
