package artifact

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"unicode"
)

// A fileList gathers the files of one field or section, line by line.
type fileList struct {
	all    []File
	found  []Diagnostic
	fresh  int // depth of the open item that says "Create:", else 0
	hidden int // depth of the item that named a file: deeper ones explain it
}

// add takes the value of a line: a list that stands behind the field's name, or
// one item below it.
func (f *fileList) add(l line, said string, inline bool) {
	if inline {
		said = strings.TrimSpace(said)
		if strings.HasPrefix(said, "[") && closing(said) == len(said)-1 {
			said = said[1 : len(said)-1]
		}
		for _, part := range splitList(said) {
			f.entry(l.n, part, false)
		}
		return
	}
	if f.hidden > 0 && (l.depth > f.hidden || l.depth == f.hidden && !l.item) {
		return
	}
	f.hidden = 0
	if l.depth <= f.fresh {
		f.fresh = 0
	}
	said = unboxed(said)
	verb, rest := cutVerb(said)
	if rest == "" && verb != "" {
		if verb == "new" {
			f.fresh = l.depth
		}
		return
	}
	parts := []string{said}
	if !strings.Contains(said, "`") || strings.HasPrefix(said, "`") {
		if all := splitList(said); plainList(all) {
			parts = all
		}
	}
	n := len(f.all) + len(f.found)
	for _, part := range parts {
		f.entry(l.n, part, f.fresh > 0)
	}
	if len(f.all)+len(f.found) > n {
		f.hidden = l.depth
	}
}

// plainList says whether each part is one path, so that the commas between them
// are no punctuation.
func plainList(parts []string) bool {
	for _, p := range parts {
		name, rest := pathOf(p)
		if name == "" || rest != "" && !isNew(rest) {
			return false
		}
	}
	return true
}

// files returns what was gathered, each path once.
func (f *fileList) files() ([]File, []Diagnostic) {
	seen := make(map[string]int)
	var once []File
	for _, file := range f.all {
		if i, ok := seen[file.Path]; ok {
			once[i].New = once[i].New || file.New
			continue
		}
		seen[file.Path] = len(once)
		once = append(once, file)
	}
	return once, f.found
}

// entry takes one file with its marks.
func (f *fileList) entry(n int, said string, fresh bool) {
	verb, rest := cutVerb(strings.TrimSpace(said))
	fresh = fresh || verb == "new"
	for first := true; ; first = false {
		if m := newMark.FindString(rest); m != "" {
			fresh, rest = true, rest[len(m):]
		}
		name, after := pathOf(rest)
		if name == "" || !first && !strings.HasPrefix(rest, "`") {
			return
		}
		if nothing.MatchString(strings.TrimRight(name, ".。")) && name == strings.TrimSpace(rest) {
			return
		}
		clean, why := cleanPath(name)
		if why != "" {
			f.found = append(f.found, Diagnostic{n, Critical, fmt.Sprintf("file %q %s", short(name), why)})
		} else {
			f.all = append(f.all, File{clean, fresh || isNew(after), n})
		}
		rest = strings.TrimLeft(after, " ,、と&+")
		rest = strings.TrimPrefix(rest, "and ")
	}
}

var (
	verbAt  = regexp.MustCompile(`(?i)^[*_]*(create|add|new|new files?|created|added|新規|新規作成|作成|modify|modified|update|updated|edit|edited|change|changed|delete|deleted|remove|removed|rename|renamed|test|tests|変更|修正|更新|削除|テスト)[*_]*\s*[:：][*_]*\s*`)
	newMark = regexp.MustCompile(`(?i)^[*_\s]*[(（\[［]\s*(?:a\s+)?(?:new|新規)[^)）\]］]{0,20}[)）\]］][*_\s]*[:：]?\s*`)
	newTail = regexp.MustCompile(`(?i)^[*_\s]*(?:[-–—,:：]+\s*)?[*_]*(?:[(（\[［]\s*(?:a\s+)?(?:new|create|新規)[^)）\]］]{0,20}[)）\]］]|(?:new(?:\s+file)?|新規(?:作成|ファイル)?)[*_]*\s*(?:$|[,.;:、。–—(]|-\s))`)
	lineRef = regexp.MustCompile(`(?::\d+(?:[-:,]\d+)*|#L\d+(?:-L?\d+)?)$`)
)

