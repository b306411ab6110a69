package queryplan

import (
	"slices"
	"strings"
	"testing"

	"codeintel/internal/text"
	"codeintel/internal/text/requestslots"
)

// intentTable is what questions must be planned as: the kind of aim, its target, and the
// tool that is asked first. NoAim stands for questions in words about something.
var intentTable = []struct {
	question string
	kind     AimKind
	target   string
	first    string
}{
	// Callers, users, importers of a name.
	{"who calls gross", Callers, "gross", references},
	{"Who calls Cart.total?", Callers, "Cart.total", references},
	{"which functions use the function `net`?", Callers, "net", references},
	{"where is url_for used?", Callers, "url_for", references},
	{"find all callers of parse_header()", Callers, "parse_header", references},
	{"show usages of the class Cart", Callers, "Cart", references},
	{"how many places use MAX_SIZE", Callers, "MAX_SIZE", references},
	{"who imports shop.price", Callers, "shop.price", references},
	{"Cart.total の呼び出し元は？", Callers, "Cart.total", references},
	{"url_for を使っている箇所", Callers, "url_for", references},
	{"`pay` はどこから呼ばれていますか", Callers, "pay", references},
	// Impact.
	{"what breaks if I change Cart.total", Impact, "Cart.total", impactOf},
	{"What would break if we removed shop/price.py?", Impact, "shop/price.py", impactOf},
	{"impact of renaming net", Impact, "net", impactOf},
	{"what depends on Cart", Impact, "Cart", impactOf},
	{"is it safe to delete url_for?", Impact, "url_for", impactOf},
	{"what is affected when the class Cart changes", NoAim, "", semantic},
	{"Cart.total を変更すると何に影響しますか", Impact, "Cart.total", impactOf},
	{"shop/price.py の影響範囲", Impact, "shop/price.py", impactOf},
	// What is at a line.
	{"what is the function at shop/cart.py:14", AtLine, "shop/cart.py", functionAt},
	{"which method is at line 14 of shop/cart.py?", AtLine, "shop/cart.py", functionAt},
	{"shop/cart.py の 14 行目の関数", AtLine, "shop/cart.py", functionAt},
	// Files by name.
	{"files named *_test.go", FilesNamed, "*_test.go", fileNames},
	{"where is conftest.py?", FilesNamed, "conftest.py", fileNames},
	{"find files called docker-compose", FilesNamed, "docker-compose", fileNames},
	{"config.yaml はどこ", FilesNamed, "config.yaml", fileNames},
	{"README という名前のファイル", FilesNamed, "README", fileNames},
	// Imports of a file.
	{"what does shop/cart.py import", ImportsOf, "shop/cart.py", fileLinks},
	{"imports of shop/cart.py", ImportsOf, "shop/cart.py", fileLinks},
	{"shop/cart.py がインポートしているもの", ImportsOf, "shop/cart.py", fileLinks},
	// What imports a file.
	{"which files import shop/cart.py", ImportersOf, "shop/cart.py", fileLinks},
	{"who uses price.py?", ImportersOf, "price.py", fileLinks},
	{"what includes src/price.h", ImportersOf, "src/price.h", fileLinks},
	{"shop/cart.py を使っている箇所", ImportersOf, "shop/cart.py", fileLinks},
	// What is derived from a type.
	{"what implements the Store interface", Implementers, "Store", references},
	{"which classes extend Cart", Implementers, "Cart", references},
	{"subclasses of Cart", Implementers, "Cart", references},
	{"Store を実装しているクラス", Implementers, "Store", references},
	// Definitions.
	{"where is Cart defined", DefinitionOf, "Cart", definitions},
	{"where is the function pay implemented?", DefinitionOf, "pay", definitions},
	{"show me the definition of parse_header", DefinitionOf, "parse_header", definitions},
	{"which file defines gross", DefinitionOf, "gross", definitions},
	{"Cart の定義はどこ", DefinitionOf, "Cart", definitions},
	{"url_for はどこで定義されていますか", DefinitionOf, "url_for", definitions},
	// Tests.
	{"which tests cover Cart.total", TestsOf, "Cart.total", impactOf},
	{"tests for shop/price.py", TestsOf, "shop/price.py", impactOf},
	{"where is pay tested?", TestsOf, "pay", impactOf},
	{"Cart.total のテストはどこ", TestsOf, "Cart.total", impactOf},
	// What a file or type declares, what a folder holds.
	{"list the functions in shop/price.py", OutlineOf, "shop/price.py", symbols},
	{"what methods does Cart have", OutlineOf, "Cart", symbols},
	{"Cart のメソッド一覧", OutlineOf, "Cart", symbols},
	{"structure of the shop folder", StructureOf, "shop", structure},
	{"how is this project organized?", StructureOf, "", structure},
	{"プロジェクトの構成を教えて", StructureOf, "", structure},
	// Text.
	{`where does the message "negative amount" come from`, TextOccurrence, "negative amount", textSearch},
	{"grep for CURRENCY_CODE", TextOccurrence, "CURRENCY_CODE", textSearch},
	{"list all TODO comments", TextOccurrence, "TODO", textSearch},
	{"「金額が負です」というメッセージはどこ", TextOccurrence, "金額が負です", textSearch},
	// Why, how and where, in words: no tool answers them alone.
	{"why does the login hang if the session has expired?", NoAim, "", semantic},
	{"how are prices rounded", NoAim, "", semantic},
	{"where are failed requests retried?", NoAim, "", semantic},
	{"what uses caching to avoid work", NoAim, "", semantic},
	{"タイムアウト", NoAim, "", semantic},
	{"割引はどこで計算されますか", NoAim, "", semantic},
	// Work.
	{"Rename Cart.total to Cart.sum", NoAim, "", semantic},
	{"Add tests for Cart.total", NoAim, "", semantic},
	{"fix the callers of net: they pass a float", NoAim, "", semantic},
}

