package prompt

import (
	"strings"

	"codeintel/internal/text/markdown"
)

// toWrite is how the heading of a section begins that is for one output only.
const toWrite = "To write "

// sectionsFor drops the sections that tell how to write another file than output.
// An agent that writes one file in one phase and another in the next has a section
// for each. Without an output all stay.
func sectionsFor(text, output string) string {
	if output == "" {
		return text
	}
	headings := make(map[int]string) // by line
	for _, l := range markdown.Read(text) {
		if l.Level == 1 || l.Level == 2 {
			headings[l.Number] = l.Text
		}
	}
	var b strings.Builder
	dropped, number := false, 0
	for line := range strings.Lines(text) {
		number++
		if title, ok := headings[number]; ok {
			name, own := strings.CutPrefix(title, toWrite)
			dropped = own && strings.Trim(name, "` ") != output
		}
		if !dropped {
			b.WriteString(line)
		}
	}
	return b.String()
}

// A fence is the mark that will end the block of code one is in, or "".
type fence string

// in reports whether line belongs to a block of code, its marks included. It must
// be told line after line.
func (f *fence) in(line string) bool {
	text := strings.TrimSpace(line)
	switch mark := markdown.FenceMark(text); {
	case *f == "" && mark != "":
		*f = fence(mark)
		return true
	case *f == "":
		return false
	case mark == text && strings.HasPrefix(mark, string(*f)):
		*f = ""
	}
	return true
}
