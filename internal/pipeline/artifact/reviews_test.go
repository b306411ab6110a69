package artifact

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestReviews checks whole reviews, as agents write them, against what they say:
// the verdict, and a line for each finding.
func TestReviews(t *testing.T) {
	families := map[string]Family{"design": DesignVerdict, "code": CodeVerdict, "final": FinalVerdict}
	paths, err := filepath.Glob("testdata/reviews/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no reviews: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name, _ := strings.CutPrefix(strings.TrimSpace(string(archive.Comment)), "family: ")
			family, ok := families[name]
			if !ok || len(archive.Files) != 2 {
				t.Fatalf("family %q, %d files", name, len(archive.Files))
			}
			r := ParseReview(family, string(archive.Files[0].Data))
			got := string(r.Verdict) + "\n"
			for _, f := range r.Findings {
				got += f.Severity + " " + f.Description.String() + "\n"
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), got); diff != "" {
				t.Errorf("review (-want +got):\n%s", diff)
			}
		})
	}
}
