package mcp

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"

	"codeintel/internal/platform/webserver"
	"codeintel/internal/problem"
)

// HTTPOptions say how to serve over HTTP.
type HTTPOptions struct {
	Token          string   // what clients must send as "Authorization: Bearer …"; empty: anyone may call
	AllowedHosts   []string // names and addresses this server answers to, beside loopback and its own
	AllowedOrigins []string // pages that may call it, as "https://host", beside those on loopback
}

// idleSession is how long an idle session is kept. A client that is gone leaves its session
// behind; one that comes back begins another.
const idleSession = 30 * time.Minute

// NewToken returns a new bearer token.
func NewToken() string {
	b := make([]byte, 24)
	rand.Read(b) // never fails, see crypto/rand
	return base64.RawURLEncoding.EncodeToString(b)
}

// Listen listens at an address: "host:port", ":port" or "port". Where it names
// no host, that is 127.0.0.1. An address that other machines can reach is a
// Problem unless exposure is Remote.
func Listen(ctx context.Context, address string, exposure Exposure) (net.Listener, error) {
	if !strings.Contains(address, ":") {
		address = ":" + address
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, problem.New(problem.InvalidArgument, "mcp.not_an_address_to_listen_at", address).
			Or("mcp.use_any_free_port")
	}
	if host == "" {
		host = "127.0.0.1"
	}
	if !isLoopback(host) && exposure != Remote {
		return nil, problem.New(problem.InvalidArgument, "mcp.can_reached_from_other_machines", host).
			Or("mcp.listen_at", port).
			Or("mcp.add_allow_remote_if_meant")
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return l, nil
}

// Exposure says from where a server may be reached.
type Exposure string

// The exposures.
const (
	Local  Exposure = "local"  // this machine
	Remote Exposure = "remote" // any machine
)

// ServeHTTP serves the protocol at /mcp until ctx ends. It closes l.
func (s *Server) ServeHTTP(ctx context.Context, l net.Listener, o HTTPOptions) error {
	server, err := s.MCP()
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", s.bothEras(server))
	if host, _, err := net.SplitHostPort(l.Addr().String()); err == nil {
		o.AllowedHosts = append(slices.Clone(o.AllowedHosts), host)
	}
	return webserver.Serve(ctx, l, o.guarded(mux), webserver.Options{})
}

// bothEras answers clients that begin a session with initialize, and those of the
// revision since which every request stands alone and says of which it is.
func (s *Server) bothEras(server *mcp.Server) http.Handler {
	serves := func(*http.Request) *mcp.Server { return server }
	o := mcp.StreamableHTTPOptions{
		Logger:                       s.log,
		PropagateRequestCancellation: true,
		DisableLocalhostProtection:   true, // guarded does that, and for all hosts
		MaxRequestBodyBytes:          maxLine,
	}
	alone := o
	alone.Stateless = true
	o.SessionTimeout = idleSession
	sessions, requests := mcp.NewStreamableHTTPHandler(serves, &o), mcp.NewStreamableHTTPHandler(serves, &alone)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= roundTrips {
			requests.ServeHTTP(w, r)
			return
		}
		if r.Header.Get("Mcp-Session-Id") == "" {
			endOldest(server)
		}
		sessions.ServeHTTP(w, r)
	})
}

// maxSessions is how many sessions there may be. A client whose session has ended begins
// another when a header asks for it.
const maxSessions = 500

// endOldest makes room for another session.
func endOldest(server *mcp.Server) {
	all := slices.DeleteFunc(slices.Collect(server.Sessions()), func(s *mcp.ServerSession) bool { return s.ID() == "" })
	for _, s := range all[:max(0, len(all)-maxSessions+1)] {
		go s.Close() // waits for its calls
	}
}

// guarded lets only those through who know the token and ask for this server.
// The latter matters because a web page that a user visits can make their browser
// call 127.0.0.1 under a name of the page's own: Host and Origin tell.
func (o HTTPOptions) guarded(next http.Handler) http.Handler {
	long := semaphore.NewWeighted(maxLong)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origin := strings.Join(r.Header.Values("Origin"), ",") // of several none counts
		switch {
		case !o.hostAllowed(r.Host):
			http.Error(w, "this server does not answer to the host "+r.Host, http.StatusForbidden)
		case !o.originAllowed(origin):
			http.Error(w, "pages of "+origin+" may not call this server", http.StatusForbidden)
		case o.preflight(w, r):
		case !o.tokenHolds(r.Header.Get("Authorization")):
			w.Header().Set("WWW-Authenticate", `Bearer realm="code-intel"`)
			http.Error(w, "send the token of this server as Authorization: Bearer …", http.StatusUnauthorized)
		case r.Body == nil || r.Body == http.NoBody:
			next.ServeHTTP(w, r)
		default:
			served(w, r, long, next)
		}
	})
}

