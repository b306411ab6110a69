package shell

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// reading are the commands that change nothing, whatever their arguments.
var reading = set(`: [ alias basename bg break cat cksum cmp column comm continue cut declare df diff dirname du
	echo egrep expand export expr false fg fgrep file fmt fold free getconf getopts grep groups hash head hexdump id jobs join jq let
	local locale ls md5sum mapfile nl nproc numfmt od paste pathchk popd printenv printf ps pushd pwd read readarray readlink readonly
	realpath return rev seq set sha1sum sha224sum sha256sum sha384sum sha512sum shift shopt sleep stat strings sum tac tail test tr true
	tsort tty type typeset ulimit umask uname unset uptime wait wc which whoami zcat zgrep`)

// writing are the commands that change the files they name: all of them, or the
// last one only.
var (
	removing = set(`rm rmdir unlink shred`)
	each     = set(`touch mkdir tee truncate chmod chown chgrp mkfifo`)
	lastOne  = set(`cp ln install rsync`)
)

// values are the options of known commands that take the next word.
var values = map[string]options{
	"head": {short: "nc", long: []string{"--lines", "--bytes"}}, "tail": {short: "ncsp", long: []string{"--lines", "--bytes", "--pid"}},
	"sed": {short: "efl", long: []string{"--expression", "--file"}}, "awk": {short: "Fvf"}, "nl": {short: "bdfhilnsvw"},
	"grep": {short: "efmABCdD", long: []string{"--regexp", "--file", "--max-count", "--include", "--exclude", "--color"}},
	"rg": {short: "efmABCgtTjMdr", long: []string{"--regexp", "--file", "--max-count", "--glob", "--type", "--pre", "--context",
		"--after-context", "--before-context", "--iglob", "--sort", "--color", "--type-not", "--max-depth"}},
	"touch": {short: "dtr"}, "mkdir": {short: "m"}, "truncate": {short: "sr"}, "cp": {short: "tS"}, "mv": {short: "tS"}, "ln": {short: "tS"},
	"install": {short: "tmogS"}, "sort": {short: "oktTS", long: []string{"--output", "--key", "--field-separator"}},
	"bat":     {short: "rlH", long: []string{"--line-range", "--language", "--style", "--color", "--theme", "--paging"}},
	"timeout": {short: "sk", long: []string{"--signal", "--kill-after"}}, "nice": {short: "n"}, "stdbuf": {short: "ioe"}, "ionice": {short: "cnp"},
	"xargs": {short: "nILPdsaE", long: []string{"--max-args", "--max-procs", "--delimiter", "--arg-file"}}, "sudo": {short: "ugp"}, "env": {short: "uCS"},
	"curl": {short: "oHdXuAeFbcm", long: []string{"--output"}}, "wget": {short: "OoPaUi", long: []string{"--output-document"}}, "date": {short: "dsrf"},
	"uniq": {short: "fsw"}, "tree": {short: "LPIo"},
}

// wrappers run the command that they are given.
var wrappers = set(`command builtin env nohup nice timeout stdbuf ionice sudo doas xargs time setsid exec`)

func set(names string) map[string]bool {
	m := make(map[string]bool)
	for _, n := range strings.Fields(names) {
		m[n] = true
	}
	return m
}

// call follows one simple command and returns the files that it shows.
func (w *walk) call(c *syntax.CallExpr) []Read {
	for _, a := range c.Assigns {
		w.assign(a)
		if a.Value != nil {
			w.substitutions(a.Value)
		}
	}
	for _, a := range c.Args {
		w.substitutions(a)
	}
	args, plain := w.words(c.Args)
	if len(args) == 0 {
		return nil
	}
	reads := w.run(args, plain)
	if !plain || w.lost {
		return nil // which files it shows is only known when it runs
	}
	for i := range reads {
		reads[i].Path = w.at(reads[i].Path)
	}
	return reads
}

