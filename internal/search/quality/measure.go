package quality

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"codeintel/internal/index"
	"codeintel/internal/project"
	"codeintel/internal/search"
)

// rankDepth is how many pieces of code each question is answered with.
const rankDepth = 100

// tokenBudget is how long an answer may be, in tokens of four characters, for what is
// recalled within it.
const tokenBudget = 2000

// A Result is what a search made of a question.
type Result struct {
	Question
	FileRank int        // of the first relevant file among the files found, from 1; 0: not found
	LineRank int        // of the first piece that contains a relevant line, from 1; 0: not found
	NDCG     float64    // of the first 10 files
	Recall   [3]float64 // the shares of the relevant files among the first cuts
	Budgeted struct {
		Files, Lines float64 // the shares of the files and of the places that the answer of Budget tokens names
	}
}

// cuts are the depths of Result.Recall.
var cuts = [3]int{1, 5, 10}

// Measure asks all questions, each of the sources it is about: the folder
// corpora/NAME of dir, copied to a folder under scratch and indexed there.
func Measure(ctx context.Context, dir fs.FS, scratch string, questions []Question) ([]Result, error) {
	var all []Result
	for len(questions) > 0 {
		n := 1
		for n < len(questions) && questions[n].Sources == questions[0].Sources {
			n++
		}
		name := questions[0].Sources
		sources, err := fs.Sub(dir, "corpora/"+name)
		if err != nil {
			return nil, fmt.Errorf("quality: %s: %w", name, err)
		}
		root := filepath.Join(scratch, name)
		if err := os.CopyFS(root, sources); err != nil {
			return nil, fmt.Errorf("quality: %s: %w", name, err)
		}
		some, err := measure(ctx, root, questions[:n])
		if err != nil {
			return nil, fmt.Errorf("quality: %s: %w", name, err)
		}
		all = append(all, some...)
		questions = questions[n:]
	}
	return all, nil
}

// measure asks the questions of the sources that lie in root.
func measure(ctx context.Context, root string, questions []Question) (all []Result, err error) {
	p, err := project.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	x, err := index.Open(ctx, p, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	if _, err := x.Sync(ctx, index.SyncOptions{}); err != nil {
		return nil, err
	}
	e := search.New(p, x)
	for _, q := range questions {
		r, err := ask(ctx, e, q)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", q.Text, err)
		}
		all = append(all, r)
	}
	return all, nil
}

func ask(ctx context.Context, e *search.Engine, q Question) (Result, error) {
	hits, err := e.Best(ctx, q.Text, rankDepth)
	if err != nil {
		return Result{}, err
	}
	found := make([]Place, len(hits))
	for i := range hits {
		c := &hits[i].Chunk
		found[i] = Place{Path: c.File, Start: c.StartLine, End: c.EndLine}
	}
	r := judge(q, found)
	answer, err := e.Semantic(ctx, search.SemanticQuery{Query: q.Text, NResults: rankDepth, MaxTokens: tokenBudget})
	if err != nil {
		return Result{}, err
	}
	if text := answer.Text(); len([]rune(text)) > 4*tokenBudget {
		return Result{}, fmt.Errorf("the answer is %d characters long, more than %d tokens", len([]rune(text)), tokenBudget)
	}
	shown := make([]Place, len(answer.ForestHits))
	for i, h := range answer.ForestHits {
		shown[i] = Place{Path: h.File, Start: h.StartLine, End: h.EndLine}
	}
	r.Budgeted.Files = recalled(wholeFiles(q.Relevant), shown)
	r.Budgeted.Lines = recalled(q.Relevant, shown)
	return r, nil
}
