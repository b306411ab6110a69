// Package ctags asks Universal Ctags, where it is installed, for the declarations in files
// whose language package syntax does not know.
//
// One child process serves file after file: texts go in, tags come out, and it opens no
// file itself; where possible, it runs in its sandbox. It has a deadline for each file and
// is stopped when it misses one. If it is missing, crashes or prints nonsense, symbols are
// missing, but the index is still built. It reads no options from files or the environment.
//
// The package reads no project files and never starts a program from within a project.
package ctags

import (
	"context"
	"log/slog"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"codeintel/internal/syntax"
)

const (
	maxText   = 4 << 20 // bytes of a text
	maxTags   = 50_000  // of one text
	maxLine   = 1 << 16 // bytes of one tag
	maxBroken = 3       // times that the child may break before it is left alone

	perText = 5 * time.Second
)

// A Tagger asks one child process. It starts it when the first text comes and is
// safe for concurrent use; texts wait for one another. The zero value of its
// path, as after a [New] that found nothing, knows no language.
type Tagger struct {
	log     *slog.Logger
	program string // absolute; empty if there is none to use
	perText time.Duration

	known sync.Once
	maps  maps

	turn   chan struct{} // holds one value: the right to talk to the child
	child  *child        // owned by who has the turn
	broken int           // likewise
	closed bool          // likewise
}

// New returns a Tagger for the program that look finds under one of the names of
// Universal Ctags; look is [exec.LookPath]. A program below root, the folder of
// the project, is not used.
func New(root string, look func(name string) (string, error), log *slog.Logger) *Tagger {
	t := &Tagger{log: log, perText: perText, turn: make(chan struct{}, 1)}
	t.turn <- struct{}{}
	for _, name := range []string{"universal-ctags", "ctags"} {
		found, err := look(name)
		if err != nil || !filepath.IsAbs(found) {
			continue
		}
		real, err := filepath.EvalSymlinks(found)
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(root, real); err == nil && filepath.IsLocal(rel) {
			continue
		}
		t.program = found
		break
	}
	return t
}

// Look is [exec.LookPath], for New.
func Look(name string) (string, error) { return exec.LookPath(name) }

// Language names the language in which ctags would read a file of that name, in
// lower case; Unknown if it knows none, if package syntax reads it better, or if
// there is no ctags.
func (t *Tagger) Language(ctx context.Context, file string) syntax.Language {
	if t == nil || t.program == "" {
		return syntax.Unknown
	}
	file = path.Base(filepath.ToSlash(file))
	if plain[strings.ToLower(strings.TrimPrefix(path.Ext(file), "."))] {
		return syntax.Unknown
	}
	t.known.Do(func() {
		m, err := readMaps(context.WithoutCancel(ctx), t.program)
		if err != nil {
			t.log.Info("ctags is not used", "program", t.program, "reason", err)
			return
		}
		t.maps = m
	})
	return t.maps.languageOf(file)
}

// Outline returns the symbols of a text in a language that [Tagger.Language]
// named. Whatever goes wrong, there is a File; its Partial says what is missing.
func (t *Tagger) Outline(ctx context.Context, language syntax.Language, file string, src []byte) *syntax.File {
	partial := func(why string) *syntax.File { return &syntax.File{Language: language, Partial: "ctags: " + why} }
	switch {
	case t == nil || t.program == "":
		return partial("not installed")
	case len(src) > maxText:
		return partial("too large")
	}
	select {
	case <-ctx.Done():
		return partial(ctx.Err().Error())
	case <-t.turn:
	}
	defer func() { t.turn <- struct{}{} }()
	if t.closed || t.broken >= maxBroken {
		return partial("stopped after it broke several times")
	}
	tags, err := t.ask(ctx, path.Base(filepath.ToSlash(file)), src)
	if err != nil {
		t.stop()
		if ctx.Err() == nil {
			t.broken++
			t.log.Warn("ctags broke", "file", file, "reason", err, "times", t.broken)
		}
		return partial(err.Error())
	}
	return outline(language, tags, src)
}

