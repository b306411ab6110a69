package chroma

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"codeintel/internal/problem"
)

// Codes of the problems that a server can be.
const (
	Unavailable problem.Code = "vector_store_unavailable" // it does not answer, or not to us
	Untrusted   problem.Code = "vector_store_untrusted"   // the user has not named it
	Conflict    problem.Code = "vector_store_conflict"    // its collections are not what we can use
)

// Variables of the environment. What they hold is the user's word and never comes
// from a file of a repository.
const (
	TokenVariable   = "CODE_INTEL_CHROMA_TOKEN"   // sent to the server, to no other
	ServersVariable = "CODE_INTEL_CHROMA_SERVERS" // servers of other machines that may be used: origins, separated by commas
)

// Options says which server, and how.
type Options struct {
	URL      string // scheme, host and port alone
	Tenant   string
	Database string
	Token    string        // "": none
	Client   *http.Client  // nil: one of our own
	Timeout  time.Duration // of one request; 0: 30 s
	Backoff  time.Duration // before the first of the next attempts; 0: 200 ms
	Batch    int           // items a request; 0: as many as is good
}

const (
	defaultTenant   = "default_tenant"
	defaultDatabase = "default_database"
	defaultTimeout  = 30 * time.Second
	defaultBackoff  = 200 * time.Millisecond
	attempts        = 4
	longestWait     = 5 * time.Second

	// An answer has so many bytes at most, and so many more for each item that was asked
	// for: what the server has for an item, such as lists without end, is not ours.
	answerBytes = 64 << 10
	itemBytes   = 512
)

// Parse reads what follows "chroma:" in vector_store: the URL of a server, with
// tenant and database as its query if they are not Chroma's own defaults. A server
// of another machine must be among those that the environment names, with the same
// scheme: the user also decides whether it may be reached without encryption.
func Parse(spec string, getenv func(string) string) (Options, error) {
	u, err := url.Parse(spec)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.User != nil ||
		u.Fragment != "" || strings.Trim(u.Path, "/") != "" {
		return Options{}, problem.New(problem.InvalidArgument, "embedding.not_url_chroma_server", redacted(spec)).
			Or("embedding.write_http_https_chroma_example", TokenVariable)
	}
	o := Options{Tenant: defaultTenant, Database: defaultDatabase, Token: getenv(TokenVariable)}
	for key, values := range u.Query() {
		switch {
		case key == "tenant" && values[0] != "":
			o.Tenant = values[0]
		case key == "database" && values[0] != "":
			o.Database = values[0]
		default:
			return Options{}, problem.New(problem.InvalidArgument, "embedding.chroma_url_has_no", key).
				Or("embedding.only_tenant_database_can_follow")
		}
	}
	o.URL = origin(u)
	named := slices.ContainsFunc(strings.Split(getenv(ServersVariable), ","), func(s string) bool {
		v, err := url.Parse(strings.TrimSpace(s))
		return err == nil && v.Host != "" && origin(v) == o.URL
	})
	if !named && !loopback(u.Hostname()) {
		return Options{}, problem.New(Untrusted, "embedding.chroma_server_is_not_local", o.URL).
			Or("embedding.if_your_server_set_environment", ServersVariable, o.URL).
			Or("embedding.set_vector_store_embedded_code")
	}
	return o, nil
}

// redacted takes a password out of what is shown.
func redacted(spec string) string {
	if u, err := url.Parse(spec); err == nil {
		return u.Redacted()
	}
	return "what is set"
}

func origin(u *url.URL) string { return strings.ToLower(u.Scheme + "://" + u.Host) }

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// A client speaks to one server.
type client struct {
	base    string
	token   string
	http    *http.Client
	timeout time.Duration
	backoff time.Duration
}

func newClient(o Options) (*client, error) {
	if u, err := url.Parse(o.URL); err != nil || u.Host == "" {
		return nil, fmt.Errorf("chroma: %q is no URL", redacted(o.URL))
	}
	c := &client{base: strings.TrimRight(o.URL, "/"), token: o.Token, timeout: o.Timeout, backoff: o.Backoff}
	if c.timeout == 0 {
		c.timeout = defaultTimeout
	}
	if c.backoff == 0 {
		c.backoff = defaultBackoff
	}
	h := http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	if o.Client != nil {
		h = *o.Client
	}
	h.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http = &h
	return c, nil
}

// A refusal is an answer of the server other than 2xx.
type refusal struct {
	status int
	text   string
	wait   time.Duration // that it asks for; 0: none
}

