package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
)

// A Program is named by a repository, and git would run it: a filter, a hook, a merge
// driver, a program that signs commits or opens the network. Programs that the user's
// own configuration names are not included.
type Program struct {
	Name    string // as git names it: "filter.lfs.clean", "hooks/pre-commit"
	Command string // of a setting
	File    string // of a hook, or what a command of the repository's own files begins with; absolute
	Content []byte // what is trusted: the command, and the file
	Network bool   // git runs it only to reach another machine
}

// Permitted says whether a program of the repository with this common directory may
// run. It is asked before each command that could run one. The main program sets it
// at its start; while it is nil, whoever uses this package answers for the repository.
var Permitted func(commonDir string, p Program) bool

// A setting is one of git's that goes before everything that files say.
type setting struct{ name, value string }

// never are settings that keep git from running programs of a repository only to answer a
// question, or to tidy up.
var never = []setting{
	{"core.fsmonitor", "false"}, {"core.pager", "cat"}, {"core.alternateRefsCommand", ""}, {"log.showSignature", "false"},
	{"protocol.ext.allow", "never"}, {"maintenance.auto", "false"}, {"gc.auto", "0"},
	{"submodule.recurse", "false"}, {"fetch.recurseSubmodules", "false"}, {"push.recurseSubmodules", "no"},
}

// noHooks names a folder in which no hook can lie.
var noHooks = setting{"core.hooksPath", filepath.Join(os.DevNull, "none")}

// programKeys are the settings that name a program which git runs when it writes.
var programKeys = lazyregexp.MustCompile(`^(filter\..*\.(clean|smudge|process)|merge\..*\.driver|gpg\.(.*\.)?program|gpg\.ssh\.defaultkeycommand|` +
	`core\.(sshcommand|askpass|gitproxy)|credential\.(.*\.)?helper|remote\..*\.(receivepack|uploadpack)|trailer\..*\.(command|cmd))$`)

var networkKeys = lazyregexp.MustCompile(`^(core\.|credential\.|remote\.)`)

// replacementValue returns the value that replaces a program which may not run.
func replacementValue(key string) string {
	switch {
	case strings.HasPrefix(key, "merge."):
		return "git merge-file --quiet %A %O %B" // as git merges by itself
	case strings.HasSuffix(key, ".receivepack"):
		return "git-receive-pack"
	case strings.HasSuffix(key, ".uploadpack"):
		return "git-upload-pack"
	case strings.HasPrefix(key, "gpg."), key == "core.sshcommand":
		return "false"
	}
	return ""
}

// settings returns the settings that a command gets besides its arguments.
func (r *Repo) settings(ctx context.Context, c Command) ([]setting, error) {
	if verb(c.Args) == "config" || verb(c.Args) == "rev-parse" {
		return nil, nil // they read settings, and are to see those of the files
	}
	all := slices.Clone(never)
	if c.Effect != Hooks {
		all = append(all, noHooks)
	}
	if c.Effect == Hooks {
		if err := r.Trusted(ctx, slices.Contains([]string{"push", "fetch"}, verb(c.Args))); err != nil {
			return nil, err
		}
		if Permitted != nil && r.CommonDir != "" {
			own, err := r.configured(ctx)
			if err != nil {
				return nil, err
			}
			if own.hooks != "" && own.hooks != filepath.Join(r.CommonDir, "hooks") { // the folder that was looked into, whatever git takes its name for
				all = append(all, setting{noHooks.name, own.hooks})
			}
		}
	}
	if !c.writes() && c.reach() != everything || Permitted == nil || r.CommonDir == "" {
		return all, nil
	}
	programs, err := r.Programs(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range programs {
		switch filter, isFilter := strings.CutPrefix(p.Name, "filter."); {
		case Permitted(r.CommonDir, p):
			continue
		case strings.HasPrefix(p.Name, "hooks/"):
			continue // it is not run by what this command is, or it is refused
		case isFilter:
			all = append(all, setting{"filter." + filter[:strings.LastIndexByte(filter, '.')] + ".required", "false"})
		}
		all = append(all, setting{p.Name, replacementValue(strings.ToLower(p.Name))})
	}
	return all, nil
}

// Untrusted is the code of a Problem with programs that the user does not trust.
const Untrusted problem.Code = "untrusted_program"

// Trusted returns a Problem unless the user trusts every program that the repository
// makes git run to read, commit and merge files; with network, also to push and fetch.
func (r *Repo) Trusted(ctx context.Context, network bool) error {
	if Permitted == nil || r.CommonDir == "" {
		return nil
	}
	programs, err := r.Programs(ctx)
	if err != nil {
		return err
	}
	var names []string
	for _, p := range programs {
		if (!p.Network || network) && !Permitted(r.CommonDir, p) {
			names = append(names, strings.TrimSpace(p.Name+" "+strconv.Quote(cmp.Or(p.Command, p.File))))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return problem.New(Untrusted, "git.untrusted_programs", strings.Join(names, ", ")).Or("git.trust_programs")
}

// plainOutputArgs makes a command show the contents of files, not what a program makes of them, and
// look at no files of submodules: another git would do that, with their own programs.
func plainOutputArgs(args []string) []string {
	at := slices.Index(args, verb(args))
	switch args[at] {
	case "diff":
		return slices.Insert(slices.Clone(args), at+1, "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty")
	case "log", "show":
		return slices.Insert(slices.Clone(args), at+1, "--no-ext-diff", "--no-textconv")
	case "status":
		return slices.Insert(slices.Clone(args), at+1, "--ignore-submodules=dirty")
	}
	return args
}

// asEnvironment returns settings as environment variables of git.
func asEnvironment(settings []setting) []string {
	env := []string{fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(settings))}
	for i, s := range settings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, s.name), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, s.value))
	}
	return env
}

