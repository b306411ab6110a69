package mcpserver

import (
	"context"

	"codeintel/internal/session"
)

func (h *house) startSession(ctx context.Context, r session.StartRequest) (*session.Answer, error) {
	return h.session.Start(ctx, r)
}

func (h *house) submitPhase(ctx context.Context, r session.SubmitRequest) (*session.Answer, error) {
	return h.session.Submit(ctx, r)
}

func (h *house) getSessionStatus(ctx context.Context, r session.StatusRequest) (*session.Answer, error) {
	return h.session.Status(ctx, r)
}

func (h *house) checkWriteTarget(ctx context.Context, r session.WriteRequest) (*session.WriteAnswer, error) {
	return h.session.CheckWriteTarget(ctx, r)
}

func (h *house) addExploredFiles(ctx context.Context, r session.FilesRequest) (*session.FilesAnswer, error) {
	return h.session.AddExploredFiles(ctx, r)
}

func (h *house) reviewChanges(ctx context.Context, r session.ReviewRequest) (*session.ReviewAnswer, error) {
	return h.session.ReviewChanges(ctx, r)
}

func (h *house) cleanupStaleBranches(ctx context.Context, r session.CleanupRequest) (*session.CleanupAnswer, error) {
	return h.session.CleanupStaleBranches(ctx, r)
}

func (h *house) updateContext(ctx context.Context, r session.ContextRequest) (*session.ContextAnswer, error) {
	return h.session.UpdateContext(ctx, r)
}
