"""An honest agent whose client runs our hooks: it tries to write too early, once in each way."""
import os

from agent import Agent, Stuck
from fixture import FILES


class Hooked(Agent):
    def __init__(self, *args):
        super().__init__(*args)
        self.denied = []                     # what the client said to each try

    def do_exploration(self, answer):
        path, root = "lending/fees.py", self.hands.root
        early = os.path.join(root, "early.txt")
        for what, result in (
                ("an edit", (yield from self.hands.edit(path, "FEE_PER_DAY = 20", "FEE_PER_DAY = 25"))),
                ("a new file", (yield from self.hands.write("early.txt", "too early\n"))),
                ("a command", (yield from self.hands.context.shell("echo 'too early' >early.txt")))):
            if "EXPLORATION" not in result["text"]:
                raise Stuck("%s in EXPLORATION was not denied: %s" % (what, result))
            self.denied.append(result["text"])
        with open(os.path.join(root, path)) as f:
            if f.read() != FILES[path] or os.path.exists(early):
                raise Stuck("what was denied was done all the same")
        return (yield from super().do_exploration(answer))

    def do_post_impl_verify(self, answer):
        """Commands are not to be run here but by the server, which the user trusts with them."""
        yield from ()
        return {"passed": True, "details": "the server runs " + self.test_command, "summary": "passed"}
