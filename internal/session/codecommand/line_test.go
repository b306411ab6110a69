package codecommand

import (
	"strings"
	"testing"

	"codeintel/internal/problem"
)

func TestAsks(t *testing.T) {
	const fits, not = "", NotWhatWasAsked
	for name, tt := range map[string]struct {
		prompt string
		query  string
		flags  []string
		want   problem.Code
	}{
		"word for word":                    {"/code Fix the total", "Fix the total", nil, fits},
		"other white space, other width":   {"/code  Ｆｉｘ the\n total ", "Fix the total", nil, fits},
		"flags in front":                   {"/code --fast -g=auto Fix it", "Fix it", []string{"--fast"}, fits},
		"flags behind":                     {"$code Fix it --no-doc", "Fix it", []string{"--no-doc-research"}, fits},
		"flags sent in the query as well":  {"/code -q Fix it", "-q Fix it", []string{"-q"}, fits},
		"the command of a plugin":          {"/code-intel:code Fix it", "Fix it", nil, fits},
		"Japanese":                         {"/code --fast 合計を　直す", "合計を 直す", []string{"-f"}, fits},
		"another query":                    {"/code Fix the total", "Fix everything", nil, not},
		"part of the query":                {"/code Fix the total and the tax", "Fix the total", nil, not},
		"a flag more":                      {"/code Fix it", "Fix it", []string{"--no-verify"}, not},
		"a flag less":                      {"/code --gate=full Fix it", "Fix it", nil, not},
		"another value":                    {"/code --gate=full Fix it", "Fix it", []string{"--gate=auto"}, not},
		"an option word within":            {"/code why does grep -v fail", "why does grep -v fail", nil, fits},
		"an option word within, meant":     {"/code Fix it -f and quickly", "Fix it and quickly", []string{"-f"}, fits},
		"a flag that there is not":         {"/code --fats Fix it", "Fix it", []string{"--fast"}, not},
		"flags that contradict each other": {"/code -f -q Fix it", "Fix it", []string{"-f"}, not},
		"no request":                       {"/code --fast", "Fix it", nil, fits},
		"another command":                  {"/codex Fix it", "Fix everything", nil, fits},
		"the word in a sentence":           {"run /code Fix it", "Fix everything", nil, fits},
		"a request that looks like a line": {"/code $code is never set", "$code is never set", nil, fits},
		"the whole line as the query":      {"/code -f Fix it", "/code -f Fix it", []string{"-f"}, fits},
		"a path":                           {"/code/a.go is broken", "Fix it", nil, fits},
	} {
		t.Run(name, func(t *testing.T) {
			flags, err := ParseFlags(tt.flags)
			if err != nil {
				t.Fatal(err)
			}
			line, ok := Of(tt.prompt)
			if !ok || line.Request() == "" {
				if tt.want != fits {
					t.Error("it is no line that binds")
				}
				return
			}
			err = line.Asks(tt.query, flags)
			p := problem.Of(err)
			switch {
			case tt.want == fits && err != nil:
				t.Errorf("refused: %v", err)
			case tt.want != fits && (p == nil || p.Code != tt.want || len(p.Next) == 0):
				t.Errorf("answered %v", err)
			case tt.want != fits && !strings.Contains(p.Message.String(), tt.prompt):
				t.Errorf("the refusal does not say what was asked: %v", err)
			}
		})
	}
}

// FuzzLine wants whoever asks for what a line says to be let through.
func FuzzLine(f *testing.F) {
	for _, prompt := range []string{"/code --fast Ｆｉｘ the\n total", "$code Fix it -g=full", "/code /code -q", "/x:code 合計を　直す -e -v", "/code ¨ ﬁx"} {
		f.Add(prompt)
	}
	f.Fuzz(func(t *testing.T, prompt string) {
		line, ok := Of(prompt)
		outer, _ := line.flags()
		flags, err := ParseFlags(outer)
		if !ok || err != nil {
			return
		}
		if err := line.Asks(line.Request(), flags); err != nil {
			t.Error(err)
		}
		if err := line.Asks(prompt, flags); err != nil {
			t.Error(err)
		}
	})
}
