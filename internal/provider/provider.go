// Package provider looks up the meaning of names in precise sources: SCIP indexes of a project, and language
// servers that are installed and trusted.
//
// Their answers take precedence over what is inferred from the code alone. They are answers
// for single places: a place that no provider knows is left to inference.
package provider

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"

	"codeintel/internal/platform/softdeadline"
	"codeintel/internal/project"
	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
)

// A Provider knows exactly what names mean in some files of a project.
type Provider interface {
	// Uses returns what the places that the question is about mean; places that the
	// provider does not know are missing. It is nil where it knows none of the targets.
	Uses(ctx context.Context, q Question) (*Exact, error)

	// Stop ends what runs. The next question starts it again.
	Stop()
}

// A Question asks for the uses of what is declared, or used, at some places.
type Question struct {
	Targets  []resolve.Position
	Name     string
	Language syntax.Language // of the first target
	Holding  []string        // the files in which the name occurs

	// Files are all files of the project, as they are now.
	Files iter.Seq[resolve.FileVersion]
}

// Exact is what providers know of the places of a name.
type Exact struct {
	Uses  map[resolve.Position]resolve.Reference
	Files map[string]bool // files whose uses are all known: others in them are not uses
	Asked int             // how many of the targets were known
}

// maxPlaces is how many places of one name providers may know; each takes about a kilobyte
// until it is shown.
const maxPlaces = 200_000

func newExact() *Exact {
	return &Exact{Uses: map[resolve.Position]resolve.Reference{}, Files: map[string]bool{}}
}

// add notes what a place means.
func (x *Exact) add(u resolve.Reference) error {
	if x.Uses[u.Position] = u; len(x.Uses) > maxPlaces {
		return fmt.Errorf("more than %d places", maxPlaces)
	}
	return nil
}

// Providers are those of one project. It is safe for use by several goroutines.
type Providers struct {
	p       *project.Project
	indexes []*scipIndex

	mu      sync.Mutex
	found   bool      // the servers of this machine were looked for
	servers []*server // under mu, until then none
}

// Open returns the providers of a project. Nothing is read or started before a
// question needs it.
func Open(p *project.Project) *Providers {
	o := &Providers{p: p}
	all := new(indexCache)
	for _, path := range p.Config.SCIP {
		o.indexes = append(o.indexes, &scipIndex{p: p, path: path, indexCache: all})
	}
	return o
}

// find returns the language servers. They are looked for in all of PATH, so only once a
// question needs them.
func (o *Providers) find() []*server {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.found {
		for _, s := range servers(o.p) {
			o.servers = append(o.servers, newServer(o.p, s))
		}
		o.found = true
	}
	return o.servers
}

// None reports whether no provider here can know a language, so that there is no point in
// asking. It reads no index and starts nothing.
func (o *Providers) None(l syntax.Language) bool {
	return !slices.ContainsFunc(o.indexes, (*scipIndex).exists) &&
		!slices.ContainsFunc(o.find(), func(s *server) bool { return s.supports(l) && s.trusted() })
}

// Uses asks each provider that knows the language, those with an index first. The
// error says which of them did not answer; what others know is returned all the same.
// Language servers get the time of [wait] together.
func (o *Providers) Uses(ctx context.Context, q Question) (*Exact, error) {
	if len(q.Targets) == 0 {
		return nil, nil
	}
	all := newExact()
	var errs []error
	take := func(ctx context.Context, p Provider) {
		x, err := p.Uses(ctx, q)
		if err != nil {
			errs = append(errs, err)
		}
		if x == nil {
			return
		}
		for at, u := range x.Uses {
			if _, known := all.Uses[at]; known {
				continue
			}
			if err := all.add(u); err != nil {
				errs = append(errs, err)
				return
			}
		}
		maps.Copy(all.Files, x.Files)
		all.Asked = max(all.Asked, x.Asked)
	}
	for _, x := range o.indexes {
		take(ctx, x)
	}
	ctx, stop := answerContext(softdeadline.Context(ctx))
	defer stop()
	if all.Asked < len(q.Targets) {
		for _, s := range o.find() {
			if s.supports(q.Language) {
				take(ctx, s)
			}
		}
	}
	if all.Asked == 0 {
		all = nil
	}
	return all, errors.Join(errs...)
}

// Stop ends the language servers that run, and lets go of indexes.
func (o *Providers) Stop() {
	for _, x := range o.indexes {
		x.Stop()
	}
	o.mu.Lock()
	found := o.servers
	o.mu.Unlock()
	for _, s := range found {
		s.Stop()
	}
}
