package postings

import (
	"encoding/binary"
	"math"
)

// A scoringPass adds terms to the scores of one part, one at a time.
type scoringPass struct {
	p       *Part
	s       *partScratch
	sc      *Scoring
	avg     averages
	norms   *norms
	lengths []byte // chunkRecords

	w       weights
	related float32 // weight of a related term, 0 for one of the query
	bit     uint32  // of a term of the query, 0 beyond the first 32
}

// run walks the files that have the term in their chunks or their path.
func (t *scoringPass) run(term int) {
	chunks, paths := t.p.Segment.termLists(term)
	body, path := cursor{b: chunks}, cursor{b: paths}
	const none = math.MaxInt
	bodyFile, pathFile := -1, -1
	var list []byte
	var weight byte
	nextBody := func() {
		if !body.more() {
			bodyFile = none
			return
		}
		bodyFile += int(body.uvarint()) + 1
		list = body.bytes()
		if body.bad {
			bodyFile = none
		}
	}
	nextPath := func() {
		if !path.more() {
			pathFile = none
			return
		}
		pathFile += int(path.uvarint()) + 1
		weight = path.byte()
		if path.bad {
			pathFile = none
		}
	}
	nextBody()
	nextPath()
	for {
		file := min(bodyFile, pathFile)
		if file >= t.p.Segment.files {
			return
		}
		var l []byte
		var w byte
		if bodyFile == file {
			l = list
			nextBody()
		}
		if pathFile == file {
			w = weight
			nextPath()
		}
		if !t.p.dead(file) {
			t.file(file, l, w)
		}
	}
}

// file adds the term to the chunks of one file and to the file.
func (t *scoringPass) file(file int, list []byte, pathWeight byte) {
	seg := t.p.Segment
	var tf, inPath float64
	if pathWeight != 0 {
		_, _, length := seg.fileLengths(file)
		tf = pathLength(pathWeight)
		inPath = tf / lengthNorm(t.sc.Path.B, length, t.avg.path) * t.sc.Path.Weight
	}
	body, symbol := t.list(int(seg.firstChunk(file)), int(seg.firstChunk(file+1)), list, float32(inPath))
	if t.related > 0 {
		return
	}
	bodyLength, symbolLength, length := seg.fileLengths(file)
	d := &t.sc.File
	whole := float64(body)/lengthNorm(d.Body.B, bodyLength, t.avg.body)*d.Body.Weight +
		float64(min(symbol, uint32(d.MaxSymbol)))/lengthNorm(d.Symbol.B, symbolLength, t.avg.symbol)*d.Symbol.Weight +
		tf/lengthNorm(d.Path.B, length, t.avg.path)*d.Path.Weight
	f := &t.s.files[file]
	if f.file == 0 && f.path == 0 {
		t.s.seen = append(t.s.seen, int32(file))
	}
	f.file += float32(t.w.file * whole * (t.sc.K1 + 1) / (whole + t.sc.K1))
	if tf > 0 {
		f.path += float32(t.w.path * tf * (t.sc.K1 + 1) / (tf + t.sc.K1*lengthNorm(t.sc.Path.B, length, t.avg.path)))
	}
}

// list adds the term to the chunks from first to end-1, by its list of postings
// in their file and by what it is worth in the file's path. It returns how often
// the term is in their bodies and symbols.
//
// This is where the time of a search goes, so it reads postings by itself what
// it can in a byte, and leaves the rest to [cursor].
func (t *scoringPass) list(next, end int, list []byte, inPath float32) (body, symbol uint32) {
	onlyPath := float32(0) // score of a chunk that does not have the term
	if inPath > 0 {
		onlyPath = t.saturate(inPath)
	}
	for i := 0; i < len(list); {
		skip := int(list[i])
		i++
		if skip >= 0x80 {
			c := cursor{b: list[i-1:]}
			if skip = int(c.uvarint()); c.bad {
				break
			}
			i = len(list) - len(c.b)
		}
		if i >= len(list) || skip >= end-next {
			break
		}
		head := list[i]
		i++
		n := uint32(head >> 4)
		if n == 15 {
			c := cursor{b: list[i:]}
			if n += min(c.uvarint(), math.MaxUint32-15); c.bad {
				break
			}
			i = len(list) - len(c.b)
		}
		var counts byte
		if head&15 != 0 {
			if i >= len(list) {
				break
			}
			counts = list[i]
			i++
		}
		chunk := next + skip
		if inPath > 0 {
			for ; next < chunk; next++ {
				t.add(next, onlyPath)
			}
		}
		body += n
		symbol += t.chunk(chunk, n, head&15, counts, inPath)
		next = chunk + 1
	}
	if inPath > 0 {
		for ; next < end; next++ {
			t.add(next, onlyPath)
		}
	}
	return body, symbol
}

