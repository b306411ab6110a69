package memory

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
	"codeintel/internal/project"
)

// Bounds on what is read. An agreement is a page, and a project has some hundreds.
const (
	maxFile   = 64 << 10
	maxFiles  = 5000
	maxPhrase = 300 // characters
	maxList   = 50
)

// A Folder reads the agreements of one project and remembers what they say, file
// by file, by stat and content. It is safe for concurrent use.
type Folder struct {
	p *project.Project

	mu    sync.Mutex
	known map[string]reading // by base name
	last  *Map               // of known
}

// A reading is one file as it was read.
type reading struct {
	size      int64
	modified  time.Time
	hash      [sha256.Size]byte
	agreement *Agreement // nil: the file is at fault
	fault     msg.Message
}

// Open returns the Folder of a project. It reads nothing yet, and the folder
// need not exist.
func Open(p *project.Project) *Folder { return &Folder{p: p, known: map[string]reading{}} }

// Dir is the folder, relative to the root.
const Dir = project.Dir + "/agreements"

// Load returns the Map as the files are now. Unchanged files are not read
// again. An error comes from the file system; a file that is not an agreement is among
// the Faults.
func (f *Folder) Load(ctx context.Context) (*Map, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	entries, err := repofile.At(f.p.Path("agreements")).List()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("memory: %w", err)
	}
	now := make(map[string]reading)
	changed := f.last == nil
	over := 0
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if e.IsDir() || !strings.EqualFold(filepath.Ext(e.Name()), ".md") || strings.EqualFold(e.Name(), "README.md") {
			continue
		}
		if len(now) == maxFiles {
			over++
			continue
		}
		before, ok := f.known[e.Name()]
		r := f.read(e.Name(), before)
		now[e.Name()] = r
		changed = changed || !ok || r.hash != before.hash || !r.fault.Equal(before.fault)
	}
	if changed = changed || len(now) != len(f.known); changed {
		f.last = assemble(now, over)
	}
	f.known = now
	return f.last, nil
}

// All returns every agreement as the files are now, including those that are no longer
// in the Map, sorted by path.
func (f *Folder) All(ctx context.Context) ([]*Agreement, error) {
	if _, err := f.Load(ctx); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []*Agreement
	for _, r := range f.known {
		if r.agreement != nil {
			all = append(all, r.agreement)
		}
	}
	slices.SortFunc(all, func(a, b *Agreement) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

func assemble(files map[string]reading, over int) *Map {
	var all []*Agreement
	var faults []Fault
	for name, r := range files {
		if r.agreement != nil {
			all = append(all, r.agreement)
		} else {
			faults = append(faults, Fault{path.Join(Dir, name), r.fault})
		}
	}
	if over > 0 {
		faults = append(faults, Fault{Dir, msg.New("memory.too_many_files", maxFiles, over)})
	}
	return newMap(all, faults)
}

// read reads one file, unless it is as before.
func (f *Folder) read(name string, before reading) reading {
	fail := func(key string, args ...any) reading { return reading{fault: msg.New(key, args...)} }
	rel, err := f.p.Resolve(path.Join(Dir, name)) // a link may lead outside
	if err != nil {
		if p := problem.Of(err); p != nil {
			return reading{fault: p.Message}
		}
		return reading{fault: msg.Of(err)}
	}
	file, info, err := repofile.In(f.p.Root, rel).Open()
	if refused := new(repofile.Refusal); errors.As(err, &refused) && refused.Why == repofile.NotRegular {
		return fail("problem.not_a_regular_file")
	}
	if err != nil {
		return fail("memory.cannot_open", cause(err))
	}
	defer file.Close()
	switch {
	case info.Size() > maxFile:
		return fail("memory.too_long", info.Size(), maxFile)
	case info.Size() == before.size && info.ModTime().Equal(before.modified) && !before.modified.IsZero():
		return before
	}
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return fail("memory.cannot_read", cause(err))
	}
	r := reading{size: info.Size(), modified: info.ModTime(), hash: sha256.Sum256(text)}
	if r.hash == before.hash && before.agreement != nil {
		r.agreement = before.agreement
		return r
	}
	a, err := Parse(text)
	if err != nil {
		r.fault = msg.Of(err)
		return r
	}
	a.Path, a.Sum = path.Join(Dir, name), r.hash
	r.agreement = a
	return r
}

func cause(err error) string {
	if p := new(fs.PathError); errors.As(err, &p) {
		return p.Err.Error()
	}
	return err.Error()
}

// frontMatter is the head of an agreement. People write them too, so each list
// may be a single value, and the names of the first versions are understood.
type frontMatter struct {
	NLTerm     list    `yaml:"nl_term"`
	NLTerms    list    `yaml:"nl_terms"`
	Symbols    list    `yaml:"symbols"`
	Symbol     list    `yaml:"symbol"`
	Files      list    `yaml:"files"`
	File       list    `yaml:"file"`
	Similarity float64 `yaml:"similarity"`
	Session    string  `yaml:"session"`
	SessionID  string  `yaml:"session_id"`
	Intent     string  `yaml:"intent"`
	Outcome    string  `yaml:"outcome"`
	LearnedAt  moment  `yaml:"learned_at"`
	CreatedAt  moment  `yaml:"created_at"`
	Supersedes list    `yaml:"supersedes"`
}

// A list is a YAML list of scalars, or one scalar.
type list []string

// UnmarshalYAML accepts a scalar or a list of scalars; anything else is not a value.
func (l *list) UnmarshalYAML(n *yaml.Node) error {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Tag != "!!null" {
			*l = list{n.Value}
		}
	case yaml.SequenceNode:
		for _, item := range n.Content {
			if item.Kind == yaml.ScalarNode && item.Tag != "!!null" {
				*l = append(*l, item.Value)
			}
		}
	default:
		return msg.Err("memory.not_text_or_list", n.Line)
	}
	return nil
}

