package dependencies

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"codeintel/internal/problem"
	"codeintel/internal/search"
	"codeintel/test/searchtest"
)

// open lays out the files of an archive and returns what answers about them.
func open(t *testing.T, a *txtar.Archive) *Lister {
	t.Helper()
	files := map[string]string{}
	for _, f := range a.Files {
		files[f.Name] = string(f.Data)
	}
	return New(searchtest.Open(t, searchtest.Files(t, files)))
}

// TestImports checks what files import, in every language with rules of its own, against
// what their tools take it for: testdata/*.txtar, whose comment lists "FILE NAME -> TARGETS".
// What imports a file is the same, the other way round.
func TestImports(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			tell := open(t, a)
			var got []string
			back := map[string][]string{}
			for _, f := range a.Files {
				answer, err := tell.List(t.Context(), Query{Path: f.Name})
				if err != nil {
					t.Fatal(err)
				}
				for _, i := range answer.Imports {
					got = append(got, fmt.Sprintf("%s %s -> %s", f.Name, i.Name, named(i)))
					for _, to := range i.Files {
						back[to] = append(back[to], fmt.Sprintf("%s:%d", f.Name, i.Line))
					}
				}
			}
			want := slices.DeleteFunc(strings.Split(string(a.Comment), "\n"), func(l string) bool { return !strings.Contains(l, "->") })
			if !slices.Equal(got, want) {
				t.Errorf("imports are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			for _, f := range a.Files {
				answer, err := tell.List(t.Context(), Query{Path: f.Name}) // both ways in one question
				if err != nil {
					t.Fatal(err)
				}
				var from []string
				for _, i := range answer.ImportedBy {
					from = append(from, fmt.Sprintf("%s:%d", i.File, i.Line))
				}
				slices.Sort(from)
				slices.Sort(back[f.Name])
				if want := slices.Compact(back[f.Name]); filepath.Ext(f.Name) != ".go" && !slices.Equal(slices.Compact(from), want) {
					t.Errorf("%s is imported by %v; want %v", f.Name, from, want)
				}
			}
		})
	}
}

func named(i Import) string {
	s := strings.Join(i.Files, " ")
	switch {
	case i.Folder != "":
		s = i.Folder + "/"
	case i.Missing:
		s = "missing"
	case i.Outside != "":
		s = "outside " + i.Outside
	}
	if i.Guessed {
		s += " likely"
	}
	return s
}

// TestFolder asks for a folder: what lies within is left out.
func TestFolder(t *testing.T) {
	tell := open(t, txtar.Parse([]byte(`
-- go.mod --
module shop
-- cart/cart.go --
package cart

import (
	"fmt"
	"shop/cart/price"
	"shop/store"
)
-- cart/price/price.go --
package price
-- store/store.go --
package store
-- main.go --
package main

import "shop/cart"
-- main_test.go --
package main

import "shop/cart/price"
`)))
	a, err := tell.List(t.Context(), Query{Path: "cart"})
	if err != nil {
		t.Fatal(err)
	}
	const want = `cart: imported by 2 files
imports:
  store/ (cart/cart.go:6: shop/store)
from outside: fmt
imported by:
  main.go:3
imported by tests:
  main_test.go:3
`
	if got := a.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if a, err = tell.List(t.Context(), Query{Path: "cart", Page: search.Page{Limit: 1}}); err != nil || a.NextCursor == "" || a.Shown != 1 {
		t.Errorf("a page of one has %d and cursor %q (%v)", a.Shown, a.NextCursor, err)
	}
	for _, q := range []Query{{}, {Path: "cart", Direction: "up"}, {Path: "nowhere.go"}, {Path: "../up"}} {
		var p *problem.Problem
		if _, err := tell.List(t.Context(), q); !errors.As(err, &p) {
			t.Errorf("%+v: %v is no problem", q, err)
		}
	}
}

// TestUnreadable asks about a folder in which one file is not what its name says: the others
// are answered all the same, and who asks about that file is told why it is left out.
func TestUnreadable(t *testing.T) {
	for ext, text := range map[string]string{"ts": "import { b } from './b'\n", "java": "import b.B;\nclass A {}\n", "ex": "import B\n"} {
		tell := open(t, &txtar.Archive{Files: []txtar.File{{Name: "src/a." + ext, Data: []byte(text)}, {Name: "src/b." + ext, Data: []byte("\x00\x01")}}})
		answer, err := tell.List(t.Context(), Query{Path: "src"})
		if err != nil {
			t.Errorf("%s: %v", ext, err)
		} else if ext == "java" && len(answer.Imports) != 1 {
			t.Errorf("%+v", answer)
		}
		if _, err := tell.List(t.Context(), Query{Path: "src/b." + ext}); problem.Of(err) == nil || !strings.Contains(err.Error(), "binary") {
			t.Errorf("%s: %v", ext, err)
		}
	}
}

// TestTooLarge asks for the imports of a file that is too large to be read, in a language whose imports name
// packages.
func TestTooLarge(t *testing.T) {
	large := []byte("package a\n" + strings.Repeat("// x\n", 1<<20))
	_, err := open(t, &txtar.Archive{Files: []txtar.File{{Name: "a.go", Data: large}}}).List(t.Context(), Query{Path: "a.go"})
	if problem.Of(err) == nil || !strings.Contains(err.Error(), "too_large") {
		t.Errorf("%v", err)
	}
}

