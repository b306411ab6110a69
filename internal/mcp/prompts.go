package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codeintel/internal/clients/prompts"
)

// skills are the skills that clients without skills of their own get as prompts,
// each with one argument: what is typed after its name.
var skills = []struct {
	set                   Toolset
	name, title, argument string
	required              bool
}{
	{Code, "code", "Lead a task phase by phase", "request", true},
	{Forge, "forge", "Lead a change to its pull request", "request", true},
	{Code, "outcome", "Record how it turned out", "judgement", false},
}

func (s *Server) addPrompts(server *mcp.Server) error {
	for _, k := range skills {
		if !s.offers(k.set) {
			continue
		}
		text, err := prompts.SkillPrompt(k.name, "en")
		if err != nil {
			return fmt.Errorf("prompt %s: %w", k.name, err)
		}
		server.AddPrompt(&mcp.Prompt{
			Name: k.name, Title: k.title, Description: text.Description,
			Arguments: []*mcp.PromptArgument{{Name: k.argument, Description: text.Hint, Required: k.required}},
		}, func(ctx context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			line := strings.TrimSpace(r.Params.Arguments[k.argument])
			if line == "" && k.required {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams,
					Message: fmt.Sprintf("the prompt %s needs the argument %s: %s", k.name, k.argument, text.Hint)}
			}
			// A project that cannot be opened has no language; the first tool call says what is wrong.
			said := text
			if h, err := s.work.open(ctx); err == nil {
				if said, err = prompts.SkillPrompt(k.name, h.project.Config.Lang); err != nil {
					return nil, fmt.Errorf("prompt %s: %w", k.name, err)
				}
			}
			return &mcp.GetPromptResult{
				Description: said.Description,
				Messages: []*mcp.PromptMessage{{
					Role: "user", Content: &mcp.TextContent{Text: strings.ReplaceAll(said.Body, "$ARGUMENTS", line)},
				}},
			}, nil
		})
	}
	return nil
}
