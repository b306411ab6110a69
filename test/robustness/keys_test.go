//go:build linux

package robustness

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A key that somebody left in a text. It is put together here, so that no file holds one.
var (
	keyToken = "gh" + "p_" + strings.Repeat("Q7w2", 9)
	keyLine  = strings.Repeat("MIIEQ7w2Q7w2Q7w2", 4)
	keyBlock = "-----BEGIN RSA " + "PRIVATE KEY-----\n" + keyLine + "\n" + keyLine + "\nQ7w2Q7w2Q7w2abcd==\n-----END RSA " + "PRIVATE KEY-----"
)

// TestKeys has keys lie in the middle of files that are no secrets, in what git knows and in
// files that are secrets by their names, and finds them in no answer, record or log.
func TestKeys(t *testing.T) {
	program := build(t)
	c := newClone(t)
	code := "package main\n\n// Greeting greets with " + keyToken + ".\nfunc Greeting() string { return \"" + keyToken + "\" }\n\n" +
		"// Greeting2 greets.\nfunc Greeting2() string {\n\treturn `" + keyBlock + "`\n}\n\nfunc main() { println(Greeting(), Greeting2()) }\n"
	put(t, c.root, "main.go", code)
	put(t, c.root, "README.md", "# Greeting\n\nGreeting is here: "+keyToken+"\n\n"+keyBlock+"\n")
	put(t, c.root, "CLAUDE.md", "- Greet with "+keyToken+"\n")
	put(t, c.root, "settings.py", "GREETING = {'key': '''"+keyBlock+"''', 'greeting': \""+keyToken+"\"}\n")
	put(t, c.root, "key.json", fmt.Sprintf("{\"greeting\": %q, \"other\": %q}\n", keyBlock, keyToken))
	put(t, c.root, "jwks.json", `{"keys": [{"kty": "EC", "use": "greeting", "d": "`+keyLine+`"}]}`+"\n")
	put(t, c.root, "putty.md", "# Greeting\n\n    PuTTY-User-Key-File-3: greeting\n    Private-"+"Lines: 1\n    "+keyLine+"\n")
	put(t, c.root, "utf16.go", "\xff\xfe"+strings.Join(strings.Split("package main\n// Greeting "+keyToken+"\n", ""), "\x00")+"\x00")
	put(t, c.root, "greeting.txt", "# created: 2026\nAGE-SECRET-"+"KEY-1"+strings.Repeat("Q7W2", 15)+"\n")
	put(t, c.root, ".docker/config.json", `{"auths": {"greeting": {"auth": "`+keyLine+`"}}}`)
	for _, name := range []string{".netrc", ".pgpass", "appsettings.Production.json", "wp-config.php", ".hgrc", "terraform.tfstate.1.backup", ".netrc-work"} {
		put(t, c.root, name, "Greeting "+keyLine+"\n")
	}
	c.git("add", "-A", "-f")
	c.git("commit", "-qm", "Greet with "+keyToken)
	put(t, c.root, "main.go", strings.ReplaceAll(code, keyToken, "gone"))
	c.git("commit", "-qam", "Greet without it")
	put(t, c.root, "main.go", strings.Replace(code, "greets with", "now greets with", 1))
	put(t, c.root, "new.go", "package main\n\n// Greeting3 greets.\nfunc Greeting3() string { return \""+keyToken+"\" }\n")

	check := func(what, out string) {
		t.Helper()
		if strings.Contains(out, "Q7w2") || strings.Contains(out, "Q7W2") {
			t.Errorf("%s shows a key:\n%s", what, out)
		}
	}
	named := false
	for _, args := range append([][]string{
		{"grep", "w2Q7"}, {"grep", "-v", "zzz"}, {"grep", "-A5", "Greeting2"}, {"grep", "-i", "greeting", "main.go", "settings.py", "utf16.go"},
		{"search", "a private key"}, {"outline", "main.go", "--json"}, {"search", "greeting", "--json"}, {"refs", "Greeting", "--json"},
		{"grep", "Greeting", "--json"}, {"explore", "greeting", "--json"}, {"why", "main.go:4", "--json"}, {"why", "main.go:8"}, {"impact", "--diff", "HEAD", "--json"},
	}, commands...) {
		out, _ := c.run(program, "{}", args...)
		check(strings.Join(args, " "), out)
		named = named || strings.Contains(out, ".hgrc")
	}
	if !named {
		t.Error("no search names the secret files that it left out")
	}
	out := c.serve(program)
	check("the server", out)
	if !strings.Contains(out, "CONCEALED") {
		t.Errorf("no answer of the server says that it conceals a key: %s", out)
	}
	check("a second server", c.serveCalls(program, []string{
		tool("search_text", `{"pattern":"w2Q7"}`), tool("search_text", `{"pattern":"MII"}`), tool("query", `{"query":"w2Q7"}`),
		tool("review_changes", `{}`), tool("find_definitions", `{"symbol":"Greeting3"}`), tool("file_history", `{"file_path":"main.go","line":8}`),
		tool("check_write_target", `{"file_path":"settings.py"}`), tool("analyze_impact", `{"diff":"HEAD~1"}`),
	}))
	check("the dashboard", c.browse(program))
	for _, at := range c.lying("") {
		text, err := os.ReadFile(at)
		c.must(err)
		if strings.Contains(string(text), "Q7w2Q7w2") {
			t.Errorf("%s holds a key", strings.TrimPrefix(at, c.home))
		}
	}
	for _, dir := range []string{".code-intel", ".specs"} {
		_ = filepath.WalkDir(filepath.Join(c.root, dir), func(at string, d os.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				text, err := os.ReadFile(at)
				c.must(err)
				check(strings.TrimPrefix(at, c.root), string(text[:min(len(text), 2000)]))
			}
			return nil
		})
	}
}
