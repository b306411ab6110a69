package impact

import (
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/index"
	"codeintel/internal/search"
	"codeintel/internal/search/filekind"
	"codeintel/internal/search/gaps"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// named finds the code that names a file which is a target, but does not import it: what runs
// a script, opens a file or renders a template.
func (r *run) named() error {
	for n, f := range slices.Sorted(maps.Keys(r.whole)) {
		if n >= maxRead {
			r.src.Lacks(gaps.Followed, f)
			continue
		}
		for _, pattern := range namesOf(f, len(r.namesakes(f)) > 1) {
			if err := r.naming(f, pattern); err != nil {
				return fmt.Errorf("code that names %s: %w", f, err)
			}
		}
	}
	return nil
}

// namesakes returns the files that have the name of a file in other folders, and it itself; tests
// count only where they are targets.
func (r *run) namesakes(file string) map[string]bool {
	if r.byBase == nil {
		r.byBase = map[string]map[string]bool{}
		for i := range r.list {
			f := r.list[i].Path
			if search.TestFile(f) && !r.own[f] {
				continue
			}
			base := path.Base(f)
			if r.byBase[base] == nil {
				r.byBase[base] = map[string]bool{}
			}
			r.byBase[base][f] = true
		}
	}
	return r.byBase[path.Base(file)]
}

// mayMeanFile reports whether a document that names a file without its folder may mean it: no other has
// the name, or it is the first on the way from the folder of the document to the root.
func (r *run) mayMeanFile(document, file string) bool {
	if file == "" {
		return true
	}
	same := r.namesakes(file)
	if len(same) <= 1 {
		return true
	}
	for dir := document; dir != "."; {
		dir = path.Dir(dir)
		if f := path.Join(dir, path.Base(file)); same[f] {
			return f == file
		}
	}
	return false
}

// namesOf returns expressions for how code writes the name of a file: whole, and that of a
// template without its endings. Where several files have the name, the folder belongs to it.
func namesOf(file string, shared bool) (list []string) {
	base := path.Base(file)
	folder := path.Base(path.Dir(file))
	name := base
	if shared || commonName(base) {
		name = path.Join(folder, base)
	}
	if strings.ContainsAny(name, ".-_/") && len(name) >= 3 {
		list = append(list, `(?:^|[^\w.-])`+regexp.QuoteMeta(name)+`(?:$|[^\w-])`)
	}
	if stem, _, of := strings.Cut(strings.TrimLeft(base, "_."), "."); of && isTemplate(file) && folder != "." {
		const quote = "[\"'`]"
		list = append(list, quote+`(?:[\w/-]*/)?`+regexp.QuoteMeta(folder+"/"+stem)+quote)
	}
	if syntax.Detect(file, nil) == syntax.Vue {
		list = append(list, elementOf(folder, base))
	}
	return list
}

// elementOf returns an expression for the element that is a component: frameworks register
// those of a folder by the name of their file, some with the folder's before it.
func elementOf(folder, base string) string {
	stem, _, _ := strings.Cut(base, ".") // of Name.client.vue, too
	name := symbolname.Pascal(stem)
	names := []string{name, symbolname.Pascal(folder) + name}
	for _, n := range names[:2] {
		if k := symbolname.Kebab(n); strings.Contains(k, "-") { // else it is one of HTML
			names = append(names, k)
		}
	}
	for i := range names {
		names[i] = regexp.QuoteMeta(names[i])
	}
	return `<(?:` + strings.Join(names, "|") + `)(?:[\s/>]|$)`
}

// isTemplate reports whether a file is a page, or in a language that is not read, as most
// templates are.
func isTemplate(file string) bool {
	return filekind.Foreign(file) || syntax.Of(syntax.Detect(file, nil)).Form == syntax.Page
}

// naming adds the files whose code holds an expression for the name of a file.
func (r *run) naming(file, pattern string) error {
	matches, cut, err := r.linesWith(pattern)
	if err != nil {
		return err
	}
	if cut {
		r.src.Lacks(gaps.Followed, file)
	}
	comments := map[string][]bool{}
	for i := range matches {
		m := &matches[i]
		if _, known := comments[m.File]; !known {
			comments[m.File] = r.commentsOf(m.File)
		}
		if c := comments[m.File]; m.Line > len(c) || c[m.Line-1] || r.found.has(m.File, m.Line) {
			continue
		}
		imports, err := r.a.x.Imports(r.ctx, m.File)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(imports, func(i index.Import) bool { // of these the index knows more
			return i.Line == m.Line || elementBy(m.Content, i)
		}) {
			r.found.add(m.File, should, "names its file", place{line: m.Line}, path.Base(file))
		}
	}
	return nil
}

// elementBy reports whether a line contains an element by the name that an import binds.
func elementBy(line string, i index.Import) bool {
	return slices.ContainsFunc(append(slices.Clone(i.Names), i.Alias), func(n string) bool {
		return n != "" && (strings.Contains(line, "<"+n) || strings.Contains(line, "<"+symbolname.Kebab(n)))
	})
}

// commentsOf says which lines of a file are comments; none of a file that does not count: a
// target, a test or a document, which are looked through elsewhere, and what nobody writes.
func (r *run) commentsOf(file string) []bool {
	if r.own[file] || search.TestFile(file) || filekind.Prose(file) ||
		!slices.ContainsFunc(r.list, func(f files.Entry) bool { return f.Path == file && f.Class == files.Source }) {
		return nil
	}
	t, err := files.Read(r.a.p, file)
	if err != nil {
		return nil
	}
	return text.CommentLines(strings.Split(string(t.Bytes), "\n"))
}
