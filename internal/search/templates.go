package search

import (
	"path"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/syntax"
)

// relateTemplate judges a name in a template that neither its own script nor an import
// explains, against what scripts define: a template of Angular names the members of the
// component whose file lies beside it, and what frameworks bring in by themselves, through a
// package or under another name, is possible.
func (r *resolver) relateTemplate(o *index.Occurrence) relation {
	if o.Local || inferred(o.Language) || !syntax.SameGroup(o.Language, syntax.TypeScript) || r.isWord(o) {
		return unrelated
	}
	best := unrelated
	for i := range r.m.definitions {
		d := &r.m.definitions[i]
		if !inferred(d.Language) && !r.m.any || !syntax.SameGroup(o.Language, d.Language) {
			continue
		}
		page, isPage := strings.CutSuffix(o.File, ".html")
		switch {
		case isPage && page == trimScript(d.File) && d.Scope != "" && !r.afterDot(o):
			if o.Role == syntax.Call {
				return likely
			}
			best = possible
		case r.m.any, o.Language != syntax.HTML && d.Scope == "" && d.Exported && !r.afterDot(o):
			best = possible
		}
	}
	return best
}

// isWord reports whether a name stands in an attribute of a page that holds words and no
// code, such as class="a b".
func (r *resolver) isWord(o *index.Occurrence) bool {
	if syntax.Of(o.Language).Form != syntax.Page {
		return false
	}
	line := string(r.src.raw(o.File, o.Line, o.Line))
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

// bladeReaches resolves what a Blade template names: a view by folders and file
// with dots between them, a component or Livewire's by the name of its tag, a
// class, a file of a style sheet or a script. The rules are those of Laravel:
// https://laravel.com/docs/views, /docs/blade#components.
func bladeReaches(i index.Import, file, symbol string) relation {
	switch {
	case strings.Contains(i.Path, `\`):
		return genericReaches(i, file, symbol)
	case strings.Contains(i.Path, "/"):
		p := strings.TrimPrefix(i.Path, "/")
		switch {
		case file == p || file == "public/"+p || tail(file, "public/"+p):
			return certain
		case tail(trimScript(file), trimScript(p)) && path.Ext(p) == path.Ext(file):
			return likely // of a site whose root is elsewhere
		}
		return unrelated
	}
	space, name, of := strings.Cut(i.Path, "::")
	if !of {
		space, name = "", i.Path
	}
	p := strings.ReplaceAll(name, ".", "/")
	if p == "" {
		return unrelated
	}
	if view, ok := strings.CutSuffix(file, ".blade.php"); ok {
		// A component may be the file index, or one like its folder, in a folder of its name.
		for _, v := range []string{p, p + "/index", p + "/" + path.Base(p)} {
			switch {
			case !of && tail(view, "views/"+v), of && tail(view, "views/vendor/"+space+"/"+v):
				return certain
			case of && tail(view, "views/"+v) && strings.Contains("/"+view, "/"+space+"/"):
				return certain // of a package with that folder
			case of && tail(view, "views/"+v), tail(view, v):
				return likely
			}
		}
		return unrelated
	}
	if class, ok := strings.CutSuffix(file, ".php"); ok {
		folder, rest, _ := strings.Cut(p, "/")
		switch folder {
		case "components":
			folder = "View/Components/"
		case "livewire":
			folder = "Livewire/"
		default:
			return unrelated
		}
		if rest != "" && tail(class, folder+symbolname.Studly(rest)) {
			return certain
		}
	}
	return unrelated
}
