package session

import (
	"strings"
	"testing"

	"codeintel/internal/problem"
	"codeintel/internal/session/refusal"
)

func TestReasoned(t *testing.T) {
	for text, want := range map[string]bool{
		"it is not needed": true, "この依頼では必要ない項目": true, "because 1 + 1": true,
		"n/a": false, "..............": false, strings.Repeat("\u200b", 20): false, "no" + strings.Repeat("\u2060", 20): false,
		"no              .": false, "x\u3164\u3164\u3164\u3164\u3164\u3164\u3164\u3164\u3164\u3164": false,
	} {
		err := refusal.RequireReason("reason", text)
		if (err == nil) != want || err != nil && problem.Of(err).Code != refusal.PayloadMismatch {
			t.Errorf("reasoned(%q) = %v", text, err)
		}
	}
}
