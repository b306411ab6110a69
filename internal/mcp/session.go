package mcp

import (
	"context"
	"time"

	"codeintel/internal/platform/msg"
	"codeintel/internal/session"
	"codeintel/internal/session/answer"
	"codeintel/internal/session/payload"
)

// ofSession makes the method of a tool of one of the session.
func ofSession[In, Out any](do func(*session.Service, context.Context, In) (Out, error)) method[In, Out] {
	return func(h *handlers, ctx context.Context, r In) (Out, error) { return do(h.session, ctx, r) }
}

func (h *handlers) startSession(ctx context.Context, r session.StartRequest) (*answer.Answer, error) {
	if err := h.noPipeline(ctx); err != nil {
		return nil, err
	}
	// The session begins with questions: they are not to meet an empty index.
	if err := h.search.Refresh(ctx); err != nil {
		return nil, err
	}
	return detailed(h.session.Start(ctx, r))
}

func (h *handlers) submitPhase(ctx context.Context, r session.SubmitRequest) (*answer.Answer, error) {
	if err := h.askPerson(ctx, r.Data); err != nil {
		return nil, err
	}
	tell := turnOf(ctx).progress
	ctx = session.WithProgress(ctx, func(waited time.Duration, what msg.Message) {
		tell(progress{done: waited.Seconds(), message: h.words().Text(what)})
	})
	return detailed(h.session.Submit(ctx, r))
}

func (h *handlers) getSessionStatus(ctx context.Context, r session.StatusRequest) (*answer.Answer, error) {
	return detailed(h.session.Status(ctx, r))
}

// detailed adds to the report of an answer where the whole of it can be read: with and
// without a client that shows resources.
func detailed(a *answer.Answer, err error) (*answer.Answer, error) {
	if a != nil && a.Report != nil {
		a.Report.Details = reportURI + a.SessionID + ", or: code-intel session show " + a.SessionID
	}
	return a, err
}

func (h *handlers) reportResource(_ context.Context, id string) (any, error) {
	return h.session.ReportOf(id)
}

func (h *handlers) checkWriteTarget(ctx context.Context, r session.WriteRequest) (*answer.Write, error) {
	if a, err := h.checkPipelineTarget(ctx, r); a != nil || err != nil {
		return a, err
	}
	return h.session.CheckWriteTarget(ctx, r)
}

func (h *handlers) cleanupStaleBranches(ctx context.Context, r session.CleanupRequest) (*answer.Cleanup, error) {
	if err := h.askPerson(ctx, payload.Payload{}); err != nil {
		return nil, err
	}
	return h.session.CleanupStaleBranches(ctx, r)
}
