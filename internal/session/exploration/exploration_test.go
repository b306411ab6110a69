package exploration

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"codeintel/internal/audit"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session/refusal"
	"codeintel/internal/session/state"
)

func TestReasonCodes(t *testing.T) {
	for _, tt := range []struct {
		missing string
		fits    []string
	}{
		{"session.missing_symbols", []string{"no_definition_found", "architecture_unknown"}},
		{"session.missing_entry_points", []string{"no_definition_found", "no_reference_found"}},
		{"session.missing_patterns", []string{"no_similar_implementation", "architecture_unknown"}},
		{"session.missing_files", []string{"context_fragmented", "architecture_unknown"}},
	} {
		e := &state.Evaluation{Confidence: state.Low, Missing: []msg.Message{msg.New(tt.missing, 1, 3)}}
		fits := make(map[string]bool)
		for _, code := range tt.fits {
			fits[code] = true
		}
		for _, code := range ReasonCodes {
			if Explains(e, code) != fits[code] {
				t.Errorf("%s explains %q: %v", code, tt.missing, !fits[code])
			}
		}
	}
}

func TestNames(t *testing.T) {
	for _, tt := range []struct {
		entry, symbol string
		want          bool
	}{
		{"pay() -> Cart.total", "Cart.total", true},
		{"shop/checkout.py: total", "total", true},
		{"subtotal()", "total", false},
		{"pay", "Cart.total", false},
		{"pay", "", false},
		{"合計()", "合計", true},
		{"出荷機能を追加する", "出荷", true},
		{"出荷機能を追加する", "残り", false},
		{"在庫の数", "数", false},
	} {
		if got := Names(tt.entry, tt.symbol); got != tt.want {
			t.Errorf("Names(%q, %q) = %v", tt.entry, tt.symbol, got)
		}
	}
}

// TestExplains holds that a target symbol of other words than the feature's is not irrelevant if a finding
// says at its place what it has to do with the request.
func TestExplains(t *testing.T) {
	p, err := project.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := Record{Project: p, State: &state.State{Query: "Add an option `number`: values are always converted with Number()"}}
	for finding, want := range map[string]bool{
		"index.js:128 setArg converts a value with Number()": true,
		"setArg converts a value with Number()":              false, // where?
		"index.js:128 setArg is called in a loop":            false, // what for?
		"index.js:128 isNumber knows what a number is":       false, // setArg?
		"number.js:128 setArg":                               false,
	} {
		if got := r.explains([]string{finding}, "setArg"); got != want {
			t.Errorf("%q explains setArg: %v", finding, got)
		}
	}
}

func TestPlaces(t *testing.T) {
	root := t.TempDir()
	for _, file := range []string{"cart.py", "a file.py", "倉庫/注文.py", "pages/(group)/x.py", "Makefile"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, file)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, file), []byte("x\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := project.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{
		"total sums: cart.py:15-17 and 日本/画面.py:3": {"cart.py:15-17", "日本/画面.py:3"},
		"at 10:30 nothing happened":                nil,
		"see https://example.com:8080/x":           nil,
		"Makefile:3":                               {"Makefile:3"},
		"so says a file.py:1":                      {"a file.py:1"},
		"出荷は倉庫/注文.py:5にある":                         {"倉庫/注文.py:5"},
		"it is pages/(group)/x.py:2":               {"pages/(group)/x.py:2"},
		"oldcart.py:3":                             {"oldcart.py:3"},
		"my-cart.py:3":                             {"my-cart.py:3"},
	} {
		if got := Places(p, text); !slices.Equal(got, want) {
			t.Errorf("Places(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestBareTool(t *testing.T) {
	for name, want := range map[string]string{
		"search_text": "search_text", "mcp__code-intel__search_text": "search_text", "mcp__plugin_x_code-intel__get_symbols": "get_symbols",
		"search_text (2x)": "search_text", " Read ": "Read", "": "",
	} {
		if got := bareTool(name); got != want {
			t.Errorf("bareTool(%q) = %q, want %q", name, got, want)
		}
	}
}

// TestMarkup holds which files have no logic: a change to them alone needs less exploration.
func TestMarkup(t *testing.T) {
	for file, want := range map[string]bool{
		"a.html": true, "a.htm": true, "a.css": true, "a.scss": true, "a.sass": true, "a.less": true, "README.md": true, "A.HTML": true,
		"a.blade.php": false, "a.vue": false, "a.jsx": false, "a.tsx": false, "a.svelte": false, "a.js": false, "a.html.erb": false, "md": false,
	} {
		if got := isMarkup(file); got != want {
			t.Errorf("isMarkup(%s) = %v", file, got)
		}
	}
}

// TestImpactOfUnseenFiles offers to leave a file out only where it may be left out.
func TestImpactOfUnseenFiles(t *testing.T) {
	r := recordOf(t, "a.py", "b.py")
	answers := []state.FileImpact{{File: "a.py", Status: "not_affected", Reason: "It adds prices."}, {File: "b.py", Status: "not_affected", Reason: "It counts stock."}}
	for _, c := range []struct {
		must []string
		may  bool
	}{{nil, true}, {[]string{"b.py"}, false}} {
		p := problem.Of(r.CheckImpact(answers, c.must))
		if p == nil || p.Code != refusal.UnobservedFiles {
			t.Fatalf("not refused: %v", p)
		}
		may := slices.ContainsFunc(p.Next, func(m msg.Message) bool { return m.Key() == "session.take_them_out" })
		if may != c.may {
			t.Errorf("must be verified: %v; offers to leave them out: %t", c.must, may)
		}
	}
}

// TestToolsOfEarlierPhases believes what the server saw in the session, and nothing else.
func TestToolsOfEarlierPhases(t *testing.T) {
	r := recordOf(t)
	if _, err := r.Ledger.Append(audit.Entry{Kind: audit.Tool, Name: "find_definitions", Outcome: audit.OK}); err != nil {
		t.Fatal(err)
	}
	r.State.Since = r.Ledger.Head().Seq // the next phase begins
	if err := r.CheckTools([]string{"mcp__code-intel__find_definitions"}); err != nil {
		t.Errorf("a call of an earlier phase: %v", err)
	}
	if err := r.CheckTools([]string{"search_text"}); problem.Of(err) == nil {
		t.Errorf("a call that nobody made: %v", err)
	}
}

// recordOf returns the record of a new session in a project with some files.
func recordOf(t *testing.T, files ...string) Record {
	t.Helper()
	for _, name := range []string{"HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, t.TempDir())
	}
	root := t.TempDir()
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(root, f), []byte("x = 1\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l, err := audit.Open(filepath.Join(root, "ledger.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return Record{Project: &project.Project{Root: root}, State: &state.State{}, Ledger: l}
}
