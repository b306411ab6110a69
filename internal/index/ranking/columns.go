package ranking

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"codeintel/internal/text"
	"codeintel/internal/text/question"
)

// Listed is how many of the first candidates trees look at.
const Listed = 100

// A List is what trees are told of one question.
type List struct {
	Kind   question.Kind
	All    []Candidate
	Order  []Ranked  // the first of All, at most [Listed]
	Pieces []Piece   // of each of Order
	Rarity []float64 // of each term that [Candidate.Has] has a bit for
	Tested []float64 // of each file by number: how well the tests called after it fit, from 0 to 1
}

// A Piece is what is looked up of listed candidates alone.
type Piece struct {
	Path             string
	Lines, FileLines int
	Declares         Declares
}

// Declares says what a piece declares.
type Declares int

// What pieces declare.
const (
	Nothing Declares = iota
	Function
	Type
	Other
)

// The columns. What tells one repository from another has none, such as how many files
// it has: trees would learn repositories by heart.
const (
	colPlace   = iota // place in the order, also of its file, and among the pieces of it
	colInverse        // 1/place
	colFilePlace
	colWithin

	colSum        // of the weighed signals
	colFileSum    // of all pieces of the file
	colFileThree  // of its best three
	colFilePieces // share of all candidates

	colDefinition
	colMention
	colFileDefinition // the highest of the file

	colMarks
	colHub        = colMarks + marks // the file is called index, main, __init__
	colLines      = colHub + 1
	colFileLength = colLines + 1 // relative to the longest listed

	colWords     = colFileLength + 1 // share of the question's words that are in the piece, by rarity
	colFileWords = colWords + 1      // in all listed pieces of the file
	colNameWords = colFileWords + 1  // in the names that the piece declares

	colKind     = colNameWords + 1 // of the question
	colDeclares = colKind + 1
	colTested   = colDeclares + 1

	colSignals     = colTested + 1                     // relative to the highest
	colFileSignals = colSignals + int(Similar)         // the highest of the file, of fileSignals
	columns        = colFileSignals + len(fileSignals) // how many
)

// fileSignals are the signals whose highest in the file is a column, too.
var fileSignals = [...]Signal{Text, Name, File, Topic}

// A Row has the columns of one piece.
type Row [columns]float32

// ColumnNames returns what the columns of a [Row] are called. Trees fit only the columns
// that they were trained on: change a name with the meaning.
func ColumnNames() []string {
	names := []string{
		"place", "inverse place", "file place", "place in file", "sum", "file sum", "file three", "file pieces",
		"definition", "mention", "file definition",
	}
	names = append(names, markNames[:]...)
	names = append(names, "hub", "lines", "file length", "words", "file words", "name words", "kind", "declares", "tested")
	for s := range Similar {
		names = append(names, fmt.Sprintf("signal %d", s))
	}
	for _, s := range fileSignals {
		names = append(names, fmt.Sprintf("file signal %d", s))
	}
	return names
}

var hubNames = text.WordSet("index mod __init__ lib main init")

// A listing is a list whose columns are being worked out.
type listing struct {
	*List
	sums  []float64 // of the weighed signals of each candidate, relative to the best
	max   [Similar]float64
	files map[int]*listedFile

	maxSum, maxThree float64 // of a file
	longest          int     // listed file, in lines
	rarity           float64 // of all terms together
}

// A listedFile is a file with candidates.
type listedFile struct {
	sum        float64
	best       [3]float64
	pieces     int
	definition float64
	signals    [Similar]float64
	has        uint32 // of its listed pieces

	place  int // among the files of the list; -1: none of its pieces was seen yet
	listed int // of its pieces, how many were seen
}

// Rows returns the columns of each listed piece.
func (l *List) Rows() []Row {
	t := listing{List: l, files: make(map[int]*listedFile), maxSum: tiny, maxThree: tiny, longest: 1, rarity: tiny}
	t.sumUp()
	rows := make([]Row, len(l.Order))
	places := 0
	for i := range rows {
		c := &l.All[l.Order[i].Candidate]
		f := t.files[c.File]
		if f.place < 0 {
			f.place = places
			places++
		}
		t.ofOrder(&rows[i], i, f)
		t.ofPiece(&rows[i], c, &l.Pieces[i], f)
		t.ofSignals(&rows[i], c, f)
		f.listed++
	}
	return rows
}

// tiny stands for zero in what is divided by.
const tiny = 1e-9

// sumUp adds up what is told of files and of all candidates.
func (t *listing) sumUp() {
	r := ranking{kind: t.Kind, w: &Standard, all: t.All, scores: make([]float64, len(t.All)),
		reasons: make([]uint32, len(t.All))}
	r.addSignals()
	t.sums = r.scores
	best := max(r.highest(), tiny)
	for i := range t.All {
		c := &t.All[i]
		f := t.files[c.File]
		if f == nil {
			f = &listedFile{place: -1}
			t.files[c.File] = f
		}
		t.sums[i] /= best
		f.add(c, t.sums[i])
		for s := range t.max {
			t.max[s] = max(t.max[s], c.Signals[s], tiny)
		}
	}
	for _, f := range t.files {
		t.maxSum, t.maxThree = max(t.maxSum, f.sum), max(t.maxThree, f.three())
	}
	for i, o := range t.Order {
		c := &t.All[o.Candidate]
		t.files[c.File].has |= c.Has
		t.longest = max(t.longest, t.Pieces[i].FileLines)
	}
	for _, w := range t.Rarity {
		t.rarity += w
	}
}

