package repoprofile

import (
	"os"
	"path"
	"path/filepath"
	"time"

	"codeintel/internal/files"
	"codeintel/internal/project"
	"codeintel/internal/toolchain"
)

// maxWatched is how many files and folders a profile is checked against.
const maxWatched = 4000

// A stamp tells whether a file or folder is unchanged: another size or time, or
// gone, and it is not.
type stamp struct {
	size int64
	at   time.Time
}

// stampOf returns the stamp of a path below root; the zero one if nothing is there.
func stampOf(root, rel string) stamp {
	info, err := os.Stat(filepath.Join(root, filepath.FromSlash(rel)))
	switch {
	case err != nil:
		return stamp{}
	case info.IsDir():
		return stamp{at: info.ModTime()}
	}
	return stamp{info.Size(), info.ModTime()}
}

// stampsOf returns the stamps of what a profile follows from: the folders that hold
// manifests or settings, all files that are in them, and our own settings.
func stampsOf(root string, entries []files.Entry) map[string]stamp {
	folders := map[string]bool{".": true}
	for _, e := range entries {
		base := path.Base(e.Path)
		_, reads := readerOf(base)
		if !isAside(e) && (reads || settingsOf(base) != "" || toolchain.Manifest(base) != "") {
			folders[path.Dir(e.Path)] = true
		}
	}
	from := map[string]stamp{project.Dir + "/config.json": stampOf(root, project.Dir+"/config.json")}
	add := func(rel string) {
		if len(from) < maxWatched {
			from[rel] = stampOf(root, rel)
		}
	}
	for dir := range folders {
		add(dir)
	}
	for _, e := range entries {
		if folders[path.Dir(e.Path)] {
			add(e.Path)
		}
	}
	return from
}

// Current reports whether nothing that the profile follows from has changed since it
// was read, but for what is in folders without manifests or settings: that changes
// with the commit that is checked out, which is for the caller to look at.
func (p Profile) Current() bool {
	if p.from == nil {
		return false
	}
	for rel, was := range p.from {
		if stampOf(p.root, rel) != was {
			return false
		}
	}
	return true
}
