// Package hint detects an agent that makes no progress, by the calls it has made so far, and suggests once
// the call that would help it. Hooks and the server add the hint to an answer.
//
// It reads entries of a ledger, or those that a server keeps for a connection without a
// session. It refuses nothing: a hint is added to an answer that is given anyway.
package hint

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"codeintel/internal/audit"
	"codeintel/internal/audit/shown"
	"codeintel/internal/clients"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/text"
)

// What the Detail of an entry holds for this package.
const (
	Given   = "hint"    // which hint went out with it
	Command = "command" // digest of the command line of a shell
	Read    = "read"    // the lines of the one file that was read: FILE:FIRST-LAST
)

// Limits of what is looked at.
const (
	Window    = 24 // entries; who did something else meanwhile is not stuck with it
	maxMisses = 3
	maxSame   = 3
	maxReads  = 4
	maxFails  = 3
	maxQuery  = 160 // characters of a question that is proposed
)

// A finding is that an agent is in a situation: how often it did what it is about, and the
// call that would help. The zero finding is that it is not.
type finding struct {
	times int
	about string
	call  msg.Call
}

// situations are the ways of getting nowhere that are known. Each looks at the newest
// entry, newest first, and at those before it.
var situations = []struct {
	name string // also the key of what is said: how often, and the call
	sees func(newestFirst []audit.Entry, output string) finding
}{
	{"hint.searches_without_a_hit", misses},
	{"hint.same_question", sameQuestion},
	{"hint.same_file", sameFile},
	{"hint.same_failure", sameFailure},
}

// Of returns the hint that is due after the newest entry, and the name by which
// Detail[Given] of that entry keeps it from being given again. output is what the command
// of that entry printed, if it ran one.
func Of(newest audit.Entry, before []audit.Entry, output string) (name string, m msg.Message) {
	list := append(slices.Clone(before[max(0, len(before)-Window):]), newest)
	slices.Reverse(list)
	for _, s := range situations {
		f := s.sees(list, output)
		if f.call.Op == "" {
			continue
		}
		name := s.name + " " + f.about
		if !slices.ContainsFunc(before, func(e audit.Entry) bool { return e.Detail[Given] == name }) {
			return name, msg.New(s.name, f.times, f.call)
		}
	}
	return "", m
}

// searching are the tools that look for something that may not be there.
var searching = op.Strings(op.SearchText, op.SearchFiles, op.FindDefinitions, op.FindReferences, op.SemanticSearch,
	op.Query, op.Explore)

func searched(e audit.Entry) bool { return e.Kind == audit.Tool && slices.Contains(searching, e.Name) }

// misses sees searches in a row that found nothing. Who has asked explore is told there
// what comes nearest.
func misses(list []audit.Entry, _ string) (f finding) {
	if !searched(list[0]) {
		return f
	}
	var asked []string
	for _, e := range list {
		if !searched(e) || e.Outcome == audit.Failed || e.Outcome == audit.Blocked {
			continue
		}
		if e.Outcome != audit.Empty {
			break
		}
		if e.Name == string(op.Explore) {
			return finding{}
		}
		f.times++
		asked = append(slices.Clone(e.Observed.Asked), asked...)
	}
	return f.exploring(maxMisses, asked)
}

// sameQuestion sees a question that is asked again although no file was written since.
func sameQuestion(list []audit.Entry, _ string) (f finding) {
	last := list[0]
	if !searched(last) || last.Name == string(op.Explore) {
		return f
	}
	for _, e := range list {
		if isWriteOf(e, "") {
			break
		}
		if e.Kind == audit.Tool && e.Name == last.Name && e.Args == last.Args && e.Outcome == last.Outcome {
			f.times++
		}
	}
	return f.exploring(maxSame, last.Observed.Asked)
}

