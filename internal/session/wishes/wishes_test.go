package wishes

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	for request, want := range map[string][]string{
		"Add a discount in percent to the cart: total() must take it off before tax.": {"Add a discount in percent to the cart: total() must take it off before tax"},
		"Add a retry to the client and log every failed attempt. Document both.":      {"Add a retry to the client", "log every failed attempt", "Document both"},
		"Rename total and tax": {"Rename total tax"},
		"- add a limit to uploads\n- refuse empty files\n2. say so in the docs": {"add a limit to uploads", "refuse empty files", "say so in the docs"},
		"parse must read 70.7F, such as v1.2 does.":                             {"parse must read 70.7F, such as v1.2 does"},
		"出荷機能を追加する。在庫が足りないときはエラーにしてください。":                                       {"出荷機能を追加する", "在庫が足りないときはエラーにしてください"},
		"合計を表示する、また割引率を設定画面に追加する":                                               {"合計を表示する", "割引率を設定画面に追加する"},
		"": nil,
	} {
		if diff := cmp.Diff(want, Split(request)); diff != "" {
			t.Errorf("Split(%q) (-want +got):\n%s", request, diff)
		}
	}
}

func TestUnmet(t *testing.T) {
	wishes := Split("Add a retry to the client and log every failed attempt.")
	for text, want := range map[string][]string{
		"client.go: Do retries three times":                    {"log every failed attempt"},
		"client.go: Do retries three times; logs each failure": nil,
		"refactor the parser":                                  wishes,
		"再試行を追加する":                                             wishes,
	} {
		if diff := cmp.Diff(want, Unmet(wishes, []string{text})); diff != "" {
			t.Errorf("Unmet by %q (-want +got):\n%s", text, diff)
		}
	}
	if got := Unmet(Split("出荷機能を追加する。"), []string{"warehouse.py: ship()"}); got != nil {
		t.Errorf("a Japanese wish met in English: %q", got)
	}
}

func TestVague(t *testing.T) {
	for item, want := range map[string]bool{
		"the request is done": true, "Everything the user asked for is implemented.": true, "Work completed": true,
		"feature works as expected": true, "依頼の内容が実装されている": true, "作業完了": true, "All changes done": true,
		"shop/cart.py: discount(percent)": false, "run.sh is executable": false, "a new one": false, "parse reads F": false,
		"出荷()を追加": false, "a.txt": false, "returns 2": false, "main says hello": false, "the cart has a discount": false,
	} {
		if got := Vague(item); got != want {
			t.Errorf("Vague(%q) = %v", item, got)
		}
	}
}
