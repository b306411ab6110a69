package pipeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// repository is what the pipelines work on.
var repository = map[string]string{
	"README.md": "# Greeter\n\nGreets people.\n",
	"greet.py":  "def greet(name):\n    return 'hello'\n",
	"main.py":   "from greet import greet\n\nprint(greet('you'))\n",
}

// changed is what the tasks make of it, by file.
var changed = map[string]string{
	"greet.py":    "def greet(name):\n    return 'hello ' + name\n",
	"farewell.py": "def farewell(name):\n    return 'bye ' + name\n",
	"main.py":     "from greet import greet\nfrom farewell import farewell\n\nprint(greet('you'))\nprint(farewell('you'))\n",
}

// filesOf are the files of each task; one task alone has all of them.
var filesOf = map[string][]string{"1": {"greet.py"}, "2": {"farewell.py"}, "3": {"main.py"}}

const tasks = `# Tasks

## Task 1: Greet by name
mode: parallel
files:
- ` + "`greet.py`" + `
acceptance criteria:
- the name is greeted

## Task 2: Say goodbye
mode: parallel
files: ` + "`farewell.py` (new)" + `
acceptance criteria:
- goodbye is said

## Task 3: Use both
mode: sequential
files:
- main.py
depends_on: 1, 2
acceptance criteria:
- both are printed
`

// texts is what honest agents write.
type texts struct {
	design, tasks, impl, design2, code, final, summary, improvement, prose string
}

var english = texts{
	design:      "# Design\n\n## Approach\n\nPeople are greeted by name, and told goodbye.\n\n## Changes\n\n- `greet.py`: the name is greeted\n- `farewell.py` (new): says goodbye\n- `main.py`: uses both\n",
	tasks:       tasks,
	impl:        "# Task\n\n## Summary\n\nDone as the design says.\n\n## Files\n\n%s\n## Tests\n\n- `python3 main.py`: prints both\n",
	design2:     "# Review\n\nIt was asked whether to REVISE the names; they are fine.\n\n## Verdict: APPROVE_WITH_NOTES\n\n## Findings\n\n- **[MINOR]** Say in the design which Python is meant.\n",
	code:        "# Code Review\n\nNo test could FAIL here.\n\n## Verdict: PASS\n\n## Criteria\n\n%s\n## Findings\n\nNone.\n",
	final:       "# Final Verification\n\nEach acceptance criterion was tried.\n\n**Verdict:** PASS\n\n## Criteria\n\n%s\n## Findings\n\nNone.\n",
	summary:     "# Summary\n\n## What was done\n\nPeople are greeted by name.\n",
	improvement: "# Improvement\n\n## Friction\n\nNothing says which Python is meant.\n\n## Suggestion\n\nSay it in README.md.\n",
	prose:       "# Notes\n\n## What was found\n\nThe greeting is in `greet.py`.\n",
}

var japanese = texts{
	design:      "# 設計\n\n## 方針\n\n名前で挨拶し、別れの言葉も言う。\n\n## 変更\n\n- `greet.py`: 名前を呼ぶ\n- `farewell.py` (new): 別れの言葉\n- `main.py`: 両方を使う\n",
	tasks:       strings.NewReplacer("Greet by name", "名前で挨拶する", "Say goodbye", "別れの言葉", "Use both", "両方を使う").Replace(tasks),
	impl:        "# タスク\n\n## 概要\n\n設計のとおり。\n\n## 変更したファイル\n\n%s\n## テスト\n\n- `python3 main.py`: 両方が出力される\n",
	design2:     "# レビュー\n\n名前の付け方は問題ない。\n\n## 判定: APPROVE_WITH_NOTES\n\n## 指摘\n\n- **[MINOR]** Python のバージョンを書くこと。\n",
	code:        "# コードレビュー\n\n失敗するテストはない。\n\n## 判定：PASS\n\n## 受け入れ基準\n\n%s\n## 指摘\n\nなし\n",
	final:       "# 最終検証\n\n受け入れ条件をすべて確かめた。\n\n**判定：** PASS\n\n## 基準の確認\n\n%s\n## 指摘\n\nなし\n",
	summary:     "# まとめ\n\n## 内容\n\n名前で挨拶するようにした。\n",
	improvement: "# 改善\n\n## 摩擦\n\nPython のバージョンがどこにもない。\n\n## 提案\n\nREADME.md に書く。\n",
	prose:       "# 調査\n\n## 結果\n\n挨拶は `greet.py` にある。\n",
}

// of returns what is written into an output file the nth time.
func (x texts) of(name string, files []string, n int) string {
	count := fmt.Sprintf("\n(%d)\n", n)
	switch {
	case name == "design.md":
		return x.design + count
	case name == "tasks.md":
		return x.tasks + fmt.Sprintf("\n<!-- %d -->\n", n)
	case name == "review-design.md", name == "review-tasks.md":
		return x.design2 + count
	case name == "final-verification.md":
		return fmt.Sprintf(x.final, proof(slices.Concat(filesOf["1"], filesOf["2"], filesOf["3"]))) + count
	case name == "summary.md":
		return x.summary + count
	case strings.HasPrefix(name, "review-"):
		return fmt.Sprintf(x.code, proof(files)) + count
	case strings.HasPrefix(name, "impl-"):
		return report(x.impl, files) + count
	}
	return x.prose + count
}

// shownBy is what each file of the tasks shows.
var shownBy = map[string]string{"greet.py": "people are greeted by name", "farewell.py": "goodbye is said", "main.py": "both are printed, as the design says"}

// proof is the list below "## Criteria": two entries at least, of the files.
func proof(files []string) string {
	var list strings.Builder
	for _, f := range files {
		fmt.Fprintf(&list, "- %s → `%s:2`\n", cmp.Or(shownBy[f], "what the design says of it"), f)
	}
	if len(files) > 2 {
		fmt.Fprintf(&list, "- all of it is as the design says → `%s:1`\n", files[0])
	}
	list.WriteString("- its tests pass, it runs → `python3 main.py`\n")
	return list.String()
}

// report puts files into an implementer's report.
func report(form string, files []string) string {
	var list strings.Builder
	for _, f := range files {
		fmt.Fprintf(&list, "- `%s`: as the design says\n", f)
	}
	return fmt.Sprintf(form, list.String())
}
