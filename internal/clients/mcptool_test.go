package clients

import (
	"strings"
	"testing"
)

// TestReadsByName tells tools of other servers by the verb of their names.
func TestReadsByName(t *testing.T) {
	for name := range strings.FieldsSeq(`list_issues get_file_contents search_code read_file read_multiple_files list_directory directory_tree
		git_status git_log git_diff git_show get_pull_request list_pull_requests get_run_logs search_repositories find_symbol
		find_referencing_symbols get_symbols_overview resolve-library-id get-library-docs query-docs sequentialthinking browser_snapshot
		browser_take_screenshot browser_navigate fetch getIssue listPullRequests describe_table search_nodes read_graph get_file_info
		list_allowed_directories get_commit view_patch list_edits readFile search_and_list`) {
		if !readsByName("mcp__s__" + name) {
			t.Errorf("%s is not taken to read", name)
		}
	}
	for name := range strings.FieldsSeq(`rename_symbol execute_shell_command edit_block git_commit git_add git_checkout git_reset write_file
		edit_file create_directory move_file replace_symbol_body insert_after_symbol run_command start_process interact_with_process
		set_config_value create_or_update_file push_files merge_pull_request create_branch search_and_replace find_and_replace get_or_create
		browser_evaluate execute_sql apply_patch runTests executeCode deleteFile replace_regex write_memory list_and_delete jetbrains
		read_and_write_file get_then_apply do_it kubectl_apply eval terminal save_note`) {
		if readsByName("mcp__s__" + name) {
			t.Errorf("%s is taken to read", name)
		}
	}
}
