package dashboard

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"codeintel/internal/audit"
)

// A browser is a headless Chromium, spoken to by its own protocol over two pipes.
type browser struct {
	t       *testing.T
	to      *os.File
	from    *bufio.Reader
	session string
	count   int
	events  []event
}

type event struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// chromium starts one, or skips the test where there is none. Its page is empty.
func chromium(t *testing.T) *browser {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("no pipes for the browser here")
	}
	program := os.Getenv("CHROMIUM")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if found, err := exec.LookPath(name); err == nil {
			program = cmp.Or(program, found)
		}
	}
	if program == "" {
		t.Skip("no Chromium on PATH; make accept wants one")
	}
	down, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, up, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--disable-background-networking", "--user-data-dir="+t.TempDir(), "about:blank")
	c.ExtraFiles = []*os.File{down, up} // 3 and 4
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	down.Close()
	up.Close()
	b := &browser{t: t, to: to, from: bufio.NewReader(from)}
	t.Cleanup(func() {
		to.Close() // it ends when nobody speaks to it any more
		_ = c.Wait()
		from.Close()
	})
	var target struct {
		ID string `json:"targetId"`
	}
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct {
		Session string `json:"sessionId"`
	}
	b.call("Target.attachToTarget", map[string]any{"targetId": target.ID, "flatten": true}, &attached)
	b.session = attached.Session
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	b.count++
	data, err := json.Marshal(struct {
		ID      int    `json:"id"`
		Method  string `json:"method"`
		Params  any    `json:"params,omitempty"`
		Session string `json:"sessionId,omitempty"`
	}{b.count, method, params, b.session})
	if err == nil {
		_, err = b.to.Write(append(data, 0))
	}
	for err == nil {
		var line []byte
		if line, err = b.from.ReadBytes(0); err != nil {
			break
		}
		var said struct {
			event
			ID     int             `json:"id"`
			Result json.RawMessage `json:"result"`
			Error  *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if err = json.Unmarshal(line[:len(line)-1], &said); err != nil {
			break
		}
		switch {
		case said.ID != b.count:
			b.events = append(b.events, said.event)
		case said.Error != nil:
			b.t.Fatalf("%s: %s", method, said.Error.Message)
		case result != nil:
			if err := json.Unmarshal(said.Result, result); err != nil {
				b.t.Fatal(err)
			}
			return
		default:
			return
		}
	}
	b.t.Fatalf("%s: the browser has gone: %v", method, err)
}

