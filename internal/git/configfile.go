package git

import (
	"errors"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
)

// A configLine is a line of a configuration: a key without its section, in lower case, and its value.
type configLine struct{ key, value string }

// configLines returns what a configuration says, as far as git can read it. It is read here because git would
// open the files that it includes.
func configLines(text string) (all []configLine) {
	p := &configText{strings.ReplaceAll(strings.TrimPrefix(text, "\ufeff"), "\r\n", "\n") + "\n"}
	for p.rest != "" {
		switch c := p.next(); {
		case c == ' ' || '\t' <= c && c <= '\r':
		case c == '#' || c == ';':
			_, p.rest, _ = strings.Cut(p.rest, "\n")
		case c == '[':
			if !p.section() {
				return all
			}
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			key := string(c) + p.takeWhile(func(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' })
			p.takeWhile(func(c byte) bool { return c == ' ' || c == '\t' })
			end := p.next()
			if end == '\n' {
				continue // it is true
			}
			value, ok := p.value()
			if end != '=' || !ok {
				return all
			}
			all = append(all, configLine{strings.ToLower(key), value})
		default:
			return all
		}
	}
	return all
}

// A configText is what is still to be read of a configuration; it ends with a line end.
type configText struct{ rest string }

func (p *configText) next() byte {
	if p.rest == "" {
		return '\n'
	}
	c := p.rest[0]
	p.rest = p.rest[1:]
	return c
}

func (p *configText) takeWhile(is func(c byte) bool) string {
	n := 0
	for n < len(p.rest) && is(p.rest[n]) {
		n++
	}
	read := p.rest[:n]
	p.rest = p.rest[n:]
	return read
}

// section skips the rest of a header, and reports whether it is one.
func (p *configText) section() bool {
	quoted := false
	for {
		switch c := p.next(); {
		case c == '\n':
			return false
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			p.next()
		case !quoted && c == ']':
			return true
		}
	}
}

// value reads up to the end of a line that is not continued.
func (p *configText) value() (string, bool) {
	var b strings.Builder
	quoted, spaces := false, 0
	for {
		c := p.next()
		switch {
		case c == '\n':
			return b.String(), !quoted
		case !quoted && (c == '#' || c == ';'):
			_, p.rest, _ = strings.Cut(p.rest, "\n")
			return b.String(), true
		case !quoted && (c == ' ' || '\t' <= c && c <= '\r'):
			if b.Len() > 0 {
				spaces++
			}
			continue
		}
		b.WriteString(strings.Repeat(" ", spaces))
		spaces = 0
		switch c {
		case '"':
			quoted = !quoted
		case '\\':
			switch c := p.next(); c {
			case '\n':
			case 't', 'b', 'n':
				b.WriteByte(map[byte]byte{'t': '\t', 'b': '\b', 'n': '\n'}[c])
			case '\\', '"':
				b.WriteByte(c)
			default:
				return "", false
			}
		default:
			b.WriteByte(c)
		}
	}
}

// expand returns a name in a configuration as git takes it, see path in git-config(1); relative ones stay.
func expand(name string) string {
	if rest, ok := strings.CutPrefix(name, "%(prefix)/"); ok {
		return filepath.Join("/usr", rest) // or elsewhere: enough ".." lead to the same place
	}
	if !strings.HasPrefix(name, "~") {
		return name
	}
	who, rest, _ := strings.Cut(name[1:], "/")
	home, _ := os.UserHomeDir()
	if who != "" {
		u, err := user.Lookup(who)
		if err != nil {
			return name
		}
		home = u.HomeDir
	}
	return filepath.Join(home, rest)
}

// Limits of what one configuration names, over all that it includes, each as often as git would read it:
// ten levels of two lines each already name a thousand.
const (
	maxNames    = 100_000
	maxIncludes = 300
)

// eachNamed calls visit for every file that a configuration, or one that it includes, names for whatever
// purpose. top is the folder that git runs in.
func eachNamed(file, top string, visit func(key, at string, info fs.FileInfo) error) error {
	n := named{top: top, visit: visit}
	err := n.in(file, 0)
	if err == nil && (n.names > maxNames || n.includes > maxIncludes) {
		return problem.New(gitTooSlow, "git.config_without_end", file).Or("git.look_at_includes")
	}
	return err
}

// named is a walk through a configuration and what it includes.
type named struct {
	top             string
	visit           func(key, at string, info fs.FileInfo) error
	names, includes int
}

func (n *named) in(file string, depth int) error {
	data, err := repofile.At(file).Read(repofile.Settings)
	if refused := new(repofile.Refusal); errors.As(err, &refused) {
		return refused
	}
	if err != nil || depth > 10 { // git includes no deeper
		return nil
	}
	for _, e := range configLines(string(data)) {
		if n.names++; n.names > maxNames || n.includes > maxIncludes {
			return nil
		}
		if strings.HasPrefix(e.value, "~") {
			n.names += 50 // a user is looked up
		}
		name := expand(e.value)
		if rest, ok := strings.CutPrefix(name, "/proc/self/cwd"); ok {
			name = filepath.Join(n.top, rest)
		}
		for _, base := range []string{n.top, filepath.Dir(file)} {
			at := name
			if !filepath.IsAbs(at) {
				at = filepath.Join(base, at)
			}
			info, err := os.Stat(at)
			if err != nil || info.IsDir() || at == file {
				continue
			}
			if err := n.visit(e.key, at, info); err != nil {
				return err
			}
			if e.key != "path" || info.Size() > repofile.Settings {
				continue
			}
			n.includes++
			if err := n.in(at, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkConfig looks at the files that a configuration names, whatever for.
func checkConfig(file, top string) error {
	return eachNamed(file, top, func(_, at string, _ fs.FileInfo) error { return repofile.At(at).CheckTarget(0) })
}

// neverQuoted matches the keys of files of which git quotes no line.
var neverQuoted = lazyregexp.MustCompile(`^(signingkey|allowedsignersfile|revocationfile|sslcainfo|sslcert|sslkey|cookiefile|template|excludesfile)$`)

// namesOutside returns a file outside of the repository that its own configuration has git read, or "".
func (r *Repo) namesOutside() (name string) {
	dirs := r.gitDirs()
	if r.GitDir == "" {
		dirs = dirsAround(r.Dir)
	}
	for _, dir := range dirs {
		for _, config := range []string{"config", "config.worktree"} {
			_ = eachNamed(filepath.Join(dir, config), r.Dir, func(key, at string, info fs.FileInfo) error {
				if neverQuoted.MatchString(key) {
					return nil
				}
				to, err := filepath.EvalSymlinks(at)
				if err == nil && info.Mode()&0o111 == 0 && !slices.ContainsFunc(append(dirs, r.Dir), func(dir string) bool { return isWithin(to, dir) }) {
					name = at
				}
				return nil
			})
		}
	}
	return name
}
