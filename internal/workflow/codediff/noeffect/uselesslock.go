package noeffect

import (
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

// ownLock matches a lock that is created where it is acquired, releasedAtOnce one that is released at once.
var (
	ownLock = lazyregexp.MustCompile(`^(?:with\s+(?:threading|multiprocessing|asyncio)\.R?Lock\(\)\s*:|async\s+with\s+asyncio\.Lock\(\)\s*:` +
		`|synchronized\s*\(\s*new\s+\w+(?:<[^>]*>)?\(\)\s*\)|lock\s*\(\s*new\s+(?:object\(\)|\w+\(\)|\(\))\s*\)|synchronized\((?:Any|Object)\(\)\))`)
	releasedAtOnce = lazyregexp.MustCompile(`^(?:async\s+)?with\s+[\w.]*[lL]ock\w*\s*:\s*pass$`)
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
	switch m := acquiresLock.FindStringSubmatch(text); {
	case releasedAtOnce.MatchString(text):
		put(node, reason.NoEffect)
	case ownLock.MatchString(text):
		n := s.Tree.Nodes[node]
		body := s.Tree.Field(node, "body")
		if body < 0 {
			body = s.LastChild(node)
		}
		if s.IsBlock(body) {
			s.Marks = append(s.Marks, Mark{Start: int(n.Start), End: int(s.Tree.Nodes[body].Start), Why: reason.NoEffect})
			s.unwrap(body)
		}
	case m != nil:
		next := s.NextStatement(node)
		if next < 0 {
			return
		}
		free := releasesLock.FindStringSubmatch(s.Tree.Text(next))
		if free == nil || free[1] != m[1]+m[2] {
			return
		}
		if !strings.HasPrefix(s.Tree.Text(next), "defer") {
			put(node, reason.NoEffect)
			put(next, reason.NoEffect)
			return
		}
		f := s.FunctionAround(node)
		for c := range s.Children(s.Tree.Parent(node)) { // a lock of its own
			if f >= 0 && c < node && ownMutex(s.Tree.Text(c), free[1]) && source.CountWord(s.Tree.Text(f), free[1]) == 3 {
				put(c, reason.NoEffect)
				put(node, reason.NoEffect)
				put(next, reason.NoEffect)
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
