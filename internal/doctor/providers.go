package doctor

import (
	"context"
	"strings"

	"codeintel/internal/platform/msg"
	"codeintel/internal/project"
	"codeintel/internal/provider"
	"codeintel/internal/text/quote"
	"codeintel/internal/trust"
)

// providers reports what makes references exact: indexes in SCIP format, and language
// servers. Only servers that are trusted are started, to hear their version.
func (r *Report) providers(ctx context.Context, p *project.Project) {
	indexes, err := provider.Indexes(ctx, p)
	if err != nil {
		r.refused("scip", err, none)
	}
	for _, x := range indexes {
		verdict, fix := Good, none
		if x.Current < x.Documents {
			verdict, fix = Weak, msg.New("doctor.write_scip_anew", x.Path)
		}
		r.add("scip", verdict, msg.New("doctor.scip", x.Path, x.Tool, x.Current, x.Documents), fix)
	}
	store, err := trust.Open()
	if err != nil {
		return // said where verifiers are
	}
	servers, gone, err := provider.TrustStates(ctx, p, store)
	if err != nil {
		r.refused("language", err, none)
	}
	for _, s := range servers {
		languages := make([]string, len(s.Languages))
		for i, l := range s.Languages {
			languages[i] = string(l)
		}
		what := msg.New("doctor.server", s.Name, strings.Join(languages, ", "))
		switch {
		case s.Missing != nil:
			r.add("language", Bad, msg.New("doctor.server_cannot_start", what, s.Missing),
				msg.New("doctor.install_server", s.Command[0]))
		case s.State == trust.Changed:
			r.add("language", Weak, msg.New("doctor.server_changed", what), msg.New("doctor.trust_server", quote.Shell(s.Name)))
		case s.State != trust.Trusted:
			r.add("language", Good, msg.New("doctor.server_untrusted", what, quote.Shell(s.Name)), none)
		default:
			version, err := s.Version(ctx, p)
			if err != nil {
				r.add("language", Bad, msg.New("doctor.server_cannot_start", what, err),
					msg.New("doctor.see_server_or_revoke", strings.Join(s.Command, " "), quote.Shell(s.Name)))
				continue
			}
			r.add("language", Good, msg.New("doctor.server_trusted", what, version), none)
		}
	}
	for _, name := range gone {
		r.add("language", Weak, msg.New("doctor.server_gone", name), msg.New("doctor.install_or_revoke_server", quote.Shell(name)))
	}
}
