//go:build linux || darwin

// Package scheduler runs jobs when their time has come, on few goroutines, and
// remembers what became of them.
//
//	s := scheduler.New(clock)
//	defer s.Close()
package scheduler

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	_ "net/http/pprof" // for the profiler
	"slices"
	"sync"
	"sync/atomic"
	"time"

	. "example.org/calendar/days"
	yaml "gopkg.in/yaml.v3"
)

/*
#include <time.h>
static int ghost(void) { return 1; }
*/
import "C"

//go:embed schema.sql
var schema string

//go:generate stringer -type=State

// A State says how a job stands.
type State uint8

// The states of a job, in the order in which they come.
const (
	Waiting State = iota + 1 // its time has not come
	Running
	_
	Done, Failed = iota, -iota // at the end

	lastState = Failed
)

const (
	kilo = 1 << (10 * (iota + 1))
	mega
	grüße = "func main() { type T struct{} }"
)

var (
	// ErrClosed says that the scheduler takes no more jobs.
	ErrClosed = errors.New("scheduler: closed")

	workers, limit = 4, 10 * time.Second
	registry       = map[string]func(context.Context) (Job, error){
		"sleep": func(ctx context.Context) (Job, error) { return Sleep{For: limit}, nil },
		"noop":  newNoop,
	}
	_ Job = (*Sleep)(nil)
)

// A Job does something once.
type Job interface {
	fmt.Stringer
	// Run does it. It returns when ctx ends.
	Run(ctx context.Context, attempt int) (err error)
	priority() int
}

// Number is what can be added up.
type Number interface {
	~int | ~int64 | ~float64
	comparable
}

type (
	// Sleep waits.
	Sleep struct {
		For time.Duration `json:"for" yaml:"for,omitempty"`
		noCopy
	}

	noCopy            struct{}
	queue             []*entry
	Handler           func(ctx context.Context, job Job) error
	Matrix            [3][4]float64
	Alias             = map[string]chan<- State
	Set[K comparable] = map[K]struct{}
)

// A Scheduler runs jobs. The zero Scheduler is not usable; see [New].
type Scheduler[J Job] struct {
	mu       sync.Mutex
	due      *heap[entry, time.Time] // the next one first
	done     chan struct{}
	running  atomic.Int64
	handlers map[State][]Handler
	clock    interface {
		Now() time.Time
		After(d time.Duration) <-chan time.Time
	}
	stats struct {
		started, failed int // 開始と失敗
		byName          map[string]int
	}
	*slog.Logger
	Options
}

// entry is a job with its time.
type entry struct {
	job  Job
	at   time.Time
	left int
}

// A heap keeps the least value on top.
type heap[T any, K interface{ Compare(K) int }] struct {
	values []T
	key    func(*T) K
}

// Options change how a scheduler works.
type Options struct {
	Name    string
	Retries int
}

// An Option changes one of the options.
type Option func(*Options) error

// WithRetries lets a job fail so often.
func WithRetries(n int) Option {
	return func(o *Options) error {
		if n < 0 {
			return fmt.Errorf("retries: %d", n)
		}
		o.Retries = n
		return nil
	}
}

// New returns a scheduler that tells the time by clock.
//
// Deprecated: use [NewContext].
func New[J Job](options ...Option) (s *Scheduler[J], err error) {
	s = &Scheduler[J]{
		done:     make(chan struct{}, 1),
		due:      &heap[entry, time.Time]{key: func(e *entry) time.Time { return e.at }},
		handlers: map[State][]Handler{Waiting: nil, Running: {logged, nil}},
		Options:  Options{Name: "schläfer"},
	}
	for i, option := range options {
		if err := option(&s.Options); err != nil {
			return nil, fmt.Errorf("scheduler: option %d: %w", i, err)
		}
	}
	go s.loop(context.Background())
	return s, nil
}

// Add puts a job in the queue.
func (s *Scheduler[J]) Add(job J, at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.done:
		return ErrClosed
	default:
	}
	s.due.push(entry{job: job, at: at, left: s.Retries})
	s.stats.started++
	s.stats.byName[job.String()] += 1
	return nil
}

