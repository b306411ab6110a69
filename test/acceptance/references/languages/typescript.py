"""TypeScript and JavaScript, by tsserver."""
import json
import os

import corpora
import peers
from . import Corpus, Language, Target

VERSION = "5.9.3"
SOURCES = ("src", "package.json", "LICENSE", "LICENSE.txt", "README.md")  # what was compiled from them would be found twice
KINDS = {"function": "function", "method": "method", "property": "field", "getter": "field", "setter": "field",
         "enum member": "field", "class": "type", "interface": "type", "type": "type", "enum": "type"}


def start(cache, folder, files):
    server = os.path.join(corpora.npm_tool(cache, "typescript", VERSION), "lib", "tsserver.js")
    return peers.Tsserver(["node", "--max-old-space-size=6000", server, "--disableAutomaticTypingAcquisition"], folder, files)


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
    """Plain JavaScript is looked at as if its types were checked, and without those of libraries."""
    options = {"allowJs": True, "checkJs": True, "target": "es2022", "module": "nodenext", "moduleResolution": "nodenext",
               "noEmit": True, "types": [], "skipLibCheck": True, "maxNodeModuleJsDepth": 0}
    with open(folder + "/jsconfig.json", "w") as f:
        json.dump({"compilerOptions": options, "exclude": ["node_modules"]}, f, indent=1)


def source(package, version, tuned):
    return Corpus("npm", package, version, tuned, keep=SOURCES, prepare=configure)


def script(package, version, tuned, drop=()):
    return Corpus("npm", package, version, tuned, drop=("*.min.js", "dist/*") + drop, prepare=allow)


LANGUAGES = [
    Language("typescript", "tsserver " + VERSION, (".ts", ".tsx", ".mts"), start, lambda k, parent: KINDS.get(k), Target(0.95, 0.95), {
        "rxjs": source("rxjs", "7.8.2", True),
        "zod": source("zod", "4.1.12", True),
        "mobx": source("mobx", "6.13.7", False),
        "table-core": source("@tanstack/table-core", "8.21.3", False),
        "immer": source("immer", "10.1.1", False),
        "query-core": source("@tanstack/query-core", "5.90.2", False),
        "toolkit": source("@reduxjs/toolkit", "2.9.0", True),
    }),
    Language("javascript", "tsserver " + VERSION, (".js", ".cjs", ".mjs", ".jsx"), start, lambda k, parent: KINDS.get(k),
             Target(0.0, 0.85, possible=True), word=r"#?(?:[^\W\d]|\$)(?:\w|\$)*", corpora={
                 "express": script("express", "5.1.0", True),
                 "winston": script("winston", "3.17.0", False),
                 "commander": script("commander", "14.0.0", True),
                 "semver": script("semver", "7.7.2", False),
                 "ws": script("ws", "8.18.3", False),
             }),
]