func (f *listedFile) add(c *Candidate, sum float64) {
	f.sum += sum
	f.pieces++
	for k := range f.best {
		if sum > f.best[k] {
			sum, f.best[k] = f.best[k], sum
		}
	}
	f.definition = max(f.definition, c.Definition)
	for s := range f.signals {
		f.signals[s] = max(f.signals[s], c.Signals[s])
	}
}

func (f *listedFile) three() float64 { return f.best[0] + f.best[1] + f.best[2] }

// share returns how much of the question the terms of a set are.
func (t *listing) share(set uint32) float32 {
	sum := 0.0
	for i, w := range t.Rarity {
		if set&(1<<i) != 0 {
			sum += w
		}
	}
	return float32(sum / t.rarity)
}

func (t *listing) ofOrder(row *Row, at int, f *listedFile) {
	row[colPlace] = float32(math.Log(float64(at + 1)))
	row[colInverse] = 1 / float32(at+1)
	row[colFilePlace] = float32(math.Log(float64(f.place + 1)))
	row[colWithin] = float32(f.listed)
	row[colSum] = float32(t.sums[t.Order[at].Candidate])
	row[colFileSum] = float32(f.sum / t.maxSum)
	row[colFileThree] = float32(f.three() / t.maxThree)
	row[colFilePieces] = float32(f.pieces) / float32(len(t.All))
}

func (t *listing) ofPiece(row *Row, c *Candidate, p *Piece, f *listedFile) {
	row[colDefinition], row[colMention], row[colFileDefinition] = float32(c.Definition), float32(c.Mention), float32(f.definition)
	for m := range marks {
		row[colMarks+m] = float32(c.Marks >> m & 1)
	}
	base := strings.ToLower(path.Base(p.Path))
	if hubNames[strings.TrimSuffix(base, path.Ext(base))] {
		row[colHub] = 1
	}
	row[colLines] = float32(math.Log(float64(p.Lines + 1)))
	row[colFileLength] = float32(p.FileLines) / float32(t.longest)
	row[colWords], row[colFileWords], row[colNameWords] = t.share(c.Has), t.share(f.has), t.share(c.Names)
	row[colKind], row[colDeclares] = float32(t.Kind), float32(p.Declares)
	row[colTested] = float32(t.Tested[c.File])
}

func (t *listing) ofSignals(row *Row, c *Candidate, f *listedFile) {
	for s := range Similar {
		row[colSignals+int(s)] = float32(max(0, c.Signals[s]/t.max[s]))
	}
	for k, s := range fileSignals {
		row[colFileSignals+k] = float32(max(0, f.signals[s]/t.max[s]))
	}
}

// fileRow returns the columns of a file: those of the first of its pieces, which are given
// by their numbers, with the words that any of them has.
func fileRow(rows []Row, pieces []int) *Row {
	row := rows[slices.Min(pieces)]
	for _, i := range pieces {
		row[colWords], row[colNameWords] = max(row[colWords], rows[i][colWords]), max(row[colNameWords],
			rows[i][colNameWords])
	}
	return &row
}

// TestedBy returns how well the tests called after each file fit, as [List] wants it: the
// highest [Text] of their candidates, relative to that of all. files are the paths by
// number.
func TestedBy(all []Candidate, files []string) []float64 {
	stems := make(map[string]float64) // of what is tested
	most := tiny
	for i := range all {
		most = max(most, all[i].Signals[Text])
	}
	for i := range all {
		if p := files[all[i].File]; IsTest(p) {
			stem := testedStem(p)
			stems[stem] = max(stems[stem], all[i].Signals[Text]/most)
		}
	}
	tested := make([]float64, len(files))
	for i, p := range files {
		if len(stems) > 0 && !IsTest(p) {
			tested[i] = stems[plainStem(p)]
		}
	}
	return tested
}

// plainStem returns the name of a file without its extension, however its words are
// joined; of a file that has its name from its folder, that of the folder.
func plainStem(p string) string {
	base := strings.ToLower(path.Base(p))
	stem := strings.TrimSuffix(base, path.Ext(base))
	if hubNames[stem] {
		stem = strings.ToLower(path.Base(path.Dir(p)))
	}
	return joined.Replace(stem)
}

var joined = strings.NewReplacer("_", "", "-", "", ".", "")

// testedStem returns the [plainStem] of what the test at p is called after.
func testedStem(p string) string {
	stem := plainStem(p)
	if rest, ok := strings.CutPrefix(stem, "test"); ok && rest != "" {
		return rest
	}
	for _, word := range []string{"tests", "test", "spec"} {
		if rest, ok := strings.CutSuffix(stem, word); ok && rest != "" {
			return rest
		}
	}
	return stem
}
