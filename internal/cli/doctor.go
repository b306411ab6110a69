package cli

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"time"

	"github.com/spf13/cobra"

	"codeintel/internal/clients/install"
	"codeintel/internal/clients/registry"
	"codeintel/internal/doctor"
	"codeintel/internal/embedding/semantic"
	"codeintel/internal/index"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
)

func (a *app) doctor() *cobra.Command {
	return a.withJSON(&cobra.Command{
		Use:     "doctor",
		Short:   "Diagnose the setup and suggest fixes",
		Example: "  code-intel doctor\n  code-intel doctor --json",
		Args:    checkArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r := doctor.Examine(cmd.Context(), a.dir(), exec.LookPath, a.installPlaces(), a.log)
			a.embedding(cmd.Context(), r)
			if err := a.print(r); err != nil {
				return err
			}
			if r.Worst() == doctor.Bad {
				return errNo
			}
			return nil
		},
	})
}

// modelTime is how long an embedding model may take to open before that is a finding.
const modelTime = 20 * time.Second

// embedding adds the checks of the embedding model that the project names. Without an index
// there is nothing to check, and none is made.
func (a *app) embedding(ctx context.Context, r *doctor.Report) {
	p, err := a.project()
	if err != nil {
		return // the doctor has said so
	}
	if dir, err := p.IndexDir(); err != nil {
		return // likewise
	} else if _, err := os.Stat(dir); err != nil {
		return
	}
	ctx, end := context.WithTimeout(ctx, modelTime)
	defer end()
	quiet := slog.New(slog.DiscardHandler)
	x, err := index.OpenForQuestion(ctx, p, quiet)
	if err != nil {
		return // likewise
	}
	k := semantic.Open(p, x, os.Getenv, quiet)
	if k == nil {
		_ = x.Close()
		return
	}
	f := doctor.Finding{Name: "embedding", Verdict: doctor.Good, Detail: msg.Literal(p.Config.EmbeddingModel)}
	err = k.Missing(ctx)
	if err := errors.Join(k.Close(), x.Close()); err != nil {
		a.log.Warn("embedding model not closed", "error", err)
	}
	if err != nil {
		f.Verdict, f.Fix = doctor.Weak, msg.New("doctor.correct_embedding_model")
		f.Detail = msg.New("doctor.built_in_model_used", err)
		if no := problem.Of(err); no != nil {
			f.Detail, f.Fix = msg.New("doctor.built_in_model_used", no.Message), doctor.Either(no.Next)
		}
	}
	r.Findings = append(r.Findings, f)
}

// installPlaces are where the program may be set up: none, if the project cannot be read,
// which the doctor reports itself.
func (a *app) installPlaces() (all []install.Place) {
	for _, client := range registry.All {
		for _, scope := range []install.Scope{install.Project, install.User} {
			p, err := a.installPlace(client, installOptions{scope: string(scope)})
			if err != nil {
				return nil
			}
			all = append(all, p)
		}
	}
	return all
}
