package ctags

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/syntax"
)

// fake writes a program to a folder of its own that speaks as Universal Ctags
// does. What it answers for a text is up to the script, which is told the name
// of the file as $file and its text as $text.
func fake(t *testing.T, answer string) string {
	t.Helper()
	const script = `#!/bin/sh
case "$*" in
*--version*) echo 'Universal Ctags 5.9.0'; echo '  Optional compiled features: +interactive, +json, +sandbox'; exit ;;
*--list-map-extensions*) printf '#LANGUAGE EXTENSION\nREXX rexx\nRobot robot\nGo go\nSVG svg\nPerl pl\n'; exit ;;
*--list-map-patterns*) printf '#LANGUAGE PATTERN\nKconfig Kconfig*\nREXX *.rexx\nMake [Mm]akefile\n'; exit ;;
esac
case "$*" in *--_interactive=sandbox*) ;; *) echo 'no sandbox' >&2; exit 3 ;; esac
echo '{"_type": "program", "name": "Universal Ctags"}'
while IFS= read -r line; do
	file=${line#*filename\":\"}; file=${file%%\"*}
	size=${line##*size\":}; size=${size%\}}
	text=$(dd bs=1 count="$size" 2>/dev/null)
	ANSWER
	echo '{"_type": "completed", "command": "generate-tags"}'
done
`
	path := filepath.Join(t.TempDir(), "ctags")
	if err := os.WriteFile(path, []byte(strings.Replace(script, "ANSWER", answer, 1)), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// tagger returns a Tagger for a program, and what it logs.
func tagger(t *testing.T, program string) (*Tagger, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	tg := New(t.TempDir(), func(name string) (string, error) {
		if name == "ctags" {
			return program, nil
		}
		return "", exec.ErrNotFound
	}, slog.New(slog.NewTextHandler(&log, nil)))
	t.Cleanup(tg.Close)
	return tg, &log
}

func TestLanguage(t *testing.T) {
	tg, _ := tagger(t, fake(t, ":"))
	for file, want := range map[string]syntax.Language{
		"a/b.rexx": "rexx", "x.ROBOT": "robot", "Kconfig.debug": "kconfig", "Kconfig": "",
		"main.go": "", "x.pl": "", "drawing.svg": "", "Makefile": "", "unknown": "", "x.zz": "", "": "",
	} {
		if got := tg.Language(t.Context(), file); got != want {
			t.Errorf("%s is in %q, want %q", file, got, want)
		}
	}
}

func TestOutline(t *testing.T) {
	tg, _ := tagger(t, fake(t, `
	printf '{"_type": "tag", "name": "Shop", "line": 1, "kind": "class", "end": 5}\n'
	printf '{"_type": "tag", "name": "open", "line": 2, "kind": "method", "end": 4, "signature": "(a,\n b)", "scope": "Shop"}\n' | tr -d '\n'; echo
	printf '{"_type": "tag", "name": "%s", "line": 6, "kind": "odd"}\n' "$file"
	printf '{"_type": "tag", "name": "not there", "line": 2, "kind": "x"}\n{"_type": "tag", "name": "far", "line": 99}\nnonsense\n{"_type": "tag", "name": "", "line": 1}\n'`))
	src := []byte("class Shop {\n  open\n  x\n  }\n}\nuse a.rexx here\n")
	f := tg.Outline(t.Context(), "rexx", "deep/a.rexx", src)
	var got []string
	for _, s := range f.Symbols {
		got = append(got, fmt.Sprintf("%s %s %d-%d in %q: %s | %q", s.Kind, s.Name, s.StartLine, s.EndLine, s.Scope, s.Signature, src[s.Start:s.End]))
	}
	want := []string{
		`class Shop 1-5 in "": class Shop | "class Shop {\n  open\n  x\n  }\n}"`,
		`method open 2-4 in "Shop": open(a, b) | "open\n  x\n  }"`,
		`variable a.rexx 6-6 in "": use a.rexx here | "use a.rexx here"`,
	}
	if diff := cmp.Diff(want, got); diff != "" || f.Partial != "" {
		t.Errorf("partial %q (-want +got):\n%s", f.Partial, diff)
	}
	for _, o := range f.Occurrences {
		if o.Role != syntax.Definition || f.Symbols[o.Symbol].Name != o.Name {
			t.Errorf("%+v", o)
		}
	}
}

// Many files are read by one process, in turn.
func TestOneChild(t *testing.T) {
	count := filepath.Join(t.TempDir(), "count")
	program := fake(t, `printf '{"_type": "tag", "name": "%s", "line": 1, "kind": "function"}\n' "$text"`)
	script, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	counted := strings.Replace(string(script), "\necho '{", "\necho started >>"+count+"\necho '{", 1)
	if err := os.WriteFile(program, []byte(counted), 0o755); err != nil {
		t.Fatal(err)
	}
	tg, _ := tagger(t, program)
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			name := fmt.Sprintf("f%d", i)
			f := tg.Outline(t.Context(), "rexx", "a.rexx", []byte(name))
			if len(f.Symbols) != 1 || f.Symbols[0].Name != name {
				t.Errorf("%s: %+v", name, f)
			}
		})
	}
	group.Wait()
	data, err := os.ReadFile(count)
	if err != nil || string(data) != "started\n" {
		t.Errorf("%q, %v", data, err)
	}
	tg.Rest()
	if f := tg.Outline(t.Context(), "rexx", "a.rexx", []byte("again")); len(f.Symbols) != 1 {
		t.Errorf("after a rest: %+v", f)
	}
}

