package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"codeintel/internal/project"
	"codeintel/internal/session/savedsessions"
	"codeintel/internal/session/state"
	"codeintel/internal/text"
)

// status is what there is in a project.
type status struct {
	Root     string          `json:"root"`
	SetUp    bool            `json:"set_up"`
	Index    indexStatus     `json:"index"`
	Sessions []sessionStatus `json:"sessions"` // that have not ended, the oldest first
}

type sessionStatus struct {
	ID      string       `json:"session_id"`
	Phase   string       `json:"phase"`
	Intent  state.Intent `json:"intent"`
	Query   string       `json:"query"`
	Updated time.Time    `json:"updated"`
	Holder  string       `json:"open_in,omitempty"` // the process that leads it; empty: interrupted
}

type indexStatus struct {
	Files      int            `json:"files"`
	Symbols    int            `json:"symbols"`
	Chunks     int            `json:"chunks"`
	Languages  map[string]int `json:"languages"`
	Skipped    map[string]int `json:"skipped"`
	Partial    int            `json:"partial"`
	DiskBytes  int64          `json:"disk_bytes"`
	Generation int64          `json:"generation"`
	SyncedAt   *time.Time     `json:"synced_at,omitempty"`
	Location   string         `json:"location"` // its folder
}

func (a *app) state() *cobra.Command {
	return a.withJSON(&cobra.Command{
		Use:     "status",
		Short:   "Show the project and its index",
		Example: "  code-intel status\n  code-intel status --json",
		Args:    checkArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withCode(cmd, a.dir(), func(c *code) error {
				s, err := c.status(cmd.Context())
				if err != nil {
					return err
				}
				return a.print(s)
			})
		},
	})
}

func (c *code) status(ctx context.Context) (*status, error) {
	st, err := c.index.Stats(ctx)
	if err != nil {
		return nil, err
	}
	s := &status{Root: c.project.Root, SetUp: c.project.IsSetUp(), Index: indexStatus{
		Files: st.Files, Symbols: st.Symbols, Chunks: st.Chunks, Languages: counts(st.Languages), Skipped: counts(st.Skipped),
		Partial: st.Partial, DiskBytes: st.DiskBytes, Generation: st.Generation, Location: c.index.Dir(),
	}}
	if !st.SyncedAt.IsZero() {
		s.Index.SyncedAt = &st.SyncedAt
	}
	s.Sessions, err = openSessions(c.project)
	return s, err
}

// openSessions returns the sessions of a project that have not ended.
func openSessions(p *project.Project) ([]sessionStatus, error) {
	list := []sessionStatus{}
	all, err := savedsessions.List(p)
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		if r.Status == savedsessions.Live || r.Status == savedsessions.Interrupted {
			st := r.State
			list = append(list, sessionStatus{ID: st.ID, Phase: string(st.Phase), Intent: st.Intent,
				Query: st.Query, Updated: st.Updated, Holder: r.Holder})
		}
	}
	return list, nil
}

// Text says it in a few lines.
func (s *status) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "project  %s\n", s.Root)
	if !s.SetUp {
		fmt.Fprintln(&b, "setup    none: code-intel init creates it")
	}
	s.Index.write(&b)
	for _, open := range s.Sessions {
		where := "interrupted"
		if open.Holder != "" {
			where = "open in " + open.Holder
		}
		fmt.Fprintf(&b, "session  %s in %s, %s, %s\n         %s\n", open.ID, open.Phase, where,
			open.Updated.Local().Format(time.DateTime), open.Query)
	}
	return b.String()
}

func (s *indexStatus) write(b *strings.Builder) {
	defer fmt.Fprintf(b, "location %s\n", s.Location)
	if s.SyncedAt == nil {
		fmt.Fprintln(b, "index    none: code-intel index builds it")
		return
	}
	fmt.Fprintf(b, "index    %s, %s, %s, %.1f MB, generation %d, synchronised %s\n",
		text.Counted(s.Files, "file", "s"), text.Counted(s.Symbols, "symbol", "s"), text.Counted(s.Chunks, "chunk", "s"),
		float64(s.DiskBytes)/1e6, s.Generation, s.SyncedAt.Local().Format(time.DateTime))
	if list := tallyText(s.Languages); list != "" {
		fmt.Fprintf(b, "files    %s\n", list)
	}
	if s.Partial > 0 {
		fmt.Fprintf(b, "errors   %s read only in part\n", text.Counted(s.Partial, "file", "s"))
	}
	if list := tallyText(s.Skipped); list != "" {
		fmt.Fprintf(b, "left out %s\n", list)
	}
}

// counts gives a tally plain names.
func counts[K ~string](tally map[K]int) map[string]int {
	plain := make(map[string]int, len(tally))
	for k, n := range tally {
		plain[string(k)] = n
	}
	return plain
}

// tallyText writes a tally, the greatest first: "12 go, 3 css".
func tallyText(tally map[string]int) string {
	names := slices.SortedFunc(maps.Keys(tally), func(a, b string) int {
		if tally[a] != tally[b] {
			return tally[b] - tally[a]
		}
		return strings.Compare(a, b)
	})
	parts := make([]string, len(names))
	for i, n := range names {
		parts[i] = fmt.Sprintf("%d %s", tally[n], cmp.Or(n, "of no language known here"))
	}
	return strings.Join(parts, ", ")
}
