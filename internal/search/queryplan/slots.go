package queryplan

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/problem"
	"codeintel/internal/text/requestslots"
)

// The words by which the parts of a question are distinguished. They are words of
// English and Japanese, not of any repository.
var (
	triggerWords = lazyregexp.MustCompile(`(?i)\b(?:when(?:ever)?|if|while|after|before|once|during|upon|as soon as)\b`)
	triggerTail  = lazyregexp.MustCompile(`[^、。，．\s]*(?:とき|時に|時、|場合|すると|したら|の際|後に|前に|中に)`)

	issueWords = lazyregexp.MustCompile(`(?i)\b(?:fail(?:s|ed|ing|ure|ures)?|errors?|crash(?:es|ed|ing)?|panics?|exceptions?|wrong(?:ly)?|incorrect(?:ly)?|bugs?|broken|breaks?|slow(?:ly)?|hangs?|leak(?:s|ed|ing)?|missing|lost|loses|duplicate[sd]?|stale|not work(?:ing)?|doesn['’]t|does not|do(?:es)?n['’]t|cannot|can['’]t|never|ignor(?:es|ed)|unexpected(?:ly)?|deadlocks?|timed out|corrupt(?:s|ed)?)\b` +
		`|失敗|エラー|落ちる|落ちて|クラッシュ|例外|バグ|不具合|壊れ|遅い|動かな|動作しな|おかしい|できない|されない|消え|間違|漏れ|重複|固ま|止まる|止まって`)

	actionVerbs = `add|allow|avoid|change|convert|create|delete|disable|drop|enable|ensure|extend|extract|fix|handle|implement|improve|increase|introduce|limit|make|merge|migrate|move|optimi[sz]e|prevent|reduce|refactor|remove|rename|replace|rewrite|show|simplify|speed up|split|stop|support|update|upgrade|use|validate`
	actionStart = lazyregexp.MustCompile(`(?i)(?:^|\b(?:to|should|must|please|let['’]s|we|and)\s+)((?:` + actionVerbs + `)\b.*)$`)
	actionTail  = lazyregexp.MustCompile(`[^、。，．\s]*(?:追加|実装|変更|修正|削除|直し|直す|改善|対応|置き換え|改名|移動|整理|最適化|作成|作って|無効に|有効に|制限)(?:して|したい|する|し|て|たい)?[^、。，．\s]*`)
	newVerbs    = lazyregexp.MustCompile(`(?i)^(?:please\s+)?(?:add|create|implement|introduce|support|extend)\b|追加|実装|作成|作って|新規`)
	studyWords  = lazyregexp.MustCompile(`(?i)\b(?:why|investigate|debug|diagnose|root cause|find out)\b|原因|調査|なぜ|調べ`)

	clauseEnd = lazyregexp.MustCompile(`[,;:!?\n、。，．！？；：]+|\.(?:\s|$)`)
	// questionStart is what a question begins with before it says what it is about.
	questionStart = lazyregexp.MustCompile(`(?i)^(?:(?:where|how|what|which|who|why|when|does|do|did|is|are|was|can|could|should|will|would|the|an?|please|show|find|explain|tell|list|give|me|us|we|i|you|want|need|to|it|there|code|that|in|of|about|for|this|our|any|all)\b\s*)+`)
	questionEnd   = lazyregexp.MustCompile(`(?:(?:する|できる|なる)?よう(?:に)?|(?:は|って|が|を)?(?:どこ|何|なに|どう|どの|なぜ|いつ|誰|だれ).*|を?(?:教えて|説明して|調べて|探して|見せて).*|(?:を|に|が|は|も|へ|の|で)*)$`)
)

// compose fills the slots: those that the caller gave, what the question itself says,
// as [extract] returns it, and beside that what the session's frame says. A value that is in
// the question is a FACT.
func compose(q Query, in Setting, quotes map[string]string) (map[string]requestslots.Slot, error) {
	given := map[string]string{
		"target_feature": q.Feature, "trigger_condition": q.Trigger, "observed_issue": q.Issue, "desired_action": q.Action,
	}
	slots := make(map[string]requestslots.Slot)
	for _, name := range requestslots.SlotNames {
		value, quote := strings.TrimSpace(given[name]), ""
		switch {
		case value != "":
			if utf8.RuneCountInString(value) > maxQuery {
				return nil, problem.New(problem.InvalidArgument, "planner.longer_than_characters", name, maxQuery).
					Or("planner.say_few_words")
			}
			quote = value
		case quotes[name] != "":
			value, quote = quotes[name], quotes[name]
		case in.Slots[name].Value != "": // the session's frame only completes what is asked
			slots[name] = in.Slots[name]
			continue
		default:
			continue
		}
		checked, err := requestslots.Check(q.Query, map[string]requestslots.Slot{name: {Value: value, Quote: quote}})
		if err != nil { // it is not there
			checked, err = requestslots.Check(q.Query, map[string]requestslots.Slot{name: {Value: value}})
		}
		if err != nil {
			return nil, err
		}
		slots[name] = checked[name]
	}
	return slots, nil
}

