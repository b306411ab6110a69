#!/usr/bin/env python3
"""Compares find_references with tools that have the compiler's own knowledge.

    make references                                     all corpora; writes two pages into docs/design
    python3 test/acceptance/references/run.py click --misses     one corpus, and what is wrong where
    python3 test/acceptance/references/run.py php       the corpora of one language
    python3 test/acceptance/references/run.py php --write docs/design
                                                        those rows anew, the others as figures.json has them
    python3 test/acceptance/references/run.py --kept --write docs/design
                                                        the pages again, without measuring
    python3 test/acceptance/references/run.py --help

What is compared, and how the identifiers are drawn, docs/design/references.md says.
With --write the figures are kept in figures.json, a line for each corpus.
Exits with 1 unless, of each language, as many corpora that the resolver was not
tuned on meet their target as its file in languages/ asks for. Needs the network
once, and of go, npm, pip, git, mvn and cargo what the chosen languages take, to
fetch what is pinned there into the cache.
"""
import argparse
import collections
import functools
import hashlib
import json
import os
import re
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, HERE)

import corpora                                                       # noqa: E402
import languages                                                     # noqa: E402
import peers                                                         # noqa: E402
import providers                                                     # noqa: E402
import sample                                                        # noqa: E402

ROUNDS = 6
LABELS = ("certain", "likely", "possible")
FIGURES = os.path.join(HERE, "figures.json")


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("corpus", nargs="*", help="only these, or those of these languages: " + ", ".join([*corpora.LANGUAGES, *corpora.CORPORA]))
    p.add_argument("--program", default=os.path.join(ROOT, "bin", "code-intel"), help="the program to measure")
    p.add_argument("--cache", default=os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "code-intel-accept"),
                   help="where tools, corpora and samples are kept")
    p.add_argument("--count", type=int, default=200, help="identifiers of each corpus")
    p.add_argument("--misses", action="store_true", help="print each identifier with wrong or missing places")
    p.add_argument("--provider", choices=("scip", "server"), help="with a SCIP index, or a language server that is trusted")
    p.add_argument("--write", help="write references.md and references-by-repository.md into this folder")
    p.add_argument("--kept", action="store_true", help="measure nothing: write the pages from figures.json")
    return p.parse_args()


class Score:
    """Places that both name, that only we name, that only the other names."""

    def __init__(self):
        self.asked = self.both = self.extra = self.missing = 0
        self.shown, self.right = collections.Counter(), collections.Counter()  # by label

    @classmethod
    def of(cls, values):
        score = cls()
        vars(score).update(values, shown=collections.Counter(values["shown"]), right=collections.Counter(values["right"]))
        return score

    def add(self, ours, truth):
        sure = {place for place, confidence in ours.items() if confidence != "possible"}
        self.asked += 1
        self.both += len(sure & truth)
        self.extra += len(sure - truth)
        self.missing += len(truth - sure)
        for place, confidence in ours.items():
            self.shown[confidence] += 1
            self.right[confidence] += place in truth

    def figures(self):
        return {**vars(self), "shown": dict(sorted(self.shown.items())), "right": dict(sorted(self.right.items()))}

    def precision(self):
        return ratio(self.both, self.both + self.extra)

    def recall(self):
        return ratio(self.both, self.both + self.missing)

    def reached(self):
        """Recall if what is shown as possible counts too."""
        return ratio(sum(self.right.values()), self.both + self.missing)

    def label(self, of):
        """How much of what bears a label is right."""
        return ratio(self.right[of], self.shown[of])


def ratio(part, whole):
    return part / whole if whole else 1.0


def measured(arguments, name, provider):
    """What measure returns. The cache keeps it by the bytes of the program."""
    with open(arguments.program, "rb") as f:
        program = hashlib.sha256(f.read()).hexdigest()[:16]
    kept = os.path.join(arguments.cache, "results", program, "%s.%s.%d.json" % (name, provider or "own", arguments.count))
    if not arguments.misses and os.path.exists(kept):
        with open(kept) as f:
            scores, times = json.load(f)
        return {kind: Score.of(s) for kind, s in scores.items()}, times
    scores, times = measure(arguments, name, provider)
    os.makedirs(os.path.dirname(kept), exist_ok=True)
    with open(kept, "w") as f:
        json.dump([{kind: s.figures() for kind, s in scores.items()}, times], f)
    return scores, times


def figures():
    """What was measured and written last: {title of a corpus, or of one with a provider: (scores, times)}."""
    if not os.path.exists(FIGURES):
        return {}
    with open(FIGURES) as f:
        return {title: ({kind: Score.of(s) for kind, s in scores.items()}, times) for title, (scores, times) in json.load(f).items()}


def keep(of):
    """Writes what figures reads."""
    rows = ["%s: %s" % (json.dumps(title), json.dumps([{k: s.figures() for k, s in scores.items()}, times])) for title, (scores, times) in sorted(of.items())]
    with open(FIGURES, "w") as f:
        f.write("{\n" + ",\n".join(rows) + "\n}\n")


