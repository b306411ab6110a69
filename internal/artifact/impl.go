package artifact

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// An Impl is an implementer's report of one task.
type Impl struct {
	Files []string // that it claims to have changed, relative to the root
	Tests []string // what it says of tests, one entry for each bullet or paragraph
}

var (
	filesHeading = regexp.MustCompile(`(?i)\bfiles?\b|ファイル`)
	testsHeading = regexp.MustCompile(`(?i)\btest(?:s|ing)?\b|テスト`)
)

// ParseImpl reads the report of an implementation: the files below its heading
// "Files", and the tests below its heading "Tests". Without one of the headings,
// or with a claim that cannot be a file, it is not fit to be held against a diff.
func ParseImpl(text string) (Impl, []Diagnostic) {
	var (
		in    Impl
		list  fileList
		found []Diagnostic
	)
	files, tests := false, false
	for _, s := range sections(read(text)) {
		switch {
		case filesHeading.MatchString(s.title):
			files = true
			for _, l := range s.lines {
				list.claim(l)
			}
		case testsHeading.MatchString(s.title):
			tests = true
			in.Tests = append(in.Tests, s.entries()...)
		}
	}
	claimed, bad := list.files()
	for _, f := range claimed {
		in.Files = append(in.Files, f.Path)
	}
	found = append(found, bad...)
	if !files {
		found = append(found, Diagnostic{0, Critical, `there is no heading "## Files"; list below it each file that was changed, added or deleted`})
	}
	if !tests {
		found = append(found, Diagnostic{0, Critical, `there is no heading "## Tests"; say below it which tests were written and run, and how they ended`})
	}
	return in, limited(found)
}

// claim takes a line of a report, which names files less strictly than a task:
// among other words, or in the first cell of a table.
func (f *fileList) claim(l line) {
	if row, ok := strings.CutPrefix(l.text, "|"); ok {
		cell, _, _ := strings.Cut(row, "|")
		if name, _ := pathOf(cell); strings.Contains(cell, "`") || likeFile(name) {
			f.entry(l.n, cell, false)
		}
		return
	}
	if f.hidden > 0 && l.depth > f.hidden || !l.item && l.depth > 0 {
		return
	}
	f.hidden = 0
	said := unboxed(l.text)
	_, rest := cutVerb(said)
	n := len(f.all) + len(f.found)
	switch name, _ := pathOf(rest); {
	case name == "":
	case strings.HasPrefix(strings.TrimLeft(rest, "* "), "`") && l.item, likeFile(name) && plainList(splitList(rest)):
		for _, part := range splitList(rest) {
			f.entry(l.n, part, false)
		}
	case likeFile(name):
		f.entry(l.n, rest, false)
	default: // "Added X to `a.go`"
		for _, s := range codeSpans(l.text) {
			if likeFile(s.text) {
				f.entry(l.n, "`"+s.text+"`", false)
			}
		}
	}
	if len(f.all)+len(f.found) > n && l.item {
		f.hidden = l.depth
	}
}

// A part is what stands below one heading. What stands below its sub-headings
// belongs to it as well.
type part struct {
	title string
	line  int
	level int
	lines []line
}

// sections cuts lines at their headings, those that are on the level of the
// report's sections; the text above the first heading has no title.
func sections(lines []line) []part {
	top := 6
	count := make(map[int]int)
	for _, l := range lines {
		count[l.level]++
		if l.level > 1 {
			top = min(top, l.level)
		}
	}
	if count[1] > 1 {
		top = 1
	}
	all := []part{{}}
	for _, l := range lines {
		if l.level > 0 && l.level <= top {
			all = append(all, part{title: l.text, line: l.n, level: l.level})
			continue
		}
		if l.level > 0 {
			continue
		}
		last := &all[len(all)-1]
		last.lines = append(last.lines, l)
	}
	return all
}

// entries are the bullets and paragraphs of the part, each as one line.
func (p part) entries() []string {
	var all []string
	block := -1
	for _, l := range p.lines {
		text := unboxed(l.text)
		switch {
		case len(all) > 0 && !l.item && l.block == block, len(all) > 0 && l.item && l.depth > 1 && p.lines[0].item:
			all[len(all)-1] += " " + text
		default:
			all = append(all, text)
		}
		block = l.block
	}
	return slices.DeleteFunc(all, func(s string) bool { return nothing.MatchString(strings.TrimRight(plain(s), ".。! ")) })
}

// bareNames are files that have no extension.
var bareNames = []string{"Makefile", "makefile", "GNUmakefile", "Dockerfile", "Containerfile", "LICENSE", "Justfile", "justfile", "Gemfile", "Rakefile", "Procfile", "Jenkinsfile", "Vagrantfile", "CODEOWNERS", "BUILD", "WORKSPACE"}

var extension = regexp.MustCompile(`^\.[A-Za-z][A-Za-z0-9_+-]{0,11}$|^\.(?:7z|mp[34]|[0-9]?[a-z][0-9a-z]*)$`)

// likeFile says whether a word looks like the path of a file.
func likeFile(s string) bool {
	s = strings.ReplaceAll(lineRef.ReplaceAllString(s, ""), `\`, "/")
	if s == "" || strings.ContainsAny(s, " \t<>{}()*?|\"'`=,;$@&!") && !strings.Contains(s, "/(") && !strings.HasPrefix(s, "@") || strings.Contains(s, "://") || strings.HasPrefix(s, "-") {
		return false
	}
	base := path.Base(s)
	if slices.Contains(bareNames, base) {
		return true
	}
	ext := path.Ext(base)
	if !extension.MatchString(ext) || strings.HasSuffix(s, "/") || strings.Contains(s, "..") && !strings.HasPrefix(s, "../") {
		return false
	}
	if strings.Contains(s, "/") {
		return true
	}
	return base == ext || known[strings.ToLower(ext[1:])]
}

// known are the extensions by which a name without a folder is taken for a file
// and not for a member of something, as in "fmt.Println".
var known = func() map[string]bool {
	m := make(map[string]bool)
	for _, e := range strings.Fields(`go mod sum work py pyi rb rs java kt kts scala sc c h cc cpp cxx hpp hh cs fs vb php blade
		js jsx mjs cjs ts tsx mts cts vue svelte html htm css scss sass less swift m mm lua sql hs ex exs erl zig dart r jl pl pm sh bash zsh fish ps1 bat cmd
		md mdx rst txt adoc json jsonc json5 yaml yml toml ini cfg conf env xml csv tsv lock proto graphql gql tf tfvars hcl nix gradle cmake mk make tmpl tpl
		svg png jpg jpeg gif ico pdf wasm ipynb feature snap golden txtar`) {
		m[e] = true
	}
	return m
}()

// maxDiagnostics is how many are told of one artifact; a reader mends those first.
const maxDiagnostics = 50

func limited(found []Diagnostic) []Diagnostic {
	if more := len(found) - maxDiagnostics; more > 0 {
		// Critical ones first: they are why the artifact comes back.
		slices.SortStableFunc(found, func(a, b Diagnostic) int { return rank(a) - rank(b) })
		found = append(found[:maxDiagnostics:maxDiagnostics], Diagnostic{0, found[0].Severity, fmt.Sprintf("and %d more", more)})
	}
	return found
}

func rank(d Diagnostic) int {
	if d.Severity == Critical {
		return 0
	}
	return 1
}
