package mcpserver

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
)

// TestSyncOnStart holds what a start does against sync_on_start and
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
			w := newWorkspace(root, log)
			t.Cleanup(func() { w.close() })
			h, err := openHouse(t.Context(), root, log)
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
