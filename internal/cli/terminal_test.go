package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
)

// clock ticks when it is told to.
type clock struct{ t time.Time }

func (c *clock) now() time.Time { return c.t }

func TestBarElsewhere(t *testing.T) {
	var out bytes.Buffer
	c := &clock{time.Unix(1000, 0)}
	b := newProgressBar(&out, c.now)
	for i := range 21 {
		b.show("read", i*100, 2000, "files")
		c.t = c.t.Add(time.Second)
	}
	b.end()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 4 || !strings.Contains(lines[0], "500/2000 files  100/s  15s left") {
		t.Errorf("got %q; want a line every 5 s with rate and time left", lines)
	}
	if strings.ContainsAny(out.String(), "\r\x1b") {
		t.Errorf("%q moves a cursor that is not there", out.String())
	}
}

func TestBarOnTerminal(t *testing.T) {
	var out bytes.Buffer
	c := &clock{time.Unix(1000, 0)}
	b := newProgressBar(&out, c.now)
	b.terminal = true
	for i := range 101 {
		b.show("read", i, 100, "files")
		c.t = c.t.Add(10 * time.Millisecond)
	}
	if n := strings.Count(out.String(), "\r"); n < 9 || n > 13 {
		t.Errorf("%d pictures in a second", n)
	}
	if !strings.Contains(out.String(), "["+strings.Repeat("#", barWidth)+"] 100/100 files") {
		t.Errorf("the end is not shown: %q", out.String())
	}
	b.end()
	if !strings.HasSuffix(out.String(), "\r\x1b[K") {
		t.Errorf("the line is left behind: %q", out.String())
	}
	out.Reset()
	if b.end(); out.Len() > 0 {
		t.Errorf("nothing is open, yet it writes %q", out.String())
	}
}

func TestPaint(t *testing.T) {
	const text = "2 definitions of X\na/b.go:12-14  func X()\nnote: 2 of 5 shown\n"
	if got := paint(false).text(text); got != text {
		t.Errorf("no colour was wanted: %q", got)
	}
	got := paint(true).text(text)
	if !strings.Contains(got, "\x1b[36ma/b.go:12-14\x1b[") || !strings.Contains(got, "\x1b[2mnote: 2 of 5 shown\x1b[") {
		t.Errorf("got %q", got)
	}
}

func TestStatus(t *testing.T) {
	running, waiting := &app{running: true}, &app{}
	for _, tt := range []struct {
		a    *app
		err  error
		want int
	}{
		{waiting, errors.New("unknown flag"), exitUsage},
		{running, errNo, exitNo},
		{running, problem.With(problem.InvalidArgument, msg.Message{}), exitUsage},
		{running, fmt.Errorf("x: %w", problem.With(problem.OutsideRoot, msg.Message{})), exitUsage},
		{running, problem.With(problem.NotFound, msg.Message{}), exitNo},
		{running, problem.With("session_active", msg.Message{}), exitNo},
		{running, environment{problem.With("invalid_config", msg.Message{})}, exitEnvironment},
		{running, fmt.Errorf("read: %w", fs.ErrPermission), exitEnvironment},
		{running, fmt.Errorf("sync: %w", context.Canceled), exitEnvironment},
		{running, errors.New("index: segment 3: impossible"), exitInternal},
	} {
		if got := tt.a.status(tt.err); got != tt.want {
			t.Errorf("%v: got %d, want %d", tt.err, got, tt.want)
		}
	}
}
