package git

import (
	"testing"
	"time"
)

// needsMemory is a filter that ends well if it gets more memory than a git that stores has, and then encrypts.
const needsMemory = "dd if=/dev/null of=/dev/null bs=600M count=1 2>/dev/null && tr a-z A-Z"

// TestFilterGetsItsMemory stores a secret where a filter that is not required encrypts it: git would store it
// as it is if the filter failed for want of memory. Filters that are not trusted, and those that are required,
// change nothing about what git may take.
func TestFilterGetsItsMemory(t *testing.T) {
	t.Cleanup(func() { Permitted = nil })
	for name, c := range map[string]struct {
		permitted func(string, Program) bool
		config    []string
		users     bool
		want      string // stored; "" for an error
	}{
		"trusted":             {func(string, Program) bool { return true }, nil, false, "SECRET"},
		"nobody asks":         {nil, nil, false, "SECRET"},
		"not trusted":         {func(string, Program) bool { return false }, nil, false, "secret"},
		"the user's own":      {func(string, Program) bool { return false }, nil, true, "SECRET"},
		"said to be optional": {func(string, Program) bool { return true }, []string{"filter.x.required", "no"}, false, "SECRET"},
		"required":            {func(string, Program) bool { return true }, []string{"filter.x.required", "true"}, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			Permitted = nil
			p := play(t)
			p.write(".gitattributes", "*.key filter=x\n")
			p.write("a.key", "secret\n")
			scope := "--local"
			if c.users {
				scope = "--global"
			}
			p.git("config", scope, "filter.x.clean", needsMemory)
			if c.config != nil {
				p.git(append([]string{"config"}, c.config...)...)
			}
			Permitted = c.permitted
			tree, err := p.Snapshot(t.Context())
			Permitted = nil
			if c.want == "" {
				if err == nil {
					t.Error("a filter that is required was not")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := p.git("show", tree+":a.key"); got != c.want {
				t.Errorf("git stored %q, want %q", got, c.want)
			}
		})
	}
}

// TestFilterEndsWithGit kills a git, as a limit does, whose filter runs on.
func TestFilterEndsWithGit(t *testing.T) {
	p := play(t)
	line, runs := sleeper(t)
	p.write(".gitattributes", "*.key filter=x\n")
	p.write("a.key", "secret\n")
	p.git("config", "filter.x.required", "true")
	p.git("config", "filter.x.clean", line+"; kill -9 $PPID; wait")
	if _, err := p.Do(t.Context(), Command{Args: []string{"hash-object", "-w", "a.key"}, Effect: Writes}); err == nil {
		t.Fatal("git was killed, and has ended well")
	}
	for deadline := time.Now().Add(time.Minute); runs(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("what the filter started runs on")
		}
	}
}
