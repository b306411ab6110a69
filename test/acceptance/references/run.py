#!/usr/bin/env python3
"""Compares find_references with gopls, pyright and tsserver.

    make references                                     all corpora; writes docs/design/references.md
    python3 test/acceptance/references/run.py click --misses     one corpus, and what is wrong where
    python3 test/acceptance/references/run.py --help

What is compared, and how the identifiers are drawn, docs/design/references.md says.
Exits with 1 unless three Go modules, a Python and a TypeScript package that the
resolver was not tuned on meet their targets. Needs Go, npm and pip once, to
fetch what is pinned in corpora.py into the cache.
"""
import argparse
import collections
import os
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, HERE)

import corpora                                                       # noqa: E402
import peers                                                         # noqa: E402
import sample                                                        # noqa: E402

TARGET = {"go": 0.95, "python": 0.85, "typescript": 0.85}
ROUNDS = 6
ENOUGH = {"go": 3, "python": 1, "typescript": 1}


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("corpus", nargs="*", help="only these: " + ", ".join(corpora.CORPORA))
    p.add_argument("--program", default=os.path.join(ROOT, "bin", "code-intel"), help="the program to measure")
    p.add_argument("--cache", default=os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "code-intel-accept"),
                   help="where tools, corpora and samples are kept")
    p.add_argument("--count", type=int, default=200, help="identifiers of each corpus")
    p.add_argument("--misses", action="store_true", help="print each identifier with wrong or missing places")
    p.add_argument("--write", help="write the tables to this file")
    return p.parse_args()


class Score:
    """Places that both name, that only we name, that only the other names."""

    def __init__(self):
        self.asked = self.both = self.extra = self.missing = self.with_possible = self.found_possible = 0

    def add(self, ours, truth):
        sure = {place for place, confidence in ours.items() if confidence != "possible"}
        self.asked += 1
        self.both += len(sure & truth)
        self.extra += len(sure - truth)
        self.missing += len(truth - sure)
        self.with_possible += len(set(ours))
        self.found_possible += len(set(ours) & truth)

    def precision(self):
        return self.both / (self.both + self.extra) if self.both + self.extra else 1.0

    def recall(self):
        return self.both / (self.both + self.missing) if self.both + self.missing else 1.0


def measure(arguments, name):
    """{kind or "all": Score} of one corpus, and the median seconds of a warm question."""
    drawn = sample.draw(arguments.cache, name, arguments.count)
    ours = peers.CodeIntel(arguments.program, corpora.corpus(arguments.cache, name))
    scores, times = collections.defaultdict(Score), []
    if drawn:  # the first question reads the index and whatever is slow but once
        settle(ours, drawn)
    for d in drawn:
        began = time.perf_counter()
        answer = ours.references(d["name"], d["path"], d["line"], d["column"])
        times.append(time.perf_counter() - began)
        asked = (d["path"], d["line"])
        answer.pop(asked, None)
        truth = {tuple(t) for t in d["truth"]}
        for kind in (d["kind"], "all"):
            scores[kind].add(answer, truth)
        if arguments.misses:
            tell(d, answer, truth)
    ours.close()
    return scores, sorted(times)


def settle(ours, drawn):
    """Asks everything until the answers stay the same: on a busy machine the first ones are cut short,
    and what was worked out for one question is there for the next."""
    before = None
    for _ in range(ROUNDS):
        answers = [ours.references(d["name"], d["path"], d["line"], d["column"]) for d in drawn]
        if answers == before:
            return
        before = answers


def tell(d, answer, truth):
    sure = {p for p, c in answer.items() if c != "possible"}
    if sure == truth:
        return
    print("%s %s %s:%d:%d  both %d" % (d["kind"], d["name"], d["path"], d["line"], d["column"], len(sure & truth)))
    for sign, places in (("-", truth - sure), ("+", sure - truth)):
        for path, line in sorted(places)[:8]:
            print("    %s %s:%d %s" % (sign, path, line, answer.get((path, line), "")))
        if len(places) > 8:
            print("    %s ... %d more" % (sign, len(places) - 8))


def table(names, results):
    rows = ["| corpus | against | tuned on | kind | identifiers | places | precision | recall |", "|---|---|---|---|---|---|---|---|"]
    for name in names:
        language, package, version, tuned = corpora.CORPORA[name]
        for kind in sample.KINDS + ("all",):
            s = results[name][0][kind]
            first = ("%s %s" % (package, version), corpora.version(language), "yes" if tuned else "no") if kind == "all" else ("", "", "")
            bold = "**%s**" if kind == "all" else "%s"
            rows.append("| %s | %s | %s | %s | %d | %d | %s | %s |" % (first + (kind, s.asked, s.both + s.missing, bold % ("%.3f" % s.precision()), bold % ("%.3f" % s.recall()))))
    return "\n".join(rows)


def speed(names, results):
    rows = ["| corpus | median | 95 of 100 within |", "|---|---|---|"]
    for name in names:
        t = results[name][1]
        rows.append("| %s | %.0f ms | %.0f ms |" % (corpora.CORPORA[name][1], 1000 * t[len(t) // 2], 1000 * t[len(t) * 95 // 100]))
    return "\n".join(rows)


def below(names, results):
    """The corpora that miss the target of their language."""
    return [n for n in names if min(results[n][0]["all"].precision(), results[n][0]["all"].recall()) < TARGET[corpora.CORPORA[n][0]]]


def enough(names, results):
    """Whether as many corpora meet their target as are asked for, the resolver untuned on them."""
    low = below(names, results)
    met = collections.Counter(corpora.CORPORA[n][0] for n in names if n not in low and not corpora.CORPORA[n][3])
    return all(met[language] >= count for language, count in ENOUGH.items())


def verdict(names, results):
    low = below(names, results)
    if not low:
        return "All corpora meet theirs."
    return "All corpora except " + ", ".join("%s %s" % corpora.CORPORA[n][1:3] for n in low) + " meet theirs."


def main():
    a = arguments()
    a.program = os.path.abspath(a.program)
    names = a.corpus or list(corpora.CORPORA)
    results = {}
    for name in names:
        results[name] = measure(a, name)
        s = results[name][0]["all"]
        print("%-12s precision %.3f recall %.3f   with possible %.3f %.3f" % (
            name, s.precision(), s.recall(), s.found_possible / max(1, s.with_possible), s.found_possible / max(1, s.both + s.missing)), flush=True)
    print(table(names, results))
    print()
    print(speed(names, results))
    if a.write:
        with open(os.path.join(HERE, "report.md")) as f:
            text = f.read()
        with open(a.write, "w") as f:
            f.write(text.replace("{table}", table(names, results)).replace("{speed}", speed(names, results)).replace("{verdict}", verdict(names, results)))
    print(verdict(names, results))
    return 1 if below(names, results) and not a.corpus and not enough(names, results) else 0


if __name__ == "__main__":
    sys.exit(main())
