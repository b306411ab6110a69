package artifact

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

// A Run is a command that the server ran on what is delivered: whether it passed, and the figures that it printed.
type Run struct {
	Command string
	Passed  bool
	Figures []string
}

// notSeen stands behind what an agent says of results that the server did not see.
const notSeen = " *(an agent says so; code-intel did not see it)*"

const (
	checked = `(?:tests?|test ?cases?|specs?|suites?|test suites?|assertions?|scenarios?|checks|builds?|` +
		`compil(?:es|ation)|lint(?:s|ing|ers?)?|type[- ]?checks?|pipelines?|ci|e2e|benchmarks?|` +
		`(?:all|both|these|following|\d+)\s+(?:\w+\s+){0,2}commands)`
	passes = `(?:pass(?:es|ed|ing)?|succe(?:eds?|eded|ssful(?:ly)?))`
	isOK   = `(?:green|clean|ok|okay)`
	noErr  = `(?:without|with no|with 0|with zero|no|0|zero) (?:errors?|failures?|warnings?|regressions?)`
)

var (
	// result finds where a text says that a check went well, or how much was measured. What it captures stands
	// between the check and what is said of it.
	result = lazyregexp.MustCompile(`(?i)\b` + checked + "\\b([^.;!?\\n]{0,60}?)(?:\\b" + passes + "\\b|🟢|✅|✔|✓)|" +
		`\b` + checked + `\b[^.;!?\n]{0,60}?(?:\b(?:is|are|was|were|all|now|stays?|remains?|turned|came (?:back|` +
		`out))|[:|=(,–—])\s*` +
		"[\"'*_`]*(?:(?:all|now|still|fully|completely|again) )*" + isOK + `\b|` +
		`\b` + checked + `\s+` + isOK + `\s*(?:$|[.,;!|)])|` +
		`\b` + checked + `\b[^.;!?\n]{0,60}?(?:\s|[:|=(,–—]\s*)` + noErr + "[\"'*_`]*\\s*(?:$|[.,;:!?)|(]|and\\b)|" +
		`\b(?:pass(?:es|ed)?|ran|executed)\b:?\s+(?:all|the|both|every|our|\d+)\s+(?:\w+\s+){0,3}` + checked +
		`\s*(?:$|[.,;:!?)|(]|(?:and|again|on|in|with|for|locally|here|twice|of)\b)|` +
		`(?:^|\s|\()(?:all\s+)?\d[\d,.]*(?:\s*(?:/|of|out of)\s*\d[\d,.]*)?\s+(?:(?:of them|unit|cases?|` +
		`examples?|steps?|have|all|are)\s+){0,2}` +
		`(?:passed|passing|succeeded|green)\b|\b0 failed\b|\btests?:?\s+\d+\s*/\s*\d+|\b(?:no|zero|` +
		`0) (?:test failures|failing tests|tests? fail(?:ed|s)?|failures in \d+)\b|` +
		`(?:^|\band )(?:all|everything|it all)(?: is| are)? (?:green|pass(?:es|ed)?)\b|` +
		"(?:^|\\s)`[^`\\n]+`\\s+(?:is|was|were|are|now|all)\\s+(?:all\\s+)?(?:green|clean|passing|successful|" +
		"happy|ok)\\b|" +
		"`\\s*(?:[:=→—–]\\s*(?:ok|green|passed)|(?:exits|exited|ended) with 0)\\b|" +
		`\bcoverage\b[^.;!?\n]{0,40}?\d[\d.]*\s*(?:%|percent)|\d[\d.]*\s*(?:%|percent)\s+(?:\w+\s+){0,2}coverage\b|` +
		`(?:^[^\p{L}]*|[(:|]\s*|\b(?:was|were|been)\s+(?:\w+\s+)?)(?:approved|signed off|audited|certified|` +
		`reviewed)\s+by\s+\S|` +
		`(?:テスト|検証|ビルド|チェック|リンター?|型検査|CI)[^。\n]{0,30}(?:成功|通過|合格|グリーン|OK|通り(?:ます|ました)|通ってい(?:ます|る)|` +
		`通った\s*(?:[。、！|]|$)|エラーなし|パス(?:し|する|済|です|でした|\s*(?:[。、！|]|$)))|カバレッジ[^。\n]{0,20}\d`)
	// notResult is a sentence that tells of no result: nothing was run, or it says what should be, or what is
	// told of results.
	notResult = lazyregexp.MustCompile(`(?i)(?:\b(?:not|never|cannot|nothing|nobody|no\s+(?:tests?|checks?))|` +
		`n't)\b[^.,;:]*\b(?:run|ran|` +
		`executed|pass(?:es|ed)?)\b|` +
		`\b(?:if|when|where|until|unless|once|should|must|to make|so that|make sure|ensures? that|checks? (?:that|` +
		`whether|if)|how many|whether|number of|(?:count|report|show|print|list|hide|skip)s? (?:\w+ )?(?:passing|` +
		`passed|green|which))\b[^.,;:]*$|` +
		`実行していない|していません`)
	// otherClause is between a check and what is said of something else: "tests for passing", "commands that pass", "checks the
	// names passed".
	otherClause = lazyregexp.MustCompile(`(?i)\b(?:that|which|who|how|for|by|of|to|from|when|while|after|before|` +
		`may|can|of|on)(?:\s+(?:is|are|was|were|all|only|not))*\s+["'` + "`" + `]?$|` +
		`^\s+(?:the|a|an|its|each|every|what|which|how)\b`)
	// object follows "passes" where something is handed over, or where it is one of several outcomes, or a condition.
	object = lazyregexp.MustCompile("^\\s+(?:the|a|an|its|it|them|in|through|to|along|on|over|by|None|null|nil|" +
		"data|values?|arguments?|options?|run in|`)(?:\\s|$|\\b)|" +
		"(?i)^[\"'`]?\\s*(?:or\\b|/)|^(?:した|する|の|に)*(?:場合|とき|時|後|まで|なら|か(?:どうか)?|よう|もの)|^(?:したら|すると)")
	figure = lazyregexp.MustCompile(`\d+(?:[.,]\d+)*`)
	// inName finds figures that belong to a name: "e2e", "test_v2.py", "#12", "Python 3.12", "task 2".
	inName = lazyregexp.MustCompile(`(?i)[#a-z_][\w./-]*\d[\w./-]*|\b(?:python|node|go|php|ruby|java|jdk|rust|` +
		`windows|` +
		`version|tasks?|steps?|criteri(?:on|a)|sections?)[ -]v?\d[\d.]*`)
	// runner begins a command that checks something.
	runner = lazyregexp.MustCompile("`\\s*((?:make|npm|yarn|pnpm|npx|bun|deno|go|cargo|pytest|py\\.test|" +
		"python3?|tox|nox|uv|poetry|mvnw?|\\./mvnw|gradle|\\./gradlew|dotnet|bundle|rake|rspec|jest|vitest|mocha|" +
		"just|task|ctest|cmake|phpunit|composer|swift|mix|sbt|bazel|ruff|mypy|eslint|tsc|pre-commit)\\b[^`\\n]*)`")
	endOfSaying = lazyregexp.MustCompile(`[.!?](?:["')\]*_]*)(?:\s|$)|。|\n\s*\n`)
)

