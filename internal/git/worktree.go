package git

import (
	"os"
	"path/filepath"
	"strings"

	"codeintel/internal/platform/repofile"
)

// MainWorktree returns the root of the main worktree that the one at root is
// linked to, "" if it is linked to none. Both sides must name each other, so
// that a repository cannot point at those of another one.
func MainWorktree(root string) string {
	dotGit := filepath.Join(root, ".git")
	gitDir, ok := strings.CutPrefix(firstLine(dotGit), "gitdir: ")
	if !ok {
		return ""
	}
	gitDir = absolute(root, gitDir)
	back, err := os.Stat(absolute(gitDir, firstLine(filepath.Join(gitDir, "gitdir"))))
	here, hereErr := os.Stat(dotGit)
	if err != nil || hereErr != nil || !os.SameFile(back, here) {
		return ""
	}
	common := firstLine(filepath.Join(gitDir, "commondir"))
	if common == "" {
		return ""
	}
	if common = absolute(gitDir, common); filepath.Base(common) != ".git" {
		return "" // a bare repository
	}
	return filepath.Dir(common)
}

// firstLine returns the first line of a small file, "" if there is none.
func firstLine(path string) string {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<16 {
		return ""
	}
	b, err := repofile.At(path).Read(1 << 16)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return strings.TrimSuffix(line, "\r")
}

func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}
