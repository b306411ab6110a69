package dashboard

import (
	"fmt"
	"strings"
	"testing"

	"codeintel/internal/pipeline/engine"
	"codeintel/internal/problem"
)

// TestStop: a person ends a pipeline on the page, and nobody else does.
func TestStop(t *testing.T) {
	nobody := func(string) error { return problem.New("not_a_person", "Nobody is there.").Or("Go to a terminal.") }
	for name, c := range map[string]struct {
		demand string
		person func(string) error
		status int
	}{
		"a person":         {"relayed", nil, 200},
		"by nobody":        {"relayed", nobody, 409},
		"where it is less": {"terminal", nil, 409},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, func(o *Options) {
				if c.person != nil {
					o.Person = c.person
				}
			})
			d.write(".code-intel/config.json", fmt.Sprintf(`{"human_gate": %q}`, c.demand))
			path := d.pipeline()
			id := strings.TrimPrefix(path, ".specs/")
			before, _ := body[pipelineView](t, d.get("/api/pipeline?id="+id))
			if before.Stop == nil || before.Stop.Open != (c.status == 200) || before.Stop.Open != (before.Stop.Why == nil) {
				t.Errorf("%+v", before.Stop)
			}
			if w := d.post("/api/stop", fmt.Sprintf(`{"workspace": %q, "reason": "not wanted"}`, path)); w.Code != c.status {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			after, _ := body[pipelineView](t, d.get("/api/pipeline?id="+id))
			if (after.Info.Status == engine.StatusAbandoned) != (c.status == 200) {
				t.Errorf("the pipeline is %s", after.Info.Status)
			}
			if c.status != 200 {
				return
			}
			if n := len(after.Info.Decisions); n == 0 || after.Info.Decisions[n-1].By != "dashboard" || after.Info.Decisions[n-1].Text != "not wanted" || after.Stop != nil {
				t.Errorf("noted: %+v, %+v", after.Info.Decisions, after.Stop)
			}
			if w := d.post("/api/stop", fmt.Sprintf(`{"workspace": %q, "reason": ""}`, path)); w.Code != 409 {
				t.Errorf("again: %d %s", w.Code, w.Body)
			}
		})
	}
}

// TestTexts: what agents wrote is shown, and no other file.
func TestTexts(t *testing.T) {
	d := open(t, nil)
	id := strings.TrimPrefix(d.pipeline(), ".specs/")
	said, _ := body[struct{ Text string }](t, d.get("/api/artifact?id="+id+"&name=design.md"))
	if said.Text != design {
		t.Errorf("the design: %q", said.Text)
	}
	for _, name := range []string{"", "none.md", "state.json", "../../greet.go", "../../.code-intel/config.json", "/etc/passwd"} {
		if w := d.get("/api/artifact?id=" + id + "&name=" + name); w.Code != 404 {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	if w := d.get("/api/diff?id=" + id + "&task=1"); w.Code != 404 {
		t.Errorf("of no task: %d %s", w.Code, w.Body)
	}
}
