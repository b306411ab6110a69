package embedding

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/problem"
)

// server is an embedding server that speaks all three APIs, and may fail first.
type server struct {
	mu       sync.Mutex
	requests []map[string]any
	headers  []http.Header
	texts    []string
	fail     []func(w http.ResponseWriter) // one for each request, the first first
}

// vectorOf is what the server makes of a text: it can be told from all others,
// and is not of length 1.
func vectorOf(text string) []float32 {
	v := []float32{float32(len(text)), 2, 3}
	for _, r := range text {
		v[1] += float32(r % 31)
	}
	return v
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var body map[string]any
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.requests, s.headers = append(s.requests, body), append(s.headers, r.Header.Clone())
	if len(s.fail) > 0 {
		f := s.fail[0]
		s.fail = s.fail[1:]
		f(w)
		return
	}
	input, _ := body["input"].([]any)
	if in, ok := body["inputs"].([]any); ok {
		input = in
	}
	var vectors [][]float32
	for _, t := range input {
		s.texts = append(s.texts, t.(string))
		vectors = append(vectors, vectorOf(t.(string)))
	}
	var answer any
	switch r.URL.Path {
	case "/v1/embeddings":
		type row struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		}
		var data []row
		for i, v := range slices.Backward(vectors) { // the order is the index's
			data = append(data, row{i, v})
		}
		answer = map[string]any{"data": data, "model": "m"}
	case "/api/embed":
		answer = map[string]any{"embeddings": vectors}
	case "/embed":
		answer = vectors
	default:
		http.NotFound(w, r)
		return
	}
	_ = json.NewEncoder(w).Encode(answer) // a broken connection shows in the test
}

// start starts s and returns its address and an environment that trusts it.
func start(t *testing.T, s *server) (string, map[string]string) {
	t.Helper()
	h := httptest.NewServer(s)
	t.Cleanup(h.Close)
	return h.URL, map[string]string{trustVariable: h.URL, "TEST_API_KEY": "secret-key"}
}

// waits opens a model whose waits are noted and not waited for.
func waits(t *testing.T, spec string, env map[string]string) (*httpModel, *[]time.Duration) {
	t.Helper()
	m, err := newHTTP(spec, Options{Getenv: func(n string) string { return env[n] }})
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	noted := new([]time.Duration)
	m.wait = func(ctx context.Context, d time.Duration) error {
		mu.Lock()
		defer mu.Unlock()
		*noted = append(*noted, d)
		return ctx.Err()
	}
	m.dimension = 3
	m.identify()
	return m, noted
}

func TestHTTP(t *testing.T) {
	texts := []string{"a", "", "bb", "日本語", "\xff", "  ", "ccc", "dd"}
	for path, keys := range map[string][]string{
		"/v1/embeddings": {"encoding_format", "input", "model"},
		"/api/embed":     {"input", "model", "truncate"},
		"/embed":         {"inputs", "normalize", "truncate"},
	} {
		t.Run(path, func(t *testing.T) {
			s := new(server)
			base, env := start(t, s)
			m, err := Open(context.Background(), "http:"+base+path+"|model=m|key=TEST_API_KEY|batch=3|passage=p: ", Options{Getenv: func(n string) string { return env[n] }})
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			if m.Dimension() != 3 || !strings.HasPrefix(m.ID(), "http:127.0.0.1") {
				t.Errorf("%s of %d", m.ID(), m.Dimension())
			}
			got, err := m.Embed(context.Background(), Passage, texts)
			if err != nil {
				t.Fatal(err)
			}
			for i, text := range texts {
				want := vectorOf("p: " + strings.ToValidUTF8(text, "\uFFFD"))
				if err := unit(want); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got[i]); diff != "" {
					t.Errorf("%q: %s", text, diff)
				}
			}
			var fields []string
			for k := range s.requests[0] {
				fields = append(fields, k)
			}
			slices.Sort(fields)
			if diff := cmp.Diff(keys, fields); diff != "" {
				t.Error(diff)
			}
			if n := len(s.requests); n != 1+3 { // one for the dimension
				t.Errorf("%d requests", n)
			}
			if got := s.headers[0].Get("Authorization"); got != "Bearer secret-key" {
				t.Errorf("Authorization: %s", got)
			}
		})
	}
}

func status(code int, header ...string) func(w http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, "said with secret-key") // a broken connection shows in the test
	}
}

func drop(w http.ResponseWriter) {
	c, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		c.Close()
	}
}

