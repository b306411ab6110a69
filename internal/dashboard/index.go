package dashboard

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"codeintel/internal/approval"
	"codeintel/internal/doctor"
	"codeintel/internal/index"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/msg"
	"codeintel/internal/project"
)

// projectSection is what the page says of the project as a whole.
type projectSection struct {
	Name      string           `json:"name"`
	Root      string           `json:"root"`
	Lang      string           `json:"lang"`
	SetUp     bool             `json:"set_up"`
	HumanGate approval.Channel `json:"human_gate"`
	Decides   bool             `json:"decides"` // gates may be answered here, as far as this run of the program goes
}

func (s *Server) projectMark() string {
	return fingerprint((&project.Project{Root: s.o.Root}).Path("config.json"))
}

func (s *Server) readProject(context.Context) (view, error) {
	p, err := s.project()
	if err != nil {
		return nil, err
	}
	return func(msg.Printer) any {
		name := p.Root[strings.LastIndexAny(p.Root, `/\`)+1:]
		return projectSection{Name: name, Root: p.Root, Lang: p.Config.Lang, SetUp: p.IsSetUp(),
			HumanGate: p.Config.HumanGate,
			Decides:   s.o.Person != nil && s.o.Person("") == nil}
	}, nil
}

// indexSection is what the index holds, and how far it is.
type indexSection struct {
	There      bool      `json:"there"`
	Writing    bool      `json:"writing"` // some process brings it up to date now
	Files      int       `json:"files"`
	Listed     int       `json:"listed"` // files that it should hold, while it is written
	Symbols    int       `json:"symbols"`
	Chunks     int       `json:"chunks"`
	Uses       int       `json:"occurrences"`
	Bytes      int64     `json:"bytes"`
	DiskBytes  int64     `json:"disk_bytes"`
	Partial    int       `json:"partial"`
	Segments   int       `json:"segments"`
	Generation int64     `json:"generation"`
	SyncedAt   time.Time `json:"synced_at,omitzero"`
	Languages  []tally   `json:"languages"`
	Skipped    []tally   `json:"skipped"`
	Model      string    `json:"embedding_model"`
	Store      string    `json:"vector_store,omitempty"`
}

// A tally is how many of a kind there are.
type tally struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

func tallies[K ~string](all map[K]int) []tally {
	list := []tally{}
	for name, n := range all {
		list = append(list, tally{string(name), n})
	}
	slices.SortFunc(list, func(a, b tally) int { return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name)) })
	return list
}

// indexMark returns a fingerprint of the index. While the index is being written it returns a
// new one each time, so that the section is read again.
func (s *Server) indexMark() string {
	p := &project.Project{Root: s.o.Root}
	dir, err := p.IndexDir()
	if err != nil {
		return ""
	}
	mark := fingerprint(dir, p.Path("config.json"))
	if busy, err := atomicfile.Locked(filepath.Join(dir, "write.lock")); busy || err != nil {
		return mark + s.o.Now().String()
	}
	return mark
}

// readIndex opens the index only if there is one: opening makes it. It is closed
// at once, so that no file of it is open that may have to be removed.
func (s *Server) readIndex(ctx context.Context) (v view, err error) {
	p, err := s.project()
	if err != nil {
		return nil, err
	}
	said := indexSection{Languages: []tally{}, Skipped: []tally{}, Model: p.Config.EmbeddingModel,
		Store: p.Config.VectorStore}
	show := func(msg.Printer) any { return said }
	dir, err := p.IndexDir()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, "forest.db")); errors.Is(err, fs.ErrNotExist) {
		return show, nil
	}
	busy, err := atomicfile.Locked(filepath.Join(dir, "write.lock"))
	if err != nil {
		return nil, err
	}
	x, err := index.Open(ctx, p, s.o.Log)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	st, err := x.Stats(ctx)
	if err != nil {
		return nil, err
	}
	said.There, said.Writing = true, busy
	said.Files, said.Symbols, said.Chunks, said.Uses = st.Files, st.Symbols, st.Chunks, st.Occurrences
	said.Bytes, said.Partial, said.Segments = st.Bytes, st.Partial, st.Segments
	said.SyncedAt, said.DiskBytes = st.SyncedAt, st.DiskBytes
	if _, said.Generation, err = x.Chunks(ctx); err != nil {
		return nil, err
	}
	said.Languages, said.Skipped = tallies(st.Languages), tallies(st.Skipped)
	if busy {
		l, err := x.Listed(ctx)
		if err != nil {
			return nil, err
		}
		for i := range l.Entries {
			if l.Entries[i].Class.Indexed() {
				said.Listed++
			}
		}
	}
	return show, nil
}

// health is what the doctor found, and when.
type health struct {
	At     time.Time      `json:"at"`
	Report *doctor.Report `json:"report"`
}

// serveDoctor examines the project. One examination at a time; who asks while it
// runs gets its result.
func (s *Server) serveDoctor(w http.ResponseWriter, r *http.Request) {
	asked := s.o.Now()
	s.examining.Lock()
	defer s.examining.Unlock()
	if s.o.Examine == nil {
		http.NotFound(w, r)
		return
	}
	if s.health == nil || s.examined.Before(asked) {
		s.health, s.examined = s.o.Examine(r.Context()), s.o.Now()
	}
	s.answer(w, http.StatusOK, map[string]any{"data": msg.Bind(health{s.examined, s.health}, msg.In(s.language(r)))})
}
