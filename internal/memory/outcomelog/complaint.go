package outcomelog

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text/terms"
)

// A request complains about the last result in one of three ways. Rather one
// complaint is missed than a new request taken for one: what is quoted, supposed
// ("if it still fails") or said of a thing ("the test that still fails") is none.
var (
	// said are words that speak of an earlier attempt, whatever they are about.
	said = []*lazyregexp.Regexp{
		lazyregexp.MustCompile(`\bstill\s+(?:(?:is|are|does|do|did|has|have|was|were)\s+)?(?:not|n't)\s+(?:been\s+)?(?:work\w*|fix\w*|right|correct\w*|solved|resolved|done|there|doing|show\w*)\b`),
		lazyregexp.MustCompile(`\bstill\s+(?:doesn't|does not|don't|do not|didn't|isn't|aren't|won't|can't|hasn't|haven't)\s+(?:been\s+)?(?:work\w*|fix\w*|right|correct\w*|solved|resolved|run|compile|build|pass|start|show)\b`),
		lazyregexp.MustCompile(`\bstill\s+(?:(?:is|being)\s+)?(?:broken|fail(?:s|ing)|crash(?:es|ing)|wrong|buggy|hang(?:s|ing)|panic(?:s|king)|happen(?:s|ing)|the same|errors?\b|gett?ing (?:the |an |that )?(?:same )?error|throw(?:s|ing))`),
		lazyregexp.MustCompile(`\b(?:isn't|is not|wasn't|was not|aren't|are not|hasn't been|has not been)\s+(?:really\s+|actually\s+)?(?:fixed|solved|resolved)\b(?:\s*$|\s*[.,;:!?]|\s+(?:yet|at all|by|correctly|properly))`),
		lazyregexp.MustCompile(`\b(?:didn't|did not|doesn't|does not)\s+(?:fix|solve|help|change anything|do anything|do what)\b`),
		lazyregexp.MustCompile(`\bnot\s+what\s+(?:i|we)\s+(?:asked|wanted|meant|requested|said|expected)\b|\bisn't\s+what\s+(?:i|we)\s+(?:asked|wanted|meant|requested|said|expected)\b`),
		lazyregexp.MustCompile(`\b(?:your|the (?:last|previous|latest))\s+(?:fix|change|patch|commit|implementation|edit|solution|merge|refactoring|work)\s+(?:broke|breaks|has broken|doesn't|does not|didn't|did not|isn't|is wrong|is incorrect|was wrong|failed|fails|made|introduced)\b`),
		lazyregexp.MustCompile(`\byou\s+(?:broke|misunderstood|didn't\s+(?:fix|do|change|implement|finish|add)|did not\s+(?:fix|do|change|implement|finish|add)|forgot|ignored)\b`),
		lazyregexp.MustCompile(`\bmade\s+(?:it|things)\s+worse\b`),
		lazyregexp.MustCompile(`\b(?:same|that|the)\s+(?:error|bug|problem|issue)\s+(?:again\b|as before\b|persists\b|remains\b|came back\b|is back\b|is still there\b)`),

		lazyregexp.MustCompile(`(?:まだ|いまだに|未だに|やはり|やっぱり|相変わらず|依然(?:として)?)[^。、！？!?\n]{0,24}?(?:動か|動き|動作し|動いて(?:い)?|直ら|直り|直って(?:い)?|なおって(?:い)?|治って(?:い)?|解決し|解決して(?:い)?|解消され(?:て(?:い)?)?|修正され(?:て(?:い)?)?|変わら|変わり|変わって(?:い)?|反映され(?:て(?:い)?)?|でき(?:て(?:い)?)?)(?:ない|ません|なかった)` + ends),
		lazyregexp.MustCompile(`(?:まだ|いまだに|未だに|やはり|やっぱり|相変わらず|依然(?:として)?)[^。、！？!?\n]{0,24}?(?:壊れて(?:い)?(?:る|ます)|失敗し(?:ます|て(?:い)?(?:る|ます))|失敗する|落ち(?:る|ます)|おかしい|エラーが出(?:る|ます|て(?:い)?(?:る|ます))|エラーになる|エラーになります|同じエラー(?:が出(?:る|ます))?|だめ|ダメ|駄目)` + ends),
		lazyregexp.MustCompile(`(?:直って|なおって|治って|修正できて|修正されて|解決して|解決できて|改善されて|対応できて)(?:い)?(?:ない|ません|なかった)` + ends),
		lazyregexp.MustCompile(`(?:頼んだ|お願いした|依頼した|言った|指示した|期待した|思って(?:い)?た|欲しかった|求めて(?:い)?た)(?:こと|もの|の|内容|結果|通り|とおり)?(?:と|とは|では|じゃ|に)?(?:は)?(?:全然|まったく|全く)?(?:違|ちが|異な|ない|なって(?:い)?な)`),
		lazyregexp.MustCompile(`(?:さっき|先ほど|先程|前回|今回|この前|いま|今)の(?:修正|変更|対応|実装|コミット|作業)(?:で|が|は|のせいで|により|によって|では)[^。！？!?\n]{0,30}(?:壊れ|動かな|動かなく|おかし|間違|失敗|直ら|直って(?:い)?な|だめ|ダメ|悪化|足りな)`),
	}
	// back are words that are a complaint where they speak of nothing else: of "it",
	// or of nothing at all. They must begin a clause.
	back = lazyregexp.MustCompile(`(?:^|[.,;:!?\n]\s*|\b(?:no|nope|sorry|hmm|but|and|hey)[,\s]+)(?:(?:it|that|this)\s+)?(?:(?:doesn't|does not|didn't|did not|won't|isn't|is not|is|not)\s+)(?:work(?:ing|ed)?|broken|correct|right)\b(?:\s*$|\s*[.,;:!?]|\s+(?:at all|yet|for me|anymore|as (?:expected|intended|requested)|either))` +
		`|(?:^|[。、．，！？!?\n]\s*)(?:これ|それ|あれ)?(?:は|が|、)?(?:全然|まったく|全く|うまく|正しく|正常に)*(?:動かない|動きません|動かなかった|動いて(?:い)?ない|動いて(?:い)?ません|動作しない|動作しません|うまくいかない|うまくいきません|だめです|ダメです|ダメだ)` + ends)
	// weak are words that are one where the rest speaks of what was last asked for.
	weak = lazyregexp.MustCompile(`\b(?:doesn't|does not|didn't|did not|isn't|is not|not)\s+work(?:ing|ed)?\b|\b(?:is|are)\s+(?:wrong|broken)\b` +
		`|(?:動かない|動きません|動かなかった|動いて(?:い)?ない|動いて(?:い)?ません|動作しない|動作しません|うまくいかない|うまくいきません|壊れて(?:い)?(?:る|ます)|間違って(?:い)?(?:る|ます)|おかしい)` + ends)

	quotation = lazyregexp.MustCompile("`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|(?:^|\\s)'[^'\n]{2,}'")
	supposed  = lazyregexp.MustCompile(`\b(?:if|whether|when|whenever|in case|unless|until|where|why|how|so|because|would|could|should|might|may)\b[^.;!?\n]*$|\w\s+(?:that|which|who)\b[^.;!?\n]*$`)
)

