package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codeintel/internal/audit"
	"codeintel/internal/audit/shown"
	"codeintel/internal/pipeline/service"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/problem/systemerror"
	"codeintel/internal/search"
	"codeintel/internal/session"
	"codeintel/internal/session/state"
)

// What clients can read. A template in braces ends the address.
const (
	sessionURI  = "code-intel://session"
	reportURI   = "code-intel://report/"
	pipelineURI = "code-intel://pipeline/"
	outlineURI  = "code-intel://file-outline/"
)

// A resource is one row of what clients can read: its address, and the method that
// returns the text, given the value of the template's variable.
type resource struct {
	set                      Toolset
	uri, template            string
	name, title, description string
	read                     func(*handlers, context.Context, string) (any, error)
}

var resources = []resource{
	{Code, sessionURI, "", "session", "The /code session",
		"The state of the session that this server runs: phase, instruction, expected payload.", (*handlers).sessionResource},
	{Code, reportURI, "{id}", "report", "The report of a session",
		"What a /code session that has ended did: tasks, impact, verification, decisions, what each phase said.", (*handlers).reportResource},
	{Forge, pipelineURI, "{id}", "pipeline", "A /forge pipeline",
		"Where a pipeline stands: phase, tasks, decisions, what is outstanding. The id is the name of its folder in .specs.", (*handlers).pipelineResource},
	{Search, outlineURI, "{+path}", "file-outline", "Outline of a file",
		"What a file declares, nested, with lines and signatures. The path is relative to the project.", (*handlers).outlineResource},
}

const jsonType = "application/json"

func (s *Server) addResources(server *mcp.Server) {
	for _, r := range resources {
		if !s.offers(r.set) {
			continue
		}
		if r.template == "" {
			server.AddResource(&mcp.Resource{URI: r.uri, Name: r.name, Title: r.title, Description: r.description,
				MIMEType: jsonType}, s.reader(r))
			continue
		}
		server.AddResourceTemplate(&mcp.ResourceTemplate{
			URITemplate: r.uri + r.template, Name: r.name, Title: r.title, Description: r.description, MIMEType: jsonType,
		}, s.reader(r))
	}
}

// reader reads a resource. What it shows of the code is on record like the answer
// of a tool.
func (s *Server) reader(row resource) mcp.ResourceHandler {
	return func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		began := time.Now()
		h, err := s.work.open(ctx)
		if err != nil {
			return nil, s.unreadable(r.Params.URI, nil, err)
		}
		rest, err := url.PathUnescape(strings.TrimPrefix(r.Params.URI, row.uri))
		if err != nil {
			return nil, mcp.ResourceNotFoundError(r.Params.URI)
		}
		v, err := row.read(h, ctx, rest)
		if err != nil {
			return nil, s.unreadable(r.Params.URI, h, err)
		}
		v = msg.Bind(v, h.words())
		data, err := marshal(v)
		if err == nil {
			data, err = cutJSON(data, budgetOf(r.ClientInfo()))
		}
		if err != nil {
			return nil, s.unreadable(r.Params.URI, h, err)
		}
		if o, ok := v.(shower); ok {
			c := session.Call{Tool: "resources/read", Args: digest(json.RawMessage(r.Params.URI)),
				Outcome: audit.OK, Observed: o.Observed(), Duration: time.Since(began)}
			if err := h.session.Record(context.WithoutCancel(ctx), c); err != nil {
				s.log.Error("reading is not recorded", "uri", r.Params.URI, "err", err)
			}
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: jsonType,
			Text: string(data)}}}, nil
	}
}

// unreadable is the error of the protocol for a resource that is not there, or may
// not be read.
func (s *Server) unreadable(uri string, h *handlers, err error) error {
	p := cmp.Or(problem.Of(err), systemerror.Of(err))
	if p == nil {
		if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		s.log.Error("resource cannot be read", "uri", uri, "err", err)
		return internalError()
	}
	words := h.words()
	data, err := json.Marshal(struct {
		URI   string       `json:"uri"`
		Error problem.Code `json:"error"`
		Next  []string     `json:"legal_next"`
	}{uri, p.Code, append([]string{}, words.Texts(p.Next)...)})
	if err != nil { // cannot be: these are strings
		return internalError()
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: words.Text(p.Message), Data: data}
}

// sessionState is where a session is.
type sessionState struct {
	Open            bool              `json:"open"`                    // in this server
	Elsewhere       bool              `json:"led_elsewhere,omitempty"` // by another process, in this working tree
	Session         string            `json:"session_id,omitempty"`
	Intent          state.Intent      `json:"intent,omitempty"`
	Phase           string            `json:"phase,omitempty"`
	Instruction     string            `json:"instruction,omitempty"`
	ExpectedPayload map[string]string `json:"expected_payload,omitempty"`
}

func (h *handlers) sessionResource(context.Context, string) (any, error) {
	at := h.session.Where()
	if at.Session == "" {
		return sessionState{Elsewhere: state.InUse(h.project.Root)}, nil
	}
	return sessionState{
		Open: true, Session: at.Session, Intent: at.Intent, Phase: at.Phase, Instruction: at.Instruction,
		ExpectedPayload: at.ExpectedPayload,
	}, nil
}

