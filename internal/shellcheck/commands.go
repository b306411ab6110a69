package shellcheck

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"codeintel/internal/clients/registry"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text"
)

// A call is a command with its arguments.
type call struct {
	*command
	words    []word // all of it
	name     string // of the program, without the folder if that is one of the system's
	args     []word // after the name
	operands []word // those that are not options
	given    []string
	plain    bool // all of them are known
}

// option reports whether one of the options is given, and the value of the last.
func (c *call) option(names ...string) (value string, ok bool) { return has(c.given, names...) }

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
		reads[i].Path = w.relativeTo(reads[i].Path)
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

// systemFolders are where the programs of the table lie.
var systemFolders = text.WordSet(`/bin/ /usr/bin/ /usr/local/bin/`)

// run follows a command and its arguments. plain: all of them are known.
func (w *walk) run(args []word, plain bool) []Read {
	if args[0].text == "" || args[0].glob {
		w.noteUnclear("runs a command, and the name of a command is only known when it runs")
		return nil
	}
	if w.isAllowed(args) {
		before := w.effect
		defer func() { // what it is known to write or decide, it does all the same
			w.effect.Programs, w.effect.Tests, w.effect.Unclear = before.Programs, before.Tests, before.Unclear
		}()
	}
	c := &call{words: args, name: args[0].text, args: args[1:], plain: plain}
	if dir, base := path.Split(c.name); systemFolders[dir] {
		c.name = base
	}
	if c.command = lookup(c.name); c.command == unknown && strings.TrimSuffix(path.Base(c.name), ".exe") == "code-intel" {
		c.command = lookup("code-intel")
	}
	if inner := started(c.name, c.args); inner != nil {
		return w.run(inner, plain)
	}
	c.operands, c.given = c.values.operands(c.args)
	if c.risky && mayBeOption(c.args) {
		w.runs(c.name + " with an argument that may be an option")
	}
	if c.evaluates {
		w.builtin(c)
	}
	if len(args) == 2 && versions[args[1].text] && !strings.Contains(c.name, "/") && !c.noVersion {
		return nil
	}
	return w.followReader(c)
}

// followReader follows a command that may be in the table of readers: alone there, or beside a row
// that says which files it shows or writes.
func (w *walk) followReader(c *call) []Read {
	if readerOf(c.name) == nil && !pythons.MatchString(c.name) {
		return c.follow(w, c)
	}
	name, args := readerCall(c.name, c.args)
	r := readerOf(name)
	reads := r != nil && r.reads(args)
	if c.command == unknown {
		if !reads {
			w.program(c.words)
		}
		return nil
	}
	noted := w.effect.countNoted()
	shows := c.follow(w, c)
	if !reads && w.effect.countNoted() == noted {
		w.program(c.words)
	}
	return shows
}

// versions are the words with which any program only says something of itself.
var versions = text.WordSet(`--version --help -V -version`)

// runs notes a program of which it is not known that it only reads.
func (w *walk) runs(what string) { w.effect.Programs = append(w.effect.Programs, "runs "+what) }

// builtin notes what builtins do besides reading.
func (w *walk) builtin(c *call) {
	for i, a := range c.args {
		if evaluated.MatchString(a.text) {
			w.noteUnclear("gives %s text that the shell may evaluate", c.name)
		}
		switch {
		case c.variables:
			variable, _, _ := strings.Cut(a.text, "=")
			w.sets(variable)
		case c.name == "printf":
			if i > 0 && c.args[i-1].text == "-v" {
				w.sets(a.text)
			}
			if variable, ok := strings.CutPrefix(a.text, "-v"); ok {
				w.sets(variable)
			}
		case c.name == "shopt" && (a.text == "dotglob" || a.text == "expand_aliases"):
			w.noteUnclear("changes what names stand for (%s)", a.text)
		}
	}
	if _, runs := c.option("-C", "-p"); runs && c.risky {
		w.noteUnclear("has %s run something", c.name)
	}
}

func (w *walk) followCD(c *call) []Read {
	w.cd(c.operands, c.plain)
	return nil
}

func (w *walk) followPopd(*call) []Read {
	w.lost = true
	return nil
}

func (w *walk) followAlias(c *call) []Read {
	if len(c.operands) > 0 {
		w.noteUnclear("gives a command another name")
	}
	return nil
}

func (w *walk) followTrap(c *call) []Read {
	if len(c.operands) > 1 {
		w.inSubshell(func() { w.evaluate(c.operands[:1], c.operands[0].text != "") })
	}
	return nil
}

