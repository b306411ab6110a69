package learning

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/memory"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/session/state"
	"codeintel/internal/text"
)

// A Declared is a symbol and where its definition is.
type Declared struct {
	Symbol, Kind string
	Start, End   int // lines, 1-based and inclusive
}

// Bounds of an agreement. More symbols than these are no longer a meaning.
const (
	mostAgreed      = 12
	mostAgreedFiles = 20
)

// Code is what the recorder asks of the packages that search code.
type Code struct {
	// Declared returns the symbols of a file whose definitions hold any of the lines.
	Declared func(ctx context.Context, file string, lines []git.Range) ([]Declared, error)
	// Relevance returns how near each symbol is to a phrase.
	Relevance func(ctx context.Context, phrase string, symbols []string) (map[string]float64, error)
	// IsTest reports whether a file tests others.
	IsTest func(file string) bool
}

// Lesson returns the agreement between the words of a session's request and the symbols
// whose definitions its changes touch; nil if there are none.
func (r Recorder) Lesson(ctx context.Context, st *state.State, changes []git.Change, code Code) (*state.Lesson, error) {
	phrase := phraseOf(st)
	if phrase == "" {
		return nil, nil
	}
	a := memory.Agreement{Phrases: []string{phrase}, Session: st.ID, Intent: string(st.Intent), LearnedAt: r.Now()}
	var evidence []string
	for _, tests := range []bool{false, true} { // tests are meant only if nothing else was changed
		for _, c := range changes {
			if c.Status == git.Deleted || c.Link() || c.Submodule() || code.IsTest(c.Path) != tests ||
				len(a.Files) == mostAgreedFiles {
				continue
			}
			found, err := code.Declared(ctx, c.Path, c.Hunks)
			if err != nil {
				return nil, err
			}
			a.Files = append(a.Files, c.Path)
			if len(found) == 0 {
				evidence = append(evidence, fmt.Sprintf("- `%s` was %s", c.Path, c.Status))
			}
			for _, d := range found {
				if !slices.Contains(a.Symbols, d.Symbol) {
					a.Symbols = append(a.Symbols, d.Symbol)
				}
				evidence = append(evidence, fmt.Sprintf("- `%s:%d-%d` %s %s", c.Path, d.Start, d.End, d.Kind, d.Symbol))
			}
		}
		if len(a.Files) > 0 {
			break
		}
	}
	if len(a.Files) == 0 {
		return nil, nil
	}
	if err := weigh(ctx, &a, code); err != nil {
		return nil, err
	}
	a.Evidence = fmt.Sprintf("%s\n\nChanged:\n\n%s", quotation(st.Query),
		strings.Join(evidence[:min(len(evidence), 2*mostAgreedFiles)], "\n"))
	file, text, err := r.Agreements.Learn(ctx, a)
	if err != nil || file == "" {
		return nil, err
	}
	return &state.Lesson{Path: file, Text: string(text)}, nil
}

// phraseOf is what the request calls the thing: the target feature, else the scope,
// else the symbols that it named.
func phraseOf(st *state.State) string {
	f := st.Frame
	for _, words := range []string{f.Slots["target_feature"].Value, f.Scope, strings.Join(f.TargetSymbols, " ")} {
		if words = text.OneLine(words); words != "" {
			return words
		}
	}
	return ""
}

// weigh puts the symbols in order, the nearest to the phrase first, and notes how
// near that is. A change in many places means those that its words are near to.
func weigh(ctx context.Context, a *memory.Agreement, code Code) error {
	if len(a.Symbols) == 0 {
		return nil
	}
	scores, err := code.Relevance(ctx, a.Phrases[0], a.Symbols)
	if err != nil {
		return err
	}
	slices.SortStableFunc(a.Symbols, func(x, y string) int {
		switch {
		case scores[x] > scores[y]:
			return -1
		case scores[x] < scores[y]:
			return 1
		}
		return 0
	})
	a.Similarity = scores[a.Symbols[0]]
	a.Symbols = a.Symbols[:min(len(a.Symbols), mostAgreed)]
	return nil
}

// quotation writes a text as a quotation in Markdown.
func quotation(content string) string {
	return "> " + strings.ReplaceAll(strings.TrimSpace(text.Clip(content, 2000)), "\n", "\n> ")
}

// isAgreementOf reports whether a file is the agreement of the session already.
func (r Recorder) isAgreementOf(file, session string) bool {
	rel, err := r.Project.Resolve(file)
	if err != nil {
		return false
	}
	text, err := repofile.In(r.Project.Root, rel).Read(repofile.Records)
	if err != nil {
		return false
	}
	a, err := memory.Parse(text)
	return err == nil && a.Session == session && a.Outcome != memory.Failure
}

// AgreementOf is the file of the session's agreement, "" if there is none.
func AgreementOf(s *state.State) string {
	if s.Lesson == nil || s.Outcome != state.Completed {
		return ""
	}
	return s.Lesson.Path
}
