package service

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"codeintel/internal/pipeline/plancheck"
	"codeintel/internal/pipeline/reviewcheck"
	"codeintel/internal/pipeline/textformat"
)

// A type that gains a method is right where it is used: no task has to list those files. One that
// loses its name is not.
func TestTypeGainsAMember(t *testing.T) {
	for said, want := range map[string]string{"`Greeter` says hello": "phase-5 MINOR", "`Greeter` is renamed to `Host`": "phase-4 CRITICAL"} {
		t.Run(said, func(t *testing.T) { typeIsChanged(t, said, want) })
	}
}

func typeIsChanged(t *testing.T, said, want string) {
	r := newRobot(t, "--nopr greet people by name", "M")
	r.s.o.Code = &plancheck.PlannedCode{
		Defined:    func(context.Context, string) ([]string, error) { return []string{"greet.go"}, nil },
		References: func(context.Context, string) ([]string, error) { return []string{"greet.go", "main.go"}, nil },
		Occurs:     func(context.Context, string) (bool, error) { return true, nil },
		IsType:     func(_ context.Context, symbol string) bool { return symbol == "Greeter" },
	}
	r.artifacts["tasks.md"] = func(int) string {
		return strings.Replace(tasksText, "- It says hello", "- "+said, 1)
	}
	a := r.walk(at("spawn_agent phase-4"))
	a = r.next(r.do(a))
	phase, severity, _ := strings.Cut(want, " ")
	if found := fmt.Sprint(reported(t, a)["findings"]); a["phase"] != phase || !strings.Contains(found, severity) || !strings.Contains(found, "Greeter, which task 1 changes, is used in main.go") {
		t.Errorf("%s: %s", line(a), found)
	}
}

// What agents took whose reports were not taken counts: for the figures, and for a budget.
func TestRefusedRunsCount(t *testing.T) {
	r := newRobot(t, "--nopr --budget=7k greet people by name", "M")
	a := r.walk(at("spawn_agent phase-3"))
	design := r.artifacts["design.md"]
	r.artifacts["design.md"] = func(n int) string { return fmt.Sprintf("Nothing, %d.\n", n) }
	for i := 1; i <= 3; i++ {
		req := r.do(a)
		*req.Tokens = 1500
		a = r.next(req)
		if got := a["stats"].(map[string]any)["tokens"]; got != float64(2000+1500*i) || reported(t, a)["state_updated"] != false {
			t.Fatalf("after %d: %v tokens, %v", i, got, reported(t, a))
		}
	}
	r.artifacts["design.md"] = design
	if a = r.next(r.do(a)); line(a) != "checkpoint budget-spent" {
		t.Errorf("%s", line(a))
	}
}

// A reason says more than what it is the reason for.
func TestReasons(t *testing.T) {
	l := reviewcheck.WeakenedTest{File: "log_test.go", Name: "TestPlurals", What: textformat.Verbatim("log_test.go: TestPlurals expects something different than before.")}
	for said, want := range map[string]bool{
		"`log_test.go`: TestPluralsOfOthers are logged as an empty list":                   false,
		"log_test.go::TestPluralsは要求どおり空の一覧を期待する":                                          true,
		"`log_test.go` TestPlurals: nil is logged as an empty list":                        true,
		"TestPlurals, TestOther: the request wants a name":                                 true,
		"`log_test.go` TestPlurals":                                                        false,
		"`log_test.go` TestPlurals: more fields":                                           false,
		"`log_test.go` TestPlurals expects something different than before.":               false,
		"`log_test.go`: TestPlurals: expects something different, different than before":   false,
		"`log_test.go` TestOther: nil is logged as an empty list, as the request wants it": false,
	} {
		if got := l.IsReasonedBy(said); got != want {
			t.Errorf("%s: %v", said, got)
		}
	}
	if l = (reviewcheck.WeakenedTest{File: "test_greet.py", Name: "test_greet", What: textformat.Verbatim("")}); l.IsReasonedBy("`test_greet.py`: the file stands where it stood before") {
		t.Error("the name of the file is taken for that of the test")
	}
}

// The message of a commit that holds several tasks is readable.
func TestCommitOfABatch(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "M")
	r.fourParts()
	r.artifacts["tasks.md"] = func(int) string { return strings.ReplaceAll(fourTasks(), ": Greet", ": Greet everybody") }
	r.walk(nil)
	log := r.git("log", "--format=%B")
	if !strings.Contains(log, "feat: greet people by name\n\n- Greet everybody in part 1\n- Greet everybody in part 2\n- Greet everybody in part 3\n- Greet everybody in part 4\n\nTasks: 1, 2, 3, 4\n") {
		t.Errorf("%s", log)
	}
}
