package files

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/platform/repofile"
)

// An Elsewhere is what belongs to a project and is not among its files.
type Elsewhere struct {
	Nested  []string // folders of other repositories, such as submodules
	Missing []string // submodules that are not checked out
	Sparse  bool     // git was told to leave files out of the working tree
}

// Elsewhere says what a listing of the project does not hold because git keeps it elsewhere.
func (l *Lister) Elsewhere(ctx context.Context, listed *Listing) (a Elsewhere) {
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
			if strings.TrimSpace(key) != "path" || !in || !filepath.IsLocal(rel) || slices.Contains(a.Nested, rel) {
				continue
			}
			inside, err := repofile.In(l.p.Root, rel).List()
			if err != nil || !slices.ContainsFunc(inside, func(e fs.DirEntry) bool { return e.Name() == ".git" }) {
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
