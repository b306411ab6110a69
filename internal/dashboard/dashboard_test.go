package dashboard

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"

	"codeintel/internal/approval"
	"codeintel/internal/audit"
	"codeintel/internal/audit/shown"
	"codeintel/internal/doctor"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session/phases"
	"codeintel/internal/session/state"
	"codeintel/test/golden"
)

const (
	atHome = "127.0.0.1:8137"
	theID  = "20260302-091500000-abcde"
)

// A desk is a dashboard and the project that it is of.
type desk struct {
	t    *testing.T
	p    *project.Project
	s    *Server
	door http.Handler
}

func open(t *testing.T, change func(*Options)) *desk {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, ".code-intel/index"), 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := project.OpenRoot(root)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Root: p.Root, Version: "test", Log: slog.New(slog.DiscardHandler), Now: time.Now, Person: func(string) error { return nil }}
	if change != nil {
		change(&o)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return &desk{t, p, s, s.handler("127.0.0.1", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8137})}
}

func (d *desk) write(name, text string) {
	d.t.Helper()
	file := filepath.Join(d.p.Root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		d.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		d.t.Fatal(err)
	}
}

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// session puts a session on disk that has explored, planned two tasks, done one of
// them, and come to a gate.
func (d *desk) session(calls int) *state.State {
	d.t.Helper()
	l, err := audit.Open(d.p.Path("sessions", theID+".ledger.jsonl"))
	if err != nil {
		d.t.Fatal(err)
	}
	at := noon
	add := func(e audit.Entry) {
		at = at.Add(time.Second)
		e.Time, e.Session = at, theID
		if _, err := l.Append(e); err != nil {
			d.t.Fatal(err)
		}
	}
	add(audit.Entry{Kind: audit.Transition, Phase: "QUERY_FRAME", Name: "EXPLORATION", Outcome: audit.OK})
	for i := range calls {
		add(audit.Entry{Kind: audit.Tool, Phase: "EXPLORATION", Name: "search_text", Outcome: audit.OK, DurationMS: int64(i),
			Observed: shown.Facts{Lines: []shown.Lines{{File: "lending/desk.py", Start: 1, End: 9}}}})
	}
	add(audit.Entry{Kind: audit.Event, Phase: "EXPLORATION", Name: "before", Outcome: audit.Blocked, Detail: map[string]string{"kind": "write", "call": "c1"}})
	add(audit.Entry{Kind: audit.Transition, Phase: "EXPLORATION", Name: "READY_PLAN", Outcome: audit.OK})
	add(audit.Entry{Kind: audit.Transition, Phase: "READY_PLAN", Name: "USER_ESCALATION", Outcome: audit.OK})
	head := l.Head()
	st := &state.State{
		Schema: 1, ID: theID, Started: noon, Updated: at, Intent: state.Modify, Query: "Lend books for 28 days instead of 21.", Phase: phases.UserEscalation,
		Record:  state.Record{LedgerSeq: head.Seq, LedgerMAC: head.MAC},
		Telling: state.Telling{Warnings: []msg.Message{msg.Literal("the base branch has moved")}},
		Work: state.Work{Approved: []string{"lending/desk.py"}, Tasks: []state.Task{
			{ID: "days", Description: "LOAN_DAYS is 28", Status: state.TaskCompleted, Summary: "one line",
				Checklist: []state.Item{{Item: "LOAN_DAYS", Status: state.Done, Evidence: "lending/desk.py:8"}}},
			{ID: "tell", Description: "Members are told", Status: state.Pending, FailureCount: 1, Checklist: []state.Item{{Item: "docs/loans.md", Status: state.Pending}}},
		}},
		Deciding: state.Deciding{Gate: &state.OpenGate{Nonce: "NONCE", Phase: phases.UserEscalation, Opened: at}},
	}
	d.checkpoint(st)
	return st
}

