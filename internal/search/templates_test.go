package search

import (
	"strings"
	"testing"

	"codeintel/internal/index"
	"codeintel/internal/search/binding"
	"codeintel/internal/syntax"
)

func TestReachesFiles(t *testing.T) {
	e := open(t, map[string]string{
		"odd/config/main.ex": "defmodule Shop.Config do\nend\n", "src/shop-paths.ads": "package Shop.Paths is\nend Shop.Paths;\n",
		"lib/shop/config.ex": "defmodule Other do\nend\n",
		"src/App.svelte":     "<p>\n", "src/Card.svelte": "<p>\n", "src/theme.svelte.ts": "export {}\n", "src/main.ts": "export {}\n",
		"src/main/kotlin/shop/money/Price.kt": "package shop.money\n\nclass Price\n",
		"bin/main.rs":                         "mod cmd;\n", "bin/cmd/mod.rs": "mod node;\n", "bin/cmd/node.rs": "", "src/raw/node.rs": "",
	})
	if err := e.x.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		lang             syntax.Language
		from, path, file string
		want             binding.Relation
	}{
		{syntax.Blade, "resources/views/teas.blade.php", "layouts.app", "resources/views/layouts/app.blade.php", binding.Certain},
		{syntax.Blade, "resources/views/teas.blade.php", "layouts.app", "resources/views/layouts/admin.blade.php", binding.Unrelated},
		{syntax.Blade, "resources/views/teas.blade.php", "layouts.app", "themes/dark/layouts/app.blade.php", binding.Likely},
		{syntax.Blade, "a.blade.php", "components.tea-card", "resources/views/components/tea-card.blade.php", binding.Certain},
		{syntax.Blade, "a.blade.php", "components.tea-card", "resources/views/components/tea-card/index.blade.php", binding.Certain},
		{syntax.Blade, "a.blade.php", "components.tea-card", "app/View/Components/TeaCard.php", binding.Certain},
		{syntax.Blade, "a.blade.php", "components.tea-card", "app/Models/TeaCard.php", binding.Unrelated},
		{syntax.Blade, "a.blade.php", "livewire.order.history-list", "app/Livewire/Order/HistoryList.php", binding.Certain},
		{syntax.Blade, "a.blade.php", "livewire.order.history", "resources/views/livewire/order/history.blade.php", binding.Certain},
		{syntax.Blade, "a.blade.php", "shop::components.rating", "resources/views/vendor/shop/components/rating.blade.php", binding.Certain},
		{syntax.Blade, "a.blade.php", "shop::components.rating", "packages/shop/resources/views/components/rating.blade.php", binding.Certain},
		{syntax.Blade, "a.blade.php", "shop::components.rating", "resources/views/components/rating.blade.php", binding.Likely},
		{syntax.Blade, "a.blade.php", "/css/teas.css", "public/css/teas.css", binding.Certain},
		{syntax.Blade, "a.blade.php", "resources/js/teas.js", "resources/js/teas.js", binding.Certain},
		{syntax.Blade, "a.blade.php", `App\Models\Tea`, "app/Models/Tea.php", binding.Likely},
		{syntax.Svelte, "src/App.svelte", "./Card.svelte", "src/Card.svelte", binding.Certain},
		{syntax.Svelte, "src/App.svelte", "./theme.svelte", "src/theme.svelte.ts", binding.Certain},
		{syntax.TypeScript, "src/main.ts", "./App.svelte", "src/App.svelte", binding.Certain},
		{syntax.Kotlin, "a.kt", "shop.money.Price", "src/main/kotlin/shop/money/Price.kt", binding.Certain},
		{syntax.Elixir, "a.ex", "Shop.PriceList", "lib/shop/price_list.ex", binding.Certain},
		{syntax.Lua, "main.lua", "lib.heap", "lib/heap/init.lua", binding.Certain},
		{syntax.Zig, "src/main.zig", "heap/page.zig", "src/heap/page.zig", binding.Certain},
		{syntax.Rust, "bin/cmd/mod.rs", "self::node", "bin/cmd/node.rs", binding.Certain},
		{syntax.Rust, "bin/cmd/mod.rs", "self::node", "src/raw/node.rs", binding.Unrelated},
		{syntax.Haskell, "a.hs", "Data.Tea", "src/Data/Tea.hs", binding.Certain},
		{syntax.Elixir, "a.ex", "Shop.Config", "odd/config/main.ex", binding.Certain},
		{syntax.Elixir, "a.ex", "Shop.Config", "lib/shop/config.ex", binding.Unrelated},
		{"ada", "a.adb", "shop.paths", "src/shop-paths.ads", binding.Certain},
		{"starlark", "rules/defs.bzl", "//lib:paths.bzl", "lib/paths.bzl", binding.Certain},
		{"starlark", "rules/defs.bzl", ":util.bzl", "rules/util.bzl", binding.Certain},
		{"starlark", "rules/defs.bzl", ":util.bzl", "lib/util.bzl", binding.Unrelated},
		{"starlark", "rules/defs.bzl", "@other//lib:paths.bzl", "lib/paths.bzl", binding.Unrelated},
		{"dart", "lib/a.dart", "package:shop/src/money.dart", "lib/src/money.dart", binding.Certain},
	} {
		i := index.Import{Import: syntax.Import{Path: c.path}, File: c.from, Language: c.lang}
		if got := e.resolver(t.Context(), &subject{}, e.sources()).Reaches(i, &index.Symbol{File: c.file}); got != c.want {
			t.Errorf("%s: %q reaches %s: %v, want %v", c.lang, c.path, c.file, got, c.want)
		}
	}
}

