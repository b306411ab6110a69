package i18n

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSay(t *testing.T) {
	ja := In("ja")
	for _, c := range []struct{ english, want string }{
		{"", ""},
		{"Nothing the catalog knows.", "Nothing the catalog knows."},
		{"query is empty.", "query が空である。"},
		{`Task "a; b" is completed already.`, `タスク "a; b" はすでに完了している。`},
		// What a user wrote stays, though it is a message itself.
		{`"query is empty." is no decision here.`, `"query is empty." はここで選べる判断ではない。`},
		{"asked for by back_to: query is empty.", "back_to による差し戻し: query is empty."},
		{"the tests passed", "the tests passed"},
		// Messages within messages, alone and in lists.
		{`evidence "x": it names no line.`, `evidence "x": 行の指定がない。`},
		{"The session works on branch a, but the repository is on a detached HEAD.", "セッションはブランチ a で作業しているが、リポジトリは切り離された HEADにある。"},
		{"the exploration was not thorough: symbols: 1 of 3; entry points: 0 of 1; tools: find_references not used",
			"探索が十分ではなかった: symbols: 3 のうち 1; 呼び出し元: 1 のうち 0; ツール: find_references が未使用"},
		{"The payload does not fit EXPLORATION. findings: want a list of strings, got nothing; summary: want a string, got the number 3. These fields belong to no payload of this phase: x, y.",
			"payload が EXPLORATION に合わない。findings: 文字列の一覧が必要だが、実際はなし; summary: 文字列が必要だが、実際は数値 3。 このフェーズのどの payload にもない項目: x, y。"},
		{"search_text: pattern: want a string, got nothing; path: want a string, got the number 1.", "search_text: pattern: 文字列が必要だが、実際はなし; path: 文字列が必要だが、実際は数値 1。"},
		{`sync_index: no such argument: "x" (the only one is force).`, `sync_index: 引数 "x" はない (あるのは force だけである)。`},
		{`"add x": evidence "y": it names no line. "add z": reason is "no", shorter than 10 characters.`, `"add x": evidence "y": 行の指定がない。 "add z": reason が "no" で、10 文字に満たない。`},
		{"a.go:1: there is no such file. b.go:9: the file has 3 lines.", "a.go:1: このファイルはない。 b.go:9: このファイルは 3 行である。"},
		{".code-intel/config.json: line 3: lang must be \"en\" or \"ja\", not \"fr\".", `.code-intel/config.json: 3 行目: lang は"en" または "ja"でなければならない ("fr" ではない)。`},
		{"code-intel asks you, not the agent (session S, USER_ESCALATION).\n\nThe work does not get on without you. You asked for: x\ny\nTask a [completed]: b\nLast verification: FAIL\nBefore that: verification failed: FAIL\n\nretry: try again, with your guidance. accept: take the work as it is. abort: stop; branch and work are kept.",
			"code-intel からの質問である。エージェントではなく、あなたに尋ねている (セッション S、USER_ESCALATION)。\n\nあなたの判断がなければ作業が進まない。依頼: x\ny\nタスク a [completed]: b\n直近の検証: FAIL\nその前: 検証に失敗した: FAIL\n\nretry: あなたの助言に従って再試行する。accept: 作業を現状のまま受け入れる。abort: 中止する。ブランチと作業は残る。"},
		// Ends, codes, output of programs.
		{"not answered, though they should be looked at: a, b and 3 more", "確認すべきだが回答されていない: a, b ほか 3 件"},
		{"bad_slot: query is empty. Next: Leave repo_path out. Or: no such step", "bad_slot: query が空である。 次: repo_path を除く。 または: no such step"},
		{"passed is true, but `go test` failed: exit status 1, not 0. It counts as a failed verification.\n\ngo test\nFAIL: query is empty.",
			"passed が true だが、`go test` は失敗した: exit status 1 (期待値 0)。検証の失敗として数える。\n\ngo test\nFAIL: query is empty."},
		{"The commit was refused. git says:\nThe commit was refused.", "コミットが拒否された。 git の出力:\nThe commit was refused."},
	} {
		if got := ja.Say(c.english); got != c.want {
			t.Errorf("Say(%q)\n got %s\nwant %s", c.english, got, c.want)
		}
		if got := In("en").Say(c.english); got != c.english {
			t.Errorf("English says %q as %q", c.english, got)
		}
	}
}

func FuzzSay(f *testing.F) {
	ja := In("ja")
	for english := range ja.exact {
		f.Add(english)
	}
	f.Add(`"a": b. "c": d`)
	f.Add("a_b: c Next: d Or: e")
	f.Fuzz(func(t *testing.T, s string) {
		said := ja.Say(s)
		if utf8.ValidString(s) && !utf8.ValidString(said) {
			t.Errorf("Say(%q) is no UTF-8: %q", s, said)
		}
		if len(said) > 8*len(s)+4000 {
			t.Errorf("Say(%q) has %d bytes", s, len(said))
		}
		_ = ja.Format(s)
	})
}

// TestSayKeepsWhatIsNotOurs fills each format with odd words, and looks for them
// in what comes out.
func TestSayKeepsWhatIsNotOurs(t *testing.T) {
	ja := In("ja")
	words := []any{`we"ird;and: 値.`, "src/ö 1.go", "query is empty", "%s", "[1]"}
	for english, e := range ja.exact {
		args := make([]any, len(e.pattern.verbs))
		var shown []string
		for i, v := range e.pattern.verbs {
			args[i] = words[i%len(words)]
			if v == "d" {
				args[i] = 41 + i
			}
			if again := slices.ContainsFunc(e.say, func(p piece) bool { return p.verb == i && p.again }); !again {
				shown = append(shown, fmt.Sprintf("%"+v, args[i]))
			}
		}
		said := ja.Say(fmt.Sprintf(english, args...))
		for _, s := range shown {
			if !strings.Contains(said, s) {
				t.Errorf("%q with %q says %q, without %q", english, args, said, s)
			}
		}
	}
}

func BenchmarkSay(b *testing.B) {
	ja := In("ja")
	long := "These files were changed without check_write_target: " + strings.Repeat("internal/session/some_file.go, ", 150) + "a.go and 3 more."
	unknown := "what the model said, " + strings.Repeat("and then: it did this; ", 100)
	for _, s := range []string{"The payload does not fit EXPLORATION. findings: want a list of strings, got nothing; summary: want a string, got the number 3.", long, unknown,
		"not answered, though they should be looked at: " + strings.Repeat("internal/session/some_file.go, ", 150) + "a.go and 3 more"} {
		b.Run(fmt.Sprint(len(s)), func(b *testing.B) {
			for b.Loop() {
				ja.Say(s)
			}
		})
	}
}
