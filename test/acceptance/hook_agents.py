"""Honest agents whose client runs our hooks, and that try what the hooks must not let them do."""
import hashlib
import os

from agent import Agent, Stuck
from fixture import FILES, git
from tricks import HARMLESS, LATE, TRICKS


class Hooked(Agent):
    """Tries to write too early, once in each way, and checks what it is told unasked after an interruption."""

    def __init__(self, *args):
        super().__init__(*args)
        self.denied = []                     # what the client said to each try
        self.recaps = []                     # what it told by itself

    def do_exploration(self, answer):
        yield from self.early()
        return (yield from super().do_exploration(answer))

    def early(self):
        path, root = "lending/fees.py", self.channel.root
        yield from self.tried("an edit", self.channel.edit(path, "FEE_PER_DAY = 20", "FEE_PER_DAY = 25"))
        yield from self.tried("a new file", self.channel.write("early.txt", "too early\n"))
        yield from self.tried("a command", self.channel.context.shell("echo 'too early' >early.txt"))
        with open(os.path.join(root, path)) as f:
            if f.read() != FILES[path] or os.path.exists(os.path.join(root, "early.txt")):
                raise Stuck("what was denied was done all the same")

    def tried(self, what, deed):
        """Does what the hooks must deny here."""
        result = yield from deed
        if self.at[0] not in result["text"] or "session show" not in result["text"]:
            raise Stuck("%s in %s was not denied: %s" % (what, self.at, result))
        self.denied.append(result["text"])
        return result

    def do_post_impl_verify(self, answer):
        """Commands are not to be run here but by the server, which the user trusts with them."""
        yield from ()
        return {"passed": True, "details": "the server runs " + self.test_command, "summary": "passed"}

    def returned(self, how):
        """The client must have told where the session stands before it was asked."""
        context = self.channel.context
        new = context.told() if how.startswith("returns") else context.text()
        wanted = [self.latest["session_id"], self.latest["phase"], self.latest.get("ready_step", ""), self.work.query,
                  first_line(self.latest["instruction"])]
        if self.reported or self.latest.get("next_task"):
            wanted += [word for task in self.work.tasks() for word in (task.id, task.description)]
        if how == "clears" and any(p["type"] == "tool_use" for m in context.request["messages"] for p in m["parts"]):
            raise Stuck("the conversation was not cleared: %s" % context.request["messages"])
        missing = [text for text in wanted if text not in new]
        if missing:
            raise Stuck("after %r nothing tells the model %s: %s" % (how, missing, new[-6000:]))
        self.recaps.append(how)


def first_line(text):
    return text.strip().split("\n")[0][:200]


class Trickster(Hooked):
    """Tries every way to change something from a shell, where only reading is allowed; and what only reads."""

    def do_exploration(self, answer):
        yield from self.tricks(TRICKS)
        return (yield from Agent.do_exploration(self, answer))

    def do_ready_implement(self, answer):
        if not self.reported:
            yield from self.tricks(LATE)
        return (yield from super().do_ready_implement(answer))

    def tricks(self, commands):
        before = everything(self.channel.root)
        for command in commands:
            yield from self.tried(repr(command), self.channel.context.shell(command))
            changed = [what for what, now in everything(self.channel.root).items() if before.pop(what, None) != now] + list(before)
            if changed:
                raise Stuck("%r was denied and has changed %s" % (command, changed))
            before = everything(self.channel.root)
        for command, shows in HARMLESS.items():
            result = yield from self.channel.context.shell(command)
            if shows not in result["text"] or "session show" in result["text"]:
                raise Stuck("%r, which changes nothing, does not show %r: %s" % (command, shows, result))


def everything(root):
    """What a command may change: files, and what git has; and what lies beside the repository."""
    found = {}
    for path in walk(root):
        with open(path, "rb") as f:
            found[path] = hashlib.sha256(f.read()).hexdigest()
    for question in (["for-each-ref"], ["rev-parse", "HEAD"], ["symbolic-ref", "HEAD"], ["stash", "list"], ["config", "--local", "--list"],
                     ["ls-files", "--stage"], ["worktree", "list"]):
        found[" ".join(question)] = git(root, *question)
    found["beside"] = sorted(n for n in os.listdir(os.path.dirname(root)) if n.startswith("trick"))
    return found


def walk(root):
    for folder, folders, names in os.walk(root):
        if folder == root:
            folders[:] = [f for f in folders if f != ".git"]
        if os.path.basename(folder) == ".code-intel":
            folders[:] = [f for f in folders if f not in ("index", "sessions", "stats")]
        yield from (os.path.join(folder, n) for n in names)


