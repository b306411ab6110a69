package outcomelog

import "testing"

func TestComplaint(t *testing.T) {
	const last = "make the login case-insensitive"
	for _, request := range []string{
		"まだ動かない",
		"まだ直っていない",
		"直ってない",
		"直っていません。もう一度お願いします",
		"ログインがまだ動きません。",
		"やっぱりエラーが出る",
		"まだ同じエラーが出ます",
		"動かないです",
		"頼んだことと違う",
		"お願いした内容になっていない",
		"さっきの修正で別の画面が壊れた",
		"前回の変更のせいでテストが動かなくなった",
		"まだ直ってないので、原因を調べて",
		"still broken",
		"It's still broken.",
		"The login is still not working",
		"it still doesn't work",
		"It still fails on the empty password",
		"doesn't work",
		"It doesn’t work.",
		"no, that is not what I asked for",
		"This isn't what I wanted: only the name should be folded",
		"Your change broke the tests",
		"you didn't fix the login",
		"The bug isn't fixed",
		"that didn't fix it, look again",
		"same error again",
		"That made it worse",
		"Hmm, it is not working",
		"login case-insensitive doesn't work",
		"ログインは動かない", // of what was asked, but in another language: see below
	} {
		of := last
		if request == "ログインは動かない" {
			of = "ログインで大文字と小文字を区別しない"
		}
		if Complaint(request, of) == "" {
			t.Errorf("%q is no complaint", request)
		}
	}
	for _, request := range []string{
		"",
		"add a discount to the cart",
		"make the login page faster",
		"fix the crash when the password is empty",
		"the search box doesn't work on Safari",
		"The export is broken for names with commas",
		"find out why the nightly build is still failing",
		"Check whether the import still fails without a header",
		"if it still doesn't work, show an error",
		"skip the test that still fails on Windows",
		`change the message "still broken" to "not fixed"`,
		"show `doesn't work` in the help",
		"document the cases in which it doesn't work",
		"retry until the upload is not broken",
		"Explain how to see whether a bug is fixed",
		"a list that is not fixed in size",
		"make the header not fixed",
		"still images should be cached",
		"keep the dialog open while the request is still running",
		"users still on version 1 must be warned",
		"動かないボタンを直して",
		"まだ実装していない機能を追加して",
		"まだ動かない場合はエラーを表示して",
		"検索が動かないときは再試行する",
		"まだ保存されていないファイルの一覧を表示する",
		"直っていない項目を一覧にする",
		"「まだ動かない」というメッセージを変更",
		"ログイン画面を修正して",
		"消費税の計算が間違っている場合に警告する",
		"在庫がまだある商品だけを表示する",
	} {
		if words := Complaint(request, last); words != "" {
			t.Errorf("%q complains by %q", request, words)
		}
	}
}

// What is no complaint by itself is one where it speaks of what was asked for last.
func TestComplaintOfTheSameThing(t *testing.T) {
	const request = "the retry of uploads doesn't work"
	if Complaint(request, "add a retry to uploads") == "" {
		t.Error("a complaint about what was asked for is missed")
	}
	if Complaint(request, "sort the list of users") != "" {
		t.Error("a request about something else is a complaint")
	}
}

func FuzzComplaint(f *testing.F) {
	for _, s := range []string{"まだ動かない", "still broken", "it doesn't work", "\xff", "「", "``"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, request, last string) {
		if Complaint("", last) != "" {
			t.Fatal("nothing complains")
		}
		if Complaint("`"+"still broken"+"`", last) != "" {
			t.Fatal("a quotation complains")
		}
		Complaint(request, last) // must end, whatever it is
	})
}