// do runs a script in the page and waits for what it promises: text.
func (b *browser) do(script string) string {
	b.t.Helper()
	var r struct {
		Result struct {
			Value any `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	b.call("Runtime.evaluate", map[string]any{"expression": "(async () => { " + script + " })()", "awaitPromise": true, "returnByValue": true}, &r)
	if r.Exception != nil {
		b.t.Fatalf("%s: %s %s", script, r.Exception.Text, r.Exception.Exception.Description)
	}
	return fmt.Sprint(r.Result.Value)
}

// until is a script that waits until an expression is true of the page, which tells
// when it changes.
func until(expression string) string {
	return fmt.Sprintf(`await new Promise((done) => {
		const look = () => { if (%s) { watch.disconnect(); done(); } };
		const watch = new MutationObserver(look);
		watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
		look();
	});`, expression)
}

// enter opens the page by the address that holds the token.
func (b *browser) enter(url, address string) {
	b.t.Helper()
	// The page is there once the address that leads to it has been left.
	b.call("Page.navigate", map[string]any{"url": url}, nil)
	for {
		var frame struct {
			Tree struct {
				Frame struct {
					URL string `json:"url"`
				} `json:"frame"`
			} `json:"frameTree"`
		}
		b.call("Page.getFrameTree", nil, &frame)
		if u := frame.Tree.Frame.URL; strings.HasPrefix(u, "http://"+address+"/") && strings.HasSuffix(u, "/") {
			break
		}
	}
}

// TestStopInABrowser reads what an agent wrote, and ends the pipeline.
func TestStopInABrowser(t *testing.T) {
	b := chromium(t)
	d := open(t, nil)
	path := d.pipeline()
	address := d.serve()
	b.enter(d.s.URL(address), address)
	text := b.do(`location.hash = "#/pipelines";` + until(`[...document.querySelectorAll("button")].some((b) => b.textContent === "design.md")`) +
		`[...document.querySelectorAll("button")].find((b) => b.textContent === "design.md").click();` + until(`document.querySelector(".reader .prose")`) +
		`return document.querySelector(".reader").innerText + document.querySelector("[data-key=agents]")?.innerText`)
	for _, want := range []string{"Greet people.", "Greet says hello", "sonnet", "1,200"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q:\n%s", want, text)
		}
	}
	b.do(`document.getElementById("stop").click();` + until(`document.getElementById("stop-confirm")`) +
		`const words = document.getElementById("stop-reason"); words.value = "Not wanted."; words.dispatchEvent(new Event("input"));
		document.getElementById("stop-confirm").click();` + until(`!document.getElementById("stop-confirm") && !document.getElementById("stop")`))
	after, _ := body[pipelineView](t, d.get("/api/pipeline?id="+strings.TrimPrefix(path, ".specs/")))
	if last := after.Info.Decisions[len(after.Info.Decisions)-1]; after.Info.Status != "abandoned" || last.By != "dashboard" || last.Text != "Not wanted." {
		t.Errorf("%s, %+v", after.Info.Status, last)
	}
	for _, e := range b.events {
		if e.Method == "Runtime.exceptionThrown" || e.Method == "Log.entryAdded" && !strings.Contains(string(e.Params), "/api/doctor") {
			t.Errorf("the page complains: %s", e.Params)
		}
	}
}

// TestInABrowser wants the page to be shown, to follow what changes without being
// loaded anew, and to take a decision; in both languages, and with no complaint.
func TestInABrowser(t *testing.T) {
	b := chromium(t)
	d := open(t, nil)
	st := d.session(3)
	st.Query = `<img src=x onerror="document.title='out'"> Lend books for 28 days`
	d.checkpoint(st)
	address := d.serve()

	b.enter(d.s.URL(address), address)
	text := b.do(until(`document.documentElement?.dataset.ready?.startsWith("session en")`) + "window.mark = 1; return document.body.innerText")
	for _, want := range []string{"Your decision is needed", "Blocked: your decision is needed", `<img src=x onerror=`, "Members are told", "lending/desk.py:8", "the base branch has moved"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q:\n%s", want, text)
		}
	}
	if title := b.do("return document.title"); strings.Contains(title, "out") || !strings.Contains(title, "Asking the user") {
		t.Errorf("the title is %q", title)
	}

	st.Tasks[0].Description = "LOAN_DAYS has become 28"
	d.checkpoint(st)
	b.do(until(`document.body.innerText.includes("LOAN_DAYS has become 28")`))

	b.do(`document.getElementById("choice-accept").click();` + until(`document.querySelector(".option.chosen")`) +
		`const words = document.getElementById("guidance"); words.value = "It will do."; words.dispatchEvent(new Event("input"));
		document.querySelector(".decide button[type=submit]").click();` + until(`document.getElementById("confirm")`) +
		`document.getElementById("confirm").click();` + until(`document.querySelector(".decided")`))
	l, err := audit.Open(d.p.Path("sessions", theID+".ledger.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	entries, err := l.Since(0)
	if err != nil {
		t.Fatal(err)
	}
	if last := entries[len(entries)-1]; last.Kind != audit.Decision || last.Name != "accept" || last.Detail["channel"] != "dashboard" || last.Detail["guidance"] != "It will do." {
		t.Errorf("the last entry is %+v", last)
	}

	text = b.do(`document.getElementById("lang-ja").click();` + until(`document.documentElement.dataset.ready.startsWith("session ja")`) + "return document.body.innerText")
	for _, want := range []string{"判断済み", "決定: accept。", "台帳"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q:\n%s", want, text)
		}
	}
	for _, view := range []string{"pipelines", "index", "learning"} {
		b.do(fmt.Sprintf("location.hash = '#/%s';", view) + until(fmt.Sprintf(`document.documentElement.dataset.ready.startsWith("%s ja") && document.querySelector("main h2, main .empty")`, view)))
	}
	if mark := b.do("return window.mark"); mark != "1" {
		t.Error("the page was loaded anew")
	}
	for _, e := range b.events {
		if e.Method == "Runtime.exceptionThrown" || e.Method == "Log.entryAdded" && !strings.Contains(string(e.Params), "/api/doctor") {
			t.Errorf("the page complains: %s", e.Params)
		}
	}
}
