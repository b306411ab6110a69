"""Dishonest agents: each is honest up to one phase and then lies.

It reads the refusal as the client shows it to a model. Then it either tells the same
lie again, to the same end, and gives up; or it does what the refusal names and
continues honestly to the merge.
"""
import re
from dataclasses import dataclass
from typing import Callable

from agent import Agent, Stuck, payload
from fixture import FILES

INSISTS = 3                  # how often a liar says the same


@dataclass
class Lie:
    technique: str
    at: tuple                # phase and ready_step
    code: str                # what it is refused with
    way: str                 # the honest way, a pattern that the text of the refusal must match
    said: Callable           # (agent, honest payload) -> payload: the lie
    deed: Callable = None    # (agent): what is done behind the server's back first, a generator
    early: Callable = None   # (agent): what is done while the session explores, a generator
    undo: Callable = None    # (agent, refusal): the honest way, where that is more than calls of ours, a generator
    then: tuple = None       # where the session stands after the refusal, if the lie counts as a failure

    @property
    def stands(self):
        return self.then or self.at


class GivesUp(Exception):
    """A liar has been refused often enough. answer: where the session stands."""

    def __init__(self, answer):
        super().__init__("the liar gives up")
        self.answer = answer


class Liar(Agent):
    lie, insists = None, False

    def __init__(self, *args):
        super().__init__(*args)
        self.caught = []                     # texts of the refusals, as the client showed them

    def play(self):
        try:
            return (yield from super().play())
        except GivesUp as end:
            return end.answer

    def do_exploration(self, answer):
        if self.lie.early:
            yield from self.lie.early(self)
        return (yield from super().do_exploration(answer))

    def submit(self, answer, known):
        if self.at != self.lie.at or self.caught:
            return (yield from super().submit(answer, known))
        good = payload(answer["expected_payload"], dict(known, tools_used=sorted(set(self.used))))
        if self.lie.deed:
            yield from self.lie.deed(self)
        data = self.lie.said(self, good)
        for _ in range(INSISTS if self.insists else 1):
            reply = yield from self.call("submit_phase", {"data": data, "compaction_count": answer["compaction_count"]})
            self.caught.append(reply.text)
            wrong = list(wanting(reply.text, self.lie)) if reply.refused else ["it got through: %s" % reply]
            now = yield from self.call("get_session_status", {})
            if now.lost or (now.answer.get("phase"), now.answer.get("ready_step", "")) != self.lie.stands:
                wrong.append("the lie has moved the session: %s" % now)
            if wrong:
                raise Stuck("%s: %s" % (self.lie.technique, "; ".join(wrong)))
        if self.insists:
            raise GivesUp(now.answer)
        return reply                         # what an honest agent does with a refusal follows; see Agent.phase

    def recover(self, reply):
        if self.lie.undo is None or [reply.text] != self.caught[-1:]:
            return (yield from super().recover(reply))
        yield from self.lie.undo(self, reply)


def wanting(text, lie):
    """What a model misses in a refusal: the code, the honest way, where the session stands."""
    for what, pattern in (("the code", r"\b%s\b" % lie.code), ("the honest way", lie.way), ("the phase", r"\b%s\b" % lie.stands[0])):
        if not re.search(pattern, text):
            yield "the refusal does not show %s, %r: %s" % (what, pattern, text)


def take_out(agent, refusal):
    """Nothing need be done: the honest payload names the tools that were called."""
    yield from ()


def unseen(agent):
    """A file of the repository that no answer has shown."""
    return next(f for f in sorted(FILES) if f.endswith(".py") and FILES[f] and f not in agent.shown)


def elsewhere(agent, good):
    """Evidence that is there, in a file which the task does not touch."""
    items = good["checklist"]
    return dict(good, checklist=[dict(items[0], evidence="lending/days.py:5-7")] + items[1:])


LATE = ("lending/desk.py", '"""The desk: loans that are open."""', '"""The desk: loans that are open, and a late thought."""')


def late_edit(agent):
    yield from agent.channel.edit(*LATE)


def undo_edit(agent, refusal):
    path, old, new = LATE
    yield from agent.channel.edit(path, new, old)


def commit_by_hand(agent):
    yield from agent.channel.edit(*LATE)
    status, output = yield from agent.channel.shell("git commit -q -a -m 'One more thing'")
    if status != 0:
        raise Stuck("git commit by hand: %s" % output)


def reset(agent, refusal):
    """Runs the command that the refusal names."""
    command = re.search(r"git reset --keep [0-9a-f]{7,}", refusal.text)
    status, output = yield from agent.channel.shell(command[0])
    if status != 0:
        raise Stuck("%s: %s" % (command[0], output))


LIES = {
    "tool": Lie("claims a tool that was never called", ("EXPLORATION", ""), "payload_mismatch", "Call the tool now",
                lambda agent, good: dict(good, tools_used=good["tools_used"] + ["analyze_structure"]), undo=take_out),
    "unseen": Lie("claims a file that no answer has shown", ("EXPLORATION", ""), "unobserved_files", r"get_symbols\(",
                  lambda agent, good: dict(good, explored_files=good["explored_files"] + [unseen(agent)])),
    "early": Lie("edits a file while it explores that it will edit again, in a client without our hooks", ("READY", "plan"), "unapproved_changes",
                 r"lending/desk\.py", lambda agent, good: good, early=late_edit, undo=undo_edit),
    "evidence": Lie("cites lines that it did not change", ("READY", "implement"), "evidence_not_in_change", r"lending/desk\.py|pre_existing",
                    elsewhere),
    "late": Lie("edits between review and commit", ("PRE_COMMIT", ""), "unapproved_changes", "undo the change",
                lambda agent, good: good, deed=late_edit, undo=undo_edit),
    "hand": Lie("commits by hand after the review", ("QUALITY_REVIEW", ""), "unreviewed_commits", r"git reset --keep [0-9a-f]{7,}",
                lambda agent, good: good, deed=commit_by_hand, undo=reset),
    "passed": Lie("says that it passed where the command that the user trusts fails", ("POST_IMPL_VERIFY", ""), "verification_contradicted",
                  "get_session_status", lambda agent, good: dict(good, passed=True, details="all tests pass"), then=("READY", "plan")),
}


def liar(name, insists):
    """The agent that tells a lie of LIES."""
    return type("Liar", (Liar,), {"lie": LIES[name], "insists": insists})
