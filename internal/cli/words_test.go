package cli

import "testing"

// What the packages say to a model is said to a person in commands and flags, and what
// they quote stays.
func TestSpoken(t *testing.T) {
	for _, tt := range []struct{ command, said, want string }{
		{"def", `nothing is defined by that name; search_text {"pattern": "F"} looks for it as text`, `nothing is defined by that name; code-intel grep F looks for it as text`},
		{"outline", `Call search_files {"pattern": "no pe"} to look for it.`, `Run code-intel files 'no pe' to look for it.`},
		{"impact", `Call search_files or find_definitions to find the right name.`, `Run code-intel files or code-intel def to find the right name.`},
		{"impact", `Call analyze_impact {"targets": ["internal/server.go", "Server.Handle"]}.`, `Run code-intel impact internal/server.go Server.Handle.`},
		{"search", "n_results is 1000; it must be between 1 and 100.", "--top is 1000; it must be between 1 and 100."},
		{"search", "Leave n_results out for 10.", "Leave --top out for 10."},
		{"search", "query is missing or empty.", "QUERY is missing or empty."},
		{"grep", `file_type is "zzz", which is no language here.`, `--type is "zzz", which is no language here.`},
		{"grep", `Send "file_type": "go".`, `Use --type go.`},
		{"search", `no agreement is about this; "collection": "forest" searches the code`, `no agreement is about this; --collection forest searches the code`},
		{"grep", `Join them: {"pattern": "one|two", "regex": true}.`, `Join them: code-intel grep 'one|two' --regex.`},
		{"grep", `Leave regex out to search for the literal text.`, `Leave --regex out to search for the literal text.`},
		{"search", "Send next_cursor of the answer before, word for word, with all other arguments as they were.", "Send the cursor of the answer before, word for word, with all other arguments as they were."},
		{"outline", "a.go is not indexed yet.", "a.go is not indexed yet."},
		{"outline", "Call sync_index, then this again.", "Run code-intel index, then this again."},
		{"files", `pattern "[" is not a glob: a bracket or brace is not closed.`, `pattern "[" is not a glob: a bracket or brace is not closed.`},
		{"files", `Send one such as "src/**/*.{go,py}".`, `Send one such as "src/**/*.{go,py}".`},
		{"grep", `Escape what is meant literally: "\\(".`, `Escape what is meant literally: "\\(".`},
		{"status", "There is no folder /a/kind is.", "There is no folder /a/kind is."},
	} {
		if got := spoken(tt.command, tt.said); got != tt.want {
			t.Errorf("%s: %s\n got %s\nwant %s", tt.command, tt.said, got, tt.want)
		}
	}
	answer := "12: call(search_text {\"pattern\": \"x\"})\nnote: search_text with a part of a name may find it\nmore: cursor abc\n"
	want := "12: call(search_text {\"pattern\": \"x\"})\nnote: code-intel grep with a part of a name may find it\nmore: --cursor abc\n"
	if got := spokenNotes("search", answer); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// Every tool that is asked for in words of the command line has a command there.
func TestForms(t *testing.T) {
	a := &app{}
	root := a.command(commands)
	for tool, f := range forms {
		cmd, _, err := root.Find([]string{f.command})
		if err != nil {
			t.Errorf("%s: %v", tool, err)
			continue
		}
		for argument, name := range f.flags {
			if cmd.Flags().Lookup(name) == nil {
				t.Errorf("%s: %s is --%s, and %s has no such flag", tool, argument, name, f.command)
			}
		}
	}
}
