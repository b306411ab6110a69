package toolchain

import (
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/platform/repofile"
)

// A folder answers questions about what is in it.
type folder struct {
	root  string
	above []string // the folders above it, as far as they belong to the project
}

// folderAt returns the folder dir of the project at root.
func folderAt(root, dir string) folder {
	f := folder{root: filepath.Join(root, filepath.FromSlash(dir))}
	for dir = path.Clean(dir); dir != "." && dir != "/"; {
		dir = path.Dir(dir)
		f.above = append(f.above, filepath.Join(root, filepath.FromSlash(dir)))
	}
	return f
}

// isLocked reports whether a file that fixes versions is in the folder or above
// it: a workspace has one for all.
func (f folder) isLocked(name string) bool {
	return f.isFile(name) || slices.ContainsFunc(f.above, func(dir string) bool { return folder{root: dir}.isFile(name) })
}

func (f folder) isFile(name string) bool {
	info, err := os.Stat(filepath.Join(f.root, filepath.FromSlash(name)))
	return err == nil && info.Mode().IsRegular()
}

// first returns the first of names that is there; names may be patterns.
func (f folder) first(names ...string) string {
	for _, name := range names {
		matches, err := filepath.Glob(filepath.Join(escapeGlob(f.root), filepath.FromSlash(name)))
		if err == nil && len(matches) > 0 {
			rel, err := filepath.Rel(f.root, matches[0])
			if err == nil {
				return filepath.ToSlash(rel)
			}
		}
	}
	return ""
}

// escapeGlob makes a path a pattern that matches just it.
func escapeGlob(path string) string {
	if filepath.Separator == '\\' {
		return path // there is no escape there
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

// maxLook is how much of a file is looked at.
const maxLook = 256 << 10

func (f folder) text(name string) string {
	if name == "" || !f.isFile(name) {
		return "" // to open a pipe would wait for its other end
	}
	file, _, err := repofile.In(f.root, name).Open()
	if err != nil {
		return ""
	}
	defer file.Close()
	data, _ := io.ReadAll(io.LimitReader(file, maxLook)) // half a file is still a hint
	return string(data)
}
