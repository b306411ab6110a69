package session

import (
	"strings"
	"testing"

	"codeintel/internal/problem"
)

func TestSilent(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, " \t\n": true, "...": true, "\u200b\u2060": true, "\u3164\uffa0": true, "\u2800": true, "—": true,
		"a": false, "7": false, "日本": false, "\u200bx": false, "é": false,
	} {
		if silent(text) != want {
			t.Errorf("silent(%q) = %v", text, !want)
		}
	}
}

func TestReasoned(t *testing.T) {
	for text, want := range map[string]bool{
		"it is not needed": true, "この依頼では必要ない項目": true, "because 1 + 1": true,
		"n/a": false, "..............": false, strings.Repeat("\u200b", 20): false, "no" + strings.Repeat("\u2060", 20): false,
		"no              .": false, "x\u3164\u3164\u3164\u3164\u3164\u3164\u3164\u3164\u3164\u3164": false,
	} {
		err := reasoned("reason", text)
		if (err == nil) != want || err != nil && problem.Of(err).Code != PayloadMismatch {
			t.Errorf("reasoned(%q) = %v", text, err)
		}
	}
}

func TestPlain(t *testing.T) {
	for _, same := range [][]string{
		{"Not needed any more", "not needed any more.", " NOT  needed any\u200b more!", "ｎｏｔ needed any more"},
		{"必要ない。", "必要ない"},
	} {
		for _, text := range same {
			if plain(text) != plain(same[0]) {
				t.Errorf("plain(%q) = %q, want %q", text, plain(text), plain(same[0]))
			}
		}
	}
	if plain("limit of 10") == plain("limit of 20") {
		t.Error("numbers are no words")
	}
}
