package shell

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A word is an argument as the command gets it.
type word struct {
	text string
	glob bool // it stands for all files that it matches
}

// Words returns the arguments of a command line that is one command and nothing
// else: no pipe, no redirection, no variable, no pattern.
func Words(command string) ([]string, bool) {
	if len(command) > longest {
		return nil, false
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil || len(file.Stmts) != 1 {
		return nil, false
	}
	s := file.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Background || s.Coprocess || s.Negated || len(s.Redirs) > 0 || len(call.Assigns) > 0 {
		return nil, false
	}
	var words []string
	for _, arg := range call.Args {
		w, ok := literal(arg)
		if !ok || w.glob {
			return nil, false
		}
		words = append(words, w.text)
	}
	return words, len(words) > 0
}

// literal returns what a word stands for; false if that is only known when the
// command runs.
func literal(w *syntax.Word) (word, bool) {
	if w == nil {
		return word{}, false
	}
	var out word
	for i, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if i == 0 && strings.HasPrefix(p.Value, "~") {
				return word{p.Value, false}, false
			}
			out.glob = out.glob || strings.ContainsAny(p.Value, "*?[{")
			out.text += unescape(p.Value)
		case *syntax.SglQuoted:
			if p.Dollar {
				return out, false
			}
			out.text += p.Value
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				lit, ok := q.(*syntax.Lit)
				if !ok || p.Dollar {
					return out, false
				}
				out.text += unescapeQuoted(lit.Value)
			}
		default:
			return out, false
		}
	}
	return out, true
}

// unescape takes the backslashes out of text that is not quoted.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// unescapeQuoted does so within double quotes, where few characters need it.
func unescapeQuoted(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// words returns the arguments as text, and whether all of them are known. An
// unknown one is the empty string.
func (w *walk) words(args []*syntax.Word) (list []word, plain bool) {
	plain = true
	for _, a := range args {
		l, ok := literal(a)
		if !ok {
			l, plain = word{}, false
		}
		list = append(list, l)
	}
	return list, plain
}

// steering are the variables that change what the commands after them do.
var steering = regexp.MustCompile(`^(?:PATH|IFS|ENV|SHELLOPTS|PROMPT_COMMAND|LESS|LESSOPEN|LESSCLOSE|RIPGREP_CONFIG_PATH|\w*PAGER|\w*EDITOR|LD_\w+|DYLD_\w+|GIT_\w+|BASH_\w+|NODE_\w+|PYTHON\w*|PERL5?\w*|RUBY\w*)$`)

// assign notes a variable that is set.
func (w *walk) assign(a *syntax.Assign) {
	if a.Name == nil || !steering.MatchString(a.Name.Value) {
		return
	}
	if v, ok := literal(a.Value); ok && strings.HasSuffix(a.Name.Value, "PAGER") && (v.text == "cat" || v.text == "") {
		return
	}
	w.effect.Programs = append(w.effect.Programs, "it sets "+a.Name.Value)
}

// An options table says which short and long options of a command take the next
// word as their value.
type options struct {
	short string
	long  []string
}

// operands returns the words that are no options, and the options given, with
// their values after "=": "-n=5", "--lines=5".
func (o options) operands(args []word) (operands []word, given []string) {
	for i := 0; i < len(args); i++ {
		a := args[i].text
		switch {
		case a == "--":
			return append(operands, args[i+1:]...), given
		case a == "-" || !strings.HasPrefix(a, "-"):
			operands = append(operands, args[i])
		case strings.HasPrefix(a, "--"):
			if o.takes(a) && i+1 < len(args) {
				i++
				a += "=" + args[i].text
			}
			given = append(given, a)
		default:
			for j, c := range a[1:] {
				flag := "-" + string(c)
				if !strings.ContainsRune(o.short, c) {
					given = append(given, flag)
					continue
				}
				value := a[1+j+len(string(c)):]
				if value == "" && i+1 < len(args) {
					i++
					value = args[i].text
				}
				given = append(given, flag+"="+value)
				break
			}
		}
	}
	return operands, given
}

func (o options) takes(long string) bool {
	for _, l := range o.long {
		if l == long {
			return true
		}
	}
	return false
}

// has reports whether one of the options was given, and the value of the last.
func has(given []string, names ...string) (value string, ok bool) {
	for _, g := range given {
		name, v, _ := strings.Cut(g, "=")
		for _, n := range names {
			if name == n {
				value, ok = v, true
			}
		}
	}
	return value, ok
}
