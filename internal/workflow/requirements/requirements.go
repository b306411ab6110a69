package requirements

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text/terms"
)

var (
	// apart is what of a request in Markdown asks for nothing: code, quotations, comments,
	// headings, tables, addresses, and the lines that end messages of commits.
	apart = lazyregexp.MustCompile("(?ms)^[ \t]*(?:```|~~~).*?(?:^[ \t]*(?:```|~~~)[ \t]*$|\\z)|<!--.*?-->|" +
		`(?-s)^[ \t]*(?:>|#{1,6} |\||at |File "|Traceback |-{3,}|={3,}|\*\*[^*]+\*\*:?[ \t]*$).*$|` +
		`^[A-Z][\w-]*-[Bb]y: .*$|^\W*(?i:fixes|closes|resolves|refs?|see also|related to|part of)?:?[ \t]*(?:#|` +
		`GH-|https?://)\S+[ \t]*$|https?://\S+`)
	// sentence finds where one requirement ends and the next begins.
	sentence = lazyregexp.MustCompile(`[.!?;](?:\s+|$)|[。！？；\n]+`)
	marker   = lazyregexp.MustCompile(`^\s*(?:[-*+•・]|\(?\d{1,2}[.)）]|[（(]?[a-z][.)])(?:\s+(?:\[[ xX]\]\s+)?|$)`)
	clause   = lazyregexp.MustCompile(`(?i),?\s+(?:and(?: also| then)?|as well as)\s+|,\s+(?:then|also)\s+|、?(?:また|そして|および|ならびに|それから|さらに|加えて)、?`)
	// goesOn finds what is not a requirement without the words before it.
	goesOn      = lazyregexp.MustCompile(`(?i)^(?:else|otherwise|or|but|unless|if|when|while|where|because|since|so|which|that|who|whose|e\.g|i\.e|for example|for instance|such as|like|including|except|instead|not|with|without|in|on|of|to|from|by|at|as)\b`)
	abbreviated = lazyregexp.MustCompile(`(?i)\b(?:i\.e|e\.g|etc|cf|vs|resp|approx)\.$`)
	// wanted finds what says that something is to be.
	wanted = lazyregexp.MustCompile(`(?i)\b(?:should|must|shall|needs? to|has to|have to|ought to|want|wish|would like|would be (?:nice|good|great|useful|helpful)|please|let's)\b|` +
		`べき|ほしい|欲しい|ください|下さい|こと[。.]?$|ように|必要|たい[。.]?$|して[。.]?$`)
	// offer finds what somebody would do themselves.
	offer = lazyregexp.MustCompile(`(?i)\b(?:i|we)(?:'d| would)? (?:like|love|want|be happy) to (?:work|help|contribute|know|thank|open|submit)\b`)
	// given finds what tells how things are.
	given = lazyregexp.MustCompile(`(?i)^(?:currently|now|today|at the moment|right now|at present|so far|until now|previously|before|because|since|this (?:is|was|happens|means|causes?)|it (?:is|was|seems|looks|happens|turns|used)|there (?:is|are|was|were)|i(?:'m| am| have| had| was| think| tried| found| noticed| get| got| see)|we (?:have|had|are|were|got|get|see)|thanks|thank you|hi|hello|note that|however|found by|similar to|relate[sd] to|for (?:example|instance|reference|context)|\w+ (?:now|currently))\b|` +
		`\b(?:was|were|had|did|been|used to|seems?|i'm|i've|i think)\b|` +
		`^(?:the|an?|it|(?:call|pass|us|giv)ing) [^,:;]*\b(?:raised|threw|returned|stored|gave|produced|evaluated to|printed|accepted|dropped|lost|caused|crashed with|failed with)\s+(?:an?|the|no|nil|none|null|nothing|\w*(?:error|exception)|-?\d+)\b|` + `n't\b|\bis (?:not|never|in fact)\b|` +
		`^(?:現在|今は|いまは|これまで|以前は)|(?:している|していた|である|でした|です|ます|ました)[。.]?$`)
)

var (
	// burden finds what people have to do as things are: "today they have to type it twice".
	burden = lazyregexp.MustCompile(`(?i)^((?:currently|today|at the moment|right now|at present|so far|until now),?\s[^,:(]*?)\b(?:has to|have to|needs? to|must)\b|` +
		`^((?:現在|今|いま|これまで)は?、?[^、。が]*?)必要`)
	// stays finds what is asked not to be done.
	stays = lazyregexp.MustCompile(`(?i)^(?:and |but )?(?:nothing|no (?:other |public )?\w+) (?:else )?(?:(?:may|must|should|will|shall) )?changes?\b|` +
		`\b(?:stays?|remains?|is kept|are kept|be kept|left)\b (?:as (?:it|they) (?:is|are|was|were)|unchanged|the same|untouched)\b|` +
		`\b(?:do(?:es)?|must|should|may|shall) not change\b|(?:変えない|変わらない|そのまま|変更しない)(?:こと|ように|で|に)?(?:する|してください|ください)?[。.]?$`)
	turns = lazyregexp.MustCompile(`(?i)\b(?:but|however|instead|yet|rather)\b`)
)

