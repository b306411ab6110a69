package commitlog

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/index/segment"
)

// keptName is the file in the folder of the index.
const keptName = "history"

// keptFormat is that of the file: the commits, and the paths that they name, each
// ended by a zero byte.
var keptFormat = segment.Format{Magic: "codehist", Version: 1, Sections: 2}

// load reads the cached commits, once. A damaged file counts as none.
func (r *Reader) load() {
	if r.loaded {
		return
	}
	r.loaded, r.known = true, map[string]*Commit{}
	f, err := segment.OpenFile(r.kept, keptFormat)
	if err != nil {
		return
	}
	defer f.Close()
	_ = segment.Guard(func() error { // what could be read is whole
		r.known = decode(bytes.Clone(f.Whole(0)), string(f.Whole(1)))
		return nil
	})
}

// save writes the known commits to the cache: those of the window, and at most as many
// others, so that a branch that was looked at before need not be read again.
func (r *Reader) save(window []git.Stamp) {
	if len(r.known) > 2*Window {
		wanted := make(map[string]*Commit, len(window))
		for _, s := range window {
			if c := r.known[s.ID]; c != nil {
				wanted[s.ID] = c
			}
		}
		r.known = wanted
	}
	commits, paths := encode(r.known)
	// An index that cannot be written to keeps nothing: the next process reads again.
	_, _ = segment.WriteFile(r.kept, keptFormat, [][]byte{commits, paths}, false)
}

// encode writes commits: the id and its length; number of files, times two, plus one if
// not all are there; and for each of those that are the number of its path, times two,
// plus one if it was deleted, and that of the old path plus one, or 0.
func encode(known map[string]*Commit) (commits, paths []byte) {
	number := map[string]uint64{}
	of := func(path string) uint64 {
		n, ok := number[path]
		if !ok {
			n = uint64(len(number))
			number[path] = n
			paths = append(append(paths, path...), 0)
		}
		return n
	}
	for id, c := range known {
		raw, err := hex.DecodeString(id)
		if err != nil {
			continue
		}
		commits = append(append(commits, byte(len(raw))), raw...)
		commits = binary.AppendUvarint(commits, flagged(uint64(c.Total), c.cut))
		commits = binary.AppendUvarint(commits, uint64(len(c.Files)))
		for _, f := range c.Files {
			commits = binary.AppendUvarint(commits, flagged(of(f.Path), f.Gone))
			old := uint64(0)
			if f.Old != "" {
				old = of(f.Old) + 1
			}
			commits = binary.AppendUvarint(commits, old)
		}
	}
	return commits, paths
}

func flagged(n uint64, flag bool) uint64 {
	if flag {
		return n<<1 | 1
	}
	return n << 1
}

// decode reads what encode wrote, up to the first thing that it cannot have written.
func decode(b []byte, paths string) map[string]*Commit {
	known := map[string]*Commit{}
	names := strings.Split(paths, "\x00")
	names = names[:len(names)-1]
	failed := false
	take := func() uint64 {
		n, size := binary.Uvarint(b)
		if size <= 0 {
			failed = true
			return 0
		}
		b = b[size:]
		return n
	}
	name := func(n uint64) string {
		if n >= uint64(len(names)) {
			failed = true
			return ""
		}
		return names[n]
	}
	for len(b) > 0 {
		size := int(b[0])
		if size == 0 || size >= len(b) {
			return known
		}
		c := &Commit{ID: hex.EncodeToString(b[1 : 1+size])}
		b = b[1+size:]
		total := take()
		c.Total, c.cut = int(total>>1), total&1 == 1
		for n := take(); n > 0 && !failed; n-- {
			path := take()
			f := File{Path: name(path >> 1), Gone: path&1 == 1}
			if old := take(); old > 0 {
				f.Old = name(old - 1)
			}
			c.Files = append(c.Files, f)
		}
		if failed {
			return known
		}
		known[c.ID] = c
	}
	return known
}
