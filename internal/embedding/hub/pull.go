package hub

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"codeintel/internal/problem"
)

// Hub is where models come from when nothing else is said.
const Hub = "https://huggingface.co"

// A Request says what to fetch.
type Request struct {
	Name     string                            // a short name, or owner/name
	From     string                            // the URL of a hub, a folder, or a .tgz as npm packs it; "": Hub
	Dir      string                            // the folder of models
	Client   *http.Client                      // nil: one of our own
	Now      time.Time                         // for the lock file
	Progress func(file string, done, of int64) // may be nil
	Log      *slog.Logger                      // may be nil
}

// Pull fetches a model, or does nothing if it is there, of that revision and
// whole. It replaces another revision. Problems: [Unknown], [Damaged],
// [Unreachable].
func Pull(ctx context.Context, r Request) (Lock, error) {
	if !Named(r.Name) {
		return Lock{}, problem.New(Unknown, "embedding.no_name_model", r.Name).Or("embedding.name_one_code_intel_model")
	}
	if r.Dir == "" {
		return Lock{}, problem.New(Unknown, "embedding.no_folder_models_neither_xdg").
			Or("embedding.set_one_of_them")
	}
	if r.From == "" {
		r.From = Hub
	}
	if r.Progress == nil {
		r.Progress = func(string, int64, int64) {}
	}
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return Lock{}, fmt.Errorf("models: %w", err)
	}
	// One at a time: two would write to the same files.
	lock := flock.New(filepath.Join(r.Dir, ".lock"))
	if _, err := lock.TryLockContext(ctx, 100*time.Millisecond); err != nil {
		return Lock{}, fmt.Errorf("models: %w", err)
	}
	defer lock.Unlock()

	m := find(r.Name)
	src, err := r.source(ctx, m)
	if err != nil {
		return Lock{}, err
	}
	folder := Path(r.Dir, m.Name)
	if have, err := readLock(folder); err == nil && src.revision != "" && have.Revision == src.revision &&
		have.Source == src.name &&
		examine(m, folder, Hashes).Status == Sound {
		return have, nil
	}
	return r.fetch(ctx, m, src, folder)
}

// fetch brings all files into a folder beside the model's, and moves it there.
func (r *Request) fetch(ctx context.Context, m Model, src *source, folder string) (Lock, error) {
	l := Lock{Name: m.Name, Source: src.name, Revision: src.revision, Fetched: r.Now.UTC()}
	// The revision is part of the name: what was begun of another is of no use.
	staging := filepath.Join(r.Dir, "."+filepath.Base(folder)+".partial-"+src.revision[:min(12, len(src.revision))])
	if src.revision == "" {
		if err := os.RemoveAll(staging); err != nil {
			return l, fmt.Errorf("models: %w", err)
		}
	}
	for _, f := range src.files {
		if err := ctx.Err(); err != nil {
			return l, err
		}
		to := filepath.Join(staging, filepath.FromSlash(f.Path))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return l, fmt.Errorf("models: %w", err)
		}
		sum, err := r.file(ctx, src, f, to)
		if err != nil {
			return l, err
		}
		f.SHA256 = sum
		l.Files = append(l.Files, f)
	}
	text, err := json.MarshalIndent(l, "", "  ")
	if err != nil {
		return l, fmt.Errorf("models: %w", err)
	}
	if err := os.WriteFile(filepath.Join(staging, lockName), append(text, '\n'), 0o644); err != nil {
		return l, fmt.Errorf("models: %w", err)
	}
	return l, r.install(staging, folder)
}

// install puts a folder in the place of another, which is there until then.
func (r *Request) install(staging, folder string) error {
	old := filepath.Join(r.Dir, "."+filepath.Base(folder)+".old")
	if err := os.RemoveAll(old); err != nil {
		return fmt.Errorf("models: %w", err)
	}
	if err := os.Rename(folder, old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("models: %w", err)
	}
	if err := os.Rename(staging, folder); err != nil {
		return errors.Join(fmt.Errorf("models: %w", err), os.Rename(old, folder))
	}
	if err := os.RemoveAll(old); err != nil && r.Log != nil {
		r.Log.Warn("models: the model that was replaced could not be removed", "folder", old, "error", err)
	}
	return nil
}

// file brings one file to its place, whole and verified, and returns its hash.
// What is there already of the same revision is not fetched again.
func (r *Request) file(ctx context.Context, src *source, f File, to string) (string, error) {
	part := to + ".part"
	if src.revision != "" {
		if sum, err := verify(to, f); err == nil {
			return sum, nil
		}
	}
	for attempt := 0; ; attempt++ {
		err := src.copy(ctx, f, part, r.Progress)
		if err != nil {
			return "", err
		}
		sum, err := verify(part, f)
		if err == nil {
			if err := os.Rename(part, to); err != nil {
				return "", fmt.Errorf("models: %w", err)
			}
			return sum, nil
		}
		// A part that went wrong must not be gone on with for ever.
		if err := os.Remove(part); err != nil {
			return "", fmt.Errorf("models: %w", err)
		}
		if attempt > 0 || !src.resumes {
			return "", err
		}
	}
}

// verify holds a file to what its source stated.
func verify(path string, f File) (string, error) {
	in, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("models: %w", err)
	}
	defer in.Close()
	s := newSums(f.Size)
	n, err := io.Copy(s, in)
	if err != nil {
		return "", fmt.Errorf("models: %w", err)
	}
	if n != f.Size || !s.matches(f.Stated) {
		return "", problem.New(Damaged, "embedding.bytes_hash_its_source_states", f.Path, n, s.hex(), f.Size, f.Stated).
			Or("embedding.pull_model_again_if_stays")
	}
	return s.hex(), nil
}

