#!/usr/bin/env python3
"""tamper.py PROGRAM FOLDER   Proves that the checks can fail.

Plays one session directly, and spoils a copy of what it left in one way after the
other. Whatever no check notices is printed, and the exit status is 1.
"""
import glob
import json
import os
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import checks                                                        # noqa: E402
import play                                                          # noqa: E402
from fixture import git, put                                         # noqa: E402
from scenarios import EVERY, SCENARIOS                               # noqa: E402


def refs_gone(root, prefix):
    for ref in git(root, "for-each-ref", "--format=%(refname)", prefix).split():
        git(root, "update-ref", "-d", ref)


def archived(root, suffix):
    return glob.glob(root + "/.code-intel/sessions/archive/*" + suffix)[0]


def checkpoint(root, change):
    path = archived(root, ".json")
    with open(path) as f:
        state = json.load(f)
    change(state)
    with open(path, "w") as f:
        json.dump(state, f)


def ledger(root, change):
    path = archived(root, ".ledger.jsonl")
    with open(path) as f:
        entries = change([json.loads(line) for line in f])
    with open(path, "w") as f:
        f.writelines(json.dumps(e) + "\n" for e in entries)


def without(entries, kind, name):
    """The entries but one, numbered anew."""
    i = next(i for i, e in enumerate(entries) if e["kind"] == kind and e["name"] == name)
    return [dict(e, seq=n) for n, e in enumerate(entries[:i] + entries[i + 1:], 1)]


TAMPERINGS = {
    "a file changed after the merge": lambda r: put(r, "lending/desk.py", "pass\n"),
    "a file left over": lambda r: put(r, "lending/left.py", "pass\n"),
    "the discarded file is back": lambda r: put(r, "lending/scratch.txt", "renew\n"),
    "the merge is undone": lambda r: git(r, "reset", "-q", "--hard", "HEAD^1"),
    "the merge was a fast-forward": lambda r: git(r, "reset", "-q", "--hard", "HEAD^2"),
    "a commit too many": lambda r: git(r, "commit", "-q", "--allow-empty", "-m", "more"),
    "another commit message": lambda r: retold(r),
    "another branch is checked out": lambda r: git(r, "switch", "-q", "-c", "other"),
    "the task branch is still there": lambda r: git(r, "branch", "llm_task_1_from_main", "HEAD^2"),
    "the tip is not kept": lambda r: refs_gone(r, "refs/code-intel/done"),
    "the trash is not kept": lambda r: refs_gone(r, "refs/code-intel/trash"),
    "the checkpoint is not archived": lambda r: os.rename(archived(r, ".json"), r + "/.code-intel/sessions/1.json"),
    "the checkpoint is open too": lambda r: shutil.copy(archived(r, ".json"), r + "/.code-intel/sessions/1.json"),
    "another outcome": lambda r: checkpoint(r, lambda s: s.update(outcome="aborted")),
    "a task is pending": lambda r: checkpoint(r, lambda s: s["tasks"][0].update(status="pending")),
    "the ledger is lost": lambda r: os.remove(archived(r, ".ledger.jsonl")),
    "an entry is lost": lambda r: ledger(r, lambda e: e[:3] + e[4:]),
    "a transition was not noted": lambda r: ledger(r, lambda e: without(e, "transition", "Q1")),
    "a call was not noted": lambda r: ledger(r, lambda e: without(e, "tool", "find_references")),
    "an entry is out of the chain": lambda r: ledger(r, lambda e: [dict(e[0], mac="")] + e[1:]),
}


def retold(root):
    """The same merge, of a commit with other words."""
    base, tip = git(root, "rev-parse", "HEAD^1", "HEAD^2").split()
    other = git(root, "commit-tree", "-p", base, "-m", "things", tip + "^{tree}").strip()
    refs_gone(root, "refs/code-intel/done")
    git(root, "update-ref", "refs/code-intel/done/x", other)
    merge = git(root, "commit-tree", "-p", base, "-p", other, "-m", "merge", "HEAD^{tree}").strip()
    git(root, "reset", "-q", "--hard", merge)


def main(program, folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    game = play.Game({"client": "direct", "scenario": "full", "program": program, "folder": folder})
    game.run()
    if game.failures:
        print("the session itself is not as it should be: " + "; ".join(game.failures))
        return 1
    missed = []
    for name, spoil in TAMPERINGS.items():
        root = folder + "/spoiled"
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(game.root, root, symlinks=True)
        spoil(root)
        world = checks.World(root, game.base, game.agent, game.last, game.done(), True)
        if not any(failure for check in SCENARIOS["full"].check + EVERY for failure in check(world)):
            missed.append(name)
    for name in missed:
        print("no check notices: " + name)
    print("%d of %d ways to spoil a session are noticed" % (len(TAMPERINGS) - len(missed), len(TAMPERINGS)))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
