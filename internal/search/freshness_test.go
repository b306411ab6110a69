package search

import (
	"testing"
	"time"

	"codeintel/internal/index"
)

func TestFreshnessWhileBuilding(t *testing.T) {
	now := time.Unix(1000, 0)
	for _, tt := range []struct {
		f    index.Freshness
		want string
	}{
		{index.Freshness{Generation: 3}, "index not verified, generation 3"},
		{index.Freshness{Generation: 3, VerifiedAt: now.Add(-200 * time.Millisecond)}, "index verified 0.2 s ago, generation 3"},
		{index.Freshness{Generation: 3, VerifiedAt: now, Pending: 5}, "index verified 0.0 s ago, generation 3; 5 changed files are not read yet"},
		{index.Freshness{Generation: 1, VerifiedAt: now, Pending: 60, Files: 100, Building: true},
			"index verified 0.0 s ago, generation 1; index 40 % built: 60 of 100 files are not read yet"},
	} {
		if got := freshness(tt.f, now); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.f, got, tt.want)
		}
	}
}
