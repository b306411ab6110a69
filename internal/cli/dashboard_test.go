package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDashboard wants the command to serve what it says it serves until it is
// interrupted, and to let nobody decide where no person is at a terminal.
func TestDashboard(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, ".code-intel"), 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	said, out := io.Pipe()
	var problem bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- Main(ctx, []string{"dashboard", "--json", "--root", root}, strings.NewReader(""), out, &problem)
		out.Close()
	}()
	var p pageAddress
	if err := json.NewDecoder(said).Decode(&p); err != nil {
		t.Fatalf("%v; %s", err, &problem)
	}
	go io.Copy(io.Discard, said)
	address, err := url.Parse(p.URL)
	if err != nil || address.Hostname() != "127.0.0.1" || address.Query().Get("token") == "" {
		t.Fatalf("the address is %q", p.URL)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	get := func(path string) (int, string) {
		t.Helper()
		a, err := browser.Get(path)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		text, err := io.ReadAll(a.Body)
		if err != nil {
			t.Fatal(err)
		}
		return a.StatusCode, string(text)
	}
	origin := "http://" + address.Host
	if status, _ := get(origin + "/"); status != http.StatusUnauthorized {
		t.Errorf("without the token: %d", status)
	}
	status, page := get(p.URL)
	if status != http.StatusOK {
		t.Errorf("with the token: %d", status)
	}
	_, folder, _ := strings.Cut(page, `content="0;url=`) // where the browser goes on
	folder, _, _ = strings.Cut(folder, `"`)
	if status, text := get(origin + folder + "api/state"); status != http.StatusOK || !strings.Contains(text, `"decides":false`) {
		t.Errorf("then: %d %s", status, text)
	}
	interrupt()
	if status := <-ended; status != exitDone {
		t.Errorf("it ended with %d: %s", status, &problem)
	}
	if a, err := browser.Get(origin + "/"); err == nil {
		a.Body.Close()
		t.Error("it serves on after its end")
	}
}

// TestAddressOfADashboard wants a person to be given an address that their browser can
// open, and to be told where others can, too.
func TestAddressOfADashboard(t *testing.T) {
	for _, c := range []struct {
		p    pageAddress
		want string
	}{
		{pageAddress{URL: "u", Root: "r"}, "dashboard  u\nproject    r\nPress Ctrl-C to stop."},
		{pageAddress{URL: "u", Root: "r", remote: true}, "not encrypted"},
		{pageAddress{URL: "u", Root: "r", only: "nobody is there."}, "decisions  only in a terminal: nobody is there."},
	} {
		if text := c.p.Text(); !strings.Contains(text, c.want) {
			t.Errorf("%q does not say %q", text, c.want)
		}
	}
}
