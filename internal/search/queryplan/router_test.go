package queryplan

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"codeintel/internal/memory/outcomelog"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/search"
	"codeintel/internal/text/requestslots"
	"codeintel/internal/text/terms"
	"codeintel/internal/trust"
	"codeintel/test/golden"
	"codeintel/test/searchtest"
)

// TestQuestions holds what is read out of questions, and the plans that follow
// for one named symbol and for none, against a golden file.
func TestQuestions(t *testing.T) {
	file := filepath.Join("testdata", "questions.txtar")
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range archive.Files {
		g := &archive.Files[i]
		slots, err := compose(Query{Query: g.Name}, Setting{}, extract(g.Name))
		if err != nil {
			t.Fatalf("%s: %v", g.Name, err)
		}
		intent := guessIntent(g.Name, extract(g.Name))
		var b strings.Builder
		fmt.Fprintln(&b, intent)
		for _, name := range requestslots.SlotNames {
			if s, ok := slots[name]; ok {
				fmt.Fprintf(&b, "%s: %s (%s)\n", name, s.Value, s.Source)
				if s.Source != requestslots.Fact || !strings.Contains(g.Name, s.Value) {
					t.Errorf("%s: %s is not quoted from the question: %q", g.Name, name, s.Value)
				}
			}
		}
		fmt.Fprintf(&b, "named: %s\n", strings.Join(nameCandidates(g.Name), ", "))
		fmt.Fprintf(&b, "plan: %s\n", strings.Join(newPlan(intent, slots, nil, aim{}).tools(), ", "))
		g.Data = []byte(b.String())
	}
	golden.Hold(t, file, string(txtar.Format(archive)))
}

// TestPlan holds the plan to the table of v1.0: what is missing decides which
// tools are asked, the intent which come first.
func TestPlan(t *testing.T) {
	all := map[string]requestslots.Slot{}
	for _, s := range requestslots.SlotNames {
		all[s] = requestslots.Slot{Value: "x", Source: requestslots.Fact}
	}
	without := func(names ...string) map[string]requestslots.Slot {
		slots := map[string]requestslots.Slot{}
		for k, v := range all {
			if !slices.Contains(names, k) {
				slots[k] = v
			}
		}
		return slots
	}
	names := []string{"Cart"}
	for _, c := range []struct {
		about, intent string
		slots         map[string]requestslots.Slot
		names         []string
		want          string
		risk          requestslots.Risk
	}{
		{"IMPLEMENT asks all", Implement, all, names, "semantic_search find_definitions find_references search_text get_symbols analyze_structure", requestslots.Low},
		{"MODIFY asks for references first", Modify, all, names, "find_references find_definitions", requestslots.Low},
		{"INVESTIGATE: meaning and structure first", Investigate, all, names, "semantic_search analyze_structure", requestslots.Low},
		{"QUESTION asks the least", Question, without(requestslots.SlotNames...), names, "find_definitions semantic_search", requestslots.Low},
		{"no feature", Modify, without("target_feature"), names, "find_references find_definitions get_symbols", requestslots.Medium},
		{"no trigger", Modify, without("trigger_condition"), names, "find_references find_definitions search_text", requestslots.Medium},
		{"no issue", Modify, without("observed_issue"), names, "find_references find_definitions semantic_search search_text", requestslots.High},
		{"no action", Investigate, without("desired_action"), names, "semantic_search analyze_structure find_references", requestslots.Low},
		{"nothing named", Modify, all, nil, "semantic_search find_references find_definitions", requestslots.Low},
	} {
		p := newPlan(c.intent, c.slots, c.names, aim{})
		if got := strings.Join(p.tools(), " "); got != c.want {
			t.Errorf("%s: %s, want %s", c.about, got, c.want)
		}
		if p.RiskLevel != c.risk || p.NeedsBootstrap != (c.names == nil) || p.NeedsBootstrap != (p.BootstrapReason != "") || p.Reasoning == "" {
			t.Errorf("%s: risk %s, bootstrap %v %q, reasoning %q", c.about, p.RiskLevel, p.NeedsBootstrap, p.BootstrapReason, p.Reasoning)
		}
		for _, s := range p.Steps {
			if s.Why == "" {
				t.Errorf("%s: %s has no reason", c.about, s.Tool)
			}
		}
	}
}

type stage struct {
	*Router
	t    *testing.T
	root string
}

