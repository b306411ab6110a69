//go:build bench

package bench

import (
	"fmt"
	"os/exec"
	"runtime"
	"strings"
)

// A target is a row of the table of targets.
type target struct {
	what, goal, measured, peer string

	// How the figure compares with the goal: value ≤ limit is met. Where more is
	// better, both are negative. A limit of 0: it is measured elsewhere.
	value, limit float64
}

// verdict says whether a target is met, and how far it is off.
func (r *target) verdict() string {
	switch {
	case r.goal == "":
		return "no target"
	case r.limit == 0:
		return "see there"
	case r.value <= r.limit:
		return "met"
	default:
		return fmt.Sprintf("**not met**: %+.0f %%", 100*(r.value-r.limit)/max(r.limit, -r.limit))
	}
}

func (b *bench) row(r target) { b.rows = append(b.rows, r) }

// A section is a part of the page below the table.
type section struct{ title, text string }

func (b *bench) section(title, format string, args ...any) {
	b.sections = append(b.sections, section{title, fmt.Sprintf(format, args...)})
}

// page is the text of the page.
func (b *bench) page() string {
	var p strings.Builder
	fmt.Fprintf(&p, "# Benchmarks\n\nWritten by `make bench` on %s/%s, %d processors, %s, over the source tree of that Go (`src` below) unless a row says otherwise. ",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	fmt.Fprintf(&p, "Each figure and its peer were taken in the same run on the same files, all of them in the page cache; times are medians of %d runs unless a row says otherwise. Look at the ratios: absolute times depend on the machine and on who shares it. Peers: %s.\n\n", *benchRuns, peers())
	p.WriteString("## Targets\n\n| what | target | measured | peer, in the same run | verdict |\n|---|---|---|---|---|\n")
	for _, r := range b.rows {
		fmt.Fprintf(&p, "| %s | %s | %s | %s | %s |\n", r.what, r.goal, r.measured, r.peer, r.verdict())
	}
	for _, s := range b.sections {
		fmt.Fprintf(&p, "\n## %s\n\n%s", s.title, s.text)
	}
	fmt.Fprintf(&p, "\n## Search quality\n\n%s", b.asked)
	if len(b.profiles) > 0 {
		p.WriteString("\n## Profiles\n")
	}
	for _, s := range b.profiles {
		fmt.Fprintf(&p, "\n### %s\n\n%s", s.title, s.text)
	}
	return p.String()
}

// peers names the versions of the programs compared with.
func peers() string {
	var found []string
	for _, p := range [][]string{{"rg", "--version"}, {"ctags", "--version"}, {"grep", "--version"}} {
		out, err := exec.Command(p[0], p[1:]...).Output()
		if err != nil {
			continue
		}
		line, _, _ := strings.Cut(string(out), "\n")
		line, _, _ = strings.Cut(line, ",")
		found = append(found, strings.TrimSpace(line))
	}
	return strings.Join(found, ", ")
}
