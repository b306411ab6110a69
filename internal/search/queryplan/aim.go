package queryplan

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/op"
	"codeintel/internal/syntax"
)

// The tools that only an aim plans.
const (
	impactOf   = string(op.AnalyzeImpact)
	functionAt = string(op.GetFunctionAtLine)
	fileNames  = string(op.SearchFiles)
	fileLinks  = string(op.FileDependencies)
)

// An aim is what a question asks for outright: the callers of a name, the files of a
// name, what is at a line. The zero Aim is none: the question is in words about
// something, and the plan follows from its intent.
type aim struct {
	Kind   AimKind
	Target string // the name, path, glob or text that is asked about
	Line   int    // of a place
}

// An AimKind is a kind of question that one tool answers.
type AimKind string

// The kinds of aims.
const (
	NoAim          AimKind = ""
	Callers        AimKind = "callers"      // who calls, uses or imports a name
	Implementers   AimKind = "implementers" // which types implement, extend or include one
	Impact         AimKind = "impact"       // what a change of it would touch
	TestsOf        AimKind = "tests"        // which tests are of it
	AtLine         AimKind = "function"     // what is at a line of a file
	FilesNamed     AimKind = "files"        // which files have a name
	ImportsOf      AimKind = "imports"      // what a file imports
	ImportersOf    AimKind = "importers"    // what imports a file
	DefinitionOf   AimKind = "definition"   // where a name is defined, what it is
	OutlineOf      AimKind = "outline"      // what a file or type declares
	StructureOf    AimKind = "structure"    // what a folder holds
	TextOccurrence AimKind = "text"         // where a text is
)

// tools are what answers an aim, the tool that answers it by itself first.
func (k AimKind) tools() []string {
	switch k {
	case Callers, Implementers:
		return []string{references, definitions}
	case Impact, TestsOf:
		return []string{impactOf}
	case AtLine:
		return []string{functionAt}
	case FilesNamed:
		return []string{fileNames}
	case ImportsOf, ImportersOf:
		return []string{fileLinks}
	case TextOccurrence:
		return []string{textSearch}
	case DefinitionOf:
		return []string{definitions}
	case OutlineOf:
		return []string{symbols}
	case StructureOf:
		return []string{structure}
	}
	return nil
}

// Pieces of the patterns of aims. A name may have what it is before it.
const (
	nounEN  = `(?:function|method|class|type|struct|interface|trait|variable|constant|field|symbol|module|package|file|component|hook|macro|enum|property|decorator|helper)`
	nameEN  = "(?:the\\s+|a\\s+|an\\s+|our\\s+|this\\s+)?(?:" + nounEN + "\\s+)?[`'\"“]?([A-Za-z_$@~.][\\w$@.:#/*<>-]*(?:\\(\\))?)"
	nameJA  = "[`「『\"]?([A-Za-z_$@~.][\\w$@.:#/*-]*(?:\\(\\))?)[`」』\"]?\\s*(?:という|の)?(?:関数|メソッド|クラス|型|構造体|ファイル|モジュール|フォルダー?|ディレクトリ|パッケージ|変数|定数|シンボル)?\\s*"
	quoteEN = `(?:"([^"\n]{2,120})"|“([^”\n]{2,120})”|'([^'\n]{2,120})'|` + "`([^`\n]{2,120})`" + `)`
	change  = `(?:change[ds]?|changing|modif(?:y|ied|ies|ying)|edit(?:ed|s|ing)?|remov(?:e[ds]?|ing)|delet(?:e[ds]?|ing)|renam(?:e[ds]?|ing)|touch(?:ed|ing)?|refactor(?:ed|ing)?|rewrit(?:e|ten|ing)|mov(?:e[ds]?|ing)|drop(?:ped|ping)?)`
	changeJ = `(?:変更|修正|削除|改名|リネーム|移動|編集|変え|消|直)`
)

// An aimRule recognises one way to ask. The first group that matched is the target.
type aimRule struct {
	kind AimKind
	re   *lazyregexp.Regexp
}

func aimPattern(kind AimKind, pattern string) aimRule {
	return aimRule{kind, lazyregexp.MustCompile(`(?i)` + pattern)}
}

