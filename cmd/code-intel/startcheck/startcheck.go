// Package startcheck ends the program with a message at its start if the process may open hardly any files: a
// little later the runtime of Go, which needs two for itself with the first file that it opens, would end it
// with a dump. The main program imports it for that effect. It needs little of the standard library, so that it
// is initialized before libraries that open files in their own initialization.
package startcheck

import (
	"os"

	"codeintel/internal/platform/fdlimit"
)

// needed is how many descriptors the runtime and the first file take together.
const needed = 3

func init() {
	if err := fdlimit.Available(needed); err != nil {
		_, _ = os.Stderr.WriteString("code-intel: " + err.Error() + "\n  " + fdlimit.Advice + "\n")
		os.Exit(3)
	}
}
