//go:build bench

package bench

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"codeintel/internal/index"
	"codeintel/internal/project"
	"codeintel/internal/search"
)

// fullIndex indexes the source tree of Go from nothing, and has ctags do its part
// of that just before and after.
func (b *bench) fullIndex(t *testing.T) {
	tags := []string{"ctags", "-R", "-f", filepath.Join(b.dir, "tags"), "."}
	peer, ok := try(t, b.src, tags...)
	c := measure(t, b.src, b.bin, "index", ".")
	files, bytes := tree(t, b.src)
	what := fmt.Sprintf("full index of `src` (%d files, %d MB)", files, bytes>>20)
	b.row(target{what: what + ", wall", goal: "≤ 12 s", measured: fmt.Sprintf("%s (CPU %s)", round(c.wall), round(c.cpu)), value: c.wall.Seconds(), limit: 12})
	b.row(target{what: what + ", memory", goal: "≤ 450 MB resident", measured: megabytes(c.rss), value: float64(c.rss >> 20), limit: 450})
	p, err := project.OpenRoot(b.src)
	if err != nil {
		t.Fatal(err)
	}
	_, disk := folder(t, indexDir(t, p))
	b.row(target{what: what + ", on disk", goal: "≤ 1.5 × the source", measured: fmt.Sprintf("%.2f × (%s)", float64(disk)/float64(bytes), megabytes(disk)), value: float64(disk) / float64(bytes), limit: 1.5})
	if ok {
		b.row(target{what: what + ", ratio", goal: "≤ 6 × `ctags -R`", measured: fmt.Sprintf("%.1f × wall, %.1f × CPU", ratio(c.wall, peer.wall), ratio(c.cpu, peer.cpu)),
			peer: "ctags -R " + round(peer.wall) + ", " + megabytes(peer.rss), value: ratio(c.wall, peer.wall), limit: 6})
	}
	b.profile(t, "full index", func() { b.again(t, b.src) })
}

// without is the tree at root without what the program keeps there.
func without(root string) fs.FS { return bare{os.DirFS(root)} }

type bare struct{ fs.FS }

func (f bare) ReadDir(name string) ([]fs.DirEntry, error) {
	all, err := fs.ReadDir(f.FS, name)
	var some []fs.DirEntry
	for _, e := range all {
		if e.Name() != project.Dir {
			some = append(some, e)
		}
	}
	return some, err
}

