package cli

import (
	"strings"

	"codeintel/internal/clients/install"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/op"
)

// A form is how an operation is called on the command line.
type form struct {
	command string
	operand string            // the argument that needs no flag
	flags   map[string]string // of arguments whose flag is called otherwise
}

var forms = map[op.Name]form{
	op.SemanticSearch:  {"search", "query", map[string]string{"n_results": "top", "language": "lang"}},
	op.FindDefinitions: {"def", "symbol", map[string]string{"language": "lang", "exact_match": "exact"}},
	op.FindReferences: {"refs", "symbol", map[string]string{"language": "lang", "include_locals": "locals",
		"include_comments": "comments"}},
	op.AnalyzeStructure: {"outline", "path", map[string]string{"language": "lang"}},
	op.GetSymbols:       {"outline", "path", nil},
	op.AnalyzeImpact:    {"impact", "targets", nil},
	op.FileHistory:      {"why", "file_path", nil},
	op.DeadCode:         {"dead", "", map[string]string{"language": "lang"}},
	op.FileDependencies: {"deps", "path", nil},
	op.Explore:          {"explore", "query", nil},
	op.SearchText:       {"grep", "pattern", map[string]string{"file_type": "type", "whole_word": "word"}},
	op.SearchFiles:      {"files", "pattern", map[string]string{"file_type": "type"}},
	op.SyncIndex:        {"index", "", nil},
}

// words returns a printer in the language of the project that writes calls of
// operations as commands, and the arguments of the command that speaks as its flags.
func (a *app) words(command string) msg.Printer {
	own := form{command: command}
	for _, f := range forms {
		if f.command == command {
			own = f
		}
	}
	return msg.Printer{
		Lang:  a.lang,
		Call:  own.call,
		Param: func(p msg.Param) string { return own.flag(string(p)) },
	}
}

// call writes a call as a command, and arguments alone as those of the command f. An
// operation without a command is written as a model calls it: the person has an agent
// that can.
func (f form) call(c msg.Call) string {
	if c.Op == "" {
		return strings.Join(f.arguments(c.Args), " ")
	}
	other, known := forms[c.Op]
	if !known {
		return c.String()
	}
	return strings.Join(append([]string{"code-intel", other.command}, other.arguments(c.Args)...), " ")
}

// arguments writes arguments as the command takes them.
func (f form) arguments(args msg.Fields) (parts []string) {
	for _, arg := range args {
		var values []string
		switch v := arg.Value.(type) {
		case []string:
			values = v
		case string:
			values = []string{v}
		default:
			values = []string{msg.WriteValue(v)}
		}
		for _, v := range values {
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
	return parts
}

// flag is what an argument of an operation is called here.
func (f form) flag(argument string) string {
	switch name, other := f.flags[argument]; {
	case argument == f.operand:
		return strings.ToUpper(argument)
	case other:
		return "--" + name
	case argument == "globs":
		return "--glob"
	case argument == "next_cursor":
		return "the cursor"
	}
	return "--" + strings.ReplaceAll(argument, "_", "-")
}
