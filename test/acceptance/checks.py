"""What must be true when a session is over: in git, on disk, in .code-intel.

Each check yields sentences about what is wrong. What the server said is held
against what is there, not the other way round.
"""
import collections
import glob
import json
import os
import re
import subprocess

import fixture
from fixture import git

EXPLORING = ("search_text", "search_files", "find_definitions", "find_references", "get_symbols", "semantic_search", "analyze_impact")


class World:
    """A repository after a session, and what the agent knows of it."""

    def __init__(self, root, base, agent, last, deeds, certain, program, environment):
        self.root, self.base, self.agent, self.last, self.deeds = root, base, agent, last, deeds
        self.program, self.environment = program, environment
        self.work = agent.work
        self.id = agent.answers[0]["session_id"]
        self.client = ""
        self.printed = []                     # what the client has printed: objects
        self.certain = certain                # whether every call's fate is known
        self.ended = bool(last.get("session_complete"))
        self.checkpoint = ".code-intel/sessions/%s%s.json" % ("archive/" if self.ended else "", self.id)

    def git(self, *arguments):
        return git(self.root, *arguments).strip()

    def lines(self, *arguments):
        return self.git(*arguments).splitlines()

    def read(self, *path):
        with open(os.path.join(self.root, *path)) as f:
            return f.read()

    def state(self):
        """The session's checkpoint."""
        return json.loads(self.read(self.checkpoint))

    def expected(self):
        """What every file of the work must hold: the edits laid over the fixture."""
        files = dict(fixture.FILES)
        for task in self.work.tasks():
            for e in task.edits:
                files[e.path] = files[e.path].replace(e.old, e.new) if e.old else e.new
        return {path: files[path] for path in self.work.paths()}

    def agreements(self):
        """What the session learned: the agreements on disk that name it."""
        found = [os.path.relpath(p, self.root) for p in glob.glob(self.root + "/.code-intel/agreements/*.md")]
        return sorted(p for p in found if "\nsession: %s\n" % self.id in self.read(p))


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
        yield from same("files of the task", w.lines("diff", "--name-only", w.base, parents[1]), w.work.paths())
        yield from same("files of the merge", w.lines("diff", "--name-only", w.base, "HEAD"), sorted(w.work.paths() + w.agreements()))
        yield from learned(w)
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


def learned(w):
    """The session wrote one agreement, about files of the work, and its report names it."""
    found = w.agreements()
    if len(found) != 1:
        yield "agreements of the session: %s, want one" % found
        return
    files = re.search(r"^files: \[(.*)\]$", w.read(found[0]), re.M)
    files = files[1].split(", ") if files else []
    if not files or set(files) - set(w.work.paths()):
        yield "%s is about %s" % (found[0], files)
    if w.last.get("report"):
        yield from same("report.agreement", w.last["report"].get("agreement"), found[0])


def left_in_tree(w):
    """--quick: the work lies in the tree; nothing was committed."""
    yield from same("HEAD", w.git("rev-parse", "HEAD"), w.base)
    yield from tidy(w, [" M " + path for path in w.work.paths()] + ["?? .code-intel/agreements/"])
    yield from learned(w)
    yield from same("outcome", w.last.get("outcome"), "completed")


def untouched(w):
    """Nothing was changed, and the answer says what was found."""
    yield from same("HEAD", w.git("rev-parse", "HEAD"), w.base)
    yield from tidy(w)
    yield from same("refs", w.lines("for-each-ref", "--format=%(refname)"), ["refs/heads/main"])
    yield from same("exploration_complete", w.last.get("exploration_complete"), True)
    if not any("lending/fees.py:" in f for f in w.last["report"].get("findings", [])):
        yield "the report does not say where the fee comes from: %s" % w.last["report"]


