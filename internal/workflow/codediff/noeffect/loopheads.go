package noeffect

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

var (
	// blockingLoop matches the head of a loop that may block between iterations.
	blockingLoop = lazyregexp.MustCompile(`^for\s+range\b|^(?:async\s+for|for\s+await)\b|:?=\s*range\s`)
	// loopVariable matches the head of a loop whose variables stay in scope after it.
	loopVariable = lazyregexp.MustCompile(`^for\s+([\w\s,()]+?)\s+in\s|^foreach\s*\(.*\sas\s+(?:&?\$(\w+)\s*=>\s*)?&?\$(\w+)`)
)

// mayBlock reports whether the loop with this head may wait for its next value: of a channel or a stream.
func mayBlock(head string) bool { return blockingLoop.MatchString(head) }

// loopVariables returns the variables that the loop with this head assigns and that are in scope after it.
func loopVariables(head string) (names []string) {
	if m := loopVariable.FindStringSubmatch(head); m != nil {
		names = strings.FieldsFunc(strings.Join(m[1:], " "), func(r rune) bool { return strings.ContainsRune(" ,()", r) })
	}
	return slices.DeleteFunc(names, func(n string) bool { return n == "_" })
}