// run follows a command and its arguments. plain: all of them are known.
func (w *walk) run(args []word, plain bool) []Read {
	if args[0].text == "" || args[0].glob {
		w.unclear("the name of a command is only known when it runs")
		return nil
	}
	name := args[0].text
	if dir, base := path.Split(name); dir == "/bin/" || dir == "/usr/bin/" || dir == "/usr/local/bin/" {
		name = base
	}
	if w.listed(args) {
		return nil
	}
	operands, given := values[name].operands(args[1:])
	switch {
	case name == "cd":
		w.cd(operands, plain)
	case name == "exit" || name == "return" || name == "exec" && len(operands) == 0:
		w.ended = true
	case name == "git":
		w.git(args[1:], plain)
	case name == "code-intel":
		w.ours(args[1:])
	case name == "eval":
		w.evaluate(args[1:], plain)
	case slices.Contains([]string{"sh", "bash", "dash", "zsh", "ksh"}, name):
		w.shell(name, args[1:], plain)
	case wrappers[name]:
		return w.wrapped(name, args[1:], plain)
	case name == "find" || name == "fd":
		w.find(name, args[1:], plain)
	case removing[name]:
		w.each(name, operands, plain, true)
	case each[name]:
		if name == "chmod" || name == "chown" || name == "chgrp" {
			operands = operands[min(1, len(operands)):]
		}
		w.each(name, operands, plain, false)
	case lastOne[name] || name == "mv":
		w.target(name, operands, given, plain)
	case name == "dd" || name == "curl" || name == "wget" || name == "sort" || name == "tree" || name == "uniq" || name == "date":
		w.output(name, operands, given, plain)
	case name == "sed":
		return w.sed(operands, given, plain)
	case name == "awk" || name == "gawk" || name == "mawk":
		return w.awk(operands, given, plain)
	case name == "rg" || name == "ag":
		if _, pre := has(given, "--pre", "--hostname-bin"); pre || !plain && !quoted(args) {
			w.program(args)
			return nil
		}
		return shows(name, operands, given)
	case name == "bat" || name == "less" || name == "more":
		if _, log := has(given, "-o", "-O", "--log-file", "--LOG-FILE"); log {
			w.program(args)
			return nil
		}
		return shows(name, operands, given)
	case reading[name]:
		return shows(name, operands, given)
	default:
		w.program(args)
	}
	return nil
}

// quoted is true of a command none of whose unknown words can be an option: what
// the shell puts in place of a variable might be.
func quoted(args []word) bool {
	return !slices.ContainsFunc(args, func(a word) bool { return a.text == "" })
}

// listed reports whether the command begins like one that the caller lets pass.
func (w *walk) listed(args []word) bool {
	return slices.ContainsFunc(w.reading, func(entry string) bool {
		words := strings.Fields(entry)
		if len(words) == 0 || len(words) > len(args) {
			return false
		}
		for i, word := range words {
			if args[i].text != word {
				return false
			}
		}
		return true
	})
}

// program notes a command that is on no table.
func (w *walk) program(args []word) {
	name := args[0].text
	if len(args) > 1 && args[1].text != "" && !strings.HasPrefix(args[1].text, "-") {
		name += " " + args[1].text
	}
	w.effect.Programs = append(w.effect.Programs, "runs "+name)
}

func (w *walk) cd(operands []word, plain bool) {
	if !plain || len(operands) != 1 || operands[0].text == "-" || operands[0].glob {
		w.lost = true
		return
	}
	if !w.lost || strings.HasPrefix(operands[0].text, "/") {
		w.dir, w.lost = w.at(operands[0].text), false
	}
}

// ours are the verbs of our own command line that change nothing a session
// guards.
var ours = set(`status outline search def refs grep impact version doctor index insights statusline help completion`)

// peoples are those by which a person decides.
var peoples = set(`approve dashboard trust clean hook install uninstall`)

func (w *walk) ours(args []word) {
	if len(args) > 1 && args[0].text == "pipeline" && (args[1].text == "abandon" || args[1].text == "") {
		w.effect.People = append(w.effect.People, strings.TrimSpace("code-intel pipeline "+args[1].text))
		return
	}
	if len(args) > 0 && (peoples[args[0].text] || args[0].text == "") {
		w.effect.People = append(w.effect.People, strings.TrimSpace("code-intel "+args[0].text))
		return
	}
	if len(args) == 0 || !ours[args[0].text] {
		w.program(append([]word{{text: "code-intel"}}, args...))
	}
}

