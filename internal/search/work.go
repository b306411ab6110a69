package search

// Bounds of the work of regular expressions. Their engine takes time in proportion to the
// text times the size of the expression, so that is what is counted: the same question
// about the same files ends at the same place on every machine.
const (
	maxSteps = 5000     // instructions of one expression
	stretch  = 64 << 10 // bytes that an expression runs over at a time
	lineWork = 2 << 30  // bytes times instructions of one stretch, or one long line
)

// expressionWork bounds what one question makes expressions do, in bytes times
// instructions: 600 MB of text for an ordinary one, of 14 instructions.
var expressionWork = int64(8 << 30)

// A work is what expressions may still do.
type work struct {
	left     int64
	out      bool // something was not done,
	tooLarge bool // since it was too much at once
}

func newWork() *work { return &work{left: expressionWork} }

// take reports whether there is so much left, and takes it.
func (w *work) take(n int64) bool {
	if n > w.left || n > lineWork {
		w.out, w.tooLarge = true, n > lineWork
		return false
	}
	w.left -= n
	return true
}

// done is how much was done, or more than all where there was not enough.
func (w *work) done() int64 {
	if w.out && !w.tooLarge {
		return expressionWork + 1
	}
	return expressionWork - w.left
}
