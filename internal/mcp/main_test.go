package mcp

import (
	"fmt"
	"os"
	"testing"
)

// TestMain keeps the indexes of these tests out of the user's cache.
func TestMain(m *testing.M) {
	cache, err := os.MkdirTemp("", "code-intel-mcp-cache-")
	if err == nil {
		err = os.Setenv("XDG_CACHE_HOME", cache)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(cache)
	os.Exit(code)
}
