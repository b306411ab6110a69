package chroma_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"codeintel/internal/embedding/chroma"
	"codeintel/internal/embedding/vectorstore"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
)

var plain = vectorstore.Collection{Name: "forest", Model: "m", Dimension: 2}

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestParse(t *testing.T) {
	for _, test := range []struct {
		spec    string
		servers string // that the environment names
		want    chroma.Options
		code    problem.Code
	}{
		{spec: "http://127.0.0.1:8000", want: chroma.Options{URL: "http://127.0.0.1:8000", Tenant: "default_tenant", Database: "default_database"}},
		{spec: "http://localhost:8000/?database=shop&tenant=team", want: chroma.Options{URL: "http://localhost:8000", Tenant: "team", Database: "shop"}},
		{spec: "http://[::1]:8000", want: chroma.Options{URL: "http://[::1]:8000", Tenant: "default_tenant", Database: "default_database"}},
		{spec: "https://chroma.example.org", code: chroma.Untrusted},
		{spec: "http://10.0.0.5:8000", code: chroma.Untrusted},
		{spec: "http://127.0.0.1.example.org", code: chroma.Untrusted},
		{spec: "http://localhost.example.org", code: chroma.Untrusted},
		{spec: "https://Chroma.example.org", servers: "http://other, https://chroma.example.org/",
			want: chroma.Options{URL: "https://chroma.example.org", Tenant: "default_tenant", Database: "default_database"}},
		{spec: "http://chroma.example.org", servers: "https://chroma.example.org", code: chroma.Untrusted}, // in the clear: not named
		{spec: "http://10.0.0.5:8000", servers: "http://10.0.0.5:8000",
			want: chroma.Options{URL: "http://10.0.0.5:8000", Tenant: "default_tenant", Database: "default_database"}},
		{spec: "http://10.0.0.5:8001", servers: "http://10.0.0.5:8000,,", code: chroma.Untrusted},
		{spec: "http://me:secret@127.0.0.1", code: problem.InvalidArgument},
		{spec: "ftp://127.0.0.1", code: problem.InvalidArgument},
		{spec: "127.0.0.1:8000", code: problem.InvalidArgument},
		{spec: "http://127.0.0.1/api", code: problem.InvalidArgument},
		{spec: "http://127.0.0.1?token=x", code: problem.InvalidArgument},
		{spec: "", code: problem.InvalidArgument},
	} {
		got, err := chroma.Parse(test.spec, env(chroma.ServersVariable, test.servers))
		if p := problem.Of(err); test.code != "" {
			if p == nil || p.Code != test.code || len(p.Next) == 0 || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s: %v, want %s", test.spec, err, test.code)
			}
		} else if err != nil || got != test.want {
			t.Errorf("%s: %+v, %v, want %+v", test.spec, got, err, test.want)
		}
	}
	if o, err := chroma.Parse("http://127.0.0.1", env(chroma.TokenVariable, "t0k")); err != nil || o.Token != "t0k" {
		t.Errorf("the token: %+v, %v", o, err)
	}
}

// A fake answers what Chroma answers when a collection is opened, and lets a test
// say the rest. It counts what it is asked.
type fake struct {
	*httptest.Server
	mu    sync.Mutex
	asked map[string]int // by the last part of the path
	rest  func(w http.ResponseWriter, r *http.Request, name string, n int)
}

func newFake(t *testing.T, rest func(w http.ResponseWriter, r *http.Request, name string, n int)) *fake {
	f := &fake{asked: make(map[string]int), rest: rest}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
		f.mu.Lock()
		f.asked[name]++
		n := f.asked[name]
		f.mu.Unlock()
		f.rest(w, r, name, n)
	}))
	t.Cleanup(f.Close)
	return f
}

func (f *fake) count(name string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked[name]
}

// usual answers as a server does that has our collection.
func usual(w http.ResponseWriter, _ *http.Request, name string, _ int) {
	switch name {
	case "collections":
		fmt.Fprint(w, `{"id":"c1","metadata":{"model":"m","dimension":2},"configuration_json":{"hnsw":{"space":"cosine"}}}`)
	case "count":
		fmt.Fprint(w, "7")
	case "query":
		fmt.Fprint(w, `{"ids":[["a"]],"distances":[[0.25]],"metadatas":[[{"path":"p","lines":3}]]}`)
	default:
		fmt.Fprint(w, "{}")
	}
}

