package engine

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"codeintel/internal/platform/lazyregexp"
)

// synonyms are other words for an option. Where a word stands for several options of
// a checkpoint, the first of them is meant.
var synonyms = map[string][]string{
	"approve":  {"approved", "proceed", "ok", "okay", "yes", "y", "lgtm", "accept", "accepted", "continue", "fine", "confirmed", "承認", "はい", "了解", "進めて"},
	"reject":   {"rejected", "revise", "no", "n", "差戻し", "差し戻し", "差戻", "差し戻す", "差し戻", "却下", "いいえ", "やり直し", "やり直"},
	"guide":    {"guidance", "reject", "rejected", "revise", "retry", "no", "差戻し", "差し戻し", "差し戻", "却下", "やり直し", "やり直", "指示"},
	"abandon":  {"abandoned", "abort", "中止", "破棄", "放棄"},
	"post":     {"yes", "y", "ok", "投稿", "投稿する", "はい"},
	"skip":     {"skipped", "no", "n", "スキップ", "省略", "いいえ"},
	"continue": {"proceed", "go", "resume", "yes", "y", "ok", "続行", "続ける", "続けて", "進めて", "はい"},
	"retry":    {"again", "再試行", "やり直し"},
	"revise":   {"replan", "差戻し", "差し戻し"},
	Mine:       {"keep", "私の", "自分の"},
	"more":     {"again", "extend", "追加", "もっと", "延長"},
	"finish":   {"continue", "proceed", "unlimited", "続行", "続けて", "最後まで"},
	"stop":     {"end", "halt", "停止", "終了"},
	"done":     {"finished", "complete", "completed", "完了", "済", "済み"},
}

// yes are the options that go on with what was shown.
var yes = []string{"approve", "post", "continue", "done"}

// sendBack are the options that have the work done anew.
var sendBack = []string{"reject", "guide"}

// phrases are answers of several words, and words of everyday speech, by the synonym
// that they stand for. They are looked for at the beginning of an answer.
var phrases = map[string]string{
	"go ahead": "yes", "go for it": "yes", "good to go": "yes", "go on": "yes", "keep going": "yes",
	"sounds like a plan": "yes", "make it so": "yes", "that'll do": "yes", "+1": "yes", "kk": "yes",
	"aye": "yes", "affirmative": "yes",
	"happy with it": "yes", "happy with that": "yes", "i'm happy with it": "yes",
	"all good": "yes", "ship it": "yes", "do it": "yes", "sure thing": "yes", "sure": "yes", "yep": "yes",
	"yeah": "yes", "yup": "yes",
	"agreed": "yes", "i agree": "yes", "of course": "yes", "absolutely": "yes", "definitely": "yes",
	"carry on": "yes",
	"move on":  "yes", "let's go": "yes", "let's do it": "yes", "let's do this": "yes", "let's move on": "yes",
	"let's continue": "yes", "let's proceed": "yes", "let's ship it": "yes", "no notes": "yes",
	"fine by me": "yes", "fine with me": "yes", "works for me": "yes", "that works": "yes",
	"please do": "yes", "thumbs up": "yes", "i approve": "yes", "approve it": "yes", "approved": "yes",
	"👍": "yes",
	"✅": "yes", "🆗": "yes", "👌": "yes",
	"nope": "no", "nah": "no", "i reject": "no", "i disagree": "no", "disagree": "no", "👎": "no", "❌": "no",
	"🙅": "no", "send it back": "no",
	"いいですね": "はい", "良いですね": "はい", "良さそう": "はい", "よさそう": "はい",
	"賛成": "はい", "いいよ": "はい", "いいと思う": "はい", "いいと思います": "はい",
	"良いと思う": "はい", "良いと思います": "はい",
	"それでお願い": "はい", "これでお願い": "はい", "それで進め": "はい",
	"これで進め": "はい", "それでいい": "はい", "これでいい": "はい", "承知": "はい",
	"どうぞ": "はい", "進めましょう": "はい",
	"この計画で進めて": "はい", "その計画で進めて": "はい",
	"この内容で進めて": "はい",
	"この設計で進めて": "はい", "計画を承認": "はい", "設計を承認": "はい",
	"この内容で承認": "はい", "この計画で承認": "はい", "続けて": "はい",
	"よろしくお願い": "はい", "はい承認": "はい", "はい大丈夫": "はい",
	"それでいこう": "はい", "それで行こう": "はい", "これでいこう": "はい",
	"これで行こう": "はい", "そのまま続けて": "はい", "そのまま進めて": "はい",
	"いいですよ": "はい", "進めてよい": "はい", "進めて良い": "はい",
	"このまま進めて": "はい", "どうぞ進めて": "はい", "問題ないので進めて": "はい",
	"これでok": "はい", "オッケー": "はい", "オーケー": "はい", "イエス": "はい",
	"進め": "はい", "お願い": "はい", "問題なさそう": "はい", "大丈夫": "はい",
	"わかりました": "はい", "分かりました": "はい", "おk": "はい",
	"直して": "いいえ", "見直して": "いいえ", "違います": "いいえ", "ノー": "いいえ",
	"だめ": "いいえ", "ダメ": "いいえ", "駄目": "いいえ", "不可": "いいえ",
	"反対": "いいえ", "ng": "いいえ", "いや": "いいえ", "修正して": "いいえ",
	"try again": "again", "once more": "again", "do it again": "again", "もう一度": "再試行",
	"start over": "revise", "やめて": "中止", "やめる": "中止", "give it up": "abort",
	"give up": "abort",
}

