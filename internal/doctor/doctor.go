// Package doctor reports what works in a project, what is missing, and how to fix it.
//
// It changes nothing. Each finding names its fix: a command to run or something to do.
package doctor

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"codeintel/internal/clients/install"
	"codeintel/internal/clients/registry"
	"codeintel/internal/git"
	"codeintel/internal/index"
	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/searchpath"
	"codeintel/internal/problem"
	"codeintel/internal/problem/systemerror"
	"codeintel/internal/project"
)

// A Verdict is the result of a check.
type Verdict string

// The verdicts, from the best.
const (
	Good Verdict = "ok"
	Weak Verdict = "warn" // works, but not as well as it could
	Bad  Verdict = "fail" // does not work
)

// A Finding is the result of one check.
type Finding struct {
	Name    string      `json:"name"`
	Verdict Verdict     `json:"verdict"`
	Detail  msg.Message `json:"detail"`
	Fix     msg.Message `json:"fix,omitzero"`
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
		detail := strings.ReplaceAll(f.Detail.String(), "\n", "\n                   ") // a name may hold a line end
		fmt.Fprintf(&b, "%-4s  %-12s %s\n", f.Verdict, f.Name, detail)
		if !f.Fix.IsZero() {
			fmt.Fprintf(&b, "      %-12s fix: %s\n", "", f.Fix)
		}
	}
	return b.String()
}

func (r *Report) add(name string, v Verdict, detail, fix msg.Message) {
	r.Findings = append(r.Findings, Finding{name, v, detail, fix})
}

// none is the fix of a finding that needs none.
var none msg.Message

