// Package requestslots defines the analysed request of a session: what is asked for, which words of the request
// say so, and how risky it is to act on it.
//
// A slot is a FACT only if its quote is in the request and means what the slot says; a
// slot without a quote is a HYPOTHESIS. The package is pure: it knows the request and the
// submission, and nothing of the code.
package requestslots

import (
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/text"
	"codeintel/internal/text/terms"
)

// badSlot is the code of a quote that does not hold.
const badSlot problem.Code = "validation_failed"

// A Source says how a slot's value is known.
type Source string

// Fact is quoted from the request; Hypothesis is the model's reading of it.
const (
	Fact       Source = "FACT"
	Hypothesis Source = "HYPOTHESIS"
)

// A Risk is how careful the work must be.
type Risk string

// The risks, from the least.
const (
	Low    Risk = "LOW"
	Medium Risk = "MEDIUM"
	High   Risk = "HIGH"
)

// A Slot is one part of the request, with the words that say it.
type Slot struct {
	Value  string `json:"value"`
	Quote  string `json:"quote,omitempty"`
	Source Source `json:"source,omitempty"`
}

// SlotNames are the four slots, in the order in which they are reported.
var SlotNames = []string{"target_feature", "trigger_condition", "observed_issue", "desired_action"}

// A Frame is a request taken apart.
type Frame struct {
	ActionType    string          `json:"action_type"`
	TargetSymbols []string        `json:"target_symbols"`
	Scope         string          `json:"scope"`
	Constraints   []string        `json:"constraints"`
	Slots         map[string]Slot `json:"slots,omitempty"` // by the names in [SlotNames]
	Mapped        []Mapping       `json:"mapped_symbols,omitempty"`
	Risk          Risk            `json:"risk"`
}

// A Mapping links a target symbol to the target feature. It is a FACT if
// the symbol is what the feature means, or the request itself names it.
type Mapping struct {
	Symbol string  `json:"symbol"`
	Score  float64 `json:"score"` // calibrated, from 0 to 1
	Source Source  `json:"source"`
}

// Check returns the slots with their sources filled in, or a Problem that names
// the first slot whose quote does not hold in the request.
func Check(request string, slots map[string]Slot) (map[string]Slot, error) {
	checked := make(map[string]Slot)
	for _, name := range SlotNames {
		slot, ok := slots[name]
		if !ok || strings.TrimSpace(slot.Value) == "" && strings.TrimSpace(slot.Quote) == "" {
			continue
		}
		if strings.TrimSpace(slot.Value) == "" {
			return nil, problem.New(badSlot, "queryframe.slot_quote_but_no_value", name).
				Or("queryframe.send_value_quote_leave_out", name)
		}
		if slot.Source = Fact; strings.TrimSpace(slot.Quote) == "" {
			slot.Source = Hypothesis
		} else if why := mismatch(request, slot); !why.IsZero() {
			return nil, problem.New(badSlot, "queryframe.slot", name, why).
				Or("queryframe.copy_quote_word_word_from", name).
				Or("queryframe.leave_the_quote_out")
		}
		checked[name] = slot
	}
	return checked, nil
}

// mismatch says why the slot's quote does not hold, or nothing if it does.
func mismatch(request string, s Slot) (why msg.Message) {
	quote := fold(s.Quote)
	switch {
	case utf8.RuneCountInString(quote) < 2:
		return msg.New("queryframe.quote_shorter_than_characters", s.Quote)
	case !strings.Contains(fold(request), quote):
		return msg.New("queryframe.quote_does_not_stand_request", s.Quote)
	case !overlap(terms.Query(s.Value), terms.Query(s.Quote)) && fold(s.Value) != quote:
		return msg.New("queryframe.quote_value_share_no_word", s.Quote, s.Value)
	}
	return why
}

// fold makes two spellings of the same text equal: NFKC, and every run of white
// space one blank.
func fold(s string) string {
	return text.OneLine(norm.NFKC.String(s))
}

func overlap(a, b []string) bool {
	return slices.ContainsFunc(a, func(t string) bool { return slices.Contains(b, t) })
}

// Assess returns the risk of acting on the slots with the given intent
// (IMPLEMENT, MODIFY, INVESTIGATE or QUESTION).
func Assess(intent string, slots map[string]Slot) Risk {
	_, observed := slots["observed_issue"]
	switch {
	case len(slots) == len(SlotNames):
		return Low
	case intent == "MODIFY" && !observed:
		return High
	case intent == "INVESTIGATE" || intent == "QUESTION":
		return Low
	}
	return Medium
}

// Mentions reports whether the request speaks of the word: it or a part of the
// identifier occurs in the request or in a value of the frame.
func (f *Frame) Mentions(request, word string) bool {
	texts := []string{request}
	if f != nil {
		texts = append(texts, f.TargetSymbols...)
		texts = append(texts, f.Scope, f.ActionType)
		texts = append(texts, f.Constraints...)
		for _, s := range f.Slots {
			texts = append(texts, s.Value)
		}
	}
	want := strings.ToLower(fold(word))
	if want == "" {
		return false
	}
	for _, t := range texts {
		if t = strings.ToLower(fold(t)); t != "" && (strings.Contains(t, want) || overlap(terms.Query(t), terms.Query(word))) {
			return true
		}
	}
	return false
}