// extract finds the slots in a question. Every value is a piece of it.
func extract(query string) map[string]string {
	quotes := make(map[string]string)
	keep := func(name, value string) {
		value = strings.TrimFunc(value, func(r rune) bool {
			return unicode.IsSpace(r) || strings.ContainsRune(`"'“”「」()`, r)
		})
		if quotes[name] == "" && utf8.RuneCountInString(value) >= 2 {
			quotes[name] = value
		}
	}
	for _, clause := range clauseEnd.Split(query, -1) {
		clause = strings.TrimSpace(clause)
		rest := clause
		// "When" that begins a question asks for a time: "when is it called?"
		if at := triggerWords.FindStringIndex(clause); at != nil && !(at[0] == 0 && asksWhen.MatchString(clause)) {
			keep("trigger_condition", clause[at[0]:])
			if at[0] == 0 {
				continue // the clause is the condition
			}
			rest = strings.TrimSpace(clause[:at[0]])
		} else if at := triggerTail.FindStringIndex(clause); at != nil {
			keep("trigger_condition", clause[at[0]:at[1]])
			if rest = strings.TrimSpace(clause[at[1]:]); rest == "" {
				continue
			}
		}
		if issueWords.MatchString(rest) && !isWish(rest) {
			keep("observed_issue", questionStart.ReplaceAllString(rest, ""))
		}
		feature := rest
		if m := actionStart.FindStringSubmatch(rest); m != nil {
			keep("desired_action", m[1])
			feature = m[1][len(firstWord(m[1])):]
		} else if m := actionTail.FindString(rest); m != "" {
			keep("desired_action", m)
			feature = rest[:strings.Index(rest, m)] + cutAction(m)
		}
		feature = strings.TrimSpace(feature)
		keep("target_feature", questionEnd.ReplaceAllString(questionStart.ReplaceAllString(feature, ""), ""))
	}
	if quotes["target_feature"] == "" { // all of it is a condition or an issue
		clause := strings.TrimSpace(cmp.Or(quotes["observed_issue"], quotes["trigger_condition"]))
		keep("target_feature", strings.TrimSpace(questionStart.ReplaceAllString(clause, "")))
	}
	return quotes
}

// isWish reports whether a clause says how things should be, or asks where they
// are: what sounds like an issue in it ("show an error") is what it is about.
func isWish(clause string) bool {
	if strings.Contains(clause, "ように") || asksPlace.MatchString(clause) {
		return true
	}
	m := actionStart.FindStringSubmatch(clause)
	return m != nil && !fixVerb.MatchString(m[1])
}

var asksPlace = lazyregexp.MustCompile(`(?i)^(?:where|how|what|which|who)\b|どこ|とは`)

var fixVerb = lazyregexp.MustCompile(`(?i)^(?:fix|avoid|prevent|stop|handle)\b`)

var asksWhen = lazyregexp.MustCompile(`(?i)^when\s+(?:is|are|was|does|do|did|will|should|can)\b`)

// cutAction takes the verb off a Japanese clause that ends with one.
func cutAction(clause string) string {
	at := actionVerb.FindStringIndex(clause)
	if at == nil {
		return clause
	}
	return clause[:at[0]]
}

var actionVerb = lazyregexp.MustCompile(`(?:追加|実装|変更|修正|削除|直し|直す|改善|対応|置き換え|改名|移動|整理|最適化|作成|作って|無効に|有効に|制限)`)

func firstWord(s string) string {
	if i := strings.IndexFunc(s, unicode.IsSpace); i > 0 {
		return s[:i]
	}
	return s
}

// guessIntent says what kind of work a question asks for.
func guessIntent(query string, quotes map[string]string) string {
	switch _, action := quotes["desired_action"]; {
	case action && newVerbs.MatchString(quotes["desired_action"]):
		return Implement
	case action && !asks.MatchString(query):
		return Modify
	case studyWords.MatchString(query) || quotes["observed_issue"] != "":
		return Investigate
	}
	return Question
}

var asks = lazyregexp.MustCompile(`(?i)^\s*(?:where|how|what|which|who|why|when|does|do|is|are|can|explain|show me|show where|find where|find all|find the|list)\b|[?？]\s*$|どこ|どう|なぜ|ですか|ますか`)

// Words of a question that may name a symbol or a file.
var (
	marked   = lazyregexp.MustCompile("`([^`\\s]+)`")
	dotted   = lazyregexp.MustCompile(`[A-Za-z_$][\w$]*(?:(?:::|->|\.|#)[A-Za-z_$][\w$]*)+`)
	compound = lazyregexp.MustCompile(`[A-Za-z_$]*(?:[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|[A-Z]{2}[a-z])[\w$]*`)
	called   = lazyregexp.MustCompile(`([A-Za-z_$][\w$]*)\(`)
	capital  = lazyregexp.MustCompile(`[^\s.:!?]\s+([A-Z][a-z]\w+)\b`) // not at the beginning of a sentence
	// wholeName is a text that is nothing but a name.
	wholeName = lazyregexp.MustCompile(`^[A-Za-z_$][\w$]*(?:\(\))?$`)
	inQuotes  = lazyregexp.MustCompile(`"([^"\n]{3,80})"|“([^”\n]{3,80})”|「([^」\n]{2,80})」`)
)

// nameCandidates are the words of texts that may be names, surest first.
func nameCandidates(texts ...string) []string {
	var found []string
	add := func(name string) {
		if name = strings.TrimSuffix(name, "()"); len(name) > 1 && !slices.Contains(found, name) {
			found = append(found, name)
		}
	}
	for _, text := range texts {
		if text = strings.TrimSpace(text); wholeName.MatchString(text) {
			add(text)
		}
	}
	for _, re := range []*lazyregexp.Regexp{marked, dotted, called, compound, capital} {
		for _, text := range texts {
			for _, m := range re.FindAllStringSubmatch(text, -1) {
				add(m[len(m)-1])
			}
		}
	}
	return found
}
