package typescript

import (
	"path"
	"slices"
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
)

// mostDeclaring is how many files are read for what scripts declare by one name.
const mostDeclaring = 20

// ownNames are names of the language's library of which inference knows more than a
// declaration says that adds to them.
var ownNames = strings.Fields("Array Boolean Function Iterable Iterator Map Number Object Promise Record RegExp Set String Symbol " +
	"PromiseLike ReadonlyArray ReadonlyMap ReadonlySet WeakMap WeakSet")

// A globalName is what a bare name may mean that nothing in its file declares.
type globalName struct {
	symbols  []*resolve.Symbol // declared by scripts that are no modules: everyone sees them
	exported bool              // a module exports it: a build may import it unasked
}

// globalsOf finds what other files make of a bare name.
func globalsOf(r *resolve.Resolver, u *resolve.Unit, name string) globalName {
	kept := memoryOf(u).globals
	if g, ok := kept[name]; ok {
		return g
	}
	kept[name] = globalName{}
	var g globalName
	if !slices.Contains(ownNames, name) {
		files := slices.DeleteFunc(slices.Clone(r.Defining(name)), func(f string) bool {
			_, there := r.Files[f]
			return !there || !isScript(f)
		})
		g.exported = len(files) > mostDeclaring
		for _, f := range files[:min(len(files), mostDeclaring)] {
			g.add(r.Unit(f), name)
		}
	}
	kept[name] = g
	return g
}

// add adds what one file makes of a name.
func (g *globalName) add(u *resolve.Unit, name string) {
	if u == nil {
		return
	}
	if y := u.Exports.Names[name]; y != nil {
		g.exported = true
	}
	if y := u.Top.Names[name]; y != nil && !isModule(u) && !g.exported {
		g.symbols = append(g.symbols, y)
	}
}

// isScript reports whether a file is one of this package's languages, by its name.
func isScript(file string) bool {
	return slices.Contains(Language{}.Languages(), syntax.Detect(file, nil))
}

// isModule reports whether what a file declares is its own: it imports or exports
// something, or is a module by its name.
func isModule(u *resolve.Unit) bool {
	kept := memoryOf(u).modules
	is, ok := kept[u]
	if !ok {
		is = len(u.Exports.Names) > 0 || len(u.Exports.Stars) > 0 || u.First(0, "import_statement", "export_statement") >= 0 ||
			u.Lang == syntax.JavaScript && strings.Contains(u.Source, "require(") ||
			slices.Contains([]string{".mjs", ".cjs", ".mts", ".cts"}, path.Ext(u.Path))
		kept[u] = is
	}
	return is
}