// TestIntents holds what questions are planned as.
func TestIntents(t *testing.T) {
	code := strings.Fields("Cart total pay net gross url_for parse_header Store shop/")
	defined := func(name string) bool { return slices.Contains(code, name) }
	for _, c := range intentTable {
		quotes := extract(c.question)
		aim := aimOf(c.question, quotes, defined)
		if aim.Kind != c.kind || aim.Target != c.target || c.kind == AtLine && aim.Line != 14 {
			t.Errorf("%s: %+v, want %s of %q", c.question, aim, c.kind, c.target)
		}
		if p := newPlan(guessIntent(c.question, quotes), nil, nil, aim); p.Steps[0].Tool != c.first {
			t.Errorf("%s: %v, want %s first", c.question, p.tools(), c.first)
		}
	}
}

// TestAimsAreAnswered asks what has one answer, and wants that first.
func TestAimsAreAnswered(t *testing.T) {
	s := shop(t, nil)
	for _, c := range []struct{ question, want string }{
		{"who calls gross", "shop/cart.py:3"},
		{"what breaks if I change net", "shop/cart.py"},
		{"what is the function at shop/cart.py:14", "shop/cart.py:12-16 Cart.total"},
		{"files named checkout", "shop/checkout.py"},
		{"what does cart.py import", "shop/cart.py:3"},
		{"where is pay defined", "shop/checkout.py:4-5 pay"},
		{"which tests cover Cart.total", "tests/test_cart.py"},
		{"what methods does Cart have", "shop/cart.py:6-16 Cart"},
		{"structure of the shop folder", "shop/"},
		{`where does the message "negative amount" come from`, "shop/cart.py:15"},
		{"price.py を変更すると何に影響しますか", "shop/cart.py"},
		{"who uses shop/price.py", "shop/cart.py:3"},
	} {
		// The session is about something else, and does not change what is asked.
		for _, in := range []Setting{{}, {Intent: Implement, Slots: frame("shop checkout pays", "pay")}} {
			a := s.ask(Query{Query: c.question}, in)
			if len(a.Results) == 0 {
				t.Errorf("%s: nothing; %+v", c.question, a.Plan.Steps)
				continue
			}
			r := a.Results[0]
			got := r.File
			if strings.Contains(c.want, ":") {
				got += ":" + text.LineRange(r.StartLine, r.EndLine)
			}
			if strings.Contains(c.want, " ") {
				got += " " + r.Symbol
			}
			if got != c.want && !(strings.HasSuffix(c.want, "/") && strings.HasPrefix(got, c.want)) {
				t.Errorf("%s: %s, want %s first", c.question, got, c.want)
			}
			if last := a.Plan.Steps[len(a.Plan.Steps)-1]; last.Tool != semantic || last.Outcome != Skipped {
				t.Errorf("%s: %+v", c.question, last)
			}
		}
	}
}