func syncNow(t *testing.T, root string) {
	t.Helper()
	p, err := project.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	x, err := index.Open(context.Background(), p, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	if _, err := x.Sync(context.Background(), index.SyncOptions{}); err != nil {
		t.Fatal(err)
	}
}

// tree returns how many files and bytes lie under root.
func tree(t *testing.T, root string) (files int, bytes int64) {
	t.Helper()
	err := fs.WalkDir(without(root), ".", func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			files++
			bytes += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, bytes
}

// cppIndex indexes a C++ repository made of the headers of this machine's compiler
// and system: sources that every machine with a compiler has.
func (b *bench) cppIndex(t *testing.T) {
	root := filepath.Join(b.dir, "cpp")
	copyHeaders(t, root, 1500)
	peer, ok := try(t, root, "ctags", "-R", "-f", filepath.Join(b.dir, "tags"), ".")
	c := measure(t, root, b.bin, "index", ".")
	files, bytes := tree(t, root)
	r := target{what: fmt.Sprintf("a C++ tree of %d files, %.1f MB: headers of libstdc++ and of the system from /usr/include, C++ at its most hostile to a grammar without a preprocessor", files, float64(bytes)/(1<<20)), goal: "≤ 3 s",
		measured: fmt.Sprintf("%s (CPU %s, %s)", round(c.wall), round(c.cpu), megabytes(c.rss)), value: c.wall.Seconds(), limit: 3}
	if ok {
		r.peer = fmt.Sprintf("ctags -R %s (ours is %.1f ×)", round(peer.wall), ratio(c.wall, peer.wall))
	}
	b.row(r)
	b.profile(t, "C++ index", func() { b.again(t, root) })
}

// again indexes a copy of root from nothing, in this process.
func (b *bench) again(t *testing.T, root string) {
	t.Helper()
	to := filepath.Join(b.dir, "again")
	if err := os.CopyFS(to, without(root)); err != nil {
		t.Fatal(err)
	}
	syncNow(t, to)
	p, err := project.OpenRoot(to)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{indexDir(t, p), to} {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// copyHeaders copies n headers, those of C++ first. Headers of C++ without a suffix
// get one, so that they are known for what they are.
func copyHeaders(t *testing.T, root string, n int) {
	t.Helper()
	const from = "/usr/include"
	seen := make(map[string]bool)
	for _, part := range []string{"c++", "."} {
		err := filepath.WalkDir(filepath.Join(from, part), func(path string, d fs.DirEntry, err error) error {
			if err != nil || len(seen) == n || !d.Type().IsRegular() || seen[path] {
				return err
			}
			suffix := ""
			switch filepath.Ext(path) {
			case ".h", ".hpp", ".hh", ".tcc":
			case "":
				suffix = ".hpp"
			default:
				return nil
			}
			seen[path] = true
			rel, err := filepath.Rel(from, path)
			if err != nil {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			to := filepath.Join(root, rel+suffix)
			if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
				return err
			}
			return os.WriteFile(to, data, 0o644)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(seen) < n {
		t.Fatalf("%s has only %d headers", from, len(seen))
	}
}

// curves indexes and asks generated trees of rising size.
func (b *bench) curves(t *testing.T) {
	sizes := []int{1_000, 10_000, 100_000, 1_000_000}
	if testing.Short() {
		sizes = sizes[:3]
	}
	var p strings.Builder
	p.WriteString("Generated trees of Go: files of twenty functions, names and comments from a vocabulary of 30,000 words by Zipf's law, the same for each run. A query is `semantic_search` in process with the watcher on, 60 different questions; memory is that of the process that indexes.\n\n")
	p.WriteString("| chunks | files | source | index | CPU | memory | index on disk | query p50 | p95 |\n|---|---|---|---|---|---|---|---|---|\n")
	b.sections = append(b.sections, section{title: "Memory and time by size"})
	at := len(b.sections) - 1
	for _, size := range sizes {
		root := filepath.Join(b.dir, fmt.Sprintf("tree%d", size))
		files := generate(t, root, size)
		_, bytes := tree(t, root)
		c := measure(t, root, b.bin, "index", ".")
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			o := watched(t, root)
			st, err := o.index.Stats(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var s sample
			for i, q := range questions(60) {
				ask := func() {
					if _, err := o.search.Semantic(t.Context(), search.SemanticQuery{Query: q}); err != nil {
						t.Fatal(err)
					}
				}
				if i == 0 {
					ask() // the first opens what the others use
				}
				s.time(1, ask)
			}
			_, disk := folder(t, indexDir(t, o.project))
			fmt.Fprintf(&p, "| %d | %d | %d MB | %s | %s | %s | %s | %s | %s |\n", st.Chunks, files, bytes>>20, round(c.wall), round(c.cpu), megabytes(c.rss), megabytes(disk), round(s.at(.5)), round(s.at(.95)))
		})
		if size == 100_000 {
			b.mcpOnLarge(t, root)
		}
		if err := os.RemoveAll(root); err != nil {
			t.Fatal(err)
		}
		b.sections[at].text = p.String()
		b.save(t)
	}
}

// indexDir returns the folder that holds the index of a project.
func indexDir(t *testing.T, p *project.Project) string {
	t.Helper()
	dir, err := p.IndexDir()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// folder returns how many files and bytes lie under dir, whatever they are.
func folder(t *testing.T, dir string) (files int, bytes int64) {
	t.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files++
		bytes += info.Size()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files, bytes
}

// A vocabulary gives words by Zipf's law: frequent ones that look like those of
// code, and rare ones made of syllables, as many as a large repository has.
type vocabulary struct {
	words []string
	zipf  *rand.Zipf
}

const vocabularySize = 30_000

func newVocabulary(seed uint64) *vocabulary {
	heads := strings.Fields("open close read write parse render index query merge split fetch store cache flush lock watch route order price sort batch retry token header frame packet buffer cursor page tree node graph edge scan match replace encode decode hash sign verify trace sample")
	tails := strings.Fields("er ing able set list map pool queue state event error result config option handler filter stream channel window range cell field table column record entry")
	syllables := strings.Fields("ba ke li mo nu ra se ti vo zu dra fle gri plo stu")
	var v vocabulary
	for _, t := range append([]string{""}, tails...) {
		for _, h := range heads {
			v.words = append(v.words, h+t)
		}
	}
	for i := len(v.words); i < vocabularySize; i++ {
		word := ""
		for n := i; n > 0; n /= len(syllables) {
			word += syllables[n%len(syllables)]
		}
		v.words = append(v.words, word)
	}
	v.zipf = rand.NewZipf(rand.New(rand.NewPCG(seed, 7)), 1.1, 4, vocabularySize-1)
	return &v
}

func (v *vocabulary) word() string { return v.words[v.zipf.Uint64()] }

func title(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// generate writes a tree that is cut into about so many chunks, and returns how
// many files it has.
func generate(t *testing.T, root string, chunks int) (files int) {
	t.Helper()
	v := newVocabulary(1)
	const perFile = 20
	for made := 0; made < chunks; files++ {
		var f strings.Builder
		fmt.Fprintf(&f, "package p%d\n\nimport \"context\"\n", files%97)
		for i := range min(perFile, chunks-made) {
			name := title(v.word()) + title(v.word()) + title(v.word())
			fmt.Fprintf(&f, "\n// %s %ss the %s of a %s when the %s has a %s.\nfunc %s%d(ctx context.Context, %s, %s int) (int, error) {\n",
				name, v.word(), v.word(), v.word(), v.word(), v.word(), name, i, "a"+title(v.word()), "b"+title(v.word()))
			for line := range 8 {
				fmt.Fprintf(&f, "\t%s%d := %s%s(ctx, %d) // %s %s\n", v.word(), line, v.word(), title(v.word()), line, v.word(), v.word())
			}
			f.WriteString("\treturn 0, ctx.Err()\n}\n")
			made++
		}
		dir := filepath.Join(root, fmt.Sprintf("p%d", files%97), fmt.Sprintf("d%d", files/97%50))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%s%d.go", v.word(), files)), []byte(f.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// questions are n questions in the words of the generated trees.
func questions(n int) (all []string) {
	v := newVocabulary(2)
	for i := range n {
		switch i % 3 {
		case 0:
			all = append(all, fmt.Sprintf("where is the %s of a %s when the %s has a %s", v.word(), v.word(), v.word(), v.word()))
		case 1:
			all = append(all, v.word()+" "+v.word()+" "+v.word())
		default:
			all = append(all, title(v.word())+title(v.word()))
		}
	}
	return all
}
