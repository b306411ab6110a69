#!/usr/bin/env python3
"""Plays whole /forge pipelines by real clients with a scripted model.

    python3 test/acceptance/forge.py                         everything
    python3 test/acceptance/forge.py --client direct         no client, no network: seconds
    python3 test/acceptance/forge.py --client claude --scenario M

The model orchestrates as the /forge skill says: it asks for the next action, does
that, reports. Agents are Claude Code's own sub-agents, of the types that our agent
files define; with other clients the orchestrator writes what an agent would. A bare
repository is the remote. Besides the model there is one stand-in, for gh: it notes
its arguments. Checked is what is left: branch, commits, remote, the calls of gh, the
tree, the state, the history.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
import traceback

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import fixture                                                       # noqa: E402
import channels                                                         # noqa: E402
import install                                                       # noqa: E402
from fixture import git                                              # noqa: E402
from harness import clients, model                                   # noqa: E402

KINDS = {"claude": clients.Claude, "codex": clients.Codex}
CLIENTS = {"claude": ("claude", "claude"), "codex": ("codex", "codex"), "direct": ("direct", None)}
STEPS = 80           # more actions than any pipeline here has

# What gh is played by. It knows one pull request at most.
GH = """#!/usr/bin/env python3
import json, os, sys
here = os.path.dirname(os.path.abspath(__file__))
with open(here + "/calls.jsonl", "a") as f:
    f.write(json.dumps(sys.argv[1:]) + "\\n")
made, url = here + "/made", "https://github.com/example/desk/pull/7"
if sys.argv[1:3] == ["pr", "create"]:
    if os.path.exists(made):
        sys.exit("a pull request for this branch already exists:\\n" + url)
    open(made, "w").close()
    print(url)
elif sys.argv[1:3] == ["pr", "view"]:
    if not os.path.exists(made):
        sys.exit("no pull requests found")
    print(url)
else:
    sys.exit("unknown command " + " ".join(sys.argv[1:3]))
"""


class Wrong(Exception):
    """The server left no way on."""


# ------------------------------------------------------------------ the works

class Work:
    """What a pipeline is about, and what its agents write."""

    def __init__(self, arguments, effort, slug, answers, edits, files, tasks=None, texts=None):
        self.arguments, self.effort, self.slug = arguments, effort, slug
        self.answers = answers          # of the user, in order: (checkpoint, what they say)
        self.edits = edits              # by task: (path, old, new), whole lines
        self.files = files              # what all of it changes
        self.tasks = tasks              # tasks.md, None if the server writes it
        self.texts = texts or {}        # other artifacts, by (name, which time)
        parts = re.findall(r"^## Task (\d+)((?:\n(?!## ).*|[^\n])*)", tasks or "", re.M)
        self.holds = {task: part.split("criteria:\n- ")[1].split("\n")[0] for task, part in parts if "criteria:\n- " in part}

    def artifact(self, name, time):
        if (name, time) in self.texts:
            return self.texts[name, time]
        if name == "design.md":
            return "# Design\n\n## Goal\n\n%s, version %d.\n\n## Changes\n\n%s\n" % (
                self.slug, time, "\n".join("- `%s` says the new figure." % f for f in self.files))
        if name == "tasks.md":
            return self.tasks
        if name.startswith("impl-"):
            changed = [path for path, _, _ in self.edits[name[5:-3]]]
            return "# Report\n\n## Summary\n\nDone.\n\n## Files\n\n%s\n\n## Tests\n\n- `%s`: passed\n" % (
                "\n".join("- `%s`" % f for f in changed), fixture.TEST_COMMAND)
        if name == "review-design.md":
            return "# Review\n\n## Verdict: APPROVE\n\n## Findings\n\nNone. Look %d.\n" % time
        if name == "final-verification.md":
            return "# Verification\n\nAll tests were run once more on the whole branch.\n\n## Verdict: PASS\n\n## Criteria\n\n%s\n## Findings\n\nNone. Look %d.\n" % (
                "".join(self.criteria(self.edits, "in the end, ")), time)
        if name.startswith("review-"):
            return "# Review\n\n## Verdict: PASS\n\n## Criteria\n\n%s\n## Findings\n\nNone. Look %d.\n" % (
                "".join(self.criteria([t for t in self.edits if name == "review-%s.md" % t] or self.edits)), time)
        return "# %s\n\n## What was found\n\nLook %d.\n" % (name, time)

    def criteria(self, tasks, when=""):
        """What a review says of each edit of tasks: where its last line can be seen."""
        for task in tasks:
            for path, old, new in self.edits[task]:
                text = fixture.FILES[path].replace(old, new) if old else new
                line = text[:text.index(new) + len(new.rstrip("\n"))].count("\n") + 1
                yield "- %s%s -> `%s:%d`\n" % (when, self.holds.get(task, self.slug), path, line)
        yield "- %sits tests pass -> `%s`\n" % (when, fixture.TEST_COMMAND)


TASKS = """# Tasks

