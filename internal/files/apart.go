package files

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/platform/repofile"
)

// An Apart is what belongs to a project and is not among its files.
type Apart struct {
	Nested  []string // folders of other repositories, such as submodules
	Missing []string // submodules that are not checked out
	Sparse  bool     // git was told to leave files out of the working tree
}

// Apart says what a listing of the project does not hold because git keeps it elsewhere.
func (l *Lister) Apart(ctx context.Context, listed *Listing) (a Apart) {
	for _, s := range listed.Skips {
		if s.Reason == Nested {
			a.Nested = append(a.Nested, s.Path)
		}
	}
	w := findWorkTree(l.p.Root)
	if w == nil {
		return a
	}
	if modules, err := repofile.In(w.top, ".gitmodules").Read(l.p.Config.MaxFileBytes); err == nil {
		for line := range strings.Lines(string(modules)) {
			key, value, _ := strings.Cut(line, "=")
			rel, in := strings.CutPrefix(strings.TrimSpace(value), w.prefix)
			if strings.TrimSpace(key) != "path" || !in || slices.Contains(a.Nested, rel) {
				continue
			}
			if _, err := os.Lstat(filepath.Join(l.p.Root, filepath.FromSlash(rel), ".git")); err != nil {
				a.Missing = append(a.Missing, rel)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(w.gitDir, "info", "sparse-checkout")); err == nil {
		on, err := w.git(ctx, "config", "--type=bool", "--get", "core.sparseCheckout")
		a.Sparse = err == nil && strings.TrimSpace(on) == "true"
	}
	return a
}
