package wishes

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text/terms"
)

var (
	// sentence finds where one wish ends and the next begins.
	sentence = lazyregexp.MustCompile(`[.!?;](?:\s+|$)|[。！？；\n]+`)
	marker   = lazyregexp.MustCompile(`^\s*(?:[-*+•・]|\(?\d{1,2}[.)）]|[（(]?[a-z][.)])\s*`)
	clause   = lazyregexp.MustCompile(`(?i),?\s+(?:and(?: also| then)?|as well as|then|also)\s+|、?(?:また|そして|および|ならびに|それから|さらに|加えて)、?`)
)

// leastTerms is how many words of meaning make a clause a wish of its own.
const leastTerms = 3

// Split cuts a request into its wishes: sentences, list items and clauses. A clause of
// a word or two stays with the one before it ("total and tax").
func Split(request string) (wishes []string) {
	for _, s := range sentence.Split(request, -1) {
		s = strings.TrimSpace(marker.ReplaceAllString(s, ""))
		last := ""
		for _, c := range clause.Split(s, -1) {
			c = strings.Trim(c, " \t、,")
			switch {
			case c == "":
			case last != "" && len(terms.Query(c)) < leastTerms:
				last += " " + c
			default:
				if last != "" {
					wishes = append(wishes, last)
				}
				last = c
			}
		}
		if last != "" {
			wishes = append(wishes, last)
		}
	}
	return slices.DeleteFunc(wishes, func(w string) bool { return len(terms.Query(w)) < 2 && len(wishes) > 1 })
}

// Unmet returns the wishes of which none of the texts says a word that tells the wish
// from the others. Words of another script than the wish's say nothing: Japanese wishes
// met by English texts are not told apart, and count as met.
func Unmet(wishes []string, texts []string) (unmet []string) {
	all := strings.Join(texts, "\n")
	said := make(map[string]bool)
	for _, t := range terms.Query(all) {
		said[t] = true
	}
	for i, w := range wishes {
		if strings.ContainsFunc(w, japanese) && !strings.ContainsFunc(all, japanese) {
			continue
		}
		of := terms.Query(w)
		others := terms.Query(strings.Join(slices.Concat(wishes[:i], wishes[i+1:]), "\n"))
		own := slices.DeleteFunc(slices.Clone(of), func(t string) bool { return slices.Contains(others, t) })
		if len(own) == 0 {
			own = of
		}
		if !slices.ContainsFunc(own, func(t string) bool { return said[t] }) {
			unmet = append(unmet, w)
		}
	}
	return unmet
}

// generic are words that an item may consist of and still say nothing of what will be
// there.
var generic = strings.Fields(`
	a above according all and any are as asked be been been carried change changed changes code complete completed correct
	correctly desired do does done everything expected feature finish finished fix fixed for fulfilled functionality goal good
	has have implement implementation implemented implements in is issue it job made of ok per please problem ready request
	requested requirement requirements resolved satisfied solved something specified task tasks that the there thing things
	this to user was were what wish work works working`)

var genericJA = lazyregexp.MustCompile(`^(?:依頼|要求|要望|作業|タスク|実装|変更|対応|機能|内容|修正|指示|すべて|全て|全部|[のをはがにも]|通り|どおり|とおり|完了|実現|終了|済み|済|され|して|する|した|しました|ている|いる|こと|[。、 ])+$`)

// Vague reports whether an item of a checklist says only that the work is done.
func Vague(item string) bool {
	if strings.ContainsFunc(item, japanese) {
		return genericJA.MatchString(item)
	}
	words := strings.FieldsFunc(strings.ToLower(item), func(r rune) bool { return !wordRune(r) })
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(generic, w) })
}

func wordRune(r rune) bool {
	return r == '_' || r == '\'' || r >= '0' && r <= '9' || r > 127 || r >= 'a' && r <= 'z'
}
