// Package importpath decides which files of a project an import names, as the tools of each
// language do: by Go modules, by tsconfig.json and package.json, by Python packages, by what
// files declare, or else by the path alone. Files that a build generates, and names that are
// assembled at run time, are not seen.
package importpath

import (
	"path"
	"strings"

	"codeintel/internal/index"
	"codeintel/internal/search/symbolname"
	"codeintel/internal/syntax"
)

var scriptExtensions = strings.Fields(".d.ts .module.css .svelte.ts .svelte.js .svelte .ts .tsx .js .jsx .mjs .cjs .mts .cts .vue .css .scss")

// TrimScript drops the extensions a specifier may leave out.
func TrimScript(p string) string {
	for _, s := range scriptExtensions {
		if t, ok := strings.CutSuffix(p, s); ok {
			return t
		}
	}
	return p
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

// byPath compares the last parts of an import with the path of a file.
func byPath(i index.Import, file, symbol string) Reach {
	if ext := path.Ext(file); ext != "" && path.Ext(i.Path) == ext {
		// It names a file, of this folder or from some root: heap/page.zig, package:shop/money.dart, res://shop/money.gd.
		_, rest, ok := strings.Cut(i.Path, ":")
		if _, rest, _ = strings.Cut(rest, "/"); ok && tail(file, strings.TrimLeft(rest, "/")) ||
			path.Join(path.Dir(i.File), i.Path) == file || tail(file, path.Clean(i.Path)) {
			return Certainly
		}
	}
	if label, ok := labelled(i); ok {
		if file == label || tail(file, label) {
			return Certainly
		}
		return None
	}
	p := strings.NewReplacer("::", "/", `\`, "/", ".", "/").Replace(strings.TrimSuffix(i.Path, ".sh"))
	p = strings.Trim(p, "/*")
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
	case bare == p || tail(bare, p):
		return Certainly
	case path.Base(p) == symbol && (tail(bare, path.Dir(p)) || tail(dir, path.Dir(p)) || bare == path.Dir(p)):
		return Certainly
	case dir == p, tail(dir, p), path.Base(bare) == path.Base(p):
		return Perhaps
	}
	return None
}

// tail reports whether a path ends in the elements of another.
func tail(p, end string) bool { return end != "" && end != "." && strings.HasSuffix("/"+p, "/"+end) }

// view resolves what a Blade template names: a view by folders and file
// with dots between them, a component or Livewire's by the name of its tag, a
// class, a file of a style sheet or a script. The rules are those of Laravel:
// https://laravel.com/docs/views, /docs/blade#components.
func view(i index.Import, file, symbol string) Reach {
	switch {
	case strings.Contains(i.Path, `\`):
		return byPath(i, file, symbol)
	case strings.Contains(i.Path, "/"):
		p := strings.TrimPrefix(i.Path, "/")
		switch {
		case file == p || file == "public/"+p || tail(file, "public/"+p):
			return Certainly
		case tail(TrimScript(file), TrimScript(p)) && path.Ext(p) == path.Ext(file):
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
			case !of && tail(view, "views/"+v), of && tail(view, "views/vendor/"+space+"/"+v):
				return Certainly
			case of && tail(view, "views/"+v) && strings.Contains("/"+view, "/"+space+"/"):
				return Certainly // of a package with that folder
			case of && tail(view, "views/"+v), tail(view, v):
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
		if rest != "" && tail(class, folder+symbolname.Studly(rest)) {
			return Certainly
		}
	}
	return None
}
