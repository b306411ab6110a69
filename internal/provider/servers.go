package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/files"
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
}

// Servers lists the language servers of a project: those that its config.json names,
// and for the other languages those that are installed. One language has one server.
func Servers(p *project.Project) []Server {
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
		add(found(Server{Name: filepath.Base(command[0]), Languages: languages, Command: command}))
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
		if s := found(Server{Name: words[0], Languages: by[c], Command: words}); s.Missing == nil {
			add(s)
		}
	}
	return list
}

// found looks up the program of a server.
func found(s Server) Server {
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
	return s
}

// Content is what a person trusts when they trust a server: what is started. The
// program itself is theirs; what it may run of the project, it may always run.
func (s Server) Content() []byte {
	content, err := json.Marshal(s.Command)
	if err != nil {
		panic(err) // strings
	}
	return content
}

// A Standing is a language server, and how it stands with the user.
type Standing struct {
	Server
	State trust.State
}

// Standings returns the language servers for the languages of a project, and the names of
// those that were trusted and are no longer there.
func Standings(ctx context.Context, p *project.Project, store *trust.Store) (list []Standing, gone []string, err error) {
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
	for _, s := range Servers(p) {
		state, err := store.State(p.Root, trust.LanguageServer, s.Name, s.Content())
		if err != nil {
			return nil, nil, err
		}
		if state != trust.Untrusted || slices.ContainsFunc(s.Languages, func(l syntax.Language) bool { return spoken[l] }) {
			list = append(list, Standing{s, state})
		}
		gone = slices.DeleteFunc(gone, func(name string) bool { return name == s.Name })
	}
	return list, gone, nil
}
