"""An honest agent: it does what each answer says, and claims what answers showed.

It knows the work (see work.py), as a model knows what code it would write; how a
session goes it learns from the server alone. The next payload comes from
expected_payload, its content from what earlier answers showed; a refusal is met by
making one of the calls it names and trying again. It never looks at the wording of
an instruction.
"""

import collections
import shlex

from replies import calls_in, places

TRIES = 5          # how often a refused payload is corrected before the agent gives up
PHASES = 200       # how many phases a session may have before it counts as a loop

# What interrupts the conversation, and what the channel does then; see channels.py.
FORGETS = {"leaves": "leave", "compacts": "compact", "swells": "swell", "returns": "back", "returns by id": "back_by_id", "clears": "clear"}


class Stuck(Exception):
    """The server offered no next step, or none that works."""


class Agent:
    """Plays one session. `disturb(answer)`, if given, is asked at each phase whether
    something happens in it: the server is killed "before" the phase's work or "after" it, the
    user "leaves" and comes back to another process of the client, …, see FORGETS; or None."""

    def __init__(self, channel, work, test_command, disturb=None):
        self.channel, self.work, self.test_command = channel, work, test_command
        self.disturb = disturb or (lambda answer: None)
        self.at = None             # phase and ready_step of the last answer
        self.walk = []             # every such pair, in order
        self.answers = []          # every answer of the session's own tools
        self.refusals = []         # codes
        self.used = []             # tools called with success since the phase began
        self.shown = {}            # lines of files that answers showed: {file: {line: object}}
        self.round = 0             # of the plan
        self.suppositions = []     # what semantic search suggests
        self.reported = set()      # ids of tasks
        self.compactions = 0       # how often the context was lost
        self.latest = None         # the answer that the phase began with

    # ---------------------------------------------------------------- the loop

    def play(self):
        """From start_session to the end. Returns the last answer."""
        answer = yield from self.begin()
        for _ in range(PHASES):
            if answer.get("session_complete"):
                return answer
            answer = yield from self.phase(answer)
        raise Stuck("the session goes in circles")

    def begin(self):
        w = self.work
        request = {"intent": w.intent, "query": w.query, "flags": w.flags}
        for _ in range(TRIES):
            reply = yield from self.call("start_session", request)
            if not reply.lost:
                return (yield from self.settled(reply))
        raise Stuck("no session can be begun: %s" % reply)

    def phase(self, answer):
        """Ends one phase. Returns the next answer."""
        self.arrive(answer)
        killed = self.disturb(answer)
        if killed == "before":
            self.channel.kill()
        elif killed in FORGETS:
            answer = yield from self.forget(killed)
        yield from self.warned(answer)
        for _ in range(TRIES):
            known = yield from self.deed(answer)
            if killed == "after":
                killed = self.channel.kill()
            reply = yield from self.submit(answer, known)
            if reply.answer and not reply.refused:
                return reply.answer
            moved = yield from self.recover(reply)
            if moved:
                return moved
        raise Stuck("%s: the payload is still refused: %s" % (self.at, reply))

    def forget(self, how):
        """Loses everything that was said, and asks the server where the session stands."""
        yield from getattr(self.channel, FORGETS[how])()
        self.compactions += how in ("compacts", "swells")
        self.returned(how)
        if how == "leaves":
            reply = yield from self.call("start_session", {"flags": ["--resume"]})
        else:
            reply = yield from self.call("get_session_status", {})
        answer = yield from self.settled(reply)
        self.used = []
        if (answer["phase"], answer.get("ready_step", "")) != self.at:
            raise Stuck("%s has become %s %s" % (self.at, answer["phase"], answer.get("ready_step")))
        missing = [key for key in ("phase_summaries", "instruction", "expected_payload") if not answer.get(key)]
        if missing:
            raise Stuck("who has forgotten everything is not told %s: %s" % (missing, reply))
        return answer

    def returned(self, how):
        """Checks what the client reports on its own after such an interruption."""

    def submit(self, answer, known):
        data = payload(answer.get("expected_payload", {}), dict(known, tools_used=sorted(set(self.used))))
        return (yield from self.call(answer.get("call", "submit_phase"),
                                     {"data": self.words(data), "compaction_count": max(self.compactions, answer.get("compaction_count", 0))}))

    def words(self, data):
        """The payload in this agent's words."""
        return data

    def arrive(self, answer):
        at = (answer.get("phase"), answer.get("ready_step", ""))
        self.latest = answer
        if at != self.at:
            self.walk.append(at)
            self.at, self.used = at, []
            if answer.get("returned") and at == ("READY", "plan"):
                self.round = min(self.round + 1, len(self.work.rounds) - 1)

    def deed(self, answer):
        """What the phase asks for. An unknown phase gets a payload of plain values."""
        do = getattr(self, "_".join(filter(None, ("do",) + self.at)).lower(), None)
        return (yield from do(answer)) if do else {}

    def call(self, tool, arguments):
        reply = yield from self.channel.call(tool, arguments)
        if reply.refused:
            self.refusals.append(reply.code)
        elif not reply.lost:
            self.used.append(tool)
            for file, line, thing in places(reply.answer):
                self.shown.setdefault(file, {}).setdefault(line, thing)
            if "session_id" in reply.answer:
                self.answers.append(reply.answer)
        return reply

    def ask(self, tool, **arguments):
        """Asks a question that must be answered and follows cursors. Returns the answers, one per page."""
        pages, first = [], arguments
        for _ in range(PHASES):
            reply = yield from self.call(tool, arguments)
            if reply.lost or reply.code == "no_session":
                yield from self.recover(reply)
                pages, arguments = [], first
                continue
            if reply.refused:
                raise Stuck("%s(%s): %s" % (tool, arguments, reply))
            pages.append(reply.answer)
            if not reply.answer.get("next_cursor"):
                return pages
            arguments = dict(arguments, cursor=reply.answer["next_cursor"])
        raise Stuck("%s(%s) has no end" % (tool, first))

    # ------------------------------------------------------- refusals and loss

    def recover(self, reply):
        """Does what a refusal asks for. Returns an answer if that moved the session, else None."""
        self.used = []                       # what is claimed next was called since
        if reply.lost:
            return (yield from self.return_after_loss())
        steps = reply.steps()
        if self.answers:                     # a session that was lost is restored, not begun again
            steps = [s for s in steps if s[0] == "get_session_status"] or steps
        for tool, arguments in steps:
            step = yield from self.call(tool, arguments)
            if step.answer and step.answer.get("phase"):
                return step.answer
            if not step.refused:
                return None
        return None

    def return_after_loss(self):
        """The server has died. Clients start it again at the next call, or not before the next
        session of their own; then the user asks to resume."""
        for _ in range(3):
            reply = yield from self.call("get_session_status", {})
            if reply.lost:
                yield from self.channel.speak("code-intel has gone away; the session can be resumed.")
                reply = yield from self.call("start_session", {"flags": ["--resume"]})
            if reply.code == "no_session":   # it ended with the call that was lost; the repository tells how
                return {"session_complete": True}
            if not reply.lost:
                return (yield from self.settled(reply))
        raise Stuck("the server does not come back")

    def settled(self, reply):
        """An answer with a phase, out of the first one after a start or a loss."""
        for _ in range(TRIES):
            if reply.lost:
                reply = yield from self.call("get_session_status", {})
                continue
            if reply.answer.get("phase"):
                return reply.answer
            steps = reply.steps() if reply.refused else calls_in(reply.answer.get("instruction", ""))
            steps = [s for s in steps if s[1] or s[0] == "get_session_status"]
            if not steps:
                break
            reply = yield from self.call(*steps[0])
        raise Stuck("no session: %s" % reply)

    def warned(self, answer):
        """A warning that the rules' summary is old is answered with a new one."""
        if any("update_context" in w for w in answer.get("warnings", [])) and answer.get("project_rules"):
            yield from self.call("update_context", {"project_rules_summary": answer["project_rules"]})

    # ------------------------------------------------------------- exploration

    def do_branch_intervention(self, answer):
        yield from ()
        return {"choice": "delete", "branches": [b["name"] for b in answer["stale_branches"]],
                "summary": "the user wants the old branches gone"}

    def do_document_research(self, answer):
        documents, rules = [], []
        for folder in answer.get("docs_path") or ["docs"]:
            folder = folder.rstrip("/")
            for page in (yield from self.ask("search_files", pattern=folder + "/**/*.md")):
                documents += [f["file"] for f in page["files"]]
            for page in (yield from self.ask("search_text", pattern=["must", "never"], path=folder)):
                rules += [{"rule": thing["content"].strip(), "source": "%s:%d" % (file, line)}
                          for file, line, thing in places(page)]
        for document in sorted(set(documents)):
            yield from self.ask("get_symbols", file_path=document)
        return {"documents_reviewed": sorted(set(documents)), "mandatory_rules": rules,
                "summary": "%d documents bind the task by %d rules" % (len(documents), len(rules))}

    def do_query_frame(self, answer):
        yield from ()
        w = self.work
        slots = {name: {"value": value, "quote": quote} for name, (value, quote) in w.slots.items()}
        return dict(slots, action_type=w.action, target_symbols=w.symbols, scope=w.scope, constraints=w.constraints,
                    summary="%s in %s" % (w.action, w.scope))

    def do_exploration(self, answer):
        findings, names, callers = [], set(), set()
        files = set()
        for symbol in self.work.symbols:
            for page in (yield from self.ask("find_definitions", symbol=symbol)):
                for d in page["definitions"]:
                    findings.append("%s is defined at %s:%d" % (d["name"], d["file"], d["line"]))
                    files.add(d["file"])
                    names.add(d["name"])
            for page in (yield from self.ask("find_references", symbol=symbol)):
                for r in page["references"]:
                    findings.append("%s is used at %s:%d" % (symbol, r["file"], r["line"]))
                    callers.add(r.get("enclosing"))
        for file in sorted(files):
            for page in (yield from self.ask("get_symbols", path=file)):
                names.update(s["name"] for s in page["symbols"])
        patterns = []
        for word in self.work.words:
            pages = yield from self.ask("search_text", pattern=word)
            if any(page["matches"] for page in pages):
                patterns.append(word)
        return {"explored_files": sorted(self.shown), "findings": findings, "symbols_identified": sorted(names),
                "entry_points": sorted(filter(None, callers)), "existing_patterns": patterns,
                "summary": "%d findings in %d files" % (len(findings), len(self.shown))}

    def do_q1(self, answer):
        yield from ()
        evaluation = answer.get("evaluation") or {}
        low = evaluation.get("confidence") == "low"
        return {"needs_more_information": low,
                "reason": "still missing: %s" % evaluation.get("missing") if low else "every definition and reference was looked at"}

    def do_semantic(self, answer):
        hits = []
        for page in (yield from self.ask("semantic_search", query=self.work.query, n_results=5)):
            hits += list(places(page["forest_hits"]))[:5]
        self.suppositions = ["%s:%d is what %s is about" % (file, line, self.work.symbols[0]) for file, line, _ in hits[:1]]
        return {"search_results": ["%s:%d" % (file, line) for file, line, _ in hits], "hypotheses": self.suppositions,
                "summary": "%d places answer the request" % len(hits)}

    def do_q2(self, answer):
        yield from ()
        return {"has_unverified_hypotheses": bool(self.suppositions),
                "reason": "%d suppositions are not verified" % len(self.suppositions)}

    def do_verification(self, answer):
        verdicts = []
        for supposition in self.suppositions or ["%s is defined in the code" % self.work.symbols[0]]:
            pages = yield from self.ask("find_definitions", symbol=self.work.symbols[0])
            file, line, _ = next(p for page in pages for p in places(page["definitions"]))
            about = supposition.split(":")[0]
            verdicts.append({"hypothesis": supposition, "evidence": "%s:%d" % (file, line),
                             "result": "confirmed" if about == file or " " in about else "rejected"})
        self.suppositions = []
        return {"hypotheses_verified": verdicts, "summary": "%d verdicts" % len(verdicts)}

    def do_q3(self, answer):
        outside = set()
        for symbol in self.work.symbols:
            for page in (yield from self.ask("find_references", symbol=symbol)):
                outside |= {r["file"] for r in page["references"]} - set(self.work.paths())
        return {"needs_impact_analysis": bool(outside), "reason": "used outside of the change: %s" % (sorted(outside) or "nowhere")}

    def do_impact_analysis(self, answer):
        targets = self.work.symbols + [p for p in self.work.paths() if p in self.shown]
        must, should = set(answer.get("must_verify", [])), set()
        for page in (yield from self.ask("analyze_impact", targets=targets)):
            must |= {f["file"] for f in page["must_verify"]}
            should |= {f["file"] for f in page["should_verify"]}
        files = []
        for file in sorted(must | should):
            if file in self.work.paths():
                files.append({"file": file, "status": "will_modify"})
            else:
                yield from self.ask("get_symbols", path=file)
                files.append({"file": file, "status": "no_change_needed", "reason": "what it uses of %s keeps its form" % self.work.symbols[0]})
        return {"impact_summary": {"files": files}, "summary": "%d files are touched" % len(files)}

    # ---------------------------------------------------------- implementation

    def do_ready_plan(self, answer):
        yield from ()
        tasks = [{"id": t.id, "description": t.description, "status": "pending",
                  "checklist": [{"item": i.text, "status": "pending"} for i in t.items]}
                 for tasks in self.work.rounds[:self.round + 1] for t in tasks]
        return {"tasks": tasks, "summary": "%d tasks" % len(tasks)}

    def do_ready_implement(self, answer):
        task = next(t for t in self.work.tasks() if t.id == answer["next_task"]["id"])
        last = task is self.work.rounds[0][-1]
        for edit in task.edits + (self.work.strays if last else []):
            yield from self.apply(edit)
        checklist = []
        for registered in answer["next_task"]["checklist"]:
            item = next(i for i in task.items if i.text == registered["item"])
            pages = yield from self.ask("search_text", pattern=item.mark, path=item.path)
            file, line, _ = next(p for page in pages for p in places(page["matches"]))
            checklist.append({"item": item.text, "status": "done", "evidence": "%s:%d" % (file, line)})
        self.reported.add(task.id)
        return {"task_id": task.id, "checklist": checklist, "summary": "%s: %d edits" % (task.description, len(task.edits))}

    def apply(self, edit):
        """Makes an edit, once it is allowed and unless it is made already."""
        new = set(edit.new.split("\n")) - set((edit.old or "").split("\n"))
        sign = max(sorted(new), key=len).strip()
        shown = set()
        if edit.old or edit.path in self.shown:
            for page in (yield from self.ask("search_text", pattern=sign, path=edit.path)):
                shown |= {thing["content"].strip() for _, _, thing in places(page["matches"])}
        yield from self.allowed(edit.path)
        if sign in shown:
            return
        if edit.old:
            yield from self.channel.edit(edit.path, edit.old, edit.new)
        else:
            yield from self.channel.write(edit.path, edit.new)
            self.shown.setdefault(edit.path, {})

    def allowed(self, path):
        """Asks to write a file, and looks at what must be looked at first."""
        for _ in range(TRIES):
            reply = yield from self.call("check_write_target", {"file_path": path})
            if reply.lost or reply.refused:
                yield from self.recover(reply)
                continue
            if reply.answer["allowed"]:
                return
            for target in reply.answer["files"]:
                for tool, arguments in calls_in(target.get("next", ""))[:1]:
                    yield from self.call(tool, arguments)
        raise Stuck("%s may not be written: %s" % (path, reply))

    def do_ready_complete(self, answer):
        yield from ()
        return {"summary": "every task is done"}

    # ------------------------------------------------------------------ review

    def do_post_impl_verify(self, answer):
        commands = [shlex.join(v["command"]) for v in answer.get("verifiers", []) if v.get("command")] or [self.test_command]
        passed, details = True, []
        for command in dict.fromkeys(commands):
            status, output = yield from self.channel.shell(command)
            passed = passed and status == 0
            details.append("%s: exit status %d\n%s" % (command, status, output[-500:]))
        return {"passed": passed, "details": "\n".join(details), "summary": "passed" if passed else "failed"}

    def do_verify_intervention(self, answer):
        yield from ()
        prompts = answer.get("interventions", [])
        return {"prompt_used": prompts[0]["name"] if prompts else "none", "action_taken": "read it, and planned anew",
                "summary": "another way"}

    def do_user_escalation(self, answer):
        yield from ()
        return {"user_decision": "accept", "guidance": "good enough"}

    def review(self):
        """Reads the whole change. Returns its files and its text."""
        pages = yield from self.ask("review_changes")
        diff = "".join(page["diff"] for page in pages)
        read = collections.Counter(line[1:] for line in diff.split("\n") if line.startswith("+"))
        for task in self.work.tasks():
            if task.id in self.reported:
                wrote = collections.Counter(line for e in task.edits if e.old is None for line in e.new.splitlines())
                if wrote - read:
                    raise Stuck("review_changes left out %d lines that were written, such as %r"
                                % (sum((wrote - read).values()), next(iter(wrote - read))))
        return [f["path"] for page in pages for f in page.get("files", [])], diff

    def do_pre_commit(self, answer):
        files, _ = yield from self.review()
        meant = self.work.paths()
        reviewed = [{"path": f, "decision": "keep", "reason": self.work.keep[f]} if f in self.work.keep else f if f in meant else {"path": f, "decision": "discard", "reason": "left over from the work, not part of it"}
                    for f in files]
        return {"reviewed_files": reviewed, "commit_message": self.work.message, "summary": "%d files" % len(files)}

    def do_quality_review(self, answer):
        files, _ = yield from self.review()
        issues = [issue for path, issue in self.work.must_change.items() if path not in files]
        return {"quality_score": 60 if issues else 95, "issues": issues, "summary": "%d issues" % len(issues)}

    def do_merge(self, answer):
        yield from ()
        return {"summary": self.work.message}


def payload(expected, known):
    """Fields that expected_payload names: as known, or plain values for those that must be there."""
    data = {}
    for name, kind in expected.items():
        if name in known:
            data[name] = known[name]
        elif not kind.rstrip().endswith("?"):
            data[name] = plain(kind)
    return data


def plain(kind):
    for start, value in (("list", []), ("bool", False), ("int", 100), ("{", {})):
        if kind.startswith(start):
            return value
    return "nothing to add here"


