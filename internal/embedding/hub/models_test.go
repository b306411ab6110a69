package hub_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/embedding/hub"
	"codeintel/internal/problem"
)

const revision = "0123456789abcdef0123456789abcdef01234567"

// fakeHub is a hub with one model, which answers as Hugging Face's does.
type fakeHub struct {
	mu       sync.Mutex
	files    map[string][]byte
	stated   map[string]string // hashes that are stated instead of the right ones
	revision string
	breakAt  int64 // bytes of the weights after which a download breaks, 0: none
	breaks   int   // how often it does
	log      []string
}

func (h *fakeHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.log = append(h.log, strings.TrimSpace(r.URL.Path+" "+r.Header.Get("Range")))
	const repository = "intfloat/multilingual-e5-small"
	if !strings.Contains(r.URL.Path, "/"+repository+"/") {
		http.NotFound(w, r)
		return
	}
	switch r.URL.Path {
	case "/api/models/" + repository + "/revision/main":
		_ = json.NewEncoder(w).Encode(map[string]string{"sha": h.revision})
	case "/api/models/" + repository + "/tree/" + h.revision:
		_ = json.NewEncoder(w).Encode(h.tree())
	default:
		h.resolve(w, r, strings.TrimPrefix(r.URL.Path, "/"+repository+"/resolve/"+h.revision+"/"))
	}
}

func (h *fakeHub) tree() (rows []map[string]any) {
	rows = append(rows, map[string]any{"type": "directory", "path": "1_Pooling", "oid": "x", "size": 0})
	for name, data := range h.files {
		git := fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(data), data)))
		row := map[string]any{"type": "file", "path": name, "size": len(data), "oid": git}
		if s := h.stated[name]; s != "" {
			row["oid"] = s
		}
		if strings.HasSuffix(name, ".safetensors") {
			sum := fmt.Sprintf("%x", sha256.Sum256(data))
			if s := h.stated[name]; s != "" {
				sum = s
			}
			row["oid"] = "of the pointer"
			row["lfs"] = map[string]any{"oid": sum, "size": len(data), "pointerSize": 130}
		}
		rows = append(rows, row)
	}
	return rows
}

func (h *fakeHub) resolve(w http.ResponseWriter, r *http.Request, name string) {
	data, ok := h.files[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	if h.breaks > 0 && strings.HasSuffix(name, ".safetensors") {
		h.breaks--
		var from int64
		_, _ = fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from) // none: from the start
		w.Header().Set("Content-Length", fmt.Sprint(int64(len(data))-from))
		if from > 0 {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(data)-1, len(data)))
			w.WriteHeader(http.StatusPartialContent)
		}
		_, _ = w.Write(data[from:min(from+h.breakAt, int64(len(data)))]) // and no more
		return
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}

func newHub() *fakeHub {
	return &fakeHub{revision: revision, stated: map[string]string{}, files: map[string][]byte{
		"config.json": []byte("{}"), "tokenizer.json": []byte("{ }"), "modules.json": []byte("[]"), "1_Pooling/config.json": []byte("{  }"),
		"model.safetensors": bytes.Repeat([]byte("weights!"), 4096), "pytorch_model.bin": []byte("never"), "README.md": []byte("never"),
		"onnx/model.onnx": []byte("not needed"),
	}}
}

func request(h *fakeHub, t *testing.T) hub.Request {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return hub.Request{Name: "multilingual-e5-small", From: s.URL, Dir: filepath.Join(t.TempDir(), "models"), Now: time.Unix(1e9, 0)}
}

