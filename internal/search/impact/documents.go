package impact

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/files"
	"codeintel/internal/platform/msg"
	"codeintel/internal/project"
	"codeintel/internal/search"
	"codeintel/internal/search/filekind"
	"codeintel/internal/syntax"
	"codeintel/internal/text/glob"
)

// configExtensions are of files that configure rather than compute.
var configExtensions = strings.Fields(`.yml .yaml .json .jsonc .toml .ini .cfg .conf .xml .properties .env.example .gradle
	.mk .cmake .mod .tf .plist .csproj`)

// configNames are names of such files without a telling extension.
var configNames = strings.Fields(`Makefile makefile GNUmakefile Dockerfile Jenkinsfile Procfile CMakeLists.txt Gemfile
	Rakefile Vagrantfile CODEOWNERS`)

// documents finds documents and configuration that mention a target.
func (r *run) documents() error {
	c, err := r.a.p.LoadContext()
	if err != nil {
		// The analysis goes on with what is usual: the user has to fix the file.
		r.notes = append(r.notes, msg.New("impact.usual_documents_taken", err))
		c.DocumentSearch = project.UsualDocuments()
	}
	words := r.words()
	if len(words) == 0 {
		return nil
	}
	for _, f := range r.list {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		what := mentionKind(f.Path, c.DocumentSearch)
		if what == "" || r.own[f.Path] || !f.Class.Indexed() || f.Class == files.Vendored || f.Size > maxDocument {
			continue
		}
		t, err := files.Read(r.a.p, f.Path)
		if err != nil {
			continue // went away, or no text on a closer look
		}
		language := syntax.Detect(f.Path, nil)
		for _, w := range words {
			if w.known != "" && syntax.SameGroup(w.known, language) || !r.mayMeanFile(f.Path, w.of) {
				continue
			}
			for _, line := range first(w.lines(t.Bytes), readLines) {
				r.found.add(f.Path, should, what+" mentions it", place{line: line}, w.text)
			}
		}
	}
	return nil
}

// maxDocument bounds the size of a file that is looked through for mentions.
const maxDocument = 2 << 20

// mentionKind says whether a file is a document, configuration or in a language that is not
// read here, or "".
func mentionKind(file string, d project.DocumentSearch) string {
	match := func(globs []string) bool {
		return slices.ContainsFunc(globs, func(g string) bool { return glob.Match(g, file) })
	}
	if match(d.ExcludePatterns) || filekind.Changelog(file) {
		return ""
	}
	if match(d.IncludePatterns) {
		return "document"
	}
	switch test := search.TestFile(file); {
	case isConfig(file) && !test:
		return "configuration"
	case filekind.Foreign(file): // a test too: no reference in it is known
		return "file in a language not read"
	}
	return ""
}

func isConfig(file string) bool {
	base := path.Base(file)
	switch base {
	case "package-lock.json", "composer.lock", "yarn.lock", "pnpm-lock.yaml", "Cargo.lock", "go.sum":
		return false
	}
	return slices.Contains(configNames, base) ||
		slices.ContainsFunc(configExtensions, func(e string) bool { return strings.HasSuffix(base, e) })
}

// A word is a text whose mention counts.
type word struct {
	text string
	// quoted words count only where they stand as code: in back quotes, before
	// a parenthesis, or after a dot. Prose is full of names such as "open" or "process".
	quoted bool
	// known is the language in whose files all uses are known, or "".
	known syntax.Language
	// of is the file that has the word for its name without a folder, or "": where several files have
	// that name, each document means the nearest.
	of string
	// bare words do not count behind a folder: the file is another then.
	bare bool
}

// words lists what a document would call the targets.
func (r *run) words() []word {
	var list []word
	seen := map[string]bool{}
	known := syntax.Language("")
	add := func(text string, quoted bool) {
		if len(text) >= 2 && !seen[text] {
			seen[text] = true
			list = append(list, word{text: text, quoted: quoted, known: known})
		}
	}
	for f := range r.whole {
		b := path.Base(f)
		if b != f {
			add(f, false)
		}
		shared := len(r.namesakes(f)) > 1
		if len(b) >= 2 && (b == f || !commonName(b)) {
			list = append(list, word{text: b, of: f, bare: shared})
		}
		if shared && b != f && !commonName(b) {
			add(path.Join(path.Base(path.Dir(f)), b), false)
		}
	}
	for _, s := range r.symbols {
		name := strings.TrimLeft(s.Name, "$@#.")
		if known = ""; byFolder(s.Scope, s.Language) {
			known = s.Language
			if s.Kind == syntax.Element { // a resource of Terraform has a name of its type alone
				add(qualified(&s), false)
				continue
			}
		}
		if s.Kind == syntax.Constructor { // called by the name of its type
			name = s.Scope[strings.LastIndexByte(s.Scope, '.')+1:]
		}
		switch {
		case r.asked[s.Name]:
			plain := len(name) < 5 || s.Scope != "" || name == strings.ToLower(name) // a word as people write it
			add(name, plain && !distinctive(name))
		case strings.HasPrefix(name, "__"): // the language's name, which says nothing of this type
		case s.Exported && (s.Scope == "" || distinctive(name)):
			add(name, !distinctive(name))
		}
	}
	known = ""
	for i := range r.deltas {
		if d := &r.deltas[i]; d.change == removed && d.before.Exported && (d.before.Scope == "" || distinctive(d.before.Name)) {
			add(d.before.Name, !distinctive(d.before.Name))
		}
	}
	slices.SortFunc(list, func(a, b word) int {
		return cmp.Or(strings.Compare(a.text, b.text), strings.Compare(a.of, b.of))
	})
	return list
}

// commonName reports whether a file name says nothing without its folder.
func commonName(base string) bool {
	switch stem(base) {
	case "index", "main", "__init__", "mod", "lib", "README", "package", "setup", "config", "app":
		return true
	}
	return false
}

// distinctive reports whether a name cannot be a plain word.
func distinctive(name string) bool {
	for i, c := range name {
		if c == '_' || unicode.IsDigit(c) || i > 0 && unicode.IsUpper(c) && strings.IndexFunc(name, unicode.IsLower) >= 0 {
			return true
		}
	}
	return false
}

// lines returns the lines of a text that mention the word.
func (w word) lines(text []byte) []int {
	var list []int
	line, counted := 1, 0
	for from := 0; from < len(text); {
		at := bytes.Index(text[from:], []byte(w.text))
		if at < 0 {
			break
		}
		start, end := from+at, from+at+len(w.text)
		from = start + 1
		if !isWholeWord(text, start, end) || w.quoted && !asCode(text, start, end) ||
			w.bare && start > 1 && text[start-1] == '/' && text[start-2] != '.' {
			continue
		}
		line += bytes.Count(text[counted:start], []byte{'\n'})
		counted = start
		if len(list) == 0 || list[len(list)-1] != line {
			list = append(list, line)
		}
		next := bytes.IndexByte(text[start:], '\n')
		if next < 0 {
			break
		}
		from = start + next
	}
	return list
}

func isWholeWord(text []byte, start, end int) bool {
	before, _ := utf8.DecodeLastRune(text[:start])
	after, _ := utf8.DecodeRune(text[end:])
	in := func(r rune) bool { return r == '_' || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
	return (start == 0 || !in(before)) && (end == len(text) || !in(after))
}

func asCode(text []byte, start, end int) bool {
	before, after := byte(0), byte(0)
	if start > 0 {
		before = text[start-1]
	}
	if end < len(text) {
		after = text[end]
	}
	return before == '`' || after == '`' || after == '(' || before == '.' || before == '"' && after == '"'
}