// requesting are verbs that a requirement may begin with, beside [commands].
var requesting = strings.Fields(`
	accept apply assert avoid break bring cache call capture catch check close compute configure copy count cover declare
	default define detect document emit encode escape expose export fail fall fetch filter format generate give guard hide
	honor honour ignore import include increase decrease initialise initialize install keep leave let limit list load log
	lower mark match mention note omit open parse pass preserve print provide publish raise read recognise recognize
	redirect refuse register render repair report require reset resolve respect retry return reuse run save say send set
	show skip sort start stop store stub test throw treat trim truncate try turn use validate verify wait warn wrap write`)

// few is how many sentences a request may have in which everything counts as a requirement that
// does not tell how things are: longer ones tell a story.
const few = 4

// minTerms is how many words of meaning make a clause of Japanese a requirement of its own.
const minTerms = 3

// IsStory reports whether a request is so long that it tells more than it asks for.
func IsStory(request string) bool { return len(sentences(normalizeLines(request))) > few }

func normalizeLines(request string) string {
	return apart.ReplaceAllString(strings.ReplaceAll(request, "\r", ""), "\n")
}

// Split cuts a request into its requirements: sentences, list items and clauses. What only goes
// on ("else http") or is a word or two ("total and tax") stays with what is before it.
// Code, quotations and, in long texts, what tells how things are is left out.
func Split(request string) (requirements []string) {
	lines := sentences(normalizeLines(request))
	long := len(lines) > few
	listed := false // the list that the line is an item of holds requirements
	for _, s := range lines {
		item := marker.MatchString(s)
		s = strings.TrimSpace(marker.ReplaceAllString(s, ""))
		ok := isRequirement(s, long && (!item || !listed))
		listed = ok && (item || strings.HasSuffix(s, ":")) || item && listed
		if ok {
			requirements = append(requirements, clauses(s)...)
		}
	}
	if len(requirements) == 0 && len(lines) > 0 { // the first of a story says what it is about
		requirements = clauses(lines[0])
	}
	return slices.DeleteFunc(requirements, func(w string) bool { return len(terms.Query(w)) < 2 && len(requirements) > 1 })
}

// sentences cuts a text into sentences and list items. Lines that only wrap are joined, and
// so is what goes on after a semicolon.
func sentences(text string) (list []string) {
	var lines []string
	for l := range strings.SplitSeq(text, "\n") {
		last := len(lines) - 1
		if r := []rune(strings.TrimSpace(l)); last >= 0 && lines[last] != "" && len(r) > 0 && !marker.MatchString(l) &&
			(unicode.IsLower(r[0]) || len(lines[last]) > 60 && !japanese(r[0])) {
			lines[last] += " " + strings.TrimSpace(l)
			continue
		}
		lines = append(lines, strings.TrimSpace(l))
	}
	for _, l := range lines {
		mark := marker.FindString(l)
		for l = l[len(mark):]; l != ""; {
			end := len(l)
			if at := sentence.FindStringIndex(l); at != nil {
				end = at[1]
			}
			s := strings.TrimSpace(l[:end])
			l = l[end:]
			switch last := len(list) - 1; {
			case strings.Trim(s, ".!?;。！？；") == "":
			case mark == "" && last >= 0 && (goesOn.MatchString(s) || abbreviated.MatchString(list[last])):
				list[last] += " " + s
			default:
				list = append(list, mark+s)
				mark = ""
			}
		}
	}
	return list
}

// isRequirement reports whether a sentence asks for something: in a story, whether it says so.
func isRequirement(s string, story bool) bool {
	if !turns.MatchString(s) {
		s = burden.ReplaceAllString(s, "$1$2")
	}
	switch {
	case strings.HasSuffix(s, "?"), strings.HasSuffix(s, "？"):
		return isImperative(s)
	case offer.MatchString(s), stays.MatchString(s) && !isImperative(s):
		return false
	case wanted.MatchString(s), strings.ContainsFunc(s, japanese) && changeJA.MatchString(s):
		return true
	case given.MatchString(s):
		return false
	}
	return !story || isImperative(s)
}

