package scip

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// message puts a message together from fields; values are ints, strings, other messages
// as bytes, and lists of ints, which are packed.
func message(fields ...any) []byte {
	var b []byte
	for i := 0; i < len(fields); i += 2 {
		number := protowire.Number(fields[i].(int))
		switch v := fields[i+1].(type) {
		case int:
			b = protowire.AppendVarint(protowire.AppendTag(b, number, protowire.VarintType), uint64(v))
		case string:
			b = protowire.AppendString(protowire.AppendTag(b, number, protowire.BytesType), v)
		case []byte:
			b = protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), v)
		case []int:
			var packed []byte
			for _, n := range v {
				packed = protowire.AppendVarint(packed, uint64(n))
			}
			b = protowire.AppendBytes(protowire.AppendTag(b, number, protowire.BytesType), packed)
		}
	}
	return b
}

func parse(data []byte) (*Index, error) { return Read(bytes.NewReader(data), 192<<20) }

func TestRead(t *testing.T) {
	const shape, square = "scip-x npm p 1 `a.ts`/Shape#area().", "scip-x npm p 1 `a.ts`/Square#area()."
	data := message(
		1, message(2, message(1, "scip-x", 2, "1.2"), 3, "file:///home/me/p"),
		2, message(
			2, message(1, []int{0, 4, 8}, 2, "local 1", 3, 1), // before the path
			1, "a.ts", 6, 2,
			2, message(8, message(1, 3, 2, 1, 3, 5), 2, shape, 3, 1),
			2, message(9, message(1, 4, 2, 1, 3, 4, 4, 5), 2, square, 3, 1),
			2, message(1, []int{5, 0, 7, 1}, 2, shape), // over several lines
			3, message(1, square, 4, message(1, shape, 2, 1, 3, 1)),
		),
		2, message(1, "b.ts", 2, message(1, []int{0, 4, 8}, 2, "local 1", 3, 1)),
	)
	x, err := parse(data)
	if err != nil {
		t.Fatal(err)
	}
	if x.Tool != "scip-x 1.2" || x.Root != "/home/me/p" || len(x.Documents) != 2 {
		t.Fatalf("got %q, %q and %d documents", x.Tool, x.Root, len(x.Documents))
	}
	a, b := x.Documents[0], x.Documents[1]
	if a.Path != "a.ts" || a.Encoding != UTF16 || len(a.Occurrences) != 3 {
		t.Fatalf("got %+v", a)
	}
	if a.Occurrences[0].Symbol == b.Occurrences[0].Symbol {
		t.Error("local symbols of two documents are one")
	}
	super, sub := a.Occurrences[1], a.Occurrences[2]
	if super.Line != 3 || super.Start != 1 || super.End != 5 || !super.Definition || x.Name(super.Symbol) != "area" {
		t.Errorf("got %+v, %q", super, x.Name(super.Symbol))
	}
	family := x.Family(super.Symbol)
	if same, related := family[sub.Symbol]; same || !related || !family[super.Symbol] {
		t.Errorf("the family of Shape.area is %v", family)
	}
}

