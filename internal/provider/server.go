package provider

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"codeintel/internal/files"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/provider/lsp"
	"codeintel/internal/provider/scip"
	"codeintel/internal/resolve"
	"codeintel/internal/syntax"
	"codeintel/internal/text"
	"codeintel/internal/trust"
)

// noAnswer is the code of a Problem with a language server that fails.
const noAnswer problem.Code = "language_server_failed"

// Limits of conversations with a server.
const (
	// A server announces its work within a moment of what makes it work.
	moment = 300 * time.Millisecond

	maxOpen    = 200 // files shown to the server for one question
	maxAnswers = 256 // kept
	maxRounds  = 5   // times that one question is asked while the server still works
)

// A server is a language server of one project, which runs while it is asked now and
// then.
type server struct {
	Server
	p *project.Project

	turn    chan struct{} // has a token while a caller asks
	client  *lsp.Client
	begun   int               // pieces of work that it had announced when it was asked last
	known   map[string]uint64 // the files that the server has seen, by version
	answers map[string]*Exact // by question, while no file changes

	late atomic.Int32 // questions in a row that it did not answer in time
}

func newServer(p *project.Project, s Server) *server {
	return &server{Server: s, p: p, turn: make(chan struct{}, 1)}
}

// waitVar is the variable by which a user says how long an answer waits for language servers.
const waitVar = "CODE_INTEL_LANGUAGE_SERVER_WAIT"

// wait returns how long all language servers together may take for one answer. Without them,
// it says that it lacks what they know.
func wait() time.Duration {
	if d, err := time.ParseDuration(os.Getenv(waitVar)); err == nil && d >= time.Second && d <= time.Hour {
		return d
	}
	return time.Minute
}

// errLate is the cause of the end of a context when servers have had their time.
type errLate struct{ after time.Duration }

func (e errLate) Error() string { return fmt.Sprintf("no answer within %s", e.after) }

// answerContext returns the context in which servers are asked for one answer.
func answerContext(ctx context.Context) (context.Context, context.CancelFunc) {
	d := wait()
	return context.WithTimeoutCause(ctx, d, errLate{d})
}

// supports reports whether the server is one for a language.
func (s *server) supports(l syntax.Language) bool { return slices.Contains(s.Languages, l) }

// Uses implements [Provider]. A server that is not trusted knows nothing.
func (s *server) Uses(ctx context.Context, q Question) (*Exact, error) {
	if s.Missing != nil || !s.trusted() {
		return nil, nil
	}
	ctx, stop := s.boundedContext(ctx)
	defer stop()
	x, err := s.inTurn(ctx, q)
	if err == nil {
		s.late.Store(0)
		return x, nil
	}
	if late := (errLate{}); errors.As(context.Cause(ctx), &late) {
		s.late.Add(1)
		return nil, problem.New(noAnswer, "provider.server_failed", s.Name, late).
			Or("provider.let_it_take_longer", waitVar)
	}
	return nil, problem.New(noAnswer, "provider.server_failed", s.Name, err).
		Or("provider.see_that_server_runs", strings.Join(s.Command, " "))
}

// boundedContext bounds the wait for a server that was late more than once in a row: it may be stuck, and each further
// question would take its whole time. What it has begun, such as reading the project, it goes on with meanwhile.
func (s *server) boundedContext(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.late.Load() < 2 {
		return ctx, func() {}
	}
	d := max(time.Second, wait()/20)
	return context.WithTimeoutCause(ctx, d, errLate{d})
}

// inTurn answers when no other caller is asking.
func (s *server) inTurn(ctx context.Context, q Question) (*Exact, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	x, err := s.answer(ctx, q)
	if err != nil && ctx.Err() == nil {
		s.end() // it is in an unknown state
	}
	return x, err
}

// trusted reports whether the person trusts exactly what would be started.
func (s *server) trusted() bool {
	store, err := trust.Open()
	if err != nil {
		return false
	}
	state, err := store.State(s.p.Root, trust.LanguageServer, s.Name, s.Content())
	return err == nil && state == trust.Trusted
}

