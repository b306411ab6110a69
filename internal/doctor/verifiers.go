package doctor

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"codeintel/internal/problem"
	"codeintel/internal/project"
	"codeintel/internal/trust"
	"codeintel/internal/verify"
)

// verifiers tells which commands the server would run to verify a change.
func (r *Report) verifiers(p *project.Project, look func(string) (string, error)) {
	store, err := trust.Open()
	if err != nil {
		r.refused("verifier", err, "set HOME or XDG_CONFIG_HOME")
		return
	}
	standing, gone, err := verify.Standings(p, store)
	if err != nil {
		r.refused("verifier", err, "mend the files of .code-intel/verifiers")
	}
	for _, v := range standing {
		what := fmt.Sprintf("%s, %q", v.Name, strings.Join(v.Command, " "))
		fix := "look at " + v.File() + ", then: code-intel trust " + v.Name
		switch v.State {
		case trust.Untrusted:
			r.add("verifier", Weak, what+" is not trusted, so the server does not run it", fix)
		case trust.Changed:
			r.add("verifier", Weak, what+" has changed since it was trusted, so the server does not run it", fix)
		case trust.Trusted:
			if _, err := program(p, v.Command[0], look); err != nil {
				r.add("verifier", Bad, fmt.Sprintf("%s is trusted, and cannot be started: %v", what, err), "install "+v.Command[0]+", or take the trust back: code-intel trust --revoke "+v.Name)
				continue
			}
			r.add("verifier", Good, what+" is trusted; the server runs it", "")
		}
	}
	for _, name := range gone {
		r.add("verifier", Weak, name+" was trusted, and its file is gone", "git checkout -- "+verify.Verifier{Name: name}.File()+" Or: code-intel trust --revoke "+name)
	}
	if len(standing)+len(gone) == 0 && p.IsSetUp() && problem.Of(err) == nil {
		r.add("verifier", Weak, "none has a command, so the server verifies nothing itself", "give one of .code-intel/verifiers a command, then: code-intel trust")
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