// What the bodies of requests may take, in bytes: those beyond shortBody take maxLong together,
// until they are answered.
const (
	shortBody = 64 << 10
	maxLong   = 2 * maxLine
	longWait  = time.Minute
)

// served has a request answered whose whole body holds one message, and answers any other with
// an error.
func served(w http.ResponseWriter, r *http.Request, long *semaphore.Weighted, next http.Handler) {
	if r.ContentLength > maxLine {
		tooLong(w, r)
		return
	}
	var body bytes.Buffer
	_, err := io.CopyN(&body, r.Body, shortBody)
	if err == nil {
		size := r.ContentLength
		if size < 0 {
			size = maxLine
		}
		ctx, stop := context.WithTimeout(r.Context(), longWait)
		err = long.Acquire(ctx, size)
		stop()
		if err != nil {
			http.Error(w, "too many long messages at once; send this one again", http.StatusServiceUnavailable)
			return
		}
		defer long.Release(size)
		_, err = io.CopyN(&body, r.Body, maxLine-shortBody+1)
	}
	if body.Len() > maxLine {
		tooLong(w, r)
		return
	}
	if !errors.Is(err, io.EOF) {
		http.Error(w, "the request did not arrive in time", http.StatusRequestTimeout)
		return
	}
	for _, text := range messages(r, bytes.TrimSpace(body.Bytes())) {
		if _, fault := messageOf(bytes.TrimSpace(text)); fault != nil {
			w.Header().Set("Content-Type", jsonType)
			w.WriteHeader(http.StatusBadRequest)
			_, _ = w.Write(fault)
			return
		}
	}
	r.Body = io.NopCloser(&body)
	next.ServeHTTP(w, r)
}

// messages returns those of a body. Clients before 2025-06-18 may send several at once.
func messages(r *http.Request, body []byte) []json.RawMessage {
	var batch []json.RawMessage
	switch {
	case len(body) == 0:
		return nil
	case r.Header.Get("Mcp-Protocol-Version") < "2025-06-18" && json.Unmarshal(body, &batch) == nil && len(batch) > 0:
		return batch
	}
	return []json.RawMessage{body}
}

// tooLong refuses a request. As long as it arrives it is read, within limits: a client does not
// see the answer while it writes.
func tooLong(w http.ResponseWriter, r *http.Request) {
	at := http.NewResponseController(w)
	for range 64 {
		_ = at.SetReadDeadline(time.Now().Add(time.Second))
		if _, err := io.CopyN(io.Discard, r.Body, 1<<20); err != nil {
			break
		}
	}
	http.Error(w, errLongLine.Error(), http.StatusRequestEntityTooLarge)
}

// preflight lets pages of AllowedOrigins read the answers, and answers the browser's
// question whether they may ask at all. It comes without a token, and does nothing else.
func (o HTTPOptions) preflight(w http.ResponseWriter, r *http.Request) (answered bool) {
	origin := r.Header.Get("Origin")
	if !slices.Contains(o.AllowedOrigins, origin) {
		return false
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate")
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	h.Set("Access-Control-Allow-Headers", strings.Join(callHeaders, ", "))
	h.Set("Access-Control-Max-Age", "600")
	if r.Header.Get("Access-Control-Request-Private-Network") == "true" {
		h.Set("Access-Control-Allow-Private-Network", "true")
	}
	w.WriteHeader(http.StatusNoContent)
	return true
}

// callHeaders are the headers that a client of the protocol sends.
var callHeaders = []string{"Accept", "Authorization", "Content-Type", "Last-Event-ID", "Mcp-Method", "Mcp-Name",
	"Mcp-Protocol-Version", "Mcp-Session-Id"}

func (o HTTPOptions) hostAllowed(hostport string) bool {
	host := hostport
	if h, _, err := net.SplitHostPort(hostport); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	return isLoopback(host) || slices.ContainsFunc(o.AllowedHosts, func(a string) bool { return strings.EqualFold(a, host) })
}

func (o HTTPOptions) originAllowed(origin string) bool {
	if origin == "" {
		return true // not a browser
	}
	if slices.Contains(o.AllowedOrigins, origin) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && isLoopback(u.Hostname())
}

func (o HTTPOptions) tokenHolds(header string) bool {
	if o.Token == "" {
		return true
	}
	scheme, token, _ := strings.Cut(header, " ")
	return strings.EqualFold(scheme, "Bearer") &&
		subtle.ConstantTimeCompare([]byte(strings.TrimSpace(token)), []byte(o.Token)) == 1
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
