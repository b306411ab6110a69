// Package mcp offers the program to a model over the Model Context
// Protocol, on standard input and output or over HTTP.
//
// A tool is one row of the table in tools.go: its name, its prose in
// tools/<name>.md, and a method whose argument struct is its schema. Whatever a
// client sends as arguments, it gets a tool result: an answer, structured and in
// words, or a refusal that says what is wrong and what to call instead. Every
// call passes one place, [Server.observe], where it is permitted and recorded.
// No answer is longer than its client shows whole. Beside the tools there are
// resources to read (resources.go) and the skills as prompts (prompts.go).
//
// The methods stay thin: they ask a package below and return what it says. Nothing
// here decides anything about code or sessions.
package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Name is what the server calls itself; clients make tool names of it.
const Name = "code-intel"

// Options say what to serve.
type Options struct {
	Root     string    // a folder in the project
	Version  string    // of the program
	Toolsets []Toolset // none: all
	Log      *slog.Logger
	Begun    func() // called once, when the first call is answered or none comes; may be nil
}

// A Server serves one project to any number of clients.
type Server struct {
	version     string
	log         *slog.Logger
	work        *workspace
	offered     []*tool
	rows        map[string]*tool // offered, by name
	told        map[string]bool  // what else may be subscribed to, see more
	recentCalls recentCalls
}

// offers reports whether a toolset is among those that were chosen.
func (s *Server) offers(set Toolset) bool {
	return slices.ContainsFunc(s.offered, func(t *tool) bool { return t.set == set })
}

// New returns a Server and begins to open the project in the background, so
// that the first answer does not wait for it. Close it.
func New(o Options) (*Server, error) {
	offered, err := chosen(o.Toolsets)
	if err != nil {
		return nil, err
	}
	s := &Server{
		version: o.Version,
		log:     o.Log,
		work:    newWorkspace(&o),
		offered: offered,
		rows:    make(map[string]*tool, len(offered)),
	}
	for _, t := range offered {
		s.rows[t.name] = t
	}
	s.work.openEarly()
	return s, nil
}

// Close ends what runs in the background and closes the index.
func (s *Server) Close() error { return s.work.close() }

// MCP returns s as a protocol server with everything in place.
func (s *Server) MCP() (*mcp.Server, error) {
	text, err := prose.ReadFile("instructions.md")
	if err != nil {
		return nil, fmt.Errorf("instructions: %w", err)
	}
	listed := &resourceList{s: s, asked: make(map[string]bool)}
	server := mcp.NewServer(
		&mcp.Implementation{Name: Name, Title: "Code Intel", Version: s.version},
		&mcp.ServerOptions{
			Instructions: strings.TrimSpace(string(text)),
			Logger:       s.log,
			PageSize:     pageSize,
			Capabilities: &mcp.ServerCapabilities{ // tools and prompts never change
				Tools:     &mcp.ToolCapabilities{},
				Prompts:   &mcp.PromptCapabilities{},
				Resources: &mcp.ResourceCapabilities{ListChanged: true},
			},
			CompletionHandler:  s.complete,
			SubscribeHandler:   listed.subscribe,
			UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
			SetCacheable:       cacheable,
		})
	listed.server = server
	for _, t := range s.offered {
		d, err := t.describe()
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", t.name, err)
		}
		server.AddTool(d, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return s.answer(ctx, t, r.Params.Arguments)
		})
	}
	s.addResources(server)
	if err := s.addPrompts(server); err != nil {
		return nil, err
	}
	for _, add := range more {
		add(s, server)
	}
	server.AddReceivingMiddleware(s.recoverPanics, listed.announce, s.observe)
	return server, nil
}

// pageSize is how many entries of a list a client gets at once.
const pageSize = 100

// more is what a test offers beside what there is; see conformance_test.go.
var more []func(*Server, *mcp.Server)

// cacheable says how long clients may keep what they were told. Tools, prompts and
// templates are the same as long as the server runs; what a resource says is of this
// moment, and of this user.
func cacheable(_ context.Context, r mcp.Request, c *mcp.Cacheable) {
	switch r.(type) {
	case *mcp.ListResourcesRequest, *mcp.ReadResourceRequest:
		c.TTLMs, c.CacheScope = 0, "private"
	default:
		c.TTLMs = int(keepFor.Milliseconds())
	}
}

const keepFor = 5 * time.Minute

// recoverPanics turns a panic into an error of the one request. Tools have an answer of
// their own for it.
func (s *Server) recoverPanics(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (result mcp.Result, err error) {
		defer func() {
			if r := recover(); r != nil {
				s.log.Error("request panicked", "method", method, "panic", r, "stack", string(debug.Stack()))
				result, err = nil, internalError()
			}
		}()
		result, err = next(ctx, method, req)
		if e, ok := err.(*jsonrpc.Error); ok && len(e.Data) > 0 && !json.Valid(e.Data) {
			// The library writes the URI of a resource into an error as Go does, which may be no JSON:
			// the connection would end. See docs/design/upstream/go-sdk-resource-uri.md.
			err = &jsonrpc.Error{Code: e.Code, Message: e.Message}
		}
		return result, err
	}
}

func internalError() error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "The server failed at this request; its log says why."}
}

func (s *Server) toolNames() string {
	names := make([]string, len(s.offered))
	for i, t := range s.offered {
		names[i] = t.name
	}
	return strings.Join(names, ", ")
}
