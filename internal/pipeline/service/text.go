package service

import (
	"strings"

	"codeintel/internal/platform/msg"
	"codeintel/internal/text"
)

// firstText returns the first text that says something; the last one if none does.
func firstText(texts ...string) string {
	for _, t := range texts {
		if strings.TrimSpace(t) != "" {
			return t
		}
	}
	return texts[len(texts)-1]
}

func firstLine(texts ...string) string {
	for _, t := range texts {
		for line := range strings.Lines(t) {
			if line = strings.TrimSpace(strings.TrimLeft(line, "# ")); line != "" {
				return text.Clip(line, 120)
			}
		}
	}
	return ""
}

// firstNames joins the first names of a list, and says how many more there are.
func firstNames(names []string) msg.Message {
	if len(names) > maxPresent {
		return msg.New("pipeline.names_and_more", names[:maxPresent], len(names)-maxPresent)
	}
	return msg.Literal(strings.Join(names, ", "))
}

// cutLines keeps the beginning of a text.
func cutLines(content string, most int) string {
	lines := strings.Split(strings.TrimSpace(content), "\n")
	for i := range lines {
		lines[i] = text.Clip(lines[i], 300)
	}
	if len(lines) > most {
		lines = append(lines[:most], "…")
	}
	return strings.Join(lines, "\n")
}

func quotation(text string) string {
	return "> " + strings.ReplaceAll(text, "\n", "\n> ")
}

// section is the first section of a text that has words below its heading.
func section(text string) string {
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

func fenced(output string) string {
	output = lastOf(output)
	fence := "```"
	for strings.Contains(output, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimSpace(output) + "\n" + fence
}

// lines joins messages, one a line, without those that say nothing.
func lines(all ...msg.Message) msg.Message { return joinMessages("\n", all) }

// sentences joins messages with a space between them, without those that say nothing.
func sentences(all ...msg.Message) msg.Message { return joinMessages(" ", all) }

// paragraphs joins messages with an empty line between them, without those that say
// nothing.
func paragraphs(all ...msg.Message) msg.Message { return joinMessages("\n\n", all) }

func joinMessages(sep string, all []msg.Message) msg.Message {
	var said []any
	for _, m := range all {
		if !m.IsZero() {
			said = append(said, m)
		}
	}
	return msg.Join(sep, said...)
}

// verbatim is what another program said. Unlike a [msg.Literal] it is never looked up
// as a sentence of ours, even if it reads like one.
func verbatim(s string) msg.Message { return msg.Join("", s) }

// A digest is a text for a person that is put together line by line.
type digest struct{ lines []any }

// say adds the message of key as a line, or as several if its text has several.
func (d *digest) say(key string, args ...any) { d.add(msg.New(key, args...)) }

// quote adds what somebody else wrote, and an empty string an empty line.
func (d *digest) quote(text string) { d.lines = append(d.lines, text) }

func (d *digest) add(m msg.Message) { d.lines = append(d.lines, m) }

// heading adds a heading and the empty line below it.
func (d *digest) heading(m msg.Message) {
	d.lines = append(d.lines, msg.Join("", "## ", m), "")
}

// text returns the whole; it ends with the last line.
func (d *digest) text() msg.Message { return msg.Join("\n", d.lines...) }

// fencedMessage is a message and the output of a command below it, in one block.
func fencedMessage(m msg.Message, output string) msg.Message {
	fence := strings.SplitN(fenced(output), "\n", 2)[0]
	if output = strings.TrimSpace(lastOf(output)); output == "" {
		return msg.Join("\n", fence, m, fence)
	}
	return msg.Join("\n", fence, m, output, fence)
}
