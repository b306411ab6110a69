"""Python, by pyright. It knows nothing of pytest's fixtures: neither they nor the parameters that receive them are asked
for, and where it has nothing to say of a name, as on what a fixture gives, the place counts for neither side."""
import os
import re

import corpora
import peers
from . import CONSTANT, VARIABLE, Corpus, Language, Target, lsp_kind

VERSION = "1.1.414"


class Pyright(peers.Server):
    ID = "python"
    LOCAL = ("(variable)", "(parameter)", "(constant)")
    FIXTURE = re.compile(r"^\s*@pytest\.(?:yield_)?fixture\b.*\n(?:.*\n){0,12}?\s*(?:async )?def (\w+)", re.M)

    def __init__(self, command, folder, files):
        super().__init__(command, folder)
        self.files = files
        self.fixtures = {name for path in files for name in self.FIXTURE.findall("\n".join(self.lines(path)))}

    def symbols(self, path):
        return [s for s in super().symbols(path) if s[0] not in self.fixtures]

    def is_local(self, path, line, column):
        return self.word(path, line, column) not in self.fixtures and super().is_local(path, line, column)

    def leads(self, at, to):
        return self.definition(*at) == to

    def knows(self, path, line, column):
        shown = self.hover(path, line, column).rstrip("`\n ")
        return bool(shown) and not shown.endswith(": Unknown")


def start(cache, folder, files):
    server = os.path.join(corpora.npm_tool(cache, "pyright", VERSION), "langserver.index.js")
    return Pyright(["node", server, "--stdio"], folder, files)


def kind_of(kind, parent):
    return lsp_kind(kind, parent, (VARIABLE, CONSTANT))


def sources(source, package, version, tuned, drop=()):
    """Stubs are dropped: pyright would read them instead of the code beside them."""
    return Corpus(source, package, version, tuned, drop=("*.pyi",) + drop)


LANGUAGES = [Language("python", "pyright " + VERSION, (".py",), start, kind_of, Target(0.95, 0.95), {
    "click": sources("pypi", "click", "8.3.1", True),
    "flask": sources("pypi", "flask", "3.1.2", True),
    "rich": sources("pypi", "rich", "14.2.0", False),
    "httpx": sources("pypi", "httpx", "0.28.1", True),
    "bottle": sources("pypi", "bottle", "0.13.4", False),
    "werkzeug": sources("pypi", "werkzeug", "3.1.3", True),
    "marshmallow": sources("pypi", "marshmallow", "4.0.1", True),
    "tenacity": sources("pypi", "tenacity", "9.1.2", False),
    "attrs": sources("git", "python-attrs/attrs", "c1dc5dcba16ed827aa6dcad896b41a3afedb4e32", True),
    "anyio": sources("git", "agronholm/anyio", "660a06d548ca72759e9d89ed722dd1ad5227afe4", True),
    "algorithms": sources("git", "keon/algorithms", "a1bf1f39f95b59ed0bb348d6148c7e097e10481e", True),
    "oauth-toolkit": sources("git", "jazzband/django-oauth-toolkit", "0a5ffdbca596d1b21e7f98ea56ead2cec76192c7", True, ("*/migrations/*",)),
})]
