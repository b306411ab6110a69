package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"codeintel/internal/embedding/hub"
	"codeintel/internal/problem"
	"codeintel/internal/text"
)

func (a *app) model() *cobra.Command {
	return a.group(&cobra.Command{
		Use:   "model",
		Short: "Download and list embedding models",
		Long: strings.TrimSpace(`
An embedding model can make semantic search better than the built-in one. Models are
downloaded only by this command, to a folder that all your projects share. A project
uses the model that embedding_model in .code-intel/config.json names.`),
	}, a.modelPull(), a.modelList())
}

func (a *app) modelPull() *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use:   "pull NAME",
		Short: "Download and verify a model",
		Long: strings.TrimSpace(`
Download a model by a name from "code-intel model list", or any model on the hub as
owner/name. Every file is checked against the hash that the hub states. An interrupted
download continues where it stopped; files that are already there are not downloaded again.`),
		Example: "  code-intel model pull multilingual-e5-small\n  code-intel model pull my-model --from ./model\n  code-intel model pull my-model --from model.tgz",
		Args:    checkArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.pull(cmd.Context(), args[0], from)
		},
	}
	cmd.Flags().StringVar(&from, "from", hub.Hub, "download from this `source`: the URL of a hub, a folder, or a .tgz")
	return a.withJSON(cmd)
}

// modelsDir is the folder of models.
func modelsDir() (string, error) {
	dir := hub.Dir(os.Getenv)
	if dir == "" {
		return "", environment{problem.New(problem.NotFound, "cli.no_folder_models_neither_xdg").
			Or("cli.set_home_xdg_data_home")}
	}
	return dir, nil
}

func (a *app) pull(ctx context.Context, name, from string) error {
	dir, err := modelsDir()
	if err != nil {
		return err
	}
	b := newProgressBar(a.err, time.Now)
	const mega = 1 << 20
	lock, err := hub.Pull(ctx, hub.Request{
		Name: name, From: from, Dir: dir, Now: time.Now(), Log: a.log,
		Progress: func(file string, done, of int64) { b.show(file, int(done/mega), int(of/mega), "MB") },
	})
	b.end()
	if p := problem.Of(err); p != nil && p.Code == hub.Unreachable {
		return environment{p}
	}
	if err != nil {
		return err
	}
	return a.print(&pulledModel{Lock: lock, Folder: hub.Path(dir, lock.Name)})
}

// pulledModel is a model that is there now.
type pulledModel struct {
	hub.Lock
	Folder string `json:"folder"`
}

func (p *pulledModel) Text() string {
	var bytes int64
	for _, f := range p.Files {
		bytes += f.Size
	}
	revision := ""
	if p.Revision != "" {
		revision = " at revision " + p.Revision[:min(12, len(p.Revision))]
	}
	return fmt.Sprintf("%s%s: %s, %.1f MB, in %s\nTo use it, set embedding_model to %q in .code-intel/config.json.",
		p.Source, revision, text.Counted(len(p.Files), "file", "s"), float64(bytes)/1e6, p.Folder, p.Name)
}

func (a *app) modelList() *cobra.Command {
	verify := false
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List installed models, and those that can be downloaded by a short name",
		Example: "  code-intel model list\n  code-intel model list --verify --json",
		Args:    checkArguments,
		RunE: func(*cobra.Command, []string) error {
			depth := hub.Sizes
			if verify {
				depth = hub.Hashes
			}
			dir, err := modelsDir()
			if err != nil {
				return err
			}
			list, err := hub.List(dir, depth)
			if err != nil {
				return err
			}
			if err := a.print(&modelListing{Folder: dir, Models: list}); err != nil {
				return err
			}
			for _, m := range list {
				if m.Status == hub.Broken {
					return errNo
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&verify, "verify", false, "read every file and check its hash")
	return a.withJSON(cmd)
}

// modelListing is the models that are there, and those that could be.
type modelListing struct {
	Folder string      `json:"folder"`
	Models []hub.Entry `json:"models"`
}

func (l *modelListing) Text() string {
	var b strings.Builder
	w := columns(&b)
	fmt.Fprintf(w, "builtin\tbuilt in\t\tships in the program; nothing to fetch\n")
	for _, m := range l.Models {
		size, note := fmt.Sprintf("%d MB", m.MB), m.Note
		if m.Bytes > 0 {
			size = fmt.Sprintf("%.0f MB", float64(m.Bytes)/1e6)
		}
		if m.Fault != "" {
			note = m.Fault + "; pull it again"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", m.Name, m.Status, size, note)
	}
	_ = w.Flush() // a strings.Builder takes everything
	return b.String() + "The folder of models is " + l.Folder + "."
}
