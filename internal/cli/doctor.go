package cli

import (
	"os/exec"

	"github.com/spf13/cobra"

	"codeintel/internal/doctor"
	"codeintel/internal/install"
)

func (a *app) doctor() *cobra.Command {
	return a.withJSON(&cobra.Command{
		Use:     "doctor",
		Short:   "Say what works, what is missing, and how to mend it",
		Example: "  code-intel doctor\n  code-intel doctor --json",
		Args:    asUsed,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r := doctor.Examine(cmd.Context(), a.dir(), exec.LookPath, a.places(), a.log)
			if err := a.print(r); err != nil {
				return err
			}
			if r.Worst() == doctor.Bad {
				return errNo
			}
			return nil
		},
	})
}

// places are where the program may be set up: none, if the project cannot be read,
// which the doctor says himself.
func (a *app) places() (all []install.Place) {
	for _, name := range install.Names() {
		for _, scope := range []install.Scope{install.Project, install.User} {
			p, err := a.place(name, installing{scope: string(scope)})
			if err != nil {
				return nil
			}
			all = append(all, p)
		}
	}
	return all
}
