// Command code-intel makes coding agents understand a codebase before they
// change it, and proves that they did the work.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	_ "codeintel/cmd/code-intel/startcheck" // before anything opens files
	"codeintel/internal/cli"
	"codeintel/internal/platform/memlimit"
	"codeintel/internal/trust"
)

func main() {
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	trust.PermitPrograms()
	memlimit.Settle()
	status := cli.Main(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}
