"""C and C++, by clangd. It answers from an index that it builds of the sources listed in
compile_commands.json, which is written here: every source of the corpus, with
the flags that its row names. What it does not read is left out on both sides:
files that it finds errors in (they are for another system, or lack what a
build makes), the other branches of conditionals (it colours them as comments),
and the texts of macros, which it reads where they are expanded. Where a macro
only expands to a name, the name does not stand; that place is no reference.
Programs that define a function of the same name each are one to clangd: the folders
of examples are left out. Needs Debian's package clangd-14."""
import json
import os
import re
import shutil

import peers
from . import Corpus, Language, Target, lsp_kind

VERSION = "14"
INACTIVE = "comment"
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
}


class Clangd(peers.Server):
    expands = True  # names places where a macro makes the name

    def __init__(self, command, folder, files, flags, out):
        self.told, self.legend, self.faulty = {}, [], set()
        commands(folder, files, flags, out)
        super().__init__(command + ["--background-index", "--limit-references=0", "--compile-commands-dir=" + out, "-j=2", "--log=error"],
                         folder, env=dict(os.environ, XDG_CACHE_HOME=out))
        self.at(files[0], 1, 1)
        while not self.read:
            self.take()
        self.faulty = {p for p in files if p.endswith(SOURCES) and self.errors(p)}
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
        lines, macro = set(self.inactive(path)), False
        for i, line in enumerate(text, 1):
            macro = macro or DEFINE.match(line)
            if macro:
                lines.add(i)
                macro = line.rstrip().endswith("\\")
        return sorted(lines)

    def inactive(self, path):
        """The lines that it colours as comments."""
        told = self.ask("textDocument/semanticTokens/full", {"textDocument": self.at(path, 1, 1)["textDocument"]}) or {}
        data, line, lines = told.get("data", []), 0, set()
        for i in range(0, len(data), 5):
            line += data[i]
            if self.legend[data[i + 3]] == INACTIVE:
                lines.add(line + 1)
        return lines

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
        "cjson": at("DaveGamble/cJSON", "a29814f285cc531c00223743ad3c55cd38c0dc56", False, ("tests/*", "fuzzing/*", "test.c")),
        "zlib": at("madler/zlib", "d201f04c72b0881220f5ba75ca19fd0e19fa848b", False, ("contrib/*", "examples/*", "test/*")),
    }),
    Language("cpp", "clangd " + VERSION, (".h", ".hh", ".hpp", ".c", ".cc", ".cpp"), start, kind_of, Target(0.90, 0.85), {
        "leveldb": at("google/leveldb", "78a352f47ed6c1e9d750545e9b242289185b87e1", True),
        "tinyxml2": at("leethomason/tinyxml2", "3dcad8e3c38e7091ae3771bf63020027f91715ce", True),
        "jsoncpp": at("open-source-parsers/jsoncpp", "edc01ab10f52135ec80e3589b6b4e0a9c65b27fd", True),
        "pugixml": at("zeux/pugixml", "3a8e1dc59ec00645179f0dcb701ee400e062ae54", False, ("tests/fuzz*", "docs/*")),
        "ninja": at("ninja-build/ninja", "fc6bb98eee5a9710055cb9fe74375a6523831e28", False, ("src/*_test.cc", "src/third_party/*", "misc/*")),
    }),
]
