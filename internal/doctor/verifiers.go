package doctor

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"

	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/session/trustedtexts"
	"codeintel/internal/text/quote"
	"codeintel/internal/trust"
	"codeintel/internal/verify"
)

// verifiers reports which commands the server would run to verify a change.
func (r *Report) verifiers(p *project.Project, look func(string) (string, error)) {
	store, err := trust.Open()
	if err != nil {
		r.refused("verifier", err, msg.New("doctor.set_home"))
		return
	}
	verifiers, gone, err := verify.TrustStates(p, store)
	if err != nil {
		r.refused("verifier", err, msg.New("doctor.fix_verifiers"))
	}
	for _, v := range verifiers {
		what := msg.New("doctor.verifier", v.Name, strings.Join(v.Command, " "))
		fix := msg.New("doctor.look_then_trust", v.File(), quote.Shell(v.Name))
		switch v.State {
		case trust.Untrusted:
			r.add("verifier", Weak, msg.New("doctor.verifier_untrusted", what), fix)
		case trust.Changed:
			r.add("verifier", Weak, msg.New("doctor.verifier_changed", what), fix)
		case trust.Trusted:
			if _, err := program(p, v.Command[0], look); err != nil {
				r.add("verifier", Bad, msg.New("doctor.verifier_cannot_start", what, err), msg.New("doctor.install_or_revoke", v.Command[0], quote.Shell(v.Name)))
				continue
			}
			r.add("verifier", Good, msg.New("doctor.verifier_trusted", what), none)
		}
	}
	for _, name := range gone {
		r.add("verifier", Weak, msg.New("doctor.verifier_gone", name), msg.New("doctor.check_out_or_revoke", quote.Shell(verify.Verifier{Name: name}.File()), quote.Shell(name)))
	}
	if len(verifiers)+len(gone) == 0 && p.IsSetUp() && problem.Of(err) == nil {
		r.add("verifier", Weak, msg.New("doctor.no_verifier_command"), msg.New("doctor.give_command"))
	}
}

// texts reports which texts of the repository are not followed until the user trusts them.
func (r *Report) texts(ctx context.Context, p *project.Project) {
	var untrusted []string
	for _, g := range trustedtexts.Of(ctx, p) {
		if g.State != trust.Own && g.State != trust.Trusted {
			untrusted = append(untrusted, g.File)
		}
	}
	if len(untrusted) > 0 {
		r.add("texts", Weak, msg.New("doctor.texts_not_trusted", len(untrusted), untrusted), msg.New("doctor.look_at_texts"))
	}
}

// program finds what a command starts, as the server will: a plain name on PATH, a
// path from the root of the project.
func program(p *project.Project, name string, look func(string) (string, error)) (string, error) {
	if filepath.Base(name) == name {
		return look(name)
	}
	if !filepath.IsAbs(name) {
		name = p.Abs(name)
	}
	found, err := exec.LookPath(name)
	if errors.Is(err, exec.ErrDot) {
		err = nil
	}
	return found, err
}
