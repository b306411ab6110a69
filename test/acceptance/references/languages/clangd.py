"""C and C++, by clangd. It answers from an index that it builds of the sources listed in
compile_commands.json, which is written here: every source of the corpus, with
the flags that its row names. What it does not read is left out on both sides:
files that it finds errors in (they are for another system, lack what a build
makes, or are headers that cannot be read by themselves), the other branches of
conditionals (it colours them as comments), the texts of macros, which it reads
where they are expanded, and lines on which a macro does away with a name that
it is given, as assertions do that are switched off (it does not colour that
name, though it colours the macro before it). Where a macro
only expands to a name, the name does not stand; that place is no reference.
Programs that define a function of the same name each are one to clangd: the folders
of examples are left out. Needs Debian's package clangd-14."""
import json
import os
import re
import shutil
import sys

import peers
from . import Corpus, Language, Target, lsp_kind

VERSION = "14"
INACTIVE, MACRO = "comment", "macro"
NAME = re.compile(r"[A-Za-z_]\w*")
DEFINE = re.compile(r"\s*#\s*define\b")
SOURCES = (".c", ".cc", ".cpp", ".cxx")


# What a compiler is told: where headers lie, and what a build would find out.
FLAGS = {
    "leveldb": ["-I.", "-Iinclude", "-DLEVELDB_PLATFORM_POSIX=1", "-DLEVELDB_IS_BIG_ENDIAN=0"],
    "tinyxml2": ["-I.", "-DTINYXML2_DEBUG"],
    "jsoncpp": ["-Iinclude", "-Isrc/lib_json"],
    "jq": ["-Isrc", "-Ivendor", "-D_GNU_SOURCE", "-DIEEE_8087=1", "-DHAVE_ISATTY=1", "-DUSE_DECNUM=1"],
    "hiredis": ["-I."],
    "lua": ["-I.", "-DLUA_USE_LINUX"],
    "cjson": ["-I."],
    "zlib": ["-I.", "-DHAVE_UNISTD_H", "-D_LARGEFILE64_SOURCE=1"],
    "pugixml": ["-Isrc"],
    "ninja": ["-Isrc"],
    "libyaml": ["-Iinclude", "-Isrc", "-DYAML_VERSION_MAJOR=0", "-DYAML_VERSION_MINOR=2", "-DYAML_VERSION_PATCH=5",
                '-DYAML_VERSION_STRING="0.2.5"'],
    "lz4": ["-Ilib", "-Iprograms"],
    "wren": ["-Isrc/include", "-Isrc/vm", "-Isrc/optional"],
    "libuv": ["-Iinclude", "-Isrc", "-D_GNU_SOURCE", "-D_FILE_OFFSET_BITS=64", "-D_LARGEFILE_SOURCE"],
    "janet": ["-Isrc/include", "-Isrc/conf"],
    "cli11": ["-Iinclude"],
    "yaml-cpp": ["-Iinclude", "-Isrc"],
    "libsass": ["-Iinclude", "-Isrc", '-DLIBSASS_VERSION="3"'],
    "spdlog": ["-Iinclude", "-DSPDLOG_COMPILED_LIB"],
    "muparser": ["-Iinclude"],
    "box2d": ["-Iinclude", "-Isrc", "-Iextern/sajson"],
    "benchmark": ["-Iinclude", "-Isrc", "-DHAVE_STD_REGEX", "-DBENCHMARK_STATIC_DEFINE", '-DBENCHMARK_VERSION="1"'],
}


