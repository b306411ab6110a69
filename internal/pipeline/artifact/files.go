package artifact

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/text"
	"codeintel/internal/text/markdown"
)

// A fileList gathers the files of one field or section, line by line.
type fileList struct {
	strict bool // an item that names no file is at fault
	all    []File
	found  []Diagnostic
	fresh  int // depth of the open item that says "Create:", else 0
	hidden int // depth of the item that named a file: deeper lines explain it
}

// inline takes a list that is behind the name of a field.
func (f *fileList) inline(n int, said string) {
	said = strings.TrimSpace(said)
	if strings.HasPrefix(said, "[") && closingBracket(said) == len(said)-1 {
		said = said[1 : len(said)-1]
	}
	for _, part := range splitList(said) {
		f.entry(n, part, false)
	}
}

// item takes a line below the name of a field or below a heading.
func (f *fileList) item(l markdown.Line) {
	if f.hidden > 0 && (l.Depth > f.hidden || l.Depth == f.hidden && !l.Item) {
		return
	}
	f.hidden = 0
	if l.Depth <= f.fresh {
		f.fresh = 0
	}
	said := unboxed(l.Text)
	if verb, rest := cutVerb(said); verb != "" && rest == "" {
		if verb == "new" {
			f.fresh = l.Depth
		}
		return
	}
	parts := []string{said}
	if row, ok := strings.CutPrefix(said, "|"); ok {
		parts[0], _, _ = strings.Cut(row, "|")
		if name, _, quoted := pathOf(parts[0]); !quoted && !likeFile(name) {
			return // the head of a table, or its rule
		}
	} else if all := splitList(said); plainList(all) {
		parts = all
	}
	n := len(f.all) + len(f.found)
	for _, part := range parts {
		f.entry(l.Number, part, f.fresh > 0)
	}
	if l.Item && len(f.all)+len(f.found) > n {
		f.hidden = l.Depth
	}
}