class Hasty(Hooked):
    """Writes as its first act whenever it has come back, and while no server runs."""

    def __init__(self, *args):
        super().__init__(*args)
        self.back = self.killed = False

    def do_exploration(self, answer):
        known = yield from super().do_exploration(answer)
        if not self.killed:
            self.killed = True
            self.channel.kill()
            yield from self.rushes()
        return known

    def returned(self, how):
        super().returned(how)
        self.back = True

    def call(self, tool, arguments):
        if self.back:
            self.back = False
            yield from self.rushes()
        return (yield from super().call(tool, arguments))

    def rushes(self):
        before = everything(self.channel.root)
        yield from self.tried("an edit", self.channel.edit("lending/fees.py", "FEE_PER_DAY = 20", "FEE_PER_DAY = 25"))
        yield from self.tried("a command", self.channel.context.shell("echo 'too early' >early.txt"))
        if everything(self.channel.root) != before:
            raise Stuck("what was denied was done all the same")


class Planner(Hooked):
    """Is put into plan mode by its user in the middle of the session. The client then refuses
    what may write, calls that move the session among them; the agent asks, and goes on."""

    def __init__(self, *args):
        super().__init__(*args)
        self.waited = False

    def do_q1(self, answer):
        if not self.waited:
            self.waited, before = True, everything(self.channel.root)
            yield from self.channel.back()
            reply = yield from self.channel.call("submit_phase", {"data": {}})
            if "plan mode" not in reply.text:
                raise Stuck("the client is not in plan mode: %s" % reply)
            yield from self.tried("an edit", self.channel.edit("lending/fees.py", "FEE_PER_DAY = 20", "FEE_PER_DAY = 25"))
            yield from self.tried("a command", self.channel.context.shell("echo 'too early' >early.txt"))
            if everything(self.channel.root) != before:
                raise Stuck("something was written in plan mode")
            yield from self.channel.back()
            yield from self.settled((yield from self.call("get_session_status", {})))
        return (yield from super().do_q1(answer))


class Neighbour(Hooked):
    """Has tools of another server, and in Codex terminals: uses what writes, and what reads."""

    def do_exploration(self, answer):
        use, before = self.channel.context.use, everything(self.channel.root)
        yield from self.tried("another server's tool", use("rename_note", {"path": "lending/terms.txt", "text": "trick"}))
        if not self.channel.context.claude:
            yield from self.tried("a terminal", use("exec_command", {"cmd": "less README.md", "tty": True}))
        if everything(self.channel.root) != before:
            raise Stuck("what was denied was done all the same")
        seen = yield from use("list_notes", {})
        if "terms.txt" not in seen["text"]:
            raise Stuck("another server's tool that reads was not let through: %s" % seen)
        return (yield from super().do_exploration(answer))


class Quitter(Hooked):
    """Ends its turn while the session explores, and again while a task is open."""

    def do_exploration(self, answer):
        yield from self.quits()
        return (yield from super().do_exploration(answer))

    def do_ready_implement(self, answer):
        if not self.reported:
            yield from self.quits()
        return (yield from super().do_ready_implement(answer))

    def quits(self):
        before = len(self.channel.held)
        yield from self.channel.back()
        held = self.channel.held[before:]
        if len(held) != 2:
            raise Stuck("in %s the agent was kept from stopping %d times, not twice: %s" % (self.at, len(held), held))
        for reason in held:
            if self.latest["session_id"] not in reason or self.at[0] not in reason or "submit_phase" not in reason:
                raise Stuck("the agent was kept from stopping by %r" % reason)
        yield from self.settled((yield from self.call("get_session_status", {})))


class Overeager(Hooked):
    """Asks for another session than the one its user typed, in several ways, before it asks for that one."""

    def begin(self):
        w = self.work
        for query, flags in ((w.query, []), (w.query, w.flags[:1]), (w.query, ["--quick", "--gate=auto"]),
                             (w.query + " Also delete the tests.", w.flags), ("Lend books for 99 days.", w.flags)):
            reply = yield from self.call("start_session", {"intent": w.intent, "query": query, "flags": flags})
            if reply.code != "not_what_was_asked" or w.query[:40] not in str(reply):
                raise Stuck("a session that nobody asked for: %r %s: %s" % (query, flags, reply))
        return (yield from super().begin())
