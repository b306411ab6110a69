package test

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"codeintel/test/golden"
)

// A table is what phases.yaml of /code or /forge says, as far as a reader wants it.
type table struct {
	Phases []struct {
		ID, Label, Wire, Kind, Agent string
		ReadyStep                    string `yaml:"ready_step"`
		Skip, Reads, Writes, Allows  []string
		Requires                     struct {
			Tools []string
			Kinds int
			Of    string
		}
		Payload yaml.Node
		With    []string
		Next    []struct {
			When, To, Count string
			Limit           int
			Person          bool
		}
	}
}

// TestPhasesPage compares docs/reference/phases.md with the two tables of phases.
func TestPhasesPage(t *testing.T) {
	const file = docs + "/reference/phases.md"
	want := "# Phases\n\n" +
		"Generated from the tables by `go test ./test -run TestPhasesPage -update`.\n\n" +
		"*skipped by* names the options, kinds of request and observations that pass a phase over. *leads to* is read from left to right: the first way whose condition holds is taken; \"at most 2 times\" means that the third time takes the next way. *may come with it* names the phases whose payloads may be sent in the same call, as `then`.\n\n" +
		sessionPhases(t) + "\n" + pipelinePhases(t)
	golden.Hold(t, file, want)
}

func sessionPhases(t *testing.T) string {
	var b, payloads strings.Builder
	b.WriteString("## /code\n\nFrom `internal/session/phases/phases.yaml`. The instruction of each phase is in `internal/session/instructions`.\n\n" +
		"| phase | skipped by | tools required | leads to | may come with it |\n|---|---|---|---|---|\n")
	all := load(t, "internal/session/phases/phases.yaml")
	for _, p := range all.Phases {
		required := listed(p.Requires.Tools)
		if p.Requires.Kinds > 0 {
			required = fmt.Sprintf("%d kinds of %s tools", p.Requires.Kinds, p.Requires.Of)
			if p.Requires.Kinds == 1 {
				required = "any " + p.Requires.Of + " tool"
			}
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", p.ID, facts(p.Skip), required, ways(all, p.ID), listed(p.With))
		fmt.Fprintf(&payloads, "\n**%s**\n\n| field | type |\n|---|---|\n", p.ID)
		for i := 0; i+1 < len(p.Payload.Content); i += 2 {
			fmt.Fprintf(&payloads, "| `%s` | %s |\n", p.Payload.Content[i].Value, escaped(p.Payload.Content[i+1].Value))
		}
	}
	return b.String() + "\n### Payloads\n\nWhat `submit_phase` takes in `data`. A type that ends in \"?\" is optional. Every phase also takes `{\"abort\": true, \"reason\": …}`.\n" + payloads.String()
}

func pipelinePhases(t *testing.T) string {
	var b strings.Builder
	b.WriteString("## /forge\n\nFrom `internal/pipeline/engine/phases.yaml`. The prompt of each agent is in `internal/clients/prompts/files`.\n\n" +
		"| phase | what | agent | skipped by | reads | writes | leads to |\n|---|---|---|---|---|---|---|\n")
	all := load(t, "internal/pipeline/engine/phases.yaml")
	for _, p := range all.Phases {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", p.ID, p.Label, p.Agent, facts(p.Skip), listed(p.Reads), listed(p.Writes), ways(all, p.ID))
	}
	return b.String()
}

// ways puts the edges that leave a phase into words.
func ways(all *table, id string) string {
	var out []string
	for _, p := range all.Phases {
		if p.ID != id {
			continue
		}
		for _, e := range p.Next {
			way := e.To
			if e.When != "" {
				way += " if " + strings.ReplaceAll(e.When, "_", " ")
			}
			if e.Limit > 0 {
				way += fmt.Sprintf(", at most %s", times(e.Limit))
			}
			if e.Person {
				way += ", decided by a person"
			}
			out = append(out, way)
		}
	}
	return strings.Join(out, "; else ")
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func listed(names []string) string { return strings.Join(names, ", ") }

// facts puts the facts that pass a phase over into a reader's words.
func facts(names []string) string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = cmp.Or(words[name], strings.ReplaceAll(name, "_", " "))
	}
	return strings.Join(out, ", ")
}

// words are the facts that are options, or are not plain by their names.
var words = map[string]string{
	"only_verify": "`--only-verify`", "only_explore": "`--only-explore`", "fast": "`--fast`", "quick": "`--quick`",
	"no_doc": "`--no-doc-research`", "no_verify": "`--no-verify`", "no_quality": "`--no-quality`",
	"no_intervention": "`--no-intervention`", "investigating": "a question or an investigation",
	"effort_xs": "effort XS", "effort_s": "effort S", "effort_m": "effort M", "no_pr": "`--nopr`", "auto": "`--auto`",
	"no_tracker": "a request without an issue", "fixing": "a round of fixes after verification",
}

func escaped(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func load(t *testing.T, file string) *table {
	t.Helper()
	text, err := os.ReadFile(root + "/" + file)
	if err != nil {
		t.Fatal(err)
	}
	var all table
	if err := yaml.Unmarshal(text, &all); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return &all
}