// ask sends one text and collects its tags, all within the time for a text.
func (t *Tagger) ask(ctx context.Context, name string, src []byte) ([]tag, error) {
	ctx, cancel := context.WithTimeout(ctx, t.perText)
	defer cancel()
	if t.child == nil {
		c, err := start(t.program)
		if err != nil {
			return nil, err
		}
		t.child = c
	}
	// The pipes do not know of deadlines: what ends a wait is the end of the child.
	release := context.AfterFunc(ctx, t.child.kill)
	defer release()
	tags, err := t.child.ask(name, src)
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return tags, err
}

// stop ends the child. The caller has the turn.
func (t *Tagger) stop() {
	if t.child != nil {
		t.child.kill()
		t.child.wait()
		t.child = nil
	}
}

// Rest ends the child until there is another text: nobody asks for a while.
func (t *Tagger) Rest() {
	if t == nil {
		return
	}
	<-t.turn
	defer func() { t.turn <- struct{}{} }()
	t.stop()
}

// Close ends the child and waits until it is gone. Outlines asked for later are
// empty.
func (t *Tagger) Close() {
	if t == nil {
		return
	}
	<-t.turn
	defer func() { t.turn <- struct{}{} }()
	t.closed = true
	t.stop()
}

// plain are suffixes of what is in every project and is not code: not worth a
// child process. Files without a suffix are among them.
var plain = map[string]bool{
	"": true, "cert": true, "crt": true, "csv": true, "diff": true, "dockerignore": true, "env": true,
	"example": true, "gitattributes": true,
	"gitignore": true, "gitkeep": true, "golden": true, "key": true, "license": true, "list": true, "lock": true,
	"log": true, "map": true,
	"md5": true, "mod": true, "npmignore": true, "out": true, "patch": true, "pem": true, "po": true, "pot": true, "sample": true,
	"sha256": true, "snap": true, "sum": true, "svg": true, "text": true, "tsv": true, "txt": true, "txtar": true,
	"work": true, "xml": true,
}

// maps say which language a file name belongs to.
type maps struct {
	extensions map[string]syntax.Language
	patterns   []pattern
}

type pattern struct {
	glob     string
	language syntax.Language
}

// languageOf returns the language of a file name, Unknown if there is none.
func (m maps) languageOf(name string) syntax.Language {
	for _, p := range m.patterns {
		if ok, err := path.Match(p.glob, name); ok && err == nil {
			return p.language
		}
	}
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		if l, ok := m.extensions[name[dot+1:]]; ok {
			return l
		}
		return m.extensions[strings.ToLower(name[dot+1:])]
	}
	return syntax.Unknown
}

// ignoredLanguages are languages of ctags whose tags say nothing about code: drawings,
// markup that generators write, differences.
var ignoredLanguages = map[string]bool{"svg": true, "xml": true, "xslt": true, "diff": true, "ctags": true,
	"plistxml": true, "glade": true, "relaxng": true, "dbusintrospect": true}

// readMaps asks a ctags what it reads. It is an error if it is not Universal
// Ctags, or not one that can be talked to.
func readMaps(ctx context.Context, program string) (maps, error) {
	ctx, cancel := context.WithTimeout(ctx, perText)
	defer cancel()
	if err := check(ctx, program); err != nil {
		return maps{}, err
	}
	m := maps{extensions: make(map[string]syntax.Language)}
	known := make(map[syntax.Language]bool)
	for _, l := range syntax.Languages() {
		known[l] = true
	}
	rows := func(option string, add func(l syntax.Language, value string)) error {
		text, err := output(ctx, program, option)
		if err != nil {
			return err
		}
		for line := range strings.Lines(text) {
			fields := strings.Fields(line)
			if len(fields) != 2 || strings.HasPrefix(line, "#") {
				continue
			}
			if l := strings.ToLower(fields[0]); !ignoredLanguages[l] && !known[syntax.Language(l)] {
				add(syntax.Language(l), fields[1])
			}
		}
		return nil
	}
	err := rows("--list-map-extensions=all", func(l syntax.Language, ext string) {
		if syntax.Detect("x."+ext, nil) == syntax.Unknown {
			m.extensions[ext] = l
		}
	})
	if err != nil {
		return maps{}, err
	}
	return m, rows("--list-map-patterns=all", func(l syntax.Language, glob string) {
		if !strings.HasPrefix(glob, "*.") { // those are extensions once more
			m.patterns = append(m.patterns, pattern{glob, l})
		}
	})
}
