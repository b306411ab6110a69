package artifact

import (
	"fmt"
	"strings"

	"codeintel/internal/text"
	"codeintel/internal/text/markdown"
)

// WriteTasks returns the tasks.md that [ParseTasks] reads these tasks from. A
// title and a criterion become one line each; Line is not kept. A Text that would
// be read as fields or headings is written as a block quote.
func WriteTasks(tasks []Task) string {
	var b strings.Builder
	b.WriteString("# Tasks\n")
	for _, t := range tasks {
		b.WriteString("\n" + writeTask(t))
	}
	return b.String()
}

func writeTask(t Task) string {
	var b strings.Builder
	title := oneLine(t.Title)
	if strings.HasSuffix(title, "#") {
		title += " ##" // else the mark would be taken for the end of the heading
	}
	fmt.Fprintf(&b, "%s\n\nmode: %s\n", strings.TrimRight(fmt.Sprintf("## Task %s: %s", t.ID, title), " "), t.Mode)
	if t.Mode == HumanGate && t.Gate != "" {
		fmt.Fprintf(&b, "gate: %s\n", t.Gate)
	}
	if len(t.DependsOn) > 0 {
		fmt.Fprintf(&b, "depends_on: %s\n", strings.Join(t.DependsOn, ", "))
	}
	if len(t.Files) > 0 {
		b.WriteString("files:\n")
		for _, f := range t.Files {
			mark := ""
			if f.New {
				mark = " (new)"
			}
			fmt.Fprintf(&b, "- `%s`%s\n", f.Path, mark)
		}
	}
	var criteria []string
	for _, a := range t.Acceptance {
		if a = oneLine(a); a != "" {
			criteria = append(criteria, a)
		}
	}
	if len(criteria) > 0 {
		b.WriteString("acceptance_criteria:\n- [ ] " + strings.Join(criteria, "\n- [ ] ") + "\n")
	}
	text := joined(markdown.RawLines(t.Text))
	if text == "" {
		return b.String()
	}
	b.WriteString("\n")
	// What follows shows whether the text would swallow it.
	const next = "\n## Task next: -->\n\nmode: human_gate\n"
	if got, _ := ParseTasks(b.String() + text + "\n" + next); len(got) == 2 && got[0].Text == text &&
		len(got[0].Acceptance) == len(criteria) && sameFields(got[0], t) && got[1].Title == "-->" {
		return b.String() + text + "\n"
	}
	for l := range strings.SplitSeq(text, "\n") {
		if l != "" {
			l = " " + l
		}
		b.WriteString(">" + l + "\n")
	}
	return b.String()
}

// sameFields says whether two tasks have the same fields, but for their form.
func sameFields(a, b Task) bool {
	return a.ID == b.ID && a.Mode == b.Mode && len(a.Files) == len(b.Files) && len(a.DependsOn) == len(b.DependsOn)
}

// oneLine makes a text one line that hides nothing.
func oneLine(s string) string {
	return strings.ReplaceAll(text.OneLine(s), "<!--", "<! --")
}
