package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/audit/shown"
	"codeintel/internal/files"
	"codeintel/internal/index"
	"codeintel/internal/search"
	"codeintel/internal/search/deadcode"
	"codeintel/internal/search/dependencies"
	"codeintel/internal/search/explore"
	"codeintel/internal/search/filehistory"
	"codeintel/internal/search/impact"
	"codeintel/internal/search/queryplan"
	"codeintel/internal/text"
)

// engineFor returns the engine whose answers the client of this call shows whole.
func (h *handlers) engineFor(ctx context.Context) *search.Engine {
	return h.search.Within(turnOf(ctx).allowed)
}

// ofSearch makes the method of a tool of one of the search engine.
func ofSearch[In, Out any](do func(*search.Engine, context.Context, In) (Out, error)) method[In, Out] {
	return func(h *handlers, ctx context.Context, q In) (Out, error) { return do(h.engineFor(ctx), ctx, q) }
}

func (h *handlers) explore(ctx context.Context, q explore.Query) (*explore.Answer, error) {
	return explore.New(h.project, h.index, h.engineFor(ctx), h.history).Explore(ctx, q)
}

func (h *handlers) analyzeImpact(ctx context.Context, q impact.Query) (*impact.Answer, error) {
	t := turnOf(ctx)
	return h.impact.Within(t.allowed).WithProgress(func(done, total int) {
		t.progress(progress{float64(done), float64(total), fmt.Sprintf("%d of %d symbols", done, total)})
	}).Analyze(ctx, q)
}

func (h *handlers) fileHistory(ctx context.Context, q filehistory.Query) (*filehistory.Answer, error) {
	return filehistory.New(h.project, h.engineFor(ctx), h.history).Explain(ctx, q)
}

func (h *handlers) fileDependencies(ctx context.Context, q dependencies.Query) (*dependencies.Answer, error) {
	return dependencies.New(h.project, h.index, h.engineFor(ctx)).List(ctx, q)
}

func (h *handlers) deadCode(ctx context.Context, q deadcode.Query) (*deadcode.Answer, error) {
	return deadcode.New(h.project, h.index, h.engineFor(ctx)).Find(ctx, q)
}

func (h *handlers) query(ctx context.Context, q queryplan.Query) (*queryplan.Answer, error) {
	t, at := turnOf(ctx), h.session.Where()
	return h.router.Within(t.allowed).Ask(ctx, q,
		queryplan.Setting{Session: at.Session, Intent: string(at.Intent), Slots: at.Slots, Again: t.tries > 0})
}

type syncQuery struct {
	Force bool `json:"force,omitempty" jsonschema:"Read every file again"`
}

// syncAnswer is what a synchronisation did.
type syncAnswer struct {
	Added      int                 `json:"added"`
	Changed    int                 `json:"changed"`
	Removed    int                 `json:"removed"`
	Unchanged  int                 `json:"unchanged"`
	Failed     int                 `json:"failed"`
	Skipped    map[files.Class]int `json:"skipped,omitempty"`
	Files      int                 `json:"files"`
	Generation int64               `json:"generation"`
	Seconds    float64             `json:"seconds"`
}

// Text says it in two lines.
func (a *syncAnswer) Text() string {
	s := fmt.Sprintf("%s indexed: %d added, %d changed, %d removed, %d unchanged, %d could not be read (%.1f s)\n",
		text.Counted(a.Files, "file", "s"), a.Added, a.Changed, a.Removed, a.Unchanged, a.Failed, a.Seconds)
	var skipped []string
	for class, n := range a.Skipped {
		skipped = append(skipped, fmt.Sprintf("%d %s", n, class))
	}
	if slices.Sort(skipped); len(skipped) > 0 {
		s += "not indexed: " + strings.Join(skipped, ", ") + "\n"
	}
	return s
}

// Observed says that nothing of the code was shown.
func (a *syncAnswer) Observed() shown.Facts { return shown.Facts{} }

func (h *handlers) syncIndex(ctx context.Context, q syncQuery) (*syncAnswer, error) {
	tell := turnOf(ctx).progress
	r, err := h.index.Sync(ctx, index.SyncOptions{Force: q.Force, Progress: func(p index.Progress) {
		if p.Stage == index.StageRead {
			tell(progress{float64(p.Done), float64(p.Total), fmt.Sprintf("%d of %d files", p.Done, p.Total)})
		}
	}})
	if err != nil {
		return nil, err
	}
	return &syncAnswer{
		Added: r.Added, Changed: r.Changed, Removed: r.Removed, Unchanged: r.Unchanged, Failed: r.Failed,
		Skipped: r.Skipped, Files: r.Files, Generation: r.Generation, Seconds: r.Duration.Seconds(),
	}, nil
}