func (s *server) answer(ctx context.Context, q Question) (*Exact, error) {
	changed := s.changes(q)
	if s.client == nil || s.client.Gone() {
		client, err := lsp.Start(ctx, s.Command, s.p.Root, environment())
		if err != nil {
			return nil, err
		}
		s.client, s.answers = client, nil
	} else if err := s.client.Changed(ctx, changed[0], changed[1], changed[2]); err != nil {
		return nil, err
	}
	key := fmt.Sprint(q.Name, q.Targets)
	if x, ok := s.answers[key]; ok {
		return x, nil
	}
	x, err := s.ask(ctx, q)
	if err != nil {
		return nil, err
	}
	if s.answers == nil || len(s.answers) >= maxAnswers {
		s.answers = map[string]*Exact{}
	}
	s.answers[key] = x
	return x, nil
}

// changes notes the files of now, and returns those that were made, changed and removed
// since the question before, as absolute paths. What was answered before holds no more
// if there are any.
func (s *server) changes(q Question) (lists [3][]string) {
	had := s.known
	s.known = make(map[string]uint64, len(had))
	for f := range q.Files {
		s.known[f.Path] = f.Version
		switch version, ok := had[f.Path]; {
		case !ok:
			lists[0] = append(lists[0], s.p.Abs(f.Path))
		case version != f.Version:
			lists[1] = append(lists[1], s.p.Abs(f.Path))
		}
	}
	for path := range had {
		if _, still := s.known[path]; !still {
			lists[2] = append(lists[2], s.p.Abs(path))
		}
	}
	if len(lists[0])+len(lists[1])+len(lists[2]) > 0 {
		s.answers = nil
	}
	return lists
}

// ask shows the files in which the name stands to the server, and asks for the
// references of each target until the server has nothing left to work on.
func (s *server) ask(ctx context.Context, q Question) (*Exact, error) {
	texts := &openText{p: s.p}
	documents, shown := s.documents(q, texts)
	if err := s.client.Open(ctx, documents); err != nil {
		return nil, err
	}
	defer func() { _ = s.client.Close(documents) }()
	var err error
	if s.begun, err = s.client.Settle(ctx, moment); err != nil {
		return nil, err
	}
	x := newExact()
	for _, t := range q.Targets {
		if !shown[t.File] {
			continue
		}
		x.Asked++
		if err := s.references(ctx, t, texts, x); err != nil {
			return nil, err
		}
	}
	for at := range x.Uses { // of other files it may know nothing
		x.Files[at.File] = true
	}
	if len(x.Uses) == 0 {
		x.Asked = 0 // it does not know what is there
	}
	return x, nil
}

// documents returns the files to show: those of the targets, and those of scripts in
// which the name is.
func (s *server) documents(q Question, texts *openText) (list []lsp.Document, shown map[string]bool) {
	shown = map[string]bool{}
	add := func(file string) {
		if shown[file] || len(list) >= maxOpen || !s.supports(syntax.Detect(file, nil)) {
			return
		}
		if lines := texts.linesOf(file); lines != nil {
			shown[file] = true
			text := strings.Join(lines, "\n")
			language := protocolName(syntax.Detect(file, []byte(text))) // a header may be one of C++
			list = append(list, lsp.Document{File: s.p.Abs(file), Language: language, Text: text})
		}
	}
	for _, t := range q.Targets {
		add(t.File)
	}
	if slices.ContainsFunc(s.Languages, func(l syntax.Language) bool { return syntax.Of(l).Family == "script" }) {
		// Their server knows files that no tsconfig.json lists only while they are open.
		for _, file := range q.Holding {
			add(file)
		}
	}
	return list, shown
}

// references adds what the server says of one target.
func (s *server) references(ctx context.Context, t resolve.Position, texts *openText, x *Exact) error {
	in := scip.UTF16
	if s.client.Bytes {
		in = scip.UTF8
	}
	at, ok := onWire(texts.linesOf(t.File), t, in)
	if !ok {
		return nil
	}
	list, err := s.located(ctx, t.File, at)
	if err != nil {
		return err
	}
	type place struct {
		file string
		lsp.Location
	}
	var places []place
	for _, l := range list {
		rel, err := filepath.Rel(s.p.Root, lsp.File(l.URI))
		if err == nil && filepath.IsLocal(rel) && l.Range.Start.Line == l.Range.End.Line {
			places = append(places, place{filepath.ToSlash(rel), l})
		}
	}
	// Each file is read and each line measured once, whatever the order of the answer.
	slices.SortFunc(places, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.file, b.file), cmp.Compare(a.Range.Start.Line, b.Range.Start.Line))
	})
	for _, l := range places {
		u, ok := s.reference(l.file, l.Location, in, texts)
		if !ok {
			continue
		}
		u.Declares = u.Position == t
		if err := x.add(u); err != nil {
			return err
		}
	}
	return nil
}

