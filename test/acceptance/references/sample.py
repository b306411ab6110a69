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

KINDS = ("function", "method", "field", "type", "local")
SEED = 20261120


class Text:
    """The lines of a source, and columns in the two ways of counting them."""

    def __init__(self, folder, path, word):
        self.pattern = word
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
        found = self.pattern.match(tail)
        return found and (found.group(), len(head.encode()) + 1)

    def place(self, offset):
        """Line and column, in UTF-16 units, of an offset in characters."""
        line = bisect.bisect_right(self.starts, offset)
        head = self.whole[self.starts[line - 1]:offset]
        return line, len(head.encode("utf-16-le")) // 2 + 1


def draw(cache, name, count):
    """The sample of one corpus: a list of {kind, name, path, line, column, truth, and unknown, the lines that count for
    neither side}. Kept in the cache."""
    language, of = corpora.CORPORA[name]
    folder = corpora.corpus(cache, name)
    kept = "%s.%d.%d.json" % (folder, SEED, count)
    if os.path.exists(kept):
        with open(kept) as f:
            return json.load(f)
    files = corpora.sources(folder, language)
    pattern = re.compile(language.word)
    texts = {p: Text(folder, p, pattern) for p in files}
    tool = language.start(cache, folder, files)
    unread = getattr(tool, "unread", {})
    chance = random.Random("%d %s" % (SEED, name))
    listed, known, inside = {k: [] for k in KINDS}, set(), {p: [] for p in files}
    for path in files:
        for name, kind, line, column, end, _, parent in tool.symbols(path):
            which, word = language.kind_of(kind, parent), texts[path].word(line, column)
            if word and word[0].lstrip("#$") not in name:
                continue  # a function without a name
            if which in ("function", "method"):
                inside[path].append((line, end))
            if which and word:
                known.add((path, line, column))
                listed[which].append((path, line, column))
    chosen, share = [], count // len(KINDS)
    spare = []  # makes up for a kind of which there are too few
    for kind in KINDS[:-1]:
        places = sorted(set(listed[kind]))
        chance.shuffle(places)
        chosen += [(kind, p) for p in places[:share]]
        spare += [(kind, p) for p in places[share:]]
    places = sorted(set(listed["local"]))
    chance.shuffle(places)
    chosen += [("local", p) for p in places[:share] or locals_of(tool, texts, known, inside, chance, share)]
    chance.shuffle(spare)
    chosen += spare[:count - len(chosen)]
    if hasattr(tool, "look"):
        tool.look({texts[place[0]].word(*place[1:])[0] for kind, place in chosen if kind != "local"})
    sample = [one(tool, texts, kind, place) for kind, place in chosen]
    tool.close()
    with open(folder + ".unread.json", "w") as f:
        json.dump(unread, f)
    with open(kept + ".new", "w") as f:
        json.dump(sample, f)
    os.rename(kept + ".new", kept)
    return sample


def passed_over(cache, name):
    """The places that the other tool does not read, of a corpus that was drawn from: {(path, line)}."""
    kept = corpora.corpus(cache, name) + ".unread.json"
    if not os.path.exists(kept):
        return set()
    with open(kept) as f:
        return {(path, line) for path, lines in json.load(f).items() for line in lines}


def locals_of(tool, texts, known, inside, chance, count):
    """The definitions of so many local variables and parameters."""
    files, found = list(texts), []
    sizes = [len(texts[p].whole) for p in files]
    for _ in range(200 * count):
        if len(found) == count:
            break
        path = chance.choices(files, sizes)[0]
        word = texts[path].pattern.search(texts[path].whole, chance.randrange(max(1, len(texts[path].whole))))
        place = word and tool.definition(path, *texts[path].place(word.start()))
        if not place or place in known or place in found or place[0] not in texts or place[0] in getattr(tool, "faulty", ()):
            continue
        if any(a <= place[1] <= b for a, b in inside[place[0]]) and texts[place[0]].word(*place[1:]) and tool.is_local(*place):
            found.append(place)
    return found


def one(tool, texts, kind, place):
    path, line, column = place
    word, at = texts[path].word(line, column)
    truth = sorted(t for t in tool.references(path, line, column) if t != (path, line))
    if getattr(tool, "expands", False):  # a place where only a macro's text names it is none
        named = re.compile(r"\b%s\b" % re.escape(word))
        truth = [t for t in truth if t[0] in texts and named.search(texts[t[0]].lines[t[1] - 1])]
    drawn = {"kind": kind, "name": word, "path": path, "line": line, "column": at, "truth": truth}
    if hasattr(tool, "leads"):
        led, drawn["unknown"] = elsewhere(tool, texts, word, place, truth)
        drawn["truth"] = sorted(truth + led)
    return drawn


def elsewhere(tool, texts, name, place, truth):
    """The lines where a name stands and that are no references to the other tool: those from which it leads to the
    place all the same, and those where it cannot tell what the name means."""
    named = re.compile(r"(?<![\w$])%s(?![\w$])" % re.escape(name))
    led, unknown, known = [], [], {place[:2], *truth}
    for path, text in texts.items():
        for number, line in enumerate(text.lines, 1):
            columns = [len(line[:m.start()].encode("utf-16-le")) // 2 + 1 for m in named.finditer(line)]
            if (path, number) in known:
                continue
            if any(tool.leads((path, number, column), place) for column in columns):
                led.append((path, number))
            elif not all(tool.knows(path, number, column) for column in columns):
                unknown.append((path, number))
    return led, unknown