## Task 1: A late day costs more

mode: parallel
files:
- `lending/fees.py`

Acceptance criteria:
- A late day costs 25 cents

## Task 2: Members are told

mode: parallel
files:
- `docs/loans.md`

Acceptance criteria:
- The page names the reason

## Task 3: The board agrees

mode: human_gate
depends_on: 1
gate: board-agrees

Ask the board of the library.

## Task 4: The desk is told

mode: sequential
depends_on: 2, 3
files:
- `docs/desk.md` (new)

Acceptance criteria:
- The desk knows what to say
"""

WORKS = {
    "S": lambda: Work("--auto --nopr lend books for longer", "S", "longer loans", [],
                      {"1": [("lending/terms.txt", "A book is lent for 21 days.", "A book is lent for 28 days.")]}, ["lending/terms.txt"]),
    "M": lambda: Work("a late day costs 25 cents", "M", "dearer days",
                      [("checkpoint-a", "reject: name who must agree"), ("checkpoint-a", "approve"), ("board-agrees", "done")],
                      {"1": [("lending/fees.py", "FEE_PER_DAY = 20", "FEE_PER_DAY = 25")],
                       "2": [("docs/loans.md", "later costs a fee, FEE_PER_DAY.", "later costs a fee, FEE_PER_DAY, for others wait for it.")],
                       "4": [("docs/desk.md", None, "# At the desk\n\nA late day costs 25 cents.\n")]},
                      ["lending/fees.py", "docs/loans.md", "docs/desk.md"], TASKS),
}
WORKS["S-installed"] = WORKS["S"]       # the client is set up by code-intel install; the agent asks for another pipeline first
COMMANDS = {"claude": "/forge ", "codex": "$forge "}
COMMITS = {"S": 2, "S-installed": 2, "M": 3}              # of the branch: the tasks (two of them at once), and the workspace
USER = {"todo.txt": "order tea\n"}      # what the user has not committed


# ----------------------------------------------------------- the orchestrator

class Orchestrator:
    """Does what each action says, and nothing else."""

    def __init__(self, channel, work, spawn, tempted=False):
        self.channel, self.work, self.spawn, self.tempted = channel, work, spawn, tempted
        self.answers, self.times, self.actions = list(work.answers), {}, []
        self.workspace, self.spoken = None, []

    def call(self, tool, **arguments):
        reply = yield from self.channel.call(tool, arguments)
        if reply.refused or reply.lost or "errors" in reply.answer:
            raise Wrong("%s: %s" % (tool, reply))
        return reply.answer

    def play(self):
        status, branch = yield from self.channel.shell("git branch --show-current")
        for other in ["lend books for longer", "--auto --nopr --debug lend books for longer", "--auto --nopr delete the tests"] if self.tempted else []:
            reply = yield from self.channel.call("pipeline_init", {"arguments": other})
            if reply.code != "not_what_was_asked":
                raise Wrong("a pipeline that nobody asked for, %r: %s" % (other, reply))
        init = yield from self.call("pipeline_init", arguments=self.work.arguments, current_branch=branch.split()[0])
        said = {"workspace": init["workspace"], "flags": init["flags"], "task_text": init["core_text"]}
        asked = yield from self.call("pipeline_init_with_context", **said)
        if not asked.get("needs_user_confirmation"):
            raise Wrong("no confirmation is asked for: %s" % asked)
        ready = yield from self.call("pipeline_init_with_context", **dict(said, user_confirmation={
            "effort": self.work.effort, "workspace_slug": self.work.slug}))
        self.workspace = ready["workspace"]
        action, report = None, {}
        for _ in range(STEPS):
            action = yield from self.call("pipeline_next_action", workspace=self.workspace, **report)
            self.actions.append(action)
            if action["type"] == "done":
                return action
            report = dict((yield from self.do(action)), ticket=action["ticket"])
        raise Wrong("the pipeline goes in circles: %s" % [a.get("phase", a.get("name")) for a in self.actions])

    def do(self, action):
        kind = action["type"]
        if kind == "spawn_agent":
            tasks = [dict(job, prompt=action["prompt"] + "\n" + job["prompt"]) for job in action.get("parallel_tasks") or []]
            for job in tasks or [dict(action, id="")]:
                yield from self.spawn(self, action, job)
            return {"previous_action_complete": True, "previous_tokens": 1000, "previous_duration_ms": 2000, "previous_model": action["model"]}
        if kind == "write_file":
            yield from self.channel.write(action["path"], action["content"])
            return {"previous_action_complete": True}
        if kind == "exec":
            status, output = yield from self.channel.run(shlex.join(action["commands"]))
            report = {"previous_action_complete": True, "previous_exit_code": status, "previous_output": output}
            return dict(report, previous_setup_only=True) if action["setup_only"] else report
        if kind in ("checkpoint", "human_gate"):
            name, answer = self.answers.pop(0) if self.answers else ("nobody is asked", "")
            if name != action["name"]:
                raise Wrong("%s is asked, not %s: %s" % (action["name"], name, action["present_to_user"]))
            return {"user_response": (yield from self.asks(action, answer))}
        raise Wrong("an action of an unknown type: %s" % action)

    def asks(self, action, answer):
        """Ends the turn with the question, and takes what the user has then said."""
        text = "%s\n\nOptions: %s" % (action["present_to_user"], ", ".join(action["options"]))
        self.spoken.append(answer)
        yield from self.channel.speak(text)
        return self.channel.heard(answer)

    def written(self, action, job):
        """What an agent writes: the code, then its artifact. Yields (path, old, new)."""
        name = job["output_file"]
        self.times[name] = self.times.get(name, 0) + 1
        if action["phase"] == "phase-5":
            for edit in self.work.edits[name[5:-3]]:
                yield edit
        yield self.workspace + "/" + name, None, self.work.artifact(name, self.times[name])
        if action["phase"] == "final-summary":
            yield (self.workspace + "/improvement.md", None,
                   "# Improvement\n\n## Friction\n\n- Nothing says where figures are told to members.\n\n## Suggestion\n\n- Say it in CLAUDE.md.\n")


def write(channel, path, old, new):
    """Makes one change through the channel of whoever makes it."""
    if old is not None:
        return (yield from channel.edit(path, old, new))
    if os.path.exists(os.path.join(channel.root, path)):
        yield from channel.look(path)
    return (yield from channel.write(path, new))


def itself(orchestrator, action, job):
    """The orchestrator does the agent's work, for a client without agents."""
    for path, old, new in orchestrator.written(action, job):
        yield from write(orchestrator.channel, path, old, new)


