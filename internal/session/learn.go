package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"codeintel/internal/audit"
	"codeintel/internal/git"
	"codeintel/internal/memory"
	"codeintel/internal/memory/outcomes"
	"codeintel/internal/platform/op"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/session/state"
	"codeintel/internal/taskbranch"
	"codeintel/internal/text"
)

// Bounds of an agreement. More symbols than these are no longer a meaning.
const (
	mostAgreed      = 12
	mostAgreedFiles = 20
)

// A Declared is a symbol and where its definition is.
type Declared struct {
	Symbol, Kind string
	Start, End   int // lines, 1-based and inclusive
}

// learn composes the agreement of a session that completes, unless there is one already or
// nothing was learned. A failure is a warning only, because the work does not depend on it.
func (t *turn) learn(ctx context.Context) {
	if t.st.Lesson != nil || t.st.ExplorationOnly() || t.st.Flags.OnlyVerify || t.st.Frame == nil ||
		t.s.code.Declared == nil {
		return
	}
	lesson, err := t.lesson(ctx)
	if err != nil {
		t.s.log.Warn("no agreement is written", "session", t.st.ID, "err", err)
		t.Warn("session.lesson_could_not_be_noted")
		return
	}
	t.st.Lesson = lesson
}

// lesson returns the agreement between the words of the request and the symbols
// whose definitions the session changed; nil if there are none.
func (t *turn) lesson(ctx context.Context) (*state.Lesson, error) {
	phrase := t.phrase()
	if phrase == "" {
		return nil, nil
	}
	changes, err := t.done(ctx)
	if err != nil {
		return nil, err
	}
	a := memory.Agreement{Phrases: []string{phrase}, Session: t.st.ID, Intent: string(t.st.Intent), LearnedAt: t.s.now()}
	var evidence []string
	for _, tests := range []bool{false, true} { // tests are meant only if nothing else was changed
		for _, c := range changes {
			if c.Status == git.Deleted || c.Link() || c.Submodule() || t.s.code.IsTest(c.Path) != tests ||
				len(a.Files) == mostAgreedFiles {
				continue
			}
			found, err := t.s.code.Declared(ctx, c.Path, c.Hunks)
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
	if err := t.weigh(ctx, &a); err != nil {
		return nil, err
	}
	a.Evidence = fmt.Sprintf("%s\n\nChanged:\n\n%s", quotation(t.st.Query),
		strings.Join(evidence[:min(len(evidence), 2*mostAgreedFiles)], "\n"))
	file, text, err := t.s.agreements.Learn(ctx, a)
	if err != nil || file == "" {
		return nil, err
	}
	return &state.Lesson{Path: file, Text: string(text)}, nil
}

// phrase is what the request calls the thing: the target feature, else the scope,
// else the symbols that it named.
func (t *turn) phrase() string {
	f := t.st.Frame
	for _, words := range []string{f.Slots["target_feature"].Value, f.Scope, strings.Join(f.TargetSymbols, " ")} {
		if words = text.OneLine(words); words != "" {
			return words
		}
	}
	return ""
}

// done returns what the session changed.
func (t *turn) done(ctx context.Context) ([]git.Change, error) {
	if t.st.Branch == nil {
		return t.own(ctx)
	}
	r, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	return taskbranch.Done(ctx, r, *t.st.Branch)
}

// weigh puts the symbols in order, the nearest to the phrase first, and notes how
// near that is. A change in many places means those that its words are near to.
func (t *turn) weigh(ctx context.Context, a *memory.Agreement) error {
	if len(a.Symbols) == 0 {
		return nil
	}
	scores, err := t.s.code.Relevance(ctx, a.Phrases[0], a.Symbols)
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

// mergeWith merges the task branch, with the agreement in the merge commit where
// the repository keeps agreements. If git cannot bring the file, the work is merged
// without it.
func (t *turn) mergeWith(ctx context.Context, r *git.Repo, message string) (string, error) {
	carried := make(map[string][]byte)
	if l := t.st.Lesson; l != nil {
		rel, err := t.s.project.Resolve(l.Path)
		carries := false
		if err == nil && rel == l.Path { // else a link leads elsewhere
			carries, err = taskbranch.Carries(ctx, r, l.Path)
		}
		if err != nil {
			t.s.log.Warn("the merge does not bring the agreement", "session", t.st.ID, "err", err)
		} else if carries {
			carried[l.Path] = []byte(l.Text)
		}
	}
	id, err := taskbranch.MergeWith(ctx, r, *t.st.Branch, message, carried)
	var conflict *taskbranch.Conflict
	if err != nil && len(carried) > 0 && problem.Of(err) != nil && !errors.As(err, &conflict) {
		return taskbranch.Merge(ctx, r, *t.st.Branch, message)
	}
	return id, err
}

// conclude notes how a session ended, once its end is on disk: it writes the
// agreement that no merge brought, and records the outcome. It may be repeated.
func (s *Service) conclude(ctx context.Context, st *state.State) {
	if l := st.Lesson; l != nil && st.Outcome == state.Completed && path.Dir(l.Path) == memory.Dir {
		if !s.holds(l.Path, st.ID) {
			if err := s.project.WriteFile(l.Path, []byte(l.Text)); err != nil {
				s.log.Warn("the agreement is not written", "session", st.ID, "file", l.Path, "err", err)
			}
		}
		// The commit that brought it is the server's, not one of the user's.
		if err := s.texts.Vouch(l.Path, []byte(l.Text)); err != nil {
			s.log.Warn("the agreement is not trusted", "session", st.ID, "file", l.Path, "err", err)
		}
	}
	o := s.outcomeOf(st)
	o.Source, o.Timestamp = outcomes.SessionEnd, outcomes.Stamp(st.Updated)
	// one that came back from the archive ends again
	err := s.logs.Outcomes.AppendUnless(o, func(had outcomes.Outcome) bool {
		return had.SessionID == st.ID && had.Source == outcomes.SessionEnd && had.Timestamp == o.Timestamp
	})
	if err != nil {
		s.log.Warn("the outcome is not recorded", "session", st.ID, "err", err)
	}
	if o.Outcome == outcomes.Failure { // a merge before a crash may have brought one
		if _, err := s.agreements.Mark(ctx, st.ID, memory.Failure); err != nil {
			s.log.Warn("the agreement of a failed session is not marked", "session", st.ID, "err", err)
		}
	}
}

// holds reports whether a file is the agreement of the session already.
func (s *Service) holds(file, session string) bool {
	rel, err := s.project.Resolve(file)
	if err != nil {
		return false
	}
	text, err := repofile.In(s.project.Root, rel).Read(repofile.Records)
	if err != nil {
		return false
	}
	a, err := memory.Parse(text)
	return err == nil && a.Session == session && a.Outcome != memory.Failure
}

// results are the outcomes of sessions as the log has them.
var results = map[state.Outcome]outcomes.Result{
	state.Completed: outcomes.Success, state.CompletedWithWarnings: outcomes.Partial, state.CompletedUnverified: outcomes.Partial,
	state.Aborted: outcomes.Failure,
}

// outcomeOf is what the log says of a session as it is.
func (s *Service) outcomeOf(st *state.State) outcomes.Outcome {
	o := outcomes.Outcome{
		SessionID: st.ID, Timestamp: outcomes.Stamp(s.now()), Outcome: results[st.Outcome],
		Phase: s.wire(cmp.Or(st.EndedIn, st.Phase)), Intent: string(st.Intent),
		SessionEnded: string(st.Outcome), Overridden: st.Overridden, DevragUsed: s.searchedByMeaning(st.ID),
	}
	if !st.Reason.IsZero() {
		o.Analysis = map[string]any{"reason": text.Clip(st.Reason.String(), 2000)}
	}
	if st.Frame != nil {
		o.HasFrame, o.RiskLevel, o.MissingSlots = true, st.Frame.Risk, outcomes.Missing(st.Frame)
	}
	return o
}

// searchedByMeaning reports whether the ledger of a session holds a search by
// meaning that answered.
func (s *Service) searchedByMeaning(id string) bool {
	file := s.folder().Ledger(id)
	if !repofile.At(file).Exists() {
		file = s.folder().ArchivedLedger(id)
	}
	if !repofile.At(file).Exists() {
		return false
	}
	l, err := audit.Open(file)
	if err != nil {
		return false
	}
	defer l.Close()
	entries, err := l.Since(0)
	return err == nil && slices.ContainsFunc(entries, func(e audit.Entry) bool {
		return e.Kind == audit.Tool && (e.Name == string(op.SemanticSearch) || e.Name == string(op.Query)) && e.Outcome == audit.OK
	})
}

// agreed is the file of the session's agreement, "" if there is none.
func agreed(s *state.State) string {
	if s.Lesson == nil || s.Outcome != state.Completed {
		return ""
	}
	return s.Lesson.Path
}
