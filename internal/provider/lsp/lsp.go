// Package lsp asks language servers where a symbol of a project is used.
//
// It speaks the part of the Language Server Protocol (version 3.17) that this needs: JSON-RPC
// over the standard streams of a child process. On the wire, lines and columns count from 0,
// columns in UTF-16 code units unless the server agrees to bytes.
package lsp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"codeintel/internal/platform/procgroup"
)

// A Position is a place in a text, both from 0.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// A Location is a range of a file.
type Location struct {
	URI   string `json:"uri"`
	Range struct {
		Start Position `json:"start"`
		End   Position `json:"end"`
	} `json:"range"`
}

// A Document is a file that is shown to the server while a question is answered.
type Document struct {
	File     string // absolute
	Language string // as the protocol names it
	Text     string
}

// A Client talks to one running server. One caller at a time may ask it.
type Client struct {
	Bytes   bool   // columns count in bytes
	Version string // name and version that the server gave itself

	child  *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	root   string
	gone   chan struct{} // closed when the server has ended
	reason error         // why, once gone is closed

	writing sync.Mutex    // held while a message is written
	asked   chan question // by the server, not answered yet
	said    atomic.Int64  // what the server has said since it was asked something, as cost counts

	mu      sync.Mutex
	waiting map[int]chan reply
	serial  int
	working map[string]bool // tokens of work that the server has announced and not ended
	begun   int             // pieces of work that it has announced
	changed chan struct{}   // has a token when working changed
}

type reply struct {
	result json.RawMessage
	err    error
}

// A question is what the server asks, as much of it as an answer needs.
type question struct {
	id    json.RawMessage
	items int // settings; -1: it asks for no settings
}

