package vaguetext

import "testing"

func TestSilent(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, " \t\n": true, "...": true, "\u200b\u2060": true, "\u3164\uffa0": true, "\u2800": true, "—": true,
		"a": false, "7": false, "日本": false, "\u200bx": false, "é": false,
	} {
		if Silent(text) != want {
			t.Errorf("Silent(%q) = %v", text, !want)
		}
	}
}

func TestPlain(t *testing.T) {
	for _, same := range [][]string{
		{"Not needed any more", "not needed any more.", " NOT  needed any\u200b more!", "ｎｏｔ needed any more"},
		{"必要ない。", "必要ない"},
	} {
		for _, text := range same {
			if Plain(text) != Plain(same[0]) {
				t.Errorf("Plain(%q) = %q, want %q", text, Plain(text), Plain(same[0]))
			}
		}
	}
	if Plain("limit of 10") == Plain("limit of 20") {
		t.Error("numbers are no words")
	}
}
