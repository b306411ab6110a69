package index

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"codeintel/internal/files"
	"codeintel/internal/index/chunk"
	"codeintel/internal/index/ctags"
	"codeintel/internal/index/postings"
	"codeintel/internal/index/trigram"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/syntax"
	"codeintel/internal/text/terms"
)

// recordVersion is raised when parsing, cutting or counting changes so that what
// is known of an unchanged file is out of date.
const recordVersion = 50

// recipe says how texts are turned into records. Records of another recipe are
// not used again.
func recipe(c project.Config) string {
	return fmt.Sprintf("%d/%s/%d", recordVersion, c.ChunkStrategy, c.ChunkMaxTokens)
}

// A reading is the result of reading one file.
type reading struct {
	path     string
	at       attributes
	content  int64       // a content that is known already; 0 if not
	record   *record     // of a new content, until it is packed
	packed   []byte      // that record
	unpacked int64       // bytes that it had
	set      trigram.Set // of the text, if the reader has a scanner
	gone     bool        // the file is not there any more
	skipped  bool        // it is not to be indexed, for the reason at.class
	weight   int64       // of underWayBytes that it takes
	problem  error       // why it could not be read; it is then skipped
	sameText bool        // it has the text that the index knows of it
}

// indexed reports whether the reading puts its file into the index.
func (r *reading) indexed() bool { return !r.gone && !r.skipped }

// unreadable stands for a class where a file could not be read.
const unreadable files.Class = "unreadable"

// A reader reads files, one after the other.
type reader struct {
	p         *project.Project
	now       func() time.Time
	parser    syntax.Parser
	tokenizer terms.Tokenizer
	forward   postings.Forward
	scratch   []byte
	tagger    *ctags.Tagger    // for what syntax does not know; nil for none
	known     finder           // nil if nothing is known
	scanner   *trigram.Scanner // nil if trigrams are not wanted
}

// read reads the file of e. Before is what the index knows of it, if it does.
// The error is ours; what is wrong with the file is in the reading.
func (r *reader) read(ctx context.Context, e files.Entry, before *attributes) (reading, error) {
	out := reading{path: e.Path, at: attributes{size: e.Size, mtime: e.ModTime, class: string(e.Class)}}
	text, err := files.ReadEntry(r.p, e)
	switch {
	case err == nil:
	case errors.Is(err, os.ErrNotExist), hasCode(err, problem.NotFound),
		hasCode(err, problem.InvalidArgument): // it was a file when it was listed, and is none now
		out.gone = true
		return out, nil
	case files.Exhausted(err):
		return out, err // else the file would count as unreadable until it changes
	default:
		out.skipped = true
		out.at.class = string(unreadable)
		if text.Class != "" && !text.Class.Indexed() {
			// Not what the listing says: another file may have been in its place since.
			out.at.size, out.at.mtime = text.Size, settledTime(text.ModTime, r.now())
			out.at.class = string(text.Class)
		} else if problem.Of(err) == nil {
			out.problem = err
		}
		return out, nil
	}
	out.at.size, out.at.class = text.Size, string(text.Class)
	out.at.mtime = settledTime(text.ModTime, r.now())
	if n, err := hex.Decode(out.at.hash[:], []byte(text.Hash)); n != len(out.at.hash) || err != nil {
		return out, fmt.Errorf("index: read %s: hash %q is no SHA-256", e.Path, text.Hash)
	}
	if !text.Class.Indexed() {
		out.skipped = true
		return out, nil
	}
	language, tagged := syntax.Detect(e.Path, text.Bytes), false
	if language == syntax.Unknown {
		language = r.tagger.Language(ctx, e.Path)
		tagged = language != syntax.Unknown
	}
	out.at.language = string(language)
	if before != nil && before.hash == out.at.hash && before.language == out.at.language {
		out.sameText = true
		return out, nil
	}
	if r.scanner != nil {
		out.set = r.scanner.Scan(text.Bytes)
	}
	if r.known != nil {
		out.content, out.record, err = r.known(out.at.hash, out.at.language)
		if err != nil || out.content != 0 || out.record != nil {
			return out, err
		}
	}
	if tagged {
		out.record = r.record(r.tagger.Outline(ctx, language, e.Path, text.Bytes), text.Bytes)
		return out, ctx.Err() // what is missing for want of time must not be kept
	}
	out.record = r.record(r.parse(language, text.Bytes), text.Bytes)
	return out, nil
}

// hasCode reports whether an error is a refusal with a code.
func hasCode(err error, code problem.Code) bool {
	p := problem.Of(err)
	return p != nil && p.Code == code
}

// settledTime returns the modification time of a file for comparison, 0 if the
// file could still be changed without its time changing: clocks of file systems
// are coarse.
func settledTime(mtime, now time.Time) int64 {
	grain := 50 * time.Millisecond
	if mtime.Nanosecond() == 0 {
		grain = 2 * time.Second // it may count whole seconds only
	}
	if age := now.Sub(mtime); -grain < age && age < grain {
		return 0
	}
	return mtime.UnixNano()
}

