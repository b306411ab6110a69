package savedsessions

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/project"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/state"
	"codeintel/internal/taskbranch"
)

// repository runs git in a project at a time of the past.
type repository struct {
	*testing.T
	dir string
	at  time.Time
}

func (r *repository) git(args ...string) string {
	r.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.dir
	date := r.at.Format(time.RFC3339)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a",
		"GIT_COMMITTER_EMAIL=a@b", "GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date)
	out, err := cmd.CombinedOutput()
	if err != nil {
		r.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// lonely makes a commit that nothing but the ref holds.
func (r *repository) lonely(ref string) string {
	r.Helper()
	id := r.git("commit-tree", "-p", "main", "-m", ref, "main^{tree}")
	r.git("update-ref", "--create-reflog", ref, id)
	return id
}

func archived(t *testing.T, p *project.Project, st state.State) {
	t.Helper()
	if err := atomicfile.Write(p.Path("sessions", "archive", st.ID+".json"), st); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.Path("sessions", "archive", st.ID+".ledger.jsonl"), []byte("{}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestClean(t *testing.T) {
	now := time.Now()
	long, lately := now.AddDate(0, 0, -60), now.AddDate(0, 0, -2)
	t.Setenv("TMPDIR", t.TempDir())
	p := newProject(t)
	r := &repository{t, p.Root, long}
	r.git("init", "-q", "-b", "main")
	r.git("commit", "-q", "--allow-empty", "-m", "first")

	const task = "llm_task_%_from_main"
	name := func(id string) string { return strings.Replace(task, "%", id, 1) }
	checkpoint(t, p, state.State{Schema: 1, ID: "going", Phase: phases.ReadyPlan, Updated: long,
		TaskBranch: state.TaskBranch{Branch: &taskbranch.Task{Name: name("going"), Base: "main", Backup: "refs/code-intel/backup/going"}}})
	archived(t, p, state.State{Schema: 1, ID: "done", Phase: "DONE", Updated: long, Outcome: state.Completed, Query: "the old request"})
	archived(t, p, state.State{Schema: 1, ID: "fresh", Phase: "DONE", Updated: lately, Outcome: state.Completed})
	archived(t, p, state.State{Schema: 1, ID: "aborted", Phase: phases.ReadyPlan, Updated: lately, Outcome: state.Aborted})

	for _, id := range []string{"going", "stale"} {
		r.git("branch", name(id))
	}
	r.git("update-ref", "--create-reflog", "refs/code-intel/done/"+name("done"), "main")
	r.lonely("refs/code-intel/backup/going")
	r.lonely("refs/code-intel/trash/discarded/" + name("going"))
	r.lonely("refs/code-intel/backup/aborted")
	only := r.lonely("refs/code-intel/trash/" + name("gone"))
	r.git("update-ref", "refs/heads/other", r.git("commit-tree", "-p", "main", "-m", "x", "main^{tree}"))
	r.at = lately
	// An old commit that was kept lately is young.
	r.git("update-ref", "--create-reflog", "refs/code-intel/done/"+name("young"), "main")
	before := r.git("for-each-ref", "--format=%(refname)")

	for file, at := range map[string]time.Time{
		"sessions/.x.json.tmp-123": long, "sessions/.y.json.tmp-1": now, "index/.segment-1": long,
		"index/forest-00112233445566/vectors": long, "index/forest-aabbccddeeff/open": long, "index/map-aabbccddeeff/open": now,
		"sessions/set-aside/broken.json": long,
	} {
		path := p.Path(filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	o := Options{Now: now, Age: 30 * 24 * time.Hour, Branches: true}
	plan, err := Leftovers(t.Context(), p, o)
	if err != nil {
		t.Fatal(err)
	}
	var goes, stays []string
	for _, i := range plan.Items {
		goes = append(goes, string(i.Kind)+" "+i.Name)
		if i.Commit == only != (i.Only == 1) {
			t.Errorf("%s %s: %d commits are only there", i.Kind, i.Name, i.Only)
		}
	}
	for _, i := range plan.Kept {
		stays = append(stays, string(i.Kind)+" "+i.Name)
	}
	same(t, "goes", goes, "session done", "set-aside .code-intel/sessions/set-aside/broken.json",
		"ref refs/code-intel/done/"+name("done"), "ref refs/code-intel/trash/"+name("gone"), "branch "+name("stale"),
		"cache .code-intel/index/forest-aabbccddeeff", "temporary .code-intel/index/.segment-1", "temporary .code-intel/sessions/.x.json.tmp-123")
	same(t, "stays", stays, "ref refs/code-intel/backup/going", "ref refs/code-intel/trash/discarded/"+name("going"), "ref refs/code-intel/backup/aborted")

	if after := r.git("for-each-ref", "--format=%(refname)"); after != before {
		t.Errorf("the plan alone changed the refs: %s", after)
	}
	if err := plan.Carry(t.Context()); err != nil {
		t.Fatal(err)
	}
	same(t, "refs", strings.Fields(r.git("for-each-ref", "--format=%(refname)")),
		"refs/heads/main", "refs/heads/other", "refs/heads/"+name("going"),
		"refs/code-intel/backup/going", "refs/code-intel/trash/discarded/"+name("going"), "refs/code-intel/backup/aborted",
		"refs/code-intel/done/"+name("young"), "refs/code-intel/trash/"+name("stale"))
	r.git("branch", "back", only) // as the list says it can be
	var there []string
	if err := filepath.WalkDir(p.Path(), func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(p.Path(), path)
			there = append(there, filepath.ToSlash(rel))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	same(t, "files", there, "sessions/going.json", "sessions/archive/fresh.json", "sessions/archive/fresh.ledger.jsonl",
		"sessions/archive/aborted.json", "sessions/archive/aborted.ledger.jsonl", "sessions/.y.json.tmp-1",
		"index/forest-00112233445566/vectors", "index/map-aabbccddeeff/open")
	o.Branches = false
	if plan, err = Leftovers(t.Context(), p, o); err != nil || len(plan.Items) > 0 {
		t.Errorf("once more: %+v, %v", plan.Items, err)
	}
}

func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %s\nwant %s", what, strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

// TestCleanWithoutGit wants a folder without a repository to be cleaned too.
func TestCleanWithoutGit(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	p := newProject(t)
	archived(t, p, state.State{Schema: 1, ID: "done", Updated: time.Unix(0, 0), Outcome: state.Completed})
	plan, err := Leftovers(t.Context(), p, Options{Now: time.Now(), Age: time.Hour, Branches: true})
	if err != nil || len(plan.Items) != 1 {
		t.Fatal(plan, err)
	}
	if err := plan.Carry(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := statuses(t, p); got != "" {
		t.Errorf("left: %s", got)
	}
}
