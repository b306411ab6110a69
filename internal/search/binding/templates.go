package binding

import (
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/resolve/registry"
	"codeintel/internal/search/importpath"
	"codeintel/internal/syntax"
)

// RelateTemplate judges a name in a template that neither its own script nor an import
// explains, against what scripts define: a template of Angular names the members of the
// component whose file lies beside it, and what frameworks bring in by themselves, through a
// package or under another name, is possible.
func (r *Resolver) RelateTemplate(o *index.Occurrence) Relation {
	if o.Local || registry.Inferred(o.Language) || !syntax.SameGroup(o.Language, syntax.TypeScript) || r.isWord(o) {
		return Unrelated
	}
	best := Unrelated
	for i := range r.m.Definitions {
		d := &r.m.Definitions[i]
		if !registry.Inferred(d.Language) && !r.m.Any || !syntax.SameGroup(o.Language, d.Language) {
			continue
		}
		page, isPage := strings.CutSuffix(o.File, ".html")
		switch {
		case isPage && page == importpath.TrimScript(d.File) && d.Scope != "" && !r.AfterDot(o):
			if o.Role == syntax.Call {
				return Likely
			}
			best = Possible
		case r.m.Any, o.Language != syntax.HTML && d.Scope == "" && d.Exported && !r.AfterDot(o):
			best = Possible
		}
	}
	return best
}

// isWord reports whether a name is in an attribute of a page that holds words and no
// code, such as class="a b".
func (r *Resolver) isWord(o *index.Occurrence) bool {
	if syntax.Of(o.Language).Form != syntax.Page {
		return false
	}
	line := string(r.src.Raw(o.File, o.Line, o.Line))
	head := line[:min(max(o.Column-1, 0), len(line))]
	quote := max(strings.LastIndex(head, `="`), strings.LastIndex(head, `='`))
	if quote < 0 || strings.IndexByte(head[quote+2:], head[quote+1]) >= 0 {
		return false
	}
	name := head[strings.LastIndexAny(head[:quote], " \t<")+1 : quote]
	switch name {
	case "class", "id", "for", "slot", "href", "form", "list", "name":
		return true
	}
	return strings.HasPrefix(name, "aria-")
}
