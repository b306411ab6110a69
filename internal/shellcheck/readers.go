package shellcheck

import (
	_ "embed"
	"path"
	"slices"
	"strconv"
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

// readersText is the table of programs that read as long as they are called in certain
// ways; its head says how it is written.
//
//go:embed readers.txt
var readersText string

// A reader is what the table holds of one program.
type reader struct {
	flags flags // whatever the command
	ways  []way
}

// A way to call a program, in which it only reads.
type way struct {
	command []string // patterns; none: the program has no commands
	flags   flags
}

// flags are options, and what a row says beside them.
type flags struct {
	list   []flag
	max    int  // operands behind the command; negative: any number
	single bool // long options may have one hyphen
	open   bool // options that are not listed are harmless
	help   bool // nothing but --help
	beyond bool // what is behind "--" are options, too
	before bool // behind an operand there are none
}

// A flag is one option.
type flag struct {
	name    string // with its hyphens; a "*" in it matches anything
	needed  bool   // one of those is to be given
	writes  bool   // or runs something
	value   bool   // takes the next word, or what follows it in its own
	joined  bool   // takes what follows it in its own word, if anything
	allowed string // the one value that is harmless, if not all are
}

// readerOf returns what the table holds of a program; nil if it holds nothing.
func readerOf(name string) *reader {
	for rest := readersText; rest != ""; {
		line, after, _ := strings.Cut(rest, "\n")
		if line != "" && line[0] != ' ' && line[0] != '#' {
			names, _, _ := strings.Cut(line, ": ")
			if strings.Contains(names, name) && slices.Contains(strings.Fields(strings.TrimSuffix(names, ":")), name) {
				return parseReader(rest)
			}
		}
		rest = after
	}
	return nil
}

// parseReader reads the row that text begins with.
func parseReader(text string) *reader {
	var lines []string
	for line := range strings.Lines(text) {
		switch line = strings.TrimRight(line, "\n"); {
		case len(lines) > 0 && strings.HasPrefix(line, "    "):
			lines[len(lines)-1] += line
			continue
		case len(lines) > 0 && !strings.HasPrefix(line, "  "):
			return readerFrom(lines)
		}
		lines = append(lines, line)
	}
	return readerFrom(lines)
}

func readerFrom(lines []string) *reader {
	head := func(line string) (before, options string) {
		if before, options, ok := strings.Cut(line, ": "); ok {
			return before, options
		}
		return strings.TrimSuffix(strings.TrimSpace(line), ":"), ""
	}
	r := new(reader)
	_, options := head(lines[0])
	r.flags = parseFlags(options)
	for _, line := range lines[1:] {
		commands, options := head(line)
		own := parseFlags(options)
		for c := range strings.SplitSeq(commands, ",") {
			w := way{command: strings.Fields(c), flags: own}
			if slices.Equal(w.command, []string{"-"}) {
				w.command = nil
			}
			r.ways = append(r.ways, w)
		}
	}
	return r
}

func parseFlags(options string) flags {
	f := flags{max: -1}
	for o := range strings.FieldsSeq(options) {
		switch o {
		case "single":
			f.single = true
		case "...":
			f.open = true
		case "beyond":
			f.beyond = true
		case "before":
			f.before = true
		case "help":
			f.help = true
		default:
			if n, ok := strings.CutPrefix(o, "max="); ok {
				f.max, _ = strconv.Atoi(n) // a test reads the table
				continue
			}
			var one flag
			o, one.writes = strings.CutPrefix(o, "!")
			o, one.needed = strings.CutPrefix(o, "+")
			o, one.joined = strings.CutSuffix(o, "~")
			one.name, one.allowed, one.value = strings.Cut(o, "=")
			f.list = append(f.list, one)
		}
	}
	return f
}

// reads reports whether a call with these arguments only reads.
func (r *reader) reads(args []word) bool {
	return slices.ContainsFunc(r.ways, func(w way) bool {
		c := &reading{own: w.flags, list: slices.Concat(w.flags.list, r.flags.list), program: r.flags,
			command: w.command}
		return c.holds(args)
	})
}

// A reading is a call that is checked against one way.
type reading struct {
	program, own flags
	list         []flag   // of both
	command      []string // what of the command is still to come
	begun        bool     // some of it was read
	met          bool     // one of the options was given that are needed
}

func (c *reading) anyFlag(is func(flag) bool) bool { return slices.ContainsFunc(c.list, is) }

// acceptsUnlisted reports whether options that are not listed are harmless.
func (c *reading) acceptsUnlisted() bool {
	return c.program.open || c.own.open || !c.anyFlag(func(f flag) bool { return f.writes || f.needed })
}

// holds reports whether a call is one of the way.
func (c *reading) holds(args []word) bool {
	operands, words := 0, len(c.command)
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a.text == "--" && len(c.command) == 0 && (c.own.beyond || c.program.beyond):
		case a.text == "--" && len(c.command) == 0:
			operands, i = operands+len(args)-i-1, len(args)
		case a.text == "" && len(c.command) > 0,
			a.text == "" && !a.file && c.anyFlag(func(f flag) bool { return f.writes || f.needed }): // it may be an option
			return false
		case a.text == "-" || !strings.HasPrefix(a.text, "-"):
			if len(c.command) == 0 {
				operands++
			} else if ok, _ := path.Match(c.command[0], a.text); ok {
				c.command, c.begun = c.command[1:], true
			} else {
				return false
			}
		case a.text == "--help" && i > 0 && i == words-len(c.command) && i == len(args)-1:
			return true
		case operands > 0 && (c.own.before || c.program.before):
			return false
		default:
			valued, ok := c.option(a.text)
			if !ok {
				return false
			}
			if valued == nil {
				continue
			}
			if i++; i < len(args) && !c.value(*valued, args[i].text) {
				return false
			}
		}
	}
	most := max(c.program.max, c.own.max)
	return len(c.command) == 0 && !c.own.help && (most < 0 || operands <= most) &&
		(c.met || !c.anyFlag(func(f flag) bool { return f.needed }))
}

