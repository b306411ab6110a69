package atomicfile

import (
	"os"
	"path/filepath"
	"runtime"
)

// UserDir is where this user's programs keep what is not configuration, and what
// no repository may change.
func UserDir() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "code-intel"), nil
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		dir, err := os.UserConfigDir()
		return filepath.Join(dir, "code-intel", "state"), err
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "state", "code-intel"), err
}
