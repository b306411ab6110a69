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
	"strconv"
	"strings"
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
	drained := make(chan struct{})
	go func() { // ends with in, or at the first write after pr is closed
		defer close(drained)
		err := forwardMessages(ctx, in, pw, w)
		w.open.wait(ctx, "")
		pw.CloseWithError(err)
	}()
	defer pr.Close()
	session, err := server.Connect(ctx, &mcp.IOTransport{Reader: pr, Writer: w, MaxLineLength: maxLine}, nil)
	if err != nil {
		return fmt.Errorf("serve standard input: %w", err)
	}
	defer context.AfterFunc(ctx, func() { session.Close() })()
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = s.waitForEnd(ended, w.open)
	case <-drained:
		err = s.waitForEnd(ended, w.open)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("serve standard input: %w", err)
	}
	return nil
}

// waitForEnd waits for the end of a connection that is being closed. The library waits for the last
// answer to be taken, as long as that takes; calls that still work are waited for as long as drainTime.
func (s *Server) waitForEnd(ended <-chan error, open *pending) error {
	for give := time.Now().Add(drainTime); ; {
		select {
		case err := <-ended:
			return err
		case <-time.After(closeTime):
		}
		if !open.hasUnfinished() || time.Now().After(give) {
			s.log.Warn("the last answers are lost: the client does not read them, or they take too long")
			return nil
		}
	}
}

// closeTime is how long a connection may take to close.
const closeTime = time.Second

// maxLine is the longest message that is read, in bytes.
const maxLine = 16 << 20

// forwardMessages passes the lines of in that hold a message on to out. A line that holds
// none is answered as the protocol wants it, and dropped: for the library below
// it would be the end of the connection.
func forwardMessages(ctx context.Context, in io.Reader, out io.Writer, back *lineWriter) error {
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
		case r.IsCall():
			if wrong := back.open.add(ctx, r, len(line)); wrong != "" {
				_, err := back.Write(faultLine(noID, jsonrpc.CodeInvalidRequest, wrong))
				return err
			}
			if r.Method == "initialize" {
				first = key(r.ID)
			}
		case r.Method == "notifications/cancelled": // will not be answered
			var p struct {
				ID any `json:"requestId"`
			}
			if json.Unmarshal(r.Params, &p) == nil {
				if id, err := jsonrpc.MakeID(p.ID); err == nil {
					back.open.cancelled(key(id))
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

// lastID matches the end of a message whose id is after its parameters.
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
		return nil, faultLine(noID, jsonrpc.CodeParseError, "this is not JSON; send one message at a time")
	}
	if line[0] == '[' {
		return nil, faultLine(noID, jsonrpc.CodeInvalidRequest, "batches are not supported; send one message at a time")
	}
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return nil, faultLine(noID, jsonrpc.CodeInvalidRequest, "this is no JSON-RPC 2.0 message: "+err.Error())
	}
	id, wrong := wrongForm(line)
	switch r, ok := m.(*jsonrpc.Request); {
	case ok && !r.IsCall() && strings.HasPrefix(r.Method, "notifications/"):
		wrong = "" // some write the id that it has not as null
	case ok && r.Method == "initialize" && len(line) > maxHello:
		wrong = fmt.Sprintf("initialize is longer than %d bytes", maxHello)
	}
	if wrong != "" {
		return nil, faultLine(id, jsonrpc.CodeInvalidRequest, wrong)
	}
	return m, nil
}

var noID = []byte("null")

// wrongForm says what is wrong with a message that the library takes all the same, and what its
// id is: it would answer under another id, or not at all.
func wrongForm(line []byte) (id []byte, wrong string) {
	d := json.NewDecoder(bytes.NewReader(line))
	_, _ = d.Token() // of the object
	id = noID
	given, does := false, false
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil {
			break // cannot be: it is JSON
		}
		switch name {
		case "id":
			id, given = value, true
		case "method", "result", "error":
			does = true
		}
	}
	switch n, err := strconv.ParseInt(strings.TrimSuffix(string(id), ".0"), 10, 64); {
	case !does:
		return id, "this message has no method, no result and no error"
	case given && string(id) == "null":
		return id, "the id of a request may not be null"
	case given && id[0] != '"' && (err != nil || n > maxID || n < -maxID):
		return id, fmt.Sprintf("an id must be a string, or a whole number from -%d to %[1]d", maxID)
	}
	return id, ""
}

