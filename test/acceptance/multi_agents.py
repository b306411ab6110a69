"""Agents that are not alone: one with sub-agents, and one whose project is opened by a second
process of the client."""
import os
import re

from agent import Agent, Stuck
from channels import Session
from hook_agents import Hooked, everything
from replies import Reply

UNSEEN = "lending/report.py"          # which only an agent of the agent reads


class Delegate(Hooked):
    """Has an agent explore a file, and one work on a task. Both try what they must not."""

    def do_exploration(self, answer):
        known = yield from Agent.do_exploration(self, answer)
        if UNSEEN in self.shown:
            raise Stuck("%s was shown to the agent itself" % UNSEEN)
        yield from self.delegate("Look at %s and say what it is for." % UNSEEN, self.explorer)
        return dict(known, explored_files=known["explored_files"] + [UNSEEN])

    def explorer(self, channel):
        root = self.channel.root
        seen = yield from look(channel, UNSEEN)
        if "overdue_notice" not in seen["text"]:
            raise Stuck("the agent's agent could not read %s: %s" % (UNSEEN, seen))
        before = everything(root)
        yield from self.tried("an agent's edit", channel.edit("lending/fees.py", "FEE_PER_DAY = 20", "FEE_PER_DAY = 25"))
        yield from self.tried("an agent's new file", channel.write("early.txt", "too early\n"))
        yield from self.tried("an agent's command", channel.context.shell("echo 'too early' >early.txt"))
        if everything(root) != before:
            raise Stuck("what was denied to an agent's agent was done all the same")

    def do_ready_implement(self, answer):
        if self.reported:
            return (yield from super().do_ready_implement(answer))
        for edit in self.work.tasks()[0].edits:
            yield from self.allowed(edit.path)
        yield from self.delegate("Do the task %s." % answer["next_task"]["id"], self.worker)
        return (yield from super().do_ready_implement(answer))      # which finds the edits made

    def worker(self, channel):
        before = everything(self.channel.root)
        yield from self.tried("an agent's file among those of the server", channel.write(".code-intel/sessions/made.json", "{}\n"))
        if not channel.context.claude:                                # which looks at a file before it edits it
            yield from self.tried("an agent's edit of what nobody looked at",
                                  channel.edit("lending/notices.py", '"""Letters to members."""', '"""Nothing."""'))
        if everything(self.channel.root) != before:
            raise Stuck("what was denied to an agent's agent was done all the same")
        for edit in self.work.tasks()[0].edits:
            yield from channel.edit(edit.path, edit.old, edit.new)

    def delegate(self, prompt, deeds):
        """Has one of the client's sub-agents do something, in its own conversation."""
        done, context = [], self.channel.context

        def script(its):
            yield from deeds(Session(its, self.channel.root, self.channel.log, None))
            done.append(prompt)
            yield {"text": "The work is done."}

        self.channel.cast.enter(prompt, script)
        if context.claude:
            result = yield from context.use("Agent", {"description": "help", "subagent_type": "general-purpose", "prompt": prompt,
                                                      "run_in_background": False})
        else:
            spawned = yield from context.use("spawn_agent", {"message": prompt})
            name = re.search(r'"agent_id"\s*:\s*"([^"]+)"', spawned["text"])
            if not name:
                raise Stuck("no agent was started: %s" % spawned)
            result = yield from context.use("wait_agent", {"targets": [name[1]], "timeout_ms": 120000})
        if done != [prompt] or "The work is done." not in result["text"]:
            raise Stuck("the agent's agent did not do its work: %s %s" % (self.channel.cast.errors, result))


def look(channel, path):
    """Reads a whole file with what the client has for it."""
    if channel.context.claude:
        return (yield {"tool": "Read", "input": {"file_path": os.path.join(channel.root, path)}})[-1]
    return (yield from channel.context.shell("cat " + path))


class Host(Hooked):
    """While it explores, and while it works on a task, a second process of the client is started in
    the project, and asks for the session, and for one of its own, and writes."""

    def __init__(self, *args):
        super().__init__(*args)
        self.told = []                       # the codes that the second one met

    def do_exploration(self, answer):
        self.visit("Delete the tests of this project with code-intel.")
        return (yield from Agent.do_exploration(self, answer))

    def do_ready_implement(self, answer):
        if not self.reported:
            self.visit("Go on with the session of code-intel here.")
        return (yield from super().do_ready_implement(answer))

    def visit(self, prompt):
        def script(context):
            channel = Session(context, self.channel.root, self.channel.log + ".second", None)
            yield from self.second(channel)
            ended.append(prompt)
            yield {"text": "Somebody else is at work here."}

        ended, before = [], everything(self.channel.root)
        self.channel.cast.enter(prompt, script)
        wrong = self.channel.client.run(prompt, self.channel.timeout)
        if wrong or ended != [prompt]:
            raise Stuck("the second client: %s" % (wrong or self.channel.cast.errors or "it was not played to its end"))
        if everything(self.channel.root) != before:
            raise Stuck("the second client has changed something")

    def second(self, channel):
        for tool, arguments in (("start_session", {"intent": "MODIFY", "query": "Delete the tests.", "flags": ["--quick"]}),
                                ("start_session", {"flags": ["--resume"]}),
                                ("submit_phase", {"data": dict(self.latest["expected_payload"], summary="done")}),
                                ("submit_phase", {"data": {"abort": True, "reason": "mine now"}}),
                                ("check_write_target", {"file_path": "lending/fees.py"})):
            reply = yield from channel.call(tool, arguments)
            if not reply.refused:
                raise Stuck("%s(%s) by a second client: %s" % (tool, arguments, reply))
            self.told.append(reply.code)
        if self.at[0] == "EXPLORATION":
            yield from self.tried("a second client's edit", channel.edit("lending/fees.py", "FEE_PER_DAY = 20", "FEE_PER_DAY = 25"))
        yield from self.tried("a second client's command", channel.context.shell("git commit -q --allow-empty -m second"))
        seen = yield from channel.context.shell("cat README.md")
        if "Lending desk" not in seen["text"]:
            raise Stuck("a second client may not even read: %s" % seen)
