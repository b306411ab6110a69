package requirements

import "testing"

func TestAsksForChange(t *testing.T) {
	for request, want := range map[string]bool{
		"Add a discount in percent to the cart.":                true,
		"please fix the login screen":                           true,
		"Can you rename write to write_line?":                   true,
		"Could you please make the parser accept tabs":          true,
		"Refactor ParseToken, and remove the old one":           true,
		"ログイン機能にパスワード検証を追加":                                     true,
		"割引が合計に反映されないので修正してください。":                               true,
		"合計を直して":                                                true,
		"Where is the total of the cart computed?":              false,
		"Find out how the total of the cart is computed.":       false,
		"Explain how to add a discount":                         false,
		"How would you add a discount?":                         false,
		"Make sense of the parser for me":                       false,
		"update me on the state of the parser":                  false,
		"Why does the fix for tabs not work?":                   false,
		"Fix?":                                                  false,
		"Add or replace: which of them does the cache do?":      false,
		"合計の計算を調査してください":                                        false,
		"割引はどこで追加されますか？":                                        false,
		"修正が必要か確認して":                                            false,
		"変更の影響を説明して":                                            false,
		"Vouchers should be redeemed once only.":                false,
		"Is it safe to delete shop/stock.py":                    false,
		"List what must change to support Python 3.14":          false,
		"What changes when I upgrade?":                          false,
		"Document research: which rules hold for the database?": false,
		"": false,
	} {
		if got := AsksForChange(request); got != want {
			t.Errorf("AsksForChange(%q) = %v", request, got)
		}
	}
}

func TestSameBehaviour(t *testing.T) {
	for request, want := range map[string]bool{
		"Refactor ParseToken, and remove the old one":              true,
		"Rename write to write_line":                               true,
		"Move the parser to a package of its own.":                 true,
		"Listing the cart is too slow with many lines":             true,
		"Add unit tests for the cart":                              true,
		"write tests of total()":                                   true,
		"Cover Cart.total by unit and integration tests.":          true,
		"Cache the total of the cart, and test it.":                true,
		"Remove dead code from the cart, and test what is left.":   true,
		"Migrate the tests to pytest.":                             true,
		"未使用のコードを消して":                                              true,
		"Discover all plugins. Test it.":                           false,
		"パーサーをリファクタリングして":                                          true,
		"合計のテストを追加":                                                true,
		"Add a discount in percent to the cart, and test it.":      false,
		"Withdraw must return an error. Test it.":                  false,
		"Add an option --fast that skips the checks, with a test":  false,
		"Split the line at commas and merge the parts of a quote.": false,
		"割引を追加してテストも書いて":                                           false,
	} {
		if got := SameBehaviour(request); got != want {
			t.Errorf("SameBehaviour(%q) = %v", request, got)
		}
	}
}