// maxHello is how long the first message of a session may be: it is kept as long as that.
const maxHello = 512 << 10 // it may hold icons

// maxID is the largest number that the library returns unchanged.
const maxID = 1<<53 - 1

// faultLine is the answer to what is not a message, or none that can be taken.
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
	if m, err := jsonrpc.DecodeMessage(bytes.TrimSpace(p)); err == nil {
		if r, ok := m.(*jsonrpc.Response); ok {
			l.open.answers(key(r.ID))
			defer l.open.written()
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

func (l *lineWriter) Close() error { return nil }

func key(id jsonrpc.ID) string { return fmt.Sprintf("%T %[1]v", id.Raw()) }

// pending is the requests that are not answered yet.
type pending struct {
	mu      sync.Mutex
	open    map[string]int  // the bytes of each, by id
	listens map[string]bool // the ids of those that are answered when the client no longer listens
	bytes   int             // of all that are open
	writing int             // how many answers are being written
	changed chan struct{}   // closed and made anew with every answer
}

func newPending() *pending {
	return &pending{open: make(map[string]int), listens: make(map[string]bool), changed: make(chan struct{})}
}

// What one client may have asked without having taken the answers. What comes next is not
// read before there is room for it: a client that does not read its answers is to wait.
const (
	maxOpen      = 256
	maxOpenBytes = maxLine
	maxListens   = 64
)

// add notes a request, once there is room for it, or says why it cannot be taken.
func (p *pending) add(ctx context.Context, r *jsonrpc.Request, size int) (wrong string) {
	id := key(r.ID)
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, twice := p.open[id]; twice || p.listens[id] {
		return fmt.Sprintf("the id %.100q belongs to a request that is not answered yet", fmt.Sprint(r.ID.Raw()))
	}
	if r.Method == "subscriptions/listen" {
		if len(p.listens) >= maxListens {
			return fmt.Sprintf("no more than %d requests may listen; cancel one", maxListens)
		}
		p.listens[id] = true
		return ""
	}
	for ctx.Err() == nil && (len(p.open) >= maxOpen || p.bytes > 0 && p.bytes+size > maxOpenBytes) {
		changed := p.changed
		p.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
		}
		p.mu.Lock()
	}
	p.open[id] = size
	p.bytes += size
	return ""
}

// answers notes that a request is being answered: its id is free, since the client may
// use it again as soon as it has the answer.
func (p *pending) answers(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget(id)
	p.writing++
}

// written notes that an answer is written.
func (p *pending) written() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writing--
	p.notifyLocked()
}

// cancelled notes that a request may not be answered at all.
func (p *pending) cancelled(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget(id)
	p.notifyLocked()
}

// forget is called under mu.
func (p *pending) forget(id string) {
	p.bytes -= p.open[id]
	delete(p.open, id)
	delete(p.listens, id)
}

// hasUnfinished reports whether a request is worked on, and no answer waits for being read.
func (p *pending) hasUnfinished() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.writing == 0 && len(p.open) > 0
}

// notifyLocked is called under mu.
func (p *pending) notifyLocked() {
	close(p.changed)
	p.changed = make(chan struct{})
}

// drainTime is how long the server waits for an answer once there may be no client to read
// it.
const drainTime = 30 * time.Second

// wait waits until the request is answered, all requests for "".
func (p *pending) wait(ctx context.Context, id string) {
	ctx, end := context.WithTimeout(ctx, drainTime)
	defer end()
	for {
		p.mu.Lock()
		_, open := p.open[id]
		over, changed := p.writing == 0 && (len(p.open) == 0 || id != "" && !open), p.changed
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