func TestRetries(t *testing.T) {
	s := &server{fail: []func(http.ResponseWriter){status(429, "Retry-After", "7"), status(503), drop, status(500)}}
	base, env := start(t, s)
	m, noted := waits(t, base+"/v1/embeddings|model=m|key=TEST_API_KEY", env)
	got, err := m.Embed(context.Background(), Query, []string{"x"})
	if err != nil || len(got) != 1 {
		t.Fatal(err)
	}
	if len(*noted) != 4 || (*noted)[0] != 7*time.Second {
		t.Errorf("waits: %v", *noted)
	}
	for i, d := range (*noted)[1:] {
		if most := firstPause << (i + 1); d < most/2 || d > most {
			t.Errorf("wait %d is %s, not of %s to %s", i+1, d, most/2, most)
		}
	}
}

// TestGivesUp: what no retry mends is said, without the key.
func TestGivesUp(t *testing.T) {
	forever := slices.Repeat([]func(http.ResponseWriter){status(500)}, attempts)
	write := func(text string) func(w http.ResponseWriter) {
		return func(w http.ResponseWriter) { _, _ = io.WriteString(w, text) }
	}
	for name, c := range map[string]struct {
		fail     []func(http.ResponseWriter)
		requests int
		want     string
	}{
		"refused":    {[]func(http.ResponseWriter){status(401)}, 1, "401"},
		"redirect":   {[]func(http.ResponseWriter){status(307, "Location", "/elsewhere")}, 1, "307"},
		"forever":    {forever, attempts, "500"},
		"long wait":  {[]func(http.ResponseWriter){status(429, "Retry-After", "3600")}, 1, "1h0m0s"},
		"no json":    {[]func(http.ResponseWriter){write("<html>")}, 1, "API openai"},
		"too few":    {[]func(http.ResponseWriter){write(`{"data":[]}`)}, 1, "0 vectors for 1"},
		"index":      {[]func(http.ResponseWriter){write(`{"data":[{"index":7,"embedding":[1,2,3]}]}`)}, 1, "index"},
		"dimension":  {[]func(http.ResponseWriter){write(`{"data":[{"index":0,"embedding":[1,2]}]}`)}, 1, "2 numbers instead of 3"},
		"no numbers": {[]func(http.ResponseWriter){write(`{"data":[{"index":0,"embedding":[1e38,3e38,3e39]}]}`)}, 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := &server{fail: c.fail}
			base, env := start(t, s)
			m, _ := waits(t, base+"/v1/embeddings|model=m|key=TEST_API_KEY", env)
			_, err := m.Embed(context.Background(), Query, []string{"x"})
			p := problem.Of(err)
			if p == nil || p.Code != Unavailable || !strings.Contains(p.Message.String(), c.want) || len(p.Next) == 0 {
				t.Fatalf("%v", err)
			}
			if strings.Contains(err.Error(), "secret-key") {
				t.Errorf("the key is told: %v", err)
			}
			if len(s.requests) != c.requests {
				t.Errorf("%d requests, want %d", len(s.requests), c.requests)
			}
		})
	}
}

