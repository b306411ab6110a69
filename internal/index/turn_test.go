package index

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestLargeQuestionsTakeTurns(t *testing.T) {
	x := newTree(t, map[string]string{
		"a.go": "package a\n\nfunc f() {\n" + strings.Repeat("\tmany()\n", many) + "\tfew()\n}\n",
		"b.py": strings.Repeat("class Many: pass\n", many),
	}).synced()
	ask := map[string]func(context.Context) (int, error){
		"places": func(ctx context.Context) (int, error) { l, err := x.Occurrences(ctx, "many"); return len(l), err },
		"symbols": func(ctx context.Context) (int, error) {
			l, err := x.Symbols(ctx, SymbolQuery{Name: "Many"})
			return len(l), err
		},
		"a file": func(ctx context.Context) (int, error) { l, err := x.FileSymbols(ctx, "b.py"); return len(l), err },
	}
	for name, asked := range ask {
		t.Run(name, func(t *testing.T) {
			first, done := x.InTurn(t.Context())
			defer done()
			for name, again := range ask { // those of one question don't wait for one another
				if n, err := again(first); n < many || err != nil {
					t.Fatal(name, n, err)
				}
			}
			second, alsoDone := x.InTurn(t.Context())
			defer alsoDone()
			if list, err := x.Occurrences(second, "few"); len(list) != 1 || err != nil { // a small one never waits
				t.Fatal(list, err)
			}
			answered := make(chan int)
			go func() {
				n, _ := asked(second)
				answered <- n
			}()
			select {
			case <-answered:
				t.Error("two large questions are answered at a time")
			case <-time.After(20 * time.Millisecond):
				done()
				if n := <-answered; n < many {
					t.Error(n)
				}
			}
		})
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	first, done := x.InTurn(t.Context())
	defer done()
	if _, err := x.Occurrences(first, "many"); err != nil {
		t.Fatal(err)
	}
	ctx, alsoDone := x.InTurn(ended)
	defer alsoDone()
	if _, err := x.Occurrences(ctx, "many"); err == nil {
		t.Error("a question that nobody waits for is answered")
	}
}

// A question waits for its turn once, not for each large list that it asks for, and takes none
// once it is answered.
func TestWaitForTurnOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		x := &Index{turns: make(chan struct{}, 1)}
		first, done := x.InTurn(t.Context())
		awaitTurn(first, many)
		second, alsoDone := x.InTurn(t.Context())
		began := time.Now()
		awaitTurn(second, many)
		awaitTurn(second, many)
		if waited := time.Since(began); waited != longestTurn {
			t.Errorf("waited %v, want %v", waited, longestTurn)
		}
		alsoDone()
		done()
		awaitTurn(first, many)
		if len(x.turns) > 0 {
			t.Error("a question that is answered has the turn")
		}
	})
}

// TestMostPlaces looks at so many places and declarations of a name, and knows of the question that there are more.
func TestMostPlaces(t *testing.T) {
	x := newTree(t, map[string]string{
		"a.go": "package a\n\nfunc f() {\n" + strings.Repeat("\tmany();many();many();many();many()\n", MostPlaces/5) + "\tmany(); few()\n}\n",
		"a.py": strings.Repeat("def often(): pass\n", MostPlaces+1) + "def once(): pass\n",
	}).synced()
	for name, want := range map[string]int{"few": 1, "many": MostPlaces} {
		ctx, done := x.InTurn(t.Context())
		list, err := x.Occurrences(ctx, name)
		done()
		if err != nil || len(list) != want || Cut(ctx) != (want == MostPlaces) {
			t.Errorf("%s: %d places, %v; cut: %v", name, len(list), err, Cut(ctx))
		}
	}
	for name, want := range map[string]int{"once": 1, "often": MostPlaces} {
		ctx, done := x.InTurn(t.Context())
		list, err := x.Symbols(ctx, SymbolQuery{Name: name})
		done()
		if err != nil || len(list) != want || Cut(ctx) != (want == MostPlaces) {
			t.Errorf("%s: %d declarations, %v; cut: %v", name, len(list), err, Cut(ctx))
		}
	}
	ctx, done := x.InTurn(t.Context())
	defer done()
	if _, err := x.Symbols(ctx, SymbolQuery{Name: "often", Limit: 5}); err != nil || Cut(ctx) {
		t.Errorf("five of them were asked for: %v; cut: %v", err, Cut(ctx))
	}
}