// checkpoint writes a checkpoint with its seal, as a server does.
func (d *desk) checkpoint(st *state.State) {
	d.t.Helper()
	l, err := audit.Open(d.p.Path("sessions", st.ID+".ledger.jsonl"))
	if err != nil {
		d.t.Fatal(err)
	}
	data, err := json.MarshalIndent(st, "", " ")
	if err != nil {
		d.t.Fatal(err)
	}
	text := strings.TrimSuffix(string(data), "\n}")
	d.write(".code-intel/sessions/"+st.ID+".json", text+",\n \"seal\": \""+l.Seal([]byte(text))+"\"\n}\n")
}

// get asks as the page does.
func (d *desk) get(path string) *httptest.ResponseRecorder {
	d.t.Helper()
	r := httptest.NewRequest(http.MethodGet, "http://"+atHome+path, nil)
	r.AddCookie(&http.Cookie{Name: "code-intel-8137", Value: d.s.cookie})
	w := httptest.NewRecorder()
	d.door.ServeHTTP(w, r)
	return w
}

func (d *desk) post(path, body string) *httptest.ResponseRecorder {
	d.t.Helper()
	r := httptest.NewRequest(http.MethodPost, "http://"+atHome+path, strings.NewReader(body))
	r.AddCookie(&http.Cookie{Name: "code-intel-8137", Value: d.s.cookie})
	r.Header.Set("Origin", "http://"+atHome)
	r.Header.Set(keyHeader, d.s.key)
	w := httptest.NewRecorder()
	d.door.ServeHTTP(w, r)
	return w
}