// aimRules are tried in order.
var aimRules = []aimRule{
	aimPattern(Impact, `\b(?:what|which|who|anything|everything)\b[^?]*\b(?:breaks?|broken|happens?|(?:is|are|be|gets?) (?:affected|impacted|touched)|affected|needs? (?:to change|changing|updating))\b[^?]*\b(?:if|when|by|after)\b[^?]*?\b`+change+`\s+`+nameEN),
	aimPattern(Impact, `\bwhat\b[^?]*\b(?:would|will|could|does|might)\s+`+change+`\s+`+nameEN+`[^?]*\b(?:break|affect|impact|touch)`),
	aimPattern(Impact, `\b(?:impact|effects?|consequences?|blast radius|ripple effects?)\s+(?:of|on)\s+(?:a change (?:to|in|of)\s+|`+change+`\s+)?`+nameEN),
	aimPattern(Impact, `\b(?:safe(?:ly)?|risky|dangerous|can i|can we)\b[^?]*?\b`+change+`\s+`+nameEN),
	aimPattern(Impact, `\b(?:what|which|who)\b[^?]*\b(?:depends?|rel(?:y|ies)|hinges?)\s+(?:up)?on\s+`+nameEN),
	aimPattern(Impact, nameJA+`を`+changeJ+`[^、。？?]*(?:影響|壊れ|どう|何が|何を|どこ|大丈夫|問題)`),
	aimPattern(Impact, nameJA+`の?(?:`+changeJ+`の?|改修の?)?(?:影響|依存先|依存元)`),
	aimPattern(Impact, nameJA+`に依存`),

	aimPattern(TestsOf, `^(?:\s*(?:which|what|where|list|show|find)\b.*?)?\btests?\s+(?:for|of|cover(?:s|ing)?|exercis(?:es?|ing)|check(?:s|ing)?|that (?:cover|exercise|test|check|use|call)s?|test|use|call)\s+`+nameEN),
	aimPattern(TestsOf, `\b(?:where|how)\s+(?:is|are)\s+`+nameEN+`\s+tested\b`),
	aimPattern(TestsOf, `\b(?:what|which\s+\w+|who)\s+tests?\s+`+nameEN),
	aimPattern(TestsOf, nameJA+`(?:の|を|に対する|用の)(?:単体|ユニット)?テスト(?:している|する)?(?:は|コード|を|が|一覧|ファイル|$|[?？])`),

	aimPattern(FilesNamed, `\bfiles?\s+(?:named|called|matching|whose names?\s+\w+|with (?:the )?(?:name|extension|suffix)|ending (?:in|with)|like)\s+[`+"`"+`'"“]?([\w.*?{},/\[\]-]*[\w*}\]])`),
	aimPattern(FilesNamed, `\b(?:where(?:'s| is| are)|find|locate|show|open|list)\s+(?:me\s+)?(?:all\s+)?(?:the\s+)?(?:files?\s+)?[`+"`"+`'"]?((?:[\w.-]+/)*[\w*.-]*\.[A-Za-z]\w{0,5}|(?:[\w.*-]+/)*\*[\w.*/-]+)[`+"`"+`'"]?(?:\s+files?)?\s*[?.]?\s*$`),
	aimPattern(FilesNamed, "[`「『\"]?([\\w.*/-]*[\\w*])[`」』\"]?\\s*(?:という名前|という|というな)の?ファイル"),
	aimPattern(FilesNamed, "(?:名前|ファイル名)(?:に|が)\\s*[`「『\"]?([\\w.*/-]*[\\w*])[`」』\"]?\\s*(?:を含む|の|で)"),
	aimPattern(FilesNamed, "[`「『\"]?([\\w./-]*\\.[A-Za-z]\\w{0,5})[`」』\"]?\\s*(?:ファイル)?(?:は|って)(?:どこ|どの)"),

	aimPattern(ImportsOf, `\bwhat\s+(?:does|do|modules?\s+does|packages?\s+does)\s+`+nameEN+`\s+(?:import|include|require)\b`),
	aimPattern(ImportsOf, `\bimports\s+(?:of|in)\s+`+nameEN),
	aimPattern(ImportsOf, nameJA+`(?:が|は)[^、。]*(?:何を)?(?:インポート|読み込|import)して`),

	aimPattern(Implementers, `\b(?:who|what|which(?:\s+\w+){1,2}|find\s+(?:all\s+)?(?:\w+\s+)?(?:that|which)|everything\s+that|all\s+\w+\s+that)\s+(?:else\s+)?(?:all\s+)?(?:implements?|extends?|inherits?\s+from|derives?\s+from|subclass(?:es)?|mix(?:es)?\s+in|includes?)\s+`+nameEN),
	aimPattern(Implementers, `\b(?:implementations?|implementers?|implementors?|implementing\s+\w+|subclass(?:es)?|subtypes?|derived\s+(?:classes|types)|descendants)\s+(?:of|for)\s+`+nameEN),
	aimPattern(Implementers, nameJA+`を\s*(?:(?:どの\S*?|どれ)が\s*)?(?:実装して|実装する|継承して|継承する|継承した|実装した)`),

	aimPattern(Callers, `\b(?:who|what|which(?:\s+\w+){1,2}|where\s+do\s+(?:we|they|others)|find\s+(?:all\s+)?(?:\w+\s+)?(?:that|which)|everything\s+that|all\s+\w+\s+that)\s+(?:else\s+)?(?:all\s+)?(?:calls?|uses?|invokes?|references?|refers?\s+to|mentions?|consumes?|overrides?|implements?|extends?|inherits?\s+from|subclass(?:es)?|instantiates?|constructs?|imports?|includes?|requires?|reads?|writes?(?:\s+to)?|sets?|assigns?)\s+`+nameEN),
	aimPattern(Callers, `\bwhere\s+(?:else\s+)?(?:is|are|does|do)\s+`+nameEN+`(?:\s+`+nounEN+`)?\s+(?:get\s+|being\s+)?(?:ever\s+)?(?:called|used|invoked|referenced|instantiated|imported|assigned|set|read|implemented by|overridden|constructed|mentioned)\b`),
	aimPattern(Callers, `\b(?:callers?|users?|usages?|uses|references?|call\s?sites?|consumers?|invocations?|implementations?|implementers?|implementors?|subclasses|overrides?|importers?)\s+(?:of|to|for)\s+`+nameEN),
	aimPattern(Callers, `\b(?:is|are)\s+`+nameEN+`\s+(?:\w+\s+)?(?:used|called|referenced|dead code|unused)\b`),
	aimPattern(Callers, `\b(?:how many|in how many)\s+(?:\w+\s+)?(?:places|files|functions|callers)\s+(?:\w+\s+)?(?:use|call|reference|have|import)s?\s+`+nameEN),
	aimPattern(Callers, nameJA+`(?:を|の|が)\s*(?:(?:どこ|誰|だれ|どれ|どの\S*?)(?:で|から|が|に)?)?\s*(?:呼び出し元|呼び出し|呼び出され|呼ばれ|呼んで|呼ぶ|使って|使われ|使用|利用|参照|実装して|継承して|インポートして|使う)`),
	aimPattern(Callers, nameJA+`は(?:どこ|誰|だれ|どの\S*?)(?:で|から|に|が)\s*(?:呼|使|利用|参照|インポート|実装され|継承)`),

	aimPattern(OutlineOf, `\b(?:what|which|list|show|all)\b[^?]*\b(?:functions?|methods?|classes|types|symbols|exports|members|fields|properties|declarations)\b[^?]*\b(?:in|of|inside|does|from)\s+`+nameEN),
	aimPattern(OutlineOf, `\b(?:outline|symbols|table of contents)\s+(?:of|in|for)\s+`+nameEN),
	aimPattern(OutlineOf, `\bwhat\s+(?:does|is)\s+`+nameEN+`\s+(?:declare|define|export|expose|contain)\b`),
	aimPattern(OutlineOf, nameJA+`(?:にある|の|が持つ|で定義されている)(?:関数|メソッド|クラス|シンボル|メンバー?)(?:の)?(?:一覧|リスト|は|を)`),

	aimPattern(DefinitionOf, `\bwhere(?:'s| is| are| do we| does\s+\w+)?\s+`+nameEN+`(?:\s+`+nounEN+`)?\s+(?:get\s+)?(?:defined?|declared?|implemented|located|come from|live)\b`),
	aimPattern(DefinitionOf, `\bwhere\s+(?:do|does|did)\s+(?:we|they|i)\s+(?:define|declare|implement)\s+`+nameEN),
	aimPattern(DefinitionOf, `\b(?:which|what)\s+(?:file|module|package|class)\s+(?:defines?|declares?|implements?|contains?|has)\s+`+nameEN),
	aimPattern(DefinitionOf, `\b(?:definition|declaration|signature|source(?: code)?|implementation|body|code)\s+(?:of|for)\s+`+nameEN),
	aimPattern(DefinitionOf, `^\s*(?:go to|jump to|show(?: me)?|open|find)\s+`+nameEN+`\s*[?.!]?\s*$`),
	aimPattern(DefinitionOf, nameJA+`(?:の|は|が)?\s*(?:どこで|どこに)?\s*(?:定義|宣言|シグネチャ|ソースコード|中身|実装箇所|実装は|実装を)`),
	aimPattern(DefinitionOf, nameJA+`(?:は|って)(?:どこ|どのファイル)(?:に(?:ある|あり)|で(?:定義|宣言)|[?？]|$|です)`),

	aimPattern(StructureOf, `\b(?:structure|layout|overview|organi[sz]ation|contents?|tree)\s+of\s+(?:the\s+)?[`+"`"+`'"]?([\w./-]+)`),
	aimPattern(StructureOf, `\bwhat(?:'s| is| are| lies| lives)\s+in(?:side)?\s+(?:the\s+)?[`+"`"+`'"]?([\w.-]+(?:/[\w.-]*)*)[`+"`"+`'"]?\s+(?:folder|directory|package|dir|module)\b`),
	aimPattern(StructureOf, `\bwhat(?:'s| is| lies| lives)\s+in(?:side)?\s+[`+"`"+`'"]?((?:[\w.-]+/)+[\w.-]*)`),
	aimPattern(StructureOf, `\bhow\s+(?:is|are)\s+(?:the\s+|this\s+)?(?:()(?:whole\s+)?(?:project|repo(?:sitory)?|code ?base|code)|[`+"`"+`'"]?([\w.-]+(?:/[\w.-]*)*)[`+"`"+`'"]?(?:\s+(?:folder|directory|package))?)\s+(?:structured|organi[sz]ed|laid out|arranged)\b`),
	aimPattern(StructureOf, nameJA+`(?:の|には?)(?:構成|構造|中身|何があ|なにがあ)`),
	aimPattern(StructureOf, `()(?:プロジェクト|リポジトリ|コードベース|全体)の(?:構成|構造|レイアウト|全体像)`),

	aimPattern(TextOccurrence, `\b(?:texts?|strings?|messages?|literals?|phrases?|comments?|words?|errors?|warnings?|lines?|logs?|grep|occurrences?|appears?|occurs?|comes? from|says?|contain(?:s|ing)?|printed|written|raised|search)\b[^"“'`+"`"+`]*`+quoteEN),
	aimPattern(TextOccurrence, `^\s*where\b[^"“]*`+`(?:"([^"\n]{2,120})"|“([^”\n]{2,120})”)`),
	aimPattern(TextOccurrence, `\b(?:grep(?:\s+for)?|occurrences of)\s+`+nameEN),
	aimPattern(TextOccurrence, `\b(?:list|find|show|which|what|where|any|all)\b[^?]*\b(TODO|FIXME|XXX|HACK)s?\b`),
	aimPattern(TextOccurrence, `[「『"]([^」』"\n]{2,120})[」』"]\s*(?:という|の|と(?:いう)?)?(?:文字列|文言|メッセージ|テキスト|エラー|コメント|表示|ログ|書いて|書かれ|出力)`),
}

