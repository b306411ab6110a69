package request

import "testing"

func TestBranchType(t *testing.T) {
	for _, tt := range []struct {
		name string
		c    Context
		text string
		want string
	}{
		{"nothing", Context{}, "", "feature"},
		{"no word of the table", Context{}, "dark mode", "feature"},

		{"issue type bug", Context{JiraIssueType: "Bug", JiraSummary: "Add a retry"}, "", "fix"},
		{"issue type story", Context{JiraIssueType: "Story", JiraSummary: "Fix the fees"}, "", "feature"},
		{"issue type before labels", Context{JiraIssueType: "Story", JiraLabels: Labels{"bug"}}, "", "feature"},
		{"an issue type that says nothing", Context{JiraIssueType: "Task", JiraSummary: "Fix the fees"}, "", "fix"},
		{"issue type in Japanese", Context{JiraIssueType: "不具合"}, "", "fix"},

		{"label bug", Context{GitHubLabels: Labels{"priority-high", "bug"}, GitHubTitle: "Add a retry"}, "", "fix"},
		{"label type: bug", Context{GitHubLabels: Labels{"type: bug"}}, "", "fix"},
		{"label kind/feature", Context{GitHubLabels: Labels{"kind/feature"}, GitHubTitle: "Fix the fees"}, "", "feature"},
		{"label enhancement", Context{GitHubLabels: Labels{"enhancement"}, GitHubTitle: "Fix the fees"}, "", "feature"},
		{"label documentation", Context{GitHubLabels: Labels{"documentation"}, GitHubTitle: "Fix the fees"}, "", "docs"},
		{"label tech-debt", Context{LinearLabels: Labels{"tech-debt"}}, "", "refactor"},
		{"label dependencies", Context{GitHubLabels: Labels{"dependencies"}}, "", "chore"},
		{"labels of two types", Context{GitHubLabels: Labels{"documentation", "bug"}}, "", "fix"},
		{"label debugger", Context{GitHubLabels: Labels{"area/debugger"}, GitHubTitle: "Add a view"}, "", "feature"},
		{"label in Japanese", Context{GitHubLabels: Labels{"ドキュメント"}}, "", "docs"},

		{"fix before refactor", Context{}, "refactor the store and fix the leak", "fix"},
		{"refactor before docs", Context{}, "refactor the docs", "refactor"},
		{"docs before chore", Context{}, "bump the version in the docs", "docs"},
		{"chore before feature", Context{}, "add lint rules", "chore"},
		{"feature", Context{}, "add dark mode", "feature"},
		{"prefix is no fix", Context{}, "add a prefix to each line", "feature"},
		{"debug is no bug", Context{}, "add a debug view", "feature"},
		{"a file is no word", Context{}, "add a line to docs/fix.md", "feature"},
		{"denied", Context{}, "this is not a bug, add dark mode", "feature"},
		{"title before body", Context{GitHubTitle: "Add dark mode", GitHubBody: "There is a bug, too"}, "", "feature"},
		{"body, if the title says nothing", Context{GitHubTitle: "Dark mode", GitHubBody: "It crashes."}, "", "fix"},
		{"first line before the rest", Context{}, "add dark mode\n\nThere is a bug, too", "feature"},
		{"the rest, if the first line says nothing", Context{}, "dark mode\n\nIt crashes.", "fix"},
		{"the questions are not the user's words", Context{}, Body(Context{}, "dark mode", "as others have"), "feature"},
		{"the answers are", Context{}, Body(Context{}, "dark mode", "bump the theme"), "chore"},
		{"the style of commits", Context{}, "docs(api): say how to fix errors", "docs"},
		{"feat", Context{GitHubTitle: "feat!: fix fees"}, "", "feature"},
		{"not such a style", Context{}, "note: fix the fees", "fix"},

		{"what comes besides", Context{}, "open() should accept a path. Types, documentation and the changelog included.", "feature"},
		{"with what comes besides", Context{}, "Make the timeout configurable. With documentation and tests.", "feature"},
		{"and with what comes besides", Context{}, "rename the store, with tests, and update the docs", "feature"},
		{"a fix of what comes besides", Context{}, "add dark mode and fix the docs", "feature"},
		{"documented, too", Context{}, "Lend books for 28 days, and document the option in the README", "feature"},
		{"described, too", Context{}, "Add a function Similarity and describe it in the README", "feature"},
		{"listed, too", Context{}, "Support TOML, and add the format to the docs and the changelog", "feature"},
		{"described only", Context{}, "Describe Similarity in the README", "docs"},
		{"a fix with documentation", Context{}, "Fix the leak and also update the changelog", "fix"},
		{"documentation with tests", Context{}, "Rewrite the docs with tests and examples", "docs"},
		{"two documents", Context{}, "Update the README and the changelog", "docs"},
		{"with is no side remark", Context{}, "With Python 3.13 the build crashes", "fix"},
		{"ドキュメントも", Context{}, "タイムアウトを設定できるようにする。ドキュメントとテストも。", "feature"},

		{"バグ", Context{}, "ログインのバグを調べる", "fix"},
		{"修正", Context{}, "表示崩れを修正", "fix"},
		{"直す", Context{}, "表示を直して", "fix"},
		{"デバグ is no バグ", Context{}, "デバグ画面を追加", "feature"},
		{"書き直す is no を直す", Context{}, "新規に書き直す", "feature"},
		{"リファクタリング", Context{}, "認証処理をリファクタリングする", "refactor"},
		{"整理", Context{}, "重複した処理を整理する", "refactor"},
		{"ドキュメント", Context{}, "APIのドキュメントを追加", "docs"},
		{"手順書", Context{}, "リリースの手順書を書く", "docs"},
		{"依存関係", Context{}, "依存関係を更新する", "chore"},
		{"バージョンアップ", Context{}, "Goのバージョンアップ", "chore"},
		{"追加", Context{}, "検索機能を追加する", "feature"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := BranchType(tt.c, tt.text); got != tt.want {
				t.Errorf("%s, want %s", got, tt.want)
			}
		})
	}
}
