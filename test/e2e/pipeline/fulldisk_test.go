//go:build stress && linux

package pipeline

import (
	"fmt"
	"testing"

	"codeintel/test/e2e/harness"
)

// TestStressFullDisk fills the disk of the project before every call of whole pipelines, up to the
// last page or a few before. A call is answered, or refused with a next step; with space again, the
// same call goes on, and at the end nothing is lost and nothing is there twice.
func TestStressFullDisk(t *testing.T) {
	for _, effort := range []string{"XS", "S", "M"} {
		for _, pages := range []int{0, 1, 2, 3, 4, 6, 8, 12, 16} {
			t.Run(fmt.Sprintf("%s_with_%d_pages", effort, pages), func(t *testing.T) {
				p := harness.Lay(t, repository)
				disk := p.OnSmallDisk()
				o := &orchestrator{fixture: fixtureOf(p), effort: effort, written: make(map[string]int)}
				o.full(disk, pages)
			})
		}
	}
}

func (o *orchestrator) full(disk harness.SmallDisk, pages int) {
	refused := 0
	call := func(tool string, args object) reply {
		disk.Fill(pages)
		r := o.Call(nil, tool, args)
		disk.Empty()
		if r.Refused {
			if refused++; len(r.List("legal_next")) == 0 || r.Str("error") == "internal" {
				o.T.Errorf("at %s: %s", o.at(), r.Raw)
			}
		}
		return o.Call(nil, tool, args)
	}
	init := call("pipeline_init", object{"arguments": "--auto " + request, "current_branch": "main"})
	ready := call("pipeline_init_with_context", object{"workspace": init.Answer["workspace"], "flags": init.Answer["flags"], "task_text": init.Answer["core_text"],
		"user_confirmation": object{"effort": o.effort, "workspace_slug": "greet-people", "use_current_branch": false}})
	if o.ws = ready.Str("workspace"); o.ws == "" {
		o.T.Fatalf("confirmation: %s", ready.Raw)
	}
	o.now = call("pipeline_next_action", object{"workspace": o.ws})
	for o.trail = []string{o.at()}; o.now.Str("type") != "done"; {
		said := o.do()
		said["workspace"] = o.ws
		o.took(call("pipeline_next_action", said))
	}
	o.whole()
	s, seen := o.state(), make(map[int]bool)
	if s.Status != "completed" {
		o.T.Errorf("%s: %v", s.Status, o.trail)
	}
	for _, e := range o.journal() {
		if seen[e.Seq] {
			o.T.Errorf("entry %d of the journal is there twice", e.Seq)
		}
		seen[e.Seq] = true
	}
	o.T.Logf("%d calls were refused, %d actions", refused, len(o.trail))
}
