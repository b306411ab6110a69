package shellcheck

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text"
)

// reading are the commands that change nothing, whatever their arguments.
var reading = text.WordSet(`: [ base32 base64 basename bg break cat cksum cmp column comm continue cut declare df diff dirname du
	echo egrep expand export expr false fg fgrep file fmt fold free getconf getopts grep groups hash head hexdump id jobs join jq let
	local locale ls lsof md5sum nm objdump mapfile nl nproc numfmt od paste pathchk pgrep printenv printf ps pwd read readarray readelf readlink readonly
	realpath return rev seq set sha1sum sha224sum sha256sum sha384sum sha512sum shift shopt sleep stat strings sum tac tail test tr true
	tsort tty type typeset ulimit umask uname unset uptime wait wc which whoami zcat zgrep`)

// writing are the commands that change the files they name: all of them, or the
// last one only.
var (
	removing = text.WordSet(`rm rmdir unlink shred`)
	each     = text.WordSet(`touch mkdir tee truncate chmod chown chgrp mkfifo`)
	lastOne  = text.WordSet(`cp ln install rsync`)
)

// values are the options of known commands that take the next word.
var values = map[string]options{
	"head": {short: "nc", long: []string{"--lines", "--bytes"}}, "tail": {short: "ncsp", long: []string{"--lines", "--bytes", "--pid"}},
	"sed": {short: "efl", long: []string{"--expression", "--file", "--line-length"}, rest: "i"}, "awk": {short: "Fvf"}, "nl": {short: "bdfhilnsvw"},
	"grep": {short: "efmABCdD", long: []string{"--regexp", "--file", "--max-count", "--include", "--exclude", "--color"}},
	"rg": {short: "efmABCgtTjMdr", long: []string{"--regexp", "--file", "--max-count", "--glob", "--type", "--pre", "--context",
		"--after-context", "--before-context", "--iglob", "--sort", "--color", "--type-not", "--max-depth"}},
	"touch": {short: "dtr"}, "mkdir": {short: "m"}, "truncate": {short: "sr"}, "cp": {short: "tS"}, "mv": {short: "tS"}, "ln": {short: "tS"},
	"install": {short: "tmogS"}, "sort": {short: "oktTS", long: []string{"--output", "--key", "--field-separator", "--compress-program", "--temporary-directory"}},
	"bat":  {short: "rlH", long: []string{"--line-range", "--language", "--style", "--color", "--theme", "--paging"}},
	"exec": {short: "a"}, "time": {short: "of"}, "gofmt": {}, "rsync": {short: "ef", long: []string{"--exclude", "--include", "--exclude-from", "--filter", "--rsh"}},
	"fd":   {short: "detEcjSo", long: []string{"--exclude", "--type", "--extension", "--max-depth", "--size", "--owner"}},
	"bash": {short: "oO", long: []string{"--rcfile", "--init-file"}}, "xxd": {short: "clso"}, "unset": {}, "chmod": {},
	"timeout": {short: "sk", long: []string{"--signal", "--kill-after"}}, "nice": {short: "n"}, "stdbuf": {short: "ioe"}, "ionice": {short: "cnp"},
	"xargs": {short: "nILPdsaE", long: []string{"--max-args", "--max-procs", "--delimiter", "--arg-file"}}, "sudo": {short: "ugp"}, "env": {short: "uCS", long: []string{"--unset", "--chdir", "--split-string"}},
	"curl": {short: "oHdXuAeFbcmDTwKxrzCEyYQtUP", long: []string{"--output", "--dump-header", "--cookie-jar", "--trace", "--stderr", "--output-dir"}}, "wget": {short: "OoPaUi", long: []string{"--output-document"}}, "date": {short: "dsrf"},
	"uniq": {short: "fsw"}, "tree": {short: "LPIo"},
}

// wrappers run the command that they are given.
var wrappers = text.WordSet(`busybox toybox command builtin env nohup nice timeout stdbuf ionice sudo doas xargs time setsid exec`)

