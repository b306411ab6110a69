package toolchain

import (
	"encoding/json"
	"path"
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

// used matches the folders that go.work uses, in a block or alone.
var used = lazyregexp.MustCompile(`(?m)^[ \t]*(?:use[ \t]+)?("?)(\.{1,2}(?:/[^\s"]*)?)("?)[ \t]*(?://.*)?$`)

// goPackages returns the patterns of all packages: in a workspace "./..." would be
// those of the module in its root only, and an error if there is none.
func goPackages(f folder) []string {
	var all []string
	for _, m := range used.FindAllStringSubmatch(f.text("go.work"), -1) {
		dir := path.Clean(m[2])
		switch {
		case dir == ".":
			all = append(all, "./...")
		case !strings.HasPrefix(dir, ".."):
			all = append(all, "./"+dir+"/...")
		}
	}
	if len(all) == 0 {
		return []string{"./..."}
	}
	return all
}

func goCovers(f folder) bool { return f.isFile("go.work") }

func nodeCovers(f folder) bool {
	var m struct {
		Workspaces any `json:"workspaces"`
	}
	return f.isFile("pnpm-workspace.yaml") || json.Unmarshal([]byte(f.text("package.json")), &m) == nil && m.Workspaces != nil
}
