package requirements

import "testing"

// TestProcedure has wishes about how the work is handed over ask for no task.
func TestProcedure(t *testing.T) {
	base := "Add a CSV export to the report page. Users must be able to pick the columns. "
	tasks := []Task{{ID: "1", Description: "Export reports as CSV",
		Items: []string{"GET /report.csv returns one line for each row", "the columns are chosen with ?columns=", "`report.py`"}}}
	for said, want := range map[string]bool{
		"Open the pull request against develop.": false, "Let me know if anything is unclear.": false,
		"Please ask me before you merge.": false, "Use conventional commits.": false, "See #123.": false,
		"The deadline is Friday.": false, "Delete old archives from the server automatically.": true,
	} {
		if unmet, sure := Uncovered(base+said, tasks, func(string) bool { return true }); (sure && len(unmet) > 0) != want {
			t.Errorf("%q: %q, %t", said, unmet, sure)
		}
	}
}