// isImperative reports whether a text begins with a verb that asks for something.
func isImperative(s string) bool {
	words := strings.Fields(strings.ToLower(s))
	for len(words) > 0 && slices.Contains(before, words[0]) {
		words = words[1:]
	}
	return len(words) > 1 && (slices.Contains(commands, words[0]) || slices.Contains(requesting, words[0]))
}

// clauses cuts a sentence where a requirement of its own begins.
func clauses(s string) (list []string) {
	last := ""
	for _, c := range clause.Split(strings.TrimRight(s, ".!?;:。！？；： "), -1) {
		c = strings.Trim(c, " \t、,")
		own := isImperative(c) || wanted.MatchString(c) || strings.ContainsFunc(c, japanese) &&
			len(terms.Query(c)) >= minTerms
		switch {
		case c == "":
		case last != "" && (!own || len(subjectWords(c)) < 2):
			last += " " + c
		default:
			if last != "" {
				list = append(list, last)
			}
			last = c
		}
	}
	if last != "" {
		list = append(list, last)
	}
	return list
}

// sameStem is how many letters two words share at their beginning if they are of one stem.
const sameStem = 5

// Unmet returns the requirements that the texts of a plan do not speak of: they say no word that
// tells the requirement from the others, and less than half of all its words. Words of another
// script than the requirement's say nothing: Japanese requirements met by English texts are not told
// apart, and count as met; so does a requirement of nothing but general words.
func Unmet(requirements []string, texts []string) (unmet []string) {
	said, all := saidBy(texts)
	for i, w := range requirements {
		if strings.ContainsFunc(w, japanese) && !all {
			continue
		}
		words, others := subjectWords(w), subjectWords(strings.Join(slices.Concat(requirements[:i], requirements[i+1:]), "\n"))
		met, own := 0, false
		for _, t := range words {
			if said[t] || said[stem(t)] {
				met++
				own = own || !slices.Contains(others, t)
			}
		}
		if len(words) > 0 && !own && 2*met < len(words) {
			unmet = append(unmet, w)
		}
	}
	return unmet
}

// Names reports whether a requirement holds the word that a task is called by: "add must refuse negative
// prices" is about the task "add".
func Names(requirement, id string) bool {
	return len(id) > 2 && slices.Contains(strings.FieldsFunc(strings.ToLower(requirement), func(r rune) bool { return !wordRune(r) }),
		strings.ToLower(id))
}

// Undone returns those of the requirements of which a change has less than half of the
// words: it says so much that one word proves nothing.
func Undone(requirements []string, change string) []string {
	said, all := saidBy([]string{change})
	return slices.DeleteFunc(slices.Clone(requirements), func(w string) bool {
		words := subjectWords(w)
		met := 0
		for _, t := range words {
			if said[t] || said[stem(t)] {
				met++
			}
		}
		return 2*met >= len(words) || strings.ContainsFunc(w, japanese) && !all
	})
}

// saidBy returns the words of texts, and whether there is Japanese in them.
func saidBy(texts []string) (said map[string]bool, inJapanese bool) {
	said = make(map[string]bool)
	for _, text := range texts {
		inJapanese = inJapanese || strings.ContainsFunc(text, japanese)
		for _, t := range terms.Query(text) {
			said[t], said[stem(t)] = true, true
		}
	}
	return said, inJapanese
}

// stem is the beginning of a word, of which others of its family are too.
func stem(t string) string { return t[:min(len(t), sameStem)] }

// subjectWords are the words of a text that say what it is about.
func subjectWords(text string) []string {
	return slices.DeleteFunc(terms.Query(text), func(t string) bool {
		return slices.Contains(generic, t) || slices.Contains(commands, t) || strings.Trim(t, "0123456789") == ""
	})
}

// generic are words that an item may consist of and still say nothing of what will be
// there.
var generic = strings.Fields(`
	a above according all and any are as asked be been been carried change changed changes code complete completed correct
	correctly desired do does done everything expected feature finish finished fix fixed for fulfilled functionality goal good
	has have implement implementation implemented implements in is issue it job made of ok per please problem ready request
	requested requirement requirements resolved satisfied solved something specified task tasks that the there thing things
	this to user was were what wish work works working
	also can could may must out shall should will would`)

var genericJA = lazyregexp.MustCompile(`^(?:依頼|要求|要望|作業|タスク|実装|変更|対応|機能|内容|修正|指示|すべて|全て|全部|[のをはがにも]|通り|どおり|とおり|完了|実現|終了|済み|済|され|して|する|した|しました|ている|いる|こと|[。、 ])+$`)

