package git

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNames(t *testing.T) {
	want := Names{"a", "日本", "caf\xe9", "\xff\xfe\"\n", ""}
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got Names
	if err := json.Unmarshal(data, &got); err != nil || !cmp.Equal(want, got) {
		t.Errorf("%s: %v, %q", data, err, got)
	}
	if err := json.Unmarshal([]byte(`["a", "b"]`), &got); err != nil || !cmp.Equal(Names{"a", "b"}, got) {
		t.Errorf("as it was written before: %v, %q", err, got)
	}
	if err := json.Unmarshal([]byte(`[7]`), &got); err == nil {
		t.Error("a number is taken for a name")
	}
	for _, name := range want {
		var carried string
		data, err := json.Marshal(name)
		if err == nil {
			err = json.Unmarshal(data, &carried)
		}
		if err != nil || Shown(name) != carried {
			t.Errorf("Shown(%q) = %q, and JSON makes %q of it", name, Shown(name), carried)
		}
	}
}
