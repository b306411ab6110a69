package mcp

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codeintel/internal/audit"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/workflow/hint"
)

// recentCalls are the newest calls of each connection, from which it is seen that an agent is
// getting nowhere. They are not those of the ledger: there need be no session.
type recentCalls struct {
	mu  sync.Mutex
	of  map[*mcp.ServerSession]*callsOfConnection
	age []*mcp.ServerSession // oldest first
}

// callsOfConnection are the newest calls of one connection.
type callsOfConnection struct {
	calls []audit.Entry
	// shared says that a pipeline is led over the connection, so that the calls are those
	// of several agents. That they are alike says nothing about any of them.
	shared bool
}

// maxConnections is how many connections are remembered: a server may have had thousands.
const maxConnections = 32

// add notes a call that is about to be answered in full, and returns the hint that goes with it.
func (t *recentCalls) add(c *turn, set Toolset) (m msg.Message) {
	e := audit.Entry{Kind: audit.Tool, Name: c.Tool, Args: c.Args, Outcome: c.Outcome, Observed: c.Observed,
		Detail: map[string]string{}}
	if lines := c.Observed.Lines; len(lines) == 1 && slices.Contains(reading, c.Tool) {
		e.Detail[hint.Read] = hint.ReadOf(lines[0])
	}
	e.Observed.Lines = nil
	t.mu.Lock()
	defer t.mu.Unlock()
	of := t.get(c.request.Session)
	if of.shared = of.shared || set == Forge; of.shared {
		of.calls = nil
		return m
	}
	e.Detail[hint.Given], m = hint.Of(e, of.calls, "")
	if len(of.calls) > 2*hint.Window {
		of.calls = slices.Clone(of.calls[hint.Window:])
	}
	of.calls = append(of.calls, e)
	return m
}

// get returns the calls of a connection, none yet of one that is new.
func (t *recentCalls) get(key *mcp.ServerSession) *callsOfConnection {
	of := t.of[key]
	if of != nil {
		return of
	}
	if t.age = append(t.age, key); len(t.age) > maxConnections {
		delete(t.of, t.age[0])
		t.age = t.age[1:]
	}
	if t.of == nil {
		t.of = make(map[*mcp.ServerSession]*callsOfConnection)
	}
	t.of[key] = new(callsOfConnection)
	return t.of[key]
}

// reading are the tools that show a piece of one file, as reading it would.
var reading = op.Strings(op.GetFunctionAtLine, op.FetchChunkDetail)

// withHint adds a hint to both forms of an answer, if there is one.
func withHint(content json.RawMessage, text, said string) (json.RawMessage, string) {
	data, err := marshal(said)
	if said == "" || err != nil || len(content) < 2 {
		return content, text
	}
	body := bytes.TrimSuffix(content, []byte("}"))
	if len(body) > 1 {
		body = append(slices.Clip(body), ',')
	}
	content = slices.Concat(body, []byte(`"hint":`), data, []byte("}"))
	return content, strings.TrimRight(text, "\n") + "\nhint: " + said + "\n"
}
