package audit

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/audit/shown"
)

func open(t *testing.T) (*Ledger, string) {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	path := filepath.Join(t.TempDir(), "s.ledger.jsonl")
	l, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return l, path
}

func add(t *testing.T, l *Ledger, name string, o Outcome, lines ...shown.Lines) Entry {
	t.Helper()
	e, err := l.Append(Entry{Kind: Tool, Name: name, Outcome: o, Observed: shown.Facts{Lines: lines}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestAppendAndReopen(t *testing.T) {
	l, path := open(t)
	add(t, l, "a", OK, shown.Lines{File: "日本 語.go", Start: 1, End: 3})
	last := add(t, l, "b <&>", Empty)
	again, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if again.Head() != (Head{2, last.MAC}) {
		t.Errorf("head = %v", again.Head())
	}
	since, err := again.Since(1)
	if err != nil || len(since) != 1 || since[0].Name != "b <&>" {
		t.Errorf("Since(1) = %v, %v", since, err)
	}
	// What another process appends is seen, and what follows chains on to it.
	add(t, l, "c", OK)
	add(t, again, "d", OK)
	if all, err := l.Since(0); err != nil || len(all) != 4 || l.verify() != nil {
		t.Errorf("entries %v, %v, verify %v", all, err, l.verify())
	}
}

func TestTamperingIsFound(t *testing.T) {
	for name, tamper := range map[string]func(lines []string) []string{
		"edited":     func(l []string) []string { l[1] = strings.Replace(l[1], `"b"`, `"x"`, 1); return l },
		"removed":    func(l []string) []string { return append(l[:1], l[2:]...) },
		"swapped":    func(l []string) []string { l[0], l[1] = l[1], l[0]; return l },
		"made up":    func(l []string) []string { return append(l, strings.Replace(l[2], `"seq":3`, `"seq":4`, 1)) },
		"not JSON":   func(l []string) []string { l[2] = "{"; return l },
		"other time": func(l []string) []string { l[2] = strings.Replace(l[2], `"time":"2`, `"time":"3`, 1); return l },
	} {
		t.Run(name, func(t *testing.T) {
			l, path := open(t)
			for _, n := range []string{"a", "b", "c"} {
				add(t, l, n, OK)
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			lines := tamper(strings.Split(strings.TrimSpace(string(data)), "\n"))
			if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(path); !errors.As(err, new(*Broken)) {
				t.Errorf("Open = %v, want *Broken", err)
			}
		})
	}
}

func TestCutShortWhileOpen(t *testing.T) {
	l, path := open(t)
	add(t, l, "a", OK)
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append(Entry{Kind: Tool, Name: "b"}); !errors.As(err, new(*Broken)) {
		t.Errorf("Append = %v, want *Broken", err)
	}
}

func TestHalfWrittenLineIsCutOff(t *testing.T) {
	l, path := open(t)
	add(t, l, "a", OK)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString(`{"seq":2,"half`)
	f.Close()
	again, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	add(t, again, "b", OK)
	if again, err = Open(path); err != nil || again.Head().Seq != 2 {
		t.Errorf("after the crash: %v, %v", again.Head(), err)
	}
}

func TestConcurrentAppends(t *testing.T) {
	_, path := open(t)
	var wg sync.WaitGroup
	for range 4 {
		l, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			for range 10 {
				if _, err := l.Append(Entry{Kind: Tool, Name: "x", Outcome: OK}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	l, err := Open(path)
	if err != nil || l.Head().Seq != 40 {
		t.Errorf("head %v, %v; want 40 entries in one chain", l.Head(), err)
	}
}

func TestAnotherKeyDoesNotVerify(t *testing.T) {
	l, path := open(t)
	add(t, l, "a", OK)
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	if _, err := Open(path); !errors.As(err, new(*Broken)) {
		t.Errorf("Open with another key = %v, want *Broken", err)
	}
}

func TestExplored(t *testing.T) {
	got := Explored([]Entry{
		{Outcome: OK, Observed: shown.Facts{Lines: []shown.Lines{{File: "a", Start: 5, End: 9}, {File: "a", Start: 1, End: 4}, {File: "b", Start: 2, End: 2}}}},
		{Outcome: OK, Observed: shown.Facts{Lines: []shown.Lines{{File: "a", Start: 20, End: 30}, {File: "a", Start: 8, End: 12}}}},
		{Outcome: Failed, Observed: shown.Facts{Lines: []shown.Lines{{File: "c", Start: 1, End: 1}}}},
	})
	want := map[string][]Range{"a": {{1, 12}, {20, 30}}, "b": {{2, 2}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