var (
	// aPlace is a line of a file: a/b.go:12, "a/b.go line 12", "a/b.go の 12 行目".
	aPlace = lazyregexp.MustCompile("(?i)[`'\"「]?((?:[\\w@.-]+/)*[\\w@.-]*\\.[A-Za-z]\\w{0,7})[`'\"」]?(?::|,?\\s+(?:at |on |around )?line\\s+|\\s*の\\s*)(\\d+)(?:\\s*行)?")
	// lineFirst is the same the other way round: line 12 of a/b.go.
	lineFirst = lazyregexp.MustCompile("(?i)\\bline\\s+(\\d+)\\s+(?:of|in)\\s+[`'\"]?((?:[\\w@.-]+/)*[\\w@.-]*\\.[A-Za-z]\\w{0,7})")

	codeLike = lazyregexp.MustCompile(`[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|^_|[A-Z]{2}[a-z]|\w(?:::|->|\.|#|/)\w|\(\)$|^[A-Z]\w+$|^\$`)
	pathLike = lazyregexp.MustCompile(`/|\.[A-Za-z]\w{0,7}$`)
)

// longestAim bounds a question with an aim, in characters: what is longer tells a story.
const longestAim = 300

// vague words are no name that is asked about.
var vague = strings.Fields(`it this that them these those all any anything everything something there here one ones
	what which who where how when why the a an our my your their its not no used called defined code we they you i is are be
	change changes changing test tests file files function functions method methods class classes`)

