//go:build !linux

package cli

// kin reports whether this process descends from the program that started the
// server. Where there is no /proc it is not known.
func kin(int) bool { return false }
