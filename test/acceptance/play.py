#!/usr/bin/env python3
"""play.py JOB.json   Plays one scenario with one client. Started by run.py, never by hand.

A job is {"client", "binary", "model", "scenario", "program", "folder", "timeout"}. The
result is FOLDER/report.json; everything else in FOLDER is for reading:

    project/       the repository           deeds.jsonl   what the agent did, and what came back
    model/         requests to the model    mcp.jsonl     frames between client and server
    run-N.std*     the client's output      home/         the client's home
"""
import json
import os
import subprocess
import sys
import time
import traceback

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import checks                                                        # noqa: E402
import fixture                                                       # noqa: E402
import channels                                                         # noqa: E402
import uninstall                                                     # noqa: E402
from agent import Stuck                                              # noqa: E402
from harness import clients, model                                   # noqa: E402
from scenarios import EVERY, SCENARIOS                               # noqa: E402

CLIENTS = {"claude": clients.Claude, "codex": clients.Codex}
PROMPT = "Use code-intel for this: %s"
PROMPTS = 12                                             # more than any user here types
COMMANDS = {"claude": "/code %s", "codex": "$code %s"}   # the skill, as set up; in a plugin it has the plugin's name before it


# The program as an installed client finds it, with an ear at the server.
PROGRAM = """#!/bin/sh
if [ "$1" = mcp ]; then exec '%s' '%s/harness/tap.py' '%s' '%s' -- '%s' "$@"; fi
exec '%s' "$@"
"""

# A git hook that kills the server that runs this git, once at each step. In the state
# "prepared" nothing has happened yet; a git whose server is dead already ends in peace.
AXE = """#!/bin/sh
test "$1" = prepared && exit 0
step="$(basename "$0") $1 $2 $(cat)"
server=$(cut -d ' ' -f 4 /proc/$PPID/stat)
test "$server" = "$(cat '%s')" || exit 0
grep -qxF "$step" '%s' 2>/dev/null && exit 0
echo "$step" >>'%s'
kill -9 "$server"
"""


class Game:
    """One scenario in one folder."""

    def __init__(self, job):
        self.job, self.scenario = job, SCENARIOS[job["scenario"]]
        self.folder = job["folder"]
        self.root, self.deeds = self.folder + "/project", self.folder + "/deeds.jsonl"
        self.pidfile = self.folder + "/server.pid"
        os.makedirs(self.root)
        os.makedirs(self.folder + "/home", exist_ok=True)
        self.environment = {"PATH": clients.SYSTEM_PATH, "HOME": self.folder + "/home", "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1"}
        self.agent, self.last, self.failures, self.end = None, None, [], None
        self.settings, self.printed = None, []

    def prepare(self):
        self.base = fixture.make(self.root, self.job["program"], self.environment, self.scenario.lang)
        if self.scenario.worktree:
            fixture.into_worktree(self.root, self.folder + "/main")
        if self.scenario.trusts:
            fixture.command_line(self.root, self.job["program"], self.environment, "trust", fixture.VERIFIER)
        for path, text in self.scenario.user.items():
            fixture.put(self.root, path, text)
        if self.scenario.axe:
            for hook in ("reference-transaction", "post-checkout"):
                fixture.put(self.root, ".git/hooks/" + hook, AXE % (self.pidfile, self.folder + "/axe.log", self.folder + "/axe.log"))
                os.chmod(self.root + "/.git/hooks/" + hook, 0o755)
                fixture.command_line(self.root, self.job["program"], self.environment, "trust", "hooks/" + hook)

    def install(self):
        """Sets the client up by `code-intel install`, as its user would, and commits what that made."""
        os.makedirs(self.folder + "/bin")
        for path, text in self.scenario.settings.get(self.job["client"], {}).items():
            fixture.put(self.root, path, text)
        if self.scenario.settings:
            fixture.git(self.root, "add", "-A")
            fixture.git(self.root, "commit", "-q", "-m", "Settings of the project")
        with open(self.folder + "/bin/code-intel", "w") as f:
            f.write(PROGRAM % (sys.executable, HERE, self.folder + "/mcp.jsonl", self.pidfile, *[self.job["program"]] * 2))
        os.chmod(self.folder + "/bin/code-intel", 0o755)
        self.settings = uninstall.Settings(self.root, self.folder + "/home", self.job["client"], self.told)
        self.told("install")
        self.settings.installed()
        if self.scenario.worktree and self.job["client"] == "codex":     # which takes hooks from the main working tree alone
            fixture.command_line(self.folder + "/main", self.job["program"], dict(self.environment, CODEX_HOME=self.folder + "/home/.codex"),
                                 "install", "codex", "--yes", "--program", self.folder + "/bin/code-intel")
        if fixture.git(self.root, "status", "--porcelain"):
            fixture.git(self.root, "add", "-A")
            fixture.git(self.root, "commit", "-q", "-m", "Set the agent up")
        self.base = fixture.git(self.root, "rev-parse", "HEAD").strip()

    def told(self, verb):
        """Runs install or uninstall for the client."""
        where = ["--plugin", self.folder + "/plugin"] if self.scenario.installs == "plugin" else ["--scope", self.scenario.installs]
        environment = dict(self.environment, CLAUDE_CONFIG_DIR=self.folder + "/home/.claude", CODEX_HOME=self.folder + "/home/.codex")
        named = ["--program", self.folder + "/bin/code-intel"] if verb == "install" else []
        fixture.command_line(self.root, self.job["program"], environment, verb, self.job["client"], "--yes", *where, *named)

    def begin(self, agents_channel):
        self.agent = self.scenario.agent(agents_channel, self.scenario.work(), fixture.TEST_COMMAND, self.scenario.disturb())

    def type(self, line):
        """Flags are what a person has typed, as a hook would note it."""
        if not self.scenario.work().flags:
            return
        os.makedirs(self.root + "/.code-intel/sessions", exist_ok=True)
        with open(self.root + "/.code-intel/sessions/code-line", "w") as f:
            json.dump({"line": "/code " + line, "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}, f)

    def play_direct(self):
        self.type(" ".join(self.scenario.work().flags + [self.scenario.work().query]))
        h = channels.Direct([self.job["program"], "mcp"], self.root, self.deeds, self.environment, self.pidfile)
        if self.scenario.storm:
            h.fuse = self.scenario.fuse()
        self.begin(h)
        steps = self.agent.play()
        try:
            while True:
                next(steps)
        except StopIteration as end:
            self.last = end.value
        finally:
            h.close()

    def play_client(self):
        def script(context):
            h = channels.Session(context, self.root, self.deeds, self.pidfile)
            h.cast, h.client, h.timeout = cast, client, self.job["timeout"]
            self.begin(h)
            self.last = yield from self.agent.play()

        os.makedirs(self.folder + "/model")
        player = model.Player(script)
        cast = model.Cast(player)
        server = model.Server(cast, self.folder + "/model")
        tap = [sys.executable, HERE + "/harness/tap.py", self.folder + "/mcp.jsonl", self.pidfile, "--", self.job["program"], "mcp"]
        client = CLIENTS[self.job["client"]](self.job["binary"], self.job["model"], self.root, self.folder, server.port, tap)
        client.installed = self.install if self.scenario.installs else None
        client.plugin = self.folder + "/plugin" if self.scenario.installs == "plugin" else None
        client.modes = self.scenario.modes
        client.neighbour = [sys.executable, HERE + "/harness/neighbour.py"] if self.scenario.neighbour else None
        client.prepare()
        line = " ".join(self.scenario.work().flags + [self.scenario.work().query])
        command = COMMANDS[self.job["client"]].replace("/", "/code-intel:" if client.plugin else "/")
        prompts = [(command % line if self.scenario.installs else PROMPT % self.scenario.work().query, None)]
        if not self.scenario.installs:
            self.type(line)
        for _ in range(PROMPTS):
            player.new_process()
            prompt, on = prompts[0]
            wrong = client.run(prompt, self.job["timeout"], on)
            if wrong:
                self.failures.append(wrong)
            if wrong or player.ended:
                break
            prompts = prompts[1:] or self.agent.channel.prompts
        server.close()
        self.printed = list(client.printed())
        self.failures += cast.errors
        if player.error:
            self.failures.append(player.error)
        elif not player.ended:
            self.failures.append("the session was not played to its end")

    def check(self):
        world = checks.World(self.root, self.base, self.agent, self.last, self.done(), not self.scenario.storm and not self.scenario.axe,
                             self.job["program"], self.environment)
        world.client, world.printed = self.job.get("name"), self.printed
        for check in self.scenario.check + EVERY:
            self.failures += check(world)
        self.end = checks.ending(world)
        if self.settings:
            self.failures += self.settings.uninstalled()

    def done(self):
        """What the agent did, as its channel noted it."""
        if not os.path.exists(self.deeds):
            return []
        with open(self.deeds) as f:
            return [json.loads(line) for line in f]

    def introduced(self):
        """The name and version by which the client has introduced itself to the server."""
        if not os.path.exists(self.folder + "/mcp.jsonl"):
            return None
        with open(self.folder + "/mcp.jsonl") as f:
            for line in f:
                params = json.loads(line).get("msg", {}).get("params") or {}
                info = params.get("clientInfo") or (params.get("_meta") or {}).get("io.modelcontextprotocol/clientInfo")
                if info:
                    return "%s %s" % (info.get("title") or info["name"], info["version"])

    def run(self):
        began = time.time()
        try:
            self.prepare()
            self.play_client() if self.job["client"] in CLIENTS else self.play_direct()
        except Stuck as e:
            self.failures.append("stuck in %s: %s" % (self.agent.at, e))
        except Exception:                            # told in the report, whatever it is
            self.failures.append(traceback.format_exc())
        played = time.time()
        if self.last is not None:
            try:
                self.check()
            except Exception:
                self.failures.append(traceback.format_exc())
        calls = [d for d in self.done() if d["deed"] == "call"]
        slowest = max(calls, key=lambda c: c["ms"], default=None)
        report = {"failures": self.failures, "seconds": round(played - began, 1), "calls": len(calls),
                  "client": self.introduced(), "end": self.end,
                  "turns": sum(d["deed"] in ("call", "write", "edit", "shell") for d in self.done()),
                  "refusals": self.agent.refusals if self.agent else [],
                  "walk": self.agent.walk if self.agent else [],
                  "slowest": slowest and {"tool": slowest["tool"], "ms": slowest["ms"]}}
        clients.write_json(self.folder + "/report.json", report)


def assert_alone():
    """Real clients run with the loopback and nothing else."""
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    with open("/proc/net/dev") as f:
        interfaces = [line.split(":")[0].strip() for line in f if ":" in line]
    if interfaces != ["lo"]:
        raise SystemExit("refusing to run with interfaces besides the loopback: %s" % interfaces)


if __name__ == "__main__":
    with open(sys.argv[1]) as f:
        JOB = json.load(f)
    if JOB["client"] in CLIENTS:
        assert_alone()
    Game(JOB).run()
