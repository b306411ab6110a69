package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDiffForms holds the forms in which findings about a diff are printed, and the exit
// status: 1 for what is proven to be wrong.
func TestDiffForms(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=A", "-c", "user.email=a@example.org"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	put("a.py", "def load(path, mode):\n    return path\n")
	put("b c.py", "from a import load\n\nload('x', 'r')\n")
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "first")
	t.Chdir(dir)
	run := func(args ...string) (string, int) {
		var out, errs bytes.Buffer
		status := Main(t.Context(), args, strings.NewReader(""), &out, &errs)
		if errs.Len() > 0 {
			t.Log(errs.String())
		}
		return out.String(), status
	}
	if out, status := run("impact", "--diff"); status != 0 || !strings.Contains(out, "0 files") {
		t.Errorf("nothing changed: %d, %s", status, out)
	}
	put("a.py", "def load(path):\n    return path\n")
	out, status := run("impact", "--diff", "--annotations")
	want := "::error file=b c.py,line=3,title=call-does-not-fit::the call of load has 2 arguments; it takes 1 now\n"
	if out != want || status != 1 {
		t.Errorf("annotations: %d, %q, want %q", status, out, want)
	}
	out, status = run("impact", "--diff", "HEAD", "--sarif")
	var log struct {
		Version string
		Runs    []struct {
			Results []struct {
				RuleID, Level string
				Locations     []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine int }
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(out), &log); err != nil || status != 1 || log.Version != "2.1.0" || len(log.Runs) != 1 {
		t.Fatalf("SARIF: %d, %v, %s", status, err, out)
	}
	r := log.Runs[0].Results
	if len(r) != 1 || r[0].RuleID != "call-does-not-fit" || r[0].Level != "error" ||
		r[0].Locations[0].PhysicalLocation.ArtifactLocation.URI != "b%20c.py" || r[0].Locations[0].PhysicalLocation.Region.StartLine != 3 {
		t.Errorf("SARIF: %s", out)
	}
	if _, status := run("impact", "--diff", "--sarif", "--json"); status == 0 {
		t.Error("two forms at once")
	}
}
