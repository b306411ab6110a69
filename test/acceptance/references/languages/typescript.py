"""TypeScript and JavaScript, by tsserver. Of plain JavaScript it takes some things for two that are one, and of some
it does not know what they mean: class Scripts joins the former and tells the latter. It reads types in comments; a
place in a comment is no reference on either side."""
import functools
import json
import os
import re

import corpora
import peers
from . import Corpus, Language, Target

VERSION = "5.9.3"
SOURCES = ("src", "package.json", "LICENSE", "LICENSE.txt", "README.md")  # what was compiled from them would be found twice
WORD = r"#?(?:[^\W\d]|\$)(?:\w|\$)*"
KINDS = {"function": "function", "method": "method", "property": "field", "getter": "field", "setter": "field",
         "enum member": "field", "class": "type", "interface": "type", "type": "type", "enum": "type"}


EXPORTS, REQUIRES = re.compile(r"\bexports\s*=\s*\{[^{}]*$"), re.compile(r"[^{}]*\}\s*=\s*require\(")
VARIABLE = re.compile(r"(?:\b(?:const|let|var)\s+|\bexports\.)([\w$]+)\s*=\s*require\(\s*['\"]?$")
MADE = r"(?:(?:async\s+)?function\b\s*\*?|class\b)\s*"
GIVEN = re.compile(r"\bexports\.([\w$]+)\s*=(?:\s*exports(?:\.[\w$]+|\[[^\]]*\])\s*=)*\s*require\(\s*['\"]")
WHOLE = re.compile(r"\bmodule\.exports\s*=\s*([\w$]+)\s*(?:;|$)")
PUT = re.compile(r"(\bexports)?\.([\w$]+)\s*=\s*(%s)?$" % MADE)
COMMENT = re.compile(r"\s*(//|/?\*)")


def start(cache, folder, files):
    return serve(peers.Tsserver, cache, folder, files)


def serve(kind, cache, folder, files):
    server = os.path.join(corpora.npm_tool(cache, "typescript", VERSION), "lib", "tsserver.js")
    return kind(["node", "--max-old-space-size=6000", server, "--disableAutomaticTypingAcquisition"], folder, files)


