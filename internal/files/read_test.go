package files

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/encoding/japanese"

	"codeintel/internal/files/charset"
	"codeintel/internal/problem"
)

func TestRead(t *testing.T) {
	root := t.TempDir()
	source := "# 初期化\nclass Foo\n  def 名前 = 1 # 表示\nend\n"
	sjis, err := japanese.ShiftJIS.NewEncoder().String(source)
	if err != nil {
		t.Fatal(err)
	}
	write(t, root, "a b/foo.rb", sjis)
	write(t, root, "plain.go", "package plain\n")
	p := open(t, root)

	text, err := Read(p, filepath.Join(p.Root, "a b", "foo.rb"))
	if err != nil {
		t.Fatal(err)
	}
	if text.Path != "a b/foo.rb" || string(text.Bytes) != source || text.Charset != charset.ShiftJIS || text.Size != int64(len(sjis)) || text.Class != Source || text.ModTime.IsZero() {
		t.Errorf("%+v", text)
	}
	text, err = Read(p, "./plain.go")
	if err != nil || len(text.Hash) != 64 || text.Charset != charset.UTF8 {
		t.Errorf("%+v, %v", text, err)
	}
	write(t, root, "plain.go", "package other\n")
	if again, err := Read(p, "plain.go"); err != nil || again.Hash == text.Hash {
		t.Errorf("another content, the same hash: %v", err)
	}
}

func TestReadRefusals(t *testing.T) {
	root := t.TempDir()
	write(t, root, "../outside.go", "x")
	write(t, root, ".env", "KEY=1")
	write(t, root, "key", "-----BEGIN RSA PRIVATE KEY-----\n")
	write(t, root, "noise.txt", "a\x00b\x01\x02\x03")
	write(t, root, "late.txt", strings.Repeat("text\n", 4000)+"\x00\x01\x02\xff\xfe\x00")
	write(t, root, "big.go", strings.Repeat("x", 5000))
	write(t, root, "folder/a.go", "x")
	write(t, root, "empty.go", "")
	if err := os.Symlink("../outside.go", filepath.Join(root, "out.go")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("folder/a.go", filepath.Join(root, "in.go")); err != nil {
		t.Fatal(err)
	}
	p := open(t, root)
	p.Config.MaxFileBytes = 25000
	for path, want := range map[string]problem.Code{
		"../outside.go": problem.OutsideRoot,
		"out.go":        problem.OutsideRoot,
		".env":          SecretFile,
		"key":           SecretFile,
		"noise.txt":     BinaryFile,
		"late.txt":      BinaryFile,
		"folder":        problem.InvalidArgument,
		"nowhere.go":    problem.NotFound,
		"empty.go/x":    problem.NotFound,
	} {
		if _, err := Read(p, path); problem.Of(err) == nil || problem.Of(err).Code != want {
			t.Errorf("%s: %v, want %s", path, err, want)
		}
	}
	if text, err := Read(p, "empty.go"); err != nil || len(text.Bytes) != 0 {
		t.Errorf("empty: %+v, %v", text, err)
	}
	if text, err := Read(p, "in.go"); err != nil || text.Path != "folder/a.go" {
		t.Errorf("a link inside: %+v, %v", text, err)
	}
	p.Config.MaxFileBytes = 4000
	if _, err := Read(p, "big.go"); problem.Of(err) == nil || problem.Of(err).Code != FileTooLarge {
		t.Errorf("big: %v", err)
	}
}

// Whatever a listing says can be read, can be read.
func TestReadListed(t *testing.T) {
	root := repository(t)
	write(t, root, "a.go", "package a\n")
	write(t, root, ".env", "KEY=1")
	write(t, root, "x.png", "\x89PNG\x00")
	p := open(t, root)
	entries, err := List(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		text, err := ReadEntry(p, e)
		if (err == nil) != e.Class.Indexed() {
			t.Errorf("%s is %s: %v", e.Path, e.Class, err)
		}
		if err == nil && (text.Size != e.Size || text.ModTime.UnixNano() != e.ModTime) {
			t.Errorf("%s: %+v, listed %+v", e.Path, text, e)
		}
	}
	if len(entries) != 3 {
		t.Errorf("%+v", entries)
	}
}
