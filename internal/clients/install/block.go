package install

import (
	"bytes"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/problem"
	"codeintel/internal/text"
)

// A block is what is ours in a file that is no JSON: whole lines between two marks, at
// the end of the file. An end of line before it is ours, too, if anything is there:
// so that the last line of what was there need not have had one.
const (
	blockBegin = "# >>> code-intel: written by code-intel install, cut out by code-intel uninstall"
	blockEnd   = "# <<< code-intel"
)

// findBlock returns where our block lies; false if there is none.
func findBlock(text []byte) (from, to int, found bool) {
	from = bytes.Index(text, []byte(blockBegin))
	if from < 0 || from > 0 && text[from-1] != '\n' {
		return 0, 0, false
	}
	end := bytes.Index(text[from:], []byte(blockEnd))
	if end < 0 {
		return 0, 0, false
	}
	to = from + end + len(blockEnd)
	for _, newline := range []string{"\r\n", "\n"} {
		if bytes.HasPrefix(text[to:], []byte(newline)) {
			return from, to + len(newline), true
		}
	}
	return from, to, true
}

// splitForeignTables separates our lines in a block from tables that others have put before
// its end: Codex, where it writes tables of its own, takes the end for a remark that
// belongs behind them.
func splitForeignTables(block []byte) (own, theirs []byte) {
	end := bytes.LastIndex(block, []byte(blockEnd))
	i := bytes.IndexByte(block, '[') // of our table
	next := table.FindStringIndex(string(block[i+1 : max(i+1, end)]))
	if i < 0 || next == nil {
		return block, nil
	}
	at := i + 1 + next[0]
	if elsewhere.Match(block[at:end]) { // more of our table, written by others
		return block, nil
	}
	return slices.Concat(block[:at], block[end:]), block[at:end]
}

// table finds the next table of TOML, and the empty lines before it.
var table = lazyregexp.MustCompile(`(?m)^(?:[ \t]*\r?\n)*[ \t]*\[`)

// elsewhere matches a table of ours that others have written.
var elsewhere = lazyregexp.MustCompile(`(?m)^[ \t]*(?:\[[ \t]*mcp_servers[ \t]*\.[ \t]*(?:code-intel|"code-intel"|'code-intel')[ \t]*[.\]]|mcp_servers[ \t]*[.=])`)

func (d *draft) putBlock(e Entry) error {
	newline := "\n"
	if i := bytes.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		newline = "\r\n"
	}
	body := e.TOML(d.plan.place.Program, newline)
	if bytes.Contains(d.text, []byte(blockBegin)) {
		from, to, found := findBlock(d.text)
		own, theirs := splitForeignTables(d.text[from:to])
		switch {
		case !found:
			return problem.New(Unreadable, "install.block_unfinished", d.path).Or("install.remove_block")
		case bytes.Equal(own, body):
		case d.blockWritten(e, own):
			d.text = slices.Concat(d.text[:from], body, theirs, d.text[to:])
			d.plan.memory.traceOrBegin(d.path, d.before).noteWritten(string(body))
		default:
			d.plan.note(d.path, "install.block_differs")
		}
		return nil
	}
	if elsewhere.Match(d.text) {
		d.plan.note(d.path, "install.servers_there")
		return nil
	}
	d.plan.memory.traceOrBegin(d.path, d.before).noteWritten(string(body))
	if len(d.text) > 0 {
		d.text = append(slices.Clone(d.text), newline...)
	}
	d.text = append(d.text, body...)
	return nil
}

// blockWritten reports whether a block is as install has written it.
func (d *draft) blockWritten(e Entry, have []byte) bool {
	if m := d.plan.memory.trace(d.path); m != nil && slices.Contains(m.Wrote, text.Hash(string(have))) {
		return true
	}
	newline := "\n"
	if bytes.Contains(have, []byte("\r\n")) {
		newline = "\r\n"
	}
	program := commandLine.FindStringSubmatch(string(have))
	return program != nil && bytes.Equal(have, e.TOML(UnquoteJSON(program[1]), newline))
}

func (d *draft) takeBlock(e Entry) error {
	from, to, found := findBlock(d.text)
	if !found {
		if elsewhere.Match(d.text) {
			d.plan.note(d.path, "install.servers_left")
		}
		return nil
	}
	own, theirs := splitForeignTables(d.text[from:to])
	if !d.blockWritten(e, own) {
		d.plan.note(d.path, "install.block_differs_left")
		return nil
	}
	m := d.plan.memory.trace(d.path)
	before := d.text[:from]
	if m == nil || m.Existed && m.Blank == nil || m.Blank != nil && *m.Blank != "" {
		newline := "\n"
		if bytes.HasSuffix(own, []byte("\r\n")) {
			newline = "\r\n"
		}
		before = bytes.TrimSuffix(before, []byte(newline))
	}
	d.text = slices.Concat(before, theirs, d.text[to:])
	if d.text == nil { // an empty file, not none
		d.text = []byte{}
	}
	if len(d.text) == 0 && (m == nil || !m.Existed) {
		d.text = nil
	}
	d.plan.memory.forget(d.path)
	return nil
}

var commandLine = lazyregexp.MustCompile(`(?m)^command = ("(?:[^"\\]|\\.)*")\r?$`)

// ServerTable returns the entry of our server in a file of TOML: a table of mcp_servers.
func ServerTable(file string) Entry {
	return Entry{Kind: Block, File: file, TOML: func(program, newline string) []byte {
		lines := []string{blockBegin, "[mcp_servers." + Server + "]", "command = " + QuoteJSON(program),
			`args = ["mcp"]`, blockEnd, ""}
		return []byte(strings.Join(lines, newline))
	}}
}