// wholeProject are words for all of it.
var wholeProject = strings.Fields("project repo repository codebase code workspace")

// showsOnly is in a request that changes nothing.
var showsOnly = lazyregexp.MustCompile(`(?i)^\s*(?:please\s+)?(?:show|list|find|grep|search)\b|(?:実装|継承)してい?る`)

// aimOf returns what a question asks for outright. defined reports whether the code
// defines a name; a plain word is treated as a name only then.
func aimOf(query string, quotes map[string]string, defined func(name string) bool) aim {
	if utf8.RuneCountInString(query) > longestAim || quotes["desired_action"] != "" && !asks.MatchString(query) && !showsOnly.MatchString(query) {
		return aim{}
	}
	if a, ok := atLine(query); ok {
		return a
	}
	for _, rule := range aimRules {
		m := rule.re.FindStringSubmatch(query)
		if m == nil {
			continue
		}
		target := ""
		for _, g := range m[1:] {
			if target = g; target != "" {
				break
			}
		}
		if target, ok := rule.target(target, defined); ok {
			return aim{Kind: rule.kind.of(target, defined), Target: target}
		}
	}
	return aim{}
}

// of returns the kind of a question that asks about a target: who uses a file imports it. A member may
// be called as a file is: Response.json.
func (k AimKind) of(target string, defined func(string) bool) AimKind {
	file := strings.Contains(target, "/") && path.Ext(target) != "" || syntax.Detect(target, nil) != "" && !defined(target)
	if file && (k == Callers || k == Implementers) {
		return ImportersOf
	}
	return k
}

