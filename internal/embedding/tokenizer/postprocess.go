package tokenizer

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// A template sets special tokens around a text.
type template struct {
	before, after Encoding
	segment       int32 // the type of the text itself
}

// extra is how many tokens the template adds.
func (t template) extra() int { return len(t.before.IDs) + len(t.after.IDs) }

func (t template) apply(ids []int32) Encoding {
	var types []int32
	types = append(types, t.before.Types...)
	for range ids {
		types = append(types, t.segment)
	}
	return Encoding{
		IDs:   slices.Concat(t.before.IDs, ids, t.after.IDs),
		Types: append(types, t.after.Types...),
	}
}

func readPostProcessor(data json.RawMessage) (template, error) {
	name, err := kind(data)
	if name == "" || err != nil {
		return template{}, err
	}
	switch name {
	case "TemplateProcessing":
		return readTemplate(data)
	case "BertProcessing", "RobertaProcessing":
		return readPair(data)
	}
	return template{}, fmt.Errorf("the type %q is not known", name)
}

// readPair reads the first and the last token.
func readPair(data json.RawMessage) (template, error) {
	var f struct {
		Type  string `json:"type"`
		Sep   [2]any `json:"sep"`
		Cls   [2]any `json:"cls"`
		Trim  bool   `json:"trim_offsets"`
		Space bool   `json:"add_prefix_space"`
	}
	if err := decode(data, &f); err != nil {
		return template{}, err
	}
	sep, ok := f.Sep[1].(float64)
	cls, too := f.Cls[1].(float64)
	if !ok || !too {
		return template{}, errors.New("sep or cls is not of the form [token, id]")
	}
	return template{
		before: Encoding{IDs: []int32{int32(cls)}, Types: []int32{0}},
		after:  Encoding{IDs: []int32{int32(sep)}, Types: []int32{0}},
	}, nil
}

// readTemplate reads the template for a single text; pairs are never made here.
func readTemplate(data json.RawMessage) (template, error) {
	type part struct {
		ID   string `json:"id"`
		Type int32  `json:"type_id"`
	}
	var f struct {
		Type   string `json:"type"`
		Single []struct {
			Special  *part `json:"SpecialToken"`
			Sequence *part `json:"Sequence"`
		} `json:"single"`
		Pair    json.RawMessage `json:"pair"`
		Special map[string]struct {
			ID     string   `json:"id"`
			IDs    []int32  `json:"ids"`
			Tokens []string `json:"tokens"`
		} `json:"special_tokens"`
	}
	if err := decode(data, &f); err != nil {
		return template{}, err
	}
	var t template
	texts := 0
	for _, p := range f.Single {
		switch {
		case p.Sequence != nil && p.Special == nil:
			t.segment = p.Sequence.Type
			texts++
		case p.Special != nil && p.Sequence == nil:
			tokens, ok := f.Special[p.Special.ID]
			if !ok {
				return t, fmt.Errorf("the special token %q has no ids", p.Special.ID)
			}
			side := &t.before
			if texts > 0 {
				side = &t.after
			}
			for _, id := range tokens.IDs {
				side.IDs = append(side.IDs, id)
				side.Types = append(side.Types, p.Special.Type)
			}
		default:
			return t, errors.New("a part is neither a SpecialToken nor a Sequence")
		}
	}
	if texts != 1 {
		return t, fmt.Errorf("the text comes %d times", texts)
	}
	return t, nil
}

// A truncation says how long an encoding may be, special tokens included.
type truncation struct {
	length int // 0: as long as it is
	left   bool
}

func readTruncation(data json.RawMessage) (truncation, error) {
	if isNull(data) {
		return truncation{}, nil
	}
	f := struct {
		Direction string `json:"direction"` // older files do not say
		Length    int    `json:"max_length"`
		Strategy  string `json:"strategy"` // of pairs only
		Stride    int    `json:"stride"`   // of what is cut off, which is not kept
	}{Direction: "Right"}
	if err := decode(data, &f); err != nil {
		return truncation{}, err
	}
	if f.Length <= 0 || f.Direction != "Right" && f.Direction != "Left" {
		return truncation{}, fmt.Errorf("max_length %d, direction %q cannot be followed", f.Length, f.Direction)
	}
	return truncation{length: f.Length, left: f.Direction == "Left"}, nil
}

// apply cuts ids down to n.
func (t truncation) apply(ids []int32, n int) []int32 {
	switch n = max(n, 0); {
	case len(ids) <= n:
		return ids
	case t.left:
		return ids[len(ids)-n:]
	}
	return ids[:n]
}
