"""The languages that are measured: a file each, which is all that a new one takes.

A file of this folder has LANGUAGES, a list of Language. It says where the
corpora of a language come from, and starts the tool that is right by
definition, an object of the form that peers.py describes. A tool that takes
more than a few lines lies in a file of its own beside it.
"""
import importlib
import pkgutil
from typing import Callable, NamedTuple

CERTAIN = 0.99  # of what is called certain so much must be right, in every language
LIKELY = 0.85


class Target(NamedTuple):
    """What a corpus must reach. With possible, recall counts the places shown as possible too."""
    precision: float
    recall: float
    corpora: int = 2        # so many must reach it, the resolver untuned on them
    possible: bool = False


class Corpus(NamedTuple):
    """One published package, or a repository at a commit."""
    source: str             # of corpora.SOURCES: where it comes from
    package: str            # as it is called there
    version: str
    tuned: bool             # whether the resolver was built by looking at its mistakes; the others were only ever measured
    keep: tuple = ()        # the top-level names that stay; empty: all
    drop: tuple = ()        # patterns of paths that go
    prepare: Callable = None  # prepare(folder, corpus) adds what the other tool needs to understand it

    def title(self):
        return "%s %s" % (self.package, self.version[:10] if self.source == "git" else self.version)


class Language(NamedTuple):
    """A language, and the tool that knows it."""
    name: str
    tool: str               # name and version, as the report shows them
    suffixes: tuple         # of source files
    start: Callable         # start(cache, folder, files): the tool, an object as peers.py describes
    kind_of: Callable       # kind_of(kind, parent kind): which of sample.KINDS a listed symbol is, or None
    target: Target
    corpora: dict           # name: Corpus
    word: str = r"#?[^\W\d]\w*"  # what a name looks like, its sign included

    def title(self):
        """Its name as people write it."""
        return {"cpp": "C++", "csharp": "C#", "php": "PHP", "javascript": "JavaScript", "typescript": "TypeScript"}.get(self.name, self.name.capitalize())


def load():
    """{name: Language}, in order of the names."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        for language in getattr(importlib.import_module("%s.%s" % (__name__, module.name)), "LANGUAGES", []):
            found[language.name] = language
    return dict(sorted(found.items()))


# Symbol kinds of the Language Server Protocol.
CLASS, METHOD, PROPERTY, FIELD, CONSTRUCTOR, ENUM, INTERFACE, FUNCTION = 5, 6, 7, 8, 9, 10, 11, 12
VARIABLE, CONSTANT, MEMBER, STRUCT = 13, 14, 22, 23


def lsp_kind(kind, parent, class_values=()):
    """kind_of for language servers. class_values are kinds that are fields where a class holds them."""
    if kind in (CLASS, INTERFACE, STRUCT, ENUM):
        return "type"
    if kind == FUNCTION:
        return "function"
    if kind == METHOD:
        return "method"
    if kind in (FIELD, PROPERTY, MEMBER) or parent in (CLASS, INTERFACE, ENUM) and kind in class_values:
        return "field"
    return None
