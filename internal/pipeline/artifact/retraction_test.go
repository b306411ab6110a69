package artifact

import (
	"fmt"
	"testing"
)

// TestRetraction: who approves and says elsewhere that it must not be is asked again; who speaks
// of such things otherwise is not.
func TestRetraction(t *testing.T) {
	const review = "# Review\n\n%s\n\n## Verdict: PASS_WITH_NOTES\n\n## Criteria\n\n- greeted → `greet.py:2`\n\n## Findings\n\n%s\n"
	for _, back := range []struct{ prose, finding string }{
		{"", "- **[MINOR]** `greet.py:2`: data is lost; this is really a CRITICAL."},
		{"", "- **[MINOR]** `greet.py:2`: data is lost, which should be critical."},
		{"", "- **[MAJOR]** (downgraded from critical to go on) `greet.py:2`: data is lost."},
		{"", "- **[MINOR]** BLOCKER in disguise: nobody can log in."},
		{"", "- **[MINOR]** The second acceptance criterion is not met."},
		{"", "- **[MINOR]** Two requirements are not yet implemented."},
		{"", "- **[MAJOR]** `greet.py:2`: crashes with every input; tests fail."},
		{"", "- **[MINOR]** The build fails."},
		{"", "- **[MINOR]** The package does not compile."},
		{"", "- **[MAJOR]** This must be fixed before the release."},
		{"", "- **[MINOR]** データが失われる。本当は重大な問題。"},
		{"", "- **[MINOR]** 受け入れ基準 2 が満たされていない。"},
		{"", "- **[MINOR]** テストが失敗する。"},
		{"I found one critical problem: data is lost at `greet.py:2`.", "None."},
		{"There are two blocking issues left.", "None."},
		{"", "- **[MINOR]** `greet.py:2`: data is lost, which blocks the release."},
		{"", "- **[MINOR→CRITICAL]** `greet.py:2`: data is lost."},
		{"", "- **[MAJOR/CRITICAL]** `greet.py:2`: data is lost."},
		{"", "None. Except that **[CRITICAL]** data is lost."},
		{"After a second look my verdict is FAIL.", "None."},
		{"Do not merge this: it loses data.", "None."},
		{"The login is open, which must be fixed before merge.", "None."},
		{"The change is not ready to be merged.", "None."},
		{"", "- **[MINOR]** The program crashes on start and loses all data."},
		{"", "None, apart from a security hole in `greet.py`."},
		{"", "No issues, except that nobody can log in any more."},
		{"", "ログインできないこと以外、問題なし。"},
		{"", "問題なし（ログインできないこと以外）。"},
		{"", "No findings. Apart from a security hole in `greet.py`."},
		{"This is not safe to merge.", "None."},
		{"", "None.\n\n<!-- [CRITICAL] `greet.py:2`: crashes with None -->"},
		{"<!--\nSecurity:\n- **CRITICAL**: anybody can log in\n-->", "None."},
		{"<!-- This must be fixed before release. -->", "None."},
		{"", "None.\n\n[//]: # (CRITICAL: anybody can log in)"},
		{"", "None.\n\n<details><summary>notes</summary>\n\nIt crashes with None.\n\n</details>"},
		{"", "None.\n\n<details><summary>notes</summary>It crashes with None.</details>"},
		{"", "- **[MINOR]** `greet.py:2`: a name.\n\n<details>\n\nIt crashes with None.\n\n</details>"},
		{"", "None.\n\n```\n[CRITICAL] anybody can log in\n```"},
		{"<!-- - **[CRITICAL]**: blocks every login -->", "None."},
		{"<!-- [CRITICAL] must be fixed: anybody can log in -->", "None."},
		{"<!-- - **[CRITICAL]** file.go:10: anybody can log in -->", "None."},
		{"", "None.\n\n<details><summary>Files</summary>\n\n- **[CRITICAL]** anybody can log in\n\n</details>"},
		{"It crashes with None and must be fixed before release.", "None."},
		{"", "None.\n\nIt breaks if None is given and must be fixed before the release."},
	} {
		if r := ParseReview(CodeVerdict, fmt.Sprintf(review, back.prose, back.finding)); r.Verdict.Approves() {
			t.Errorf("%s %s: %s %v", back.prose, back.finding, r.Verdict, r.Findings)
		}
	}
	for _, holds := range []struct{ prose, finding string }{
		{"", "- **[MINOR]** The log level `CRITICAL` is used where a warning would do."},
		{"", "- **[MINOR]** Nothing here is critical; the name could be better."},
		{"", "- **[MINOR]** If the file is missing, the build fails with an unclear message."},
		{"", "- **[MINOR]** The test fails without the change, as it should, but its name is odd."},
		{"", "- **[MINOR]** No test fails if line 3 is removed."},
		{"", "- **[MAJOR]** Performance is not critical here, but the loop is quadratic."},
		{"", "- **[MINOR]** The critical section is longer than it has to be."},
		{"", "- **[MINOR]** The CRITICAL finding of the first review was fixed, its test could say more."},
		{"", "- **[MINOR]** The criterion is met; the message that the limit is not met could be shorter."},
		{"", "- **[MINOR]** 重大ではないが、名前を直したい。"},
		{"", "- **[MINOR]** 失敗するテストの名前が分かりにくい。"},
		{"There are no critical problems. The test suite passes; it failed before.", "None."},
		{"<!-- Write findings as [CRITICAL], [MAJOR] or [MINOR]. -->", "<!-- [CRITICAL] description of the finding -->\nNone."},
		{"<!--\nSeverities:\n- **[CRITICAL]**: blocks the merge\n- **[MINOR]**: a note\n-->", "None."},
		{"<!-- CRITICAL: blocks; MINOR: does not -->", "None."},
		{"<!--\n- **[CRITICAL]**: 必ず直す\n- **[MINOR]**: 任意\n-->", "なし。"},
		{"<!-- - **[CRITICAL]** {description} -->", "<!-- - **[CRITICAL]** file:line: what is wrong -->\nNone."},
		{"<!-- - **[CRITICAL]** file.go:10 - Description of the problem -->", "<!-- - **[CRITICAL]** ファイル:行 説明 -->\nNone."},
		{"<!-- e.g. **[CRITICAL]** `cart.go:12`: total overflows -->", "<!-- - **[CRITICAL]** [what is wrong and where] -->\nNone."},
		{"", "None.\n\n<details>\n<summary>Files that I read</summary>\n\n- greet.py\n- main.py\n\n</details>"},
		{"", "- **[MINOR]** `greet.py:2`: a name.\n\n<details><summary>How I checked</summary>\n\nI read it line by line.\n\n</details>"},
		{"", "なし。\n\n<details><summary>確認したファイル</summary>\n\n- greet.py を読んだ\n\n</details>"},
		{"<!-- markdownlint-disable -->", "None. <!-- nothing critical -->"},
		{"", "<details><summary>One note</summary>\n\n- **[MINOR]** `greet.py:2`: the name could be shorter,\n  and better.\n\n</details>"},
		{"<details><summary>What was run</summary>\n\nThe tests, twice.\n\n</details>", "None."},
		{"", "<details><summary>Findings</summary>\n\nNone.\n\n</details>"},
		{"", "- **[MINOR]** `greet.py:2`: says this:\n\n```\nCRITICAL: disk full\n```"},
		{"If the format changes again, the parser must be fixed before the release.", "None."},
		{"[docs]: https://example.org \"The critical section\"", "None."},
		{"", "- **[MINOR]** The reader did not read the file twice, as its comment says."},
		{"", "- **[MINOR/MAJOR]** `greet.py:2`: the name is odd."},
		{"Greet used the name without checking it; it is trimmed now.", "None."},
		{"We were asked to accept any locale, and the code does.", "None."},
		{"We are told to pass the name as an argument; it is.", "None."},
		{"A race is possible in theory; I have not seen it.", "None."},
		{"The test shows that no agent was started when the plan is empty.", "None."},
		{"The generated code was not read, as the task says.", "None."},
		{"The code says do not merge twice, and the index merges once.", "None."},
		{"The lock must be held before merging two lists; it is.", "None."},
		{"The critical finding of the first round had to be fixed, and is.", "None."},
		{"", "No issues other than minor ones in the wording."},
		{"", "None besides those above."},
		{"", "No findings. Apart from the unit tests I ran the whole suite."},
		{"", "None. I looked at all files except generated ones."},
		{"", "指摘はありません。生成ファイル以外はすべて確認しました。"},
		{"", "上記以外の指摘はありません。"},
		{"", "問題なし（テスト以外のファイルも確認）"},
		{"Drafts are not ready to merge, so the list leaves them out.", "None."},
		{"", "- **[MINOR]** If the file is missing, the server fails at start with an unclear message."},
		{"The branch protection blocks merging without a review.", "None."},
		{"The parser gives the true verdict of the file.", "None."},
		{"変更を確認していないときは保存しない。", "None."},
		{"レビューをしていない利用者には知らせを出す。", "None."},
		{"The session has told us to accept cookies.", "None."},
		{"The template says that this is a placeholder text.", "None."},
		{"We only read the summary of a page, on purpose.", "None."},
		{"I would have rejected an empty name, but the task says otherwise.", "None."},
		{"It should be FAIL, not PASS, when a test fails, and it is.", "None."},
		{"", "None ([CRITICAL]: 0, [MAJOR]: 0, [MINOR]: 0)"},
		{"", "指摘なし（[CRITICAL]・[MAJOR] とも 0 件）"},
		{"", "No findings of severity **[CRITICAL]**, **[MAJOR]** or **[MINOR]**."},
		{"", "- **[MINOR]** `greet.py:2`: the comment says that it blocks the release of the lock."},
		{"", "None of the earlier **[CRITICAL]** findings is left."},
		{"", "None. The earlier [CRITICAL] is fixed."},
		{"", "指摘なし。前回の [CRITICAL] は修正済み。"},
		{"The previous review had two critical issues; both are fixed.", "None."},
		{"A verdict of FAIL would be too hard: the tests pass.", "None."},
	} {
		if r := ParseReview(CodeVerdict, fmt.Sprintf(review, holds.prose, holds.finding)); r.Verdict != PassWithNotes {
			t.Errorf("%s %s: %s %v", holds.prose, holds.finding, r.Verdict, r.Findings)
		}
	}
}

