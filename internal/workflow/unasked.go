package workflow

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"

	"codeintel/internal/platform/lazyregexp"
	"codeintel/internal/platform/msg"
	"codeintel/internal/workflow/codediff/testrun"
)

var (
	// opened are files whose commands run on the machine of whoever opens the project, enters its folder or commits.
	opened = lazyregexp.MustCompile(`(?:^|/)(?:\.envrc|\.vscode/tasks\.json|\.devcontainer(?:/.*|\.json)|` +
		`\.(?:husky|githooks)/.*|` +
		`\.?lefthook(?:-local)?\.(?:ya?ml|toml|json)|\.pre-commit-config\.ya?ml|\.gitmodules)$`)
	// clientFiles are settings by which clients of agents run commands and servers, obeyed is what agents go by.
	clientFiles = lazyregexp.MustCompile(`(?:^|/)(?:\.mcp\.json|\.claude/(?:settings(?:\.local)?\.json|hooks/.*)|\.cursor/(?:mcp|hooks)\.json|` +
		`\.vscode/mcp\.json|\.gemini/settings\.json|\.codex/(?:config\.toml|hooks\.json)|\.?opencode\.jsonc?|\.opencode/plugins?/.*)$`)
	obeyed = lazyregexp.MustCompile(`(?:^|/)(?:AGENTS(?:\.override)?\.md|CLAUDE(?:\.local)?\.md|GEMINI\.md|\.cursorrules|\.windsurfrules|\.clinerules|` +
		`\.cursor/rules/.*|\.claude/(?:agents|commands|skills|rules)/.*|\.github/(?:copilot-instructions\.md|instructions/.*))$`)
	// built are programs that run when the project is built or installed.
	built = lazyregexp.MustCompile(`(?:^|/)(?:build\.rs|setup\.py|binding\.gyp|extconf\.rb|(?:site|` +
		`user)customize\.py|[^/]+\.pth)$`)
	// sources are settings of where packages are downloaded from.
	sources = lazyregexp.MustCompile(`(?i)(?:^|/)(?:\.npmrc|\.yarnrc(?:\.yml)?|pip\.conf|` +
		`\.cargo/config(?:\.toml)?|nuget\.config|gradle/wrapper/gradle-wrapper\.properties|\.mvn/wrapper/maven-wrapper\.properties|\.yarn/releases/.*|\.bundle/config|\.mvn/settings\.xml)$`)
	// downloads are the hosts of packages in a lock file.
	locks = lazyregexp.MustCompile(`(?:^|/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|` +
		`Cargo\.lock|Gemfile\.lock)$`)
	downloads = lazyregexp.MustCompile(`(?m)(?:"resolved":\s*"|^\s+resolved "|^source = "(?:registry|git|` +
		`sparse)\+|^\s+remote:\s*)(?:git\+)?(?:https?|ssh|git)://(?:[^/"\s@]+@)?([^/"\s]+)`)
	// unshown are the attributes with which a page of GitHub folds a change away.
	unshown = lazyregexp.MustCompile(`(?m)^[^#\n]*\s(?:-diff|binary|linguist-(?:generated|vendored)(?:=true)?)(?:\s|$)`)
	owners  = lazyregexp.MustCompile(`(?:^|/)CODEOWNERS$`)
	program = lazyregexp.MustCompile(`(?i)\.(?:jar|war|class|pyc|so|dll|exe|dylib|wasm|node|whl|msi|apk|deb|rpm)$`)
)

