// Package textformat formats the text that a pipeline shows to people: paragraphs, lists that are cut after
// the first entries, fenced output of commands.
package textformat

import (
	"strings"

	"codeintel/internal/pipeline/artifact"
	"codeintel/internal/platform/msg"
	"codeintel/internal/text"
)

// FirstText returns the first text that says something; the last one if none does.
func FirstText(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return texts[len(texts)-1]
}

func FirstLine(texts ...string) string {
	for _, t := range texts {
		for line := range strings.Lines(t) {
			if line = strings.TrimSpace(strings.TrimLeft(line, "# ")); line != "" {
				return text.Clip(line, 120)
			}
		}
	}
	return ""
}

// FirstNames joins the first names of a list, and says how many more there are.
func FirstNames(names []string) msg.Message {
	if len(names) > MostListed {
		return msg.New("pipeline.names_and_more", names[:MostListed], len(names)-MostListed)
	}
	return msg.Literal(strings.Join(names, ", "))
}

// CutLines keeps the beginning of a text.
func CutLines(content string, most int) string {
	lines := strings.Split(strings.TrimSpace(content), "\n")
	for i := range lines {
		lines[i] = text.Clip(lines[i], 300)
	}
	if len(lines) > most {
		lines = append(lines[:most], "…")
	}
	return strings.Join(lines, "\n")
}

func Quotation(text string) string {
	return "> " + strings.ReplaceAll(text, "\n", "\n> ")
}

// Section is the first section of a text that has words below its heading.
func Section(text string) string {
	_, rest, ok := strings.Cut("\n"+text, "\n## ")
	if !ok {
		return text
	}
	_, body, _ := strings.Cut(rest, "\n")
	body, _, _ = strings.Cut(body, "\n## ")
	return strings.TrimSpace(body)
}

// maxOutput is how much of a command's output is kept and shown: its end.
const maxOutput = 8 << 10

// lastOf returns the end of an output, as much of it as is shown.
func lastOf(output string) string {
	if len(output) > maxOutput {
		return "…" + strings.ToValidUTF8(output[len(output)-maxOutput:], "")
	}
	return output
}

func Fenced(output string) string {
	output = lastOf(output)
	fence := "```"
	for strings.Contains(output, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimSpace(output) + "\n" + fence
}

// Lines joins messages, one a line, without those that say nothing.
func Lines(all ...msg.Message) msg.Message { return joinMessages("\n", all) }

// Sentences joins messages with a space between them, without those that say nothing.
func Sentences(all ...msg.Message) msg.Message { return joinMessages(" ", all) }

// Paragraphs joins messages with an empty line between them, without those that say
// nothing.
func Paragraphs(all ...msg.Message) msg.Message { return joinMessages("\n\n", all) }

func joinMessages(sep string, all []msg.Message) msg.Message {
	var said []any
	for _, m := range all {
		if !m.IsZero() {
			said = append(said, m)
		}
	}
	return msg.Join(sep, said...)
}

// Verbatim is what another program said. Unlike a [msg.Literal] it is never looked up
// as a sentence of ours, even if it reads like one.
func Verbatim(s string) msg.Message { return msg.Join("", s) }

// A Text is a text for a person that is put together line by line.
type Text struct{ lines []any }

// Say adds the message of key as a line, or as several if its text has several.
func (d *Text) Say(key string, args ...any) { d.Add(msg.New(key, args...)) }

// Quote adds what somebody else wrote, and an empty string an empty line.
func (d *Text) Quote(text string) { d.lines = append(d.lines, text) }

func (d *Text) Add(m msg.Message) { d.lines = append(d.lines, m) }

// Heading adds a heading and the empty line below it.
func (d *Text) Heading(m msg.Message) {
	d.lines = append(d.lines, msg.Join("", "## ", m), "")
}

// Message returns the whole; it ends with the last line.
func (d *Text) Message() msg.Message { return msg.Join("\n", d.lines...) }

// FencedMessage is a message and the output of a command below it, in one block.
func FencedMessage(m msg.Message, output string) msg.Message {
	fence := strings.SplitN(Fenced(output), "\n", 2)[0]
	if output = strings.TrimSpace(lastOf(output)); output == "" {
		return msg.Join("\n", fence, m, fence)
	}
	return msg.Join("\n", fence, m, output, fence)
}

// Files names files, the first few by name.
func Files(files []string) msg.Message {
	const most = 6
	if len(files) > most {
		return msg.New("pipeline.more_files", strings.Join(files[:most], ", "), len(files)-most)
	}
	return msg.Literal(strings.Join(files, ", "))
}

// Shortened returns a description in one line, and of one that somebody else wrote
// only the beginning.
func Shortened(m msg.Message) msg.Message {
	if m.Key() != "" || len([]rune(m.String())) <= 300 && !strings.Contains(m.String(), "\n") {
		return m
	}
	return msg.Literal(text.Clip(text.OneLine(m.String()), 300))
}

// MostListed is how many findings, or files, a digest names.
const MostListed = 15

// Findings adds the first findings of a review or a check.
func (d *Text) Findings(all []artifact.Finding) {
	if len(all) == 0 {
		d.Say("pipeline.findings_none")
		return
	}
	d.Say("pipeline.findings")
	for i, f := range all {
		if i == MostListed {
			d.Say("pipeline.list_more", len(all)-i)
			return
		}
		d.Add(msg.Join("", "- **["+f.Severity+"]** ", Shortened(f.Description)))
	}
}