// Examine looks at the project that dir is in. Programs are looked for by
// look, as exec.LookPath does; places are where the program may be set up.
func Examine(ctx context.Context, dir string, look func(string) (string, error), places []install.Place,
	log *slog.Logger) *Report {
	r := &Report{Enforcement: Prompts, Clients: []string{}, Findings: []Finding{}}
	hasGit := r.git(ctx, dir, look)
	root, err := project.Find(dir)
	if err != nil {
		r.refused("project", err, msg.New("doctor.name_folder"))
		return r
	}
	r.Root = root
	if p := r.project(root); p != nil {
		r.writable(p)
		r.context(p)
		r.verifiers(p, look)
		r.texts(ctx, p)
		r.providers(ctx, p)
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
func (r *Report) refused(name string, err error, fix msg.Message) {
	detail := msg.Of(err)
	if p := problem.Of(err); p != nil {
		detail = p.Message
	}
	r.add(name, Bad, detail, fixOf(err, fix))
}

// fixOf returns the fix of what a Problem or the environment of the program says is wrong, and
// usual for other errors.
func fixOf(err error, usual msg.Message) msg.Message {
	if p := cmp.Or(problem.Of(err), systemerror.Of(err)); p != nil && len(p.Next) > 0 {
		return Either(p.Next)
	}
	return usual
}

// Either joins alternative fixes into one.
func Either(ways []msg.Message) msg.Message {
	var parts []any
	for _, w := range ways {
		parts = append(parts, w)
	}
	return msg.Join("list.or", parts...)
}

// gitNeeded is the oldest git that can merge in memory (git merge-tree
// --write-tree), which a session does before it touches the base branch.
var gitNeeded = [2]int{2, 38}

var versionNumber = lazyregexp.MustCompile(`(\d+)\.(\d+)`)

func (r *Report) git(ctx context.Context, dir string, look func(string) (string, error)) bool {
	path, err := look("git")
	if err != nil && !errors.Is(err, exec.ErrDot) { // one in a relative folder is passed over
		r.add("git", Bad, msg.New("doctor.git_missing"), msg.New("doctor.install_git"))
		return false
	}
	out, err := searchpath.Command(ctx, dir, "git", "version").Output()
	if err != nil {
		r.add("git", Bad, msg.New("doctor.git_does_not_run", path, err), fixOf(err, msg.New("doctor.fix_git")))
		return false
	}
	said := strings.TrimSpace(string(out))
	m := versionNumber.FindStringSubmatch(said)
	if m == nil {
		r.add("git", Weak, msg.New("doctor.git_version_unreadable", said), msg.New("doctor.use_git"))
		return true
	}
	major, _ := strconv.Atoi(m[1]) // digits
	minor, _ := strconv.Atoi(m[2])
	if major < gitNeeded[0] || major == gitNeeded[0] && minor < gitNeeded[1] {
		r.add("git", Weak, msg.New("doctor.git_too_old", said), msg.New("doctor.install_git"))
		return true
	}
	r.add("git", Good, msg.Literal(said), none)
	return true
}

func (r *Report) project(root string) *project.Project {
	p, err := project.OpenRoot(root)
	if err != nil {
		r.refused("project", err, msg.New("doctor.fix_config"))
		return nil
	}
	if !p.IsSetUp() {
		r.add("project", Weak, msg.New("doctor.not_set_up", root), msg.Literal("code-intel init"))
		return p
	}
	r.add("project", Good, msg.Literal(root), none)
	return p
}

// writable makes and removes a file where the program would write: nowhere in the
// project before it is set up.
func (r *Report) writable(p *project.Project) {
	dir := p.Path()
	if !p.IsSetUp() {
		if at, err := p.IndexDir(); err == nil {
			r.add("permission", Good, msg.New("doctor.can_write", at), none)
		}
		return
	}
	f, err := os.CreateTemp(dir, ".code-intel-doctor-*")
	if err != nil {
		r.add("permission", Bad, msg.New("doctor.cannot_write", dir, err), fixOf(err, msg.New("doctor.grant_or_free")))
		return
	}
	f.Close()
	if err := os.Remove(f.Name()); err != nil {
		r.add("permission", Weak, msg.Of(err), msg.New("doctor.remove_that_file"))
		return
	}
	r.add("permission", Good, msg.New("doctor.can_write", dir), none)
}

func (r *Report) context(p *project.Project) {
	if _, err := p.LoadContext(); err != nil {
		r.refused("context.yml", err, msg.New("doctor.fix_context"))
	}
}

// index opens the index only if there is one: opening makes it.
func (r *Report) index(ctx context.Context, p *project.Project, log *slog.Logger) {
	dir, err := p.IndexDir()
	if err != nil {
		r.refused("index", err, none)
		return
	}
	r.add("index location", Good, msg.Literal(dir), none)
	if p.IsSetUp() && !p.IndexInProject(dir) {
		r.Findings[len(r.Findings)-1].Detail = msg.New("doctor.index_in_cache", dir, p.Path())
	}
	if _, err := os.Stat(dir); err != nil {
		r.add("index", Weak, msg.New("doctor.index_missing"), msg.Literal("code-intel index"))
		return
	}
	x, err := index.Open(ctx, p, log)
	if err != nil {
		r.refused("index", err, msg.New("doctor.rebuild_index", dir))
		return
	}
	st, err := x.Stats(ctx)
	if err = errors.Join(err, x.Close()); err != nil {
		r.refused("index", err, msg.New("doctor.rebuild_index", dir))
		return
	}
	if st.SyncedAt.IsZero() {
		r.add("index", Weak, msg.New("doctor.index_unfinished"), msg.Literal("code-intel index"))
		return
	}
	r.add("index", Good, msg.New("doctor.index", st.Files, st.Symbols, st.SyncedAt.Local().Format(time.DateTime)), none)
}

// lock reports a session of this project that another process runs.
func (r *Report) lock(p *project.Project) {
	file := p.Path("sessions", "session.lock")
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return
	}
	unlock, err := atomicfile.TryLock(file, "doctor")
	var held *atomicfile.Held
	switch {
	case errors.As(err, &held):
		r.add("session", Good, msg.New("doctor.session_elsewhere", held.Holder), none)
	case err != nil:
		r.refused("session", err, msg.New("doctor.locks_needed"))
	default:
		unlock()
	}
}

func (r *Report) repository(ctx context.Context, root string) {
	repo, err := git.Open(ctx, root)
	var outside *git.NotRepository
	switch {
	case errors.As(err, &outside):
		r.add("repository", Weak, msg.New("doctor.no_repository"), msg.Literal("git init"))
		return
	case err != nil:
		r.refused("repository", err, msg.Literal("git -C "+root+" status"))
		return
	}
	if same, err := filepath.EvalSymlinks(root); err == nil && same != repo.Dir {
		r.add("repository", Weak, msg.New("doctor.part_of_repository", repo.Dir), none)
		return
	}
	r.add("repository", Good, msg.Literal(repo.Dir), none)
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
		r.add("clients", Weak, msg.New("doctor.no_clients"), msg.New("doctor.install_and_start"))
	} else {
		r.add("clients", Good, msg.Literal(strings.Join(names, ", ")), none)
		r.Enforcement = Audit
	}
}

// level adds the finding that says what keeps a model from a forbidden write.
func (r *Report) level() {
	level := msg.New("doctor.enforcement_l0")
	switch r.Enforcement {
	case Audit:
		level = msg.New("doctor.enforcement_l1")
	case Guarded:
		level = msg.New("doctor.enforcement_l3")
	}
	r.add("enforcement", Good, level, none)
}