// body decodes what was answered.
func body[T any](t *testing.T, w *httptest.ResponseRecorder) (data T, p *problemView) {
	t.Helper()
	var v struct {
		Data    T            `json:"data"`
		Problem *problemView `json:"problem"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatalf("%d %v\n%s", w.Code, err, w.Body)
	}
	return v.Data, v.Problem
}

// readSection returns a section of the state in a language.
func readSection[T any](d *desk, name, lang string) (data T, p *problemView) {
	d.t.Helper()
	var n pageUpdate
	if err := json.Unmarshal(d.get("/api/state?lang="+lang).Body.Bytes(), &n); err != nil {
		d.t.Fatal(err)
	}
	var v struct {
		Data    T            `json:"data"`
		Problem *problemView `json:"problem"`
	}
	if err := json.Unmarshal(n.Sections[name], &v); err != nil {
		d.t.Fatalf("%s: %v\n%s", name, err, n.Sections[name])
	}
	return v.Data, v.Problem
}

// TestDoor wants those to be sent away who ask for another host, come from another
// page, or do not know the token; and what changes something to come from the page.
func TestDoor(t *testing.T) {
	d := open(t, nil)
	type request struct {
		method, host, path, origin, site string
		cookie, key                      string
	}
	known := request{method: "GET", host: atHome, path: "/api/state", cookie: d.s.cookie}
	with := func(change func(*request)) request { r := known; change(&r); return r }
	change := with(func(r *request) {
		r.method, r.path, r.origin, r.key = "POST", "/api/gate", "http://"+atHome, d.s.key
	})
	posted := func(f func(*request)) request { r := change; f(&r); return r }
	for name, c := range map[string]struct {
		request
		want int
	}{
		"the page":                  {known, 200},
		"the page says so":          {with(func(r *request) { r.site = "same-origin" }), 200},
		"by name":                   {with(func(r *request) { r.host = "localhost:8137" }), 200},
		"IPv6":                      {with(func(r *request) { r.host = "[::1]:8137" }), 200},
		"the file of the page":      {with(func(r *request) { r.path = "/main.js" }), 200},
		"no cookie":                 {with(func(r *request) { r.cookie = "" }), 401},
		"no cookie for a file":      {with(func(r *request) { r.path, r.cookie = "/main.js", "" }), 401},
		"a wrong cookie":            {with(func(r *request) { r.cookie = d.s.cookie[1:] }), 401},
		"the token for a cookie":    {with(func(r *request) { r.cookie = d.s.token }), 401},
		"the token elsewhere":       {with(func(r *request) { r.path, r.cookie = "/api/state?token="+d.s.token, "" }), 401},
		"DNS rebinding":             {with(func(r *request) { r.host = "evil.example:8137" }), 403},
		"a host that begins well":   {with(func(r *request) { r.host = "127.0.0.1.evil.example:8137" }), 403},
		"another port":              {with(func(r *request) { r.host = "127.0.0.1:8138" }), 403},
		"no port":                   {with(func(r *request) { r.host = "127.0.0.1" }), 403},
		"a strange page":            {with(func(r *request) { r.origin = "http://evil.example" }), 403},
		"a page of another port":    {with(func(r *request) { r.origin = "http://127.0.0.1:3000" }), 403},
		"a page of no origin":       {with(func(r *request) { r.origin = "null" }), 403},
		"a picture in another page": {with(func(r *request) { r.site = "cross-site" }), 403},
		"another port's picture":    {with(func(r *request) { r.site = "same-site" }), 403},
		"a link":                    {with(func(r *request) { r.path, r.site = "/", "cross-site" }), 200},

		"a decision":                       {change, 400}, // it has no body
		"a decision without the key":       {posted(func(r *request) { r.key = "" }), 403},
		"with another key":                 {posted(func(r *request) { r.key = "x" }), 403},
		"with the cookie for a key":        {posted(func(r *request) { r.key = d.s.cookie }), 403},
		"without an origin":                {posted(func(r *request) { r.origin = "" }), 403},
		"from a strange page":              {posted(func(r *request) { r.origin = "http://evil.example" }), 403},
		"from a page under https":          {posted(func(r *request) { r.origin = "https://" + atHome }), 403},
		"from a frame":                     {posted(func(r *request) { r.site = "cross-site" }), 403},
		"without a cookie":                 {posted(func(r *request) { r.cookie = "" }), 401},
		"to another host with its origin":  {posted(func(r *request) { r.host, r.origin = "evil.example:8137", "http://evil.example:8137" }), 403},
		"a decision as a question":         {posted(func(r *request) { r.method = "GET" }), 404},
		"a decision by another method":     {posted(func(r *request) { r.method = "PUT" }), 405},
		"a decision in the address":        {with(func(r *request) { r.path = "/api/gate?choice=accept" }), 404},
		"something that there is not":      {with(func(r *request) { r.path = "/nothing.js" }), 404},
		"the token, changing something":    {request{method: "POST", host: atHome, path: "/?token=" + d.s.token}, 403},
		"the token from another host":      {request{method: "GET", host: "evil.example:8137", path: "/?token=" + d.s.token}, 403},
		"the token":                        {request{method: "GET", host: atHome, path: "/?token=" + d.s.token}, 200},
		"the token, by a link":             {request{method: "GET", host: atHome, path: "/?token=" + d.s.token, site: "cross-site"}, 200},
		"another token":                    {request{method: "GET", host: atHome, path: "/?token=" + d.s.cookie}, 401},
		"an empty token":                   {request{method: "GET", host: atHome, path: "/?token="}, 401},
		"an old token with the cookie too": {with(func(r *request) { r.path = "/?token=old" }), 401},
	} {
		r := httptest.NewRequest(c.method, "http://x/", nil)
		r.URL.Path, r.URL.RawQuery, _ = strings.Cut(c.path, "?")
		r.Host = c.host
		for header, value := range map[string]string{"Origin": c.origin, "Sec-Fetch-Site": c.site, keyHeader: c.key} {
			if value != "" {
				r.Header.Set(header, value)
			}
		}
		if c.cookie != "" {
			r.AddCookie(&http.Cookie{Name: "code-intel-8137", Value: c.cookie})
		}
		w := httptest.NewRecorder()
		d.door.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s: got %d, want %d\n%s", name, w.Code, c.want, w.Body)
		}
		for header, value := range map[string]string{"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
			"Referrer-Policy": "no-referrer", "Cache-Control": "no-store"} {
			if got := w.Header().Get(header); got != value && !(header == "Cache-Control" && w.Code == http.StatusNotFound) {
				t.Errorf("%s: %s is %q", name, header, got)
			}
		}
		if got := w.Header().Get("Access-Control-Allow-Origin"); got != "" {
			t.Errorf("%s: other pages may read it: %s", name, got)
		}
	}
}

// TestPolicy wants the page to load nothing but its own, and to need no exception.
func TestPolicy(t *testing.T) {
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "*") || strings.Contains(policy, "http") || !strings.HasPrefix(policy, "default-src 'none'") {
		t.Errorf("the policy is %q", policy)
	}
	elsewhere := regexp.MustCompile(`(?:https?:)?//[a-z][\w-]*\.|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|<script>|\sstyle="|\son\w+="`)
	files, err := filepath.Glob("web/*")
	if err != nil || len(files) < 8 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(data), "http://www.w3.org/2000/svg", "") // the name of a language
		if found := elsewhere.FindString(text); found != "" {
			t.Errorf("%s has %q", f, found)
		}
	}
}