func (w *walk) followExit(*call) []Read {
	w.ended = true
	return nil
}

// followExec follows exec: what comes after it is not run, unless it only redirects.
func (w *walk) followExec(c *call) []Read {
	if len(c.operands) == 0 {
		return w.followExit(c)
	}
	return w.followWrapper(c)
}

func (w *walk) followEval(c *call) []Read {
	w.evaluate(c.args, c.plain)
	return nil
}

func (w *walk) followGo(c *call) []Read {
	if len(c.args) > 0 {
		r, rest := readerOf("go-"+c.args[0].text), c.args[1:]
		if c.args[0].text == "help" || r != nil && r.reads(rest) || len(rest) == 1 && rest[0].text == "-h" {
			return nil
		}
	}
	w.program(c.words)
	return nil
}

// isAllowed reports whether the command begins like one that the caller lets pass.
func (w *walk) isAllowed(args []word) bool {
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
	if runsTests(args) {
		w.effect.Tests = append(w.effect.Tests, "runs "+name)
	} else {
		w.runs(name)
	}
	var said []string
	for i, a := range args[1:] {
		said = append(said, a.text)
		if leftOut.MatchString(a.text) || leftOut.MatchString(args[i].text) {
			continue
		}
		for _, m := range steersIn.FindAllString(a.text, 20) {
			w.effect.Named = append(w.effect.Named, w.relativeTo(m))
		}
	}
	text := strings.Join(said, " ")
	if verb := ourVerb.FindString(text); verb != "" {
		w.effect.People = append(w.effect.People, "code-intel "+
			verb[strings.LastIndexFunc(verb, func(r rune) bool { return r < 'a' || r > 'z' })+1:])
	}
	base := path.Base(args[0].text)
	if runner.MatchString(base) && gitVerb.MatchString(text) {
		w.effect.History = append(w.effect.History, "git, started by "+base+",")
	}
	last := args[len(args)-1].text
	if killers[base] && (strings.Contains(w.line, "code-intel") ||
		base == "pkill" && strings.Contains(text, "mcp") || len(args) > 2 && last == "-1") {
		w.effect.People = append(w.effect.People, base+" of the server of this session")
	}
}

// What an unknown program may do is judged by what its arguments name.
var (
	steersIn = lazyregexp.MustCompile(`[^\s'"=(),;:<>|&]*(?:` + strings.Join(steeringPatterns(), "|") + `)[^\s'"(),;:<>|&]*`)
	leftOut  = lazyregexp.MustCompile(`(?i)exclu|ignore|prune|glob`)
	ourVerb  = lazyregexp.MustCompile(`\bcode-intel(?:\.exe)?['",\s]+(?:[^\s]+\s+){0,3}?['"]?(?:approve|dashboard|trust|clean|hook|install|uninstall|abandon|changes)\b`)
	runner   = lazyregexp.MustCompile(`^(?:python|perl|node|ruby|php|lua|tclsh|expect|bash|sh)|^(?:script|su|runuser|watch|flock|parallel|tmux|screen|strace|busybox|at|unbuffer|chronic|entr|setpriv|unshare|taskset|bun|deno)$`)
	gitVerb  = lazyregexp.MustCompile(`\bgit['",\s]+(?:-\S+\s+)*['"]?(?:commit|reset|stash|rebase|push|merge|cherry-pick|revert|switch|am|pull|update-ref|filter-branch|gc|prune|worktree|symbolic-ref)\b`)
	killers  = text.WordSet(`kill pkill killall fuser skill`)
)

