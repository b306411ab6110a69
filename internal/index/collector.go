package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/index/postings"
	"codeintel/internal/index/ranking"
	"codeintel/internal/text/terms"
)

// A collector gathers the symbols that fit a query. There may be thousands for a
// name that is common, so it takes down where they are and what puts them in
// order, and reads the rest of those alone that are wanted.
type collector struct {
	s     *snapshot
	q     SymbolQuery
	match func(path string) bool
	files [][]*collected // by part and number, as far as they were met
	found []place
	full  bool // there are as many as wanted, and those from worst on are not
	worst place
	err   error

	dropped bool // some that fit are beyond the limit
}

// A collected is a file that was met.
type collected struct {
	*openFile      // nil if it is damaged
	fits      bool // the conditions of the query on files
	test      bool
}

// A place is a symbol that was found.
type place struct {
	file   *collected
	symbol int // its number in the file
	class  uint8
	line   int
	column int
}

// What puts a symbol behind others, the worst highest.
const (
	inTest = 1 << iota
	unexported
	otherName // is spelled otherwise
)

func (c *collector) run(ctx context.Context) {
	add := func(r postings.Ref, symbol int) bool {
		c.add(r, symbol)
		return c.err == nil && ctx.Err() == nil
	}
	v := c.s.view
	switch {
	case c.q.Name == "":
		c.s.each(func(r postings.Ref) bool {
			f := c.file(r)
			for i := 0; f.fits && i < f.outline.symbols.n; i++ {
				if !add(r, i) {
					return false
				}
			}
			return c.err == nil
		})
	case c.q.Match == Fold:
		v.Declared(c.q.Name, postings.Folded, add)
	case c.q.Match == Prefix:
		v.Declared(c.q.Name, postings.Prefix, add)
	case c.q.Match == Subword:
		v.DeclaredWords(terms.SplitIdentifier(c.q.Name), add)
	default:
		v.Declared(c.q.Name, postings.Exact, add)
	}
}

// file opens a file once.
func (c *collector) file(r postings.Ref) *collected {
	if c.files[r.Part] == nil {
		c.files[r.Part] = make([]*collected, c.s.parts[r.Part].seg.Files())
	}
	f := c.files[r.Part][r.File]
	if f == nil {
		f = new(collected)
		if f.openFile, c.err = c.s.open(r); c.err == nil {
			f.fits = (c.q.Language == "" || f.language == c.q.Language) && c.match(f.path)
			f.test = f.fits && ranking.IsTest(f.path)
		}
		c.files[r.Part][r.File] = f
	}
	return f
}

func (c *collector) add(r postings.Ref, n int) {
	f := c.file(r)
	if !f.fits {
		return
	}
	g, ok := f.outline.readGlimpse(n)
	if !ok {
		c.err = f.damaged(n)
		return
	}
	if c.q.Kind != "" && g.kind != c.q.Kind {
		return
	}
	p := place{file: f, symbol: n, line: g.line, column: g.column}
	if string(g.name) != c.q.Name {
		p.class |= otherName
	}
	if !g.exported {
		p.class |= unexported
	}
	if f.test {
		p.class |= inTest
	}
	if c.full && p.compare(&c.worst) >= 0 {
		c.dropped = true
		return
	}
	c.found = append(c.found, p)
	if c.q.Limit > 0 && len(c.found) >= 2*c.q.Limit {
		c.cut()
		c.full, c.worst = true, c.found[c.q.Limit-1]
	}
}

func (f *openFile) damaged(symbol int) error {
	return fmt.Errorf("index: symbol %d of %s: %w", symbol, f.path, postings.ErrCorrupt)
}

// cut puts what was found in order and drops what is beyond the limit.
func (c *collector) cut() {
	slices.SortStableFunc(c.found, func(a, b place) int { return a.compare(&b) })
	if c.q.Limit > 0 && len(c.found) > c.q.Limit {
		c.found, c.dropped = c.found[:c.q.Limit], true
	}
}

func (p *place) compare(q *place) int {
	if p.class != q.class {
		return cmp.Compare(p.class, q.class)
	}
	if p.file != q.file {
		return strings.Compare(p.file.path, q.file.path)
	}
	return cmp.Or(cmp.Compare(p.line, q.line), cmp.Compare(p.column, q.column))
}

// symbols reads what was found.
func (c *collector) symbols() ([]Symbol, error) {
	c.cut()
	all := make([]Symbol, 0, len(c.found))
	for i := range c.found {
		p := &c.found[i]
		s, ok := p.file.outline.symbol(p.symbol)
		if !ok {
			return nil, p.file.damaged(p.symbol)
		}
		all = append(all, p.file.symbol(s))
	}
	return all, nil
}