// located asks for references, and asks again if the server has begun other work since,
// such as reading the project, until the answer is the same.
func (s *server) located(ctx context.Context, file string, at lsp.Position) (list []lsp.Location, err error) {
	begun := s.begun
	for range maxRounds {
		had := list
		if list, err = s.client.References(ctx, s.p.Abs(file), at); err != nil {
			return nil, err
		}
		now, err := s.client.Settle(ctx, moment/10)
		if err != nil {
			return nil, err
		}
		if now == begun || len(had) > 0 && slices.Equal(had, list) {
			break
		}
		begun = now
	}
	s.begun = begun
	return list, nil
}

// reference finds the place of a location in a file of the project. ok is false for one that
// is no name.
func (s *server) reference(file string, l lsp.Location, in scip.Encoding,
	texts *openText) (u resolve.Reference, ok bool) {
	lines := texts.linesOf(file)
	start, fits := texts.column(l.Range.Start.Line, l.Range.Start.Character, in)
	end, fitsToo := texts.column(l.Range.Start.Line, l.Range.End.Character, in)
	if !fits || !fitsToo || end <= start {
		return u, false
	}
	return resolve.Reference{
		Position: resolve.Position{File: file, Line: l.Range.Start.Line + 1, Column: start + 1},
		Name:     strings.Clone(lines[l.Range.Start.Line][start:end]), Relation: resolve.Same,
	}, true
}

// onWire returns a place as the protocol counts.
func onWire(lines []string, t resolve.Position, in scip.Encoding) (lsp.Position, bool) {
	if t.Line < 1 || t.Line > len(lines) || t.Column < 1 || t.Column-1 > len(lines[t.Line-1]) {
		return lsp.Position{}, false
	}
	before := lines[t.Line-1][:t.Column-1]
	n := len(before)
	if in == scip.UTF16 && !text.IsASCII(before) {
		n = utf8.RuneCountInString(before)
		for _, r := range before {
			if r > 0xFFFF {
				n++
			}
		}
	}
	return lsp.Position{Line: t.Line - 1, Character: n}, true
}

// Stop implements [Provider].
func (s *server) Stop() {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	s.end()
}

func (s *server) end() {
	if s.client != nil {
		s.client.Stop()
	}
	s.client, s.known, s.answers = nil, nil, nil
}

// environment is that of this program, with what keeps tools off the network.
func environment() []string {
	return append(os.Environ(), "GOPROXY=off", "GOTOOLCHAIN=local", "CARGO_NET_OFFLINE=true",
		"npm_config_offline=true", "PIP_NO_INDEX=1")
}

// protocolName is what the protocol calls a language.
func protocolName(l syntax.Language) string {
	if l == syntax.TSX {
		return "typescriptreact"
	}
	return string(l)
}

// An openText holds the lines of the file that was asked for last.
type openText struct {
	p    *project.Project
	file string
	columnFinder
}

// linesOf returns the lines of a file, or nil if it cannot be read.
func (c *openText) linesOf(file string) []string {
	if c.file != file {
		c.file, c.columnFinder = file, columnFinder{}
		if t, err := files.Read(c.p, file); err == nil {
			c.lines = strings.Split(string(t.Bytes), "\n")
		}
	}
	return c.lines
}

// Version starts a server, asks for its name and version, and ends it.
func (s Server) Version(ctx context.Context, p *project.Project) (string, error) {
	ctx, stop := answerContext(ctx)
	defer stop()
	client, err := lsp.Start(ctx, s.Command, p.Root, environment())
	if err != nil {
		return "", err
	}
	client.Stop()
	return strings.TrimSpace(client.Version), nil
}
