package evidence

import (
	"slices"

	"codeintel/internal/git"
	"codeintel/internal/project"
)

// Rest returns what is left of changes once the files and lines are taken out that evidence has
// cited already. A change without lines goes with the first that cites it.
func Rest(p *project.Project, changes []git.Change, cited []string) (rest []git.Change) {
	c := checker{p: p, changes: changes, origin: Changed}
	taken := make(map[string][]git.Range)
	whole := make(map[string]bool)
	for _, evidence := range cited {
		refs, err := parse(evidence, c.exists)
		if err != nil {
			continue // it was skipped, and has a reason instead
		}
		for _, r := range refs {
			if change, ok := c.change(r.Path); ok {
				taken[change.Path] = append(taken[change.Path], git.Range{Start: r.Start, End: r.End})
				whole[change.Path] = whole[change.Path] || r.Start == 0 || len(change.Hunks) == 0
			}
		}
	}
	for _, change := range changes {
		if whole[change.Path] {
			continue
		}
		for _, t := range taken[change.Path] {
			change.Hunks = subtractRange(change.Hunks, t)
		}
		if len(change.Hunks) > 0 || taken[change.Path] == nil {
			rest = append(rest, change)
		}
	}
	return rest
}

// subtractRange takes a range out of others.
func subtractRange(ranges []git.Range, taken git.Range) (rest []git.Range) {
	for _, r := range ranges {
		if taken.Start > r.End || r.Start > taken.End {
			rest = append(rest, r)
			continue
		}
		if r.Start < taken.Start {
			rest = append(rest, git.Range{Start: r.Start, End: taken.Start - 1})
		}
		if taken.End < r.End {
			rest = append(rest, git.Range{Start: taken.End + 1, End: r.End})
		}
	}
	return slices.Clip(rest)
}
