// Package doctor says what works in a project, what is missing, and what mends
// it.
//
// It looks and changes nothing: what is not there stays so. Each finding names
// its fix as a command to run or a thing to do, so that a person can work the
// report off from top to bottom.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"codeintel/internal/clients/install"
	"codeintel/internal/clients/registry"
	"codeintel/internal/git"
	"codeintel/internal/index"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/project"
)

// A Verdict is how well something is.
type Verdict string

// The verdicts, from the best.
const (
	Good Verdict = "ok"
	Weak Verdict = "warn" // works, but not as well as it could
	Bad  Verdict = "fail" // does not work
)

// A Finding is what was found out about one thing.
type Finding struct {
	Name    string  `json:"name"`
	Verdict Verdict `json:"verdict"`
	Detail  string  `json:"detail"`
	Fix     string  `json:"fix,omitempty"`
}

// An Enforcement says how far a client is made to keep to the phases of a
// session.
type Enforcement string

// The levels of enforcement.
const (
	Prompts Enforcement = "L0" // the instructions ask for it
	Audit   Enforcement = "L1" // the server checks what was done, at each step
	Guarded Enforcement = "L3" // and a hook of an installed client denies what is forbidden
)

// A Report is all findings.
type Report struct {
	Root        string      `json:"root,omitempty"`
	Enforcement Enforcement `json:"enforcement"`
	Clients     []string    `json:"clients"` // programs found on PATH
	Findings    []Finding   `json:"findings"`
}

// Worst returns the worst verdict.
func (r *Report) Worst() Verdict {
	worst := Good
	for _, f := range r.Findings {
		if f.Verdict == Bad || f.Verdict == Weak && worst == Good {
			worst = f.Verdict
		}
	}
	return worst
}

// Text gives a line for each finding, and its fix under it.
func (r *Report) Text() string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%-4s  %-12s %s\n", f.Verdict, f.Name, f.Detail)
		if f.Fix != "" {
			fmt.Fprintf(&b, "      %-12s fix: %s\n", "", f.Fix)
		}
	}
	return b.String()
}

func (r *Report) add(name string, v Verdict, detail, fix string) {
	r.Findings = append(r.Findings, Finding{name, v, detail, fix})
}

// Examine looks at the project that dir lies in. Programs are looked for by
// look, as exec.LookPath does; places are where the program may be set up.
func Examine(ctx context.Context, dir string, look func(string) (string, error), places []install.Place, log *slog.Logger) *Report {
	r := &Report{Enforcement: Prompts, Clients: []string{}, Findings: []Finding{}}
	hasGit := r.git(ctx, look)
	root, err := project.Find(dir)
	if err != nil {
		r.refused("project", err, "name a folder that is there with --root")
		return r
	}
	r.Root = root
	if p := r.project(root); p != nil {
		r.writable(p)
		r.context(p)
		r.verifiers(p, look)
		r.index(ctx, p, log)
		r.lock(p)
	}
	if hasGit {
		r.repository(ctx, root)
	}
	r.clients(look)
	r.installed(ctx, places)
	r.level()
	return r
}

// refused adds an error as a finding. A Problem brings its own fix.
func (r *Report) refused(name string, err error, fix string) {
	if p := problem.Of(err); p != nil {
		if len(p.Next) > 0 {
			fix = strings.Join(msg.Texts(p.Next), " Or: ")
		}
		r.add(name, Bad, p.Message.String(), fix)
		return
	}
	r.add(name, Bad, err.Error(), fix)
}

// gitNeeded is the oldest git that can merge in memory (git merge-tree
// --write-tree), which a session does before it touches the base branch.
var gitNeeded = [2]int{2, 38}

var versionNumber = regexp.MustCompile(`(\d+)\.(\d+)`)

func (r *Report) git(ctx context.Context, look func(string) (string, error)) bool {
	path, err := look("git")
	if err != nil {
		r.add("git", Bad, "git is not on PATH; sessions cannot make branches, and ignored files are told by our own rules", "install git 2.38 or newer")
		return false
	}
	out, err := exec.CommandContext(ctx, path, "version").Output()
	if err != nil {
		r.add("git", Bad, fmt.Sprintf("%s does not run: %v", path, err), "mend or reinstall git")
		return false
	}
	said := strings.TrimSpace(string(out))
	m := versionNumber.FindStringSubmatch(said)
	if m == nil {
		r.add("git", Weak, "cannot read its version: "+said, "use git 2.38 or newer")
		return true
	}
	major, _ := strconv.Atoi(m[1]) // digits
	minor, _ := strconv.Atoi(m[2])
	if major < gitNeeded[0] || major == gitNeeded[0] && minor < gitNeeded[1] {
		r.add("git", Weak, said+" is too old to merge a session's branch in memory", "install git 2.38 or newer")
		return true
	}
	r.add("git", Good, said, "")
	return true
}

