package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/errgroup"

	"codeintel/internal/problem"
)

// bearer adds a token to every request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func TestServeHTTP(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "main.go"), []byte("package main\n"))
	s := open(t, root, slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(t.Context())
	l, err := Listen(ctx, "0", Local)
	if err != nil {
		t.Fatal(err)
	}
	if host := l.Addr().String(); !strings.HasPrefix(host, "127.0.0.1:") {
		t.Errorf("without a host it listens at %s", host)
	}
	served := make(chan error, 1)
	go func() { served <- s.ServeHTTP(ctx, l, HTTPOptions{Token: "secret"}) }()

	url := "http://" + l.Addr().String() + "/mcp"
	client, err := mcp.NewClient(&mcp.Implementation{Name: "claude-code"}, nil).Connect(ctx,
		&mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer("secret")}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	result, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "search_text", Arguments: map[string]any{"pattern": "package"}})
	if err != nil || result.IsError {
		t.Errorf("search_text over HTTP: %v, %+v", err, result)
	}
	long := map[string]any{"pattern": strings.Repeat("x", maxLine/2)}
	if _, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "search_text", Arguments: long}); err != nil {
		t.Errorf("a message that is long, and not too long: %v", err)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	if _, err := mcp.NewClient(&mcp.Implementation{Name: "x"}, nil).Connect(ctx,
		&mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: bearer("guess")}, MaxRetries: -1}, nil); err == nil {
		t.Error("a wrong token is let in")
	}
	stop()
	if err := <-served; err != nil {
		t.Errorf("at the end: %v", err)
	}
}

// TestGuard holds the door: who asks for another host, comes from a page of
// another site, or does not know the token, is sent away.
func TestGuard(t *testing.T) {
	o := HTTPOptions{Token: "secret", AllowedHosts: []string{"build.example"}, AllowedOrigins: []string{"https://ours.example"}}
	door := o.guarded(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	const in = http.StatusNoContent
	for _, tt := range []struct {
		name, host, origin, auth string
		want                     int
	}{
		{"a program", "127.0.0.1:8137", "", "Bearer secret", in},
		{"by name", "localhost:8137", "", "bearer secret", in},
		{"IPv6", "[::1]:8137", "", "Bearer secret", in},
		{"an allowed host", "Build.Example:8137", "", "Bearer secret", in},
		{"a page of this machine", "127.0.0.1:8137", "http://localhost:3000", "Bearer secret", in},
		{"an allowed page", "127.0.0.1:8137", "https://ours.example", "Bearer secret", in},
		{"DNS rebinding", "evil.example:8137", "", "Bearer secret", http.StatusForbidden},
		{"a host that begins well", "127.0.0.1.evil.example", "", "Bearer secret", http.StatusForbidden},
		{"a strange page", "127.0.0.1:8137", "https://evil.example", "Bearer secret", http.StatusForbidden},
		{"a page of two origins", "127.0.0.1:8137", "http://localhost:3000 https://evil.example", "Bearer secret", http.StatusForbidden},
		{"a page of no origin", "127.0.0.1:8137", "null", "Bearer secret", http.StatusForbidden},
		{"no token", "127.0.0.1:8137", "", "", http.StatusUnauthorized},
		{"a wrong token", "127.0.0.1:8137", "", "Bearer secre", http.StatusUnauthorized},
		{"another scheme", "127.0.0.1:8137", "", "Basic secret", http.StatusUnauthorized},
	} {
		r := httptest.NewRequest(http.MethodPost, "http://x/mcp", nil)
		r.Host = tt.host
		if tt.origin != "" {
			r.Header["Origin"] = strings.Fields(tt.origin)
		}
		if tt.auth != "" {
			r.Header.Set("Authorization", tt.auth)
		}
		w := httptest.NewRecorder()
		door.ServeHTTP(w, r)
		if w.Code != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, w.Code, tt.want)
		}
	}
}

// TestUnfinishedBodies has many connections send half of a request. Without a token they
// are answered and closed at once, and what is too long is answered without being read.
func TestUnfinishedBodies(t *testing.T) {
	s := open(t, t.TempDir(), slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(t.Context())
	l, err := Listen(ctx, "0", Local)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() {
		served <- s.ServeHTTP(ctx, l, HTTPOptions{Token: "secret", AllowedOrigins: []string{"https://page.example"}})
	}()
	ask := func(head string) string {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, strings.ReplaceAll(head, "\n", "\r\n")); err != nil {
			t.Fatal(err)
		}
		answer, err := io.ReadAll(c) // ends when the server closes
		if err != nil {
			t.Errorf("%s: %v", answer, err)
		}
		return string(answer)
	}
	var all errgroup.Group
	for range 200 {
		all.Go(func() error {
			answer := ask("POST /mcp HTTP/1.1\nHost: localhost\nContent-Length: 100000\n\n{")
			if !strings.HasPrefix(answer, "HTTP/1.1 401 ") {
				return errors.New(answer)
			}
			return nil
		})
	}
	if err := all.Wait(); err != nil {
		t.Errorf("without a token: %v", err)
	}
	answer := ask(fmt.Sprintf("POST /mcp HTTP/1.1\nHost: localhost\nAuthorization: Bearer secret\nContent-Length: %d\n\n", maxLine+1) +
		strings.Repeat(" ", 1<<10))
	if !strings.HasPrefix(answer, "HTTP/1.1 413 ") || !strings.Contains(answer, "longer than") {
		t.Errorf("too long a request: %s", answer)
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// TestPreflight asks as a browser does before it lets a page call: without a token.
func TestPreflight(t *testing.T) {
	o := HTTPOptions{Token: "secret", AllowedOrigins: []string{"https://page.example"}}
	reached := 0
	guard := o.guarded(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }))
	ask := func(method, origin, token string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, "http://localhost:80/mcp", nil)
		r.Header.Set("Origin", origin)
		if method == http.MethodOptions {
			r.Header.Set("Access-Control-Request-Method", "POST")
			r.Header.Set("Access-Control-Request-Headers", "authorization,mcp-session-id")
		}
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		w := httptest.NewRecorder()
		guard.ServeHTTP(w, r)
		return w
	}
	w := ask(http.MethodOptions, "https://page.example", "")
	if w.Code != http.StatusNoContent || w.Header().Get("Access-Control-Allow-Origin") != "https://page.example" ||
		!strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), "Mcp-Session-Id") {
		t.Errorf("the page that may call: %d %v", w.Code, w.Header())
	}
	if w := ask(http.MethodOptions, "https://other.example", ""); w.Code != http.StatusForbidden || w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("another page: %d %v", w.Code, w.Header())
	}
	if w := ask(http.MethodPost, "https://page.example", ""); w.Code != http.StatusUnauthorized {
		t.Errorf("a call without a token: %d", w.Code)
	}
	if w := ask(http.MethodPost, "https://page.example", "secret"); w.Header().Get("Access-Control-Allow-Origin") != "https://page.example" {
		t.Errorf("the page cannot read the answer: %v", w.Header())
	}
	if reached != 1 {
		t.Errorf("%d requests came through", reached)
	}
}

