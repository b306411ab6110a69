package session

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/session/answer"
	"codeintel/internal/session/manifest"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/state"
	"codeintel/internal/taskbranch"
)

// What one answer shows of a change, in bytes as JSON writes them: quotes, tabs
// and line ends count double there. Together they stay under the smallest limit of
// any client, so that nothing is cut that counts as delivered.
const (
	reviewPage  = 6500
	reviewFiles = 2500
)

// A ReviewRequest asks for the change, or its next page.
type ReviewRequest struct {
	Cursor string `json:"cursor,omitempty" jsonschema:"next_cursor of the last answer; left out for the first page"`
}

// ReviewChanges shows the whole change since the base commit, page by page, and
// remembers which pages of which change were shown.
func (s *Service) ReviewChanges(ctx context.Context, req ReviewRequest) (*answer.Review, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.ensureOpen("", op.ReviewChanges); err != nil {
		return nil, err
	}
	t, err := s.turn()
	if err != nil {
		return nil, err
	}
	changes, err := t.Own(ctx)
	if err != nil {
		return nil, err
	}
	now, err := t.Fingerprint(ctx)
	if err != nil {
		return nil, err
	}
	pages, err := t.pages(ctx, changes)
	if err != nil {
		return nil, err
	}
	n, err := page(req.Cursor, now, len(pages))
	if err != nil {
		return nil, err
	}
	if t.State.Review == nil || t.State.Review.Fingerprint != now {
		t.State.Review = &state.Review{Fingerprint: now, Pages: len(pages)}
	}
	if !slices.Contains(t.State.Review.Delivered, n) {
		t.State.Review.Delivered = append(t.State.Review.Delivered, n)
	}
	a := &answer.Review{Changed: len(changes), Diff: pages[n], Page: n + 1, Pages: len(pages),
		Delivered: t.State.Review.Whole()}
	if n == 0 {
		a.Files = listed(changes, reviewFiles)
		if t.State.Phase == phases.PreCommit {
			if a.Warnings, err = t.reasonsNeeded(ctx, changes); err != nil {
				return nil, err
			}
		}
	}
	if n+1 < len(pages) {
		a.NextCursor = cursor(now, n+1)
	}
	return a, t.save()
}

// pages cuts the change into pages at line borders. There is always one.
func (t *turn) pages(ctx context.Context, changes []git.Change) ([]string, error) {
	var diff bytes.Buffer
	if t.State.Git {
		r, err := t.Repository(ctx)
		if err != nil {
			return nil, err
		}
		if len(changes) > 0 {
			if err := taskbranch.Patch(ctx, r, t.State.Base, git.Paths(changes), &diff); err != nil {
				return nil, err
			}
		}
	} else if err := manifest.Patch(t.s.project, changes, &diff); err != nil {
		return nil, err
	}
	return paginate(strings.ToValidUTF8(diff.String(), "�"), reviewPage), nil
}

// listed returns the first of the changes, as many as fit into size bytes.
func listed(changes []git.Change, size int) (files []answer.ReviewFile) {
	for _, c := range changes {
		f := answer.ReviewFile{Path: c.Path, OldPath: c.OldPath, Status: string(c.Status), Binary: c.Binary}
		if size -= weight(f); size < 0 {
			break
		}
		files = append(files, f)
	}
	return files
}

// weight is how many bytes v has as JSON.
func weight(v any) int {
	data, err := json.Marshal(v)
	if err != nil {
		return 0 // strings marshal
	}
	return len(data)
}

// paginate cuts a text into parts of at most size bytes as JSON writes them, at
// line borders where there are any.
func paginate(text string, size int) []string {
	pages := []string{}
	for {
		cut := fit(text, size)
		if cut == len(text) {
			return append(pages, text)
		}
		if line := strings.LastIndexByte(text[:cut], '\n'); line >= 0 {
			cut = line + 1
		}
		pages, text = append(pages, text[:cut]), text[cut:]
	}
}

// fit returns how much of the text, in whole characters and at least one, takes
// at most size bytes as JSON.
func fit(text string, size int) int {
	for i, r := range text {
		switch {
		case r == '"' || r == '\\' || r == '\n' || r == '\t' || r == '\r':
			size -= 2
		case r < ' ' || r == '<' || r == '>' || r == '&' || r == 0x2028 || r == 0x2029:
			size -= 6
		default:
			size -= utf8.RuneLen(r)
		}
		if size < 0 && i > 0 {
			return i
		}
	}
	return len(text)
}

// cursor names a page of one state of the change. It is opaque to its reader.
func cursor(fingerprint string, n int) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(n) + " " + fingerprint))
}

// page returns the page that the cursor names.
func page(cursor, fingerprint string, pages int) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	again := msg.New("session.review_changes_from_start", op.ReviewChanges)
	data, err := base64.RawURLEncoding.DecodeString(cursor)
	number, of, ok := strings.Cut(string(data), " ")
	n, convErr := strconv.Atoi(number)
	switch {
	case err != nil || !ok || convErr != nil || n < 0:
		return 0, problem.New(problem.InvalidArgument, "session.cursor_was_not_given", op.ReviewChanges).
			OrSay(again)
	case of != fingerprint || n >= pages:
		return 0, problem.New(reviewMissing, "session.files_changed_since_cursor_given").
			OrSay(again)
	}
	return n, nil
}