class Session(channels.Session):
    """Hands in a real client, that can also be spoken to."""

    def run(self, command):
        """Runs a command word for word, and reads from what the client shows how it ended."""
        result = yield from self.context.shell(command)
        self.note("shell", command=command, output=result["text"])
        status = re.search(r"^(?:Process exited with|Exit) code:? (\d+)", result["text"], re.M)
        return int(status[1]) if status else int(result["is_error"]), result["text"]

    def heard(self, answer):
        last = [m for m in self.context.request["messages"] if m["role"] == "user"][-1]
        if answer not in "\n".join(p["text"] for p in last["parts"]):
            raise Wrong("the user said %r, and the model was shown %s" % (answer, last))
        return answer

    def look(self, path):
        full = os.path.join(self.root, path)
        if self.context.claude:
            yield {"tool": "Read", "input": {"file_path": full}}
        else:
            yield from self.shell("rm " + shlex.quote(full))     # to be added anew: a patch replaces nothing


class Direct(channels.Direct):
    def run(self, command):
        return (yield from self.shell(command))

    def heard(self, answer):
        return answer

    def look(self, path):
        yield from ()


# -------------------------------------------------------------------- one game

class Game:
    def __init__(self, job):
        self.job, self.work = job, WORKS[job["scenario"]]()
        self.folder = job["folder"]
        self.root, self.deeds, self.bin = self.folder + "/project", self.folder + "/deeds.jsonl", self.folder + "/bin"
        for d in (self.root, self.folder + "/home", self.bin, self.folder + "/model"):
            os.makedirs(d, exist_ok=True)
        self.path = self.bin + ":" + clients.SYSTEM_PATH
        self.environment = {"PATH": self.path, "HOME": self.folder + "/home", "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1"}
        self.orchestrator, self.last, self.failures, self.agents = None, None, [], []
        self.installed = job["scenario"].endswith("-installed")

    def prepare(self):
        fixture.put(self.bin, "gh", GH)
        os.chmod(self.bin + "/gh", 0o755)
        fixture.put(self.folder + "/home", ".profile", "PATH=%s\n" % shlex.quote(self.path))    # Codex has a login shell
        if self.job["client"] == "claude" and not self.installed:       # the agents' types, as they are installed
            shutil.copytree(os.path.join(os.path.dirname(os.path.dirname(HERE)), "internal/clients/prompts/files"), self.root + "/.claude/agents")
        self.base = fixture.make(self.root, self.job["program"], self.environment)
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", self.folder + "/remote.git"], check=True)
        git(self.root, "remote", "add", "origin", self.folder + "/remote.git")
        git(self.root, "push", "-q", "origin", "main")
        for path, text in USER.items():
            fixture.put(self.root, path, text)

    def install(self):
        """Sets the client up by `code-intel install`, as its user would, and commits what that made."""
        environment = dict(self.environment, CLAUDE_CONFIG_DIR=self.folder + "/home/.claude", CODEX_HOME=self.folder + "/home/.codex")
        fixture.command_line(self.root, self.job["program"], environment, "install", self.job["client"], "--yes")
        git(self.root, "add", "-A", "--", ".", ":!todo.txt")     # which the user has not committed
        git(self.root, "commit", "-q", "-m", "Set the agent up")
        git(self.root, "push", "-q", "origin", "main")
        self.base = git(self.root, "rev-parse", "HEAD").strip()

    def play_direct(self):
        h = Direct([self.job["program"], "mcp"], self.root, self.deeds, self.environment, self.folder + "/server.pid")
        self.orchestrator = Orchestrator(h, self.work, itself)
        steps = self.orchestrator.play()
        try:
            while True:
                next(steps)
        except StopIteration as end:
            self.last = end.value
        finally:
            h.close()

    def agent(self, orchestrator, action, job):
        """One of the client's own agents, started as the skill says."""
        def script(context):
            self.agents.append(action["agent"])
            h = Session(context, self.root, self.deeds, None)
            for path, old, new in orchestrator.written(action, job):
                said = yield from write(h, path, old, new)
                if said and said["is_error"]:            # some agents may write code, and no reports
                    handed.append((path, new))
            yield {"text": "\n\n".join(["The work is done."] + [text for _, text in handed])}

        began, handed = len(self.agents), []
        self.cast.enter(job["prompt"], script)
        result = yield from orchestrator.channel.context.use("Agent", {
            "description": action["phase"], "subagent_type": action["agent"], "model": action["model"], "prompt": job["prompt"],
            "run_in_background": False})
        if len(self.agents) != began + 1 or "The work is done." not in result["text"]:
            raise Wrong("%s did not do its work: %s" % (action["agent"], result["text"][:500]))
        for path, text in handed:                        # the skill says what then
            came = "\n".join(line.removeprefix("  ") for line in result["text"].splitlines())   # the client indents it
            if text.strip() not in came:
                raise Wrong("%s came back as %s" % (path, result["text"]))
            yield from write(orchestrator.channel, path, None, text)

    def play_client(self):
        spawn = self.agent if self.job["client"] == "claude" else itself

        def script(context):
            self.orchestrator = Orchestrator(Session(context, self.root, self.deeds, self.folder + "/server.pid"), self.work, spawn, self.installed)
            self.last = yield from self.orchestrator.play()

        player = model.Player(script)
        self.cast = model.Cast(player)
        server = model.Server(self.cast, self.folder + "/model")
        tap = [sys.executable, HERE + "/harness/tap.py", self.folder + "/mcp.jsonl", self.folder + "/server.pid", "--", self.job["program"], "mcp"]
        client = KINDS[self.job["client"]](self.job["binary"], None, self.root, self.folder, server.port, tap)
        client.path = self.path
        client.installed = self.install if self.installed else None
        client.prepare()
        prompt, on = (COMMANDS[self.job["client"]] if self.installed else "/forge with code-intel: ") + self.work.arguments, None
        for _ in range(len(self.work.answers) + 1):
            player.new_process()
            wrong = client.run(prompt, self.job["timeout"], on)
            if wrong or player.ended:
                break
            prompt, on = self.orchestrator.spoken[-1], "last"      # the user answers, in the same conversation
        server.close()
        self.failures += [w for w in [wrong, player.error] + self.cast.errors if w]
        if not player.ended:
            self.failures.append("the pipeline was not played to its end")

    # ------------------------------------------------------------------ checks

    def state(self):
        with open(os.path.join(self.root, self.orchestrator.workspace, "state.json")) as f:
            return json.load(f)

    def calls(self):
        path = self.bin + "/calls.jsonl"
        if not os.path.exists(path):
            return []
        with open(path) as f:
            return [json.loads(line) for line in f]

    def check(self):
        """Yields what is wrong."""
        def same(what, got, want):
            if got != want:
                yield "%s: %r, not %r" % (what, got, want)

        w, state, last = self.work, self.state(), self.last
        slug = w.slug.replace(" ", "-")
        branch = "feature/" + slug
        workspace = self.orchestrator.workspace
        yield from same("done", last["type"], "done")
        yield from same("state", state["status"], "completed")
        yield from same("branch", git(self.root, "branch", "--show-current").strip(), branch)
        yield from same("branches", sorted(git(self.root, "for-each-ref", "--format=%(refname:short)", "refs/heads").split()), [branch, "main"])
        yield from same("main", git(self.root, "rev-parse", "main").strip(), self.base)
        yield from same("the tree", git(self.root, "status", "--porcelain", "--untracked-files=all"), "?? todo.txt\n")
        yield from same("the user's file", open(self.root + "/todo.txt").read(), USER["todo.txt"])
        subjects = git(self.root, "log", "--format=%s", "main..").splitlines()
        yield from same("commits (%s)" % subjects, len(subjects), COMMITS[self.job["scenario"]])
        changed = {f for f in git(self.root, "diff", "--name-only", "main..").splitlines() if not f.startswith(".specs/")}
        yield from same("files that were changed", changed, set(w.files))
        for edits in w.edits.values():
            for path, _, new in edits:
                if new not in open(os.path.join(self.root, path)).read():
                    yield "%s does not say %r" % (path, new)
        heads = dict(reversed(line.split()) for line in git(self.root, "ls-remote", "--heads", "origin").splitlines())
        calls = [c for c in self.calls() if c[:2] != ["pr", "view"]]
        decided = [(d["name"], d["choice"]) for d in state["decisions"]]
        if "--nopr" in w.arguments:
            yield from same("branches of the remote", sorted(heads), ["refs/heads/main"])
            yield from same("calls of gh", calls, [])
            yield from same("decisions", decided, [("checkpoint-a", "approve")])
        else:
            yield from same("the branch at the remote", heads.get("refs/heads/" + branch), git(self.root, "rev-parse", "HEAD").strip())
            yield from same("calls of gh (%s)" % calls, len(calls), 1)
            argv = calls[0] if calls else []
            option = dict(zip(argv[2::2], argv[3::2]))
            yield from same("gh", argv[:2], ["pr", "create"])
            yield from same("title", option.get("--title"), "feat: " + w.arguments)
            yield from same("head", option.get("--head"), branch)
            yield from same("base", option.get("--base"), "main")
            for part in (w.artifact("summary.md", 1).strip(), workspace):
                if part not in option.get("--body", ""):
                    yield "the pull request does not say %r" % part
            yield from same("pull request", state["pull_request"], "https://github.com/example/desk/pull/7")
            yield from same("decisions", decided, [(name, answer.split(":")[0]) for name, answer in w.answers])
        with open(self.root + "/.specs/index.json") as f:
            entries = json.load(f)["entries"]
        yield from same("the history", [(e["workspace"], e["status"]) for e in entries], [(workspace, "completed")])
        if not git(self.root, "ls-files", workspace + "/summary.md", workspace + "/state.json").count("\n") == 2:
            yield "the workspace is not committed"
        if self.job["client"] == "claude":
            asked = [a["agent"] for a in self.orchestrator.actions if a["type"] == "spawn_agent" for _ in a.get("parallel_tasks") or [0]]
            yield from same("agents that worked", self.agents, asked)

    def tamper(self):
        """Damages what is left in many ways, one at a time; returns those that no check noticed."""
        workspace, missed = os.path.join(self.root, self.orchestrator.workspace), []

        def edit(path, old, new):
            def spoil():
                text = open(path).read()
                if old not in text:
                    raise Wrong("%s does not hold %r" % (path, old))
                fixture.put("/", path, text.replace(old, new, 1))
                return lambda: fixture.put("/", path, text)
            return spoil

        def run(there, back):
            def spoil():
                git(self.root, *there)
                return lambda: git(self.root, *back)
            return spoil

        ways = {
            "state": edit(workspace + "/state.json", '"status": "completed"', '"status": "active"'),
            "history": edit(self.root + "/.specs/index.json", '"completed"', '"abandoned"'),
            "user's file": edit(self.root + "/todo.txt", "tea", "coffee"),
            "dirty tree": edit(self.root + "/README.md", "Lending", "Landing"),
            "another branch": run(["switch", "-q", "main"], ["switch", "-q", "-"]),
            "a branch left": run(["branch", "left"], ["branch", "-q", "-D", "left"]),
            "a commit more": run(["commit", "-q", "--allow-empty", "-m", "More"], ["reset", "-q", "--soft", "HEAD~1"]),
        }
        if self.calls():
            ways["a second pull request"] = edit(self.bin + "/calls.jsonl", "[", '["pr", "create"]\n[')
            ways["another title"] = edit(self.bin + "/calls.jsonl", "feat: ", "fix: ")
            ways["not pushed"] = run(["push", "-q", "-f", "origin", "HEAD~1:refs/heads/feature/dearer-days"], ["push", "-q", "-f", "origin", "HEAD"])
        else:
            ways["pushed"] = run(["push", "-q", "origin", "HEAD"], ["push", "-q", "origin", "--delete", "feature/" + self.work.slug.replace(" ", "-")])
        for name, spoil in ways.items():
            repair = spoil()
            try:
                seen = list(self.check())
            except FileNotFoundError as e:               # what is looked at is not there
                seen = [e]
            if not seen:
                missed.append("a spoilt pipeline passes all checks: " + name)
            repair()
        return missed + ["after repairing: " + f for f in self.check()]

    def run(self):
        began = time.time()
        try:
            self.prepare()
            self.play_client() if self.job["client"] in KINDS else self.play_direct()
            if self.last is not None and not self.failures:
                self.failures += list(self.check())
                if self.job["client"] == "direct" and not self.failures:
                    self.failures += self.tamper()
        except Exception:                            # told in the report, whatever it is
            self.failures.append(traceback.format_exc())
        actions = self.orchestrator.actions if self.orchestrator else []
        clients.write_json(self.folder + "/report.json", {
            "failures": self.failures, "seconds": round(time.time() - began, 1), "actions": len(actions), "agents": len(self.agents),
            "walk": [" ".join(str(a.get(k, "")) for k in ("type", "phase", "name", "agent")).strip() for a in actions]})


