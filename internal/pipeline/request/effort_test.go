package request

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/platform/msg"
)

func points(n float64) *Points { return &Points{n, true} }

// TestDetectOrder: what decides before words do.
func TestDetectOrder(t *testing.T) {
	epic := Context{GitHubTitle: "Epic: rewrite everything from scratch"}
	for _, tt := range []struct {
		name     string
		override *string
		c        Context
		want     Effort
		why      string
	}{
		{"an override", effort("S"), epic, S, "--effort=S"},
		{"in small letters", effort("l"), Context{}, L, "--effort=L"},
		{"before story points", effort("s"), Context{JiraStoryPoints: points(13)}, S, "--effort=S"},
		{"an empty override", effort(""), Context{JiraStoryPoints: points(13)}, L, "13 story points (L above 12)"},
		{"no points at all", nil, Context{JiraStoryPoints: points(0)}, S, "0 story points (S up to 4)"},
		{"4 points", nil, Context{JiraStoryPoints: points(4)}, S, "4 story points (S up to 4)"},
		{"4.5 points", nil, Context{JiraStoryPoints: points(4.5)}, M, "4.5 story points (M up to 12)"},
		{"12 points", nil, Context{JiraStoryPoints: points(12)}, M, "12 story points (M up to 12)"},
		{"12.5 points", nil, Context{LinearEstimate: points(12.5)}, L, "12.5 story points (L above 12)"},
		{"points before words", nil, Context{JiraSummary: "rewrite from scratch", JiraStoryPoints: points(3)}, S, "3 story points (S up to 4)"},
		{"points nobody knows", nil, Context{JiraStoryPoints: &Points{}, GitHubLabels: Labels{"size/L"}}, L, `the label "size/L"`},
		{"a label before words", nil, Context{GitHubTitle: "rewrite from scratch", GitHubLabels: Labels{"bug", "Size: XS"}}, XS, `the label "Size: XS"`},
		{"a label in Japanese", nil, Context{GitHubLabels: Labels{"規模：大"}}, L, `the label "規模：大"`},
		{"a label that is only a size", nil, Context{GitHubLabels: Labels{"M"}, GitHubTitle: "fix a typo"}, M, `the label "M"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, why, err := Detect(tt.override, tt.c, "")
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want || cmp.Diff([]string{tt.why}, msg.Texts(why)) != "" {
				t.Errorf("%s because of %q, want %s because of %q", got, why, tt.want, tt.why)
			}
		})
	}
	for _, wrong := range []string{"XL", "medium", "SM", "0"} {
		if e, _, err := Detect(&wrong, Context{}, "x"); err == nil || e != "" {
			t.Errorf("override %q: %q, %v", wrong, e, err)
		}
	}
}

func TestDetectWords(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Effort
	}{
		{"implement login feature", M},
		{"add a button to the settings page", M},
		{"fix auth timeout in middleware", M},
		{"add rate limiting to the API", M},
		{"add a column to the database schema", M},
		{"refactor the session store", M},
		{"add a quick search to the header", M},
		{"reduce allocations in the parser", M},
		{"choose the typography of the landing page", M}, // no typo
		{"make the mini map draggable", M},               // not minimal
		{"handle bump_allocator exhaustion", M},
		{"this is not trivial, and no typo", M},
		{"rewrite the error message", M},
		{"a small part of the big migration", M},

		{"fix a typo in the README", S},
		{"fix the typo in README.md", XS},
		{"README.mdの誤字を修正", XS},
		{"fix the trivial typo in README.md throughout", S},
		{"Fix typos", S},
		{"a one-line change in the config loader", S},
		{"trivial: rename x to y", S},
		{"bump the version of zod", S},
		{"small tweak to the footer", S},
		{"update README.md", S},
		{"rename a variable in internal/pipeline/request/source.go", S},

		{"migrate the API from REST to gRPC", L},
		{"rewrite the renderer from scratch", L},
		{"Redesign the permission system", L},
		{"large-scale overhaul of the build", L},
		{"support multi-tenancy throughout the product", L},
		{"this is a breaking change of the public API", L},

		{"ログイン機能を実装する", M},
		{"検索結果に並び順を追加する", M},
		{"データベースのスキーマに列を追加する", M},
		{"タイポグラフィの設定画面を追加する", M}, // no タイポ
		{"軽微ではない変更", M},
		{"認証基盤の不具合を修正する", M},
		{"メッセージの誤字を修正する", S},
		{"ボタンの文言を変える", S},
		{"1行だけ直す", S},
		{"タイポを直す", S},
		{"READMEを更新する", S},
		{"軽微な修正", S},
		{"決済システムを新しいAPIに移行する", L},
		{"画面全体を刷新する", L},
		{"アーキテクチャを再設計する", L},
		{"大規模なリファクタリング", L},
		{"ゼロから作り直す", L},
	} {
		got, why, err := Detect(nil, Context{}, tt.text)
		if err != nil {
			t.Fatal(err)
		}
		if got != tt.want {
			t.Errorf("%s: %s because of %q, want %s", tt.text, got, why, tt.want)
		}
	}
}

func TestDetectContext(t *testing.T) {
	var many, some []string
	for i := range 10 {
		many = append(many, fmt.Sprintf("internal/a%d.go", i))
	}
	some = many[:4]
	for _, tt := range []struct {
		name string
		c    Context
		text string
		want Effort
		why  []string
	}{
		{"a label", Context{GitHubLabels: Labels{"good first issue"}, GitHubTitle: "Sort the list"}, "", S, []string{`"good first issue" in the labels`}},
		{"an issue type", Context{JiraIssueType: "Epic", JiraSummary: "Billing"}, "", L, []string{`"epic" in the issue type`}},
		{"a sub-task", Context{JiraIssueType: "Sub-task", JiraSummary: "Sort the list"}, "", S, []string{`"sub-task" in the issue type`}},
		{"a word counts where it counts most", Context{GitHubTitle: "Fix a typo", GitHubBody: "There is a typo."}, "typo", S, []string{`"typo" in the title`}},
		{"chance words of a body", Context{GitHubTitle: "Sort the list", GitHubBody: "Several large tables, a complex database, distributed over multiple servers. Security!"}, "", M,
			[]string{"nothing suggests S or L"}},
		{"strong words of a body", Context{GitHubTitle: "Billing", GitHubBody: "Rewrite it and migrate all customers."}, "", L,
			[]string{`"migrate" in the body`, `"rewrite" in the body`}},
		{"chance words below the first line", Context{}, "sort the list\n\nSeveral large tables, a complex database, distributed over multiple servers.", M,
			[]string{"nothing suggests S or L"}},
		{"code, comments, quotations and open boxes", Context{GitHubTitle: "Sort the list", GitHubBody: "<!-- is this an epic? -->\n- [ ] breaking change\n> rewrite it\n```\nmigrate()\n```\nhttps://x.example/redesign"}, "", M,
			[]string{"nothing suggests S or L"}},
		{"many files", Context{}, strings.Join(many, ", "), L, []string{"it names 10 files"}},
		{"some files and a word", Context{}, "redo " + strings.Join(some, " ") + " with complex rules", L, []string{`"complex" in the text`, "it names 4 files"}},
		{"some files", Context{}, strings.Join(some, "と"), M, []string{"undecided", "it names 4 files"}},
		{"both sides", Context{GitHubTitle: "Small migration"}, "", M, []string{"undecided", `"small" in the title`, `"migration" in the title`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, why, err := Detect(nil, tt.c, tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
			if diff := cmp.Diff(tt.why, msg.Texts(why)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNamedFiles(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"change main.go and ./internal/a_b/c.go, then main.go", "internal/a_b/c.go main.go"},
		{"`src/[id]/page.tsx` (see src/app.ts).", "src/[id]/page.tsx src/app.ts"},
		{"(a.go) and (app)/b.tsx", "(app)/b.tsx a.go"},
		{"(src/a.go)", "src/a.go"},
		{`web\js\app.js`, "web/js/app.js"},
		{"internal/a.goとinternal/b.goを直す", "internal/a.go internal/b.go"},
		{"「設計/概要.md」を更新", "設計/概要.md"},
		{"go.mod and Dockerfile", "Dockerfile go.mod"},
		{"res.json() in Node.js, e.g. version 1.2.3", ""},
		{"https://example.com/a.go and ```\nx.go\n```", "```"},
		{"process.env, array.sum, mutex.lock", ""},
	} {
		want := strings.Fields(tt.want)
		if tt.want == "```" { // the block does not begin a line: it is a span
			want = []string{"x.go"}
		}
		if diff := cmp.Diff(want, namedFiles(tt.in), cmp.Transformer("nil", func(s []string) string { return strings.Join(s, " ") })); diff != "" {
			t.Errorf("%s: %s", tt.in, diff)
		}
	}
}

func TestSaid(t *testing.T) {
	long := strings.Repeat("修", 50)
	for _, tt := range []struct{ text, word, want string }{
		{"fix a bug", "bug", "bug"}, {"debug it", "bug", ""}, {"bugs", "bug", ""}, {"two bugs.", "bug*", "bugs"},
		{"fix_bug", "bug", ""}, {"a/bug-b", "bug", "bug"}, {"バグbugバグ", "bug", "bug"},
		{"タイポを", "タイポ", "タイポ"}, {"タイポグラフィ", "タイポ", ""}, {"プロタイポ", "タイポ", ""},
		{"リファクタリングする", "リファクタ*", "リファクタリング"}, {"再移行先", "移行", "移行"},
		{"no bug", "bug", ""}, {"not a bug", "bug", ""}, {"won't fix bug", "fix", ""}, {"isn't really a bug", "bug", "bug"},
		{"without any breaking changes", "breaking change*", ""}, {"no, a bug", "bug", "bug"}, {"piano bug", "bug", "bug"},
		{"no bug here, but a bug there", "bug", "bug"}, {long + " no bug", "bug", ""}, {"no " + long + " bug", "bug", "bug"},
		{"移行は不要", "移行", ""}, {"移行しない", "移行", ""}, {"移行する", "移行", "移行"}, {"移行なし", "移行", ""},
		{"", "bug", ""},
	} {
		if got := findWord(fold(tt.text), tt.word); got != tt.want {
			t.Errorf("said(%q, %q) = %q, want %q", tt.text, tt.word, got, tt.want)
		}
	}
}

// TestLongText: only the beginning of a text is looked at, whole characters of it.
func TestLongText(t *testing.T) {
	log := strings.Repeat("修", readable)
	for text, want := range map[string]string{"rewrite from scratch\n" + log: "L", "sort the list\n" + log + " rewrite it from scratch, migrate": "M"} {
		if got, why, _ := Detect(nil, Context{GitHubTitle: "x", GitHubBody: Prose(text)}, text); string(got) != want {
			t.Errorf("%.20s: %s because of %q, want %s", text, got, why, want)
		}
	}
}

// TestTables holds the words to the form in which they are looked for.
func TestTables(t *testing.T) {
	seen := make(map[string]bool)
	check := func(words string) {
		for word := range strings.SplitSeq(words, "|") {
			if word != fold(word) || strings.TrimSpace(word) != word || word == "" || word == "*" {
				t.Errorf("%q is never found as it stands", word)
			}
		}
	}
	for _, s := range signals {
		check(s.words)
		for word := range strings.SplitSeq(s.words, "|") {
			if seen[word] {
				t.Errorf("%q counts twice", word)
			}
			seen[word] = true
		}
	}
	for _, b := range branchTypes {
		check(b.labels)
		check(b.words)
	}
}

func TestTemplate(t *testing.T) {
	for e, want := range map[Effort]string{S: "light", M: "standard", L: "full", "": ""} {
		if got := e.Template(); got != want {
			t.Errorf("%s: %q, want %q", e, got, want)
		}
	}
}
