package artifact

import (
	"strings"
	"testing"
)

// TestVerdictSpellings checks every spelling that has one meaning against that
// meaning, in a review that says much else.
func TestVerdictSpellings(t *testing.T) {
	const review = "# Review of task 3\n\nThe tests PASS and nothing would FAIL. I APPROVE of the names; REVISE nothing.\n\n%\n\n## Findings\n\nNone.\n"
	for _, tt := range []struct {
		family Family
		line   string
		want   Verdict
	}{
		{CodeVerdict, "## Verdict: PASS", Pass},
		{CodeVerdict, "## Verdict: PASS - nothing was found", Pass},
		{CodeVerdict, "## Verdict: PASS (ran all tests)", Pass},
		{CodeVerdict, "# Verdict: PASS", Pass},
		{CodeVerdict, "###### Verdict: PASS ######", Pass},
		{CodeVerdict, "Verdict: PASS", Pass},
		{CodeVerdict, "verdict: pass", Pass},
		{CodeVerdict, "VERDICT: Fail", Fail},
		{CodeVerdict, "**Verdict: FAIL**", Fail},
		{CodeVerdict, "**Verdict:** FAIL", Fail},
		{CodeVerdict, "**Verdict**: **FAIL**", Fail},
		{CodeVerdict, "__Verdict__: _PASS_", Pass},
		{CodeVerdict, "*Verdict:* `PASS_WITH_NOTES`", PassWithNotes},
		{CodeVerdict, "- Verdict: PASS", Pass},
		{CodeVerdict, "* **Verdict**: PASS.", Pass},
		{CodeVerdict, "+ Verdict: PASS", Pass},
		{CodeVerdict, "1. Verdict: PASS", Pass},
		{CodeVerdict, "3) **Verdict: PASS**", Pass},
		{CodeVerdict, "## 4. Verdict: PASS", Pass},
		{CodeVerdict, "## 4.2 Verdict: PASS", Pass},
		{CodeVerdict, "  ## Verdict: PASS  ", Pass},
		{CodeVerdict, "Verdict：PASS", Pass},
		{CodeVerdict, "Ｖｅｒｄｉｃｔ：ＰＡＳＳ", Pass},
		{CodeVerdict, "## Verdict: PASS.", Pass},
		{CodeVerdict, "## Verdict: PASS!", Pass},
		{CodeVerdict, "## Verdict: PASS。", Pass},
		{CodeVerdict, "## Verdict: FAIL!!", Fail},
		{CodeVerdict, "## Verdict: [PASS]", Pass},
		{CodeVerdict, "## Verdict: \"PASS\"", Pass},
		{CodeVerdict, "## Verdict: 「FAIL」", Fail},
		{CodeVerdict, "## Verdict: ✅ PASS", Pass},
		{CodeVerdict, "## ❌ Verdict: FAIL ❌", Fail},
		{CodeVerdict, "## Verdict: ⚠️ PASS_WITH_NOTES", PassWithNotes},
		{CodeVerdict, "## Verdict - PASS", Pass},
		{CodeVerdict, "## Verdict — FAIL", Fail},
		{CodeVerdict, "## Verdict = PASS", Pass},
		{CodeVerdict, "## Verdict → PASS", Pass},
		{CodeVerdict, "## Verdict PASS", Pass},
		{CodeVerdict, "The verdict is FAIL.", Fail},
		{CodeVerdict, "## Final Verdict: PASS", Pass},
		{CodeVerdict, "## Overall verdict: FAIL", Fail},
		{CodeVerdict, "## Code Review Verdict: FAIL", Fail},
		{CodeVerdict, "## Verdict for task 3: FAIL", Fail},
		{CodeVerdict, "## Verdict (task 3): FAIL", Fail},
		{CodeVerdict, "| Verdict | FAIL |", Fail},
		{CodeVerdict, "Verdict: PASSED", Pass},
		{CodeVerdict, "Verdict: FAILED", Fail},
		{CodeVerdict, "Verdict: PASS WITH NOTES", PassWithNotes},
		{CodeVerdict, "Verdict: pass-with-notes", PassWithNotes},
		{CodeVerdict, "Verdict: Pass with minor notes", PassWithNotes},
		{CodeVerdict, `Verdict: PASS\_WITH\_NOTES`, PassWithNotes},
		{CodeVerdict, "Verdict: ~~PASS~~ FAIL", Fail},
		{CodeVerdict, "Verdict: FAIL <!-- PASS, PASS_WITH_NOTES or FAIL -->", Fail},
		{CodeVerdict, "<!-- one of: PASS | FAIL -->\nVerdict: FAIL", Fail},
		{CodeVerdict, "<!--\nVerdict: PASS | FAIL\n-->\nVerdict: FAIL", Fail},
		{CodeVerdict, "Verdict: [x] FAIL", Fail},
		{CodeVerdict, "Verdict: PASS — every criterion is met, no test would FAIL", Pass},
		{CodeVerdict, "Verdict: PASS (all criteria met)", Pass},
		{CodeVerdict, "Verdict: PASS, nothing to add", Pass},
		{CodeVerdict, "Verdict: FAIL — the tests PASS, but Renew is wrong", Fail},
		{CodeVerdict, "Verdict: FAIL (will PASS once Renew is mended)", Fail},
		{CodeVerdict, "Verdict: FAIL because two tests do not PASS", Fail},
		{CodeVerdict, "## Verdict\n\nFAIL", Fail},
		{CodeVerdict, "## Verdict\nFAIL", Fail},
		{CodeVerdict, "## Verdict:\n\n**FAIL**.", Fail},
		{CodeVerdict, "## Verdict\n\n- FAIL", Fail},
		{CodeVerdict, "## Verdict\n\n### PASS", Pass},
		{CodeVerdict, "## Verdict\n\n`PASS`", Pass},
		{CodeVerdict, "## Verdict\n\nFAIL: Renew lets locked accounts in, so this cannot PASS.", Fail},
		{CodeVerdict, "## Verdict\n\nI looked at all of it.\n\n**FAIL**", Fail},
		{CodeVerdict, "**Verdict**\n\nFAIL", Fail},
		{CodeVerdict, "## Verdict: PASS\n\nAs said:\n\n**Verdict: PASS**", Pass},
		{CodeVerdict, "## PASS", Pass},
		{CodeVerdict, "# **FAIL**", Fail},
		{CodeVerdict, "> Verdict: FAIL\n\n## Verdict: PASS", Pass},
		{CodeVerdict, "```\nVerdict: FAIL\n```\n\n## Verdict: PASS", Pass},
		{CodeVerdict, "~~~md\nVerdict: FAIL\n```\n~~~\n\n## Verdict: PASS", Pass},
		{CodeVerdict, "- example:\n  ```\n  ## Verdict: FAIL\n  ```\n\n## Verdict: PASS", Pass},
		{CodeVerdict, "Example:\n\n    Verdict: FAIL\n\n## Verdict: PASS", Pass},
		{CodeVerdict, "Previous verdict: FAIL\n\n## Verdict: PASS", Pass},
		{CodeVerdict, "前回の判定: FAIL\n\n## 判定: PASS", Pass},
		{CodeVerdict, "## 判定: FAIL", Fail},
		{CodeVerdict, "**判定：** PASS", Pass},
		{CodeVerdict, "判定結果：ＦＡＩＬ。", Fail},
		{CodeVerdict, "最終判定：PASSです。", Pass},
		{CodeVerdict, "判定はFAILとします。", Fail},
		{CodeVerdict, "## 総合判定\n\nPASS_WITH_NOTES", PassWithNotes},
		{CodeVerdict, "判定：FAIL（テストがPASSしないため）", Fail},
		{DesignVerdict, "## Verdict: APPROVE", Approve},
		{DesignVerdict, "## Verdict: APPROVED", Approve},
		{DesignVerdict, "## Verdict: approve_with_notes", ApproveWithNotes},
		{DesignVerdict, "## Verdict: Approve with notes.", ApproveWithNotes},
		{DesignVerdict, "## Design review verdict: REVISE", Revise},
		{DesignVerdict, "## Verdict: REVISE — I cannot APPROVE it like this", Revise},
		{FinalVerdict, "## Verdict\n\nPASS", Pass},
		{FinalVerdict, "## Verdict\n\nFAIL", Fail},
	} {
		text := strings.Replace(review, "%", tt.line, 1)
		for _, text := range []string{text, strings.ReplaceAll(text, "\n", "\r\n"), "\ufeff" + text} {
			if r := ParseReview(tt.family, text); r.Verdict != tt.want || len(r.Findings) != 0 {
				t.Errorf("%q: %s %v, want %s", tt.line, r.Verdict, r.Findings, tt.want)
				break
			}
		}
	}
}

