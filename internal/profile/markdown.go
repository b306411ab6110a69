package profile

import (
	"fmt"
	"strings"
)

// Markdown returns the lines that belong below "## Repository Context", or "" if
// nothing is known.
func (p Profile) Markdown() string {
	var b strings.Builder
	if line := languageLine(p.Languages); line != "" {
		fmt.Fprintf(&b, "Languages: %s\n", line)
	}
	return strings.TrimSpace(b.String())
}

// languageLine names the languages that make one percent at least, and the first in
// any case.
func languageLine(all []Language) string {
	var parts []string
	for i, l := range all {
		if i > 0 && l.Percent < 1 || len(parts) == 8 {
			break
		}
		parts = append(parts, fmt.Sprintf("%s (%.0f%%)", l.Name, l.Percent))
	}
	return strings.Join(parts, ", ")
}
