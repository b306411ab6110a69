package answer

import (
	"reflect"
	"strings"
	"testing"

	"codeintel/internal/platform/msg"
	"codeintel/internal/session/instructions"
	"codeintel/internal/session/state"
	"codeintel/internal/verify"
)

// TestTextHoldsAll wants the text of an answer to hold every field that instructions
// and models go by, whichever of both forms their client shows.
func TestTextHoldsAll(t *testing.T) {
	a := &Answer{
		SessionID: "ID", Phase: "PHASE", Step: 13, ReadyStep: "implement", Warnings: []msg.Message{msg.Literal("WARNING")},
		Overridden: true, Reason: msg.Literal("REASON"), Returned: msg.Literal("RETURNED"),
		Evaluation:  &state.Evaluation{Confidence: "CONFIDENCE", Missing: []msg.Message{msg.Literal("MISSING")}},
		Instruction: msg.Literal("INSTRUCTION"), ProjectRules: "PROJECT_RULES", MandatoryRules: []state.Rule{{Rule: "RULE", Source: "SOURCE"}},
		Risk: "RISK", Rules: msg.Literal("RULES"),
		NextTask:   &TaskAhead{ID: "TASK", Description: "TASK_DESCRIPTION", Checklist: []ItemLine{{"7", "ITEM"}}, RevertReason: "REVERTED"},
		Tasks:      []TaskLine{{"OTHER_TASK", "OTHER_DESCRIPTION", state.Pending, 2}},
		MustVerify: []string{"MUST_VERIFY"}, Verifiers: []VerifierLine{{"VERIFIER", []string{"FILE"}, []string{"COMMAND"}, msg.Literal("RUN_BY"), "PROMPT"}},
		Checks:        &Checks{Results: []verify.Result{{Name: "RESULT", Tail: "TAIL"}}, Running: []string{"RUNNING"}, RetryAfter: 31},
		Interventions: []instructions.Prompt{{Name: "INTERVENTION", Text: "INTERVENTION_TEXT"}}, UserEscalation: msg.Literal("ESCALATION"),
		DocsPath: []string{"DOCS_PATH"}, TaskBranch: "BRANCH", Commit: "COMMIT", PhaseSummaries: map[string]string{"SUMMARY_OF": "SUMMARY"},
		Intent: "INTENT", Query: "QUERY", ExpectedPayload: map[string]string{"FIELD": "KIND"},
		Then: []ThenLine{{"THEN_PHASE", map[string]string{"THEN_FIELD": "THEN_KIND"}}}, Call: "CALL", CompactionCount: 41, EnforcementLevel: "LEVEL",
		Recovery: &Recovery{"RECOVERED", "RECOVERY_PHASE", "RECOVERY_QUERY", "AGE"},
	}
	text := a.Text()
	for _, word := range words(reflect.ValueOf(*a)) {
		if !strings.Contains(text, word) {
			t.Errorf("the text has no %s:\n%s", word, text)
		}
	}
	for _, number := range []string{"13", "7. ", "31", "41"} {
		if !strings.Contains(text, number) {
			t.Errorf("the text has no %s:\n%s", number, text)
		}
	}
}

// words returns the strings in capitals that a value holds.
func words(v reflect.Value) (all []string) {
	if m, ok := v.Interface().(msg.Message); ok {
		return []string{m.String()}
	}
	switch v.Kind() {
	case reflect.String:
		if s := v.String(); s != "" && s == strings.ToUpper(s) {
			return []string{s}
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return words(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				all = append(all, words(v.Field(i))...)
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			all = append(all, words(v.Index(i))...)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			all = append(all, words(k)...)
			all = append(all, words(v.MapIndex(k))...)
		}
	}
	return all
}

// TestWriteSaysOnce wants a reason that several files share to be said once.
func TestWriteSaysOnce(t *testing.T) {
	a := &Write{}
	for _, f := range []string{"a.go", "b.go", "c.go"} {
		target := WriteTarget{File: f, Code: "phase_blocked", Reason: msg.Literal("REASON"), Next: msg.Literal("NEXT")}
		if f == "c.go" {
			target.Next = msg.Literal("OTHER")
		}
		a.Files = append(a.Files, target.After(a.Files))
	}
	want := "a.go: not allowed: phase_blocked: REASON Next: NEXT\nb.go: not allowed: phase_blocked\nc.go: not allowed: phase_blocked Next: OTHER"
	if got := a.Text(); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