// A child that hangs, dies, complains or floods costs one text; after the third
// it is left alone.
func TestBroken(t *testing.T) {
	for name, answer := range map[string]string{
		"hangs":     `case "$text" in bad*) exec sleep 1000 ;; esac`,
		"dies":      `case "$text" in bad*) exit 1 ;; esac`,
		"complains": `case "$text" in bad*) echo '{"_type": "error", "message": "oh", "fatal": true}' ;; esac`,
		"floods":    `case "$text" in bad*) yes '{"_type": "tag", "name": "a", "line": 1}' ;; esac`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tg, log := tagger(t, fake(t, answer+`
	printf '{"_type": "tag", "name": "good", "line": 1}\n'`))
			if name == "hangs" {
				tg.perText = 300 * time.Millisecond // the one thing here that has to take its time
			}
			for n := range maxBroken {
				if f := tg.Outline(t.Context(), "rexx", "a.rexx", []byte("bad one")); f.Partial == "" || len(f.Symbols) > 0 {
					t.Errorf("%d: %+v", n, f)
				}
			}
			if f := tg.Outline(t.Context(), "rexx", "a.rexx", []byte("good")); !strings.Contains(f.Partial, "several times") {
				t.Errorf("it is still asked: %+v", f)
			}
			if got := strings.Count(log.String(), "ctags broke"); got != maxBroken {
				t.Errorf("logged %d times:\n%s", got, log)
			}
			if tg.child != nil {
				t.Error("a child is left behind")
			}
		})
	}
}

// One bad text does not spoil the next.
func TestHeals(t *testing.T) {
	tg, _ := tagger(t, fake(t, `case "$text" in bad*) exit 1 ;; esac
	printf '{"_type": "tag", "name": "good", "line": 1}\n'`))
	tg.Outline(t.Context(), "rexx", "a.rexx", []byte("bad"))
	if f := tg.Outline(t.Context(), "rexx", "a.rexx", []byte("good")); len(f.Symbols) != 1 {
		t.Errorf("%+v", f)
	}
}

func TestCancelled(t *testing.T) {
	tg, log := tagger(t, fake(t, `exec sleep 1000`))
	ctx, cancel := context.WithCancel(t.Context())
	stop := time.AfterFunc(50*time.Millisecond, cancel)
	defer stop.Stop()
	if f := tg.Outline(ctx, "rexx", "a.rexx", []byte("x")); f.Partial == "" {
		t.Errorf("%+v", f)
	}
	if log.Len() > 0 || tg.broken != 0 {
		t.Errorf("who stops waiting breaks nothing: %s", log)
	}
}

