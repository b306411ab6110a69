package index

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"codeintel/internal/files"
	"codeintel/internal/index/postings"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/syntax"
)

// A ChunkInfo is a piece of a file as ranking sees it.
type ChunkInfo struct {
	ID          string // "path:line#fingerprint"; follows the text when lines above it change
	File        string
	Language    syntax.Language
	Start, End  int // bytes of the text in UTF-8, half open
	StartLine   int
	EndLine     int
	Symbol      string
	Scope       string
	Kind        syntax.Kind
	Signature   string
	Doc         string
	Fingerprint string // the first 16 hex digits of the SHA-256 of the text
	Text        string // only from [Index.Chunk]
}

// Chunk returns the chunk with an ID, or the innermost at a place such as main.go:24 or
// main.go:24-30, its text read from the file as it is now. Of a file that is not in the
// index yet, too, see [Look.File].
// An ID whose text is no longer there is a Problem.
func (x *Index) Chunk(ctx context.Context, id string) (ChunkInfo, error) {
	path, line, print, ok := parseChunkID(id)
	if !ok {
		return ChunkInfo{}, problem.New(problem.InvalidArgument, "index.no_chunk_id", id).
			Or("index.pass_chunk_id", op.SemanticSearch)
	}
	look, err := x.Look(ctx)
	if err != nil {
		return ChunkInfo{}, err
	}
	defer look.Close()
	var all []ChunkInfo
	err = look.file(ctx, path, func(_ FileInfo, f *openFile) (err error) {
		all, err = f.allChunks()
		return err
	})
	if err != nil {
		return ChunkInfo{}, err
	}
	best := -1
	for i := range all {
		switch c := &all[i]; {
		case print == "" && (line < c.StartLine || line > c.EndLine), print != "" && print != c.Fingerprint:
		case best < 0, distance(c.StartLine, line) < distance(all[best].StartLine, line):
			best = i
		}
	}
	gone := problem.New(problem.NotFound, "index.piece_names_changed", path, id).
		Or("index.search_again_new_text_new")
	if best < 0 {
		return ChunkInfo{}, gone
	}
	text, err := files.Read(x.p, path)
	if err != nil {
		return ChunkInfo{}, err
	}
	c := all[best]
	if c.End > len(text.Bytes) || c.Start > c.End {
		return ChunkInfo{}, gone
	}
	b := text.Bytes[c.Start:c.End]
	if sum := sha256.Sum256(b); hex.EncodeToString(sum[:])[:len(c.Fingerprint)] != c.Fingerprint { // changed since the index looked
		return ChunkInfo{}, gone
	}
	c.Text = string(b)
	return c, nil
}

func distance(a, b int) int { return max(a-b, b-a) }

func chunkID(path string, line int, print string) string {
	return fmt.Sprintf("%s:%d#%s", path, line, print)
}

// parseChunkID reads what [chunkID] writes, or a place as answers show it: then print is "".
func parseChunkID(id string) (path string, line int, print string, ok bool) {
	place := id
	hash := strings.LastIndexByte(id, '#') // a path may have one, too
	marked := hash > strings.LastIndexByte(id, ':')
	if marked {
		place, print = id[:hash], id[hash+1:]
	}
	colon := strings.LastIndexByte(place, ':')
	if colon < 0 || marked && print == "" {
		return "", 0, "", false
	}
	number, end, isRange := strings.Cut(place[colon+1:], "-")
	line, err := strconv.Atoi(number)
	if isRange && err == nil {
		_, err = strconv.Atoi(end)
	}
	return place[:colon], line, print, err == nil && !(isRange && marked)
}

// FileChunks returns the chunks of a file in order, without their text. A path
// that is not indexed is a Problem.
func (x *Index) FileChunks(ctx context.Context, path string) (all []ChunkInfo, err error) {
	err = x.askOpen(ctx, path, func(f *openFile) (err error) {
		all, err = f.allChunks()
		return err
	})
	return all, err
}

func (f *openFile) allChunks() ([]ChunkInfo, error) {
	all := make([]ChunkInfo, 0, f.outline.chunks.n)
	for i := range f.outline.chunks.n {
		c, err := f.chunk(i)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

func (f *openFile) chunk(i int) (ChunkInfo, error) {
	c, ok := f.outline.chunk(i)
	if !ok {
		return c, fmt.Errorf("index: chunk %d of %s: %w", i, f.path, postings.ErrCorrupt)
	}
	c.ID, c.File, c.Language = chunkID(f.path, c.StartLine, c.Fingerprint), f.path, f.language
	return c, nil
}

// chunkAt returns the number of the chunk around a byte, or of the last that
// begins before it; -1 if there is none.
func (o *outline) chunkAt(offset int) int {
	return sort.Search(o.chunks.n, func(i int) bool {
		d := o.chunks.at(i)
		return d.int() > offset
	}) - 1
}