func (r *Report) project(root string) *project.Project {
	p, err := project.OpenRoot(root)
	if err != nil {
		r.refused("project", err, "mend .code-intel/config.json")
		return nil
	}
	if !p.IsSetUp() {
		r.add("project", Weak, root+" is not set up; defaults are used", "code-intel init")
		return p
	}
	r.add("project", Good, root, "")
	return p
}

// writable makes and removes a file where the program would write.
func (r *Report) writable(p *project.Project) {
	dir := p.Path()
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		dir = p.Root
	}
	f, err := os.CreateTemp(dir, ".code-intel-doctor-*")
	if err != nil {
		r.add("permission", Bad, fmt.Sprintf("cannot write in %s: %v", dir, err), "give yourself the right to write there, or free disk space")
		return
	}
	f.Close()
	if err := os.Remove(f.Name()); err != nil {
		r.add("permission", Weak, err.Error(), "remove that file")
		return
	}
	r.add("permission", Good, "can write in "+dir, "")
}

func (r *Report) context(p *project.Project) {
	if _, err := p.LoadContext(); err != nil {
		r.refused("context.yml", err, "mend .code-intel/context.yml")
	}
}

// index opens the index only if there is one: opening makes it.
func (r *Report) index(ctx context.Context, p *project.Project, log *slog.Logger) {
	if _, err := os.Stat(p.Path("index")); err != nil {
		r.add("index", Weak, "there is none yet; the first question builds it", "code-intel index")
		return
	}
	x, err := index.Open(ctx, p, log)
	if err != nil {
		r.refused("index", err, "remove .code-intel/index and run code-intel index")
		return
	}
	st, err := x.Stats(ctx)
	if err = errors.Join(err, x.Close()); err != nil {
		r.refused("index", err, "remove .code-intel/index and run code-intel index")
		return
	}
	if st.SyncedAt.IsZero() {
		r.add("index", Weak, "it was never built to its end", "code-intel index")
		return
	}
	r.add("index", Good, fmt.Sprintf("%d files, %d symbols, synchronised %s", st.Files, st.Symbols, st.SyncedAt.Local().Format(time.DateTime)), "")
}

// lock tells who leads a session of this project.
func (r *Report) lock(p *project.Project) {
	file := p.Path("sessions", "session.lock")
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return
	}
	unlock, err := atomicfile.TryLock(file, "doctor")
	var held *atomicfile.Held
	switch {
	case errors.As(err, &held):
		r.add("session", Good, "one is open in another process: "+held.Holder, "")
	case err != nil:
		r.refused("session", err, "see that .code-intel/sessions lies on a file system with locks")
	default:
		unlock()
	}
}

func (r *Report) repository(ctx context.Context, root string) {
	repo, err := git.Open(ctx, root)
	var none *git.NotRepository
	switch {
	case errors.As(err, &none):
		r.add("repository", Weak, "no git repository: a session makes no branch and no commit here", "git init")
		return
	case err != nil:
		r.refused("repository", err, "git -C "+root+" status")
		return
	}
	if same, err := filepath.EvalSymlinks(root); err == nil && same != repo.Dir {
		r.add("repository", Weak, "the project is a folder of the repository "+repo.Dir+"; a session's branch is of all of it", "")
		return
	}
	r.add("repository", Good, repo.Dir, "")
}

// clients looks for programs that can use the server.
func (r *Report) clients(look func(string) (string, error)) {
	var names []string
	for _, c := range registry.All {
		if _, err := look(c.Command); err == nil {
			r.Clients = append(r.Clients, c.Command)
			names = append(names, c.Setup.Title)
		}
	}
	if len(names) == 0 {
		r.add("clients", Weak, "no coding agent that speaks MCP is on PATH", "install one, such as Claude Code; then: code-intel install claude")
	} else {
		r.add("clients", Good, strings.Join(names, ", "), "")
		r.Enforcement = Audit
	}
}

// level says what stands between a model and an illegal write.
func (r *Report) level() {
	level := "L0: only instructions; no client to serve was found"
	switch r.Enforcement {
	case Audit:
		level = "L1: the server checks what was done when a phase is submitted; no hook refuses a write before it happens (code-intel install CLIENT)"
	case Guarded:
		level = "L3: hooks deny what the session forbids before it happens; each session says what it has really seen"
	}
	r.add("enforcement", Good, level, "")
}