// tree returns what lies under dir, by path.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path) // path is under dir
		all[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// holds says that dir holds the model of h and nothing that was not asked for.
func holds(t *testing.T, dir string, h *fakeHub) {
	t.Helper()
	got := tree(t, dir)
	delete(got, ".lock")
	delete(got, "multilingual-e5-small/model.lock.json")
	want := make(map[string]string)
	for _, name := range []string{"config.json", "tokenizer.json", "modules.json", "1_Pooling/config.json", "model.safetensors"} {
		want["multilingual-e5-small/"+name] = string(h.files[name])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
}

func TestPull(t *testing.T) {
	h := newHub()
	r := request(h, t)
	seen := make(map[string]int64)
	r.Progress = func(file string, done, of int64) { seen[file] = done }
	lock, err := hub.Pull(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	holds(t, r.Dir, h)
	if lock.Revision != revision || lock.Name != r.Name || len(lock.Files) != 5 || !lock.Fetched.Equal(r.Now) {
		t.Errorf("%+v", lock)
	}
	for _, f := range lock.Files {
		if f.SHA256 != fmt.Sprintf("%x", sha256.Sum256(h.files[f.Path])) || seen[f.Path] != f.Size {
			t.Errorf("%+v, progress %d", f, seen[f.Path])
		}
	}

	// A second time nothing is downloaded; by the repository's name it is the same.
	h.log = nil
	r.Name = "intfloat/multilingual-e5-small"
	if _, err := hub.Pull(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	if len(h.log) != 2 {
		t.Errorf("asked for %q", h.log)
	}

	// A new revision replaces the old one.
	h.revision = strings.Repeat("a", 40)
	h.files["config.json"] = []byte(`{"new": true}`)
	if _, err := hub.Pull(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	holds(t, r.Dir, h)

	// What was spoilt is fetched again.
	if err := os.WriteFile(filepath.Join(r.Dir, "multilingual-e5-small", "model.safetensors"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := hub.Pull(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	holds(t, r.Dir, h)
}

// TestResume: a download goes on where it broke, within a pull and from one pull
// to the next.
func TestResume(t *testing.T) {
	h := newHub()
	h.breakAt, h.breaks = 5000, 3
	r := request(h, t)
	if _, err := hub.Pull(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	holds(t, r.Dir, h)
	ranges := 0
	for _, l := range h.log {
		if strings.Contains(l, "bytes=") {
			ranges++
		}
	}
	if ranges != 3 {
		t.Errorf("%d of the requests go on: %q", ranges, h.log)
	}

	h = newHub()
	h.breakAt, h.breaks = 1000, 1000
	r = request(h, t)
	_, err := hub.Pull(context.Background(), r)
	if p := problem.Of(err); p == nil || p.Code != hub.Unreachable {
		t.Fatal(err)
	}
	if list, err := hub.List(r.Dir, hub.Sizes); err != nil || list[1].Status != hub.Absent {
		t.Errorf("half a model is %q, %v", list[1].Status, err)
	}
	h.breaks, h.log = 0, nil
	if _, err := hub.Pull(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	holds(t, r.Dir, h)
	if !strings.Contains(strings.Join(h.log, "\n"), "model.safetensors bytes=9000-") {
		t.Errorf("it began anew: %q", h.log)
	}
}

// TestDamaged: what does not hash to what the hub states never becomes a model.
func TestDamaged(t *testing.T) {
	for name, stated := range map[string]string{"model.safetensors": strings.Repeat("0", 64), "config.json": strings.Repeat("0", 40)} {
		h := newHub()
		h.stated[name] = stated
		r := request(h, t)
		_, err := hub.Pull(context.Background(), r)
		if p := problem.Of(err); p == nil || p.Code != hub.Damaged || !strings.Contains(p.Message.String(), name) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := os.Stat(hub.Path(r.Dir, r.Name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: a model came of it", name)
		}
		// Nor does what went wrong stand in the way later.
		h.stated = map[string]string{}
		if _, err := hub.Pull(context.Background(), r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		holds(t, r.Dir, h)
	}
}

func TestRefusals(t *testing.T) {
	h := newHub()
	r := request(h, t)
	for name, c := range map[string]struct {
		change func(r *hub.Request)
		code   problem.Code
	}{
		"name":       {func(r *hub.Request) { r.Name = "../x" }, hub.Unknown},
		"no such":    {func(r *hub.Request) { r.Name = "no-such-model" }, hub.Unknown},
		"not there":  {func(r *hub.Request) { r.Name = "owner/none" }, hub.Unknown},
		"no folder":  {func(r *hub.Request) { r.Dir = "" }, hub.Unknown},
		"no server":  {func(r *hub.Request) { r.From = "http://127.0.0.1:1" }, hub.Unreachable},
		"plain http": {func(r *hub.Request) { r.From = "http://hub.example" }, hub.Unreachable},
		"no file":    {func(r *hub.Request) { r.From = filepath.Join(t.TempDir(), "nowhere") }, hub.Unreachable},
		"empty":      {func(r *hub.Request) { r.From = t.TempDir() }, hub.Unknown},
	} {
		r := r
		c.change(&r)
		_, err := hub.Pull(context.Background(), r)
		if p := problem.Of(err); p == nil || p.Code != c.code || len(p.Next) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := hub.Pull(ctx, r); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestFromHere takes a model from a folder and from an archive as npm makes it.
func TestFromHere(t *testing.T) {
	h := newHub()
	folder := t.TempDir()
	archive := filepath.Join(t.TempDir(), "model.tgz")
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for name, data := range h.files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, data, 0o600)); err != nil {
			t.Fatal(err)
		}
		for _, prefix := range []string{"package/model/", "package/deep/other/model/"} {
			content := data
			if prefix != "package/model/" {
				content = []byte("of another model")
			}
			err := errors.Join(w.WriteHeader(&tar.Header{Name: prefix + name, Mode: 0o644, Size: int64(len(content))}), writeAll(w, content))
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(w.WriteHeader(&tar.Header{Name: "../../escape", Mode: 0o644, Size: 1}), writeAll(w, []byte("x")), w.Close(), z.Close(), os.WriteFile(archive, b.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{folder, archive} {
		r := hub.Request{Name: "multilingual-e5-small", From: from, Dir: t.TempDir(), Now: time.Unix(1e9, 0)}
		for range 2 { // the second replaces the first
			lock, err := hub.Pull(context.Background(), r)
			if err != nil {
				t.Fatal(err)
			}
			holds(t, r.Dir, h)
			if lock.Source != from || lock.Revision != "" {
				t.Errorf("%+v", lock)
			}
		}
	}
	if err := os.WriteFile(archive, b.Bytes()[:b.Len()/2], 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := hub.Pull(context.Background(), hub.Request{Name: "x", From: archive, Dir: t.TempDir()})
	if p := problem.Of(err); p == nil || p.Code != hub.Damaged && p.Code != hub.Unknown {
		t.Errorf("half an archive: %v", err)
	}
}

func writeAll(w io.Writer, b []byte) error { _, err := w.Write(b); return err }

func TestList(t *testing.T) {
	h := newHub()
	r := request(h, t)
	if _, err := hub.Pull(context.Background(), r); err != nil {
		t.Fatal(err)
	}
	status := func(depth hub.Depth) (hub.Status, string) {
		list, err := hub.List(r.Dir, depth)
		if err != nil || len(list) != len(hub.Known) {
			t.Fatal(len(list), err)
		}
		for _, e := range list {
			if e.Name == r.Name {
				return e.Status, e.Fault
			}
		}
		return "", ""
	}
	if s, _ := status(hub.Sizes); s != hub.Present {
		t.Errorf("%q", s)
	}
	if s, _ := status(hub.Hashes); s != hub.Sound {
		t.Errorf("%q", s)
	}
	path := filepath.Join(r.Dir, r.Name, "model.safetensors")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	data[77] ^= 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, _ := status(hub.Sizes); s != hub.Present {
		t.Errorf("%q", s)
	}
	if s, fault := status(hub.Hashes); s != hub.Broken || !strings.Contains(fault, "model.safetensors") {
		t.Errorf("%q %q", s, fault)
	}
	if list, err := hub.List(filepath.Join(t.TempDir(), "none"), hub.Hashes); err != nil || list[0].Status != hub.Absent {
		t.Error(err)
	}
}

func TestDir(t *testing.T) {
	for want, env := range map[string]map[string]string{
		"/data/code-intel/models":                {"XDG_DATA_HOME": "/data", "HOME": "/home/u"},
		"/home/u/.local/share/code-intel/models": {"XDG_DATA_HOME": "relative", "HOME": "/home/u"},
		"":                                       {},
	} {
		if got := hub.Dir(func(n string) string { return env[n] }); filepath.ToSlash(got) != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
