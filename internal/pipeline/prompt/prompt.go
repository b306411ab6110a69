// Package prompt assembles the prompt of a pipeline's agent, in four layers.
//
// Layer 1 is the agent's own instructions, layer 2 the paths that it reads and writes,
// layer 3 what is known of the repository, layer 4 what past pipelines teach. What a person
// said is before layer 3. Layers 3 and 4 are left out when they are empty, and are cut
// from the end when the prompt would exceed its budget. Only layer 1 has placeholders: the
// other layers are text of people and files, and their braces stay.
package prompt

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/text"
)

// DefaultBudget is how long a prompt may be, in tokens as [Tokens] counts them.
const DefaultBudget = 8000

// minFeedback is how much of what a person said stays, in tokens, even if the
// instructions alone are longer than the budget.
const minFeedback = 500

// Names of placeholders that every caller gives a value, or may.
const (
	Workspace = "workspace" // the pipeline's folder, from the root of the repository
	TaskID    = "task"      // the task of an agent that has one
)

// Parts is all that a prompt is made of.
type Parts struct {
	Agent     string            // layer 1: instructions with placeholders
	Inputs    []string          // layer 2: files in the workspace
	Earlier   []string          // files of the pipeline before, from the root of the repository
	Output    string            // likewise; "" if Tasks name theirs
	Tasks     []Task            // what agents share that work in parallel; nil for one agent
	Feedback  string            // of a person, word for word
	Profile   string            // layer 3
	Similar   string            // layer 4
	Patterns  string            // likewise
	Frictions string            // likewise
	Values    map[string]string // of placeholders; "workspace" must be there
	Budget    int               // in tokens; zero: [DefaultBudget]
}

// A Task is one row of a prompt that agents share.
type Task struct {
	ID, Title string
	Inputs    []string // those of Parts are not said again
	Output    string
}

// Assemble returns the prompt. A placeholder that nothing fills is a Problem: no
// agent is sent off with a hole in its instructions.
func Assemble(p Parts) (string, error) {
	workspace := strings.TrimRight(p.Values[Workspace], "/")
	if workspace == "" {
		return "", errors.New("prompt: no workspace")
	}
	instructions, err := fill(p.Agent, values(p, workspace))
	if err != nil {
		return "", err
	}
	instructions = strings.TrimSpace(sectionsFor(instructions, base(p.Output)))
	if instructions == "" {
		return "", errors.New("prompt: the agent has no instructions")
	}
	head := instructions + "\n" + files(p, workspace)
	budget := p.Budget
	if budget == 0 {
		budget = DefaultBudget
	}
	head = strings.ToValidUTF8(head, "\ufffd")
	return head + fit(budget-Tokens(head), []section{
		{heading: "Human Feedback", body: p.Feedback, mark: "[The feedback is longer; the rest was cut.]",
			min: minFeedback},
		{heading: "Repository Context", body: p.Profile},
		{heading: "Similar Past Pipelines", body: p.Similar},
		{heading: "Past Review Patterns", body: p.Patterns},
		{heading: "AI Friction Points", body: p.Frictions},
	}), nil
}

// ForTask returns what one of several agents is told after the prompt that they share.
func ForTask(t Task, workspace string) string {
	return fmt.Sprintf("Of the tasks above yours is task %s: N is %[1]s. Write `%s`.\n"+
		"If no instructions stand above this, change and write nothing, and answer: instructions missing.\n",
		t.ID, inWorkspace(strings.TrimRight(workspace, "/"), t.Output))
}

// values returns the values of all placeholders. Agents that share a prompt learn
// their task when they are started: for them it is N, as in the table.
func values(p Parts, workspace string) map[string]string {
	all := make(map[string]string, len(p.Values)+1)
	if len(p.Tasks) > 0 {
		all[TaskID] = "N"
	}
	for name, value := range p.Values {
		all[name] = value
	}
	all[Workspace] = workspace
	return all
}

// files is layer 2.
func files(p Parts, workspace string) string {
	var b strings.Builder
	if len(p.Inputs) > 0 {
		b.WriteString("\n## Input Files\n")
		for _, name := range p.Inputs {
			fmt.Fprintf(&b, "- %s\n", inWorkspace(workspace, name))
		}
		for _, name := range p.Earlier {
			fmt.Fprintf(&b, "- %s (what the pipeline before this one did on the branch)\n", name)
		}
	}
	switch {
	case len(p.Tasks) > 0:
		b.WriteString("\n## Output File\nYou were given one of these tasks. N stands for its number.\n\n| N | Task | Also read |\n|---|---|---|\n")
		for _, t := range p.Tasks {
			var also []string
			for _, name := range t.Inputs {
				if !slices.Contains(p.Inputs, name) {
					also = append(also, inWorkspace(workspace, name))
				}
			}
			if also == nil {
				also = []string{"-"}
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(t.ID), cell(t.Title), cell(strings.Join(also, ", ")))
		}
	case p.Output != "":
		fmt.Fprintf(&b, "\n## Output File\n- %s\n", inWorkspace(workspace, p.Output))
	}
	return b.String()
}

// inWorkspace returns the path of a file of the workspace.
func inWorkspace(workspace, name string) string {
	if strings.HasPrefix(name, workspace+"/") {
		return name
	}
	return workspace + "/" + name
}

func base(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// cell makes a text fit into a cell of a table.
func cell(content string) string {
	return strings.ReplaceAll(text.OneLine(content), "|", `\|`)
}
