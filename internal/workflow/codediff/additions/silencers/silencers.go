// Package silencers finds comments and casts that silence a compiler, a type checker or a linter, such as noqa.
// Package additions reports those that a change adds.
package silencers

import (
	"strings"

	"codeintel/internal/platform/lazyregexp"
)

// A File is one file of a change.
type File struct {
	Path      string
	Base, New []byte // nil if it was not there, or is gone
}

// A silencer is how the checks of some languages are silenced.
type silencer struct{ files, is *lazyregexp.Regexp }

var table = []silencer{
	{lazyregexp.MustCompile(`\.(?:[cm]?[jt]sx?|vue|svelte|astro)$`),
		lazyregexp.MustCompile(`@ts-(?:ignore|nocheck|expect-error)\b|\b(?:eslint|oxlint|biome|tslint)[-:]?(?:disable|ignore)\S*|\bas any(?:\[\])*\s*(?:[;,)\]}.=&|?:>!\n]|$|as\b)|\bas unknown as\b|\$Flow(?:FixMe|Ignore)\b`)},
	{lazyregexp.MustCompile(`\.pyi?$`),
		lazyregexp.MustCompile(`#\s*(?:type|mypy|pyright|pyre|ruff|pytype|bandit)\s*:\s*(?:ignore|noqa|disable)\S*|#\s*no(?:qa|sec)\b|#\s*pylint:\s*(?:disable|skip)\S*|\bwarnings\.(?:filterwarnings|simplefilter)\(\s*['"]ignore`)},
	{lazyregexp.MustCompile(`\.(?:java|kts?|scala|groovy)$`),
		lazyregexp.MustCompile(`@(?:file:)?Suppress(?:Warnings|Lint|FBWarnings)?\b|@(?:\w+\.)*nowarn\b|//\s*(?:NOPMD|NOSONAR|noinspection|CHECKSTYLE:OFF|detekt:disable|ktlint-disable|scalafix:off|scalastyle:off)\b`)},
	{lazyregexp.MustCompile(`\.swift$`), lazyregexp.MustCompile(`swiftlint:disable\S*|@unchecked Sendable\b|\bnonisolated\(unsafe\)`)},
	{lazyregexp.MustCompile(`\.rs$`), lazyregexp.MustCompile(`#!?\[(?:allow|expect)\(|cfg_attr\([^\]]*\ballow\(`)},
	{lazyregexp.MustCompile(`\.go$`), lazyregexp.MustCompile(`//\s*(?:nolint|lint:(?:file-)?ignore)\S*|#nosec\b`)},
	{lazyregexp.MustCompile(`(?:\.(?:rb|rake|gemspec)|(?:^|/)(?:Gem|Rake)file)$`), lazyregexp.MustCompile(`(?:rubocop|standard):(?:disable|todo)\b|\bsteep:ignore\b|#\s*typed: (?:false|ignore)\b`)},
	{lazyregexp.MustCompile(`\.exs?$`), lazyregexp.MustCompile(`credo:disable\S*|@dialyzer\b|sobelow_skip\b`)},
	{lazyregexp.MustCompile(`(?:\.(?:sh|bash|bats|ksh)|(?:^|/)[\w-]+)$`), lazyregexp.MustCompile(`shellcheck disable=`)},
	{lazyregexp.MustCompile(`\.(?:cs|vb|fs)$`), lazyregexp.MustCompile(`#(?:pragma warning disable|nullable disable|nowarn)\b|\[(?:\w+:\s*)?SuppressMessage\b|ReSharper disable\b`)},
	{lazyregexp.MustCompile(`\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx|mm?)$`), lazyregexp.MustCompile(`//\s*NOLINT\w*|#pragma\s+(?:GCC|clang)\s+diagnostic\s+ignored\b|#pragma\s+warning\s*\(\s*disable\b|cppcheck-suppress\b`)},
	{lazyregexp.MustCompile(`\.php$`), lazyregexp.MustCompile(`@(?:phpstan-ignore|psalm-suppress|codingStandardsIgnore|phan-suppress)\S*|phpcs:(?:ignore|disable)\b`)},
	{lazyregexp.MustCompile(`\.dart$`), lazyregexp.MustCompile(`//\s*ignore(?:_for_file)?:`)},
	{lazyregexp.MustCompile(`\.(?:css|scss|sass|less)$`), lazyregexp.MustCompile(`stylelint-disable\S*`)},
	{lazyregexp.MustCompile(`\.lua$`), lazyregexp.MustCompile(`--\s*luacheck:\s*(?:ignore|push ignore|no)\b|---\s*@diagnostic disable\S*`)},
	{lazyregexp.MustCompile(`\.p[lm]$`), lazyregexp.MustCompile(`\bno (?:warnings|strict)\b|##\s*no critic\b`)},
	{lazyregexp.MustCompile(`\.(?:tf|tofu|ya?ml)$|(?:^|/)[\w.-]*Dockerfile[\w.-]*$`), lazyregexp.MustCompile(`(?:tflint-ignore|tfsec:ignore|trivy:ignore|checkov:skip|hadolint (?:global )?ignore|yamllint disable|kics-scan ignore)\b`)},
	{lazyregexp.MustCompile(`\.sql$`), lazyregexp.MustCompile(`--\s*(?:noqa\b|squawk-ignore\b|sqlfluff:)`)},
}

// Added returns what silences checks in a file and was not there before, in any file of the change, by
// the path of the file. What silences one tool does not make up for what silenced another.
func Added(files []File) map[string]string {
	added := make(map[string]string)
	for _, s := range table {
		more := make(map[string]int) // by the tool
		for _, f := range files {
			if s.files.MatchString(f.Path) {
				for _, is := range s.is.FindAllString(string(f.Base), -1) {
					more[tool(is)]--
				}
				for _, is := range s.is.FindAllString(string(f.New), -1) {
					more[tool(is)]++
				}
			}
		}
		for _, f := range files {
			if !s.files.MatchString(f.Path) {
				continue
			}
			if first := newIn(s.is.FindAllString(string(f.New), -1), s.is.FindAllString(string(f.Base), -1), more); first != "" {
				added[f.Path] = first
				break
			}
		}
	}
	return added
}

// tool returns the first word of what silences a check, which tells what is silenced.
func tool(is string) string { return firstWord.FindString(strings.ReplaceAll(is, "file:", "")) }

var firstWord = lazyregexp.MustCompile(`[[:alpha:]]+`)

// newIn returns the first of now that was does not have as often, of a tool that is silenced more than
// before, or "".
func newIn(now, was []string, more map[string]int) string {
	had := make(map[string]int)
	for _, w := range was {
		had[bareSilencer(w)]++
	}
	for _, n := range now {
		if n = bareSilencer(n); more[tool(n)] <= 0 {
			continue
		}
		if had[n]--; had[n] < 0 {
			return n
		}
	}
	return ""
}

// bareSilencer is a silencer without what tells it from English.
func bareSilencer(is string) string {
	if is = strings.TrimSpace(is); strings.HasPrefix(is, "as any") {
		return "as any"
	}
	return is
}
