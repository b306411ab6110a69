package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"codeintel/internal/embedding/semantic"
	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/search"
)

// A batchQuestion is one line of standard input of search --batch.
type batchQuestion struct {
	ID    json.RawMessage `json:"id"`  // any value; "" if left out
	Dir   string          `json:"dir"` // root of the project; the one before if left out
	Query string          `json:"query"`
	Top   int             `json:"top"` // 10 if left out
}

// A batchAnswer is one line of standard output: what answers the question of the
// same id, or why nothing does.
type batchAnswer struct {
	ID      json.RawMessage `json:"id"`
	Results []batchHit      `json:"results"`
	Error   problem.Code    `json:"error,omitempty"`
	Message string          `json:"message,omitempty"`
	Millis  float64         `json:"ms"` // without the building of an index
}

type batchHit struct {
	File    string   `json:"file"`
	Start   int      `json:"start"`
	End     int      `json:"end"`
	Symbol  string   `json:"symbol,omitempty"`
	Score   float64  `json:"score"`
	Reasons []string `json:"reasons,omitempty"`
}

// batchTop is how many hits a question gets that names no number.
const batchTop = 10

// longestQuestion bounds a line, in bytes.
const longestQuestion = 1 << 20

// batch answers questions, one JSON object a line, until its input ends. A
// question that cannot be answered gets an answer that says why; only standard
// output that cannot be written ends it early.
func (a *app) batch(ctx context.Context, dir string) (err error) {
	b := &batch{app: a, dir: dir}
	defer func() { err = errors.Join(err, b.close()) }()
	in := bufio.NewScanner(a.in)
	in.Buffer(nil, longestQuestion)
	out := encoder(a.out)
	for in.Scan() {
		if len(in.Bytes()) == 0 {
			continue
		}
		if err := out.Encode(b.answer(ctx, in.Bytes())); err != nil {
			return fmt.Errorf("write answer: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if err := in.Err(); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read question: %w", err)
	}
	return nil
}

// A batch keeps the project of the question before open.
type batch struct {
	app    *app
	dir    string
	opened string
	index  *index.Index
	engine *search.Engine
	model  *semantic.Searcher
}

func (b *batch) answer(ctx context.Context, line []byte) *batchAnswer {
	var q batchQuestion
	r := &batchAnswer{Results: []batchHit{}}
	err := json.Unmarshal(line, &q)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong) && wrong.Field == "top":
		err = problem.New(problem.InvalidArgument, "cli.top_must_be_a_whole_number", wrong.Value).
			Or("cli.batch_line_for_example")
	case errors.As(err, &wrong) && wrong.Field != "":
		err = problem.New(problem.InvalidArgument, "cli.must_be_a_string", wrong.Field, wrong.Value).
			Or("cli.batch_line_for_example")
	case err != nil:
		err = problem.New(problem.InvalidArgument, "cli.line_no_json_object_fields").
			Or("cli.batch_line_for_example")
	}
	if r.ID = q.ID; r.ID == nil {
		r.ID = json.RawMessage(`""`)
	}
	if err == nil {
		err = b.open(ctx, q.Dir)
	}
	if err == nil {
		if q.Top <= 0 {
			q.Top = batchTop
		}
		began := time.Now()
		var hits []index.Hit
		if hits, err = b.engine.Best(ctx, q.Query, q.Top); err == nil {
			r.Millis = float64(time.Since(began).Microseconds()) / 1000
			for _, h := range hits {
				c := &h.Chunk
				r.Results = append(r.Results, batchHit{c.File, c.StartLine, c.EndLine, c.Symbol, h.Score, h.Reasons})
			}
		}
	}
	if err != nil {
		r.Error, r.Message = problem.Internal, err.Error()
		if p := problem.Of(err); p != nil {
			r.Error, r.Message = p.Code, b.app.words(b.app.name).Text(p.Message)
		}
	}
	return r
}

// open opens the project whose root is dir, unless it is the one that is open,
// and brings its index up to date.
func (b *batch) open(ctx context.Context, dir string) error {
	if dir == "" {
		dir = b.dir
	}
	if dir == b.opened {
		return nil
	}
	if err := b.close(); err != nil {
		return err
	}
	p, err := project.OpenRoot(dir)
	if err != nil {
		return err
	}
	b.app.lang = msg.Language(p.Config.Lang)
	x, err := index.Open(ctx, p, b.app.log)
	if err != nil {
		return err
	}
	b.opened, b.index, b.engine, b.model = dir, x, search.New(p, x), semantic.Open(p, x, os.Getenv, b.app.log)
	if _, err = x.Sync(ctx, index.SyncOptions{}); err != nil || b.model == nil {
		return err
	}
	b.engine = b.engine.WithMeaning(b.model.Ready())
	return b.app.explainMissingModel(b.model.Sync(ctx, func(int, int) {}))
}

func (b *batch) close() error {
	if b.index == nil {
		return nil
	}
	x, m := b.index, b.model
	b.opened, b.index, b.engine, b.model = "", nil, nil, nil
	return errors.Join(m.Close(), x.Close())
}