var (
	// praise is a yes that judges: "looks good to me", "that's fine", "the design is right".
	praise = lazyregexp.MustCompile(`^((?:i'm|i am)\s+(?:fine|ok|okay|good|happy)\s+with\s+(?:it|that|this)|` +
		`(?:(?:it|that|this|all(?: of it)?|everything|the (?:design|plan|tasks?|change|` +
		`whole thing))(?:\s+(?:all\s+)?(?:looks?|sounds?|seems?|reads?|is|are)|'s)|looks|sounds|seems|` +
		`reads)\s+` +
		`(?:(?:all|really|very|quite|pretty|absolutely|just|perfectly|mostly)\s+)?(?:good|fine|great|right|` +
		`correct|ok|okay|reasonable|sensible|excellent|perfect|solid|well|nice|alright)(?:\s+(?:to|by|with|` +
		`for)\s+(?:me|us))?)(?:[^\p{L}\p{N}'-]|$)`)
	// refusal is a no in other words. What follows says what to do differently, unless yetYes finds a yes in it.
	refusal = lazyregexp.MustCompile(`^(?:please )?(?:(?:(?:this|that|it)(?:'s| is) |(?:absolutely|definitely|` +
		`certainly|clearly|really|of course) )?` +
		`not (?:good(?: enough)?|ok|okay|fine|like (?:this|that)|approved|acceptable|what i (?:asked|want|wanted|` +
		`meant|expected)(?: for)?)|` +
		`(?:absolutely|definitely|certainly|of course|i'd rather) not|(?:this|that|it)(?:'s| is) (?:wrong|` +
		`unacceptable|a bad idea)|` +
		`i (?:do not|don't) (?:like|approve|accept|agree)|(?:i )?(?:can't|cannot|can not|won't|` +
		`will not) (?:approve|accept|agree)|` +
		`(?:do not|don't) (?:approve|accept|proceed|continue|merge|do (?:it|this|that))|(?:(?:this|that|` +
		`it) )?won't do|i'm (?:rejecting|against)|` +
		`(?:rework|redo) (?:it|this|that|the|all)|change (?:it|this|that)|start again|back to the drawing board|` +
		`try something else|` +
		`(?:wrong (?:approach|way|direction)|wrong|bad idea|needs (?:more |some )?(?:work|changes)|unacceptable|` +
		`redo|rework|don't|thumbs down|hard no|no-go|nay|` +
		`negative|denied|refused|veto|changes requested|request changes|nein)(?:$|\s*[.,;:!–—]))(?:\b|[.,;:!–— \n]|$)|` +
		`^(?:差し戻しで|承認(?:でき|し)(?:ません|ない)|(?:これでは|それでは)?(?:ダメ|だめ|駄目)(?:です|だ)?(?:$|[。、！])|(?:良|よ)くない|認め(?:られ)?(?:ません|ない)|` +
		`もう一度考え|違(?:う|います)(?:$|[。、])|そうじゃない|修正が必要(?:です|だ|$|[。、！])|` +
		`作り直(?:して|し(?:です|$|[。、！]|が必要|をお願い))|不承認)`)
	yetYes = lazyregexp.MustCompile(`[?？]|\b(?:but|though|although|however|still|anyway|yet|go ahead|go on|` +
		`approve|approved|accept|proceed|continue|merge|yes|ok|okay|fine|lgtm|problem|bad|unless|until|if|more)\b|` +
		`承認|進めて|ですが|けど|ただ|理由|です(?:か|よね)`)
	// assent adds nothing to a yes.
	assent = lazyregexp.MustCompile(`^(?:(?:and|so|then|please|thanks|thank you|go|exactly|indeed|why not|完了|` +
		`ありがとう(?:ございます)?)(?:[^\p{L}]+|$))+$`)
	// opener is what people say before they answer.
	opener = lazyregexp.MustCompile(`^(?:(?:there (?:is|are) )?(?:no|not (?:any|a single|one|the (?:slightest|` +
		`least))) (?:problems?|issues?|objections?|concerns?|worries|comments?|questions?|doubts?|` +
		`complaints?|remarks?|feedback|further|more|changes?|need)\b[^.,;:!。、—–-]*|` +
		`not bad|not a problem|never mind|` + permission + `|i have no (?:objections?|comments?|concerns?|questions?)|` +
		`nothing (?:more |else )?to add|(?:great|good|nice) (?:work|job|one)|great|perfect|good|nice|excellent|` +
		`well done|well|thanks|thank you|hi|hello|please|hmm|um|right|alright|i'd say|i say|` +
		`(?:これで|それで)?(?:特に)?(?:問題|異論|異議|懸念|指摘)(?:は|も)?(?:ありません|ないです|なし|ない|ございません)|ありがとう(?:ございます)?|お疲れ様です|なるほど|うーん|` +
		`うん|ええ|では)(?:$|[^\p{L}\p{N}'_]+)`)
	// permitted begins what the person lets others do: a yes, or no answer.
	permitted = lazyregexp.MustCompile(`^(?:` + permission + `)\b`)
	// polite ends a Japanese answer and adds nothing to it.
	polite = lazyregexp.MustCompile(`(?:で)?(?:お願い(?:します|いたします|致します)|です(?:ね|よ)?|します(?:ね)?|しました|する|した|して(?:ください|` +
		`下さい)?|ください|下さい|でいい(?:です)?|でよい|で良い(?:です)?|いたします)$`)
	// reservation is what takes a yes back in part.
	reservation = lazyregexp.MustCompile(`^[^\p{L}\p{N}]*(?:if|once|after|when|unless|until|provided|assuming|` +
		`as long as|as soon as|subject to|before|first|only|except|not|wait|minus|modulo|conditional(?:ly)?|` +
		`pending|for (?:now|the moment|today)|(?:i )?(?:will|would|might|may|'ll|'d)|with (?:the|a|an|one|` +
		`some|two|these|my) (?:\p{L}+ )?(?:conditions?|exceptions?|reservations?|changes?|caveats?))\b|` +
		`\b(?:but|however|except|unless|although|though|provided that|only if|as long as|on (?:one |the )?condition|` +
		`apart from|aside from|other than|save for|partly|partially|in part|` +
		`with (?:a few |some |minor |one )?nits?|one nit|i guess|i suppose|not (?:of|the|to|yet)|(?:of|to|for|` +
		`with|only|just) (?:the )?(?:first|second|other) half)\b|` +
		`^[^\p{L}\p{N}]*(?:(?:only|just|to|for) )*(?:the )?(?:(?:first|second|third|last|other|rest|next|` +
		`remaining)\b|(?:tasks?|items?|phases?|parts?|points?) (?:\d|one\b|two\b|three\b))|` +
		`^[^\p{L}\p{N}]*without (?:\p{L}+ )*(?:tasks?|items?|phases?|tests?|parts?|points?|files?)\b|` +
		`[,;.—–-]\s*(?:first|before (?:you|that|going)|if you|once you|wait|not yet|hold on)\b|\bfirst[.!]*$|` +
		`^[^\p{L}\p{N}]*(?:のです|です|ます)?(?:が|けど|けれど)(?:$|[、,\s])|(?:です|ます|だ|る|い)(?:が|けど|けれども?)[、,\s]|ただし|但し|ただ[、,]|` +
		`しかし|(?:^|[、。,\s])(?:でも|だけど)|その前に|先に|条件|まだ|待って|以外|を除い|だけ|のみ|であれば|(?:した|たら)(?:ら)?[、,]|なら(?:[、,。]|$)|` +
		`と(?:言|い)いたい|(?:です|ます)(?:が|けど)。?$|後で|あとで`)
	unclear = lazyregexp.MustCompile(`^\s*[?？]`)
	doubt   = lazyregexp.MustCompile(`[🙄😒🙃🤔😬🤨]|(?:^|\s)/s\s*$|^(?i:yeah,? right)\b`) // a yes that is none
	// condition is what a yes waits for, also behind a colon.
	condition = lazyregexp.MustCompile(`^[^\p{L}\p{N}]*(?:only )?(?:if|once|unless|until|provided|assuming|` +
		`as long as|as soon as|when|after|pending|subject to)\b|\b(?:only if|provided that|on condition)\b|条件`)
)

