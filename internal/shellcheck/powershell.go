package shellcheck

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text"
)

// cmdlets are the commands of PowerShell that change nothing, and their short names.
var cmdlets = text.WordSet(`get-content gc cat type get-childitem gci ls dir select-string sls get-location
		gl pwd measure-object measure select-object select sort-object sort format-table ft
		format-list fl out-string out-host test-path resolve-path rvpa get-item gi get-command
		gcm get-help help man write-output echo write-host get-filehash get-date
		compare-object compare diff get-process gps ps group-object group get-unique gu
		convertfrom-json split-path join-path set-location sl cd where.exe whoami hostname`)

// psCommand finds one simple command: words without any sign that PowerShell reads as
// more than text, or in quotes in which it reads none.
var (
	psCommand = lazyregexp.MustCompile(`^(?:[^\s'"$` + "`" + `(){}@&<>#;|,\[\]]+|'[^']*'|"[^"$` + "`" + `]*"|,|\s+|\[\w-]*\])+$`)
	psSplit   = lazyregexp.MustCompile(`\s*(?:\|\||&&|[|;\n])\s*`)
	psWord    = lazyregexp.MustCompile(`'[^']*'|"[^"]*"|[^\s]+`)
	psQuiet   = lazyregexp.MustCompile(`\s(?:2>\$null|2>&1|\d?>\s*\$null)`)
	psGit     = lazyregexp.MustCompile(`(?i)\bgit(?:\.exe)?['"]?\s+(?:-\S+\s+)*(?:commit|reset|stash|rebase|push|merge|cherry-pick|revert|switch|am|pull|update-ref|filter-branch|gc|prune|worktree|symbolic-ref|config)\b`)
	psEncoded = lazyregexp.MustCompile(`(?i)\b(?:powershell|pwsh)(?:\.exe)?\b.*\s-e\w*\s`)
)

// PowerShell reports what a command line of PowerShell would do, as far as it consists of
// plain commands. What it does else is not known.
func PowerShell(command string, reading []string) (Effect, error) {
	w := &walk{reading: reading, line: command}
	if len(command) > longest {
		return Effect{}, errTooLong
	}
	command = psQuiet.ReplaceAllString(command, "")
	if verb := ourVerb.FindString(command); verb != "" {
		w.effect.People = append(w.effect.People, "code-intel "+verb[strings.LastIndexAny(verb, " '\"")+1:])
	}
	if m := psGit.FindString(command); m != "" {
		w.effect.History = append(w.effect.History, text.OneLine(m))
	}
	if psEncoded.MatchString(command + " ") {
		w.noteUnclear("runs text that is encoded")
	}
	if strings.ContainsAny(command, "“”„‘’‚‛") { // which PowerShell takes for quotes
		w.effect.Programs = append(w.effect.Programs, "runs what only PowerShell can tell")
	}
	for _, part := range psParts(command) {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		named := steersIn.FindAllString(strings.ReplaceAll(part, `\`, "/"), 50)
		if !psCommand.MatchString(part) {
			w.effect.Named = append(w.effect.Named, named...)
			w.effect.Programs = append(w.effect.Programs, "runs what only PowerShell can tell")
			continue
		}
		var words []word
		for _, m := range psWord.FindAllString(part, -1) {
			words = append(words, word{text: strings.ReplaceAll(strings.Trim(m, `'"`), `\`, "/")})
		}
		if name := strings.ToLower(words[0].text); cmdlets[name] {
			continue
		} else if strings.Contains(name, "-") && name != "code-intel" {
			w.program(words)
			continue
		}
		w.run(words, true) // as a program of that name, or the alias of one that does the same
	}
	return Effect{Writes: w.effect.Writes, History: w.effect.History, People: w.effect.People,
		Programs: w.effect.Programs, Unclear: w.effect.Unclear, Named: w.effect.Named}, nil
}

// psParts parts a line into commands. One with quotes that may contain a separator is
// left whole if its quotes are plain.
func psParts(command string) []string {
	if !strings.ContainsAny(command, `'"`) {
		return psSplit.Split(command, -1)
	}
	var parts []string
	begin, quote := 0, byte(0)
	for i := 0; i < len(command); i++ {
		switch c := command[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == ';' || c == '|' || c == '\n' || c == '&' && i+1 < len(command) && command[i+1] == '&':
			parts = append(parts, command[begin:i])
			if i+1 < len(command) && command[i+1] == c {
				i++
			}
			begin = i + 1
		}
	}
	return append(parts, command[begin:])
}
