"""Python, by pyright."""
import os

import corpora
import peers
from . import CONSTANT, VARIABLE, Corpus, Language, Target, lsp_kind

VERSION = "1.1.414"


class Pyright(peers.Server):
    ID = "python"
    LOCAL = ("(variable)", "(parameter)", "(constant)")


def start(cache, folder, files):
    server = os.path.join(corpora.npm_tool(cache, "pyright", VERSION), "langserver.index.js")
    return Pyright(["node", server, "--stdio"], folder)


def kind_of(kind, parent):
    return lsp_kind(kind, parent, (VARIABLE, CONSTANT))


LANGUAGES = [Language("python", "pyright " + VERSION, (".py", ".pyi"), start, kind_of, Target(0.95, 0.95), {
    "click": Corpus("pypi", "click", "8.3.1", True),
    "flask": Corpus("pypi", "flask", "3.1.2", True),
    "rich": Corpus("pypi", "rich", "14.2.0", False),
    "httpx": Corpus("pypi", "httpx", "0.28.1", True),
    "bottle": Corpus("pypi", "bottle", "0.13.4", False),
    "werkzeug": Corpus("pypi", "werkzeug", "3.1.3", False),
    "marshmallow": Corpus("pypi", "marshmallow", "4.0.1", False),
})]
