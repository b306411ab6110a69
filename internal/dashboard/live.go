package dashboard

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/plainjson"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/problem/systemerror"
	"codeintel/internal/text/quote"
	"codeintel/internal/text/redact"
)

// How often sections are read. Reading a section takes at most 1/leisure of the time, so one
// that is slow to read is read less often.
const (
	look      = 400 * time.Millisecond
	heartbeat = 15 * time.Second
	leisure   = 10
)

// A view is what a section shows, in a language.
type view func(msg.Printer) any

// A section is one part of the page. What was read is kept as it is sent, by
// language; all of that is under Server.refreshing but for bodies and revision,
// which are under Server.mu.
type section struct {
	name string
	mark func() string // another one whenever what is read may have changed
	read func(context.Context) (view, error)

	seen string // the mark when it was last read; "" if it never was
	at   time.Time
	cost time.Duration

	bodies   map[string]json.RawMessage
	revision int
}

// refresh reads the sections that may have changed, and gives those that have a
// new revision.
func (s *Server) refresh(ctx context.Context) {
	s.refreshing.Lock()
	defer s.refreshing.Unlock()
	for _, x := range s.sections {
		now := x.mark()
		if x.seen == now && x.seen != "" || x.seen != "" && time.Since(x.at) < leisure*x.cost {
			continue
		}
		began := time.Now()
		bodies := s.bodies(ctx, x)
		if ctx.Err() != nil {
			return // what was read for a client that disconnected may be incomplete
		}
		x.seen, x.at, x.cost = now, time.Now(), time.Since(began)
		s.mu.Lock()
		if !maps.EqualFunc(x.bodies, bodies, slices.Equal[json.RawMessage]) {
			s.revision++
			x.bodies, x.revision = bodies, s.revision
		}
		s.mu.Unlock()
	}
}

// bodies reads a section, whatever happens.
func (s *Server) bodies(ctx context.Context, x *section) (bodies map[string]json.RawMessage) {
	defer func() {
		if p := recover(); p != nil {
			s.o.Log.Error("dashboard: a section cannot be shown", "section", x.name, "panic", p)
			bodies = s.sectionByLanguage(nil, fmt.Errorf("%s cannot be shown: %v", x.name, p))
		}
	}()
	v, err := x.read(ctx)
	return s.sectionByLanguage(v, err)
}

// sectionByLanguage returns a section as JSON in each language: its data, or the problem.
func (s *Server) sectionByLanguage(v view, err error) map[string]json.RawMessage {
	bodies := make(map[string]json.RawMessage)
	for _, lang := range languages {
		var body any
		if words := msg.In(lang); err != nil {
			body = map[string]any{"problem": fault(words, err)}
		} else {
			body = map[string]any{"data": msg.Bind(v(words), words)}
		}
		data, marshalErr := encode(body)
		if marshalErr != nil {
			data = []byte(`{"problem":{"code":"internal","message":"The section cannot be written as JSON."}}`)
			s.o.Log.Error("dashboard: a section cannot be written", "err", marshalErr)
		}
		bodies[lang] = data
	}
	return bodies
}

// A problemView says why a part of the page cannot be shown.
type problemView struct {
	Code    problem.Code `json:"code"`
	Message string       `json:"message"`
	Next    []string     `json:"next,omitempty"`
}

func fault(words msg.Printer, err error) *problemView {
	if p := cmp.Or(problem.Of(err), systemerror.Of(err)); p != nil {
		return &problemView{p.Code, words.Text(p.Message), words.Texts(p.Next)}
	}
	return &problemView{Code: problem.Internal, Message: err.Error()}
}

// language is the one that a request wants; that of the project if it names none.
func (s *Server) language(r *http.Request) string {
	if lang := r.URL.Query().Get("lang"); slices.Contains(languages, lang) {
		return lang
	}
	if p, err := s.project(); err == nil && slices.Contains(languages, p.Config.Lang) {
		return p.Config.Lang
	}
	return languages[0]
}

// pageUpdate is what an event carries: the sections that changed after a revision.
type pageUpdate struct {
	Boot     string                     `json:"boot"`
	Revision int                        `json:"revision"`
	Lang     string                     `json:"lang"`
	Key      string                     `json:"key,omitempty"`
	Version  string                     `json:"version,omitempty"`
	Sections map[string]json.RawMessage `json:"sections"`
}