// add adds to the score of a chunk, and returns it. It holds until another chunk is met.
func (t *scoringPass) add(chunk int, score float32) *chunkScore {
	slot := t.s.slots[chunk]
	if slot == 0 {
		t.s.touched = append(t.s.touched, int32(chunk))
		t.s.scores = append(t.s.scores, chunkScore{})
		slot = int32(len(t.s.scores))
		t.s.slots[chunk] = slot
	}
	a := &t.s.scores[slot-1]
	if t.related > 0 {
		a.related += t.related * score
	} else {
		a.bm25f += score
	}
	return a
}

// chunk adds the term to one chunk that has it in its text: body times, and in
// the other fields as appendPosting says. It returns how often it is in Symbol.
func (t *scoringPass) chunk(chunk int, body uint32, mask, counts byte, inPath float32) (symbol uint32) {
	l := (*[chunkRecord]byte)(t.lengths[chunk*chunkRecord:])
	sc, tf := t.sc, inPath
	if body > 0 {
		tf += float32(body) / t.norms.body(binary.LittleEndian.Uint16(l[:])) * float32(sc.Fields[Body].Weight)
	}
	if mask == 0 {
		t.add(chunk, t.saturate(tf)).has |= t.bit
		return 0
	}
	lengths := [Fields]uint16{Symbol: uint16(l[4]), Scope: uint16(l[5]), Doc: binary.LittleEndian.Uint16(l[2:]),
		Signature: uint16(l[6])}
	var n [Fields]float32
	for f := Symbol; f < Fields; f++ {
		if mask&(1<<(f-1)) != 0 {
			n[f] = float32(counts>>(2*(f-1))&3 + 1)
			if w := float32(sc.Fields[f].Weight); w != 0 {
				tf += n[f] / norm32(float32(sc.Fields[f].B), float32(lengths[f]), t.avg.chunk[f]) * w
			}
		}
	}
	a := t.add(chunk, t.saturate(tf))
	if t.related > 0 {
		a.relatedSymbol += t.related * t.singleFieldScore(Symbol, n[Symbol], lengths[Symbol])
		return 0
	}
	a.has |= t.bit
	if n[Symbol] > 0 {
		a.names |= t.bit
	}
	a.symbol += t.singleFieldScore(Symbol, n[Symbol], lengths[Symbol])
	a.scope += t.singleFieldScore(Scope, n[Scope], lengths[Scope])
	a.doc += t.singleFieldScore(Doc, n[Doc], lengths[Doc])
	return uint32(n[Symbol])
}

func (t *scoringPass) saturate(tf float32) float32 {
	k := float32(t.sc.K1)
	return float32(t.w.chunk) * tf * (k + 1) / (tf + k)
}

// singleFieldScore is the BM25 of one field that has the term tf times.
func (t *scoringPass) singleFieldScore(f Field, tf float32, length uint16) float32 {
	if tf == 0 {
		return 0
	}
	k := float32(t.sc.K1)
	return t.w.fields[f] * tf * (k + 1) / (tf + k*norm32(float32(t.sc.Alone[f]), float32(length), t.avg.chunk[f]))
}

// norms has the norm of short bodies, which nearly all are, by their length.
type norms struct {
	short   [512]float32
	b, mean float32
}

func (n *norms) set(sc *Scoring, a *averages) {
	b, mean := float32(sc.Fields[Body].B), a.chunk[Body]
	if b == n.b && mean == n.mean { // of the query before
		return
	}
	n.b, n.mean = b, mean
	for i := range n.short {
		n.short[i] = norm32(b, float32(i), mean)
	}
}

func (n *norms) body(length uint16) float32 {
	if int(length) < len(n.short) {
		return n.short[length]
	}
	return norm32(n.b, float32(length), n.mean)
}

// lengthNorm is how much longer than usual a field is, as far as b wants to know.
func lengthNorm(b, length, average float64) float64 { return 1 - b + b*length/average }

func norm32(b, length, average float32) float32 { return 1 - b + b*length/average }
