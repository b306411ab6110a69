#!/usr/bin/env python3
"""Trains the trees that order the answers of search, internal/index/ranking/trained.bin.

    train.py ROWS             writes the trees, and rows with their scores for a test
    train.py ROWS --validate  cross-validates by repository and writes nothing
    train.py ROWS --without COLUMN,COLUMN --validate   what a column is worth

ROWS is what `make tune TUNE='-rows ROWS …'` wrote: columns that the program worked out
and which rows are right. One thread and one seed: the same rows give the same bytes.
docs/design/ranking.md has the figures.
"""
import argparse
import collections
import hashlib
import json
import math
import pathlib
import struct

import lightgbm
import numpy

FOLDS = 3
PARAMETERS = dict(
    objective="lambdarank", lambdarank_truncation_level=12, num_leaves=7, min_data_in_leaf=200, max_bin=63,
    learning_rate=0.05, feature_fraction=0.6, bagging_fraction=0.7, bagging_freq=1, lambda_l2=5,
    deterministic=True, force_row_wise=True, num_threads=1, seed=0, verbosity=-1,
)
TREES = {"files": 150, "pieces": 80}
WEIGHTS = {"semble": 2, "ja_doc": 0.7, "ja_commit": 0.7, "ja_own": 0.3}  # of sets; others 1
WITH_LINES = {"doc", "ident", "ja_doc", "cosqa"}  # what the trees of pieces learn from
WORDS = ("words", "name words")  # columns of which a file has the highest of its pieces
MIXES = {0: (1, 1.6)}  # mixes of learned.go, by kind of question
SAMPLE = 400
RANKING = pathlib.Path(__file__).resolve().parents[2] / "internal/index/ranking"


class Question:
    """The listed candidates of a question, in order, and which of them are right."""

    def __init__(self, label, rows, columns):
        self.__dict__.update(label)
        self.rows = rows
        self.first, self.pieces = [], collections.defaultdict(list)
        for i, f in enumerate(label["file"] or []):
            if f not in self.pieces:
                self.first.append(i)
            self.pieces[f].append(i)
        self.files = [label["file"][i] for i in self.first]
        self.file_rows = rows[self.first].copy()
        for k, f in enumerate(self.files):
            for c in WORDS:
                self.file_rows[k, columns.index(c)] = rows[self.pieces[f], columns.index(c)].max()
        self.right_files = numpy.array([int(label["wanted"][i] >= 0) for i in self.first])
        self.right_pieces = numpy.zeros(len(rows), int)
        for i, _ in label["shows"] or []:
            self.right_pieces[i] = 1

    def order(self, files, pieces):
        """The order that learned.go makes of what the trees say."""
        piece, further = MIXES[self.kind]
        score = numpy.zeros(len(self.rows))
        for k, f in enumerate(self.files):
            best = sorted(self.pieces[f], key=lambda i: (-pieces[i], i))
            for n, i in enumerate(best):
                score[i] = files[k] - piece * (pieces[best[0]] - pieces[i]) - further * n
        return sorted(range(len(score)), key=lambda i: (-score[i], i))

    def judge(self, order):
        """NDCG@10 by files, and by pieces or None."""
        at = {row: place for place, row in enumerate(order)}
        if self.set.startswith("semble"):
            return ndcg(best(self.meets, at), self.targets), None
        places, found = {}, {}
        for row in order:
            place = places.setdefault(self.file[row], len(places))
            if self.wanted[row] >= 0:
                found.setdefault(self.wanted[row], place)
        by_lines = ndcg(best(self.shows, at), self.places) if self.places else None
        return ndcg(found.values(), self.wanted_files), by_lines


def best(pairs, at):
    """The first place that shows each target."""
    found = {}
    for row, target in pairs or []:
        found[target] = min(found.get(target, len(at)), at[row])
    return found.values()


def ndcg(places, targets):
    gain = [1 / math.log2(i + 2) for i in range(10)]
    return sum(gain[p] for p in set(places) if p < 10) / sum(gain[:targets])


def read(folder):
    folder = pathlib.Path(folder)
    columns = (folder / "columns").read_text().split("\n")[:-1]
    rows = numpy.fromfile(folder / "rows.f32", dtype="<f4").reshape(-1, len(columns))
    questions, at = [], 0
    for line in (folder / "rows.jsonl").read_text().splitlines():
        label = json.loads(line)
        n, label["wanted_files"] = label.pop("rows"), label.pop("files")
        questions.append(Question(label, rows[at:at + n], columns))
        at += n
    return columns, questions


