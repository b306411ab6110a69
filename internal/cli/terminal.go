package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fatih/color"
	"github.com/mattn/go-isatty"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/problem"
)

// isTerminal reports whether a stream of the program is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && (isatty.IsTerminal(f.Fd()) || isatty.IsCygwinTerminal(f.Fd()))
}

// onTerminal reports whether the program reads from one, and writes to one.
func (a *app) onTerminal() bool { return isTerminal(a.in) && isTerminal(a.out) }

// confirm shows something and asks whether to do it. Without a yes, and without a terminal,
// it returns the Problem that nothing was done; how says how it is done without a question.
func (a *app) confirm(show func() error, question, nothing, how string) error {
	if a.json || !a.onTerminal() {
		return problem.New(problem.InvalidArgument, nothing).Or(how)
	}
	if err := show(); err != nil {
		return err
	}
	fmt.Fprint(a.out, question+" [y/N] ")
	yes, err := answeredYes(bufio.NewReader(a.in))
	if err == nil && !yes {
		return problem.New("declined", nothing).Or(how)
	}
	return err
}

// answeredYes reads a line. The end of the input is a no.
func answeredYes(in *bufio.Reader) (bool, error) {
	line, err := in.ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, environment{err}
	}
	line = strings.ToLower(strings.TrimSpace(line))
	return line == "y" || line == "yes", nil
}

// columns puts the cells of lines below each other; tabs end them. It is to be flushed.
func columns(to io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(to, 0, 0, 2, ' ', 0) }

// paint says whether text is coloured.
type paint bool

func (p paint) in(text string, how ...color.Attribute) string {
	if !p {
		return text
	}
	c := color.New(how...)
	c.EnableColor()
	return c.Sprint(text)
}

// places are what people look for in an answer: file:line at the beginning of a
// line, or a file alone above what is found in it, and what is said about the answer as a whole.
var (
	places  = lazyregexp.MustCompile(`(?m)^(\s*(?:\d+\.\s+)?)([^\s:]+:\d+(?:-\d+)?|[^\s:]*[./][^\s:]*$)`)
	remarks = lazyregexp.MustCompile(`(?m)^(note: .*|more: .*|\(index .*\)|\(read .*\))$`)
)

// text colours an answer's text.
func (p paint) text(s string) string {
	if !p {
		return s
	}
	s = remarks.ReplaceAllStringFunc(s, func(m string) string { return p.in(m, color.Faint) })
	return places.ReplaceAllStringFunc(s, func(m string) string {
		at := len(m) - len(strings.TrimLeft(m, " \t"))
		return m[:at] + p.in(m[at:], color.FgCyan)
	})
}

// A progressBar shows how far a long command is: on a terminal one line that is written
// over, with rate and time left; elsewhere a line every few seconds.
type progressBar struct {
	w        io.Writer
	terminal bool
	now      func() time.Time

	began, last time.Time
	stage       string
	open        bool // a line on the terminal waits to be written over
}

const (
	barPause   = 100 * time.Millisecond // between two pictures on a terminal
	linePause  = 5 * time.Second        // between two lines elsewhere
	barWidth   = 24
	barHistory = time.Second // before it, a rate means nothing
)

func newProgressBar(w io.Writer, now func() time.Time) *progressBar {
	return &progressBar{w: w, terminal: isTerminal(w), now: now}
}

// show reports that done of total of a stage are through. A stage of unknown total
// has total 0.
func (b *progressBar) show(stage string, done, total int, unit string) {
	now := b.now()
	if stage != b.stage {
		b.stage, b.began = stage, now
		if !b.terminal {
			b.last = now // short stages are not worth a line
		}
	}
	pause := linePause
	if b.terminal {
		pause = barPause
	}
	if now.Sub(b.last) < pause && (done < total || !b.terminal) {
		return
	}
	b.last = now
	line := fmt.Sprintf("%-8s %s", stage, measure(done, total, unit, now.Sub(b.began), b.terminal))
	if !b.terminal {
		fmt.Fprintln(b.w, strings.TrimSpace(line))
		return
	}
	fmt.Fprintf(b.w, "\r\x1b[K%s", line)
	b.open = true
}

// end leaves the terminal as it was.
func (b *progressBar) end() {
	if b != nil && b.open {
		fmt.Fprint(b.w, "\r\x1b[K")
		b.open = false
	}
}

// measure writes how far something is: "[####----] 120/480 files  60/s  6 s left".
func measure(done, total int, unit string, took time.Duration, picture bool) string {
	if total <= 0 {
		return fmt.Sprintf("%d %s", done, unit)
	}
	s := fmt.Sprintf("%d/%d %s", done, total, unit)
	if picture {
		full := min(barWidth, barWidth*done/total)
		s = "[" + strings.Repeat("#", full) + strings.Repeat("-", barWidth-full) + "] " + s
	}
	if took < barHistory || done == 0 {
		return s
	}
	rate := float64(done) / took.Seconds()
	left := time.Duration(float64(total-done) / rate * float64(time.Second)).Round(time.Second)
	return fmt.Sprintf("%s  %.0f/s  %v left", s, rate, left)
}
