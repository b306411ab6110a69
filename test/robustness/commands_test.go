//go:build linux

package robustness

import (
	"bufio"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"codeintel/test/tier"
)

// odd are values that mean something to a command, and some that hurt.
var odd = []string{"", "Greeting", "main.go", "main.go:4", "main.go:-1", "main.go:99999999999999999999", "web", ".", "..", "../../etc/passwd",
	"/dev/zero", "a\nb", "\x1b[2J", "\u202egnp.exe", "\x9b2J", "\xff\xfe", "(((", "(a+)+$", "[", "**/*", "{a,b}{c,d}", "!**", "HEAD", "--output=x", "HEAD..",
	"@{-1}", ":/x", "-1", "0", "1e999", "9223372036854775808", "true", "null", "{}", "go", "日本", " ", "\t", ":", "%s%n", "a/../a", strings.Repeat("a", 5000),
	strings.Repeat("a/", 3000), "\\", "'", "`id`", "$(id)", "claude", "PreToolUse", "function", "e\u0301", strings.Repeat("x", 100_000)}

// typed are what stands on standard input.
var typed = []string{"", "{}", "null", "\n", "y\n", "\xff\xfe\x00", strings.Repeat("[", 100_000), `{"cwd":"."}`, `{"query":"a"}` + "\n",
	`{"session_id":"a","hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"file_path":"x"}}`}

// usage are the flags of a command by its words.
func (c *clone) usage(program string, words []string, all map[string][]string) {
	help, _ := c.run(program, "", append(words, "--help")...)
	for _, m := range regexp.MustCompile(`(?m)^\s+(?:-\w, )?--([a-z-]+)`).FindAllStringSubmatch(help, -1) {
		all[strings.Join(words, " ")] = append(all[strings.Join(words, " ")], m[1])
	}
	_, list, _ := strings.Cut(help, "Available Commands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	for line := range strings.Lines(list) {
		if name := strings.Fields(line)[0]; name != "help" {
			c.usage(program, append(words[:len(words):len(words)], name), all)
		}
	}
}

// TestHostileCommandLines calls every command with flags and values at random: it never
// breaks, its status is one of those that are documented, who made the mistake is told right,
// and what prevents an answer has a way out. What would serve until it is stopped, ask the
// network or open a browser is left out.
func TestHostileCommandLines(t *testing.T) {
	program := build(t)
	c := newClone(t)
	put(t, c.root, "web/app.ts", "export function greet(n: string) { return n }\ngreet('x')\n")
	all := map[string][]string{}
	c.usage(program, nil, all)
	var names []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if name != "dashboard" && name != "model pull" {
			names = append(names, name)
		}
	}
	if len(names) < 40 {
		t.Fatalf("the program has these commands? %q", names)
	}
	draw := rand.New(rand.NewPCG(3, 1))
	for range tier.Number(75, 1500) {
		words := strings.Fields(names[draw.IntN(len(names))])
		flags := all[strings.Join(words, " ")]
		args := words
		for range draw.IntN(3) {
			args = append(args, odd[draw.IntN(len(odd))])
		}
		for range draw.IntN(4) {
			flag, value := "--"+flags[draw.IntN(len(flags))], odd[draw.IntN(len(odd))]
			switch {
			case flag == "--watch" || flag == "--http":
			case draw.IntN(3) == 0:
				args = append(args, flag)
			case draw.IntN(2) == 0:
				args = append(args, flag+"="+value)
			default:
				args = append(args, flag, value)
			}
		}
		out, err := c.run(program, typed[draw.IntN(len(typed))], args...)
		for i, a := range args {
			args[i] = a[:min(len(a), 60)]
		}
		c.behaved(args, out, err)
	}
}

// behaved checks an answer of the command line against what every answer keeps.
func (c *clone) behaved(args []string, out string, err error) {
	c.Helper()
	var exit *exec.ExitError
	status := 0
	if errors.As(err, &exit) {
		status = exit.ExitCode()
	}
	switch {
	case status < 0 || status > 3:
		c.Errorf("%q ends with %v:\n%.1000s", args, err, out)
	case strings.Contains(out, "panic:") || strings.Contains(out, "goroutine ") || strings.Contains(out, `"internal"`):
		c.Errorf("%q does not know what is the matter:\n%.1000s", args, out)
	case strings.ContainsAny(out, "\x1b\x07") || strings.ContainsFunc(out, hidden) || acting(out):
		c.Errorf("%q prints what a terminal acts on:\n%.1000q", args, out)
	case status == 3 && !strings.Contains(out, "\n  ") && !strings.Contains(out, `"legal_next":["`) && !strings.Contains(out, "incomplete"):
		c.Errorf("%q says nothing of what to do:\n%.1000s", args, out)
	}
}

// acting reports whether a text has a byte that is no character and that terminals which take
// bytes for characters act on.
func acting(text string) bool {
	for i, r := range text {
		if r == utf8.RuneError && text[i] < 0xa0 {
			return true
		}
	}
	return false
}

// TestHangUp ends a server in order when its terminal goes away, unless it was told not to mind.
func TestHangUp(t *testing.T) {
	program := build(t)
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGHUP) // which a program inherits if it is ignored here
	defer signal.Stop(caught)
	for name, by := range map[string][]string{"a terminal": nil, "nohup": {"nohup"}} {
		c := newClone(t)
		c.by = by
		cmd := c.command(program, "mcp")
		in, err := cmd.StdinPipe()
		c.must(err)
		out, err := cmd.StdoutPipe()
		c.must(err)
		c.must(cmd.Start())
		_, err = io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n")
		c.must(err)
		answers := bufio.NewReader(out)
		_, err = answers.ReadString('\n') // it is there
		c.must(err)
		c.must(cmd.Process.Signal(syscall.SIGHUP))
		if by != nil {
			_, err = io.WriteString(in, `{"jsonrpc":"2.0","id":2,"method":"ping"}`+"\n")
			c.must(err)
			if said, err := answers.ReadString('\n'); err != nil {
				t.Errorf("%s: %q, %v", name, said, err)
			}
			_ = in.Close()
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
