package explore

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// testHeads say how a test begins that is beside what it tests, in languages that have
// such tests.
var testHeads = map[syntax.Language]*lazyregexp.Regexp{
	syntax.Rust: lazyregexp.MustCompile(`^(?:#\[[^\]]*\]\s*)*#\[(?:(?:\w+::)*(?:\w+_)?(?:test|rstest|bench|quickcheck)(?:_\w+)?\b|cfg\((?:all\()?test\b)`),
	syntax.Zig:  lazyregexp.MustCompile(`^test\b\s*["{\w]`),
	"d":         lazyregexp.MustCompile(`^(?:@?\w+(?:\([^)]*\))?\s+)*unittest\b`),
}

const headRead = 40 // lines of comments and attributes

// isTest reports whether a candidate is a test or belongs to one, by where it is or how it begins.
func (r *run) isTest(c *candidate) bool {
	if c.test() {
		return true
	}
	start := c.start
	if testHeads[syntax.Detect(c.file, nil)] != nil && r.declare(c) == nil && c.declared != nil {
		start = min(start, c.declared.StartLine)
	}
	return r.beginsTest(c.file, start)
}

// beginsTest reports whether a test begins at a line of a file, after comments and attributes.
func (r *run) beginsTest(file string, start int) bool {
	head := testHeads[syntax.Detect(file, nil)]
	if head == nil || start < 1 {
		return false
	}
	block, _ := r.src.Block(file, r.headAbove(file, start), r.src.LineCount(file), headRead)
	lines := strings.Split(block, "\n")
	for i, comment := range text.CommentLines(lines) {
		line := strings.TrimSpace(lines[i])
		attribute := isAttribute(line)
		switch {
		case line == "" || comment && !attribute:
		case head.MatchString(line):
			return true
		case !attribute:
			return false
		}
	}
	return false
}

// headAbove is the first of the attributes and line comments that are directly above a line: a
// function begins at its name where what uses it is listed.
func (r *run) headAbove(file string, start int) int {
	first := max(1, start-headRead/2)
	if first == start {
		return start
	}
	block, _ := r.src.Block(file, first, start-1, headRead)
	for _, line := range slices.Backward(strings.Split(strings.TrimSuffix(block, "\n"), "\n")) {
		if line = strings.TrimSpace(line); !isAttribute(line) && !strings.HasPrefix(line, "//") {
			break
		}
		start--
	}
	return start
}

func isAttribute(line string) bool {
	return strings.HasPrefix(line, "#[") || strings.HasPrefix(line, "@")
}
