package markup

import (
	"strings"
	"testing"
)

// The tokens of a Blade template are its own, in order, and what is masked for
// the others is as long and has the same lines.
func FuzzBlade(f *testing.F) {
	for _, src := range []string{
		"@if(f(')', \"(\" /* ) */)) {{ $a }} {!! $b !!} {{-- @c --}} @endif", "@php $x = ')'; @endphp @php($y) @@z @{{ w }} a@b.c",
		"@verbatim {{ x }} @if( @endverbatim <?= $a ?><?php if (1): // ?> @props(['a' => [1, 2], 'b'])", "@foreach ($a as $b => [$c])\n@endforeach @media (a) @d.e @f=g",
	} {
		f.Add([]byte(src))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		last := uint32(0)
		text := append([]byte(nil), src...)
		for _, token := range scanBlade(src) {
			if token.all.Start < last || token.all.End <= token.all.Start || int(token.all.End) > len(src) {
				t.Fatalf("%+v behind %d of %d", token, last, len(src))
			}
			for _, s := range []span{token.name, token.code} {
				if s.End != 0 && (s.Start < token.all.Start || s.End > token.all.End || s.End < s.Start) {
					t.Fatalf("%+v lies outside", token)
				}
			}
			last = token.all.End
			fill(text, token.all)
		}
		if len(text) != len(src) || strings.Count(string(text), "\n") != strings.Count(string(src), "\n") {
			t.Fatal("what is masked has other lines")
		}
	})
}
