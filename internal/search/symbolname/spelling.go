package symbolname

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/text"
)

// Near returns up to n of the names that look most like name: few letters
// apart, or one holding the other.
func Near(name string, names []string, n int) []string {
	type scored struct {
		name string
		cost int
	}
	low := strings.ToLower(name)
	size := utf8.RuneCountInString(low)
	limit := max(1, size/3)
	pattern := text.NewPattern(low[:min(len(low), maxNear)])
	pattern.Swaps = true
	var list []scored
	for _, c := range names {
		lc := strings.ToLower(c)
		if lc == low && c != name {
			list = append(list, scored{c, 0})
			continue
		}
		cost := limit + 1
		if length := utf8.RuneCountInString(lc); len(low) <= maxNear && len(lc) <= maxNear &&
			abs(length-size) <= limit {
			cost = pattern.Distance(lc, length, limit)
		}
		if cost > limit {
			if len(low) < 3 || !strings.Contains(lc, low) && !(len(lc) > 3 && strings.Contains(low, lc)) {
				continue
			}
			cost = limit + 1 + abs(len(lc)-len(low))
		}
		list = append(list, scored{c, cost})
	}
	slices.SortStableFunc(list, func(a, b scored) int {
		return cmp.Or(a.cost-b.cost, len(a.name)-len(b.name), strings.Compare(a.name, b.name))
	})
	var best []string
	for _, s := range list {
		if len(best) == n {
			break
		}
		if !slices.Contains(best, s.name) {
			best = append(best, s.name)
		}
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// maxNear is how long a name may be, in bytes, to be compared with others.
const maxNear = 200

// Studly spells the parts of a path as classes are: order/tea-card is
// Order/TeaCard.
func Studly(p string) string {
	var b strings.Builder
	up := true
	for _, r := range p {
		switch {
		case r == '-' || r == '_':
			up = true
			continue
		case up:
			r = unicode.ToUpper(r)
		}
		b.WriteRune(r)
		up = r == '/'
	}
	return b.String()
}

// Snake spells the parts of a path as files of Elixir are: Shop/PriceList is
// shop/price_list, HTTPServer http_server.
func Snake(p string) string {
	runes := []rune(p)
	var b strings.Builder
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 && runes[i-1] != '/' && runes[i-1] != '_' {
			if !unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
