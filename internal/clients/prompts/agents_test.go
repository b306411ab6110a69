package prompts

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"codeintel/internal/problem"
)

func load(t *testing.T, name string, dirs ...string) Agent {
	t.Helper()
	a, err := Load(name, dirs...)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestTable checks the agents against the phases: each agent of the table is here, no
// other is but the combined one, and each is told of the files that it writes.
func TestTable(t *testing.T) {
	text, err := os.ReadFile("../../pipeline/engine/phases.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var table struct {
		Phases []struct {
			ID, Agent     string
			Reads, Writes []string
		}
	}
	if err := yaml.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{"analyst-investigator": true}
	for _, p := range table.Phases {
		if p.Agent == "" {
			continue
		}
		used[p.Agent] = true
		if len(p.Reads) > 0 && !slices.Contains(p.Reads, "request.md") {
			t.Errorf("%s: %s does not know what was asked for", p.ID, p.Agent)
		}
		body := load(t, p.Agent).Body
		if len(p.Writes) == 0 {
			t.Errorf("%s: %s writes nothing", p.ID, p.Agent)
			continue
		}
		if !strings.Contains(body, "\n## To write "+p.Writes[0]+"\n") {
			t.Errorf("%s: %s is not told how to write %s", p.ID, p.Agent, p.Writes[0])
		}
		for _, name := range p.Writes {
			if !strings.Contains(body, name) {
				t.Errorf("%s: %s is not told of %s", p.ID, p.Agent, name)
			}
		}
	}
	if !strings.Contains(load(t, "analyst-investigator").Body, "\n## To write analysis.md\n") {
		t.Error("analyst-investigator writes something else than the analyst it stands for")
	}
	for _, name := range Names() {
		if !used[name] {
			t.Errorf("%s has no phase", name)
		}
	}
	if len(Names()) != 11 {
		t.Errorf("%d agents", len(Names()))
	}
}

// exploration is how Claude Code spells the tools of our server.
const exploration = "mcp__code-intel__"

// Each file is a sub-agent of Claude Code: a name, a description, a model, and tools
// that exist. It tells of no tool that it does not have.
func TestFiles(t *testing.T) {
	clients := []string{"Read", "Grep", "Glob", "Bash", "Edit", "Write"}
	named := regexp.MustCompile("`([a-z]+(?:_[a-z]+)+)`")
	for _, name := range Names() {
		a := load(t, name)
		if a.Name != name || a.Description == "" || len(a.Description) > 1024 || a.Model == "" || strings.HasPrefix(a.Body, "---") {
			t.Errorf("%s: %+v", name, a)
		}
		var ours []string
		for _, tool := range a.Tools {
			bare, is := strings.CutPrefix(tool, exploration)
			if !is {
				if !slices.Contains(clients, tool) {
					t.Errorf("%s: no client has a tool %s", name, tool)
				}
				continue
			}
			ours = append(ours, bare)
			if _, err := os.Stat("../../mcp/tools/" + bare + ".md"); err != nil {
				t.Errorf("%s: the server has no tool %s", name, bare)
			}
		}
		if slices.Contains(a.Tools, "Edit") != (name == "implementer") {
			t.Errorf("%s: who may edit is the implementer alone", name)
		}
		for _, m := range named.FindAllStringSubmatch(a.Body, -1) {
			if m[1] != "depends_on" && !slices.Contains(ours, m[1]) {
				t.Errorf("%s tells of %s, which is not among its tools", name, m[1])
			}
		}
		if n := strings.Count(a.Body, "\n## To write "); n != strings.Count(a.Body, "Your last message is one line: ") || !strings.Contains(a.Body, "judged by") ||
			!strings.Contains(strings.ToLower(a.Body), "request") {
			t.Errorf("%s is not told what was asked, by what it is judged, or how to end", name)
		}
		if !named.MatchString(a.Body) {
			t.Errorf("%s is told of no tool to explore with", name)
		}
		text, err := file(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(text, "\n"); n > 60 {
			t.Errorf("%s has %d lines", name, n)
		}
	}
}

// What is installed for a client says who an agent is, and leaves what it must do to its
// prompt: no placeholder that nobody fills, and nothing that the prompt says again.
func TestInstalled(t *testing.T) {
	for _, name := range Names() {
		text, err := Installed(name)
		if err != nil {
			t.Fatal(err)
		}
		a, err := parse(text)
		if err != nil {
			t.Fatal(err)
		}
		ours := load(t, name)
		if regexp.MustCompile(`\{[a-z_]+\}`).MatchString(text) || strings.Contains(text, "\n## ") || a.Body != installedBody {
			t.Errorf("%s:\n%s", name, text)
		}
		if a.Body, a.Small = ours.Body, ours.Small; !cmp.Equal(a, ours) {
			t.Errorf("%s: %s", name, cmp.Diff(ours, a))
		}
	}
	if _, err := Installed("nobody"); problem.Of(err) == nil {
		t.Errorf("%v", err)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".md"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestOverride(t *testing.T) {
	project, user, none := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "none")
	ours := load(t, "architect")
	if diff := cmp.Diff(ours, load(t, "architect", none, project, user)); diff != "" {
		t.Errorf("folders without files: %s", diff)
	}
	write(t, user, "architect", "---\nmodel: opus\ncolor: blue\ntools: [Read, Write]\n---\nDesign for {workspace}.\n")
	want := Agent{Name: "architect", Description: ours.Description, Model: "opus", Tools: []string{"Read", "Write"}, Body: "Design for {workspace}.\n"}
	if diff := cmp.Diff(want, load(t, "architect", none, project, user)); diff != "" {
		t.Error(diff)
	}
	// The project's comes first; a file without front matter is instructions only.
	write(t, project, "architect", "\ufeffDraw.\r\n\r\n---\r\nA rule is no front matter.\r\n")
	want = Agent{Name: "architect", Description: ours.Description, Model: ours.Model, Tools: ours.Tools, Body: "Draw.\n\n---\nA rule is no front matter.\n"}
	if diff := cmp.Diff(want, load(t, "architect", project, user)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(load(t, "verifier"), load(t, "verifier", project, user)); diff != "" {
		t.Errorf("another agent: %s", diff)
	}
}

// A file that cannot be used is refused, not passed over: its owner believes that it
// is followed.
func TestRefusals(t *testing.T) {
	for name, text := range map[string]string{
		"no instructions":     "---\nname: verifier\n---\n\n",
		"empty":               "",
		"no end":              "---\nname: verifier\nCheck.\n",
		"no YAML":             "---\nname: [\n---\nCheck.\n",
		"tools are an object": "---\ntools: {Read: true}\n---\nCheck.\n",
		"another name":        "---\nname: architect\n---\nCheck.\n",
		"not UTF-8":           "Check \xff.\n",
		"too long":            strings.Repeat("Check.\n", maxFile/7+1),
	} {
		dir := t.TempDir()
		write(t, dir, "verifier", text)
		_, err := Load("verifier", dir)
		if p := problem.Of(err); p == nil || p.Code != invalidAgentFile || !strings.Contains(p.Message.String(), filepath.Join(dir, "verifier.md")) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"", "architects", "../files/architect", "architect.md"} {
		if _, err := Load(name, t.TempDir()); problem.Of(err) == nil || problem.Of(err).Code != unknownAgent {
			t.Errorf("%q: %v", name, err)
		}
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "verifier.md"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Load("verifier", dir); problem.Of(err) == nil {
		t.Errorf("a folder: %v", err)
	}
}

// A link could lead to any file of the user's, and what is loaded is sent to a model.
func TestLinksAreNotFollowed(t *testing.T) {
	dir, secret := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("a key"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(dir, "verifier.md")); err != nil {
		t.Skip(err)
	}
	if a, err := Load("verifier", dir); problem.Of(err) == nil {
		t.Errorf("%+v, %v", a, err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("---\nname: a\ntools: x, y\n---\nbody")
	f.Add("---\n---\n")
	f.Add("\ufeff---\r\ntools:\r\n- a\r\n---\r\nbody\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := parse(text)
		if err == nil && strings.TrimSpace(a.Body) == "" {
			t.Errorf("%q has no instructions, and no error", text)
		}
	})
}

// told are the words that a skill must not be without.
var told = map[string][]string{
	"code": {"start_session", "submit_phase", "get_session_status", "check_write_target", "intent", "query", "flags", "instruction", "call",
		"expected_payload", "compaction_count", "session_complete", "report", "legal_next"},
	"forge": {"pipeline_init", "pipeline_init_with_context", "pipeline_next_action", "pipeline_report_result", "state_resume_info",
		"spawn_agent", "checkpoint", "human_gate", "exec", "write_file", "done", "present_to_user", "user_response"},
	"outcome": {"record_outcome", "get_outcome_stats", "outcome", "trigger_message", "success", "failure", "partial"},
}

// Each skill says the same in both languages: the tools, the fields and the kinds of
// actions in it are the same.
func TestSkill(t *testing.T) {
	code := regexp.MustCompile("`[^`\n]+`")
	words := func(name, lang string) []string {
		text, err := Skill(name, lang)
		if err != nil {
			t.Fatal(err)
		}
		var front struct {
			Name, Description string
			Hint              string `yaml:"argument-hint"`
		}
		head, body, _ := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
		if err := yaml.Unmarshal([]byte(head), &front); err != nil || front.Name != name || front.Description == "" || len(front.Description) > 1024 || front.Hint == "" {
			t.Errorf("%s, %s: front matter %+v, %v", name, lang, front, err)
		}
		if !strings.Contains(body, "$ARGUMENTS") || strings.Count(text, "\n") > 60 {
			t.Errorf("%s, %s: no arguments, or %d lines", name, lang, strings.Count(text, "\n"))
		}
		all := code.FindAllString(body, -1)
		for _, word := range told[name] {
			if !slices.Contains(all, "`"+word+"`") {
				t.Errorf("%s, %s: the skill says nothing of %s", name, lang, word)
			}
		}
		slices.Sort(all)
		return all
	}
	for _, name := range Skills() {
		if told[name] == nil {
			t.Errorf("nothing is known of the skill %s", name)
		}
		if diff := cmp.Diff(words(name, "en"), words(name, "ja")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	english, _ := Skill("forge", "en")
	if other, err := Skill("forge", "fr"); err != nil || other != english {
		t.Errorf("in a language that there is not: %v", err)
	}
	for _, name := range []string{"cod", "", ".."} {
		if _, err := Skill(name, "en"); problem.Of(err) == nil {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// What the skills say of our server is there: the tools, and the fields of a session's
// answers; and the hint of /code names every flag.
func TestSkillOfCode(t *testing.T) {
	source, err := os.ReadFile("../../session/codecommand/flags.go")
	if err != nil {
		t.Fatal(err)
	}
	flags := regexp.MustCompile(`\{"(--[a-z-]+)", "(-[a-z-]*)?"`).FindAllStringSubmatch(string(source), -1)
	if len(flags) < 13 {
		t.Fatalf("flags: %q", flags)
	}
	for _, lang := range []string{"en", "ja"} {
		text, err := Skill("code", lang)
		if err != nil {
			t.Fatal(err)
		}
		hint := regexp.MustCompile(`(?m)^argument-hint: .*$`).FindString(text)
		for _, f := range flags {
			if !strings.Contains(hint, f[1]) && (f[2] == "" || !strings.Contains(hint, f[2])) {
				t.Errorf("%s: the hint does not name %s", lang, f[1])
			}
		}
	}
	for _, name := range []string{"code", "outcome"} {
		text, err := Skill(name, "en")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("`([a-z]+(?:_[a-z]+)+)`").FindAllStringSubmatch(text, -1) {
			_, err := os.Stat("../../mcp/tools/" + m[1] + ".md")
			if err != nil && !slices.Contains([]string{"project_rules", "mandatory_rules", "expected_payload", "compaction_count", "session_complete",
				"legal_next", "user_escalation", "session_id", "trigger_message"}, m[1]) {
				t.Errorf("%s: the server has no %s", name, m[1])
			}
		}
	}
}
