package artifact

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text/markdown"
)

// symbol is a name in code, qualified or not: "Parse", "artifact.Parse",
// "(*Reader).Read()", "Foo::bar", "Foo#bar". Its first group is the name itself.
var symbol = lazyregexp.MustCompile(`^(?:func |def |class |type |struct |interface |fn )?\(?[*&]?((?:[\p{L}_$][\p{L}\p{N}_$]*)(?:\)?(?:\.|::|#|->)[\p{L}_$~][\p{L}\p{N}_$]*)*[!?]?)(?:\[[^\[\]]*\])?(?:\([^` + "`" + `]*\)(?:\s*[\p{L}\p{N}_.*\[\](), ]+)?)?;?$`)

// noSymbol are words that are in backticks and are nobody's name.
var noSymbol = strings.Fields(`true false nil null none undefined void int string bool byte float any error self this super
	if else for while return func def class type struct interface const var let import export package public private static async await
	new try catch throw switch case break continue default go defer main master yes no ok and or not in is todo`)

// Mentions returns the files and the symbols that a text names in backticks,
// outside of code blocks and quotes, each once, in order. A file may carry a line
// number, which is cut off; whether a name is one is for the caller to look up.
func Mentions(text string) (files, symbols []string) {
	var names namesOf
	for _, l := range markdown.Read(text) {
		names.take(l.Text)
	}
	return names.files, names.symbols
}

// namesOf gathers the files and symbols that texts name in backticks, each once.
type namesOf struct{ files, symbols []string }

func (n *namesOf) take(text string) {
	add := func(list *[]string, name string) {
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	for _, s := range markdown.CodeSpans(text) {
		if len(s.Text) > 300 {
			continue
		}
		if likeFile(s.Text) {
			if clean, why := cleanPath(s.Text); why.IsZero() {
				add(&n.files, clean)
			}
			continue
		}
		if m := symbol.FindStringSubmatch(s.Text); m != nil {
			name := strings.ReplaceAll(m[1], ")", "")
			if len(name) > 1 && !slices.Contains(noSymbol, strings.ToLower(name)) {
				add(&n.symbols, name)
			}
		}
	}
}

var (
	// unchanged finds what a plan says of files that it does not change.
	unchanged = lazyregexp.MustCompile(`(?i)\b(?:unchanged|untouched|unaffected|out of scope|not in scope` +
		`|as (?:it is|they are|is)|` +
		`(?:no|without(?: any)?|needs? no) (?:code )?(?:changes?|edits?)|` +
		`(?:not|n['’]t|never|nor) (?:be |have to |need to |to )?(?:change[ds]?|touch(?:ed)?|edit(?:ed)?|modif(?:y` +
		`|ied)|affected))\b|` +
		`(?:変更|修正)(?:は|を)?(?:しない|せず|不要|なし|無し|ない|必要ない|の?必要(?:は|が)?ない)|そのまま|対象外|変えない|触らない|触れない`)
	// apart is where what a plan says of one file ends.
	apart = lazyregexp.MustCompile(`[;；。]|\.\s|\s(?:but|while|whereas|because|since)\s|[–—]`)
)

// Planned returns the files that a design names as [Mentions] does, without those of which it
// says nothing but that they stay as they are. If it says so of all, it returns all.
func Planned(text string) []string {
	var planned, all namesOf
	level := 0 // of the heading below which nothing changes; 0: there is none
	for _, l := range markdown.Read(text) {
		all.take(l.Text)
		stays := unchanged.MatchString(l.Text)
		if l.Level > 0 && (level == 0 || l.Level <= level) {
			if level = 0; stays {
				level = l.Level
			}
		}
		if level > 0 {
			continue
		}
		from := 0
		for _, end := range append(apart.FindAllStringIndex(l.Text, -1), []int{len(l.Text), len(l.Text)}) {
			if part := l.Text[from:end[0]]; !stays || !unchanged.MatchString(part) {
				planned.take(part)
			}
			from = end[1]
		}
	}
	if len(planned.files) == 0 {
		return all.files
	}
	return planned.files
}

// MarkedNew reports whether a text says of a name somewhere that it is new, behind the name or
// behind the code that holds it: a signature.
func MarkedNew(text, name string) bool {
	for line := range strings.Lines(text) {
		before, after, ok := strings.Cut(line, name)
		if !ok {
			continue
		}
		places := []string{after}
		if _, behindCode, closed := strings.Cut(after, "`"); closed && strings.Count(before, "`")%2 == 1 {
			places = append(places, behindCode)
		}
		for _, behind := range places {
			behind = strings.ToLower(strings.TrimLeft(behind, "`)* "))
			if strings.HasPrefix(behind, "(new") || strings.HasPrefix(behind, "（新") || strings.HasPrefix(behind, "(新") {
				return true
			}
		}
	}
	return false
}

var (
	// takesAway is before the name of what a plan renames or removes, and isTakenAway behind it.
	takesAway = lazyregexp.MustCompile(`(?i)(?:\b(?:renam|remov|delet|dropp?|mov|replac|inlin|split)(?:e|es|ed` +
		`|ing|s)?\s+)(?:(?:the|our|exported|public|old|type|struct|class|interface|enum|trait|record|name|all` +
		`|of)\s+)*[*_]*$`)
	isTakenAway = lazyregexp.MustCompile(`(?i)^[*_]*\s*(?:(?:type|struct|class|interface|enum|trait|record)\s+)?(?:(?:is|are|gets?|was|will be|to be|must be|should be|becomes?)\s+(?:now\s+)?(?:(?:called|named|renamed|gone|replaced)\b|[*_]*` + "`" + `|(?:removed|deleted|dropped|moved)\b(?:\s+(?:to|into|with|by|here|now|together)\b|\s*(?:[.,;:)]|$)))|(?:→|⇒|->|=>)\s*` + "`" + `|(?:を|の名前を|は)[^。]{0,40}(?:改名|改称|リネーム|名前を?変|廃止|置き換)|(?:を|は)(?:削除|移動)(?:する)?(?:[。、]|$))`)
	// ofOthers is behind the name of what only something else loses, or that changes its place in a file.
	ofOthers = lazyregexp.MustCompile(`(?i)^[*_]*\s+(?:from|off|out of|up|down|above|below|before|behind)\b`)
)

// GoesAway reports whether a text says of a symbol that its name is there no more afterwards: it
// is renamed, removed or moved.
func GoesAway(text, symbol string) bool {
	for line := range strings.Lines(text) {
		for _, s := range markdown.CodeSpans(line) {
			if s.Text == symbol && (takesAway.MatchString(line[:s.Start]) && !ofOthers.MatchString(line[s.End:]) || isTakenAway.MatchString(line[s.End:])) {
				return true
			}
		}
	}
	return false
}
