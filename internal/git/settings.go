package git

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"codeintel/internal/platform/repofile"
)

// Settings are the configuration and other state, outside commits and files that git shows,
// that decides which files git looks at and how it reads them. If they are equal at two
// moments, nothing was hidden from a [Repo.Snapshot] in between.
type Settings struct {
	Values     map[string]string `json:"settings,omitempty"`   // digests, by what it is in words
	Pushing    map[string]string `json:"-"`                    // likewise, where a push goes to
	Submodules map[string]string `json:"submodules,omitempty"` // by path: the tree of one with changes that are not committed in it
	Hooks      string            `json:"hooks,omitempty"`      // digest of the hooks that may run
}

// bending matches settings that can hide a file, or a change to one, or redirect a push, or say who commits.
const bending = `^(core\.(excludesfile|attributesfile|filemode|ignorecase|symlinks|worktree|autocrlf|eol|hookspath|precomposeunicode|sshcommand|gitproxy)|filter\..*|merge\..*\.driver|diff\..*\.binary|submodule\..*\.ignore|diff\.ignoresubmodules|` +
	`remote\..*\.(url|pushurl|receivepack|mirror|gh-resolved)|remote\.pushdefault|branch\..*\.pushremote|push\..*|url\..*|(user|author|committer)\.(name|email))$`

// pushes reports whether a setting decides where a push goes to and what goes along, whose commits these
// are, or where gh opens a pull request, and not which files git looks at.
func pushes(key string) bool {
	return strings.HasPrefix(key, "user.") || strings.HasPrefix(key, "author.") || strings.HasPrefix(key, "committer.") || strings.HasPrefix(key, "remote.") || strings.HasPrefix(key, "push.") || strings.HasPrefix(key, "url.") ||
		strings.HasPrefix(key, "branch.") || key == "core.sshcommand" || key == "core.gitproxy"
}

// Settings returns the present ones.
func (r *Repo) Settings(ctx context.Context) (*Settings, error) {
	b := &Settings{Values: make(map[string]string), Pushing: make(map[string]string),
		Submodules: make(map[string]string)}
	value, err := r.addConfiguration(ctx, b)
	if err != nil {
		return nil, err
	}
	delete(b.Values, "core.hookspath in git's configuration")
	if rel, err := filepath.Rel(r.Dir, r.GitDir); err == nil {
		b.Values["where .git leads"] = rel
	}
	b.Hooks = hooks(r.named(value["core.hookspath"], filepath.Join(r.CommonDir, "hooks")))
	for what, file := range map[string]string{
		".git/info/exclude":            filepath.Join(r.CommonDir, "info", "exclude"),
		".git/info/grafts":             filepath.Join(r.CommonDir, "info", "grafts"),
		".git/info/attributes":         filepath.Join(r.CommonDir, "info", "attributes"),
		"the user's git ignore file":   r.named(value["core.excludesfile"], userFile("ignore")),
		"the user's attributes of git": r.named(value["core.attributesfile"], userFile("attributes")),
	} {
		data, err := repofile.At(file).Read(repofile.Settings)
		if err == nil && len(bytes.TrimSpace(data)) > 0 { // one that is not there says nothing, and neither does an empty one
			b.Values[what] = digest(data)
		}
	}
	if replaced, err := r.replaced(ctx); err != nil {
		return nil, err
	} else if replaced != "" {
		b.Values["objects that stand for others (git replace)"] = replaced
	}
	return b, r.inspectTree(ctx, b)
}

// configurations are what git said last of the configuration of each repository.
var configurations sync.Map

// A saidConfiguration is what git said of its configuration when its files had a digest.
type saidConfiguration struct{ stamp, out string }

// addConfiguration adds what git's configuration says, and returns the values by key. Git is asked if a file of it is
// another than before.
func (r *Repo) addConfiguration(ctx context.Context, b *Settings) (map[string]string, error) {
	text, err := r.settingsText()
	if err != nil {
		return nil, err
	}
	key, stamp := r.CommonDir+"\x00"+r.GitDir, digest(text)
	var out string
	if last, ok := configurations.Load(key); ok && last.(saidConfiguration).stamp == stamp &&
		!strings.Contains(strings.ToLower(string(text)), "include") {
		out = last.(saidConfiguration).out
	} else {
		out, err = r.Run(ctx, "config", "--null", "--get-regexp", bending)
		if err != nil && ExitCode(err) != 1 { // 1: none is set
			return nil, err
		}
		if now, err := r.settingsText(); err == nil && digest(now) == stamp { // what git read
			configurations.Store(key, saidConfiguration{stamp, out})
		}
	}
	value := make(map[string]string)
	for entry := range strings.SplitSeq(out, "\x00") {
		if key, v, _ := strings.Cut(entry, "\n"); key != "" {
			value[key] = v // of several the last one holds
			in := b.Values
			if pushes(key) {
				in = b.Pushing
			}
			in[key+inConfiguration] += digest([]byte(v))
		}
	}
	return value, nil
}

const inConfiguration = " in git's configuration"

// Redirected returns which settings decide otherwise than once, as [Settings.All] had it, where a push goes to and
// whose the commits are; now are all of these at present.
func (r *Repo) Redirected(ctx context.Context, once map[string]string) (keys []string, now map[string]string,
	err error) {
	b := &Settings{Values: make(map[string]string), Pushing: make(map[string]string)}
	if _, err := r.addConfiguration(ctx, b); err != nil {
		return nil, nil, err
	}
	had := maps.Clone(once)
	maps.DeleteFunc(had, func(key, _ string) bool { return !strings.HasSuffix(key, inConfiguration) || !pushes(key) })
	return Differing(had, b.Pushing), b.Pushing, nil
}

