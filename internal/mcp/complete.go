package mcp

import (
	"context"
	"path"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codeintel/internal/files"
)

// maxValues is how many values the protocol lets a completion have.
const maxValues = 100

// complete finishes what a person types into the place of a template or an argument:
// the name of a pipeline, the path of a file, how a session turned out.
func (s *Server) complete(ctx context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	begun, ref := r.Params.Argument.Value, r.Params.Ref
	var all []string
	switch {
	case ref.Name == "outcome":
		all = []string{"success", "failure", "partial", "stats"}
	case ref.URI == pipelineURI+"{id}" || ref.URI == outlineURI+"{+path}":
		h, err := s.work.open(ctx)
		if err != nil {
			return nil, s.unreadable(ref.URI, nil, err)
		}
		if all, err = h.addresses(ctx, ref.URI); err != nil {
			return nil, s.unreadable(ref.URI, h, err)
		}
	}
	values := []string{}
	total := 0
	for _, v := range all {
		if !strings.HasPrefix(v, begun) {
			continue
		}
		if total++; len(values) < maxValues {
			values = append(values, v)
		}
	}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values, Total: total,
		HasMore: total > len(values)}}, nil
}

// addresses is all that may be in the place of a template.
func (h *handlers) addresses(ctx context.Context, template string) (all []string, err error) {
	if strings.HasPrefix(template, pipelineURI) {
		list, err := h.forge.List()
		for _, p := range list {
			all = append(all, path.Base(p.Workspace))
		}
		return all, err
	}
	list, err := files.List(ctx, h.project)
	for _, f := range list {
		all = append(all, f.Path)
	}
	return all, err
}