// Figures returns the numbers in the lines of a command's output that tell how checks went, each once.
func Figures(output string) (all []string) {
	for line := range strings.Lines(output) {
		if !tells.MatchString(line) {
			continue
		}
		for _, n := range figure.FindAllString(line, -1) {
			if n = strings.ReplaceAll(n, ",", ""); !slices.Contains(all, n) {
				all = append(all, n)
			}
		}
	}
	return all
}

var tells = lazyregexp.MustCompile(`(?i)pass|fail|\bok\b|test|spec|example|assert|cover|succe|warn|error`)

// Unseen marks in a text what it says of the results of checks, coverage and approvals that none of the runs shows.
func Unseen(content string, runs []Run) string {
	var b strings.Builder
	var block []string
	flush := func() {
		b.WriteString(unseenIn(strings.Join(block, ""), runs))
		block = block[:0]
	}
	fence := ""
	for line := range strings.Lines(content) {
		said := strings.TrimLeft(line, " \t>")
		marks := fenceOf(said)
		switch {
		case fence != "":
			if block = append(block, line); strings.HasPrefix(marks, fence) && strings.Trim(said, marks[:1]+" \t\r\n") == "" {
				code := strings.Join(block, "")
				b.WriteString(code)
				if result.MatchString(code) && !isSeen(code, runs) {
					b.WriteString("\n" + strings.TrimSpace(notSeen) + "\n")
				}
				fence, block = "", block[:0]
			}
		case marks != "":
			flush()
			fence, block = marks, append(block, line)
		case strings.TrimSpace(said) == "":
			flush()
			b.WriteString(line)
		default:
			if begins := said[0] == '|' || said[0] == '#' || strings.ContainsRune("-*+0123456789", rune(said[0])); begins {
				flush()
			}
			if block = append(block, line); said[0] == '|' || said[0] == '#' {
				flush()
			}
		}
	}
	flush()
	return b.String()
}

