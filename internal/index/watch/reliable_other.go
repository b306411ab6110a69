//go:build !linux

package watch

import (
	"fmt"
	"runtime"
)

// reliable returns an error: other systems report the changes of different
// folders in no certain order, so that a Drain could not say what it has yet
// to hear.
func reliable(string) error {
	return fmt.Errorf("%w: %s reports changes in no certain order", ErrUnavailable, runtime.GOOS)
}