// steeringPatterns returns expressions for what git, sessions and the clients are steered by:
// folders, and files that are in no folder.
func steeringPatterns() []string {
	names := []string{`\.git\b`, `\.code-intel\b`, `\.specs\b`}
	for _, client := range registry.All {
		for _, file := range client.Protected {
			folder, _, inFolder := strings.Cut(file, "/")
			name := strings.ReplaceAll(strings.TrimSuffix(folder, "*"), ".", `\.`)
			if inFolder {
				name += `\b`
			}
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

func (w *walk) cd(operands []word, plain bool) {
	if !plain || len(operands) != 1 || operands[0].text == "-" || operands[0].glob {
		w.lost = true
		return
	}
	if !w.lost || strings.HasPrefix(operands[0].text, "/") {
		w.been = append(w.been, w.dir)
		w.dir, w.lost = w.relativeTo(operands[0].text), false
	}
}

// ours are the verbs of our own command line that change nothing a session
// guards; showing are those of session and pipeline.
var (
	ours = text.WordSet(`status outline search def refs grep files impact why explore version doctor
		index insights statusline help completion`)
	showing = text.WordSet(`show verify list`)
)

// peoples are those by which a person decides, or by which something could speak for them.
var peoples = text.WordSet(`approve mcp dashboard trust clean hook install uninstall abandon changes`)

func (w *walk) followOurs(c *call) []Read {
	args := c.args[(options{long: []string{"--root", "--log", "--lang"}}).skip(c.args):]
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
	return nil
}

// evaluate follows text that the shell reads as a command line.
func (w *walk) evaluate(args []word, plain bool) {
	var text []string
	for _, a := range args {
		text = append(text, a.text)
	}
	w.opaque = true
	if !plain {
		w.noteUnclear("evaluates text that is only known when it runs")
	} else if err := w.text(strings.Join(text, " "), w.depth+1); err != nil {
		w.noteUnclear("evaluates text, and %v", err)
	}
}

// followShell follows sh -c 'text'. What it reads from its input is not known.
func (w *walk) followShell(c *call) []Read {
	rest := c.args[shellOptions.skip(c.args):]
	if onlyParses(c.args[:len(c.args)-len(rest)]) && (len(rest) == 0 || !strings.HasPrefix(rest[0].text, "+")) {
		return nil
	}
	for _, a := range c.args[:len(c.args)-len(rest)] {
		if strings.HasPrefix(a.text, "--rcfile") || strings.HasPrefix(a.text, "--init-file") {
			w.program(append([]word{{text: c.name}}, c.args...))
		}
		if strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "--") && strings.Contains(a.text, "c") {
			if len(rest) > 0 {
				w.inSubshell(func() { w.evaluate(rest[:1], rest[0].text != "") })
			}
			return nil
		}
	}
	if len(rest) > 0 {
		w.program(append([]word{{text: c.name}}, rest...))
		return nil
	}
	w.program([]word{{text: c.name}})
	w.noteUnclear("has %s run what it reads", c.name)
	return nil
}

// onlyParses reports whether options of a shell keep it from running what it reads.
func onlyParses(options []word) bool {
	none := false
	for _, o := range options {
		letters, short := strings.CutPrefix(o.text, "-")
		if !short || letters == "" || strings.Trim(letters, "nvue") != "" {
			return false
		}
		none = none || strings.Contains(letters, "n")
	}
	return none
}

// wrapped returns the options of a wrapper, and the command that it runs.
func (c *call) wrapped() (options, inner []word) {
	i := min(c.values.skip(c.args), len(c.args))
	return c.args[:i], c.args[i:]
}

// runInner follows the command that a wrapper runs.
func (w *walk) runInner(inner []word, plain bool) []Read {
	if len(inner) == 0 {
		return nil
	}
	return w.run(slices.Clone(inner), plain)
}

func (w *walk) followWrapper(c *call) []Read {
	_, inner := c.wrapped()
	return w.runInner(inner, c.plain)
}

// followCommand follows command, which with -v only says what it would run.
func (w *walk) followCommand(c *call) []Read {
	if len(c.args) > 0 && (c.args[0].text == "-v" || c.args[0].text == "-V") {
		return nil
	}
	return w.followWrapper(c)
}

func (w *walk) followSudo(c *call) []Read {
	if _, inner := c.wrapped(); len(inner) > 0 {
		w.program(c.args)
	}
	return w.followWrapper(c)
}

func (w *walk) followTime(c *call) []Read {
	options, inner := c.wrapped()
	for _, a := range options {
		if strings.HasPrefix(a.text, "-") && strings.ContainsAny(a.text, "oa") {
			w.runs("time into a file")
		}
	}
	return w.runInner(inner, c.plain)
}

// followTimeout follows timeout, whose first operand is the time.
func (w *walk) followTimeout(c *call) []Read {
	_, inner := c.wrapped()
	return w.runInner(inner[min(1, len(inner)):], c.plain)
}

// followEnv follows env, which sets variables for the command.
func (w *walk) followEnv(c *call) []Read {
	options, inner := c.wrapped()
	for _, a := range options {
		short := strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "--")
		switch {
		case short && strings.Contains(a.text, "S") || strings.HasPrefix(a.text, "--s"):
			w.noteUnclear("has env take a command line apart")
			return nil
		case strings.HasPrefix(a.text, "-C") || strings.HasPrefix(a.text, "--ch"):
			w.lost = true
		}
	}
	for len(inner) > 0 && strings.Contains(inner[0].text, "=") {
		name, _, _ := strings.Cut(inner[0].text, "=")
		w.sets(name)
		inner = inner[1:]
	}
	return w.runInner(inner, c.plain)
}

// followXargs follows xargs: to the command it adds what it reads from its input, at
// the end or in place of a mark.
func (w *walk) followXargs(c *call) []Read {
	given, inner := c.wrapped()
	if len(inner) == 0 {
		return nil
	}
	inner = slices.Clone(inner)
	read := word{file: w.piped}
	_, options := c.values.operands(given)
	mark, ok := has(options, "-I", "--replace")
	if !ok || mark == "" {
		w.run(append(inner, read), false)
		return nil
	}
	plain := c.plain
	for i, a := range inner {
		if a.text == mark {
			inner[i], plain = read, false
		} else if strings.Contains(a.text, mark) {
			inner[i], plain = word{file: !strings.HasPrefix(a.text, mark) || w.piped}, false
		}
	}
	w.run(inner, plain)
	return nil
}

// followFind follows the actions of find and fd.
func (w *walk) followFind(c *call) []Read {
	var starts []word
	for _, a := range c.args {
		if strings.HasPrefix(a.text, "-") || a.text == "(" || a.text == "!" || a.text == "" && !a.file {
			break
		}
		starts = append(starts, a)
	}
	if len(starts) == 0 {
		starts = []word{{text: "."}}
	}
	if c.name == "find" && mayBeOption(c.args) {
		w.noteUnclear("gives find an argument that is only known when it runs")
	}
	if c.name != "find" {
		if runs := fdRuns(c.args); runs < len(c.args) {
			w.runFD(c.args[runs+1:])
		}
		return nil
	}
	found := w.filesOfFind(starts, c.args)
	for i, a := range c.args {
		rest := c.args[i+1:]
		switch a.text {
		case "-delete":
			w.each(c.name, starts, true, true)
		case "-exec", "-execdir", "-ok", "-okdir":
			end := slices.IndexFunc(rest, func(a word) bool { return a.text == ";" || a.text == "+" })
			if end < 0 {
				end = len(rest)
			}
			w.runFor(found, rest[:end], c.plain)
		case "-fprint", "-fprint0", "-fprintf", "-fls":
			w.each(c.name, rest[:min(1, len(rest))], c.plain, false)
		}
	}
	return nil
}

// fdRuns returns where fd is told to run something; the number of the arguments where it is not.
func fdRuns(args []word) int {
	if i := slices.IndexFunc(args, func(a word) bool { return fdRunning[a.text] }); i >= 0 {
		return i
	}
	return len(args)
}

var fdRunning = text.WordSet(`-x -X --exec --exec-batch`)

// runFD follows what fd runs for the files that it finds: it names them where there are braces,
// or at the end.
func (w *walk) runFD(inner []word) {
	inner = slices.Clone(inner)
	if len(inner) == 0 || slices.ContainsFunc(inner, func(a word) bool { return fdRunning[a.text] || a.text == ";" }) {
		w.runs("fd with a program")
		return
	}
	named := false
	for i, a := range inner {
		if strings.Contains(a.text, "{") {
			inner[i], named = word{file: strings.HasPrefix(a.text, "{")}, true
		}
	}
	if !named {
		inner = append(inner, word{file: true})
	}
	w.run(inner, false)
}

// runFor follows a command that is run for each of the files, with {} in their place.
func (w *walk) runFor(files, inner []word, plain bool) {
	if len(inner) == 0 {
		return
	}
	for _, file := range files {
		each, known := slices.Clone(inner), plain
		for i, a := range inner {
			if a.text == "{}" {
				each[i], known = file, known && file.text != ""
			} else if strings.Contains(a.text, "{}") {
				each[i], known = word{}, false
			}
		}
		w.run(each, known)
	}
}

// filesOfFind returns the files that {} is replaced by in the actions of find: files of one kind below the
// folders that it starts in, or anything there.
func (w *walk) filesOfFind(starts, args []word) (files []word) {
	pattern := ""
	for i, a := range args {
		if a.text == "-name" && i+1 < len(args) && !slices.ContainsFunc(args,
			func(a word) bool { return a.text == "-o" || a.text == "-or" || a.text == "!" || a.text == "-not" }) {
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
var sources = text.WordSet(`c cc cpp css go h hpp html java jsx kt log md o orig php py pyc rb rej rs rst
		scss swift test tmp ts tsx txt vue bak`)

// each notes that all the operands are written.
func (w *walk) each(name string, operands []word, plain, remove bool) {
	for _, o := range operands {
		w.write(o, o.text != "", remove, "names a file for "+name)
	}
	if !plain && !slices.ContainsFunc(operands, func(o word) bool { return o.text == "" || o.glob || o.tree }) {
		w.noteUnclear("names a file for %s whose name is only known when it runs", name)
	}
}

func (w *walk) followRemove(c *call) []Read {
	w.each(c.name, c.operands, c.plain, true)
	return nil
}

func (w *walk) followEach(c *call) []Read {
	w.each(c.name, c.operands, c.plain, false)
	return nil
}

// followTee follows tee, which may name the streams that it has anyway.
func (w *walk) followTee(c *call) []Read {
	w.each(c.name, slices.DeleteFunc(c.operands, func(o word) bool { return streams[o.text] }), c.plain, false)
	return nil
}

// followMode follows chmod and its like, whose first operand is not a file.
func (w *walk) followMode(c *call) []Read {
	files := c.operands
	if _, like := c.option("-r", "-w", "-x", "-s", "-t", "-X", "--reference"); !like {
		files = files[min(1, len(files)):]
	}
	w.each(c.name, files, c.plain, false)
	return nil
}

// followCopy notes what cp, mv and their like write: the last operand, or the folder
// of -t. mv also removes the others.
func (w *walk) followCopy(c *call) []Read {
	to, inFolder := c.option("-t", "--target-directory")
	last, sources := word{text: to}, c.operands
	if !inFolder && len(sources) > 0 {
		last, sources = sources[len(sources)-1], sources[:len(sources)-1]
	}
	if inFolder || len(c.operands) > 0 {
		w.write(last, last.text != "", false, "names a file for "+c.name)
	}
	for _, s := range sources {
		w.copies(s, last)
		if c.name == "ln" {
			w.links(s, last)
		}
	}
	if _, deletes := c.option("--delete", "--del"); c.name == "rsync" && deletes {
		w.write(last, last.text != "", true, "names a folder for "+c.name)
	}
	if c.name == "mv" {
		w.each(c.name, sources, c.plain, true)
	}
	return nil
}

// copies notes what is written if the target of a copy is a folder.
func (w *walk) copies(source, target word) {
	folder := strings.TrimSuffix(target.text, "/")
	switch {
	case target.text == "":
	case source.text == "" || source.glob:
		w.write(word{text: folder, tree: true, glob: target.glob}, true, false, "")
	default:
		w.write(word{text: folder + "/" + path.Base(source.text), tree: true, glob: target.glob}, true, false, "")
		if strings.HasSuffix(source.text, "/") || strings.HasSuffix(source.text, "/.") {
			w.write(word{text: folder, tree: folder != ".", glob: target.glob}, true, false, "")
		}
	}
}

// links notes what a link leads to: who may write the link may write that.
func (w *walk) links(source, link word) {
	w.write(word{text: source.text, tree: true, glob: source.glob}, source.text != "", false, "links to a file")
	if source.text != "" && !strings.HasPrefix(source.text, "/") {
		w.write(word{text: path.Dir(link.text) + "/" + source.text, tree: true}, true, false, "")
	}
}

// output notes the file that an option names for what a program prints.
func (w *walk) output(c *call) {
	to, ok := c.option("-o", "-O", "--output", "--output-document")
	if ok && to != "" && to != "-" && !streams[to] {
		w.write(word{text: to}, true, false, "names a file for "+c.name)
	}
}

// outputUnknown does so for programs whose option, if it is given, is sure to write.
func (w *walk) outputUnknown(c *call) {
	if to, ok := c.option("-o", "-O", "--output", "--output-document"); ok && to == "" {
		w.write(word{}, false, false, "names a file for "+c.name)
	}
	w.output(c)
}

// known notes it if some operand is not known.
func (w *walk) known(c *call) {
	if !c.plain && mayBeOption(c.operands) {
		w.noteUnclear("gives %s an argument that is only known when it runs", c.name)
	}
}

func (w *walk) followDD(c *call) []Read {
	for _, o := range c.operands {
		if to, ok := strings.CutPrefix(o.text, "of="); ok && !streams[to] {
			w.write(word{text: to}, true, false, "")
		}
	}
	w.output(c)
	w.known(c)
	return nil
}

// followUniq follows uniq, which writes its second operand.
func (w *walk) followUniq(c *call) []Read {
	if len(c.operands) > 1 {
		w.write(c.operands[1], c.operands[1].text != "", false, "names a file for uniq")
	}
	w.known(c)
	return nil
}

func (w *walk) followDate(c *call) []Read {
	_, sets := c.option("-s", "--set")
	if sets || slices.ContainsFunc(c.operands, func(o word) bool { return !strings.HasPrefix(o.text, "+") }) {
		w.runs("date -s")
	}
	w.output(c)
	w.known(c)
	return nil
}

func (w *walk) followSort(c *call) []Read {
	if _, runs := c.option("--compress-program"); runs {
		w.runs("sort with a program of its own")
	}
	w.outputUnknown(c)
	return nil
}

func (w *walk) followTree(c *call) []Read {
	if _, runs := c.option("-R", "--compress-program"); runs {
		w.runs("tree with a program of its own")
	}
	w.outputUnknown(c)
	w.known(c)
	return nil
}

// followDownload notes the files that curl and wget write. What else they do is a matter
// of the table of readers.
func (w *walk) followDownload(c *call) []Read {
	w.output(c)
	files := []string{"-D", "-c", "--dump-header", "--cookie-jar", "--trace", "--trace-ascii", "--stderr", "--output-dir"}
	if to, ok := c.option(files...); ok && c.name == "curl" && to != "-" && to != "" {
		w.write(word{text: to}, true, false, "")
	}
	return nil
}

func (w *walk) followXxd(c *call) []Read {
	if _, back := c.option("-r", "-revert"); back || len(c.operands) > 1 {
		w.program(c.words)
	}
	return nil
}

func (w *walk) followGofmt(c *call) []Read {
	if slices.ContainsFunc(c.given, func(g string) bool { return !slices.Contains([]string{"-l", "-d", "-s", "-e"}, g) }) {
		w.program(c.words)
	}
	return nil
}

func (w *walk) followFile(c *call) []Read {
	if _, makes := c.option("-C", "--compile"); makes {
		w.program(c.words)
	}
	return nil
}

func (w *walk) followJobs(c *call) []Read {
	if _, runs := c.option("-x"); runs {
		w.runInner(c.operands, c.plain)
	}
	return nil
}

func (w *walk) followRipgrep(c *call) []Read {
	if _, runs := c.option("--pre", "--hostname-bin", "--pager"); runs {
		w.program(c.words)
		return nil
	}
	return showMatches(w, c)
}

func (w *walk) followPager(c *call) []Read {
	_, log := c.option("-o", "-O", "--log-file", "--LOG-FILE", "--pager", "--config-file")
	if log || starts(c.operands) || slices.ContainsFunc(c.operands, func(o word) bool { return o.text == "cache" }) {
		w.program(c.words)
		return nil
	}
	if c.name != "bat" {
		return wholeFiles(c.operands)
	}
	lines, ok := c.option("-r", "--line-range")
	if !ok {
		return wholeFiles(c.operands)
	}
	start, end, ok := lineRange(lines, ":")
	if !ok {
		return someLines(c.operands)
	}
	return sameLines(c.operands, start, end)
}

// followSed follows sed. With -i it writes its files.
func (w *walk) followSed(c *call) []Read {
	scripts, files := scriptsOf(c.operands, c.given, "-e", "--expression")
	if _, inPlace := c.option("-i", "--in-place"); inPlace {
		w.each("sed -i", files, c.plain, false)
		return nil
	}
	_, fromFile := c.option("-f", "--file")
	safe := !fromFile && len(scripts) > 0
	for _, s := range scripts {
		safe = safe && sedReads(s) && (s != "" || c.plain)
	}
	if !safe {
		w.runs("sed with a script that may write")
		return nil
	}
	return sedShows(scripts, files, c.given)
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

func (w *walk) followAwk(c *call) []Read {
	other := slices.ContainsFunc(c.given, func(g string) bool {
		name, _, _ := strings.Cut(g, "=")
		return !slices.Contains([]string{"-F", "-v", "--field-separator", "--assign", "--posix", "--re-interval",
			"--sandbox"}, name)
	})
	if other || len(c.operands) == 0 || c.operands[0].text == "" || !awkReads(c.operands[0].text) {
		w.runs("awk with a program that may write")
		return nil
	}
	return awkShows(c.operands)
}
