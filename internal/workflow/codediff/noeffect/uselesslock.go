package noeffect

import (
	"bytes"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
	"codeintel/internal/workflow/codediff/reason"
	"codeintel/internal/workflow/codediff/source"
)

// Changes to a copy, and locks that exclude nobody.

// assignsToCopy reports whether an assignment of Go changes a field of a receiver that is a copy, and
// nothing reads the copy behind it. What a field leads to is shared: a map, a pointer, a slice.
func (s *Analysis) assignsToCopy(node, left int32) bool {
	name, field, dotted := strings.Cut(s.Tree.Text(left), ".")
	f := s.FunctionAround(node)
	if s.Lang != syntax.Go || !dotted || !source.PlainWord.MatchString(field) || f < 0 || s.Tree.Field(f, "receiver") < 0 {
		return false
	}
	receiver := strings.Fields(strings.Trim(s.Tree.Text(s.Tree.Field(f, "receiver")), "()"))
	if len(receiver) != 2 || receiver[0] != name || receiver[1][0] == '*' {
		return false
	}
	if s.readBefore(node, f, f, name) || sharedName(s.Tree.Text(f), name) {
		return false
	}
	for line := range strings.Lines(string(s.WithoutComments()[s.Tree.Nodes[node].End:s.Tree.Nodes[f].End])) {
		to, value, _ := strings.Cut(strings.TrimSpace(line), " = ") // another field of the copy
		if of, ok := strings.CutPrefix(to, name+"."); ok && source.PlainWord.MatchString(of) {
			line = value
		}
		if source.ContainsWord(line, name) {
			return false
		}
	}
	return true
}

// ownLock matches a lock that is created where it is acquired, heldForNothing one that is released at once.
var (
	ownLock = lazyregexp.MustCompile(`^(?:with\s+(?:threading|multiprocessing|asyncio)\.R?Lock\(\)\s*:|async\s+with\s+asyncio\.Lock\(\)\s*:` +
		`|synchronized\s*\(\s*new\s+\w+(?:<[^>]*>)?\(\)\s*\)|lock\s*\(\s*new\s+(?:object\(\)|\w+\(\)|\(\))\s*\)|synchronized\((?:Any|Object)\(\)\))`)
	heldForNothing = lazyregexp.MustCompile(`^(?:async\s+)?with\s+([\w.]*[lL]ock\w*)\s*:\s*pass$`)
	// what else may be acquired is waited for until it is released
	acquiresLock = lazyregexp.MustCompile(`^(\w+(?:\.\w+)*)\.R?[lL]ock\(\);?$|^((?:\w+\.)*\w*(?:[lL]ock|[mM]utex)\w*)\.(?:acquire|enter)\(\);?$`)
	releasesLock = lazyregexp.MustCompile(`^(?:defer\s+)?(\w+(?:\.\w+)*)\.(R?[uU]nlock|release|exit|leave)\(\);?$`)
)

// markUselessLock marks what acquires a lock that only this call has, or that is released at once.
func (s *Analysis) markUselessLock(node int32, put func(int32, reason.Reason)) {
	text := s.Tree.Text(node)
	if len(text) > 1<<12 || !s.IsStatement(node) {
		return
	}
	if release := s.releasedAtOnce(node); release >= 0 {
		put(node, reason.NoEffect)
		put(release, reason.NoEffect)
	} else if ownLock.MatchString(text) {
		n := s.Tree.Nodes[node]
		body := s.Tree.Field(node, "body")
		if body < 0 {
			body = s.LastChild(node)
		}
		if s.IsBlock(body) {
			s.Marks = append(s.Marks, Mark{Start: int(n.Start), End: int(s.Tree.Nodes[body].Start), Why: reason.NoEffect})
			s.unwrap(body)
		}
	} else if lock, next := s.acquiredAndReleased(node); next >= 0 && strings.HasPrefix(s.Tree.Text(next), "defer") {
		f := s.FunctionAround(node)
		for c := range s.Children(s.Tree.Parent(node)) { // a lock of its own
			if f >= 0 && c < node && ownMutex(s.Tree.Text(c), lock) && source.CountWord(s.Tree.Text(f), lock) == 3 {
				put(c, reason.NoEffect)
				put(node, reason.NoEffect)
				put(next, reason.NoEffect)
			}
		}
	}
}

// acquiredAndReleased returns the lock that a statement acquires and the next one releases, and that one, or -1.
func (s *Analysis) acquiredAndReleased(node int32) (lock string, next int32) {
	m := acquiresLock.FindStringSubmatch(s.Tree.Text(node))
	if m == nil {
		return "", -1
	}
	next = s.NextStatement(node)
	if next < 0 {
		return "", -1
	}
	if free := releasesLock.FindStringSubmatch(s.Tree.Text(next)); free == nil || free[1] != m[1]+m[2] {
		return "", -1
	}
	return m[1] + m[2], next
}

// releasedAtOnce returns the statement that gives a lock back which a statement takes for nothing, or -1.
func (s *Analysis) releasedAtOnce(node int32) int32 {
	lock, next := s.acquiredAndReleased(node)
	if m := heldForNothing.FindStringSubmatch(s.Tree.Text(node)); m != nil {
		lock, next = m[1], node
	}
	if next < 0 || strings.HasPrefix(s.Tree.Text(next), "defer") || s.isBarrier(node, lock[strings.LastIndexByte(lock, '.')+1:]) {
		return -1
	}
	return next
}

// isBarrier reports whether a statement takes a lock to wait for those who hold it: other functions take it, and the
// comment before it, or beside it, says so.
func (s *Analysis) isBarrier(node int32, lock string) bool {
	f, n := s.FunctionAround(node), s.Tree.Nodes[node]
	if f < 0 || s.CountName(0, lock) == s.CountName(f, lock) {
		return false
	}
	line, _, _ := bytes.Cut(s.Src[n.Start:], []byte("\n"))
	above := s.Src[:max(0, bytes.LastIndexByte(s.Src[:n.Start], '\n'))]
	return saysItWaits.Match(above[bytes.LastIndexByte(above, '\n')+1:]) || saysItWaits.Match(line)
}

var saysItWaits = lazyregexp.MustCompile(`(?i)(?://|#|/\*|^\s*\*).*\b(?:waits?|until|barrier|drain\w*|in[ -](?:flight|progress)|to (?:finish|end|be done))\b`)

// ownMutex reports whether a statement of Go declares a local lock.
func ownMutex(text, name string) bool {
	declares := declaresMutex.FindStringSubmatch(text)
	return declares != nil && (declares[1] == name || declares[2] == name)
}

var declaresMutex = lazyregexp.MustCompile(`^(?:var\s+(\w+)\s+sync\.(?:RW)?Mutex|(\w+)\s*:=\s*&?sync\.(?:RW)?Mutex\{\})$`)
