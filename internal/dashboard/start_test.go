package dashboard

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codeintel/internal/pipeline/service"
	"codeintel/internal/problem"
	"codeintel/internal/project"
)

// TestStart begins a pipeline on the page: once, however often the page sends it, and an
// agent takes it up.
func TestStart(t *testing.T) {
	d := open(t, nil)
	d.repository()
	const line = "--nopr Fix the greeting of \\u003cb\\u003e"
	plan, _ := body[startPlan](t, d.post("/api/start", fmt.Sprintf(`{"line": "%s"}`, line)))
	if plan.Plan == nil || plan.Kind != "fix" || !strings.HasPrefix(plan.Says, "Effort "+string(plan.Effort)) || plan.Request != "Fix the greeting of <b>" {
		t.Fatalf("the plan: %+v", plan)
	}
	if _, err := os.Stat(filepath.Join(d.p.Root, ".specs")); err == nil {
		t.Error("a plan makes a workspace")
	}
	var made []startedPipeline
	for range 2 {
		begun, _ := body[startedPipeline](t, d.post("/api/start", fmt.Sprintf(`{"line": "%s", "workspace": %q, "effort": "S"}`, line, plan.Workspace)))
		made = append(made, begun)
	}
	if made[0] != made[1] || made[0].Line != "/forge "+made[0].Workspace || !strings.HasPrefix(made[0].Branch, "fix/") {
		t.Fatalf("begun: %+v", made)
	}
	p, err := project.OpenRoot(d.p.Root)
	if err != nil {
		t.Fatal(err)
	}
	s, err := service.New(p, service.Options{Log: d.s.o.Log, Now: time.Now, AgentDirs: []string{}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	list, err := s.List()
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %+v", err, list)
	}
	resume, err := s.Init(t.Context(), service.InitRequest{Arguments: made[0].Workspace})
	if err != nil || !strings.Contains(resume.Text(), `"resume_mode":"auto"`) {
		t.Fatalf("%v, %s", err, resume.Text())
	}
	a, err := s.NextAction(t.Context(), service.NextRequest{Workspace: made[0].Workspace})
	if err != nil || a.Type != "exec" || !strings.Contains(a.Text(), `"git","switch","-c","`+made[0].Branch) {
		t.Errorf("%v, %s", err, a.Text())
	}
	_, journal, err := s.Show(t.Context(), made[0].Workspace)
	if err != nil || journal[0].Event != "created" || journal[0].By != "dashboard" {
		t.Errorf("%v, %+v", err, journal)
	}
}

// TestStartRefused: what cannot be begun there says what to do instead.
func TestStartRefused(t *testing.T) {
	nobody := func(string) error { return problem.New("not_a_person", "Nobody is there.").Or("Go to a terminal.") }
	for name, c := range map[string]struct {
		said   map[string]string
		person func(string) error
		status int
		says   string
	}{
		"by nobody":       {map[string]string{"line": "Fix the greeting"}, nobody, 409, "Nobody is there"},
		"no line":         {map[string]string{"line": " "}, nil, 409, "empty"},
		"a wrong flag":    {map[string]string{"line": "--nop Fix the greeting"}, nil, 409, "--nopr"},
		"questions":       {map[string]string{"line": "--discuss Fix the greeting"}, nil, 409, "/forge --discuss Fix the greeting"},
		"another tracker": {map[string]string{"line": "https://acme.atlassian.net/browse/X-1"}, nil, 409, "/forge https://acme.atlassian.net/browse/X-1"},
		"a workspace":     {map[string]string{"line": ".specs/20260401-greet"}, nil, 409, "/forge .specs/20260401-greet"},
		"a wrong effort":  {map[string]string{"line": "Fix the greeting", "workspace": ".specs/20260401-x", "effort": "XXL"}, nil, 409, "XXL"},
		"elsewhere":       {map[string]string{"line": "Fix the greeting", "workspace": "../x", "effort": "S"}, nil, 409, ""},
		"unknown fields":  {map[string]string{"line": "Fix the greeting", "argv": "rm"}, nil, 400, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, func(o *Options) {
				if c.person != nil {
					o.Person = c.person
				}
			})
			d.repository()
			data, err := json.Marshal(c.said)
			if err != nil {
				t.Fatal(err)
			}
			if w := d.post("/api/start", string(data)); w.Code != c.status || !strings.Contains(w.Body.String(), c.says) {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
}

// TestStartInABrowser types a line, confirms what it would begin, and is told how an agent
// takes it up.
func TestStartInABrowser(t *testing.T) {
	b := chromium(t)
	d := open(t, nil)
	d.repository()
	address := d.serve()
	b.enter(d.s.URL(address), address)
	text := b.do(`location.hash = "#/pipelines";` + until(`document.getElementById("start")`) + `document.getElementById("start").click();` + until(`document.getElementById("start-line")`) +
		`const line = document.getElementById("start-line"); line.value = "--nopr Fix the <b>greeting</b>"; line.dispatchEvent(new Event("input"));
		document.getElementById("start-plan").click();` + until(`document.getElementById("effort-XS")`) + `document.getElementById("effort-XS").click();` + until(`document.querySelector(".option.chosen #effort-XS")`) +
		`const said = document.querySelector("[data-key=start]").innerText; document.getElementById("start-confirm").click();` +
		until(`document.querySelector("[data-key=begun]") && document.querySelector("[data-key=timeline]")`) +
		`return said + document.querySelector("main").innerText`)
	for _, want := range []string{"Fix the <b>greeting</b>", "Effort ", "no history yet", "/forge .specs/", "fix/fix-the", "Setup"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q:\n%s", want, text)
		}
	}
	for _, e := range b.events {
		if e.Method == "Runtime.exceptionThrown" || e.Method == "Log.entryAdded" && !strings.Contains(string(e.Params), "/api/doctor") {
			t.Errorf("the page complains: %s", e.Params)
		}
	}
}
