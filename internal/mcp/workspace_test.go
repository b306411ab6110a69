package mcp

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestPauses checks when memory is given back against when somebody asks.
func TestPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, end := context.WithCancel(t.Context())
		asked := make(chan struct{}, 1)
		var idle, rest atomic.Int32
		go watchIdle(ctx, asked, func() { idle.Add(1) }, func() { rest.Add(1) })
		wait := func(d time.Duration, wantIdle, wantRest int32) {
			t.Helper()
			time.Sleep(d) // of the bubble: no time passes
			synctest.Wait()
			if idle.Load() != wantIdle || rest.Load() != wantRest {
				t.Fatalf("idle %d times, rest %d times, want %d and %d", idle.Load(), rest.Load(), wantIdle, wantRest)
			}
		}
		wait(idlePeriod-1, 0, 0)
		asked <- struct{}{}
		wait(idlePeriod-1, 0, 0)
		wait(1, 1, 0)
		wait(restPeriod-1, 1, 0)
		asked <- struct{}{}
		wait(idlePeriod, 2, 0)
		wait(restPeriod, 2, 1)
		wait(100*restPeriod, 2, 1)
		asked <- struct{}{}
		wait(idlePeriod+restPeriod, 3, 2)
		end()
	})
}

// TestSyncOnStart checks what a start does against sync_on_start and
// sync_ttl_hours of the configuration.
func TestSyncOnStart(t *testing.T) {
	for _, tt := range []struct {
		name, config string
		first, again bool // whether a start synchronises
	}{
		{"within its time to live an index stays", `{"sync_on_start": true, "sync_ttl_hours": 1}`, true, false},
		{"beyond it it does not", `{"sync_on_start": true, "sync_ttl_hours": 0}`, true, true},
		{"not asked for", `{"sync_on_start": false}`, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			for name, text := range map[string]string{".code-intel/config.json": tt.config, "a.py": "def f():\n    return 1\n"} {
				file := filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			log := slog.New(slog.DiscardHandler)
			w := newWorkspace(&Options{Root: root, Log: log})
			t.Cleanup(func() { w.close() })
			h, err := openHandlers(t.Context(), root, log)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { h.close() })
			start := func() (synced bool) {
				before, err := h.index.Stats(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				if err := w.syncOnStart(t.Context(), h); err != nil {
					t.Fatal(err)
				}
				after, err := h.index.Stats(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				return after.SyncedAt.After(before.SyncedAt)
			}
			if got := start(); got != tt.first {
				t.Errorf("the first start synchronised: %v", got)
			}
			if got := start(); got != tt.again {
				t.Errorf("the second start synchronised: %v", got)
			}
		})
	}
}

// TestMendedMeanwhile asks while the project is opened from settings that were read before
// they were mended.
func TestMendedMeanwhile(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "main.go"), []byte("package main\n"))
	w := newWorkspace(&Options{Root: root, Log: slog.New(slog.DiscardHandler)})
	defer func() {
		if err := w.close(); err != nil {
			t.Error(err)
		}
	}()
	before := &openAttempt{done: make(chan struct{}), err: errors.New("the old settings are wrong")}
	w.opening = before
	asked := make(chan error)
	go func() {
		_, err := w.open(t.Context())
		asked <- err
	}()
	<-w.asked
	w.mu.Lock()
	w.opening = nil
	w.mu.Unlock()
	close(before.done)
	if err := <-asked; err != nil {
		t.Errorf("refused by what stood there before the question: %v", err)
	}
}

// TestBegun holds when a start is over: after the first answer, or when nobody asks.
func TestBegun(t *testing.T) {
	begun := make(chan int, 9)
	start := func() *Server {
		s, err := New(Options{Root: t.TempDir(), Log: slog.New(slog.DiscardHandler), Begun: func() { begun <- 1 }})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := start()
	for range 2 {
		callRaw(t, s, "search_files", []byte(`{"query": "a"}`))
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if len(begun) != 1 {
		t.Errorf("told %d times after two answers, want once", len(begun))
	}
	<-begun
	s = start()
	defer s.Close()
	<-begun // ends once nobody has asked for idlePeriod
}
