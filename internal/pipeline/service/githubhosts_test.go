package service

import (
	"os"
	"path/filepath"
	"testing"
)

// TestHosts has a host that only the project names ask nobody for an issue, and one where the
// user is logged in, or that GH_HOST names, be taken for theirs.
func TestHosts(t *testing.T) {
	for name, told := range map[string]struct {
		file, variable string
		theirs         bool
	}{
		"nothing":    {},
		"logged in":  {file: "github.com:\n    user: a\nGHE.example:\n    oauth_token: x\n", theirs: true},
		"by GH_HOST": {variable: "ghe.example", theirs: true},
		"deeper":     {file: "github.com:\n    ghe.example:\n"},
		"elsewhere":  {file: "other.example:\n", variable: "third.example"},
	} {
		t.Run(name, func(t *testing.T) {
			st := newStand(t)
			st.write(".code-intel/config.json", `{"github_hosts": ["ghe.example"]}`)
			st.open()
			dir := t.TempDir()
			t.Setenv("GH_CONFIG_DIR", dir)
			t.Setenv("GH_HOST", told.variable)
			if err := os.WriteFile(filepath.Join(dir, "hosts.yml"), []byte(told.file), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, line := range []string{"https://ghe.example/o/r/issues/1", "https://ghe.example/o/r/pull/1", "ghe.example/o/r#1", "ghe.example/o/r/issues/1"} {
				r, errs := st.s.parse(line)
				if taken := len(errs) == 0 && r.Source.Host == "ghe.example"; taken != told.theirs || (len(errs) == 0) != told.theirs {
					t.Errorf("%s: %+v %v", line, r.Source, errs)
				}
			}
			if r, errs := st.s.parse("https://github.com/o/r/issues/1"); len(errs) > 0 || r.Source.Host != "github.com" {
				t.Errorf("github.com: %+v %v", r.Source, errs)
			}
		})
	}
}