// shop is a small project with a Router.
func shop(t *testing.T, more map[string]string) *stage {
	t.Helper()
	tree := map[string]string{
		"shop/price.py":           "\"\"\"Prices in cents.\"\"\"\n\n\ndef net(price, quantity):\n    \"\"\"The price of several pieces.\"\"\"\n    return price * quantity\n\n\ndef gross(price, tax):\n    \"\"\"The price with tax, rounded down.\"\"\"\n    return price + price * tax // 100\n",
		"shop/cart.py":            "\"\"\"A cart holds what a customer wants to buy.\"\"\"\n\nfrom shop.price import gross, net\n\n\nclass Cart:\n    \"\"\"Lines of (name, price, quantity).\"\"\"\n\n    def __init__(self):\n        self.lines = []\n\n    def total(self, tax=0):\n        amount = sum(net(price, quantity) for _, price, quantity in self.lines)\n        if amount < 0:\n            raise ValueError(\"negative amount\")\n        return gross(amount, tax)\n",
		"shop/checkout.py":        "from shop.cart import Cart\n\n\ndef pay(cart: Cart, tax):\n    return {\"amount\": cart.total(tax), \"currency\": \"EUR\"}\n",
		"tests/test_cart.py":      "from shop.cart import Cart\n\n\ndef test_total():\n    assert Cart().total(10) == 0\n",
		"docs/money.md":           "# Money\n\nAmounts are integers in cents. Rounding is always down.\n",
		".code-intel/.gitignore":  "/index/\n/logs/\n",
		".code-intel/config.json": "{}",
	}
	for k, v := range more {
		tree[k] = v
	}
	root := searchtest.Files(t, tree)
	p, x, e := searchtest.Open(t, root)
	now := func() time.Time { return time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC) }
	return &stage{New(p, x, e, slog.New(slog.DiscardHandler), now), t, root}
}

func (s *stage) ask(q Query, in Setting) *Answer {
	s.t.Helper()
	a, err := s.Ask(s.t.Context(), q, in)
	if err != nil {
		s.t.Fatal(err)
	}
	return a
}

func (s *stage) decisions() []outcomelog.Decision {
	s.t.Helper()
	p, err := project.OpenRoot(s.root)
	if err != nil {
		s.t.Fatal(err)
	}
	all, err := outcomelog.Open(p).Decisions.Read()
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

// TestQuestionIsAnalysedOnce counts how often the text of a question is analysed
// while all tools of a plan are asked about it.
func TestQuestionIsAnalysedOnce(t *testing.T) {
	s := shop(t, nil)
	const text = "add a discount to the total of a cart, rounding is wrong when the tax is odd"
	analyses := 0
	watch := func(analysed string) {
		if analysed == text {
			analyses++
		}
	}
	terms.Watch.Store(&watch)
	a := s.ask(Query{Query: text, Intent: Implement}, Setting{})
	terms.Watch.Store(nil)
	for _, step := range a.Plan.Steps {
		if step.Outcome == Skipped || step.Outcome == Failed {
			t.Errorf("%s: %s %s", step.Tool, step.Outcome, step.Reason)
		}
	}
	if analyses != 1 || len(a.Plan.Steps) != len(order) {
		t.Errorf("%d analyses of the question, %d steps", analyses, len(a.Plan.Steps))
	}
}

func TestAsk(t *testing.T) {
	s := shop(t, nil)
	a := s.ask(Query{Query: "Fix Cart.total: it is wrong when the tax is odd"}, Setting{Session: "s1"})
	if a.Plan.Intent != Modify || a.Plan.NeedsBootstrap || len(a.Plan.MissingSlots) != 0 {
		t.Errorf("plan %+v", a.Plan)
	}
	for _, step := range a.Plan.Steps {
		if step.Outcome != Done {
			t.Errorf("%s: %s %s", step.Tool, step.Outcome, step.Reason)
		}
	}
	first := a.Results[0]
	if first.File != "shop/cart.py" || first.Symbol != "Cart.total" || !slices.Contains(first.Tools, definitions) || first.Snippet == "" {
		t.Errorf("first %+v", first)
	}
	facts := a.Observed()
	if !slices.Contains(facts.Definitions, "Cart.total") || !slices.Contains(facts.Callers, "pay") || len(facts.Lines) == 0 {
		t.Errorf("observed %+v", facts)
	}
	shown := a.Text()
	for _, l := range facts.Lines { // whatever counts as seen is in the answer
		text, err := os.ReadFile(filepath.Join(s.root, l.File))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(text), "\n")[l.Start-1 : l.End] {
			if !strings.Contains(shown, strings.TrimSpace(line)) {
				t.Errorf("%s:%d-%d counts as shown, but %q is not in the answer", l.File, l.Start, l.End, line)
			}
		}
	}
	want := []outcomelog.Decision{{
		Query: "Fix Cart.total: it is wrong when the tax is odd", Timestamp: "2026-03-01T12:00:00Z", Intent: Modify,
		RequiredPhases: []string{"EXPLORATION", "IMPACT_ANALYSIS", "READY"}, MissingSlots: []string{}, RiskLevel: requestslots.Low,
		ToolsPlanned: []string{references, definitions}, SessionID: "s1",
	}}
	if diff := cmp.Diff(want, s.decisions()); diff != "" {
		t.Errorf("decision log (-want +got):\n%s", diff)
	}
}

// Nothing is named: the search by meaning comes first and gives the names.
func TestAskBootstraps(t *testing.T) {
	s := shop(t, nil)
	a := s.ask(Query{Query: "change how the price with tax is rounded", Intent: "modify"}, Setting{})
	if !a.Plan.NeedsBootstrap || a.Plan.Steps[0].Tool != semantic {
		t.Fatalf("plan %+v", a.Plan)
	}
	var found []string
	for _, r := range a.Results {
		found = append(found, r.Symbol)
	}
	if !slices.Contains(found, "gross") {
		t.Errorf("results %v", found)
	}
	for _, step := range a.Plan.Steps {
		if step.Tool == references && (step.Outcome != Done || step.Args == "") {
			t.Errorf("references: %+v", step)
		}
	}
}

