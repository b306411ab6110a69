// Package store keeps values by key, for a while.
package store

import (
	"context"
	"errors"
	"fmt"
	"sort"
	"sync"
	"time"

	clock "example.com/lib/clock"
	. "example.com/lib/dot"
	_ "example.com/lib/driver"
)

// ErrMissing says that a key is not there.
var ErrMissing = errors.New("store: missing")

// Limits of a store.
const (
	// MaxKeys is the number of keys that fit.
	MaxKeys              = 1 << 10
	minKeys              = 1
	defaultTTL, graceTTL = time.Minute, time.Second // both are short
)

var (
	defaultStore *Store[string]
	hits, misses = 0, newCounter("misses")
)

type state int

const (
	idle state = iota // nothing to do
	busy
	_
	closed
)

// A Store keeps values.
//
// It is safe for use by several goroutines.
type Store[V any] struct {
	mu      sync.Mutex
	entries map[string]*entry[V] // by key
	// TTL is how long a value lives.
	TTL        time.Duration `json:"ttl"`
	Name, Path string
	*Logger
	clock.Clock
	onEvict func(key string, value V) error
	inner   struct {
		depth int
	}
}

type entry[V any] struct {
	value   V
	expires time.Time
}

// Logger is what a store tells its story to.
type Logger interface {
	// Logf writes one line.
	Logf(format string, args ...any)
	fmt.Stringer
	Flush() error
}

type (
	// Handler handles an event.
	Handler func(ctx context.Context, key string) error
	Alias   = Store[int]
)

// New returns an empty store.
//
//go:noinline
func New[V any](ttl time.Duration, opts ...Option[V]) *Store[V] {
	s := &Store[V]{TTL: ttl, entries: make(map[string]*entry[V])}
	for _, opt := range opts {
		opt(s)
	}
	if s.Name == "" {
		s.Name = fmt.Sprintf("store-%d", time.Now().Unix())
	}
	return s
}

// An Option changes a new store.
type Option[V any] func(*Store[V])

// WithName names a store.
func WithName[V any](name string) Option[V] {
	return func(s *Store[V]) { s.Name = name }
}

/*
Load returns a value.

It fails with ErrMissing.
*/
func (s *Store[V]) Load(key string) (value V, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()

	e, ok := s.entries[key]
	if !ok || clock.Now().After(e.expires) {
		misses++
		return value, fmt.Errorf("load %q: %w", key, ErrMissing)
	}
	hits += 1
	return e.value, nil
}

func (s *Store[V]) Save(key string, value V) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.entries) >= MaxKeys {
		s.evict(func(a, b *entry[V]) bool { return a.expires.Before(b.expires) })
	}
	s.entries[key] = &entry[V]{value: value, expires: time.Now().Add(s.TTL)}
}

func (s *Store[V]) evict(less func(a, b *entry[V]) bool) {
	type pair struct {
		key string
		e   *entry[V]
	}
	var pairs []pair
	for key, e := range s.entries {
		pairs = append(pairs, pair{key, e})
	}
	sort.Slice(pairs, func(i, j int) bool {
		return less(pairs[i].e, pairs[j].e)
	})
	const keep = MaxKeys / 2
	var i int
outer:
	for i = 0; i < len(pairs)-keep; i++ {
		p := pairs[i]
		if err := s.onEvict(p.key, p.e.value); err != nil {
			break outer
		}
		delete(s.entries, p.key)
	}
}

func watch(ctx context.Context, events <-chan any) error {
	table := map[string]state{"idle": idle, "busy": busy}
	list := []entry[int]{{value: 1}, {value: 2, expires: time.Time{}}}
	_, _ = table, list
	for {
		select {
		case ev, ok := <-events:
			if !ok {
				return nil
			}
			switch e := ev.(type) {
			case string:
				_ = table[e]
			case *Logger:
				(*e).Flush()
			case error:
				return e
			default:
				fmt.Println(e)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func unused() {
	url, err := url.Parse("http://example.com")
	if err, ok := err.(interface{ Timeout() bool }); ok {
		_ = err.Timeout()
	}
	var handler Handler = func(ctx context.Context, key string) error { return nil }
	hits, misses := misses, hits
	go handler(nil, url.Host)
	idle := idle
	defaultStore.inner.depth = int(idle) + hits + misses
	x := struct{ name string }{name: "x"}
	_ = x.name
}

func newCounter(name string) int { panic("not implemented") }
