package project

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/op"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
)

const (
	indexName = "index" // the folder of the index in .code-intel

	// RootName is the file in an index of the user's cache that names the project.
	RootName = "root"
)

// The codes of projects that can have no index.
const (
	noProject problem.Code = "no_project"
	noPlace   problem.Code = "no_place_for_index"
)

// replacedAfter is how long the index in the cache of a project that has its own by
// now is kept: a server that was started before may be using it.
const replacedAfter = 7 * 24 * time.Hour

// IndexDir returns the folder that holds the index, or will hold it: .code-intel/index
// once the project is set up, if it can be written; before, a folder of this project
// alone in the user's cache, so that searching leaves no trace in a project. The user's
// home folder, those that it is in and those of the system are a project only if they are
// made one.
func (p *Project) IndexDir() (string, error) {
	if in := p.Path(indexName); p.keepsIndex() && (writable(in) || !isRealDir(in) && writable(p.Path())) {
		return in, nil
	}
	if isBare(p.Root) && !isRealDir(p.Path()) {
		return "", problem.New(noProject, "project.bare_is_no_project", p.Root).Or("project.check_it_out")
	}
	if why := noneOfUser(p.Root); why != "" && !isRepository(p.Root) && !isRealDir(p.Path()) {
		return "", problem.New(noProject, why, p.Root).
			Or("project.name_folder_of_project").Or("project.init_makes_it_one", op.Init)
	}
	dir, err := p.CachedIndexDir()
	if rel, outside := filepath.Rel(p.Root, dir); err == nil && outside == nil && filepath.IsLocal(rel) {
		return p.Path(indexName), nil // a project that the cache is a part of
	}
	return dir, err
}

// isBare reports whether a folder is a git repository without a working tree.
func isBare(root string) bool {
	_, err := os.Stat(filepath.Join(root, "HEAD"))
	return err == nil && !isRepository(root) && isDir(filepath.Join(root, "objects")) && isDir(filepath.Join(root, "refs"))
}

// noneOfUser returns the key of the message that says why a folder is not a project by itself,
// whatever is in it; "" if it may be one.
func noneOfUser(root string) string {
	switch {
	case holdsHome(root, home()):
		return "project.home_is_no_project"
	case ofKernel(root), filepath.Dir(filepath.Dir(root)) == filepath.Dir(root) && ofSystem[filepath.Base(root)]:
		return "project.system_is_no_project"
	}
	return ""
}

// ofSystem are folders in the root of the file system that hold the system, by the Filesystem
// Hierarchy Standard and on macOS. Those of users and services, such as /srv and /opt, are
// not among them.
var ofSystem = map[string]bool{
	"bin": true, "boot": true, "dev": true, "lib": true, "lib32": true, "lib64": true, "libx32": true, "proc": true,
	"run": true, "sbin": true, "sys": true, "usr": true, "var": true,
	"Applications": true, "Library": true, "System": true, "private": true,
}

// holdsHome reports whether a folder is the user's home, or one that this is in.
func holdsHome(dir, home string) bool {
	for at := home; filepath.IsAbs(at); at = filepath.Dir(at) {
		if sameFolder(dir, at) {
			return true
		}
		if filepath.Dir(at) == at {
			break
		}
	}
	return filepath.Dir(dir) == dir
}

// home is the user's home folder as the system knows it: HOME may lead to any folder
// for a while.
func home() string {
	if u, err := user.LookupId(strconv.Itoa(os.Getuid())); err == nil {
		return u.HomeDir
	}
	dir, _ := os.UserHomeDir() // without one, it is not recognised
	return dir
}

// CachedIndexDir returns the folder in the user's cache that holds the index of a
// project that is not set up.
func (p *Project) CachedIndexDir() (string, error) {
	return indexCache(cacheName(p.Root))
}

// keepsIndex reports whether the index belongs into the project. A link in its place
// would lead out of it.
func (p *Project) keepsIndex() bool {
	if !isRealDir(p.Path()) {
		return false
	}
	_, err := os.Lstat(p.Path(indexName))
	return errors.Is(err, fs.ErrNotExist) && p.IsSetUp() ||
		isRealDir(p.Path(indexName)) && repofile.At(p.Path(indexName)).CheckFolder() == nil
}

// IndexInProject reports whether dir is the folder of an index inside the project.
func (p *Project) IndexInProject(dir string) bool { return dir == p.Path(indexName) }

