package policy

import (
	"path"
	"strings"

	"codeintel/internal/clients"
	"codeintel/internal/clients/registry"
)

// steering are the files below the root that steer a client, or hold the state of a
// pipeline; see [clients.Client.Protected] for the patterns.
var steering = append([]string{
	".specs/*/state.json",
	".specs/*/journal.jsonl",
}, ofClients(func(c *clients.Client) []string { return c.Protected })...)

func ofClients(list func(*clients.Client) []string) (all []string) {
	for _, c := range registry.All {
		all = append(all, list(c)...)
	}
	return all
}

// state is what in a .code-intel folder a session is on. The rest of it,
// prompts and agreements, is the project's own.
var state = []string{
	".gitignore",
	"config.json",
	"context.yml",
	"phase_contract.yml",
	"index/",
	"locks/",
	"logs/",
	"sessions/",
	"verifiers/",
}

// protected reports whether a path is written by no session: what steers git,
// code-intel and the clients, and their state. Git's folder and ours are found at
// any depth.
func protected(file string) bool {
	parts := strings.Split(path.Clean(file), "/")
	for i, part := range parts {
		parts[i] = clients.Fold(part)
	}
	for i, part := range parts {
		switch part {
		case ".git", "git~1": // as Windows calls it for short
			return true
		case ".code-intel":
			if i == len(parts)-1 || clients.Listed(state, parts[i+1:]) {
				return true
			}
		}
	}
	return clients.Listed(steering, parts)
}

// ofUsers are the settings of a user, below their home, that steer a client, git or
// code-intel.
var ofUsers = append([]string{
	".config/code-intel/",
	".local/state/code-intel/",
	".config/git/",
	".gitconfig",
}, ofClients(func(c *clients.Client) []string { return c.ProtectedHome })...)

// users reports whether a path outside of the project is one of a client's settings, or
// of ours, wherever the home lies.
func users(file string) bool {
	parts := strings.Split(path.Clean(file), "/")
	for i, part := range parts {
		parts[i] = clients.Fold(part)
	}
	for i := range parts {
		if at := parts[i:]; len(at) > 0 && strings.HasPrefix(at[0], ".") && at[0] != ".specs" &&
			(clients.Listed(ofUsers, at) || clients.Listed(steering, at)) {
			return true
		}
	}
	return false
}