// All returns what decides which files git looks at, and where a push goes to.
func (b *Settings) All() map[string]string {
	all := maps.Clone(b.Values)
	maps.Copy(all, b.Pushing)
	return all
}

// replaced returns a digest of the references under refs/replace, or "" if there are none.
// With them, git shows other contents than those that are committed.
func (r *Repo) replaced(ctx context.Context) (string, error) {
	const under = "refs/replace/"
	var all []string
	if _, err := os.Lstat(filepath.Join(r.CommonDir, "reftable")); err == nil {
		out, err := r.Run(ctx, "for-each-ref", "--format=%(refname) %(objectname)", under)
		if err != nil || out == "" {
			return "", err
		}
		return digest([]byte(out)), nil
	}
	packed, err := repofile.At(filepath.Join(r.CommonDir, "packed-refs")).Read(repofile.Records)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for line := range strings.Lines(string(packed)) {
		if sum, name, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(name, under) {
			all = append(all, name+" "+sum)
		}
	}
	loose, err := repofile.At(filepath.Join(r.CommonDir, under)).List()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	for _, e := range loose {
		if e.IsDir() {
			continue // git takes only names of objects for replaced ones
		}
		sum, err := repofile.At(filepath.Join(r.CommonDir, under, e.Name())).Read(repofile.Settings)
		if err != nil {
			return "", err
		}
		all = append(all, under+e.Name()+" "+strings.TrimSpace(string(sum)))
	}
	if len(all) == 0 {
		return "", nil
	}
	slices.Sort(all)
	return digest([]byte(strings.Join(slices.Compact(all), "\n"))), nil
}

// Differing returns the keys whose values are not the same.
func Differing(had, now map[string]string) (keys []string) {
	for k, v := range now {
		if had[k] != v {
			keys = append(keys, k)
		}
	}
	for k := range had {
		if _, ok := now[k]; !ok {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return keys
}

// inspectTree goes through what git knows of the working tree for what it does not look at.
func (r *Repo) inspectTree(ctx context.Context, b *Settings) error {
	out, err := r.Run(ctx, "ls-files", "-z", "-t", "-s", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return err
	}
	folders, known := map[string]bool{".": true}, make(map[string]bool)
	var left strings.Builder
	for file := range strings.SplitSeq(out, "\x00") {
		tag, name, _ := strings.Cut(file, " ")
		if tag == "?" {
			known[name] = true
			if strings.HasSuffix(name, "/") {
				b.Values[name+", a repository of its own"] = "there"
			}
			continue
		}
		entry, name, _ := strings.Cut(name, "\t")
		known[name] = true
		for dir := path.Dir(name); name != "" && !folders[dir]; dir = path.Dir(dir) {
			folders[dir] = true
		}
		switch {
		case strings.HasPrefix(entry, modeSubmodule):
			if tree := r.inside(ctx, name); tree != "" {
				b.Submodules[name] = tree
			}
		case tag == "S" && !r.existsAt(name):
			left.WriteString(name + "\x00")
		}
	}
	if left.Len() > 0 {
		b.Values["which files are left out of the working tree (skip-worktree, sparse checkout)"] = digest([]byte(left.String()))
	}
	for dir := range folders {
		for _, rules := range []string{".gitignore", ".gitattributes"} {
			name := path.Join(dir, rules)
			if data, err := repofile.In(r.Dir, name).Read(repofile.Settings); err == nil && !known[name] {
				b.Values[name+", which git itself ignores"] = digest(data)
			}
		}
	}
	return nil
}

// inside returns the tree of a submodule whose files differ from its commit, or "". A submodule
// that is missing or cannot be read counts as unchanged.
func (r *Repo) inside(ctx context.Context, name string) string {
	dir := filepath.Join(r.Dir, filepath.FromSlash(name))
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err != nil {
		return ""
	}
	sub, err := Open(ctx, dir)
	if err != nil || sub.Dir == r.Dir {
		return ""
	}
	head, err := sub.Tree(ctx, "HEAD")
	if err != nil {
		return ""
	}
	if now, err := sub.Snapshot(ctx); err == nil && now != head {
		return now
	}
	return ""
}

// named returns the absolute path of a file that git's configuration names, or of
// the one that holds if it names none.
func (r *Repo) named(file, or string) string {
	home, err := os.UserHomeDir()
	switch rest, ok := strings.CutPrefix(file, "~/"); {
	case file == "":
		return or
	case ok && err == nil:
		return filepath.Join(home, rest)
	case !filepath.IsAbs(file):
		return filepath.Join(r.Dir, file)
	}
	return file
}

// userFile is a file of the user's own settings of git.
func userFile(name string) string {
	dir := os.Getenv("XDG_CONFIG_HOME")
	if home, err := os.UserHomeDir(); dir == "" && err == nil {
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "git", name)
}

// hooks returns a digest of the hooks in a folder that git would run; "" if there
// is none.
func hooks(dir string) string {
	entries, err := repofile.At(dir).List()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "unreadable"
	}
	sum := sha256.New()
	none := true
	for _, e := range entries {
		info, err := os.Stat(filepath.Join(dir, e.Name()))
		if err != nil || info.IsDir() || info.Mode()&0o111 == 0 || strings.HasSuffix(e.Name(), ".sample") {
			continue
		}
		data, _ := repofile.At(filepath.Join(dir, e.Name())).Read(repofile.Settings) // what cannot be read cannot be run
		sum.Write([]byte(e.Name() + "\x00" + digest(data) + "\x00"))
		none = false
	}
	if none {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))[:16]
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])[:16]
}
