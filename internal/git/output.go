package git

import (
	"errors"
	"io"
	"os"
	"sync"
)

// An output is what git prints on one of its streams. It ends when git ends, even if a process
// that git or a hook left running holds the other end of the pipe open: what is in the pipe at
// that moment is read, and nothing more is waited for.
type output struct {
	r, w  *os.File
	once  sync.Once
	ended chan struct{} // closed when git has ended
	rest  int           // bytes still to be taken after that
}

// maxRest is more than a pipe can hold, in bytes.
const maxRest = 4 << 20

// newOutput makes an output of one of a command's streams.
func newOutput(stream *io.Writer) (*output, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	*stream = w
	return &output{r: r, w: w, ended: make(chan struct{}), rest: maxRest}, nil
}

// started closes this process's copy of the writing end, which the command has now.
func (o *output) started() { o.w.Close() }

// close closes both ends.
func (o *output) close() {
	o.w.Close()
	o.r.Close()
}

// end says that git has ended. A Read that is waiting returns.
func (o *output) end() {
	o.once.Do(func() {
		wake(o.r) // first: whoever finds it ended has nothing more to fear
		close(o.ended)
	})
}

// Read reads what was printed.
func (o *output) Read(p []byte) (int, error) {
	select {
	case <-o.ended:
	default:
		n, err := o.r.Read(p)
		if n > 0 || !woken(err) {
			return n, err
		}
		<-o.ended
	}
	if o.rest == 0 { // what comes now is from a program that prints without end
		return 0, io.EOF
	}
	n, err := readNow(o.r, p[:min(len(p), o.rest)])
	o.rest -= max(n, 0)
	if errors.Is(err, os.ErrClosed) {
		err = io.EOF
	}
	return n, err
}