// value reports whether a word may be where an option takes it for its value. One that
// would write if it were an option may not: the option might take none.
func (c *reading) value(f flag, text string) bool {
	if asks := snippets[f.allowed]; asks != nil {
		return asks(text)
	}
	if f.allowed != "" {
		return c.anyFlag(func(o flag) bool { return o.name == f.name && strings.EqualFold(o.allowed, text) })
	}
	return len(text) < 2 || text[0] != '-' ||
		!c.anyFlag(func(o flag) bool { return o.writes && strings.HasPrefix(text, o.name) })
}

// option checks one word with options against the way; false if it may do more than read.
// An option is returned whose value is the next word.
func (c *reading) option(text string) (valued *flag, ok bool) {
	list, open := c.list, c.acceptsUnlisted()
	if len(c.command) > 0 {
		open = false
		if !c.begun { // what is before the command is for the program
			list = c.program.list
		}
	}
	single := c.program.single || c.own.single
	if single || strings.HasPrefix(text, "--") {
		name, value, given := strings.Cut(text, "=")
		if single {
			name = "-" + strings.TrimLeft(name, "-")
		}
		f, known := findLongOption(list, name)
		switch {
		case !known:
			return nil, open
		case f.writes || given && !c.value(f, value):
			return nil, false
		}
		c.met = c.met || f.needed
		if f.value && !given {
			return &f, true
		}
		return nil, true
	}
	for j, letter := range text[1:] {
		at := slices.IndexFunc(list, func(f flag) bool { return f.name == "-"+string(letter) })
		if at < 0 {
			if letter >= '0' && letter <= '9' || open {
				continue
			}
			return nil, false
		}
		f, rest := list[at], text[1+j+len(string(letter)):]
		if f.writes {
			return nil, false
		}
		c.met = c.met || f.needed
		switch {
		case f.joined:
			return nil, true
		case f.value && rest == "":
			return &f, true
		case f.value:
			return nil, c.value(f, strings.TrimPrefix(rest, "="))
		}
	}
	return nil, true
}

// findLongOption finds a long option: as it is, or what it may have been cut short of. One that may
// have been cut short of an option that writes is that one.
func findLongOption(list []flag, name string) (found flag, known bool) {
	for _, f := range list {
		if f.name == name {
			return f, true
		}
	}
	for _, f := range list {
		ok, _ := path.Match(f.name, name)
		if !ok && !(len(name) > 2 && strings.HasPrefix(name, "--") && strings.HasPrefix(f.name, name)) {
			continue
		}
		if f.writes {
			return f, true
		}
		found, known = f, true
	}
	return found, known
}

