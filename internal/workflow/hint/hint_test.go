package hint

import (
	"fmt"
	"strings"
	"testing"

	"codeintel/internal/audit"
	"codeintel/internal/audit/shown"
)

// play takes one step a word, and returns the hints that came with them: the number of
// the step, and what is said.
//
//	find:words   a search that found nothing     FIND:words  one that did
//	explore:words                                symbols:FILE
//	read:FILE:1-9                                write:FILE
//	fail:command                                 run:command
func play(steps string) string {
	var entries []audit.Entry
	var said strings.Builder
	for i, step := range strings.Fields(steps) {
		what, about, _ := strings.Cut(step, ":")
		e := audit.Entry{Kind: audit.Event, Name: "after", Outcome: audit.OK, Detail: map[string]string{}}
		tool := func(name string, o audit.Outcome) {
			e.Kind, e.Name, e.Args, e.Outcome = audit.Tool, name, about, o
			e.Observed = shown.Facts{Asked: []string{strings.ReplaceAll(about, "+", " ")}}
		}
		switch what {
		case "find":
			tool("search_text", audit.Empty)
		case "FIND":
			tool("search_text", audit.OK)
		case "refused":
			tool("search_text", audit.Failed)
		case "explore":
			tool("explore", audit.Empty)
		case "symbols":
			tool("get_symbols", audit.OK)
		case "read":
			e.Detail[Read] = about
		case "write":
			e.Files = []string{about}
		case "run":
			e.Detail[Command] = about
		case "fail":
			e.Detail[Command], e.Outcome = about, audit.Failed
		}
		name, m := Of(e, entries, "\nok 1\n--- FAIL: TestTotal\nerror: late\n")
		if e.Detail[Given] = name; name != "" {
			fmt.Fprintf(&said, "%d: %s\n", i+1, m.String())
		}
		entries = append(entries, e)
	}
	return said.String()
}

func TestHints(t *testing.T) {
	const (
		nothing = "%d: %d searches in a row found nothing. The places that come nearest by meaning, with their code: explore(query=%q)\n"
		again   = "%d: The same question was asked %d times, and no file has changed in between. The places that fit best, with their code: explore(query=%q)\n"
		pieces  = "%d: This file was read %d times in pieces. What it declares, and on which lines: get_symbols(file_path=%q)\n"
		failed  = "%d: The same command has failed %d times. The code that its message is about, with its callers and tests: explore(query=%q)\n"
	)
	say := fmt.Sprintf
	for _, c := range []struct{ name, steps, want string }{
		{"three misses", `find:retry find:\bback\w*off find:retry+policy`, say(nothing, 3, 3, "retry back off policy")},
		{"four misses", "find:aa find:bb find:cc read:x.go:1-2 find:dd find:aa", say(nothing, 3, 3, "aa bb cc")},
		{"three more", "find:aa find:bb find:cc FIND:x find:dd find:ee find:ff", say(nothing, 3, 3, "aa bb cc") + say(nothing, 7, 3, "dd ee ff")},
		{"a hit between", "find:aa find:bb FIND:cc find:dd", ""},
		{"a refusal between", "find:aa find:bb refused:x find:dd", say(nothing, 4, 3, "aa bb dd")},
		{"explore was asked", "find:aa explore:bb find:cc find:dd", ""},
		{"nothing to ask about", "find:a find:b find:(", ""},
		{"the same question", "FIND:cart FIND:cart FIND:cart FIND:cart", say(again, 3, 3, "cart")},
		{"the same question after a change", "FIND:cart FIND:cart write:a.go FIND:cart", ""},
		{"a file in pieces", "read:a.go:1-9 read:a.go:50-60 read:a.go:5-20 read:a.go:70-80", say(pieces, 4, 4, "a.go")},
		{"a file page by page", "read:a.go:1-9 read:a.go:10-19 read:a.go:20-29 read:a.go:30-39 read:a.go:40-49", ""},
		{"a file that was changed", "read:a.go:1-9 read:a.go:50-60 write:a.go read:a.go:5-20 read:a.go:70-80", ""},
		{"another file was changed", "read:a.go:1-9 read:a.go:50-60 write:b.go read:a.go:5-20 read:a.go:70-80", say(pieces, 5, 4, "a.go")},
		{"a file that was outlined", "read:a.go:1-9 symbols:a.go read:a.go:50-60 read:a.go:5-20 read:a.go:70-80", ""},
		{"a command that fails", "fail:t write:a.go fail:t read:b.go:1-2 fail:t fail:t", say(failed, 5, 3, "--- FAIL: TestTotal")},
		{"a command that went through", "fail:t fail:t run:t fail:t fail:t", ""},
		{"several commands", "fail:t fail:u fail:v fail:t", ""},
	} {
		if got := play(c.steps); got != c.want {
			t.Errorf("%s:\n%swant\n%s", c.name, got, c.want)
		}
	}
}

func TestFailure(t *testing.T) {
	for output, want := range map[string]string{
		"": "…", "\n  \n": "…", "one\ntwo\n": "two",
		"compiling\ncart.go:3: undefined: Sum\nFAIL\n": "cart.go:3: undefined: Sum",
		"Error: " + strings.Repeat("x", 500):           "Error: " + strings.Repeat("x", maxQuery-8) + "…",
	} {
		if got := failure(output); got != want {
			t.Errorf("%q: %q, not %q", output, got, want)
		}
	}
}