class Clangd(peers.Server):
    expands = True  # names places where a macro makes the name

    def __init__(self, command, folder, files, flags, out):
        self.told, self.legend, self.faulty, self.means, self.told_of = {}, [], set(), {}, {}
        commands(folder, files, flags, out)
        super().__init__(command + ["--background-index", "--limit-references=0", "--compile-commands-dir=" + out, "-j=2", "--log=error"],
                         folder, env=dict(os.environ, XDG_CACHE_HOME=out))
        self.at(files[0], 1, 1)
        while not self.read:
            self.take()
        self.faulty = {p for p in files if self.errors(p)}
        print("with errors, and left out: " + (" ".join(sorted(self.faulty)) or "none"), file=sys.stderr)
        self.unread = {p: self.passed_over(p) for p in files}

    def ask(self, method, params):
        result = super().ask(method, params)
        if method == "initialize":
            self.legend = result["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"]
        return result

    def take(self):
        m = super().take()
        if m.get("method") == "textDocument/publishDiagnostics":
            self.told[m["params"]["uri"]] = any(d.get("severity") == 1 for d in m["params"]["diagnostics"])
        return m

    def at(self, path, line, column):
        self.ID = "c" if path.endswith(".c") else "cpp"
        return super().at(path, line, column)

    def errors(self, path):
        """Whether clangd finds errors in a source."""
        uri = self.at(path, 1, 1)["textDocument"]["uri"]
        while uri not in self.told:
            self.take()
        return self.told[uri]

    def passed_over(self, path):
        """The lines of a file that clangd does not read."""
        with open(os.path.join(self.root, path), encoding="utf-8", errors="replace") as f:
            text = f.read().split("\n")
        if path in self.faulty:
            return list(range(1, len(text) + 1))
        tokens = self.tokens(path)
        lines, macro = {line for line, _, kind in tokens if kind == INACTIVE} | unexpanded(text, tokens), False
        for i, line in enumerate(text, 1):
            macro = macro or DEFINE.match(line)
            if macro:
                lines.add(i)
                macro = line.rstrip().endswith("\\")
        return sorted(lines)

    def tokens(self, path):
        """[(line, column, kind)] of what it colours."""
        told = self.ask("textDocument/semanticTokens/full", {"textDocument": self.at(path, 1, 1)["textDocument"]}) or {}
        data, line, column, found = told.get("data", []), 0, 0, []
        for i in range(0, len(data), 5):
            column = data[i + 1] + (0 if data[i] else column)
            line += data[i]
            found.append((line + 1, column + 1, self.legend[data[i + 3]]))
        return found

    def leads(self, at, to):
        """Whether clangd takes what two names mean for the same symbol. Its index, which it lists references from, keeps
        no name that hangs on what a template is given; looked at by itself, such a name often has a meaning to it."""
        return bool(self.meaning(at) & self.meaning(to))

    def knows(self, path, line, column):
        """False where clangd sees a name and cannot tell what it means: it hangs on what a template is given."""
        return self.told_of.get((path, line, column), True)

    def meaning(self, place):
        """The symbols that a name at a place may mean to it, if it was looked at."""
        return self.means.get(place, set())

    def look(self, words):
        """Asks what each name of these means, wherever it stands: file by file, because clangd keeps few of them read."""
        for path in sorted(self.unread):
            with open(os.path.join(self.root, path), encoding="utf-8", errors="replace", newline="") as f:
                lines = f.read().split("\n")
            left = set(self.unread[path])
            for line, column, kind in self.tokens(path) if path not in self.faulty else ():
                word = NAME.match(lines[line - 1], column - 1)
                if line not in left and kind != INACTIVE and word and word.group() in words:
                    told = self.ask("textDocument/symbolInfo", self.at(path, line, column))
                    self.told_of[path, line, column] = bool(told)  # of a typedef also what it stands for, by another name
                    self.means[path, line, column] = {s["id"] for s in told or () if s["name"] == word.group()}

    def symbols(self, path):
        """Operators, destructors and what macros make have no name there that one could ask for."""
        if path in self.faulty:
            return []
        with open(os.path.join(self.root, path), encoding="utf-8", errors="replace", newline="") as f:
            lines = f.read().split("\n")

        def stands(s):
            name = s[0].rsplit("::", 1)[-1]
            return name[:1].isidentifier() and not name.startswith("operator") and lines[s[2] - 1][s[3] - 1:].startswith(name)
        return [s for s in super().symbols(path) if stands(s)]

    def is_local(self, path, line, column):
        shown = self.ask("textDocument/hover", self.at(path, line, column))
        text = (shown or {}).get("contents", {}).get("value", "")
        return text.startswith(("variable ", "param ")) and "// In namespace" not in text


# What stands in a call and is no name: texts, comments, numbers; then names and brackets.
PARTS = re.compile(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'|//.*|/\*.*?\*/|\d[\w.]*|[A-Za-z_]\w*|[()]')
KEYWORDS = set("sizeof int char long short unsigned signed float double void const struct union enum static_cast const_cast"
               " reinterpret_cast dynamic_cast true false nullptr this new delete bool auto if else return do while for".split())


def unexpanded(text, tokens):
    """The lines with a name among the arguments of a macro that is not coloured: the macro does away with it."""
    coloured, lines = {(line, column) for line, column, _ in tokens}, set()
    for line, column, kind in tokens:
        if kind != MACRO:
            continue
        depth, first = 0, True
        for i in range(line, min(line + 40, len(text) + 1)):
            start = column - 1 if i == line else 0
            for part in PARTS.finditer(text[i - 1], start):
                word = part.group()
                if first:  # the macro itself
                    first = False
                elif word == "(":
                    depth += 1
                elif word == ")":
                    depth -= 1
                elif depth == 0:
                    break
                elif word[0].isidentifier() and word not in KEYWORDS and (i, part.start() + 1) not in coloured:
                    lines.add(i)
                if not first and depth == 0 and word == ")":
                    break
            else:
                if depth:
                    continue
            break
    return lines


def commands(folder, files, flags, out):
    """Writes compile_commands.json for the sources among files."""
    rows = []
    for path in files:
        if path.endswith(SOURCES):
            tool = ["cc"] if path.endswith(".c") else ["c++", "-std=c++17"]
            rows.append({"directory": os.path.realpath(folder), "file": path, "arguments": tool + flags + ["-c", path]})
    os.makedirs(out, exist_ok=True)
    with open(os.path.join(out, "compile_commands.json"), "w") as f:
        json.dump(rows, f)