// TestTemplateLanguages asks for what is in templates, by language, by kind
// and across languages.
func TestTemplateLanguages(t *testing.T) {
	e := open(t, map[string]string{
		"resources/views/layouts/app.blade.php": "<html><body>@yield('content')</body></html>\n",
		"resources/views/teas.blade.php":        "@extends('layouts.app')\n@section('content')\n@use('App\\Support\\Money')\n{{ Money::brew($tea) }}\n{{ \\App\\Support\\Money::brew(2) }}\n@endsection\n",
		"app/Support/Money.php":                 "<?php\nnamespace App\\Support;\nclass Money {\n  public static function brew($t) { return $t; }\n}\n",
		"src/format.ts":                         "export function pour(n: number) { return String(n) }\n",
		"src/Cup.svelte":                        "<script lang=\"ts\">\nimport { pour } from './format'\nlet { size } = $props()\n</script>\n<p class=\"cup\">{pour(size)}</p>\n",
		"src/Other.svelte":                      "<script>\nimport { steep } from './x'\nfunction go() { return pour(1) }\n</script>\n",
		"src/tea.component.ts":                  "export class TeaComponent {\n  steeped = 1;\n  serve(n: number) { return n; }\n}\n",
		"src/tea.component.html":                "<p class=\"steeped\" *ngIf=\"steeped\" (click)=\"serve($event)\">{{ steeped }}</p>\n",
		"Kettle.kt":                             "class Kettle {\n  fun boil(): Int = 1\n}\n",
	})
	for _, c := range []struct{ tool, arguments, want, not string }{
		{"find_definitions", `{"symbol": "content", "kind": "section"}`, "teas.blade.php:2", "app.blade.php"},
		{"find_definitions", `{"symbol": "content", "kind": "slot", "language": "blade"}`, "app.blade.php:1", "teas.blade.php"},
		{"find_definitions", `{"symbol": "boil", "language": "kotlin"}`, "Kettle.kt:2", ""},
		{"find_references", `{"symbol": "pour"}`, "  5: <p", "  3: function go"},
		{"find_references", `{"symbol": "pour"}`, "  3: [possible] function go", ""},
		{"find_references", `{"symbol": "brew"}`, "  4: {{", ""},
		{"find_references", `{"symbol": "brew"}`, "  5: {{", ""},
		{"find_references", `{"symbol": "serve"}`, "  1: [likely] <p", ""},
		{"find_references", `{"symbol": "TeaComponent.serve", "file_path": "src/tea.component.ts", "line": 3}`, "  1: [likely] <p", ""},
		{"find_references", `{"symbol": "steeped", "file_path": "src/tea.component.ts", "line": 2}`, "2 references in 1 file", ""},
		{"search_files", `{"pattern": "*", "file_type": "svelte"}`, "src/Cup.svelte", "format.ts"},
		{"search_files", `{"pattern": "*", "file_type": "blade"}`, "teas.blade.php", "Money.php"},
	} {
		a, err := ask(e, c.tool, c.arguments)
		if err != nil {
			t.Errorf("%s %s: %v", c.tool, c.arguments, err)
			continue
		}
		if text := a.Text(); !strings.Contains(text, c.want) || c.not != "" && strings.Contains(text, c.not) {
			t.Errorf("%s %s: want %q, not %q:\n%s", c.tool, c.arguments, c.want, c.not, text)
		}
	}
}
