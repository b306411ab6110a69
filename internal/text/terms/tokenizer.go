package terms

import (
	"hash/maphash"
	"strings"
)

// A Tokenizer is [Code] with a memory, for many texts: it numbers terms, and what
// was met before costs one look-up. Its memory is bounded, see [Tokenizer.Trim].
// A Tokenizer is not for concurrent use; its zero value is ready.
type Tokenizer struct {
	runs  termTable // runs of identifier characters
	lists []int32   // the terms of one run after the other
	ends  []int32   // by run: where its terms end in lists
	terms termTable
	fresh []int32 // the terms of the run that was met last for the first time
	seed  uint32  // of hashes
}

// maxKnown bounds the memory of a Tokenizer to some 15 MB beside the terms of the
// last text.
const maxKnown = 1 << 16

// Code yields the numbers of the terms of a text, in order. They count from 0 and
// hold until Trim.
func (t *Tokenizer) Code(text []byte, yield func(term int32)) {
	for t.seed == 0 { // so that no text is written to fall into one slot
		t.seed = uint32(maphash.String(maphash.MakeSeed(), ""))
	}
	for i := 0; i < len(text); i++ {
		if !inRun[text[i]] {
			continue
		}
		start, hash, all := i, t.seed, byte(0)
		for ; i < len(text) && inRun[text[i]]; i++ {
			hash = (hash ^ uint32(text[i])) * prime32
			all |= text[i]
		}
		if i-start == 1 {
			continue // no single byte is a term
		}
		run := text[start:i]
		list, ok := t.known(run, hash)
		if !ok {
			list = t.learn(run, hash, all < 0x80)
		}
		for _, term := range list {
			yield(term)
		}
	}
}

// Term returns the text of a term. It may be kept.
func (t *Tokenizer) Term(number int32) string { return t.terms.texts[number] }

// Trim forgets everything, and begins to number anew, if there is much to forget.
func (t *Tokenizer) Trim() {
	if len(t.runs.texts) >= maxKnown || len(t.terms.texts) >= 4*maxKnown {
		t.runs.forget()
		t.terms.forget()
		t.lists, t.ends = t.lists[:0], t.ends[:0]
	}
}

// known returns the terms of a run if it was met before.
func (t *Tokenizer) known(run []byte, hash uint32) (list []int32, ok bool) {
	i := t.runs.find(run, hash)
	if i < 0 {
		return nil, false
	}
	begin := int32(0)
	if i > 0 {
		begin = t.ends[i-1]
	}
	return t.lists[begin:t.ends[i]], true
}

// learn finds the terms of a run and remembers them if there is room.
func (t *Tokenizer) learn(run []byte, hash uint32, ascii bool) []int32 {
	text := string(run)
	t.fresh = t.fresh[:0]
	if ascii && len(text) <= maxToken {
		t.learnASCII(text)
	} else {
		for _, term := range runTerms(text) {
			t.add(term)
		}
	}
	if len(text) <= maxToken && len(t.runs.texts) < maxKnown {
		t.runs.add(text, hash)
		t.lists = append(t.lists, t.fresh...)
		t.ends = append(t.ends, int32(len(t.lists)))
	}
	return t.fresh
}

// learnASCII is runTerms for a run of ASCII only, which nearly all are.
func (t *Tokenizer) learnASCII(run string) {
	lower := strings.ToLower(run)
	if isDigit(run[0]) {
		if number := strings.ReplaceAll(lower, "_", ""); len(number) > 1 && len(number) <= maxNumber {
			t.add(number)
		}
		return
	}
	var buffer [16]string
	parts := splitASCII(buffer[:0], run, lower)
	if len(parts) > 1 {
		if whole := strings.ReplaceAll(lower, "_", ""); len(whole) <= maxWhole {
			t.add(whole)
		}
		if len(parts) > maxParts {
			return
		}
	}
	for _, p := range parts {
		if len(p) > 1 && len(p) <= maxPart {
			t.add(Stem(p))
		}
	}
}

func (t *Tokenizer) add(term string) {
	hash := t.seed
	for i := range len(term) {
		hash = (hash ^ uint32(term[i])) * prime32
	}
	i := t.terms.find([]byte(term), hash)
	if i < 0 {
		i = t.terms.add(strings.Clone(term), hash) // not the run it is part of
	}
	t.fresh = append(t.fresh, i)
}

// prime32 is that of FNV-1a, which is computed while the end of a run is looked
// for.
const prime32 = 16777619

// A termTable numbers the runs and terms of a tokenizer in the order they come. It is a hash table with
// open addressing: the hash in a slot rules out most texts other than the one looked up
// without comparing them.
type termTable struct {
	slots []slot // as many as a power of 2, at least half of them empty
	texts []string
}

type slot struct {
	hash   uint32
	number int32 // plus one; 0 is empty
}

// find returns the number of a run or term, -1 if it has none.
func (d *termTable) find(text []byte, hash uint32) int32 {
	if len(d.slots) == 0 {
		return -1
	}
	mask := uint32(len(d.slots) - 1)
	for at := hash ^ hash>>15; ; at++ {
		s := d.slots[at&mask]
		if s.number == 0 {
			return -1
		}
		if s.hash == hash && d.texts[s.number-1] == string(text) {
			return s.number - 1
		}
	}
}

// add gives a number to a run or term that has none.
func (d *termTable) add(text string, hash uint32) int32 {
	if 2*(len(d.texts)+1) > len(d.slots) {
		old := d.slots
		d.slots = make([]slot, max(256, 2*len(old)))
		for _, s := range old {
			if s.number != 0 {
				d.insert(s)
			}
		}
	}
	d.texts = append(d.texts, text)
	n := int32(len(d.texts))
	d.insert(slot{hash, n})
	return n - 1
}

func (d *termTable) insert(s slot) {
	mask := uint32(len(d.slots) - 1)
	at := s.hash ^ s.hash>>15
	for d.slots[at&mask].number != 0 {
		at++
	}
	d.slots[at&mask] = s
}

// forget empties the table and keeps its memory, unless one large text made
// that large.
func (d *termTable) forget() {
	if len(d.slots) > 8*maxKnown {
		*d = termTable{}
		return
	}
	clear(d.slots)
	clear(d.texts)
	d.texts = d.texts[:0]
}
