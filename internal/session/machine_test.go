package session

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"codeintel/internal/session/codecommand"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/state"
	"codeintel/internal/taskbranch"
	"codeintel/internal/workflow/phase"
	"codeintel/test/golden"
)

func table(t *testing.T) *phase.Table[phases.Contract] {
	t.Helper()
	table, err := phases.Load()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// TestMatrix checks phases.yaml against the phase matrix of the design, row by
// row. It may differ in one place only: with -e, branches that are left over are
// a warning and no phase. (That -v starts a session at all, step 1, is no row.)
func TestMatrix(t *testing.T) {
	table := table(t)
	columns := []string{"", "-e", "-v", "--no-verify", "--no-quality", "--fast", "--quick", "--no-doc", "-ni"}
	exceptions := map[string]string{"BRANCH_INTERVENTION -e": "."}

	data, err := os.ReadFile("testdata/matrix.txt")
	if err != nil {
		t.Fatal(err)
	}
	var rows []phase.ID
	for line := range strings.Lines(string(data)) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0] == "#" {
			continue
		}
		id := phase.ID(fields[1])
		rows = append(rows, id)
		c, ok := table.Contract(id)
		if !ok || fmt.Sprint(c.Step) != fields[0] {
			t.Errorf("%s is step %d in the table and %s in the matrix", id, c.Step, fields[0])
		}
		for i, column := range columns {
			want := fields[2+i]
			if w, ok := exceptions[string(id)+" "+column]; ok {
				want = w
			}
			flags, err := codecommand.ParseFlags([]string{column})
			if err != nil {
				t.Fatal(err)
			}
			got := "x"
			if table.Skips(id, payloadFacts{State: &state.State{Flags: flags, Intent: state.Implement, Terms: state.Terms{Stale: []taskbranch.Stale{{}}}}}) {
				got = "."
			}
			if got != want {
				t.Errorf("%s under %q is %q, want %q", id, column, got, want)
			}
		}
	}
	if left := slices.DeleteFunc(table.IDs(), func(id phase.ID) bool { return id == phases.UserEscalation }); !slices.Equal(left, rows) {
		t.Errorf("the table has the phases %v, the matrix %v", left, rows)
	}
}

// TestWalks replays sessions: each line of testdata/walks.txt names the flags
// and the answers that hold, and the phases that follow from them.
func TestWalks(t *testing.T) {
	table := table(t)
	in, err := os.ReadFile("testdata/walks.txt")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(in)) {
		words, _, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, "#") {
			b.WriteString(line)
			continue
		}
		b.WriteString(words + ": " + walk(t, table, words) + "\n")
	}
	golden.Hold(t, "testdata/walks.txt", b.String())
}

func walk(t *testing.T, table *phase.Table[phases.Contract], words string) string {
	t.Helper()
	st := &state.State{Intent: state.Implement}
	given := answers{}
	var flags []string
	for _, w := range strings.Fields(words) {
		switch {
		case strings.HasPrefix(w, "--"):
			flags = append(flags, w)
		case w == "stale":
			st.Stale = []taskbranch.Stale{{}}
		case w == "investigating":
			st.Intent = state.Investigate
		default:
			given[phase.Fact(w)] = true
		}
	}
	var err error
	if st.Flags, err = codecommand.ParseFlags(flags); err != nil {
		t.Fatal(err)
	}
	applyStep(st, table.First(payloadFacts{st, given}))
	way := []string{string(st.Phase)}
	for range 200 {
		if st.Phase == phase.Done {
			return strings.Join(way, " ")
		}
		step, err := table.Next(st.Phase, payloadFacts{st, given})
		if err != nil {
			t.Fatal(err)
		}
		applyStep(st, step)
		way = append(way, string(st.Phase))
	}
	return strings.Join(way, " ") + " …"
}

// TestPayloadsAgree checks the pseudo-types that a model reads against the
// structs that its payload is read into.
func TestPayloadsAgree(t *testing.T) {
	table := table(t)
	handlers, err := newHandlers(table)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range table.IDs() {
		c, _ := table.Contract(id)
		required := make(map[string]bool)
		for _, f := range handlers[id].fields() {
			required[f.Name] = f.Required
		}
		for field, pseudo := range c.Payload {
			must, ok := required[field]
			if !ok {
				t.Errorf("%s: expected_payload has %s, the payload has not", id, field)
			}
			if optional := strings.HasSuffix(strings.TrimSpace(pseudo), "?"); optional == must {
				t.Errorf("%s.%s: %q, but required %v", id, field, pseudo, must)
			}
		}
		for field := range required {
			if _, ok := c.Payload[field]; !ok {
				t.Errorf("%s: the payload has %s, expected_payload has not", id, field)
			}
		}
		for _, with := range c.With {
			if _, ok := table.Contract(with); !ok || gates[with] != nil {
				t.Errorf("%s: %s cannot be answered in the same call", id, with)
			}
		}
	}
}

// The task that brings base and task together takes no name that a task has, or is
// to have.
func TestConflictTask(t *testing.T) {
	turn := (&Service{}).newTurn(&state.State{
		TaskBranch: state.TaskBranch{Branch: &taskbranch.Task{Base: "main"}},
		Work:       state.Work{Conflicts: []string{"a"}, Tasks: []state.Task{{ID: "merge_conflict_2", Status: state.TaskCompleted}}},
	}, nil)
	if got := turn.conflictTask(nil).ID; got != "merge_conflict" {
		t.Errorf("alone it is %q", got)
	}
	if got := turn.conflictTask([]state.Task{{ID: "merge_conflict"}}).ID; got != "merge_conflict_3" {
		t.Errorf("beside a plan's own it is %q", got)
	}
	plan := []state.Task{{ID: "a"}}
	for range 2 { // the second time the plan was lost on its way, or changed
		turn.State.Tasks = append(slices.Clip(turn.State.Tasks[:1]), turn.withConflictTask(plan)...)
		if got := turn.State.Tasks; len(got) != 3 || got[2].ID != "merge_conflict" || turn.State.ConflictTask != got[2].ID {
			t.Errorf("planned: %+v", got)
		}
	}
}