func TestListenStaysAtHome(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", "[::]:0", "192.0.2.1:0", "build.example:0", "a:b:c"} {
		if l, err := Listen(t.Context(), address, Local); problem.Of(err) == nil {
			t.Errorf("%s: got %v, %v; want a problem", address, l, err)
		}
	}
	l, err := Listen(t.Context(), "0.0.0.0:0", Remote)
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}

// TestManySessions has clients that never end theirs.
func TestManySessions(t *testing.T) {
	s := open(t, t.TempDir(), slog.New(slog.DiscardHandler))
	server, err := s.MCP()
	if err != nil {
		t.Fatal(err)
	}
	h := s.bothEras(server)
	ask := func(session, message string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(message))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if session != "" {
			r.Header.Set("Mcp-Session-Id", session)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w
	}
	first, _, _ := strings.Cut(hello, "\n")
	var id string
	for range maxSessions + 50 {
		if id = ask("", first).Header().Get("Mcp-Session-Id"); id == "" {
			t.Fatal("no session is begun")
		}
	}
	for give := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) { // they end by the way
		n := len(slices.Collect(server.Sessions()))
		if n <= maxSessions {
			break
		}
		if time.Now().After(give) {
			t.Fatalf("%d sessions", n)
		}
	}
	if w := ask(id, `{"jsonrpc":"2.0","id":1,"method":"ping"}`); w.Code != http.StatusOK {
		t.Errorf("the last: %d %s", w.Code, w.Body)
	}
}

// TestMessagesOverHTTP wants what is no message refused in words, and a client that sends too
// much to see that.
func TestMessagesOverHTTP(t *testing.T) {
	s := open(t, t.TempDir(), slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(t.Context())
	l, err := Listen(ctx, "0", Local)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.ServeHTTP(ctx, l, HTTPOptions{}) }()
	defer func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	}()
	for message, want := range map[string]string{
		`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`: `"id":1.5,"error"`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`: "batches are not supported",
		"\x1f\x8b\x08": "not JSON",
		`{"a":"` + strings.Repeat("x", maxLine) + `"}`:   errLongLine.Error(),
		`{"a":"` + strings.Repeat("x", 2*maxLine) + `"}`: errLongLine.Error(),
	} {
		for _, body := range []io.Reader{strings.NewReader(message), io.MultiReader(strings.NewReader(message))} { // without a length
			r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+l.Addr().String()+"/mcp", body)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			r.Header.Set("Mcp-Protocol-Version", "2025-06-18") // before, several messages might come at once
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Errorf("%.60s: %v", message, err)
				continue
			}
			said, _ := io.ReadAll(answer.Body)
			answer.Body.Close()
			if !strings.Contains(string(said), want) {
				t.Errorf("%.60s: %s %.200s", message, answer.Status, said)
			}
		}
	}
}

// TestLongMessagesThatWait has calls of many bytes wait for a person: others go on.
func TestLongMessagesThatWait(t *testing.T) {
	block := make(chan struct{})
	h := HTTPOptions{}.guarded(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Waits") != "" {
			<-block
		}
	}))
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"x":"` + strings.Repeat("x", 2*shortBody) + `"}}`
	var waiting sync.WaitGroup
	for range 8 {
		waiting.Go(func() {
			r := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(body))
			r.Header.Set("Waits", "yes")
			h.ServeHTTP(httptest.NewRecorder(), r)
		})
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(body)))
	if w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	close(block)
	waiting.Wait()
}

// TestBatchOverHTTP takes several messages at once from a client of the version that has them.
func TestBatchOverHTTP(t *testing.T) {
	seen := 0
	h := HTTPOptions{}.guarded(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { seen++ }))
	for _, body := range []string{
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1.0,"method":"ping"}]`,
		`{"jsonrpc":"2.0","id":null,"method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":{"icons":"` + strings.Repeat("A", 100_000) + `"}}}`,
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(body)))
		if w.Code != http.StatusOK {
			t.Errorf("%.80s: %d %s", body, w.Code, w.Body)
		}
	}
	if seen != 3 {
		t.Errorf("%d of 3 came through", seen)
	}
}
