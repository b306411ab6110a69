package memory

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/text"
)

// written is the head of an agreement as this program writes it.
type written struct {
	NLTerm     string   `yaml:"nl_term"`
	Symbols    []string `yaml:"symbols,flow"`
	Files      []string `yaml:"files,flow"`
	Similarity float64  `yaml:"similarity,omitempty"`
	Session    string   `yaml:"session"`
	Intent     string   `yaml:"intent"`
	LearnedAt  string   `yaml:"learned_at"`
	Outcome    Outcome  `yaml:"outcome,omitempty"`
}

// Learn returns the file and the content for a new agreement of a session; file is ""
// if nothing needs to be written. The agreement has one phrase. If an agreement with the
// same phrase and symbols exists, it is updated in place, and keeps its outcome if that
// was success. One that a person wrote stays as it is unless it failed. One of this same
// session is returned unchanged, because a session that was interrupted by a crash
// learns twice. Learn writes nothing itself.
func (f *Folder) Learn(ctx context.Context, a Agreement) (file string, content []byte, err error) {
	all, err := f.All(ctx)
	if err != nil {
		return "", nil, err
	}
	a.Phrases = []string{text.Prefix(text.OneLine(a.Phrases[0]), maxPhrase)}
	a.Path = path.Join(Dir, name(a))
	for _, had := range all {
		if !sameAgreement(had, &a) {
			continue
		}
		if had.Outcome != Failure && had.Session == "" {
			return "", nil, nil
		}
		if had.Outcome != Failure && had.Session == a.Session {
			content, err = repofile.In(f.p.Root, had.Path).Read(maxFile)
			return had.Path, content, err
		}
		if a.Path = had.Path; had.Outcome == Success {
			a.Outcome = Success
		}
		break
	}
	content, err = a.text()
	return a.Path, content, err
}

// sameAgreement reports whether two agreements say of the same words that they
// mean the same symbols, or the same files, where there are no symbols.
func sameAgreement(a, b *Agreement) bool {
	same := func(x, y []string) bool {
		return slices.Equal(slices.Sorted(slices.Values(x)), slices.Sorted(slices.Values(y)))
	}
	if len(a.Phrases) != 1 || phraseKey(a.Phrases[0]) != phraseKey(b.Phrases[0]) || !same(a.Symbols, b.Symbols) {
		return false
	}
	return len(a.Symbols) > 0 || same(a.Files, b.Files)
}

// name is the file name of an agreement: words of its phrase for people, and what
// tells it from others that begin alike.
func name(a Agreement) string {
	const mostRunes = 40
	var slug strings.Builder
	runes, gap := 0, false
	for _, r := range strings.ToLower(a.Phrases[0]) {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			gap = runes > 0
			continue
		}
		if runes == mostRunes {
			break
		}
		if gap {
			slug.WriteByte('-')
			gap = false
		}
		slug.WriteRune(r)
		runes++
	}
	means := a.Symbols
	if len(means) == 0 {
		means = a.Files
	}
	sum := sha256.Sum256([]byte(phraseKey(a.Phrases[0]) + "\x00" + strings.Join(slices.Sorted(slices.Values(means)), "\x00")))
	return strings.TrimPrefix(slug.String()+"-", "-") + hex.EncodeToString(sum[:4]) + ".md"
}

func (a *Agreement) text() ([]byte, error) {
	head, err := yaml.Marshal(written{
		NLTerm: a.Phrases[0], Symbols: a.Symbols, Files: a.Files, Similarity: a.Similarity, Session: a.Session,
		Intent: a.Intent, LearnedAt: a.LearnedAt.UTC().Format(time.RFC3339), Outcome: a.Outcome,
	})
	if err != nil {
		return nil, fmt.Errorf("memory: %w", err)
	}
	text := slices.Concat([]byte("---\n"), head, []byte("---\n\n"), []byte(strings.TrimSpace(a.Evidence)), []byte("\n"))
	if len(text) > maxFile {
		return nil, fmt.Errorf("memory: %s would have %d bytes; at most %d are read", a.Path, len(text), maxFile)
	}
	return text, nil
}

// outcomeLine and sessionLine find lines of a head that this program wrote. People
// edit around them.
var (
	outcomeLine = lazyregexp.MustCompile(`(?m)^outcome:[^\r\n]*`)
	sessionLine = lazyregexp.MustCompile(`(?m)^session(?:_id)?:[^\r\n]*`)
)

// Mark records in every agreement of a session how the session ended, and returns their
// paths. With [Failure] they leave the Map, with [Success] they count in full.
func (f *Folder) Mark(ctx context.Context, session string, o Outcome) (marked []string, err error) {
	all, err := f.All(ctx)
	if err != nil || session == "" {
		return nil, err
	}
	for _, a := range all {
		if a.Session != session {
			continue
		}
		if a.Outcome != o {
			if err := f.mark(a, o); err != nil {
				return marked, fmt.Errorf("memory: mark %s: %w", a.Path, err)
			}
		}
		marked = append(marked, a.Path)
	}
	return marked, nil
}

func (f *Folder) mark(a *Agreement, o Outcome) error {
	rel, err := f.p.Resolve(a.Path)
	if err != nil {
		return err
	}
	text, err := repofile.In(f.p.Root, rel).Read(maxFile)
	if err != nil {
		return err
	}
	// The head ends at the second line of dashes; a body may speak of outcomes too.
	end := bytes.Index(text, []byte("\n---"))
	if end < 0 {
		end = len(text)
	}
	head, line := text[:end], []byte("outcome: "+string(o))
	if outcomeLine.Match(head) {
		head = outcomeLine.ReplaceAllLiteral(head, line)
	} else if at := sessionLine.FindIndex(head); at != nil {
		head = slices.Concat(head[:at[1]], []byte("\n"), line, head[at[1]:])
	} else {
		return fmt.Errorf("its head has no line for the session")
	}
	return f.p.WriteFile(a.Path, slices.Concat(head, text[end:]))
}
