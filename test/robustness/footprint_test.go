//go:build linux

package robustness

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// looks are the commands that only look, and answers to a model that only looks.
var looks = append(slices.Clone(commands), []string{"explore", "greeting"}, []string{"insights"}, []string{"pipeline", "list"},
	[]string{"version"}, []string{"completion", "bash"}, []string{"mcp", "--list-tools"}, []string{"clean", "--dry-run"},
	[]string{"install", "claude", "--dry-run"}, []string{"init", "--dry-run"}, []string{"session", "show", "x"}, []string{"model", "list"},
	[]string{"hook", "claude", "PreToolUse"}, []string{"hook", "claude", "UserPromptSubmit"}, []string{"hook", "codex", "SessionStart"})

// starting are the calls that begin because a person wants to change something.
var starting = []string{"start_session", "pipeline_init", "pipeline_init_with_context", "update_context", "record_outcome",
	"cleanup_stale_branches"}

// looking are the calls that only look.
func looking() []string {
	return slices.DeleteFunc(slices.Clone(calls), func(call string) bool {
		return slices.ContainsFunc(starting, func(name string) bool { return strings.Contains(call, `"`+name+`"`) })
	})
}

// TestFootprint looks at checkouts by every command and tool that only looks, and finds
// nothing new in them, nor in the folders above, one of which is somebody's project.
func TestFootprint(t *testing.T) {
	program := build(t)
	only := append(looking(), tool("explore", `{"query":"greeting"}`), tool("get_outcome_stats", `{}`), tool("review_changes", `{}`),
		tool("state_resume_info", `{}`), tool("pipeline_report_result", `{}`))
	for _, rights := range []string{"writable", "read-only"} {
		t.Run(rights, func(t *testing.T) {
			t.Parallel()
			c := newClone(t)
			c.must(os.Remove(filepath.Join(c.root, ".code-intel")))
			top := filepath.Dir(c.root)
			put(t, top, ".code-intel/config.json", `{"lang": "ja"}`)
			put(t, c.root, "folder/deep/a.go", "package deep\n\nfunc Greeting() {}\n")
			before := c.footprint(top)
			if rights == "read-only" {
				c.readOnly()
			}
			check := func(what string) {
				t.Helper()
				after := c.footprint(top)
				for name, is := range after {
					if before[name] != is {
						t.Errorf("%s leaves %s (%s)", what, name, is)
					}
				}
				for name := range before {
					if after[name] == "" {
						t.Errorf("%s takes %s away", what, name)
					}
				}
				before = after
			}
			for _, dir := range []string{".", "folder/deep"} {
				c := *c
				c.dir = dir
				for _, args := range looks {
					out, _ := c.run(program, "{}", args...)
					if strings.HasPrefix(out, "internal:") || strings.ContainsFunc(out, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
						t.Errorf("%v in %s: %s", args, dir, out)
					}
					check(fmt.Sprint(args, " in ", dir))
				}
				c.serveCalls(program, only)
				check("the server in " + dir)
			}
		})
	}
}

// footprint is what lies in the folder, but for the user's own, by name.
func (c *clone) footprint(top string) map[string]string {
	c.Helper()
	all := make(map[string]string)
	c.must(filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name == c.home {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		what := fmt.Sprint(d.Type(), " ", info.Size())
		switch {
		case d.IsDir():
			what = "folder"
		case !strings.Contains(filepath.ToSlash(name), "/.git/objects/"): // git renews the time of objects that it meets
			what += fmt.Sprint(" of ", info.ModTime())
		}
		all[name] = what
		return nil
	}))
	return all
}

// readOnly takes the right to write from everyone, and from root what root may do besides.
func (c *clone) readOnly() {
	c.Helper()
	c.must(exec.Command("chmod", "-R", "a-w", c.root).Run())
	c.Cleanup(func() { _ = exec.Command("chmod", "-R", "u+w", c.root).Run() })
	if os.Getuid() == 0 {
		c.by = []string{"setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner"}
		if err := exec.Command(c.by[0], append(c.by[1:], "true")...).Run(); err != nil {
			c.Skip("root cannot be kept from writing: ", err)
		}
	}
}
