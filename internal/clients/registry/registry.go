// Package registry is the one list of the coding agents that the program supports.
package registry

import (
	"codeintel/internal/clients"
	"codeintel/internal/clients/claude"
	"codeintel/internal/clients/codex"
	"codeintel/internal/clients/copilot"
	"codeintel/internal/clients/cursor"
	"codeintel/internal/clients/gemini"
	"codeintel/internal/clients/opencode"
	"codeintel/internal/clients/vscode"
)

// All are the clients, in the order in which they are listed.
var All = clients.Registry{
	claude.Client,
	codex.Client,
	cursor.Client,
	copilot.Client,
	gemini.Client,
	opencode.Client,
	vscode.Client,
}
