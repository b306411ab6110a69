// Package importpath compares what an import says with the path of a file, where nothing but
// the two tells which file is meant: no settings of a build, and nothing that files declare.
package importpath

import (
	"path"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/syntax"
)

// A Reach says whether an import brings in what a file offers.
type Reach int

// Whether it does: not, through something that may pass it on, or by naming the file.
const (
	None Reach = iota
	Perhaps
	Surely
)

// Module resolves a.b.c, .c and ..c against a file.
func Module(i index.Import, file string) Reach {
	module := strings.TrimSuffix(strings.TrimSuffix(file, path.Ext(file)), "/__init__")
	dots := len(i.Path) - len(strings.TrimLeft(i.Path, "."))
	p := strings.ReplaceAll(i.Path[dots:], ".", "/")
	match := func(q string) bool { return module == q || Tail(module, q) }
	if dots > 0 {
		base := path.Dir(i.File)
		for range dots - 1 {
			base = path.Dir(base)
		}
		p = path.Join(base, p)
		match = func(q string) bool { return module == q }
	}
	if p == "" {
		return None
	}
	if match(p) {
		return Surely
	}
	for _, n := range i.Names {
		if match(p + "/" + n) {
			return Surely
		}
	}
	// A package may pass on what its modules define.
	if strings.HasPrefix(module, p+"/") || dots == 0 && strings.Contains("/"+module+"/", "/"+p+"/") {
		return Perhaps
	}
	return None
}

// Script resolves a module specifier of a script or style sheet.
func Script(i index.Import, file string) Reach {
	bare := TrimScript(file)
	if strings.HasPrefix(i.Path, ".") || strings.HasPrefix(i.Path, "/") {
		p := path.Join(path.Dir(i.File), i.Path)
		if strings.HasPrefix(i.Path, "/") {
			p = strings.TrimPrefix(i.Path, "/")
		}
		p = TrimScript(p)
		switch {
		case bare == p, bare == p+"/index":
			return Surely
		case strings.TrimSuffix(path.Base(bare), "_") == path.Base(p) && path.Dir(bare) == path.Dir(p):
			return Surely
		case strings.HasPrefix(bare, p+"/"):
			return Perhaps
		}
		return None
	}
	p := TrimScript(strings.TrimLeft(i.Path, "@~#$/"))
	if p == "" {
		return None
	}
	if strings.Contains(p, "/") && (Tail(bare, p) || Tail(bare, p+"/index")) {
		return Surely
	}
	if _, rest, ok := strings.Cut(p, "/"); ok && Tail(bare, rest) {
		return Perhaps
	}
	if strings.Contains("/"+bare+"/", "/"+p+"/") {
		return Perhaps // a workspace package by its folder's name
	}
	return None
}

var (
	scriptExtensions = strings.Fields(".d.ts .module.css .svelte.ts .svelte.js .svelte .ts .tsx .js .jsx .mjs .cjs .mts .cts .vue .css .scss")
	knownExtensions  = strings.Fields(".rb .php .sh .java .rs")
)

// TrimScript drops the extensions a specifier may leave out.
func TrimScript(p string) string {
	return trimSuffix(p, scriptExtensions)
}

// labelled returns the file that a label of Bazel names: //lib:paths.bzl from the root,
// :paths.bzl beside the file. What lies in another repository (@name//) is none.
func labelled(i index.Import) (file string, ok bool) {
	if rest, ok := strings.CutPrefix(i.Path, ":"); ok {
		return path.Join(path.Dir(i.File), rest), true
	}
	rest, ok := strings.CutPrefix(i.Path, "//")
	return strings.TrimPrefix(strings.Replace(rest, ":", "/", 1), "/"), ok
}

