package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
)

// hub asks a hub (Hugging Face's API, or a mirror of it) which revision is the
// newest, and what its files hash to.
func (r *Request) hub(ctx context.Context, m Model) (*source, error) {
	if !strings.Contains(m.Repository, "/") {
		return nil, problem.New(Unknown, "embedding.no_model", r.Name).Or("embedding.name_one_code_intel_model")
	}
	h := hub{base: strings.TrimRight(r.From, "/"), repository: m.Repository, client: r.Client}
	if u, err := url.Parse(h.base); err != nil || u.Host == "" || u.Scheme == "http" && !loopback(u.Hostname()) {
		return nil, problem.New(Unreachable, "embedding.no_address_fetch_programs_data", r.From).
			Or("embedding.give_address_begins_https")
	}
	if h.client == nil {
		h.client = &http.Client{Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			ResponseHeaderTimeout: time.Minute,
			TLSHandshakeTimeout:   20 * time.Second,
			DialContext:           (&net.Dialer{Timeout: 20 * time.Second}).DialContext,
		}}
	}
	var newest struct {
		SHA string `json:"sha"`
	}
	if err := h.json(ctx, "/api/models/"+h.repository+"/revision/main", &newest); err != nil {
		return nil, err
	}
	if !isHex(newest.SHA) {
		return nil, h.unreachable("it names no revision")
	}
	h.revision = newest.SHA
	all, err := h.tree(ctx)
	if err != nil {
		return nil, err
	}
	files, err := choose(h.base+"/"+h.repository, all)
	if err != nil {
		return nil, err
	}
	return &source{name: h.base + "/" + h.repository, revision: h.revision, files: files, resumes: true, copy: h.copy}, nil
}

// loopback says whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func isHex(s string) bool {
	return len(s) >= 7 && len(s) <= 64 && strings.Trim(s, "0123456789abcdef") == ""
}

type hub struct {
	base, repository, revision string
	client                     *http.Client
}

func (h *hub) unreachable(what string) error {
	return problem.New(Unreachable, "embedding.cannot_had_from", h.repository, h.base, what).
		Or("embedding.look_whether_address_answers").
		Or("embedding.download_model_by_other_means", op.PullFrom)
}

// maxAnswer is how long an answer about a repository may be.
const maxAnswer = 8 << 20

func (h *hub) get(ctx context.Context, path string, from int64) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.base+path, nil)
	if err != nil {
		return nil, fmt.Errorf("models: %w", err)
	}
	req.Header.Set("User-Agent", "code-intel")
	if from > 0 {
		req.Header.Set("Range", "bytes="+strconv.FormatInt(from, 10)+"-")
	}
	resp, err := h.client.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, fmt.Errorf("models: %w", ctx.Err())
		}
		return nil, h.unreachable(errors.Unwrap(err).Error())
	}
	return resp, nil
}

func (h *hub) json(ctx context.Context, path string, into any) error {
	resp, err := h.get(ctx, path, 0)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		return problem.New(Unknown, "embedding.no_model_everybody_may_read", h.base, h.repository, resp.Status).
			Or("embedding.name_one_of_model_list")
	default:
		return h.unreachable("it answers " + resp.Status)
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(into); err != nil {
		return h.unreachable("its answer cannot be read: " + err.Error())
	}
	return nil
}

// tree returns the files of the revision. Large files are stated by the SHA-256
// of their content, the others by the hash of their git blob.
func (h *hub) tree(ctx context.Context) ([]File, error) {
	var rows []struct {
		Type string `json:"type"`
		OID  string `json:"oid"`
		Path string `json:"path"`
		Size int64  `json:"size"`
		LFS  *struct {
			OID  string `json:"oid"`
			Size int64  `json:"size"`
		} `json:"lfs"`
	}
	if err := h.json(ctx, "/api/models/"+h.repository+"/tree/"+h.revision+"?recursive=true", &rows); err != nil {
		return nil, err
	}
	var all []File
	for _, row := range rows {
		if row.Type != "file" || row.Size < 0 {
			continue
		}
		f := File{Path: row.Path, Size: row.Size, Stated: "git:" + row.OID}
		if row.LFS != nil {
			f.Size, f.Stated = row.LFS.Size, "sha256:"+strings.TrimPrefix(row.LFS.OID, "sha256:")
		}
		all = append(all, f)
	}
	return all, nil
}

// maxBreaks is how often a download is gone on with after it broke off.
const maxBreaks = 8

// copy downloads a file into to, and goes on with what is there.
func (h *hub) copy(ctx context.Context, f File, to string, progress func(string, int64, int64)) error {
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("models: %w", err)
	}
	at, err := out.Seek(0, io.SeekEnd)
	for breaks := 0; err == nil && at < f.Size; breaks++ {
		var n int64
		n, err = h.downloadFrom(ctx, f, out, at, progress)
		if at += n; errors.Is(err, errBroken) && breaks < maxBreaks {
			err = nil
		}
	}
	if errors.Is(err, errBroken) {
		err = h.unreachable(f.Path + " breaks off again and again")
	}
	if closing := errors.Join(out.Sync(), out.Close()); err == nil && closing != nil {
		err = fmt.Errorf("models: %w", closing)
	}
	return err
}

var errBroken = errors.New("the download broke off")

// downloadFrom downloads from at on until the file ends or the connection does. A
// server that cannot begin there begins again, and so does the file.
func (h *hub) downloadFrom(ctx context.Context, f File, out *os.File, at int64,
	progress func(string, int64, int64)) (int64, error) {
	resp, err := h.get(ctx, "/"+h.repository+"/resolve/"+h.revision+"/"+f.Path, at)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	start := at
	switch {
	case resp.StatusCode == http.StatusPartialContent && strings.HasPrefix(resp.Header.Get("Content-Range"),
		fmt.Sprintf("bytes %d-", at)):
	case resp.StatusCode == http.StatusOK || resp.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		if err := out.Truncate(0); err != nil {
			return 0, fmt.Errorf("models: %w", err)
		}
		start = 0
		if resp.StatusCode != http.StatusOK {
			_, err := out.Seek(0, io.SeekStart)
			return -at, errors.Join(err, errBroken)
		}
	case resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests:
		return 0, errBroken
	default:
		return 0, h.unreachable("it answers " + resp.Status + " for " + f.Path)
	}
	if _, err := out.Seek(start, io.SeekStart); err != nil {
		return 0, fmt.Errorf("models: %w", err)
	}
	n, err := io.Copy(out, &reporting{io.LimitReader(resp.Body, f.Size-start+1),
		func(n int64) { progress(f.Path, start+n, f.Size) }, 0})
	switch {
	case ctx.Err() != nil:
		return start + n - at, fmt.Errorf("models: %w", ctx.Err())
	case err != nil && !isWriting(err):
		return start + n - at, errBroken
	case err != nil:
		return start + n - at, fmt.Errorf("models: %w", err)
	case start+n < f.Size:
		return start + n - at, errBroken
	}
	return start + n - at, nil
}

// isWriting says whether an error of a copy is the disk's.
func isWriting(err error) bool {
	var p *os.PathError
	return errors.As(err, &p)
}

// reporting reports what passes through it.
type reporting struct {
	io.Reader
	report func(n int64)
	n      int64
}

func (r *reporting) Read(b []byte) (int, error) {
	n, err := r.Reader.Read(b)
	r.n += int64(n)
	r.report(r.n)
	return n, err
}
