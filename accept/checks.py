"""What must be true when a session is over: in git, on disk, in .code-intel.

Each check yields sentences about what is wrong. What the server said is held
against what is there, not the other way round.
"""
import collections
import glob
import json
import os
import subprocess

import fixture
from fixture import git

EXPLORING = ("search_text", "search_files", "find_definitions", "find_references", "get_symbols", "semantic_search", "analyze_impact")


class World:
    """A repository after a session, and what the agent knows of it."""

    def __init__(self, root, base, agent, last, deeds, certain):
        self.root, self.base, self.agent, self.last, self.deeds = root, base, agent, last, deeds
        self.work = agent.work
        self.certain = certain                # whether every call's fate is known

    def git(self, *arguments):
        return git(self.root, *arguments).strip()

    def lines(self, *arguments):
        return self.git(*arguments).splitlines()

    def read(self, *path):
        with open(os.path.join(self.root, *path)) as f:
            return f.read()

    def expected(self):
        """What every file of the work must hold: the edits laid over the fixture."""
        files = dict(fixture.FILES)
        for task in self.work.tasks():
            for e in task.edits:
                files[e.path] = files[e.path].replace(e.old, e.new) if e.old else e.new
        return {path: files[path] for path in self.work.paths()}


def same(what, got, want):
    if got != want:
        yield "%s: %s, want %s" % (what, got, want)


def on_disk(w):
    """Every file of the work holds what the edits make of it, and the tests pass."""
    for path, text in w.expected().items():
        if not os.path.exists(os.path.join(w.root, path)):
            yield "%s is not there" % path
        else:
            yield from same("content of " + path, w.read(path), text)
    p = subprocess.run(fixture.TEST_COMMAND, shell=True, cwd=w.root, capture_output=True, text=True)
    if p.returncode != 0:
        yield "the tests fail: " + p.stderr[-300:]


def tidy(w, status=()):
    """On main, no task branch, and a clean tree but for what the user had changed."""
    yield from same("branch", w.git("branch", "--show-current"), "main")
    yield from same("branches", w.lines("branch", "--format=%(refname:short)"), ["main"])
    found = git(w.root, "status", "--porcelain").splitlines()
    if any(d.get("tool") == "update_context" for d in w.deeds):
        found = [line for line in found if line != " M .code-intel/context.yml"]      # the agent was asked to write it
    yield from same("git status", found, list(status))


def merged(commits=1, status=(), outcome="completed"):
    """The task's commits are in main by a merge, and nothing else is."""
    def check(w):
        yield from tidy(w, status)
        parents = w.git("rev-list", "--parents", "-n", "1", "HEAD").split()[1:]
        if len(parents) != 2:
            yield "HEAD is no merge: %s" % w.git("log", "--oneline", "-n", "3")
            return
        yield from same("first parent of the merge", parents[0], w.base)
        task = w.lines("rev-list", "--reverse", "%s..%s" % (w.base, parents[1]))
        yield from same("commits of the task", [w.git("show", "-s", "--format=%s", c) for c in task], [w.work.message] * commits)
        yield from same("files of the merge", w.lines("diff", "--name-only", w.base, "HEAD"), w.work.paths())
        for path, text in w.expected().items():
            yield from same("committed " + path, git(w.root, "show", "HEAD:" + path), text)
        done = [r for r in w.lines("for-each-ref", "--format=%(objectname)", "refs/code-intel/done")]
        if parents[1] not in done:
            yield "refs/code-intel/done/ does not keep the tip of the task branch: %s" % done
        report = w.last.get("report")
        if report is not None:               # a call that was lost has no report
            yield from same("outcome", w.last.get("outcome"), outcome)
            yield from same("report.merged", report.get("merged"), w.git("rev-parse", "HEAD"))
            yield from same("report.commits", report.get("commits"), task)
            yield from same("report.files", sorted(set(report.get("files", [])) - {s.path for s in w.work.strays}), w.work.paths())
        yield from strays(w)
    return check


