package procgroup

import (
	"os/exec"
	"syscall"
)

// EndWithParent has a command be asked to end when this process ends, however that ends, where the system
// can do so. It must be called after Lead and before the start. Linux takes the thread that starts the command
// for its parent: Go ends one only if a goroutine ends that is locked to it, so none may.
func EndWithParent(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM }
