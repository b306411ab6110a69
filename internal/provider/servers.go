package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"

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

	// OpenFiles says that the server knows files that no project of its own lists only
	// while they are open.
	OpenFiles bool
}

// known lists the language servers that are looked for on PATH, the better one of a
// language first. A row is all that another one takes.
var known = []Server{
	{Name: "gopls", Languages: []syntax.Language{syntax.Go}, Command: []string{"gopls"}},
	{Name: "pyright", Languages: []syntax.Language{syntax.Python}, Command: []string{"pyright-langserver", "--stdio"}},
	{Name: "basedpyright", Languages: []syntax.Language{syntax.Python}, Command: []string{"basedpyright-langserver", "--stdio"}},
	{Name: "typescript-language-server", Languages: []syntax.Language{syntax.TypeScript, syntax.TSX, syntax.JavaScript},
		Command: []string{"typescript-language-server", "--stdio"}, OpenFiles: true},
	{Name: "clangd", Languages: []syntax.Language{syntax.C, syntax.CPP}, Command: []string{"clangd"}},
	{Name: "rust-analyzer", Languages: []syntax.Language{syntax.Rust}, Command: []string{"rust-analyzer"}},
	{Name: "jdtls", Languages: []syntax.Language{syntax.Java}, Command: []string{"jdtls"}},
	{Name: "intelephense", Languages: []syntax.Language{syntax.PHP}, Command: []string{"intelephense", "--stdio"}},
	{Name: "csharp-ls", Languages: []syntax.Language{syntax.CSharp}, Command: []string{"csharp-ls"}},
	{Name: "solargraph", Languages: []syntax.Language{syntax.Ruby}, Command: []string{"solargraph", "stdio"}},
	{Name: "ruby-lsp", Languages: []syntax.Language{syntax.Ruby}, Command: []string{"ruby-lsp"}},
	{Name: "kotlin-language-server", Languages: []syntax.Language{syntax.Kotlin}, Command: []string{"kotlin-language-server"}},
	{Name: "sourcekit-lsp", Languages: []syntax.Language{syntax.Swift}, Command: []string{"sourcekit-lsp"}},
	{Name: "zls", Languages: []syntax.Language{syntax.Zig}, Command: []string{"zls"}},
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
	for _, s := range known {
		if s = found(s); s.Missing == nil {
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
