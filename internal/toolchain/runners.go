package toolchain

import (
	"encoding/json"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"codeintel/internal/platform/lazyregexp"
)

// A manifest is what package.json says about running.
type manifest struct {
	Scripts        map[string]string `json:"scripts"`
	PackageManager string            `json:"packageManager"` // "pnpm@9.1.0"
}

func (f folder) scripts() (m manifest) {
	if json.Unmarshal([]byte(f.text("package.json")), &m) != nil {
		return manifest{}
	}
	return m
}

// manager returns the package manager that the project uses.
func (f folder) manager() string {
	manager, _, _ := strings.Cut(f.scripts().PackageManager, "@")
	switch {
	case slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, manager):
		return manager
	case f.isLocked("pnpm-lock.yaml"), f.isLocked("pnpm-workspace.yaml"):
		return "pnpm"
	case f.isLocked("yarn.lock"):
		return "yarn"
	case f.isLocked("bun.lock"), f.isLocked("bun.lockb"):
		return "bun"
	}
	return "npm"
}

// nodeScript returns how a script of package.json is run, by the package manager
// that the project uses.
func nodeScript(f folder, script string) (string, []string) {
	manager := f.manager()
	switch {
	case f.scripts().Scripts[script] == "":
		return "", nil
	case script == "test" && manager != "bun":
		return "package.json", []string{manager, script}
	}
	return "package.json", []string{manager, "run", script}
}

// A composer is what composer.json says about running.
type composer struct {
	Scripts map[string]any `json:"scripts"` // a command, or a list of them
}

func (f folder) composer() (c composer) {
	if json.Unmarshal([]byte(f.text("composer.json")), &c) != nil {
		return composer{}
	}
	return c
}

// target matches a line of a Makefile that begins rules, and its targets.
var target = lazyregexp.MustCompile(`(?m)^([\w.-]+(?:[ \t]+[\w.-]+)*)[ \t]*::?(?:[^=:]|$)`)

// targets returns the Makefile of a folder and the targets in it.
func (f folder) targets() (name string, targets []string) {
	name = f.first("GNUmakefile", "Makefile", "makefile")
	for _, m := range target.FindAllStringSubmatch(f.text(name), -1) {
		targets = append(targets, strings.Fields(m[1])...)
	}
	return name, targets
}

// recipe matches the head of a recipe of just, with parameters and dependencies.
var recipe = lazyregexp.MustCompile(`(?m)^@?([A-Za-z_][\w-]*)(?:[ \t][^:\n]*)?:(?:[^=]|$)`)

// justRecipe returns how the first of names that is a recipe is run.
func justRecipe(f folder, names ...string) (string, []string) {
	file := f.first("justfile", "Justfile", ".justfile")
	var recipes []string
	for _, m := range recipe.FindAllStringSubmatch(f.text(file), -1) {
		recipes = append(recipes, m[1])
	}
	for _, name := range names {
		if slices.Contains(recipes, name) {
			return file, []string{"just", name}
		}
	}
	return "", nil
}

var taskfiles = []string{"Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml",
	"Taskfile.dist.yaml"}

// taskOf returns how the first of names that is a task of a Taskfile is run.
func taskOf(f folder, names ...string) (string, []string) {
	file := f.first(taskfiles...)
	var t struct {
		Tasks map[string]yaml.Node `yaml:"tasks"`
	}
	if yaml.Unmarshal([]byte(f.text(file)), &t) != nil {
		return "", nil
	}
	for _, name := range names {
		if _, ok := t.Tasks[name]; ok {
			return file, []string{"task", name}
		}
	}
	return "", nil
}