// kinds are words by which a request asks for files of a kind without naming them.
var kinds = []struct{ file, words *lazyregexp.Regexp }{
	{lazyregexp.MustCompile(`(?:^|/)\.github/(?:workflows|actions)/`), lazyregexp.MustCompile(`(?i)\bgithub actions?\b|` +
		`\b(?:ci|github) workflows?\b|\b(?:in|to|for|on|the|our) ci\b|\bci(?:/cd)? (?:job|pipeline|build|run|` +
		`config\w*|check)s?\b|継続的インテグレーション|\b(?:CI|GitHub Actions)[でにのを]`)},
	{lazyregexp.MustCompile(`(?:^|/)\.gitlab-ci`), lazyregexp.MustCompile(`(?i)\bgitlab[- ]ci\b|\b(?:in|to|for|` +
		`on|the|our) ci\b|\bci(?:/cd)? (?:job|pipeline)s?\b`)},
	{lazyregexp.MustCompile(`(?:^|/)\.devcontainer`), lazyregexp.MustCompile(`(?i)\bdev ?-?containers?\b|` +
		`\bcodespaces?\b`)},
	{lazyregexp.MustCompile(`(?:^|/)(?:\.husky|\.githooks|\.?lefthook|\.pre-commit-config)`), lazyregexp.MustCompile(`(?i)\b(?:git|` +
		`pre-?commit|pre-?push|commit) hooks?\b|\bpre-commit\b|\bhusky\b|\blefthook\b`)},
	{lazyregexp.MustCompile(`(?:^|/)\.gitmodules$`), lazyregexp.MustCompile(`(?i)\b(?:git )?submodules?\b|サブモジュール`)},
	{owners, lazyregexp.MustCompile(`(?i)\bcode ?owners?\b`)},
	{obeyed, lazyregexp.MustCompile(`(?i)\b(?:instructions?|rules|guidance|skills?|commands?) (?:for|of|to) (?:\w+ )?(?:agents?|claude|copilot|cursor)\b`)},
	{lazyregexp.MustCompile(`(?:^|[/.])mcp\.json$`), lazyregexp.MustCompile(`(?i)\bMCP servers?\b`)},
	{clientFiles, lazyregexp.MustCompile(`(?i)\b(?:claude(?: code)?|cursor|codex|gemini|opencode) (?:hooks?|settings?)\b`)},
	{lazyregexp.MustCompile(`-wrapper\.properties$`), lazyregexp.MustCompile(`(?i)\b(?:gradle|maven)(?:w| wrapper| (?:to )?(?:version )?v?\d)|` +
		`\b(?:upgrade|update|bump)\w* (?:to )?(?:the )?(?:gradle|maven)\s*(?:$|[.,;])`)},
	{lazyregexp.MustCompile(`(?:^|/)\.envrc$`), lazyregexp.MustCompile(`(?i)\bdirenv\b`)},
	{lazyregexp.MustCompile(`(?:^|/)\.vscode/tasks\.json$`), lazyregexp.MustCompile(`(?i)\b(?:vs ?code|` +
		`visual studio code) tasks?\b`)},
}

// askedFor reports whether a request names a file, or what only files of its kind can do.
func askedFor(file, request string) bool {
	const telling = 8 // a shorter name may be a word
	if base := path.Base(file); strings.Contains(request, file) || len(base) >= telling && namedAlone(request, base) {
		return true
	}
	for _, k := range kinds {
		if k.file.MatchString(file) && k.words.MatchString(request) {
			return true
		}
	}
	return false
}

// namedAlone reports whether a text has a name that is no part of a longer one.
func namedAlone(said, name string) bool {
	inner := func(b byte) bool {
		return b == '_' || b == '-' || b == '/' || 'a' <= b|0x20 && b|0x20 <= 'z' || '0' <= b && b <= '9'
	}
	for at := 0; ; {
		i := strings.Index(said[at:], name)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(name)
		if (from == 0 || !inner(said[from-1]) && said[from-1] != '.') && (to == len(said) || !inner(said[to])) {
			return true
		}
		at = from + 1
	}
}

// usual are hosts of packages that need no look.
var usual = []string{"registry.npmjs.org", "registry.yarnpkg.com", "rubygems.org", "github.com", "codeload.github.com", "index.crates.io"}