func (r *reader) parse(language syntax.Language, src []byte) *syntax.File {
	f, err := r.parser.Parse(language, src)
	if err != nil { // ours, and no reason to be without the text of the file
		return &syntax.File{Language: language, Partial: "not parsed: " + err.Error()}
	}
	return f
}

// record cuts and counts one text.
func (r *reader) record(f *syntax.File, src []byte) *record {
	var chunks []chunk.Chunk
	if r.p.Config.ChunkStrategy == project.ChunkLines || f.Language == syntax.Unknown {
		chunks = chunk.Lines(src, r.p.Config.ChunkMaxTokens)
	} else {
		chunks = chunk.Split(f, src, r.p.Config.ChunkMaxTokens)
	}
	next := 0 // first symbol that begins after the chunks so far; symbols are in order
	for _, c := range chunks {
		r.forward.Chunk()
		r.count(postings.Body, src[c.Start:c.End])
		declared := false
		for ; next < len(f.Symbols) && f.Symbols[next].Start < c.End; next++ {
			s := &f.Symbols[next]
			r.countString(postings.Symbol, s.Name)
			r.countString(postings.Doc, s.Doc)
			r.countString(postings.Signature, s.Signature)
			declared = declared || s.Name == c.Symbol
		}
		r.countOuter(c.Scope)
		if !declared { // a further piece of a long declaration
			r.countOuter(c.Symbol)
		}
	}
	for i := range f.Symbols {
		r.forward.Declare(f.Symbols[i].Name, i)
	}
	for _, o := range f.Occurrences {
		if len(o.Qualifier) > maxQualifier {
			o.Qualifier = ""
		}
		r.forward.Occur(o.Name, postings.Occurrence{Line: o.Line, Column: o.Column,
			Role: roleNumber(o.Role), Local: o.Local, Symbol: o.Symbol, Qualifier: o.Qualifier})
	}
	lines := bytes.Count(src, []byte("\n"))
	if len(src) > 0 && src[len(src)-1] != '\n' {
		lines++
	}
	out := new(record)
	r.scratch = appendOutline(r.scratch[:0], f, chunks, lines)
	out.outline = slices.Clone(r.scratch)
	r.scratch = r.forward.Encode(r.scratch[:0], r.tokenizer.Term)
	out.forward = slices.Clone(r.scratch)
	r.tokenizer.Trim()
	if cap(r.scratch) > maxScratch {
		r.scratch = nil
	}
	return out
}

// maxScratch bounds what a reader keeps from one file to the next.
const maxScratch = 1 << 20

func (r *reader) count(field postings.Field, text []byte) {
	r.tokenizer.Code(text, func(term int32) { r.forward.Count(field, term) })
}

// countOuter counts the words of a name that stands around a chunk. One that is no name any more is passed over:
// a name may be as long as the file, and stand around each chunk of it.
func (r *reader) countOuter(name string) {
	if len(name) <= maxOuter {
		r.countString(postings.Scope, name)
	}
}

// maxOuter bounds the bytes of a name around a chunk whose words are counted.
const maxOuter = 4096

// maxQualifier is the length in bytes up to which the qualifier of a name is kept. A list of
// imports repeats it for each of its names, and nothing that a person writes is as long.
const maxQualifier = 256

func (r *reader) countString(field postings.Field, text string) {
	if text != "" {
		r.scratch = append(r.scratch[:0], text...)
		r.count(field, r.scratch)
	}
}

// roles are the numbers of roles in a record. Append only, at most 8.
var roles = [...]syntax.Role{syntax.Read, syntax.Definition, syntax.Call, syntax.TypeUse, syntax.ImportUse,
	syntax.Write}

func roleNumber(role syntax.Role) uint8 {
	for i, r := range roles {
		if r == role {
			return uint8(i)
		}
	}
	return 0
}

func roleOf(n uint8) syntax.Role {
	if int(n) < len(roles) {
		return roles[n]
	}
	return syntax.Read
}

// pathTerms are the terms by which a file is found through its path: those of
// its name and of the three folders nearest to it.
func pathTerms(p string) []postings.PathTerm {
	var out []postings.PathTerm
	add := func(text string, stem, folder int) {
		terms.Code([]byte(text), func(term string) {
			for i := range out {
				if out[i].Term == term {
					out[i].Stem += stem
					out[i].Folder += folder
					return
				}
			}
			out = append(out, postings.PathTerm{Term: term, Stem: stem, Folder: folder})
		})
	}
	dir, base := path.Split(p)
	add(strings.TrimSuffix(base, path.Ext(base)), 1, 0)
	folders := strings.Split(strings.Trim(dir, "/"), "/")
	for _, f := range folders[max(0, len(folders)-3):] {
		add(f, 0, 1)
	}
	return out
}

// size returns how many bytes of memory the reading holds, about.
func (r *reading) size() int64 {
	return int64(len(r.path)+4*len(r.set)+len(r.packed)) + 256
}
