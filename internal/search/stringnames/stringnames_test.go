package stringnames

import (
	"fmt"
	"strings"
	"testing"

	"codeintel/internal/index"
	"codeintel/internal/syntax"
)

func TestNames(t *testing.T) {
	for _, tt := range []struct{ line, name, want string }{
		{`spy.on(m, "save")`, "save", "save beside"},
		{`getattr(x, 'save', None)`, "save", "save beside"},
		{`usort($a, [$this, 'save']);`, "save", "save beside"},
		{`f("save")`, "save", "save"},
		{`f("a", "save")`, "save", "save"},
		{`patch("shop.cart.save")`, "save", "shop.cart.save"},
		{`patch("shop.Cart.save")`, "Cart", "shop.Cart"},
		{`uses('App\Cart::save')`, "save", `App\Cart::save`},
		{`{"save": 1, 'save' => 2}`, "save", ""},
		{`"to save" + "save it" + "resave" + "save_all" + save`, "save", ""},
		{`"save'`, "save", ""},
		{"x = `save`", "save", "save"},
		{`["save"] + ["save"]`, "save", "save|save"},
		{`save"`, "save", ""},
	} {
		var got []string
		for _, n := range Names(tt.line, tt.name) {
			if !strings.HasPrefix(tt.line[n.Column-1:], tt.name) {
				t.Errorf("%s: column %d", tt.line, n.Column)
			}
			one := n.Path
			if n.Beside {
				one += " beside"
			}
			got = append(got, one)
		}
		if s := strings.Join(got, "|"); s != tt.want {
			t.Errorf("%s: %q, want %q", tt.line, s, tt.want)
		}
		kind := syntax.Method
		if tt.name == "Cart" {
			kind = syntax.Class
		}
		f := NewFinder(tt.name, []index.Symbol{{Symbol: syntax.Symbol{Kind: kind}}})
		if found := f.In([]byte(tt.line)); len(found) != len(got) {
			t.Errorf("%s: %v, want %q", tt.line, found, got)
		}
	}
}

func TestMeans(t *testing.T) {
	for _, tt := range []struct {
		name Name
		kind syntax.Kind
		want bool
	}{
		{Name{Path: "save"}, syntax.Method, false},
		{Name{Path: "save", Beside: true}, syntax.Method, true},
		{Name{Path: "Cart.save"}, syntax.Method, true},
		{Name{Path: "Pot.save"}, syntax.Method, false},
		{Name{Path: "save_all"}, syntax.Method, true},
		{Name{Path: "saveAll"}, syntax.Method, true},
		{Name{Path: "Save"}, syntax.Method, false},
		{Name{Path: "Save"}, syntax.Class, true},
	} {
		s := index.Symbol{File: "shop/cart.py", Language: syntax.Python}
		s.Name, s.Kind, s.Scope = tt.name.Path[strings.LastIndexByte(tt.name.Path, '.')+1:], tt.kind, "Cart"
		if got := tt.name.Means([]index.Symbol{s}); got != tt.want {
			t.Errorf("%s of %s: %v", fmt.Sprint(tt.name), tt.kind, got)
		}
	}
}