def train(questions, head, use):
    """Trees of one head that may split by the columns of use."""
    sizes = collections.Counter(q.set for q in questions)
    rows, right, groups, weights = [], [], [], []
    for q in questions:
        r, labels = (q.file_rows, q.right_files) if head == "files" else (q.rows, q.right_pieces)
        if not labels.any() or head == "pieces" and q.set not in WITH_LINES:
            continue
        rows.append(r[:, use])
        right.append(labels)
        groups.append(len(labels))
        weights.append(numpy.full(len(labels), 1000 * WEIGHTS.get(q.set, 1) / sizes[q.set]))
    data = lightgbm.Dataset(numpy.concatenate(rows), numpy.concatenate(right), group=groups, weight=numpy.concatenate(weights))
    return lightgbm.train(PARAMETERS, data, TREES[head])


def fold(questions):
    """The fold of each question: its repository's, in a set of one repository its own."""
    by_set = collections.defaultdict(set)
    for q in questions:
        by_set[q.set].add(q.repo)
    alone = {s for s, repos in by_set.items() if len(repos) == 1}
    repos = sorted({q.repo for q in questions if q.set not in alone})
    return [i % FOLDS if q.set in alone else repos.index(q.repo) % FOLDS for i, q in enumerate(questions)]


def validate(questions, use):
    before, after = collections.defaultdict(list), collections.defaultdict(list)
    folds = fold(questions)
    for k in range(FOLDS):
        rest = [q for q, f in zip(questions, folds) if f != k]
        heads = {head: train(rest, head, use) for head in TREES}
        for q in (q for q, f in zip(questions, folds) if f == k):
            order = range(len(q.rows))
            add(before, q, q.judge(order))
            if q.kind in MIXES and len(q.rows):
                order = q.order(heads["files"].predict(q.file_rows[:, use]), heads["pieces"].predict(q.rows[:, use]))
            add(after, q, q.judge(order))
    for name in before:
        old, new = numpy.mean(before[name]), numpy.mean(after[name])
        print(f"{name:18} {len(before[name]):4} questions  {old:.4f} -> {new:.4f}  {new - old:+.4f}")


def add(to, q, judged):
    to[q.set].append(judged[0])
    if judged[1] is not None and q.set in WITH_LINES - {"cosqa"}:
        to[q.set + " by lines"].append(judged[1])


def pack(model):
    """The trees of a model as trees.go reads them."""
    trees = model.dump_model()["tree_info"]
    out = struct.pack("<H", len(trees))
    for t in trees:
        splits, leaves = [], []
        flatten(t["tree_structure"], splits, leaves)
        out += struct.pack("<B", len(splits))
        for s in splits:
            out += struct.pack("<Bdbb", *s)
        out += struct.pack(f"<{len(leaves)}d", *leaves)
    return out


def flatten(node, splits, leaves):
    """Adds a node and what is below it, and returns its number: below 0 for a leaf."""
    if "leaf_value" in node:
        leaves.append(node["leaf_value"])
        return -len(leaves)
    assert node["decision_type"] == "<=" and node["missing_type"] == "None", node
    at = len(splits)
    splits.append(None)
    left, right = flatten(node["left_child"], splits, leaves), flatten(node["right_child"], splits, leaves)
    splits[at] = node["split_feature"], node["threshold"], left, right
    return at


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("rows")
    a.add_argument("--validate", action="store_true")
    a.add_argument("--without", default="", help="columns to leave out, by commas")
    a = a.parse_args()
    columns, questions = read(a.rows)
    without = a.without.split(",")
    use = [i for i, name in enumerate(columns) if name not in without]
    if a.validate:
        validate(questions, use)
        return
    assert len(use) == len(columns), "trees have all columns"
    heads = [train(questions, head, use) for head in ("files", "pieces")]
    packed = hashlib.sha256("\n".join(columns).encode()).digest()[:8] + b"".join(map(pack, heads))
    (RANKING / "trained.bin").write_bytes(packed)
    rows = numpy.concatenate([q.rows for q in questions])
    rows = rows[:: len(rows) // SAMPLE][:SAMPLE]
    (RANKING / "testdata").mkdir(exist_ok=True)
    with open(RANKING / "testdata/scores.bin", "wb") as f:
        for row, *scores in zip(rows, *(h.predict(rows) for h in heads)):
            f.write(row.astype("<f4").tobytes() + struct.pack("<2d", *scores))
    print(len(packed), "bytes of trees,", len(rows), "rows")


main()
