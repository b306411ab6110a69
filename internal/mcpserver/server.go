// Package mcpserver offers the program to a model over the Model Context
// Protocol, on standard input and output or over HTTP.
//
// A tool is one row of the table in tools.go: its name, its prose in
// tools/<name>.md, and a method whose argument struct is its schema. Whatever a
// client sends as arguments, it gets a tool result: an answer, structured and in
// words, or a refusal that says what is wrong and what to call instead. Every
// call passes one place, [Server.observe], where it is permitted and recorded.
// No answer is longer than its client shows whole.
//
// The methods stay thin: they ask a room below and return what it says. Nothing
// here decides anything about code or sessions.
package mcpserver

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

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
}

// A Server serves one project to any number of clients.
type Server struct {
	version string
	log     *slog.Logger
	work    *workspace
	offered []*tool
	rows    map[string]*tool // offered, by name
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
		work:    newWorkspace(o.Root, o.Log),
		offered: offered,
		rows:    make(map[string]*tool, len(offered)),
	}
	for _, t := range offered {
		s.rows[t.name] = t
	}
	s.work.warm()
	return s, nil
}

// Close ends what runs in the background and closes the index.
func (s *Server) Close() error { return s.work.close() }

// MCP returns s as a protocol server with every tool in place.
func (s *Server) MCP() (*mcp.Server, error) {
	text, err := prose.ReadFile("instructions.md")
	if err != nil {
		return nil, fmt.Errorf("instructions: %w", err)
	}
	server := mcp.NewServer(
		&mcp.Implementation{Name: Name, Title: "Code Intel", Version: s.version},
		&mcp.ServerOptions{
			Instructions: strings.TrimSpace(string(text)),
			Logger:       s.log,
			Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}, // the list never changes
		})
	for _, t := range s.offered {
		d, err := t.describe()
		if err != nil {
			return nil, fmt.Errorf("tool %s: %w", t.name, err)
		}
		server.AddTool(d, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return s.answer(ctx, t, r.Params.Arguments)
		})
	}
	server.AddReceivingMiddleware(s.observe)
	return server, nil
}

func (s *Server) toolNames() string {
	names := make([]string, len(s.offered))
	for i, t := range s.offered {
		names[i] = t.name
	}
	return strings.Join(names, ", ")
}