class Scripts(peers.Tsserver):
    """tsserver for plain JavaScript."""

    def __init__(self, command, folder, files):
        super().__init__(command, folder, files)
        self.lines, self.takes = {}, None
        for path in files:
            with open(os.path.join(folder, path), encoding="utf-8", errors="replace", newline="") as f:
                self.lines[path] = f.read().split("\n")
        self.unread = {path: [n for n, line in enumerate(lines, 1) if COMMENT.match(line)] for path, lines in self.lines.items()}
        for path in corpora.run("git", "-C", folder, "ls-files", "*.ts", "*.tsx").split():  # beside it, not asked about
            with open(os.path.join(folder, path), encoding="utf-8", errors="replace") as f:
                self.unread[path] = list(range(1, f.read().count("\n") + 2))

    def taken(self):
        """{place of a definition: the places where another module takes it by its name}."""
        if self.takes is None:
            self.takes = {}
            for path, lines in self.lines.items():
                text = "\n".join(lines)
                for m in re.finditer(r"\b(?:const|let|var)\s+(?:(\w+)|\{([^{}]*)\})\s*=\s*require\((?:[^()]*\)\.([\w$]+))?", text):
                    named = [m.start(1)] if m.group(1) else [m.start(2) + n.start() for n in re.finditer(r"(?<![\w$:])[\w$]+(?!\s*=)", m.group(2))]
                    if m.group(1):
                        named += [n.start(1) for n in re.finditer(r"(?<![\w$.])%s\.([\w$]+)" % m.group(1), text)]
                    for at in named:
                        member = text[at - 1] == "."  # which may be what a third module exports as a whole
                        line = text.count("\n", 0, at) + 1
                        place = (path, line, at - text.rfind("\n", 0, at))
                        for d in self.definitions(*place):
                            if self.word(*d) == self.word(*place) or self.word(*d) == "exports" and member:
                                self.takes.setdefault(d, []).append(place)
                for m in GIVEN.finditer(text):  # exports.Name = require('./name')
                    line = text.count("\n", 0, m.start(1)) + 1
                    place = (path, line, m.start(1) - text.rfind("\n", 0, m.start(1)))
                    for d in self.whole(path, text, m.end()):
                        if self.word(*d) == m.group(1):
                            self.takes.setdefault(d, []).append(place)
        return self.takes

    def whole(self, path, text, offset):
        """What the module exports as a whole whose name stands in a text."""
        line = text.count("\n", 0, offset) + 1
        for d in self.ask("definition", file=path, line=line, offset=offset - text.rfind("\n", 0, offset)) or []:
            of = self.path(d["file"])
            for number, code in enumerate(self.lines.get(of, ()), 1):
                given = WHOLE.search(code)
                if given:
                    yield from self.definitions(of, number, given.start(1) + 1)

    def references(self, path, line, column):
        found, todo, done = set(), [(path, line, column)], set()
        while todo:
            at = todo.pop()
            if at in done:
                continue
            done.add(at)
            told = [(self.path(r["file"]), r["start"]["line"], r["start"]["offset"])
                    for r in (self.ask("references", file=at[0], line=at[1], offset=at[2]) or {}).get("refs", [])]
            for place in [at] + told:
                if place[0] not in self.lines:
                    continue
                taken = self.taken().get(place, ())
                found |= {place[:2], *(t[:2] for t in taken)}
                todo += taken
                todo += self.same(*place)
        return found

    def definitions(self, path, line, column):
        told = self.ask("definition", file=path, line=line, offset=column) or []
        places = [(self.path(d["file"]), d["start"]["line"], d["start"]["offset"]) for d in told]
        return [p for p in places if p[0] in self.lines]

    def leads(self, at, to):
        """Whether a name leads to a definition, or to the same member of another object that the same function
        returns: of returned objects alike in type tsserver keeps one."""
        return any(d == to or d != at and self.word(*d) == self.word(*to) and self.returned(*d) == self.returned(*to) != None
                   for d in self.definitions(*at))

    @functools.cache
    def returned(self, path, line, column):
        """The function whose returned object a name is a member of, as its path and first line, or None."""
        before, depth = "\n".join(self.lines[path][:line - 1] + [self.lines[path][line - 1][:column - 1]]), 0
        for i in range(len(before) - 1, -1, -1):
            depth += (before[i] in ")]}") - (before[i] in "([{")
            if depth < 0:
                break
        if depth >= 0 or not re.search(r"(?:\breturn|=>\s*\()\s*$", before[:i]):
            return None
        row, around = before.count("\n", 0, i) + 1, None
        todo = [self.ask("navtree", file=path)]
        while todo:
            s = todo.pop()
            todo += s.get("childItems") or []
            for span in s["spans"]:
                if "nameSpan" in s and span["start"]["line"] <= row <= span["end"]["line"] and s["kind"] != "property":
                    around = max(around or 0, span["start"]["line"])
        return around and (path, around)

    def word(self, path, line, column):
        return re.match(r"[\w$]*", self.lines[path][line - 1][column - 1:]).group()

    def same(self, path, line, column):
        """The places that stand for the same as a name, where tsserver takes them for other things: a name alone in
        what a module exports, or in what it takes from another, and a function with the name of what it is put on."""
        lines, name = self.lines[path], self.word(path, line, column)
        before = "\n".join(lines[max(0, line - 200):line - 1] + [lines[line - 1][:column - 1]])
        after = "\n".join([lines[line - 1][column - 1 + len(name):]] + lines[line:line + 200])

        def at(offset):  # in before
            row = before.count("\n", offset)
            return (path, line - row, offset - before.rfind("\n", 0, offset))
        if before.endswith(("require('", 'require("')) or not name:  # module.exports is what the variable is given
            found = VARIABLE.search(before)
            member = re.match(r"""[^'"]*['"]\s*\)\s*\.""", after)  # require('./a').b is no longer what the module exports
            return [at(found.start(1))] if found and not member else []
        defined = self.definitions(path, line, column)
        named = [(path, line, column)] + [d for d in defined if self.word(*d) == name]
        if re.match(r"\s*=\s*require\(", after):
            return named + [d for d in defined if self.word(*d) == "exports"]
        put = PUT.search(before)
        if put and (put.group(3) and put.group(2) in (name, "exports") or
                    put.group(1) and put.group(2) == name and re.match(r"\s*(?:$|[;,\n])", after)):
            return [at(put.start(2))]
        own = re.match(r"\s*=\s*%s(?=%s)" % (MADE, r"[\w$]" if name == "exports" else re.escape(name) + r"\b"), after)
        if own and lines[line - 1][:column - 1].endswith(".") and "\n" not in own.group():
            return [(path, line, column + len(name) + own.end())]
        if before.rstrip()[-1:] not in ("{", ",") or after.lstrip()[:1] not in ("}", ","):
            return []
        return named if EXPORTS.search(before) or REQUIRES.match(after) else []

    @functools.cache
    def knows(self, path, line, column):
        """False where tsserver cannot tell what a name means: after what is any, and in a parameter that is taken
        apart, f({a}), where it does not lead from the member that an argument has to the name."""
        told, defined = self.ask("quickinfo", file=path, line=line, offset=column) or {}, self.definitions(path, line, column)
        if told.get("kind") == "parameter" and self.opened(path, line, column) == "{":
            return bool(defined) and (path, line, column) not in defined
        if told.get("kind") == "property":  # whose type it knows, and not where it is from
            return bool(defined)
        return told.get("displayString") != "any" or bool(defined)

    def opened(self, path, line, column):
        """The bracket that is open where a name stands."""
        before, closed = "\n".join(self.lines[path][max(0, line - 50):line - 1] + [self.lines[path][line - 1][:column - 1]]), 0
        for c in reversed(before):
            closed += (c in ")]}") - (c in "([{")
            if closed < 0:
                return c
        return ""


