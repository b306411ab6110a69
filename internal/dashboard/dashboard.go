// Package dashboard serves a local web page that shows sessions, pipelines and the index to people, and takes
// their decisions. It shows the state of a project's session, pipelines, index and logs, and lets a person
// start a pipeline, decide at an open gate, and abandon a pipeline.
//
// It reads through the packages that own the data, and decides nothing. Each section is
// read by itself, so damaged data is a message in its own place. Only requests with the
// token of this run are served (guard.go); changes are pushed as they happen (live.go). The
// page is plain files in web/, loads nothing from elsewhere, and needs no build.
package dashboard

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"codeintel/internal/doctor"
	"codeintel/internal/memory"
	"codeintel/internal/platform/webserver"
	"codeintel/internal/project"
)

// web is the page.
//
//go:embed web
var web embed.FS

// Options say what a dashboard shows, and to whom.
type Options struct {
	Root    string // of the project
	Version string
	Log     *slog.Logger
	Now     func() time.Time

	// Person returns a Problem unless whoever started the dashboard may decide for a
	// session that the holder leads. Nil: deciding is not possible.
	Person func(holder string) error
	// Examine is how the health of the project is found out. Nil: it is not.
	Examine func(context.Context) *doctor.Report
}

// languages are the languages of the page.
var languages = []string{"en", "ja"}

// Bounds of the server.
const (
	shutdownTime = 2 * time.Second
	maxHeader    = 16 << 10
	maxStreams   = 32
)

// A Server is the dashboard of one project for one run of the program.
type Server struct {
	o      Options
	token  string // of the address that is printed
	cookie string // what a browser has after its first visit
	folder string // of the addresses that it has the cookie for
	key    string // what a page sends along with what it changes
	boot   string // tells the events of this run from those of another

	sections   []*section
	learned    *memory.Folder
	refreshing sync.Mutex // one at a time

	mu       sync.Mutex
	revision int
	streams  int

	examining sync.Mutex
	health    *doctor.Report // under examining
	examined  time.Time
}

// New returns the dashboard of a project. It reads nothing yet.
func New(o Options) (*Server, error) {
	p, err := project.OpenRoot(o.Root)
	if p == nil { // settings that cannot be read are shown, not refused
		p = &project.Project{Root: o.Root, Config: project.Defaults()}
	}
	if _, dirErr := fs.Stat(web, "web/index.html"); dirErr != nil {
		return nil, errors.Join(err, dirErr)
	}
	s := &Server{o: o, token: rand.Text(), cookie: rand.Text(), folder: "/" + rand.Text() + "/", key: rand.Text(), boot: rand.Text()[:8],
		learned: memory.Open(p)}
	s.sections = []*section{
		{name: "project", mark: s.projectMark, read: s.readProject},
		{name: "session", mark: s.sessionMark, read: s.readSession},
		{name: "pipelines", mark: s.pipelinesMark, read: s.readPipelines},
		{name: "index", mark: s.indexMark, read: s.readIndex},
		{name: "learning", mark: s.learningMark, read: s.readLearning},
	}
	return s, nil
}

// URL is the address that a person opens: it holds the token.
func (s *Server) URL(address string) string {
	return fmt.Sprintf("http://%s/?token=%s", address, s.token)
}

// Serve serves at l, under the name of the host that was asked for, until ctx
// ends. It closes l.
func (s *Server) Serve(ctx context.Context, l net.Listener, host string) error {
	return webserver.Serve(ctx, l, s.handler(host, l.Addr()),
		webserver.Options{MaxHeader: maxHeader, Shutdown: shutdownTime, Log: s.o.Log})
}

// handler answers requests to the address under the name of the host.
func (s *Server) handler(host string, address net.Addr) http.Handler {
	mux := http.NewServeMux()
	files, err := fs.Sub(web, "web")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	mux.Handle("GET /", http.FileServerFS(files))
	mux.HandleFunc("GET /api/state", s.serveState)
	mux.HandleFunc("GET /api/events", s.serveEvents)
	mux.HandleFunc("GET /api/session", s.serveSession)
	mux.HandleFunc("GET /api/ledger", s.serveLedger)
	mux.HandleFunc("GET /api/pipeline", s.servePipeline)
	mux.HandleFunc("GET /api/artifact", s.serveText(artifactOf))
	mux.HandleFunc("GET /api/diff", s.serveText(diffOf))
	mux.HandleFunc("GET /api/log", s.serveLog)
	mux.HandleFunc("POST /api/gate", s.serveGate)
	mux.HandleFunc("POST /api/start", s.serveStart)
	mux.HandleFunc("POST /api/stop", s.serveStop)
	mux.HandleFunc("POST /api/doctor", s.serveDoctor)
	return s.underRunFolder(s.guarded(newHosts(host, address), mux))
}

// project opens the project as its settings are now.
func (s *Server) project() (*project.Project, error) { return project.OpenRoot(s.o.Root) }
