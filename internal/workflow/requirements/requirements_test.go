package requirements

import (
	"strings"
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
		"Scheme: https for TLS, the header if the proxy is trusted; else http.": {"Scheme: https for TLS, the header if the proxy is trusted; else http"},
		"Sort the list, e.g. by name. It should then be saved to disk.":         {"Sort the list, e.g. by name", "It should then be saved to disk"},
		"Add shipping costs. Orders over 50 euro ship free. Also write a test and mention it in the README": {
			"Add shipping costs", "Orders over 50 euro ship free", "Also write a test", "mention it in the README"},
		"Fix the crash. It was there since 1.2. Can you reproduce it? Can you add a test for it?": {"Fix the crash", "Can you add a test for it"},
		"# Bug\n\nThe parser fails on tabs.\nI tried it with 1.2, and it seems to hang.\n\n```go\nAdd(1)\nRemove everything\n```\n\n> add a quote\n\n" +
			"Steps:\n\n- open a file\n- wait for the answer\n\nIt ends with an error. The log is empty. Nobody knows why.\n\n" +
			"What should be there:\n\n- a message that names the line\n- an exit code\n\nI would like to work on this issue. Signed-off.\n\nReviewed-by: A <a@example.org>\n": {
			"open a file", "wait for the answer", "What should be there", "a message that names the line", "an exit code"},
		"- add a limit\n  of 5 MB to uploads\n- [ ] refuse empty files":                               {"add a limit of 5 MB to uploads", "refuse empty files"},
		"割引を追加する。現在は税込みで計算している。設定画面に割引率を表示してください":                                                     {"割引を追加する", "設定画面に割引率を表示してください"},
		"Add a renew method, at most twice. Today they have to give the book back and lend it again.": {"Add a renew method, at most twice"},
		"Watch the file. Right now one must restart the server.":                                      {"Watch the file"},
		"Currently it returns nil, and it has to return an error. Today it must be typed but it should not be.": {
			"Currently it returns nil", "it has to return an error", "Today it must be typed but it should not be"},
		"更新機能を追加する。現在は返却して借り直す必要がある。": {"更新機能を追加する"},
		"Refuse an empty chain. The first call to it then raised IndexError, which is opaque. The value returned by the last one is rounded.": {
			"Refuse an empty chain", "The value returned by the last one is rounded"},
		"Rename ext_to_mime to type_of. Nothing changes for callers. The other functions stay as they are.": {"Rename ext_to_mime to type_of"},
		"Write integers out. Keep NaN an error, so that it stays unchanged.":                                {"Write integers out", "Keep NaN an error, so that it stays unchanged"},
		"": nil, "...": nil, "```": nil,
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

func TestNames(t *testing.T) {
	for id, want := range map[string]bool{"add": true, "prices": true, "a": false, "price": false, "Add": true, "refuse negative": false} {
		if got := Names("add() must refuse negative prices", id); got != want {
			t.Errorf("Names %q = %v", id, got)
		}
	}
}

// TestUndone holds that a change speaks of a wish with most of its words, not with one.
func TestUndone(t *testing.T) {
	wishes := []string{"log every failed attempt", "Sort the list by name", "在庫を表示する"}
	for change, want := range map[string][]string{
		"+log.Printf(\"attempt %d failed\", n)": wishes[1:2],
		"+sort.Slice(list, byName) // log":      wishes[:1],
		"":                                      wishes[:2],
	} {
		if diff := cmp.Diff(want, Undone(wishes, change)); diff != "" {
			t.Errorf("Undone by %q (-want +got):\n%s", change, diff)
		}
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

func TestThought(t *testing.T) {
	for item, want := range map[string]bool{
		"shop/cart.py: look into the rounding":             true,
		"Investigate why the total is wrong":               true,
		"prepare for refusing negative prices in add":      true,
		"prepare the cart to take a discount":              true,
		"consider rounding down":                           true,
		"figure out where the discount goes":               true,
		"shop/cart.py: 割引の計算を検討する":                         true,
		"丸め方を調べる":                                          true,
		"shop/cart.py: prepare(statement) binds the price": false,
		"prepare for shutdown closes all connections":      false,
		"total() considers the discount":                   false,
		"consider the discount before tax":                 false,
		"plan.go: plan() orders tasks":                     false,
		"find the newest line first":                       false,
		"look up the price in the list":                    false,
		"準備中の注文を表示する":                                      false,
	} {
		if got := Thought(item, "Add a discount to the cart."); got != want {
			t.Errorf("Thought(%q) = %v", item, got)
		}
	}
	if Thought("look into the rounding", "Look into the rounding of total.") || Thought("丸め方を検討する", "丸め方を検討してください。") {
		t.Error("what the request asks for is no thought alone")
	}
}

func TestLeft(t *testing.T) {
	there := func(file string) bool { return file == "a.go" || file == "lib/b.go" }
	for _, c := range []struct{ request, said, want string }{
		{"Check percent in a.go and lib/b.go.", "a.go: check", "lib/b.go"},
		{"Check percent in `a.go`, `lib/b.go`.", "b.go: check", "a.go"},
		{"a.go と lib/b.go を直す", "a.go: check", "lib/b.go"},
		{"Check percent in a.go and lib/b.go.", "a.go, b.go: check", ""},
		{"Check percent in a.go and lib/b.go.", "check percent", ""},
		{"Check percent in a.go, as in lib/b.go.", "a.go: check", ""},
		{"Support Next.js and a.go.", "a.go: check", ""},
	} {
		if got := Left(c.request, []string{c.said}, there); got != c.want {
			t.Errorf("Left(%q, %q) = %q, want %q", c.request, c.said, got, c.want)
		}
	}
}

func TestLeftAlone(t *testing.T) {
	there := func(file string) bool { return file != "new.go" }
	for _, c := range []struct{ request, changed, want string }{
		{"Require Node 22 in package.json and test Node 22 in .github/workflows/main.yml", "package.json", ".github/workflows/main.yml"},
		{"Require Node 22 in package.json and test Node 22 in .github/workflows/main.yml", "package.json .github/workflows/main.yml", ""},
		{"Move the hooks from hooks.go to a file of their own, new.go", "new.go", "hooks.go"},
		{"Copy the limits from hooks.go into new.go", "new.go", ""},
		{"Fix the crash in parser.go", "lexer.go", ""},
		{"Add a limit to cart.go as in price.go", "cart.go", ""},
		{"Add a limit to cart.go, which is described in docs/limits.md", "cart.go", ""},
		{"Use the helper in util.go in cart.go", "cart.go", ""},
		{"Rename total in cart.go and update README.md", "shop/cart.go", "README.md"},
		{"Rename total in cart.go and update README.md", "shop/cart.go README.md", ""},
	} {
		if got := strings.Join(LeftAlone(c.request, strings.Fields(c.changed), there), " "); got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.request, c.changed, got, c.want)
		}
	}
}