def strays(w):
    """What the review threw out is gone from the tree, and kept in a trash ref."""
    for edit in w.work.strays:
        if os.path.exists(os.path.join(w.root, edit.path)):
            yield "%s was discarded and is still there" % edit.path
        kept = []
        for ref in w.lines("for-each-ref", "--format=%(refname)", "refs/code-intel/trash"):
            try:
                kept.append(git(w.root, "show", "%s:%s" % (ref, edit.path)))
            except RuntimeError:
                pass
        if edit.new not in kept:
            yield "no trash ref keeps %s" % edit.path


def left_in_tree(w):
    """--quick: the work lies in the tree; nothing was committed."""
    yield from same("HEAD", w.git("rev-parse", "HEAD"), w.base)
    yield from tidy(w, [" M " + path for path in w.work.paths()])
    yield from same("outcome", w.last.get("outcome"), "completed")


def untouched(w):
    """Nothing was changed, and the answer says what was found."""
    yield from same("HEAD", w.git("rev-parse", "HEAD"), w.base)
    yield from tidy(w)
    yield from same("refs", w.lines("for-each-ref", "--format=%(refname)"), ["refs/heads/main"])
    yield from same("exploration_complete", w.last.get("exploration_complete"), True)
    if not any("lending/fees.py:" in f for f in w.last["report"].get("findings", [])):
        yield "the report does not say where the fee comes from: %s" % w.last["report"]


def user_files(files):
    """What the user had changed before is as he left it."""
    def check(w):
        for path, text in files.items():
            yield from same("the user's " + path, w.read(path), text)
    return check


def archive(w):
    """The checkpoint is archived, none is open, and it holds what happened."""
    yield from same("open checkpoints", glob.glob(w.root + "/.code-intel/sessions/*.json"), [])
    path = ".code-intel/sessions/archive/%s.json" % w.agent.answers[0]["session_id"]
    if not os.path.exists(os.path.join(w.root, path)):
        yield "%s is not there" % path
        return
    state = json.loads(w.read(path))
    yield from same("the checkpoint's query", state["query"], w.work.query)
    yield from same("the checkpoint's outcome", state["outcome"], w.last.get("outcome", state["outcome"]))
    yield from same("the checkpoint's tasks", [(t["id"], t["status"]) for t in state.get("tasks", [])],
                    [(t.id, "completed") for t in w.work.tasks()])


def ledger(w):
    """The ledger is whole, its transitions are the way the agent went, and its calls the ones it made."""
    path = ".code-intel/sessions/archive/%s.ledger.jsonl" % w.agent.answers[0]["session_id"]
    if not os.path.exists(os.path.join(w.root, path)):
        yield "%s is not there" % path
        return
    entries = [json.loads(line) for line in w.read(path).splitlines()]
    yield from same("the ledger's numbers", [e["seq"] for e in entries], list(range(1, len(entries) + 1)))
    yield from same("sessions in the ledger", {e["session"] for e in entries}, {w.agent.answers[0]["session_id"]})
    yield from same("entries out of the chain", [e["seq"] for e in entries if not e.get("mac")], [])
    if not w.certain:
        return
    went = [e["name"] for e in entries if e["kind"] == "transition"]
    way = ["%s_%s" % (phase, step.upper()) if step else phase for phase, step in w.agent.walk]
    yield from same("transitions in the ledger", went[:len(way) - 1], way[1:])
    noted = collections.Counter(e["name"] for e in entries if e["kind"] == "tool" and e["outcome"] in ("ok", "empty"))
    made = collections.Counter(calls_in_session(w.deeds))
    for tool in EXPLORING:
        yield from same("calls of %s in the ledger" % tool, noted[tool], made[tool])


def calls_in_session(deeds):
    """Tools whose calls the session must have seen: not those that a server answered which
    was started again and had not been told to go on with the session."""
    inside = False
    for d in deeds:
        if d["deed"] == "kill":
            inside = False
        elif d["deed"] == "call" and not d["lost"] and not d["refused"]:
            inside = inside or "session_id" in d["answer"]
            if inside:
                yield d["tool"]
