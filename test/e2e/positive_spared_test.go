package e2e

import (
	"slices"
	"strings"
	"testing"
)

// TestSpared plays honest agents that are spared a call or a refusal: what they are asked for is
// not there, or is done already.
func TestSpared(t *testing.T) {
	for _, h := range sparedAgents {
		t.Run(strings.ReplaceAll(h.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			h.run(t)
		})
	}
}

var sparedAgents = []honestAgent{
	{name: "makes the changes of both tasks, and then reports one after the other", habits: habits{before: once(implement, func(a *agent) {
		a.use("check_write_target", object{"files": []string{"tests/test_cart.py"}})
		a.apply(a.work.tasks[1].edits[0])
		a.work.tasks[1].edits = nil
	})}, check: func(a *agent) {
		if a.refusals > 0 || strings.Contains(a.answer.Text, "was there before") {
			a.T.Errorf("%d refusals: %s", a.refusals, a.answer.Text)
		}
	}},
	{name: "corrects an output of Terraform that nothing in the project uses", work: func() work {
		const outputs = "output \"queue_arn\" {\n  value = aws_sqs_queue.this.arn\n}\n\noutput \"queue_arn_static\" {\n  value = local.name\n}\n"
		text := strings.Replace(outputs, "value = local.name", "value = local.static_name", 1)
		main := "locals {\n  name        = trimsuffix(var.name, \".fifo\")\n  static_name = var.name\n}\n\nresource \"aws_sqs_queue\" \"this\" {\n  name = local.name\n}\n"
		return work{
			files:  map[string]string{".gitignore": ignored, "main.tf": main, "outputs.tf": outputs, "variables.tf": "variable \"name\" {\n  type = string\n}\n"},
			intent: "MODIFY", query: "queue_arn_static of a FIFO queue lacks the suffix: correct it in outputs.tf.",
			frame:    framed("correct", "queue_arn_static", "outputs.tf", "queue_arn_static"),
			look:     looks([]string{"queue_arn_static", "queue_arn", "static_name"}, "queue_arn_static", "local.name", "main.tf", "outputs.tf"),
			explored: []string{"main.tf", "outputs.tf"},
			findings: []string{"queue_arn_static is the name without the suffix: outputs.tf:6"},
			semantic: "which name does the static output have", targets: []string{"queue_arn_static"},
			tasks: []task{{id: "output", description: "Take the name with the suffix for queue_arn_static", edits: []edit{{path: "outputs.tf", text: text}},
				items: []item{{text: "outputs.tf: queue_arn_static is the name with the suffix", evidence: "outputs.tf:6"}}}},
			message: "Correct the static name of FIFO queues",
		}
	}, check: func(a *agent) {
		a.isMerged()
		if slices.Contains(a.trail, "SEMANTIC") {
			a.T.Errorf("it was sent to look for callers that are not there: %v", a.trail)
		}
	}},
}
