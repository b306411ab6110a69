package quality

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// judge checks what was found, best first, against what answers a question. Files
// count once, at the place of their first piece.
func judge(q Question, found []Place) Result {
	r := Result{Question: q}
	relevant := make(map[string]bool)
	for _, p := range q.Relevant {
		relevant[p.Path] = true
	}
	var files []string
	for i, p := range found {
		if !slices.Contains(files, p.Path) {
			files = append(files, p.Path)
			if relevant[p.Path] && r.FileRank == 0 {
				r.FileRank = len(files)
			}
		}
		if r.LineRank == 0 && recalled(q.Relevant, found[i:i+1]) > 0 {
			r.LineRank = i + 1
		}
	}
	for i, k := range cuts {
		n := 0
		for _, f := range files[:min(k, len(files))] {
			if relevant[f] {
				n++
			}
		}
		r.Recall[i] = float64(n) / float64(len(relevant))
	}
	r.NDCG = ndcg(relevant, files, 10)
	return r
}

// ndcg is the normalised discounted cumulative gain of Järvelin and Kekäläinen
// (2002) with gains of 0 and 1: the gain at rank i counts 1/log2(1+i), and the sum
// is divided by that of the best order.
func ndcg(relevant map[string]bool, files []string, k int) float64 {
	var got, best float64
	for i := range k {
		discount := 1 / math.Log2(float64(i+2))
		if i < len(files) && relevant[files[i]] {
			got += discount
		}
		if i < len(relevant) {
			best += discount
		}
	}
	return got / best
}

// recalled is the share of places that at least one of those found has a line of.
func recalled(places, found []Place) float64 {
	n := 0
	for _, p := range places {
		if slices.ContainsFunc(found, func(f Place) bool { return f.Path == p.Path && f.Start <= p.End && p.Start <= f.End }) {
			n++
		}
	}
	return float64(n) / float64(len(places))
}

// wholeFiles returns the files of places, each once, from their first line to any last.
func wholeFiles(places []Place) (files []Place) {
	for _, p := range places {
		f := Place{Path: p.Path, Start: 1, End: math.MaxInt}
		if !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	return files
}

// A Score is the mean of some results.
type Score struct {
	Questions int
	Recall    [3]float64 // of the relevant files, among the first 1, 5 and 10
	MRR       float64    // the mean of 1/FileRank
	NDCG      float64    // of the first 10 files
	Lines     float64    // the mean of 1/LineRank
	Files2000 float64    // of the relevant files, within Budget tokens of answer
	Lines2000 float64    // of the relevant places, within Budget tokens of answer
}

// ScoreOf returns the score of the results that keep accepts.
func ScoreOf(results []Result, keep func(*Result) bool) Score {
	var s Score
	for i := range results {
		r := &results[i]
		if !keep(r) {
			continue
		}
		s.Questions++
		for j := range s.Recall {
			s.Recall[j] += r.Recall[j]
		}
		s.MRR += reciprocal(r.FileRank)
		s.Lines += reciprocal(r.LineRank)
		s.NDCG += r.NDCG
		s.Files2000 += r.Budgeted.Files
		s.Lines2000 += r.Budgeted.Lines
	}
	if s.Questions == 0 {
		return s
	}
	n := float64(s.Questions)
	for j := range s.Recall {
		s.Recall[j] /= n
	}
	s.MRR, s.Lines, s.NDCG = s.MRR/n, s.Lines/n, s.NDCG/n
	s.Files2000, s.Lines2000 = s.Files2000/n, s.Lines2000/n
	return s
}

func reciprocal(rank int) float64 {
	if rank == 0 {
		return 0
	}
	return 1 / float64(rank)
}

// Table gives the scores of results as a Markdown table: a row for each kind of
// question, for each set of sources, and for all.
func Table(results []Result) string {
	var b strings.Builder
	b.WriteString("| set | questions | recall@1 | recall@5 | recall@10 | MRR | NDCG@10 | MRR of lines | files in 2,000 tokens | lines in 2,000 tokens |\n|---|---|---|---|---|---|---|---|---|---|\n")
	row := func(name string, keep func(*Result) bool) {
		s := ScoreOf(results, keep)
		if s.Questions > 0 {
			fmt.Fprintf(&b, "| %s | %d | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f |\n",
				name, s.Questions, s.Recall[0], s.Recall[1], s.Recall[2], s.MRR, s.NDCG, s.Lines, s.Files2000, s.Lines2000)
		}
	}
	for _, k := range kinds {
		row(string(k), func(r *Result) bool { return r.Kind == k })
	}
	var sources []string
	for i := range results {
		if !slices.Contains(sources, results[i].Sources) {
			sources = append(sources, results[i].Sources)
		}
	}
	for _, name := range sources {
		row(name, func(r *Result) bool { return r.Sources == name })
	}
	row("all", func(*Result) bool { return true })
	return b.String()
}
