// Package prompts holds the instructions for the agents of a pipeline.
//
// Each agent has a Markdown file, and those that work without a plan have a second one in
// small/: front matter in the format of Claude Code's sub-agents, then instructions with
// placeholders in braces, which package prompt fills in. A project or a user may replace
// any of these files with their own. The skills, which tell a model to follow the server's
// instructions, are here as well.
package prompts

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"codeintel/internal/platform/msg"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/problem"
)

// The codes of a Problem with an agent or a skill.
const (
	unknownAgent     problem.Code = "unknown_agent"
	invalidAgentFile problem.Code = "invalid_agent_file"
	unknownSkill     problem.Code = "unknown_skill"
)

// An Agent is one agent file.
type Agent struct {
	Name        string
	Description string
	Model       string   // never empty
	Tools       []string // none: all
	Body        string   // the instructions, without front matter
	Small       string   // those where the request is all there is to go by; "" if Body serves
}

//go:embed files small skills
var embedded embed.FS

// Names returns the names of all agents, sorted.
func Names() []string {
	entries, err := embedded.ReadDir("files")
	if err != nil {
		panic(err) // it is embedded
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".md"))
	}
	return names
}

// Load returns the agent of that name: from the first of dirs that has a file for
// it, else ours. What such a file leaves out is taken from ours. A file that cannot
// be used is a Problem that names it; it never falls back to ours in silence.
func Load(name string, dirs ...string) (Agent, error) {
	all, err := program()
	if err != nil {
		return Agent{}, err
	}
	ours, ok := all[name]
	if !ok {
		return Agent{}, unknown(name)
	}
	for _, dir := range dirs {
		path := filepath.Join(dir, name+".md")
		text, err := read(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		theirs := Agent{}
		if err == nil {
			theirs, err = parse(text)
		}
		if err == nil && theirs.Name != "" && theirs.Name != name {
			err = msg.Err("agents.other_name", theirs.Name)
		}
		if err != nil {
			return Agent{}, problem.New(invalidAgentFile, "agents.invalid_file", path, err).Or("agents.fix_file")
		}
		return theirs.withDefaults(ours), nil
	}
	return ours, nil
}

// program returns the agents of this program, by name. A pipeline asks for all of them with
// each action, so they are parsed once.
var program = sync.OnceValues(func() (map[string]Agent, error) {
	all := make(map[string]Agent)
	for _, name := range Names() {
		text, err := file(name)
		if err != nil {
			return nil, err
		}
		agent, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("agents: %s: %w", name, err)
		}
		small, err := embedded.ReadFile("small/" + name + ".md")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		agent.Small = string(small)
		all[name] = agent
	}
	return all, nil
})

func unknown(name string) error {
	return problem.New(unknownAgent, "agents.unknown", name).Or("problem.name_one", Names())
}

// withDefaults returns a with what it leaves out taken from b.
func (a Agent) withDefaults(b Agent) Agent {
	a.Name = b.Name
	if a.Description == "" {
		a.Description = b.Description
	}
	if a.Model == "" {
		a.Model = b.Model
	}
	if a.Tools == nil {
		a.Tools = b.Tools
	}
	return a
}

// file returns our file for the agent as it is, front matter included.
func file(name string) (string, error) {
	if !slices.Contains(Names(), name) {
		return "", unknown(name)
	}
	text, err := embedded.ReadFile("files/" + name + ".md")
	return string(text), err
}

// Installed returns the agent as a sub-agent of Claude Code: who it is and what it may
// use. What it must do, its prompt tells it, which is made for its task; so an agent reads
// its instructions once, and those that stand in for ours reach it, too.
func Installed(name string) (string, error) {
	text, err := file(name)
	if err != nil {
		return "", err
	}
	front, _, _ := strings.Cut(strings.TrimPrefix(text, "---\n"), "\n---\n")
	return "---\n" + front + "\n---\n\n" + installedBody, nil
}

const installedBody = `You are an agent of a /forge pipeline. The prompt that you are given holds your instructions: do what it says, all of it and nothing else. If it holds none, change and write nothing, and answer: instructions missing.
`

// maxFile is how long an agent file may be. It goes into a prompt.
const maxFile = 64 << 10

// read returns the text of a file that may come from others. It follows no
// link: whatever is read here is sent to a model.
func read(path string) (string, error) {
	if info, err := os.Lstat(path); err != nil {
		return "", err
	} else if !info.Mode().IsRegular() {
		return "", msg.Err("problem.not_a_regular_file")
	}
	f, _, err := repofile.At(path).Open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if len(text) > maxFile {
		return "", msg.Err("agents.too_long", maxFile>>10)
	}
	return string(text), err
}

// Skills returns the names of all skills, sorted.
func Skills() []string {
	entries, err := embedded.ReadDir("skills")
	if err != nil {
		panic(err) // it is embedded
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Skill returns the text of SKILL.md of a skill, in English if there is none in the
// language.
func Skill(name, lang string) (string, error) {
	for _, l := range []string{lang, "en"} {
		if text, err := embedded.ReadFile("skills/" + name + "/" + l + ".md"); err == nil {
			return string(text), nil
		}
	}
	return "", problem.New(unknownSkill, "agents.unknown_skill", name).Or("problem.name_one", Skills())
}

// A Prompt is a skill for clients that have no skills: what a user asks for by name.
type Prompt struct {
	Description string
	Hint        string // what may be typed after the name
	Body        string // with $ARGUMENTS where that goes
}

// SkillPrompt returns a skill as a prompt, in English if there is none in the
// language.
func SkillPrompt(name, lang string) (Prompt, error) {
	text, err := Skill(name, lang)
	if err != nil {
		return Prompt{}, err
	}
	h, body, err := split(text)
	if err != nil {
		return Prompt{}, fmt.Errorf("skill %s: %w", name, err)
	}
	return Prompt{h.Description, h.Hint, body}, nil
}
