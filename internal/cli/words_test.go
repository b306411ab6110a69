package cli

import (
	"testing"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
)

// TestSpoken wants what the packages say of operations and arguments in commands and
// flags here.
func TestSpoken(t *testing.T) {
	a := &app{}
	for _, tt := range []struct {
		command string
		said    msg.Message
		want    string
	}{
		{"def", msg.New("search.nothing_defined_look_for_text", msg.CallOf(op.SearchText, "pattern", "F")),
			"nothing is defined by that name; code-intel grep F searches for it as text"},
		{"outline", msg.New("search.call_looks_for_it", msg.CallOf(op.SearchFiles, "pattern", "no pe")),
			"code-intel files 'no pe' looks for it."},
		{"impact", msg.New("impact.tools_find_the_right_name", op.SearchFiles, op.FindDefinitions),
			"code-intel files or code-intel def finds the right name."},
		{"impact", msg.New("search.for_example", msg.CallOf(op.AnalyzeImpact, "targets", []string{"internal/server.go", "Server.Handle"})),
			"For example: code-intel impact internal/server.go Server.Handle."},
		{"search", msg.New("search.must_be_between", msg.Param("n_results"), 1000, 1, 100), "--top is 1000; it must be between 1 and 100."},
		{"search", msg.New("search.leave_out_for_number", msg.Param("n_results"), 10), "Leave --top out for 10."},
		{"search", msg.New("search.missing_or_empty", msg.Param("query")), "QUERY is missing or empty."},
		{"grep", msg.New("search.no_language_or_extension", msg.Param("file_type"), "zzz"),
			`--type is "zzz", which is neither a known language nor the extension of a file in this repository.`},
		{"grep", msg.New("search.use_argument", msg.ArgsOf("file_type", "go")), "Use --type go."},
		{"search", msg.New("search.no_agreement_about_this", msg.ArgsOf("collection", "forest")),
			"there is no agreement about this; --collection forest searches the code"},
		{"grep", msg.New("search.join_them", msg.CallOf(op.SearchText, "pattern", "one|two", "regex", true)),
			"Join them: code-intel grep 'one|two' --regex."},
		{"grep", msg.New("search.leave_regex_out_for_literal_text", msg.Param("regex")), "Leave --regex out to search for the literal text."},
		{"search", msg.New("search.send_the_next_cursor_unchanged", msg.Param("next_cursor")),
			"Send the cursor of the previous answer, word for word, and leave all other arguments unchanged."},
		{"search", msg.Join(" ", msg.Param("cursor"), "abc"), "--cursor abc"},
		{"refs", msg.New("search.globs_holds_an_empty_one", msg.Param("globs")), "--glob contains an empty glob."},
		{"outline", msg.New("index.sync_and_ask_again", op.SyncIndex), "code-intel index brings it up to date; then ask again."},
		{"status", msg.New("search.call_looks_for_it", msg.CallOf(op.StartSession, "query", "x")), `start_session(query="x") looks for it.`},
		{"status", msg.New("search.missing_or_empty", msg.Param("file_path")), "--file-path is missing or empty."},
	} {
		if got := a.words(tt.command).Text(tt.said); got != tt.want {
			t.Errorf("%s: %s\n got %s\nwant %s", tt.command, tt.said, got, tt.want)
		}
	}
}

// TestForms wants every operation that is called in words of the command line to have
// a command there.
func TestForms(t *testing.T) {
	a := &app{}
	root := a.command(commands)
	for name, f := range forms {
		cmd, _, err := root.Find([]string{f.command})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for argument, flag := range f.flags {
			if cmd.Flags().Lookup(flag) == nil {
				t.Errorf("%s: %s is --%s, and %s has no such flag", name, argument, flag, f.command)
			}
		}
	}
}
