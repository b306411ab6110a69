package search

import (
	"maps"
	"slices"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/patience"
	"codeintel/internal/text"
)

// Completeness says whether an answer holds all that there is to say. Answers get it
// from what they are put together from, see [steady]; none can leave it out.
type Completeness struct {
	Complete bool  `json:"complete" jsonschema:"False: something is missing, and a later call may give more"`
	Missing  []Gap `json:"missing,omitempty" jsonschema:"What is missing, and why"`

	// What the configuration leaves out, where a result could lie there. It does not make
	// an answer incomplete: nobody will find it later.
	LeftOut []msg.Message `json:"left_out,omitempty" jsonschema:"What the configuration keeps from being searched, and may hold results"`
}

// A Gap is something that an answer may lack.
type Gap struct {
	Files  int         `json:"files,omitempty" jsonschema:"How many files it concerns"`
	Reason msg.Message `json:"reason"`
}

// Whole reports whether the answer lacks nothing.
func (c Completeness) Whole() bool { return c.Complete }

// Counted returns a number with its noun, which takes the ending unless there is one.
// Of none an incomplete answer says that there is none so far.
func (c Completeness) Counted(n int, noun, ending string) string {
	if n == 0 && !c.Complete {
		return "no " + noun + ending + " so far"
	}
	return text.Counted(n, noun, ending)
}

// Lack adds the gaps of an answer that another one is put together from.
func (c *Completeness) Lack(other Completeness) {
	c.Complete = c.Complete && other.Complete
	for _, m := range other.LeftOut {
		if !slices.ContainsFunc(c.LeftOut, func(had msg.Message) bool { return had.Key() == m.Key() }) {
			c.LeftOut = append(c.LeftOut, m)
		}
	}
	for _, g := range other.Missing {
		i := slices.IndexFunc(c.Missing, func(had Gap) bool { return had.Reason.Key() == g.Reason.Key() })
		if i < 0 {
			c.Missing = append(c.Missing, g)
		} else if c.Missing[i].Files < g.Files {
			c.Missing[i] = g
		}
	}
}

// A gap is why an answer may lack something, by the key of a message.
type gap string

// The gaps of answers.
const (
	gapCommits   gap = "search.gap_commits"   // commits whose changes are not read yet
	gapIndex     gap = "search.gap_index"     // files that are not in the index yet
	gapChanging  gap = "search.gap_changing"  // files changed whenever the answer was put together
	gapStandard  gap = "search.gap_standard"  // Go files in which types hang on a standard library that is not here
	gapTypes     gap = "search.gap_types"     // Go packages whose types are not checked yet
	gapMeanings  gap = "search.gap_meanings"  // files in which the meanings of names are not worked out yet
	gapErrors    gap = "search.gap_errors"    // files of which errors or limits hid a part
	gapInference gap = "search.gap_inference" // files that are too large, or take too much inference
	gapPlace     gap = "search.gap_place"     // a file in which the place that was asked about could not be read
	gapProvider  gap = "search.gap_provider"  // files of which a language server or an index in SCIP format did not answer
	gapTexts     gap = "search.gap_texts"     // files beyond the mentions in texts that are kept
	gapWork      gap = "search.gap_work"      // files beyond what a regular expression may do
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

// lacking reports whether names in a file are judged without what inference would say.
func (s *sources) lacking(file string) bool {
	for why, files := range s.gaps {
		if files[file] && why != gapProvider {
			return true
		}
	}
	return false
}

// completeness is that of an answer that was put together from s.
func (s *sources) completeness() Completeness {
	c := Completeness{Complete: len(s.gaps) == 0}
	for _, why := range slices.Sorted(maps.Keys(s.gaps)) {
		n := len(s.gaps[why])
		switch why {
		case gapIndex:
			n = s.pending
		case gapChanging: // any file
			c.Missing = append(c.Missing, Gap{0, msg.New("search.gap_changing")})
			continue
		case gapCommits: // no files are missing
			c.Missing = append(c.Missing, Gap{0, msg.New(string(why), s.unread)})
			continue
		}
		c.Missing = append(c.Missing, Gap{n, msg.New(string(why), n)})
	}
	return c
}

// cut passes an error on, unless it only says that the caller waits no longer: then the
// answer lacks what was under way.
func (r *resolver) cut(err error, why gap, file string) error {
	if err == nil || r.ctx.Err() != nil || patience.Of(r.ctx).Err() == nil {
		return err
	}
	r.src.lacks(why, file)
	return nil
}
