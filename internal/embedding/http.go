package embedding

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/text"
)

// httpModel is a server that makes vectors. Its spec is a URL and, each behind a
// bar, settings:
//
//	model=NAME      what the server calls the model; TEI has but one
//	api=NAME        openai, ollama or tei; else by the URL's path: …/embeddings, …/api/embed, …/embed
//	key=VARIABLE    the environment variable with the API key, NAME_API_KEY
//	dimension=N     the length of the vectors; else the server is asked once
//	query=TEXT      what is set before questions
//	passage=TEXT    what is set before other texts
//	batch=N         texts in a request, 32
//	parallel=N      requests at a time, 2
//	rate=N          requests in a minute, at most; else no limit
//	timeout=TIME    for a request with all its repetitions, 60s
type httpModel struct {
	id        string
	url       *url.URL
	api       api
	name      string
	key       string
	dimension int
	prefix    map[Role]string
	batch     int
	parallel  int
	timeout   time.Duration
	client    *http.Client
	log       *slog.Logger
	wait      func(ctx context.Context, d time.Duration) error // tests do not wait
	now       func() time.Time
	pace      rateLimiter
}

// An api is a way to ask.
type api string

// The ways to ask.
const (
	openAI api = "openai"
	ollama api = "ollama"
	tei    api = "tei"
)

// keyVariable is what the variable of a key must be called, so that a repository
// cannot have other secrets sent.
var keyVariable = lazyregexp.MustCompile(`^[A-Z][A-Z0-9_]*_API_KEY$`)

func openHTTP(ctx context.Context, spec string, o Options) (Model, error) {
	m, err := newHTTP(spec, o)
	if err != nil {
		return nil, err
	}
	if m.dimension == 0 {
		limited, stop := context.WithTimeout(ctx, m.timeout)
		defer stop()
		v, err := m.request(limited, []string{"dimension"})
		if limited.Err() != nil && ctx.Err() == nil {
			err = m.timeoutError()
		}
		if err != nil {
			return nil, err
		}
		m.dimension = len(v[0])
	}
	if m.dimension <= 0 || m.dimension > maxDimension {
		return nil, m.unavailable("its vectors have " + strconv.Itoa(m.dimension) + " numbers")
	}
	m.identify()
	return m, nil
}

// maxDimension is more than any model has.
const maxDimension = 1 << 16

// identify names the model. Of what the server runs nothing is known but its
// address and what it calls the model, so these stand for the content.
func (m *httpModel) identify() {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%d\n%q\n", m.url, m.api, m.name, m.dimension, m.prefix))
	m.id = fmt.Sprintf("http:%s/%s@%s", m.url.Host, m.name, hex.EncodeToString(sum[:10]))
}

// invalid refuses a spec with the message of key.
func invalid(key string, args ...any) error {
	return problem.New(problem.InvalidArgument, "embedding.model_is_wrong", msg.New(key, args...)).
		Or("embedding.write_http_url_model_name")
}

// newHTTP reads a spec, and refuses a server that the user did not name.
func newHTTP(spec string, o Options) (*httpModel, error) {
	parts := strings.Split(spec, "|")
	u, err := url.Parse(parts[0])
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, invalid("embedding.no_url_of_a_server", parts[0])
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, invalid("embedding.url_must_be_plain")
	}
	m := &httpModel{
		url: u, batch: 32, parallel: 2, timeout: time.Minute, prefix: make(map[Role]string),
		log: o.Log, wait: sleep, now: time.Now,
	}
	for _, p := range parts[1:] {
		if err := m.set(p, o.Getenv); err != nil {
			return nil, err
		}
	}
	if err := m.chooseAPI(); err != nil {
		return nil, err
	}
	if err := trusted(u, o.Getenv); err != nil {
		return nil, err
	}
	client := http.Client{Transport: http.DefaultTransport}
	if o.Client != nil {
		client = *o.Client
	}
	// A redirect would show text and key to a server that nobody named.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	m.client = &client
	return m, nil
}

