//go:build stress && linux

package e2e

import (
	"fmt"
	"testing"
)

// TestStressFullDisk fills the disk of the project before every call of whole sessions, up to the
// last page or a few before. A call is answered, or refused with a next step; with space again, the
// same call goes on, and the session ends as one does that always had space.
func TestStressFullDisk(t *testing.T) {
	for _, p := range crashScenarios {
		t.Run(p.name, func(t *testing.T) {
			clean := p.play(t, nil, nil)
			for _, pages := range []int{0, 1, 2, 3, 4, 6, 8, 12, 16} {
				t.Run(fmt.Sprintf("with %d pages", pages), func(t *testing.T) {
					u := newSurvivor(t, p, nil)
					disk := u.OnSmallDisk()
					refused := 0
					u.around = func(call func() reply) reply {
						r := func() reply {
							disk.Fill(pages)
							defer disk.Empty() // also if the server dies
							return call()
						}()
						if !r.Refused || p.expects != nil && p.expects(u.agent, r) {
							return r
						}
						if refused++; len(r.List("legal_next")) == 0 || r.Code() == "internal" {
							t.Errorf("at %s: %s", u.at(), r.Raw)
						}
						u.mayRepeat++
						return call()
					}
					u.against(clean)
					t.Logf("%d of %d calls were refused", refused, u.calls)
				})
			}
		})
	}
}