def configure(folder, corpus):
    """A package from npm ships its sources but not how it compiles them. Its own name is its sources."""
    for inner, _, files in os.walk(folder):
        if "tsconfig.json" in files:
            os.remove(os.path.join(inner, "tsconfig.json"))
    options = {"strict": True, "target": "es2022", "module": "esnext", "moduleResolution": "bundler",
               "allowImportingTsExtensions": True, "noEmit": True, "types": [], "skipLibCheck": True,
               "paths": {corpus.package: ["./src/index.ts"], corpus.package + "/*": ["./src/*"]}}
    with open(folder + "/tsconfig.json", "w") as f:
        json.dump({"compilerOptions": options, "include": ["src"]}, f, indent=1)


def allow(folder, corpus):
    """Plain JavaScript is looked at as if its types were checked, and without those of libraries. Declarations (.d.ts)
    beside it are dropped: tsserver would read them instead of it."""
    options = {"allowJs": True, "checkJs": True, "target": "es2022", "module": "nodenext", "moduleResolution": "nodenext",
               "noEmit": True, "types": [], "skipLibCheck": True, "maxNodeModuleJsDepth": 0}
    with open(folder + "/jsconfig.json", "w") as f:
        json.dump({"compilerOptions": options, "exclude": ["node_modules"]}, f, indent=1)


def application(aliases=None):
    """What prepares a repository of several projects: one that holds them all, with the names they have for each other."""
    def prepare(folder, corpus):
        for inner, _, files in os.walk(folder):
            for f in files:
                if f.startswith("tsconfig"):
                    os.remove(os.path.join(inner, f))
        options = {"strict": True, "target": "es2022", "module": "esnext", "moduleResolution": "bundler", "jsx": "react-jsx",
                   "allowImportingTsExtensions": True, "noEmit": True, "types": [], "skipLibCheck": True, "paths": aliases or {}}
        with open(folder + "/tsconfig.json", "w") as f:
            json.dump({"compilerOptions": options, "exclude": ["node_modules"]}, f, indent=1)
    return prepare


def source(package, version, tuned):
    return Corpus("npm", package, version, tuned, keep=SOURCES, prepare=configure)


def script(package, version, tuned, drop=()):
    return Corpus("npm", package, version, tuned, drop=("*.min.js", "dist/*", "*.d.ts") + drop, prepare=allow)


def repository(name, commit, tuned, drop=()):
    return Corpus("git", name, commit, tuned, drop=("*.min.js", "dist/*", "*.d.ts", "*tsconfig*.json") + drop, prepare=allow)


