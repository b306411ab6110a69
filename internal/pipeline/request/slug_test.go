package request

import (
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func TestSlug(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{"Fix auth timeout", "fix-auth-timeout"},
		{"https://github.com/owner/repo/issues/42", "https-github-com-owner-repo-issues-42"},
		{"  --- Hello,   World! --- ", "hello-world"},
		{"snake_case & camelCase", "snake-case-camelcase"},
		{"", "task"}, {"!?…", "task"}, {"\u0301", "task"}, {"\xff", "task"},
		{"ログインの不具合を修正", "ログインの不具合を修正"},
		{"認証、タイムアウト。", "認証-タイムアウト"},
		{"か\u3099そう", "がそう"},
		{"E\u0301TE\u0301", "été"},
		{"Ünïcode ÄÖ", "ünïcode-äö"},
		{"сделать вход", "сделать-вход"},
		{"नमस्ते दुनिया", "नमस्ते-दुनिया"},
		{"〇一二 3つ", "〇一二-3つ"},
		{"emoji 🎉 party", "emoji-party"},
		{strings.Repeat("a", 59) + " b", strings.Repeat("a", 59)},
		{strings.Repeat("a", 58) + " bc", strings.Repeat("a", 58)},
		{strings.Repeat("a", 61), strings.Repeat("a", 60)},
		{strings.Repeat("修", 21), strings.Repeat("修", 20)},
		{"a" + strings.Repeat("修", 21), "a" + strings.Repeat("修", 19)},
		{strings.Repeat("x", 60) + " ", strings.Repeat("x", 60)},
	} {
		if got := Slug(tt.in); got != tt.want {
			t.Errorf("Slug(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func FuzzSlug(f *testing.F) {
	for _, s := range []string{"Fix it", "修正する", "a\u0301\u0301", "İI", "\u0301-", strings.Repeat("が", 30), "ﬁ ǅ ς", "--", "x" + strings.Repeat("\u0323\u0301", 40)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		s := Slug(in)
		switch {
		case s == "" || len(s) > 60 || !utf8.ValidString(s) || !norm.NFC.IsNormalString(s):
			t.Errorf("Slug(%q) = %q", in, s)
		case strings.HasPrefix(s, "-") || strings.HasSuffix(s, "-") || strings.Contains(s, "--") || strings.ContainsAny(s, "/\\. \n:"):
			t.Errorf("Slug(%q) = %q", in, s)
		case Slug(s) != s:
			t.Errorf("Slug(%q) = %q, and of that %q", in, s, Slug(s))
		}
	})
}

func TestNames(t *testing.T) {
	for _, tt := range []struct{ id, slug, workspace, branch string }{
		{"42", "fix-auth-timeout", "20260401-42-fix-auth-timeout", "fix/42-fix-auth-timeout"},
		{"SOA-123", "Skip minutes job", "20260401-soa-123-skip-minutes-job", "fix/soa-123-skip-minutes-job"},
		{"", "ログイン修正", "20260401-ログイン修正", "fix/ログイン修正"},
		{"", "", "20260401-task", "fix/task"},
		{"", "42-" + strings.Repeat("a", 60) + "-2", "20260401-42-" + strings.Repeat("a", 60) + "-2", "fix/42-" + strings.Repeat("a", 60) + "-2"},
		{"--", "x", "20260401-x", "fix/x"},
		{"", "../../etc", "20260401-etc", "fix/etc"},
	} {
		if got := WorkspaceName("20260401", tt.id, tt.slug); got != tt.workspace {
			t.Errorf("workspace %q, want %q", got, tt.workspace)
		}
		if got := BranchName("fix", tt.id, tt.slug); got != tt.branch {
			t.Errorf("branch %q, want %q", got, tt.branch)
		}
	}
}

func TestHeadline(t *testing.T) {
	for content, want := range map[string]string{
		"greet people":               "greet people",
		"Greet people.":              "Greet people",
		"Greet people. With tests.":  "Greet people",
		"Use e.g. a cache for names": "Use e.g. a cache for names",
		"挨拶を追加する。テストも。":              "挨拶を追加する",
		"Context.Copy() must also copy Errors and Accepted: a goroutine that gets the copy sees neither":   "Context.Copy() must also copy Errors and Accepted",
		"click.edit() should accept any os.PathLike as its filename so that callers need no str() around":  "click.edit() should accept any os.PathLike as its filename so…",
		`metric(999.9, "V") gives 1000 V and metric(999_999, "V") gives 1000 kV: carry to the next prefix`: `metric(999.9, "V") gives 1000 V and metric(999_999, "V") gives…`,
		"`parse(a. B)` fails. It must not": "`parse(a. B)` fails",
		"「はい。」と答える。テストも。":                  "「はい。」と答える",
		strings.Repeat("挨拶", 40):           strings.Repeat("挨拶", 31) + "挨…",
		"":                                 "",
	} {
		if got := Headline(content); got != want {
			t.Errorf("%q: %q, want %q", content, got, want)
		}
	}
}
