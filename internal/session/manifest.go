package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/git"
	"codeintel/internal/platform/repofile"
)

// A folder without git has no trees to compare. A manifest, the hash of every
// file when work began, serves instead: it tells which files changed, not which
// lines, so evidence there is held against whole files.

// manifest returns the hash of every file of the project by its path.
func (s *Service) manifest(ctx context.Context) (map[string]string, error) {
	list, err := files.List(ctx, s.project)
	if err != nil {
		return nil, err
	}
	m := make(map[string]string, len(list))
	for _, e := range list {
		sum, err := files.HashFile(repofile.In(s.project.Root, e.Path))
		if err != nil {
			return nil, fmt.Errorf("manifest: %w", err)
		}
		m[e.Path] = sum
	}
	return m, nil
}

// plainChanges returns the files that differ from a manifest.
func (t *turn) plainChanges(ctx context.Context, since map[string]string) (changes []git.Change, err error) {
	now, err := t.s.manifest(ctx)
	if err != nil {
		return nil, err
	}
	for path, sum := range now {
		switch had, ok := since[path]; {
		case !ok:
			changes = append(changes, git.Change{Path: path, Status: git.Added})
		case had != sum:
			changes = append(changes, git.Change{Path: path, Status: git.Modified})
		}
	}
	for path := range since {
		if _, ok := now[path]; !ok {
			changes = append(changes, git.Change{Path: path, Status: git.Deleted})
		}
	}
	slices.SortFunc(changes, func(a, b git.Change) int { return strings.Compare(a.Path, b.Path) })
	return changes, nil
}

// plainPatch shows changed files whole: without git there is no old side.
func (t *turn) plainPatch(changes []git.Change, w io.Writer) error {
	for _, c := range changes {
		fmt.Fprintf(w, "=== %s %s\n", c.Status, c.Path)
		if c.Status == git.Deleted {
			continue
		}
		text, err := files.Read(t.s.project, c.Path)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s\n", text.Bytes); err != nil {
			return err
		}
	}
	return nil
}

// plainFingerprint identifies the files as they are now.
func (t *turn) plainFingerprint(ctx context.Context) (string, error) {
	now, err := t.s.manifest(ctx)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(now)) {
		fmt.Fprintf(h, "%s\x00%s\x00", path, now[path])
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// noFiles reports whether the project holds no file yet.
func (s *Service) noFiles() bool {
	entries, err := repofile.At(s.project.Root).List()
	return err == nil && !slices.ContainsFunc(entries,
		func(e os.DirEntry) bool { return e.Name() != ".git" && e.Name() != ".code-intel" })
}