// Any compares the last parts of an import with the path of a file.
func Any(i index.Import, file, symbol string) Reach {
	if ext := path.Ext(file); ext != "" && path.Ext(i.Path) == ext {
		// It names a file, of this folder or from some root: heap/page.zig, package:shop/money.dart, res://shop/money.gd.
		_, rest, ok := strings.Cut(i.Path, ":")
		if _, rest, _ = strings.Cut(rest, "/"); ok && Tail(file, strings.TrimLeft(rest, "/")) ||
			path.Join(path.Dir(i.File), i.Path) == file || Tail(file, path.Clean(i.Path)) {
			return Surely
		}
	}
	if label, ok := labelled(i); ok {
		if file == label || Tail(file, label) {
			return Surely
		}
		return None
	}
	p := strings.NewReplacer("::", "/", `\`, "/", ".", "/").Replace(trimSuffix(i.Path, knownExtensions))
	p, below := symbolname.Below(strings.Trim(p, "/*"), i.File)
	if p == "" {
		return None
	}
	bare := strings.TrimSuffix(file, path.Ext(file))
	dir := path.Dir(file)
	switch i.Language {
	case syntax.Elixir:
		p = symbolname.Snake(p) // Shop.PriceList lies in shop/price_list.ex
	case syntax.Lua:
		bare = strings.TrimSuffix(bare, "/init")
	}
	switch {
	case !strings.HasPrefix(file, below): // or an attribute says where it is
		i.Path = p
		return min(Perhaps, Any(i, file, symbol))
	case bare == p || Tail(bare, p):
		return Surely
	case path.Base(p) == symbol && (Tail(bare, path.Dir(p)) || Tail(dir, path.Dir(p)) || bare == path.Dir(p)):
		return Surely
	case dir == p, Tail(dir, p), path.Base(bare) == path.Base(p):
		return Perhaps
	}
	return None
}

// trimSuffix drops the first of some suffixes that a path has.
func trimSuffix(p string, suffixes []string) string {
	for _, s := range suffixes {
		if t, ok := strings.CutSuffix(p, s); ok {
			return t
		}
	}
	return p
}

// Tail reports whether a path ends in the elements of another.
func Tail(p, end string) bool { return end != "" && end != "." && strings.HasSuffix("/"+p, "/"+end) }

// View resolves what a Blade template names: a view by folders and file
// with dots between them, a component or Livewire's by the name of its tag, a
// class, a file of a style sheet or a script. The rules are those of Laravel:
// https://laravel.com/docs/views, /docs/blade#components.
func View(i index.Import, file, symbol string) Reach {
	switch {
	case strings.Contains(i.Path, `\`):
		return Any(i, file, symbol)
	case strings.Contains(i.Path, "/"):
		p := strings.TrimPrefix(i.Path, "/")
		switch {
		case file == p || file == "public/"+p || Tail(file, "public/"+p):
			return Surely
		case Tail(TrimScript(file), TrimScript(p)) && path.Ext(p) == path.Ext(file):
			return Perhaps // of a site whose root is elsewhere
		}
		return None
	}
	space, name, of := strings.Cut(i.Path, "::")
	if !of {
		space, name = "", i.Path
	}
	p := strings.ReplaceAll(name, ".", "/")
	if p == "" {
		return None
	}
	if view, ok := strings.CutSuffix(file, ".blade.php"); ok {
		// A component may be the file index, or one like its folder, in a folder of its name.
		for _, v := range []string{p, p + "/index", p + "/" + path.Base(p)} {
			switch {
			case !of && Tail(view, "views/"+v), of && Tail(view, "views/vendor/"+space+"/"+v):
				return Surely
			case of && Tail(view, "views/"+v) && strings.Contains("/"+view, "/"+space+"/"):
				return Surely // of a package with that folder
			case of && Tail(view, "views/"+v), Tail(view, v):
				return Perhaps
			}
		}
		return None
	}
	if class, ok := strings.CutSuffix(file, ".php"); ok {
		folder, rest, _ := strings.Cut(p, "/")
		switch folder {
		case "components":
			folder = "View/Components/"
		case "livewire":
			folder = "Livewire/"
		default:
			return None
		}
		if rest != "" && Tail(class, folder+symbolname.Studly(rest)) {
			return Surely
		}
	}
	return None
}