// TestNamedOtherwise holds that an answer without importers and users says how else a file may
// be named.
func TestNamedOtherwise(t *testing.T) {
	tell := open(t, txtar.Parse([]byte(`
-- shop/apps.py --
import os
-- shop/used.py --
from shop import apps2
-- shop/apps2.py --
import os
`)))
	for file, want := range map[string]string{
		"shop/apps.py": "apps", "shop/apps2.py": "",
	} {
		a, err := tell.List(t.Context(), Query{Path: file})
		if err != nil {
			t.Fatal(err)
		}
		_, note, found := strings.Cut(a.Text(), "note: no import names it; ")
		if found != (want != "") || !strings.Contains(note, `"`+want+`"`) && found {
			t.Errorf("%s: noted %q, want %q", file, note, want)
		}
	}
}

// TestLines asks for a location that names lines: the imports of its file are listed.
func TestLines(t *testing.T) {
	tell := open(t, txtar.Parse([]byte("-- a.py --\nimport os\nimport b\n-- b.py --\nx = 1\n")))
	a, err := tell.List(t.Context(), Query{Path: "a.py:1-1"})
	if err != nil || a.Path != "a.py" || len(a.Imports) != 2 || !strings.Contains(a.Text(), "of the whole file") {
		t.Error(a, err)
	}
}

// TestOneLineForOneFile asks for files that import one file in several places: it is listed once.
func TestOneLineForOneFile(t *testing.T) {
	tell := open(t, txtar.Parse([]byte(`
-- lua/a/util.lua --
return {}
-- lua/a/init.lua --
local util = require("a.util")
local function f() return require("a.util").x end
return f
-- lua/b/init.lua --
return require("a.util").y
`)))
	for path, want := range map[string]string{
		"lua/a/init.lua": "lua/a/init.lua\nimports:\n  lua/a/util.lua (lines 1, 2: a.util)\n",
		"lua/b":          "lua/b\nimports:\n  lua/a/util.lua (lua/b/init.lua:1: a.util)\n",
	} {
		a, err := tell.List(t.Context(), Query{Path: path, Direction: Imports})
		if err != nil {
			t.Fatal(err)
		}
		if got := a.Text(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestUsedWithoutImport asks who uses a file that nothing imports: by the names it declares, or
// by its own.
func TestUsedWithoutImport(t *testing.T) {
	tell := open(t, txtar.Parse([]byte(`
-- src/stock.erl --
-module(stock).
-export([count/1]).
count(X) -> X.
-- src/shop.erl --
-module(shop).
-export([sell/1]).
sell(X) -> stock:count(X).
-- app/models/ledger.rb --
module Ledger
  def post_entry
  end
end
-- app/models/account.rb --
class Account
  include Ledger
end
-- tasks/ciphers.yml --
- name: ciphers
-- tasks/main.yml --
- include_tasks: ciphers.yml
-- lonely/nothing.rb --
class Lonely
end
`)))
	for file, want := range map[string]string{
		"src/stock.erl":        "src/shop.erl:3",
		"app/models/ledger.rb": "app/models/account.rb:2",
		"tasks/ciphers.yml":    "tasks/main.yml:1",
		"lonely/nothing.rb":    "",
	} {
		a, err := tell.List(t.Context(), Query{Path: file})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, u := range a.UsedBy {
			got = append(got, fmt.Sprintf("%s:%d", u.File, u.Lines[0]))
		}
		if strings.Join(got, " ") != want || strings.Contains(a.Text(), "used without an import by:\n  "+want) != (want != "") {
			t.Errorf("%s is used by %v, want %s\n%s", file, got, want, a.Text())
		}
		if noted := strings.Contains(a.Text(), "no import names it"); noted != (want == "") {
			t.Errorf("%s: noted %t", file, noted)
		}
		if a, err := tell.List(t.Context(), Query{Path: file, Direction: Imports}); err != nil || a.UsedBy != nil {
			t.Errorf("%s: %v %v", file, a.UsedBy, err)
		}
	}
}

// TestMoreUsers says that an answer which does not list all users of a file is incomplete.
func TestMoreUsers(t *testing.T) {
	archive := &txtar.Archive{Files: []txtar.File{{Name: "src/stock.erl", Data: []byte("-module(stock).\n-export([count/1]).\ncount(X) -> X.\n")}}}
	for i := range maxUsers + 1 {
		text := fmt.Sprintf("-module(shop%d).\n-export([sell/1]).\nsell(X) -> stock:count(X).\n", i)
		archive.Files = append(archive.Files, txtar.File{Name: fmt.Sprintf("src/shop%d.erl", i), Data: []byte(text)})
	}
	a, err := open(t, archive).List(t.Context(), Query{Path: "src/stock.erl"})
	if err != nil {
		t.Fatal(err)
	}
	if a.Complete || len(a.UsedBy) != maxUsers || !strings.Contains(a.Text(), "\nincomplete: more files use it: ") {
		t.Errorf("%d users, complete: %v\n%s", len(a.UsedBy), a.Complete, a.Text())
	}
}
