package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"codeintel/internal/commitlog"
	"codeintel/internal/embedding/semantic"
	"codeintel/internal/git"
	"codeintel/internal/index"
	"codeintel/internal/pipeline/service"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/softdeadline"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/search"
	"codeintel/internal/search/impact"
	"codeintel/internal/search/queryplan"
	"codeintel/internal/session"
	"codeintel/internal/session/lessons"
)

// handlers answer the tools and resources for one open project.
type handlers struct {
	project *project.Project
	index   *index.Index
	search  *search.Engine
	history *commitlog.Reader
	impact  *impact.Analyzer
	router  *queryplan.Router
	session *session.Service
	forge   *service.Service
	meaning *semantic.Searcher // nil if the built-in model is asked alone
}

// words are the language of the project, in which its messages are shown; English
// as long as there is none.
func (h *handlers) words() msg.Printer {
	if h == nil {
		return msg.Printer{}
	}
	return msg.In(h.project.Config.Lang)
}

// A workspace opens the project when it is first needed, once for all callers.
// What cannot be opened is tried again at the next call: the user may have
// fixed it meanwhile.
type workspace struct {
	root string
	log  *slog.Logger

	life context.Context // ends with close
	end  context.CancelFunc
	jobs sync.WaitGroup

	asked chan struct{} // has one when the project was asked for since release looked
	begun func()        // see [Options.Begun]

	mu      sync.Mutex
	opening *openAttempt // nil: not tried, or failed
}

// A client keeps a server open all day and asks it now and then; several clients
// have one each. So a server that is not asked gives memory back.
const (
	idlePeriod = 500 * time.Millisecond // until what it does not use is given back
	restPeriod = 30 * time.Second       // from then until what it keeps for later is let go of too
)

// An openAttempt is an attempt that all who ask meanwhile wait for.
type openAttempt struct {
	done     chan struct{}
	handlers *handlers
	err      error
}

func newWorkspace(o *Options) *workspace {
	life, end := context.WithCancel(context.Background())
	begun := func() {}
	if o.Begun != nil {
		begun = sync.OnceFunc(o.Begun)
	}
	return &workspace{root: o.Root, log: o.Log, life: life, end: end, asked: make(chan struct{}, 1), begun: begun}
}

// openEarly begins to open the project and, if it is set to, to synchronise.
func (w *workspace) openEarly() {
	w.jobs.Go(func() {
		h, err := w.open(w.life)
		if err == nil {
			err = w.syncOnStart(w.life, h)
		}
		if err == nil {
			// The first question need not wait until every folder is followed.
			_, err = h.index.Listed(w.life)
		}
		if err == nil {
			err = h.history.Fill(w.life)
		}
		if err != nil && w.life.Err() == nil {
			w.log.Warn("opening the project in the background", "root", w.root, "err", err)
		}
	})
	w.jobs.Go(w.release)
}

// release gives memory back to the system, twice after each stretch of calls.
func (w *workspace) release() {
	watchIdle(w.life, w.asked, func() {
		w.begun()
		runtime.GC() // what pools hold is garbage only for the second collection
		debug.FreeOSMemory()
	}, func() {
		w.releaseCaches()
		debug.FreeOSMemory()
	})
}

// watchIdle calls idle and then rest when there has been no call for a while, once each
// until the next call. It ends with ctx.
func watchIdle(ctx context.Context, asked <-chan struct{}, idle, rest func()) {
	resting := false
	quiet := time.NewTimer(idlePeriod)
	defer quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-asked:
			resting = false
			quiet.Reset(idlePeriod)
		case <-quiet.C:
			if resting {
				rest() // and nothing more until the next call
				continue
			}
			idle()
			resting = true
			quiet.Reset(restPeriod)
		}
	}
}

// releaseCaches lets go of what an open project keeps for later questions.
func (w *workspace) releaseCaches() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.opening == nil {
		return
	}
	select {
	case <-w.opening.done:
		if h := w.opening.handlers; h != nil {
			h.search.Forget()
			h.history.Forget()
		}
	default: // not open yet
	}
}

