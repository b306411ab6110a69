package embedding

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"codeintel/internal/embedding/hub"
	"codeintel/internal/problem"
)

// Builtin names the model that ships in the program. Package lsa opens it.
const Builtin = "builtin"

// The prefixes of a spec.
const (
	staticPrefix      = "static:"
	transformerPrefix = "transformer:"
	httpPrefix        = "http:"
)

// Open opens the model that spec names: the name of a pulled model, or one of
//
//	static:DIR
//	transformer:DIR
//	http:URL|model=NAME|key=VARIABLE|…
//
// Relative folders are taken from o.Root. [httpModel] says what may
// follow a URL. A model that is not available is a [problem.Problem] that says what to
// do instead.
func Open(ctx context.Context, spec string, o Options) (Model, error) {
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("embedding: %w", err)
	}
	folder := func(dir string) string {
		if filepath.IsAbs(dir) {
			return dir
		}
		return filepath.Join(o.Root, dir)
	}
	switch {
	case spec == Builtin:
		return nil, errors.New("embedding: builtin is opened by package lsa")
	case strings.HasPrefix(spec, staticPrefix):
		return openLocal(folder(spec[len(staticPrefix):]), openStatic)
	case strings.HasPrefix(spec, transformerPrefix):
		return openLocal(folder(spec[len(transformerPrefix):]), openTransformer)
	case strings.HasPrefix(spec, "http://"), strings.HasPrefix(spec, "https://"):
		return openHTTP(ctx, spec, o)
	case strings.HasPrefix(spec, httpPrefix):
		return openHTTP(ctx, spec[len(httpPrefix):], o)
	}
	return openPulled(spec, o)
}

// openPulled opens a model by its name.
func openPulled(name string, o Options) (Model, error) {
	if !hub.Named(name) {
		return nil, problem.New(Unavailable, "embedding.embedding_model_cannot_read_name", name).
			Or("embedding.name_builtin_one_code_intel")
	}
	if o.Models == "" {
		o.Models = hub.Dir(o.Getenv)
	}
	dir := hub.Path(o.Models, name)
	if _, err := os.Stat(dir); o.Models == "" || err != nil {
		return nil, problem.New(Unavailable, "embedding.embedding_model_not_machine", name).
			Or("embedding.fetch_code_intel_model_pull", name).
			Or("embedding.set_embedding_model_builtin_code")
	}
	if isStatic(dir) {
		return openLocal(dir, openStatic)
	}
	return openLocal(dir, openTransformer)
}

// openLocal opens a model in a folder, and tells a missing one with the ways out.
func openLocal(dir string, open func(dir string) (Model, error)) (Model, error) {
	m, err := open(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, problem.New(Unavailable, "embedding.no_whole_embedding_model", dir, err).
			Or("embedding.correct_embedding_model_code_intel").
			Or("embedding.fetch_model_its_name_code").
			Or("embedding.builtin_needs_nothing")
	}
	if p := problem.Of(err); p != nil {
		return nil, p.Or("embedding.builtin_needs_nothing")
	}
	return m, err
}

// recipe is part of every local ID. It changes when this program would make
// other vectors of the same files.
const recipe = "2"

// identify names a model by the hash of the files it is made of. Those that are
// not there count as such. Where a lock file of a pulled model states the hash of
// a file as it is there, the file is not read again.
func identify(kind, dir string, names ...string) (string, error) {
	lock, since := hub.Locked(dir)
	h := sha256.New()
	fmt.Fprintf(h, "%s %s\n", kind, recipe)
	for _, name := range names {
		sum, err := sumOf(dir, name, lock, since)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %s\n", name, sum)
	}
	base := dir
	if absolute, err := filepath.Abs(dir); err == nil {
		base = absolute
	}
	return kind + ":" + filepath.Base(base) + "@" + hex.EncodeToString(h.Sum(nil))[:20], nil
}

func sumOf(dir, name string, lock hub.Lock, since time.Time) (string, error) {
	path := filepath.Join(dir, filepath.FromSlash(name))
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "none", nil
	}
	if err != nil {
		return "", fmt.Errorf("embedding: %w", err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("embedding: %s is no plain file", path)
	}
	for _, f := range lock.Files {
		// A file that was changed since is newer than its lock.
		if f.Path == name && f.Size == info.Size() && info.ModTime().Before(since) {
			return f.SHA256, nil
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("embedding: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("embedding: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// errNotFinite is what a vector with a number that is none comes to.
var errNotFinite = errors.New("a vector holds a number that is infinite or none")

// unit brings v to length 1; zeros stay zeros.
func unit(v []float32) error {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if math.IsNaN(sum) || math.IsInf(sum, 0) {
		return errNotFinite
	}
	if sum == 0 {
		return nil
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
	return nil
}