func (f *fake) options() chroma.Options {
	return chroma.Options{URL: f.URL, Tenant: "default_tenant", Database: "d", Backoff: time.Millisecond, Token: "t0k"}
}

func (f *fake) open(t *testing.T) *chroma.Store {
	t.Helper()
	s, err := chroma.Open(t.Context(), f.options(), plain)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func TestToken(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, r *http.Request, name string, n int) {
		if r.Header.Get("Authorization") != "Bearer t0k" || r.Header.Get("X-Chroma-Token") != "t0k" {
			t.Errorf("%s without the token", r.URL)
		}
		usual(w, r, name, n)
	})
	s := f.open(t)
	hits, err := s.Query(t.Context(), []float32{1, 0}, 1)
	if err != nil || len(hits) != 1 || hits[0].Score != 0.75 || hits[0].Meta["path"] != "p" {
		t.Errorf("%v, %v", hits, err)
	}
}

func TestRetries(t *testing.T) {
	for _, status := range []int{429, 502, 503, 504} {
		f := newFake(t, func(w http.ResponseWriter, r *http.Request, name string, n int) {
			if name == "count" && n <= 2 {
				w.WriteHeader(status)
				return
			}
			usual(w, r, name, n)
		})
		if n, err := f.open(t).Count(t.Context()); err != nil || n != 7 || f.count("count") != 3 {
			t.Errorf("%d: %d, %v after %d attempts", status, n, err, f.count("count"))
		}
	}
	dropped := newFake(t, func(w http.ResponseWriter, r *http.Request, name string, n int) {
		if name == "upsert" && n == 1 { // the connection breaks in the middle of the answer
			connection, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			connection.Close()
			return
		}
		usual(w, r, name, n)
	})
	if err := dropped.open(t).Upsert(t.Context(), []vectorstore.Item{{ID: "a", Vector: []float32{1, 0}}}); err != nil || dropped.count("upsert") != 2 {
		t.Errorf("a broken connection: %v after %d attempts", err, dropped.count("upsert"))
	}
}

func TestRefusals(t *testing.T) {
	stop := make(chan bool)
	defer close(stop)
	for _, test := range []struct {
		name     string
		answer   func(w http.ResponseWriter)
		code     problem.Code // "": no Problem
		attempts int
		says     string
	}{
		{"unauthorized", func(w http.ResponseWriter) { w.WriteHeader(401) }, chroma.Unavailable, 1, chroma.TokenVariable},
		{"forbidden", func(w http.ResponseWriter) { w.WriteHeader(403) }, chroma.Unavailable, 1, chroma.TokenVariable},
		{"overloaded", func(w http.ResponseWriter) { w.WriteHeader(503) }, chroma.Unavailable, 4, "overloaded"},
		{"redirect", func(w http.ResponseWriter) {
			w.Header().Set("Location", "http://127.0.0.1:1/elsewhere")
			w.WriteHeader(307)
		}, chroma.Unavailable, 1, "redirect"},
		{"too late", func(http.ResponseWriter) { <-stop }, chroma.Unavailable, 4, "did not answer within"},
		{"broken", func(w http.ResponseWriter) { fmt.Fprint(w, "<html>") }, "", 1, "answer"},
		{"without end", func(w http.ResponseWriter) { fmt.Fprint(w, strings.Repeat(" ", 1<<20)) }, "", 1, "larger than what was asked for"},
		{"another type", func(w http.ResponseWriter) { fmt.Fprint(w, `{"a":1}`) }, "", 1, "answer"},
		{"failure", func(w http.ResponseWriter) {
			w.WriteHeader(500)
			fmt.Fprint(w, `{"error":"InternalError","message":"disk full"}`)
		}, "", 1, "disk full"},
	} {
		f := newFake(t, func(w http.ResponseWriter, r *http.Request, name string, n int) {
			if name == "count" {
				test.answer(w)
				return
			}
			usual(w, r, name, n)
		})
		o := f.options()
		o.Timeout = 50 * time.Millisecond
		if test.name != "too late" {
			o.Timeout = time.Minute
		}
		s, err := chroma.Open(t.Context(), o, plain)
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Count(t.Context())
		p := problem.Of(err)
		if err == nil || test.code == "" != (p == nil) || p != nil && (p.Code != test.code || len(p.Next) == 0) || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", test.name, err)
		}
		if n := f.count("count"); n != test.attempts {
			t.Errorf("%s: %d attempts, want %d", test.name, n, test.attempts)
		}
	}
}

func TestAway(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + l.Addr().String()
	l.Close()
	_, err = chroma.Open(t.Context(), chroma.Options{URL: url, Tenant: "default_tenant", Database: "d", Backoff: time.Millisecond}, plain)
	p := problem.Of(err)
	if p == nil || p.Code != chroma.Unavailable || !strings.Contains(p.Message.String(), url) || !strings.Contains(strings.Join(msg.Texts(p.Next), " "), "chroma run") ||
		!strings.Contains(strings.Join(msg.Texts(p.Next), " "), "embedded") {
		t.Errorf("a server that is away: %v", err)
	}
}

func TestCancelledWait(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	f := newFake(t, func(w http.ResponseWriter, r *http.Request, name string, n int) {
		if name == "count" {
			w.Header().Set("Retry-After", "5")
			w.WriteHeader(503)
			stop() // while the client waits for its second attempt
			return
		}
		usual(w, r, name, n)
	})
	s := f.open(t)
	if _, err := s.Count(ctx); !errors.Is(err, context.Canceled) || f.count("count") != 1 {
		t.Errorf("%v after %d attempts", err, f.count("count"))
	}
}

// TestMadeAnew has a collection deleted and made anew under the client.
func TestMadeAnew(t *testing.T) {
	f := newFake(t, func(w http.ResponseWriter, r *http.Request, name string, n int) {
		switch {
		case name == "collections" && n > 1:
			fmt.Fprint(w, `{"id":"c2","metadata":{"model":"m","dimension":2},"configuration_json":{"hnsw":{"space":"cosine"}}}`)
		case name == "count" && strings.Contains(r.URL.Path, "/c1/"):
			w.WriteHeader(404)
			fmt.Fprint(w, `{"error":"NotFoundError","message":"Collection [c1] does not exists"}`)
		default:
			usual(w, r, name, n)
		}
	})
	s := f.open(t)
	for range 2 {
		if n, err := s.Count(t.Context()); err != nil || n != 7 {
			t.Errorf("%d, %v", n, err)
		}
	}
	if n := f.count("collections"); n != 2 {
		t.Errorf("the collection was asked for %d times", n)
	}
}

// TestForeign opens where the collections of our names are not by cosine.
func TestForeign(t *testing.T) {
	var names []string
	f := newFake(t, func(w http.ResponseWriter, r *http.Request, name string, n int) {
		if name != "collections" {
			usual(w, r, name, n)
			return
		}
		var body struct{ Name string }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		names = append(names, body.Name)
		fmt.Fprint(w, `{"id":"x","metadata":{"model":"m","dimension":2},"configuration_json":{"hnsw":{"space":"l2"}}}`)
	})
	_, err := chroma.Open(t.Context(), f.options(), plain)
	if p := problem.Of(err); p == nil || p.Code != chroma.Conflict || len(p.Next) == 0 {
		t.Errorf("%v", err)
	}
	if len(names) != 2 || names[0] != "forest" || !strings.HasPrefix(names[1], "forest-") {
		t.Errorf("asked for %q", names)
	}
}

// TestLies has the server send lists that do not fit each other.
func TestLies(t *testing.T) {
	for _, answer := range []string{
		`{}`, `{"ids":[["a","b"]],"distances":[[0]],"metadatas":[[null,null]]}`, `{"ids":[["a"]],"distances":[[0]],"metadatas":[[]]}`,
		`{"ids":[["a"]],"distances":null,"metadatas":null}`, `null`,
	} {
		f := newFake(t, func(w http.ResponseWriter, r *http.Request, name string, n int) {
			if name == "query" {
				fmt.Fprint(w, answer)
				return
			}
			usual(w, r, name, n)
		})
		if hits, err := f.open(t).Query(t.Context(), []float32{1, 0}, 3); err == nil {
			t.Errorf("%s: %v", answer, hits)
		}
	}
}

func TestClosed(t *testing.T) {
	s := newFake(t, usual).open(t)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Count(t.Context()); err == nil {
		t.Error("a closed store answers")
	}
}
