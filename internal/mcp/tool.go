package mcp

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codeintel/internal/audit/shown"
	"codeintel/internal/platform/lenientjson"
	"codeintel/internal/platform/msg"
	"codeintel/internal/problem"
	"codeintel/internal/text"
)

// A Toolset is a group of tools that can be offered or left out together.
type Toolset string

// The toolsets. A session asks for the answers of Search at every turn, so Code
// brings Search with it.
const (
	Search Toolset = "search" // questions about the repository
	Code   Toolset = "code"   // one task led phase by phase
	Forge  Toolset = "forge"  // a team of agents led through a change
)

// A toolAnswer is what a tool says. Its JSON form is the structured content, its
// text the same in words.
type toolAnswer interface{ Text() string }

// A shower is an Answer that knows what it put before its reader.
type shower interface{ Observed() shown.Facts }

// hints tell a client what a tool may do; clients ask their user accordingly.
type hints string

const (
	reads    hints = "reads"    // changes nothing
	records  hints = "records"  // changes only what this server keeps; again is the same as once
	advances hints = "advances" // changes only what this server keeps; again goes further
	destroys hints = "destroys" // may take something away from the user's repository
	pushes   hints = "pushes"   // may that, and reaches the remote
)

// A clientHint is a hint about a tool for some clients, by the name of the member that
// says so.
type clientHint string

const (
	// alwaysLoaded marks the tools without which a model cannot begin; a client that
	// shows tools only by name until they are asked for is told to show these.
	alwaysLoaded clientHint = "anthropic/alwaysLoad"
	// longAnswers marks the tools whose answers are meant to be read whole, however
	// long: a client is told how long that may be, so that it does not put them into
	// a file.
	longAnswers clientHint = "anthropic/maxResultSizeChars"
	// personal marks the tool whose every call a client is told to put before its user.
	personal clientHint = "anthropic/requiresUserInteraction"
)

// A tool is one row of the table: what it is called, what it may do, a call
// that works, and the method behind it.
type tool struct {
	name, title string
	set         Toolset
	hints       hints
	example     string // arguments of a call that works, as JSON
	traits      []clientHint
	args, shows reflect.Type
	run         func(*handlers, context.Context, json.RawMessage) (toolAnswer, error)
}

// prose holds tools/<name>.md, what a model reads about a tool.
//
//go:embed tools/*.md instructions.md
var prose embed.FS

// A method is what a tool does.
type method[In, Out any] = func(*handlers, context.Context, In) (Out, error)

// row makes a tool of a method. Both schemas follow from In and Out.
func row[In any, Out toolAnswer](set Toolset, name, title string, h hints, example string,
	do method[In, Out], traits ...clientHint) tool {
	t := tool{name: name, title: title, set: set, hints: h, example: example, traits: traits,
		args: reflect.TypeFor[In](), shows: reflect.TypeFor[Out]()}
	t.run = func(h *handlers, ctx context.Context, raw json.RawMessage) (toolAnswer, error) {
		var in In
		if err := t.decode(raw, &in); err != nil {
			return nil, err
		}
		out, err := do(h, ctx, in)
		if err != nil {
			return nil, err // never a typed nil
		}
		return out, nil
	}
	return t
}

// decode reads the arguments of a call. What does not fit is one Problem that
// names everything that is wrong, the arguments there are, and a call that works:
// clients do not check arguments against the schema, so models find out here.
func (t *tool) decode(raw json.RawMessage, in any) error {
	doc := lenientjson.Parse(raw)
	given := doc.Object()
	if given != nil {
		given = t.respell(given)
		doc = lenientjson.Of(given)
	}
	r, err := doc.Into(in)
	if err != nil {
		return fmt.Errorf("%s: %w", t.name, err)
	}
	var wrong []msg.Message
	for _, m := range r.Mismatches {
		wrong = append(wrong, m.AsMessage())
	}
	if len(r.Unknown) > 0 {
		wrong = append(wrong, msg.New("mcp.no_such_argument", text.QuoteAll(r.Unknown), t.argumentNames()))
	}
	if len(wrong) == 0 {
		return nil
	}
	return problem.New(problem.InvalidArgument, "mcp.arguments_wrong", t.name, wrong).
		Or("mcp.call_with", t.name, t.corrected(given, r.Mismatches))
}

func (t *tool) argumentNames() msg.Message {
	var names []string
	for _, f := range lenientjson.Fields(t.args) {
		names = append(names, f.Name)
	}
	switch len(names) {
	case 0:
		return msg.New("mcp.no_arguments")
	case 1:
		return msg.New("mcp.only_argument", names[0])
	}
	return msg.New("mcp.there_are_arguments", names)
}

// describe returns the tool as clients see it.
func (t *tool) describe() (*mcp.Tool, error) {
	text, err := prose.ReadFile("tools/" + t.name + ".md")
	if err != nil {
		return nil, err
	}
	in, err := argumentSchema(t.args)
	if err != nil {
		return nil, fmt.Errorf("arguments: %w", err)
	}
	out, err := answerSchema(t.shows)
	if err != nil {
		return nil, fmt.Errorf("answer: %w", err)
	}
	open, takes := t.hints == pushes, t.hints == destroys || t.hints == pushes
	d := &mcp.Tool{
		Name:         t.name,
		Title:        t.title,
		Description:  strings.TrimSpace(string(text)),
		InputSchema:  in,
		OutputSchema: out,
		Annotations: &mcp.ToolAnnotations{
			ReadOnlyHint:   t.hints == reads,
			IdempotentHint: t.hints == reads || t.hints == records,
			OpenWorldHint:  &open,
		},
	}
	if t.hints != reads { // of readers it says nothing
		d.Annotations.DestructiveHint = &takes
	}
	if len(t.traits) > 0 {
		d.Meta = mcp.Meta{}
	}
	for _, trait := range t.traits {
		d.Meta[string(trait)] = true
		if trait == longAnswers {
			d.Meta[string(trait)] = wideBudget
		}
	}
	return d, nil
}

// toolsets returns the names of all toolsets, sorted.
func toolsets() []Toolset {
	names := make(map[Toolset]bool)
	for _, t := range tools {
		names[t.set] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// aside are the tools that no phase of a session asks for: who wants Code alone is
// not told of them at every start.
var aside = []string{"file_dependencies", "find_dead_code", "file_history", "sync_index",
	"validate_symbol_relevance", "add_explored_files", "get_outcome_stats"}

// chosen returns the rows of the toolsets, all rows for none, in table order.
func chosen(sets []Toolset) ([]*tool, error) {
	for _, s := range sets {
		if !slices.Contains(toolsets(), s) {
			return nil, problem.New(problem.InvalidArgument, "mcp.no_toolset", s).
				Or("mcp.use_one_or_more_of", joined(toolsets()))
		}
	}
	var rows []*tool
	for i := range tools {
		t := &tools[i]
		if slices.Equal(sets, []Toolset{Code}) && slices.Contains(aside, t.name) {
			continue
		}
		if len(sets) == 0 || slices.Contains(sets, t.set) || t.set == Search && slices.Contains(sets, Code) {
			rows = append(rows, t)
		}
	}
	return rows, nil
}

func joined(sets []Toolset) string {
	names := make([]string, len(sets))
	for i, s := range sets {
		names[i] = string(s)
	}
	return strings.Join(names, ", ")
}
