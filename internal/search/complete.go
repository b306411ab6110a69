package search

import "codeintel/internal/platform/patience"

// A gap is why an answer may lack something, by the key of a message.
type gap string

// The gaps of answers.
const (
	gapIndex     gap = "search.gap_index"     // files that are not in the index yet
	gapTypes     gap = "search.gap_types"     // Go packages whose types are not checked yet
	gapMeanings  gap = "search.gap_meanings"  // files in which the meanings of names are not worked out yet
	gapInference gap = "search.gap_inference" // files that are too large, or take too much inference
	gapWritten   gap = "search.gap_written"   // files beyond the text in which written types are looked for
)

// lacks notes that the answer may lack something of these files.
func (s *sources) lacks(why gap, files ...string) {
	if s.gaps == nil {
		s.gaps = map[gap]map[string]bool{}
	}
	if s.gaps[why] == nil {
		s.gaps[why] = map[string]bool{}
	}
	for _, f := range files {
		s.gaps[why][f] = true
	}
}

// cut passes an error on, unless it only says that the caller waits no longer: then the
// answer lacks what was under way.
func (r *resolver) cut(err error, why gap, file string) error {
	if r.ctx.Err() != nil || patience.Of(r.ctx).Err() == nil {
		return err
	}
	r.src.lacks(why, file)
	return nil
}
