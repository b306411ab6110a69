package search

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codeintel/internal/platform/softdeadline"
	"codeintel/internal/search/gaps"
)

// TestImpatient asks for references without waiting for anything: the answer says that
// it lacks what was not worked out. Who waits gets all.
func TestImpatient(t *testing.T) {
	tree := map[string]string{
		"go.mod":     "module example.com/m\n",
		"a/a.go":     "package a\n\ntype T struct{}\n\nfunc (T) Run() {}\n",
		"b/b.go":     "package b\n\nimport \"example.com/m/a\"\n\nfunc f(t a.T) { t.Run() }\n",
		"p/base.py":  "class Base:\n    def walk(self): pass\n",
		"p/child.py": "from .base import Base\n\ndef g(b: Base):\n    b.walk()\n",
	}
	for symbol, why := range map[string]gaps.Reason{"T.Run": gaps.Types, "Base.walk": gaps.Meanings} {
		e := open(t, tree)
		hasty, stop := softdeadline.With(t.Context(), 0, nil)
		a, err := e.References(hasty, ReferencesQuery{Symbol: symbol})
		stop()
		if err != nil {
			t.Fatal(err)
		}
		if a.Complete || len(a.Missing) == 0 || a.Missing[0].Files == 0 || a.Missing[0].Reason.Key() != string(why) {
			t.Errorf("%s in haste: %+v", symbol, a.Remarks)
		}
		for _, r := range a.References {
			if r.Confidence == Certain {
				t.Errorf("%s in haste: %+v is certain", symbol, r)
			}
		}
		if a, err = e.References(t.Context(), ReferencesQuery{Symbol: symbol}); err != nil {
			t.Fatal(err)
		}
		if !a.Complete || a.Total != 1 || a.References[0].Confidence != Certain {
			t.Errorf("%s: %+v", symbol, a)
		}
	}
}

// TestHalfBuilt asks while the index is being built by a server.
func TestHalfBuilt(t *testing.T) {
	e := open(t, map[string]string{"a.go": "package a\n\nfunc F() {}\n"})
	hasty, stop := softdeadline.With(t.Context(), time.Nanosecond, nil)
	defer stop()
	<-softdeadline.Context(hasty).Done()
	src := e.sources()
	src.Lacks(gaps.Index)
	src.pending = 7
	if c := src.gaps.Completeness(src.pending, src.unread); c.Complete || len(c.Missing) != 1 || c.Missing[0].Files != 7 {
		t.Errorf("%+v", c)
	}
}

// TestEverChanging changes a file whenever an answer is put together: the last attempt
// is given, and says that it may lack something.
func TestEverChanging(t *testing.T) {
	e := open(t, map[string]string{"a.go": "package a\n\nfunc F() {}\n"})
	attempts := 0
	a, err := answerSteadily(t.Context(), e, func(context.Context, *sources) (*DefinitionsAnswer, error) {
		attempts++
		write(t, e.p.Root, map[string]string{"a.go": "package a\n" + strings.Repeat("\n", attempts) + "func F() {}\n"})
		return &DefinitionsAnswer{}, e.Refresh(t.Context())
	})
	if err != nil {
		t.Fatal(err)
	}
	if attempts != maxAttempts || a.Complete || len(a.Missing) != 1 || a.Missing[0].Reason.Key() != string(gaps.Changing) {
		t.Errorf("after %d attempts: %+v", attempts, a.Completeness)
	}
}

// TestReadAgain has a file read again, with the text that it had, whenever an answer is
// put together: that makes no answer void.
func TestReadAgain(t *testing.T) {
	e := open(t, map[string]string{"a.go": "package a\n\nfunc F() {}\n"})
	if err := e.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	attempts := 0
	a, err := answerSteadily(t.Context(), e, func(context.Context, *sources) (*DefinitionsAnswer, error) {
		attempts++
		at := time.Now().Add(-time.Duration(attempts) * time.Hour)
		if err := os.Chtimes(filepath.Join(e.p.Root, "a.go"), at, at); err != nil {
			return nil, err
		}
		return &DefinitionsAnswer{}, e.Refresh(t.Context())
	})
	if err != nil || attempts != 1 || !a.Complete {
		t.Errorf("%d attempts: %+v, %v", attempts, a, err)
	}
}

// TestOneLook wants an answer that is put together from others to look at the files once.
func TestOneLook(t *testing.T) {
	e := open(t, map[string]string{"a.go": "package a\n\nfunc F() {}\n"})
	_, err := Steady(t.Context(), e, func(ctx context.Context, src Sources) (*TextAnswer, error) {
		if _, err := src.Fresh(ctx, Where{}); err != nil {
			return nil, err
		}
		write(t, e.p.Root, map[string]string{"b.go": "package a\n\nfunc F() {}\n"})
		a, err := e.Text(ctx, TextQuery{Pattern: OneOrMore{"func F"}})
		if err == nil && strings.Contains(a.Text(), "b.go") {
			t.Error("the answer looked twice")
		}
		return a, err
	})
	if err != nil {
		t.Fatal(err)
	}
}