// cutVerb splits "Create: a.go" into "new" and the rest. The verb of a file that
// is there already is "old".
func cutVerb(s string) (verb, rest string) {
	m := verbAt.FindStringSubmatch(s)
	if m == nil {
		return "", s
	}
	switch v := strings.ToLower(m[1]); {
	case strings.HasPrefix(v, "creat"), strings.HasPrefix(v, "add"), strings.HasPrefix(v, "new"), strings.HasPrefix(v, "新規"), v == "作成":
		verb = "new"
	default:
		verb = "old"
	}
	return verb, strings.TrimSpace(s[len(m[0]):])
}

func isNew(after string) bool { return newTail.MatchString(after) }

// pathOf returns the path that the text begins with, in back-ticks, as a link,
// or up to a blank, and what follows.
func pathOf(s string) (name, rest string) {
	s = strings.TrimLeft(s, " *\"'")
	if s == "" {
		return "", ""
	}
	if s[0] == '`' {
		if spans := codeSpans(s); len(spans) > 0 && spans[0].start == 0 {
			return spans[0].text, strings.TrimLeft(s[spans[0].end:], "*")
		}
		s = strings.TrimLeft(s, "`")
	}
	if s != "" && s[0] == '[' {
		if end := closing(s); end > 1 && strings.HasPrefix(s[end+1:], "(") {
			if stop := strings.IndexByte(s[end:], ')'); stop > 0 {
				return strings.Trim(s[1:end], "`"), s[end+stop+1:]
			}
		}
	}
	end := strings.IndexFunc(s, func(c rune) bool {
		return unicode.IsSpace(c) || strings.ContainsRune("（：,、`—", c)
	})
	if end < 0 {
		end = len(s)
	}
	name, rest = s[:end], s[end:]
	if i := strings.Index(name, "("); i > 0 && !strings.Contains(name[i:], "/") && strings.HasSuffix(name, ")") {
		name, rest = name[:i], name[i:]+rest
	}
	return strings.TrimRight(name, "*\"':;"), rest
}

// closing is where the bracket closes that the text opens with, or -1.
func closing(s string) int {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// splitList splits at commas that stand neither in back-ticks nor in brackets.
func splitList(s string) []string {
	var parts []string
	spans := codeSpans(s)
	depth, from := 0, 0
	for i, c := range s {
		for len(spans) > 0 && spans[0].end <= i {
			spans = spans[1:]
		}
		if len(spans) > 0 && spans[0].start <= i {
			continue
		}
		switch c {
		case '(', '（', '[':
			depth++
		case ')', '）', ']':
			depth = max(0, depth-1)
		case ',', '、', ';':
			if depth == 0 {
				parts = append(parts, s[from:i])
				from = i + len(string(c))
			}
		}
	}
	return append(parts, s[from:])
}

// reserved are the folders that no task may write to: they are the tools' own.
var reserved = []string{".git", ".specs", ".code-intel"}

// cleanPath returns the path relative to the root, or why it is none.
func cleanPath(name string) (clean, why string) {
	slashed := strings.ReplaceAll(lineRef.ReplaceAllString(name, ""), `\`, "/")
	if strings.HasPrefix(slashed, "/") || strings.HasPrefix(slashed, "~") || len(slashed) > 1 && slashed[1] == ':' || strings.Contains(slashed, "://") {
		return "", "is not relative to the repository"
	}
	clean = path.Clean(slashed)
	switch {
	case slashed == "" || clean == ".":
		return "", "is no file"
	case clean == ".." || strings.HasPrefix(clean, "../"):
		return "", "lies outside the repository"
	case strings.ContainsFunc(clean, func(c rune) bool { return unicode.IsControl(c) || c == '\ufffd' || strings.ContainsRune("<>|\"`", c) }):
		return "", "is no file name"
	case strings.ContainsAny(clean, "*?"):
		return "", "is a pattern; name each file"
	case strings.HasSuffix(slashed, "/"):
		return "", "is a folder; name each file"
	}
	for i, part := range strings.Split(clean, "/") {
		for _, r := range reserved {
			if strings.EqualFold(part, r) && (i == 0 || r == ".git") {
				return "", fmt.Sprintf("lies under %s, which no task may change", r)
			}
		}
	}
	return clean, ""
}
