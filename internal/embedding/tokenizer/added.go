package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// addedTokens are tokens that are found in a text before a model sees it: some
// in the text as it is, some in the normalized one.
type addedTokens struct {
	ids             map[string]int32
	raw, normalized finder
}

// An addedToken is one row of the file.
type addedToken struct {
	ID         int32  `json:"id"`
	Content    string `json:"content"`
	SingleWord bool   `json:"single_word"` // not within a longer word: refused
	LStrip     bool   `json:"lstrip"`      // takes the white space before it along
	RStrip     bool   `json:"rstrip"`      // and the one behind it
	Normalized bool   `json:"normalized"`  // looked for in the normalized text, normalized itself
	Special    bool   `json:"special"`
}

func readAddedTokens(data json.RawMessage, m model, n normalizer) (addedTokens, error) {
	a := addedTokens{ids: make(map[string]int32)}
	if isNull(data) {
		return a, nil
	}
	var rows []addedToken
	if err := decode(data, &rows); err != nil {
		return a, err
	}
	for _, r := range rows {
		if r.Content == "" {
			return a, errors.New("a token has no content")
		}
		if r.SingleWord {
			return a, fmt.Errorf("single_word of %q is not known", r.Content)
		}
		if id, ok := m.id(r.Content); ok && id != r.ID {
			return a, fmt.Errorf("%q has the id %d, but %d in the model", r.Content, r.ID, id)
		}
		a.ids[r.Content] = r.ID
		text := r.Content
		if r.Normalized {
			if n != nil {
				text = n(text)
			}
			if text == "" {
				return a, fmt.Errorf("nothing is left of %q when it is normalized", r.Content)
			}
			if !a.normalized.add(text, r) {
				return a, fmt.Errorf("%q reads like another token once it is normalized", r.Content)
			}
		} else if !a.raw.add(text, r) {
			return a, fmt.Errorf("%q is there twice", r.Content)
		}
	}
	return a, nil
}

// A finder finds tokens in text: the leftmost one, and of those that begin
// there the longest.
type finder struct {
	byFirst map[byte][]pattern // by the first byte, longest first
	firsts  string             // the keys, for a quick search
}

type pattern struct {
	text  string
	token addedToken
}

// add adds a token that reads text, unless there is one.
func (f *finder) add(text string, token addedToken) bool {
	if f.byFirst == nil {
		f.byFirst = make(map[byte][]pattern)
	}
	b := text[0]
	if len(f.byFirst[b]) == 0 {
		f.firsts += string([]byte{b})
	}
	if slices.ContainsFunc(f.byFirst[b], func(p pattern) bool { return p.text == text }) {
		return false
	}
	list := append(f.byFirst[b], pattern{text, token})
	slices.SortStableFunc(list, func(x, y pattern) int { return len(y.text) - len(x.text) })
	f.byFirst[b] = list
	return true
}

// find returns the first match in s at or after from.
func (f *finder) find(s string, from int) (start int, p *pattern) {
	for i := from; i < len(s); i++ {
		if len(f.firsts) == 1 {
			n := strings.IndexByte(s[i:], f.firsts[0])
			if n < 0 {
				return 0, nil
			}
			i += n
		} else if strings.IndexByte(f.firsts, s[i]) < 0 {
			continue
		}
		list := f.byFirst[s[i]]
		for k := range list {
			if strings.HasPrefix(s[i:], list[k].text) {
				return i, &list[k]
			}
		}
	}
	return 0, nil
}

// split cuts the tokens out of s and appends what comes of it. Of an empty text
// nothing comes.
func (f *finder) split(out []piece, s string) []piece {
	done := 0
	for at := 0; at < len(s) && f.firsts != ""; {
		start, found := f.find(s, at)
		if found == nil {
			break
		}
		end := start + len(found.text)
		at = end
		if found.token.LStrip {
			start = max(len(strings.TrimRightFunc(s[:start], unicode.IsSpace)), done)
		}
		if found.token.RStrip {
			end = len(s) - len(strings.TrimLeftFunc(s[end:], unicode.IsSpace))
		}
		if done < start {
			out = append(out, piece{text: s[done:start], token: none})
		}
		out = append(out, piece{token: found.token.ID})
		done = end
	}
	if done < len(s) {
		out = append(out, piece{text: s[done:], token: none})
	}
	return out
}
