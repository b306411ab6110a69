//go:build unix && !linux

package repofile

import "testing"

func withoutKernel(*testing.T) {}
