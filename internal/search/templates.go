package search

import (
	"path"
	"strings"
	"unicode"

	"codeintel/internal/index"
)

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
		if rest != "" && tail(class, folder+studly(rest)) {
			return certain
		}
	}
	return unrelated
}

// studly spells the parts of a path as classes are: order/tea-card is
// Order/TeaCard.
func studly(p string) string {
	var b strings.Builder
	up := true
	for _, r := range p {
		switch {
		case r == '-' || r == '_':
			up = true
			continue
		case up:
			r = unicode.ToUpper(r)
		}
		b.WriteRune(r)
		up = r == '/'
	}
	return b.String()
}

// snake spells the parts of a path as files of Elixir are: Shop/PriceList is
// shop/price_list, HTTPServer http_server.
func snake(p string) string {
	runes := []rune(p)
	var b strings.Builder
	for i, r := range runes {
		if unicode.IsUpper(r) && i > 0 && runes[i-1] != '/' && runes[i-1] != '_' {
			if !unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