func TestEnter(t *testing.T) {
	d := open(t, nil)
	r := httptest.NewRequest(http.MethodGet, d.s.URL(atHome), nil)
	w := httptest.NewRecorder()
	d.door.ServeHTTP(w, r)
	cookies := w.Result().Cookies()
	if len(cookies) != 1 {
		t.Fatalf("cookies: %v", cookies)
	}
	c := cookies[0]
	if c.Value != d.s.cookie || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != d.s.folder || len(c.Path) < 20 || c.Domain != "" || c.MaxAge != 0 {
		t.Errorf("the cookie is %+v", c)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	at := func(address string) *url.URL {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	jar.SetCookies(at("http://"+atHome+"/"), cookies)
	for address, want := range map[string]int{"http://" + atHome + d.s.folder + "api/state": 1, "http://127.0.0.1:9/": 0, "http://127.0.0.1:9/api/state": 0} {
		if sent := jar.Cookies(at(address)); len(sent) != want {
			t.Errorf("%s is sent %v", address, sent)
		}
	}
	for _, path := range []string{"", "main.js", "api/state"} {
		if w := d.get(d.s.folder + path); w.Code != http.StatusOK {
			t.Errorf("%s in the folder of the run: %d", path, w.Code)
		}
	}
	if strings.Contains(w.Body.String(), d.s.token) || strings.Contains(w.Body.String(), d.s.key) {
		t.Errorf("the page that leads on says what it should not: %s", w.Body)
	}
	if s := open(t, nil).s; s.token == d.s.token || s.cookie == d.s.cookie || s.key == d.s.key {
		t.Error("two runs have the same token")
	}
}

// TestOtherHosts holds the names by which a dashboard answers that other machines
// can reach.
func TestOtherHosts(t *testing.T) {
	everywhere := newHosts("0.0.0.0", &net.TCPAddr{IP: net.IPv4zero, Port: 8137})
	named := newHosts("build.example", &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 8137})
	for host, want := range map[string][2]bool{
		"192.0.2.1:8137": {true, true}, "192.0.2.9:8137": {true, false}, "build.example:8137": {false, true}, "Build.Example:8137": {false, true},
		"localhost:8137": {true, false}, "evil.example:8137": {false, false}, "192.0.2.1:80": {false, false}, "192.0.2.1": {false, false},
	} {
		if got := [2]bool{everywhere.allow(host), named.allow(host)}; got != want {
			t.Errorf("%s: got %v, want %v", host, got, want)
		}
	}
}

func decision(choice, nonce string) string {
	return fmt.Sprintf(`{"session": %q, "nonce": %q, "choice": %q, "guidance": "  keep the old name "}`, theID, nonce, choice)
}

// TestGate wants a person's decision to become an entry of the ledger, with the
// nonce of its gate and its channel, and nothing else to.
func TestGate(t *testing.T) {
	refused := func(string) error { return problem.New("not_a_person", "Nobody is there.").Or("Go to a terminal.") }
	for name, c := range map[string]struct {
		demand string
		person func(string) error
		body   string
		status int
		code   problem.Code // "" is a decision
	}{
		"retry":                       {"relayed", nil, decision("retry", "NONCE"), 200, ""},
		"where the dashboard counts":  {"dashboard", nil, decision("accept", "NONCE"), 200, ""},
		"where it does not":           {"terminal", nil, decision("retry", "NONCE"), 409, approval.HumanGate},
		"where only a form counts":    {"elicited", nil, decision("retry", "NONCE"), 409, approval.HumanGate},
		"of another gate":             {"relayed", nil, decision("retry", "EARLIER"), 409, approval.GateClosed},
		"of no gate":                  {"relayed", nil, decision("retry", ""), 409, approval.GateClosed},
		"no option of this one":       {"relayed", nil, decision("delete", "NONCE"), 409, problem.InvalidArgument},
		"nothing":                     {"relayed", nil, decision("", "NONCE"), 409, problem.InvalidArgument},
		"by nobody":                   {"relayed", refused, decision("retry", "NONCE"), 409, "not_a_person"},
		"of a session that there not": {"relayed", nil, `{"session": "20990101", "nonce": "NONCE", "choice": "retry"}`, 409, "no_session"},
		"no JSON":                     {"relayed", nil, "retry", 400, problem.InvalidArgument},
		"a field more":                {"relayed", nil, `{"session": "` + theID + `", "nonce": "NONCE", "choice": "retry", "channel": "terminal"}`, 400, problem.InvalidArgument},
		"a long guidance":             {"relayed", nil, `{"session": "` + theID + `", "nonce": "NONCE", "choice": "retry", "guidance": "` + strings.Repeat("x", maxGuidance+1) + `"}`, 400, problem.InvalidArgument},
		"endless":                     {"relayed", nil, `{"guidance": "` + strings.Repeat("x", 1<<20), 400, problem.InvalidArgument},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, func(o *Options) {
				if c.person != nil {
					o.Person = c.person
				}
			})
			d.write(".code-intel/config.json", fmt.Sprintf(`{"human_gate": %q}`, c.demand))
			d.session(1)
			w := d.post("/api/gate", c.body)
			_, p := body[any](t, w)
			l, err := audit.Open(d.p.Path("sessions", theID+".ledger.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			entries, err := l.Since(0)
			if err != nil {
				t.Fatal(err)
			}
			entries = slices.DeleteFunc(entries, func(e audit.Entry) bool { return e.Kind != audit.Decision })
			if w.Code != c.status || (p == nil) != (c.code == "") || p != nil && p.Code != c.code {
				t.Errorf("got %d %s", w.Code, w.Body)
			}
			if c.code != "" {
				if len(entries) > 0 {
					t.Errorf("it was refused and noted: %+v", entries)
				}
				return
			}
			if len(entries) != 1 || entries[0].Detail["channel"] != "dashboard" || entries[0].Detail["gate"] != "NONCE" || entries[0].Detail["guidance"] != "keep the old name" {
				t.Errorf("noted: %+v", entries)
			}
			now, _ := readSection[sessionSection](d, "session", "en")
			if g := now.Current.Gate; g == nil || g.Answered == nil || g.Answered.Channel != "dashboard" {
				t.Errorf("the gate is shown as %+v", g)
			}
		})
	}
}