// The session's frame fills slots, the caller's words come before it, and what is
// not said in the question is a hypothesis.
func TestSlotsFromElsewhere(t *testing.T) {
	s := shop(t, nil)
	a := s.ask(Query{Query: "look at the cart", Issue: "it rounds up", Action: "cart"}, Setting{Intent: Implement, Slots: map[string]requestslots.Slot{
		"trigger_condition": {Value: "odd tax", Source: requestslots.Fact}, "observed_issue": {Value: "other", Source: requestslots.Fact}}})
	want := map[string]requestslots.Slot{
		"target_feature":    {Value: "look at the cart", Quote: "look at the cart", Source: requestslots.Fact},
		"trigger_condition": {Value: "odd tax", Source: requestslots.Fact},
		"observed_issue":    {Value: "it rounds up", Source: requestslots.Hypothesis},
		"desired_action":    {Value: "cart", Quote: "cart", Source: requestslots.Fact},
	}
	if diff := cmp.Diff(want, a.Plan.Slots); diff != "" {
		t.Errorf("slots (-want +got):\n%s", diff)
	}
	if a.Plan.Intent != Implement {
		t.Errorf("intent %s", a.Plan.Intent)
	}
	if d := s.decisions(); !slices.Contains(d[0].RequiredPhases, "VERIFICATION") {
		t.Errorf("a hypothesis needs verification: %v", d[0].RequiredPhases)
	}
}

func TestAskNarrowsAndPages(t *testing.T) {
	s := shop(t, nil)
	q := Query{Query: "total of the Cart", Where: search.Where{Path: "shop"}, Language: "python", Page: search.Page{Limit: 1}}
	seen := map[string]bool{}
	pages := 0
	for {
		a := s.ask(q, Setting{})
		for _, r := range a.Results {
			key := fmt.Sprint(r.File, r.StartLine, r.Symbol)
			if seen[key] || !strings.HasPrefix(r.File, "shop/") {
				t.Errorf("%s again, or outside", key)
			}
			seen[key] = true
		}
		if pages++; a.NextCursor == "" {
			if len(seen) != a.Total || pages < 2 {
				t.Errorf("%d of %d results on %d pages", len(seen), a.Total, pages)
			}
			break
		}
		q.Cursor = a.NextCursor
	}
	if n := len(s.decisions()); n != 1 {
		t.Errorf("%d decisions of one question", n)
	}
	a, err := s.Within(3000).Ask(t.Context(), Query{Query: "everything about the price and the cart and its total"}, Setting{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) > 4500 {
		t.Errorf("%d characters where 3000 were to be had", len(b))
	}
}

// An agreement answers before the code is searched by meaning.
func TestAskUsesTheMap(t *testing.T) {
	const file, text = ".code-intel/agreements/a.md", "---\nnl_term: 会計の処理\nsymbols: [pay]\n---\n"
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	s := shop(t, map[string]string{file: text})
	if err := trust.NewTexts(s.root).Vouch(file, []byte(text)); err != nil {
		t.Fatal(err)
	}
	a := s.ask(Query{Query: "会計の処理はどこ"}, Setting{})
	if !a.ShortCircuit || len(a.Results) == 0 || a.Results[0].Symbol != "pay" {
		t.Errorf("short circuit %v, results %+v", a.ShortCircuit, a.Results)
	}
}

func TestAskRefuses(t *testing.T) {
	s := shop(t, nil)
	for name, q := range map[string]Query{
		"empty":    {},
		"too long": {Query: strings.Repeat("x ", maxQuery)},
		"intent":   {Query: "x y", Intent: "GUESS"},
		"path":     {Query: "where is the Cart", Where: search.Where{Path: "../.."}},
		"no path":  {Query: "where is it", Where: search.Where{Path: "nowhere"}},
		"language": {Query: "where is the Cart", Language: "klingon"},
		"cursor":   {Query: "where is it", Page: search.Page{Cursor: "x"}},
		"slot":     {Query: "where is it", Issue: strings.Repeat("x", maxQuery+1)},
	} {
		if _, err := s.Ask(t.Context(), q, Setting{}); problem.Of(err) == nil {
			t.Errorf("%s: %v, want a Problem", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(s.root, ".code-intel/logs")); !os.IsNotExist(err) {
		t.Error("a refusal is in the log")
	}
}

// FuzzExtract holds extract to its word: every value is in the question.
func FuzzExtract(f *testing.F) {
	for _, q := range []string{"Fix a: it fails when b", "when", "追加して", "to add", "エラーとき", "Add \xff add"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, q string) {
		for name, value := range extract(q) {
			if !strings.Contains(q, value) {
				t.Fatalf("%s: %q is not in %q", name, value, q)
			}
		}
	})
}