// Vague reports whether an item of a checklist says only that the work is done.
func Vague(item string) bool {
	if strings.ContainsFunc(item, japanese) {
		return genericJA.MatchString(item)
	}
	words := strings.FieldsFunc(strings.ToLower(item), func(r rune) bool { return !wordRune(r) })
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(generic, w) })
}

// thought finds an item that promises no more than a thought: "cart.py: look into the rounding".
var thought = lazyregexp.MustCompile(`(?i)^(?:[\w./-]+:\s*)?(?:(?:look(?:s|ing)? into|investigat(?:e|es|ing)|think(?:s|ing)? about|get ready (?:for|to)|` +
	`figure out|find out|discuss(?:es|ing)?|see (?:if|whether)|decid(?:e|es|ing) (?:if|whether|how)|consider(?:s|` +
	`ing)? (?:if|whether|how|\w+ing)|plan(?:s|ning)? (?:to|how))\b|` +
	`prepar(?:e|es|ing)(?: [\w./()-]+){0,3} (?:for \w+ing\b|to\b))|(?:を|について)?(?:検討|調査|準備)(?:する|を行う|しておく)?[。]?$|` +
	`を調べる[。]?$`)

// Thought reports whether an item of a checklist promises to think of something, or to make ready for
// it, where the request wants it done.
func Thought(item, request string) bool {
	m := thought.FindString(item)
	if m == "" {
		return false
	}
	_, said, ok := strings.Cut(m, ":")
	if !ok {
		said = m
	}
	verb := stem(strings.ToLower(strings.TrimSpace(said)))
	if r := []rune(strings.TrimLeft(m, "をについて")); japanese(r[0]) {
		verb = string(r[:min(2, len(r))])
	}
	return !strings.Contains(strings.ToLower(request), verb)
}

// paired finds two files that a request names together.
var paired = lazyregexp.MustCompile(`([\w./-]*\w\.\w{1,8})[` + "`" + `"']?(?:,? and |, ?| ?& ?| ?と ?|、)[` + "`" + `"']?([\w./-]*\w\.\w{1,8})\b`)

// Left returns a file that a request names together with another, and of which a plan says nothing
// although it names the other one; there tells which files there are.
func Left(request string, texts []string, there func(file string) bool) string {
	said := strings.Join(texts, "\n")
	for _, m := range paired.FindAllStringSubmatch(request, -1) {
		if !there(m[1]) || !there(m[2]) {
			continue
		}
		first, second := strings.Contains(said, path.Base(m[1])), strings.Contains(said, path.Base(m[2]))
		switch {
		case first && !second:
			return m[2]
		case second && !first:
			return m[1]
		}
	}
	return ""
}

// placed finds a file that a request wants something done in, and the word before that; aside finds what only
// points to a file.
var (
	placed = lazyregexp.MustCompile(`(?i)\b(in|into|to|from|update|change|edit|extend|fix|delete|remove|rename)\s+` +
		`(?:the\s+)?(?:file\s+)?[` + "`" + `"']?((?:[\w.-]+/)*[\w-][\w.-]*\.\w{1,8})\b`)
	aside = lazyregexp.MustCompile(`(?i)\b(?:re)?us(?:e|es|ing)\b|\b(?:call|with|like|as|via|import|see|per|than|by)(?:s|ed|ing)?\b` +
		`|\b(?:\w+ed|shown|found|is|are|was|lives|according|similar|due|refers?)\s*$`)
	moves = lazyregexp.MustCompile(`(?i)\b(?:mov|extract|split|shift|relocat|pull)\w*`)
)

// LeftAlone returns the files of a project that a request wants something done in, and that a change leaves as
// they are although it changes another file that the request names.
func LeftAlone(request string, changed []string, there func(file string) bool) (files []string) {
	named := func(file string) bool { return strings.Contains(request, path.Base(file)) }
	if !slices.ContainsFunc(changed, named) {
		return nil
	}
	end := 0
	for _, m := range placed.FindAllStringSubmatchIndex(request, -1) {
		verb, file, before := strings.ToLower(request[m[2]:m[3]]), request[m[4]:m[5]], request[end:m[2]]
		before, end = before[strings.LastIndexAny(before, ",.;:\n")+1:], m[5]
		same := func(c string) bool { return c == file || strings.HasSuffix(c, "/"+file) }
		if aside.MatchString(before) || verb == "from" && !moves.MatchString(before) ||
			slices.ContainsFunc(changed, same) || slices.Contains(files, file) || !there(file) {
			continue
		}
		files = append(files, file)
	}
	return files
}

func wordRune(r rune) bool {
	return r == '_' || r == '\'' || r >= '0' && r <= '9' || r > 127 || r >= 'a' && r <= 'z'
}
