package syntax

import (
	"bytes"
	"path"
	"strings"

	"codeintel/internal/syntax/outline"
)

// byExtension names the language by the last part of a file name, in lower
// case and without the dot.
var byExtension = map[string]Language{
	"bash": Bash, "bats": Bash, "ebuild": Bash, "ksh": Bash, "sh": Bash, "zsh": Bash,
	"c": C, "h": C,
	"cc": CPP, "cpp": CPP, "cxx": CPP, "c++": CPP, "hh": CPP, "hpp": CPP, "hxx": CPP, "h++": CPP,
	"inl": CPP, "ipp": CPP, "ixx": CPP, "cppm": CPP, "tcc": CPP, "tpp": CPP, "cu": CPP, "cuh": CPP,
	"cs": CSharp, "csx": CSharp,
	"css": CSS, "pcss": CSS, "postcss": CSS,
	"scss": SCSS, "less": SCSS,
	"svelte": Svelte,
	"ex":     Elixir, "exs": Elixir,
	"hs": Haskell, "hs-boot": Haskell,
	"kt": Kotlin, "kts": Kotlin,
	"lua": Lua, "luau": Lua, "rockspec": Lua,
	"scala": Scala, "sc": Scala, "sbt": Scala,
	"sql": SQL, "ddl": SQL, "dml": SQL, "pgsql": SQL, "psql": SQL,
	"swift": Swift,
	"zig":   Zig, "zon": Zig,
	"go":   Go,
	"html": HTML, "htm": HTML, "xhtml": HTML,
	"java": Java,
	"js":   JavaScript, "jsx": JavaScript, "mjs": JavaScript, "cjs": JavaScript, "es6": JavaScript,
	"json": JSON, "jsonc": JSON, "json5": JSON, "geojson": JSON, "webmanifest": JSON, "code-workspace": JSON,
	"md": Markdown, "markdown": Markdown, "mdx": Markdown, "mdc": Markdown, "mkd": Markdown,
	"php": PHP, "phtml": PHP, "php3": PHP, "php4": PHP, "php5": PHP, "php7": PHP, "inc": PHP,
	"py": Python, "pyi": Python, "pyw": Python, "pyx": Python,
	"rb": Ruby, "rake": Ruby, "gemspec": Ruby, "ru": Ruby, "podspec": Ruby, "jbuilder": Ruby,
	"rs": Rust,
	"ts": TypeScript, "mts": TypeScript, "cts": TypeScript,
	"tsx":  TSX,
	"vue":  Vue,
	"yaml": YAML, "yml": YAML,
}

// byName names the language of files whose whole name says it.
var byName = map[string]Language{
	".babelrc": JSON, ".eslintrc": JSON, ".prettierrc": JSON, "composer.lock": JSON, "Pipfile.lock": JSON,
	".bash_profile": Bash, ".bashrc": Bash, ".profile": Bash, ".zshrc": Bash, "PKGBUILD": Bash, "APKBUILD": Bash,
	".clang-format": YAML, ".clang-tidy": YAML,
	"Brewfile": Ruby, "Capfile": Ruby, "Gemfile": Ruby, "Guardfile": Ruby, "Podfile": Ruby,
	"Rakefile": Ruby, "Vagrantfile": Ruby, "Fastfile": Ruby, "Dangerfile": Ruby,
	".luacheckrc": Lua, ".luacov": Lua,
	"SConstruct": Python, "SConscript": Python, "wscript": Python,
}

// byInterpreter names the language of a script by the program that runs it.
var byInterpreter = map[string]Language{
	"ash": Bash, "bash": Bash, "dash": Bash, "ksh": Bash, "sh": Bash, "zsh": Bash,
	"node": JavaScript, "nodejs": JavaScript, "bun": TypeScript, "deno": TypeScript, "ts-node": TypeScript, "tsx": TypeScript,
	"lua": Lua, "luajit": Lua, "scala": Scala, "scala-cli": Scala, "amm": Scala, "swift": Swift,
	"php": PHP, "python": Python, "pypy": Python, "ruby": Ruby, "jruby": Ruby, "rust-script": Rust,
}

// How many bytes of a text are looked at: of most kinds, and of headers of C and
// C++, which begin with a licence longer than the others' heads.
const (
	headBytes   = 512
	headerBytes = 16 << 10
)

