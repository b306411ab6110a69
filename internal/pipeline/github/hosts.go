package github

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"codeintel/internal/platform/repofile"
)

// Hosts splits the hosts of GitHub Enterprise that a project names into those that the user has to do with, and
// those that the project alone names. gh sends the token of GH_ENTERPRISE_TOKEN to any host that it is asked about,
// so a repository alone may not name one.
func Hosts(named []string) (known, unknown []string) {
	own := ghHosts()
	for _, h := range named {
		if slices.ContainsFunc(own, func(k string) bool { return strings.EqualFold(k, h) }) {
			known = append(known, h)
		} else {
			unknown = append(unknown, h)
		}
	}
	return known, unknown
}

// ghHosts returns the hosts that gh is logged in to, and the one of GH_HOST.
func ghHosts() []string {
	hosts := []string{os.Getenv("GH_HOST")}
	data, err := repofile.At(filepath.Join(ghFolder(), "hosts.yml")).Read(repofile.Settings)
	if err != nil {
		return hosts // gh was never set up
	}
	for line := range strings.Lines(string(data)) {
		if name, ok := strings.CutSuffix(strings.TrimRight(line, " \r\n"), ":"); ok && name != "" && !strings.ContainsAny(name[:1], " \t#") {
			hosts = append(hosts, strings.Trim(name, `"'`))
		}
	}
	return hosts
}

// ghFolder is where gh keeps its settings.
func ghFolder() string {
	if dir := os.Getenv("GH_CONFIG_DIR"); dir != "" {
		return dir
	}
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "gh")
	}
	if dir := os.Getenv("AppData"); runtime.GOOS == "windows" && dir != "" {
		return filepath.Join(dir, "GitHub CLI")
	}
	home, _ := os.UserHomeDir() // without one gh has no settings
	return filepath.Join(home, ".config", "gh")
}
