package pastruns

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// A table is lines of cells below a head. A head that ends in ">" has its column to
// the right.
type table struct {
	right []bool
	rows  [][]string
}

func newTable(heads ...string) *table {
	t := &table{}
	for i, h := range heads {
		t.right = append(t.right, strings.HasSuffix(h, ">"))
		heads[i] = strings.TrimSuffix(h, ">")
	}
	t.row(heads...)
	return t
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) write(b *strings.Builder) {
	widths := make([]int, len(t.right))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], columns(cell))
		}
	}
	for _, row := range t.rows {
		var line strings.Builder
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-columns(cell))
			if t.right[i] {
				line.WriteString(space + cell + "  ")
			} else {
				line.WriteString(cell + space + "  ")
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// columns is how wide a text is on a terminal: Chinese, Japanese and Korean
// characters take two.
func columns(s string) int {
	n := utf8.RuneCountInString(s)
	for _, r := range s {
		if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
			n++
		}
	}
	return n
}