// evaluate follows text that the shell reads as a command line.
func (w *walk) evaluate(args []word, plain bool) {
	var text []string
	for _, a := range args {
		text = append(text, a.text)
	}
	w.opaque = true
	if !plain {
		w.unclear("it evaluates text that is only known when it runs")
	} else if err := w.text(strings.Join(text, " "), w.depth+1); err != nil {
		w.unclear("%v", err)
	}
}

// shell follows sh -c 'text'.
func (w *walk) shell(name string, args []word, plain bool) {
	for i, a := range args {
		switch {
		case strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "--") && strings.Contains(a.text, "c"):
			if i+1 < len(args) {
				w.apart(func() { w.evaluate(args[i+1:i+2], args[i+1].text != "") })
				return
			}
		case !strings.HasPrefix(a.text, "-"):
			w.program(append([]word{{text: name}}, args[i:]...))
			return
		}
	}
	w.program([]word{{text: name}})
}

// wrapped follows the command that a wrapper runs.
func (w *walk) wrapped(name string, args []word, plain bool) []Read {
	if name == "command" && len(args) > 0 && (args[0].text == "-v" || args[0].text == "-V") {
		return nil
	}
	o := values[name]
	i := 0
	for ; i < len(args); i++ {
		a := args[i].text
		if name == "env" && strings.Contains(a, "=") && !strings.HasPrefix(a, "-") {
			if v, _, _ := strings.Cut(a, "="); steering.MatchString(v) {
				w.effect.Programs = append(w.effect.Programs, "it sets "+v)
			}
			continue
		}
		if !strings.HasPrefix(a, "-") {
			break
		}
		if name == "env" && strings.HasPrefix(a, "-S") {
			w.unclear("env -S takes a command line apart")
			return nil
		}
		if len(a) == 2 && strings.Contains(o.short, a[1:]) || o.takes(a) {
			i++ // its value
		}
	}
	if name == "timeout" {
		i++
	}
	if i >= len(args) {
		return nil
	}
	inner := slices.Clone(args[i:])
	if name == "xargs" { // and what it reads from its input
		inner, plain = append(inner, word{}), false
	}
	if name == "sudo" || name == "doas" {
		w.program(args)
	}
	reads := w.run(inner, plain)
	if name == "xargs" {
		return nil
	}
	return reads
}

// find follows the actions of find and fd.
func (w *walk) find(name string, args []word, plain bool) {
	var starts []word
	for _, a := range args {
		if strings.HasPrefix(a.text, "-") || a.text == "(" || a.text == "!" || a.text == "" {
			break
		}
		starts = append(starts, a)
	}
	if len(starts) == 0 {
		starts = []word{{text: "."}}
	}
	if !plain && !quoted(args) && name == "find" {
		w.unclear("an argument of find is only known when it runs")
	}
	for i, a := range args {
		switch a.text {
		case "-delete":
			w.each(name, starts, true, true)
		case "-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch":
			end := i + 1
			for end < len(args) && args[end].text != ";" && args[end].text != "+" {
				end++
			}
			inner := slices.Clone(args[i+1 : end])
			known := true
			for j := range inner {
				if strings.Contains(inner[j].text, "{}") {
					inner[j], known = word{}, false
				}
			}
			if len(inner) > 0 {
				w.run(inner, known && plain)
			}
		case "-fprint", "-fprint0", "-fprintf", "-fls":
			w.each(name, args[min(i+1, len(args)):min(i+2, len(args))], plain, false)
		}
	}
}

// each notes that all the operands are written.
func (w *walk) each(name string, operands []word, plain, remove bool) {
	for _, o := range operands {
		w.write(o, o.text != "", remove, "names a file for "+name)
	}
	if !plain && !slices.ContainsFunc(operands, func(o word) bool { return o.text == "" }) {
		w.unclear("it names a file for %s whose name is only known when it runs", name)
	}
}

// target notes what cp, mv and their like write: the last operand, or the folder
// of -t. mv also removes the others.
func (w *walk) target(name string, operands []word, given []string, plain bool) {
	to, inFolder := has(given, "-t", "--target-directory")
	sources := operands
	if inFolder {
		w.write(word{text: to}, to != "", false, "names a file for "+name)
	} else if len(operands) > 0 {
		last := operands[len(operands)-1]
		sources = operands[:len(operands)-1]
		w.write(last, last.text != "", false, "names a file for "+name)
		for _, s := range sources { // the last one may be a folder
			if last.text != "" && s.text != "" && !s.glob {
				w.write(word{text: strings.TrimSuffix(last.text, "/") + "/" + path.Base(s.text)}, true, false, "")
			}
		}
	}
	if name == "mv" {
		w.each(name, sources, plain, true)
	}
}