// MakeIndexDir makes the folder that [Project.IndexDir] returned. A new one in the cache
// takes the place of those whose project is gone.
func (p *Project) MakeIndexDir(dir string) error {
	if p.IndexInProject(dir) {
		if err := repofile.At(dir).MakeFolder(0o755); err != nil {
			return fmt.Errorf("project: folder of the index: %w", err)
		}
		// The index is not for git, even where nothing was set up yet.
		return writeOnce(filepath.Join(dir, ".gitignore"), "*\n", 0o644)
	}
	if err := repofile.At(dir).MakeFolder(0o700); err != nil {
		return fmt.Errorf("project: folder of the index: %w", err)
	}
	if !onlyUserWrites(dir) { // another process was faster
		return problem.New(noPlace, "project.no_place_for_index", filepath.Dir(dir)).
			Or("project.set_cache_home").Or("project.init_keeps_index_in_project", op.Init)
	}
	if _, err := os.Lstat(filepath.Join(dir, RootName)); errors.Is(err, fs.ErrNotExist) {
		prune(filepath.Dir(dir), time.Now())
	}
	return writeOnce(filepath.Join(dir, RootName), p.Root+"\n", 0o600)
}

func writeOnce(file, text string, mode fs.FileMode) error {
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := repofile.At(file).Write([]byte(text), mode); err != nil {
		return fmt.Errorf("project: folder of the index: %w", err)
	}
	return nil
}

// indexCache returns the folder of an index among those of this user's projects that are
// not set up.
func indexCache(name string) (string, error) {
	cache := os.Getenv("XDG_CACHE_HOME")
	if !filepath.IsAbs(cache) {
		var err error
		if cache, err = os.UserCacheDir(); err != nil {
			cache = ""
		}
	}
	if dir := filepath.Join(cache, "code-intel", indexName, name); cache != "" && creatable(dir) && onlyUserWrites(dir) {
		return dir, nil
	}
	if dir, ok := privateTemp(); ok {
		return filepath.Join(dir, indexName, name), nil
	}
	return "", problem.New(noPlace, "project.no_place_for_index", cache).
		Or("project.set_cache_home").Or("project.init_keeps_index_in_project", op.Init)
}

// onlyUserWrites reports whether no other user can write the folder of an index in the cache, or
// put another one in its place: whoever has made one of its folders could, where several
// users share the cache.
func onlyUserWrites(dir string) bool {
	for range 3 { // the index, all indexes, and code-intel
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) && !ofUser(dir, 0o022) {
			return false
		}
		dir = filepath.Dir(dir)
	}
	return true
}

// creatable reports whether a folder can be written or made.
func creatable(dir string) bool {
	for {
		if _, err := os.Lstat(dir); err == nil {
			return writable(dir)
		} else if !errors.Is(err, fs.ErrNotExist) || filepath.Dir(dir) == dir {
			return false
		}
		dir = filepath.Dir(dir)
	}
}

// writable reports whether files can be made in a folder.
func writable(dir string) bool { return isDir(dir) && mayWrite(dir) }

func sameFolder(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// isRealDir reports whether path is a folder, and no link to one.
func isRealDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

var notPlain = lazyregexp.MustCompile(`[^\pL\pN._-]+`)

// cacheName is the name of a root's folder in the cache: what people recognise, and
// what tells it from all others.
func cacheName(root string) string {
	name := strings.Trim(notPlain.ReplaceAllString(filepath.Base(root), "-"), "-.")
	if r := []rune(name); len(r) > 40 {
		name = string(r[:40])
	}
	sum := sha256.Sum256([]byte(root))
	return name + "-" + hex.EncodeToString(sum[:12])
}

// prune removes the indexes in the cache whose project is gone, and those that one in
// the project has replaced long ago. What cannot be removed stays.
func prune(cache string, now time.Time) {
	entries, _ := repofile.At(cache).List()
	for _, e := range entries {
		dir := filepath.Join(cache, e.Name())
		root, err := repofile.At(filepath.Join(dir, RootName)).Read(repofile.Settings)
		if err != nil || !e.IsDir() {
			continue // no index of ours, or one that is being made
		}
		at := strings.TrimSuffix(string(root), "\n")
		if e.Name() != cacheName(at) {
			continue
		}
		_, err = os.Stat(at)
		used, usedErr := e.Info()
		own := (&Project{Root: at}).Path(indexName)
		if errors.Is(err, fs.ErrNotExist) ||
			usedErr == nil && isRealDir(own) && writable(own) && now.Sub(used.ModTime()) > replacedAfter {
			_ = repofile.At(dir).RemoveAll() // the next one tries again
		}
	}
}
