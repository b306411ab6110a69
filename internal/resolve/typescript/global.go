package typescript

import (
	"path"
	"slices"
	"strings"

	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
)

// maxDeclaring is how many files are read for what scripts declare by one name.
const maxDeclaring = 20

// ownNames are names of the language's library of which inference knows more than a
// declaration says that adds to them.
var ownNames = text.WordSet(`Array Boolean Function Iterable Iterator Map Number Object Promise Record RegExp Set String Symbol Tuple
	PromiseLike ReadonlyArray ReadonlyMap ReadonlySet WeakMap WeakSet`)

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
	if !ownNames[name] {
		files := slices.DeleteFunc(slices.Clone(r.Defining(name)), func(f string) bool {
			_, there := r.Files[f]
			return !there || !isScript(f)
		})
		g.exported = len(files) > maxDeclaring
		for _, f := range files[:min(len(files), maxDeclaring)] {
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
	y := u.Top.Names[name]
	switch {
	case y == nil:
	case !isModule(u):
		if !g.exported {
			g.symbols = append(g.symbols, y)
		}
	case isLoader(u):
		g.exported = true
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

// isLoader reports whether a file is a module by a call of require alone: it may be a script
// that declares require.
func isLoader(u *resolve.Unit) bool {
	return u.Lang == syntax.JavaScript && strings.HasSuffix(u.Path, ".js") && len(u.Exports.Names) == 0 &&
		len(u.Exports.Stars) == 0 && u.First(0, "import_statement", "export_statement") < 0
}

// wellKnown are the values that every script is given by its language, a browser, Node.js or
// the programs that run tests. What else no file declares may be put there by anyone.
var wellKnown = text.WordSet(`AbortController AggregateError Array ArrayBuffer Atomics BigInt Blob Boolean Buffer CSS CustomEvent
	DOMException DOMParser DataView Date Deno Element Error Event EventSource EventTarget File FileReader FormData
	Function HTMLElement Headers Image Infinity Int32Array IntersectionObserver Intl Iterator JSON Map Math MessageChannel
	MutationObserver NaN Node Notification Number Object Promise Proxy RangeError ReadableStream Reflect RegExp Request
	ResizeObserver Response Set SharedArrayBuffer String Symbol SyntaxError TextDecoder TextEncoder TransformStream
	TypeError URL URLSearchParams Uint8Array WeakMap WeakRef WeakSet WebAssembly WebSocket Worker WritableStream
	XMLHttpRequest afterAll afterEach arguments assert beforeAll beforeEach caches console crypto customElements describe
	document expect fetch history indexedDB it jest localStorage location module navigator parent performance process
	queueMicrotask require requestAnimationFrame screen sessionStorage setInterval setTimeout structuredClone test top vi
	undefined`)

// everything are the objects whose members are the global names.
var everything = text.WordSet("window globalThis self global")

// globalType is the type of a bare name that its file does not declare.
func globalType(r *resolve.Resolver, u *resolve.Unit, name string) union {
	g := globalsOf(r, u, name)
	if g.exported {
		return nil
	}
	var all union
	for _, y := range g.symbols {
		all = all.Join(typeOfSymbol(r, y))
	}
	if len(all) > 0 {
		return all
	}
	return union{{kind: kindLibrary, name: name, unit: u, open: !wellKnown[name]}}
}

// isEverything reports whether a value is the object that holds the global names.
func isEverything(v value) bool {
	return v.kind == kindLibrary && v.unit != nil && everything[v.name]
}

// globalMember finds what a name stands for as a member of the object that holds the
// global names: what scripts declare, or what is put there by its name alone.
func globalMember(r *resolve.Resolver, v value, name string) (all []member, known bool) {
	g := globalsOf(r, v.unit, name)
	for _, y := range g.symbols {
		all = append(all, member{symbol: y})
	}
	if len(all) > 0 {
		return all, true
	}
	return []member{{symbol: undeclaredGlobal(v.unit, name)}}, wellKnown[name]
}

// undeclaredGlobal stands for a global name that nothing declares.
func undeclaredGlobal(u *resolve.Unit, name string) *resolve.Symbol {
	return memberOfLibrary(memoryOf(u), u, "window", name, !wellKnown[name])
}
