package syntax

import (
	"strings"
	"testing"

	"codeintel/internal/syntax/markup"
	"codeintel/test/tier"
)

// templates are the languages with readers of their own, and PHP.
var templates = []Language{Blade, CSS, HTML, JSON, Jupyter, Markdown, PHP, SCSS, Svelte, Vue, YAML}

// Text that nobody would write by hand: nothing may crash, take long, or find
// what is not there.
func TestHostileTemplates(t *testing.T) {
	deep := tier.Number(3_000, 10_000)
	cases := []struct {
		langs string
		src   string
	}{
		{"html vue php", strings.Repeat("<div id='a' class='b'>", deep)},
		{"html blade svelte", strings.Repeat("<div>", deep) + strings.Repeat("</div>", deep)},
		{"html", strings.Repeat("</div>", deep/5)},
		{"blade", strings.Repeat("<x-a.b :c=\"$d\">", deep)},
		{"html svelte", strings.Repeat("<a ", deep)},
		{"vue svelte blade", "<template><a" + strings.Repeat(" :a=\"b\" @c='d' #e v-f", deep) + "></a></template>"},
		{"css scss", strings.Repeat(".a{", deep)},
		{"css scss", strings.Repeat("&__b .a{", deep) + strings.Repeat("}", deep)},
		{"scss", strings.Repeat("@mixin a($b: (1) {", deep)},
		{"css scss json yaml blade", strings.Repeat("([", 2*deep)},
		{"jupyter", "[" + strings.Repeat(`{"cell_type":"code","source":["def a():\n", "    b(\"c\")\n"]},`, deep) + "1]"},
		{"jupyter", `{"cell_type":"code","source":"` + strings.Repeat(`a(\n`, deep) + `"}`},
		{"jupyter", "[" + strings.Repeat(`{"cell_type":"code","source":["(["]},`, deep) + "1]"},
		{"json yaml css", strings.Repeat("{\"a\":", deep)},
		{"json yaml scss", strings.Repeat("{\"a\":[", deep) + strings.Repeat("]}", deep)},
		{"blade", strings.Repeat("@section('a')\n", deep)},
		{"blade", strings.Repeat("@section('a')", deep) + strings.Repeat("@endpush", deep)},
		{"blade", strings.Repeat("@if(", deep)},
		{"blade", strings.Repeat("@if('", deep)},
		{"blade", strings.Repeat("@if($a) {{ $b }} ", deep/5) + strings.Repeat("@endif", deep/5)},
		{"blade", strings.Repeat("{{ $a ", deep) + strings.Repeat("{!! ", deep)},
		{"blade css markdown", strings.Repeat("{{-- <!-- /* // # ", deep/10)},
		{"php blade", strings.Repeat("<?php if ($a): ?><p>", deep/5)},
		{"php blade", strings.Repeat("<?php ", deep)},
		{"php blade", strings.Repeat("<?php <<<A\n", deep)},
		{"svelte", strings.Repeat("{#if a}", deep) + strings.Repeat("{/if}", deep)},
		{"svelte", strings.Repeat("{#each a as {b}, i (b)}", deep/5)},
		{"vue", "<template>" + strings.Repeat("<p v-for=\"(a, b) in c\" v-slot=\"{ d }\">", deep/5)},
		{"html vue svelte blade php", strings.Repeat("<script>let a = '</script><style>.a{</style>", deep/20)},
		{"yaml", indented("k:\n", deep/4)},
		{"yaml markdown", strings.Repeat("- ", deep) + "a: b"},
		{"markdown", strings.Repeat("# a\n## b\n", deep)},
		{"markdown", strings.Repeat("```\n~~~\n", deep)},
		{"markdown", strings.Repeat("a\n", deep) + "---\n"},
		{"", strings.Repeat("<p id=\"\x00\" class=\"a\x00b\">{{ \x00 }}\x00@if(\x00)", 20)},
		{"", strings.Repeat("<p id=\"\xff\xfe\">\xe3\x81{{ \xf0\x9f }}@\xff(\x80)", 20)},
		{"", strings.Repeat("<p id=\"a\">\r@if(b)\r{{ c }}\r.d {\r--e: f;\r}\r\"g\": 1,\r", 20)},
		{"", strings.Repeat("\"'`", 300) + strings.Repeat("\\", 300)},
	}
	for _, tt := range tier.Sample(cases, 12) {
		for _, lang := range templates {
			if tt.langs != "" && !strings.Contains(" "+tt.langs+" ", " "+string(lang)+" ") {
				continue
			}
			f, err := parseTimely(t, lang, []byte(tt.src))
			if err != nil {
				t.Errorf("%s: %.40q: %v", lang, tt.src, err)
				continue
			}
			checkFile(t, f, []byte(tt.src))
		}
	}
}

