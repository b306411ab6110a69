package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"codeintel/internal/platform/atomicfile"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
)

// Apply carries a plan out. A file that has changed since it was planned ends it
// before anything is written.
func (p *Plan) Apply() error {
	for _, c := range p.Changes {
		now, err := repofile.At(c.target).Read(repofile.Records)
		if errors.Is(err, fs.ErrNotExist) && c.before == nil {
			continue
		}
		if err != nil {
			return fmt.Errorf("install: %w", err)
		}
		if c.before == nil || !bytes.Equal(now, c.before) {
			return problem.New(Meanwhile, "install.changed_meanwhile", c.Path).Or("install.run_again")
		}
	}
	if err := p.memory.save(); err != nil { // ahead of the files, which uninstall finds as they are
		return err
	}
	for _, c := range p.Changes {
		if err := c.apply(p.place); err != nil {
			return fmt.Errorf("install: %w", err)
		}
	}
	return p.prune()
}

func (c Change) apply(p Place) error {
	if c.after == nil {
		return repofile.At(c.target).Remove()
	}
	mode := fs.FileMode(0o644)
	if p.Scope == User {
		mode = 0o600
	}
	if info, err := os.Stat(c.target); err == nil {
		mode = info.Mode().Perm()
	}
	return atomicfile.WriteMode(c.target, c.after, mode)
}

// prune removes the folders that install has made and that hold nothing any more.
func (p *Plan) prune() error {
	gone := false
	dirs := slices.Clone(p.memory.Dirs)
	slices.Sort(dirs)
	for _, dir := range slices.Backward(dirs) { // inner ones first
		entries, err := repofile.At(dir).List()
		if err == nil && len(entries) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			if err := repofile.At(dir).Remove(); err != nil {
				continue // another entry needs it
			}
		}
		p.memory.Dirs = slices.DeleteFunc(p.memory.Dirs, func(d string) bool { return d == dir })
		gone = true
	}
	if gone {
		return p.memory.save()
	}
	return nil
}
