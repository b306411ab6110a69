package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codeintel/internal/clients"
	"codeintel/internal/clients/registry"
	"codeintel/internal/platform/plainjson"
	"codeintel/internal/text/quote"
	"codeintel/internal/text/redact"
)

// How much an answer may weigh. Claude Code shows up to 50,000 characters and
// 25,000 tokens whole; Codex cuts a longer answer than 12,000 characters in the
// middle, and a client that is not known may do the same.
const (
	wideBudget   = 50_000
	narrowBudget = 11_000
)

// budgetOf returns how much an answer to the client may weigh.
func budgetOf(client *mcp.Implementation) int {
	if known(client, func(c clients.Connection) string { return c.Wide }) {
		return wideBudget
	}
	return narrowBudget
}

// known reports whether the name of a client begins as one of the registry's does.
func known(client *mcp.Implementation, prefix func(clients.Connection) string) bool {
	return client != nil && slices.ContainsFunc(registry.All, func(c *clients.Client) bool {
		p := prefix(c.Connection)
		return p != "" && strings.HasPrefix(strings.ToLower(client.Name), p)
	})
}

// askedBudget returns how much an answer may weigh by the caller's own max_tokens, 0 if
// there is none. A client that is known to cut long answers is not asked.
func askedBudget(client *mcp.Implementation, arguments json.RawMessage) int {
	if known(client, func(c clients.Connection) string { return c.Cuts }) {
		return 0
	}
	var asked struct {
		MaxTokens int `json:"max_tokens"`
	}
	if json.Unmarshal(arguments, &asked) != nil { // whoever reads them all says what is wrong
		return 0
	}
	return min(4*asked.MaxTokens, wideBudget)
}

// weigh returns the weight of a text: a character weighs 1, one beyond ASCII 2,
// because it is about a token alone where two to four others share one. So what
// weighs no more than 50,000 has neither 50,000 characters nor 25,000 tokens.
func weigh[T ~string | ~[]byte](s T) int {
	ascii, runes := 0, 0
	for i := range len(s) {
		if s[i] < utf8.RuneSelf {
			ascii++
		} else if utf8.RuneStart(s[i]) {
			runes++
		}
	}
	return ascii + 2*runes
}

// encode returns both forms of an answer, each within the budget, and by how much the
// longer one was over it. The packages below keep their answers small; this is what
// catches the one that is not.
func encode(a toolAnswer, budget int) (data json.RawMessage, text string, over int, err error) {
	if data, err = marshal(a); err != nil {
		return nil, "", 0, err
	}
	text = quote.Text(quote.Paths(a, quote.Path).Text())
	over = max(weigh(data), weigh(text)) - budget
	if data, err = cutJSON(data, budget); err != nil {
		return nil, "", 0, err
	}
	return data, cutText(text, budget), over, nil
}

// marshal writes what clients show a model in the place of the text.
func marshal(v any) ([]byte, error) {
	data, err := plainjson.Encode(v)
	if err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return quote.Page(redact.Keys(data)), nil
}

// cutText shortens a text to the budget, at the end of a line if there is one,
// and says how much is missing.
func cutText(s string, budget int) string {
	total := weigh(s)
	if total <= budget {
		return s
	}
	const note = "\n… %d of %d characters left out; ask for less, or for the next page.\n"
	end, weight := 0, 0
	for i, r := range s {
		w := 1
		if r >= utf8.RuneSelf {
			w = 2
		}
		if weight += w; weight > budget-len(note)-20 {
			break
		}
		end = i + utf8.RuneLen(r)
	}
	if nl := strings.LastIndexByte(s[:end], '\n'); nl > end/2 {
		end = nl
	}
	all, kept := utf8.RuneCountInString(s), utf8.RuneCountInString(s[:end])
	return s[:end] + fmt.Sprintf(note, all-kept, all)
}

// cutJSON shortens the longest lists and strings of a JSON object until it is
// within the budget, and adds "truncated", which says what was left out. The
// result is valid JSON of the same shape.
func cutJSON(data []byte, budget int) ([]byte, error) {
	if weigh(data) <= budget {
		return data, nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	var whole map[string]any
	if err := dec.Decode(&whole); err != nil {
		return nil, fmt.Errorf("shorten answer: %w", err)
	}
	left := make(map[string]int) // path -> elements or characters left out
	for weigh(data) > budget {
		big := largest("", whole)
		if big.cut == nil {
			break // nothing left to cut: a thousand small fields
		}
		left[big.path] += big.cut()
		whole["truncated"] = describeCuts(left)
		var err error
		if data, err = marshal(whole); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func describeCuts(left map[string]int) string {
	var b strings.Builder
	b.WriteString("This answer was too long. Left out:")
	for path, n := range left {
		fmt.Fprintf(&b, " %d of %s;", n, path)
	}
	b.WriteString(" ask for less, or for the next page.")
	return b.String()
}

// A part is a list or string of a document, and how to halve it.
type part struct {
	path   string
	weight int
	cut    func() int // halves it, returns how much was left out
}

// largest returns the list or string in an object that weighs most; of a list
// that holds most of its weight in one element, that element's part.
func largest(path string, object map[string]any) (best part) {
	for k, v := range object {
		if k == "truncated" {
			continue
		}
		p := partOf(path+k, v, func(v any) { object[k] = v })
		if p.cut != nil && p.weight > best.weight {
			best = p
		}
	}
	return best
}

func partOf(path string, v any, set func(any)) part {
	switch v := v.(type) {
	case string:
		n := utf8.RuneCountInString(v)
		if n < 200 {
			return part{}
		}
		return part{path + " (characters)", weigh(v), func() int {
			kept := string([]rune(v)[:n/2])
			set(kept + "…")
			return n - n/2
		}}
	case []any:
		data, err := json.Marshal(v)
		if err != nil || len(v) == 0 {
			return part{}
		}
		weight := weigh(data)
		if len(v) == 1 {
			return partOf(path+"[0]", v[0], func(e any) { v[0] = e })
		}
		return part{path, weight, func() int {
			set(v[:len(v)/2])
			return len(v) - len(v)/2
		}}
	case map[string]any:
		return largest(path+".", v)
	}
	return part{}
}