// What is found in elements does not depend on their being closed.
func TestUnclosedElements(t *testing.T) {
	n := tier.Number(1_000, 5_000)
	for _, lang := range []Language{HTML, PHP, Svelte, Vue} {
		f, err := Parse(lang, []byte(strings.Repeat("<div id=\"a\" class='b'>\n", n)))
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(f.Partial, "not parsed within") {
			t.Logf("%s: this machine is too slow for %d elements: %s", lang, n, f.Partial)
			continue
		}
		if len(f.Symbols) != n || len(f.Occurrences) != 2*n {
			t.Errorf("%s: %d symbols and %d occurrences of %d elements (%s)", lang, len(f.Symbols), len(f.Occurrences), n, f.Partial)
		}
	}
}

// Blocks that no sheet nests as deep take no memory, and what follows them is read as ever.
func TestDeepBlocks(t *testing.T) {
	const n = 3000
	f, err := Parse(CSS, []byte(strings.Repeat("a{", n)+strings.Repeat("}", n)+".after{}"))
	if err != nil {
		t.Fatal(err)
	}
	after := f.Symbols[len(f.Symbols)-2] // the rule, of which the last is the selector
	if len(f.Symbols) > n/2 || after.Name != ".after" || after.Parent != -1 {
		t.Errorf("%d symbols, the last rule is %+v", len(f.Symbols), after)
	}
}

// indented nests lines, each one column deeper than the one before.
func indented(line string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i))
		b.WriteString(line)
	}
	return b.String()
}

// A line of ten megabytes is read by the scanners of our own, and no more is
// kept of it than of other files.
func TestLongLines(t *testing.T) {
	for _, tt := range []struct {
		lang  Language
		piece string
	}{
		{CSS, ".a .b{--c:d}"}, {CSS, "x"}, {CSS, "'"}, {CSS, "{"}, {CSS, "a, "}, {CSS, "a:b(c 'd');"},
		{SCSS, "@include a($b: 'c');"}, {SCSS, "#{$a} "},
		{JSON, "{\"a\":[1,{\"b\":\"c\"}]},"}, {JSON, "["}, {JSON, "\"a"},
		{Jupyter, "["}, {Jupyter, "{\"a\":"},
		{YAML, "- a: "}, {YAML, "{a: b, "}, {YAML, "'"},
		{Markdown, "# "}, {Markdown, "a "}, {Markdown, "`"},
	} {
		src := []byte(strings.Repeat(tt.piece, tier.Number(1<<20, 10<<20)/len(tt.piece)))
		f, err := parseTimely(t, tt.lang, src)
		if err != nil {
			t.Errorf("%s: %q: %v", tt.lang, tt.piece, err)
			continue
		}
		if len(f.Symbols) > 2*markup.MaxSymbols || len(f.Occurrences) > 2*markup.MaxOccurrences {
			t.Errorf("%s: %q: %d symbols, %d occurrences", tt.lang, tt.piece, len(f.Symbols), len(f.Occurrences))
		}
	}
}