// plainList says whether each part is one path, so that the commas between them
// are no punctuation.
func plainList(parts []string) bool {
	for _, p := range parts {
		_, p = cutVerb(p)
		name, rest, quoted := pathOf(p)
		if name == "" || !quoted && !likeFile(name) || strings.TrimSpace(rest) != "" && !isNew(rest) {
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

// entry takes one file with its marks, or several in backticks one after the
// other. Of a sentence it takes what looks like a file and is in backticks.
func (f *fileList) entry(n int, said string, fresh bool) {
	const most = 20
	verb, rest := cutVerb(said)
	fresh = fresh || verb == "new"
	if m := newMark.FindString(rest); m != "" {
		fresh, rest = true, rest[len(m):]
	}
	name, after, quoted := pathOf(rest)
	switch {
	case name == "" || !quoted && saysNothing(rest):
	case quoted || likeFile(name) || strings.Contains(name, "/"):
		f.take(n, name, fresh || isNew(after))
		for i := 1; quoted; i++ {
			rest = joint.ReplaceAllString(after, "")
			if !strings.HasPrefix(rest, "`") {
				break
			}
			if i == most {
				f.found = append(f.found, Diagnostic{n, Critical, msg.New("artifact.too_many_files_one_line")})
				break
			}
			if name, after, quoted = pathOf(rest); name != "" {
				f.take(n, name, fresh || isNew(after))
			}
		}
	default:
		named := false
		for _, s := range markdown.CodeSpans(rest) {
			if likeFile(s.Text) {
				f.take(n, s.Text, fresh || isNew(rest[s.End:]))
				named = true
			}
		}
		if f.strict && !named {
			f.found = append(f.found, Diagnostic{n, Critical,
				msg.New("artifact.names_no_file_write_path", text.Clip(rest, maxQuoted))})
		}
	}
}

func (f *fileList) take(n int, name string, fresh bool) {
	if clean, why := cleanPath(name); !why.IsZero() {
		f.found = append(f.found, Diagnostic{n, Critical, msg.New("artifact.file", text.Clip(name, maxQuoted), why)})
	} else {
		f.all = append(f.all, File{clean, fresh, n})
	}
}

const mark = `[(（\[［]\s*(?:an?\s+)?(?:new|create|新規)[^)）\]］]{0,20}[)）\]］]`

var (
	verbAt = lazyregexp.MustCompile(`(?i)^[*_\s]*(?:(create|created|add|added|new|new files?|新規|新規作成|作成|追加)|` +
		`modify|modified|update|updated|edit|edited|change|changed|delete|deleted|remove|removed|rename|renamed|` +
		`tests?|変更|修正|更新|削除|テスト)[*_]*\s*[:：][*_]*\s*`)
	newMark = lazyregexp.MustCompile(`(?i)^[*_\s]*` + mark + `[*_\s]*[:：]?\s*`)
	newTail = lazyregexp.MustCompile(`(?i)^[*_\s]*(?:[-–—,:：]+\s*)?[*_]*(?:` + mark +
		`|(?:new(?:\s+file)?|新規(?:作成|ファイル)?)[*_]*\s*(?:$|[,.;:、。–—(]|-\s))`)
	joint   = lazyregexp.MustCompile(`^[\s,、と&+]*(?:and\s+|to\s+|→\s*|⇒\s*|[-=]+>\s*)?`) // between two files
	lineRef = lazyregexp.MustCompile(`(?::L?\d+(?:[-–:,]L?\d+)*|#L\d+(?:[-–]L?\d+)?)+$`)
)

// cutVerb splits "Create: a.go" into "new" and the rest; the verb of a file that
// is there already is "old".
func cutVerb(s string) (verb, rest string) {
	m := verbAt.FindStringSubmatch(s)
	switch {
	case m == nil:
		return "", strings.TrimSpace(s)
	case m[1] != "":
		verb = "new"
	default:
		verb = "old"
	}
	return verb, strings.TrimSpace(s[len(m[0]):])
}

func isNew(after string) bool { return newTail.MatchString(after) }

// pathOf returns the path that the text begins with and what follows it. It is
// quoted if it is in backticks or is a link, or as git quotes it; else it ends at a blank.
func pathOf(s string) (name, rest string, quoted bool) {
	s = strings.TrimLeft(s, " \t*")
	if _, end := gitQuoted(s); end > 0 {
		return s[:end], s[end:], true
	}
	if s = strings.TrimLeft(s, " \t*\"'"); s == "" {
		return "", "", false
	}
	if s[0] == '`' {
		if end := closingTick(s); end > 0 {
			spans := markdown.CodeSpans(s[:end])
			return spans[0].Text, strings.TrimLeft(s[end:], "*"), true
		}
		s = strings.TrimLeft(s, "`")
	}
	if strings.HasPrefix(s, "[") {
		if end := closingBracket(s); end > 1 && strings.HasPrefix(s[end+1:], "(") {
			if stop := strings.IndexByte(s[end:], ')'); stop > 0 {
				return strings.Trim(s[1:end], "` "), s[end+stop+1:], true
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
	if i := strings.Index(name, "("); i > 0 && strings.HasSuffix(name, ")") && !strings.Contains(name[i:], "/") {
		name, rest = name[:i], name[i:]+rest // "a.go(new)"
	}
	return strings.TrimRight(name, "*\"':;"), rest, false
}

// closingTick is where the code span ends that the text begins with, or 0.
func closingTick(s string) int {
	n := len(s) - len(strings.TrimLeft(s, "`"))
	for i := n; i < len(s); {
		start := strings.IndexByte(s[i:], '`')
		if start < 0 {
			return 0
		}
		start += i
		i = start + len(s[start:]) - len(strings.TrimLeft(s[start:], "`"))
		if i-start == n {
			return i
		}
	}
	return 0
}

// closingBracket is where the bracket closes that the text opens with, or -1.
func closingBracket(s string) int {
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

// splitList splits at commas that are neither in backticks nor in brackets.
func splitList(s string) []string {
	var parts []string
	spans := markdown.CodeSpans(s)
	depth, from := 0, 0
	for i, c := range s {
		for len(spans) > 0 && spans[0].End <= i {
			spans = spans[1:]
		}
		if len(spans) > 0 && spans[0].Start <= i {
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

// cleanPath returns the path relative to the root, or why it is none. What git quotes is taken
// letter by letter.
func cleanPath(name string) (clean string, why msg.Message) {
	slashed := strings.ReplaceAll(lineRef.ReplaceAllString(name, ""), `\`, "/")
	literal, end := gitQuoted(name)
	if end > 0 {
		slashed = literal
	}
	if strings.HasPrefix(slashed, "/") || end == 0 && (strings.HasPrefix(slashed, "~") ||
		len(slashed) > 1 && slashed[1] == ':' || strings.Contains(slashed, "://")) {
		return "", msg.New("artifact.not_relative_repository")
	}
	clean = path.Clean(slashed)
	switch {
	case slashed == "" || clean == ".":
		return "", msg.New("artifact.no_file")
	case clean == ".." || strings.HasPrefix(clean, "../"):
		return "", msg.New("artifact.lies_outside_repository")
	case end > 0 && !strings.HasSuffix(slashed, "/"):
	case strings.ContainsFunc(clean, func(c rune) bool { return !unicode.IsPrint(c) || c == '\ufffd' || strings.ContainsRune("<>|\"`", c) }):
		return "", msg.New("artifact.no_file_name")
	case strings.ContainsAny(clean, "*?"):
		return "", msg.New("artifact.pattern_name_each_file")
	case strings.HasSuffix(slashed, "/"):
		return "", msg.New("artifact.folder_name_each_file")
	}
	for i, part := range strings.Split(clean, "/") {
		for _, r := range reserved {
			if strings.EqualFold(part, r) && (i == 0 || r == ".git") {
				return "", msg.New("artifact.lies_under_which_no_task", r)
			}
		}
	}
	return clean, msg.Message{}
}

// bareNames are files that have no extension.
var bareNames = strings.Fields("Makefile makefile GNUmakefile Dockerfile Containerfile LICENSE NOTICE AUTHORS README CHANGELOG Justfile justfile Gemfile Rakefile Procfile Jenkinsfile Vagrantfile CODEOWNERS")

// known are the extensions by which a name without a folder is taken for a file
// and not for a member of something, as in "fmt.Println".
var known = strings.Fields(`go mod sum work py pyi rb rs java kt kts scala sc c h cc cpp cxx hpp hh cs fs vb php blade
	js jsx mjs cjs ts tsx mts cts vue svelte html htm css scss sass less swift m mm lua sql hs ex exs erl zig dart r jl pl pm sh bash zsh fish ps1 bat cmd
	md mdx rst txt adoc json jsonc json5 jsonl yaml yml toml ini cfg conf env xml csv tsv lock proto graphql gql tf tfvars hcl nix gradle cmake mk make tmpl tpl
	svg png jpg jpeg gif ico pdf wasm ipynb feature snap golden txtar`)

var extension = lazyregexp.MustCompile(`^\.[A-Za-z][A-Za-z0-9_+-]{0,11}$|^\.(?:7z|\d[a-z]\w*)$`)

// likeFile says whether a word looks like the path of a file.
func likeFile(s string) bool {
	if _, end := gitQuoted(s); end > 0 {
		return true
	}
	s = strings.ReplaceAll(lineRef.ReplaceAllString(s, ""), `\`, "/")
	if s == "" || strings.ContainsAny(s, " \t<>{}*?|\"'`=;!&") || strings.Contains(s, "://") ||
		s[0] == '-' || s[len(s)-1] == '/' {
		return false
	}
	base := path.Base(s)
	if slices.Contains(bareNames, base) {
		return true
	}
	ext := path.Ext(base)
	if !extension.MatchString(ext) || strings.HasPrefix(s, "...") {
		return false
	}
	if strings.Contains(s, "/") {
		return !strings.ContainsAny(base, "(),") && !strings.HasPrefix(s, "(*")
	}
	return !strings.ContainsAny(s, "()[],#@$") && (base == ext || slices.Contains(known, strings.ToLower(ext[1:])))
}