// Understand splits an answer into the option it names and the rest, its text. What the
// answer begins with decides. The option is "" if that names none, or if the rest takes
// it back: a yes with a condition, a yes and a no, a question.
func Understand(name, answer string) (word, text string) {
	answer = strings.TrimSpace(norm.NFKC.String(answer))
	rest := answer
	permits := false
	for range 4 { // "No problem, thanks, go ahead"
		bare := strings.TrimLeft(rest, "\"'`*_「『【([{<#> \t\n")
		if m := refusal.FindString(cases.Fold().String(bare)); m != "" && !permits && len(m) <= len(bare) && !yetYes.MatchString(cases.Fold().String(bare[len(m):])) {
			if no := optionOf(name, "no"); slices.Contains(sendBack, no) { // not "skip", which goes on
				return no, bare
			}
			return "", answer
		}
		if word, text, exact := understood(name, bare); word != "" {
			if permits && !slices.Contains(yes, word) {
				return "", answer
			}
			if !exact && changesAnswer(name, word, bare, text) || exact && isTakenBack(word, text) {
				return "", answer
			}
			if next, rest, _ := understood(name, stripOpening(text)); !exact && (next == word && rest == "" || assent.MatchString(cases.Fold().String(text))) {
				text = "" // the same once more: "yes, please continue"
			}
			return word, text
		}
		m := opener.FindString(cases.Fold().String(bare))
		if m == "" || len(m) > len(bare) {
			return "", answer
		}
		permits = permits || permitted.MatchString(m)
		rest = bare[len(m):]
	}
	return "", answer
}

