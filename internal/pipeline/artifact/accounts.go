package artifact

import (
	"slices"
	"strconv"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/workflow/requirements"
)

// ofAnyTask reports whether a criterion holds no word that only this task has: what it says of design
// and tests, reviews say in words of their own.
func ofAnyTask(criterion string) bool {
	const general = " a all and are as at build builds check checks clean command design design.md existing every green go it its lint linter make new no of old pass passes passing project run runs says still suite test tests the with "
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(criterion)), func(w string) bool {
		return !strings.Contains(general+"change is ", " "+strings.Trim(w, ".,;:`\"'()")+" ")
	})
}

// begins finds the numbers of criteria with which an entry begins: "2: …", "AC-2 …", "Criteria 2 and 3: …".
var begins = lazyregexp.MustCompile(`(?i)^[\s*_\[(|#]*(?:(?:acceptance |the )?criteri(?:on|a)|ac|c|items?|points?|tasks?|基準|条件|項目|タスク)?[\s#-]*(\d{1,2}(?:(?:\s*(?:,|&|、|と|and)\s*)\d{1,2})*)[\s*_\])|]*(?:[:：.)|、,–—→]|-\s|->|$)`)

// Unaccounted returns those of the criteria of which no entry of a review speaks. A review that
// speaks of none, but for the names of files, has words of its own, or numbers. One that is "" only
// counts for the numbers of the others.
func Unaccounted(criteria []string, entries []Criterion) []string {
	var texts, words []string
	for _, e := range entries {
		texts, words = append(texts, e.Text), append(words, withoutCode(e.Text))
	}
	said := strings.FieldsFunc(strings.ToLower(strings.Join(texts, "\n")), func(r rune) bool {
		return strings.ContainsRune(" \t\n,、:：;.()[]→|", r)
	})
	numbered := func(n string) bool {
		if slices.ContainsFunc(entries, func(e Criterion) bool {
			m := begins.FindStringSubmatch(e.Text)
			return m != nil && slices.Contains(strings.FieldsFunc(m[1], func(r rune) bool { return r < '0' || r > '9' }), n)
		}) {
			return true
		}
		for i, w := range said {
			if at := slices.Index([]string{"criterion", "point", "item", "task", "ac", "基準", "条件", "項目", "タスク"}, w); at >= 0 && i+1 < len(said) && said[i+1] == n ||
				slices.Contains([]string{"ac" + n, "c" + n, "#" + n, "基準" + n, "条件" + n, "タスク" + n}, w) {
				return true
			}
		}
		return false
	}
	own := slices.DeleteFunc(slices.Clone(criteria), func(c string) bool { return c == "" || ofAnyTask(c) })
	unmet := requirements.Unmet(own, texts)
	if len(requirements.Unmet(own, words)) == len(own) || requirements.OtherScript(own, texts) {
		return nil
	}
	return slices.DeleteFunc(unmet, func(c string) bool { return numbered(strconv.Itoa(slices.Index(criteria, c) + 1)) })
}
