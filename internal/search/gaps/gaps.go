// Package gaps records why an answer may be incomplete: files that are not indexed yet, types that could not
// be inferred in time. Each answer of package search is put together with a [Set], and shows it as its
// [Completeness].
package gaps

import (
	"maps"
	"slices"

	"codeintel/internal/platform/msg"
	"codeintel/internal/text"
)

// Completeness says whether an answer holds all that there is to say. Answers get it
// from the [Set] that they are put together with; none can leave it out.
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

// A Reason is why an answer may lack something, by the key of a message.
type Reason string

// The gaps of answers.
const (
	Commits   Reason = "search.gap_commits"   // commits whose changes are not read yet
	Index     Reason = "search.gap_index"     // files that are not in the index yet
	Changing  Reason = "search.gap_changing"  // files changed whenever the answer was put together
	Standard  Reason = "search.gap_standard"  // Go files in which types hang on a standard library that is not here
	Types     Reason = "search.gap_types"     // Go packages whose types are not checked yet
	Meanings  Reason = "search.gap_meanings"  // files in which the meanings of names are not worked out yet
	Errors    Reason = "search.gap_errors"    // files of which errors or limits hid a part
	Inference Reason = "search.gap_inference" // files that are too large, or take too much inference
	Place     Reason = "search.gap_place"     // a file in which the place that was asked about could not be read
	Places    Reason = "search.gap_places"    // places of a name that is in too many
	Provider  Reason = "search.gap_provider"  // files of which a language server or an index in SCIP format did not answer
	Followed  Reason = "search.gap_followed"  // files some references to which were not followed, because there are too many
	Listed    Reason = "search.gap_listed"    // files that were found and are not listed, because there are too many
	Texts     Reason = "search.gap_texts"     // files beyond the mentions in texts that are kept
	TooLarge  Reason = "search.gap_too_large" // files above max_file_bytes
	Work      Reason = "search.gap_work"      // files beyond what a regular expression may do
	Written   Reason = "search.gap_written"   // files beyond the text in which written types are looked for
)

// A Set is what an answer may lack: why -> of which files.
type Set map[Reason]map[string]bool

// Empty reports whether the answer lacks nothing.
func (s Set) Empty() bool { return len(s) == 0 }

// Add notes that the answer may lack something of these files.
func (s *Set) Add(why Reason, files ...string) {
	if *s == nil {
		*s = Set{}
	}
	if (*s)[why] == nil {
		(*s)[why] = map[string]bool{}
	}
	for _, f := range files {
		(*s)[why][f] = true
	}
}

// Concerns reports whether names in a file are judged without what inference would say.
func (s Set) Concerns(file string) bool {
	for why, files := range s {
		if files[file] && why != Provider {
			return true
		}
	}
	return false
}

// Completeness is that of an answer, where pending files are not in the index yet and
// unread commits are not read yet.
func (s Set) Completeness(pending, unread int) Completeness {
	c := Completeness{Complete: s.Empty()}
	for _, why := range slices.Sorted(maps.Keys(s)) {
		n := len(s[why])
		switch why {
		case Index:
			n = pending
		case Changing, Places: // any file
			c.Missing = append(c.Missing, Gap{0, msg.New(string(why))})
			continue
		case Commits: // no files are missing
			c.Missing = append(c.Missing, Gap{0, msg.New(string(why), unread)})
			continue
		}
		c.Missing = append(c.Missing, Gap{n, msg.New(string(why), n)})
	}
	return c
}
