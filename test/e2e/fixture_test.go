package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"codeintel/test/e2e/harness"
)

func TestMain(m *testing.M) { harness.Main(m, nil) }

// A fixture is a project in which a session runs.
type fixture struct {
	*harness.Project
	base  string   // the commit that all began with; "" without git
	trunk string   // the branch that it is on
	env   []string // that the program has besides
}

type reply = harness.Reply

// A death is what a call of a server that died in it panics with.
type death struct{ error }

// newFixture lays out the files, commits them and serves the folder.
func newFixture(t testing.TB, files map[string]string) *fixture {
	t.Helper()
	st := gitFixture(t, files)
	st.Serve()
	return st
}

// gitFixture lays out the files and commits them.
func gitFixture(t testing.TB, files map[string]string) *fixture {
	t.Helper()
	st := bareFixture(t, files)
	st.base = st.Commit()
	return st
}

// bareFixture only lays out the files.
func bareFixture(t testing.TB, files map[string]string) *fixture {
	t.Helper()
	return &fixture{Project: harness.Lay(t, files), trunk: "main"}
}

// mayDie allows the server to die: a call that it does not answer panics with
// [death].
func (st *fixture) mayDie() { st.Lost = func(err error) { panic(death{err}) } }

// checkpoint is a session on disk.
type checkpoint struct {
	ID       string
	file     string
	Archived bool
	Phase    string
	Outcome  string
	Commits  []string
	Tasks    []struct{ ID, Status string }
}

// checkpoints returns all sessions of the project, ended ones included.
func (st *fixture) checkpoints() (all []checkpoint) {
	st.T.Helper()
	for _, dir := range []string{".code-intel/sessions", ".code-intel/sessions/archive"} {
		files, err := filepath.Glob(filepath.Join(st.Path(dir), "*.json"))
		if err != nil {
			st.T.Fatal(err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				st.T.Fatal(err)
			}
			c := checkpoint{file: f, Archived: strings.HasSuffix(dir, "archive"), ID: strings.TrimSuffix(filepath.Base(f), ".json")}
			if err := json.Unmarshal(data, &c); err != nil {
				st.T.Fatalf("%s: %v", f, err)
			}
			all = append(all, c)
		}
	}
	return all
}
