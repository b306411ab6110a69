package session

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/session/payload"
	"codeintel/internal/session/state"
	"codeintel/internal/text"
	"codeintel/internal/workflow/codediff"
)

// TestsWeakened is the code of a change after which tests can find less, without a
// reason for it.
const TestsWeakened problem.Code = "tests_weakened"

// weakenings says what became of a test.
var weakenings = map[codediff.How]string{
	codediff.Removed:      "session.test_was_removed",
	codediff.NotCollected: "session.test_no_longer_run",
	codediff.Skipped:      "session.test_is_skipped",
	codediff.Conditional:  "session.test_ends_before_its_assertions",
	codediff.Fewer:        "session.test_has_fewer_assertions",
	codediff.Expectations: "session.test_expects_something_else",
	codediff.CannotFail:   "session.test_cannot_fail",
	codediff.MainEnds:     "session.test_main_hides_results",
	codediff.Settings:     "session.test_settings_changed",
	codediff.Expected:     "session.expected_text_changed",
	codediff.Helper:       "session.test_helper_asserts_less",
}

func weakening(w codediff.Weakening) msg.Message {
	what := w.File
	if w.Test != "" {
		what += ": " + strings.TrimPrefix(w.Test, "helper ")
	}
	return msg.New(weakenings[w.How], what)
}

// weakened compares the tests of the session's changes with those of the base.
func (t *turn) weakened(ctx context.Context, changes []git.Change) (*codediff.Diff, []codediff.Weakening, error) {
	base := state.Mark{Tree: t.st.Base}
	if t.st.Base == "" {
		base = t.st.Start
	}
	diff, err := t.compared(ctx, base, changes)
	if err != nil {
		return nil, nil, err
	}
	return diff, diff.Weakened(), nil
}

// testsStand refuses a change after which tests can find less, unless the review of
// their files says what of the request, or which change of behaviour, asks for it. What
// has a reason stands in the report.
func (t *turn) testsStand(ctx context.Context, changes []git.Change, reviewed []payload.ReviewedFile) error {
	diff, weak, err := t.weakened(ctx, changes)
	if err != nil || len(weak) == 0 && !t.baseFails() {
		return err
	}
	reasons := make(map[string]string)
	for _, r := range reviewed {
		if r.Decision == "discard" {
			reasons[r.Path] = "\x00"
		} else {
			reasons[r.Path] = strings.TrimSpace(r.Reason)
		}
	}
	about := t.st.Query + " " + strings.Join(diff.Touched(), " ")
	why := func(file string) (reason string, good bool) {
		reason = reasons[git.Shown(file)]
		return reason, reason == "\x00" || reasoned("reason", reason) == nil && shareWord(reason, about)
	}
	var open []any
	hold := func(what msg.Message, files ...string) {
		for _, f := range files {
			if reason, good := why(f); good {
				if reason != "\x00" {
					t.st.Warn("session.test_weakened_because", what, text.Clip(reason, 300))
				}
				return
			}
		}
		open = append(open, what)
	}
	listed := make(map[string]bool)
	for _, w := range weak {
		hold(weakening(w), w.File)
		listed[w.Test] = true
	}
	if t.st.Verify != nil {
		for _, b := range t.st.Verify.Base {
			for _, f := range b.Failures {
				if f.Test == "" || !listed[f.Test[strings.LastIndexByte(f.Test, ':')+1:]] {
					hold(failedBefore(b, f), f.Files...)
				}
			}
		}
	}
	if len(open) == 0 {
		return nil
	}
	const most = 20
	if more := len(open) - most; more > 0 {
		open = append(open[:most], msg.New("evidence.and_n_more", more))
	}
	return problem.New(TestsWeakened, "session.tests_can_find_less", msg.ListOf(" ", open...)).
		Or("session.restore_the_tests", backToReady()).
		Or("session.give_reason_for_tests")
}

// baseFails reports whether the new code fails tests of the base.
func (t *turn) baseFails() bool {
	return t.st.Verify != nil && slices.ContainsFunc(t.st.Verify.Base, func(b state.BaseTests) bool { return len(b.Failures) > 0 })
}

// reportWeakened names weakened tests in the report of a session without a review.
func (t *turn) reportWeakened(ctx context.Context) error {
	changes, err := t.own(ctx)
	if err != nil {
		return err
	}
	_, weak, err := t.weakened(ctx, changes)
	for _, w := range weak {
		t.st.Warnings = append(t.st.Warnings, weakening(w))
	}
	return err
}

// commonWords say nothing of what a text is about.
var commonWords = text.WordSet("this that with from test tests must have been because were when into only also does them they then than there will would should could file files code change changed changes more less need needs make made some any the and for not was are but")

// shareWord reports whether two texts have a word in common that says something: of
// three letters or more, or two characters of a script without blanks.
func shareWord(a, b string) bool {
	words := func(s string) map[string]bool {
		all := make(map[string]bool)
		for _, w := range strings.FieldsFunc(strings.ToLower(s),
			func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			r := []rune(w)
			if r[0] >= utf8.RuneSelf {
				for i := 0; i+1 < len(r); i++ {
					all[string(r[i:i+2])] = true
				}
			} else if len(r) >= 3 && !commonWords[w] {
				all[string(r[:min(len(r), 5)])] = true // "discount", "discounted"
			}
		}
		return all
	}
	in := words(b)
	for w := range words(a) {
		if in[w] {
			return true
		}
	}
	return false
}