func TestFamily(t *testing.T) {
	related := func(from, to string, flags ...any) []byte {
		return message(1, from, 4, message(append([]any{1, to}, flags...)...))
	}
	at := func(line int, symbol string) []byte { return message(1, []int{line, 0, 1}, 2, symbol) }
	x, err := parse(message(1, message(2, message(1, "x")), 2, message(1, "a.x",
		2, at(0, "s p . . Base#"), 2, at(1, "s p . . Base#run()."), 2, at(2, "s p . . Heir#"), 2, at(3, "s p . . Heir#run()."), 2, at(4, "s p . . Twin#"), 2, at(5, "s p . . Other#run()."),
		3, related("s p . . Heir#", "s p . . Base#", 3, 1),
		3, related("s p . . Heir#run().", "s p . . Base#run().", 3, 1),
		3, related("s p . . Other#run().", "s p . . Base#run().", 3, 1),
		3, related("s p . . Twin#", "s p . . Base#", 2, 1, 3, 1))))
	if err != nil {
		t.Fatal(err)
	}
	o := x.Documents[0].Occurrences
	base := x.Family(o[0].Symbol)
	if _, ok := base[o[2].Symbol]; ok {
		t.Error("a class that extends another is found where that is asked for")
	}
	if _, ok := base[o[4].Symbol]; !ok {
		t.Error("a type that is to be found with another is not")
	}
	if _, ok := x.Family(o[1].Symbol)[o[3].Symbol]; !ok {
		t.Error("a method that overrides another is not found with it")
	}
	run := x.Family(o[3].Symbol)
	if _, ok := run[o[1].Symbol]; !ok {
		t.Error("what a method overrides is not found with it")
	}
	if _, ok := run[o[5].Symbol]; ok {
		t.Error("another method that overrides the same is found with it")
	}
}

// endless is a reader of messages that never end.
type endless struct {
	next func(i int) []byte
	i    int
	rest []byte
}

func (e *endless) Read(b []byte) (int, error) {
	for len(e.rest) == 0 {
		e.rest = e.next(e.i)
		e.i++
	}
	n := copy(b, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// TestReadMemory reads indexes without an end, of everything that could fill the memory.
func TestReadMemory(t *testing.T) {
	document := func(fields ...any) []byte { return message(2, message(fields...)) }
	for name, next := range map[string]func(i int) []byte{
		"documents":   func(int) []byte { return document(1, "a") },
		"occurrences": func(int) []byte { return document(2, message(1, []int{1, 2, 3}, 2, "s")) },
		"names":       func(i int) []byte { return document(2, message(1, []int{1, 2, 3}, 2, fmt.Sprint(i))) },
		"relations":   func(int) []byte { return message(3, message(1, "a", 4, message(1, "b", 2, 1))) },
		"one message": func(int) []byte { return []byte("\x12\xff\xff\xff\xff\x0f") },
	} {
		if _, err := Read(&endless{next: next}, 1<<20); !errors.Is(err, ErrTooLarge) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := parse(document(2, message(1, make([]int, 1<<20), 2, "s"))); !errors.Is(err, ErrMalformed) {
		t.Errorf("a range of a million numbers: got %v", err)
	}
}

func TestLastName(t *testing.T) {
	for symbol, want := range map[string]string{
		"scip-go gomod net/http v1 `net/http`/Client#Close().": "Close",
		"scip-java maven a b 1 com/x/Foo#bar(+1).":             "bar",
		"scip-python python p 1 `a.b`/C#x.":                    "x",
		"scip-python python p 1 `a.b`/__init__:":               "__init__",
		"scip-ts npm p 1 `a.ts`/f().(arg)":                     "arg",
		"scip-ts npm p 1 `a.ts`/T#[K]":                         "K",
		"scip-ts npm p 1 `a.ts`/C#`<constructor>`().":          "<constructor>",
		"": "",
	} {
		if got := lastName(symbol); got != want {
			t.Errorf("%s: got %q, want %q", symbol, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add(message(1, message(2, message(1, "x")), 2, message(1, "a", 2, message(1, []int{1, 2, 3}, 2, "s"))))
	f.Add(message(2, message(1, "a", 2, message(1, []int{1}, 2, "s"))))
	f.Add([]byte("\x12\xff\xff\xff\xff\x0f"))
	f.Fuzz(func(t *testing.T, data []byte) {
		x, err := parse(data)
		if err != nil {
			if !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrTooLarge) {
				t.Errorf("got %v", err)
			}
			return
		}
		for _, d := range x.Documents {
			for _, o := range d.Occurrences {
				if o.Start > o.End {
					t.Errorf("%+v ends before it begins", o)
				}
				x.Name(o.Symbol)
				x.Family(o.Symbol)
			}
		}
	})
}
