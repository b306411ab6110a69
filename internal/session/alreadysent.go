package session

import (
	"crypto/sha256"
	"encoding/json"
	"slices"
	"strings"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/session/answer"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/state"
)

// Rules, instructions, prompts and warnings are long, so a model gets each of them once, and
// later answers refer to them. A model that has lost its context gets everything again, and so
// does every request for the status.

// wasSent reports whether an earlier answer held this content under this name, and
// notes that this one does.
func (t *turn) wasSent(name string, content any) bool {
	data, err := json.Marshal(content)
	if err != nil {
		return false // what cannot be compared is sent
	}
	sum := sha256.Sum256(data)
	if t.s.live.sent == nil {
		t.s.live.sent = make(map[string][sha256.Size]byte)
	}
	had := t.s.live.sent[name] == sum
	t.s.live.sent[name] = sum
	return had
}

// refer removes from an answer what an earlier one held.
func (t *turn) refer(a *answer.Answer) {
	if t.wasSent("instruction "+string(t.State.Phase), a.Instruction) {
		a.Instruction = msg.New("session.instruction_as_before", t.s.step(t.State.Phase), op.GetSessionStatus)
	}
	if a.ProjectRules != "" || len(a.MandatoryRules) > 0 {
		project, mandatory := t.wasSent("project rules", a.ProjectRules), t.wasSent("mandatory rules", a.MandatoryRules)
		if project {
			a.ProjectRules = ""
		}
		if mandatory {
			a.MandatoryRules = nil
		}
		if project && mandatory {
			a.Rules = msg.New("session.rules_as_before", op.GetSessionStatus)
		}
	}
	a.Warnings = slices.DeleteFunc(a.Warnings, func(w msg.Message) bool { return t.wasSent("warning "+w.String(), true) })
	if t.wasSent("level", a.EnforcementLevel) {
		a.EnforcementLevel = ""
	}
	if t.wasSent("branch", a.TaskBranch) {
		a.TaskBranch = ""
	}
	if t.wasSent("risk", a.Risk) {
		a.Risk = ""
	}
}

// acceptedTogether returns the phases whose payloads may be sent together with that of this phase: those
// that the table names and that are not skipped.
func (t *turn) acceptedTogether() (lines []answer.ThenLine) {
	c, _ := t.s.table.Contract(t.State.Phase)
	for _, id := range c.With {
		if t.s.table.Skips(id, payloadFacts{State: t.State}) || id == phases.ReadyComplete && tasksLeft(t.State) > 1 {
			continue
		}
		next, _ := t.s.table.Contract(id)
		line := answer.ThenLine{Phase: string(id), Data: map[string]string{}}
		for field, kind := range next.Payload {
			// the parts of a frame, and what spares a phase, are worth asking for
			if !strings.HasSuffix(kind, "?") || strings.HasPrefix(kind, "{") || kind == "bool?" {
				line.Data[field] = kind
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// tasksLeft returns how many tasks are not completed.
func tasksLeft(s *state.State) (n int) {
	for _, task := range s.Tasks {
		if task.Status != state.TaskCompleted {
			n++
		}
	}
	return n
}

// taskLines are the tasks as answers list them: in full if the model has not seen
// them so, else only where each is.
func (t *turn) taskLines() (lines []answer.TaskLine) {
	var known [][2]string
	for _, task := range t.State.Tasks {
		known = append(known, [2]string{task.ID, task.Description})
		lines = append(lines, answer.TaskLine{ID: task.ID, Description: task.Description, Status: task.Status,
			FailureCount: task.FailureCount})
	}
	if len(lines) > 0 && t.wasSent("tasks", known) {
		for i := range lines {
			lines[i].Description = ""
		}
	}
	return lines
}