// readerCall returns the name in the table of readers that a call of a program goes by, and
// its arguments there. The name is empty where the table cannot tell.
func readerCall(name string, args []word) (string, []word) {
	switch {
	case len(args) > 1 && args[0].text == "-m" && pythons.MatchString(name):
		if module := args[1].text; module == "pip" || module == "uv" {
			return module, args[2:]
		}
		return "python-m", args[1:]
	case pythons.MatchString(name):
		return "python", args
	case (name == "tar" || name == "bsdtar") && len(args) > 0:
		if slices.ContainsFunc(args, func(a word) bool { return strings.Contains(a.text, ":") }) {
			return "", nil // an archive on another machine is read by a program
		}
		if a := args[0]; a.text != "" && a.text[0] != '-' { // letters without a hyphen
			args = slices.Clone(args)
			args[0].text = "-" + a.text
		}
		if slices.ContainsFunc(args, toStdout) {
			return "tar-out", args
		}
	case name == "fd" || name == "fdfind": // what it runs is followed
		args = args[:min(len(args), fdRuns(args))]
	case name == "duckdb" && slices.ContainsFunc(args, func(a word) bool { return a.text == "-readonly" }):
		return "duckdb-readonly", args
	case name == "perl" && slices.ContainsFunc(args, isPerlMagic):
		return "", nil
	case name == "gh" && len(args) > 2 && args[0].text == "api" && args[1].text == "graphql" && queries(args[2:]):
		return "gh-graphql", args[2:]
	case (name == "curl" || name == "wget") && slices.ContainsFunc(args, leadsElsewhere),
		(name == "vale" || name == "selene") && slices.ContainsFunc(args, fetches),
		name == "sqlite3" && !sqlReads(args), name == "sysctl" && assigns(args), strings.HasSuffix(name, "less") && starts(args):
		return "", nil
	}
	return name, args
}

// queries reports whether what gh sends as GraphQL asks for something and changes nothing.
func queries(args []word) bool {
	return !slices.ContainsFunc(args, func(a word) bool {
		_, query, found := strings.Cut(a.text, "query=")
		return a.text == "" || graphChange.MatchString(a.text) || found && !graphQuery.MatchString(query)
	})
}

var (
	graphQuery  = lazyregexp.MustCompile(`^\s*(?:query\b|fragment\b|\{)`)
	graphChange = lazyregexp.MustCompile(`(?i)mutation|subscription`)
)

// fetches reports whether a word is the command of a linter that brings its rules into the project.
func fetches(a word) bool { return a.text == "sync" || strings.HasSuffix(a.text, "-std") }

// leadsElsewhere reports whether an argument of a download is an address of something other
// than a web server, is not known, or has what was received written into a file.
func leadsElsewhere(a word) bool {
	scheme, _, found := strings.Cut(strings.ToLower(a.text), "://")
	return a.text == "" || fetchFormat.MatchString(a.text) ||
		found && !strings.HasSuffix(" "+scheme, " http") && !strings.HasSuffix(" "+scheme, " https")
}

// toStdout reports whether a word has tar print what it extracts.
func toStdout(a word) bool {
	return a.text == "--to-stdout" || strings.HasPrefix(a.text, "-") && !strings.HasPrefix(a.text, "--") && strings.Contains(a.text, "O")
}

// fetchFormat finds what has curl write elsewhere than to its output, or take what it prints
// from a file.
var fetchFormat = lazyregexp.MustCompile(`%output|^(?:-\w+|--[\w-]+=)?@`)

func assigns(args []word) bool {
	return slices.ContainsFunc(args, func(a word) bool { return strings.Contains(a.text, "=") })
}

// starts reports whether a pager gets a command to run first, other than to go to a place.
func starts(args []word) bool {
	return slices.ContainsFunc(args, func(a word) bool {
		return strings.HasPrefix(a.text, "+") && !pagerPlace.MatchString(a.text)
	})
}

// pagerPlace finds what sends a pager to a place, or to the end.
var pagerPlace = lazyregexp.MustCompile(`^\+(?:[FGg]|\d+[gG]?|/[^\n]*)$`)

// sqlReads reports whether the arguments of sqlite3 are one query, or names of tables.
func sqlReads(args []word) bool {
	operands, _ := options{}.operands(slices.DeleteFunc(slices.Clone(args), func(a word) bool {
		return strings.HasPrefix(a.text, "-")
	}))
	if len(operands) < 2 { // the statements come from its input
		return false
	}
	return !slices.ContainsFunc(operands[1:], func(o word) bool {
		return !sqlQuestion.MatchString(o.text) || sqlWrites.MatchString(o.text)
	})
}

var (
	pythons     = lazyregexp.MustCompile(`^py(?:thon)?[\d.]*$`)
	sqlQuestion = lazyregexp.MustCompile(`(?i)^\s*(?:\.(?:tables|schema|indexes|indices|databases|dbinfo|fullschema|help|show)(?:\s+[\w%'"]*)*|(?:select|explain\s+(?:query\s+plan\s+)?select)\b(?:[^;'"]|'[^']*'|"[^"]*")*;?\s*)$`)
	sqlWrites   = lazyregexp.MustCompile(`(?i)\b(?:writefile|load_extension|edit|fts3_tokenizer|readfile)\s*\(`)
)