LANGUAGES = [
    Language("typescript", "tsserver " + VERSION, (".ts", ".tsx", ".mts"), start, lambda k, parent: KINDS.get(k), Target(0.95, 0.95), word=WORD, corpora={
        "rxjs": source("rxjs", "7.8.2", True),
        "zod": source("zod", "4.1.12", True),
        "mobx": source("mobx", "6.13.7", True),
        "table-core": source("@tanstack/table-core", "8.21.3", False),
        "immer": source("immer", "10.1.1", True),
        "query-core": source("@tanstack/query-core", "5.90.2", True),
        "form-core": source("@tanstack/form-core", "4.0.2", False),
        "toolkit": source("@reduxjs/toolkit", "2.9.0", True),
        "superstruct": Corpus("git", "ianstormtaylor/superstruct", "e414c8afd3b69f6bc0173b8ee25f71d8e5694f01", False, keep=SOURCES, prepare=configure),
        "trpc-server": source("@trpc/server", "11.6.0", False),
        "h3": Corpus("git", "h3js/h3", "1892ee9cae06533c7db72a5213bceda61cc1d58d", False, keep=SOURCES, prepare=configure),
        "valibot": Corpus("git", "open-circle/valibot", "7237d90891d0a17cda37a2e054fc5ba8036c62cf", True, keep=("library", "LICENSE.md")),
        "ky": Corpus("git", "sindresorhus/ky", "3419113b48e034fdcf8fa6bd3be3da7b3d0d758f", False, keep=("source", "package.json", "license")),
        "virtual-core": source("@tanstack/virtual-core", "3.13.12", False),
        "xterm": Corpus("npm", "@xterm/xterm", "5.5.0", True, keep=("src", "typings", "package.json"),
                        prepare=application({"common/*": ["./src/common/*"], "browser/*": ["./src/browser/*"], "xterm": ["./typings/xterm.d.ts"]})),
        "bulletproof-react": Corpus("git", "alan2207/bulletproof-react", "9506629ed003a561c6627735480cce4994244bb4", True, keep=("apps",)),
        "lerna-lite": Corpus("git", "lerna-lite/lerna-lite", "c57edde5027be20dbdb702472bf850efd39b34f0", True,
                             keep=("packages", "helpers", "package.json"), prepare=application({"@lerna-lite/*": ["./packages/*/src/index.ts"],
                                          "@lerna-test/helpers": ["./helpers/index.ts"], "@lerna-test/helpers/*": ["./helpers/*"]})),
        "kysely": Corpus("git", "kysely-org/kysely", "478ec67b2de2568f5590a015d3e120644e81bd87", True, keep=("src", "package.json", "LICENSE"), prepare=configure),
        "ts-pattern": Corpus("git", "gvergnaud/ts-pattern", "2ece6ba54edcbc0d4f4fce67becf89143f9d07bc", True,
                             keep=("src", "package.json", "LICENSE", "tests"), prepare=application({"ts-pattern": ["./src/index.ts"]})),
        "umami": Corpus("git", "umami-software/umami", "c0ea3aefbee7a3429ee2f824b06dc4a9dbe0b7e1", True,
                        keep=("src", "package.json", "LICENSE"), prepare=application({"@/*": ["./src/*"]})),
        "class-validator": Corpus("git", "typestack/class-validator", "0853341cc36f53d54e5afb50800c3a4b169abd73", False, keep=SOURCES, prepare=configure),
    }),
    Language("javascript", "tsserver " + VERSION, (".js", ".cjs", ".mjs", ".jsx"), lambda *of: serve(Scripts, *of), lambda k, parent: KINDS.get(k),
             Target(0.0, 0.85, possible=True), word=WORD, corpora={
                 "express": script("express", "5.1.0", True),
                 "winston": script("winston", "3.17.0", True),
                 "commander": script("commander", "14.0.0", True),
                 "pino": script("pino", "10.4.0", True, ("benchmarks/*", "examples/*", "docs/*")),
                 "chai": repository("chaijs/chai", "099f48a326f0d77a0e4e9a34d7050b4217dd62d1", False),
                 "multer": repository("expressjs/multer", "0adb21d0294fe7315344feb6ddee00b0666d9e8a", True),
                 "semver": script("semver", "7.7.2", True),
                 "ws": script("ws", "8.18.3", True),
                 "postcss": script("postcss", "8.5.6", False),
                 "execa": script("execa", "9.6.0", True),
                 "mocha": script("mocha", "11.7.4", False, ("mocha*.js", "browser-entry.js")),
                 "fastify": script("fastify", "5.6.1", True, ("*.ts", "build/*", "lib/configValidator.js", "lib/error-serializer.js")),
                 "chartjs": repository("chartjs/Chart.js", "cb02e1d207bd4c4c40b20c259017f85f26f1e30a", True, ("docs/*", "test/fixtures/*")),
                 "nodemailer": script("nodemailer", "7.0.6", False),
                 "http-server": repository("http-party/http-server", "741ae2b482e283c96fd87e1744af06e7de9852ab", False),
                 "koa": repository("koajs/koa", "e0ba8ef39d27fe5dae5492f9fe753d155124f994", True),
                 "ejs": repository("mde/ejs", "2c41365ca042a70978e5795adc05fbb8b35fb013", True),
                 "knex": script("knex", "3.1.0", False),
                 "handlebars": script("handlebars", "4.7.8", True),
                 "markdown-it": script("markdown-it", "14.1.0", True, ("test/*",)),
             }),
]
