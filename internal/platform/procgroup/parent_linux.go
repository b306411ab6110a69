package procgroup

import (
	"os/exec"
	"syscall"
)

// EndWithParent has a command be asked to end when this process ends, however that ends, where the system
// can do so. It must be called after Lead and before the start.
func EndWithParent(cmd *exec.Cmd) { cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM }
