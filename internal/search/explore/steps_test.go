package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"codeintel/test/searchtest"
)

// crowd is files with a function each that has words of a question, as many as an answer has places.
func crowd(t *testing.T, words string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for i := range len(allowed) + 1 {
		files[fmt.Sprintf("crowd%d.py", i)] = fmt.Sprintf("def %s_%d(a):\n    b = a.%s\n    return b[%d]\n",
			strings.ReplaceAll(words, " ", "_"), i, strings.ReplaceAll(words, " ", "_"), i)
	}
	return files
}

func placesOf(t *testing.T, files map[string]string, query string) *Answer {
	t.Helper()
	p, x, e := searchtest.Open(t, searchtest.Files(t, files))
	a, err := New(p, x, e, nil).Explore(t.Context(), Query{Query: query})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (a *Answer) has(symbol string) bool {
	return slices.ContainsFunc(a.Places, func(p Place) bool { return p.Symbol == symbol })
}

// TestJoining asks about what two functions do: the one that calls both is shown, though it has no word of
// the question, unless it is so long that it calls all kinds of things.
func TestJoining(t *testing.T) {
	for _, long := range []bool{false, true} {
		files := crowd(t, "stale lock")
		files["lock.py"] = "def lapsed(lock):\n    \"\"\"Whether a stale lock has expired.\"\"\"\n    return lock.stale and lock.expired\n\n\n" +
			"def drop(lock):\n    \"\"\"Releases an expired stale lock.\"\"\"\n    lock.stale = False\n    lock.release()\n"
		body := ""
		if long {
			body = strings.Repeat("    door.count += 1\n", maxJoinLines)
		}
		files["door.py"] = "from lock import drop, lapsed\n\n\ndef enter(door):\n    if lapsed(door):\n        drop(door)\n" + body + "    return door\n"
		if a := placesOf(t, files, "when is an expired stale lock released"); a.has("enter") == long {
			t.Errorf("long %t: enter is shown is %t:\n%s", long, !long, a.Text())
		}
	}
}

// TestSeveralJoining raises several functions, which moves the places that they call.
func TestSeveralJoining(t *testing.T) {
	files := map[string]string{
		"all.py":  "def enter_all(x):\n    a, b = stale_lock_a(x), stale_lock_b(x)\n    return a or b or stale_lock_c(x) or stale_lock_d(x)\n",
		"last.py": "def enter_last(x):\n    return stale_lock_c(x) or stale_lock_d(x)\n",
	}
	for _, n := range []string{"a", "b", "c", "d"} {
		files["lock_"+n+".py"] = "def stale_lock_" + n + "(lock):\n    \"\"\"Whether a stale lock has expired.\"\"\"\n    return lock.stale\n"
	}
	a := placesOf(t, files, "expired stale lock")
	if len(a.Places) < 4 || a.Places[2].Symbol != "enter_last" || a.Places[3].Symbol != "enter_all" {
		t.Errorf("not both after two places:\n%s", a.Text())
	}
}

// TestAlternatives asks about what several classes do: the function that chooses between them is shown.
func TestAlternatives(t *testing.T) {
	files := crowd(t, "adapter for paper")
	uses := ""
	for _, n := range []string{"Local", "Cloud", "Remote"} {
		files["adapters/"+strings.ToLower(n)+".py"] = "class " + n + "PaperAdapter:\n    \"\"\"An adapter that prints paper.\"\"\"\n\n" +
			"    def print_paper(self, paper):\n        return paper\n"
		uses += "    if x == 1:\n        return " + n + "PaperAdapter\n"
	}
	files["zz.py"] = "def pick(x):\n" + uses + "    return None\n"
	if a := placesOf(t, files, "which adapter prints paper"); !a.has("pick") {
		t.Errorf("pick is not shown:\n%s", a.Text())
	}
}

// TestSteps asks what a function does: what it calls and what has a word of the question in its name is shown
// before other places.
func TestSteps(t *testing.T) {
	files := crowd(t, "checked settings file")
	files["load.py"] = "from reader import parse_file\n\n\ndef load_and_check_settings_file(name):\n" +
		"    \"\"\"Loads a settings file, and checks it.\"\"\"\n    return parse_file(name)\n"
	files["reader.py"] = "def parse_file(name):\n" + strings.Repeat("    name.rows += 1\n", 20) + "    return name.rows\n"
	if a := placesOf(t, files, "how is a settings file loaded and checked"); !a.has("parse_file") {
		t.Errorf("parse_file is not shown:\n%s", a.Text())
	}
}

// TestTwins holds that the same code is not shown once more.
func TestTwins(t *testing.T) {
	code := "def fold_paper_crane(paper):\n    corner = paper.corner\n    paper.fold(corner)\n    return paper\n"
	a := placesOf(t, map[string]string{"old/crane.py": code, "new/crane.py": "import os\n\n\n" + code, "boat.py": "def boat(paper):\n    return paper\n"},
		"how is a paper crane folded")
	if n := strings.Count(a.Text(), "paper.fold(corner)"); n != 1 {
		t.Errorf("shown %d times:\n%s", n, a.Text())
	}
}

// TestSmallFile asks for what the comment at the head of a small file says: all of its code is shown, without
// its tests.
func TestSmallFile(t *testing.T) {
	a := placesOf(t, map[string]string{"picker.rs": "//! Automatic selection of the length of a segment, by the size of what is in it.\n\nuse crate::common::*;\n\n" +
		"pub(crate) struct Picker;\n\nimpl Picker {\n  pub(crate) fn from_size(n: u64) -> u64 {\n    n.max(16)\n  }\n}\n\n" +
		"#[cfg(test)]\nmod tests {\n  use super::*;\n\n  #[test]\n  fn limits() {\n    assert_eq!(Picker::from_size(1), 16);\n  }\n}\n"},
		"automatic selection of the segment length")
	if len(a.Places) == 0 || !strings.Contains(a.Text(), "n.max(16)") || strings.Contains(a.Text(), "assert_eq!(Picker") {
		t.Errorf("not the code alone:\n%s", a.Text())
	}
}

// TestNamedTest asks about a test by its name: it comes first, with its code. What code outside of tests has the
// name of as well is not meant as a test.
func TestNamedTest(t *testing.T) {
	files := crowd(t, "keep newline")
	files["retry.py"] = "def count_delay(a):\n    return a\n"
	files["tests/test_cli.py"] = "def test_keep_newline(runner):\n    assert runner.newline\n\n\ndef count_delay(a):\n    return 0\n"
	for query, want := range map[string]string{
		"why is there a test_keep_newline": "tests/test_cli.py", "what is the count_delay for": "retry.py",
	} {
		if a := placesOf(t, files, query); len(a.Places) == 0 || a.Places[0].File != want {
			t.Errorf("%s: not of %s:\n%s", query, want, a.Text())
		}
	}
}