type message struct {
	Version string           `json:"jsonrpc"`
	ID      *json.RawMessage `json:"id,omitempty"`
	Method  string           `json:"method,omitempty"`
	Params  json.RawMessage  `json:"params,omitempty"`
	Result  json.RawMessage  `json:"result,omitempty"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// Limits of what a server says.
const (
	maxMessage = 64 << 20 // bytes of one message
	maxHeaders = 32       // lines before it
	maxPlaces  = 200_000  // of one name
	maxAsked   = 1000     // questions that wait for an answer because the server does not read
	maxWorking = 1000     // pieces of work at once
	maxParams  = 1 << 20  // bytes of what comes with a question or with news of work
	maxText    = 1000     // bytes of an error, a name or an id
	maxSaid    = 512 << 20
	costOfOne  = 1000 // bytes that a message counts as in maxSaid, beside its length
)

// moment is how long a server may leave unread what needs no answer.
const moment = 5 * time.Second

// Start runs a command in the root of a project and introduces itself. The server
// ends with [Client.Stop].
func Start(ctx context.Context, command []string, root string, env []string) (*Client, error) {
	c := &Client{
		child: exec.Command(command[0], command[1:]...), root: root, gone: make(chan struct{}),
		waiting: map[int]chan reply{}, working: map[string]bool{}, changed: make(chan struct{}, 1),
		asked: make(chan question, maxAsked),
	}
	c.child.Dir, c.child.Env = root, env
	c.child.WaitDelay = time.Second
	procgroup.Lead(c.child)
	var err error
	if c.out, err = c.child.StdoutPipe(); err == nil {
		c.in, err = c.child.StdinPipe()
	}
	if err == nil {
		err = c.child.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("lsp: start %s: %w", command[0], err)
	}
	go c.listen()
	go c.respond()
	if err := c.introduce(ctx); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

func (c *Client) introduce(ctx context.Context) error {
	root := URI(c.root)
	params := map[string]any{
		"processId": os.Getpid(), "rootPath": c.root, "rootUri": root,
		"workspaceFolders": []any{map[string]any{"uri": root, "name": filepath.Base(c.root)}},
		"clientInfo":       map[string]any{"name": "code-intel"},
		"capabilities": map[string]any{
			"general": map[string]any{"positionEncodings": []string{"utf-8", "utf-16"}},
			"textDocument": map[string]any{
				"references":      map[string]any{},
				"synchronization": map[string]any{},
			},
			"workspace": map[string]any{
				"configuration": true, "workspaceFolders": true,
				"didChangeWatchedFiles": map[string]any{"dynamicRegistration": true},
			},
			"window": map[string]any{"workDoneProgress": true},
		},
	}
	result, err := c.ask(ctx, "initialize", params)
	if err != nil {
		return err
	}
	var about struct {
		Capabilities struct {
			PositionEncoding string `json:"positionEncoding"`
		} `json:"capabilities"`
		ServerInfo struct{ Name, Version string } `json:"serverInfo"`
	}
	if err := json.Unmarshal(result, &about); err != nil {
		return fmt.Errorf("lsp: the answer to initialize: %w", err)
	}
	c.Bytes = about.Capabilities.PositionEncoding == "utf-8"
	c.Version = start(about.ServerInfo.Name) + " " + start(shortVersion(about.ServerInfo.Version))
	return c.notify(ctx, "initialized", map[string]any{})
}

// shortVersion is the first line of a version, or what it calls its version where it is an object that says how the
// server was built, as that of gopls is.
func shortVersion(version string) string {
	var built struct{ Version string }
	if json.Unmarshal([]byte(version), &built) == nil {
		version = built.Version
	}
	line, _, _ := strings.Cut(strings.TrimSpace(version), "\n")
	return line
}

// Open shows documents to the server, as an editor does. Close takes them away.
func (c *Client) Open(ctx context.Context, documents []Document) error {
	for _, d := range documents {
		err := c.notify(ctx, "textDocument/didOpen", map[string]any{"textDocument": map[string]any{
			"uri": URI(d.File), "languageId": d.Language, "version": 1, "text": d.Text,
		}})
		if err != nil {
			return err
		}
	}
	return nil
}

// Close says that documents are not open any more.
func (c *Client) Close(documents []Document) error {
	ctx, stop := context.WithTimeout(context.Background(), moment)
	defer stop()
	for _, d := range documents {
		err := c.notify(ctx, "textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": URI(d.File)}})
		if err != nil {
			return err
		}
	}
	return nil
}

// Changed reports which files were made, changed or removed since the server looked.
func (c *Client) Changed(ctx context.Context, made, changed, removed []string) error {
	var list []any
	for kind, files := range [][]string{made, changed, removed} {
		for _, f := range files {
			list = append(list, map[string]any{"uri": URI(f), "type": kind + 1})
		}
	}
	if len(list) == 0 {
		return nil
	}
	return c.notify(ctx, "workspace/didChangeWatchedFiles", map[string]any{"changes": list})
}

// References returns every place that means what is at a place of an open
// document, its declaration too.
func (c *Client) References(ctx context.Context, file string, at Position) ([]Location, error) {
	result, err := c.ask(ctx, "textDocument/references", map[string]any{
		"textDocument": map[string]any{"uri": URI(file)}, "position": at,
		"context": map[string]any{"includeDeclaration": true},
	})
	if err != nil {
		return nil, err
	}
	list, err := locations(result)
	if err != nil {
		return nil, fmt.Errorf("lsp: the answer to textDocument/references: %w", err)
	}
	return list, nil
}

// locations reads a list of places one by one, because many that are nearly nothing take
// much more space than their text.
func locations(result json.RawMessage) (list []Location, err error) {
	d := json.NewDecoder(bytes.NewReader(result))
	if begin, err := d.Token(); err != nil || begin == nil {
		return nil, err
	} else if begin != json.Delim('[') {
		return nil, errors.New("it is no list")
	}
	for d.More() {
		if len(list) == maxPlaces {
			return nil, fmt.Errorf("more than %d places", maxPlaces)
		}
		var l Location
		if err := d.Decode(&l); err != nil {
			return nil, err
		}
		list = append(list, l)
	}
	return list, nil
}

// Settle waits until the server has ended the work that it announced, such as reading
// the project, and for a moment in which it announces none. It returns how many pieces
// of work were announced since the server was started.
func (c *Client) Settle(ctx context.Context, moment time.Duration) (begun int, err error) {
	quiet := time.NewTimer(moment)
	defer quiet.Stop()
	for {
		c.mu.Lock()
		busy, begun := len(c.working) > 0, c.begun
		c.mu.Unlock()
		var still <-chan time.Time
		if !busy {
			quiet.Reset(moment)
			still = quiet.C
		}
		select {
		case <-c.changed:
		case <-still:
			return begun, nil
		case <-c.gone:
			return begun, c.reason
		case <-ctx.Done():
			return begun, ctx.Err()
		}
	}
}

// Stop ends the server.
func (c *Client) Stop() {
	timer := time.AfterFunc(time.Second, c.kill)
	defer timer.Stop()
	_ = c.notify(context.Background(), "exit", nil)
	_ = c.in.Close()
	<-c.gone
}

// kill ends the server with what it has started, and all that is written to it and read from
// it: something that has left its group may hold the other ends.
func (c *Client) kill() {
	if !c.Gone() { // else its id may be another's
		_ = procgroup.Kill(c.child)
	}
	_ = c.in.Close()
	_ = c.out.Close()
}

// Gone reports whether the server has ended.
func (c *Client) Gone() bool {
	select {
	case <-c.gone:
		return true
	default:
		return false
	}
}

// ask sends a request and waits for its answer. A request that the caller waits for no
// longer is cancelled.
func (c *Client) ask(ctx context.Context, method string, params any) (json.RawMessage, error) {
	c.mu.Lock()
	c.serial++
	id := c.serial
	answer := make(chan reply, 1)
	c.waiting[id] = answer
	c.mu.Unlock()
	c.said.Store(0)
	if err := c.send(ctx, map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	select {
	case r := <-answer:
		if r.err != nil {
			return nil, fmt.Errorf("lsp: %s: %w", method, r.err)
		}
		return r.result, nil
	case <-c.gone:
		return nil, fmt.Errorf("lsp: %s: %w", method, c.reason)
	case <-ctx.Done():
		brief, stop := context.WithTimeout(context.Background(), moment)
		defer stop()
		_ = c.notify(brief, "$/cancelRequest", map[string]any{"id": id})
		return nil, ctx.Err()
	}
}

func (c *Client) notify(ctx context.Context, method string, params any) error {
	m := map[string]any{"jsonrpc": "2.0", "method": method}
	if params != nil {
		m["params"] = params
	}
	return c.send(ctx, m)
}

// send writes a message. A server that has not read it when ctx ends will read nothing any
// more, and is ended.
func (c *Client) send(ctx context.Context, m any) error {
	body, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("lsp: %w", err)
	}
	stop := context.AfterFunc(ctx, c.kill)
	defer stop()
	c.writing.Lock()
	defer c.writing.Unlock()
	if _, err := fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		return fmt.Errorf("lsp: %w", err)
	}
	return nil
}

// listen takes what the server says until it ends.
func (c *Client) listen() {
	r := bufio.NewReader(c.out)
	var err error
	for err == nil {
		var body []byte
		if body, err = Read(r); err == nil {
			err = c.handleMessage(body)
		}
		if err == nil && c.said.Add(int64(len(body)+costOfOne)) > maxSaid {
			err = errors.New("lsp: a server that does not stop talking")
		}
	}
	_ = c.in.Close()
	wait := time.Duration(0)
	if errors.Is(err, io.EOF) {
		wait = time.Second // it is about to end
	}
	timer := time.AfterFunc(wait, c.kill)
	defer timer.Stop()
	if ended := c.child.Wait(); errors.Is(err, io.EOF) {
		err = errors.Join(errEnded, ended)
	}
	procgroup.KillRest(c.child)
	c.reason = err
	close(c.gone)
}

var errEnded = errors.New("the language server has ended")

// Read returns the body of the next message of a stream.
func Read(r *bufio.Reader) ([]byte, error) {
	length := ""
	for range maxHeaders {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return nil, err
		}
		name, value, more := strings.Cut(strings.TrimSpace(string(line)), ":")
		if strings.EqualFold(name, "Content-Length") {
			length = strings.TrimSpace(value)
		}
		if more || name != "" {
			continue
		}
		n, err := strconv.Atoi(length)
		if err != nil || n < 0 || n > maxMessage {
			return nil, fmt.Errorf("lsp: a message of %q bytes", length)
		}
		var body bytes.Buffer // which grows with what comes, not with what is promised
		_, err = io.CopyN(&body, r, int64(n))
		return body.Bytes(), err
	}
	return nil, errors.New("lsp: a message with too many headers")
}

// handleMessage handles one message. What is not a message ends the conversation.
func (c *Client) handleMessage(body []byte) error {
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		return fmt.Errorf("lsp: a message that is no JSON: %w", err)
	}
	switch {
	case m.Method == "$/progress":
		return c.progress(m.Params)
	case m.Method != "" && m.ID != nil:
		return c.questioned(m)
	case m.ID != nil:
		var id int
		if json.Unmarshal(*m.ID, &id) != nil {
			return nil
		}
		c.mu.Lock()
		answer := c.waiting[id]
		delete(c.waiting, id)
		c.mu.Unlock()
		if answer != nil {
			r := reply{result: m.Result}
			if m.Error != nil {
				r.err = fmt.Errorf("%s (%d)", start(m.Error.Message), m.Error.Code)
			}
			answer <- r
		}
	}
	return nil
}

// start returns as much of a text as is shown.
func start(text string) string { return text[:min(len(text), maxText)] }

// questioned leaves a question of the server to [Client.respond]: to answer must not keep us
// from listening while the server does not.
func (c *Client) questioned(m message) error {
	if len(m.Params) > maxParams || len(*m.ID) > maxText {
		return fmt.Errorf("lsp: a question of %d bytes", len(m.Params))
	}
	q := question{*m.ID, -1}
	if m.Method == "workspace/configuration" {
		var p struct {
			Items []json.RawMessage `json:"items"`
		}
		_ = json.Unmarshal(m.Params, &p)
		q.items = len(p.Items)
	}
	select {
	case c.asked <- q:
		return nil
	default:
		return fmt.Errorf("lsp: a server that asks %d questions and reads no answer", maxAsked)
	}
}

// respond answers what the server asks, until it ends: it has no settings of ours, and may
// watch and show what it likes.
func (c *Client) respond() {
	for {
		select {
		case q := <-c.asked:
			var result any
			if q.items >= 0 {
				result = make([]any, q.items)
			}
			ctx, stop := context.WithTimeout(context.Background(), moment)
			_ = c.send(ctx, map[string]any{"jsonrpc": "2.0", "id": q.id, "result": result})
			stop()
		case <-c.gone:
			return
		}
	}
}

// progress notes that work of the server begins or ends.
func (c *Client) progress(params json.RawMessage) error {
	var p struct {
		Token json.RawMessage `json:"token"`
		Value struct {
			Kind string `json:"kind"`
		} `json:"value"`
	}
	if len(params) > maxParams || json.Unmarshal(params, &p) != nil || len(p.Token) > maxText {
		return nil
	}
	c.mu.Lock()
	switch p.Value.Kind {
	case "begin":
		c.working[string(p.Token)] = true
		c.begun++
	case "end":
		delete(c.working, string(p.Token))
	}
	busy := len(c.working)
	c.mu.Unlock()
	select {
	case c.changed <- struct{}{}:
	default:
	}
	if busy > maxWorking {
		return fmt.Errorf("lsp: a server that does more than %d things at once", maxWorking)
	}
	return nil
}

// URI returns the file URI of an absolute path.
func URI(file string) string {
	file = filepath.ToSlash(file)
	if file != "" && file[0] != '/' { // a drive of Windows
		file = "/" + file
	}
	return (&url.URL{Scheme: "file", Path: file}).String()
}

// File returns the path of a file URI, or nothing.
func File(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	path := u.Path
	if len(path) > 2 && path[0] == '/' && path[2] == ':' {
		path = path[1:]
	}
	return filepath.FromSlash(path)
}
