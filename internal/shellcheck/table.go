package shellcheck

import "strings"

// A command is a row of the table: all that is known of some programs.
type command struct {
	names  string  // of the programs, separated by blanks
	values options // the options that take the next word

	// follow notes what the program does, and returns the files of which it shows
	// lines.
	follow func(w *walk, c *call) []Read
	// passes returns what comes out of the program of lines that are piped into it.
	// Nil: nothing that shows which lines they are.
	passes func(c *call, in []Read) []Read

	risky      bool // some option has it write or run something, and so may an argument that is not known
	evaluates  bool // a builtin that takes text for an index, which the shell evaluates
	variables  bool // its arguments name variables, which it sets
	fills      bool // likewise, from its input
	printsName bool // prints names, numbers or commits, whatever its arguments
	selects    bool // prints some of what it reads, as it is
	noVersion  bool // --version is an argument like others
}

// table lists the commands. A name is in one row.
func table() []command {
	return []command{
		// What moves, ends or renames something in the shell itself.
		{names: "cd pushd", follow: (*walk).followCD, noVersion: true},
		{names: "popd", follow: (*walk).followPopd, noVersion: true},
		{names: "alias", follow: (*walk).followAlias, noVersion: true},
		{names: "trap", follow: (*walk).followTrap, noVersion: true},
		{names: "exit return", follow: (*walk).followExit},
		{names: "exec", values: options{short: "a"}, follow: (*walk).followExec},
		{names: "eval", follow: (*walk).followEval},

		// What runs another command.
		{names: "sh dash zsh ksh", follow: (*walk).followShell},
		{names: "bash", values: shellOptions, follow: (*walk).followShell},
		{names: "busybox toybox builtin nohup setsid", follow: (*walk).followWrapper},
		{names: "command", follow: (*walk).followCommand},
		{names: "doas", follow: (*walk).followSudo},
		{names: "sudo", values: options{short: "ugp"}, follow: (*walk).followSudo},
		{names: "env", values: options{short: "uCS", long: []string{"--unset", "--chdir", "--split-string"}},
			follow: (*walk).followEnv},
		{names: "nice", values: options{short: "n"}, follow: (*walk).followWrapper},
		{names: "ionice", values: options{short: "cnp"}, follow: (*walk).followWrapper},
		{names: "stdbuf", values: options{short: "ioe"}, follow: (*walk).followWrapper},
		{names: "time", values: options{short: "of"}, follow: (*walk).followTime},
		{names: "timeout", values: options{short: "sk", long: []string{"--signal", "--kill-after"}},
			follow: (*walk).followTimeout},
		{names: "xargs", values: options{short: "nILPdsaE", long: []string{"--max-args", "--max-procs", "--delimiter", "--arg-file"}},
			follow: (*walk).followXargs},
		{names: "find", follow: (*walk).followFind, printsName: true},
		{names: "fd fdfind", values: options{short: "detEcjSo", long: []string{"--exclude", "--type", "--extension", "--max-depth", "--size", "--owner"}},
			follow: (*walk).followFind, risky: true, printsName: true},

		// Programs with commands of their own.
		{names: "git", follow: (*walk).followGit},
		{names: "go", follow: (*walk).followGo},
		{names: "code-intel", follow: (*walk).followOurs},

		// What writes the files that it names.
		{names: "rm rmdir unlink shred", follow: (*walk).followRemove},
		{names: "tee", follow: (*walk).followTee},
		{names: "mkfifo", follow: (*walk).followEach},
		{names: "touch", values: options{short: "dtr"}, follow: (*walk).followEach},
		{names: "mkdir", values: options{short: "m"}, follow: (*walk).followEach},
		{names: "truncate", values: options{short: "sr"}, follow: (*walk).followEach},
		{names: "chmod chown chgrp", follow: (*walk).followMode},
		{names: "cp", values: options{short: "tS"}, follow: (*walk).followCopy},
		{names: "mv", values: options{short: "tS"}, follow: (*walk).followCopy},
		{names: "ln", values: options{short: "tS"}, follow: (*walk).followCopy},
		{names: "install", values: options{short: "tmogS"}, follow: (*walk).followCopy},
		{names: "rsync", values: options{short: "ef", long: []string{"--exclude", "--include", "--exclude-from", "--filter", "--rsh"}},
			follow: (*walk).followCopy},

		// What only reads, unless some option says otherwise.
		{names: "sed", values: options{short: "efl", long: []string{"--expression", "--file", "--line-length"}, rest: "i"},
			follow: (*walk).followSed, passes: passSed, risky: true, selects: true},
		{names: "awk", values: options{short: "Fvf"}, follow: (*walk).followAwk, selects: true},
		{names: "gawk mawk", follow: (*walk).followAwk},
		{names: "rg", values: options{short: "efmABCgtTjMdr", long: []string{"--regexp", "--file", "--max-count", "--glob", "--type", "--pre",
			"--context", "--after-context", "--before-context", "--iglob", "--sort", "--color", "--type-not", "--max-depth"}},
			follow: (*walk).followRipgrep, passes: passMatches, risky: true},
		{names: "ag", follow: (*walk).followRipgrep, risky: true},
		{names: "less more", follow: (*walk).followPager, passes: passAll, risky: true},
		{names: "bat", values: options{short: "rlH", long: []string{"--line-range", "--language", "--style", "--color", "--theme", "--paging"}},
			follow: (*walk).followPager, passes: passAll, risky: true},
		{names: "sort", values: options{short: "oktTS",
			long: []string{"--output", "--key", "--field-separator", "--compress-program", "--temporary-directory"}},
			follow: (*walk).followSort, risky: true, selects: true},
		{names: "uniq", values: options{short: "fsw"}, follow: (*walk).followUniq, risky: true, selects: true},
		{names: "tree", values: options{short: "LPIo"}, follow: (*walk).followTree, risky: true},
		{names: "date", values: options{short: "dsrf"}, follow: (*walk).followDate, risky: true, printsName: true},
		{names: "dd", follow: (*walk).followDD},
		{names: "curl", values: options{short: "oHdXuAeFbcmDTwKxrzCEyYQtUP",
			long: []string{"--output", "--dump-header", "--cookie-jar", "--trace", "--stderr", "--output-dir"}}, follow: (*walk).followDownload},
		{names: "wget", values: options{short: "OoPaUi", long: []string{"--output-document"}}, follow: (*walk).followDownload},
		{names: "xxd", values: options{short: "clso"}, follow: (*walk).followXxd, risky: true},
		{names: "gofmt", follow: (*walk).followGofmt, risky: true},
		{names: "file", follow: (*walk).followFile, risky: true},
		{names: "jobs", follow: (*walk).followJobs, risky: true},

		// What shows lines of files.
		{names: "cat", follow: linesBy(wholeFiles), passes: passAll, printsName: true},
		{names: "tac", follow: linesBy(wholeFiles), passes: passAll},
		{names: "nl", values: options{short: "bdfhilnsvw"}, follow: linesBy(wholeFiles), passes: passAll},
		{names: "head", values: options{short: "nc", long: []string{"--lines", "--bytes"}}, follow: showEnds,
			passes: passEnds, selects: true},
		{names: "tail", values: options{short: "ncsp", long: []string{"--lines", "--bytes", "--pid"}},
			follow: showEnds, passes: passEnds, selects: true},
		{names: "grep", values: options{short: "efmABCdD", long: []string{"--regexp", "--file", "--max-count", "--include", "--exclude", "--color"}},
			follow: showMatches, passes: passMatches, selects: true},
		{names: "egrep", follow: showMatches, passes: passMatches, selects: true},
		{names: "fgrep", follow: showMatches, passes: passMatches},

		// Builtins that set variables, or take text for an index.
		{names: "test [ let wait set shopt", follow: onlyReads, evaluates: true},
		{names: "unset declare typeset local export readonly", follow: onlyReads, evaluates: true, variables: true},
		{names: "read getopts", follow: onlyReads, evaluates: true, variables: true, fills: true},
		{names: "mapfile readarray", follow: onlyReads, risky: true, evaluates: true, variables: true, fills: true},
		{names: "printf", follow: onlyReads, evaluates: true, fills: true},
		{names: "hash", follow: onlyReads, risky: true, evaluates: true},

		// What changes nothing, whatever its arguments, and shows no lines of files.
		{names: "basename dirname id ls nproc pwd readlink realpath seq uname which whoami", follow: onlyReads, printsName: true},
		{names: "wc", follow: onlyReads, printsName: true, selects: true},
		{names: "cut", follow: onlyReads, selects: true},
		{names: `: base32 bg break cksum cmp column comm continue df diff du echo expand expr false fg fmt fold free getconf groups
			hexdump join jq locale lsof md5sum nm numfmt objdump od paste pathchk pgrep printenv ps readelf rev sha1sum sha224sum sha256sum
			sha384sum sha512sum shift sleep stat strings sum tr true tsort tty type ulimit umask uptime zcat zgrep`, follow: onlyReads},
	}
}

// commands are the rows of the table by the names of the programs. It is set at the
// start: the functions of its rows look other commands up.
var commands = make(map[string]*command)

func init() {
	rows := table()
	for i := range rows {
		for name := range strings.FieldsSeq(rows[i].names) {
			commands[name] = &rows[i]
		}
	}
}

// unknown is the row of all other programs.
var unknown = &command{follow: func(w *walk, c *call) []Read {
	w.program(c.words)
	return nil
}}

// lookup returns the row of a program.
func lookup(name string) *command {
	if row := commands[name]; row != nil {
		return row
	}
	return unknown
}

// shellOptions are those of bash, which the other shells share.
var shellOptions = options{short: "oO", long: []string{"--rcfile", "--init-file"}}

// onlyReads is what a command does that changes nothing and shows no lines.
func onlyReads(*walk, *call) []Read { return nil }

// linesBy returns what a command does that shows lines of its operands.
func linesBy(lines func(operands []word) []Read) func(*walk, *call) []Read {
	return func(_ *walk, c *call) []Read { return lines(c.operands) }
}