func (r *refusal) Error() string { return fmt.Sprintf("chroma: status %d: %s", r.status, r.text) }

func isStatus(err error, status int) bool {
	var r *refusal
	return errors.As(err, &r) && r.status == status
}

// call sends a request and reads its answer, which may be nil and is about as many items at
// most. Requests of this package can all be repeated, and are while the server is away or overloaded.
func (c *client) call(ctx context.Context, method, path string, body, answer any, items int) error {
	var data []byte
	if body != nil {
		var err error
		if data, err = json.Marshal(body); err != nil {
			return fmt.Errorf("chroma: %w", err)
		}
	}
	wait := c.backoff
	for n := 1; ; n++ {
		err := c.tryRequest(ctx, method, path, data, answer, items)
		if ctx.Err() != nil {
			return fmt.Errorf("chroma: %w", ctx.Err())
		}
		if err == nil || !isTransient(err) || n == attempts {
			return c.explain(err)
		}
		if r := (*refusal)(nil); errors.As(err, &r) && r.wait > 0 {
			wait = r.wait
		}
		timer := time.NewTimer(min(wait, longestWait))
		select {
		case <-ctx.Done():
			timer.Stop()
			return fmt.Errorf("chroma: %w", ctx.Err())
		case <-timer.C:
		}
		wait *= 4
	}
}

// isTransient reports whether an error may be gone at the next attempt.
func isTransient(err error) bool {
	var r *refusal
	if errors.As(err, &r) {
		switch r.status {
		case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
			return true
		}
		return false
	}
	var n net.Error
	return errors.As(err, &n) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF)
}

func (c *client) tryRequest(ctx context.Context, method, path string, data []byte, answer any, items int) error {
	ctx, stop := context.WithTimeout(ctx, c.timeout)
	defer stop()
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("chroma: %w", err)
	}
	request.Header.Set("Accept", "application/json")
	if data != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" { // the two headers that Chroma's providers read
		request.Header.Set("Authorization", "Bearer "+c.token)
		request.Header.Set("X-Chroma-Token", c.token)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return fmt.Errorf("chroma: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode/100 != 2 {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 2000))
		r := &refusal{status: response.StatusCode, text: strings.TrimSpace(string(text))}
		if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
			r.wait = time.Duration(seconds) * time.Second
		}
		return r
	}
	if answer == nil {
		io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20)) // so that the connection can be used again
		return nil
	}
	most := &io.LimitedReader{R: response.Body, N: answerBytes + int64(items)*itemBytes}
	switch err := json.NewDecoder(most).Decode(answer); {
	case err != nil && most.N == 0: // cut by us: it would be again
		return errors.New("chroma: answer: larger than what was asked for")
	case err != nil:
		return fmt.Errorf("chroma: answer: %w", err)
	}
	return nil
}

// explain makes a Problem of what the user can do something about.
func (c *client) explain(err error) error {
	const embedded = "embedding.set_embedded_store"
	var r *refusal
	var n net.Error
	switch {
	case err == nil:
		return nil
	case isStatus(err, http.StatusUnauthorized), isStatus(err, http.StatusForbidden):
		return problem.New(Unavailable, "embedding.chroma_server_denies_access", c.base).
			Or("embedding.set_token", TokenVariable).Or(embedded)
	case errors.As(err, &r) && r.status/100 == 3:
		return problem.New(Unavailable, "embedding.server_answers_with_redirect", c.base).
			Or("embedding.write_final_url_into_settings").Or(embedded)
	case isTransient(err) && errors.As(err, &r):
		return problem.New(Unavailable, "embedding.chroma_server_at_overloaded_going", c.base, err).
			Or("embedding.try_again_while").Or(embedded)
	case errors.As(err, &n) && n.Timeout():
		return problem.New(Unavailable, "embedding.chroma_server_did_not_answer", c.base, c.timeout).
			Or("embedding.try_again_while").Or(embedded)
	case isTransient(err):
		return problem.New(Unavailable, "embedding.chroma_server_at_cannot_reached", c.base, cause(err)).
			Or("embedding.start_chroma_run_path_dir").Or(embedded)
	}
	return err
}

// cause is the end of an error of the network, without URLs that say it again.
func cause(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

func (s *Store) conflict() error {
	return problem.New(Conflict, "embedding.chroma_collection_does_not_fit", s.base, s.c.Name).
		Or("embedding.name_another_database_vector_store").
		Or("embedding.set_vector_store_embedded_code")
}