def start(cache, folder, files):
    program = shutil.which("clangd-" + VERSION)
    if not program:
        raise SystemExit("clangd-%s is not installed" % VERSION)
    flags = FLAGS[os.path.basename(folder).rsplit("-", 1)[0]]
    return Clangd([program], folder, files, flags, folder + ".clangd")


def kind_of(kind, parent):
    return lsp_kind(kind, parent)


def at(repository, commit, tuned, drop=()):
    return Corpus("git", repository, commit, tuned, drop=drop)


LANGUAGES = [
    Language("c", "clangd " + VERSION, (".c", ".h"), start, kind_of, Target(0.90, 0.85), {
        "jq": at("jqlang/jq", "579e6f76cffd7643ba4002a2c3618a5ea710589a", True),
        "hiredis": at("redis/hiredis", "29ea2791c102fdffff350f1ea6e04d1f71903d0d", True, ("examples/*", "adapters/*")),
        "lua": at("lua/lua", "53b41d0cddd80bf33fdc631bdd32e3ba53842b89", True),
        "cjson": at("DaveGamble/cJSON", "a29814f285cc531c00223743ad3c55cd38c0dc56", True, ("tests/*", "fuzzing/*", "test.c")),
        "zlib": at("madler/zlib", "d201f04c72b0881220f5ba75ca19fd0e19fa848b", True, ("contrib/*", "examples/*", "test/*")),
        # Controls, of three schools: a parser with many macros, compression for many compilers, an interpreter. What is wrong in them was never looked at.
        "libyaml": at("yaml/libyaml", "840b65c40675e2d06bf40405ad3f12dec7f35923", False, ("tests/*",)),
        "lz4": at("lz4/lz4", "d9c01a3d49114dc28e2dfbbc0a8990e88be7b694", False, ("tests/*", "examples/*", "ossfuzz/*")),
        "wren": at("wren-lang/wren", "77aeb12ab8cff432dcc0e0c511d0f30366650f15", True, ("test/*", "example/*", "try/*")),
        "libuv": at("libuv/libuv", "6179e7af87413396d5853a1c3722c8b5749336c8", False, ("test/*", "docs/*", "src/win/*", "include/uv/win.h")),
        "janet": at("janet-lang/janet", "284990a04303a40e6ce42cf33e049d23873b5535", True, ("test/*", "examples/*", "tools/*")),
    }),
    Language("cpp", "clangd " + VERSION, (".h", ".hh", ".hpp", ".c", ".cc", ".cpp"), start, kind_of, Target(0.90, 0.85), {
        "leveldb": at("google/leveldb", "78a352f47ed6c1e9d750545e9b242289185b87e1", True),
        "tinyxml2": at("leethomason/tinyxml2", "3dcad8e3c38e7091ae3771bf63020027f91715ce", True),
        "jsoncpp": at("open-source-parsers/jsoncpp", "edc01ab10f52135ec80e3589b6b4e0a9c65b27fd", True),
        "pugixml": at("zeux/pugixml", "3a8e1dc59ec00645179f0dcb701ee400e062ae54", True, ("tests/fuzz*", "docs/*")),
        "ninja": at("ninja-build/ninja", "fc6bb98eee5a9710055cb9fe74375a6523831e28", False, ("src/*_test.cc", "src/third_party/*", "misc/*")),
        "cli11": at("CLIUtils/CLI11", "c1cfe00d2f3d862aecfe6e69ec810414d5f4c906", True, ("tests/*", "fuzz/*", "book/*", "src/*", "examples/[d-z]*")),
        "spdlog": at("gabime/spdlog", "62302019babd8fdf63c1c6dc4c9faa48d441a7f0", True, ("tests/*", "bench/*", "example/*")),
        # A control, as ninja is: what is wrong in it was never looked at.
        "benchmark": at("google/benchmark", "267a11154f14269384879dc7f6b8d25acb3684db", False, ("test/*", "bindings/*")),
        "muparser": at("beltoforion/muparser", "508cce97d983c4c61099ceacc11c984a60053967", True),
        "yaml-cpp": at("jbeder/yaml-cpp", "c3f81127320662deb3e28f4da0a511f1faecd860", True, ("test/*", "util/*")),
        # What is wrong in it was looked at after its figures were taken, and nothing was changed for it.
        "box2d": at("erincatto/box2d", "9ebbbcd960ad424e03e5de6e66a40764c16f51bc", False, ("testbed/*", "extern/*", "unit-test/doctest.h")),
        "libsass": at("sass/libsass", "9bb4ebcc1484dd2f3a94a0e735464993ecbae986", True, ("test/*", "docs/*", "contrib/*")),
    }),
]
