package expression

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

// waits finds the head of a loop that waits for what it goes over, gives what names are given there.
var (
	waits = lazyregexp.MustCompile(`^for\s+range\b|^(?:async\s+for|for\s+await)\b|:?=\s*range\s`)
	gives = lazyregexp.MustCompile(`^for\s+([\w\s,()]+?)\s+in\s|^foreach\s*\(.*\sas\s+(?:&?\$(\w+)\s*=>\s*)?&?\$(\w+)`)
)

// Waits reports whether the loop with this head may wait for what it goes over: for a channel, or a stream.
func Waits(head string) bool { return waits.MatchString(head) }

// LoopNames returns the names that a loop gives to what it goes over, where they are there behind it too.
func LoopNames(head string) (names []string) {
	if m := gives.FindStringSubmatch(head); m != nil {
		names = strings.FieldsFunc(strings.Join(m[1:], " "), func(r rune) bool { return strings.ContainsRune(" ,()", r) })
	}
	return slices.DeleteFunc(names, func(n string) bool { return n == "_" })
}
