package shellcheck

import (
	"strconv"
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

// countsOnly are the options of grep with which it shows no lines.
var countsOnly = []string{"-l", "-c", "-q", "--quiet", "--count", "--files", "--files-with-matches", "--files-without-match"}

// showMatches returns the files that grep and its like search; which lines of them are
// shown cannot be told.
func showMatches(_ *walk, c *call) []Read {
	files := c.operands
	if _, pattern := c.option("-e", "-f", "--regexp", "--file"); !pattern {
		files = files[min(1, len(files)):]
	}
	quiet := countsOnly
	if c.name != "rg" {
		quiet = append([]string{"-L", "-r", "-R"}, quiet...)
	}
	if _, ok := c.option(quiet...); ok {
		return nil
	}
	return someLines(files)
}

// sameLines returns the same lines of every operand.
func sameLines(operands []word, start, end int) (reads []Read) {
	for _, o := range operands {
		if o.text != "-" && !o.glob {
			reads = append(reads, Read{Path: o.text, Start: start, End: end})
		}
	}
	return reads
}

func wholeFiles(operands []word) []Read { return sameLines(operands, 1, 0) }

func someLines(operands []word) []Read {
	reads := sameLines(operands, 0, 0)
	for i := range reads {
		reads[i].Some = true
	}
	return reads
}

func showEnds(_ *walk, c *call) []Read { return headOrTail(c.name, c.operands, c.given) }

// headOrTail returns what head and tail show.
func headOrTail(name string, operands []word, given []string) []Read {
	if _, bytes := has(given, "-c", "--bytes"); bytes {
		return someLines(operands)
	}
	n := "10"
	if v, ok := has(given, "-n", "--lines"); ok {
		n = v
	}
	digits := ""
	for _, g := range given { // head -20
		if len(g) == 2 && g[1] >= '0' && g[1] <= '9' {
			digits += g[1:]
		}
	}
	if digits != "" {
		n = digits
	}
	count, err := strconv.Atoi(strings.TrimLeft(n, "+"))
	switch {
	case err != nil || count < 0 && name == "head":
		return someLines(operands)
	case count == 0:
		return nil
	case name == "head":
		return sameLines(operands, 1, count)
	case strings.HasPrefix(n, "+"):
		return sameLines(operands, count, 0)
	}
	return sameLines(operands, -max(count, -count), 0)
}

var sedLines = lazyregexp.MustCompile(`^(\d+)(?:,\s*(\d+|\$))?p$`)

// sedShows returns what sed shows of its files: with -n the lines that its
// scripts print, else changed or chosen text of them.
func sedShows(scripts []string, files []word, given []string) (reads []Read) {
	if _, silent := has(given, "-n", "--quiet", "--silent"); !silent {
		return someLines(files)
	}
	for _, s := range scripts {
		for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ';' || r == '\n' }) {
			start, end, ok := sedRange(strings.TrimSpace(part))
			if !ok {
				return someLines(files)
			}
			reads = append(reads, sameLines(files, start, end)...)
		}
	}
	return reads
}

// sedRange returns the lines that "a,bp" prints.
func sedRange(script string) (start, end int, ok bool) {
	m := sedLines.FindStringSubmatch(script)
	if m == nil {
		return 0, 0, false
	}
	switch m[2] {
	case "":
		m[2] = m[1]
	case "$":
		m[2] = "0"
	}
	start, err := strconv.Atoi(m[1])
	end, err2 := strconv.Atoi(m[2])
	if m[2] != "0" && end < start {
		end = start // sed prints one line
	}
	return start, end, err == nil && err2 == nil && start > 0
}

func lineRange(text, sep string) (start, end int, ok bool) {
	a, b, _ := strings.Cut(text, sep)
	start, end = 1, 0
	var err, err2 error
	if a != "" {
		start, err = strconv.Atoi(a)
	}
	if b != "" {
		end, err2 = strconv.Atoi(b)
	}
	return start, end, err == nil && err2 == nil && start > 0 && (end == 0 || end >= start)
}

var awkLines = lazyregexp.MustCompile(`^\s*NR\s*(>=|==|>)\s*(\d+)\s*(?:&&|,)\s*NR\s*(<=|==|<)\s*(\d+)\s*(?:\{\s*print(?:\s+[^{}>|]*)?\})?\s*$`)

// awkShows returns what awk shows of its files.
func awkShows(operands []word) []Read {
	m := awkLines.FindStringSubmatch(operands[0].text)
	if m == nil {
		return someLines(operands[1:])
	}
	start, err := strconv.Atoi(m[2])
	end, err2 := strconv.Atoi(m[4])
	if m[1] == ">" {
		start++
	}
	if m[3] == "<" {
		end--
	}
	if err != nil || err2 != nil || start < 1 || end < start {
		return someLines(operands[1:])
	}
	return sameLines(operands[1:], start, end)
}

// pipedThrough returns what is left of files that are piped into a command.
func pipedThrough(args []word, in []Read) []Read {
	if len(in) == 0 || len(args) == 0 {
		return nil
	}
	c := &call{command: lookup(args[0].text), name: args[0].text, args: args[1:]}
	if c.passes == nil {
		return nil
	}
	c.operands, c.given = c.values.operands(c.args)
	return c.passes(c, in)
}

func passAll(_ *call, in []Read) []Read { return in }

func passMatches(c *call, in []Read) []Read {
	if _, quiet := c.option("-l", "-L", "-c", "-q", "--quiet", "--count"); quiet {
		return nil
	}
	return someOf(in)
}

func passEnds(c *call, in []Read) []Read {
	if cut := headOrTail(c.name, []word{{text: "in"}}, c.given); len(cut) == 1 && !cut[0].Some {
		return linesOfInput(in, cut[0].Start, cut[0].End)
	}
	return someOf(in[:1])
}

func passSed(c *call, in []Read) []Read {
	scripts, _ := scriptsOf(c.operands, c.given, "-e", "--expression")
	_, silent := c.option("-n", "--quiet", "--silent")
	if len(scripts) == 1 && silent {
		if start, end, ok := sedRange(scripts[0]); ok {
			return linesOfInput(in, start, end)
		}
	}
	return someOf(in)
}

// linesOfInput returns the lines from start to end of what one file is piped in as.
func linesOfInput(in []Read, start, end int) []Read {
	r := in[0]
	if len(in) > 1 || r.Some || r.Start < 0 {
		return someOf(in[:1])
	}
	if start < 0 {
		if r.End != 0 {
			return someOf(in)
		}
		return []Read{{Path: r.Path, Start: start}}
	}
	out := Read{Path: r.Path, Start: r.Start + start - 1, End: r.End}
	if end != 0 && (r.End == 0 || r.Start+end-1 < r.End) {
		out.End = r.Start + end - 1
	}
	if out.End != 0 && out.End < out.Start {
		return nil
	}
	return []Read{out}
}

// someOf says that some lines are shown, it cannot be told which.
func someOf(in []Read) (out []Read) {
	for _, r := range in {
		out = append(out, Read{Path: r.Path, Some: true})
	}
	return out
}