// A moment is a time as people write it. The zero moment stands for one that cannot be read.
type moment time.Time

// UnmarshalYAML accepts a date, or a date with a time.
func (m *moment) UnmarshalYAML(n *yaml.Node) error {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, n.Value); err == nil {
			*m = moment(t)
			return nil
		}
	}
	return nil
}

// Parse reads the text of one agreement: front matter between lines of "---",
// and the evidence below it. A heading "phrase → symbol" serves in place of missing
// front matter. The error says what is missing.
func Parse(text []byte) (*Agreement, error) {
	text = bytes.TrimPrefix(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\ufeff"))
	head, body := split(text)
	var m frontMatter
	if err := yaml.Unmarshal(head, &m); err != nil {
		return nil, msg.Err("memory.not_yaml", strings.TrimPrefix(strings.ReplaceAll(err.Error(), "\n", " "), "yaml: "))
	}
	a := &Agreement{
		Phrases: clean(m.NLTerm, m.NLTerms), Symbols: clean(m.Symbols, m.Symbol), Files: clean(m.Files, m.File),
		Session: m.Session + m.SessionID, Intent: strings.ToUpper(m.Intent),
		LearnedAt: time.Time(m.LearnedAt), Replaces: clean(m.Supersedes),
		Evidence: strings.TrimSpace(string(body)), Lines: bytes.Count(text, []byte("\n")),
	}
	if m.Session != "" {
		a.Session = m.Session
	}
	if a.LearnedAt.IsZero() {
		a.LearnedAt = time.Time(m.CreatedAt)
	}
	if m.Similarity > 0 && m.Similarity <= 1 {
		a.Similarity = m.Similarity
	}
	switch o := Outcome(strings.ToLower(m.Outcome)); o {
	case Success, Partial, Failure:
		a.Outcome = o
	}
	if !bytes.HasSuffix(text, []byte("\n")) && len(text) > 0 {
		a.Lines++
	}
	if len(a.Phrases) == 0 && len(a.Symbols) == 0 {
		a.fromHeading()
	}
	for i, f := range a.Files {
		a.Files[i] = path.Clean(filepath.ToSlash(f))
	}
	switch {
	case len(a.Phrases) == 0:
		return nil, msg.Err("memory.no_term")
	case len(a.Symbols) == 0 && len(a.Files) == 0:
		return nil, msg.Err("memory.no_symbols_or_files")
	}
	return a, nil
}

// split cuts the front matter off. A text that does not begin with "---" has none.
func split(text []byte) (head, body []byte) {
	rest, ok := bytes.CutPrefix(text, []byte("---\n"))
	if !ok {
		return nil, text
	}
	if body, ok := bytes.CutPrefix(rest, []byte("---\n")); ok {
		return nil, body
	}
	if head, body, ok := bytes.Cut(rest, []byte("\n---\n")); ok {
		return head, body
	}
	if head, ok := bytes.CutSuffix(bytes.TrimRight(rest, "\n"), []byte("\n---")); ok {
		return head, nil
	}
	return nil, text
}

// fromHeading reads "# phrase → symbol, symbol".
func (a *Agreement) fromHeading() {
	for line := range strings.Lines(a.Evidence) {
		heading, ok := strings.CutPrefix(strings.TrimSpace(line), "#")
		if !ok {
			continue
		}
		for _, arrow := range []string{"→", "->", "=>"} {
			phrase, symbols, ok := strings.Cut(strings.TrimLeft(heading, "# "), arrow)
			if !ok {
				continue
			}
			a.Phrases = clean(list{phrase})
			a.Symbols = clean(strings.FieldsFunc(symbols, func(r rune) bool { return r == ',' || r == '、' || r == '`' }))
			return
		}
	}
}

// clean trims the values of lists and leaves out what is empty, too long or there
// already.
func clean[L ~[]string](lists ...L) (out []string) {
	for _, l := range lists {
		for _, s := range l {
			s = strings.TrimSpace(s)
			if s != "" && len([]rune(s)) <= maxPhrase && len(out) < maxList && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}
