package filekind

import (
	"path"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
)

// Foreign reports whether a file has the name of one in a language that is not read here,
// such as a template, so that code may be used in it unseen.
func Foreign(file string) bool {
	return path.Ext(file) != "" && syntax.Detect(file, nil) == syntax.Unknown && !Prose(file) && !Data(file)
}

// Prose reports whether a file is for readers alone: what it names, it does not use.
func Prose(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".md", ".mdx", ".rst", ".adoc", ".asc", ".txt", ".pod", ".rdoc":
		return true
	}
	return Changelog(file)
}

// Changelog reports whether a file says what was changed: what it names need not be there any
// more, and nobody has to follow a change in it.
func Changelog(file string) bool {
	folders, name := path.Split(strings.ToLower(file))
	return changelogName.MatchString(name) ||
		slices.ContainsFunc(strings.Split(folders, "/"), changelogFolder.MatchString)
}

// The names of a file of changes, and of a folder with a file for each. A folder "history" or "news" may hold code.
var (
	changelogName   = lazyregexp.MustCompile(`^(change-?logs?|changes|history|news|release[-_]?notes)(\.(md|markdown|rst|adoc|txt|org))?$`)
	changelogFolder = lazyregexp.MustCompile(`^(change-?logs?|release[-_]?notes|newsfragments|\.changeset)(\.d)?$`)
)

// Data reports whether a file of no known language holds data, or a text about the project.
func Data(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".csv", ".tsv", ".svg", ".log", ".lock", ".sum", ".patch", ".diff", ".po", ".pot", ".map", ".snap", ".out", ".stderr", ".scip":
		return true
	case "":
		base := path.Base(file)
		return base == strings.ToUpper(base) // LICENSE
	}
	return false
}

// Catalogue reports whether a file holds what a program says to people, in one language.
func Catalogue(file string) bool { return catalogue.MatchString(file) }

var catalogue = lazyregexp.MustCompile(`(?i)\.(?:pot?|xlf|xliff|strings|stringsdict|arb)$|` +
	`(?:^|/)(?:i18n|l10n|langs?|locales?|translations)/(?:.*/)?[^/]+\.(?:json|ya?ml|properties|toml|php|ftl)$`)

// Migration reports whether a file is one of the numbered steps in which a database came to be.
func Migration(file string) bool { return migration.MatchString(file) }

var migration = lazyregexp.MustCompile(`(?i)(?:^|/)(?:migrat(?:e|ions?)(?:/\w+)?/[vu]?\d[^/]*|(?:alembic|migrations)/versions/[^/]+)$`)
