"""A clumsy agent: it makes mistakes before it does the right thing.

Each wrong step must be refused with a code, a way on, and where the session
stands; and it must change nothing, which the checks at the end find out.
"""
from agent import Agent, Stuck, payload
from fixture import FILES

HASTY = "docs/loans.md"      # this file is written before it is asked for


class Clumsy(Agent):
    def __init__(self, *args):
        super().__init__(*args)
        self.fumbled = set()

    def refused(self, what, tool, **arguments):
        reply = yield from self.call(tool, arguments)
        if not reply.refused:
            raise Stuck("%s was not refused: %s" % (what, reply))
        if not reply.answer["legal_next"]:
            raise Stuck("%s: the refusal names no way on: %s" % (what, reply))
        if self.at and self.at[0] not in reply.text:
            raise Stuck("%s: the refusal does not say where the session stands: %s" % (what, reply.text))

    def begin(self):
        w = self.work
        yield from self.refused("a flag that there is not", "start_session", intent=w.intent, query=w.query, flags=["--faster"])
        yield from self.refused("two flags that exclude each other", "start_session", intent=w.intent, query=w.query, flags="-f -q")
        yield from self.refused("an intent that there is not", "start_session", intent="PLAY", query=w.query)
        yield from self.refused("a payload without a session", "submit_phase", data={"summary": "hello"})
        return (yield from super().begin())

    def deed(self, answer):
        if self.first("deed"):
            if self.at != ("READY", "implement"):
                yield from self.no_write()
            if self.at[0] == "QUERY_FRAME":
                yield from self.refused("a second session", "start_session", intent="QUESTION", query="what is this?")
                yield from self.refused("a review with nothing to review", "review_changes")
            if self.at[0] in ("EXPLORATION", "PRE_COMMIT"):     # nothing was looked at yet
                guess = {"findings": ["all is well"], "reviewed_files": self.work.paths(), "commit_message": "all of it", "summary": "done"}
                yield from self.refused("a payload before the work", "submit_phase", data=payload(answer["expected_payload"], guess))
        return (yield from super().deed(answer))

    def no_write(self):
        """Writing is for READY implement; nothing else may allow it."""
        reply = yield from self.call("check_write_target", {"file_path": "lending/desk.py"})
        if not reply.refused and reply.answer["allowed"]:
            raise Stuck("%s: lending/desk.py may be written" % (self.at,))

    def allowed(self, path):
        if path == HASTY and self.first(HASTY):
            return
        yield from super().allowed(path)

    def submit(self, answer, known):
        good = payload(answer["expected_payload"], dict(known, tools_used=sorted(set(self.used))))
        for what, wrong in self.wrongs(answer, good) if self.first("submit") else ():
            yield from self.refused(what, "submit_phase", data=wrong)
        if self.at[0] == "PRE_COMMIT" and self.first("late edit"):
            path, text = next((e.path, e.new) for t in self.work.tasks() for e in t.edits if e.path.endswith(".py") and e.old is None)
            yield from self.channel.write(path, text + "# late\n")
            yield from self.refused("an edit after the review", "submit_phase", data=good)
            yield from self.channel.write(path, text)
            yield from self.review()
        return (yield from super().submit(answer, known))

    def wrongs(self, answer, good):
        """Payloads that look like the correct one but are not."""
        required = [k for k, kind in answer["expected_payload"].items() if not kind.rstrip().endswith("?")]
        if required:
            yield "an empty payload", {}
        for key in required:
            yield "a payload without " + key, {k: v for k, v in good.items() if k != key}
        for key in good:
            if isinstance(good[key], bool):
                yield "a word for a truth value", dict(good, **{key: "false"})
        if "tools_used" in good:
            yield "a tool that was not called", dict(good, tools_used=good["tools_used"] + ["fetch_chunk_detail"])
        if "explored_files" in good:
            unseen = next(f for f in sorted(FILES) if f not in self.shown and f.endswith(".py") and FILES[f])
            yield "a file that was not shown", dict(good, explored_files=good["explored_files"] + [unseen])
        if "mandatory_rules" in good:
            yield "a rule that stands nowhere", dict(good, mandatory_rules=[{"rule": "be quick", "source": "docs/rules.md:400"}])
        if "target_feature" in good:
            yield "a quote that was never said", dict(good, target_feature={"value": "the shop", "quote": "the shop"})
        if "tasks" in good:
            yield "a task without a checklist", dict(good, tasks=[dict(good["tasks"][0], checklist=[])])
        if "checklist" in good:
            items = good["checklist"]
            yield "a task that there is not", dict(good, task_id="another")
            yield "an item left out", dict(good, checklist=items[1:])
            yield "an item not done", dict(good, checklist=[dict(items[0], status="pending")] + items[1:])
            yield "a place that did not change", dict(good, checklist=[dict(items[0], evidence="lending/days.py:1")] + items[1:])
            yield "a line that is not there", dict(good, checklist=[dict(items[0], evidence="lending/desk.py:9999")] + items[1:])
            yield "a skip without a reason", dict(good, checklist=[{"item": items[0]["item"], "status": "skipped", "reason": "no"}] + items[1:])
        if "details" in good:
            yield "a verification of nothing", dict(good, details="ok")
        if "reviewed_files" in good:
            yield "a changed file left out", dict(good, reviewed_files=good["reviewed_files"][1:])
        if "quality_score" in good:
            yield "a score beyond the scale", dict(good, quality_score=1000)

    def first(self, what):
        """True once per phase."""
        new = (self.at, what) not in self.fumbled
        self.fumbled.add((self.at, what))
        return new
