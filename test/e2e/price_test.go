package e2e

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"codeintel/internal/project/setup"
	"codeintel/test/golden"
)

// A price is what the protocol of a session costs its model: calls of tools that
// belong to the session, and the tokens of their answers. Four characters count as a
// token, as in TestListIsSmall. Questions about the code cost the same without a
// session and are not counted; the diff of review_changes is.
type price struct{ calls, data, text int }

// protocol are the tools that belong to the session.
var protocol = map[string]bool{
	"start_session": true, "submit_phase": true, "get_session_status": true,
	"check_write_target": true, "add_explored_files": true, "review_changes": true,
}

// bill is the price of each call, in order.
type bill struct {
	rows  []string
	total price
}

func in(at string) string {
	if at == "" {
		return ""
	}
	return ", in " + at
}

func (b *bill) note(tool, at string, r reply) {
	if !protocol[tool] {
		return
	}
	p := price{1, len(r.Raw) / 4, len(r.Text) / 4}
	b.total = price{b.total.calls + 1, b.total.data + p.data, b.total.text + p.text}
	b.rows = append(b.rows, fmt.Sprintf("%6d %6d  %s%s\n", p.data, p.text, tool, in(at)))
}

// TestPrice checks what the plain session of two tasks costs against testdata/price.txt:
// of a model that sends one payload a call, and of one that sends all that it may.
func TestPrice(t *testing.T) {
	var b strings.Builder
	fmt.Fprint(&b, "What the plain session of two tasks costs a model: tokens of structured content and of text\n",
		"(four characters are one), for each call of a tool that belongs to the session. The project is set\n",
		"up with the prompts of code-intel init. Written by go test ./test/e2e -run TestPrice -update.\n")
	for _, ahead := range []bool{false, true} {
		bill := priced(t, ahead)
		name := "one payload a call"
		if ahead {
			name = "all payloads that may come together"
		}
		fmt.Fprintf(&b, "\n%s\n%s%6d %6d  %d calls\n", name, strings.Join(bill.rows, ""), bill.total.data, bill.total.text, bill.total.calls)
		if ahead && (bill.total.calls > mostCalls || bill.total.data > mostTokens) {
			t.Errorf("the plain session costs %d calls and %d tokens; %d and %d are the most", bill.total.calls, bill.total.data, mostCalls, mostTokens)
		}
	}
	golden.Hold(t, "testdata/price.txt", b.String())
}

// What the plain session may cost.
const (
	mostCalls  = 10
	mostTokens = 4000
)

func priced(t *testing.T, ahead bool) *bill {
	w := discount()
	st := gitFixture(t, w.files)
	if _, err := setup.Init(context.Background(), st.Root, setup.Options{}); err != nil {
		t.Fatal(err)
	}
	st.Serve()
	a := newAgent(st, w)
	b := new(bill)
	a.hears, a.ahead = b.note, ahead
	a.start()
	a.play("END")
	if a.refusals > 0 || a.answer.Str("outcome") != "completed" {
		t.Errorf("%d refusals, outcome %q", a.refusals, a.answer.Str("outcome"))
	}
	return b
}
