package postings

// Each yields every term of the segment in order, with how often it is in
// the body of each chunk that has it. Chunks are numbered within the segment and
// ascend; what is yielded is valid until yield returns. Only files for which want is
// true of their chunks, from first to end-1, are read; a nil want is true of all.
func (s *Segment) Each(want func(first, end int) bool, yield func(term []byte, chunks []int32, counts []float32) bool) {
	var chunks []int32
	var counts []float32
	s.verifyScoringTables()
	chosen := s.chosen(want)
	for i := range s.terms {
		chunks, counts = chunks[:0], counts[:0]
		list, _ := s.termLists(i)
		s.byFile(list, func(file int, list []byte) bool {
			if chosen != nil && !chosen[file] {
				return true
			}
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
		if len(chunks) > 0 && !yield(s.termText(i), chunks, counts) {
			return
		}
	}
}

// chosen asks want of each file; nil means all.
func (s *Segment) chosen(want func(first, end int) bool) []bool {
	if want == nil {
		return nil
	}
	files := make([]bool, s.files)
	for i := range files {
		files[i] = want(s.ChunksOf(i))
	}
	return files
}

// ChunksOf returns the numbers, within the segment, of the first chunk of a file
// and of the one after its last.
func (s *Segment) ChunksOf(file int) (first, end int) {
	s.records(filesSection, fileRecord, file)
	return int(s.firstChunk(file)), int(s.firstChunk(file + 1))
}