// set reads one setting.
func (m *httpModel) set(setting string, getenv func(string) string) error {
	name, value, ok := strings.Cut(setting, "=")
	number := func(to *int, most int) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 || n > most {
			return invalid("embedding.setting_not_a_number", name, value, 1, most)
		}
		*to = n
		return nil
	}
	switch {
	case !ok || value == "":
		return invalid("embedding.setting_not_of_the_form", setting)
	case name == "model":
		m.name = value
	case name == "api":
		m.api = api(value)
	case name == "query":
		m.prefix[Query] = value
	case name == "passage":
		m.prefix[Passage] = value
	case name == "dimension":
		return number(&m.dimension, maxDimension)
	case name == "batch":
		return number(&m.batch, 2048)
	case name == "parallel":
		return number(&m.parallel, 64)
	case name == "rate":
		var n int
		if err := number(&n, 1_000_000); err != nil {
			return err
		}
		m.pace.every = time.Minute / time.Duration(n)
	case name == "timeout":
		d, err := time.ParseDuration(value)
		if err != nil || d < time.Second || d > time.Hour {
			return invalid("embedding.timeout_not_a_time", value)
		}
		m.timeout = d
	case name == "key":
		return m.setKey(value, getenv)
	default:
		return invalid("embedding.no_such_setting", name)
	}
	return nil
}

func (m *httpModel) setKey(variable string, getenv func(string) string) error {
	if !keyVariable.MatchString(variable) {
		return invalid("embedding.key_must_name_variable")
	}
	if m.key = strings.TrimSpace(getenv(variable)); m.key == "" {
		return problem.New(Unavailable, "embedding.environment_variable_which_should_hold", variable).
			Or("embedding.set_where_code_intel_started").
			Or("embedding.builtin_needs_nothing")
	}
	return nil
}

func (m *httpModel) chooseAPI() error {
	switch path := strings.TrimRight(m.url.Path, "/"); {
	case m.api == openAI || m.api == ollama || m.api == tei:
	case m.api != "":
		return invalid("embedding.api_unknown", m.api)
	case strings.HasSuffix(path, "/embeddings"):
		m.api = openAI
	case strings.HasSuffix(path, "/api/embed"):
		m.api = ollama
	case strings.HasSuffix(path, "/embed"):
		m.api = tei
	default:
		return invalid("embedding.api_does_not_show", m.url)
	}
	if m.name == "" && m.api != tei {
		return invalid("embedding.model_is_missing")
	}
	return nil
}

func (m *httpModel) ID() string { return m.id }

func (m *httpModel) Dimension() int { return m.dimension }

func (m *httpModel) Close() error {
	m.client.CloseIdleConnections()
	return nil
}

// maxBatchBytes bounds the text of a request, and maxBatchNumbers what its answer holds.
const (
	maxBatchBytes   = 256 << 10
	maxBatchNumbers = 1 << 21
)

func (m *httpModel) Embed(ctx context.Context, role Role, texts []string) ([][]float32, error) {
	out, limited := make([][]float32, len(texts)), ctx
	if role == Query { // somebody waits: all attempts together take no longer than one
		var stop context.CancelFunc
		limited, stop = context.WithTimeout(ctx, m.timeout)
		defer stop()
	}
	group, each := errgroup.WithContext(limited)
	group.SetLimit(m.parallel)
	batch := min(m.batch, max(1, maxBatchNumbers/m.dimension))
	for from := 0; from < len(texts); {
		to, size := from, 0
		for to < len(texts) && to-from < batch && (to == from || size+len(texts[to]) <= maxBatchBytes) {
			size += len(texts[to])
			to++
		}
		ask := make([]string, to-from)
		for i, t := range texts[from:to] {
			ask[i] = m.prefix[role] + strings.ToValidUTF8(t, "\uFFFD")
		}
		into := out[from:to]
		group.Go(func() error { return m.fill(each, ask, into) })
		from = to
	}
	err := group.Wait()
	if limited.Err() != nil && ctx.Err() == nil {
		return nil, m.timeoutError()
	}
	if err != nil {
		return nil, fmt.Errorf("embedding: %w", err)
	}
	return out, nil
}

