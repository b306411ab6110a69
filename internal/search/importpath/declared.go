package importpath

import (
	"path"
	"slices"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
)

// Imports by declaration, as in Java, Kotlin, PHP and C#, name a class, a function, a
// package or a namespace, and no file. Which file that is, its declarations and its
// package clause say.

// maxNamesakes bounds the declarations of one name that are looked at.
const maxNamesakes = 400

func (r *Resolver) declared(i index.Import) Target {
	dotted := dots(i.Path)
	if p := path.Join(path.Dir(i.File), i.Path); r.files[p] { // PHP includes files too
		return Target{Files: []string{p}}
	}
	if strings.Contains(path.Base(i.Path), ".") && r.files[i.Path] {
		return Target{Files: []string{i.Path}}
	}
	parts := strings.FieldsFunc(dotted, isSeparator)
	for k := len(parts); k > 0; k-- {
		if files := r.declaring(i, parts[k-1], strings.Join(parts[:k], "."), k < len(parts)); len(files) > 0 {
			if k == len(parts) && len(i.Names) == 0 { // what all of is imported may be a package with an object of its name
				if more := r.packaged(i, parts); len(more) > 0 {
					return Target{Files: slices.Concat(files, more), Whole: true, object: files}
				}
			}
			return Target{Files: files}
		}
	}
	if files := r.packaged(i, parts); len(files) > 0 {
		return Target{Files: files, Whole: true}
	}
	return Target{Outside: i.Path}
}

func dots(p string) string {
	return strings.Trim(strings.NewReplacer(`\`, ".", "::", ".", "/", ".", "*", "").Replace(p), ".")
}

// declaring lists the files that declare a name in a package; only what can hold members,
// if that is asked for.
func (r *Resolver) declaring(i index.Import, name, whole string, isOwner bool) (found []string) {
	list, err := r.x.Symbols(r.ctx, index.SymbolQuery{Name: name, Match: index.Exact, Limit: maxNamesakes})
	if err != nil {
		r.fail(err)
		return nil
	}
	for j := range list {
		s := &list[j]
		if !syntax.SameGroup(s.Language, i.Language) || isOwner && !s.Kind.HasMembers() ||
			slices.Contains(found, s.File) {
			continue
		}
		own := strings.Trim(dots(s.Scope)+"."+s.Name, ".")
		if s.Kind == syntax.Namespace {
			own = strings.Trim(dots(s.Scope)+"."+dots(s.Name), ".")
		}
		if !strings.HasSuffix("."+whole, "."+own) {
			continue
		}
		if own == whole && r.packageOf(s.File) == "" || r.packageOf(s.File)+"."+own == whole {
			found = append(found, s.File)
		}
	}
	return found
}

// packaged lists the files of a package or namespace.
func (r *Resolver) packaged(i index.Import, parts []string) (found []string) {
	whole := strings.Join(parts, ".")
	for _, separator := range []string{".", `\`} { // a namespace is a declaration
		list, err := r.x.Symbols(r.ctx, index.SymbolQuery{Name: strings.Join(parts, separator), Match: index.Exact,
			Limit: maxNamesakes})
		if err != nil {
			r.fail(err)
			return nil
		}
		for j := range list {
			if s := &list[j]; s.Kind == syntax.Namespace && syntax.SameGroup(s.Language, i.Language) &&
				!slices.Contains(found, s.File) {
				found = append(found, s.File)
			}
		}
	}
	if len(found) > 0 || len(i.Names) > 0 {
		return found
	}
	for _, f := range r.indexed {
		if syntax.SameGroup(syntax.Detect(f, nil), i.Language) && r.packageOf(f) == whole {
			found = append(found, f)
		}
	}
	return found
}

// maxClauses bounds how many package clauses of a file are read.
const maxClauses = 16

var packageClause = lazyregexp.MustCompile(`(?m)^\s*package\s+([\w.` + "`" + `]+)\s*(?:[;{]|$|//)`)

// packageOf is what a file says that it belongs to, "" if it says nothing. In Scala a clause
// right after another one is within it.
func (r *Resolver) packageOf(file string) string {
	if p, ok := r.packages[file]; ok {
		return p
	}
	source := r.read(file)
	p := ""
	for range maxClauses {
		next := strings.TrimLeft(source, " \t\r\n")
		if p != "" && (!strings.HasPrefix(next, "package") || !strings.Contains(source[:len(source)-len(next)], "\n")) {
			break // the rest of the file need not be searched
		}
		at := packageClause.FindStringSubmatchIndex(source)
		if at == nil || p != "" && strings.TrimSpace(source[:at[0]]) != "" {
			break
		}
		p, source = strings.TrimPrefix(p+"."+source[at[2]:at[3]], "."), source[at[1]:]
	}
	r.packages[file] = p
	return p
}
