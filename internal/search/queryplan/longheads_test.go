package queryplan

import (
	"fmt"
	"slices"
	"testing"
)

// TestLongHeads has types with long heads found, and who only uses one left out.
func TestLongHeads(t *testing.T) {
	s := shop(t, map[string]string{
		"k/Event.kt":  "package k\n\ninterface Event { fun go() }\n",
		"k/D.kt":      "package k\n\nclass Short(val f: Int) : Event {\n  override fun go() {}\n}\n\ndata class Created(\n  val id: Int,\n  val name: String,\n) : Event {\n  override fun go() {}\n}\n",
		"s/Msg.scala": "package s\n\ntrait Msg { def go(): Unit }\n", "s/D2.scala": "package s\n\nclass Plain extends Msg { def go() = {} }\n\ncase class Full(\n  id: Int,\n  name: String\n) extends Msg {\n  def go() = {}\n}\n",
		"net/lock.py": "class Guard:\n    def __enter__(self): pass\n    def __exit__(self, *a): pass\n",
		"net/use.py":  "from net.lock import Guard\n\nclass Store:\n    def put(self):\n        with Guard():\n            pass\n\nclass Fine(Guard):\n    pass\n",
		"net/resp.py": "class Response:\n    def json(self):\n        return 1\n",
		"net/load.py": "from net.resp import Response\n\ndef load(r: Response):\n    return r.json()\n",
	})
	for query, want := range map[string][]string{
		"what implements Event": {"k/D.kt:3", "k/D.kt:7"}, "what implements Msg": {"s/D2.scala:3", "s/D2.scala:5"},
		"which classes extend Guard": {"net/use.py:8"}, "who calls Response.json": {"net/load.py:4"},
	} {
		var got []string
		for _, r := range s.ask(Query{Query: query}, Setting{}).Results {
			got = append(got, at(r))
		}
		for _, place := range want {
			if !slices.Contains(got, place) {
				t.Errorf("%s: %q lacks %s", query, got, place)
			}
		}
		if slices.Contains(got, "net/use.py:3") && query == "which classes extend Guard" {
			t.Errorf("%s: who uses it is listed: %q", query, got)
		}
	}
}

func at(r Result) string { return fmt.Sprintf("%s:%d", r.File, r.StartLine) }