// A source is where files come from.
type source struct {
	name     string
	revision string // "": the source has none
	files    []File
	resumes  bool // copy goes on with a part that is there
	copy     func(ctx context.Context, f File, to string, progress func(string, int64, int64)) error
}

// source finds out what there is at r.From.
func (r *Request) source(ctx context.Context, m Model) (*source, error) {
	if strings.HasPrefix(r.From, "https://") || strings.HasPrefix(r.From, "http://") {
		return r.hub(ctx, m)
	}
	info, err := os.Stat(r.From)
	if err != nil {
		return nil, problem.New(Unreachable, "embedding.neither_url_nor_folder_nor", r.From, errors.Unwrap(err)).
			Or("embedding.give_url_hub_folder_model")
	}
	if info.IsDir() {
		return fromFolder(r.From)
	}
	return fromArchive(r.From)
}

// choose takes the files of a model out of all there are, and refuses where
// needed ones are missing.
func choose(where string, all []File) ([]File, error) {
	var out []File
	has := func(p string) bool { return slices.ContainsFunc(all, func(f File) bool { return f.Path == p }) }
	names := modelFiles
	if !has(weightsFile) {
		names = append(slices.Clone(modelFiles), instead, path.Base(instead))
	}
	for _, f := range all {
		if slices.Contains(names, f.Path) {
			out = append(out, f)
		}
	}
	missing := slices.DeleteFunc(slices.Clone(needed), has)
	if !has(weightsFile) && !has(instead) && !has(path.Base(instead)) {
		missing = append(missing, weightsFile)
	}
	if len(missing) > 0 {
		return nil, problem.New(Unknown, "embedding.holds_no_model_can_used", where, strings.Join(missing, ", no ")).
			Or("embedding.name_model_config_json_tokenizer")
	}
	slices.SortFunc(out, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

// fromFolder takes a model from a folder.
func fromFolder(dir string) (*source, error) {
	var all []File
	for _, name := range append(slices.Clone(modelFiles), instead, path.Base(instead)) {
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name)))
		if err == nil && info.Mode().IsRegular() {
			all = append(all, File{Path: name, Size: info.Size()})
		}
	}
	files, err := choose(dir, all)
	if err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	return &source{name: absolute, files: files, copy: func(_ context.Context, f File, to string, progress func(string, int64, int64)) error {
		in, err := os.Open(filepath.Join(dir, filepath.FromSlash(f.Path)))
		if err != nil {
			return fmt.Errorf("models: %w", err)
		}
		defer in.Close()
		defer progress(f.Path, f.Size, f.Size)
		return write(to, in, f.Size)
	}}, nil
}

// write writes a file of that size and no more.
func write(to string, in io.Reader, size int64) error {
	out, err := os.Create(to)
	if err != nil {
		return fmt.Errorf("models: %w", err)
	}
	_, err = io.Copy(out, io.LimitReader(in, size+1))
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return fmt.Errorf("models: %w", err)
	}
	return nil
}

// maxArchived is how many entries of an archive are looked at.
const maxArchived = 100_000

// fromArchive takes a model from a .tgz: from the folder in it that holds the
// most shallow tokenizer.json.
func fromArchive(file string) (*source, error) {
	root, all, err := archived(file)
	if err != nil {
		return nil, err
	}
	files, err := choose(file, all)
	if err != nil {
		return nil, err
	}
	absolute, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	return &source{name: absolute, files: files, copy: func(ctx context.Context, f File, to string, progress func(string, int64, int64)) error {
		defer progress(f.Path, f.Size, f.Size)
		found := false
		err := eachArchived(file, func(h *tar.Header, r io.Reader) error {
			if found || path.Clean(h.Name) != path.Join(root, f.Path) {
				return ctx.Err()
			}
			found = true
			return write(to, r, f.Size)
		})
		if err == nil && !found {
			err = fmt.Errorf("models: %s: %s is gone", file, f.Path)
		}
		return err
	}}, nil
}

// archived returns the folder of the model within an archive, and its files.
func archived(file string) (root string, all []File, err error) {
	entries := make(map[string]int64)
	root = "\x00"
	err = eachArchived(file, func(h *tar.Header, _ io.Reader) error {
		p := path.Clean(h.Name)
		entries[p] = h.Size
		if dir, base := path.Split(p); base == "tokenizer.json" && (root == "\x00" ||
			strings.Count(dir, "/") < strings.Count(root, "/")+1) {
			root = path.Clean(dir)
		}
		return nil
	})
	for p, size := range entries {
		if within, ok := strings.CutPrefix(p, root+"/"); ok || root == "." {
			if root == "." {
				within = p
			}
			all = append(all, File{Path: within, Size: size})
		}
	}
	return root, all, err
}

// eachArchived calls visit for every plain file of an archive.
func eachArchived(file string, visit func(*tar.Header, io.Reader) error) error {
	f, err := os.Open(file)
	if err != nil {
		return fmt.Errorf("models: %w", err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return problem.New(Damaged, "embedding.no_tgz", file, err).Or("embedding.give_archive_tar_gzip_made")
	}
	t := tar.NewReader(z)
	for range maxArchived {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return problem.New(Damaged, "embedding.file_is_damaged", file, err).Or("embedding.fetch_again")
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if err := visit(h, t); err != nil {
			return err
		}
	}
	return problem.New(Damaged, "embedding.more_than_entries", file, maxArchived).Or("embedding.give_archive_model_alone")
}
