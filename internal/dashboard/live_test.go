package dashboard

import (
	"bufio"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"codeintel/internal/index"
	"codeintel/internal/pipeline/engine"
	"codeintel/internal/session"
	"codeintel/internal/session/phases"
)

// index builds the index of the project.
func (d *desk) index() {
	d.t.Helper()
	x, err := index.Open(d.t.Context(), d.p, slog.New(slog.DiscardHandler))
	if err != nil {
		d.t.Fatal(err)
	}
	_, err = x.Sync(d.t.Context(), index.SyncOptions{})
	if err != nil {
		d.t.Fatal(err)
	}
	if err := x.Close(); err != nil {
		d.t.Fatal(err)
	}
}

// serve serves the dashboard and returns its address.
func (d *desk) serve() string {
	d.t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		d.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(d.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- d.s.Serve(ctx, l, "127.0.0.1") }()
	d.t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			d.t.Errorf("at the end: %v", err)
		}
	})
	return l.Addr().String()
}

// A stream is what a page hears.
type stream struct {
	t     *testing.T
	lines *bufio.Scanner
	close func()
}

func (d *desk) listen(address, last string) *stream {
	d.t.Helper()
	ctx, stop := context.WithCancel(d.t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/api/events?lang=en", nil)
	if err != nil {
		d.t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(address)
	r.AddCookie(&http.Cookie{Name: "code-intel-" + port, Value: d.s.cookie})
	if last != "" {
		r.Header.Set("Last-Event-ID", last)
	}
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		d.t.Fatal(err)
	}
	if a.StatusCode != http.StatusOK || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/event-stream") {
		d.t.Fatalf("%s %s", a.Status, readAll(d.t, a.Body))
	}
	lines := bufio.NewScanner(a.Body)
	lines.Buffer(nil, 1<<20)
	return &stream{d.t, lines, func() { stop(); a.Body.Close() }}
}

// next waits for an event and returns its id and what it carries.
func (s *stream) next() (id string, n pageUpdate) {
	s.t.Helper()
	for s.lines.Scan() {
		switch name, value, _ := strings.Cut(s.lines.Text(), ": "); name {
		case "id":
			id = value
		case "data":
			if err := json.Unmarshal([]byte(value), &n); err != nil {
				s.t.Fatal(err)
			}
			return id, n
		}
	}
	s.t.Fatal("the stream has ended: ", s.lines.Err())
	return "", n
}

// TestEvents wants one event for what changed, with the sections that did; and who
// comes back to be told what they missed, and no more.
func TestEvents(t *testing.T) {
	d := open(t, nil)
	st := d.session(1)
	address := d.serve()
	page := d.listen(address, "")
	first, n := page.next()
	if got := slices.Sorted(maps.Keys(n.Sections)); len(got) != 5 || n.Key != "" {
		t.Fatalf("at first: %v, key %q", got, n.Key)
	}

	st.Query = "Lend books for 14 days."
	d.checkpoint(st)
	second, n := page.next()
	if got := slices.Sorted(maps.Keys(n.Sections)); !slices.Equal(got, []string{"session"}) || !strings.Contains(string(n.Sections["session"]), "14 days") {
		t.Errorf("then: %v", got)
	}
	page.close()

	d.write(".code-intel/agreements/days.md", "---\nnl_term: loan period\nsymbols: [LOAN_DAYS]\n---\n")
	back := d.listen(address, second)
	third, n := back.next()
	if got := slices.Sorted(maps.Keys(n.Sections)); !slices.Equal(got, []string{"learning"}) {
		t.Errorf("who comes back is told of %v", got)
	}
	back.close()
	for last, want := range map[string][]string{
		first: {"learning", "session"}, "OTHER-3": {"index", "learning", "pipelines", "project", "session"},
		third[:8] + "-x": {"index", "learning", "pipelines", "project", "session"},
	} {
		s := d.listen(address, last)
		if _, n := s.next(); !slices.Equal(slices.Sorted(maps.Keys(n.Sections)), want) {
			t.Errorf("after %s: %v, want %v", last, slices.Sorted(maps.Keys(n.Sections)), want)
		}
		s.close()
	}
}

// TestTooManyPages wants a bound on those who listen, and a place to be free again
// once somebody has gone.
func TestTooManyPages(t *testing.T) {
	d := open(t, nil)
	for range maxStreams {
		if !d.s.stream(1) {
			t.Fatal("one of those who may is refused")
		}
	}
	if w := d.get("/api/events"); w.Code != http.StatusServiceUnavailable {
		t.Errorf("one too many: %d", w.Code)
	}
	d.s.stream(-1)
	if !d.s.stream(1) {
		t.Error("no place is free again")
	}
}

var (
	placeholder = regexp.MustCompile(`\{\w+\}`)
	said        = regexp.MustCompile(`\bt\("([^"]+)"`)
)

// TestWords wants both languages to say the same, and all that the page says.
func TestWords(t *testing.T) {
	read := func(lang string) (words map[string]string) {
		data, err := os.ReadFile("web/words-" + lang + ".json")
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &words); err != nil {
			t.Fatal(err)
		}
		return words
	}
	en, ja := read("en"), read("ja")
	for key, phrase := range en {
		other, ok := ja[key]
		if !ok {
			t.Errorf("%s is not said in Japanese", key)
		}
		a, b := placeholder.FindAllString(phrase, -1), placeholder.FindAllString(other, -1)
		slices.Sort(a)
		slices.Sort(b)
		if !slices.Equal(a, b) {
			t.Errorf("%s: %v in English, %v in Japanese", key, a, b)
		}
	}
	for key := range ja {
		if _, ok := en[key]; !ok {
			t.Errorf("%s is not said in English", key)
		}
	}
	files, err := os.ReadDir("web")
	if err != nil {
		t.Fatal(err)
	}
	used := 0
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".js") {
			continue
		}
		data, err := os.ReadFile("web/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range said.FindAllStringSubmatch(string(data), -1) {
			if used++; en[m[1]] == "" && m[1] != "col.which" {
				t.Errorf("%s says %q, which has no words", f.Name(), m[1])
			}
		}
	}
	if used < 100 {
		t.Errorf("only %d phrases are looked for", used)
	}
	phases, err := phases.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range phases.IDs() {
		if en["phase."+string(id)] == "" {
			t.Errorf("phase %s has no words", id)
		}
	}
	stages, err := engine.Phases()
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range stages.IDs() {
		if en["forge."+string(id)] == "" {
			t.Errorf("phase %s has no words", id)
		}
	}
	for _, word := range session.Decisions() {
		if en["option."+word] == "" {
			t.Errorf("decision %s has no words", word)
		}
	}
}
