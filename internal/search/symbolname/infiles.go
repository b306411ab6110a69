package symbolname

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/syntax"
)

// InFiles returns the symbols of the last part of a name that lie in the files or folders that
// its other parts name: lib/s3.py:put_object, client/batchLink, Api.login for login in api.ts.
// The letters count, not their case, nor what is between them. Those for which the part
// before the name is the file are meant, if there are any, or else the folder around it.
func (n Name) InFiles(ctx context.Context, x *index.Index) ([]index.Symbol, error) {
	if len(n.Scope) == 0 {
		return nil, nil
	}
	list, err := x.Symbols(ctx, index.SymbolQuery{Name: n.Base, Match: index.Exact})
	if err != nil {
		return nil, fmt.Errorf("symbolname: symbols of %q: %w", n.Base, err)
	}
	level := map[int][]index.Symbol{}
	nearest := nowhere
	for _, s := range list {
		l := n.levelOf(&s)
		level[l], nearest = append(level[l], s), min(nearest, l)
	}
	if nearest == nowhere {
		return nil, nil
	}
	return level[nearest], nil
}

// IsInFile reports whether a symbol lies where InFiles looks.
func (n Name) IsInFile(s *index.Symbol) bool { return n.levelOf(s) < nowhere }

// nowhere is the level of a symbol that lies elsewhere than a name says.
const nowhere = 3

// levelOf says which part of the place of a symbol the last part of the scope names: 0 for what
// holds it or its file, 1 for the folder, 2 for one further out, nowhere for none.
func (n Name) levelOf(s *index.Symbol) int {
	if syntax.Of(s.Language).Names.Imports == syntax.ImportsFolder {
		return nowhere
	}
	dir, file := path.Split(s.File)
	ext := path.Ext(file)
	stem := Parts(strings.TrimSuffix(file, ext))
	asked := slices.Clone(n.Scope)
	if i := slices.Index(asked, strings.TrimPrefix(ext, ".")); i > 0 && len(stem) > 0 && asked[i-1] == stem[len(stem)-1] {
		asked = slices.Delete(asked, i, i+1) // s3.py
	}
	folders := Parts(dir)
	around := slices.Concat(folders, stem, Parts(s.Scope))
	level := nowhere
	at := len(around)
	for i := len(asked) - 1; i >= 0; i-- {
		want := lettersOf(asked[i])
		for at--; at >= 0 && (want == "" || lettersOf(around[at]) != want); at-- {
		}
		switch {
		case at < 0:
			return nowhere
		case i < len(asked)-1:
		case at >= len(folders):
			level = 0
		case at == len(folders)-1:
			level = 1
		default:
			level = 2
		}
	}
	return level
}
