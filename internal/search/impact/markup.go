package impact

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/syntax"
)

// markup finds, across mark-up, style sheets and scripts, the files that share
// a class or an id with a target, and those that link to it.
func (r *run) markup() error {
	mine := map[markName]markUse{}
	for f := range r.own {
		if markupForm(f) == syntax.NoForm {
			continue
		}
		t, err := files.Read(r.a.p, f)
		if err != nil {
			continue
		}
		for _, m := range classesAndIDs(f, t.Bytes) {
			mine[m.name] |= m.use
		}
	}
	for _, s := range r.symbols {
		// A selector asked for by name.
		if n, ok := selectorName(s.Name); ok && r.asked[s.Name] {
			mine[n] |= styles
		}
	}
	links := r.linkable()
	if len(mine) == 0 && len(links) == 0 {
		return nil
	}
	for _, f := range r.list {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if r.own[f.Path] || markupForm(f.Path) == syntax.NoForm || f.Class != files.Source || f.Size > maxDocument {
			continue
		}
		t, err := files.Read(r.a.p, f.Path)
		if err != nil {
			continue
		}
		for _, m := range classesAndIDs(f.Path, t.Bytes) {
			if reason := dependenceText(mine[m.name], m.use); reason != "" {
				r.found.add(f.Path, should, reason, place{line: m.line}, m.name.String())
			}
		}
		for _, l := range linkLines(f.Path, t.Bytes, links) {
			r.found.add(f.Path, should, "links to it", place{line: l.line}, l.target)
		}
	}
	return nil
}

// dependenceText says how a use elsewhere depends on the uses in a target, or "". Two
// style sheets that style one class, or two pages that have it, do not depend
// on each other.
func dependenceText(target, other markUse) string {
	switch {
	case target == 0:
		return ""
	case target&styles != 0 && other&has != 0:
		return "has a class or id that the target styles"
	case target&styles != 0 && other&selects != 0:
		return "selects a class or id that the target styles"
	case target&has != 0 && other&styles != 0:
		return "styles a class or id that the target has"
	case target&has != 0 && other&selects != 0:
		return "selects a class or id that the target has"
	case target&selects != 0 && other&has != 0:
		return "has a class or id that the target selects"
	case target&selects != 0 && other&styles != 0:
		return "styles a class or id that the target selects"
	}
	return ""
}

// linkable lists the targets that mark-up may link to.
func (r *run) linkable() []string {
	var list []string
	for f := range r.whole {
		if path.Ext(f) == ".sass" || syntax.Of(syntax.Detect(f, nil)).Linked {
			list = append(list, f)
		}
	}
	slices.Sort(list)
	return list
}

// A link is a line that names a target in a link, a script or an import.
type link struct {
	line   int
	target string
}

// linkLines finds links to targets in a page or a style sheet.
func linkLines(file string, text []byte, targets []string) []link {
	if len(targets) == 0 || markupForm(file) == syntax.Script {
		return nil // scripts import, which the index knows
	}
	var list []link
	line := 0
	for l := range strings.Lines(string(text)) {
		line++
		for _, attr := range linkPattern.FindAllStringSubmatch(l, -1) {
			to := attr[1]
			if to == "" {
				to = attr[2]
			}
			to, _, _ = strings.Cut(to, "?")
			to, _, _ = strings.Cut(to, "#")
			for _, t := range targets {
				if linksTo(file, to, t) {
					list = append(list, link{line, fmt.Sprintf("link %s", path.Base(t))})
				}
			}
		}
	}
	return list
}

// linksTo resolves a link of a file against a target. A link from the root of
// a site is compared by its end, because the site's root is not known.
func linksTo(file, to, target string) bool {
	if to == "" || strings.Contains(to, "://") {
		return false
	}
	bare := func(p string) string {
		p = strings.TrimSuffix(p, path.Ext(p))
		return path.Join(path.Dir(p), strings.TrimPrefix(path.Base(p), "_"))
	}
	if strings.HasPrefix(to, "/") || strings.HasPrefix(to, "{{") {
		end := strings.TrimLeft(to[strings.LastIndexByte(to, '}')+1:], "/ ")
		return end != "" && strings.HasSuffix("/"+target, "/"+end)
	}
	p := path.Join(path.Dir(file), to)
	return p == target || bare(p) == bare(target) && (path.Ext(to) == "" || path.Ext(p) == path.Ext(target))
}
