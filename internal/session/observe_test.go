package session

import "testing"

func TestReasonCodes(t *testing.T) {
	for _, tt := range []struct {
		missing string
		fits    []string
	}{
		{"symbols: 1 of 3", []string{"no_definition_found", "architecture_unknown"}},
		{"entry points: 0 of 1", []string{"no_definition_found", "no_reference_found"}},
		{"patterns: 0 of 1", []string{"no_similar_implementation", "architecture_unknown"}},
		{"files: 1 of 2", []string{"context_fragmented", "architecture_unknown"}},
	} {
		e := &Evaluation{Confidence: Low, Missing: []string{tt.missing}}
		fits := make(map[string]bool)
		for _, code := range tt.fits {
			fits[code] = true
		}
		for _, code := range reasonCodes {
			if e.explains(code) != fits[code] {
				t.Errorf("%s explains %q: %v", code, tt.missing, !fits[code])
			}
		}
	}
}

func TestTied(t *testing.T) {
	for _, tt := range []struct {
		entry, symbol string
		want          bool
	}{
		{"pay() -> Cart.total", "Cart.total", true},
		{"shop/checkout.py: total", "total", true},
		{"subtotal()", "total", false},
		{"pay", "Cart.total", false},
		{"pay", "", false},
		{"合計()", "合計", true},
	} {
		if got := tied(tt.entry, tt.symbol); got != tt.want {
			t.Errorf("tied(%q, %q) = %v", tt.entry, tt.symbol, got)
		}
	}
}

func TestPlaces(t *testing.T) {
	for text, want := range map[string]int{
		"total sums: shop/cart.py:15-17 and 日本/画面.py:3": 2,
		"at 10:30 nothing happened":                     0,
		"see https://example.com:8080/x":                0,
		"Makefile:3":                                    1,
	} {
		if got := places(text); len(got) != want {
			t.Errorf("places(%q) = %q, want %d", text, got, want)
		}
	}
}

func TestBareTool(t *testing.T) {
	for name, want := range map[string]string{
		"search_text": "search_text", "mcp__code-intel__search_text": "search_text", "mcp__plugin_x_code-intel__get_symbols": "get_symbols",
		"search_text (2x)": "search_text", " Read ": "Read", "": "",
	} {
		if got := bareTool(name); got != want {
			t.Errorf("bareTool(%q) = %q, want %q", name, got, want)
		}
	}
}
