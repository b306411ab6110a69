package artifact

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/text/markdown"
)

// An Impl is an implementer's report of one task.
type Impl struct {
	Files []string // that it claims to have changed, relative to the root
	Tests []string // what it says of tests, one entry for each bullet or paragraph
	// NoChange is why the task needs no change, one entry for each bullet or
	// paragraph; none if the report does not say so.
	NoChange []string
}

const done = `(?:changed|modified|touched|created|added|deleted|removed|updated|affected|edited|written|new|changes)`

var (
	filesHeading = lazyregexp.MustCompile(`(?i)^(?:(?:list of|all|the|and|` + done + `)[\s,/&]+)*files?(?:[\s,/&]+(?:and|i|we|in this task|tests?|` + done + `))*\s*(?:\([^)]*\))?\s*:?$|^(?:変更|対象|修正|作成|追加|更新|新規|編集)*(?:した|された)?ファイル(?:一覧)?:?$`)
	fileWord     = lazyregexp.MustCompile(`(?i)\bfiles?\b|ファイル`)
	noneHeading  = lazyregexp.MustCompile(`(?i)^(?:no (?:further )?changes?(?: (?:is|are|was|were))?(?: (?:needed|necessary|required|made))?|nothing (?:to|was) changed?|unchanged)\s*:?$|^変更(?:なし|不要|の?必要(?:なし|は?ない))\s*:?$`)
	testsHeading = lazyregexp.MustCompile(`(?i)\btest(?:s|ing)?\b|テスト`)
)

// ParseImpl reads the report of an implementation: the files below its heading
// "Files", the tests below its heading "Tests", and below "No Change" why there is
// nothing to change. Without one of the headings,
// or with a claim that cannot be a file, it is not fit to be checked against a diff.
func ParseImpl(text string) (Impl, []Diagnostic) {
	var (
		list              fileList
		tests, none       entries
		inNone            bool
		hasFiles, inFiles bool // the heading was seen; it is the last one
		hasTests, inTests bool
		level             int
	)
	for _, l := range markdown.Read(text) {
		if l.Level > 0 {
			title := unnumbered(plainLine(l.Text))
			f, t, n := filesHeading.MatchString(title), testsHeading.MatchString(title), noneHeading.MatchString(title)
			if inFiles && l.Level > level && fileWord.MatchString(title) {
				continue // "Test files", below "Files"
			}
			if f || t || n || l.Level <= level {
				inFiles, inTests, inNone, level = f, t, n, l.Level
				hasFiles, hasTests = hasFiles || f, hasTests || t
			}
			continue
		}
		if inFiles {
			list.item(l)
		}
		if inTests {
			tests.add(l)
		}
		if inNone {
			none.add(l)
		}
	}
	claimed, found := list.files()
	var in Impl
	for _, e := range tests.all {
		in.Tests = append(in.Tests, clean(e))
	}
	for _, e := range none.all {
		in.NoChange = append(in.NoChange, clean(e))
	}
	for _, f := range claimed {
		in.Files = append(in.Files, f.Path)
	}
	if !hasFiles {
		found = append(found, Diagnostic{0, Critical, msg.New("artifact.no_heading_files_list_below")})
	}
	if !hasTests {
		found = append(found, Diagnostic{0, Critical, msg.New("artifact.no_heading_tests_say_below")})
	}
	return in, limited(found)
}

// entries gathers bullets and paragraphs, each as one line of text.
type entries struct {
	all   []string
	depth int // of the entry's item
	block int
}

func (e *entries) add(l markdown.Line) {
	text := unboxed(l.Text)
	if n := len(e.all); n > 0 &&
		(!l.Item && (l.Block == e.block || l.Depth > 0) || l.Item && e.depth > 0 && l.Depth > e.depth) {
		e.all[n-1] += " " + text
	} else if !saysNothing(text) {
		e.all, e.depth = append(e.all, text), l.Depth
	}
	e.block = l.Block
}

// maxDiagnostics is how many are told of one artifact; a reader fixes those first.
const maxDiagnostics = 50

// limited cuts a long list, the critical ones first: they are why the artifact
// comes back.
func limited(found []Diagnostic) []Diagnostic {
	more := len(found) - maxDiagnostics
	if more <= 0 {
		return found
	}
	slices.SortStableFunc(found, func(a, b Diagnostic) int { return strings.Compare(a.Severity, b.Severity) })
	return append(found[:maxDiagnostics:maxDiagnostics], Diagnostic{0, found[maxDiagnostics].Severity,
		msg.New("problem.and_n_more", more)})
}