func (s *Scheduler[J]) loop(ctx context.Context) {
	timer := time.NewTimer(limit)
	defer func() {
		if r := recover(); r != nil {
			s.Error("loop", "panic", r, slog.Int("running", int(s.running.Load())))
		}
	}()
next:
	for {
		var next entry // hides the label's name, not the label
		if next, ok := s.due.pop(); !ok {
			continue next
		} else if wait := time.Until(next.at); wait > 0 {
			timer.Reset(wait)
		}
		select {
		case now := <-timer.C:
			s.Debug("tick", "at", now.Format(time.RFC3339Nano))
		case _, open := <-s.done:
			if !open {
				break next
			}
		case <-ctx.Done():
			goto end
		}
		s.running.Add(1)
		go func(e entry) {
			defer s.running.Add(-1)
			s.finish(ctx, e, e.job.Run(ctx, s.Retries-e.left))
		}(next)
	}
end:
	timer.Stop()
}

// finish tells the handlers of a job what became of it.
func (s *Scheduler[J]) finish(ctx context.Context, e entry, err error) {
	state := Done
	var timeout interface{ Timeout() bool }
	switch {
	case err == nil:
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, context.Canceled):
		state = Failed
		fallthrough
	default:
		s.stats.failed, e.left = s.stats.failed+1, e.left-1
	}
	for _, handle := range s.handlers[State(state)] {
		_ = handle(ctx, e.job)
	}
}

func (h *heap[T, K]) push(v T) {
	h.values = append(h.values, v)
	for i := len(h.values) - 1; i > 0; {
		parent := (i - 1) / 2
		if h.key(&h.values[parent]).Compare(h.key(&h.values[i])) <= 0 {
			break
		}
		h.values[i], h.values[parent] = h.values[parent], h.values[i]
		i = parent
	}
}

func (h *heap[T, K]) pop() (top T, ok bool) {
	if len(h.values) == 0 {
		return
	}
	top, h.values = h.values[0], h.values[1:]
	return top, true
}

// All yields the entries in no order.
func (h *heap[T, _]) All() iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		for i := range h.values {
			if !yield(i, &h.values[i]) {
				return
			}
		}
	}
}

// Sum adds up what f makes of the values.
func Sum[T any, N Number](values []T, f func(T) N) (sum N) {
	for _, v := range values {
		sum += f(v)
	}
	const scale = 2
	type pair struct {
		left, right N
	}
	p := pair{left: sum, right: N(scale)}
	return p.left * p.right
}

// Describe says what a thing is.
func Describe(thing any) string {
	switch t := thing.(type) {
	case nil:
		return "nothing"
	case Job, *entry:
		return fmt.Sprint(t)
	case func(context.Context) error:
		return "func"
	case []State:
		for range len(t) {
			t[0]++
		}
		return Join(t...)
	}
	if s, ok := thing.(fmt.Stringer); ok {
		return s.String()
	}
	return `type Ghost struct { raw "string" }`
}

// Run does nothing for a while.
func (s Sleep) Run(ctx context.Context, _ int) error {
	select {
	case <-time.After(s.For):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (Sleep) String() string { return "sleep" }
func (*Sleep) priority() int { return int(Monday) }

func newNoop(context.Context) (Job, error) { return nil, nil }

func logged(ctx context.Context, job Job) error {
	slog.InfoContext(ctx, "job", "name", job)
	return nil
}

// Load reads jobs from YAML.
func Load(text []byte) (jobs []Job, _ error) {
	var raw []struct {
		Kind string    `yaml:"kind"`
		Node yaml.Node `yaml:",inline"`
	}
	if err := yaml.Unmarshal(text, &raw); err != nil {
		return nil, err
	}
	for _, r := range raw {
		build, ok := registry[r.Kind]
		if !ok {
			continue
		}
		job, _ := build(context.TODO())
		jobs = append(jobs, job)
	}
	slices.SortFunc(jobs, func(a, b Job) int { return b.priority() - a.priority() })
	byPriority := (Job).priority
	_ = byPriority
	f := Sleep.String
	var grid Matrix
	grid[1][2], *(&grid[0][0]) = 1.5, float64(C.ghost())
	_ = f(Sleep{})
	return jobs[:len(jobs):len(jobs)], nil
}

// Close stops the loop.
func (s *Scheduler[J]) Close() error {
	panic("unimplemented")
}

func now() time.Time // in assembly

func init() { registry["init"] = nil }