def held(w):
    """The session is still where the lie was told, and nothing of the lie has reached the base branch."""
    lie = w.agent.lie
    yield from same("main", w.git("rev-parse", "main"), w.base)
    yield from same("merges", w.lines("rev-list", "--merges", "--all"), [])
    yield from same("refs of a task that is done", w.lines("for-each-ref", "--format=%(refname)", "refs/code-intel/done"), [])
    yield from same("agreements", w.agreements(), [])
    yield from same("archived sessions", glob.glob(w.root + "/.code-intel/sessions/archive/*.json"), [])
    yield from same("the end of the session", w.ended, False)
    if not os.path.exists(os.path.join(w.root, w.checkpoint)):
        yield "%s is not there" % w.checkpoint
        return
    state = w.state()
    yield from same("the checkpoint's outcome", state.get("outcome", ""), "")
    yield from same("the checkpoint's phase", state["phase"], "_".join(filter(None, lie.at)).upper())
    reviewed = lie.at[0] == "QUALITY_REVIEW"      # the server has committed what was reviewed before
    yield from same("commits of the server", len(state.get("commits") or []), int(reviewed))
    yield from same("tasks that are done", [t["id"] for t in state.get("tasks") or [] if t["status"] == "completed"],
                    [t.id for t in w.work.tasks()] if lie.at[0] in ("PRE_COMMIT", "QUALITY_REVIEW") else [])
    refused = [e for e in entries_of(w) if e["name"] == "submit_phase" and e["outcome"] == "error"]
    yield from same("refusals in the ledger", len(refused), len(w.agent.caught))


def run_by_server(w):
    """The server has run the tests itself, and they passed in the end."""
    ran = [(c["name"], c.get("command"), c.get("skipped"), c["passed"], c["exit"]) for c in w.state()["verify"].get("commands", [])]
    yield from same("commands that the server ran", ran, [(fixture.VERIFIER, fixture.TEST_COMMAND.split(), None, True, 0)])


def enforced(level):
    """The session ran at a level of enforcement, told by what the hooks reported."""
    def check(w):
        yield from same("level of enforcement", w.last["report"].get("enforcement"), level)
        denied = [e for e in entries_of(w) if denial(e)]
        if len(denied) != len(w.agent.denied):
            yield "denials in the ledger: %s, and the client showed %s" % ([e.get("detail") for e in denied], w.agent.denied)
    return check


def denial(e):
    """An event was denied; what only says that such an event was the client's is no other."""
    return e["kind"] == "event" and e["name"] == "before" and e.get("outcome") == "blocked" and "proves" not in e["detail"]


def by_sub_agents(w):
    """The ledger has what agents of the agent were denied, what they read, and that they ended."""
    events = [e for e in entries_of(w) if e["kind"] == "event"]
    theirs = [e for e in events if e["detail"].get("agent")]
    yield from same("denials of sub-agents", sum(denial(e) for e in theirs), len(w.agent.denied))
    if not any(company_read(e) for e in theirs):
        yield "the ledger has no reading by a sub-agent: %s" % theirs
    ended = [e["detail"].get("message") for e in events if e["name"] == "subagent_stop"]
    yield from same("sub-agents that have ended", ended, ["The work is done."] * 2)


def company_read(e):
    return e["name"] == "after" and any(lines["file"] == "lending/report.py" for lines in e.get("observed", {}).get("lines", []))


def let_go(times):
    """Each time the agent was sent back twice, and then let go; the person was told."""
    def check(w):
        stops = [e.get("outcome") for e in entries_of(w) if e["kind"] == "event" and e["name"] == "stop"]
        yield from same("stops in the ledger", stops[:3 * times], ["blocked", "blocked", "ok"] * times)
        notes = [p for p in map(str, w.printed) if "The agent has stopped, and session %s" % w.id in p]
        if w.client == "claude":             # without a terminal the others print none
            yield from same("notes to the user", len(notes), times)
    return check