func frame(feature, issue string) map[string]requestslots.Slot {
	return map[string]requestslots.Slot{
		"target_feature": {Value: feature, Source: requestslots.Fact}, "observed_issue": {Value: issue, Source: requestslots.Fact},
	}
}

// TestImplementers asks what is derived from a type: what has it as an argument of a type,
// and what only uses it, is not.
func TestImplementers(t *testing.T) {
	s := shop(t, map[string]string{
		"a/Store.java": "package a;\npublic interface Store {\n  void put(String key);\n}\n",
		"a/Disk.java": "package a;\npublic class Disk<T>\n    implements Store {\n  private Store next;\n" +
			"  public void put(String key) { next.put(key); }\n}\n",
		"a/Shelf.java": "package a;\npublic class Shelf extends Holder<Store> {\n  Store first;\n}\n",
		"a/Tray.java": "package a;\nclass Tray {\n  Store make() {\n    Store old = new Rack<Store>() {};\n" +
			"    return new Store() {\n      public void put(String key) { }\n    };\n  }\n}\n",
		"k/Box.kt":       "package k\ninterface Lid {\n  fun shut()\n}\nfun box(): Lid =\n  object : Lid {\n    override fun shut() {}\n  }\n",
		"lib/sync.rb":    "module Syncable\n  def sync\n  end\nend\n",
		"lib/account.rb": "class Account\n  include Syncable\n\n  def run\n    Syncable.name\n  end\nend\n",
		"src/wire.erl":   "-module(wire).\n-callback send(binary()) -> ok.\n",
		"src/tcp.erl":    "-module(tcp).\n-behaviour(wire).\n-export([send/1]).\nsend(_) -> ok.\n",
		"go.mod":         "module example.com/m\n\ngo 1.26\n",
		"g/keeper.go":    "package g\n\ntype Keeper interface{ Keep(string) }\n\ntype Box struct{}\n\nfunc (Box) Keep(string) {}\n\nfunc use(k Keeper) { k.Keep(``) }\n",
		"src/lib.rs":     "pub trait Writer { fn write(&self); }\npub struct Csv;\nimpl Writer for Csv { fn write(&self) {} }\n",
		"src/use.erl":    "-module(use).\n-export([go/0]).\ngo() -> wire:send(<<>>).\n",
	})
	for question, want := range map[string]string{
		"what implements Store":          "a/Disk.java Disk, a/Tray.java Tray.make, a/Store.java Store",
		"what implements Lid":            "k/Box.kt box, k/Box.kt Lid",
		"which classes include Syncable": "lib/account.rb Account, lib/sync.rb Syncable",
		"implementations of wire":        "src/tcp.erl tcp, src/wire.erl wire",
		"what implements Keeper":         "g/keeper.go Box, g/keeper.go Keeper",
		"what implements Writer":         "src/lib.rs Csv, src/lib.rs Writer",
	} {
		var got []string
		for _, r := range s.ask(Query{Query: question}, Setting{}).Results {
			got = append(got, r.File+" "+r.Symbol)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %s, want %s", question, strings.Join(got, ", "), want)
		}
	}
}
