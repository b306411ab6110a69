package artifact

import "testing"

// TestGivesReason: what only stands for a reason gives none, however long it is.
func TestGivesReason(t *testing.T) {
	for line, want := range map[string]bool{
		"`greet_test.py`: no reason is known":                                      false,
		"`greet_test.py` was changed as requested, see above":                      false,
		"`greet_test.py`: n/a, it was necessary and the reason is obvious":         false,
		"`greet_test.py`: no particular reason; see the diff":                      false,
		"`greet_test.py` had to be changed for technical reasons":                  false,
		"`greet_test.py`: the reason for this is not known":                        false,
		"`greet_test.py`: changed as it was required by the plan, as stated above": false,
		"`greet_test.py`: 特になし":                                                    false,
		"`greet_test.py`: 理由は特にありません、上記の通り":                                        false,
		"`greet_test.py`: 依頼どおり、必要だったため":                                           false,

		"`greet_test.py`: greet takes a name now, as requested":             true,
		"`greet_test.py`: the old greeting is gone, see the request":        true,
		"`greet_test.py`: there is no reason to round, says the request":    true,
		"`greet_test.py`: this was changed because a guest has no name":     true,
		"`greet_test.py`: none of the callers asks for the old text":        true,
		"`greet_test.py`: the unknown name is greeted as a guest now":       true,
		"`greet_test.py`: 依頼どおり、挨拶に名前が入るようになったため":                           true,
		"`greet_test.py`: 丸めなくなったので期待値が変わった":                                true,
		"`other_test.py`: greet takes a name now, and the test says so too": false,
	} {
		if got := GivesReason(line, []string{"greet_test.py"}); got != want {
			t.Errorf("%s: %v, want %v; left is %q", line, got, want, Reason(line))
		}
	}
}

// TestSpelled: a name that could be read as anything else is written as git quotes it, and read
// again as it was, among the files of a report, in a plan and as a place of a review.
func TestSpelled(t *testing.T) {
	for name, spelled := range map[string]string{
		"a b/it's.py": "a b/it's.py", "挨拶.py": "挨拶.py", "-n.py": "-n.py",
		`say "hi".py`: `"say \"hi\".py"`, "a\tb.py": `"a\tb.py"`, "a\nb.py": `"a\nb.py"`, `a\b.py`: `"a\\b.py"`,
		"a`b.py": `"a\140b.py"`, "what?.py": `"what\077.py"`, "all*.py": `"all\052.py"`, "a<b>|c.py": `"a\074b\076\174c.py"`,
		"~$a.py": `"\176$a.py"`, "a:b.py": `"a\072b.py"`,
		"log:12": `"log\07212"`, "a\u202eb.py": `"a\342\200\256b.py"`, "a\x7fb.py": `"a\177b.py"`,
	} {
		got := Spelled(name)
		if got != spelled {
			t.Errorf("%q is spelled %s, want %s", name, got, spelled)
		}
		for _, item := range []string{"- `" + got + "` (new): says more, or less", "- `" + got + "`", "- " + got} {
			if item == "- "+name && (name[0] == '-' || name[1] == ' ') {
				continue // without back-ticks, a name ends at its first blank, and begins with no dash
			}
			impl, wrong := ParseImpl("## Files\n\n" + item + "\n\n## Tests\n\n- pass\n")
			if len(wrong) > 0 || len(impl.Files) != 1 || impl.Files[0] != name {
				t.Errorf("%s: %q, %v", item, impl.Files, wrong)
			}
		}
		if got == name {
			continue
		}
		all := ParseCriteria("## Criteria\n\n- it greets → `" + got + ":3-4`\n")
		if want := (Place{Path: name, Line: 3, Last: 4}); len(all) != 1 || len(all[0].Places) != 1 || all[0].Places[0] != want {
			t.Errorf("%s: %+v", got, all)
		}
	}
	for _, quoted := range []string{`"../a\tb.py"`, `"/a\tb.py"`, `".git/a\tb"`, `".specs/a\tb"`, `"a\tb/"`} {
		if impl, wrong := ParseImpl("## Files\n\n- `" + quoted + "`\n\n## Tests\n\n- pass\n"); len(wrong) != 1 || len(impl.Files) != 0 {
			t.Errorf("%s: %q, %v", quoted, impl.Files, wrong)
		}
	}
}
