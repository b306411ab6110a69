package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version says what program this is. It comes from what the Go toolchain writes
// into every program: the tag or commit that it was built from.
type version struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"`
	Time     string `json:"time,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func versionOf() *version {
	v := &version{Version: "devel", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if m := info.Main.Version; m != "" && m != "(devel)" {
		v.Version = m
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Revision = s.Value
		case "vcs.time":
			v.Time = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

// Text is the version in a line.
func (v *version) Text() string {
	return fmt.Sprintf("code-intel %s (%s, %s)", v.Version, v.Go, v.Platform)
}

func (a *app) version() *cobra.Command {
	return a.withJSON(&cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  code-intel version --json",
		Args:    checkArguments,
		RunE:    func(*cobra.Command, []string) error { return a.print(versionOf()) },
	})
}
