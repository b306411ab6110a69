package verify

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"codeintel/internal/git"
	"codeintel/internal/platform/repofile"
	"codeintel/internal/project"
	"codeintel/internal/trust"
)

// steering are the names of files from which the usual programs that build and test take what
// else they run: rules, scripts, plug-ins, wrappers, registries and tool chains. The tests
// and the code itself, which they run as well, are not among them.
var steering = strings.Fields(`
	Makefile makefile GNUmakefile *.mk justfile Justfile .justfile Taskfile.yml Taskfile.yaml .envrc .env .tool-versions mise.toml .mise.toml
	package.json .npmrc .yarnrc .yarnrc.yml .pnp.cjs .pnpmfile.cjs pnpm-workspace.yaml bunfig.toml deno.json deno.jsonc
	*.config.js *.config.cjs *.config.mjs *.config.ts *.config.mts .mocharc.* babel.config.* .babelrc .babelrc.* .swcrc
	conftest.py pytest.ini pyproject.toml setup.cfg setup.py tox.ini noxfile.py sitecustomize.py usercustomize.py pip.conf uv.toml
	go.work .cargo/config .cargo/config.toml rust-toolchain rust-toolchain.toml build.rs Cargo.toml nextest.toml
	build.gradle build.gradle.kts settings.gradle settings.gradle.kts gradle.properties gradlew gradlew.bat gradle-wrapper.properties
	gradle-wrapper.jar init.gradle pom.xml mvnw mvnw.cmd maven.config jvm.config extensions.xml maven-wrapper.properties build.sbt
	plugins.sbt build.properties build.sc build.mill Rakefile Gemfile .rspec .rubocop.yml composer.json phpunit.xml phpunit.xml.dist
	mix.exs rebar.config rebar.config.script Directory.Build.props Directory.Build.targets nuget.config NuGet.Config global.json
	dotnet-tools.json *.csproj *.fsproj *.vbproj *.targets *.runsettings CMakeLists.txt CMakePresets.json CTestCustom.cmake *.cmake
	meson.build WORKSPACE MODULE.bazel BUILD BUILD.bazel .bazelrc *.bzl Package.swift build.zig build.zig.zon *.cabal cabal.project
	stack.yaml dune-project dune Makefile.PL Build.PL dub.json dub.sdl shard.yml spago.yaml elm.json Earthfile Dockerfile`)

// isSteering reports whether a file has one of these names.
func isSteering(file string) bool {
	base := path.Base(file)
	return slices.ContainsFunc(steering, func(name string) bool {
		if strings.Contains(name, "/") {
			return strings.HasSuffix("/"+file, "/"+name)
		}
		ok, _ := path.Match(name, base)
		return ok
	})
}

// maxSteering is how many of these files are compared, those nearest to the root first.
const maxSteering = 500

// A Steering is what in a project may steer the commands of its verifiers: the files that git
// has by names that are known for it, and those that a command names. Each is looked at once, when
// a verifier first needs it. One goroutine at a time may use it.
type Steering struct {
	p      *project.Project
	looked bool
	listed []string                      // by their names, those nearest to the root first
	err    error                         // of the look
	sums   map[string]*[sha256.Size]byte // of what was read; nil if it could not be
}

// NewSteering returns a Steering of a project that has looked at nothing yet.
func NewSteering(p *project.Project) *Steering {
	return &Steering{p: p, sums: make(map[string]*[sha256.Size]byte)}
}

// list returns the files that git has by names that are known to steer commands.
func (s *Steering) list(ctx context.Context) (files []string, err error) {
	r, err := git.Open(ctx, s.p.Root)
	if err != nil {
		return nil, err
	}
	projectDir, err := filepath.Rel(r.Dir, s.p.Root)
	if err != nil {
		return nil, err
	}
	if !filepath.IsLocal(projectDir) {
		return nil, fmt.Errorf("verify: %s is not in the repository %s", s.p.Root, r.Dir)
	}
	listed, err := r.Run(ctx, "ls-files", "-z", "--", projectDir)
	if err != nil {
		return nil, err
	}
	projectPrefix := ""
	if projectDir != "." {
		projectPrefix = filepath.ToSlash(projectDir) + "/"
	}
	for name := range strings.SplitSeq(listed, "\x00") {
		if file := strings.TrimPrefix(name, projectPrefix); file != "" && isSteering(file) {
			files = append(files, file)
		}
	}
	slices.SortFunc(files, nearest)
	return files[:min(len(files), maxSteering)], nil
}

// nearest has files nearest to the root first.
func nearest(a, b string) int {
	return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), strings.Compare(a, b))
}

