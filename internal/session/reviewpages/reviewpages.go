// Package reviewpages splits the change of a session into pages that fit into any client's answers, and names
// them by cursors. The tool review_changes sends them, before the session commits.
package reviewpages

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"codeintel/internal/git"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/session/answer"
	"codeintel/internal/session/changes"
	"codeintel/internal/session/filehashes"
	"codeintel/internal/taskbranch"
)

// Missing is the code of a change that was not reviewed as it is.
const Missing problem.Code = "review_missing"

// What one answer shows of a change, in bytes as JSON writes them: quotes, tabs
// and line ends count double there. Together they stay under the smallest limit of
// any client, so that nothing is cut that counts as delivered.
const (
	reviewPage  = 6500
	reviewFiles = 2500
)

// Of cuts the change into pages at line borders. There is always one.
func Of(ctx context.Context, t *changes.Tree, changed []git.Change) ([]string, error) {
	var diff bytes.Buffer
	if t.State.Git {
		r, err := t.Repository(ctx)
		if err != nil {
			return nil, err
		}
		if len(changed) > 0 {
			if err := taskbranch.Patch(ctx, r, t.State.Base, git.Paths(changed), &diff); err != nil {
				return nil, err
			}
		}
	} else if err := filehashes.Patch(t.Project, changed, &diff); err != nil {
		return nil, err
	}
	return paginate(strings.ToValidUTF8(diff.String(), "�"), reviewPage), nil
}

// Listed returns the first of the changes, as many as fit beside a page.
func Listed(changed []git.Change) (files []answer.ReviewFile) {
	return changedFiles(changed, reviewFiles)
}

func changedFiles(changes []git.Change, size int) (files []answer.ReviewFile) {
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

// Cursor names a page of one state of the change. It is opaque to its reader.
func Cursor(fingerprint string, n int) string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.Itoa(n) + " " + fingerprint))
}

// Page returns the page that the cursor names.
func Page(cursor, fingerprint string, pages int) (int, error) {
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
		return 0, problem.New(Missing, "session.files_changed_since_cursor_given").
			OrSay(again)
	}
	return n, nil
}
