package index

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"codeintel/internal/files"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
)

// EachFileChunks calls f for every indexed file with its chunks in order, without
// their text, by path. A file that goes away meanwhile is passed over. Questions
// can be answered between two calls.
func (x *Index) EachFileChunks(ctx context.Context, f func(path string, chunks []ChunkInfo) error) error {
	all, err := x.Files(ctx)
	if err != nil {
		return err
	}
	for i := range all {
		chunks, err := x.FileChunks(ctx, all[i].Path)
		if p := problem.Of(err); p != nil && p.Code == problem.NotFound {
			continue
		}
		if err != nil {
			return err
		}
		if err := f(all[i].Path, chunks); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// ChunkTexts returns the chunks of a file with their text, read from the file as
// it is now. Those whose text is no longer in its place are left out. A path that
// is not indexed, and a file that cannot be read any more, are Problems.
func (x *Index) ChunkTexts(ctx context.Context, path string) ([]ChunkInfo, error) {
	all, err := x.FileChunks(ctx, path)
	if err != nil {
		return nil, err
	}
	text, err := files.Read(x.p, path)
	if err != nil {
		return nil, err
	}
	kept := all[:0]
	for _, c := range all {
		if c.Start > c.End || c.End > len(text.Bytes) {
			continue
		}
		b := text.Bytes[c.Start:c.End]
		if sum := sha256.Sum256(b); hex.EncodeToString(sum[:len(c.Fingerprint)/2]) != c.Fingerprint {
			continue
		}
		c.Text = string(b)
		kept = append(kept, c)
	}
	return kept, nil
}

// ChunksByText returns those chunks of a file whose text has a fingerprint, in
// order, without the text. It is cheaper than [Index.FileChunks] for one chunk of many.
func (x *Index) ChunksByText(ctx context.Context, path, fingerprint string) (all []ChunkInfo, err error) {
	var want [8]byte
	if n, err := hex.Decode(want[:], []byte(fingerprint[:min(len(fingerprint), 2*len(want))])); err != nil ||
		n != len(want) {
		return nil, problem.New(problem.InvalidArgument, "index.no_fingerprint", fingerprint).
			Or("index.sync_and_ask_again", op.SyncIndex)
	}
	err = x.askOpen(ctx, path, func(f *openFile) error {
		all = nil
		for i := range f.outline.chunks.n {
			if f.outline.fingerprint(i) != want {
				continue
			}
			c, err := f.chunk(i)
			if err != nil {
				return err
			}
			all = append(all, c)
		}
		return nil
	})
	return all, err
}

// fingerprint reads only that of a chunk.
func (o *outline) fingerprint(i int) (print [8]byte) {
	d := o.chunks.at(i)
	for range 4 { // start, length, first line, lines
		d.int()
	}
	copy(print[:], d.take(len(print)))
	return print
}
