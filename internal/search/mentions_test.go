package search

import (
	"fmt"
	"slices"
	"testing"
)

// TestQuotedUses asks for what a file names nowhere but in quotes, as a symbol or in a
// comment, while another calls it: the file must be read all the same.
func TestQuotedUses(t *testing.T) {
	for _, c := range []struct {
		symbol string
		files  map[string]string
		want   []string
	}{
		{"title", map[string]string{
			"movie.py": "from typing import TypedDict\n\n\nclass Movie(TypedDict):\n    title: str\n\n\ndef make() -> Movie:\n    return {\"title\": \"x\"}\n",
			"show.py":  "from movie import make\n\n\ndef show():\n    made = make()\n    return made[\"title\"]\n",
		}, []string{"movie.py:9 read certain", "show.py:6 read certain"}},
		{"subject", map[string]string{
			"movie.ts": "export interface Movie { subject: string }\nexport declare function make(): Movie;\nmake().subject;\n",
			"show.ts":  "import { make } from './movie';\nconst made = make();\nmade['subject'];\n",
		}, []string{"movie.ts:3 read certain", "show.ts:3 read certain"}},
		{"store", map[string]string{
			"Posts.php":  "<?php\nnamespace App;\nclass Posts { public function store() {} }\n(new Posts)->store();\n",
			"routes.php": "<?php\nuse App\\Posts;\nRoute::post('posts', [Posts::class, 'store']);\nRoute::post('others', [$unknown, 'store']);\n",
		}, []string{"Posts.php:4 call certain", "routes.php:3 read certain", "routes.php:4 read possible"}},
		{"Posts", map[string]string{
			"Posts.php": "<?php\nnamespace App;\nclass Posts {}\nnew Posts;\n",
			"view.php":  "<?php\n/** @var \\App\\Posts $posts */\n$posts = app('posts');\n",
		}, []string{"Posts.php:4 call certain", "view.php:2 type certain"}},
		{"translated", map[string]string{
			"helpers.php": "<?php\nfunction translated() {}\ntranslated();\n",
			"use.php":     "<?php\nif (! function_exists('translated')) { exit; }\narray_map('translated', $all);\nlog('translated');\n",
		}, []string{"helpers.php:3 call certain", "use.php:2 read certain", "use.php:3 read certain"}},
		{"authenticate", map[string]string{
			"base.rb": "class Base\n  def authenticate; end\nend\nBase.new.authenticate\n",
			"page.rb": "Checks = %i[]\nChecks << :authenticate\n",
		}, []string{"base.rb:4 call certain", "page.rb:2 read possible"}},
		{"jug", map[string]string{
			"src/lib.rs":   "mod far;\nmod shelf;\nfn fill() -> u32 { far::jug() }\n",
			"src/far.rs":   "pub fn jug() -> u32 { 1 }\n",
			"src/shelf.rs": "struct Shelf { #[serde(default = \"crate::far::jug\", rename = \"jug\")] a: u32, b: u32 }\n",
			"Cargo.toml":   "[package]\nname = \"shop\"\n",
		}, []string{"src/lib.rs:3 call certain", "src/shelf.rs:1 read likely", "src/shelf.rs:1 read possible"}},
		{"kegs", map[string]string{
			"a/Kegs.java": "package a;\nclass Kegs { static int kegs() { return kegs() + 1; } }\n",
			"a/Test.java": "package a;\nclass Test { @MethodSource(\"a.Kegs#kegs\") void one() {} @Column(name = \"kegs\") int two; }\n// kegs\n",
		}, []string{"a/Kegs.java:2 call certain", "a/Test.java:2 read likely"}},
		{"index", manyControllers(), []string{"routes.php:3 text possible"}},
	} {
		a, err := open(t, c.files).References(t.Context(), ReferencesQuery{Symbol: c.symbol})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range a.References {
			got = append(got, fmt.Sprintf("%s:%d %s %s", r.File, r.Line, r.Role, r.Confidence))
		}
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.symbol, got, c.want)
		}
	}
}

// manyControllers are more classes with a method of one name than inference is asked about at
// once, and a file that names it in quotes.
func manyControllers() map[string]string {
	tree := map[string]string{"routes.php": "<?php\nuse App\\C1;\nRoute::get('x', [C1::class, 'index']);\n// index\n"}
	for i := range maxTargets + 1 {
		tree[fmt.Sprintf("C%d.php", i)] = fmt.Sprintf("<?php\nnamespace App;\nclass C%d { public function index() {} }\n", i)
	}
	return tree
}

// TestStylesApart asks for a property of a class where pages of another language, which
// share its style sheets alone, have members of the name: they mean something else.
func TestStylesApart(t *testing.T) {
	a, err := open(t, map[string]string{
		"Order.php": "<?php\nclass Order { private $data; function get() { return $this->data; } }\n",
		"Page.vue":  "<script>\nexport default { methods: { go() { return this.data.url } } }\n</script>\n",
	}).References(t.Context(), ReferencesQuery{Symbol: "data", FilePath: "Order.php", Line: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range a.References {
		if r.File != "Order.php" {
			t.Errorf("%s:%d %s", r.File, r.Line, r.Confidence)
		}
	}
}
