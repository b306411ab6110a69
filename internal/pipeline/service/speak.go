package service

import (
	"encoding/json"
	"regexp"
	"strings"

	"codeintel/internal/pipeline/engine"
	"codeintel/internal/pipeline/request"
	"codeintel/internal/platform/i18n"
)

// Speak says in the language of c what the server says in the answer. Prompts,
// commands, names and options stay, and what others wrote: requests, titles, plans,
// reviews, output of commands.
func (a *NextAnswer) Speak(c *i18n.Catalog) {
	if c == nil {
		return
	}
	a.Warning, a.Display = sayLines(c, a.Warning), sayHeadline(c, a.Display)
	if a.Report != nil {
		a.Report.Speak(c)
	}
	switch a.Type {
	case engine.Checkpoint{}.Kind():
		sayIn(a, func(p *engine.Checkpoint) { p.PresentToUser = sayDigest(c, p.PresentToUser) })
	case engine.HumanGate{}.Kind():
		sayIn(a, func(g *engine.HumanGate) { g.PresentToUser = sayDigest(c, g.PresentToUser) })
	case engine.Done{}.Kind():
		sayIn(a, func(d *engine.Done) { d.Summary = c.Say(d.Summary) })
	}
}

// sayIn puts into the answer its action as say leaves it.
func sayIn[A engine.Action](a *NextAnswer, say func(*A)) {
	var action A
	if json.Unmarshal(a.Action, &action) != nil {
		return // written by Encode
	}
	say(&action)
	if raw, err := engine.Encode(action); err == nil {
		a.Action = raw
	}
}

// Speak says in the language of c what the server says in the answer, and leaves
// what reviews found.
func (a *ReportAnswer) Speak(c *i18n.Catalog) {
	if c == nil {
		return
	}
	a.Warning, a.Display = sayLines(c, a.Warning), sayHeadline(c, a.Display)
	found := make([]engine.Finding, len(a.Findings)) // the state has the others
	for i, f := range a.Findings {
		found[i] = engine.Finding{Severity: f.Severity, Description: sayFinding(c, f.Description)}
	}
	a.Findings = found
}

// Speak says in the language of c what is no part of the state.
func (i *ResumeInfo) Speak(c *i18n.Catalog) {
	i.words, i.Label, i.Instruction = c, c.Part(i.Label), c.Say(i.Instruction)
}

// Speak says in the language of c what the server asks or finds wrong.
func (r *Reply) Speak(c *i18n.Catalog) {
	if c == nil {
		return
	}
	switch b := r.Body.(type) {
	case request.Errors:
		r.Body = request.Errors{Errors: c.Says(b.Errors)}
	case request.Init:
		if b.FetchNeeded != nil {
			fetch := *b.FetchNeeded
			fetch.Instruction = c.Say(fetch.Instruction)
			b.FetchNeeded = &fetch
		}
		r.Body = b
	case request.Resume:
		b.Instruction = c.Say(b.Instruction)
		r.Body = b
	case request.NeedsDiscussion:
		d := b.NeedsDiscussion
		r.Body = request.NeedsDiscussion{NeedsDiscussion: request.Discussion{Questions: c.Says(d.Questions), Message: c.Say(d.Message)}}
	case request.NeedsConfirmation:
		n := b.NeedsUserConfirmation
		n.Message = c.Say(n.Message)
		for _, o := range []*request.EffortOption{&n.EffortOptions.S, &n.EffortOptions.M, &n.EffortOptions.L} {
			skips := make([]request.Skip, len(o.SkippedPhases))
			for i, s := range o.SkippedPhases {
				skips[i] = request.Skip{PhaseID: s.PhaseID, Label: c.Part(s.Label)}
			}
			o.SkippedPhases = skips
		}
		r.Body = request.NeedsConfirmation{NeedsUserConfirmation: n}
	}
}

// sayLines says several messages, one a line.
func sayLines(c *i18n.Catalog, text string) string {
	return strings.Join(c.Says(strings.Split(text, "\n")), "\n")
}

// sayHeadline says what is shown while something is done: the label of a phase, and
// what became of it or what it is about.
func sayHeadline(c *i18n.Catalog, head string) string {
	why := "" // it pauses
	if i := strings.LastIndex(head, " ("); i >= 0 && strings.HasSuffix(head, ")") {
		head, why = head[:i], head[i:]
	}
	said := c.Part(head)
	if label, verdict, ok := strings.Cut(head, ": "); ok && said == head {
		said = c.Part(label) + ": " + strings.TrimSuffix(verdict, ".")
	}
	return said + why
}

// place finds what stands before a finding of the server's: the task, of several,
// and the line of the artifact.
var place = regexp.MustCompile(`^(?:Task (\S+): )?([\w.-]+\.md(?::\d+)?: )?`)

func sayFinding(c *i18n.Catalog, text string) string {
	if said := c.Say(text); said != text {
		return said
	}
	m := place.FindStringSubmatch(text)
	said := c.Say(text[len(m[0]):])
	if m[1] != "" {
		return c.Part("Task "+m[1]+": ") + m[2] + said
	}
	return m[2] + said
}

// The marks by which a digest is told from what it quotes.
const (
	fenceMark = "```"
	keptMark  = "Kept from the last answer"
)

// quotes are what is quoted in a digest without a mark: from behind the line that
// begins so to before the last line that begins so.
var quotes = [][2]string{
	{"Decision needed: shall ", "Changed so far:"},
	{"Decision needed: shall ", "Answer with one of: "}, // if nothing stands between
	{"This can only be done by a person.", "Answer done when "},
}

// sayDigest says what a person is shown, line by line, but for what is quoted in it.
func sayDigest(c *i18n.Catalog, text string) string {
	if c == nil {
		return text
	}
	lines := strings.Split(text, "\n")
	from, to := quoted(lines)
	fence, before := "", ""
	for i, line := range lines {
		mark := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case i >= from && i < to:
		case fence != "":
			switch {
			case line == fence:
				fence = ""
			case strings.HasPrefix(before, "The command of "): // how it ended, and then what it printed
				lines[i] = c.Part(line)
			}
			before = ""
		case strings.HasPrefix(mark, fenceMark):
			fence = mark
		case strings.HasPrefix(line, keptMark):
			lines[i] = c.Say(line)
			return strings.Join(lines, "\n")
		case line != "":
			before, lines[i] = line, sayLine(c, line)
		}
	}
	return strings.Join(lines, "\n")
}

// quoted returns which lines of a digest are quoted without a mark.
func quoted(lines []string) (from, to int) {
	for _, q := range quotes {
		for i, line := range lines {
			if !strings.HasPrefix(line, q[0]) {
				continue
			}
			for j := len(lines) - 1; j > i; j-- {
				if strings.HasPrefix(lines[j], q[1]) {
					return i + 1, j
				}
			}
		}
	}
	return 0, 0
}

// item is the beginning of a finding in a digest.
var item = regexp.MustCompile(`^- (?:\*\*\[[A-Z]+\]\*\* )?`)

func sayLine(c *i18n.Catalog, line string) string {
	switch {
	case strings.HasPrefix(line, "> "):
		return line
	case strings.HasPrefix(line, "## "):
		return "## " + c.Part(line[len("## "):])
	}
	if said := c.Say(line); said != line {
		return said
	}
	if mark := item.FindString(line); mark != "" {
		return mark + sayFinding(c, line[len(mark):])
	}
	return line
}
