package search

import (
	"strings"
	"testing"

	"codeintel/internal/search/symbolname"
)

func TestNear(t *testing.T) {
	names := []string{"NewReader", "NewWriter", "newReader", "Read", "ReadAll", "Handler", "ServeHTTP"}
	for _, tt := range []struct{ in, want string }{
		{"NewRaeder", "NewReader newReader"},
		{"readall", "ReadAll Read"},
		{"ServeHttp", "ServeHTTP"},
		{"Zzzz", ""},
	} {
		if got := strings.Join(symbolname.Near(tt.in, names, 2), " "); got != tt.want {
			t.Errorf("near %s: %s, want %s", tt.in, got, tt.want)
		}
	}
}