// known caches what configurations name, as long as their files are unchanged.
var known struct {
	sync.Mutex
	by map[string]configuration
}

// A configuration is what one of a repository says of programs.
type configuration struct {
	stamp    string
	programs []Program
	optional []string // "filter.NAME" of those that are not required, the user's own included
	hooks    string   // the folder of the hooks; "" if it is the user's, for every repository
}

// Programs returns the programs that the repository names, sorted.
func (r *Repo) Programs(ctx context.Context) ([]Program, error) {
	c, err := r.configured(ctx)
	if err != nil {
		return nil, err
	}
	all := slices.Clone(c.programs)
	for i := range all {
		all[i].complete(r.Dir)
	}
	if c.hooks == "" {
		return all, nil
	}
	entries, _ := repofile.At(c.hooks).List() // what cannot be read cannot be run
	for _, e := range entries {
		file := filepath.Join(c.hooks, e.Name())
		info, err := os.Stat(file)
		if err != nil || info.IsDir() || info.Mode()&0o111 == 0 || strings.Contains(e.Name(), ".") {
			continue
		}
		data, err := repofile.At(file).Read(repofile.Settings)
		if err != nil {
			data = []byte(err.Error())
		}
		all = append(all, Program{Name: "hooks/" + e.Name(), File: file, Content: data, Network: e.Name() == "pre-push"})
	}
	return all, nil
}

// runsPrograms reports whether a command may run programs of the repository that are trusted, or hooks of
// the user's own, or it does not matter whether it does.
func (r *Repo) runsPrograms(ctx context.Context, c Command) bool {
	if Permitted == nil || r.CommonDir == "" {
		return true
	}
	own, err := r.configured(ctx)
	if err == nil && c.Effect == Hooks && own.hooks == "" {
		return true
	}
	all, err := r.Programs(ctx)
	return err == nil && slices.ContainsFunc(all, func(p Program) bool { return Permitted(r.CommonDir, p) })
}

// storesUnfiltered reports whether a command may run filters that are not required: git stores what a file
// holds, which may be a secret, where such a filter fails.
func (r *Repo) storesUnfiltered(ctx context.Context, c Command) bool {
	if !c.writes() || r.CommonDir == "" {
		return false
	}
	own, err := r.configured(ctx)
	if err != nil || len(own.optional) == 0 {
		return false
	}
	all, err := r.Programs(ctx)
	return err == nil && slices.ContainsFunc(own.optional, func(filter string) bool {
		i := slices.IndexFunc(all, func(p Program) bool {
			key, ok := strings.CutPrefix(p.Name, filter+".")
			return ok && !strings.Contains(key, ".") // else it is one of another filter, "NAME.more"
		})
		return i < 0 || Permitted == nil || Permitted(r.CommonDir, all[i]) // the user's own, or trusted
	})
}

// complete adds the files of the repository that a command names, which are trusted
// with it.
func (p *Program) complete(top string) {
	p.Content = []byte(p.Command)
	for word := range strings.FieldsSeq(p.Command) {
		word = strings.TrimPrefix(strings.Trim(word, `'";&|()`), top+string(filepath.Separator))
		data, err := repofile.In(top, word).Read(repofile.Settings)
		if err != nil {
			continue
		}
		if p.File == "" {
			p.File = filepath.Join(top, filepath.FromSlash(word))
		}
		p.Content = append(append(p.Content, 0), data...)
	}
}

func last(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[len(values)-1]
}

// hooksFolder returns the folder of the hooks that git's configuration names, with no link in it: a name
// such as /proc/self/cwd/hooks is another folder for each process. It returns one in which no hook can lie
// if there is none.
func (r *Repo) hooksFolder(ctx context.Context) (string, error) {
	out, err := r.Run(ctx, "rev-parse", "--git-path", "hooks")
	if err != nil {
		return "", err
	}
	dir, err := filepath.EvalSymlinks(r.named(strings.TrimSuffix(out, "\n"), noHooks.value))
	if err != nil {
		return noHooks.value, nil
	}
	return dir, nil
}