// target checks and cleans what a rule has found.
func (r aimRule) target(found string, defined func(string) bool) (string, bool) {
	if r.kind == TextOccurrence {
		return found, strings.TrimSpace(found) != ""
	}
	marked := strings.HasSuffix(found, "()")
	target := strings.Trim(strings.TrimSuffix(found, "()"), `'"`+"`"+`.,:;?!<>-`)
	if r.kind == StructureOf {
		if slices.Contains(wholeProject, strings.ToLower(target)) {
			return "", true
		}
		return target, target == "" || strings.Contains(target, "/") || !slices.Contains(vague, strings.ToLower(target)) && defined(target+"/")
	}
	if target == "" || slices.Contains(vague, strings.ToLower(target)) {
		return "", false
	}
	if r.kind == FilesNamed {
		return target, true
	}
	return target, marked || codeLike.MatchString(target) && !strings.HasSuffix(target, "/") || defined(target)
}

// atLine recognises a question about what is at one line of a file.
func atLine(query string) (aim, bool) {
	list := aPlace.FindAllStringSubmatch(query, -1)
	file, line := "", ""
	switch m := lineFirst.FindStringSubmatch(query); {
	case m != nil:
		line, file = m[1], m[2]
	case len(list) == 1:
		file, line = list[0][1], list[0][2]
	default:
		return aim{}, false
	}
	n, err := strconv.Atoi(line)
	if err != nil || n < 1 {
		return aim{}, false
	}
	return aim{Kind: AtLine, Target: file, Line: n}, true
}
