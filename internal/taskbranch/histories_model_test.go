package taskbranch

import (
	"bytes"
	"compress/zlib"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The model reads what git wrote without git: loose objects, refs, reflogs, the
// index. It shares no code with the package, and costs no process.

// A store reads loose objects. Objects never change, so it may remember them; it
// belongs to one repository.
type store struct {
	dir   string // the common .git
	known map[string]*object
}

type object struct {
	kind string
	refs []string        // of a commit: its tree, then its parents
	tree map[string]blob // of a tree
	says string          // of a commit: its message
	lf   string          // of a blob: what its id is once its line ends are normalized
}

// A blob is an entry of a tree, or a file of the working tree. The working tree's
// has the ids that git may give its content, by whatever filter and line ends.
type blob struct {
	mode string // "100644", "100755", "120000", "160000", "40000"
	id   string // of the raw content, in a working tree
	as   [3]string
}

func (b blob) like(id, mode string) bool { return b.mode == mode && b.may(id) }

func (b blob) may(id string) bool { return b.id == id || slices.Contains(b.as[:], id) }

func (s *store) read(id string) (*object, error) {
	if o := s.known[id]; o != nil {
		return o, nil
	}
	if len(id) != 40 {
		return nil, fmt.Errorf("%q is no object", id)
	}
	f, err := os.Open(filepath.Join(s.dir, "objects", id[:2], id[2:]))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := zlib.NewReader(f)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	head, body, _ := bytes.Cut(data, []byte{0})
	o := &object{kind: strings.Fields(string(head))[0]}
	switch o.kind {
	case "commit":
		top, message, _ := strings.Cut(string(body), "\n\n")
		o.says = message
		for line := range strings.Lines(top) {
			if key, id, _ := strings.Cut(strings.TrimSpace(line), " "); key == "tree" || key == "parent" {
				o.refs = append(o.refs, id)
			}
		}
	case "tree":
		o.tree = make(map[string]blob)
		for len(body) > 0 {
			entry, rest, _ := bytes.Cut(body, []byte{0})
			mode, name, _ := strings.Cut(string(entry), " ")
			o.tree[name] = blob{mode: mode, id: hex.EncodeToString(rest[:20])}
			body = rest[20:]
		}
	case "blob":
		o.lf = blobID(bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n")))
	}
	s.known[id] = o
	return o, nil
}

// tree returns the files of a commit or tree, by path. "" has none.
func (s *store) tree(id string) (map[string]blob, error) {
	files := make(map[string]blob)
	if id == "" {
		return files, nil
	}
	return files, s.walk(id, "", files)
}

func (s *store) walk(id, under string, into map[string]blob) error {
	o, err := s.read(id)
	if err != nil {
		return err
	}
	if o.kind == "commit" {
		return s.walk(o.refs[0], under, into)
	}
	for name, e := range o.tree {
		if e.mode == "40000" {
			if err := s.walk(e.id, under+name+"/", into); err != nil {
				return err
			}
			continue
		}
		into[under+name] = e
	}
	return nil
}

// reach adds all that is behind an object. A commit or blob that is gone is an
// error: then the repository is broken.
func (s *store) reach(id string, seen map[string]bool) error {
	if seen[id] || id == "" || strings.Trim(id, "0") == "" {
		return nil
	}
	o, err := s.read(id)
	if err != nil {
		return err
	}
	seen[id] = true
	for _, r := range o.refs {
		if err := s.reach(r, seen); err != nil {
			return err
		}
	}
	for _, e := range o.tree {
		if e.mode == "160000" {
			continue
		}
		if err := s.reach(e.id, seen); err != nil {
			return err
		}
	}
	return nil
}

// out reports whether a file may be what git checks out for an entry. A blob that
// was committed with CR LF is checked out as it is, and where git is to normalize
// it the file has another id from then on.
func (s *store) out(entry, file blob) bool {
	o, err := s.read(entry.id)
	return file.like(entry.id, entry.mode) || err == nil && file.id != o.lf && file.like(o.lf, entry.mode)
}

// shape describes a commit without its dates, so that those of two runs compare.
func (s *store) shape(id string, deep int) string {
	o, err := s.read(id)
	if err != nil || o.kind != "commit" || deep == 0 {
		return id
	}
	out := o.refs[0] + " " + fmt.Sprintf("%q", o.says)
	for _, p := range o.refs[1:] {
		out += "(" + s.shape(p, deep-1) + ")"
	}
	return out
}

// A state is all that a user could look at.
type state struct {
	head  string            // "ref: refs/heads/main", or an id
	refs  map[string]string // without HEAD
	index map[string]string // "mode id flags", by stage and path
	files map[string]blob   // the working tree; of a folder that holds a repository only that folder is left out
	dirs  map[string]blob   // what lies in the other working trees
	reach map[string]bool   // objects that refs, reflogs and indexes reach
	conf  string
}

// look reads the state of the working tree at dir, whose repository is s, and of
// all that lies in root beside it.
func look(s *store, root, dir, gitDir string) (*state, error) {
	st := &state{refs: make(map[string]string), files: make(map[string]blob), dirs: make(map[string]blob), reach: make(map[string]bool)}
	data, err := os.ReadFile(filepath.Join(gitDir, "HEAD"))
	if err != nil {
		return nil, err
	}
	st.head = strings.TrimSpace(string(data))
	if data, err = os.ReadFile(filepath.Join(s.dir, "config")); err != nil {
		return nil, err
	}
	st.conf = string(data)
	var roots []string
	err = filepath.WalkDir(s.dir, func(name string, d fs.DirEntry, err error) error {
		rel := strings.TrimPrefix(strings.TrimPrefix(name, s.dir), "/")
		switch {
		case err != nil:
			return err
		case d.IsDir() && (rel == "objects" || rel == "hooks" || rel == "modules"):
			return fs.SkipDir
		case d.IsDir() || strings.HasSuffix(name, ".lock"):
			return nil
		}
		own := filepath.Base(name)
		switch {
		case strings.HasPrefix(rel, "refs/"), own == "HEAD" && !strings.Contains(rel, "logs/"):
			data, err := os.ReadFile(name)
			id := strings.TrimSpace(string(data))
			if err != nil || strings.HasPrefix(id, "ref: ") {
				return err
			}
			if strings.HasPrefix(rel, "refs/") {
				st.refs[rel] = id
			}
			roots = append(roots, id)
		case rel == "packed-refs":
			return errors.New("the model reads no packed refs")
		case strings.HasPrefix(rel, "logs/"), strings.Contains(rel, "/logs/"):
			data, err := os.ReadFile(name)
			for line := range strings.Lines(string(data)) {
				f := strings.Fields(line)
				roots = append(roots, f[0], f[1])
			}
			return err
		case own == "index":
			index, ids, err := readIndex(name)
			if err != nil {
				return err
			}
			roots = append(roots, ids...)
			if filepath.Dir(name) == gitDir {
				st.index = index
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, id := range roots {
		if err := s.reach(id, st.reach); err != nil {
			return nil, fmt.Errorf("the repository is broken: %w", err)
		}
	}
	return st, readFiles(root, dir, st)
}

// readFiles reads what lies in the working trees below root.
func readFiles(root, dir string, st *state) error {
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == ".git" {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() {
			return nil
		}
		b, err := readFile(name, d)
		if err != nil {
			return err
		}
		if rel, in := strings.CutPrefix(name, dir+"/"); in {
			st.files[rel] = b
		} else {
			st.dirs[name] = b
		}
		return nil
	})
}

func readFile(name string, d fs.DirEntry) (b blob, err error) {
	var data []byte
	b.mode = "100644"
	if d.Type()&fs.ModeSymlink != 0 {
		to, err := os.Readlink(name)
		return blob{mode: "120000", id: blobID([]byte(to))}, err
	}
	if data, err = os.ReadFile(name); err != nil {
		return b, err
	}
	info, err := d.Info()
	if err == nil && info.Mode()&0o100 != 0 {
		b.mode = "100755"
	}
	b.id = blobID(data)
	lf := bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
	b.as = [3]string{blobID(lf), blobID(rotate(data)), blobID(rotate(lf))}
	return b, err
}

// rotate is what the filter of our repositories does to letters.
func rotate(data []byte) []byte {
	out := slices.Clone(data)
	for i, c := range out {
		if c >= 'a' && c <= 'z' {
			out[i] = 'a' + (c-'a'+1)%26
		}
	}
	return out
}

func blobID(data []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(data))
	h.Write(data)
	return hex.EncodeToString(h.Sum(nil))
}

// readIndex reads an index of version 2 or 3.
func readIndex(name string) (entries map[string]string, ids []string, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	entries = make(map[string]string)
	version := binary.BigEndian.Uint32(data[4:])
	if version > 3 {
		return nil, nil, fmt.Errorf("index of version %d", version)
	}
	n, at := binary.BigEndian.Uint32(data[8:]), 12
	for range n {
		e := data[at:]
		mode, id, flags := binary.BigEndian.Uint32(e[24:]), hex.EncodeToString(e[40:60]), binary.BigEndian.Uint16(e[60:])
		extended, head := uint16(0), 62
		if flags&0x4000 != 0 {
			extended, head = binary.BigEndian.Uint16(e[62:]), 64
		}
		path, _, _ := bytes.Cut(e[head:], []byte{0})
		at += (head + len(path) + 8) / 8 * 8
		entries[fmt.Sprintf("%d %s", flags>>12&3, path)] = fmt.Sprintf("%o %s %x %x", mode, id, flags&0x8000, extended)
		if mode != 0o160000 {
			ids = append(ids, id)
		}
	}
	return entries, ids, nil
}

var autocrlf = regexp.MustCompile(`autocrlf = \w+`)

// reads reports whether git would take the same bytes for the same content as in
// an earlier state.
func (st *state) reads(as *state) bool {
	return st.files[".gitattributes"].id == as.files[".gitattributes"].id && autocrlf.FindString(st.conf) == autocrlf.FindString(as.conf)
}

// staged returns what the index holds for a path, flags left out: "mode id".
func (st *state) staged(path string) string {
	f := strings.Fields(st.index["0 "+path])
	if len(f) == 0 {
		return ""
	}
	return f[0] + " " + f[1]
}

func (b blob) String() string {
	if b.mode == "" {
		return ""
	}
	return b.mode + " " + b.id
}

// lost names what could be had before and cannot be had now: contents of files,
// wherever they lie, and commits. Ids of trees do not count.
func lost(s *store, before, after *state) (gone []string) {
	here := make(map[string]bool)
	for _, files := range []map[string]blob{after.files, after.dirs} {
		for _, b := range files {
			here[b.id] = true
			for _, id := range b.as {
				here[id] = true
			}
		}
	}
	have := func(id string) bool { return after.reach[id] || here[id] }
	for id := range before.reach {
		if o := s.known[id]; o != nil && o.kind != "tree" && !have(id) {
			gone = append(gone, o.kind+" "+id)
		}
	}
	for _, files := range []map[string]blob{before.files, before.dirs} {
		for path, b := range files {
			if !have(b.id) && !slices.ContainsFunc(b.as[:], func(id string) bool { return id != "" && have(id) }) {
				gone = append(gone, fmt.Sprintf("what %q held", path))
			}
		}
	}
	slices.Sort(gone)
	return gone
}

// differences names the keys at which two maps differ.
func differences[V comparable](a, b map[string]V) (keys []string) {
	for k, v := range a {
		if w, ok := b[k]; !ok || v != w {
			keys = append(keys, k)
		}
	}
	for k := range b {
		if _, ok := a[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

// union returns all keys, sorted.
func union[V any](all ...map[string]V) []string {
	seen := make(map[string]V)
	for _, m := range all {
		maps.Copy(seen, m)
	}
	return slices.Sorted(maps.Keys(seen))
}
