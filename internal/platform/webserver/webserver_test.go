package webserver

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// serve serves a handler with short times, and returns its address.
func serve(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	short := 100 * time.Millisecond
	go func() {
		served <- Serve(ctx, l, h, Options{Shutdown: short, Header: short, Body: short, Take: short, Idle: short})
	}()
	t.Cleanup(func() {
		stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String()
}

// send sends a request as it stands, and returns all that comes until the server closes.
func send(t *testing.T, at, request string) string {
	t.Helper()
	c, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, strings.ReplaceAll(request, "\n", "\r\n")); err != nil {
		t.Fatal(err)
	}
	said, _ := io.ReadAll(c)
	return string(said)
}

// TestUnfinished has the server close each connection whose request does not end, whether or
// not the handler reads it.
func TestUnfinished(t *testing.T) {
	ignores := func(w http.ResponseWriter, r *http.Request) { http.Error(w, "no", http.StatusTeapot) }
	silent := func(http.ResponseWriter, *http.Request) {}
	well := func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "yes") }
	reads := func(w http.ResponseWriter, r *http.Request) {
		if _, err := io.ReadAll(r.Body); err != nil {
			http.Error(w, "late", http.StatusRequestTimeout)
		}
	}
	for name, tt := range map[string]struct {
		handler http.HandlerFunc
		request string
		status  string
	}{
		"no header":          {ignores, "GET / HTTP/1.1\nHost: x\n", ""},
		"no request":         {ignores, "", ""},
		"another request":    {well, "GET / HTTP/1.1\nHost: x\n\n", "200"},
		"a body, ignored":    {ignores, "POST / HTTP/1.1\nHost: x\nContent-Length: 1000\n\n{", "418"},
		"a body, unanswered": {silent, "POST / HTTP/1.1\nHost: x\nContent-Length: 1000\n\n{", "200"},
		"a body, read":       {reads, "POST / HTTP/1.1\nHost: x\nContent-Length: 1000\n\n{", "408"},
		"chunks, ignored":    {ignores, "POST / HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\nffff\n{", "418"},
		"chunks, read":       {reads, "POST / HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\n\n1\n{\n", "408"},
		"a question to all":  {ignores, "OPTIONS * HTTP/1.1\nHost: x\nContent-Length: 1000\n\n{", "418"},
		"a promise":          {ignores, "POST / HTTP/1.1\nHost: x\nExpect: 100-continue\nContent-Length: 1000\n\n", "418"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			said := send(t, serve(t, tt.handler), tt.request)
			if tt.status == "" && said != "" || tt.status != "" && !strings.HasPrefix(said, "HTTP/1.1 "+tt.status) {
				t.Errorf("got %q, want %s", said, tt.status)
			}
		})
	}
}

// TestRefused sees that the connection of a request that is refused ends with the answer.
func TestRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = Serve(t.Context(), l, http.NotFoundHandler(), Options{Idle: time.Hour}) }()
	if said := send(t, l.Addr().String(), "GET / HTTP/1.1\nHost: x\n\n"); !strings.HasPrefix(said, "HTTP/1.1 404") {
		t.Errorf("got %q", said)
	}
}

// TestEndlessBody sends chunks as long as the server takes them.
func TestEndlessBody(t *testing.T) {
	t.Parallel()
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		http.Error(w, fmt.Sprint(err), http.StatusRequestTimeout)
	})
	c, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, err = io.WriteString(c, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
	for err == nil {
		_, err = io.WriteString(c, "1\r\nx\r\n")
	}
}

// TestUnread sees that a handler whose answer nobody takes ends.
func TestUnread(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var err error
		for err == nil {
			if _, err = w.Write(make([]byte, 1<<16)); err == nil {
				err = http.NewResponseController(w).Flush()
			}
		}
		ended <- err
	})
	c, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	<-ended
}

// TestLongAnswer sees that the limits end no answer that is only long in coming, and that a
// connection serves another request after it.
func TestLongAnswer(t *testing.T) {
	t.Parallel()
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		for range 4 {
			time.Sleep(150 * time.Millisecond) // longer than anything may take
			_, _ = io.WriteString(w, "piece ")
			_ = http.NewResponseController(w).Flush()
		}
		if r.Context().Err() == nil {
			_, _ = io.WriteString(w, "end")
		}
	})
	for range 2 {
		answer, err := http.Post("http://"+at+"/", "text/plain", strings.NewReader("body"))
		if err != nil {
			t.Fatal(err)
		}
		said, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || string(said) != "piece piece piece piece end" {
			t.Errorf("got %q, %v", said, err)
		}
	}
}