// stripOpening is an answer without what people say before it.
func stripOpening(text string) string {
	if m := opener.FindString(cases.Fold().String(text)); len(m) <= len(text) {
		return text[len(m):]
	}
	return text
}

const ends = ".,;:!?\"`*_」』】)]}>。、,…—–〜~"

// understood reads the option that a text begins with. It is exact if the option itself
// is there with a colon: all that follows is then the person's text.
func understood(name, bare string) (word, text string, exact bool) {
	end := strings.IndexFunc(bare, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.Is(unicode.So, r) || strings.ContainsRune(ends, r)
	})
	if end < 0 {
		end = len(bare)
	}
	folded, first := cases.Fold().String(bare), cases.Fold().String(bare[:end])
	if negation.MatchString(first) || strings.HasPrefix(folded, "no ") && opener.MatchString(folded) {
		return "", "", false
	}
	if word = optionOf(name, first); word == "" {
		word = optionOf(name, polite.ReplaceAllString(first, ""))
	}
	exact = word == first && strings.HasPrefix(bare[end:], ":")
	if word == "" {
		end = 0
	}
	if len(folded) == len(bare) {
		for phrase, means := range phrases {
			n := phraseAt(folded, first, phrase)
			if w := optionOf(name, means); w != "" && n > end {
				word, end, exact = w, n, false
			}
		}
	}
	if m := praise.FindStringSubmatch(folded); m != nil && len(folded) == len(bare) {
		if w := optionOf(name, "yes"); w != "" && len(m[1]) > end {
			word, end, exact = w, len(m[1]), false
		}
	}
	return word, strings.TrimSpace(strings.TrimLeftFunc(bare[end:], func(r rune) bool {
		return unicode.IsSpace(r) || unicode.Is(unicode.So, r) || strings.ContainsRune(".,;:!\"'`*_」』】)]}>。、,…—–〜~-", r)
	})), exact
}

