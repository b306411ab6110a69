#!/usr/bin/env python3
"""check_the_checks.py PROGRAM FOLDER   Proves that the checks can fail.

Plays honest sessions and a dishonest one directly, and damages what they left in one way
after the other; then has each lie get through. Whatever no check notices is printed, and
the exit status is 1.
"""
import dataclasses
import glob
import json
import os
import re
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import adversarial                                                         # noqa: E402
import checks                                                        # noqa: E402
import play                                                          # noqa: E402
from fixture import git, put                                         # noqa: E402
from scenarios import EVERY, SCENARIOS                               # noqa: E402


def refs_gone(root, prefix):
    for ref in git(root, "for-each-ref", "--format=%(refname)", prefix).split():
        git(root, "update-ref", "-d", ref)


def archived(root, suffix):
    """A file of the session, in the archive or open."""
    return (glob.glob(root + "/.code-intel/sessions/archive/*" + suffix) + glob.glob(root + "/.code-intel/sessions/*" + suffix))[0]


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
    "an entry tells another story": lambda r: ledger(r, lambda e: [dict(e[0], args="0" * 16)] + e[1:]),
    "the checkpoint tells another story": lambda r: checkpoint(r, lambda s: s.update(project_rules="anything goes")),
    "nothing was learned": lambda r: os.remove(glob.glob(r + "/.code-intel/agreements/*.md")[0]),
}

# What nothing but the seal and the chain tells.
FORGED = ("an entry tells another story", "the checkpoint tells another story")

def first_command(state):
    return state["verify"]["commands"][0]


TRUSTING = {
    "the tests failed": lambda r: checkpoint(r, lambda s: first_command(s).update(passed=False, exit=1)),
    "the tests were not run": lambda r: checkpoint(r, lambda s: first_command(s).update(skipped="it is not trusted")),
    "another command was run": lambda r: checkpoint(r, lambda s: first_command(s).update(command=["true"])),
    "no command was run": lambda r: checkpoint(r, lambda s: s["verify"].pop("commands")),
}

FORGETFUL = {"a loss of context was not noted": lambda r: checkpoint(r, lambda s: s.update(compaction_count=1))}

LIARS = {
    "the lie is merged": lambda r: git(r, "branch", "-q", "-f", "main", "HEAD"),
    "the lie is merged elsewhere": lambda r: git(r, "merge", "-q", "--no-ff", "-m", "all", git(r, "commit-tree", "-p", "main", "-m", "x", "main^{tree}").strip()),
    "the task counts as done": lambda r: git(r, "update-ref", "refs/code-intel/done/x", "HEAD"),
    "the session has ended": lambda r: shutil.copytree(r + "/.code-intel/sessions", r + "/.code-intel/sessions/archive", ignore=lambda *_: ["archive"],
                                                       dirs_exist_ok=True),
    "the checkpoint is lost": lambda r: os.remove(archived(r, ".json")),
    "the checkpoint is a phase ahead": lambda r: checkpoint(r, lambda s: s.update(phase="MERGE")),
    "the checkpoint has an outcome": lambda r: checkpoint(r, lambda s: s.update(outcome="completed")),
    "a commit counts as the server's": lambda r: checkpoint(r, lambda s: s["commits"].append("0" * 40)),
    "a task is pending": lambda r: checkpoint(r, lambda s: s["tasks"][0].update(status="pending")),
    "something was learned": lambda r: put(r, ".code-intel/agreements/x.md", "---\nsymbols: []\nsession: %s\n---\n" % os.path.basename(archived(r, ".json"))[:-5]),
    "a refusal was not noted": lambda r: ledger(r, lambda e: [x for x in e if x["outcome"] != "error"]),
}


def retold(root):
    """The same merge, of a commit with other words."""
    base, tip = git(root, "rev-parse", "HEAD^1", "HEAD^2").split()
    other = git(root, "commit-tree", "-p", base, "-m", "things", tip + "^{tree}").strip()
    refs_gone(root, "refs/code-intel/done")
    git(root, "update-ref", "refs/code-intel/done/x", other)
    merge = git(root, "commit-tree", "-p", base, "-p", other, "-m", "merge", "HEAD^{tree}").strip()
    git(root, "reset", "-q", "--hard", merge)


def spoiled(program, folder, scenario, tamperings):
    """Plays a scenario and damages the result. Returns the tamperings that no check noticed, or what was wrong from the start."""
    game = play.Game({"client": "direct", "scenario": scenario, "program": program, "folder": folder + "/" + scenario})
    game.run()
    if game.failures:
        return ["%s itself is not as it should be: %s" % (scenario, "; ".join(game.failures))]
    whole, missed = game.folder + "/whole", []
    os.rename(game.root, whole)
    for name, spoil in tamperings.items():
        shutil.rmtree(game.root, ignore_errors=True)      # at the same place, for the key of the ledger is the place's
        shutil.copytree(whole, game.root, symlinks=True)
        spoil(game.root)
        world = checks.World(game.root, game.base, game.agent, game.last, game.done(), True, program, game.environment)
        every = [c for c in EVERY if c is not checks.proven or name in FORGED]     # which would notice every forged file
        if not any(failure for check in SCENARIOS[scenario].check + every for failure in check(world)):
            missed.append("no check notices in %s: %s" % (scenario, name))
    return missed + list(wordless(game.agent))


def wordless(agent):
    """The refusals that a dishonest agent met, without what they must say."""
    for text in getattr(agent, "caught", []):
        for word in (agent.lie.code, agent.lie.way, agent.lie.stands[0]):
            if not list(adversarial.wanting(re.sub(word, "", text), agent.lie)):
                yield "nobody misses %r in a refusal" % word


def let_through(program, folder, name):
    """Plays a dishonest agent that tells the truth where it should lie: a server that lets the lie through
    looks like this. Returns what was wrong if no check notices."""
    scenario = "lie-" + name
    game = play.Game({"client": "direct", "scenario": scenario, "program": program, "folder": folder + "/" + scenario})
    true = dataclasses.replace(game.scenario.agent.lie, said=lambda agent, good: good, deed=None)
    game.scenario = dataclasses.replace(game.scenario, agent=type("Truthful", (game.scenario.agent,), {"lie": true}))
    game.run()
    if not any("it got through" in failure for failure in game.failures):
        return ["nobody notices that the lie %r gets through: %s" % (name, "; ".join(game.failures))]
    return []


SPOILED = {"full": TAMPERINGS, "trusted": TRUSTING, "insist-hand": LIARS, "compacted": FORGETFUL}


def main(program, folder):
    shutil.rmtree(folder, ignore_errors=True)
    missed = []
    for scenario, tamperings in SPOILED.items():
        missed += spoiled(program, folder, scenario, tamperings)
    for name in adversarial.LIES:
        missed += let_through(program, folder, name)
    for line in missed:
        print(line)
    count = sum(map(len, SPOILED.values())) + len(adversarial.LIES)
    print("%d of %d ways to spoil a session are noticed" % (count - len(missed), count))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
