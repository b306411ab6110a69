package symbolname

import (
	"path"
	"strings"
)

// WholeTerm is the score of a term whose letters stand together somewhere.
const WholeTerm = 400

// PathScore says how well all terms, lower-case, fit a path; 0 is not at all.
// The base name counts most, a run of letters more than scattered ones.
func PathScore(terms []string, file string) int {
	low := strings.ToLower(file)
	base := path.Base(low)
	stem := strings.TrimSuffix(base, path.Ext(base))
	total := 0
	for _, t := range terms {
		s := 0
		switch at := strings.Index(base, t); {
		case low == t || base == t:
			s = 1000
		case stem == t:
			s = 900
		case at == 0:
			s = 800
		case at > 0 && !letterOrDigit(base[at-1]):
			s = 700
		case at > 0:
			s = 600
		case strings.HasSuffix(low, "/"+t) || strings.HasPrefix(low, t+"/") || strings.Contains(low, "/"+t+"/"):
			s = 500
		case strings.Contains(low, t):
			s = WholeTerm
		default:
			if gap, ok := scattered(base, t); ok {
				s = max(300-10*gap, 150)
			} else if gap, ok := scattered(low, t); ok {
				s = max(140-2*gap, 1)
			}
		}
		if s == 0 {
			return 0
		}
		total += s
	}
	return total
}

// scattered reports whether the letters of t stand in s in this order, and how
// many others are between them in the tightest place found.
func scattered(s, t string) (gap int, ok bool) {
	i, last := 0, -1
	for j := range t {
		k := strings.IndexByte(s[i:], t[j])
		if k < 0 {
			return 0, false
		}
		last = i + k
		i = last + 1
	}
	// Go back from the end, to drop early letters that are far away.
	first := last
	for j, k := len(t)-1, last; j >= 0; k-- {
		if s[k] == t[j] {
			first = k
			j--
		}
	}
	return last - first + 1 - len(t), true
}

func letterOrDigit(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c >= 0x80
}
