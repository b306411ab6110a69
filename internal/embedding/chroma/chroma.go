// Package chroma implements [vectorstore.Store] with a Chroma server, over version 2 of its HTTP interface:
// for indexes that are larger than one machine or shared by a team.
//
// It talks only to the server that it is given, follows no redirects, and sends nothing
// over a connection that others could read. A server on another machine must have been
// named by the user, not only by a file that came with a repository. A server that does
// not answer is a Problem that names the ways out; no call waits longer than the timeouts.
// Nearest neighbours are approximate, as Chroma's are.
//
// A collection belongs to one model. If the server already has a collection of that name
// for another model, it is left alone, and ours carries the model in its name. One database
// holds one repository, for everyone who works on it.
package chroma

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"sync"

	"codeintel/internal/embedding/vectorstore"
)

// Store is a collection of a Chroma server.
type Store struct {
	*client
	c        vectorstore.Collection
	database string // path of the database on the server
	batch    int    // items a request
	page     int    // IDs a request

	mu     sync.Mutex
	id     string // of the collection on the server
	closed bool
}

var _ vectorstore.Store = (*Store)(nil)

const (
	largestBatch = 500  // a few megabytes of JSON
	largestPage  = 5000 // of IDs alone

	maxItems = 1 << 22 // in a collection: a server that lies has pages without end
)

// Open opens the collection c of the server and makes it, and the database, if
// they are not there.
func Open(ctx context.Context, o Options, c vectorstore.Collection) (*Store, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	client, err := newClient(o)
	if err != nil {
		return nil, err
	}
	s := &Store{client: client, c: c, batch: largestBatch, page: largestPage,
		database: "/api/v2/tenants/" + url.PathEscape(o.Tenant) + "/databases/" + url.PathEscape(o.Database)}
	if o.Batch > 0 {
		s.batch, s.page = o.Batch, o.Batch
	}
	if err := s.makeDatabase(ctx, o); err != nil {
		return nil, err
	}
	var limits struct {
		MaxBatchSize int `json:"max_batch_size"`
	}
	if err := s.call(ctx, http.MethodGet, "/api/v2/pre-flight-checks", nil, &limits, 0); err != nil {
		return nil, err
	}
	if limits.MaxBatchSize > 0 {
		s.batch = min(s.batch, limits.MaxBatchSize)
	}
	if s.id, err = s.makeCollection(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Store) makeDatabase(ctx context.Context, o Options) error {
	err := s.call(ctx, http.MethodGet, s.database, nil, nil, 0)
	if !isStatus(err, http.StatusNotFound) {
		return err
	}
	if o.Tenant != defaultTenant {
		err = s.call(ctx, http.MethodPost, "/api/v2/tenants", map[string]string{"name": o.Tenant}, nil, 0)
		if err != nil && !isStatus(err, http.StatusConflict) {
			return err
		}
	}
	err = s.call(ctx, http.MethodPost, "/api/v2/tenants/"+url.PathEscape(o.Tenant)+"/databases",
		map[string]string{"name": o.Database}, nil, 0)
	if isStatus(err, http.StatusConflict) { // somebody was faster
		return nil
	}
	return err
}

// A description is a collection as the server knows it.
type description struct {
	ID       string `json:"id"`
	Metadata struct {
		Model     string `json:"model"`
		Dimension int    `json:"dimension"`
	} `json:"metadata"`
	Configuration struct {
		HNSW struct {
			Space string `json:"space"`
		} `json:"hnsw"`
	} `json:"configuration_json"`
}

// makeCollection finds our collection or makes it: the name itself belongs to the
// model that came first.
func (s *Store) makeCollection(ctx context.Context) (id string, err error) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d", s.c.Model, s.c.Dimension))
	for _, name := range []string{s.c.Name, s.c.Name + "-" + hex.EncodeToString(sum[:6])} {
		var d description
		err := s.call(ctx, http.MethodPost, s.database+"/collections", map[string]any{
			"name":          name,
			"get_or_create": true,
			"metadata":      map[string]any{"model": s.c.Model, "dimension": s.c.Dimension},
			"configuration": map[string]any{"hnsw": map[string]any{"space": "cosine"}},
		}, &d, 0)
		if err != nil {
			return "", err
		}
		if d.ID != "" && d.Metadata.Model == s.c.Model && d.Metadata.Dimension == s.c.Dimension &&
			d.Configuration.HNSW.Space == "cosine" {
			return d.ID, nil
		}
	}
	return "", s.conflict()
}

// Shared says that others may have put in what the caller does not know.
func (s *Store) Shared() bool { return true }