// fill puts the vectors of texts into out. Texts that some servers refuse, empty
// ones, get zeros.
func (m *httpModel) fill(ctx context.Context, texts []string, out [][]float32) error {
	var ask []string
	var at []int
	for i, t := range texts {
		out[i] = make([]float32, m.dimension)
		if strings.TrimSpace(t) != "" {
			ask, at = append(ask, t), append(at, i)
		}
	}
	if len(ask) == 0 {
		return ctx.Err()
	}
	vectors, err := m.request(ctx, ask)
	if err != nil {
		return err
	}
	for i, v := range vectors {
		if len(v) != m.dimension {
			return m.unavailable(fmt.Sprintf("a vector has %d numbers instead of %d", len(v), m.dimension))
		}
		if err := unit(v); err != nil {
			return m.unavailable(err.Error())
		}
		out[at[i]] = v
	}
	return nil
}

func (m *httpModel) unavailable(what string) *problem.Problem {
	return problem.New(Unavailable, "embedding.embedding_server_cannot_used", m.url, what).
		Or("embedding.look_whether_runs_model", strconv.Quote(m.name)).
		Or("embedding.builtin_needs_nothing")
}

// attempts is how often a request is made, and pauses how long the waits are:
// between half of firstPause·2ⁿ and all of it. A server that asks for a longer
// wait than maxPause is not waited for.
const (
	attempts   = 6
	firstPause = 500 * time.Millisecond
	maxPause   = time.Minute
)

// request asks for vectors until the server gives them. All attempts together wait for
// answers no longer than the timeout; pauses between them, which a server may ask for, do not
// count.
func (m *httpModel) request(ctx context.Context, texts []string) ([][]float32, error) {
	body, err := m.body(texts)
	if err != nil {
		return nil, err
	}
	var last string
	left := m.timeout
	for attempt := range attempts {
		if err := m.pace.waitTurn(ctx, m.now(), m.wait); err != nil {
			return nil, err
		}
		began := m.now()
		vectors, again, err := m.tryRequest(ctx, left, body, len(texts))
		if err == nil {
			return vectors, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if left -= m.now().Sub(began); left <= 0 {
			return nil, m.timeoutError()
		}
		if again == nil {
			return nil, err
		}
		last = err.Error()
		pause := firstPause << attempt
		pause = pause/2 + rand.N(pause/2)
		if again.after > 0 {
			pause = again.after
		}
		if pause > maxPause {
			return nil, m.unavailable(fmt.Sprintf("%s, and asks for a wait of %s", last, pause))
		}
		if m.log != nil {
			m.log.Info("embed: the server is asked again", "server", origin(m.url), "error", last, "pause", pause)
		}
		if attempt < attempts-1 {
			if err := m.wait(ctx, pause); err != nil {
				return nil, err
			}
		}
	}
	return nil, m.unavailable(fmt.Sprintf("%s, %d times", last, attempts))
}

// retry says that a request may be made again.
type retry struct{ after time.Duration } // 0: the server does not say when

// maxAnswer returns how many bytes the answer to n texts may have, and how many commas: what has
// more, such as lists without end, is not unfolded.
func (m *httpModel) maxAnswer(n int) (size int64, commas int) {
	numbers := n * cmp.Or(m.dimension, maxDimension)
	return int64(32*numbers + 64<<10), numbers + 64*n
}

// tryRequest makes one request, and waits for its answer at most as long as limit. Its second
// result is not nil where another one may fare better.
func (m *httpModel) tryRequest(ctx context.Context, limit time.Duration, body []byte, n int) ([][]float32,
	*retry, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, m.url.String(), bytes.NewReader(body))
	if err != nil {
		return nil, nil, fmt.Errorf("embedding: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "code-intel")
	if m.key != "" {
		req.Header.Set("Authorization", "Bearer "+m.key)
	}
	resp, err := m.client.Do(req)
	if err != nil {
		if ctx.Err() == context.DeadlineExceeded {
			return nil, &retry{}, m.lateError() // request sees that no time is left
		}
		return nil, &retry{}, errors.Unwrap(err) // what *url.Error wraps; it names the URL again
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(resp.Body, 300)) // as much as can be had
		err := fmt.Errorf("it answers %s %q", resp.Status, m.hide(text.OneLine(strings.ToValidUTF8(string(body), "?"))))
		if resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500 {
			return nil, &retry{m.retryAfter(resp.Header.Get("Retry-After"))}, err
		}
		return nil, nil, m.unavailable(err.Error())
	}
	size, commas := m.maxAnswer(n)
	data, err := io.ReadAll(io.LimitReader(resp.Body, size+1))
	if err != nil {
		return nil, &retry{}, fmt.Errorf("its answer breaks off: %w", err)
	}
	if int64(len(data)) > size || bytes.Count(data, []byte(",")) > commas {
		return nil, nil, m.unavailable("its answer is larger than what was asked for")
	}
	vectors, err := m.read(data, n)
	if err != nil {
		return nil, nil, m.unavailable(err.Error())
	}
	return vectors, nil, nil
}

// timeoutError says that the server has had its time.
func (m *httpModel) timeoutError() error {
	return m.unavailable(m.lateError().Error()).Or("embedding.let_it_take_longer")
}

func (m *httpModel) lateError() error { return fmt.Errorf("it does not answer within %s", m.timeout) }

// hide takes the key out of what a server said.
func (m *httpModel) hide(s string) string {
	if m.key == "" {
		return s
	}
	return strings.ReplaceAll(s, m.key, "…")
}

// retryAfter reads the header: seconds, or a time.
func (m *httpModel) retryAfter(header string) time.Duration {
	if n, err := strconv.Atoi(header); err == nil && n >= 0 {
		return time.Duration(min(n, 1<<20)) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, at.Sub(m.now()))
	}
	return 0
}

