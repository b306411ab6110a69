package ranking

import (
	"cmp"
	"slices"

	"codeintel/internal/text/question"
)

// A mix says how one order is made of what the heads say of files and of pieces.
type mix struct {
	piece float64 // what a piece loses by being worse than the best of its file
	next  float64 // what a further piece of a file loses, once for each before it
}

// mixes has no mix for kinds that keep the order they have: of a symbol's name it is
// right already, and of Japanese, sentences and reports ranking.md says why.
var mixes = map[question.Kind]mix{
	question.Prose: {piece: 1, next: 1.6},
}

// Learns reports whether the order of answers to questions of kind k is learned.
func Learns(k question.Kind) bool {
	_, ok := mixes[k]
	return ok && defaultHeads() != nil
}

// Reorder returns the order of a list by the trees of the program.
func (l *List) Reorder() []Ranked { return l.reorder(defaultHeads()) }

func (l *List) reorder(h *heads) []Ranked {
	m := mixes[l.Kind]
	rows := l.Rows()
	type scored struct {
		at           int
		piece, score float64
	}
	all := make([]scored, len(rows))
	byFile := make(map[int][]int) // numbers in all
	var files []int               // as they come first
	for i := range rows {
		file := l.All[l.Order[i].Candidate].File
		if byFile[file] == nil {
			files = append(files, file)
		}
		byFile[file] = append(byFile[file], i)
		all[i] = scored{at: i, piece: h.pieces.score(&rows[i])}
	}
	for _, file := range files {
		pieces := byFile[file]
		of := h.files.score(fileRow(rows, pieces))
		slices.SortStableFunc(pieces, func(a, b int) int { return cmp.Compare(all[b].piece, all[a].piece) })
		for k, i := range pieces {
			all[i].score = of - m.piece*(all[pieces[0]].piece-all[i].piece) - m.next*float64(k)
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	out := make([]Ranked, len(all))
	for i, s := range all {
		out[i] = l.Order[s.at]
		out[i].Score = l.Order[i].Score // scores say how good a place is, not how the trees came to it
	}
	return out
}
