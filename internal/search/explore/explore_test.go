package explore

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"codeintel/internal/commitlog"
	"codeintel/internal/problem"
	"codeintel/internal/search"
	"codeintel/internal/text"
	"codeintel/test/golden"
	"codeintel/test/searchtest"
)

// shop lays out testdata/shop.txtar as a repository. Each of its parts is written in
// the first commit; those whose name begins with "commit N/" in a later one.
func shop(t *testing.T) *Explorer {
	t.Helper()
	dir := t.TempDir()
	for key, value := range map[string]string{
		"GIT_CONFIG_GLOBAL": filepath.Join(t.TempDir(), "none"), "GIT_CONFIG_NOSYSTEM": "1",
		"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.com", "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.com",
		"GIT_AUTHOR_DATE": "1700000000 +0000", "GIT_COMMITTER_DATE": "1700000000 +0000",
	} {
		t.Setenv(key, value)
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v: %s", args, err, out)
		}
	}
	a, err := txtar.ParseFile(filepath.Join("testdata", "shop.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	git("init", "-q")
	for commit := range 4 {
		for _, f := range a.Files {
			name, at := f.Name, 0
			if in, rest, ok := strings.Cut(f.Name, "/"); ok && strings.HasPrefix(in, "commit ") {
				if _, err := fmt.Sscanf(in, "commit %d", &at); err != nil {
					t.Fatal(err)
				}
				name = rest
			}
			if at != commit {
				continue
			}
			file := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, f.Data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		git("add", "-A")
		git("commit", "-q", "--allow-empty", "-m", fmt.Sprint("commit ", commit))
	}
	p, x, e := searchtest.Open(t, dir)
	return New(p, x, e, commitlog.New(p.Root, x.Dir(), commitlog.Window))
}

// TestAnswers checks the text of answers and what they showed against golden files:
// testdata/answers.txtar has the arguments of a call as the name of each part.
func TestAnswers(t *testing.T) {
	e := shop(t)
	file := filepath.Join("testdata", "answers.txtar")
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range archive.Files {
		g := &archive.Files[i]
		var q Query
		if err := json.Unmarshal([]byte(g.Name), &q); err != nil {
			t.Fatalf("%s: %v", g.Name, err)
		}
		got := said(t, e, q)
		if again := said(t, e, q); again != got {
			t.Errorf("%s: another answer the second time:\n%s", g.Name, cmp.Diff(got, again))
		}
		g.Data = []byte(got)
	}
	golden.Hold(t, file, string(txtar.Format(archive)))
}

func said(t *testing.T, e *Explorer, q Query) string {
	t.Helper()
	a, err := e.Explore(t.Context(), q)
	if p := problem.Of(err); p != nil {
		return "problem: " + p.Error() + "\n"
	}
	if err != nil {
		t.Fatal(err)
	}
	facts, err := json.Marshal(a.Observed())
	if err != nil {
		t.Fatal(err)
	}
	holdsAll(t, a)
	return a.Text() + "observed " + string(facts) + "\n"
}

// holdsAll wants the text of an answer to have everything that its structured form has.
func holdsAll(t *testing.T, a *Answer) {
	t.Helper()
	said := a.Text()
	has := func(parts ...any) {
		t.Helper()
		for _, p := range parts {
			if s := strings.TrimSpace(fmt.Sprint(p)); !strings.Contains(said, s) {
				t.Errorf("the text lacks %q:\n%s", s, said)
			}
		}
	}
	spots := func(list []Spot) {
		for _, s := range list {
			has(s.File, s.StartLine, s.Symbol, s.Confidence)
			if s.EndLine > s.StartLine {
				has(s.EndLine)
			}
			for _, line := range s.Also {
				has(fmt.Sprintf(",%d", line))
			}
		}
	}
	for _, p := range a.Places {
		spots([]Spot{p.Spot})
		has(p.Kind, p.Why)
		for _, c := range p.Code {
			n := c.Line
			for l := range strings.Lines(c.Text) {
				has(fmt.Sprintf("%d  %s", n, strings.TrimRight(l, "\n")))
				n++
			}
		}
		spots(p.Members)
		spots(p.CalledBy)
		spots(p.Calls)
		spots(p.Derived)
		for _, u := range p.Uses {
			has(u.File, u.Line, u.Symbol, u.Text)
		}
		possible := 0
		for _, s := range p.CalledBy {
			if s.Confidence == search.Possible {
				possible++
			}
		}
		has(unlistedText(len(p.CalledBy)-possible, p.More), unlistedText(possible, p.Possible), unlistedText(len(p.Derived), p.MoreDerived))
	}
	if f := a.File; f != nil {
		has(f.Path, f.Lines)
		for _, s := range f.Declares {
			has(text.LineRange(s.StartLine, s.EndLine) + " " + s.Symbol)
		}
		for _, i := range f.Imports {
			has(i.Name)
			for _, file := range i.Files {
				has(file)
			}
		}
		spots(f.ImportedBy)
	}
	spots(a.Tests)
	spots(a.Further)
	for _, c := range a.Together {
		has(fmt.Sprintf("%s (%d of %d times)", c.File, c.Together, c.Changes))
	}
}

// A caller is listed with all lines that call, and callers that are only possible are
// listed apart, without their code where others are known.
func TestCallersWhole(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"send.py":  "class Transport:\n    def send_all(self, m):\n        return m\n\n    def open(self, m):\n        self.send_all(m)\n        self.send_all(m)\n",
		"other.py": "def close(channel):\n    channel.transport.send_all(1)\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, x, e := searchtest.Open(t, dir)
	text := said(t, New(p, x, e, nil), Query{Query: "Transport.send_all"})
	if !strings.Contains(text, "  called by: :6,7 Transport.open\n  called by (possible): other.py:2 close\n") || strings.Contains(text, "def close(") {
		t.Error(text)
	}
}

// TestBudget wants an answer to be no longer than was asked for, whatever fits.
func TestBudget(t *testing.T) {
	e := shop(t)
	last := 0
	for _, tokens := range []int{200, 300, 500, 1000, 2500, 12500} {
		a, err := e.Explore(t.Context(), Query{Query: "total price of the cart", MaxTokens: tokens})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Places) == 0 {
			t.Fatalf("%d tokens: nothing is shown", tokens)
		}
		n := search.Size(a)
		if n > 4*tokens && tokens > 300 {
			t.Errorf("%d tokens: %d characters", tokens, n)
		}
		if n < last {
			t.Errorf("%d tokens: %d characters, with fewer tokens %d", tokens, n, last)
		}
		last = n
	}
}

// TestDecisiveLines asks about a function that is longer than what is shown of it: its
// head is shown, and the lines that the words of the question stand on, wherever they are.
func TestDecisiveLines(t *testing.T) {
	dir := t.TempDir()
	var b strings.Builder
	b.WriteString("package shop\n\n// Settle settles a bill.\nfunc Settle(bill *Bill) int {\n")
	for i := 5; i <= 290; i++ {
		switch i {
		case 70:
			b.WriteString("\tbill.applyVoucher()\n")
		case 240:
			b.WriteString("\tbill.roundCents()\n")
		default:
			fmt.Fprintf(&b, "\tbill.sum += step%d\n", i)
		}
	}
	b.WriteString("\treturn bill.sum\n}\n")
	if err := os.WriteFile(filepath.Join(dir, "shop.go"), []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	p, x, e := searchtest.Open(t, dir)
	text := said(t, New(p, x, e, nil), Query{Query: "settle: apply the voucher, then round to cents"})
	for _, want := range []string{"\n  4  func Settle(bill *Bill) int {", "\n 70  \tbill.applyVoucher()", "\n240  \tbill.roundCents()", "\n  …  263-292"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not shown:\n%s", want, text)
		}
	}
	if strings.Contains(text, "\n150  ") {
		t.Errorf("what the question does not ask for is shown:\n%s", text)
	}
}

// TestCalleesOfCommonName calls a method of an interface that very many types implement:
// the types say which one is called.
func TestCalleesOfCommonName(t *testing.T) {
	dir := t.TempDir()
	var goes, php strings.Builder
	goes.WriteString("package shop\n\ntype Shape interface {\n\tDraw(n int)\n}\n\nfunc Show(s Shape) {\n\ts.Draw(1)\n}\n")
	php.WriteString("<?php\ninterface Handler { public function handle(int $n): void; }\nclass Runner {\n    public function run(Handler $h): void { $h->handle(1); }\n}\n")
	for i := range 20 {
		fmt.Fprintf(&goes, "\ntype S%d struct{}\n\nfunc (S%d) Draw(n int) {}\n", i, i)
		fmt.Fprintf(&php, "class H%d implements Handler { public function handle(int $n): void {} }\n", i)
	}
	for name, text := range map[string]string{"go.mod": "module example.com/shop\n\ngo 1.22\n", "shop.go": goes.String(), "run.php": php.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, x, e := searchtest.Open(t, dir)
	for query, want := range map[string]string{"Show": "  calls: :4 Shape.Draw\n", "Runner.run": "  calls: :2 Handler.handle\n"} {
		if text := said(t, New(p, x, e, nil), Query{Query: query}); !strings.Contains(text, want) {
			t.Errorf("%s: no %q in\n%s", query, want, text)
		}
	}
}

// TestTestsLast shows the code that a question is about before the tests that lie beside
// it, and names the tests that speak of it.
func TestTestsLast(t *testing.T) {
	dir := searchtest.Files(t, map[string]string{
		"src/keymap.rs": "pub fn merge_keys(base: &mut Keymap, user: Keymap) {\n    for (key, value) in user {\n        base.insert(key, value);\n    }\n}\n\n" +
			"#[cfg(test)]\nmod tests {\n    #[test]\n    fn merge_partial_keymaps() {\n        let merged_keymaps = merge_with_default_keymaps(partial_keymaps());\n" +
			strings.Repeat("        assert_eq!(default_keymaps(), merged_keymaps);\n", 40) + "    }\n\n    #[test]\n    fn other() {\n" +
			strings.Repeat("        assert_eq!(this_one(), that_one());\n", 40) + "    }\n}\n",
		"keys/reader.py":       "def read_keys(path):\n    \"\"\"Reads the file of keys.\"\"\"\n    return open(path).read().split()\n",
		"tests/test_reader.py": "from keys import reader\n\n\ndef test_empty():\n    assert not run('none')\n\n\ndef test_keys_of_a_file():\n    assert run('some')\n",
	})
	p, x, e := searchtest.Open(t, dir)
	for _, c := range []struct{ query, first, test string }{
		{"how are keymaps merged with the default keymaps", "merge_keys", "src/keymap.rs:10 tests.merge_partial_keymaps"},
		{"tests that merge keymaps with the default keymaps", "tests.merge_partial_keymaps", ""},
		{"reads the keys of a file", "read_keys", "tests/test_reader.py:8 test_keys_of_a_file"},
	} {
		a, err := New(p, x, e, nil).Explore(t.Context(), Query{Query: c.query})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Places) == 0 || a.Places[0].Symbol != c.first || c.test != "" && !strings.Contains(a.Text(), c.test) {
			t.Errorf("%s: want %s first and %q among the tests:\n%s", c.query, c.first, c.test, a.Text())
		}
	}
}

// TestRecordsLast shows code before catalogues of texts and migrations, unless the question is about those.
func TestRecordsLast(t *testing.T) {
	dir := searchtest.Files(t, map[string]string{
		"shop/backup.py": "def run(target):\n    \"\"\"Sends what there is to the target.\"\"\"\n    return upload(target, 'backup')\n",
		"shop/migrations/0002_backup_remote_server.py": "def add_backup_remote_server(op):\n    op.add('backup', 'remote', 'server')\n",
		"locales/en.json": "{\n  \"backup_remote_server\": \"Send the backup to the remote server\",\n  \"backup_remote\": \"Remote backup\"\n}\n",
	})
	p, x, e := searchtest.Open(t, dir)
	for query, first := range map[string]string{
		"send the backup to the remote server":                  "shop/backup.py",
		"label backup_remote_server in the translations":        "locales/en.json",
		"the migration that adds the remote server of a backup": "shop/migrations/0002_backup_remote_server.py",
	} {
		a, err := New(p, x, e, nil).Explore(t.Context(), Query{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Places) == 0 || a.Places[0].File != first {
			t.Errorf("%s: want %s first:\n%s", query, first, a.Text())
		}
	}
}

// TestInlineTests knows tests that are beside what they test by how they begin.
func TestInlineTests(t *testing.T) {
	keys := "    let merged = merge_keys(default_keymaps(), partial_keymaps());\n"
	code := "pub fn %s(base: Map, user: Map) Map {\n    return base.with(user);\n}\n\n"
	heads := map[string][]string{
		"rs": {
			"#[test]\nfn merge_default_keymaps() {", "/// Merges keymaps with the default keymaps.\n#[ignore]\n#[tokio::test(flavor = \"x\")]\nasync fn merge_default_keymaps() {",
			"#[ignore] #[rstest]\nfn merge_default_keymaps() {", "#[cfg(test)]\nfn merge_default_keymaps() {",
		},
		"zig": {"test \"merge keymaps with the default keymaps\" {", "/// Merges keymaps with the default keymaps.\ntest merge_keys {"},
		"d": {
			"/// merges keymaps with the default keymaps\nunittest\n{", "@safe pure unittest { // merges keymaps with the default keymaps",
			"/// merges keymaps with the default keymaps\n@safe\nunittest {",
		},
	}
	for ext, list := range heads {
		for _, head := range list {
			text := fmt.Sprintf(code, "merge_keys") + head + "\n" + keys + "}\n"
			p, x, e := searchtest.Open(t, searchtest.Files(t, map[string]string{"keys." + ext: text}))
			for query, want := range map[string]bool{
				"how are keymaps merged with the default keymaps": false, "tests that merge keymaps with the default keymaps": true,
			} {
				a, err := New(p, x, e, nil).Explore(t.Context(), Query{Query: query})
				if err != nil {
					t.Fatal(err)
				}
				if len(a.Places) == 0 || (a.Places[0].StartLine > 3) != want {
					t.Errorf("%s of %s:\n%s", query, text, a.Text())
				} else if !want && slices.ContainsFunc(a.Places[0].CalledBy, func(s Spot) bool { return s.Symbol != "" }) {
					t.Errorf("a test is among the callers:\n%s", a.Text())
				}
			}
		}
	}
	for file, text := range map[string]string{
		"a.rs": "#[cfg(not(test))]\nfn a() {}\n", "b.rs": "#[derive(Debug)]\nstruct Test;\n", "c.rs": "fn c() { quote!(#[test] fn d() {}) }\n",
		"a.zig": "const test_keys = 1;\n", "b.zig": "pub fn keys() void {}\n\ntest {}\n", "a.d": "void unittests() {}\n", "a.py": "test = 1\n",
	} {
		p, x, e := searchtest.Open(t, searchtest.Files(t, map[string]string{file: text}))
		_, err := search.Steady(t.Context(), e, func(ctx context.Context, src search.Sources) (*Answer, error) {
			r := &run{ctx: ctx, e: New(p, x, e, nil), src: src}
			if r.beginsTest(file, 1) || r.beginsTest(file, 0) {
				t.Errorf("%s begins a test:\n%s", file, text)
			}
			return &Answer{}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestHolders asks with what is in the code as it is written: the places that hold it
// come first, and the answer is not weak.
func TestHolders(t *testing.T) {
	filler := func(name string) string {
		return "def " + name + "(basket, total):\n    \"\"\"Applies the total of a basket that is closed.\"\"\"\n    return basket.total(total)\n\n\n"
	}
	dir := searchtest.Files(t, map[string]string{
		"shop/basket.py": filler("close") + filler("reopen") + filler("total") + "def check(item):\n    if item.gone:\n" +
			"        raise Refused(f\"cannot put {item} on this basket again\")\n\n\n" + filler("empty"),
		"shop/flags.py":      "def flags(p):\n    p.add(\"--keep-going\")\n    p.add(\"--total\")\n",
		"shop/run.py":        "import os\n\n\ndef run(args):\n    if args.keep_going and args.keep_going > 1:\n        return None\n    return os.environ[\"SHOP_TILL\"]\n",
		"tests/test_shop.py": "def test_all():\n    assert said == \"cannot put x on this basket again\" and \"SHOP_TILL\"\n",
		"README.md":          "# Shop\n\nSet SHOP_TILL, or use --keep-going: cannot put x on this basket again.\n",
	})
	p, x, e := searchtest.Open(t, dir)
	for query, want := range map[string]string{
		"closing says \"cannot put cup on this basket again\" for a basket whose total is closed": "check",
		"the total of a closed basket is wrong without SHOP_TILL":                                 "run",
		"--keep-going does not apply to a closed basket with a total":                             "run",
	} {
		a, err := New(p, x, e, nil).Explore(t.Context(), Query{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(a.Places, func(p Place) bool { return p.Symbol == want })
		if at < 0 || at > 3 || a.Weak || a.Places[0].File == "README.md" {
			t.Errorf("%s: want %s among the first:\n%s", query, want, a.Text())
		}
	}
}

// TestFirstLeavesRoom asks about a function whose lines alone would fill an answer.
func TestFirstLeavesRoom(t *testing.T) {
	wide := "    log(\"" + strings.Repeat("settled ", 6) + "\")\n"
	dir := searchtest.Files(t, map[string]string{
		"shop.py": "def settle_bill(bill):\n" + strings.Repeat(wide, 120) + "\n\ndef settle_all(bills):\n    for bill in bills:\n        settle_bill(bill)\n",
	})
	p, x, e := searchtest.Open(t, dir)
	a, err := New(p, x, e, nil).Explore(t.Context(), Query{Query: "how is a bill settled"})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Places) < 2 || a.Places[0].Symbol != "settle_bill" {
		t.Errorf("nothing beside the first place:\n%s", a.Text())
	}
}

// TestDecisiveFirst asks when something happens: the function that decides it comes before
// constructors of types whose names hold as many words of the question, unless the question
// is about the constructors.
func TestDecisiveFirst(t *testing.T) {
	filler := strings.Repeat("        self.total += self.price(self.basket)\n", 60)
	pool := func(name string) string {
		return "class " + name + ":\n    def price(self, basket):\n" + filler +
			"\n    def __init__(self, worker_threads, start):\n        self.worker_threads = worker_threads\n" +
			"        self.start_worker = start\n        self.pool = []\n\n    def cost(self, basket):\n" + filler
	}
	dir := searchtest.Files(t, map[string]string{
		"worker.py": pool("WorkerThreadPool"),
		"other.py":  pool("OtherWorkerThreadPool"),
		"ensure.py": "def ensure_active(pool):\n    \"\"\"Starts a thread if the pool may have another one.\"\"\"\n    active = pool.active()\n    if active >= pool.limit():\n        return\n" +
			"    pool.start_worker(active + 1)\n",
	})
	p, x, e := searchtest.Open(t, dir)
	for query, first := range map[string]string{
		"when does a pool start another worker thread":      "ensure_active",
		"constructor of a pool that starts a worker thread": "WorkerThreadPool.__init__",
	} {
		a, err := New(p, x, e, nil).Explore(t.Context(), Query{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(a.Places, func(p Place) bool { return called(p.Kind) })
		if at < 0 || !strings.HasSuffix(a.Places[at].Symbol, first) {
			t.Errorf("%s: %s is not first:\n%s", query, first, a.Text())
		}
	}
}

// TestShorterAnswers asks twice about the same code. Where the first place is clearly the
// best, few others are shown with it. Where no place is likely to be meant, the answer says
// how to ask, unless it is weak and says so.
func TestShorterAnswers(t *testing.T) {
	files := map[string]string{"till.py": "def settle_bill_of_a_closed_till(till):\n    \"\"\"Settles the bill of a till that is closed.\"\"\"\n" +
		"    bill = till.bill\n    bill.settle()\n    return bill\n"}
	for i, name := range strings.Fields("open count print lock sort merge split") {
		files[name+".py"] = fmt.Sprintf("def %s_receipts(receipts):\n    bill = receipts[%d]\n    bill.%s(receipts)\n    return bill\n", name, i, name)
	}
	p, x, e := searchtest.Open(t, searchtest.Files(t, files))
	ask := func(query string) *Answer {
		a, err := New(p, x, e, nil).Explore(t.Context(), Query{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	clear := ask("settle the bill of a closed till")
	if clear.Loose || clear.Weak || len(clear.Places) != len(allowedClear) || clear.Places[0].Symbol != "settle_bill_of_a_closed_till" {
		t.Errorf("not %d places, settle_bill_of_a_closed_till first:\n%s", len(allowedClear), clear.Text())
	}
	loose := ask("why does the till print the wrong receipts")
	if !loose.Loose || loose.Weak || !strings.Contains(loose.Text(), "none of these is a sure match") {
		t.Errorf("does not say that nothing is sure:\n%s", loose.Text())
	}
}

// TestPrototypes holds that a prototype calls nothing, and that what is called is where it is defined.
func TestPrototypes(t *testing.T) {
	p, x, e := searchtest.Open(t, searchtest.Files(t, map[string]string{
		"include/ed.h": "void open_editor(const char *file);\nint run_all(void);\n",
		"src/ed.c":     "#include \"ed.h\"\n\nvoid open_editor(const char *file)\n{\n\tputs(file);\n}\n",
		"src/run.c":    "#include \"ed.h\"\n\nint run_all(void)\n{\n\topen_editor(\"a\");\n\treturn 0;\n}\n",
	}))
	for query, want := range map[string]string{
		"open_editor": "  called by: src/run.c:5 run_all\n", "run_all": "  calls: src/ed.c:3 open_editor\n",
	} {
		if got := said(t, New(p, x, e, nil), Query{Query: query}); !strings.Contains(got, want) {
			t.Errorf("%s: no %q in\n%s", query, want, got)
		}
	}
}

// TestLongComments holds that a long comment in a function leaves room for its code.
func TestLongComments(t *testing.T) {
	doc := "    \"\"\"Count those who are at risk.\n" + strings.Repeat("    who is at risk is counted here\n", 100) + "    \"\"\"\n"
	p, x, e := searchtest.Open(t, searchtest.Files(t, map[string]string{
		"plot.py": "def count_at_risk(rows):\n" + doc + strings.Repeat("    rows.sort()\n", 40) + "    return rows.last\n",
	}))
	about := said(t, New(p, x, e, nil), Query{Query: "comment about who is counted at risk"})
	if strings.Count(about, "counted here") <= beginning {
		t.Errorf("asked for the comment:\n%s", about)
	}
	for _, query := range []string{"who is counted at risk", "count_at_risk"} {
		got := said(t, New(p, x, e, nil), Query{Query: query})
		if !strings.Contains(got, "Count those") || !strings.Contains(got, "return rows.last") || strings.Count(got, "counted here") > beginning {
			t.Errorf("%s:\n%s", query, got)
		}
	}
}

// TestDerived asks for types that others implement, extend or take in: by their heads, by what
// is in them, and in Go by their methods.
func TestDerived(t *testing.T) {
	p, x, e := searchtest.Open(t, searchtest.Files(t, map[string]string{
		"go.mod":    "module example.com/m\n\ngo 1.26\n",
		"a/a.go":    "package a\n\ntype Store interface {\n\tPut(string)\n\tGet() string\n}\n\nfunc Use(s Store) { s.Put(s.Get()) }\n",
		"b/b.go":    "package b\n\ntype Disk struct{}\n\nfunc (*Disk) Put(string) {}\nfunc (*Disk) Get() string { return \"\" }\n\ntype Half struct{}\n\nfunc (Half) Put(string) {}\n",
		"c/c.go":    "package c\n\ntype Half struct{}\n\nfunc (Half) Get() string { return \"\" }\n",
		"s/lib.rs":  "pub trait Exporter {\n    fn write(&self);\n}\n\npub struct Csv;\n\nimpl Exporter for Csv {\n    fn write(&self) {}\n}\n\npub fn run(e: &dyn Exporter) { e.write() }\n",
		"t/base.ts": "export class Base extends Error {}\n\nexport class Late extends Base {}\n\nexport type Hook = (error: Base) => void;\n",
		"r/sync.rb": "module Syncable\n  def sync; end\nend\n\nclass Account\n  include Syncable\nend\n",
	}))
	for name, want := range map[string]string{
		"Store":    "b/b.go:3 Disk",
		"Exporter": "s/lib.rs:7 Csv",
		"Base":     "t/base.ts:3 Late",
		"Syncable": "r/sync.rb:5 Account",
	} {
		a, err := New(p, x, e, nil).Explore(t.Context(), Query{Query: name})
		if err != nil || len(a.Places) == 0 {
			t.Fatalf("%s: %v, %v", name, a, err)
		}
		var got []string
		for _, s := range a.Places[0].Derived {
			got = append(got, fmt.Sprintf("%s:%d %s", s.File, s.StartLine, s.Symbol))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: derived %q, want %s", name, got, want)
		}
		for _, s := range a.Places[0].CalledBy {
			if slices.Contains(got, fmt.Sprintf("%s:%d %s", s.File, s.StartLine, s.Symbol)) {
				t.Errorf("%s: %s is listed as what uses it, too", name, s.Symbol)
			}
		}
		holdsAll(t, a)
	}
}

// TestCodeWithinFilter holds the code of callers to the paths that a question is limited to.
func TestCodeWithinFilter(t *testing.T) {
	p, x, e := searchtest.Open(t, searchtest.Files(t, map[string]string{
		"src/a.py":  "def close(handle):\n    return handle\n\n\ndef stop():\n    close(1)\n",
		"docs/d.py": "from src.a import close\n\n\ndef main():\n    close(2)\n",
	}))
	a, err := New(p, x, e, nil).Explore(t.Context(), Query{Query: "close", Where: search.Where{Path: "src"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range a.Places {
		if !strings.HasPrefix(place.File, "src/") {
			t.Errorf("code of %s is shown", place.File)
		}
	}
	if text := a.Text(); !strings.Contains(text, "docs/d.py:5 main") || !strings.Contains(text, "stop (caller)") {
		t.Errorf("callers:\n%s", text)
	}
}

// TestDocumentationLast shows code before pieces of a source file that only describe it, unless the question is about
// those.
func TestDocumentationLast(t *testing.T) {
	dir := searchtest.Files(t, map[string]string{
		"lib/Tree.pm": "package Tree;\n\nsub list_tree {\n  my ($self, $path) = @_;\n  opendir my $dir, $path or return;\n" +
			"  return grep { !-l $_ } map { $self->new($_) } readdir $dir;\n}\n\n1;\n\n=encoding utf8\n\n=head1 METHODS\n\n" +
			strings.Repeat("Methods of trees are described below, each with an example that can be run.\n\n", 20) +
			"=head2 list_tree\n\nLists the tree of a directory; symbolic links to directories of the tree are not followed.\n" +
			strings.Repeat("\n  say for $tree->list_tree('directory');  # symbolic links\n", 8) + "\n=cut\n",
		"lib/Leaf.pm": "package Leaf;\n\nsub fall {\n  my ($self, $ground) = @_;\n  return $ground->take($self);\n}\n\n1;\n",
	})
	p, x, e := searchtest.Open(t, dir)
	for query, documented := range map[string]bool{
		"list_tree follows symbolic links to directories":                        false,
		"documentation of symbolic links to directories that tree does not list": true,
	} {
		a, err := New(p, x, e, nil).Explore(t.Context(), Query{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Places) == 0 || a.Places[0].StartLine > 9 != documented {
			t.Errorf("%s: documentation first: %v:\n%s", query, !documented, a.Text())
		}
	}
}

// TestCommonName says that an answer which did not look up the callers of a name is incomplete.
func TestCommonName(t *testing.T) {
	p, x, e := searchtest.Open(t, searchtest.Files(t, map[string]string{
		"a.py": "def base():\n    pass\n",
		"b.py": "from a import base\n\n" + strings.Repeat("base()\n", maxMentions+1),
	}))
	a, err := New(p, x, e, nil).Explore(t.Context(), Query{Query: "base"})
	if err != nil {
		t.Fatal(err)
	}
	if a.Complete || !strings.Contains(a.Text(), "\nincomplete: ") {
		t.Errorf("callers are not looked up, and the answer is complete:\n%s", a.Text())
	}
}

// TestCallersBeforeExports lists who calls a function before lists of exports that only name it.
func TestCallersBeforeExports(t *testing.T) {
	tree := map[string]string{"pkg/core.py": "def load(p):\n    return p\n", "pkg/zmain.py": "from pkg.core import load\n\n\ndef main():\n    load(1)\n"}
	for i := range maxCallers + 1 {
		tree[fmt.Sprintf("pkg/a%d/__init__.py", i)] = "from pkg.core import load\n\n__all__ = [\n    \"load\",\n]\n"
	}
	p, x, e := searchtest.Open(t, searchtest.Files(t, tree))
	a, err := New(p, x, e, nil).Explore(t.Context(), Query{Query: "load"})
	if err != nil {
		t.Fatal(err)
	}
	if by := a.Places[0].CalledBy; len(by) == 0 || by[0].Symbol != "main" {
		t.Errorf("called by %v", by)
	}
}
