package engine

import (
	"encoding/json"
	"errors"
	"fmt"

	"codeintel/internal/platform/msg"
	"codeintel/internal/workflow/phase"
)

// An Action is what the orchestrator has to do next: a [SpawnAgent], a
// [Checkpoint], an [Exec], a [WriteFile], a [HumanGate] or a [Done]. Each holds
// what that action needs and nothing else.
type Action interface {
	// Kind is how the wire names it.
	Kind() string
}

// SpawnAgent asks for one agent, or for one agent per task at once.
type SpawnAgent struct {
	Agent   string   `json:"agent"`
	Prompt  string   `json:"prompt"`
	Model   string   `json:"model"`
	Phase   phase.ID `json:"phase"`
	Inputs  []string `json:"input_files"`
	Output  string   `json:"output_file"`       // "" if each task has its own
	TaskIDs []string `json:"parallel_task_ids"` // null for one agent
	// One for each of the ids.
	Tasks []ParallelTask `json:"parallel_tasks,omitempty"`

	task string // of one agent that works on a task
}

// A ParallelTask is what one of several agents gets.
type ParallelTask struct {
	ID     string   `json:"id"`
	Prompt string   `json:"prompt"`
	Inputs []string `json:"input_files"`
	Output string   `json:"output_file"`
}

// Checkpoint asks a person to decide.
type Checkpoint struct {
	Name          string      `json:"name"`
	PresentToUser msg.Message `json:"present_to_user"`
	Options       []string    `json:"options"`
}

// Exec asks for a command: an argument vector, never a line for a shell.
type Exec struct {
	Phase     phase.ID `json:"phase"`
	Commands  []string `json:"commands"`
	SetupOnly bool     `json:"setup_only"`
}

// WriteFile asks for a file with exactly this content.
type WriteFile struct {
	Phase   phase.ID `json:"phase"`
	Path    string   `json:"path"` // relative to the repository
	Content string   `json:"content"`
}

// HumanGate waits for what a person does elsewhere.
type HumanGate struct {
	Phase         phase.ID    `json:"phase"`
	Name          string      `json:"name"`
	PresentToUser msg.Message `json:"present_to_user"`
	Options       []string    `json:"options"`

	task string
}

// Done ends the pipeline.
type Done struct {
	Summary     msg.Message `json:"summary"`
	SummaryPath string      `json:"summary_path"`
}

// Kind implements [Action].
func (SpawnAgent) Kind() string { return "spawn_agent" }

// Kind implements [Action].
func (Checkpoint) Kind() string { return "checkpoint" }

// Kind implements [Action].
func (Exec) Kind() string { return "exec" }

// Kind implements [Action].
func (WriteFile) Kind() string { return "write_file" }

// Kind implements [Action].
func (HumanGate) Kind() string { return "human_gate" }

// Kind implements [Action].
func (Done) Kind() string { return "done" }

// Encode writes an action as the data contract has it: its own fields, and its
// kind as "type".
func Encode(a Action) (json.RawMessage, error) {
	fields, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("action %s: %w", a.Kind(), err)
	}
	return fmt.Appendf(nil, `{"type":%q,%s`, a.Kind(), fields[1:]), nil
}

// Decode reads what [Encode] wrote.
func Decode(raw json.RawMessage) (Action, error) {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, fmt.Errorf("action: %w", err)
	}
	switch head.Type {
	case SpawnAgent{}.Kind():
		return decode[SpawnAgent](raw)
	case Checkpoint{}.Kind():
		return decode[Checkpoint](raw)
	case Exec{}.Kind():
		return decode[Exec](raw)
	case WriteFile{}.Kind():
		return decode[WriteFile](raw)
	case HumanGate{}.Kind():
		return decode[HumanGate](raw)
	case Done{}.Kind():
		return decode[Done](raw)
	}
	return nil, fmt.Errorf("action: there is no type %q", head.Type)
}

func decode[A Action](raw json.RawMessage) (Action, error) {
	var a A
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("action %s: %w", a.Kind(), err)
	}
	return a, nil
}

// A Step is what [Next] returns: [HandOut], [Repeat] or [ServerStep].
type Step interface{ step() }

// HandOut is an action for the orchestrator.
type HandOut struct {
	Action Action
	Tasks  []string // those it is about
}

// Repeat hands out the outstanding action once more.
type Repeat struct{}

// ServerStep is a step that the server does itself. Clients never see it, so it has
// no form on the wire: marshalling it is an error.
type ServerStep struct {
	Operation Operation
	To        phase.ID // of OpGoBack
	Why       msg.Message
	Artifact  string // of OpGoBack: the file that has changed
}

// An Operation is what the server does in a [ServerStep].
type Operation string

// The operations.
const (
	OpTakeUp      Operation = "take up"      // get the branch that is worked on further
	OpBegin       Operation = "begin"        // note where the branch starts, and go to the first phase
	OpLeave       Operation = "leave"        // every task of the phase is through
	OpPass        Operation = "pass"         // --auto is set and the review approves
	OpGoBack      Operation = "go back"      // what was accepted has changed
	OpReadTasks   Operation = "read tasks"   // tasks.md, into the state
	OpAppendFix   Operation = "append a fix" // to tasks.md, from what the verification found
	OpBlock       Operation = "block"        // no task can become ready
	OpCommitTasks Operation = "commit tasks"
	OpPush        Operation = "push"
	OpFinish      Operation = "finish"       // completed: nothing of the state changes any more
	OpFinalCommit Operation = "final commit" // of the workspace, when the state is completed
)

func (HandOut) step()    {}
func (Repeat) step()     {}
func (ServerStep) step() {}

// MarshalJSON refuses.
func (ServerStep) MarshalJSON() ([]byte, error) {
	return nil, errors.New("pipeline: a server step does not leave the server")
}
