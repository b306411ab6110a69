package exploration

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
	"codeintel/internal/problem"
	"codeintel/internal/search/relevancescale"
	"codeintel/internal/text"
	"codeintel/internal/text/requestslots"
	"codeintel/internal/text/terms"
	"codeintel/internal/workflow/requirements"
)

// irrelevantSymbols is the code of target symbols that have nothing to do with the target
// feature. They are refused once; if they are sent again, the session continues with risk HIGH.
const irrelevantSymbols problem.Code = "irrelevant_symbols"

// commonStem is how many letters two words share at their beginning if they may be of
// one stem: "auth", "authentication"; "admin", "administrator".
const commonStem = 4

// mayConcern reports whether a miss by words says nothing: the feature and a symbol are
// written in different scripts, or share the beginning of a word.
func mayConcern(feature string, mapped []requestslots.Mapping) bool {
	for _, m := range mapped {
		if text.IsASCII(feature) != text.IsASCII(m.Symbol) {
			return true
		}
		for _, a := range terms.Words(feature) {
			for _, b := range terms.Words(m.Symbol) {
				if n := min(len(a), len(b)); n >= commonStem && a[:commonStem] == b[:commonStem] {
					return true
				}
			}
		}
	}
	return false
}

// explains reports whether one of the findings names a symbol and a place, and says of it something that
// the request speaks of, beside its name.
func (r Record) explains(findings []string, symbol string) bool {
	return slices.ContainsFunc(findings, func(finding string) bool {
		said := finding
		for _, place := range Places(r.Project, finding) {
			said = strings.ReplaceAll(said, place, " ")
		}
		return said != finding && Names(said, symbol) && requirements.Share(strings.ReplaceAll(said, symbol, " "), r.State.Query)
	})
}

// CheckRelevance checks the target symbols against the target feature. A symbol
// that the request itself names needs no proof, nor one of which a finding says, with
// its place, what it has to do with the request; one that is still to be made has none.
// The nearest symbol decides: high is a FACT, medium raises the risk to HIGH, low is
// refused once: then once is the name of the refusal.
func (r Record) CheckRelevance(ctx context.Context, findings []string) (warning msg.Message, once string, err error) {
	f := r.State.Frame
	if f == nil || f.Slots["target_feature"].Value == "" {
		return warning, "", nil
	}
	feature := f.Slots["target_feature"].Value
	var mapped []requestslots.Mapping
	var open []string
	for _, symbol := range f.TargetSymbols {
		switch {
		case Exists(r.Project, symbol) == nil: // a file
		case Names(r.State.Query, symbol), r.explains(findings, symbol):
			mapped = append(mapped, requestslots.Mapping{Symbol: symbol, Score: 1, Source: requestslots.Fact})
		default:
			open = append(open, symbol)
		}
	}
	if len(open) > 0 {
		scores, err := r.Code.Relevance(ctx, feature, open)
		if err != nil {
			return warning, "", err
		}
		for _, symbol := range open {
			if score, defined := scores[symbol]; defined {
				m := requestslots.Mapping{Symbol: symbol, Score: score, Source: requestslots.Hypothesis}
				if relevancescale.BandOf(score) == relevancescale.High {
					m.Source = requestslots.Fact
				}
				mapped = append(mapped, m)
			}
		}
	}
	if f.Mapped = mapped; len(mapped) == 0 {
		return warning, "", nil
	}
	best := slices.MaxFunc(mapped, func(a, b requestslots.Mapping) int { return cmp.Compare(a.Score, b.Score) })
	band := relevancescale.BandOf(best.Score)
	if band == relevancescale.High {
		return warning, "", nil
	}
	names := make([]string, len(mapped))
	for i, m := range mapped {
		names[i] = fmt.Sprintf("%s (%.2f)", m.Symbol, m.Score)
	}
	if band == relevancescale.Low && mayConcern(feature, mapped) {
		f.Risk = requestslots.High
		return msg.New("session.target_symbols_unknown_by_words", feature, strings.Join(names, ", ")), "", nil
	}
	if band == relevancescale.Low && !slices.Contains(r.State.RefusedOnce, string(irrelevantSymbols)) {
		return warning, string(irrelevantSymbols), problem.New(irrelevantSymbols, "session.target_symbols_not_near_feature", feature, strings.Join(names, ", ")).
			Or("session.look_for_its_name_here", msg.CallOf(op.SemanticSearch, "query", feature), op.Query, op.FindDefinitions).
			Or("session.check_the_candidates", op.ValidateRelevance).
			Or("session.if_these_right_ones_all")
	}
	f.Risk = requestslots.High
	return msg.New("session.target_symbols_do_not_fit", feature, strings.Join(names, ", ")), "", nil
}
