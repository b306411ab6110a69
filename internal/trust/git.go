package trust

import "codeintel/internal/git"

// PermitPrograms lets git run those programs of a repository that the user trusts, and no
// others.
func PermitPrograms() {
	git.Permitted = func(commonDir string, p git.Program) bool {
		store, err := Open()
		if err != nil {
			return false
		}
		state, err := store.State(commonDir, GitProgram, p.Name, p.Content)
		return err == nil && state == Trusted
	}
}
