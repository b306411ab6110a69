package markup

import (
	"bytes"

	"codeintel/internal/syntax/engine"
)

// phpTags finds the stretches of PHP in a template, tags included, in order.
func phpTags(src []byte) []span {
	var all []span
	for at := 0; ; {
		i := bytes.Index(src[at:], []byte("<?"))
		if i < 0 {
			return all
		}
		start := at + i
		if bytes.HasPrefix(src[start:], []byte("<?xml")) {
			at = start + 2
			continue
		}
		at = phpEnd(src, start+2)
		all = append(all, span{uint32(start), uint32(at)})
	}
}

// phpEnd returns the place behind the ?> that ends the PHP at a byte: not one
// in a string, a heredoc or a comment of several lines.
func phpEnd(src []byte, at int) int {
	for at < len(src) {
		switch c := src[at]; {
		case c == '?' && at+1 < len(src) && src[at+1] == '>':
			return at + 2
		case c == '\'' || c == '"' || c == '`':
			at = stringEnd(src, at)
			continue
		case c == '#' && at+1 < len(src) && src[at+1] != '[', c == '/' && at+1 < len(src) && src[at+1] == '/':
			for at < len(src) && src[at] != '\n' && !bytes.HasPrefix(src[at:], []byte("?>")) {
				at++
			}
			continue
		case c == '/' && at+1 < len(src) && src[at+1] == '*':
			n := bytes.Index(src[at+2:], []byte("*/"))
			if n < 0 {
				return len(src)
			}
			at += n + 4
			continue
		case c == '<' && bytes.HasPrefix(src[at:], []byte("<<<")):
			at = heredocEnd(src, at)
			continue
		}
		at++
	}
	return len(src)
}

// heredocEnd returns the place behind the heredoc that begins at a byte.
func heredocEnd(src []byte, at int) int {
	i := at + 3
	for i < len(src) && (src[i] == ' ' || src[i] == '\t' || src[i] == '\'' || src[i] == '"') {
		i++
	}
	start := i
	for i < len(src) && isWord(src[i]) {
		i++
	}
	label := src[start:i]
	if len(label) == 0 {
		return at + 3
	}
	for {
		n := bytes.IndexByte(src[i:], '\n')
		if n < 0 {
			return len(src)
		}
		i += n + 1
		line := i
		for line < len(src) && (src[line] == ' ' || src[line] == '\t') {
			line++
		}
		if end := line + len(label); bytes.HasPrefix(src[line:], label) && (end == len(src) || !isWord(src[end])) {
			return end
		}
	}
}

// blank writes white space over a stretch, line breaks apart.
func blank(text []byte, s span) {
	for i := s.Start; i < s.End; i++ {
		if text[i] != '\n' && text[i] != '\r' {
			text[i] = ' '
		}
	}
}

// fill writes filler over a stretch, up to its first line break; what is too
// short for it is blanked.
func fill(text []byte, s span) {
	if s.End-s.Start < uint32(len(filler)) {
		blank(text, s)
		return
	}
	for i := s.Start; i < s.End; i++ {
		if text[i] == '\n' || text[i] == '\r' {
			blank(text, span{i, s.End})
			return
		}
		text[i] = filler[0]
	}
}

// phpShows says whether a stretch of PHP writes a value and does nothing else.
func phpShows(tag []byte) bool {
	if bytes.HasPrefix(tag, []byte("<?=")) {
		return true
	}
	code := bytes.TrimSpace(bytes.TrimPrefix(tag, []byte("<?php")))
	return bytes.HasPrefix(code, []byte("echo ")) || bytes.HasPrefix(code, []byte("print "))
}

// AroundPHP adds to the File of a PHP source, which may be a template, what the
// HTML around the PHP holds, with its scripts and style sheets.
func AroundPHP(f *engine.File, src []byte, embedded engine.ParseFunc) {
	tags := phpTags(src)
	text := bytes.Clone(src)
	for _, tag := range tags {
		if phpShows(src[tag.Start:tag.End]) {
			fill(text, tag)
		} else {
			blank(text, tag)
		}
	}
	if bytes.IndexByte(text, '<') < 0 {
		return
	}
	m := newMarkup(text, src, tags, embedded)
	m.file.Symbols, m.file.Occurrences, m.file.Imports = f.Symbols, f.Occurrences, f.Imports
	if m.parse("html") {
		m.elements(markupHTML)
	}
	m.settle()
	f.Symbols, f.Occurrences, f.Imports = m.file.Symbols, m.file.Occurrences, m.file.Imports
	if f.Partial == "" {
		f.Partial = m.file.Partial
	}
}