func (s *Server) newsSince(revision int, lang string) pageUpdate {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := pageUpdate{Boot: s.boot, Revision: s.revision, Lang: lang, Sections: make(map[string]json.RawMessage)}
	for _, x := range s.sections {
		if x.revision > revision {
			n.Sections[x.name] = x.bodies[lang]
		}
	}
	return n
}

// serveState answers with everything that there is.
func (s *Server) serveState(w http.ResponseWriter, r *http.Request) {
	s.refresh(r.Context())
	n := s.newsSince(0, s.language(r))
	n.Key, n.Version = s.key, s.o.Version
	s.answer(w, http.StatusOK, n)
}

// serveEvents reports what changed, as it changes: one event with the sections that
// did. A reader who comes back names the last event they saw, and gets what they missed.
func (s *Server) serveEvents(w http.ResponseWriter, r *http.Request) {
	if !s.stream(1) {
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	defer s.stream(-1)
	lang, last := s.language(r), s.resumed(r)
	head := w.Header()
	head.Set("Content-Type", "text/event-stream; charset=utf-8")
	head.Set("X-Accel-Buffering", "no")
	out := http.NewResponseController(w)
	send := func(text string) bool {
		_, err := w.Write([]byte(text))
		return err == nil && out.Flush() == nil
	}
	if !send("retry: 1000\n\n") {
		return
	}
	tick, beat := time.NewTicker(look), time.NewTicker(heartbeat)
	defer tick.Stop()
	defer beat.Stop()
	for {
		s.refresh(r.Context())
		if n := s.newsSince(last, lang); len(n.Sections) > 0 {
			data, err := encode(n)
			if err != nil || !send(fmt.Sprintf("id: %s-%d\nevent: change\ndata: %s\n\n", s.boot, n.Revision, data)) {
				return
			}
			last = n.Revision
		}
		select {
		case <-r.Context().Done():
			return
		case <-beat.C:
			if !send(": still here\n\n") {
				return
			}
		case <-tick.C:
		}
	}
}

// stream adds n to the number of open event streams. It returns false if there are too many.
func (s *Server) stream(n int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n > 0 && s.streams == maxStreams {
		return false
	}
	s.streams += n
	return true
}

// resumed returns the revision that a reconnecting page has seen; 0 if the page names none, or
// one of another run of the server.
func (s *Server) resumed(r *http.Request) int {
	id := r.Header.Get("Last-Event-ID")
	if id == "" {
		id = r.URL.Query().Get("since")
	}
	boot, number, _ := strings.Cut(id, "-")
	n, err := strconv.Atoi(number)
	if boot != s.boot || err != nil || n < 0 {
		return 0
	}
	return n
}

// answer writes JSON.
func (s *Server) answer(w http.ResponseWriter, status int, v any) {
	data, err := encode(msg.Bind(v, msg.Printer{})) // in the page's language where it was said so before
	if err != nil {
		s.o.Log.Error("dashboard: an answer cannot be written", "err", err)
		http.Error(w, "the answer cannot be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(data) // who has gone needs no answer
}

// refuse writes why there is no answer.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, status int, err error) {
	s.answer(w, status, map[string]any{"problem": fault(msg.In(s.language(r)), err)})
}

// encode writes JSON in one line.
func encode(v any) ([]byte, error) {
	data, err := plainjson.Encode(v)
	return quote.Page(redact.Keys(data)), err
}

// fingerprint tells two states of some files and folders apart, by name, size and
// time. Of a folder it takes what lies directly in it, without what comes and goes
// with every look.
func fingerprint(paths ...string) string {
	var b strings.Builder
	note := func(info fs.FileInfo) {
		if name := info.Name(); !isTemporary(name) {
			fmt.Fprintf(&b, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		}
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			b.WriteString("none\n")
		case err != nil:
			fmt.Fprintf(&b, "%v\n", err)
		case !info.IsDir():
			note(info)
		default:
			entries, err := repofile.At(path).List()
			fmt.Fprintf(&b, "%s %v\n", filepath.Base(path), err)
			for _, e := range entries {
				if e.IsDir() || isTemporary(e.Name()) {
					continue
				}
				if info, err := e.Info(); err == nil {
					note(info)
				}
			}
		}
	}
	return b.String()
}

// isTemporary reports whether a file is temporary, or may change when it is only read.
func isTemporary(name string) bool {
	return strings.HasSuffix(name, ".lock") || strings.HasSuffix(name, "-shm") || strings.HasSuffix(name, "-wal") ||
		strings.HasPrefix(name, ".watch-") || strings.Contains(name, ".tmp-")
}
