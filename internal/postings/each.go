package postings

// Each yields every term of the segment in order, with how often it stands in
// the body of each chunk that has it. Chunks are numbered within the segment and
// ascend; both slices are valid until yield returns.
func (s *Segment) Each(yield func(term string, chunks []int32, counts []float32) bool) {
	var chunks []int32
	var counts []float32
	texts := s.parts[termTextSection]
	for i := range s.terms {
		chunks, counts = chunks[:0], counts[:0]
		list, _ := s.termLists(i)
		s.byFile(list, func(file int, list []byte) bool {
			next := s.firstChunk(file)
			for c := (cursor{b: list}); c.more(); {
				var tf [Fields]uint32
				next += c.posting(&tf)
				if c.bad || next >= uint32(s.totals.chunks) {
					return false
				}
				if tf[Body] > 0 {
					chunks, counts = append(chunks, int32(next)), append(counts, float32(tf[Body]))
				}
				next++
			}
			return true
		})
		term := cut(texts, u32(s.parts[termsSection], termRecord, i, 0), u32(s.parts[termsSection], termRecord, i+1, 0))
		if len(chunks) > 0 && !yield(string(term), chunks, counts) {
			return
		}
	}
}

// ChunksOf returns the numbers, within the segment, of the first chunk of a file
// and of the one after its last.
func (s *Segment) ChunksOf(file int) (first, end int) {
	return int(s.firstChunk(file)), int(s.firstChunk(file + 1))
}