// TestGateIsShown wants a person to be told why they cannot decide here, in their
// language, and how they can.
func TestGateIsShown(t *testing.T) {
	d := open(t, func(o *Options) { o.Person = nil })
	d.session(1)
	s, p := readSection[sessionSection](d, "session", "ja")
	if p != nil || s.Current == nil || s.Current.Gate == nil {
		t.Fatalf("%+v %+v", s, p)
	}
	g := s.Current.Gate
	if g.Open || g.Why == nil || g.Why.Code != notHere || !strings.Contains(strings.Join(g.Why.Next, ""), "code-intel approve "+theID) {
		t.Errorf("the gate: %+v, %+v", g, g.Why)
	}
	if !strings.Contains(g.Text, "あなたの判断待ち") {
		t.Errorf("in Japanese: %s", g.Text)
	}
}

func TestLedgerPages(t *testing.T) {
	d := open(t, nil)
	d.session(120) // 124 entries
	s, _ := readSection[sessionSection](d, "session", "en")
	if l := s.Current.Ledger; l.Total != 124 || len(l.Entries) != pageEntries || l.Entries[0].Seq != 124 || l.Before != 85 || !l.Whole {
		t.Errorf("the tail: %d of %d from %d, before %d, whole %t, %s", len(l.Entries), l.Total, l.Entries[0].Seq, l.Before, l.Whole, l.Why)
	}
	seen := int64(0)
	for before := int64(0); ; {
		query := ""
		if before > 0 {
			query = fmt.Sprintf("&before=%d", before)
		}
		l, p := body[ledgerPage](t, d.get("/api/ledger?id="+theID+query+"&n=50"))
		if p != nil {
			t.Fatal(p)
		}
		for _, e := range l.Entries {
			if want := 124 - seen; e.Seq != want {
				t.Fatalf("entry %d where %d is due", e.Seq, want)
			}
			seen++
		}
		if before = l.Before; before == 0 {
			break
		}
	}
	if seen != 124 {
		t.Errorf("%d entries on all pages", seen)
	}
	for query, want := range map[string]int{"before=0": 400, "before=x": 400, "n=-1": 400, "n=99999999999999999999": 400, "before=9999": 200, "n=100000": 200, "before=1": 200} {
		if w := d.get("/api/ledger?id=" + theID + "&" + query); w.Code != want {
			t.Errorf("%s: %d %s", query, w.Code, w.Body)
		}
	}
	if w := d.get("/api/ledger?id=nobody"); w.Code != 404 {
		t.Errorf("of no session: %d", w.Code)
	}
	if strings.Contains(d.get("/api/ledger?id="+theID).Body.String(), `"mac"`) {
		t.Error("the chain is shown")
	}
}

