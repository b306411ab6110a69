package binding

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/syntax"
)

// Scopes of a folder, in Terraform a module: what it takes, what it gives, and the modules
// that it calls.
const (
	folderInput  = "var"
	folderOutput = "output"
	folderCall   = "module"
)

// relateByFolder judges a name against a declaration that its folder knows by scope and
// name: var.region, aws_vpc.this. Other folders give its inputs values and read its outputs
// where they call it, by the path of the folder.
func (r *Resolver) relateByFolder(o *index.Occurrence, d *index.Symbol) (Relation, error) {
	call, ofCall := strings.CutPrefix(o.Qualifier, folderCall+".")
	switch {
	case o.Qualifier == d.Scope && d.Scope != folderOutput:
		if sameFolder(o, d) {
			return Certain, nil
		}
	case d.Scope == folderInput && o.Qualifier == "" && o.Enclosing.Kind == syntax.Module:
		return r.callsFolder(o.File, o.Enclosing.StartLine, o.Enclosing.EndLine, d)
	case d.Scope == folderOutput && ofCall:
		return r.readsFolder(o, call, d)
	case o.Qualifier == "" && r.AfterDot(o) && (d.Scope == folderOutput || d.Kind == syntax.Key):
		first, _, _ := strings.Cut(d.Scope, ".")
		if d.Scope == folderOutput {
			first = folderCall
		}
		if bytes.Contains(r.src.Raw(o.File, o.Line, o.Line), []byte(first+".")) { // module.vpc[0].id
			return Possible, nil
		}
	}
	return Unrelated, nil
}

// readsFolder judges an output that is read of a call of its folder.
func (r *Resolver) readsFolder(o *index.Occurrence, call string, d *index.Symbol) (Relation, error) {
	list, err := r.e.Index.Symbols(r.ctx, index.SymbolQuery{Name: call, Match: index.Exact})
	if err != nil {
		return Unrelated, fmt.Errorf("binding: calls of folders: %w", err)
	}
	best := Unrelated
	for i := range list {
		c := &list[i]
		if c.Kind != syntax.Module || c.Scope != folderCall || !sameFolder(o, c) {
			continue
		}
		rel, err := r.callsFolder(c.File, c.StartLine, c.EndLine, d)
		if err != nil {
			return Unrelated, err
		}
		best = max(best, rel)
	}
	return best, nil
}

// callsFolder says whether the call on some lines of a file is of the folder of a
// declaration. A call without a path that could be read is of a folder elsewhere, or of one
// of this repository by the name that it was published under.
func (r *Resolver) callsFolder(file string, start, end int, d *index.Symbol) (Relation, error) {
	imports, err := r.importsOf(file)
	if err != nil {
		return Unrelated, err
	}
	for _, i := range imports {
		if start <= i.Line && i.Line <= end {
			if path.Join(path.Dir(file), i.Path) == path.Dir(d.File) {
				return Certain, nil
			}
			return Unrelated, nil
		}
	}
	return Possible, nil
}
