package textmatch

// Bounds of the work of regular expressions. Their engine takes time in proportion to the
// text times the size of the expression, so that is what is counted: the same question
// about the same files ends at the same place on every machine.
const (
	maxSteps = 5000     // instructions of one expression
	stretch  = 64 << 10 // bytes that an expression runs over at a time
	lineWork = 2 << 30  // bytes times instructions of one stretch, or one long line
)

// MostWork bounds what one question makes expressions do, in bytes times
// instructions: 600 MB of text for an ordinary one, of 14 instructions.
var MostWork = int64(8 << 30)

// A Work is what expressions may still do.
type Work struct {
	left     int64
	Out      bool // something was not done,
	tooLarge bool // since it was too much at once
}

func NewWork() *Work { return &Work{left: MostWork} }

// take reports whether there is so much left, and takes it.
func (w *Work) take(n int64) bool {
	if n > w.left || n > lineWork {
		w.Out, w.tooLarge = true, n > lineWork
		return false
	}
	w.left -= n
	return true
}

// Done is how much was done, or more than all where there was not enough.
func (w *Work) Done() int64 {
	if w.Out && !w.tooLarge {
		return MostWork + 1
	}
	return MostWork - w.left
}