// filesSteering returns the files that a verifier's command takes what it runs from, with the SHA-256 of
// each. Without git it is empty: nobody can say what came from elsewhere.
func (s *Steering) filesSteering(ctx context.Context, v Verifier) map[string][sha256.Size]byte {
	if !s.looked {
		s.looked = true
		s.listed, s.err = s.list(ctx)
	}
	if s.err != nil {
		return nil
	}
	files := slices.Clone(s.listed)
	for _, word := range v.Command {
		_, value, _ := strings.Cut(word, "=")
		for _, file := range []string{word, value} {
			if file = path.Clean(filepath.ToSlash(file)); file != "." && filepath.IsLocal(file) {
				files = append(files, file)
			}
		}
	}
	slices.SortFunc(files, nearest)
	sums := make(map[string][sha256.Size]byte)
	for _, file := range slices.Compact(files) {
		if len(sums) == maxSteering {
			break
		}
		if sum := s.hashOf(file); sum != nil {
			sums[file] = *sum
		}
	}
	return sums
}

// hashOf returns the SHA-256 of a file, nil if it cannot be read.
func (s *Steering) hashOf(file string) *[sha256.Size]byte {
	sum, known := s.sums[file]
	if !known {
		if data, err := repofile.In(s.p.Root, filepath.FromSlash(file)).Read(repofile.Settings); err == nil {
			of := sha256.Sum256(data)
			sum = &of
		}
		s.sums[file] = sum
	}
	return sum
}

// Of returns the files of the project that a verifier's command takes what it runs from, as
// far as they are known, sorted.
func (s *Steering) Of(ctx context.Context, v Verifier) []string {
	return slices.Sorted(maps.Keys(s.filesSteering(ctx, v)))
}

// Trust records that the user trusts a verifier, and what is around its command at this
// moment, which [Steering.ChangedByOthers] compares.
func (s *Steering) Trust(ctx context.Context, store *trust.Store, v Verifier) error {
	sums := map[string][sha256.Size]byte{v.Name + "/": {}} // says that it was looked
	for file, sum := range s.filesSteering(ctx, v) {
		sums[v.Name+"/"+file] = sum
	}
	if err := forget(s.p, store, v.Name, sums); err != nil {
		return err
	}
	if err := store.TrustAll(s.p.Root, trust.Surrounding, sums); err != nil {
		return err
	}
	return store.Trust(s.p.Root, trust.Verifier, v.Name, v.Content)
}

// Revoke takes the trust in a verifier back, and reports whether there was any.
func Revoke(p *project.Project, store *trust.Store, name string) (had bool, err error) {
	if had, err = store.Revoke(p.Root, trust.Verifier, name); err != nil || !had {
		return had, err
	}
	return had, forget(p, store, name, nil)
}

// forget takes out of the record what was around a verifier, but for what is kept.
func forget(p *project.Project, store *trust.Store, verifier string, kept map[string][sha256.Size]byte) error {
	names, err := store.Names(p.Root, trust.Surrounding)
	for _, name := range names {
		if _, still := kept[name]; !still && strings.HasPrefix(name, verifier+"/") && err == nil {
			_, err = store.Revoke(p.Root, trust.Surrounding, name)
		}
	}
	return err
}

// ChangedByOthers returns what is around the command of a verifier and has changed or come since the
// user trusted that, by somebody else: it was not written or committed in this checkout. The
// command is trusted all the same, but it may run other things than it did.
func (s *Steering) ChangedByOthers(ctx context.Context, store *trust.Store, v Verifier) []string {
	names, err := store.Names(s.p.Root, trust.Surrounding)
	if err != nil || !slices.Contains(names, v.Name+"/") {
		return nil
	}
	now := s.filesSteering(ctx, v)
	sums := make(map[string][sha256.Size]byte, len(now))
	for file, sum := range now {
		sums[v.Name+"/"+file] = sum
	}
	other, err := store.Other(s.p.Root, trust.Surrounding, sums)
	if err != nil || len(other) == 0 {
		return nil
	}
	changed := make(map[string][sha256.Size]byte)
	for _, name := range other {
		changed[strings.TrimPrefix(name, v.Name+"/")] = sums[name]
	}
	untrusted := trust.NewTexts(s.p.Root).Untrusted(changed)
	if len(untrusted) == 0 {
		return nil
	}
	mine := edited(ctx, s.p, untrusted)
	return slices.DeleteFunc(untrusted, func(file string) bool { return slices.Contains(mine, file) })
}

// edited returns those of some files that were changed here and are not yet committed, by the
// user or by a session, whose changes are reviewed. Where git cannot say, there are none.
func edited(ctx context.Context, p *project.Project, files []string) (list []string) {
	r, err := git.Open(ctx, p.Root)
	if err != nil {
		return nil
	}
	of := make(map[string]string) // file, by its path in the repository
	args := []string{"diff", "--name-only", "--no-renames", "-z", "HEAD", "--"}
	for _, file := range files {
		if within, err := filepath.Rel(r.Dir, p.Abs(file)); err == nil {
			of[filepath.ToSlash(within)] = file
			args = append(args, filepath.ToSlash(within))
		}
	}
	changed, err := r.Run(ctx, args...)
	if err != nil {
		return nil
	}
	for name := range strings.SplitSeq(changed, "\x00") {
		if file, ok := of[name]; ok {
			list = append(list, file)
		}
	}
	return list
}