def told_again(*how):
    """After these interruptions the model was told where the session stands, and the ledger says so."""
    def check(w):
        yield from same("what was told again", w.agent.recaps, list(how))
        recaps = [e["name"] for e in entries_of(w) if e["kind"] == "event" and e["detail"].get("recap")]
        if len(recaps) < len(how):
            yield "recaps in the ledger: %s, want %d at least" % (recaps, len(how))
    return check


def guests_told(w):
    """The second client met refusals only, and they say that another process leads the session."""
    yield from same("what the second client was told", set(w.agent.told), {"session_active"})


JAPANESE = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")


def japanese(w):
    """What the model was told is Japanese: every instruction, and every denial."""
    for what, texts in (("instruction", [a["instruction"] for a in w.agent.answers if a.get("instruction")]), ("denial", w.agent.denied)):
        for text in texts:
            if len(JAPANESE.findall(text)) < 10:
                yield "the %s %r is not Japanese" % (what, text[:200])


def typed(w):
    """The line that the user typed has bound the session."""
    line = json.loads(w.read(".code-intel/sessions/code-line"))
    yield from same("session of the typed line", line.get("used"), w.id)


def user_files(files):
    """What the user had changed before is as they left it."""
    def check(w):
        for path, text in files.items():
            yield from same("the user's " + path, w.read(path), text)
    return check


def archive(w):
    """The checkpoint of a session that ended is archived, none is open, and it holds what happened."""
    if not w.ended:
        return
    yield from same("open checkpoints", glob.glob(w.root + "/.code-intel/sessions/*.json"), [])
    if not os.path.exists(os.path.join(w.root, w.checkpoint)):
        yield "%s is not there" % w.checkpoint
        return
    state = w.state()
    yield from same("the checkpoint's query", state["query"], w.work.query)
    yield from same("the checkpoint's outcome", state["outcome"], w.last.get("outcome", state["outcome"]))
    yield from same("the checkpoint's tasks", [(t["id"], t["status"]) for t in state.get("tasks", [])],
                    [(t.id, "completed") for t in w.work.tasks()])


def compactions(count):
    """The checkpoint knows how often the model has lost its context."""
    def check(w):
        yield from same("compactions in the checkpoint", w.state()["compaction_count"], count)
    return check


def ledger(w):
    """The ledger is whole, its transitions are the way the agent went, and its calls the ones it made."""
    path = w.checkpoint.replace(".json", ".ledger.jsonl")
    if not os.path.exists(os.path.join(w.root, path)):
        yield "%s is not there" % path
        return
    entries = entries_of(w)
    yield from same("the ledger's numbers", [e["seq"] for e in entries], list(range(1, len(entries) + 1)))
    yield from same("sessions in the ledger", {e["session"] for e in entries}, {w.id})
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


def entries_of(w):
    return [json.loads(line) for line in w.read(w.checkpoint.replace(".json", ".ledger.jsonl")).splitlines()]


def proven(w):
    """`code-intel session verify` finds ledger and checkpoint as the server wrote them."""
    p = subprocess.run([w.program, "session", "verify", w.id, "--json"], cwd=w.root, env=w.environment, capture_output=True, text=True)
    if p.returncode != 0 or not json.loads(p.stdout)["whole"]:
        yield "session verify: " + (p.stdout + p.stderr).strip()


def ending(w):
    """How the session ended, judging by git and the disk."""
    if not w.ended:
        return "stays in %s" % w.state()["phase"]
    if w.git("rev-list", "--parents", "-n", "1", "HEAD").split()[1:2] == [w.base]:
        return "merged"
    paths = w.work.paths()
    return "left in the tree" if paths and w.git("status", "--porcelain", "--", *paths) else "nothing changed"


def calls_in_session(deeds):
    """Tools whose calls the session must have seen, for a server that is started again resumes it."""
    inside = False
    for d in deeds:
        if d["deed"] == "call" and not d["lost"] and not d["refused"]:
            inside = inside or "session_id" in d["answer"]
            if inside:
                yield d["tool"]