// call follows one simple command and returns the files that it shows.
func (w *walk) call(c *syntax.CallExpr) []Read {
	for _, a := range c.Assigns {
		if name, ok := firstWord(c); !ok || name != "read" || a.Name.Value != "IFS" { // of read alone
			w.assign(a)
		}
		w.substitutions(a)
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

func firstWord(c *syntax.CallExpr) (string, bool) {
	if len(c.Args) == 0 {
		return "", false
	}
	name, ok := literal(c.Args[0])
	return name.text, ok
}

// run follows a command and its arguments. plain: all of them are known.
func (w *walk) run(args []word, plain bool) []Read {
	if args[0].text == "" || args[0].glob {
		w.unclear("runs a command, and the name of a command is only known when it runs")
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
	if dashed[name] && open(args[1:]) {
		w.effect.Programs = append(w.effect.Programs, "runs "+name+" with an argument that may be an option")
	}
	if builtins[name] {
		w.builtin(name, args[1:], given)
	}
	switch {
	case name == "cd" || name == "pushd":
		w.cd(operands, plain)
	case name == "popd":
		w.lost = true
	case name == "alias":
		if len(operands) > 0 {
			w.unclear("gives a command another name")
		}
	case name == "trap":
		if len(operands) > 1 {
			w.apart(func() { w.evaluate(operands[:1], operands[0].text != "") })
		}
	case len(args) == 2 && versions[args[1].text] && !strings.Contains(name, "/"):
	case len(args) == 2 && args[1].text == "-v" && slices.Contains([]string{"node", "npm", "yarn", "pnpm", "php", "ruby"}, name):
	case name == "go":
		w.golang(args)
	case name == "exit" || name == "return" || name == "exec" && len(operands) == 0:
		w.ended = true
	case name == "git":
		w.git(args[1:], plain)
	case strings.TrimSuffix(path.Base(name), ".exe") == "code-intel":
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
		_, like := has(given, "-r", "-w", "-x", "-s", "-t", "-X", "--reference")
		if (name == "chmod" || name == "chown" || name == "chgrp") && !like {
			operands = operands[min(1, len(operands)):]
		}
		w.each(name, operands, plain, false)
	case lastOne[name] || name == "mv":
		w.target(name, operands, given, plain)
	case name == "xxd":
		if _, back := has(given, "-r", "-revert"); back || len(operands) > 1 {
			w.program(args)
		}
	case name == "gofmt":
		if slices.ContainsFunc(given, func(g string) bool { return !slices.Contains([]string{"-l", "-d", "-s", "-e"}, g) }) {
			w.program(args)
		}
	case name == "file":
		if _, makes := has(given, "-C", "--compile"); makes {
			w.program(args)
		}
	case name == "jobs":
		if _, runs := has(given, "-x"); runs {
			w.run(operands, plain)
		}
	case name == "dd" || name == "curl" || name == "wget" || name == "sort" || name == "tree" || name == "uniq" || name == "date":
		w.output(name, operands, given, plain)
	case name == "sed":
		return w.sed(operands, given, plain)
	case name == "awk" || name == "gawk" || name == "mawk":
		return w.awk(operands, given, plain)
	case name == "rg" || name == "ag":
		if _, pre := has(given, "--pre", "--hostname-bin", "--pager"); pre {
			w.program(args)
			return nil
		}
		return shows(name, operands, given)
	case name == "bat" || name == "less" || name == "more":
		_, log := has(given, "-o", "-O", "--log-file", "--LOG-FILE", "--pager", "--config-file")
		if log || slices.ContainsFunc(operands, func(o word) bool { return strings.HasPrefix(o.text, "+") || o.text == "cache" }) {
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

// dashed are the reading commands that write, or run something, given some option.
var dashed = text.WordSet(`sed rg ag less more bat sort tree uniq date file xxd gofmt fd jobs mapfile readarray hash`)

// versions are the words with which any program only says something of itself.
var versions = text.WordSet(`--version --help -V -version`)

// builtins are those that set variables, or take text for an index or a command.
var builtins = text.WordSet(`test [ printf read unset let declare typeset local export readonly mapfile readarray getopts wait hash shopt set`)

// builtin notes what builtins do that else only read.
func (w *walk) builtin(name string, args []word, given []string) {
	for i, a := range args {
		if evaluated.MatchString(a.text) {
			w.unclear("gives %s text that the shell may evaluate", name)
		}
		switch name {
		case "read", "mapfile", "readarray", "getopts", "unset", "export", "declare", "typeset", "local", "readonly":
			variable, _, _ := strings.Cut(a.text, "=")
			w.sets(variable)
		case "printf":
			if i > 0 && args[i-1].text == "-v" {
				w.sets(a.text)
			}
			if variable, ok := strings.CutPrefix(a.text, "-v"); ok {
				w.sets(variable)
			}
		case "shopt":
			if a.text == "dotglob" || a.text == "expand_aliases" {
				w.unclear("changes what names stand for (%s)", a.text)
			}
		}
	}
	if _, runs := has(given, "-C", "-p"); runs && (name == "mapfile" || name == "readarray" || name == "hash") {
		w.unclear("has %s run something", name)
	}
}

// golang follows the commands of go that change nothing but its own caches.
func (w *walk) golang(args []word) {
	rest := args[min(2, len(args)):]
	reads := len(args) > 1 && text.WordSet("doc env help list version vet")[args[1].text] && !open(rest) || len(args) > 2 && args[1].text == "mod" && text.WordSet("graph why verify")[args[2].text]
	if !reads || slices.ContainsFunc(rest, func(a word) bool {
		flag, value, _ := strings.Cut(strings.TrimPrefix(a.text, "-"), "=")
		return slices.Contains([]string{"-w", "-u", "-vettool", "-toolexec", "-overlay", "-modfile", "-fix", "-http"}, flag) && strings.HasPrefix(a.text, "-") || flag == "-mod" && value != "vendor" ||
			slices.Contains([]string{"-w", "-u", "-vettool", "-toolexec", "-overlay", "-modfile", "-fix", "-mod=mod"}, a.text) || strings.HasPrefix(a.text, "-vettool=") || strings.HasPrefix(a.text, "-toolexec=")
	}) {
		w.program(args)
	}
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

// program notes a command that is on no table, and what its arguments name.
func (w *walk) program(args []word) {
	name := args[0].text
	if len(args) > 1 && args[1].text != "" && !strings.HasPrefix(args[1].text, "-") {
		name += " " + args[1].text
	}
	w.effect.Programs = append(w.effect.Programs, "runs "+name)
	var said []string
	for i, a := range args[1:] {
		said = append(said, a.text)
		if leftOut.MatchString(a.text) || leftOut.MatchString(args[i].text) {
			continue
		}
		for _, m := range steersIn.FindAllString(a.text, 20) {
			w.effect.Named = append(w.effect.Named, w.at(m))
		}
	}
	text := strings.Join(said, " ")
	if verb := ourVerb.FindString(text); verb != "" {
		w.effect.People = append(w.effect.People, "code-intel "+verb[strings.LastIndexFunc(verb, func(r rune) bool { return r < 'a' || r > 'z' })+1:])
	}
	base := path.Base(args[0].text)
	if runner.MatchString(base) && gitVerb.MatchString(text) {
		w.effect.History = append(w.effect.History, "git, started by "+base+",")
	}
	last := args[len(args)-1].text
	if killers[base] && (strings.Contains(w.line, "code-intel") || base == "pkill" && strings.Contains(text, "mcp") || len(args) > 2 && last == "-1") {
		w.effect.People = append(w.effect.People, base+" of the server of this session")
	}
}

// What a program that is not known may do is told by what its arguments name.
var (
	steersIn = lazyregexp.MustCompile(`[^\s'"=(),;:<>|&]*(?:\.(?:git|code-intel|claude|codex|cursor|gemini|opencode|specs|github|vscode)\b|\.mcp\.json|opencode\.json)[^\s'"(),;:<>|&]*`)
	leftOut  = lazyregexp.MustCompile(`(?i)exclu|ignore|prune|glob`)
	ourVerb  = lazyregexp.MustCompile(`\bcode-intel(?:\.exe)?['",\s]+(?:[^\s]+\s+){0,3}?['"]?(?:approve|dashboard|trust|clean|hook|install|uninstall|abandon)\b`)
	runner   = lazyregexp.MustCompile(`^(?:python|perl|node|ruby|php|lua|tclsh|expect|bash|sh)|^(?:script|su|runuser|watch|flock|parallel|tmux|screen|strace|busybox|at|unbuffer|chronic|entr|setpriv|unshare|taskset|bun|deno)$`)
	gitVerb  = lazyregexp.MustCompile(`\bgit['",\s]+(?:-\S+\s+)*['"]?(?:commit|reset|stash|rebase|push|merge|cherry-pick|revert|switch|am|pull|update-ref|filter-branch|gc|prune|worktree|symbolic-ref)\b`)
	killers  = text.WordSet(`kill pkill killall fuser skill`)
)

func (w *walk) cd(operands []word, plain bool) {
	if !plain || len(operands) != 1 || operands[0].text == "-" || operands[0].glob {
		w.lost = true
		return
	}
	if !w.lost || strings.HasPrefix(operands[0].text, "/") {
		w.been = append(w.been, w.dir)
		w.dir, w.lost = w.at(operands[0].text), false
	}
}

// ours are the verbs of our own command line that change nothing a session
// guards; showing are those of session and pipeline.
var (
	ours    = text.WordSet(`status outline search def refs grep impact version doctor index insights statusline help completion`)
	showing = text.WordSet(`show verify list`)
)

// peoples are those by which a person decides, or by which something could speak for him.
var peoples = text.WordSet(`approve mcp dashboard trust clean hook install uninstall abandon`)

func (w *walk) ours(args []word) {
	args = args[(options{long: []string{"--root", "--log", "--lang"}}).skip(args):]
	verb, about := "", ""
	if len(args) > 0 {
		verb = args[0].text
	}
	if verb == "session" || verb == "pipeline" {
		if args = args[1:]; len(args) > 0 {
			about, args = verb+" ", args[(options{}).skip(args):]
		}
		if verb = "show"; len(args) > 0 {
			verb = args[0].text
		}
	}
	switch {
	case len(args) > 0 && (peoples[verb] || verb == ""):
		w.effect.People = append(w.effect.People, strings.TrimSpace("code-intel "+about+verb))
	case about != "" && showing[verb] || about == "" && (ours[verb] || verb == "show"):
	default:
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
		w.unclear("evaluates text that is only known when it runs")
	} else if err := w.text(strings.Join(text, " "), w.depth+1); err != nil {
		w.unclear("evaluates text, and %v", err)
	}
}

// shell follows sh -c 'text'. What it reads from its input is not known.
func (w *walk) shell(name string, args []word, plain bool) {
	rest := args[values["bash"].skip(args):]
	for _, a := range args[:len(args)-len(rest)] {
		if strings.HasPrefix(a.text, "--rcfile") || strings.HasPrefix(a.text, "--init-file") {
			w.program(append([]word{{text: name}}, args...))
		}
		if strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "--") && strings.Contains(a.text, "c") {
			if len(rest) > 0 {
				w.apart(func() { w.evaluate(rest[:1], rest[0].text != "") })
			}
			return
		}
	}
	if len(rest) > 0 {
		w.program(append([]word{{text: name}}, rest...))
		return
	}
	w.program([]word{{text: name}})
	w.unclear("has %s run what it reads", name)
}

// wrapped follows the command that a wrapper runs.
func (w *walk) wrapped(name string, args []word, plain bool) []Read {
	if name == "command" && len(args) > 0 && (args[0].text == "-v" || args[0].text == "-V") {
		return nil
	}
	i := values[name].skip(args)
	for _, a := range args[:min(i, len(args))] {
		switch a := a.text; {
		case name == "env" && (strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.Contains(a, "S") || strings.HasPrefix(a, "--s")):
			w.unclear("has env take a command line apart")
			return nil
		case name == "env" && (strings.HasPrefix(a, "-C") || strings.HasPrefix(a, "--ch")):
			w.lost = true
		case name == "time" && strings.HasPrefix(a, "-") && (strings.Contains(a, "o") || strings.Contains(a, "a")):
			w.effect.Programs = append(w.effect.Programs, "runs time into a file")
		}
	}
	for ; name == "env" && i < len(args) && strings.Contains(args[i].text, "="); i++ {
		v, _, _ := strings.Cut(args[i].text, "=")
		w.sets(v)
	}
	if name == "timeout" {
		i++
	}
	if i >= len(args) {
		return nil
	}
	inner := slices.Clone(args[i:])
	if name == "xargs" { // and what it reads from its input
		in := word{file: w.piped}
		_, given := values["xargs"].operands(args[:i])
		if mark, ok := has(given, "-I", "--replace"); ok && mark != "" {
			for k := range inner {
				if inner[k].text == mark {
					inner[k], plain = in, false
				} else if strings.Contains(inner[k].text, mark) {
					inner[k], plain = word{file: !strings.HasPrefix(inner[k].text, mark) || w.piped}, false
				}
			}
		} else {
			inner, plain = append(inner, in), false
		}
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
		if strings.HasPrefix(a.text, "-") || a.text == "(" || a.text == "!" || a.text == "" && !a.file {
			break
		}
		starts = append(starts, a)
	}
	if len(starts) == 0 {
		starts = []word{{text: "."}}
	}
	if name == "find" && open(args) {
		w.unclear("gives find an argument that is only known when it runs")
	}
	if _, given := values["fd"].operands(args); name == "fd" {
		if _, runs := has(given, "-x", "-X", "--exec", "--exec-batch"); runs {
			w.effect.Programs = append(w.effect.Programs, "runs fd with a program")
		}
	}
	found := w.found(starts, args)
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
			for _, file := range found {
				each, known := slices.Clone(inner), plain
				for j := range each {
					if each[j].text == "{}" {
						each[j], known = file, known && file.text != ""
					} else if strings.Contains(each[j].text, "{}") {
						each[j], known = word{}, false
					}
				}
				if len(each) > 0 {
					w.run(each, known)
				}
			}
		case "-fprint", "-fprint0", "-fprintf", "-fls":
			w.each(name, args[min(i+1, len(args)):min(i+2, len(args))], plain, false)
		}
	}
}

// found returns what {} stands for in the actions of find: files of one kind below the
// folders that it starts in, or anything there.
func (w *walk) found(starts, args []word) (files []word) {
	pattern := ""
	for i, a := range args {
		if a.text == "-name" && i+1 < len(args) && !slices.ContainsFunc(args, func(a word) bool { return a.text == "-o" || a.text == "-or" || a.text == "!" || a.text == "-not" }) {
			pattern = args[i+1].text
		}
	}
	for _, s := range starts {
		if ext := path.Ext(pattern); s.text != "" && !s.glob && sources[strings.TrimPrefix(ext, ".")] {
			s = word{text: strings.TrimSuffix(s.text, "/") + "/" + pattern, glob: true}
		} else if s.text != "" {
			s.tree = true
		}
		files = append(files, s)
	}
	return files
}

// sources are the endings of files that steer nothing.
var sources = text.WordSet(`c cc cpp css go h hpp html java jsx kt log md o orig php py pyc rb rej rs rst scss swift test tmp ts tsx txt vue bak`)

// each notes that all the operands are written.
func (w *walk) each(name string, operands []word, plain, remove bool) {
	for _, o := range operands {
		w.write(o, o.text != "", remove, "names a file for "+name)
	}
	if !plain && !slices.ContainsFunc(operands, func(o word) bool { return o.text == "" || o.glob || o.tree }) {
		w.unclear("names a file for %s whose name is only known when it runs", name)
	}
}

// target notes what cp, mv and their like write: the last operand, or the folder
// of -t. mv also removes the others.
func (w *walk) target(name string, operands []word, given []string, plain bool) {
	to, inFolder := has(given, "-t", "--target-directory")
	last, sources := word{text: to}, operands
	if !inFolder && len(operands) > 0 {
		last, sources = operands[len(operands)-1], operands[:len(operands)-1]
	}
	if inFolder || len(operands) > 0 {
		w.write(last, last.text != "", false, "names a file for "+name)
	}
	for _, s := range sources { // the last one may be a folder, and what goes there too
		folder := strings.TrimSuffix(last.text, "/")
		switch {
		case last.text == "":
		case s.text == "" || s.glob:
			w.write(word{text: folder, tree: true, glob: last.glob}, true, false, "")
		default:
			w.write(word{text: folder + "/" + path.Base(s.text), tree: true, glob: last.glob}, true, false, "")
			if strings.HasSuffix(s.text, "/") || strings.HasSuffix(s.text, "/.") {
				w.write(word{text: folder, tree: folder != ".", glob: last.glob}, true, false, "")
			}
		}
		if name == "ln" { // who may write the link may write what it leads to
			w.write(word{text: s.text, tree: true, glob: s.glob}, s.text != "", false, "links to a file")
			if s.text != "" && !strings.HasPrefix(s.text, "/") {
				w.write(word{text: path.Dir(last.text) + "/" + s.text, tree: true}, true, false, "")
			}
		}
	}
	if _, deletes := has(given, "--delete", "--del"); name == "rsync" && deletes {
		w.write(last, last.text != "", true, "names a folder for "+name)
	}
	if name == "mv" {
		w.each(name, sources, plain, true)
	}
}

// output notes the file that an option or operand names for the output.
func (w *walk) output(name string, operands []word, given []string, plain bool) {
	known := plain || !open(operands) || name == "sort"
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
		if _, sets := has(given, "-s", "--set"); sets || slices.ContainsFunc(operands, func(o word) bool { return !strings.HasPrefix(o.text, "+") }) {
			w.effect.Programs = append(w.effect.Programs, "runs date -s")
		}
	case "curl", "wget":
		w.effect.Programs = append(w.effect.Programs, "runs "+name)
		known = true
	}
	if _, runs := has(given, "--compress-program", "-R"); runs && (name == "sort" || name == "tree") && !slices.Contains(given, "-R") || name == "tree" && slices.Contains(given, "-R") {
		w.effect.Programs = append(w.effect.Programs, "runs "+name+" with a program of its own")
	}
	if to, ok := has(given, "-o", "-O", "--output", "--output-document"); ok && to != "-" && to != "/dev/null" && name != "uniq" && (to != "" || name == "sort" || name == "tree") {
		w.write(word{text: to}, to != "", false, "names a file for "+name)
	}
	if to, ok := has(given, "-D", "-c", "--dump-header", "--cookie-jar", "--trace", "--trace-ascii", "--stderr", "--output-dir"); ok && name == "curl" && to != "-" && to != "" {
		w.write(word{text: to}, true, false, "")
	}
	if !known {
		w.unclear("gives %s an argument that is only known when it runs", name)
	}
}

// sed follows sed. With -i it writes its files.
func (w *walk) sed(operands []word, given []string, plain bool) []Read {
	scripts, files := scriptsOf(operands, given, "-e", "--expression")
	if _, inPlace := has(given, "-i", "--in-place"); inPlace {
		w.each("sed -i", files, plain, false)
		return nil
	}
	_, fromFile := has(given, "-f", "--file")
	safe := !fromFile && len(scripts) > 0
	for _, s := range scripts {
		safe = safe && sedReads(s) && (s != "" || plain)
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
		return []string{operands[0].text + operands[0].like}, operands[1:]
	}
	return scripts, operands
}

func (w *walk) awk(operands []word, given []string, plain bool) []Read {
	other := slices.ContainsFunc(given, func(g string) bool {
		name, _, _ := strings.Cut(g, "=")
		return !slices.Contains([]string{"-F", "-v", "--field-separator", "--assign", "--posix", "--re-interval", "--sandbox"}, name)
	})
	if other || len(operands) == 0 || operands[0].text == "" || !awkReads(operands[0].text) {
		w.effect.Programs = append(w.effect.Programs, "runs awk with a program that may write")
		return nil
	}
	return awkShows(operands)
}
