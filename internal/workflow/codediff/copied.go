package codediff

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
)

// What is done to a copy, and a lock that keeps nobody out.

// ofCopy reports whether an assignment of Go changes a field of a receiver that is a copy, and
// nothing reads the copy behind it. What a field leads to is shared: a map, a pointer, a slice.
func (s *side) ofCopy(node, left int32) bool {
	name, field, dotted := strings.Cut(s.tree.Text(left), ".")
	f := s.functionAround(node)
	if s.lang != syntax.Go || !dotted || !plainWord.MatchString(field) || f < 0 || s.tree.Field(f, "receiver") < 0 {
		return false
	}
	receiver := strings.Fields(strings.Trim(s.tree.Text(s.tree.Field(f, "receiver")), "()"))
	if len(receiver) != 2 || receiver[0] != name || receiver[1][0] == '*' {
		return false
	}
	if s.readBefore(node, f, f, name) || sharedName(s.tree.Text(f), name) {
		return false
	}
	return !holdsWord(string(s.withoutComments()[s.tree.Nodes[node].End:s.tree.Nodes[f].End]), name)
}

// ownLock finds a lock that is made where it is taken, and lockedForNothing one that is let go at once.
var (
	ownLock = lazyregexp.MustCompile(`^(?:with\s+(?:threading|multiprocessing|asyncio)\.R?Lock\(\)\s*:|async\s+with\s+asyncio\.Lock\(\)\s*:` +
		`|synchronized\s*\(\s*new\s+\w+(?:<[^>]*>)?\(\)\s*\)|lock\s*\(\s*new\s+(?:object\(\)|\w+\(\)|\(\))\s*\)|synchronized\((?:Any|Object)\(\)\))`)
	lockedForNothing = lazyregexp.MustCompile(`^(?:async\s+)?with\s+[\w.]*[lL]ock\w*\s*:\s*pass$`)
	// what else may be acquired is waited for: until somebody lets it go
	takesLock  = lazyregexp.MustCompile(`^(\w+(?:\.\w+)*)\.R?[lL]ock\(\);?$|^((?:\w+\.)*\w*(?:[lL]ock|[mM]utex)\w*)\.(?:acquire|enter)\(\);?$`)
	letsLockGo = lazyregexp.MustCompile(`^(?:defer\s+)?(\w+(?:\.\w+)*)\.(R?[uU]nlock|release|exit|leave)\(\);?$`)
)

// locksNobody marks what takes a lock that only this call has, or that is let go at once.
func (s *side) locksNobody(node int32, put func(int32, Why)) {
	text := s.tree.Text(node)
	if len(text) > 1<<12 || !s.isStatement(node) {
		return
	}
	switch m := takesLock.FindStringSubmatch(text); {
	case lockedForNothing.MatchString(text):
		put(node, NoEffect)
	case ownLock.MatchString(text):
		n := s.tree.Nodes[node]
		body := s.tree.Field(node, "body")
		if body < 0 {
			body = s.lastChild(node)
		}
		if s.isBlock(body) {
			s.marks = append(s.marks, mark{start: int(n.Start), end: int(s.tree.Nodes[body].Start), why: NoEffect})
			s.unwrap(body)
		}
	case m != nil:
		next := s.after(node)
		if next < 0 {
			return
		}
		free := letsLockGo.FindStringSubmatch(s.tree.Text(next))
		if free == nil || free[1] != m[1]+m[2] {
			return
		}
		if !strings.HasPrefix(s.tree.Text(next), "defer") {
			put(node, NoEffect)
			put(next, NoEffect)
			return
		}
		f := s.functionAround(node)
		for c := range s.children(s.tree.Parent(node)) { // a lock of its own
			if f >= 0 && c < node && ownMutex(s.tree.Text(c), free[1]) && count(s.tree.Text(f), free[1]) == 3 {
				put(c, NoEffect)
				put(node, NoEffect)
				put(next, NoEffect)
			}
		}
	}
}

// ownMutex reports whether a statement of Go declares a local lock.
func ownMutex(text, name string) bool {
	declares := declaresMutex.FindStringSubmatch(text)
	return declares != nil && (declares[1] == name || declares[2] == name)
}

var declaresMutex = lazyregexp.MustCompile(`^(?:var\s+(\w+)\s+sync\.(?:RW)?Mutex|(\w+)\s*:=\s*&?sync\.(?:RW)?Mutex\{\})$`)

// after returns the statement behind another, or -1.
func (s *side) after(node int32) int32 {
	next := s.tree.Nodes[node].Next
	if p := s.tree.Parent(node); p >= 0 && next < s.tree.Nodes[p].Next {
		for next < s.tree.Nodes[p].Next && !s.tree.Named(next) {
			next = s.tree.Nodes[next].Next
		}
		if next < s.tree.Nodes[p].Next {
			return next
		}
	}
	return -1
}
