// Package filehashes finds out which files of a folder changed where there is no git: it compares hashes of
// every file, taken when work began, with the files now. It cannot tell which lines changed, so evidence is
// checked against whole files.
package filehashes

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/git"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/project"
)

// A Manifest is the hash of every file of a project by its path.
type Manifest = map[string]string

// Of reads the manifest of a project.
func Of(ctx context.Context, p *project.Project) (Manifest, error) {
	list, err := files.List(ctx, p)
	if err != nil {
		return nil, err
	}
	m := make(Manifest, len(list))
	for _, e := range list {
		sum, err := files.HashFile(repofile.In(p.Root, e.Path))
		if err != nil {
			return nil, fmt.Errorf("manifest: %w", err)
		}
		m[e.Path] = sum
	}
	return m, nil
}

// Changes returns the files of a project that differ from a manifest, by path.
func Changes(ctx context.Context, p *project.Project, since Manifest) (changes []git.Change, err error) {
	now, err := Of(ctx, p)
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

// Patch shows changed files whole, because there is no old side.
func Patch(p *project.Project, changes []git.Change, w io.Writer) error {
	for _, c := range changes {
		fmt.Fprintf(w, "=== %s %s\n", c.Status, c.Path)
		if c.Status == git.Deleted {
			continue
		}
		text, err := files.Read(p, c.Path)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s\n", text.Bytes); err != nil {
			return err
		}
	}
	return nil
}

// Fingerprint identifies the files of a project as they are now.
func Fingerprint(ctx context.Context, p *project.Project) (string, error) {
	now, err := Of(ctx, p)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(now)) {
		fmt.Fprintf(h, "%s\x00%s\x00", path, now[path])
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