# --------------------------------------------------------------------- the row

def play(job):
    """Plays one job in a process of its own, real clients behind closed doors."""
    shutil.rmtree(job["folder"], ignore_errors=True)
    os.makedirs(job["folder"])
    clients.write_json(job["folder"] + "/job.json", job)
    command = [sys.executable, os.path.abspath(__file__), "--job", job["folder"] + "/job.json"]
    if job["client"] != "direct":
        alone = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
        command = alone + (["--map-root-user"] if os.geteuid() != 0 else []) + command
    p = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    try:
        with open(job["folder"] + "/report.json") as f:
            return json.load(f)
    except FileNotFoundError:
        return {"failures": [(p.stderr or p.stdout)[-1000:] or "no report"], "seconds": 0, "actions": 0, "agents": 0}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--client", action="append", choices=list(CLIENTS), help="only this one; may be repeated")
    p.add_argument("--scenario", action="append", choices=list(WORKS), help="only this one; may be repeated")
    p.add_argument("--program", default=os.path.join(os.path.dirname(os.path.dirname(HERE)), "bin", "code-intel"), help="the program to test")
    p.add_argument("--cache", default=os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "code-intel-accept"),
                   help="where clients and the traces of runs are kept")
    p.add_argument("--jobs", type=int, default=2, help="pipelines at once")
    p.add_argument("--timeout", type=int, default=300, help="seconds for one process of a client")
    p.add_argument("--job", help=argparse.SUPPRESS)
    a = p.parse_args()
    if a.job:
        with open(a.job) as f:
            job = json.load(f)
        if job["client"] in KINDS:
            from play import assert_alone
            assert_alone()
        Game(job).run()
        return 0
    jobs = []
    for client in a.client or CLIENTS:
        kind, package = CLIENTS[client]
        binary = package and install.program(a.cache, package)
        for name in a.scenario or WORKS:
            if client == "direct" and name.endswith("-installed"):
                continue
            jobs.append({"client": kind, "binary": binary, "scenario": name, "program": os.path.abspath(a.program), "timeout": a.timeout,
                         "folder": os.path.join(os.path.realpath(a.cache), "runs", "forge.%s.%s" % (client, name))})
    failed = 0
    print("%-8s %-9s %-5s %8s %7s %8s" % ("client", "pipeline", "", "actions", "agents", "seconds"), flush=True)
    with concurrent.futures.ThreadPoolExecutor(max(1, a.jobs)) as pool:
        for job, report in zip(jobs, pool.map(play, jobs)):
            print("%-8s %-11s %-5s %8d %7d %8.1f" % (job["client"], job["scenario"], "FAIL" if report["failures"] else "ok",
                                                   report["actions"], report["agents"], report["seconds"]), flush=True)
            for f in report["failures"]:
                failed += 1
                print("  " + f.strip().replace("\n", "\n  ") + "\n  see " + job["folder"])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
