package cli

import (
	"fmt"
	"strings"

	"codeintel/internal/clients/install"
	"codeintel/internal/platform/msg"
)

// printerOf returns a printer that writes calls of operations as commands, and the
// arguments of the command that speaks as its flags.
func printerOf(command string) msg.Printer {
	own := formOf(command)
	return msg.Printer{
		Call:  asCommand,
		Param: func(p msg.Param) string { return own.flag(string(p)) },
	}
}

// asCommand writes a call as a command. An operation without a command is written
// as a model calls it: the person has an agent that can.
func asCommand(c msg.Call) string {
	f, known := forms[string(c.Op)]
	if !known {
		if len(c.Args) == 0 {
			return string(c.Op)
		}
		return c.String()
	}
	parts := []string{"code-intel", f.command}
	for _, arg := range c.Args {
		many, list := arg.Value.([]string)
		if !list {
			many = []string{fmt.Sprint(arg.Value)}
		}
		for _, v := range many {
			switch {
			case arg.Name == f.operand:
				parts = append(parts, install.Quote(v))
			case arg.Value == true:
				parts = append(parts, f.flag(arg.Name))
			default:
				parts = append(parts, f.flag(arg.Name), install.Quote(v))
			}
		}
	}
	return strings.Join(parts, " ")
}