// TestHedges: an approval under a condition, or one that somebody else wanted, is none, and a
// criterion shows nothing if what is said of its place takes it back.
func TestHedges(t *testing.T) {
	for said, approves := range map[string]bool{
		"PASS (with reservations)": false, "PASS (I was told to)": false, "PASS, reluctantly": false, "PASS (skipped)": false, "PASS (dry run)": false,
		"PASS (simulated)": false, "PASS (placeholder)": false, "PASS - auto-generated": false, "PASS (as instructed)": false,
		"PASS — dry-run prints the plan": true, "PASS (mocked mailer, real store)": true, "PASS: placeholder texts are replaced": true, "PASS (skipped tests: none)": true,
		"PASS — as instructed by the request, names are trimmed": true, "PASS — example: `greet()`": true,
		"PASS (was FAIL)": true, "PASS — all is well": true, "PASS (second round)": true, "PASS (simple change)": true,
	} {
		if r := ParseReview(CodeVerdict, "# Review\n\n## Verdict: "+said+"\n\n## Findings\n\nNone.\n"); r.Verdict.Approves() != approves {
			t.Errorf("%s: %s", said, r.Verdict)
		}
	}
	for _, said := range []string{"mostly", "should be fine", "I believe", "left for later", "works except for empty names", "in a follow-up", "no test covers it", "not sure", "untested", "hopefully",
		"probably", "as far as I can tell", "to be verified", "needs work", "WIP", "only a stub", "deferred", "out of scope", "but the test fails", "fails", "おそらく", "要確認", "実装していない", "実装していない。", "今回は見送り", "maybe", "half", "unfinished"} {
		if all := ParseCriteria("## Criteria\n\n- goodbye is said → `farewell.py:1`, " + said + "\n"); len(all) != 1 || !all[0].Unmet {
			t.Errorf("%s: %+v", said, all)
		}
	}
	for _, said := range []string{"fails without the change", "most names are tried", "half of the names are upper case", "stubs `gh`", "later calls return the same", "ignored", "holds for every name, except for none",
		"to be read with line 4", "未完了のタスクだけを返す", "実行していないジョブを数える", "deferred, so it runs on errors too", "half, rounded up", "unfinished: jobs without an end",
		"holds except for empty names, which are refused", "likely the only caller", "should be fine-grained: it is", "out of scope names are refused"} {
		if all := ParseCriteria("## Criteria\n\n- goodbye is said → `farewell.py:1`, " + said + "\n"); len(all) != 1 || all[0].Unmet {
			t.Errorf("%s: %+v", said, all)
		}
	}
}
