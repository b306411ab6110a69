package artifact

import "testing"

func TestVerdictLines(t *testing.T) {
	for _, tt := range []struct {
		family Family
		text   string
		want   Verdict
	}{
		{CodeVerdict, "## Verdict: PASS\n", Pass},
		{CodeVerdict, "**判定：ＰＡＳＳ。**", Pass},
		{CodeVerdict, "Verdict: FAIL — it does not PASS", Fail},
		{CodeVerdict, "## Verdict: PASS | PASS_WITH_NOTES | FAIL", Unknown},
		{CodeVerdict, "## Verdict: PASS\n1. **[CRITICAL]** it crashes\n", Fail},
		{CodeVerdict, "## Verdict: APPROVE", Unknown},
		{DesignVerdict, "## Verdict: APPROVE", Approve},
		{FinalVerdict, "## Verdict: PASS_WITH_NOTES", Unknown},
	} {
		if got := ParseReview(tt.family, tt.text).Verdict; got != tt.want {
			t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
		}
	}
}
