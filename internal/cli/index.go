package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"codeintel/internal/commitlog"
	"codeintel/internal/embedding/semantic"
	"codeintel/internal/index"
	"codeintel/internal/platform/memlimit"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/softdeadline"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/search"
	"codeintel/internal/text"
)

// code is an open project with its index.
type code struct {
	project *project.Project
	index   *index.Index
	search  *search.Engine
	history *commitlog.Reader
	meaning *semantic.Searcher // nil if the built-in model is asked alone
}

// open opens the project that dir is in. From then on the command speaks its
// language.
func (a *app) open(dir string) (*project.Project, error) {
	p, err := project.Open(dir)
	if err != nil {
		return nil, environment{err}
	}
	a.lang, a.opened = msg.Language(p.Config.Lang), p.Root
	return p, nil
}

// project opens the project that the command is about.
func (a *app) project() (*project.Project, error) { return a.open(a.dir()) }

// gcPercent is how much garbage a process that answers one question may make
// between collections, of what it holds: it ends before memory matters. A server
// may make as much until its first answer.
const gcPercent = 400

// withCode opens the project that dir is in, lets do work with it, and closes it. Work
// that an answer waits for is shown, as a bar.
func (a *app) withCode(cmd *cobra.Command, dir string, do func(*code) error) (err error) {
	defer memlimit.Garbage(gcPercent)()
	a.bar = newProgressBar(a.err, time.Now)
	defer a.bar.end()
	ctx := softdeadline.WithProgress(cmd.Context(), a.bar.show)
	cmd.SetContext(ctx)
	p, err := a.open(dir)
	if err != nil {
		return err
	}
	x, err := index.OpenForQuestion(ctx, p, a.log)
	if err != nil {
		return fmt.Errorf("open index: %w", err)
	}
	c := &code{project: p, index: x, search: search.New(p, x),
		history: commitlog.New(p.Root, x.Dir(), commitlog.Window), meaning: semantic.Open(p, x, os.Getenv, a.log)}
	if c.meaning != nil {
		c.search = c.search.WithMeaning(c.meaning.Ready())
	}
	defer func() { err = errors.Join(err, c.meaning.Close(), x.Close()) }()
	defer c.search.Close()
	return do(c)
}

func (a *app) index() *cobra.Command {
	force, watch := false, false
	cmd := &cobra.Command{
		Use:     "index [DIR]",
		Short:   "Build or update the index",
		Long:    "Build or update the index of a project: in .code-intel/index once it is set up, before\nthat in the user's cache folder. Only what changed is read again. Searching updates\nthe index too; run this to choose when to wait. With --watch it keeps the index up to date\nuntil it is interrupted, and prints a line to standard error for each update.",
		Example: "  code-intel index\n  code-intel index --force ~/src/project\n  code-intel index --watch",
		Args:    checkArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withCode(cmd, a.dir(args...), func(c *code) error {
				if err := a.sync(cmd.Context(), c, force); err != nil || !watch {
					return err
				}
				return a.watchIndex(cmd.Context(), c)
			})
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "read every file again")
	cmd.Flags().BoolVar(&watch, "watch", false, "keep running and update the index as files change")
	return a.withJSON(cmd)
}

func (a *app) sync(ctx context.Context, c *code, force bool) error {
	b := newProgressBar(a.err, time.Now)
	r, err := c.index.Sync(ctx, index.SyncOptions{Force: force, Progress: func(p index.Progress) {
		b.show(string(p.Stage), p.Done, p.Total, "files")
	}})
	b.end()
	if err != nil {
		return err
	}
	if err := a.embed(ctx, c); err != nil {
		return err
	}
	return a.print(&syncResult{Root: c.project.Root, Files: r.Files, Added: r.Added, Changed: r.Changed, Removed: r.Removed,
		Unchanged: r.Unchanged, Failed: r.Failed, Skipped: counts(r.Skipped), Bytes: r.Bytes, Generation: r.Generation, Seconds: r.Duration.Seconds()})
}

// embed brings the vectors of the embedding model up to date, if there is one.
func (a *app) embed(ctx context.Context, c *code) error {
	if c.meaning == nil {
		return nil
	}
	b := newProgressBar(a.err, time.Now)
	err := c.meaning.Sync(ctx, func(done, total int) { b.show("embed", done, total, "chunks") })
	b.end()
	return a.explainMissingModel(err)
}

// explainMissingModel says that the embedding model cannot be had and how it can, which is no
// error: searches go on without.
func (a *app) explainMissingModel(err error) error {
	p := problem.Of(err)
	if p == nil {
		return err
	}
	words := a.words(a.name)
	a.note("no embedding model: %s\n", words.Text(p.Message))
	for _, next := range words.Texts(p.Next) {
		a.note("  %s\n", next)
	}
	return nil
}

// watchIndex keeps the index up to date until ctx ends, which is how it is meant to
// end.
func (a *app) watchIndex(ctx context.Context, c *code) error {
	err := c.index.Follow(ctx, func(r index.SyncReport) {
		fmt.Fprintf(a.err, "%s  %s: %d added, %d changed, %d removed, in %.0f ms\n", time.Now().Format(time.TimeOnly),
			text.Counted(r.Files, "file", "s"), r.Added, r.Changed, r.Removed, float64(r.Duration.Microseconds())/1000)
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// syncResult is what an index run did.
type syncResult struct {
	Root       string         `json:"root"`
	Files      int            `json:"files"`
	Added      int            `json:"added"`
	Changed    int            `json:"changed"`
	Removed    int            `json:"removed"`
	Unchanged  int            `json:"unchanged"`
	Failed     int            `json:"failed"`
	Skipped    map[string]int `json:"skipped"`
	Bytes      int64          `json:"bytes_read"`
	Generation int64          `json:"generation"`
	Seconds    float64        `json:"seconds"`
}

// Text says it in at most two lines.
func (s *syncResult) Text() string {
	t := fmt.Sprintf("%s indexed in %.1f s: %d added, %d changed, %d removed, %d unchanged",
		text.Counted(s.Files, "file", "s"), s.Seconds, s.Added, s.Changed, s.Removed, s.Unchanged)
	if s.Failed > 0 {
		t += fmt.Sprintf(", %d could not be read", s.Failed)
	}
	if list := tallyText(s.Skipped); list != "" {
		t += "\nnot indexed: " + list
	}
	return t
}
