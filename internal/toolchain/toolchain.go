// Package toolchain detects the build tools and test runners of a folder, and the commands that build and
// test it.
//
// It looks for the files that tools leave there, and reads them. It runs nothing, and looks at
// one folder only; [Manifest] and [Covers] help a caller to choose which folders to look at.
package toolchain

import (
	"path"
	"slices"
	"strings"
)

// A Tool builds and tests what is written in a language, or is a task runner.
type Tool string

// The tools.
const (
	Go     Tool = "go"
	Cargo  Tool = "cargo"
	Python Tool = "python" // pytest or unittest, by uv, Poetry or Pipenv where they are used
	Node   Tool = "node"   // npm, pnpm, yarn or bun
	PHP    Tool = "php"
	Gradle Tool = "gradle"
	Maven  Tool = "maven"
	Ruby   Tool = "ruby"
	DotNet Tool = "dotnet"
	CMake  Tool = "cmake"
	Make   Tool = "make"
	Just   Tool = "just"
	Task   Tool = "task"
)

// IsRunner reports whether t runs tasks that a project defines itself.
func (t Tool) IsRunner() bool { return t == Make || t == Just || t == Task }

// A Command is one that the files of a folder suggest, to be run there.
type Command struct {
	Tool    Tool
	Argv    []string
	Before  []string // what must be run first; nil: nothing
	Because string   // the file that suggests it
}

// A row is what is known of a tool.
type row struct {
	tool        Tool
	manifests   []string // names of the files by which it is known, or patterns
	build, test suggestion
	covers      func(folder) bool // whether it reaches the folders below; nil: no
}

// A suggestion is what a tool has to say about a folder; because is "" if it has
// nothing to say.
type suggestion func(folder) (because string, argv []string)

// rows are the tools, the most telling first: those of languages, then runners.
var rows = []row{
	{Go, []string{"go.mod", "go.work"}, goBuild, goTest, goCovers},
	{Cargo, []string{"Cargo.toml"}, cargoBuild, cargoTest, holds("[workspace]", "Cargo.toml")},
	{Python, []string{"pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "pytest.ini", "Pipfile", "requirements*.txt"},
		pythonBuild, pythonTest, holds("[tool.uv.workspace]", "pyproject.toml")},
	{Node, []string{"package.json"}, nodeBuild, nodeTest, nodeCovers},
	{PHP, []string{"composer.json", "phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"}, phpBuild, phpTest, nil},
	{Gradle, []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"}, gradleBuild, gradleTest,
		holds("", "settings.gradle", "settings.gradle.kts")},
	{Maven, []string{"pom.xml"}, mavenBuild, mavenTest, holds("<module>", "pom.xml")},
	{Ruby, []string{"Gemfile", "Rakefile", ".rspec"}, nil, rubyTest, nil},
	{DotNet, []string{"*.sln", "*.slnx", "*.csproj", "*.fsproj", "*.vbproj"}, dotnetBuild, dotnetTest,
		holds("", "*.sln", "*.slnx")},
	{CMake, []string{"CMakeLists.txt"}, cmakeBuild, cmakeTest, holds("", "CMakeLists.txt")},
	{Make, []string{"GNUmakefile", "Makefile", "makefile"}, makeBuild, makeTest, holds("", "GNUmakefile", "Makefile", "makefile")},
	{Just, []string{"justfile", "Justfile", ".justfile"}, justBuild, justTest, nil},
	{Task, taskfiles, taskBuild, taskTest, nil},
}

// Manifest returns the tool that a file of this name belongs to, or "".
func Manifest(name string) Tool {
	for _, r := range rows {
		if slices.ContainsFunc(r.manifests, func(m string) bool { ok, _ := path.Match(m, name); return ok }) {
			return r.tool
		}
	}
	return ""
}

// Covers returns the tools whose commands in a folder of the project at root reach
// the folders below it, too. Only the tools named are asked; none: all.
func Covers(root, dir string, only ...Tool) (all []Tool) {
	f := folderAt(root, dir)
	for _, r := range asked(only) {
		if r.covers != nil && r.covers(f) {
			all = append(all, r.tool)
		}
	}
	return all
}

// Tests returns the commands that seem to test what is in a folder of the project at
// root; "." is the root itself. Only the tools named are asked; none: all.
func Tests(root, dir string, only ...Tool) (all []Command) {
	f := folderAt(root, dir)
	for _, r := range asked(only) {
		if because, argv := r.test(f); because != "" {
			all = append(all, Command{Tool: r.tool, Argv: argv, Because: because})
		}
	}
	return all
}

// Builds is like [Tests], for commands that build.
func Builds(root, dir string, only ...Tool) (all []Command) {
	f := folderAt(root, dir)
	for _, r := range asked(only) {
		if r.build == nil {
			continue
		}
		if because, argv := r.build(f); because != "" {
			c := Command{Tool: r.tool, Argv: argv, Because: because}
			if r.tool == CMake {
				c.Before = []string{"cmake", "-S", ".", "-B", "build"}
			}
			all = append(all, c)
		}
	}
	return all
}

// asked returns the rows of the tools named, or all.
func asked(only []Tool) []row {
	if len(only) == 0 {
		return rows
	}
	return slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return !slices.Contains(only, r.tool) })
}

// holds returns a question: is there one of the files, with the text in it?
func holds(text string, names ...string) func(folder) bool {
	return func(f folder) bool {
		name := f.first(names...)
		return name != "" && strings.Contains(f.text(name), text)
	}
}