// phraseAt returns how long the phrase is with which a text begins, whose first word is
// given; 0 if it begins with another. Japanese has no blanks: what is left of the word
// may only be polite.
func phraseAt(folded, first, phrase string) int {
	after, ok := strings.CutPrefix(folded, phrase)
	if !ok {
		return 0
	}
	begin, _ := utf8.DecodeRuneInString(phrase)
	next, _ := utf8.DecodeRuneInString(after)
	switch {
	case begin >= utf8.RuneSelf && unicode.IsLetter(begin):
		if rest, ok := strings.CutPrefix(first, phrase); !ok || polite.ReplaceAllString(rest, "") != "" {
			return 0
		}
		return len(first)
	case unicode.IsLetter(next) && next < utf8.RuneSelf || unicode.IsDigit(next) || next == '\'' || next == '-':
		return 0
	case unicode.IsLetter(next): // "NGです"
		if polite.ReplaceAllString(strings.TrimPrefix(first, phrase), "") != "" {
			return 0
		}
		return len(first)
	}
	return len(phrase)
}

// permission is what people say who let others do something.
const permission = `you (?:can|may)|feel free to`

// behalf is what follows the yes of somebody who is not the person.
var behalf = lazyregexp.MustCompile(`\byourself\b|\b(?:you decide|your (?:call|choice|decision)|up to you|` +
	`as you (?:like|wish|see fit))\b|お任せ|任せます|` +
	`^by (?:the |an? |its |our )?(?:agent|model|assistant|reviewer|orchestrator|ai|server|pipeline|bot|` +
	`review)s?\b|\bnot by (?:the |a )?(?:user|human|person|me)\b|\bon (?:behalf|(?:the )?user's behalf|` +
	`their behalf)\b|\b(?:in place|instead) of the (?:user|person|human)\b|ユーザーに代わ|代理で|` +
	`^[^\p{L}\p{N}]*(?:auto|automatic(?:ally)?|auto-?approved|default|timeout|timed out|assum(?:ed|ing)|` +
	`presum(?:ed|ably)|infer(?:red|ring)|implied|simulated|per policy|as instructed by)\b|` +
	`\bno (?:response|reply|answer|objection) (?:from|by|of) |[(（,;–—-]\s*no (?:response|reply|answer)\b|` +
	`\b(?:user|person|human) (?:is|was|being) (?:away|absent|unavailable|offline|asleep)\b|` +
	`\b(?:user|person|human|they) (?:has |have )?(?:said so|delegated|agreed|authori[sz]ed|allowed)\b|` +
	`\b(?:agent|model|assistant|reviewer|orchestrator|bot)s? (?:decided|approved|says?|said|judged|` +
	`confirmed|answered)\b|とみなす|とみなし|推定|自動承認|返事(?:が)?な|応答(?:が)?な|返答(?:が)?な`)

