package artifact

import (
	"fmt"
	"testing"
)

// TestTakenBack: who approves and says elsewhere that it must not be is asked again; who speaks
// of such things otherwise is not.
func TestTakenBack(t *testing.T) {
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
		{"After a second look my verdict is FAIL.", "None."},
	} {
		if r := ParseReview(CodeVerdict, fmt.Sprintf(review, back.prose, back.finding)); r.Verdict != Unknown {
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
		{"The previous review had two critical issues; both are fixed.", "None."},
		{"A verdict of FAIL would be too hard: the tests pass.", "None."},
	} {
		if r := ParseReview(CodeVerdict, fmt.Sprintf(review, holds.prose, holds.finding)); r.Verdict != PassWithNotes {
			t.Errorf("%s %s: %s %v", holds.prose, holds.finding, r.Verdict, r.Findings)
		}
	}
}
