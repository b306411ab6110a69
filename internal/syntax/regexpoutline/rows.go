package regexpoutline

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"codeintel/internal/syntax/engine"
)

// The table of the languages that have no grammar here. Entries are separated by an empty
// line: the language, its fields ("name: value"), and its rules, each behind a tab. See
// [outlineRow]. Where a suffix belongs to two languages, Detect distinguishes them.
//
//go:embed languages.txt
var table string

var rows = sync.OnceValue(func() []*outlineRow { return readRows(table) })

// readRows panics on a mistake in the table, which is part of the program.
func readRows(table string) (all []*outlineRow) {
	for entry := range strings.SplitSeq(strings.TrimSpace(table), "\n\n") {
		name, fields, _ := strings.Cut(entry, "\n")
		row := &outlineRow{language: engine.Language(name), disputed: disputes[engine.Language(name)]}
		if err := row.read(fields); err != nil {
			panic(fmt.Sprintf("outline: %s: %v", name, err))
		}
		all = append(all, row)
	}
	return all
}

// read fills a row with its fields and rules.
func (o *outlineRow) read(fields string) (err error) {
	texts := map[string]*string{
		"title": &o.title, "aliases": &o.aliases, "groups": &o.groups, "files": &o.files, "programs": &o.programs,
		"comment": &o.comment, "block": &o.block, "quotes": &o.quotes, "holes": &o.holes, "quoting": &o.quoting,
		"letters": &o.letters, "joins": &o.joins, "extent": (*string)(&o.extent), "private": &o.private,
		"members": &o.members, "goes-on": &o.goesOn, "listing": &o.listing,
		"exposes": &o.exposes,
	}
	flags := map[string]*bool{"prose": &o.prose, "test-classes": &o.testClasses, "locals": &o.locals, "messages": &o.messages,
		"any-case": &o.anyCase}
	for line := range strings.Lines(fields) {
		if strings.HasPrefix(line, "\t") {
			o.rules += line
			continue
		}
		line = strings.TrimSpace(line)
		name, value, given := strings.Cut(line, ": ")
		switch text, flag := texts[name], flags[name]; {
		case text != nil && name == "members" && strings.HasPrefix(value, `"`): // for white space
			if *text, err = strconv.Unquote(value); err != nil {
				return fmt.Errorf("%q: %w", line, err)
			}
		case text != nil && given:
			*text = value
		case flag != nil && value == "yes":
			*flag = true
		case line == "import-folders: yes":
			o.imports = engine.ImportsFolder
		default:
			return fmt.Errorf("%q is no field", line)
		}
	}
	return nil
}
