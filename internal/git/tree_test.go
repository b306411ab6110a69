package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"codeintel/internal/problem"
)

var noModes = cmpopts.IgnoreFields(Change{}, "OldMode", "NewMode")

// edited makes a repository in which about everything has happened since its
// last commit that can.
func edited(t *testing.T) playground {
	p := play(t)
	p.write(".gitignore", "*.log\n")
	p.write("deleted", "gone\n")
	p.write("empty deleted", "")
	p.write("emptied", "text\n")
	p.write("renamed/old [1]", strings.Repeat("the same\n", 20)+"old\n")
	p.write("script", "#!/bin/sh\n")
	p.write("becomes a link", "base\n")
	p.write("becomes a folder", "x\n")
	p.write("folder/becomes a file", "x\n")
	p.write("staged, then changed", "a\nb\nc\n")
	p.write("staged only", "a\n")
	p.write("cut", "1\n2\n3\n4\n5\n6\n")
	p.write("binary", "\x00\x01")
	p.write("no end", "a\nb")
	for _, name := range odd {
		p.write("odd/"+name, "one\ntwo\n")
	}
	p.commit("All")

	for _, name := range odd {
		p.write("odd/"+name, "one\n2\n")
	}
	p.remove("deleted")
	p.remove("empty deleted")
	p.write("emptied", "")
	p.git("mv", "renamed/old [1]", "renamed/new")
	p.write("renamed/new", strings.Repeat("the same\n", 20)+"new\n")
	if err := os.Chmod(filepath.Join(p.Dir, "script"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.remove("becomes a link")
	if err := os.Symlink("base", filepath.Join(p.Dir, "becomes a link")); err != nil {
		t.Fatal(err)
	}
	p.remove("becomes a folder")
	p.write("becomes a folder/x", "y\n")
	p.remove("folder")
	p.write("folder", "z\n")
	p.write("staged, then changed", "A\nb\nc\n")
	p.write("staged only", "b\n")
	p.git("add", "staged, then changed", "staged only")
	p.write("staged, then changed", "a\nb\nC\n")
	p.write("cut", "1\n2\n5\n6\n7\n")
	p.write("binary", "\x00\x02")
	p.write("no end", "a\nB")
	p.write("untracked/日本", "neu\nneu\n")
	p.write("untracked empty", "")
	p.write("ignored.log", "x\n")
	return p
}

func TestDiffOfASnapshot(t *testing.T) {
	p := edited(t)
	got := p.diff("HEAD", p.snapshot())
	want := []Change{
		{Path: "becomes a folder", Status: Deleted},
		{Path: "becomes a folder/x", Status: Added, Hunks: []Range{{1, 1}}},
		{Path: "becomes a link", Status: Modified, Hunks: []Range{{1, 1}}},
		{Path: "binary", Status: Modified, Binary: true},
		{Path: "cut", Status: Modified, Hunks: []Range{{2, 3}, {5, 5}}},
		{Path: "deleted", Status: Deleted},
		{Path: "emptied", Status: Modified, Empty: true, Hunks: []Range{{1, 1}}},
		{Path: "empty deleted", Status: Deleted, Empty: true},
		{Path: "folder", Status: Added, Hunks: []Range{{1, 1}}},
		{Path: "folder/becomes a file", Status: Deleted},
		{Path: "no end", Status: Modified, Hunks: []Range{{2, 2}}},
		{Path: "renamed/new", OldPath: "renamed/old [1]", Status: Renamed, Hunks: []Range{{21, 21}}},
		{Path: "script", Status: Mode},
		{Path: "staged only", Status: Modified, Hunks: []Range{{1, 1}}},
		{Path: "staged, then changed", Status: Modified, Hunks: []Range{{3, 3}}},
		{Path: "untracked empty", Status: Added, Empty: true},
		{Path: "untracked/日本", Status: Added, Hunks: []Range{{1, 2}}},
	}
	for _, name := range odd {
		want = append(want, Change{Path: "odd/" + name, Status: Modified, Hunks: []Range{{2, 2}}})
	}
	slices.SortFunc(want, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	// Of a deleted file the hunk is a gap at the top; nobody can cite it.
	for i := range got {
		if got[i].Status == Deleted {
			got[i].Hunks = nil
		}
	}
	if diff := cmp.Diff(want, got, noModes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, c := range got {
		if link := c.Path == "becomes a link"; c.Link() != link || c.Submodule() {
			t.Errorf("%s: link %v, submodule %v", c.Path, c.Link(), c.Submodule())
		}
		if (c.OldMode == "") != (c.Status == Added) || (c.NewMode == "") != (c.Status == Deleted) {
			t.Errorf("%s is %s with modes %q, %q", c.Path, c.Status, c.OldMode, c.NewMode)
		}
	}
}

// The index and the files are as before, to the byte; and it is all there.
func TestSnapshotTouchesNothing(t *testing.T) {
	p := edited(t)
	status := p.git("status", "--porcelain=v2", "-z", "--untracked-files=all")
	index, err := os.ReadFile(filepath.Join(p.GitDir, "index"))
	if err != nil {
		t.Fatal(err)
	}
	tree := p.snapshot()
	if after, err := os.ReadFile(filepath.Join(p.GitDir, "index")); err != nil || string(after) != string(index) {
		t.Errorf("the index was touched: %v", err)
	}
	if after := p.git("status", "--porcelain=v2", "-z", "--untracked-files=all"); after != status {
		t.Errorf("status (-want +got):\n%s", cmp.Diff(status, after))
	}
	if again := p.snapshot(); again != tree {
		t.Errorf("another snapshot of the same files: %s, then %s", tree, again)
	}
	if text := p.git("cat-file", "blob", tree+":staged, then changed"); text != "a\nb\nC" {
		t.Errorf("content in the snapshot: %q", text)
	}
	staged, err := p.IndexTree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if text := p.git("cat-file", "blob", staged+":staged, then changed"); text != "A\nb\nc" {
		t.Errorf("content that was staged: %q", text)
	}
}

func TestSnapshotExcludes(t *testing.T) {
	p := play(t)
	p.write(".code-intel/config.json", "{}\n")
	p.write("sub/.code-intel/config.json", "{}\n")
	before := p.commit("ours")
	p.write(".code-intel/config.json", "{1}\n")
	p.write(".code-intel/sessions/x.json", "{}\n")
	p.write("sub/.code-intel/config.json", "{1}\n")
	p.write("sub/x.code-intel/y", "mine\n")
	if got := p.diff(before, p.snapshot(".code-intel")); len(got) != 1 || got[0].Path != "sub/x.code-intel/y" {
		t.Errorf("changes: %+v", got)
	}
}

// A file that is changed within the same tick of the clock as the index, to
// another content of the same length, has changed.
func TestSnapshotOfARacyChange(t *testing.T) {
	p := play(t)
	file, index := filepath.Join(p.Dir, "base"), filepath.Join(p.GitDir, "index")
	now := time.Now().Truncate(time.Second).Add(-time.Hour)
	set := func(name string) {
		if err := os.Chtimes(name, now, now); err != nil {
			t.Fatal(err)
		}
	}
	set(file)
	p.git("update-index", "--really-refresh")
	set(index)
	p.write("base", "ONE\ntwo\nthree\n")
	set(file)
	if got := p.diff("HEAD", p.snapshot()); len(got) != 1 {
		t.Errorf("changes: %+v", got)
	}
}

func TestSnapshotOfOddRepositories(t *testing.T) {
	t.Run("nothing at all", func(t *testing.T) {
		p := empty(t)
		want, err := p.EmptyTree(t.Context())
		if got := p.snapshot(); got != want || err != nil {
			t.Errorf("snapshot %s, want the empty tree %s, %v", got, want, err)
		}
	})
	t.Run("only excluded files", func(t *testing.T) {
		p := empty(t)
		p.write(".code-intel/x", "x")
		if want, _ := p.EmptyTree(t.Context()); p.snapshot(".code-intel") != want {
			t.Error("the snapshot is not empty")
		}
	})
	t.Run("unborn", func(t *testing.T) {
		p := empty(t)
		p.write("x", "1\n2\n")
		tree, err := p.EmptyTree(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := p.diff(tree, p.snapshot()); len(got) != 1 || !cmp.Equal(got[0].Hunks, []Range{{1, 2}}) {
			t.Errorf("changes: %+v", got)
		}
	})
	t.Run("repositories inside", func(t *testing.T) {
		p := play(t)
		p.git("init", "-q", "inner [unborn]")
		p.git("clone", "-q", p.Dir, "inner clone")
		p.write("inner clone/new", "x\n")
		p.write("new", "x\n")
		if got := p.diff("HEAD", p.snapshot()); len(got) != 1 || got[0].Path != "new" {
			t.Errorf("changes: %+v", got)
		}
	})
	t.Run("settings that bend it", func(t *testing.T) {
		p := play(t)
		for _, set := range []string{"core.splitIndex=true", "core.safecrlf=true", "core.autocrlf=input", "diff.noprefix=true", "diff.mnemonicPrefix=true",
			"diff.external=false", "color.ui=always", "core.quotePath=true", "diff.renames=false", "status.showUntrackedFiles=no", "diff.submodule=log"} {
			name, value, _ := strings.Cut(set, "=")
			p.git("config", name, value)
		}
		p.git("update-index", "--split-index")
		p.write("dos", "a\r\nb\r\n")
		p.write("日本", "x\n")
		got := p.diff("HEAD", p.snapshot())
		if len(got) != 2 || got[0].Path != "dos" || got[1].Path != "日本" {
			t.Errorf("changes: %+v", got)
		}
	})
}

func TestSubmodule(t *testing.T) {
	p := play(t)
	lib := filepath.Join(t.TempDir(), "lib")
	p.git("clone", "-q", p.Dir, lib)
	p.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib, "lib [1]")
	before := p.commit("Add a submodule")
	r, err := Open(t.Context(), filepath.Join(p.Dir, "lib [1]"))
	if err != nil || r.Dir != filepath.Join(p.Dir, "lib [1]") {
		t.Fatalf("Open in the submodule = %+v, %v", r, err)
	}
	inner := playground{t, r}
	inner.write("base", "dirty\n")
	if got := p.diff(before, p.snapshot()); len(got) != 0 {
		t.Errorf("an edit inside is no change of the pointer: %+v", got)
	}
	inner.commit("Move on")
	got := p.diff(before, p.snapshot())
	if len(got) != 1 || got[0].Path != "lib [1]" || !got[0].Submodule() || got[0].Hunks != nil || got[0].Status != Modified {
		t.Errorf("changes: %+v", got)
	}
	p.remove("lib [1]")
	if got := p.diff(before, p.snapshot()); len(got) != 1 || got[0].Status != Deleted || !got[0].Submodule() {
		t.Errorf("removed: %+v", got)
	}
}

func TestPatch(t *testing.T) {
	p := edited(t)
	tree := p.snapshot()
	text := func(paths ...string) string {
		var b strings.Builder
		if err := p.Patch(t.Context(), "HEAD", tree, paths, &b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	whole := text()
	if again := text(); again != whole {
		t.Error("the same trees give another text")
	}
	for _, want := range []string{"+++ b/untracked/日本", "rename from renamed/old [1]", "new mode 100755", "Binary files a/binary and b/binary differ", "+C", `\ No newline at end of file`} {
		if !strings.Contains(whole, want) {
			t.Errorf("the patch lacks %q", want)
		}
	}
	if n := strings.Count("\n"+whole, "\ndiff --git "); n != len(p.diff("HEAD", tree))+1 { // the file that became a link has two
		t.Errorf("%d sections", n)
	}
	// A patch is complete: it takes the old tree to the new one.
	for _, name := range []string{"cut", "becomes a link", "odd/*", "renamed/new"} {
		one := text(name)
		if !strings.Contains(whole, one) || one == "" || one == whole {
			t.Errorf("the patch of %q is no part of the whole: %q", name, one)
		}
	}
	if got := text("*"); strings.Count(got, "diff --git ") != 0 {
		t.Errorf("a name was taken for a pattern: %q", got)
	}
	if got := text("odd/*"); strings.Count(got, "diff --git ") != 1 {
		t.Errorf("a name was taken for a pattern: %q", got)
	}
	if got := text("renamed/old [1]"); got != text("renamed/new") {
		t.Errorf("a rename by its old name: %q", got)
	}
}

// A line of a file may look like a header, and may be longer than any buffer.
func TestContentThatLooksLikeAPatch(t *testing.T) {
	p := play(t)
	long := strings.Repeat("x", 200<<10)
	header := "diff --git a/x b/x\n@@ -1,1 +1,1 @@\nBinary files a and b differ\n"
	p.write("a", header+long+"\n"+"end\n")
	p.write("b", "@@ -1 +1 @@\n")
	p.commit("x")
	p.write("a", "+"+header+long+"diff --git \n@@ -9 +9 @@\n"+header)
	p.write("b", "@@ -2 +2 @@\n")
	want := []Change{
		{Path: "a", Status: Modified, Hunks: []Range{{1, 5}, {8, 9}}}, // written before what stayed, removed behind it
		{Path: "b", Status: Modified, Hunks: []Range{{1, 1}}},
	}
	tree := p.snapshot()
	if diff := cmp.Diff(want, p.diff("HEAD", tree), noModes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var b strings.Builder
	if err := p.Patch(t.Context(), "HEAD", tree, []string{"a"}, &b); err != nil || strings.Count(b.String(), long) != 2 {
		t.Errorf("the long line is in the patch %d times: %v", strings.Count(b.String(), long), err)
	}
}

func TestManyFiles(t *testing.T) {
	p := play(t)
	var names []string
	for i := range 3000 { // more than fit into the arguments of one command, were they longer
		name := fmt.Sprintf("many/%s-%d", strings.Repeat("n", 50), i)
		names = append(names, name)
		p.write(name, "x\n")
	}
	tree := p.snapshot()
	if got := p.diff("HEAD", tree); len(got) != len(names) {
		t.Errorf("%d changes", len(got))
	}
	var b strings.Builder
	if err := p.Patch(t.Context(), "HEAD", tree, names, &b); err != nil || strings.Count(b.String(), "diff --git ") != len(names) {
		t.Errorf("%d sections, %v", strings.Count(b.String(), "diff --git "), err)
	}
}

func FuzzHunk(f *testing.F) {
	for _, seed := range []string{"@@ -1 +1 @@", "@@ -0,0 +1,9 @@ func x", "@@ -1,3 +0,0 @@", "@@ -5,2 +4,0 @@ +7 @@", "@@ -1 +x @@", "@@", "@@ -1 +99999999999999999999,1 @@"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		if h, ok := hunk(header); ok && strings.HasPrefix(header, "@@ -1 +1 ") && h != (Range{1, 1}) {
			t.Errorf("hunk(%q) = %v", header, h)
		}
	})
}

// What a snapshot holds is what the files hold, whatever the index says of them.
func TestSnapshotBelievesNoMark(t *testing.T) {
	for name, hide := range map[string][][]string{
		"assume-unchanged": {{"update-index", "--assume-unchanged", "a b"}},
		"skip-worktree":    {{"update-index", "--skip-worktree", "a b"}},
		"both":             {{"update-index", "--skip-worktree", "a b"}, {"update-index", "--assume-unchanged", "a b"}},
		"time and length":  {{"config", "core.trustctime", "false"}, {"config", "core.checkStat", "minimal"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := play(t)
			past := time.Now().Add(-time.Hour)
			put := func(text string) {
				p.write("new", text)
				if err := errors.Join(os.Chtimes(filepath.Join(p.Dir, "new"), past, past), os.Rename(filepath.Join(p.Dir, "new"), filepath.Join(p.Dir, "a b"))); err != nil {
					t.Fatal(err)
				}
			}
			put("one\n")
			p.commit("A")
			for _, h := range hide {
				p.git(h...)
			}
			before := p.git("ls-files", "-v", "-s")
			put("two\n")
			if got := p.git("cat-file", "blob", p.snapshot()+":a b"); got != "two" {
				t.Errorf("the snapshot holds %q", got)
			}
			if after := p.git("ls-files", "-v", "-s"); after != before {
				t.Errorf("the index was\n%s\nand is\n%s", before, after)
			}
		})
	}
}

// A sparse checkout lacks files, which are no deleted ones, and takes in others.
func TestSnapshotOfASparseCheckout(t *testing.T) {
	for _, how := range []string{"--no-cone", "--cone", "--sparse-index"} {
		t.Run(how, func(t *testing.T) {
			p := play(t)
			p.write("in/a", "a\n")
			p.write("out/b", "b\n")
			p.commit("Two folders")
			p.git("sparse-checkout", "set", how, "in")
			if _, err := os.Lstat(filepath.Join(p.Dir, "out/b")); err == nil {
				t.Fatal("out/b is there")
			}
			p.write("in/a", "changed\n")
			p.write("out/new", "new\n")
			var got []string
			for _, c := range p.diff("HEAD", p.snapshot()) {
				got = append(got, string(c.Status)+" "+c.Path)
			}
			if diff := cmp.Diff([]string{"modified in/a", "added out/new"}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// An object is what its id says, whatever stands in for it.
func TestReplacedObjects(t *testing.T) {
	p := play(t)
	p.write("a", "one\n")
	first := p.commit("One")
	p.write("a", "two\n")
	second := p.commit("Two")
	p.git("replace", first, second)
	p.git("replace", p.git("rev-parse", first+"^{tree}"), p.git("rev-parse", second+"^{tree}"))
	if got := p.diff(first, second); len(got) != 1 || got[0].Path != "a" {
		t.Errorf("differ: %+v", got)
	}
	p.git("replace", "-d", first)
	p.write(".git/info/grafts", first+" "+second+"\n")
	if in, err := p.Contains(t.Context(), first, second); err != nil || in {
		t.Errorf("the first commit holds the second: %v, %v", in, err)
	}
}

// TestTooMuchToStore refuses to store files that claim more than can be kept, untracked or changed, and names
// the largest; one that is committed, ignored or excluded does not count.
func TestTooMuchToStore(t *testing.T) {
	p := play(t)
	grow := func(name string, size int64) {
		p.write(name, "")
		if err := os.Truncate(filepath.Join(p.Dir, name), size); err != nil {
			t.Skip(err) // the file system holds no such file
		}
	}
	refused := func(what, name string) {
		t.Helper()
		_, err := p.Snapshot(t.Context())
		if f := problem.Of(err); f == nil || f.Code != tooMuchUncommitted || !strings.HasSuffix(f.Message.String(), " "+name+".") {
			t.Errorf("%s: %v", what, err)
		}
	}
	grow("own/large", maxStored+1)
	refused("untracked", "own/large")
	if _, err := p.Snapshot(t.Context(), "own"); err != nil {
		t.Errorf("excluded: %v", err)
	}
	p.write(".gitignore", "own\n")
	if _, err := p.Snapshot(t.Context()); err != nil {
		t.Errorf("ignored: %v", err)
	}
	grow("base", maxStored+1)
	refused("changed", "base")
	p.git("update-index", "--assume-unchanged", "base")
	refused("said to be unchanged", "base")
}

// TestTouchedIsNotStored counts neither files that only have another time than the index says, as in a copied
// repository, nor a file in conflict more than once.
func TestTouchedIsNotStored(t *testing.T) {
	p := play(t)
	p.write("large", strings.Repeat("a\n", 1000))
	p.commit("Add it")
	p.maxStored = 1500
	then := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(p.Dir, "large"), then, then); err != nil {
		t.Fatal(err)
	}
	p.snapshot()
	p.write("large", strings.Repeat("b\n", 1000))
	if _, err := p.Snapshot(t.Context()); problem.Of(err) == nil || problem.Of(err).Code != tooMuchUncommitted {
		t.Errorf("changed: %v", err)
	}
	p.maxStored = 2500
	p.git("checkout", "-q", "-b", "other")
	p.commit("b")
	p.git("checkout", "-q", "main")
	p.write("large", strings.Repeat("c\n", 1000))
	p.commit("c")
	if _, err := p.Do(t.Context(), Command{Args: []string{"merge", "-q", "other"}, Effect: Hooks}); err == nil {
		t.Fatal("there is no conflict")
	}
	p.write("large", strings.Repeat("d\n", 1000))
	p.snapshot()
}
