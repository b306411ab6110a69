package request

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codeintel/internal/platform/msg"
)

var options = Options{
	GitHubHosts: []string{"github.corp.example", "ghe.example:8443"},
	Phases:      []string{"phase-1", "phase-3b", "phase-4", "phase-5", "final-summary"},
}

func effort(s string) *string { return &s }

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name  string
		in    string
		text  string
		flags Flags
	}{
		{"no flags", "fix the login", "fix the login", Flags{}},
		{"at the start", "--auto --nopr fix the login", "fix the login", Flags{Auto: true, SkipPR: true}},
		{"at the end", "fix the login --debug --discuss", "fix the login", Flags{Debug: true, Discuss: true}},
		{"at both", "--auto fix the login --nopr", "fix the login", Flags{Auto: true, SkipPR: true}},
		{"lines", "--auto\nfix\n  the login\n--nopr\n", "fix\n  the login", Flags{Auto: true, SkipPR: true}},
		{"inside it is text", "make --auto the default", "make --auto the default", Flags{}},
		{"inside unknown ones are text", "make --verbose the default", "make --verbose the default", Flags{}},
		{"twice the same", "--auto fix it --auto", "fix it", Flags{Auto: true}},
		{"capitals", "--Auto fix it", "fix it", Flags{Auto: true}},

		{"effort with =", "--effort=L fix it", "fix it", Flags{EffortOverride: effort("L")}},
		{"effort in small letters", "--effort=l fix it", "fix it", Flags{EffortOverride: effort("L")}},
		{"effort as the next word", "--effort s fix it", "fix it", Flags{EffortOverride: effort("S")}},
		{"effort at the end", "fix it --effort M", "fix it", Flags{EffortOverride: effort("M")}},
		{"effort before others at the end", "fix it --effort M --auto", "fix it", Flags{Auto: true, EffortOverride: effort("M")}},
		{"effort behind others at the end", "fix it --auto --effort=M", "fix it", Flags{Auto: true, EffortOverride: effort("M")}},
		{"effort in quotes", `--effort="M" fix it`, "fix it", Flags{EffortOverride: effort("M")}},
		{"effort twice the same", "--effort=m fix it --effort M", "fix it", Flags{EffortOverride: effort("M")}},
		{"until", "--until=phase-3b fix it", "fix it", Flags{Until: "phase-3b"}},
		{"until as the next word, at the end", "fix it --until Phase-5", "fix it", Flags{Until: "phase-5"}},

		{"-- ends flags at the start", "--auto -- --nopr is broken", "--nopr is broken", Flags{Auto: true}},
		{"-- first of all", "-- --auto", "--auto", Flags{}},
		{"-- keeps the end, too", "-- rename --debug", "rename --debug", Flags{}},
		{"-- inside ends flags", "explain -- --auto", "explain -- --auto", Flags{}},
		{"-- at the very end ends nothing", "fix it --auto --", "fix it", Flags{Auto: true}},
		{"a pasted line ends with another's flag", "fix the crash:\n$ fetch --retry=3", "fix the crash:\n$ fetch --retry=3", Flags{}},
		{"ours behind a pasted line", "fix the crash:\n$ fetch --retry=3\n--auto", "fix the crash:\n$ fetch --retry=3", Flags{Auto: true}},
		{"a pasted log", "fix it\n\n2026-11-24T04:00:00Z ERROR gave up --retry=3", "fix it\n\n2026-11-24T04:00:00Z ERROR gave up --retry=3", Flags{}},
		{"a pasted log with hours alone", "fix it\n[04:00:00] --auto --debug", "fix it\n[04:00:00] --auto --debug", Flags{}},
		{"a pasted command", "this fails:\n$ npm test --debug", "this fails:\n$ npm test --debug", Flags{}},
		{"a quoted line", "answer this\n> use --effort M", "answer this\n> use --effort M", Flags{}},
		{"a flag below a pasted log", "fix it\n> run --retry=3\n--nopr", "fix it\n> run --retry=3", Flags{SkipPR: true}},
		{"a flag behind a date", "2026-11-24 is the date: fix it --nopr", "2026-11-24 is the date: fix it", Flags{SkipPR: true}},
		{"a flag behind lines that were typed", "fix it\n- and test it --nopr", "fix it\n- and test it", Flags{SkipPR: true}},
		{"the end of a quotation", `it says "use --retry=3"`, `it says "use --retry=3"`, Flags{}},
		{"the end of a piece of code", "it hangs with `serve --debug`", "it hangs with `serve --debug`", Flags{}},
		{"the end of a bracket", "it hangs (with --debug)", "it hangs (with --debug)", Flags{}},
		{"the end of a Japanese quotation", "次を直す「serve --debug」", "次を直す「serve --debug」", Flags{}},
		{"a quoted value", `fix it --effort="M"`, "fix it", Flags{EffortOverride: effort("M")}},
		{"--- is a rule", "--- a rule ---", "--- a rule ---", Flags{}},
		{"one letter is text", "-v is missing, add -x", "-v is missing, add -x", Flags{}},
		{"--1 is a number", "--1 is not parsed, nor is --2", "--1 is not parsed, nor is --2", Flags{}},

		{"a dash made of two hyphens", "fix it —auto", "fix it", Flags{Auto: true}},
		{"wide characters", "－－ａｕｔｏ　ログインを直す　－－ｅｆｆｏｒｔ＝Ｓ", "ログインを直す", Flags{Auto: true, EffortOverride: effort("S")}},
		{"a dash before another word", "fix the login —really", "fix the login —really", Flags{}},
		{"Japanese", "--auto ログインの不具合を修正する --nopr", "ログインの不具合を修正する", Flags{Auto: true, SkipPR: true}},
		{"three characters", "直して", "直して", Flags{}},

		{"control characters", "fix\x00 \x1b[31mit\r\nnow", "fix [31mit\nnow", Flags{}},
		{"bytes that are no text", "fix \xff it", "fix \uFFFD it", Flags{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, errs := Parse(tt.in, options)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if diff := cmp.Diff(tt.text, r.Text); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tt.flags, r.Flags); diff != "" {
				t.Error(diff)
			}
			if r.Source != (Source{Type: Text}) {
				t.Errorf("source %+v", r.Source)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	const behind = "; put -- before a text that begins or ends with such a word"
	for _, tt := range []struct {
		name string
		in   string
		want []string
	}{
		{"empty", "", []string{"input is empty: say what to do, or name an issue"}},
		{"blank", " \n\t　", []string{"input is empty: say what to do, or name an issue"}},
		{"too short", "ab", []string{"input too short: minimum 3 characters required"}},
		{"characters, not bytes", "修正", []string{"input too short: minimum 3 characters required"}},
		{"too short behind flags", "--auto ab --nopr", []string{"input too short: minimum 3 characters required"}},
		{"only flags", "--auto --effort L", []string{"only flags: say what to do, or name an issue"}},
		{"only --", "--", []string{"only flags: say what to do, or name an issue"}},
		{"flags and --", "--auto --", []string{"only flags: say what to do, or name an issue"}},
		{"unknown at the start", "--atuo fix it", []string{"unknown flag --atuo: the nearest is --auto" + behind}},
		{"unknown at the end", "fix it --no-pr", []string{"unknown flag --no-pr: the nearest is --nopr" + behind}},
		{"a slip at the end of several lines", "fix it\nsoon --no-pr", []string{"unknown flag --no-pr: the nearest is --nopr" + behind}},
		{"unknown on a line of flags", "fix it\n--retry=3", []string{"unknown flag --retry: the nearest is --auto" + behind}},
		{"unknown with a value", "fix it --efort=L", []string{"unknown flag --efort: the nearest is --effort" + behind}},
		{"one hyphen", "-auto fix it", []string{"unknown flag -auto: the nearest is --auto" + behind}},
		{"unknown and nothing else", "--untill", []string{"unknown flag --untill: the nearest is --until" + behind}},
		{"several, in order", "--atuo fix it --debgu --discus", []string{
			"unknown flag --atuo: the nearest is --auto" + behind,
			"unknown flag --debgu: the nearest is --debug" + behind,
			"unknown flag --discus: the nearest is --discuss" + behind}},
		{"effort without a value", "fix it --effort", []string{"--effort needs a value: XS, S, M or L"}},
		{"effort with an empty value", "--effort= fix it", []string{"--effort needs a value: XS, S, M or L"}},
		{"effort before a flag", "--effort --auto fix it", []string{"--effort needs a value: XS, S, M or L"}},
		{"effort before --", "--effort -- fix it", []string{"--effort needs a value: XS, S, M or L"}},
		{"no such effort", "--effort=XL fix it", []string{`--effort: effort must be XS, S, M or L, not "XL"`}},
		{"no such effort at the end", "fix it --effort huge", []string{`--effort: effort must be XS, S, M or L, not "huge"`}},
		{"two efforts", "--effort=S fix it --effort=L", []string{"--effort is given twice, as S and as L"}},
		{"a value where none is", "--auto=yes fix it", []string{"--auto takes no value"}},
		{"until without a value", "fix it --until", []string{"--until needs a phase: one of phase-1, phase-3b, phase-4, phase-5, final-summary"}},
		{"no such phase", "--until=phase-55 fix it", []string{`--until: there is no phase "phase-55": the nearest is phase-5`}},
		{"two phases", "--until=phase-1 fix it --until=phase-5", []string{"--until is given twice, as phase-1 and as phase-5"}},
		{"a flag and a source", "--atuo https://example.com/a", []string{
			"unknown flag --atuo: the nearest is --auto" + behind,
			"unknown source: https://example.com/a is not an issue on GitHub, Jira or Linear; send the address of one, or say in words what to do"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, got := Parse(tt.in, options)
			if diff := cmp.Diff(tt.want, msg.Texts(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSpecName(t *testing.T) {
	for in, want := range map[string]string{
		"--auto Fix the login": "fix-the-login",
		"owner/repo#42":        "https-github-com-owner-repo-issues-42",
		"ログインの不具合を修正する --auto": "ログインの不具合を修正する",
		"!!! ???": "task",
		"Add a variadic form\n\nIt takes single values.": "add-a-variadic-form",
		"Please:\n- greet by name":                       "please-greet-by-name",
	} {
		r, errs := Parse(in, options)
		if got := r.specName(); errs != nil || got != want {
			t.Errorf("%s: %q, %v, want %q", in, got, errs, want)
		}
	}
}

func TestManyErrors(t *testing.T) {
	if _, errs := Parse(strings.Repeat("--atuo ", 1000)+"fix it", options); len(errs) != maxErrors {
		t.Errorf("%d errors", len(errs))
	}
}

func TestUntilWithoutPhases(t *testing.T) {
	_, errs := Parse("--until=phase-1 fix it", Options{})
	if diff := cmp.Diff([]string{`--until: there is no phase "phase-1"`}, msg.Texts(errs)); diff != "" {
		t.Error(diff)
	}
}

func TestEdits(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0},
		{"--atuo", "--auto", 1}, {"kitten", "sitting", 3}, {"修正", "修復", 1},
	} {
		if got := edits(tt.a, tt.b); got != tt.want {
			t.Errorf("edits(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "ab", "--auto fix it --effort L", "--effort", "fix -- --auto --", "-- -- --", "—auto 修正する", "--until=phase-1 o/r#42",
		"https://github.com/o/r/issues/42", "<https://github.corp.example/o/r/issues/1?x#y>", "-o/-r#1", "https://-x.atlassian.net/browse/A-1",
		"https://linear.app/w/issue/ENG-7/%2d-x", ".specs/../x", `.\.specs\a\b`, "--=", "--effort=--auto x", "\xff--auto", "ー\u3000--auto", "https://[::1",
	} {
		f.Add(s)
	}
	constant := []string{"--repo", "--json"}
	f.Fuzz(func(t *testing.T, in string) {
		r, errs := Parse(in, options)
		if len(errs) > 0 {
			return
		}
		if len([]rune(r.Text)) < 3 || r.Text != strings.TrimSpace(r.Text) {
			t.Errorf("text %q", r.Text)
		}
		if again, errs := Parse("-- "+r.Text, options); errs != nil || again.Text != r.Text || again.Source != r.Source || again.Flags != (Flags{}) {
			t.Errorf("behind --: %+v %v, want the text of %+v", again, errs, r)
		}
		if p := r.Workspace; (p != "") != (r.Source.Type == Workspace) || p != "" && (!strings.HasPrefix(p, ".specs/") || strings.Count(p, "/") != 1 || strings.Contains(p, "..") && p == ".specs/..") {
			t.Errorf("workspace %q of %+v", p, r.Source)
		}
		fetch := r.Source.fetch()
		if (fetch != nil) != r.Source.Tracked() || r.Source.Tracked() != (r.Source.ID != "") {
			t.Errorf("fetch %+v of %+v", fetch, r.Source)
		}
		if fetch != nil {
			for _, arg := range fetch.Argv {
				if strings.HasPrefix(arg, "-") && !slices.Contains(constant, arg) || strings.ContainsAny(arg, " \n") {
					t.Errorf("argv %q", fetch.Argv)
				}
			}
			if same, err := ParseSource(r.Source.URL, options); err != nil || same != r.Source {
				t.Errorf("the address of %+v leads to %+v, %v", r.Source, same, err)
			}
		}
		if e, why, err := Detect(r.Flags.EffortOverride, Context{}, r.Text); err != nil || e.Template() == "" || len(why) == 0 {
			t.Errorf("effort %q, %q, %v", e, why, err)
		}
		BranchType(Context{}, r.Text)
	})
}
