"""Draws the identifiers that are asked about, and what the other tool says of them.

Of each kind the same number is drawn, by a seeded generator, from everything
that the other tool lists as a function, method, field or type, wherever it is:
tests, examples and private things too. Locals are drawn by place: a random
word of a random source, led back to its definition by the other tool, kept if
that calls it a variable or a parameter in a function. Nothing is left out for
being hard, unused or often named.
"""
import bisect
import json
import os
import random
import re

import corpora
import peers

KINDS = ("function", "method", "field", "type", "local")
SEED = 20261120
WORD = re.compile(r"[^\W\d]\w*")

# Symbol kinds of the Language Server Protocol and of tsserver.
CLASS, METHOD, PROPERTY, FIELD, ENUM, INTERFACE, FUNCTION, VARIABLE, CONSTANT, MEMBER, STRUCT = 5, 6, 7, 8, 10, 11, 12, 13, 14, 22, 23
TS = {"function": "function", "method": "method", "property": "field", "getter": "field", "setter": "field",
      "enum member": "field", "class": "type", "interface": "type", "type": "type", "enum": "type"}


def kind_of(language, kind, parent):
    """Which of KINDS a listed symbol is, or None."""
    if language == "typescript":
        return TS.get(kind)
    if kind in (CLASS, INTERFACE, STRUCT, ENUM):
        return "type"
    if kind == FUNCTION:
        return "function"
    if kind == METHOD:
        return "method"
    if kind in (FIELD, PROPERTY, MEMBER) or language == "python" and parent == CLASS and kind in (VARIABLE, CONSTANT):
        return "field"
    return None


def peer(cache, language, folder, files):
    if language == "go":
        return peers.Gopls([corpora.gopls(cache), "serve"], folder, files)
    if language == "python":
        server = os.path.join(corpora.npm(cache, "pyright", corpora.PYRIGHT), "langserver.index.js")
        return peers.Pyright(["node", server, "--stdio"], folder, files)
    server = os.path.join(corpora.npm(cache, "typescript", corpora.TYPESCRIPT), "lib", "tsserver.js")
    return peers.Tsserver(["node", "--max-old-space-size=6000", server, "--disableAutomaticTypingAcquisition"], folder, files)


class Text:
    """The lines of a source, and columns in the two ways of counting them."""

    def __init__(self, folder, path):
        with open(os.path.join(folder, path), encoding="utf-8", errors="replace", newline="") as f:
            self.whole = f.read()
        self.lines = self.whole.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)

    def word(self, line, column):
        """The identifier at a place that a tool told, and its column in bytes, or None."""
        if not 0 < line <= len(self.lines):
            return None
        text = self.lines[line - 1].encode("utf-16-le")
        head, tail = text[:2 * (column - 1)].decode("utf-16-le", "ignore"), text[2 * (column - 1):].decode("utf-16-le", "ignore")
        sign = "#" if tail.startswith("#") else ""
        found = WORD.match(tail[len(sign):])
        return found and (sign + found.group(), len(head.encode()) + 1)

    def place(self, offset):
        """Line and column, in UTF-16 units, of an offset in characters."""
        line = bisect.bisect_right(self.starts, offset)
        head = self.whole[self.starts[line - 1]:offset]
        return line, len(head.encode("utf-16-le")) // 2 + 1


def draw(cache, name, count):
    """The sample of one corpus: a list of {kind, name, path, line, column, truth}. Kept in the cache."""
    language, _, version, _ = corpora.CORPORA[name]
    folder = corpora.corpus(cache, name)
    kept = os.path.join(cache, "references", "%s-%s.%d.%d.json" % (name, version, SEED, count))
    if os.path.exists(kept):
        with open(kept) as f:
            return json.load(f)
    files = corpora.sources(folder, language)
    texts = {p: Text(folder, p) for p in files}
    tool = peer(cache, language, folder, files)
    chance = random.Random("%d %s" % (SEED, name))
    listed, known, inside = {k: [] for k in KINDS}, set(), {p: [] for p in files}
    for path in files:
        for _, kind, line, column, end, _, parent in tool.symbols(path):
            which, word = kind_of(language, kind, parent), texts[path].word(line, column)
            if which in ("function", "method"):
                inside[path].append((line, end))
            if which and word:
                known.add((path, line, column))
                listed[which].append((path, line, column))
    sample, share = [], count // len(KINDS)
    spare = []  # makes up for a kind of which there are too few
    for kind in KINDS[:-1]:
        places = sorted(set(listed[kind]))
        chance.shuffle(places)
        sample += [one(tool, texts, kind, p) for p in places[:share]]
        spare += [(kind, p) for p in places[share:]]
    for place in locals_of(tool, texts, known, inside, chance, share):
        sample.append(one(tool, texts, "local", place))
    chance.shuffle(spare)
    sample += [one(tool, texts, kind, place) for kind, place in spare[:count - len(sample)]]
    tool.close()
    with open(kept + ".new", "w") as f:
        json.dump(sample, f)
    os.rename(kept + ".new", kept)
    return sample


def locals_of(tool, texts, known, inside, chance, count):
    """The definitions of so many local variables and parameters."""
    files, found = list(texts), []
    sizes = [len(texts[p].whole) for p in files]
    for _ in range(200 * count):
        if len(found) == count:
            break
        path = chance.choices(files, sizes)[0]
        word = WORD.search(texts[path].whole, chance.randrange(max(1, len(texts[path].whole))))
        place = word and tool.definition(path, *texts[path].place(word.start()))
        if not place or place in known or place in found or place[0] not in texts:
            continue
        if any(a <= place[1] <= b for a, b in inside[place[0]]) and texts[place[0]].word(*place[1:]) and tool.is_local(*place):
            found.append(place)
    return found


def one(tool, texts, kind, place):
    path, line, column = place
    word, at = texts[path].word(line, column)
    truth = sorted(t for t in tool.references(path, line, column) if t != (path, line))
    return {"kind": kind, "name": word, "path": path, "line": line, "column": at, "truth": truth}
