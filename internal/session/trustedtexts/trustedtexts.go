// Package trustedtexts lists the files of a project that instruct agents, such as prompts, rules and phase
// contracts, with whether the user trusts each. Instructions and prompts of a session are made of trusted
// ones alone.
package trustedtexts

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/memory"
	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/project"
	"codeintel/internal/session/projectrules"
	"codeintel/internal/text/quote"
	"codeintel/internal/trust"
	"codeintel/internal/verify"
)

// A Text is a text of the project that tells agents what to do, if the user wrote or
// trusts it, the commands that its settings list as reading, or the folder of its agreements,
// which then answer questions alone.
type Text struct {
	File    string // from the root
	Content []byte // what trust is in; of agreements, what they say
	State   trust.State
	Sums    map[string][sha256.Size]byte // of a folder: the files that trust is in
}

// Settings is the file of a project whose read_only_commands let commands pass.
const Settings = project.Dir + "/config.json"

// ReadOnlyCommands returns the commands that the project's settings list as reading. They count
// if the user wrote or trusts them; left reports that there are some which do not.
func ReadOnlyCommands(p *project.Project) (commands []string, left bool) {
	commands = p.Config.ReadOnlyCommands
	if len(commands) == 0 || trust.NewTexts(p.Root).May(Settings, commandList(commands)) {
		return commands, false
	}
	return nil, true
}

// commandList is what trust in some commands is in.
func commandList(commands []string) (text []byte) {
	for _, c := range commands {
		text = fmt.Appendf(text, "%q\n", c)
	}
	return text
}

// Of returns the texts of a project that tell agents what to do: its contract of the
// phases, its prompts, verifiers without a command, its rules, the commands that it lists
// as reading, and its agreements. What cannot be read is left out, and is not followed either.
func Of(ctx context.Context, p *project.Project) (all []Text) {
	texts := trust.NewTexts(p.Root)
	add := func(file string, content []byte) {
		if len(content) > 0 {
			all = append(all, Text{File: file, Content: content, State: texts.State(file, content)})
		}
	}
	for _, pattern := range []string{"phase_contract.yml", "task_planning.md", "user_escalation.md",
		"doc_research/*.md", "interventions/*.md", "review_prompts/*.md"} {
		folder := path.Dir(pattern)
		for _, name := range repofile.At(p.Path(folder)).Match(path.Base(pattern)) {
			if data, err := repofile.At(p.Path(folder, filepath.Base(name))).Read(repofile.Settings); err == nil {
				add(path.Join(project.Dir, folder, filepath.Base(name)), data)
			}
		}
	}
	verifiers, _ := verify.Load(p) // what is broken is not used
	for _, v := range verifiers {
		if len(v.Command) == 0 {
			add(v.File(), v.Content)
		}
	}
	if r, err := projectrules.Load(p); err == nil {
		add(r.From, r.Text)
	}
	add(Settings, commandList(p.Config.ReadOnlyCommands))
	if known, err := memory.Open(p).All(ctx); err == nil && len(known) > 0 {
		all = append(all, agreements(texts, known))
	}
	return all
}

// agreements is what there is to trust of agreements: those that came with the repository.
func agreements(texts *trust.Texts, known []*memory.Agreement) Text {
	g := Text{File: memory.Dir, State: trust.Own, Sums: make(map[string][sha256.Size]byte)}
	for _, a := range known {
		g.Sums[a.Path] = a.Sum
	}
	untrusted := texts.Untrusted(g.Sums)
	if len(untrusted) > 0 {
		g.State = trust.Untrusted
	}
	for _, a := range known {
		if !slices.Contains(untrusted, a.Path) {
			delete(g.Sums, a.Path)
			continue
		}
		g.Content = fmt.Appendf(g.Content, "%s: %q means %s\n", path.Base(a.Path), a.Phrases, strings.Join(slices.Concat(a.Symbols, a.Files), ", "))
	}
	return g
}

// LeftOut says that a text of the project is not followed, and what the user can do about it.
func LeftOut(file string) msg.Message {
	return msg.New("session.text_left_out", file, quote.Shell(file))
}
