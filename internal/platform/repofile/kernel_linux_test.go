package repofile

import "testing"

func withoutKernel(t *testing.T) {
	before := noOpenat2.Swap(true)
	t.Cleanup(func() { noOpenat2.Store(before) })
}