def measure(arguments, name, provider):
    """{kind or "all": Score} of one corpus, and the seconds that the median and the 95th of 100 warm questions took."""
    drawn, spoken = sample.draw(arguments.cache, name, arguments.count), corpora.CORPORA[name][0].name
    unread = sample.passed_over(arguments.cache, name)
    read = set(corpora.sources(corpora.corpus(arguments.cache, name), corpora.CORPORA[name][0]))
    drawn = [d for d in drawn if (d["path"], d["line"]) not in unread]
    folder, env = corpora.corpus(arguments.cache, name), None
    if provider:
        unread = unread | providers.comments(folder, corpora.CORPORA[name][0])
        folder, env = providers.corpus(arguments.cache, name, provider, arguments.program)
    ours = peers.CodeIntel(arguments.program, folder, env)
    scores, times = collections.defaultdict(Score), []
    if drawn:  # the first question reads the index and whatever is slow but once
        settle(ours, drawn)
    for d in drawn:
        began = time.perf_counter()
        answer = ours.references(d["name"], d["path"], d["line"], d["column"])
        times.append(time.perf_counter() - began)
        asked = (d["path"], d["line"])
        answer.pop(asked, None)
        passed = unread | {tuple(t) for t in d.get("unknown", ())}
        truth = {tuple(t) for t in d["truth"]} - passed
        answer = {place: label for place, label in answer.items() if place not in passed and place[0] in read}
        if provider and spoken in ("c", "cpp"):  # where a macro makes the name it does not stand
            answer = {place: label for place, label in answer.items() if stands(folder, place, d["name"])}
        for kind in (d["kind"], "all"):
            scores[kind].add(answer, truth)
        if arguments.misses:
            tell(d, answer, truth)
    ours.close()
    times.sort()
    return scores, [times[len(times) // 2], times[len(times) * 95 // 100]] if times else [0, 0]


def stands(folder, place, name):
    """Whether a line holds a name."""
    return bool(re.search(r"\b%s\b" % re.escape(name), text(folder, place[0])[place[1] - 1]))


@functools.cache
def text(folder, path):
    with open(os.path.join(folder, path), encoding="utf-8", errors="replace", newline="") as f:
        return f.read().split("\n")


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
    rows = []
    for language in corpora.LANGUAGES.values():
        of = [n for n in names if n in language.corpora]
        if of:
            rows += ["", "## " + language.title(), "", "Compared with %s." % language.tool, "",
                     "| repository | looked at | identifiers | places | precision | recall | with possible | certain | likely | possible | median | 95 % within |",
                     "|---|---|---:|---:|---|---|---|---|---|---|---:|---:|"]
        for name in of:
            s, (median, most), corpus = results[name][0]["all"], results[name][1], language.corpora[name]
            times = ("%.0f ms" % (1000 * median), "%.0f ms" % (1000 * most)) if most else ("", "")
            cells = (corpus.title(), "yes" if corpus.tuned else "no", s.asked, s.both + s.missing, *scored(s), *(labelled(s, of) for of in LABELS), *times)
            rows.append("| " + " | ".join(str(c) for c in cells) + " |")
    return "\n".join(rows[1:])


def scored(s):
    return "%.3f" % s.precision(), "%.3f" % s.recall(), "%.3f" % s.reached()


def labelled(s, of):
    return "%.3f of %d" % (s.label(of), s.shown[of]) if s.shown[of] else ""


def pooled(names, results, language, kind):
    """The sum of the scores of a kind over the corpora of a language that the resolver was not tuned on, and how many these are."""
    total, of = Score(), [results[n][0] for n in names if n in language.corpora and not language.corpora[n].tuned]
    for scores in of:
        s = scores.get(kind, Score())
        for field in ("asked", "both", "extra", "missing", "shown", "right"):
            setattr(total, field, getattr(total, field) + getattr(s, field))
    return total, len(of)


def summary(names, results):
    rows = ["| language | repositories | identifiers | places | precision | recall | with possible | target: precision, recall |",
            "|---|---:|---:|---:|---|---|---|---|"]
    for language in corpora.LANGUAGES.values():
        s, n = pooled(names, results, language, "all")
        if n:
            rows.append("| " + " | ".join(str(c) for c in (language.title(), n, s.asked, s.both + s.missing, *scored(s), target(language.target))) + " |")
    return "\n".join(rows)


def target(of):
    """The least that a corpus must reach, as text."""
    recall = "%.2f%s" % (of.recall, " with possible" if of.possible else "")
    return ", ".join((["%.2f" % of.precision] if of.precision else []) + [recall])


def kinds(names, results):
    rows = ["| language | " + " | ".join(k + "s" for k in sample.KINDS) + " |", "|---" * (len(sample.KINDS) + 1) + "|"]
    for language in corpora.LANGUAGES.values():
        scores = [pooled(names, results, language, kind)[0] for kind in sample.KINDS]
        if any(s.asked for s in scores):
            rows.append("| %s | %s |" % (language.title(), " | ".join("%.3f, %.3f" % (s.precision(), s.recall()) if s.asked else "" for s in scores)))
    return "\n".join(rows)


def labels(names, results):
    """How much of what bears a label is right, by language, over the corpora that the resolver was not tuned on."""
    rows = ["| language | certain | likely | possible |", "|---|---|---|---|"]
    for language in corpora.LANGUAGES.values():
        s, n = pooled(names, results, language, "all")
        if n:
            rows.append("| %s | %s |" % (language.title(), " | ".join(labelled(s, of) for of in LABELS)))
    return "\n".join(rows)


def meets(name, results):
    """Whether a corpus meets the target of its language."""
    s, target = results[name][0]["all"], corpora.CORPORA[name][0].target
    recall = s.reached() if target.possible else s.recall()
    return s.precision() >= target.precision and recall >= target.recall and s.label("certain") >= languages.CERTAIN


def lacking(results):
    """The languages of which too few corpora meet their target, the resolver untuned on them."""
    return [of.name for of in corpora.LANGUAGES.values()
            if sum(meets(n, results) for n in of.corpora if not of.corpora[n].tuned) < of.target.corpora]


def provided(kept):
    """What providers make of some corpora."""
    rows = ["| repository | provider | against | places | precision | recall | certain | without it |", "|---|---|---|---|---|---|---|---|"]
    for name, provider in providers.MEASURED:
        language, corpus = corpora.CORPORA[name]
        title = titled(name, provider)
        if title in kept and titled(name) in kept:
            s, o = kept[title][0]["all"], kept[titled(name)][0]["all"]
            rows.append("| %s | %s | %s | %d | **%.3f** | **%.3f** | %.3f of %d | %.3f, %.3f |" % (
                corpus.title(), providers.title(language.name, provider), language.tool, s.both + s.missing, s.precision(), s.recall(),
                s.label("certain"), s.shown["certain"], o.precision(), o.recall()))
    return "\n".join(rows)


def titled(name, provider=None):
    return corpora.CORPORA[name][1].title() + (", " + provider if provider else "")


def verdict(names, results):
    low = [n for n in names if not meets(n, results)]
    if not low:
        return "All repositories meet the target of their language."
    told = "All repositories, those that were looked at included, meet the target of their language, except " + ", ".join(corpora.CORPORA[n][1].title() for n in low) + "."
    few = lacking(results) if set(results) == set(corpora.CORPORA) else []
    return told + (" In these languages too few of those that were not looked at meet it: %s." % ", ".join(few) if few else "")


def chosen(asked):
    names = []
    for a in asked or corpora.LANGUAGES:
        names += list(corpora.LANGUAGES[a].corpora) if a in corpora.LANGUAGES else [a]
    unknown = [n for n in names if n not in corpora.CORPORA]
    if unknown:
        raise SystemExit("There is no corpus or language %s." % ", ".join(unknown))
    return names


def write(arguments, new):
    """The pages, with what was measured now, and the rest as it was measured last."""
    kept = {**figures(), **new}
    if not arguments.corpus and not arguments.provider and not arguments.kept:
        kept.update({titled(*of): measured(arguments, *of) for of in providers.MEASURED})
    keep(kept)
    everything = {n: kept[titled(n)] for n in corpora.CORPORA if titled(n) in kept}
    names = list(everything)
    shown = {"summary": summary, "kinds": kinds, "labels": labels, "verdict": verdict, "table": table}
    for template, page in (("report.md", "references.md"), ("by-repository.md", "references-by-repository.md")):
        with open(os.path.join(HERE, template)) as f:
            text = f.read()
        for part, show in shown.items():
            text = text.replace("{%s}" % part, show(names, everything))
        with open(os.path.join(arguments.write, page), "w") as f:
            f.write(text.replace("{providers}", provided(kept)))


def main():
    a = arguments()
    if a.kept:
        return write(a, {})
    a.program = os.path.abspath(a.program)
    names = chosen(a.corpus)
    if a.provider:
        names = [n for n in names if providers.title(corpora.CORPORA[n][0].name, a.provider)]
    results = {}
    for name in names:
        results[name] = measured(a, name, a.provider)
        s = results[name][0]["all"]
        told = "   ".join("%s %.3f of %d" % (of, s.label(of), s.shown[of]) for of in LABELS)
        print("%-12s precision %.3f recall %.3f with possible %.3f   %s" % (name, s.precision(), s.recall(), s.reached(), told), flush=True)
    print("\n\n".join(show(names, results) for show in (table, kinds, labels, verdict)))
    if a.write:
        write(a, {titled(n, a.provider): results[n] for n in names})
    low = [] if a.corpus else lacking(results)
    if low:
        print("Too few corpora meet the target in: " + ", ".join(low))
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main())
