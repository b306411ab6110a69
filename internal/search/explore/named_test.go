package explore

import (
	"strings"
	"testing"

	"codeintel/internal/search"
	"codeintel/test/searchtest"
)

// TestNamesWithoutDefinition asks for names that no code defines as they are written: the first place
// has to be the code that is meant, and a note has to say so.
func TestNamesWithoutDefinition(t *testing.T) {
	p, x, e := searchtest.Open(t, searchtest.Files(t, map[string]string{
		"docs/options.md":   "# Options\n\n## server.fs.deny\n\nFiles that are never served.\n",
		"schema.json":       "{\"properties\": {\"autoWrapMessage\": {\"type\": \"boolean\"}, \"globber\": 1}}\n",
		"package-lock.json": "{\"packages\": {\"globber\": {\"version\": \"4.0.5\"}}}\n",
		"config.ts": "import globber from 'globber'\n\n// about server.fs.deny\nexport function resolve(server) {\n" +
			"  return globber(server.fs.deny)\n}\n",
		"settings.go": "package settings\n\n// Commit has the settings of messages.\ntype Commit struct {\n\tAutoWrapMessage bool\n}\n\n" +
			"func width(c Commit) int {\n\tif c.AutoWrapMessage {\n\t\treturn 72\n\t}\n\treturn 0\n}\n",
		"pool.py": "import os\n\n\nclass WorkerPool:\n    def flush(self):\n        pass\n\n\nclass Other:\n    def flush(self):\n        pass\n\n" +
			"    def drop_all_jobs(self):\n        os.unlink('jobs')\n\n\ndef unroll_group(group):\n    return group\n",
		"test_pool.py": "class TestOther:\n    def test_drop_all_jobs(self):\n        assert True\n",
	}))
	explorer := New(p, x, e, nil)
	for query, want := range map[string]struct{ note, first string }{
		"server.fs.deny":  {"no code defines server.fs.deny; these places use it", "config.ts:3-6 function resolve"},
		"globber":         {"no code defines globber; these places use it", "config.ts:3-6 function resolve"},
		"os.unlink":       {"no code defines os.unlink; these places use it", "pool.py:13-14 method Other.drop_all_jobs"},
		"autoWrapMessage": {"no code defines autoWrapMessage; taken for: Commit.AutoWrapMessage", "settings.go:5 field Commit.AutoWrapMessage"},
		"UNROLL_GROUP":    {"no code defines UNROLL_GROUP; taken for: unroll_group", "pool.py:17-18 function unroll_group"},
		"unrollGroup":     {"no code defines unrollGroup; taken for: unroll_group", "pool.py:17-18 function unroll_group"},
		"unroll_groups":   {"no code defines unroll_groups; taken for: unroll_group", "pool.py:17-18 function unroll_group"},
		"WorkrPool.flush": {"no code defines WorkrPool.flush; taken for: WorkerPool.flush", "pool.py:5-6 method WorkerPool.flush"},
		"jobs::WorkerPool::flush": {"no code defines jobs::WorkerPool::flush; taken for: WorkerPool.flush",
			"pool.py:5-6 method WorkerPool.flush"},
		"WorkerPool#drop_all_jobs": {"no code defines WorkerPool#drop_all_jobs; taken for: Other.drop_all_jobs",
			"pool.py:13-14 method Other.drop_all_jobs"},
		"test_pool.py::TestPool::test_drop_all_jobs": {"no code defines test_pool.py::TestPool::test_drop_all_jobs; " +
			"taken for: TestOther.test_drop_all_jobs", "test_pool.py:2-3 method TestOther.test_drop_all_jobs"},
	} {
		a, err := explorer.Explore(t.Context(), Query{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(a.Text(), "\n")
		if len(lines) < 3 || lines[1] != "note: "+want.note || lines[2] != want.first {
			t.Errorf("%s: want the note %q and first %q:\n%s", query, want.note, want.first, a.Text())
		}
	}
	for _, query := range []string{"Zork.flush", "unroll", "WorkerPool.flood"} {
		a, err := explorer.Explore(t.Context(), Query{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(a.Text(), "taken for") {
			t.Errorf("%s is taken for something else:\n%s", query, a.Text())
		}
	}
}

// TestNamesOfOthers asks for names that code uses or is like, but that mean something else: a file, a heading, or
// what is defined outside of the files asked about. A note names the member that a use through a variable may mean.
func TestNamesOfOthers(t *testing.T) {
	p, x, e := searchtest.Open(t, searchtest.Files(t, map[string]string{
		"docs/guide.md":  "# Parameters\n\nWhat commands take.\n",
		"a/config.json":  "{\"deep\": 1}\n",
		"b/config.json":  "{\"deep\": 2}\n",
		"core.py":        "class Context:\n    obj = None\n\n    def load(self):\n        return open('config.json')\n",
		"sub/command.py": "TITLE = 'Parameters'\ncontext = TITLE\n\n\ndef run(ctx):\n    return ctx.obj\n",
	}))
	explorer := New(p, x, e, nil)
	for _, c := range []struct{ query, path, want string }{
		{"config.json", "", "no symbol has the name config.json, but files: a/config.json, b/config.json"},
		{"Parameters", "", "docs/guide.md:1-3 heading Parameters"},
		{"Context", "sub", "Context is defined outside of the files asked about: core.py:1"},
		{"ctx.obj", "", "its last part may be: Context.obj (core.py:2)"},
	} {
		a, err := explorer.Explore(t.Context(), Query{Query: c.query, Where: search.Where{Path: c.path}})
		if err != nil {
			t.Fatal(err)
		}
		first := strings.Join(strings.Split(a.Text(), "\n")[1:3], "\n")
		defines := strings.Contains(a.Text(), "no code defines")
		if !strings.Contains(a.Text(), c.want) || c.query == "Parameters" && !strings.Contains(first, c.want) ||
			defines != (c.query == "ctx.obj") || strings.Contains(a.Text(), "nothing is defined") {
			t.Errorf("%s: want %q:\n%s", c.query, c.want, a.Text())
		}
	}
}
