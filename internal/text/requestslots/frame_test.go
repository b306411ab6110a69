package requestslots

import (
	"strings"
	"testing"

	"codeintel/internal/problem"
)

func TestCheck(t *testing.T) {
	const request = "The login  screen crashes when the password is empty; make it show an error.\nログイン機能にパスワード検証を追加"
	for _, tt := range []struct {
		name   string
		slot   Slot
		want   Source
		refuse string // what the refusal says; empty if there is none
	}{
		{"a quote that stands there", Slot{Value: "login", Quote: "login screen"}, Fact, ""},
		{"white space is folded", Slot{Value: "login screen", Quote: "The login screen"}, Fact, ""},
		{"full-width letters are folded", Slot{Value: "login", Quote: "ｌｏｇｉｎ"}, Fact, ""},
		{"another form of the word", Slot{Value: "crash of the login screen", Quote: "crashes"}, Fact, ""},
		{"Japanese, by its bigrams", Slot{Value: "ログイン", Quote: "ログイン機能"}, Fact, ""},
		{"no quote", Slot{Value: "login"}, Hypothesis, ""},
		{"a quote that was made up", Slot{Value: "login", Quote: "login form"}, "", "is not in the request"},
		{"a quote of one letter", Slot{Value: "a", Quote: "a"}, "", "shorter than 2"},
		{"a quote that means something else", Slot{Value: "database", Quote: "password"}, "", "have no word in common"},
		{"a quote without a value", Slot{Quote: "login"}, "", "no value"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Check(request, map[string]Slot{"target_feature": tt.slot})
			if tt.refuse != "" {
				p := problem.Of(err)
				if p == nil || p.Code != badSlot || !strings.Contains(p.Message.String(), tt.refuse) || !strings.Contains(p.Message.String(), "target_feature") {
					t.Fatalf("Check = %v, want a refusal of target_feature with %q", err, tt.refuse)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got["target_feature"].Source != tt.want {
				t.Errorf("source = %q, want %q", got["target_feature"].Source, tt.want)
			}
		})
	}
}

func TestCheckLeavesOutEmptySlots(t *testing.T) {
	got, err := Check("fix it", map[string]Slot{"target_feature": {}, "moon": {Value: "x"}})
	if err != nil || len(got) != 0 {
		t.Errorf("Check = %v, %v; want nothing", got, err)
	}
}

func TestAssess(t *testing.T) {
	all := map[string]Slot{"target_feature": {}, "trigger_condition": {}, "observed_issue": {}, "desired_action": {}}
	issue := map[string]Slot{"observed_issue": {}}
	for _, tt := range []struct {
		intent string
		slots  map[string]Slot
		want   Risk
	}{
		{"MODIFY", all, Low},
		{"MODIFY", nil, High},
		{"MODIFY", issue, Medium},
		{"IMPLEMENT", nil, Medium},
		{"INVESTIGATE", nil, Low},
		{"QUESTION", nil, Low},
	} {
		if got := Assess(tt.intent, tt.slots); got != tt.want {
			t.Errorf("Assess(%s, %d slots) = %s, want %s", tt.intent, len(tt.slots), got, tt.want)
		}
	}
}

func TestMentions(t *testing.T) {
	f := &Frame{TargetSymbols: []string{"ParseToken"}, Scope: "auth"}
	for word, want := range map[string]bool{"ParseToken": true, "parse": true, "auth": true, "login": true, "moon": false, "": false} {
		if got := f.Mentions("fix the login", word); got != want {
			t.Errorf("Mentions(%q) = %v, want %v", word, got, want)
		}
	}
	var none *Frame
	if !none.Mentions("fix the login", "login") {
		t.Error("a nil frame does not look at the request")
	}
}