func (h *handlers) pipelineResource(ctx context.Context, id string) (any, error) {
	ws, err := h.forge.Find(id)
	if err != nil {
		return nil, err
	}
	if path.Base(ws) != id { // a beginning is not an address
		return nil, problem.New(problem.NotFound, "pipeline.no_pipeline_called", id).
			Or("mcp.read", pipelineURI, url.PathEscape(path.Base(ws)))
	}
	return h.forge.ResumeInfo(ctx, service.ResumeRequest{Workspace: ws})
}

// An outline is what analyze_structure says of one file.
type outline struct {
	search.FileOutline
	Freshness string `json:"freshness,omitempty"`

	shown shown.Facts
}

// Observed says which lines were shown.
func (o *outline) Observed() shown.Facts { return o.shown }

func (h *handlers) outlineResource(ctx context.Context, file string) (any, error) {
	rel, err := h.project.Resolve(file)
	if err != nil {
		return nil, err
	}
	a, err := h.search.Structure(ctx, search.StructureQuery{Where: search.Where{Path: rel}})
	if err != nil {
		return nil, err
	}
	if len(a.Files) != 1 || a.Files[0].File != rel {
		return nil, problem.New(problem.NotFound, "mcp.no_file_outline", file).
			Or("mcp.call_search_files_find_file")
	}
	return &outline{a.Files[0], a.Freshness, a.Observed()}, nil
}

// A resourceList keeps the resources of one protocol server as they are: it lists the
// pipelines, and tells those who subscribed what a call has changed.
type resourceList struct {
	s      *Server
	server *mcp.Server

	mu     sync.Mutex
	listed map[string]string // the title of each pipeline in the list, by address
	asked  map[string]bool   // addresses that anybody subscribed to
}

// announce looks after each call of a tool what it has changed, and brings the list
// up to date before a client reads it.
func (f *resourceList) announce(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		call, ok := req.(*mcp.CallToolRequest)
		if !ok {
			if method == "resources/list" {
				f.list(ctx)
			}
			return next(ctx, method, req)
		}
		row := f.s.rows[call.Params.Name]
		if row == nil || row.set == Search {
			return next(ctx, method, req)
		}
		before := f.sessionMoved(ctx)
		result, err := next(ctx, method, req)
		if r, ok := result.(*mcp.CallToolResult); err != nil || !ok || r.IsError {
			return result, err
		}
		after := context.WithoutCancel(ctx)
		if f.sessionMoved(after) != before {
			f.updated(after, sessionURI)
		}
		if row.set == Forge && row.hints != reads {
			f.list(after)
			var named struct {
				Workspace string `json:"workspace"`
			}
			if json.Unmarshal(call.Params.Arguments, &named) == nil && named.Workspace != "" {
				f.updated(after, pipelineURI+url.PathEscape(path.Base(named.Workspace)))
			}
		}
		return result, err
	}
}

// sessionMoved reports whether a session has moved.
func (f *resourceList) sessionMoved(ctx context.Context) string {
	h, err := f.s.work.open(ctx)
	if err != nil {
		return ""
	}
	at := h.session.Where()
	return at.Session + " " + at.Phase
}

func (f *resourceList) updated(ctx context.Context, uri string) {
	f.mu.Lock()
	asked := f.asked[uri]
	f.mu.Unlock()
	if !asked {
		return
	}
	if err := f.server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: uri}); err != nil {
		f.s.log.Warn("subscribers are not told", "uri", uri, "err", err)
	}
}

// subscribe accepts subscriptions to resources that exist and whose changes are reported.
func (f *resourceList) subscribe(ctx context.Context, r *mcp.SubscribeRequest) error {
	uri := r.Params.URI
	if strings.HasPrefix(uri, pipelineURI) {
		f.list(ctx)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	_, isPipeline := f.listed[uri]
	if !(f.s.offers(Code) && uri == sessionURI || isPipeline || f.s.told[uri]) {
		return mcp.ResourceNotFoundError(uri)
	}
	f.asked[uri] = true
	return nil
}

// list brings the listed pipelines up to date; the library tells clients if that
// changes the list.
func (f *resourceList) list(ctx context.Context) {
	if !f.s.offers(Forge) {
		return
	}
	h, err := f.s.work.open(ctx)
	if err != nil {
		return // the reader of one gets the error
	}
	all, err := h.forge.List()
	if err != nil {
		f.s.log.Warn("pipelines cannot be listed", "err", err)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	now := make(map[string]string, len(all))
	for _, p := range all {
		id := path.Base(p.Workspace)
		uri := pipelineURI + url.PathEscape(id)
		now[uri] = p.Title
		if title, ok := f.listed[uri]; !ok || title != p.Title {
			f.server.AddResource(&mcp.Resource{URI: uri, Name: id, Title: p.Title, MIMEType: jsonType},
				f.s.reader(resources[2]))
		}
	}
	for uri := range f.listed {
		if _, ok := now[uri]; !ok {
			f.server.RemoveResources(uri)
		}
	}
	f.listed = now
}
