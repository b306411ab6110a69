package service

import (
	"strings"

	"codeintel/internal/text"
)

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

func quote(text string) string {
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

func fenced(output string) string {
	if len(output) > maxOutput {
		output = "…" + strings.ToValidUTF8(output[len(output)-maxOutput:], "")
	}
	fence := "```"
	for strings.Contains(output, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimSpace(output) + "\n" + fence
}
