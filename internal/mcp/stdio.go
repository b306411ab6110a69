package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codeintel/internal/platform/lazyregexp"
)

// ServeStdio serves one client that writes to in and reads from out, until in
// ends or ctx does. What was asked before in ended is still answered, so that a
// script may write its questions and close.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	server, err := s.MCP()
	if err != nil {
		return err
	}
	w := &lineWriter{w: out, open: newPending()}
	pr, pw := io.Pipe()
	go func() { // ends with in, or at the first write after pr is closed
		err := sift(ctx, in, pw, w)
		w.open.wait(ctx, "")
		pw.CloseWithError(err)
	}()
	defer pr.Close()
	session, err := server.Connect(ctx, &mcp.IOTransport{Reader: pr, Writer: w, MaxLineLength: maxLine}, nil)
	if err != nil {
		return fmt.Errorf("serve standard input: %w", err)
	}
	defer context.AfterFunc(ctx, func() { session.Close() })()
	if err := session.Wait(); err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("serve standard input: %w", err)
	}
	return nil
}

// maxLine is the longest message that is read, in bytes.
const maxLine = 16 << 20

// sift passes the lines of in that hold a message on to out. A line that holds
// none is answered as the protocol wants it, and dropped: for the library below
// it would be the end of the connection.
func sift(ctx context.Context, in io.Reader, out io.Writer, back *lineWriter) error {
	r := bufio.NewReaderSize(in, 64<<10)
	for {
		line, id, err := readLine(r)
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if err := pass(ctx, line, out, back); err != nil {
				return err
			}
		}
		if errors.Is(err, errLongLine) {
			if _, err := back.Write(faultLine(id, jsonrpc.CodeInvalidRequest, err.Error())); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
	}
}

// pass passes one line on, or answers it. The first word of a conversation is
// answered before the second is passed on: the library takes them at once.
func pass(ctx context.Context, line []byte, out io.Writer, back *lineWriter) error {
	message, fault := messageOf(line)
	if fault != nil {
		_, err := back.Write(fault)
		return err
	}
	first := ""
	if r, ok := message.(*jsonrpc.Request); ok {
		switch {
		case r.Method == "subscriptions/listen": // is answered when the client no longer listens
		case r.IsCall():
			back.open.add(key(r.ID))
			if r.Method == "initialize" {
				first = key(r.ID)
			}
		case r.Method == "notifications/cancelled": // will not be answered
			var p struct {
				ID any `json:"requestId"`
			}
			if json.Unmarshal(r.Params, &p) == nil {
				if id, err := jsonrpc.MakeID(p.ID); err == nil {
					back.open.done(key(id))
				}
			}
		}
	}
	if _, err := out.Write(append(line, '\n')); err != nil {
		return err
	}
	if first != "" {
		back.open.wait(ctx, first)
	}
	return nil
}

var errLongLine = fmt.Errorf("message is longer than %d bytes", maxLine)

// readLine reads up to the end of a line. Of a line that is too long it reads all, and
// returns errLongLine with the id of the request, so that it can be answered.
func readLine(r *bufio.Reader) (line, id []byte, err error) {
	var head, tail []byte // of a long line
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if !long && len(line)+len(part) > maxLine {
			long = true
			head, tail = slices.Clone(line[:min(len(line), endBytes)]), slices.Clone(line[max(0, len(line)-endBytes):])
			line = nil
		}
		if long {
			tail = append(tail, part...)
			tail = append(tail[:0], tail[max(0, len(tail)-endBytes):]...)
		} else {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long && (err == nil || errors.Is(err, io.EOF)):
			return nil, idOf(head, tail), errLongLine
		}
		return line, nil, err
	}
}

// endBytes is how much of either end of a long line is looked at for its id.
const endBytes = 4 << 10

// lastID matches the end of a message whose id stands after its parameters.
var lastID = lazyregexp.MustCompile(`,\s*"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?[0-9]+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$`)

// idOf returns the id of a message by its two ends, as JSON: null if it is not there.
func idOf(head, tail []byte) []byte {
	d := json.NewDecoder(bytes.NewReader(head))
	if open, err := d.Token(); err == nil && open == json.Delim('{') {
		for d.More() {
			name, err := d.Token()
			if err != nil {
				break
			}
			var value json.RawMessage
			if d.Decode(&value) != nil {
				break // the parameters, of which the head holds a part
			}
			if name == "id" && bytes.ContainsAny(value[:1], `"-0123456789`) {
				return value
			}
		}
	}
	if m := lastID.FindStringSubmatch(string(tail)); m != nil && json.Valid([]byte(m[1])) {
		return []byte(m[1])
	}
	return noID
}

// messageOf returns the message of a line, or the line that answers a line which
// holds none.
func messageOf(line []byte) (jsonrpc.Message, []byte) {
	if !json.Valid(line) {
		return nil, faultLine(noID, jsonrpc.CodeParseError, "this line is not JSON; send one message a line")
	}
	if line[0] == '[' {
		return nil, faultLine(noID, jsonrpc.CodeInvalidRequest, "batches are not supported; send one message a line")
	}
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return nil, faultLine(noID, jsonrpc.CodeInvalidRequest, "this is no JSON-RPC 2.0 message: "+err.Error())
	}
	return m, nil
}

var noID = []byte("null")

// faultLine is the answer to what is no message, or none that can be taken.
func faultLine(id []byte, code int, message string) []byte {
	text, err := json.Marshal(message)
	if err != nil {
		text = []byte(`""`)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`+"\n", id, code, text)
}

// A lineWriter lets several write whole messages in turn, and notes which
// requests they answer.
type lineWriter struct {
	mu   sync.Mutex
	w    io.Writer
	open *pending
}

func (l *lineWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	n, err := l.w.Write(p)
	l.mu.Unlock()
	if m, wrong := messageOf(bytes.TrimSpace(p)); wrong == nil {
		if r, ok := m.(*jsonrpc.Response); ok {
			l.open.done(key(r.ID))
		}
	}
	return n, err
}

func (l *lineWriter) Close() error { return nil }

func key(id jsonrpc.ID) string { return fmt.Sprintf("%T %[1]v", id.Raw()) }

// pending is the requests that are not answered yet.
type pending struct {
	mu      sync.Mutex
	ids     map[string]bool
	changed chan struct{} // closed and made anew with every answer
}

func newPending() *pending {
	return &pending{ids: make(map[string]bool), changed: make(chan struct{})}
}

func (p *pending) add(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ids[id] = true
}

func (p *pending) done(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.ids, id)
	close(p.changed)
	p.changed = make(chan struct{})
}

// drainTime is how long an answer is waited for once nobody may be there to read
// it.
const drainTime = 30 * time.Second

// wait waits until the request is answered, all requests for "".
func (p *pending) wait(ctx context.Context, id string) {
	ctx, end := context.WithTimeout(ctx, drainTime)
	defer end()
	for {
		p.mu.Lock()
		over, changed := len(p.ids) == 0 || id != "" && !p.ids[id], p.changed
		p.mu.Unlock()
		if over {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}
