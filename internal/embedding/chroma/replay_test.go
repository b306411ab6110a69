package chroma_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/embedding/chroma"
	"codeintel/internal/embedding/vectorstore"
	"codeintel/internal/embedding/vectorstore/vectorstoretest"
)

// record is the URL of an empty Chroma server to record the suite against.
var record = flag.String("record", "", "record what the Chroma server at this URL answers; its data folder must be empty")

// An exchange is one request with its answer: a line of a recording.
type exchange struct {
	Method   string          `json:"method"`
	Path     string          `json:"path"`
	Request  json.RawMessage `json:"request,omitempty"`
	Status   int             `json:"status"`
	Response json.RawMessage `json:"response,omitempty"`
}

// TestStore runs the suite of all stores against what a real server answered. The
// requests must be those that were recorded, one by one.
func TestStore(t *testing.T) {
	vectorstoretest.Run(t, vectorstoretest.Options{Size: vectorstoretest.Small}, func(t *testing.T) vectorstoretest.Factory {
		file := filepath.Join("testdata", strings.ReplaceAll(t.Name(), "/", "-")+".jsonl")
		var server *httptest.Server
		if *record != "" {
			server = httptest.NewServer(recorder(t, file))
		} else {
			server = httptest.NewServer(replayer(t, file))
		}
		t.Cleanup(server.Close)
		return factory(server.URL, t.Name(), 25)
	})
}

// factory opens collections in a database of the test's own.
func factory(url, test string, batch int) vectorstoretest.Factory {
	return func(t *testing.T, c vectorstore.Collection) vectorstore.Store {
		t.Helper()
		s, err := chroma.Open(t.Context(), chroma.Options{URL: url, Tenant: "default_tenant", Batch: batch, Backoff: time.Millisecond,
			Database: strings.ToLower(strings.ReplaceAll(test, "/", "-"))}, c)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

func recorder(t *testing.T, file string) http.Handler {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		request, err := http.NewRequestWithContext(r.Context(), r.Method, *record+r.URL.RequestURI(), bytes.NewReader(body))
		if err != nil {
			t.Error(err)
			return
		}
		request.Header = r.Header.Clone()
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Errorf("record: %v", err)
			return
		}
		defer response.Body.Close()
		answer, _ := io.ReadAll(response.Body)
		line, err := json.Marshal(exchange{r.Method, r.URL.RequestURI(), body, response.StatusCode, answer})
		if err != nil {
			t.Errorf("record: %v", err)
		}
		f.Write(append(line, '\n'))
		w.WriteHeader(response.StatusCode)
		w.Write(answer)
	})
}

func replayer(t *testing.T, file string) http.Handler {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []exchange
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var x exchange
		if err := json.Unmarshal(lines.Bytes(), &x); err != nil {
			t.Fatal(err)
		}
		all = append(all, x)
	}
	if err := lines.Err(); err != nil || len(all) == 0 {
		t.Fatalf("%s: %d exchanges, %v", file, len(all), err)
	}
	var mu sync.Mutex
	next := 0
	t.Cleanup(func() {
		if next < len(all) && !t.Failed() {
			t.Errorf("%s: %d of %d requests were not made", file, len(all)-next, len(all))
		}
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		if next == len(all) {
			t.Errorf("%s: a request too many: %s %s", file, r.Method, r.URL)
			w.WriteHeader(http.StatusTeapot)
			return
		}
		x := all[next]
		next++
		if r.Method != x.Method || r.URL.RequestURI() != x.Path {
			t.Errorf("%s, line %d: %s %s, recorded %s %s", file, next, r.Method, r.URL.RequestURI(), x.Method, x.Path)
		}
		if diff := cmp.Diff(value(x.Request), value(body)); diff != "" {
			t.Errorf("%s, line %d: request (-recorded +made):\n%s", file, next, diff)
		}
		w.WriteHeader(x.Status)
		w.Write(x.Response)
	})
}

func value(data []byte) (v any) {
	json.Unmarshal(data, &v)
	return v
}
