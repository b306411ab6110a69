//go:build !linux

package allowance

// find finds nothing where nobody tells.
func find() []bound { return nil }
