package impact

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMarks(t *testing.T) {
	for _, tt := range []struct {
		name, file, text string
		want             []string
	}{
		{"rules", "a.css", `/* .not { } */
@import url("x.css");
.card, #nav > li.item:hover::after { color: #fff; background: url(img.png) }
@media (max-width: 10.5em) {
  .card--wide[data-x=".no"] { content: ".neither"; }
}
`, []string{"3 styles #nav", "3 styles .card", "3 styles .item", "5 styles .card--wide"}},
		{"nested", "a.scss", `// .comment {
.card {
  &__title { &:hover { x: y } }
  .icon & { a: b }
  &.open, > .body { a: b; }
  @include mq($from: tablet) { .deep { a: b } }
}
`, []string{"2 styles .card", "3 styles .card__title", "3 styles .card__title", "4 styles .card", "4 styles .icon", "5 styles .body", "5 styles .card", "5 styles .open", "6 styles .deep"}},
		{"page", "a.html", `<div id="main" class="card  card--wide {{ extra }} btn-{{ kind }}">
<a href="#main" class='link'>x</a><label for=x>
<style>
.local { a: b }
</style>
<script>
document.getElementById("main").classList.add("open", 'shut')
</script>
`, []string{"1 has #main", "1 has .card", "1 has .card--wide", "2 has #main", "2 has .link", "4 styles .local", "7 selects #main", "7 selects .open", "7 selects .shut"}},
		{"script", "a.js", `const a = document.querySelector("#nav .item > a[href='.x']")
$('.card').addClass("big").on("click", ".btn", f)
el.className = 'one two'; el.getElementsByClassName("three")
list.find(x => x.y); import "./card.css"
`, []string{"1 selects #nav", "1 selects .item", "2 selects .big", "2 selects .btn", "2 selects .card", "3 selects .one", "3 selects .three", "3 selects .two"}},
		{"jsx", "a.tsx", "return <div className={cx('card', { open: isOpen }, `item-${n} last`)} id=\"main\"><p className=\"text\"/></div>", []string{
			"1 has #main", "1 has .card", "1 has .last", "1 has .open", "1 has .text",
		}},
		{"vue", "a.vue", `<template>
<p class="base" :class="{ 'is-on': on, plain: x }"/>
</template>
<style scoped lang="scss">
.base { &.x { a: b } }
</style>
`, []string{"2 has .base", "2 has .is-on", "2 has .plain", "5 styles .base", "5 styles .base", "5 styles .x"}},
		{"blade", "a.blade.php", `<i class="icon {{ $on ? 'a' : 'b' }}" id="i-{{ $n }}">`, []string{"1 has .icon"}},
		{"unclosed", "a.css", "/* .a {", nil},
		{"text", "a.py", `".card"`, nil},
	} {
		var got []string
		for _, m := range classesAndIDs(tt.file, []byte(tt.text)) {
			use := map[markUse]string{styles: "styles", has: "has", selects: "selects"}[m.use]
			got = append(got, fmt.Sprintf("%d %s %s", m.line, use, m.name))
		}
		slices.Sort(got)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func FuzzMarks(f *testing.F) {
	f.Add("a.css", ".a{&b{}}}}")
	f.Add("a.html", "<style>.x{</style><div class='a' id=>")
	f.Add("a.js", "$('.x').on(\"a\", '.b')")
	f.Add("a.scss", "#{$x}-y { /* ")
	f.Fuzz(func(t *testing.T, file, text string) {
		lines := strings.Count(text, "\n") + 1
		for _, m := range classesAndIDs(file, []byte(text)) {
			if m.line < 1 || m.line > lines || m.name.name == "" {
				t.Fatalf("%+v in a text of %d lines", m, lines)
			}
		}
	})
}

func TestLinksTo(t *testing.T) {
	for _, tt := range []struct {
		file, to, target string
		want             bool
	}{
		{"web/index.html", "css/site.css", "web/css/site.css", true},
		{"web/a/index.html", "../css/site.css", "web/css/site.css", true},
		{"web/index.html", "/css/site.css", "public/css/site.css", true},
		{"web/index.html", "other.css", "web/css/site.css", false},
		{"web/main.scss", "parts/button", "web/parts/_button.scss", true},
		{"web/index.html", "https://cdn.example/site.css", "site.css", false},
		{"a.html", "{{ asset('css/site.css", "css/site.css", false},
	} {
		if got := linksTo(tt.file, tt.to, tt.target); got != tt.want {
			t.Errorf("%s links %s to %s: %v", tt.file, tt.to, tt.target, got)
		}
	}
}

func TestTestSubject(t *testing.T) {
	for test, target := range map[string]string{
		"pkg/a_test.go": "pkg/a.go", "tests/test_server.py": "app/server.py", "src/x.spec.ts": "src/x.ts", "src/__tests__/App.test.jsx": "src/App.tsx",
		"src/test/java/a/FooTest.java": "src/main/java/a/Foo.java", "tests/Unit/UserTest.php": "app/User.php", "spec/user_spec.rb": "lib/user.rb",
		"test/my-widget.test.js": "src/MyWidget.js", "test/spec_query_parser.rb": "lib/rack/query_parser.rb", "tests/locales_tests.py": "app/locales.py",
		"tests/middleware/test_middleware.py": "app/middleware/__init__.py", "tests/builder.rs": "src/builder/mod.rs", "test/index.js": "lib/index.js",
	} {
		if testSubject(test) != testSubject(target) || !testReaches(test, target) {
			t.Errorf("%s (%s) is no test of %s (%s)", test, testSubject(test), target, testSubject(target))
		}
	}
	for test, other := range map[string]string{"pkg/a_test.go": "other/a.go", "tests/test_server.py": "app/server.go"} {
		if testSubject(test) == testSubject(other) && testReaches(test, other) {
			t.Errorf("%s is a test of %s", test, other)
		}
	}
}

func TestWordLines(t *testing.T) {
	const text = "Open it.\nCall `Open` or Open(x).\nReopen, OpenAll\nuse pkg/open.go here, open.go\n日本Openです\n"
	for _, tt := range []struct {
		w    word
		want []int
	}{
		{word{text: "Open", quoted: false}, []int{1, 2, 5}},
		{word{text: "Open", quoted: true}, []int{2}},
		{word{text: "open.go", quoted: false}, []int{4}},
		{word{text: "pkg/open.go", quoted: false}, []int{4}},
		{word{text: "Shut", quoted: false}, nil},
	} {
		if diff := cmp.Diff(tt.want, tt.w.lines([]byte(text))); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", tt.w, diff)
		}
	}
}