// TestDrips asks a server that sends its answer byte by byte, without end. It is asked once.
func TestDrips(t *testing.T) {
	for _, dimension := range []string{"", "|dimension=3"} {
		drip := func(w http.ResponseWriter) {
			for {
				if _, err := io.WriteString(w, " "); err != nil || http.NewResponseController(w).Flush() != nil {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
		}
		s := &server{fail: slices.Repeat([]func(http.ResponseWriter){drip}, attempts)}
		web := httptest.NewServer(s)
		defer web.Close()
		o := Options{Getenv: func(string) string { return web.URL }}
		m, err := Open(t.Context(), web.URL+"/v1/embeddings|model=m|timeout=1s"+dimension, o)
		if dimension != "" {
			if err != nil {
				t.Fatal(err)
			}
			_, err = m.Embed(t.Context(), Passage, []string{"x"})
		}
		if p := problem.Of(err); p == nil || p.Code != Unavailable || !strings.Contains(fmt.Sprint(p.Next), "timeout=") {
			t.Errorf("dimension %q: %v", dimension, err)
		}
		web.CloseClientConnections()
		s.mu.Lock()
		if len(s.requests) != 1 {
			t.Errorf("dimension %q: asked %d times", dimension, len(s.requests))
		}
		s.mu.Unlock()
	}
}

func TestCancelled(t *testing.T) {
	s := &server{fail: []func(http.ResponseWriter){status(500)}}
	base, env := start(t, s)
	m, _ := waits(t, base+"/embed", env)
	ctx, cancel := context.WithCancel(context.Background())
	m.wait = func(ctx context.Context, _ time.Duration) error { cancel(); return ctx.Err() }
	if _, err := m.Embed(ctx, Query, []string{"x"}); ctx.Err() == nil || err == nil || problem.Of(err) != nil {
		t.Errorf("%v", err)
	}
}

// TestPace: requests keep their distance, however many ask at a time.
func TestPace(t *testing.T) {
	s := new(server)
	base, env := start(t, s)
	m, noted := waits(t, base+"/embed|rate=60|batch=1|parallel=4", env)
	now := time.Unix(1000, 0)
	m.now = func() time.Time { return now }
	if _, err := m.Embed(context.Background(), Query, []string{"a", "b", "c", "d"}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(*noted)
	if diff := cmp.Diff([]time.Duration{0, time.Second, 2 * time.Second, 3 * time.Second}, *noted); diff != "" {
		t.Error(diff)
	}
}

// TestTrust: a repository alone cannot choose who sees text, nor which secret is
// sent.
func TestTrust(t *testing.T) {
	ok := "http://localhost:1/embed"
	for _, c := range []struct {
		spec string
		env  map[string]string
		code problem.Code // "": it is allowed
	}{
		{ok, map[string]string{trustVariable: "http://localhost:1"}, ""},
		{ok, map[string]string{trustVariable: "http://LOCALHOST:1/other/path"}, ""},
		{ok, nil, Untrusted},
		{ok, map[string]string{trustVariable: "http://localhost:2"}, Untrusted},
		{ok, map[string]string{trustVariable: "https://localhost:1"}, Untrusted},
		{"https://good.example/embed", map[string]string{trustVariable: "https://good.example:443/v1"}, ""},
		{"https://good.example.evil.example/embed", map[string]string{trustVariable: "https://good.example"}, Untrusted},
		{"https://evil.example/embed", map[string]string{trustVariable: "https://good.example"}, Untrusted},
		{"http://10.0.0.1/embed", map[string]string{trustVariable: "http://10.0.0.1"}, Untrusted},
		{"http://10.0.0.1/embed", map[string]string{trustVariable: "http://10.0.0.1", plainVariable: "1"}, ""},
		{"https://good.example@evil.example/embed", map[string]string{trustVariable: "https://good.example"}, problem.InvalidArgument},
		{"https://good.example/embed?a=b", map[string]string{trustVariable: "https://good.example"}, problem.InvalidArgument},
		{ok + "|key=HOME", map[string]string{trustVariable: "http://localhost:1", "HOME": "x"}, problem.InvalidArgument},
		{ok + "|key=AWS_SECRET_ACCESS_KEY", map[string]string{trustVariable: "http://localhost:1"}, problem.InvalidArgument},
		{ok + "|key=sk-abc", map[string]string{trustVariable: "http://localhost:1"}, problem.InvalidArgument},
		{ok + "|key=NOT_SET_API_KEY", map[string]string{trustVariable: "http://localhost:1"}, Unavailable},
		{ok + "|batch=0", map[string]string{trustVariable: "http://localhost:1"}, problem.InvalidArgument},
		{ok + "|colour=red", map[string]string{trustVariable: "http://localhost:1"}, problem.InvalidArgument},
		{"http://localhost:1/v1/embeddings", map[string]string{trustVariable: "http://localhost:1"}, problem.InvalidArgument},
		{"http://localhost:1/what", map[string]string{trustVariable: "http://localhost:1"}, problem.InvalidArgument},
		{"ftp://localhost:1/embed", nil, problem.InvalidArgument},
	} {
		_, err := newHTTP(c.spec, Options{Getenv: func(n string) string { return c.env[n] }})
		p := problem.Of(err)
		if c.code == "" && err != nil || c.code != "" && (p == nil || p.Code != c.code) {
			t.Errorf("%s with %v: %v, want %q", c.spec, c.env, err, c.code)
		}
	}
}

// TestNotAsked: a server that the user did not name gets no request, not even
// one for the dimension.
func TestNotAsked(t *testing.T) {
	s := new(server)
	base, _ := start(t, s)
	if _, err := Open(context.Background(), base+"/embed", Options{}); problem.Of(err) == nil || len(s.requests) > 0 {
		t.Errorf("%v, %d requests", err, len(s.requests))
	}
}

func TestUnit(t *testing.T) {
	for _, v := range [][]float32{{3, 4}, {1e-20, 0}, {1e30, 1e30}, {0, 0}} {
		zero := v[0] == 0
		if err := unit(v); err != nil {
			t.Fatal(err)
		}
		if n := math.Hypot(float64(v[0]), float64(v[1])); math.Abs(n-1) > 1e-6 && !zero {
			t.Errorf("%v is of length %v", v, n)
		}
	}
	if err := unit([]float32{float32(math.Inf(1))}); err == nil {
		t.Error("infinite")
	}
	if fmt.Sprint(median([]int{5, 1, 2, 4})) != "3" {
		t.Error("median")
	}
}