// Detect names the language of a file by its name and, where the name says
// nothing or too little, by the beginning of its text. It returns Unknown for
// any other. The path may be of any form that uses slashes; text may be nil.
func Detect(file string, text []byte) Language {
	head := text[:min(len(text), headBytes)]
	name := path.Base(file)
	if lang, ok := byName[name]; ok {
		return lang
	}
	if lang, ok := outline.ByName[name]; ok {
		return lang
	}
	if stem, _, _ := strings.Cut(name, "."); stem == "Dockerfile" || stem == "Makefile" || stem == "Jenkinsfile" {
		return outline.ByName[stem]
	}
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		ext := strings.ToLower(name[dot+1:])
		if strings.HasSuffix(strings.ToLower(name), ".blade.php") {
			return Blade
		}
		switch ext {
		case "h":
			return header(text[:min(len(text), headerBytes)])
		case "inc":
			if !bytes.Contains(head, []byte("<?php")) {
				return Unknown
			}
		case "ts":
			if isXML(head) { // Qt's translations
				return Unknown
			}
		}
		if lang, ok := byExtension[ext]; ok {
			return lang
		}
		if lang, ok := outline.ByExtension[ext]; ok {
			return shared(ext, lang, head)
		}
	}
	return shebang(head)
}

// header tells C++ headers from those of C by lines that C does not have.
func header(text []byte) Language {
	inComment := false
	for line := range bytes.Lines(text) {
		line, inComment = withoutComments(line, inComment)
		line = bytes.TrimSpace(line)
		for _, word := range cppOnly {
			if bytes.HasPrefix(line, word) {
				return CPP
			}
		}
		if bytes.Contains(line, []byte("std::")) {
			return CPP
		}
	}
	return C
}

// cppOnly are beginnings of lines.
var cppOnly = [][]byte{
	[]byte("class "), []byte("namespace "), []byte("inline namespace "), []byte("template "), []byte("template<"), []byte("using "),
	[]byte("enum class "), []byte("public:"), []byte("private:"), []byte("protected:"), []byte(`extern "C++"`),
}

// withoutComments takes the comments out of a line of C, of which the first may
// have begun before it, and says whether the last goes on behind it.
func withoutComments(line []byte, inComment bool) (code []byte, goesOn bool) {
	if !inComment && bytes.IndexByte(line, '/') < 0 {
		return line, false
	}
	for len(line) > 0 {
		if inComment {
			_, rest, ends := bytes.Cut(line, []byte("*/"))
			if !ends {
				return code, true
			}
			line, inComment = rest, false
			continue
		}
		i := bytes.IndexByte(line, '/')
		if i < 0 || i+1 == len(line) || line[i+1] == '/' {
			if i >= 0 && i+1 < len(line) {
				line = line[:i]
			}
			return append(code, line...), false
		}
		inComment = line[i+1] == '*'
		code = append(code, line[:i]...)
		line = line[i+2:]
	}
	return code, inComment
}

func isXML(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(head, "\xef\xbb\xbf \t\r\n"), []byte("<?xml"))
}

// shebang names the language of a script by its first line.
func shebang(head []byte) Language {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	line, ok := bytes.CutPrefix(head, []byte("#!"))
	if !ok {
		if bytes.HasPrefix(head, []byte("<?php")) {
			return PHP
		}
		return Unknown
	}
	line, _, _ = bytes.Cut(line, []byte("\n"))
	words := strings.Fields(string(line))
	for i, word := range words {
		program := path.Base(word)
		if i > 0 && (strings.HasPrefix(word, "-") || strings.Contains(word, "=")) {
			continue // an option or a variable for env
		}
		if program == "env" && i == 0 {
			continue
		}
		if lang, ok := byInterpreter[program]; ok {
			return lang
		}
		bare := strings.TrimRight(program, "0123456789.") // python3.12
		if lang, ok := byInterpreter[bare]; ok {
			return lang
		}
		return outline.ByProgram[bare]
	}
	return Unknown
}

// shared tells apart the languages that share a suffix, by what stands in one of
// them only. Without a head it is the one that has more files in the world.
func shared(ext string, lang Language, head []byte) Language {
	has := func(words ...string) bool {
		for _, word := range words {
			if bytes.Contains(head, []byte(word)) {
				return true
			}
		}
		return false
	}
	switch ext {
	case "m":
		if len(head) > 0 && !has("#import", "#include", "@interface", "@implementation", "@protocol", "@import", "//", "/*") && has("function", "%", "end") {
			return "matlab"
		}
	case "pl":
		if has(":-") && !has("use strict", "#!", "my ") {
			return "prolog"
		}
	case "pro":
		if !has(":-") {
			return Unknown // a project of Qt
		}
	case "v":
		if has("fn ", "import ") && !has("endmodule", "input", "wire") {
			return "vlang"
		}
	case "pp":
		if has("program ", "unit ", "begin") && has(";") {
			return "pascal"
		}
	case "cls":
		if !has("\\") {
			return Unknown // of other languages
		}
	case "d":
		if has(".o:", ".o :") {
			return Unknown // what a compiler found to depend on what
		}
	case "cl":
		if has("__kernel", "#include", "//") {
			return C
		}
	}
	return lang
}