// output notes the file that an option or operand names for the output.
func (w *walk) output(name string, operands []word, given []string, plain bool) {
	known := plain || !slices.ContainsFunc(operands, func(o word) bool { return o.text == "" })
	switch name {
	case "dd":
		for _, o := range operands {
			if to, ok := strings.CutPrefix(o.text, "of="); ok {
				w.write(word{text: to}, true, false, "")
			}
		}
	case "uniq":
		if len(operands) > 1 {
			w.write(operands[1], operands[1].text != "", false, "names a file for uniq")
		}
	case "date":
		if _, sets := has(given, "-s", "--set"); sets {
			w.effect.Programs = append(w.effect.Programs, "runs date -s")
		}
	case "curl", "wget":
		w.effect.Programs = append(w.effect.Programs, "runs "+name)
		known = true
	}
	if to, ok := has(given, "-o", "-O", "--output", "--output-document"); ok && to != "" && to != "-" && (name != "wget" || to != "/dev/null") {
		w.write(word{text: to}, true, false, "")
	}
	if !known {
		w.unclear("an argument of %s is only known when it runs", name)
	}
}

// A script of sed that changes nothing is made of addresses, p, d, q, = and s
// without the flags w and e.
const sedAddress = `(?:\d+|\$|/(?:[^/\\]|\\.)*/[IM]?)(?:,\s*[+~]?(?:\d+|\$|/(?:[^/\\]|\\.)*/[IM]?))?\s*!?\s*`

var sedReading = regexp.MustCompile(`^(?:` + sedAddress + `)?(?:[pdqD=]|s/(?:[^/\\]|\\.)*/(?:[^/\\]|\\.)*/[gpiI\d]*|s\|(?:[^|\\]|\\.)*\|(?:[^|\\]|\\.)*\|[gpiI\d]*|s#(?:[^#\\]|\\.)*#(?:[^#\\]|\\.)*#[gpiI\d]*|s,(?:[^,\\]|\\.)*,(?:[^,\\]|\\.)*,[gpiI\d]*)?$`)

// sed follows sed. With -i it writes its files.
func (w *walk) sed(operands []word, given []string, plain bool) []Read {
	scripts, files := scriptsOf(operands, given, "-e", "--expression")
	if slices.ContainsFunc(given, func(g string) bool { return strings.HasPrefix(g, "-i") || strings.HasPrefix(g, "--in-place") }) {
		w.each("sed -i", files, plain, false)
		return nil
	}
	_, fromFile := has(given, "-f", "--file")
	safe := !fromFile && len(scripts) > 0
	for _, s := range scripts {
		for part := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ';' || r == '\n' }) {
			safe = safe && sedReading.MatchString(strings.TrimSpace(part))
		}
		safe = safe && (s != "" || plain)
	}
	if !safe {
		w.effect.Programs = append(w.effect.Programs, "runs sed with a script that may write")
		return nil
	}
	return sedShows(scripts, files, given)
}

// scriptsOf parts the scripts of sed and awk from their files.
func scriptsOf(operands []word, given []string, options ...string) (scripts []string, files []word) {
	for _, g := range given {
		if name, v, _ := strings.Cut(g, "="); slices.Contains(options, name) {
			scripts = append(scripts, v)
		}
	}
	if len(scripts) == 0 && len(operands) > 0 {
		return []string{operands[0].text}, operands[1:]
	}
	return scripts, operands
}

// awkWriting finds what a program of awk needs in order to write or run something.
var awkWriting = regexp.MustCompile(`system|\||printf?[^;}]*>|getline|@|close`)

func (w *walk) awk(operands []word, given []string, plain bool) []Read {
	_, fromFile := has(given, "-f", "-i", "--file", "--include")
	if fromFile || len(operands) == 0 || operands[0].text == "" || awkWriting.MatchString(operands[0].text) {
		w.effect.Programs = append(w.effect.Programs, "runs awk with a program that may write")
		return nil
	}
	return awkShows(operands)
}
