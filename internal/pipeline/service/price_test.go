package service

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"codeintel/internal/clients/prompts"
	"codeintel/internal/pipeline/prompt"
	"codeintel/internal/platform/msg"
)

// fourTasks is a plan whose tasks can all be worked on at the same time.
func fourTasks() string {
	plan := "# Tasks\n"
	for i := 1; i <= 4; i++ {
		plan += fmt.Sprintf("\n## Task %d: Greet in part %d\n\nmode: parallel\nfiles:\n- `part%d.go` (new)\n\nGreet there, too.\n\nAcceptance criteria:\n- Part %d greets\n- Its tests pass\n", i, i, i, i)
	}
	return plan
}

// fourParts has the robot plan and implement four tasks.
func (r *robot) fourParts() {
	r.artifacts["tasks.md"] = func(int) string { return fourTasks() }
	for i := 1; i <= 4; i++ {
		name := fmt.Sprintf("part%d.go", i)
		r.artifacts[fmt.Sprintf("impl-%d.md", i)] = func(n int) string {
			r.write(name, fmt.Sprintf("package main\n\nconst part%d = %d\n", i, n))
			return implText(name) + fmt.Sprintf("\nThe %d. time.\n", n)
		}
	}
}

// A price is what the prompts of a run cost, in tokens.
type price struct {
	answers int // as the orchestrator is given them
	agents  int // as the agents read them, with what is installed for them
	runs    int // of agents
}

// priceOf walks a pipeline of M with four tasks to its end.
func priceOf(t *testing.T) (p price) {
	r := newRobot(t, "--nopr greet people by name", "M")
	r.fourParts()
	r.walk(func(a map[string]any) bool {
		if a["type"] != "spawn_agent" {
			return false
		}
		shared := prompt.Tokens(a["prompt"].(string))
		p.answers += shared
		installed, err := prompts.Installed(a["agent"].(string))
		if err != nil {
			t.Fatal(err)
		}
		list, _ := a["parallel_tasks"].([]any)
		if list == nil {
			p.agents += shared + prompt.Tokens(installed)
			p.runs++
		}
		for _, task := range list {
			own := prompt.Tokens(task.(map[string]any)["prompt"].(string))
			p.answers += own
			p.agents += shared + own + prompt.Tokens(installed)
			p.runs++
		}
		return false
	})
	return p
}

// Instructions are given once to each agent, and once to the orchestrator for a batch. It
// was 10,285 and 18,802 tokens when every task came with all of them, and what is installed
// repeated them.
func TestPriceOfPrompts(t *testing.T) {
	p := priceOf(t)
	t.Logf("%d agents: answers with %d tokens of prompts, %d tokens read by agents", p.runs, p.answers, p.agents)
	if p.runs != 16 || p.answers > 6600 || p.agents > 14300 {
		t.Errorf("%+v", p)
	}
}

// Four agents work at once in a client that shows little, too, and each is told all, with
// what checks found.
func TestNarrowClient(t *testing.T) {
	r := newRobot(t, "--nopr greet people by name", "M")
	r.fourParts()
	a := r.walk(at("spawn_agent phase-4"))
	for i := 1; i <= 4; i++ { // each claims what it has not done
		r.artifacts[fmt.Sprintf("impl-%d.md", i)] = func(n int) string {
			var claims []string
			for j := range 30 {
				claims = append(claims, fmt.Sprintf("part%d/with-a-long-name-%d.go", i, j))
			}
			return implText(claims...) + fmt.Sprintf("\nThe %d. time.\n", n)
		}
	}
	next := func(req NextRequest) map[string]any {
		req.Budget = 11_000 // as package mcp has it for clients that are not known
		a := r.next(req)
		data, err := json.Marshal(msg.Bind(a, msg.Printer{}))
		if ids := fmt.Sprint(a["parallel_task_ids"]); ids != "[1 2 3 4]" || err != nil || len(data) > 11_000 {
			t.Fatalf("%s: %d characters, %v", line(a), len(data), err)
		}
		return a
	}
	a = next(r.do(a))
	for range 2 {
		a = next(r.do(a))
	}
	if got := fmt.Sprint(a["warning"]); !strings.Contains(got, " of 244 findings are shown") {
		t.Errorf("warning %q", got)
	}
	for i, p := range a["parallel_tasks"].([]any) {
		own := p.(map[string]any)["prompt"].(string)
		if !strings.Contains(own, fmt.Sprintf("impl-%d.md", i+1)) || !strings.Contains(own, "## Fix This First") || !strings.Contains(own, " more like these") {
			t.Errorf("task %d:\n%s", i+1, own)
		}
	}
	for _, want := range []string{"Carry out task N", "| 4 | Greet in part 4 |"} {
		if shared := a["prompt"].(string); strings.Count(shared, want) != 1 {
			t.Errorf("%s:\n%s", want, shared)
		}
	}
	r.fourParts()
	r.walkOn(a, nil)
	r.clean()
}
