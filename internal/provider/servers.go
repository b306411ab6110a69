package provider

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/project"
	"codeintel/internal/syntax"
	"codeintel/internal/trust"
)

// A Server is a language server that is installed, or that config.json names.
type Server struct {
	Name      string
	Languages []syntax.Language
	Command   []string // the first word is a program, as an absolute path
	Missing   error    // why the program cannot be started
	files     []string // of the project that the command names, each with its SHA-256
}

// servers lists the language servers of a project: those that its config.json names,
// and for the other languages those that are installed. One language has one server.
func servers(p *project.Project) []Server {
	var list []Server
	taken := map[syntax.Language]bool{}
	add := func(s Server) {
		s.Languages = slices.DeleteFunc(slices.Clone(s.Languages), func(l syntax.Language) bool { return taken[l] })
		if len(s.Languages) == 0 {
			return
		}
		for _, l := range s.Languages {
			taken[l] = true
		}
		list = append(list, s)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Config.LanguageServers)) {
		command := p.Config.LanguageServers[name]
		languages := syntax.Called(name)
		if len(command) == 0 { // none is wanted
			for _, l := range languages {
				taken[l] = true
			}
			continue
		}
		add(locateProgram(p.Root, Server{Name: filepath.Base(command[0]), Languages: languages, Command: command}))
	}
	by := map[string][]syntax.Language{}
	var commands []string
	for _, l := range syntax.Languages() {
		for _, c := range syntax.Of(l).Servers {
			if by[c] == nil {
				commands = append(commands, c)
			}
			by[c] = append(by[c], l)
		}
	}
	for _, c := range commands {
		words := strings.Fields(c)
		if s := locateProgram(p.Root, Server{Name: words[0], Languages: by[c], Command: words}); s.Missing == nil {
			add(s)
		}
	}
	return list
}

// locateProgram looks up the program of a server.
func locateProgram(root string, s Server) Server {
	name := s.Command[0]
	program, err := exec.LookPath(name)
	if err == nil {
		program, err = filepath.Abs(program)
	}
	if err != nil {
		s.Missing = err
		return s
	}
	s.Command = append([]string{program}, s.Command[1:]...)
	for _, word := range s.Command {
		if file, ok := inProject(root, word); ok {
			s.files = append(s.files, file)
		}
	}
	return s
}

// inProject returns the path of the file of the project that a word of a command names, and
// the SHA-256 of what it holds.
func inProject(root, word string) (string, bool) {
	if !filepath.IsAbs(word) {
		word = filepath.Join(root, word)
	}
	at, err := filepath.EvalSymlinks(word)
	if err != nil {
		return "", false // it names no file
	}
	rel, err := filepath.Rel(root, at)
	if info, statErr := os.Stat(at); err != nil || statErr != nil || !filepath.IsLocal(rel) ||
		!info.Mode().IsRegular() {
		return "", false
	}
	data, err := repofile.In(root, rel).Read(repofile.Records)
	if err != nil {
		return rel + " cannot be read: " + err.Error(), true
	}
	return fmt.Sprintf("%s %x", rel, sha256.Sum256(data)), true
}

// Content is what a person trusts when they trust a server: what is started, and of the
// project's own files those that the command names, as they are. What a server may run of
// the project besides, it may always run.
func (s Server) Content() []byte {
	content, err := json.Marshal(append(slices.Clone(s.Command), s.files...))
	if err != nil {
		panic(err) // strings
	}
	return content
}

// A TrustState is a language server, and whether the user trusts it.
type TrustState struct {
	Server
	State trust.State
}

// TrustStates returns the language servers for the languages of a project, and the names of
// those that were trusted and are no longer there.
func TrustStates(ctx context.Context, p *project.Project, store *trust.Store) (list []TrustState,
	gone []string, err error) {
	gone, err = store.Names(p.Root, trust.LanguageServer)
	if err != nil {
		return nil, nil, err
	}
	all, err := files.List(ctx, p)
	if err != nil {
		return nil, nil, fmt.Errorf("provider: %w", err)
	}
	spoken := map[syntax.Language]bool{}
	for _, f := range all {
		spoken[syntax.Detect(f.Path, nil)] = true
	}
	for _, s := range servers(p) {
		state, err := store.State(p.Root, trust.LanguageServer, s.Name, s.Content())
		if err != nil {
			return nil, nil, err
		}
		if state != trust.Untrusted || slices.ContainsFunc(s.Languages, func(l syntax.Language) bool { return spoken[l] }) {
			list = append(list, TrustState{s, state})
		}
		gone = slices.DeleteFunc(gone, func(name string) bool { return name == s.Name })
	}
	return list, gone, nil
}
