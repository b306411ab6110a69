// Package silencers finds what keeps a compiler, a type checker or a linter from saying what it finds.
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
// the path of the file.
func Added(files []File) map[string]string {
	added := make(map[string]string)
	for _, s := range table {
		more := 0
		at, first := "", ""
		for _, f := range files {
			if !s.files.MatchString(f.Path) {
				continue
			}
			now, was := s.is.FindAllString(string(f.New), -1), s.is.FindAllString(string(f.Base), -1)
			n := len(now) - len(was)
			if more += n; n > 0 && at == "" {
				at, first = f.Path, newIn(now, was)
			}
		}
		if more > 0 {
			added[at] = first
		}
	}
	return added
}

// newIn returns the first of now that was does not have as often.
func newIn(now, was []string) string {
	had := make(map[string]int)
	for _, w := range was {
		if w = strings.TrimSpace(w); strings.HasPrefix(w, "as any") {
			w = "as any"
		}
		had[w]++
	}
	for _, n := range now {
		if n = strings.TrimSpace(n); strings.HasPrefix(n, "as any") {
			n = "as any" // without what tells it from English
		}
		if had[n]--; had[n] < 0 {
			return n
		}
	}
	return now[0]
}