// TestNoVerdict checks texts that state no verdict, or not one, against Unknown,
// and the finding that comes with it.
func TestNoVerdict(t *testing.T) {
	for _, tt := range []struct {
		family Family
		text   string
		why    string // a part of the finding
	}{
		{CodeVerdict, "", "there is no verdict line"},
		{CodeVerdict, "## Verdict: PASS (pending)", `line 1 says "PASS (pending)"`},
		{CodeVerdict, "## Verdict: PASS, but see below: FAIL", `line 1 says "PASS, but see below: FAIL"`},
		{CodeVerdict, "## Verdict: PASS (not run)", `line 1 says "PASS (not run)"`},
		{CodeVerdict, "## Verdict: PASS, probably", `line 1 says "PASS, probably"`},
		{CodeVerdict, "## Verdict: PASS 🟡 once CI is green", `line 1 says "PASS 🟡 once CI is green"`},
		{CodeVerdict, "## Verdict: PASS – pending a human check", `line 1 says "PASS – pending a human check"`},
		{CodeVerdict, "## Verdict: PASS (assumed)", `line 1 says "PASS (assumed)"`},
		{CodeVerdict, "## Verdict: PASS; if the tests are mended", `line 1 says "PASS; if the tests are mended"`},
		{CodeVerdict, "## 判定: PASS（ただし未確認）", `line 1 says "PASS(ただし未確認)"`},
		{CodeVerdict, "All tests PASS and I would let this PASS.\n\nThe end.", "there is no verdict line"},
		{CodeVerdict, "I looked at everything.\nPASS is what I would say if Renew were right.\nThe end.", "there is no verdict line"},
		{CodeVerdict, "# Review\n\n- PASS\n- FAIL\n\nThe end.", "there is no verdict line"},
		{CodeVerdict, "# Review\n\n### Lint\n\nPASS\n\n### Tests\n\nThey fail.", "there is no verdict line"},
		{CodeVerdict, "```\n## Verdict: PASS\n```", "there is no verdict line"},
		{CodeVerdict, "```\n## Verdict: PASS\n", "there is no verdict line"},
		{CodeVerdict, "> ## Verdict: PASS\n", "there is no verdict line"},
		{CodeVerdict, "<!-- ## Verdict: PASS -->\n", "there is no verdict line"},
		{CodeVerdict, "<!--\n\n## Verdict: PASS\n", "there is no verdict line"},
		{CodeVerdict, "# Review\n\nThe Verdict: PASS line is missing from the template.\n", "there is no verdict line"},
		{CodeVerdict, "## Verdict: PASS | PASS_WITH_NOTES | FAIL", "line 1 lists more than one"},
		{CodeVerdict, "## Verdict: FAIL | PASS", "line 1 lists more than one"},
		{CodeVerdict, "## Verdict: PASS / FAIL", "line 1 lists more than one"},
		{CodeVerdict, "## Verdict: PASS, PASS_WITH_NOTES, or FAIL", "line 1 lists more than one"},
		{CodeVerdict, "## Verdict: **PASS** or **FAIL**", "line 1 lists more than one"},
		{CodeVerdict, "## Verdict: [PASS|PASS_WITH_NOTES|FAIL]", "line 1 lists more than one"},
		{CodeVerdict, "## Verdict: <PASS or FAIL>", "line 1 lists more than one"},
		{CodeVerdict, "## Verdict: `PASS`、`FAIL`", "line 1 lists more than one"},
		{CodeVerdict, "## 判定：PASS または FAIL", "line 1 lists more than one"},
		{CodeVerdict, "## Verdict: [ ] PASS [x] FAIL", `line 1 says "[ ] PASS [x] FAIL"`},
		{CodeVerdict, "| Verdict | PASS | FAIL |", "line 1 lists more than one"},
		{CodeVerdict, "## Verdict\n\nPASS | PASS_WITH_NOTES | FAIL\n", "line 3 lists more than one"},
		{CodeVerdict, "## Verdict: PASS | FAIL\n\n## Verdict: PASS", "line 1 lists more than one"},
		{CodeVerdict, "## Verdict: PASS\n\ntext\n\n## Verdict: FAIL", "line 1 says PASS and line 5 says FAIL"},
		{CodeVerdict, "## Verdict: PASS\n\n**Final verdict**: PASS_WITH_NOTES", "line 1 says PASS and line 3 says PASS_WITH_NOTES"},
		{CodeVerdict, "## PASS\n\n- a\n\n## FAIL\n\n- b", "line 1 says PASS and line 5 says FAIL"},
		{CodeVerdict, "## Verdict: PASS → FAIL", "line 1 lists more than one"},
		{CodeVerdict, "## Verdict: PASS is out of reach", `line 1 says "PASS is out of reach"`},
		{CodeVerdict, "## Verdict: PASS?", `line 1 says "PASS?"`},
		{CodeVerdict, "## Verdict: not PASS", `line 1 says "not PASS"`},
		{CodeVerdict, "## Verdict: see below", `line 1 says "see below"`},
		{CodeVerdict, "## Verdict: PASSWORD", `line 1 says "PASSWORD"`},
		{CodeVerdict, "## Verdict: PASS_ALL", `line 1 says "PASS_ALL"`},
		{CodeVerdict, "## Verdict: {verdict}", `line 1 says "{verdict}"`},
		{CodeVerdict, "## Verdict\n\nIt would PASS if it were finished.\n", `there is no verdict below "Verdict" on line 1`},
		{CodeVerdict, "## Verdict\n\n## Findings\n\n- PASS\n", `there is no verdict below "Verdict" on line 1`},
		{CodeVerdict, "## Verdict", `there is no verdict below "Verdict" on line 1`},
		{CodeVerdict, "## Verdict: APPROVE", "line 1 says APPROVE, which is not a verdict of this review"},
		{CodeVerdict, "## Verdict: REVISE", "line 1 says REVISE, which is not a verdict of this review"},
		{DesignVerdict, "## Verdict: PASS", "line 1 says PASS, which is not a verdict of this review"},
		{DesignVerdict, "## Verdict: APPROVE | APPROVE_WITH_NOTES | REVISE", "line 1 lists more than one"},
		{FinalVerdict, "## Verdict: PASS_WITH_NOTES", "line 1 says PASS_WITH_NOTES, which is not a verdict of this review"},
		{FinalVerdict, "## Verdict: PASS | FAIL", "line 1 lists more than one"},
	} {
		r := ParseReview(tt.family, tt.text)
		if r.Verdict != Unknown || r.Verdict.Approves() || len(r.Findings) == 0 {
			t.Errorf("%q: %s %v, want UNKNOWN with a finding", tt.text, r.Verdict, r.Findings)
			continue
		}
		f := r.Findings[0]
		if f.Severity != Critical || !strings.Contains(f.Description.String(), tt.why+".") {
			t.Errorf("%q: the finding is %v, want one that says %s", tt.text, f, tt.why)
		}
		for _, v := range tt.family.Verdicts() {
			if line := `"## Verdict: ` + string(v) + `"`; !strings.Contains(f.Description.String(), line) {
				t.Errorf("%q: the finding %q does not show %s", tt.text, f.Description, line)
			}
		}
	}
}

