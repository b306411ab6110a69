package wishes

import (
	"slices"
	"strings"
)

// A Task is what one task of a plan says.
type Task struct {
	ID          string
	Description string
	Items       []string // of its checklist, and whatever else it names
}

func (k Task) words() []string { return append([]string{k.ID, k.Description}, k.Items...) }

// Uncovered returns the wishes of a request that no task speaks of. A description that repeats the
// request speaks of nothing, and of two files that are named together both are spoken of; there tells
// which files there are. It is not sure of a long request, in which words cannot tell what is a wish,
// and of a plan that may have words of its own for all of it.
func Uncovered(request string, tasks []Task, there func(file string) bool) (unmet []string, sure bool) {
	all := Split(request)
	var texts, own []string
	for _, k := range tasks {
		texts = append(texts, k.words()...)
		if strings.Contains(folded(k.Description), folded(request)) {
			k.Description = ""
		}
		own = append(own, k.words()...)
	}
	unspoken := func(texts []string) []string {
		return slices.DeleteFunc(Unmet(all, texts), func(wish string) bool {
			return slices.ContainsFunc(tasks, func(k Task) bool { return Names(wish, k.ID) })
		})
	}
	unmet = unspoken(texts)
	if left := unspoken(own); len(unmet) == 0 && len(left) < len(all) {
		unmet = left
	}
	if file := Left(request, own, there); file != "" && len(unmet) == 0 && len(own) > 0 {
		all, unmet = append(all, file), []string{file}
	}
	return unmet, !Story(request) && len(unmet) < len(all) && !OtherScript(all, own)
}

// OtherScript reports whether texts are in Japanese and a wish is not: words cannot tell then what they
// speak of. Japanese wishes met by other texts are left alone by [Unmet].
func OtherScript(wishes, texts []string) bool {
	in := func(s string) bool { return strings.ContainsFunc(s, japanese) }
	return slices.ContainsFunc(texts, in) && !slices.ContainsFunc(wishes, in)
}

func folded(s string) string { return strings.Trim(strings.Join(strings.Fields(s), " "), " .。") }