// TestBrokenLedger wants a ledger that somebody edited to be said to be so, and the
// rest of the session to be shown.
func TestBrokenLedger(t *testing.T) {
	d := open(t, nil)
	d.session(3)
	file := d.p.Path("sessions", theID+".ledger.jsonl")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d.write(".code-intel/sessions/"+theID+".ledger.jsonl", strings.Replace(string(data), "search_text", "search_file", 1))
	s, p := readSection[sessionSection](d, "session", "en")
	if p != nil || s.Current == nil || s.Current.Ledger.Whole || s.Current.Ledger.Why == "" || len(s.Current.Tasks) != 2 {
		t.Errorf("%+v %+v", p, s.Current)
	}
}

// TestDamage wants every section to stand by itself: whatever is damaged is told in
// its place, and no more.
func TestDamage(t *testing.T) {
	sections := []string{"project", "session", "pipelines", "index", "learning"}
	for name, c := range map[string]struct {
		damage func(*desk)
		wrong  []string // sections
	}{
		"nothing there":           {func(*desk) {}, nil},
		"settings":                {func(d *desk) { d.write(".code-intel/config.json", "{") }, sections},
		"a checkpoint":            {func(d *desk) { d.write(".code-intel/sessions/"+theID+".json", "{") }, nil},
		"an empty checkpoint":     {func(d *desk) { d.write(".code-intel/sessions/"+theID+".json", "") }, nil},
		"a checkpoint of nothing": {func(d *desk) { d.write(".code-intel/sessions/"+theID+".json", `{"session_id": "`+theID+`"}`) }, nil},
		"a checkpoint of another phase": {func(d *desk) {
			d.write(".code-intel/sessions/"+theID+".json", `{"session_id": "`+theID+`", "phase": "DANCE", "gate": {"nonce": "N", "phase": "DANCE"}}`)
		}, nil},
		"a pipeline": {func(d *desk) { d.write(".specs/20260302-x/state.json", "{") }, nil},
		"an odd pipeline": {func(d *desk) {
			d.write(".specs/20260302-x/state.json", `{"schema_version": 1, "workspace": ".specs/20260302-x", "phase": "dance", "status": "active", "ticket": {"type": "checkpoint", "action": 7}}`)
		}, nil},
		"the history":         {func(d *desk) { d.write(".specs/index.json", "{") }, nil},
		"a log":               {func(d *desk) { d.write(".code-intel/logs/decisions.jsonl", "{\n\x00\n[]\n") }, nil},
		"an agreement":        {func(d *desk) { d.write(".code-intel/agreements/x.md", "---\nphrases: [\n---\n") }, nil},
		"a file for a folder": {func(d *desk) { d.write(".code-intel/agreements", "x") }, nil},
		"the database":        {func(d *desk) { d.write(".code-intel/index/forest.db", "no database") }, nil},
		"a folder for it":     {func(d *desk) { d.write(".code-intel/index/forest.db/x", "") }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, nil)
			c.damage(d)
			for _, lang := range languages {
				for _, name := range sections {
					if _, p := readSection[any](d, name, lang); (p != nil) != slices.Contains(c.wrong, name) {
						t.Errorf("%s (%s): %+v", name, lang, p)
					}
				}
			}
		})
	}
}

