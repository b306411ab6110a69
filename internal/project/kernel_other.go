//go:build !linux

package project

// ofKernel reports whether a folder shows the kernel; only Linux has such.
func ofKernel(string) bool { return false }