// fenceOf returns the marks with which a line opens or closes a block of code, "" if it does not.
func fenceOf(line string) string {
	if line == "" || line[0] != '`' && line[0] != '~' {
		return ""
	}
	if run := len(line) - len(strings.TrimLeft(line, line[:1])); run >= 3 {
		return line[:run]
	}
	return ""
}

// unseenIn marks the sentences of one paragraph, item, heading or row of a table.
func unseenIn(block string, runs []Run) string {
	var b strings.Builder
	for block != "" {
		end := len(block)
		if m := endOfSaying.FindStringIndex(block); m != nil {
			end = m[1]
		}
		said := block[:end]
		block = block[end:]
		if !tellsResult(said) || isSeen(said, runs) {
			b.WriteString(said)
			continue
		}
		kept := strings.TrimRight(said, " \t\r\n")
		space := said[len(kept):]
		if strings.HasPrefix(strings.TrimSpace(kept), "|") {
			kept = strings.TrimRight(strings.TrimSuffix(kept, "|"), " ")
			space = " |" + space
		}
		b.WriteString(kept + notSeen + space)
	}
	return b.String()
}

func tellsResult(said string) bool {
	const near = 300 // bytes in which a sentence says what it means
	said = strings.ReplaceAll(said, "\n", " ")
	for _, m := range result.FindAllStringSubmatchIndex(said, -1) {
		if m[2] >= 0 && otherClause.MatchString(said[m[2]:m[3]]) {
			continue
		}
		if !notResult.MatchString(said[max(0, m[1]-near):m[1]]) && !object.MatchString(said[m[1]:min(len(said), m[1]+near)]) {
			return true
		}
	}
	return false
}

// isSeen reports whether the runs passed, and printed the figures of a text; the commands in it are theirs.
func isSeen(said string, runs []Run) bool {
	if len(runs) == 0 || slices.ContainsFunc(runs, func(r Run) bool { return !r.Passed }) {
		return false
	}
	for _, m := range runner.FindAllStringSubmatch(said, -1) {
		if !slices.ContainsFunc(runs, func(r Run) bool { return strings.Contains(r.Command, strings.TrimSpace(m[1])) }) {
			return false
		}
	}
	for _, n := range figure.FindAllString(inName.ReplaceAllString(runner.ReplaceAllString(said, ""), ""), -1) {
		if n = strings.ReplaceAll(n, ",", ""); !slices.ContainsFunc(runs, func(r Run) bool { return slices.Contains(r.Figures, n) }) {
			return false
		}
	}
	return !others.MatchString(said)
}

// others are results that no command shows.
var others = lazyregexp.MustCompile(`(?i)\b(?:approved|signed off|audited|certified|reviewed)\s+by\b|` +
	`\bmanual(?:ly)?\b|\b(?:ci|pipeline)\b`)
