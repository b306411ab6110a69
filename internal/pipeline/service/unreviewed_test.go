package service

import (
	"fmt"
	"strings"
	"testing"
)

// Commits that nobody reported come before a person, whenever they were made.
func TestCommitsBesides(t *testing.T) {
	for _, at := range []string{"spawn_agent phase-3", "write_file phase-5", "spawn_agent phase-6", "spawn_agent final-verification", "spawn_agent final-summary"} {
		t.Run(at, func(t *testing.T) {
			r := newRobot(t, "--auto --nopr greet people by name", "S")
			fails := func(n int) string {
				if n == 1 && strings.Contains(at, "ver") || n == 1 && strings.Contains(at, "phase-6") {
					return review("FAIL", "**[MAJOR]** No.")
				}
				return review("PASS")
			}
			r.artifacts["review-1.md"], r.artifacts["final-verification.md"] = fails, fails
			if !strings.Contains(at, "phase-6") {
				r.artifacts["review-1.md"] = nil
			}
			if !strings.Contains(at, "verification") {
				r.artifacts["final-verification.md"] = nil
			}
			a := r.walk(func(a map[string]any) bool { return strings.HasPrefix(line(a), at) })
			r.write("besides.go", "package main\n")
			r.git("add", "besides.go")
			r.git("commit", "-q", "-m", "By hand")
			a = r.walkOn(a, func(a map[string]any) bool { return a["type"] == "checkpoint" })
			if line(a) != "checkpoint changed-after-review" || !strings.Contains(a["present_to_user"].(string), "- besides.go\n") {
				t.Fatalf("%s: %v", line(a), a["present_to_user"])
			}
			asked := 0
			r.walkOn(a, func(a map[string]any) bool {
				if a["type"] == "checkpoint" {
					asked++
				}
				return false
			})
			if asked > 1 {
				t.Errorf("the person was asked %d times", asked)
			}
			r.clean()
		})
	}
}

// An agent that commits its own work, and an attempt that is refused, need nobody.
func TestAgentCommitsItsWork(t *testing.T) {
	r := newRobot(t, "--auto --nopr greet people by name", "S")
	r.artifacts["impl-1.md"] = func(n int) string {
		r.write("greet.go", fmt.Sprintf("package main\n\n// Greet greets.\nfunc Greet() { println(%d) }\n", n))
		r.git("commit", "-q", "-am", "Work")
		if n == 1 {
			return "# Impl\n\nNo headings.\n"
		}
		return implText("greet.go")
	}
	a := r.walk(func(a map[string]any) bool { return a["type"] == "checkpoint" })
	if a["type"] != "done" {
		t.Errorf("%s: %v", line(a), a["present_to_user"])
	}
	r.clean()
}

// request.md is what was confirmed, whoever writes or removes it.
func TestRequestStays(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "S")
	a := r.walk(at("spawn_agent phase-1"))
	for _, text := range []string{"", "Do nothing.\n"} {
		r.write(r.ws+"/request.md", text)
		if again := r.next(NextRequest{}); line(again) != line(a) || !strings.Contains(again["warning"].(string), "was restored") {
			t.Fatalf("%s: %v", line(again), again["warning"])
		}
		if again := r.next(NextRequest{}); again["warning"] != "" {
			t.Errorf("restored, and %v", again["warning"])
		}
	}
}

// What git ignores is no file of a task, unless a task changes what git ignores.
func TestIgnoredFilesOfTasks(t *testing.T) {
	st := newStand(t)
	st.write(".gitignore", "*.out\n")
	st.write("known.out", "1\n")
	st.git("add", "-f", "known.out", ".gitignore")
	st.git("commit", "-q", "-m", "Ignore")
	r := robotOn(st, "--auto --nopr greet people by name", "M")
	plan := "# Tasks\n\n## Task 1: Say hello\n\nmode: sequential\nfiles: greet.go, `known.out`, `new.out` (new)%s\n"
	r.artifacts["tasks.md"] = func(n int) string {
		if n == 1 {
			return fmt.Sprintf(plan, "")
		}
		return fmt.Sprintf(plan, ", `.gitignore`")
	}
	a := r.walk(at("spawn_agent phase-4"))
	a = r.next(r.do(a))
	if found := fmt.Sprint(reported(t, a)["findings"]); reported(t, a)["state_updated"] != false || !strings.Contains(found, "new.out is ignored by git") || strings.Contains(found, "known.out") {
		t.Fatalf("%v", a["report_result"])
	}
	a = r.next(r.do(a))
	if reported(t, a)["state_updated"] != true || line(a) != "spawn_agent phase-5 implementer impl-1.md" {
		t.Fatalf("%s: %v", line(a), a["report_result"])
	}
	r.write("new.out", "1\n")
	r.write(r.ws+"/impl-1.md", implText("greet.go`, `new.out"))
	r.write("greet.go", "package main\n\n// Greet greets.\nfunc Greet() { println() }\n")
	if a = r.next(NextRequest{Complete: yes()}); !strings.Contains(fmt.Sprint(reported(t, a)["findings"]), "which git ignores") {
		t.Errorf("%v", a["report_result"])
	}
}

// What the user had changed in a file of a task goes with the task, and they are told.
func TestUsersChangesInAFileOfATask(t *testing.T) {
	st := newStand(t)
	st.write("greet.go", "package main\n\n// Greet is being written.\nfunc Greet() {}\n")
	st.write("notes.md", "the user's\n")
	r := &robot{stand: st, artifacts: map[string]func(int) string{}, answers: map[string]string{}, work: map[string]func(){}, written: map[string]int{}}
	r.begin("--nopr greet people by name", "S")
	told := 0
	r.walk(func(a map[string]any) bool {
		if w, _ := a["warning"].(string); strings.Contains(w, "changes that the user had made before the pipeline began and not committed: greet.go. Tell") {
			told++
		}
		return false
	})
	if told != 1 {
		t.Errorf("told %d times", told)
	}
	if got := r.git("status", "--porcelain"); got != "?? notes.md" {
		t.Errorf("git status is\n%s", got)
	}
}
