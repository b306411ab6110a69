package lessons

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

// A Declared symbol has its definition in these lines.
type Declared struct {
	Symbol, Kind string
	Start, End   int // lines, 1-based and inclusive
}

// Limits of an agreement. A phrase that stands for more symbols says nothing about any of them.
const (
	maxAgreed      = 12
	maxAgreedFiles = 20
)

// Code is what the recorder asks of the packages that search code.
type Code struct {
	// Declared returns the symbols of a file whose definitions contain any of the lines.
	Declared func(ctx context.Context, file string, lines []git.Range) ([]Declared, error)
	// Relevance returns how similar each symbol is to a phrase.
	Relevance func(ctx context.Context, phrase string, symbols []string) (map[string]float64, error)
	// IsTest reports whether a file tests others.
	IsTest func(file string) bool
}

// Lesson writes an agreement that pairs the words of a session's request with the symbols whose definitions
// its changes touch, and returns it. It returns nil if the request has no such words or no file was changed.
func (r Recorder) Lesson(ctx context.Context, st *state.State, changes []git.Change, code Code) (*state.Lesson, error) {
	phrase := phraseOf(st)
	if phrase == "" {
		return nil, nil
	}
	agreement := memory.Agreement{Phrases: []string{phrase}, Session: st.ID, Intent: string(st.Intent), LearnedAt: r.Now()}
	var evidence []string
	for _, tests := range []bool{false, true} { // tests are meant only if nothing else was changed
		for _, c := range changes {
			if c.Status == git.Deleted || c.Link() || c.Submodule() || code.IsTest(c.Path) != tests ||
				len(agreement.Files) == maxAgreedFiles {
				continue
			}
			found, err := code.Declared(ctx, c.Path, c.Hunks)
			if err != nil {
				return nil, err
			}
			agreement.Files = append(agreement.Files, c.Path)
			if len(found) == 0 {
				evidence = append(evidence, fmt.Sprintf("- `%s` was %s", c.Path, c.Status))
			}
			for _, d := range found {
				if !slices.Contains(agreement.Symbols, d.Symbol) {
					agreement.Symbols = append(agreement.Symbols, d.Symbol)
				}
				evidence = append(evidence, fmt.Sprintf("- `%s:%d-%d` %s %s", c.Path, d.Start, d.End, d.Kind, d.Symbol))
			}
		}
		if len(agreement.Files) > 0 {
			break
		}
	}
	if len(agreement.Files) == 0 {
		return nil, nil
	}
	if err := rankSymbols(ctx, &agreement, code); err != nil {
		return nil, err
	}
	agreement.Evidence = fmt.Sprintf("%s\n\nChanged:\n\n%s", quotation(st.Query),
		strings.Join(evidence[:min(len(evidence), 2*maxAgreedFiles)], "\n"))
	file, text, err := r.Agreements.Learn(ctx, agreement)
	if err != nil || file == "" {
		return nil, err
	}
	return &state.Lesson{Path: file, Text: string(text)}, nil
}

// phraseOf returns the words of the request for what was changed: the target feature, or else the scope,
// or else the symbols that it names.
func phraseOf(st *state.State) string {
	f := st.Frame
	for _, words := range []string{f.Slots["target_feature"].Value, f.Scope, strings.Join(f.TargetSymbols, " ")} {
		if words = text.OneLine(words); words != "" {
			return words
		}
	}
	return ""
}

// rankSymbols sorts the symbols by their similarity to the phrase, highest first, keeps the first few, and records
// the highest similarity.
func rankSymbols(ctx context.Context, agreement *memory.Agreement, code Code) error {
	if len(agreement.Symbols) == 0 {
		return nil
	}
	scores, err := code.Relevance(ctx, agreement.Phrases[0], agreement.Symbols)
	if err != nil {
		return err
	}
	slices.SortStableFunc(agreement.Symbols, func(x, y string) int {
		switch {
		case scores[x] > scores[y]:
			return -1
		case scores[x] < scores[y]:
			return 1
		}
		return 0
	})
	agreement.Similarity = scores[agreement.Symbols[0]]
	agreement.Symbols = agreement.Symbols[:min(len(agreement.Symbols), maxAgreed)]
	return nil
}

// quotation formats a text as a block quote in Markdown.
func quotation(content string) string {
	return "> " + strings.ReplaceAll(strings.TrimSpace(text.Clip(content, 2000)), "\n", "\n> ")
}

// isAgreementOf reports whether a file already is the agreement of the session.
func (r Recorder) isAgreementOf(file, session string) bool {
	rel, err := r.Project.Resolve(file)
	if err != nil {
		return false
	}
	text, err := repofile.In(r.Project.Root, rel).Read(repofile.Records)
	if err != nil {
		return false
	}
	agreement, err := memory.Parse(text)
	return err == nil && agreement.Session == session && agreement.Outcome != memory.Failure
}

// AgreementOf is the file of the session's agreement, "" if there is none.
func AgreementOf(s *state.State) string {
	if s.Lesson == nil || s.Outcome != state.Completed {
		return ""
	}
	return s.Lesson.Path
}
