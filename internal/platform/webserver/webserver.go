// Package webserver runs HTTP servers with limits on what a connection may cost. Who sends or reads slowly,
// or sends without end, holds a connection for a limited time only.
package webserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Options say how to serve. What is zero has a default.
type Options struct {
	MaxHeader int           // bytes of a request's header
	Shutdown  time.Duration // how long open requests may go on at the end
	Log       *slog.Logger

	// How long each of these may take: to send the header of a request, and its body; to take
	// one piece of an answer; to send another request on the same connection.
	Header, Body, Take, Idle time.Duration
}

// Serve serves at l until ctx ends, which also ends the contexts of requests. It closes l.
func Serve(ctx context.Context, l net.Listener, h http.Handler, o Options) error {
	o.Body, o.Take = cmp.Or(o.Body, time.Minute), cmp.Or(o.Take, time.Minute)
	server := &http.Server{
		Handler:                      o.limited(h),
		ReadHeaderTimeout:            cmp.Or(o.Header, 10*time.Second),
		IdleTimeout:                  cmp.Or(o.Idle, 2*time.Minute),
		MaxHeaderBytes:               cmp.Or(o.MaxHeader, 64<<10),
		DisableGeneralOptionsHandler: true, // it would read a body as long as it takes
		BaseContext:                  func(net.Listener) context.Context { return ctx },
	}
	if o.Log != nil {
		server.ErrorLog = slog.NewLogLogger(o.Log.Handler(), slog.LevelDebug)
	}
	defer context.AfterFunc(ctx, func() {
		limit, end := context.WithTimeout(context.WithoutCancel(ctx), cmp.Or(o.Shutdown, 3*time.Second))
		defer end()
		if server.Shutdown(limit) != nil { // open event streams do not end by themselves
			server.Close()
		}
	})()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve http: %w", err)
	}
	return nil
}

// limited bounds how long a request may take to arrive, and each piece of its answer to be
// taken. The body of a request that is answered before it has arrived is not waited for.
func (o Options) limited(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := &answer{ResponseWriter: w, at: http.NewResponseController(w), take: o.Take}
		if r.Body != nil && r.Body != http.NoBody {
			a.body = &body{ReadCloser: r.Body, at: a.at}
			r.Body = a.body
			_ = a.at.SetReadDeadline(time.Now().Add(o.Body))
		}
		h.ServeHTTP(a, r)
		a.begin()
	})
}

// A body is that of a request.
type body struct {
	io.ReadCloser
	at      *http.ResponseController
	arrived bool
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) && !b.arrived {
		b.arrived = true
		_ = b.at.SetReadDeadline(time.Time{}) // else it would end an answer that takes longer
	}
	return n, err
}

// An answer is what a handler writes to.
type answer struct {
	http.ResponseWriter
	at    *http.ResponseController
	take  time.Duration
	body  *body // nil if the request has none
	begun bool
}

// begin prepares to send a piece.
func (a *answer) begin() {
	if !a.begun && a.body != nil && !a.body.arrived {
		a.Header().Set("Connection", "close")
		_ = a.at.SetReadDeadline(time.Now())
	}
	a.begun = true
	_ = a.at.SetWriteDeadline(time.Now().Add(a.take))
}

func (a *answer) WriteHeader(status int) {
	if status >= http.StatusBadRequest { // who is refused holds nothing
		a.Header().Set("Connection", "close")
	}
	a.begin()
	a.ResponseWriter.WriteHeader(status)
}

func (a *answer) Write(p []byte) (int, error) {
	a.begin()
	return a.ResponseWriter.Write(p)
}

// Flush implements [http.Flusher].
func (a *answer) Flush() {
	a.begin()
	_ = a.at.Flush()
}

// FlushError is what [http.ResponseController] calls.
func (a *answer) FlushError() error {
	a.begin()
	return a.at.Flush()
}

// Unwrap lets [http.ResponseController] reach the connection.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }
