package clients

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text"
)

// cutLast splits s around the last sep; without one, before is s.
func cutLast(s, sep string) (before, after string) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):]
	}
	return s, ""
}

// changing matches names of tools with a verb that changes files.
var changing = lazyregexp.MustCompile(`(?i)(?:^|[_-])(?:write|edit|create|replace|insert|delete|remove|move|rename|patch|apply|append|update|save)(?:[_-]|$)`)

// ServerOf returns the name of the MCP server that a tool belongs to, or "" for a tool of the client itself.
func ServerOf(tool string) string {
	rest, ok := strings.CutPrefix(tool, "mcp__")
	if !ok {
		return ""
	}
	server, _ := cutLast(rest, "__")
	return server
}

// IsOwnServer reports whether an MCP server is the one of this program: under its own name, with the prefix of
// a plugin, or as Codex spells it. Its tools write no files of a project, whatever their names are.
func IsOwnServer(server string) bool {
	server = strings.ReplaceAll(server, "-", "_")
	return server == "code_intel" || strings.HasSuffix(server, "_code_intel")
}

// writesByName reports whether the name of an MCP tool says that it changes files.
func writesByName(tool string) bool {
	_, name := cutLast(tool, "__")
	return changing.MatchString(name)
}

// readsByName reports whether the name of an MCP tool says that it only reads: the verb of each part, separated
// by "and", "or" or "then", is one that reads. The verb of a part is its first word that is in a list of verbs
// ("status" in "git_status", "snapshot" in "browser_snapshot").
func readsByName(tool string) bool {
	_, name := cutLast(tool, "__")
	name = camelCaseBoundary.ReplaceAllString(name, "${1}_${2}")
	reads, found := true, false
	for _, word := range strings.FieldsFunc(strings.ToLower(name),
		func(r rune) bool { return r == '_' || r == '-' || r == '.' || r == '/' }) {
		switch {
		case word == "and" || word == "or" || word == "then":
			reads, found = reads && found, false
		case found:
		case readingVerbs[word]:
			found = true
		case changingVerbs[word]:
			return false
		}
	}
	return reads && found
}

// camelCaseBoundary matches where the next word of a name in camel case begins.
var camelCaseBoundary = lazyregexp.MustCompile(`([a-z0-9])([A-Z])`)

// Verbs in the names of tools of other servers. A word in neither list says nothing about the tool.
var (
	readingVerbs = text.WordSet(`get list read search find query fetch view show describe lookup look inspect check count diff status log logs
		history browse resolve explain analyze analyse summarize summarise help info ping version tree ls cat grep glob rg head tail outline
		overview stat exists compare preview explore discover navigate goto snapshot screenshot hover scroll wait tabs references definition
		definitions symbols diagnostics hierarchy thinking think sequentialthinking retrieve recall ask whoami capabilities lint validate
		verify estimate calculate convert translate docs documentation trace profile metrics scan blame`)
	changingVerbs = text.WordSet(`write edit create replace insert delete remove move rename patch apply append update save set put post add
		execute exec run eval evaluate shell command terminal commit push pull merge rebase reset checkout switch stash cherry revert clone
		init install uninstall start stop restart kill spawn launch deploy publish release upload import export sync send submit click type
		fill press drag select open close modify change refactor format fix convertto copy mkdir rm mv cp touch chmod generate make build
		test restore undo redo clear drop truncate alter grant revoke enable disable toggle assign fork register subscribe approve reject
		comment react reply lock unlock archive transition trigger invoke call use activate onboard`)
)
