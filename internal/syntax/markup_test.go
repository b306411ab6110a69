package syntax

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outlineOf gives the symbols of a file one a line: kind, scope, name, lines.
func outlineOf(f *File) string {
	var b strings.Builder
	for _, s := range f.Symbols {
		name := s.Name
		if s.Scope != "" {
			name = s.Scope + " > " + name
		}
		fmt.Fprintf(&b, "%s %s %d-%d\n", s.Kind, name, s.StartLine, s.EndLine)
	}
	return b.String()
}

func parsed(t *testing.T, lang Language, src string) *File {
	t.Helper()
	f, err := Parse(lang, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestReaders(t *testing.T) {
	for _, tt := range []struct {
		name string
		lang Language
		src  string
		want string
	}{
		{"Markdown", Markdown, "intro\n\n# One #\ntext\n## Two 日本\n```\n# no\n```\n~~~go\n# no\n~~~\nThree\n=====\n\nlast\n---\n\n    # code\n#no\n", `
heading One 3-11
heading One > Two 日本 5-11
heading Three 12-19
heading Three > last 15-19
`},
		{"YAML", YAML, "# c\na: 1\nb:\n  c: |\n    d: no\n  \"e f\":\n    - g: 1\n      h: 2\n---\ni: [x: 1]\nurl: http://x\n", `
key a 2-2
key b 3-8
key b > c 4-5
key b > e f 6-8
key b.e f > g 7-7
key b.e f > h 8-8
key i 10-10
key url 11-11
`},
		{"JSON", JSON, "{\n \"a\": {\"b\": [1, {\"c\": \"x: y\"}]},\n \"d\\\"e\": null\n}\n", `
key a 2-2
key a > b 2-2
key a.b > c 2-2
key d\"e 3-3
`},
		{"CSS", CSS, "@import url(\"base.css\");\n:root { --main: red; }\n.btn, #top > .nav:hover { color: var(--main); }\n@media print {\n  .btn { display: none }\n}\n@keyframes spin { from { top: 0 } }\n", `
rule :root 2-2
variable :root > --main 2-2
rule .btn, #top > .nav:hover 3-3
selector .btn, #top > .nav:hover > btn 3-3
selector .btn, #top > .nav:hover > top 3-3
selector .btn, #top > .nav:hover > nav 3-3
rule @media print 4-6
rule @media print > .btn 5-5
selector .btn > btn 5-5
rule @keyframes spin 7-7
`},
		{"HTML", HTML, "<!doctype html>\n<html><head><link rel=\"stylesheet\" href=\"a.css\"><style>\n.x { top: 0 }\n</style></head>\n<body><div id=\"app\" class=\"x  y\"><my-card></my-card></div>\n<script src=\"b.js\"></script>\n</body></html>\n", `
rule .x 3-3
selector .x > x 3-3
element app 5-5
`},
		{"nothing", HTML, "", "\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.TrimPrefix(tt.want, "\n"), outlineOf(parsed(t, tt.lang, tt.src))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMarkupOccurrences(t *testing.T) {
	f := parsed(t, HTML, "<a id=\"app\" class=\"x y\"><my-card/></a>\n<style>\n .x { top: 0 }</style>")
	var got []string
	for _, o := range f.Occurrences {
		got = append(got, fmt.Sprintf("%s %s %d:%d", o.Name, o.Role, o.Line, o.Column))
	}
	want := []string{"app definition 1:8", "x read 1:20", "y read 1:22", "my-card call 1:26", "x definition 3:3"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAngularTemplate(t *testing.T) {
	f := parsed(t, HTML, `<p *ngIf="ready; else waiting" class="ready" [issueId]="issue.id | slice: 1" (onDone)="close($event)">
{{ title | date: 'short' }} {{#if block}} {{ 'a' }}
@if (user(); as u) { <b *ngFor="let a of all; trackBy: byId; let i = index" :name="own" @click="go()"></b> }
@for (x of list; track x.id) { mail@if.example (no) }
</p>`)
	var got []string
	for _, o := range f.Occurrences {
		got = append(got, fmt.Sprintf("%s %s %d:%d", o.Name, o.Role, o.Line, o.Column))
	}
	want := []string{
		"ngIf read 1:5", "ready read 1:11", "waiting read 1:23", "ready read 1:39", "issueId read 1:47", "issue read 1:57",
		"id read 1:63", "onDone read 1:79", "close call 1:88", "$event read 1:94",
		"title read 2:4",
		"user call 3:6", "ngFor read 3:26", "all read 3:42", "byId read 3:56", "own read 3:84", "go call 3:97",
		"list read 4:12",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func FuzzReaders(f *testing.F) {
	f.Add([]byte("# a\n\n```\n{\"a\": [\"b\n- c: |\n <div id='x' class=' y'><style>.a{"))
	f.Add([]byte("\"\\"))
	f.Add([]byte("<a *b=\"let c of d; e: f; else g as h\" [(i)]=\"j | k\" (l)=\"m(\" @n=o>{{ p | q }}{{#r}}{{ s @if (t; u) @for (v of w"))
	f.Add([]byte("--- \n'x\n? y"))
	f.Add([]byte("@section('a')\n@if(f(')'))<x-a.b :c=\"$d\">{{ $e }} {!! f() !!}{{-- @yield('x') --}}@endif @php $x = 1; @endphp @@x @{{ y }}<?= $z ?>\n@endsection"))
	f.Add([]byte("{#each a as {b}, i (b.c)}<A.B on:x={() => b} use:d class:e {...f}/>{:else}{@const g = 1}{/each}{#await h then j}{j}{/await}"))
	f.Add([]byte("@mixin a($b) { &__c:not(.d) { @include e.f($b); } }\n$g: h(1); .i-#{$g} > %j { animation: k 1s }"))
	f.Add([]byte("@if(f(')', \"(\" /* ) */)) {{ $a }} {!! $b !!} {{-- @c --}} @endif"))
	f.Add([]byte("@verbatim {{ x }} @if( @endverbatim <?= $a ?><?php if (1): // ?> @props(['a' => [1, 2], 'b'])"))
	f.Add([]byte("<p id=\"a\" class=\"b <?= $c ?>\"><?php if (d()): ?><script>e(<?= $f ?>)</script><?php endif; ?>"))
	f.Fuzz(func(t *testing.T, src []byte) {
		for _, lang := range []Language{Markdown, YAML, JSON, CSS, SCSS, HTML, Vue, Svelte, Blade, PHP} {
			checkFile(t, parsed(t, lang, string(src)), src)
		}
	})
}