// onInstall are the scripts of a package that run when it is installed.
var onInstall = []string{"preinstall", "install", "postinstall", "preprepare", "prepare", "postprepare", "prepublish",
	"pre-install-cmd", "post-install-cmd", "pre-update-cmd", "post-update-cmd", "pre-autoload-dump", "post-autoload-dump",
	"post-root-package-install", "post-create-project-cmd", "pre-command-run"}

// MustBeSeen says why a person must look at a changed file before it goes out: it runs unasked on a server or on
// the machine of whoever has the project, changes where packages come from or who is shown what, or cannot be read.
// It says nothing of other files, and of one that the request asks for only if its text is shown in another order than
// programs read it. had is nil for a new file, now for one that cannot be read because of its size.
func MustBeSeen(file, request string, now, had []byte, size int64) msg.Message {
	switch base := path.Base(file); {
	case bytes.Equal(now, had) && now != nil:
	case turns(now) > turns(had):
		return msg.New("pipeline.seen_turned", file)
	case askedFor(file, request):
	case size > MostCompared:
		return msg.New("pipeline.seen_too_large", file)
	case program.MatchString(file), isProgram(now):
		return msg.New("pipeline.seen_program", file)
	case testrun.OfServer(file):
		return msg.New("pipeline.seen_on_server", file)
	case owners.MatchString(file):
		return msg.New("pipeline.seen_reviewers", file)
	case opened.MatchString(file), clientFiles.MatchString(file):
		return msg.New("pipeline.seen_opened", file)
	case obeyed.MatchString(file):
		return msg.New("pipeline.seen_obeyed", file)
	case had == nil && built.MatchString(file):
		return msg.New("pipeline.seen_built", file)
	case sources.MatchString(file):
		return msg.New("pipeline.seen_sources", file)
	case base == "package.json", base == "composer.json":
		if runsMore(now, had) {
			return msg.New("pipeline.seen_installed", file)
		}
	case base == ".gitattributes":
		if len(unshown.FindAllString(string(now), -1)) > len(unshown.FindAllString(string(had), -1)) {
			return msg.New("pipeline.seen_hides", file)
		}
	case locks.MatchString(file):
		if host := newHost(now, had); host != "" {
			return msg.New("pipeline.seen_host", file, host)
		}
	}
	return msg.Message{}
}

// turns counts the signs by which a text is shown in another order than programs read it.
func turns(text []byte) (n int) {
	for _, r := range string(text) {
		if r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' {
			n++
		}
	}
	return n
}

// isProgram reports whether a content is that of an executable file.
func isProgram(text []byte) bool {
	return slices.ContainsFunc([]string{"\x7fELF", "MZ\x90", "\xfe\xed\xfa", "\xcf\xfa\xed\xfe", "\xce\xfa\xed\xfe", "\xca\xfe\xba\xbe", "\x00asm"},
		func(magic string) bool { return bytes.HasPrefix(text, []byte(magic)) })
}

// runsMore reports whether a package runs a command on its installation that it did not run before.
func runsMore(now, had []byte) bool {
	was := scripts(had)
	for name, command := range scripts(now) {
		if slices.Contains(onInstall, name) && string(was[name]) != string(command) {
			return true
		}
	}
	return false
}

func scripts(manifest []byte) map[string]json.RawMessage {
	var m struct {
		Scripts map[string]json.RawMessage `json:"scripts"`
	}
	_ = json.Unmarshal(manifest, &m) // what is no JSON is installed by nobody
	return m.Scripts
}

// newHost is a host that a lock file names and did not name before, "" if there is none.
func newHost(now, had []byte) string {
	known := slices.Clone(usual)
	for _, m := range downloads.FindAllStringSubmatch(string(had), -1) {
		known = append(known, strings.ToLower(m[1]))
	}
	for _, m := range downloads.FindAllStringSubmatch(string(now), -1) {
		if host := strings.ToLower(m[1]); !slices.Contains(known, host) {
			return host
		}
	}
	return ""
}
