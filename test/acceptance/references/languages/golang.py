"""Go, by gopls. What it does not read is left out on both sides: files for other systems, and
modules and folders beside the module."""
import json
import os
import subprocess

import corpora
import peers
from . import Corpus, Language, Target, lsp_kind

VERSION = "v0.20.0"


class Gopls(peers.Server):
    ID = "go"
    LOCAL = ("var ",)

    def references(self, path, line, column):
        """With the fields of generic types that other packages name, which it knows by their definition alone
        (golang/go#75096)."""
        found = super().references(path, line, column)
        if self.hover(path, line, column).startswith("field "):
            found |= {p[:2] for p in self.named(self.word(path, line, column)) if self.definition(*p) == (path, line, column)}
        return found


def start(cache, folder, files):
    tool = Gopls([corpora.go_tool(cache, "golang.org/x/tools/gopls", VERSION), "serve"], folder)
    tool.files, tool.unread = files, passed_over(folder, files)
    return tool


def passed_over(folder, files):
    """{path: lines} of the files that no package holds."""
    done = subprocess.run(["go", "list", "-e", "-json=Dir,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles", "./..."], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    read, rest, decoder = set(), done.stdout.lstrip(), json.JSONDecoder()
    while rest:
        package, end = decoder.raw_decode(rest)
        rest = rest[end:].lstrip()
        inner = os.path.relpath(package["Dir"], os.path.realpath(folder))
        for kind in ("GoFiles", "CgoFiles", "TestGoFiles", "XTestGoFiles"):
            read.update(os.path.normpath(os.path.join(inner, f)) for f in package.get(kind) or ())
    unread = {}
    for path in files:
        if path not in read:
            with open(os.path.join(folder, path), encoding="utf-8", errors="replace") as f:
                unread[path] = list(range(1, f.read().count("\n") + 2))
    return unread


LANGUAGES = [Language("go", "gopls " + VERSION, (".go",), start, lsp_kind, Target(0.95, 0.95, corpora=3), {
    "go-sdk": Corpus("go", "github.com/modelcontextprotocol/go-sdk", "v1.8.0", True),
    "cobra": Corpus("go", "github.com/spf13/cobra", "v1.10.2", False),
    "go-internal": Corpus("go", "github.com/rogpeppe/go-internal", "v1.16.0", False),
    "afero": Corpus("go", "github.com/spf13/afero", "v1.14.0", True),
    "toml": Corpus("go", "github.com/BurntSushi/toml", "v1.5.0", True),
    "chi": Corpus("go", "github.com/go-chi/chi/v5", "v5.2.1", False),
    "lo": Corpus("go", "github.com/samber/lo", "v1.52.0", True),
    "yaml": Corpus("go", "go.yaml.in/yaml/v3", "v3.0.4", False),
    "kong": Corpus("go", "github.com/alecthomas/kong", "v1.12.1", False),
    "node_exporter": Corpus("go", "github.com/prometheus/node_exporter", "v1.12.1", False),
    "otter": Corpus("go", "github.com/maypok86/otter/v2", "v2.4.0", False),
    "raft": Corpus("go", "github.com/hashicorp/raft", "v1.7.3", False),
    "gorilla-mux": Corpus("go", "github.com/gorilla/mux", "v1.8.1", False),
    "btree": Corpus("go", "github.com/tidwall/btree", "v1.7.0", False),
    "websocket": Corpus("go", "github.com/gorilla/websocket", "v1.5.3", False),
    "zap": Corpus("go", "go.uber.org/zap", "v1.27.0", False),
    "go-toml": Corpus("go", "github.com/pelletier/go-toml/v2", "v2.2.3", False),
})]