// optionalFilters returns "filter.NAME" of each filter that is not required, from scopes and settings in turn.
func optionalFilters(fields []string) (optional []string) {
	filters, required := make(map[string]bool), make(map[string]bool)
	for i := 0; i+1 < len(fields); i += 2 {
		setting, value, hasValue := strings.Cut(fields[i+1], "\n")
		dot := strings.LastIndexByte(setting, '.')
		filter, key := setting[:max(0, dot)], setting[dot+1:]
		switch {
		case !strings.HasPrefix(filter, "filter."):
		case key == "required":
			required[filter] = !hasValue || slices.Contains([]string{"true", "yes", "on", "1"}, strings.ToLower(value))
		case value != "" && programKeys.MatchString(strings.ToLower(setting)):
			filters[filter] = true
		}
	}
	for filter := range filters {
		if !required[filter] {
			optional = append(optional, filter)
		}
	}
	return optional
}

// usersFiles returns the files of git's configuration that are the user's own or the system's.
func usersFiles() []string {
	files := []string{cmp.Or(os.Getenv("GIT_CONFIG_SYSTEM"), "/etc/gitconfig")}
	if global := os.Getenv("GIT_CONFIG_GLOBAL"); global != "" {
		return append(files, global)
	}
	if home, err := os.UserHomeDir(); err == nil {
		files = append(files, filepath.Join(home, ".gitconfig"))
	}
	return append(files, userFile("config"))
}

// settingsText returns the text of all files of git's configuration, to tell whether one has changed.
func (r *Repo) settingsText() (text []byte, err error) {
	for _, file := range []string{filepath.Join(r.CommonDir, "config"), filepath.Join(r.GitDir, "config.worktree")} {
		data, err := repofile.At(file).Read(repofile.Settings)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("git: %w", err)
		}
		text = append(text, data...)
	}
	for _, file := range usersFiles() {
		if file == os.DevNull {
			continue
		}
		data, err := repofile.At(file).Read(repofile.Settings)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			data = []byte("include") // git may be able to read it
		}
		text = append(append(text, 0), data...)
	}
	return text, nil
}

// configured reads what git's configuration says of programs, if a file of it is another than before.
func (r *Repo) configured(ctx context.Context) (configuration, error) {
	text, err := r.settingsText()
	if err != nil {
		return configuration{}, err
	}
	key, stamp := r.CommonDir+"\x00"+r.GitDir, digest(text)
	known.Lock()
	c, ok := known.by[key]
	known.Unlock()
	if ok && c.stamp == stamp && c.hooks != noHooks.value && !strings.Contains(strings.ToLower(string(text)), "include") {
		return c, nil
	}
	out, err := r.Run(ctx, "config", "--null", "--show-scope", "--list")
	if err != nil {
		return c, err
	}
	theirs, own := make(map[string][]string), make(map[string][]string)
	fields := strings.Split(out, "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		name, value, _ := strings.Cut(fields[i+1], "\n")
		if lower := strings.ToLower(name); lower != "core.hookspath" && !programKeys.MatchString(lower) {
			continue
		}
		if scope := fields[i]; scope == "local" || scope == "worktree" {
			own[name] = append(own[name], value)
		} else {
			theirs[name] = append(theirs[name], value)
		}
	}
	c = configuration{stamp: stamp, hooks: filepath.Join(r.CommonDir, "hooks"), optional: optionalFilters(fields)}
	if hooks := own["core.hookspath"]; len(hooks) > 0 && last(hooks) == "" {
		c.hooks = noHooks.value // git looks for them in /
	} else if len(hooks) > 0 {
		if c.hooks, err = r.hooksFolder(ctx); err != nil {
			return c, err
		}
	} else if hooks := last(theirs["core.hookspath"]); hooks != "" {
		if c.hooks = ""; !filepath.IsAbs(hooks) && !strings.HasPrefix(hooks, "~/") { // a folder of each repository
			if c.hooks, err = r.hooksFolder(ctx); err != nil {
				return c, err
			}
		}
	}
	delete(own, "core.hookspath")
	for name, values := range own { // git runs the last one, and every helper for credentials
		values = slices.DeleteFunc(values, func(v string) bool { return v == "" || slices.Contains(theirs[name], v) })
		if len(values) > 0 {
			c.programs = append(c.programs, Program{Name: name, Command: strings.Join(values, "\n"),
				Network: networkKeys.MatchString(strings.ToLower(name))})
		}
	}
	slices.SortFunc(c.programs, func(a, b Program) int { return strings.Compare(a.Name, b.Name) })
	known.Lock()
	defer known.Unlock()
	if known.by == nil {
		known.by = make(map[string]configuration)
	}
	known.by[key] = c
	return c, nil
}
