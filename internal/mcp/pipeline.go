package mcp

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode"

	"codeintel/internal/approval"
	"codeintel/internal/pipeline/plancheck"
	"codeintel/internal/pipeline/service"
	"codeintel/internal/platform/softdeadline"
	"codeintel/internal/problem"
	"codeintel/internal/search"
	"codeintel/internal/session"
	"codeintel/internal/session/answer"
	"codeintel/internal/session/state"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow"
)

// ofPipeline makes the method of a tool of one of the pipelines.
func ofPipeline[In, Out any](do func(*service.Service, context.Context, In) (Out, error)) method[In, Out] {
	return func(h *handlers, ctx context.Context, r In) (Out, error) { return do(h.forge, ctx, r) }
}

func (h *handlers) pipelineNextAction(ctx context.Context, r service.NextRequest) (*service.NextAnswer, error) {
	t := turnOf(ctx)
	r.Budget = t.budget
	if t.request == nil || !showsForms(t.request.ClientCapabilities()) {
		return h.forge.NextAction(ctx, r)
	}
	// What is outstanding first, if the person was not asked yet; then what comes.
	q, err := h.forge.Asking(ctx, r.Workspace)
	for first := true; err == nil; first = false {
		asked := q != nil
		if asked {
			if r.Response, err = h.askAtCheckpoint(ctx, q); err != nil {
				return nil, err
			}
			r.Ticket, r.Channel = q.Ticket, approval.Elicited
		} else if !first {
			break
		}
		var a *service.NextAnswer
		if a, err = h.forge.NextAction(ctx, r); err != nil || a.Ask == nil || a.Ask.Asked || asked && r.Response == "" {
			return a, err
		}
		q = a.Ask
		r = service.NextRequest{Workspace: r.Workspace, Budget: r.Budget}
	}
	return nil, err
}

// askAtCheckpoint has the person decide at the client. It returns their answer, or
// "" if they gave none: then the model may ask them, and say what they said.
func (h *handlers) askAtCheckpoint(ctx context.Context, q *workflow.Question) (string, error) {
	answer, err := h.askByForm(ctx, q, "mcp.asks_about_pipeline", h.forge.Answered)
	if err == nil && answer == nil { // they decided by another way
		return "", nil
	}
	if err != nil && !errors.As(err, new(noAnswer)) {
		return "", err
	}
	decision, guidance := "", ""
	if answer != nil && answer.Action == "accept" {
		decision, _ = answer.Content[theDecision].(string)
		guidance, _ = answer.Content["guidance"].(string)
	}
	if decision == "" {
		return "", h.forge.Undecided(ctx, q)
	}
	return strings.TrimSpace(decision + " " + guidance), nil
}

// forForge returns what a pipeline asks of the packages that search code.
func (h *handlers) forForge() *plancheck.PlannedCode {
	return &plancheck.PlannedCode{
		Defined: h.defined,
		References: func(ctx context.Context, symbol string) ([]string, error) {
			if h.onlyMembers(ctx, symbol) {
				return nil, nil // a parameter or a local name, more likely than the member of some type
			}
			a, err := h.search.References(softdeadline.Without(ctx),
				search.ReferencesQuery{Symbol: symbol, Page: search.Page{Limit: maxReferences}})
			if problem.Of(err) != nil { // no name that code could have
				return nil, nil
			}
			if err != nil {
				return nil, err
			}
			var found []string
			for _, r := range a.References {
				if r.Confidence != search.Possible { // else the name alone fits
					found = append(found, r.File)
				}
			}
			return found, nil
		},
		Occurs: h.occurs,
		IsType: func(ctx context.Context, symbol string) bool {
			return h.definedOnlyAs(ctx, symbol, func(d search.Definition) bool {
				return slices.Contains([]syntax.Kind{syntax.Class, syntax.Struct, syntax.Enum, syntax.Type}, d.Kind)
			})
		},
		IsTest: search.TestFile,
	}
}

// onlyMembers reports whether a bare name is defined as a field or variable in something, and
// as nothing else.
func (h *handlers) onlyMembers(ctx context.Context, symbol string) bool {
	return !strings.ContainsAny(symbol, ".:#") && h.definedOnlyAs(ctx, symbol, func(d search.Definition) bool {
		return d.Scope != "" && (d.Kind == syntax.Field || d.Kind == syntax.Variable)
	})
}

// definedOnlyAs reports whether all definitions of a symbol are of a sort.
func (h *handlers) definedOnlyAs(ctx context.Context, symbol string, is func(search.Definition) bool) bool {
	a, err := h.search.Definitions(softdeadline.Without(ctx), search.DefinitionsQuery{Symbol: symbol, ExactMatch: true})
	return err == nil && !slices.ContainsFunc(a.Definitions, func(d search.Definition) bool { return !is(d) })
}

// occurs reports whether every part of a name is in some file of the project: as one of
// the language or of a library does, which no file here defines.
func (h *handlers) occurs(ctx context.Context, symbol string) (bool, error) {
	for _, part := range strings.FieldsFunc(symbol, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		a, err := h.search.Text(softdeadline.Without(ctx), search.TextQuery{Pattern: search.OneOrMore{part},
			Case: search.Sensitive, WholeWord: true,
			Where: search.Where{Globs: search.OneOrMore{"!.specs/**"}}, Page: search.Page{Limit: 1}})
		if problem.Of(err) != nil {
			return false, nil
		}
		if err != nil || len(a.Matches) == 0 {
			return false, err
		}
	}
	return true, nil
}

// maxReferences is how many references of a symbol a plan is checked against.
const maxReferences = 200

// A /code session and a pipeline both own the working tree, so only one of them
// may be led there. Neither knows the other; they meet here.

// openSession names the session that is led in this working tree, "" for none.
func (h *handlers) openSession(context.Context) (string, error) {
	if id := h.session.Where().Session; id != "" {
		return id, nil
	}
	if state.InUse(h.project.Root) {
		return "elsewhere", nil
	}
	return "", nil
}

// noPipeline returns a Problem if a pipeline is led in this working tree.
func (h *handlers) noPipeline(ctx context.Context) error {
	ws, err := h.forge.Live(ctx)
	if p := problem.Of(err); p != nil && p.Code == service.NoGit {
		return nil
	}
	if err != nil || ws == "" {
		return err
	}
	return problem.New(session.SessionActive, "mcp.pipeline_led_working_tree_session", ws).
		Or("mcp.finish_pipeline_let_user_give").
		Or("mcp.work_another_working_tree_git")
}

// checkPipelineTarget answers for the pipeline that is led in this working tree; nil
// if none is.
func (h *handlers) checkPipelineTarget(ctx context.Context, r session.WriteRequest) (*answer.Write, error) {
	files := r.Files
	if r.FilePath != "" {
		files = append([]string{r.FilePath}, files...)
	}
	targets, err := h.forge.MayWrite(ctx, files)
	if p := problem.Of(err); p != nil && p.Code == service.NoGit {
		return nil, nil
	}
	if err != nil || len(targets) == 0 {
		return nil, err
	}
	a := &answer.Write{Allowed: true}
	for _, t := range targets {
		a.Allowed = a.Allowed && t.Allowed
		a.Files = append(a.Files, answer.WriteTarget{File: t.File, Allowed: t.Allowed, Reason: t.Reason, Next: t.Next})
	}
	return a, nil
}
