package codediff

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

var (
	// wantsWaiting matches an item that asks for something to be waited for.
	wantsWaiting = lazyregexp.MustCompile(`(?i)\b(?:a?wait|block)(?:s|ed|ing)?\b|\b(?:until|once|when|after)\b[^.;]{0,60}` +
		`\b(?:finish|done\b|settl|complet|resolv)|待`)
	// waitsSomehow matches what waits for a promise, hands it on, or makes one.
	waitsSomehow = lazyregexp.MustCompile(`\bawait\b|\.then\(|\byield\b|\breturn\s*[^;\s]|\bnew Promise\b|=>`)
	dropped      = lazyregexp.MustCompile(`(?m)^\s*(?:void\s+)?(?:this\.)?(#?\w+)\([^;\n]*\);?\s*$`)
	promises     = lazyregexp.MustCompile(`\basync\b|\)\s*:\s*Promise\b`)
)

// NeverWaits reports whether an item asks for something to be waited for, and the function of JavaScript that some
// changed lines are in waits for nothing, but starts another asynchronous function of its file.
func (d *Diff) NeverWaits(item, path string, start, end int) bool {
	c := d.files[path]
	if c == nil || c.now == nil || c.now.Tree == nil || !c.now.IsScript() || !wantsWaiting.MatchString(item) {
		return false
	}
	starts := false
	for i := range c.now.Tree.Nodes {
		f := int32(i)
		first, last := int(c.now.Tree.Nodes[f].StartRow)+1, int(c.now.Tree.Nodes[f].EndRow)+1
		if !c.now.Tree.Function(f) || c.now.Anonymous(f) || c.now.Tree.Body(f) < 0 || first > end || last < start {
			continue
		}
		body := c.now.bodyText(f)
		if waitsSomehow.MatchString(body) {
			return false
		}
		for _, m := range dropped.FindAllStringSubmatch(body, -1) {
			starts = starts || c.now.isAsync(m[1])
		}
	}
	return starts
}

func (s *side) bodyText(function int32) string {
	n := s.Tree.Nodes[s.Tree.Body(function)]
	return string(s.WithoutComments()[n.Start:n.End])
}

// isAsync reports whether the functions of a name, of which there are some, return promises.
func (s *side) isAsync(name string) bool {
	n := 0
	for i := range s.Tree.Nodes {
		f := int32(i)
		if !s.Tree.Function(f) || s.Anonymous(f) || s.Tree.FunctionName(f) != name || s.Tree.Body(f) < 0 {
			continue
		}
		if head, _, _ := strings.Cut(s.Tree.Text(f), s.Tree.Text(s.Tree.Body(f))); !promises.MatchString(head) {
			return false
		}
		n++
	}
	return n > 0
}
