package explore

import (
	"codeintel/internal/index"
	"codeintel/internal/problem"
	"codeintel/internal/search/literals"
	"codeintel/internal/text"
)

// findQuotations puts places in front that hold what the question writes, and reports whether there
// are such. An answer is not weak that contains what was asked for.
func (r *run) findQuotations() (bool, error) {
	tests := r.asked.Tests
	code := literals.Code[candidate]{
		Look: func(patterns []string) ([][]literals.Line, error) {
			lines, err := r.e.e.Written(r.ctx, r.q.Where, tests, patterns)
			if err != nil {
				return nil, errorf("text", err)
			}
			return lines, nil
		},
		Around: func(l literals.Line) (*candidate, error) {
			c, err := r.enclosing(l.File, l.Line)
			if c != nil && !tests && r.isTest(c) {
				c = nil
			}
			return c, err
		},
		Same: func(a, b *candidate) bool { return a.file == b.file && a.start == b.start },
	}
	places, err := code.Find(r.asked.Exact)
	if err != nil || places == nil {
		return false, err
	}
	for i := range places {
		if len(r.found) > 0 {
			places[i].At.score = r.found[0].score
		}
	}
	meets := func(a, b *candidate) bool { return a.file == b.file && b.start <= a.end && a.start <= b.end }
	covers := func(a, b *candidate) bool { return a.file == b.file && a.start <= b.start && b.end <= a.end }
	found, front := literals.Merge(places, r.found, r.a.Weak, meets, covers)
	r.found = found
	if front > 0 && r.a.Weak {
		r.a.Weak = false
		r.a.Notes, r.a.firstNotes = r.a.Notes[r.a.firstNotes:], 0
	}
	return front > 0, nil
}

// enclosing returns the function around a line, or else the piece of the file, nil if there is
// none.
func (r *run) enclosing(file string, line int) (*candidate, error) {
	list, err := r.e.x.FileSymbols(r.ctx, file)
	if err == nil {
		var chunks []index.ChunkInfo
		chunks, err = r.e.x.FileChunks(r.ctx, file)
		if c := enclosingIn(list, chunks, line); err == nil && c != nil {
			c.file, c.line = file, line
			return c, nil
		}
	}
	if err != nil && problem.Of(err) == nil {
		return nil, errorf("symbols", err)
	}
	return nil, nil // gone meanwhile
}

func enclosingIn(list []index.Symbol, chunks []index.ChunkInfo, line int) *candidate {
	if s := around(list, line); s != nil && s.Kind.Callable() {
		c := candidateOf(s)
		for i := range chunks { // the comment in front of it, too
			if k := &chunks[i]; k.Symbol == s.Name && k.StartLine < c.start && c.start <= k.EndLine {
				c.start = k.StartLine
			}
		}
		return &c
	}
	for i := range chunks {
		if k := &chunks[i]; k.StartLine <= line && line <= k.EndLine {
			return &candidate{start: k.StartLine, end: k.EndLine, symbol: text.Dotted(k.Scope, k.Symbol), kind: k.Kind}
		}
	}
	return nil
}