// body writes a request.
func (m *httpModel) body(texts []string) ([]byte, error) {
	var v any
	switch m.api {
	case tei:
		v = struct {
			Inputs    []string `json:"inputs"`
			Normalize bool     `json:"normalize"`
			Truncate  bool     `json:"truncate"`
		}{texts, true, true}
	case ollama:
		v = struct {
			Model    string   `json:"model"`
			Input    []string `json:"input"`
			Truncate bool     `json:"truncate"`
		}{m.name, texts, true}
	default:
		v = struct {
			Model    string   `json:"model"`
			Input    []string `json:"input"`
			Encoding string   `json:"encoding_format"`
		}{m.name, texts, "float"}
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("embedding: %w", err)
	}
	return b, nil
}

// read reads an answer: n vectors, in the order of the texts.
func (m *httpModel) read(data []byte, n int) ([][]float32, error) {
	var vectors [][]float32
	var err error
	switch m.api {
	case tei:
		err = json.Unmarshal(data, &vectors)
	case ollama:
		var f struct {
			Embeddings [][]float32 `json:"embeddings"`
		}
		err = json.Unmarshal(data, &f)
		vectors = f.Embeddings
	default:
		var f struct {
			Data []struct {
				Index     *int      `json:"index"`
				Embedding []float32 `json:"embedding"`
			} `json:"data"`
		}
		err = json.Unmarshal(data, &f)
		vectors = make([][]float32, len(f.Data))
		for i, d := range f.Data {
			if d.Index != nil {
				i = *d.Index
			}
			if i < 0 || i >= len(vectors) || vectors[i] != nil {
				return nil, fmt.Errorf("its answer has an index %d twice or out of range", i)
			}
			vectors[i] = d.Embedding
		}
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("its answer is not of the API %s: %w", m.api, err)
	case len(vectors) != n:
		return nil, fmt.Errorf("it gives %d vectors for %d texts", len(vectors), n)
	}
	return vectors, nil
}
