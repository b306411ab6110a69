package verify

import (
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/syntax"
)

// maxFailures is how many failed tests a Result names.
const maxFailures = 50

// NewFailures compares the failed tests of a command with those of the base, where it failed
// as well. It is false where they cannot be told apart: a test program that is not known, more
// failures than are named, or more output than is kept.
func NewFailures(now, base Result) (added []string, ok bool) {
	for _, r := range []Result{now, base} {
		if r.Passed || r.TimedOut || r.Cut || len(r.Failed) == 0 || len(r.Failed) == maxFailures {
			return nil, false
		}
	}
	return slices.DeleteFunc(slices.Clone(now.Failed), func(name string) bool { return slices.Contains(base.Failed, name) }), true
}

// Beyond returns the result of a command without failures that were known before: if there are no
// more, it passes.
func (r Result) Beyond(known []string) Result {
	if r.Passed || r.TimedOut || r.Cut || len(r.Failed) == 0 || len(r.Failed) == maxFailures {
		return r
	}
	r.Failed = slices.DeleteFunc(slices.Clone(r.Failed), func(name string) bool { return slices.Contains(known, name) })
	r.Passed = len(r.Failed) == 0
	return r
}

// failurePatterns find the names of failed tests in what test programs write, one form each.
var failurePatterns = []*lazyregexp.Regexp{
	lazyregexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`),                                   // go test
	lazyregexp.MustCompile(`(?m)^FAIL[ \t]+(\S+)[ \t]+[\d.]+s`),                         // go test: a package
	lazyregexp.MustCompile(`(?m)^FAIL[ \t]+(\S+[ \t]+\[(?:build|setup) failed\])`),      // go test: one of which no test ran
	lazyregexp.MustCompile(`(?m)^(panic): `),                                            // go test: the tests behind it did not run
	lazyregexp.MustCompile(`(?m)^(?:FAILED|ERROR) (\S+\.py\S*)`),                        // pytest
	lazyregexp.MustCompile(`(?m)^(?:FAIL|ERROR): (\w+ \([\w.]+\).*)`),                   // unittest
	lazyregexp.MustCompile(`(?m)^test (\S+) \.\.\. FAILED`),                             // cargo test
	lazyregexp.MustCompile(`(?m)^\s*● (.*\S)`),                                          // Jest
	lazyregexp.MustCompile(`(?m)^\s*(?:FAIL|×|❯)\s+(\S+\.[cm]?[jt]sx?(?: > .*\S)?)`),    // Jest, Vitest
	lazyregexp.MustCompile(`(?m)^\s*not ok \d+ -? ?(.*\S)`),                             // TAP, node --test
	lazyregexp.MustCompile(`(?m)^\s*✖ (.*\S) \(\d`),                                     // node --test
	lazyregexp.MustCompile(`(?m)^\s+\d+\) (.*\S)$`),                                     // Mocha
	lazyregexp.MustCompile(`(?m)^  \d+\) (\S.*(?:\n {5,}\S.*)*?:)$`),                    // Mocha: the summary
	lazyregexp.MustCompile(`(?m)^error: test failed, to rerun pass (.*)`),               // cargo test: a program
	lazyregexp.MustCompile("(?m)^ {4}`(-.*)`$"),                                         // cargo test --no-fail-fast
	lazyregexp.MustCompile(`(?m)^\d+\) (\S+::.*\S)`),                                    // PHPUnit
	lazyregexp.MustCompile(`(?m)^rspec '?(\S+?)(?::\d+|\[[\d:]+\])?'?(?: # (.*\S))?$`),  // RSpec
	lazyregexp.MustCompile(`(?m)^\[ERROR\]\s+([\w.$]+[.#]\w+):?\d*\b`),                  // Surefire
	lazyregexp.MustCompile(`(?m)^(\S+ > .*\S) FAILED$`),                                 // Gradle
	lazyregexp.MustCompile(`(?m)^\s+Failed (\S.*) \[`),                                  // dotnet test
	lazyregexp.MustCompile(`(?m)^\s*\d+ - (\S+) \((?:Failed|Timeout|SEGFAULT|Not Run)`), // CTest
}

// languagesTested returns the languages of tests that ran, by what a command wrote that passed.
func languagesTested(output []byte) (languages []syntax.Language) {
	text := plainOutput(output)
	for _, l := range syntax.Languages() {
		if form := syntax.Of(l).Testing.Passed; form != nil && form.MatchString(text) {
			languages = append(languages, l)
		}
	}
	return languages
}

// plainOutput returns output without terminal codes and carriage returns.
func plainOutput(output []byte) string {
	return strings.ReplaceAll(string(terminalCodes.ReplaceAll(output, nil)), "\r\n", "\n")
}

// failedTests returns the names of tests that a command said to have failed, as far as it is
// a test program that is known.
func failedTests(output []byte) (names []string) {
	text := plainOutput(output)
	for _, form := range failurePatterns {
		for _, m := range form.FindAllStringSubmatch(text, -1) {
			if name := strings.Join(strings.Fields(strings.Join(m[1:], " ")), " "); !slices.Contains(names, name) && len(name) < 200 {
				names = append(names, name)
			}
			if len(names) == maxFailures {
				return names
			}
		}
	}
	return names
}
