package files

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"codeintel/internal/files/charset"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/text/redact"
)

// The codes of a Problem with a file that is there but not to be read.
const (
	SecretFile   problem.Code = "secret_file"    // its name or content says that it holds secrets
	BinaryFile   problem.Code = "binary_file"    // no text
	FileTooLarge problem.Code = "file_too_large" // above max_file_bytes of config.json
)

// A Text is the content of a file.
type Text struct {
	Path    string // as resolved
	Bytes   []byte // valid UTF-8, with the lines of the file, without keys
	Charset charset.Charset
	Hash    string // hex SHA-256 of the file as it is on disk
	Size    int64  // bytes on disk
	ModTime time.Time
	Class   Class // with the content seen
}

// Read returns the content of the file at path, confined to p. A missing file, a
// folder, and a binary, secret or too large file are Problems.
func Read(p *project.Project, path string) (Text, error) {
	rel, err := p.Resolve(path)
	if err != nil {
		return Text{}, err
	}
	return read(p, rel, nil)
}

// ReadEntry is [Read] for an entry of a listing made just now: it takes for
// granted that none of its folders has become a symbolic link.
func ReadEntry(p *project.Project, e Entry) (Text, error) { return read(p, e.Path, nil) }

// read reads the file at rel, whose last element must not be a link. Known is what remembers
// files between two reads, or nil.
func read(p *project.Project, rel string, known *Reader) (Text, error) {
	t := Text{Path: rel}
	f, info, err := repofile.In(p.Root, rel).OpenPlain()
	if err != nil {
		return t, readError(p, rel, err)
	}
	defer f.Close()
	limit := p.Config.MaxFileBytes
	t.Size, t.ModTime = info.Size(), info.ModTime()
	t.Class = classify(rel, nil, info.Size(), limit)
	if err := refuse(rel, t.Class, info.Size(), limit); err != nil {
		return t, err
	}
	raw, err := readAll(f, info.Size(), limit)
	if err != nil {
		return t, readError(p, rel, err)
	}
	after := info
	if known != nil {
		if after, err = f.Stat(); err != nil {
			return t, readError(p, rel, err)
		}
		if t, ok := known.cachedText(rel, info, after); ok {
			t.Bytes = raw
			return t, nil
		}
	}
	t.Size = int64(len(raw))
	t.Class = classify(rel, raw[:min(len(raw), Head)], t.Size, limit)
	if err := refuse(rel, t.Class, t.Size, limit); err != nil {
		return t, err
	}
	sum := sha256.Sum256(raw)
	t.Hash = hex.EncodeToString(sum[:])
	if t.Bytes, t.Charset = charset.Decode(raw); t.Charset == charset.Binary {
		t.Class = Binary
		return t, refuse(rel, Binary, t.Size, limit)
	}
	t.Bytes = redact.Keys(t.Bytes)
	if bytes.Equal(t.Bytes, raw) {
		known.cacheText(t, info, after)
	}
	return t, nil
}

// readAll reads a file that had size bytes a moment ago, and one byte more than
// the limit if it has grown beyond that.
func readAll(f *os.File, size, limit int64) ([]byte, error) {
	raw := make([]byte, 0, size+1)
	for {
		n, err := f.Read(raw[len(raw):cap(raw)])
		raw = raw[:len(raw)+n]
		switch {
		case errors.Is(err, io.EOF) || int64(len(raw)) > limit:
			return raw, nil
		case err != nil:
			return nil, err
		case len(raw) == cap(raw):
			raw = append(raw, 0)[:len(raw)]
		}
	}
}

func refuse(rel string, c Class, size, limit int64) error {
	switch c {
	case Secret:
		return problem.New(SecretFile, "files.seems_hold_secrets_neither_indexed", rel).OrSay(c.WayOut())
	case Binary:
		return problem.New(BinaryFile, "files.binary_file", rel).OrSay(c.WayOut())
	case Pointer:
		return problem.New(BinaryFile, "files.lfs_pointer", rel).OrSay(c.WayOut())
	case TooLarge:
		return problem.New(FileTooLarge, "files.bytes_limit", rel, size, limit).OrSay(c.WayOut())
	}
	return nil
}

// WayOut says what to do about a file whose class is not indexed.
func (c Class) WayOut() msg.Message {
	switch c {
	case Secret:
		return msg.New("files.ask_user_what_needed_from")
	case Binary:
		return msg.New("files.look_source_made_from")
	case Pointer:
		return msg.New("files.git_lfs_pull")
	}
	return msg.New("files.raise_max_file_bytes_code")
}

func readError(p *project.Project, rel string, err error) error {
	if errors.As(err, new(*repofile.Refusal)) {
		if info, err := os.Lstat(p.Abs(rel)); err == nil && info.IsDir() {
			return problem.New(problem.InvalidArgument, "files.is_a_folder", rel).Or("files.name_file")
		}
		return problem.New(problem.InvalidArgument, "files.no_regular_file", rel).Or("files.name_regular_file")
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return problem.New(problem.NotFound, "files.no_file", rel).
			Or("files.call_finds_files_by_name", msg.CallOf(op.SearchFiles, "pattern", "*.go"))
	}
	return fmt.Errorf("files: read %s: %w", rel, err)
}
