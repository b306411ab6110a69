package repoprofile

import (
	"cmp"
	_ "embed"
	"path"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"codeintel/internal/files"
	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/text"
)

//go:embed known.yaml
var knownYAML []byte

// known is known.yaml: what names of dependencies and of files tell, by the kind of
// file that they are in.
var known = sync.OnceValue(func() (all map[string]map[string]string) {
	if err := yaml.Unmarshal(knownYAML, &all); err != nil {
		panic("repoprofile: known.yaml: " + err.Error()) // the tests read it
	}
	return all
})

// readers are the files whose dependencies are looked up, and how they are found there.
var readers = []reader{
	{[]string{"package.json"}, jsonKeys("dependencies", "devDependencies", "peerDependencies"), "npm"},
	{[]string{"go.mod"}, modules, "go"},
	{[]string{"Cargo.toml"}, crates, "cargo"},
	{[]string{"pyproject.toml", "requirements*.txt", "setup.py", "setup.cfg", "Pipfile", "tox.ini"},
		requirements, "python"},
	{[]string{"composer.json"}, jsonKeys("require", "require-dev"), "composer"},
	{[]string{"Gemfile", "*.gemspec"},
		matches(`(?m)^\s*(?:gem|\w+\.add_(?:development_)?dependency)[ \t(]*["']([\w-]+)["']`), "gem"},
	{[]string{"pom.xml"}, matches(`<artifactId>\s*([\w.-]+)\s*</artifactId>`), "jvm"},
	{[]string{"build.gradle", "build.gradle.kts", "libs.versions.toml"}, gradleNames, "jvm"},
	{[]string{"*.csproj", "*.fsproj", "*.vbproj", "Directory.Packages.props", "Directory.Build.props"},
		matches(`(?:Include|Sdk)="([\w.]+)[^"]*"`), "dotnet"},
	{[]string{"CMakeLists.txt"}, matches(`(?i)(?:find_package|FetchContent_Declare)\s*\(\s*(\w+)`), "cmake"},
}

var gradleQuoted = matches(`["']([\w.:-]+)["']`)

// gradleNames returns the names in the coordinates, plugins and catalogues of Gradle.
func gradleNames(text string) (all []string) {
	for _, quoted := range gradleQuoted(text) {
		all = append(all, strings.Split(quoted, ":")...)
	}
	return all
}

// settingsOf returns the linter that a file of this name sets, or "".
func settingsOf(base string) string {
	for pattern, name := range known()["settings"] {
		if ok, _ := path.Match(pattern, base); ok {
			return name
		}
	}
	return ""
}

// ciOf returns the continuous integration that the repository uses, with the names
// of the files where there are several.
func ciOf(entries []files.Entry) []string {
	found := make(map[string][]string)
	for _, e := range entries {
		for pattern, name := range known()["ci"] {
			if ok, _ := path.Match(pattern, e.Path); ok {
				found[name] = append(found[name], path.Base(e.Path))
			}
		}
	}
	var all []string
	for name, in := range found {
		if strings.Contains(name, "Actions") {
			slices.SortStableFunc(in, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
			name += " (" + text.ListFirst(in, 6) + ")"
		}
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// checks matches the names of files that check what is pushed; others label issues
// or release.
var checks = lazyregexp.MustCompile(`(?i)test|ci\b|build|lint|check|main`)

func rank(name string) int {
	if checks.MatchString(name) {
		return 0
	}
	return 1
}