func TestNone(t *testing.T) {
	for name, program := range map[string]string{
		"not there":    filepath.Join(t.TempDir(), "ctags"),
		"another one":  write(t, "#!/bin/sh\necho Exuberant Ctags 5.8\n"),
		"without json": write(t, "#!/bin/sh\necho Universal Ctags 5.8 +interactive\n"),
		"fails":        write(t, "#!/bin/sh\nexit 1\n"),
		"no program":   write(t, "\x00\x01"),
	} {
		tg, _ := tagger(t, program)
		if got := tg.Language(t.Context(), "a.rexx"); got != syntax.Unknown {
			t.Errorf("%s: %q", name, got)
		}
		if f := tg.Outline(t.Context(), "rexx", "a.rexx", []byte("x")); f == nil || f.Partial == "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
	var none *Tagger
	if none.Language(t.Context(), "a.rexx") != "" || none.Outline(t.Context(), "rexx", "a", nil).Partial == "" {
		t.Error("no Tagger at all")
	}
	none.Rest()
	none.Close()
}

func write(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ctags")
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// A program that comes with the project is not started, whatever PATH says.
func TestProgramOfTheProject(t *testing.T) {
	program := fake(t, ":")
	link := filepath.Join(t.TempDir(), "ctags")
	if err := os.Symlink(program, link); err != nil {
		t.Fatal(err)
	}
	for _, found := range []string{program, link} {
		tg := New(filepath.Dir(program), func(string) (string, error) { return found, nil }, slog.New(slog.DiscardHandler))
		if got := tg.Language(t.Context(), "a.rexx"); got != syntax.Unknown {
			t.Errorf("%s: %q", found, got)
		}
	}
	tg := New(t.TempDir(), func(string) (string, error) { return "ctags", exec.ErrDot }, slog.New(slog.DiscardHandler))
	if tg.program != "" {
		t.Error("a program in the current folder is used")
	}
}

// Where there is a real one, it does what the fake one does.
func TestReal(t *testing.T) {
	program, err := Look("ctags")
	if errors.Is(err, exec.ErrNotFound) {
		return // nothing to compare with; the protocol is tested above
	}
	tg, _ := tagger(t, program)
	if tg.Language(t.Context(), "x.rexx") == syntax.Unknown {
		return // another ctags
	}
	f := tg.Outline(t.Context(), "rexx", "x.rexx", []byte("/* x */\nfoo: procedure\n  return 1\nbar:\n  say 'ü'\n"))
	var got []string
	for _, s := range f.Symbols {
		got = append(got, fmt.Sprintf("%s %d", s.Name, s.StartLine))
	}
	if diff := cmp.Diff([]string{"foo 2", "bar 4"}, got); diff != "" || f.Partial != "" {
		t.Errorf("partial %q (-want +got):\n%s", f.Partial, diff)
	}
	for _, odd := range []string{"", "\x00\xff\n", strings.Repeat("a: procedure ", 1<<17), strings.Repeat("{\n", 1<<16)} {
		if f := tg.Outline(t.Context(), "rexx", "x.rexx", []byte(odd)); f.Partial != "" {
			t.Errorf("%.20q: %s", odd, f.Partial)
		}
	}
}

func FuzzOutline(f *testing.F) {
	f.Add("name", 1, 3, "function", []byte("name\n\n}\n"))
	f.Add("b", 2, -1, "x", []byte("a\nb"))
	f.Fuzz(func(t *testing.T, name string, line, end int, kind string, src []byte) {
		file := outline("x", []tag{{Name: name, Line: line, End: end, Kind: kind}, {Name: name, Line: 1, End: 2}}, src)
		for _, s := range file.Symbols {
			if s.Start < 0 || s.End < s.Start || s.End > len(src) || s.EndLine < s.StartLine || s.NameLine > s.EndLine {
				t.Errorf("%+v of %d bytes", s, len(src))
			}
		}
	})
}
