//go:build !unix

package repofile

import "io/fs"

// names returns how many names a file has, as far as can be told.
func names(fs.FileInfo) uint64 { return 1 }