// exploring proposes to explore the words of what was asked, once there was that much of it.
func (f finding) exploring(times int, asked []string) finding {
	if f.about = words(asked); f.times != times || f.about == "" {
		return finding{}
	}
	f.call = msg.CallOf(op.Explore, "query", f.about)
	return f
}

// sameFile sees a file that is read piece by piece, back and forth. Reading on where the
// last piece ended is not a sign of trouble.
func sameFile(list []audit.Entry, _ string) (f finding) {
	read, _ := readOf(list[0])
	next := read
	for _, e := range list {
		if read.File == "" || isWriteOf(e, read.File) {
			break
		}
		if outlined(e, read.File) {
			return finding{}
		}
		if r, ok := readOf(e); ok && r.File == read.File {
			if f.times == 0 || next.Start != r.End+1 {
				f.times++
			}
			next = r
		}
	}
	if f.times < maxReads {
		return finding{}
	}
	return finding{f.times, read.File, msg.CallOf(op.GetSymbols, "file_path", read.File)}
}

// outlined reports whether an entry showed what a file declares.
func outlined(e audit.Entry, file string) bool {
	return e.Kind == audit.Tool && (e.Name == string(op.GetSymbols) || e.Name == string(op.Explore)) &&
		slices.Contains(e.Observed.Asked, file)
}

// sameFailure sees a command that fails again and again, and did not go through meanwhile.
func sameFailure(list []audit.Entry, output string) (f finding) {
	command := list[0].Detail[Command]
	for _, e := range list {
		if command == "" || e.Detail[Command] == command && e.Outcome != audit.Failed {
			break
		}
		if e.Detail[Command] == command {
			f.times++
		}
	}
	if f.times < maxFails {
		return finding{}
	}
	return finding{f.times, command, msg.CallOf(op.Explore, "query", failure(output))}
}

// ReadOf is what Detail holds of lines that were read as Read.
func ReadOf(l shown.Lines) string { return fmt.Sprintf("%s:%d-%d", l.File, l.Start, l.End) }

// readOf returns the lines that an entry says were read.
func readOf(e audit.Entry) (l shown.Lines, ok bool) {
	at := strings.LastIndexByte(e.Detail[Read], ':')
	if at < 0 {
		return l, false
	}
	l.File = e.Detail[Read][:at]
	_, err := fmt.Sscanf(e.Detail[Read][at:], ":%d-%d", &l.Start, &l.End)
	return l, err == nil
}

// isWriteOf reports whether an entry is that of a tool that has written a file, any if none
// is named.
func isWriteOf(e audit.Entry, file string) bool {
	return e.Kind == audit.Event && e.Name == string(clients.After) && len(e.Files) > 0 &&
		(file == "" || slices.Contains(e.Files, file))
}

// escapes are letters of a pattern that belong to no word.
var escapes = strings.NewReplacer(`\b`, " ", `\B`, " ", `\w`, " ", `\W`, " ", `\s`, " ", `\S`, " ", `\d`, " ", `\D`, " ")

// words returns the words of what was searched for, each once: patterns without their
// operators.
func words(asked []string) string {
	var list []string
	for _, a := range asked {
		for _, w := range strings.FieldsFunc(escapes.Replace(a),
			func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && c != '_' }) {
			if len(w) > 1 && !slices.Contains(list, w) {
				list = append(list, w)
			}
		}
	}
	return text.Clip(strings.Join(list, " "), maxQuery)
}

// failure returns what to ask about a command that failed: the first line of its output
// that speaks of an error, else the last that says anything.
func failure(output string) string {
	last := "…"
	for l := range strings.Lines(output) {
		l = text.OneLine(l)
		if l == "" {
			continue
		}
		last = l
		low := strings.ToLower(l)
		if slices.ContainsFunc([]string{"error", "fail", "panic", "exception", "undefined", "cannot", "not found"},
			func(sign string) bool { return strings.Contains(low, sign) }) {
			break
		}
	}
	return text.Clip(last, maxQuery)
}