// TestPanic wants a defect in one section to be told in its place.
func TestPanic(t *testing.T) {
	d := open(t, func(o *Options) { o.Person = func(string) error { panic("a defect") } })
	d.session(1)
	if _, p := readSection[any](d, "project", "en"); p == nil || p.Code != problem.Internal {
		t.Errorf("project: %+v", p)
	}
	if s, p := readSection[learningSection](d, "learning", "en"); p != nil || s.Agreements == nil {
		t.Errorf("learning: %+v", p)
	}
}

// TestState holds what the page is given to a golden file.
func TestState(t *testing.T) {
	d := open(t, nil)
	d.session(2)
	d.write(".code-intel/agreements/days.md", "---\nnl_term: loan period\nsymbols: [LOAN_DAYS]\nfiles: [lending/desk.py]\noutcome: success\nlearned_at: 2026-03-01T00:00:00Z\n---\nIt stands in desk.py.\n")
	d.write(".code-intel/logs/decisions.jsonl", `{"query": "Lend books for 28 days instead of 21.", "timestamp": "2026-03-02T12:00:00Z", "intent": "MODIFY", "risk_level": "LOW", "tools_planned": ["search_text"], "session_id": "`+theID+`"}`+"\n")
	d.write(".code-intel/logs/outcomes.jsonl", `{"session_id": "`+theID+`", "timestamp": "2026-03-02T13:00:00Z", "outcome": "failure", "phase_at_outcome": "READY", "source": "session_end"}`+"\n")
	w := d.get("/api/state?lang=en")
	var got map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	got["boot"], got["key"] = "BOOT", "KEY"
	data, err := json.MarshalIndent(got, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(data), filepath.ToSlash(d.p.Root), "ROOT")
	text = strings.ReplaceAll(text, `"name": "`+filepath.Base(d.p.Root)+`"`, `"name": "NAME"`) + "\n"
	golden.Hold(t, filepath.Join("testdata", "state.json"), text)
}

// TestALookChangesNothing wants the same files to be the same news: a look that
// touched what it looks at would never come to rest.
func TestALookChangesNothing(t *testing.T) {
	d := open(t, nil)
	d.session(2)
	d.write("main.go", "package main\n\nfunc main() {}\n")
	d.index()
	d.s.refresh(t.Context())
	marks := func() (all []string) {
		for _, x := range d.s.sections {
			all = append(all, x.mark())
		}
		return all
	}
	before, revision := marks(), d.s.revision
	for _, x := range d.s.sections {
		x.seen = ""
	}
	d.s.refresh(t.Context())
	if diff := cmp.Diff(before, marks()); diff != "" {
		t.Errorf("a look left marks:\n%s", diff)
	}
	if d.s.revision != revision {
		t.Errorf("revision %d has become %d", revision, d.s.revision)
	}
	if x, p := readSection[indexSection](d, "index", "en"); p != nil || !x.There || x.Writing || len(x.Languages) == 0 || x.Languages[0].Name != "go" {
		t.Errorf("index: %+v %+v", x, p)
	}
}

// TestIndexIsWritten wants an index that somebody writes to be looked at each time,
// and to be said how far it is.
func TestIndexIsWritten(t *testing.T) {
	d := open(t, nil)
	d.write("main.go", "package main\n\nfunc main() {}\n")
	d.index()
	d.write("more.go", "package main\n")
	lock := flock.New(d.p.Path("index", "write.lock"))
	if ok, err := lock.TryLock(); err != nil || !ok {
		t.Fatal(ok, err)
	}
	if one, other := d.s.indexMark(), d.s.indexMark(); one == other {
		t.Error("two looks at an index that is written have the same mark")
	}
	if x, p := readSection[indexSection](d, "index", "en"); p != nil || !x.Writing || x.Files != 1 || x.Listed != 2 {
		t.Errorf("%+v %+v", p, x)
	}
	if err := lock.Unlock(); err != nil {
		t.Fatal(err)
	}
	if a, b := d.s.indexMark(), d.s.indexMark(); a != b {
		t.Errorf("an index that rests has marks %q and %q", a, b)
	}
}

