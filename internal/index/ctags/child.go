package ctags

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
)

// The protocol is the interactive mode of Universal Ctags: a line of JSON with a
// command, for generate-tags followed by the bytes of the text; back come lines
// of JSON, one a tag, until one says completed. See ctags-json-output(5) and
// "--_interactive Mode" of its manual.

// A tag is one line that ctags writes.
type tag struct {
	Type      string `json:"_type"`
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	Line      int    `json:"line"` // 1-based
	End       int    `json:"end"`
	Scope     string `json:"scope"`
	Signature string `json:"signature"`
	Message   string `json:"message"`
}

type request struct {
	Command  string `json:"command"`
	Filename string `json:"filename"`
	Size     int    `json:"size"`
}

// A child is a running ctags.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	kill   func() // may be called at any time, more than once
	waited sync.Once
}

// environment is what a child gets to see: nothing that could change what it
// does, or that it has no business with.
func environment() []string {
	return []string{"LC_ALL=C", "PATH=" + os.Getenv("PATH")}
}

// start starts a ctags that waits for texts, in a sandbox if it has one.
func start(program string) (*child, error) {
	mode := "--_interactive=default"
	if sandboxed(program) {
		mode = "--_interactive=sandbox"
	}
	cmd := exec.Command(program, "--options=NONE", "--quiet=yes", "--sort=no", "--fields=NneKSs", mode)
	cmd.Env, cmd.Dir = environment(), os.TempDir()
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("ctags: start: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("ctags: start: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("ctags: start: %w", err)
	}
	return &child{cmd: cmd, in: in, out: bufio.NewReaderSize(out, maxLine), kill: func() {
		_ = cmd.Process.Kill() // it may be gone
		_ = in.Close()         // a write that waits must not wait for ever
	}}, nil
}

// wait collects the child after it was killed.
func (c *child) wait() {
	c.waited.Do(func() { _ = c.cmd.Wait() }) // it was killed: its status says that
}

// ask sends a text under a name, which says its language, and reads its tags.
func (c *child) ask(name string, src []byte) ([]tag, error) {
	head, err := json.Marshal(request{"generate-tags", name, len(src)})
	if err != nil {
		return nil, fmt.Errorf("ctags: ask: %w", err)
	}
	if _, err := c.in.Write(append(append(head, '\n'), src...)); err != nil {
		return nil, fmt.Errorf("ctags: ask: %w", err)
	}
	var tags []tag
	for {
		line, err := c.line()
		if err != nil {
			return nil, fmt.Errorf("ctags: answer: %w", err)
		}
		var t tag
		if line == nil || json.Unmarshal(line, &t) != nil {
			continue // too long, or not UTF-8: one tag less
		}
		switch t.Type {
		case "completed":
			return tags, nil
		case "error":
			return nil, fmt.Errorf("ctags: it says %q", t.Message)
		case "tag":
			if len(tags) == maxTags {
				return nil, errors.New("ctags: answer: too many tags")
			}
			tags = append(tags, t)
		}
	}
}

// line reads one line; it returns nil if the line is too long to be of use.
func (c *child) line() ([]byte, error) {
	line, err := c.out.ReadSlice('\n')
	if !errors.Is(err, bufio.ErrBufferFull) {
		return line, err
	}
	for errors.Is(err, bufio.ErrBufferFull) {
		_, err = c.out.ReadSlice('\n')
	}
	return nil, err
}

// check asks a program whether it is a Universal Ctags that speaks the protocol.
func check(ctx context.Context, program string) error {
	version, err := output(ctx, program, "--version")
	if err != nil {
		return err
	}
	if !strings.Contains(version, "Universal Ctags") {
		return errors.New("it is not Universal Ctags")
	}
	for _, feature := range []string{"+interactive", "+json"} {
		if !strings.Contains(version, feature) {
			return fmt.Errorf("it was built without %s", feature[1:])
		}
	}
	return nil
}

// sandboxed says whether a ctags can keep itself from opening files.
func sandboxed(program string) bool {
	ctx, cancel := context.WithTimeout(context.Background(), perText)
	defer cancel()
	version, err := output(ctx, program, "--version")
	return err == nil && strings.Contains(version, "+sandbox")
}

// output runs a ctags for a question about itself.
func output(ctx context.Context, program string, option string) (string, error) {
	cmd := exec.CommandContext(ctx, program, "--options=NONE", "--quiet=yes", option)
	cmd.Env, cmd.Dir = environment(), os.TempDir()
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("ctags: %s: %w", option, err)
	}
	return string(text), nil
}
