package outcomelog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"codeintel/internal/project"
)

func openLogs(t testing.TB) (*Logs, string) {
	t.Helper()
	p, err := project.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return Open(p), p.Path("logs")
}

// The log stays bounded, loses nothing of the last files, keeps the order, and
// takes several writers at once.
func TestLogIsBounded(t *testing.T) {
	logs, dir := openLogs(t)
	l := logs.Decisions
	l.full = 1500
	var g sync.WaitGroup
	for w := range 4 {
		g.Go(func() {
			for i := range 40 {
				if err := l.Append(Decision{Query: fmt.Sprintf("question %02d of %d", i, w)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	g.Wait()
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) != oldFiles+1 {
		t.Fatalf("files: %v, %v", files, err)
	}
	total, lines := 0, 0
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		total += len(data)
		for line := range bytes.Lines(data) {
			if !json.Valid(line) {
				t.Errorf("%s holds %q", file, line)
			}
			lines++
		}
	}
	if total > (oldFiles+1)*(1500+300) {
		t.Errorf("%d bytes", total)
	}
	all, err := l.Read()
	if err != nil || len(all) != lines || lines < 15 {
		t.Fatalf("%d entries of %d lines, %v", len(all), lines, err)
	}
	last := make(map[string]string)
	for _, d := range all {
		number, writer, _ := strings.Cut(d.Query, " of ")
		if number <= last[writer] {
			t.Errorf("%q comes after %q", d.Query, last[writer])
		}
		last[writer] = number
	}
	for writer, number := range last {
		if number != "question 39" {
			t.Errorf("the last of %s is %q", writer, number)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, ".gitignore")); err != nil || string(text) != "*\n" {
		t.Errorf("git would see the log: %q, %v", text, err)
	}
}

// What is broken, by a crash or by hand, costs nothing but itself.
func TestBrokenLines(t *testing.T) {
	logs, dir := openLogs(t)
	l := logs.Outcomes
	file := filepath.Join(dir, "outcomes.jsonl")
	add := func(id string) {
		t.Helper()
		if err := l.Append(Outcome{SessionID: id, Outcome: Success}); err != nil {
			t.Fatal(err)
		}
	}
	damage := func(text string) {
		t.Helper()
		f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(text); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	add("a")
	damage(`{"session_id": "half`)
	add("b")
	damage("\n\n[]\nnull\n\xff\xfe{\n" + `{"session_id": 7}` + "\n")
	add("c")
	damage(`{"session_id": "by hand", "outcome": "partial"}`) // no line end
	add("d")
	all, err := l.Read()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, o := range all {
		got = append(got, o.SessionID)
	}
	if strings.Join(got, ",") != "a,b,c,by hand,d" {
		t.Errorf("read %v", got)
	}
}

func TestAppendUnless(t *testing.T) {
	logs, _ := openLogs(t)
	same := func(o Outcome) bool { return o.SessionID == "a" && o.Source == SessionEnd }
	for range 2 {
		if err := logs.Outcomes.AppendUnless(Outcome{SessionID: "a", Source: SessionEnd}, same); err != nil {
			t.Fatal(err)
		}
		if err := logs.Outcomes.Append(Outcome{SessionID: "a", Source: Recorded}); err != nil {
			t.Fatal(err)
		}
	}
	if all, err := logs.Outcomes.Read(); err != nil || len(all) != 3 {
		t.Errorf("%d entries, %v; want one end and two records", len(all), err)
	}
}

// Reading makes nothing in a project that has no logs.
func TestReadNothing(t *testing.T) {
	logs, dir := openLogs(t)
	if all, err := logs.Outcomes.Read(); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is there: %v", err)
	}
}

// FuzzRead puts anything between two entries. Both are read, and so is what is
// appended behind it.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"", "{", "}\n{", "\x00\xff", `{"session_id":"x"}`, "[1]\n", strings.Repeat("{", 5000), "\r\n", "\"\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, junk []byte) {
		logs, dir := openLogs(t)
		if err := logs.Outcomes.Append(Outcome{SessionID: "first"}); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "outcomes.jsonl")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append(data, junk...), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := logs.Outcomes.Append(Outcome{SessionID: "last"}); err != nil {
			t.Fatal(err)
		}
		all, err := logs.Outcomes.Read()
		if err != nil || len(all) < 2 || all[0].SessionID != "first" || all[len(all)-1].SessionID != "last" {
			t.Fatalf("read %v, %v", all, err)
		}
		if _, err := logs.Insights(0); err != nil {
			t.Fatal(err)
		}
	})
}
