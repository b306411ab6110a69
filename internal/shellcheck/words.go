package shellcheck

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"codeintel/internal/platform/lazyregexp"
)

// A word is an argument as the command gets it.
type word struct {
	text string // empty: it is only known when the command runs
	glob bool   // it is a pattern for files
	file bool   // it is not known, and can be no option
	tree bool   // what is below may be meant
	like string // it is not known, and is like this but for its numbers
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

// literal returns the value of a word; false if that is only known when the
// command runs.
func literal(w *syntax.Word) (word, bool) {
	if w == nil {
		return word{}, false
	}
	var out word
	for i, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if i == 0 && strings.HasPrefix(p.Value, "~") || bracesHide(p.Value, i == 0) {
				return word{}, false
			}
			out.glob = out.glob || globs(p.Value)
			out.text += unescape(p.Value)
		case *syntax.SglQuoted:
			text := p.Value
			if p.Dollar {
				if strings.Contains(ansiKnown.Replace(text), `\`) {
					return word{}, false
				}
				text = ansi.Replace(text)
			}
			out.text += text
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

// ansi are the escapes of $'…' that are read; others are not known.
var (
	ansi      = strings.NewReplacer(`\t`, "\t", `\n`, "\n", `\r`, "\r", `\'`, "'", `\"`, `"`, `\\`, `\`)
	ansiKnown = strings.NewReplacer(`\t`, "", `\n`, "", `\r`, "", `\'`, "", `\"`, "", `\\`, "")
)

// globs reports whether text that is not quoted is a pattern for file names.
func globs(lit string) bool {
	return lit != "[" && lit != "[[" && lit != "{}" && strings.ContainsAny(lit, "*?[{")
}

// bracesHide reports whether braces may make options of a word, or names in several
// folders.
func bracesHide(lit string, first bool) bool {
	at := strings.IndexByte(lit, '{')
	if at < 0 || !strings.ContainsAny(lit[at:], ",.") {
		return false
	}
	return first && lit[0] == '-' || strings.Contains(lit, "{-") || strings.Contains(lit, ",-") || strings.Contains(lit, "{,") && first && at == 0 || strings.ContainsRune(lit[at:], '/') && strings.Contains(lit[at:], "..")
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
			l, plain = word{file: w.noOption(a), like: w.counted(a)}, false
		} else if l.text == "" {
			l.file = true
		}
		list = append(list, l)
	}
	return list, plain
}

// steeringVariables are the variables that change what the commands after them do.
var steeringVariables = lazyregexp.MustCompile(`^(?:PATH|IFS|ENV|SHELLOPTS|PROMPT_COMMAND|PS[0-4]|CDPATH|HOME|XDG_\w+|BROWSER|MAILPATH|GCONV_PATH|LOCPATH|SSH_\w+|OPENSSL_\w+|\w*PROXY|_?JAVA\w*|JDK_\w+|DOCKER_\w+|LESS\w*|RIPGREP_CONFIG_PATH|\w*PAGER|\w*EDITOR|LD_\w+|DYLD_\w+|GIT_\w+|BASH_.*|BAT_\w+|GO\w+|CARGO\w*|RUSTC\w*|NPM_\w+|npm_\w+|TAR_OPTIONS|HISTFILE|CURL_\w+|\w*WGETRC|RUFF_\w+|SEMGREP_\w+|KUBE\w+|AWS_\w+FILE|CLOUDSDK_(?:CONFIG|PYTHON)|HELM_(?:PLUGINS|BIN)|NODE_\w+|PYTHON\w*|PERL5?\w*|PSQLRC|RUBY\w*)$`)

// testVariables are those of them that people set for tests.
var testVariables = lazyregexp.MustCompile(`^(?:PYTHONPATH|PYTHONDONTWRITEBYTECODE|PYTHONUNBUFFERED|NODE_ENV|GOFLAGS|CARGO_TERM_COLOR|JAVA_HOME)$`)

// assign notes a variable that is set.
func (w *walk) assign(a *syntax.Assign) {
	v, ok := literal(a.Value)
	if ok && (evaluated.MatchString(v.text) || a.Name != nil && strings.ContainsAny(v.text, "`") ||
		a.Name != nil && strings.Contains(v.text, "$(")) {
		w.noteUnclear("sets a variable to text that the shell may evaluate")
	}
	switch {
	case a.Name == nil && !ok: // export "$X"
		w.effect.Programs = append(w.effect.Programs, "sets a variable that is only known when it runs")
	case a.Name == nil:
		name, _, set := strings.Cut(v.text, "=")
		if strings.HasPrefix(name, "-") && strings.Contains(name, "n") {
			w.noteUnclear("has a variable stand for another")
		}
		if set {
			w.sets(name)
		}
	case ok && strings.HasSuffix(a.Name.Value, "PAGER") && (v.text == "cat" || v.text == ""):
	default:
		w.sets(a.Name.Value)
	}
}

// sets notes a variable that is set, if it changes what other commands do.
func (w *walk) sets(name string) {
	switch {
	case testVariables.MatchString(name):
		w.effect.Tests = append(w.effect.Tests, "sets "+name)
	case steeringVariables.MatchString(name):
		w.effect.Programs = append(w.effect.Programs, "sets "+name)
	}
	if name == "CDPATH" {
		w.lost = true
	}
}

// evaluated finds text that the shell runs where it takes it for an index.
var evaluated = lazyregexp.MustCompile(`\[[^\]]*(?:\$\(|` + "`" + `)`)

// An options table says which short and long options of a command take the next
// word as their value.
type options struct {
	short string
	long  []string
	rest  string // short ones whose value, if any, is the rest of their word
}

// operands returns the words that are not options, and the options given, with
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
			if o.takesLong(a) && i+1 < len(args) {
				i++
				a += "=" + args[i].text
			}
			given = append(given, a)
		default:
			for j, c := range a[1:] {
				flag := "-" + string(c)
				if strings.ContainsRune(o.rest, c) {
					given = append(given, flag+"="+a[1+j+len(string(c)):])
					break
				}
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

func (o options) takesLong(long string) bool {
	for _, l := range o.long {
		if shortens(long, l) {
			return true
		}
	}
	return false
}

// shortens reports whether an option abbreviates a long one, which most programs
// let one cut short.
func shortens(given, long string) bool {
	return given == long || len(given) > 2 && strings.HasPrefix(given, "--") && strings.HasPrefix(long, given)
}

// skip returns the index of the first word that is not an option, nor the value of one.
func (o options) skip(args []word) int {
	for i := 0; i < len(args); i++ {
		a := args[i].text
		switch {
		case a == "--":
			return i + 1
		case a == "-" || !strings.HasPrefix(a, "-"):
			return i
		case strings.HasPrefix(a, "--"):
			if o.takesLong(a) {
				i++
			}
		default:
			if at := strings.IndexAny(a[1:], o.short); o.short != "" && at >= 0 && at == len(a)-2 {
				i++
			}
		}
	}
	return len(args)
}

// has reports whether one of the options was given, and the value of the last.
func has(given []string, names ...string) (value string, ok bool) {
	for _, g := range given {
		name, v, _ := strings.Cut(g, "=")
		for _, n := range names {
			if shortens(name, n) {
				value, ok = v, true
			}
		}
	}
	return value, ok
}
