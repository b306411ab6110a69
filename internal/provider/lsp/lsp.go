// Package lsp asks language servers where symbols of a project are used.
//
// It speaks the part of the Language Server Protocol (version 3.17) that this needs: JSON-RPC
// over the standard streams of a child process. On the wire, lines and columns count from 0,
// columns in UTF-16 code units unless the server agrees to bytes.
package lsp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"
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
	root   string
	gone   chan struct{} // closed when the server has ended
	reason error         // why, once gone is closed

	writing sync.Mutex // held while a message is written

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

// mostMessage bounds one message of a server, in bytes.
const mostMessage = 256 << 20

// Start runs a command in the root of a project and introduces itself. The server
// ends with [Client.Stop].
func Start(ctx context.Context, command []string, root string, env []string) (*Client, error) {
	c := &Client{
		child: exec.Command(command[0], command[1:]...), root: root, gone: make(chan struct{}),
		waiting: map[int]chan reply{}, working: map[string]bool{}, changed: make(chan struct{}, 1),
	}
	c.child.Dir, c.child.Env = root, env
	c.child.WaitDelay = time.Second
	out, err := c.child.StdoutPipe()
	if err == nil {
		c.in, err = c.child.StdinPipe()
	}
	if err == nil {
		err = c.child.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("lsp: start %s: %w", command[0], err)
	}
	go c.listen(out)
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
	c.Version = about.ServerInfo.Name + " " + about.ServerInfo.Version
	return c.tell("initialized", map[string]any{})
}

// Open shows documents to the server, as an editor does. Close takes them away.
func (c *Client) Open(documents []Document) error {
	for _, d := range documents {
		err := c.tell("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
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
	for _, d := range documents {
		err := c.tell("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": URI(d.File)}})
		if err != nil {
			return err
		}
	}
	return nil
}

// Changed tells which files were made, changed or removed since the server looked.
func (c *Client) Changed(made, changed, removed []string) error {
	var list []any
	for kind, files := range [][]string{made, changed, removed} {
		for _, f := range files {
			list = append(list, map[string]any{"uri": URI(f), "type": kind + 1})
		}
	}
	if len(list) == 0 {
		return nil
	}
	return c.tell("workspace/didChangeWatchedFiles", map[string]any{"changes": list})
}

// References returns every place that means what stands at a place of an open
// document, its declaration too.
func (c *Client) References(ctx context.Context, file string, at Position) ([]Location, error) {
	result, err := c.ask(ctx, "textDocument/references", map[string]any{
		"textDocument": map[string]any{"uri": URI(file)}, "position": at,
		"context": map[string]any{"includeDeclaration": true},
	})
	if err != nil {
		return nil, err
	}
	var list []Location
	if err := json.Unmarshal(result, &list); err != nil {
		return nil, fmt.Errorf("lsp: the answer to textDocument/references: %w", err)
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
	_ = c.tell("exit", nil)
	_ = c.in.Close()
	select {
	case <-c.gone:
	case <-time.After(time.Second):
		_ = c.child.Process.Kill()
		<-c.gone
	}
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
	if err := c.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params}); err != nil {
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
		_ = c.tell("$/cancelRequest", map[string]any{"id": id})
		return nil, ctx.Err()
	}
}

func (c *Client) tell(method string, params any) error {
	m := map[string]any{"jsonrpc": "2.0", "method": method}
	if params != nil {
		m["params"] = params
	}
	return c.send(m)
}

func (c *Client) send(m any) error {
	body, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("lsp: %w", err)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if _, err := fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		return fmt.Errorf("lsp: %w", err)
	}
	return nil
}

// listen takes what the server says until it ends.
func (c *Client) listen(out io.Reader) {
	r := bufio.NewReader(out)
	var err error
	for err == nil {
		var body []byte
		if body, err = Read(r); err == nil {
			err = c.take(body)
		}
	}
	_ = c.in.Close()
	if ended := c.child.Wait(); errors.Is(err, io.EOF) {
		err = errors.Join(errEnded, ended)
	}
	c.reason = err
	close(c.gone)
}

var errEnded = errors.New("the language server has ended")

// Read returns the body of the next message of a stream.
func Read(r *bufio.Reader) ([]byte, error) {
	header, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil || n < 0 || n > mostMessage {
		return nil, fmt.Errorf("lsp: a message of %q bytes", header.Get("Content-Length"))
	}
	body := make([]byte, n)
	_, err = io.ReadFull(r, body)
	return body, err
}

// take handles one message. What is no message ends the conversation.
func (c *Client) take(body []byte) error {
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		return fmt.Errorf("lsp: a message that is no JSON: %w", err)
	}
	switch {
	case m.Method == "$/progress":
		c.progress(m.Params)
	case m.Method != "" && m.ID != nil:
		go c.respond(m) // it must not keep us from listening while the server does not
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
				r.err = fmt.Errorf("%s (%d)", m.Error.Message, m.Error.Code)
			}
			answer <- r
		}
	}
	return nil
}

// respond answers what the server asks: it has no settings of ours, and may watch and
// show what it likes.
func (c *Client) respond(m message) {
	var result any
	if m.Method == "workspace/configuration" {
		var p struct {
			Items []json.RawMessage `json:"items"`
		}
		_ = json.Unmarshal(m.Params, &p)
		result = make([]any, len(p.Items))
	}
	_ = c.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": result})
}

func (c *Client) progress(params json.RawMessage) {
	var p struct {
		Token json.RawMessage `json:"token"`
		Value struct {
			Kind string `json:"kind"`
		} `json:"value"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	c.mu.Lock()
	switch p.Value.Kind {
	case "begin":
		c.working[string(p.Token)] = true
		c.begun++
	case "end":
		delete(c.working, string(p.Token))
	}
	c.mu.Unlock()
	select {
	case c.changed <- struct{}{}:
	default:
	}
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