// open returns the open project, opening it if need be.
func (w *workspace) open(ctx context.Context) (*handlers, error) {
	select {
	case w.asked <- struct{}{}:
	default: // it will look
	}
	o, began := w.begin()
	for {
		select {
		case <-o.done:
			if o.err == nil || began {
				return o.handlers, o.err
			}
			// It failed on what it read before this call, which may have been fixed since.
			o, _ = w.begin()
			began = true
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// begin returns the opening that is done or under way, or a new one.
func (w *workspace) begin() (o *openAttempt, began bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.opening != nil {
		return w.opening, false
	}
	o = &openAttempt{done: make(chan struct{})}
	w.opening = o
	w.jobs.Go(func() { w.finish(o) })
	return o, true
}

func (w *workspace) finish(o *openAttempt) {
	o.handlers, o.err = openHandlers(w.life, w.root, w.log)
	if o.err != nil {
		w.mu.Lock()
		w.opening = nil
		w.mu.Unlock()
	}
	if o.handlers != nil {
		o.handlers.index.Watch()
		w.jobs.Go(func() { o.handlers.index.Serve(w.life) })
	}
	close(o.done)
}

func openHandlers(ctx context.Context, root string, log *slog.Logger) (*handlers, error) {
	p, err := project.Open(root)
	if err != nil {
		return nil, err
	}
	x, err := index.Open(ctx, p, log)
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	h := &handlers{project: p, index: x, search: search.New(p, x), meaning: semantic.Open(p, x, os.Getenv, log)}
	if h.meaning != nil {
		h.search = h.search.WithMeaning(h.meaning)
	}
	h.history = commitlog.New(p.Root, x.Dir(), commitlog.Step)
	h.impact = impact.New(p, x, h.search, h.history)
	h.router = queryplan.New(p, x, h.search, log, time.Now)
	if h.session, err = session.New(p, h.forSession(), log, time.Now); err != nil {
		return nil, errors.Join(fmt.Errorf("open session: %w", err), h.meaning.Close(), x.Close())
	}
	h.forge, err = service.New(p, service.Options{Code: h.forForge(), Session: h.openSession, Log: log, Now: time.Now})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open pipelines: %w", err), h.session.Close(), h.meaning.Close(), x.Close())
	}
	h.meaning.Start()
	return h, nil
}

// forSession returns what a session asks of the packages that search code. The two
// sides meet here and in forForge, and nowhere else.
func (h *handlers) forSession() session.Code {
	return session.Code{
		Defined: h.defined,
		Relevance: func(ctx context.Context, phrase string, symbols []string) (map[string]float64, error) {
			scores := make(map[string]float64)
			for part := range slices.Chunk(symbols, search.MostRelevant) {
				a, err := h.search.Relevance(softdeadline.Without(ctx), search.RelevanceQuery{TargetFeature: phrase, Symbols: part})
				if problem.Of(err) != nil { // no phrase or name that code could have
					continue
				}
				if err != nil {
					return nil, err
				}
				for _, s := range a.Symbols {
					scores[s.Symbol] = s.Score
				}
			}
			return scores, nil
		},
		MustVerify: func(ctx context.Context, targets []string, adds bool) ([]string, error) {
			a, err := h.impact.Analyze(softdeadline.Without(ctx), impact.Query{Targets: targets, Adds: adds})
			if err != nil {
				return nil, err
			}
			return a.Observed().MustVerify, nil
		},
		Changed: func(ctx context.Context, base string) (symbols, files []string, err error) {
			a, err := h.impact.Analyze(softdeadline.Without(ctx), impact.Query{Diff: base})
			if err != nil {
				return nil, nil, err
			}
			symbols, files = a.Touched()
			return symbols, files, nil
		},
		Declared: func(ctx context.Context, file string, lines []git.Range) ([]lessons.Declared, error) {
			spans := make([]search.Span, len(lines))
			for i, l := range lines {
				spans[i] = search.Span(l)
			}
			found, err := h.search.DeclaredAt(ctx, file, spans)
			if problem.Of(err) != nil { // the index has no such file
				return nil, nil
			}
			list := make([]lessons.Declared, len(found))
			for i, d := range found {
				list[i] = lessons.Declared{Symbol: d.Symbol, Kind: string(d.Kind), Start: d.StartLine, End: d.EndLine}
			}
			return list, err
		},
		IsTest: search.TestFile,
		Plan:   h.router.Decide,
		Rebuild: func(ctx context.Context) error {
			_, err := h.index.Sync(ctx, index.SyncOptions{Force: true})
			return err
		},
	}
}

// defined returns the files that define a symbol.
func (h *handlers) defined(ctx context.Context, symbol string) ([]string, error) {
	a, err := h.search.Definitions(softdeadline.Without(ctx), search.DefinitionsQuery{Symbol: symbol, ExactMatch: true})
	if problem.Of(err) != nil { // no name that code could have
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var files []string
	for _, d := range a.Definitions {
		files = append(files, d.File)
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// close lets go of the session and the pipelines, which stay on disk, and of the index.
func (h *handlers) close() error {
	h.search.Close()
	return errors.Join(h.forge.Close(), h.session.Close(), h.meaning.Close(), h.index.Close())
}

// syncOnStart synchronises if the project is set to and the last whole
// synchronisation is older than its time to live.
func (w *workspace) syncOnStart(ctx context.Context, h *handlers) error {
	if !h.project.Config.SyncOnStart {
		return nil
	}
	ttl := time.Duration(h.project.Config.SyncTTLHours * float64(time.Hour))
	if synced := h.index.SyncedAt(); !synced.IsZero() && time.Since(synced) < ttl {
		return nil
	}
	r, err := h.index.Sync(ctx, index.SyncOptions{})
	if err == nil {
		w.log.Info("synchronised", "files", r.Files, "generation", r.Generation, "took", r.Duration)
	}
	return err
}

// close waits for what is under way and closes the index.
func (w *workspace) close() error {
	w.end()
	w.jobs.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.opening == nil || w.opening.handlers == nil {
		return nil
	}
	return w.opening.handlers.close()
}
