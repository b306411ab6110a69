package session

import (
	"bytes"
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"

	"codeintel/internal/git"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/session/state"
	"codeintel/internal/taskbranch"
	"codeintel/internal/verify"
	"codeintel/internal/workflow/codediff"
)

// baseTests runs the commands that passed on the new code again, with the tests of the base,
// if the session changed tests. Without git the old tests are not known.
func (t *turn) baseTests(ctx context.Context, results []verify.Result) (all []state.BaseTests, running []*verify.Job, err error) {
	if !t.st.Git || t.st.Base == "" || t.st.Flags.OnlyVerify || !slices.ContainsFunc(results, succeeded) {
		return nil, nil, nil
	}
	base, now, err := t.testsBefore(ctx)
	if err != nil || base == nil {
		return nil, nil, err
	}
	chosen, err := t.chosen(ctx)
	if err != nil {
		return nil, nil, err
	}
	on, err := t.filesNow(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, c := range chosen {
		if !slices.ContainsFunc(results, func(r verify.Result) bool { return r.Name == c.Name && succeeded(r) }) {
			continue
		}
		c.Base = base
		j := t.s.runner().Standing(c, on, t.st.Since)
		if j == nil {
			j = t.s.runner().Begin(c, on, t.st.Since, func(context.Context) (string, []string) { return on, nil })
		}
		if !j.Ended() {
			running = append(running, j)
			continue
		}
		r, _, err := j.Result()
		if err != nil { // it was stopped at this moment: the server closes
			return nil, nil, err
		}
		all = append(all, state.BaseTests{Result: r, Failures: failuresOf(r, base.Was, now)})
	}
	return all, running, nil
}

func succeeded(r verify.Result) bool { return ran(r) && r.Passed }

// testsBefore returns what to copy, and the present names of changed tests by those of the
// base; nil if all tests of the base are as they were, and nothing new interferes.
func (t *turn) testsBefore(ctx context.Context) (*verify.Base, map[string]string, error) {
	changes, err := t.own(ctx)
	if err != nil {
		return nil, nil, err
	}
	b, now := new(verify.Base), make(map[string]string)
	var was []string
	for _, c := range changes {
		if c.Link() || c.Submodule() {
			continue
		}
		if old := oldName(c); c.Status != git.Added && t.ofTests(old) {
			was, now[old] = append(was, old), c.Path
		}
		if (c.Status == git.Added || c.OldPath != "") && t.ofTests(c.Path) {
			b.Added = append(b.Added, c.Path)
			if c.Status == git.Added && interfering(c.Path, t.textNow(c.Path)) {
				now[c.Path] = c.Path
			}
		}
	}
	if len(now) == 0 {
		return nil, nil, nil
	}
	r, err := t.repo(ctx)
	if err != nil {
		return nil, nil, err
	}
	if b.Was, err = r.Contents(ctx, t.st.Base, was, mostCompared); err != nil {
		return nil, nil, err
	}
	b.Files, b.Ignored, err = taskbranch.Listed(ctx, r)
	return b, now, err
}

// ofTests reports whether a file is a test, or is there for tests alone.
func (t *turn) ofTests(file string) bool {
	return t.s.code.IsTest != nil && t.s.code.IsTest(file) || codediff.OfTests(file)
}

// interfering reports whether a new file changes how the tests in other files run, by
// being there.
func interfering(file string, text []byte) bool {
	base := path.Base(file)
	switch {
	case strings.HasPrefix(base, "conftest."), strings.Contains(strings.ToLower(base), "setup"),
		strings.Contains(base, ".config."):
		return true
	case strings.HasSuffix(base, "_test.go"):
		return beforeTests.Match(text)
	}
	return false
}

var beforeTests = lazyregexp.MustCompile(`(?m)^func (?:init\(\)|TestMain\()`)

// failuresOf says which tests of the base failed, and where they can be.
func failuresOf(r verify.Result, was map[string][]byte, now map[string]string) (all []state.BaseFailure) {
	if !ran(r) || r.Passed {
		return nil
	}
	files := slices.Sorted(maps.Values(now))
	for _, name := range r.Failed {
		f := state.BaseFailure{Test: name}
		words := strings.FieldsFunc(name, func(c rune) bool { return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) })
		for _, old := range slices.Sorted(maps.Keys(now)) {
			named := strings.Contains(name, path.Base(old))
			if !named && len(words) > 0 {
				named = bytes.Contains(was[old], []byte(words[0])) || bytes.Contains(was[old], []byte(words[len(words)-1]))
			}
			if named {
				f.Files = append(f.Files, now[old])
			}
		}
		if len(f.Files) == 0 {
			f.Files = files
		}
		all = append(all, f)
	}
	if len(all) == 0 {
		all = []state.BaseFailure{{Files: files}}
	}
	return all
}

// failedBefore tells of a failure.
func failedBefore(b state.BaseTests, f state.BaseFailure) msg.Message {
	if f.Test == "" {
		return msg.New("session.base_command_fails", strings.Join(b.Result.Command, " "), b.Result.Why, some(f.Files, 5))
	}
	return msg.New("session.base_test_fails", f.Test, some(f.Files, 5))
}

// tellBaseTests says what the tests of the base found, before the review asks for reasons.
func (t *turn) tellBaseTests() {
	for _, b := range t.st.Verify.Base {
		if !ran(b.Result) {
			t.st.Warn("session.base_tests_not_run", b.Result.Said())
		}
		for i, f := range b.Failures {
			switch {
			case t.st.Flags.Quick: // there is no review
				t.st.Warnings = append(t.st.Warnings, failedBefore(b, f))
			case i < 5:
				t.Warnings = append(t.Warnings, failedBefore(b, f))
			}
		}
	}
}