func readAll(t *testing.T, r io.Reader) string {
	t.Helper()
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestDecisionLog(t *testing.T) {
	d := open(t, nil)
	var lines strings.Builder
	for i := range 70 {
		fmt.Fprintf(&lines, `{"query": "request %d", "timestamp": "2026-03-02T12:00:00Z", "session_id": "s%d"}`+"\n", i+1, i+1)
	}
	d.write(".code-intel/logs/decisions.jsonl", lines.String())
	d.write(".code-intel/logs/outcomes.jsonl", `{"session_id": "s70", "timestamp": "2026-03-02T13:00:00Z", "outcome": "partial"}`+"\n"+`{"session_id": "s70", "timestamp": "2026-03-02T14:00:00Z", "outcome": "failure"}`+"\n")
	s, p := readSection[learningSection](d, "learning", "en")
	if p != nil || s.Decisions.Total != 70 || len(s.Decisions.Entries) != pageLog || s.Decisions.Before != 41 {
		t.Fatalf("%+v %+v", p, s.Decisions)
	}
	if e := s.Decisions.Entries[0]; e.Number != 70 || e.Outcome == nil || e.Outcome.Outcome != "failure" {
		t.Errorf("the last one: %+v %+v", e, e.Outcome)
	}
	l, p := body[decisionLogPage](t, d.get("/api/log?before=41&n=100"))
	if p != nil || len(l.Entries) != 40 || l.Before != 0 || l.Entries[0].Query != "request 40" || l.Entries[39].Number != 1 {
		t.Errorf("%+v: %d entries, before %d", p, len(l.Entries), l.Before)
	}
	if w := d.get("/api/log?before=0"); w.Code != 400 {
		t.Errorf("before=0: %d", w.Code)
	}
}

// TestHealth wants one examination for those who ask, and none without being asked.
func TestHealth(t *testing.T) {
	times := 0
	d := open(t, func(o *Options) {
		o.Examine = func(context.Context) *doctor.Report {
			times++
			return &doctor.Report{Findings: []doctor.Finding{{Name: "git", Verdict: doctor.Good, Detail: msg.Literal("git version 2.40")}}}
		}
	})
	d.get("/api/state")
	if times != 0 {
		t.Errorf("examined %d times without being asked", times)
	}
	h, p := body[health](t, d.post("/api/doctor", "{}"))
	if p != nil || times != 1 || len(h.Report.Findings) != 1 || h.At.IsZero() {
		t.Errorf("%+v %+v, %d times", p, h, times)
	}
	if w := open(t, nil).post("/api/doctor", "{}"); w.Code != 404 {
		t.Errorf("where nobody examines: %d", w.Code)
	}
}

// TestOneSession wants any session to be shown that is named, also one that has ended.
func TestOneSession(t *testing.T) {
	d := open(t, nil)
	st := d.session(1)
	st.Outcome, st.EndedIn, st.Gate = state.Completed, phases.Merge, nil
	d.checkpoint(st)
	s, p := body[sessionView](t, d.get("/api/session?id="+theID[:8]))
	if p != nil || s.ID != theID || s.Outcome != state.Completed || s.Phase != "MERGE" || s.Gate != nil {
		t.Errorf("%+v %+v", p, s.sessionSummary)
	}
	for _, step := range s.Steps {
		if step.Stage != "done" && step.Stage != "skipped" {
			t.Errorf("%s is %s in a session that has ended", step.Phase, step.Stage)
		}
	}
	if w := d.get("/api/session?id=nobody"); w.Code != 404 {
		t.Errorf("nobody's: %d", w.Code)
	}
}