// ends is what may follow where a Japanese clause ends. A noun, or a condition,
// may not: 動かない場合, 動かないボタン.
const ends = `(?:$|[\s。、．，.,!?！？…]|よ|ね|ぞ|です|んです|んだ|のです|のだ|のですが|けど|けれど|ので|から[、。,]|みたい|ようで|まま|し[、,])`

// sharedTopic is how much of a weak complaint must have been in the last request.
const sharedTopic = 0.5

// Complaint returns the words by which a request complains about the last
// result, "" if it does not. last is the request that led to that result.
func Complaint(request, last string) string {
	text := strings.ToLower(norm.NFKC.String(request))
	text = strings.NewReplacer("’", "'", "ʼ", "'").Replace(text)
	text = quotation.ReplaceAllString(text, " … ")
	for _, re := range said {
		if words := assertedWords(re, text); words != "" {
			return words
		}
	}
	if words := assertedWords(back, text); words != "" {
		return words
	}
	if words := assertedWords(weak, text); words != "" && sameTopic(weak.ReplaceAllString(text, " "), last) {
		return words
	}
	return ""
}

// assertedWords returns the first words that match and are said, not supposed.
func assertedWords(re *lazyregexp.Regexp, text string) string {
	for _, at := range re.FindAllStringIndex(text, -1) {
		if !supposed.MatchString(text[:at[0]]) {
			return strings.Trim(text[at[0]:at[1]], " \t\n.,;:!?。、．，！？")
		}
	}
	return ""
}

// sameTopic reports whether most of what is said was in the last request.
func sameTopic(said, last string) bool {
	words, before := terms.Query(said), terms.Query(last)
	shared := 0
	for _, w := range words {
		if slices.Contains(before, w) {
			shared++
		}
	}
	return shared > 0 && float64(shared) >= sharedTopic*float64(len(words))
}