// TestExpectedLines asserts that what an agent is told to write is understood.
func TestExpectedLines(t *testing.T) {
	for _, f := range []Family{DesignVerdict, CodeVerdict, FinalVerdict} {
		for _, v := range f.Verdicts() {
			if got := ParseReview(f, "## Verdict: "+string(v)+"\n"); got.Verdict != v || got.Findings == nil || len(got.Findings) > 0 {
				t.Errorf("%s: %+v", v, got)
			}
		}
	}
}

func TestCriticalFindingRejects(t *testing.T) {
	for _, tt := range []struct {
		family      Family
		said, found string
		want        Verdict
	}{
		{DesignVerdict, "APPROVE", "[CRITICAL] it loses data", Revise},
		{DesignVerdict, "APPROVE_WITH_NOTES", "**[CRITICAL]** it loses data", Revise},
		{DesignVerdict, "APPROVE_WITH_NOTES", "[MAJOR] it is slow", ApproveWithNotes},
		{DesignVerdict, "APPROVE", "[CRITICAL] None.", Approve},
		{DesignVerdict, "REVISE", "[MINOR] a name", Revise},
		{CodeVerdict, "PASS", "1. [critical] it crashes", Fail},
		{CodeVerdict, "PASS_WITH_NOTES", "[CRITICAL]: it crashes", Fail},
		{CodeVerdict, "PASS_WITH_NOTES", "[MINOR] a name", PassWithNotes},
		{FinalVerdict, "PASS", "- **[CRITICAL]** it crashes", Fail},
		{FinalVerdict, "PASS", "- **[MAJOR]** it is slow", Pass},
	} {
		if got := ParseReview(tt.family, "## Verdict: "+tt.said+"\n\n## Findings\n\n"+tt.found+"\n"); got.Verdict != tt.want {
			t.Errorf("%s with %q: %+v, want %s", tt.said, tt.found, got, tt.want)
		}
	}
}
