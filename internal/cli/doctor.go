package cli

import (
	"os/exec"

	"github.com/spf13/cobra"

	"codeintel/internal/doctor"
)

func (a *app) doctor() *cobra.Command {
	return a.withJSON(&cobra.Command{
		Use:     "doctor",
		Short:   "Say what works, what is missing, and how to mend it",
		Example: "  code-intel doctor\n  code-intel doctor --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r := doctor.Examine(cmd.Context(), a.dir(), exec.LookPath, a.log)
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
