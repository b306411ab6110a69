package doctor

import (
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"codeintel/internal/platform/msg"
)

// TestFixOf repairs nothing where the environment of the program is at fault.
func TestFixOf(t *testing.T) {
	usual := msg.Literal("reinstall it")
	if fix := fixOf(&fs.PathError{Op: "pipe2", Err: syscall.EMFILE}, usual).String(); !strings.Contains(fix, "ulimit -n") {
		t.Errorf("with no descriptor left: %s", fix)
	}
	if fix := fixOf(fs.ErrInvalid, usual).String(); fix != "reinstall it" {
		t.Errorf("of another error: %s", fix)
	}
}
