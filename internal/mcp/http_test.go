package mcp

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

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
		{"a page of no origin", "127.0.0.1:8137", "null", "Bearer secret", http.StatusForbidden},
		{"no token", "127.0.0.1:8137", "", "", http.StatusUnauthorized},
		{"a wrong token", "127.0.0.1:8137", "", "Bearer secre", http.StatusUnauthorized},
		{"another scheme", "127.0.0.1:8137", "", "Basic secret", http.StatusUnauthorized},
	} {
		r := httptest.NewRequest(http.MethodPost, "http://x/mcp", nil)
		r.Host = tt.host
		if tt.origin != "" {
			r.Header.Set("Origin", tt.origin)
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
