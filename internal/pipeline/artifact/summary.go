package artifact

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

// titleLine is the line with which a summary names the change.
var titleLine = lazyregexp.MustCompile(`^[#>*_\s]*(?i:title|タイトル|題名)[*_]*\s*[:：][*_]*\s*(.*?)[*_\s]*$`)

// SummaryTitle returns the title that a summary gives the change in its first line or behind
// its heading, "" if it gives none, and the summary without that line.
func SummaryTitle(summary string) (title, rest string) {
	lines := strings.Split(summary, "\n")
	said := 0
	for i, l := range lines {
		if l = strings.TrimSpace(strings.TrimPrefix(l, "\ufeff")); l == "" {
			continue
		}
		if m := titleLine.FindStringSubmatch(l); m != nil {
			return strings.Trim(m[1], "`\"'“”「」 "), strings.Join(append(lines[:i:i], lines[i+1:]...), "\n")
		}
		if said++; said == 2 {
			break
		}
	}
	return "", summary
}