// negation ends a Japanese word that says no to itself: "承認しない".
var negation = lazyregexp.MustCompile(`(?:ない|ません|ないで)(?:です|ください|下さい)?$`)

// optionOf returns the option of a checkpoint that a word names, "" if it names none.
func optionOf(name, first string) string {
	d := checkpoints[name]
	all := slices.Concat(d.options, d.silent)
	for _, o := range all {
		if first == o.word && first != "" {
			return o.word
		}
	}
	for _, o := range all {
		if slices.Contains(synonyms[o.word], first) {
			return o.word
		}
	}
	return ""
}

// changesAnswer reports whether the text after an answer changes it into another, or into none.
func changesAnswer(name, word, bare, text string) bool {
	folded := cases.Fold().String(text)
	if i := strings.IndexAny(bare, "?？"); i >= 0 && !strings.ContainsFunc(bare[:i], unicode.IsSpace) || unclear.MatchString(text) {
		return true
	}
	if after, ok := strings.CutPrefix(folded, "and "); ok {
		folded = after
	}
	for range 3 { // "yes, no problem"
		m := opener.FindString(folded)
		if m == "" {
			break
		}
		folded = folded[len(m):]
	}
	if strings.HasPrefix(cases.Fold().String(bare), word) && slices.Contains([]string{"reject", "guide"}, word) {
		return false
	}
	if next, _, _ := understood(name, strings.TrimPrefix(strings.TrimPrefix(folded, "or "), "/")); next != "" &&
		next != word && folded != "" {
		return true
	}
	if slices.Contains([]string{"reject", "guide", "revise", "retry"}, word) {
		return false // what follows says what to do differently
	}
	return reservation.MatchString(folded) || behalf.MatchString(folded) ||
		slices.Contains(yes, word) && (doubt.MatchString(bare) || strings.ContainsAny(text, "?？") || isBound(name, word, bare, text, folded))
}

// isBound reports whether a text belongs to the yes before it, with no mark in between, and narrows it: "go ahead
// with task 1", "yes for now". It does not where it only says yes to all of it.
func isBound(name, word, bare, text, folded string) bool {
	before := strings.TrimRightFunc(bare[:len(bare)-len(text)], unicode.IsSpace)
	last, size := utf8.DecodeLastRuneInString(before)
	if folded == "" || size == len(bare)-len(text) || strings.ContainsRune(ends, last) || unicode.Is(unicode.So, last) {
		return false
	}
	if next, _, _ := understood(name, folded); next == word {
		return false
	}
	return !whole.MatchString(folded) && !assent.MatchString(folded)
}

// whole says of a yes that it is meant for all that was shown.
var whole = lazyregexp.MustCompile(`^(?:(?:(?:with no|without) (?:(?:any|further|more|other) )*(?:changes|` +
	`comments|remarks)|and|from|by|to|for|with|of|as|all|everything|both|the|this|that|it|these|those|` +
	`them|me|us|my|our|side|end|here|is|whole|full|thing|lot|plan|design|tasks?|changes?|idea|proposal|` +
	`pull request|pr|now|please|already|very much|much|indeed|too|so|` +
	`written|planned|proposed|implement(?:ing|ation)?|merge|ship|start|go|ahead|i like|thanks|a lot|sir|mate|` +
	`cool|overall)(?:[^\p{L}\p{N}]+|$))+$`)

// isTakenBack reports whether a text says that the yes before it is not the person's, or waits for something.
func isTakenBack(word, text string) bool {
	folded := cases.Fold().String(text)
	return slices.Contains(yes, word) && (behalf.MatchString(folded) || condition.MatchString(folded))
}
