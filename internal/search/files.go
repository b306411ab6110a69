package search

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"codeintel/internal/audit/shown"
	"codeintel/internal/files"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/search/filekind"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/syntax"
	"codeintel/internal/text/glob"
)

// A FileMatch says how a file name is matched.
type FileMatch string

// Ways to match file names.
const (
	AutoMatch  FileMatch = "auto" // glob if the pattern contains a glob character, else fuzzy
	GlobMatch  FileMatch = "glob"
	FuzzyMatch FileMatch = "fuzzy"
)

var fileMatches = []FileMatch{AutoMatch, GlobMatch, FuzzyMatch}

// FilesQuery asks which files have a name like a pattern.
type FilesQuery struct {
	Pattern  string    `json:"pattern" jsonschema:"A glob (**/*.go) or letters of the name in order (srvhandler); of several words, all must match"`
	Match    FileMatch `json:"match,omitempty" jsonschema:"auto (default): glob if the pattern has one of * ? [ {"`
	FileType string    `json:"file_type,omitempty" jsonschema:"Only files of this language or extension, such as go, python, ts, css"`
	Where
	Page
}

// FilesAnswer is what search_files found.
type FilesAnswer struct {
	Pattern string     `json:"pattern"`
	Match   FileMatch  `json:"match" jsonschema:"How the pattern was read: glob or fuzzy"`
	Files   []FileName `json:"files" jsonschema:"The files, best first"`
	Coverage
}

// A FileName is a file whose name matches.
type FileName struct {
	File     string          `json:"file"`
	Size     int64           `json:"size" jsonschema:"Bytes on disk"`
	Language syntax.Language `json:"language,omitempty"`
	Class    files.Class     `json:"class,omitempty" jsonschema:"What the file is if not plain source: generated, vendored, minified, binary, too_large, lfs_pointer, secret"`
}

// Files answers search_files. It lists the files themselves and needs no index.
func (e *Engine) Files(ctx context.Context, q FilesQuery) (*FilesAnswer, error) {
	if err := required("pattern", q.Pattern, msg.CallOf(op.SearchFiles, "pattern", "**/*.go")); err != nil {
		return nil, err
	}
	how, err := oneOf("match", q.Match, fileMatches)
	if err != nil {
		return nil, err
	}
	if how == AutoMatch {
		if how = FuzzyMatch; strings.ContainsAny(q.Pattern, "*?[{") {
			how = GlobMatch
		}
	}
	if how == GlobMatch && !glob.Valid(q.Pattern) {
		return nil, problem.New(problem.InvalidArgument, "search.pattern_is_no_glob", msg.Param("pattern"), q.Pattern).
			Or("search.send_a_glob").
			Or("search.use_match_fuzzy", msg.ArgsOf("match", FuzzyMatch))
	}
	w, err := e.Window(op.SearchFiles, &q, &q.Page, 100)
	if err != nil {
		return nil, err
	}
	a, look, err := e.lookIn(ctx, q.Where, q.FileType)
	if err != nil {
		return nil, err
	}
	defer look.Close()
	list := look.Files.Entries
	found := matchFiles(list, &a, q.Pattern, how)
	answer := &FilesAnswer{Pattern: q.Pattern, Match: how}
	answer.Files, answer.Coverage = Paged(len(found), w, func(i int) FileName {
		found[i].Language = filekind.Language(e.p, found[i].File, found[i].Class)
		return found[i]
	})
	if len(found) == 0 {
		for _, n := range symbolname.NearPaths(strings.Trim(q.Pattern, "*/ "), list, 3) {
			answer.Note(msg.New("search.near_path", n))
		}
	}
	answer.Freshness = "listed from the directory itself"
	e.hides(ctx, &answer.Completeness, len(found), leftOutQuery{path: func(p string) bool {
		return len(matchFiles([]files.Entry{{Path: p}}, &a, q.Pattern, how)) > 0
	}})
	return answer, nil
}

// matchFiles returns the files that match, best first.
func matchFiles(list []files.Entry, a *area, pattern string, how FileMatch) []FileName {
	type scored struct {
		f     files.Entry
		score int
		rank  int
	}
	terms := strings.Fields(strings.ToLower(pattern))
	var hits []scored
	for _, f := range list {
		if !a.containsPath(f.Path) {
			continue
		}
		s := scored{f: f, rank: fileRank(f.Path, f.Class)}
		if how == GlobMatch {
			if !globMatch(pattern, f.Path) {
				continue
			}
		} else if s.score = symbolname.PathScore(terms, f.Path); s.score == 0 {
			continue
		}
		hits = append(hits, s)
	}
	slices.SortStableFunc(hits, func(x, y scored) int {
		if how == GlobMatch {
			return cmp.Or(cmp.Compare(x.rank, y.rank), strings.Compare(x.f.Path, y.f.Path))
		}
		return cmp.Or(cmp.Compare(y.score, x.score), cmp.Compare(x.rank, y.rank), len(x.f.Path)-len(y.f.Path),
			strings.Compare(x.f.Path, y.f.Path))
	})
	if how == FuzzyMatch && len(hits) > 0 && hits[0].score >= symbolname.WholeTerm*len(terms) {
		// Where the letters stand together, scattered ones mean nothing.
		hits = slices.DeleteFunc(hits, func(s scored) bool { return s.score < symbolname.WholeTerm*len(terms) })
	}
	found := make([]FileName, len(hits))
	for i, h := range hits {
		found[i] = FileName{File: h.f.Path, Size: h.f.Size, Class: h.f.Class}
		if h.f.Class == files.Source {
			found[i].Class = ""
		}
	}
	return found
}

// Text gives the answer for people and models.
func (a *FilesAnswer) Text() string {
	var b writer
	head := a.Counted(a.Total, "file", "s")
	if a.Total == 0 {
		head += " (" + string(a.Match) + ")"
	}
	b.linef("%s", head)
	for _, f := range a.Files {
		line := f.File
		if f.Class != "" {
			line += " (" + string(f.Class) + ")"
		}
		b.linef("%s", line)
	}
	return b.tail(a.NextCursor, a.Remarks)
}

// Observed says what was asked; names alone show no lines.
func (a *FilesAnswer) Observed() shown.Facts {
	return shown.Facts{Asked: []string{a.Pattern}, Empty: a.Total == 0}
}
