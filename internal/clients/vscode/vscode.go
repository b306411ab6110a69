// Package vscode describes VS Code as its documentation does. It runs the hooks of Copilot
// and reads its skills.
package vscode

import (
	"path/filepath"

	"codeintel/internal/clients"
	"codeintel/internal/clients/install"
)

// Client is VS Code.
var Client = &clients.Client{
	Setup: &install.Client{
		ID: "vscode", Title: "VS Code",
		Entries: entries,
		Next: func(install.Place) []string {
			return []string{"VS Code takes hooks and skills from the files of Copilot: code-intel install copilot."}
		},
	},
	Command:     "code",
	RunsHooksOf: "copilot",
	Protected:   []string{".vscode/mcp.json"},
}

func entries(p install.Place) ([]install.Entry, error) {
	file := filepath.Join(p.Root, ".vscode", "mcp.json")
	if p.Scope == install.User {
		file = filepath.Join(p.Config, "Code", "User", "mcp.json")
	}
	return []install.Entry{install.ServerEntry(file, []string{"servers", install.Server}, func(program string) any {
		return install.Stdio{Type: "stdio", Command: program, Args: install.RootedArgs}
	})}, nil
}