// in calls a method of the collection. Where it was deleted and made anew
// meanwhile, by whoever, the new one is called.
func (s *Store) in(ctx context.Context, method, name string, body, answer any, items int) error {
	s.mu.Lock()
	id, closed := s.id, s.closed
	s.mu.Unlock()
	if closed {
		return errors.New("chroma: closed")
	}
	err := s.call(ctx, method, s.database+"/collections/"+url.PathEscape(id)+"/"+name, body, answer, items)
	if !isStatus(err, http.StatusNotFound) {
		return err
	}
	now, err := s.makeCollection(ctx)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.id = now
	s.mu.Unlock()
	return s.call(ctx, method, s.database+"/collections/"+url.PathEscape(now)+"/"+name, body, answer, items)
}

// Upsert puts items in. Where it fails in the middle, the first of them are in.
func (s *Store) Upsert(ctx context.Context, items []vectorstore.Item) error {
	items, err := s.c.Prepare(items)
	if err != nil {
		return err
	}
	for some := range slices.Chunk(items, s.batch) {
		var body struct {
			IDs        []string            `json:"ids"`
			Embeddings [][]float32         `json:"embeddings"`
			Metadatas  []map[string]string `json:"metadatas"`
			Documents  []*string           `json:"documents"`
		}
		for _, it := range some {
			meta, document := it.Meta, &it.Document
			if len(meta) == 0 {
				meta = nil // Chroma refuses an empty one
			}
			if it.Document == "" {
				document = nil
			}
			body.IDs, body.Embeddings = append(body.IDs, it.ID), append(body.Embeddings, it.Vector)
			body.Metadatas, body.Documents = append(body.Metadatas, meta), append(body.Documents, document)
		}
		if err := s.in(ctx, http.MethodPost, "upsert", body, nil, 0); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Delete takes items out.
func (s *Store) Delete(ctx context.Context, ids []string) error {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	for some := range slices.Chunk(ids, s.batch) {
		if err := s.in(ctx, http.MethodPost, "delete", map[string]any{"ids": some}, nil, 0); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// IDs yields the ID of every item. Of what others put in or take out meanwhile it
// may miss some.
func (s *Store) IDs(ctx context.Context) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for offset := 0; ; offset += s.page {
			var l struct {
				IDs []string `json:"ids"`
			}
			err := s.in(ctx, http.MethodPost, "get", map[string]any{"limit": s.page, "offset": offset, "include": []string{}}, &l, s.page)
			if err != nil {
				yield("", err)
				return
			}
			for _, id := range l.IDs {
				if !yield(id, nil) {
					return
				}
			}
			if len(l.IDs) < s.page {
				return
			}
			if offset > maxItems {
				yield("", fmt.Errorf("chroma: more than %d items", maxItems))
				return
			}
		}
	}
}

// Count returns how many items there are.
func (s *Store) Count(ctx context.Context) (n int, err error) {
	err = s.in(ctx, http.MethodGet, "count", nil, &n, 0)
	return n, err
}

// Query returns the k items nearest to vector, as far as Chroma finds them.
func (s *Store) Query(ctx context.Context, vector []float32, k int) ([]vectorstore.Hit, error) {
	unit, err := s.c.Unit(vector)
	if err != nil || k <= 0 || !slices.ContainsFunc(unit, func(x float32) bool { return x != 0 }) {
		return nil, err
	}
	body := map[string]any{"query_embeddings": [][]float32{unit}, "n_results": k, "include": []string{"distances", "metadatas"}}
	var a struct {
		IDs       [][]string         `json:"ids"`
		Distances [][]*float64       `json:"distances"`
		Metadatas [][]map[string]any `json:"metadatas"`
	}
	if err := s.in(ctx, http.MethodPost, "query", body, &a, k); err != nil {
		return nil, err
	}
	if len(a.IDs) != 1 || len(a.Distances) != 1 || len(a.Metadatas) != 1 ||
		len(a.IDs[0]) != len(a.Distances[0]) || len(a.IDs[0]) != len(a.Metadatas[0]) {
		return nil, errors.New("chroma: query: lists of different length")
	}
	var hits []vectorstore.Hit
	for i, id := range a.IDs[0] {
		h := vectorstore.Hit{ID: id, Meta: make(map[string]string)}
		if d := a.Distances[0][i]; d != nil {
			h.Score = min(max(1-*d, -1), 1)
		}
		for key, value := range a.Metadatas[0][i] {
			if text, ok := value.(string); ok {
				h.Meta[key] = text
			}
		}
		hits = append(hits, h)
	}
	slices.SortStableFunc(hits, func(a, b vectorstore.Hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID)) })
	return hits, nil
}

// Close ends the use of the store. What it put in stays.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.http.CloseIdleConnections()
	return nil
}
