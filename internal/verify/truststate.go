package verify

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"codeintel/internal/project"
	"codeintel/internal/trust"
)

// A TrustState is a verifier with a command, and whether the user trusts it.
type TrustState struct {
	Verifier
	State trust.State
}

// TrustStates returns the project's verifiers that have a command, and the names of
// trusted ones whose file is gone. A file that cannot be read is a
// Problem that names it, and the others are returned all the same.
func TrustStates(p *project.Project, store *trust.Store) (list []TrustState, gone []string, err error) {
	all, broken := Load(p)
	for _, v := range all {
		if len(v.Command) == 0 {
			continue
		}
		state, err := store.State(p.Root, trust.Verifier, v.Name, v.Content)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, TrustState{v, state})
	}
	gone, err = Gone(p, store)
	return list, gone, errors.Join(err, broken)
}

// Gone returns the names of the verifiers that the user trusted in the project
// and whose file no longer exists.
func Gone(p *project.Project, store *trust.Store) ([]string, error) {
	names, err := store.Names(p.Root, trust.Verifier)
	return slices.DeleteFunc(names, func(name string) bool {
		_, err := os.Lstat(p.Abs(Verifier{Name: name}.File()))
		return !errors.Is(err, fs.ErrNotExist)
	}), err
}
