package requirements

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

// A Task is what one task of a plan says.
type Task struct {
	ID          string
	Description string
	Items       []string // of its checklist, and whatever else it names
}

func (k Task) words() []string { return append([]string{k.ID, k.Description}, k.Items...) }

// Uncovered returns the requirements of a request that no task speaks of. A description that repeats the
// request speaks of nothing, and of two files that are named together both are spoken of; there tells
// which files there are. It is not sure of a long request, in which words cannot tell what is a requirement,
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
		return slices.DeleteFunc(Unmet(all, texts), func(requirement string) bool {
			return slices.ContainsFunc(tasks, func(k Task) bool { return Names(requirement, k.ID) })
		})
	}
	unmet = unspoken(texts)
	if left := unspoken(own); len(unmet) == 0 && len(left) < len(all) {
		unmet = left
	}
	if file := Left(request, own, there); file != "" && len(unmet) == 0 && len(own) > 0 {
		all, unmet = append(all, file), []string{file}
	}
	sure = slices.ContainsFunc(unmet, func(w string) bool { return !procedure.MatchString(w) }) || len(unmet) == 0
	return unmet, sure && !IsStory(request) && len(unmet) < len(all) && !OtherScript(all, own)
}

// OtherScript reports whether texts are in Japanese and a requirement is not: words cannot tell then what they
// speak of. Japanese requirements met by other texts are left alone by [Unmet].
func OtherScript(requirements, texts []string) bool {
	in := func(s string) bool { return strings.ContainsFunc(s, japanese) }
	return slices.ContainsFunc(texts, in) && !slices.ContainsFunc(requirements, in)
}

// procedure finds what is asked of how the work is done or handed over, which no task can hold.
var procedure = lazyregexp.MustCompile(`(?i)\bopen (?:a|the) (?:pull|merge) request|\bbefore you (?:push|merge|commit)\b|\b(?:conventional commits|commit messages)\b|` +
	`\b(?:separate|feature|target) branch\b|\blet me know\b|\bask (?:me|us)\b|\banswer (?:me )?in [A-Z]|` +
	`^the deadline is\b|^(?:see|cc)\b|\bkeep it simple\b|\bplease be \w+$`)

func folded(s string) string { return strings.Trim(strings.Join(strings.Fields(s), " "), " .。") }
