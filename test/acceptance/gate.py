#!/usr/bin/env python3
"""Plays a gate, what a person decides, with the real Claude Code.

    python3 test/acceptance/gate.py            everything
    python3 test/acceptance/gate.py --case refused

A branch is left over from an earlier session, and the project takes a decision of the
user's only by a call that the client has shown them ("human_gate": "confirmed"). The
model wants the branch deleted. Whether the call of confirm_decision comes to the server
is the client's doing: with nobody there, with every permission given beforehand, with a
hook that allows all, with a person who says yes or no over the client's own protocol,
and with a client too old to know such tools. Checked are the branch and the session.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import traceback

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import fixture                                                       # noqa: E402
import install                                                       # noqa: E402
from fixture import git                                              # noqa: E402
from harness import clients, model                                   # noqa: E402

STALE = "llm_task_20250101-000000000-aaaaa_from_main"
ALLOWS = {"PreToolUse": [{"matcher": "*", "hooks": [{"type": "command", "command":
          """echo '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}'"""}]}]}


class Case:
    """What the user has allowed, what they answer (None: they are away), and whether the call should be allowed."""

    def __init__(self, package="claude", options=(), settings=None, person=None, decided=False):
        self.package, self.options, self.settings, self.person, self.decided = package, list(options), settings or {}, person, decided


CASES = {
    "nobody": Case(),
    "bypass": Case(options=["--dangerously-skip-permissions"]),
    "hook": Case(settings={"hooks": ALLOWS}),
    "refused": Case(person="deny"),
    "allowed": Case(person="allow", decided=True),
    "old": Case(package="claude-old"),
}


class Person(clients.Claude):
    """A Claude Code whose user, if present, answers what it asks."""

    def command(self, prompt, on):
        case = self.case
        a = super().command(prompt, on)
        a[a.index("--allowedTools"):a.index("--allowedTools")] = case.options
        if case.person:
            a[a.index("-p"):a.index("-p")] = ["--input-format", "stream-json", "--permission-prompt-tool", "stdio"]
            del a[a.index("--"):]
        return a

    def run(self, prompt, timeout, on=None):
        if not self.case.person:
            return super().run(prompt, timeout, on)
        self.asked = []
        with open(self.folder + "/run-1.stderr", "wb") as err, open(self.folder + "/run-1.stdout", "w") as log:
            p = subprocess.Popen(self.command(prompt, on), env=self.environment(), cwd=self.project, text=True, bufsize=1,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=err)

            def send(message):
                p.stdin.write(json.dumps(message) + "\n")
                p.stdin.flush()

            send({"type": "control_request", "request_id": "hello", "request": {"subtype": "initialize", "hooks": None}})
            send({"type": "user", "message": {"role": "user", "content": prompt}})
            for line in p.stdout:
                log.write(line)
                said = json.loads(line)
                if said.get("type") == "result":
                    break
                if said.get("type") == "control_request":
                    asked = said["request"]
                    self.asked.append(asked.get("tool_name", asked["subtype"]))
                    answer = {"behavior": "deny", "message": "the user said no"}
                    if self.case.person == "allow":
                        answer = {"behavior": "allow", "updatedInput": asked.get("input", {})}
                    send({"type": "control_response", "response": {"subtype": "success", "request_id": said["request_id"], "response": answer}})
            p.stdin.close()
            return None if p.wait(timeout) == 0 else "the client ended with status %d" % p.returncode


def script(seen):
    """The model: it begins, passes on the user's decision, submits, and gives up if that does not count."""

    def play(context):
        def call(tool, arguments):
            result = yield from context.use(tool, arguments)
            seen.append((tool, result["is_error"], result["text"]))
            return result

        yield from call("start_session", {"intent": "MODIFY", "query": "say goodbye", "flags": ["--no-doc"]})
        yield from call("confirm_decision", {"choice": "delete"})
        r = yield from call("submit_phase", {"data": {"choice": "delete", "summary": "the user chose"}})
        if r["is_error"]:
            yield from call("submit_phase", {"data": {"abort": True, "reason": "nobody decides here"}})
        yield {"text": "Done."}

    return play


def play(job):
    """Plays one case and yields what is wrong."""
    case, folder = CASES[job["case"]], job["folder"]
    root = folder + "/project"
    os.makedirs(root)
    environment = {"PATH": clients.SYSTEM_PATH, "HOME": folder + "/home", "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1"}
    os.makedirs(folder + "/home")
    os.makedirs(folder + "/model")
    fixture.make(root, job["program"], environment)
    git(root, "branch", STALE)
    fixture.put(root, ".code-intel/config.json", '{"human_gate": "confirmed"}\n')
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Decisions are the user's")
    seen = []
    player = model.Player(script(seen))
    server = model.Server(player, folder + "/model")
    client = Person(job["binary"], None, root, folder, server.port, [job["program"], "mcp"])
    client.case = case
    client.prepare()
    clients.write_json(folder + "/settings.json", case.settings)
    wrong = client.run("Say goodbye.", job["timeout"])
    server.close()
    clients.write_json(folder + "/seen.json", seen)
    yield from filter(None, [wrong, player.error])
    if [s[0] for s in seen][:3] != ["start_session", "confirm_decision", "submit_phase"] or seen[0][1]:
        yield "the model's calls: %s" % seen
        return
    _, failed, text = seen[1]
    if failed == case.decided:
        yield "confirm_decision: %s" % text
    came = any(e.get("name") == "confirm_decision" for e in ledger(root))
    if came != (case.decided or job["case"] == "old"):
        yield "confirm_decision %s to the server: %s" % ("came" if came else "did not come", text)
    if seen[2][1] == case.decided or not case.decided and "human_gate" not in seen[2][2]:
        yield "submit_phase: %s" % seen[2][2]
    if (STALE in git(root, "branch")) == case.decided:
        yield "the branches are %s" % git(root, "branch")
    if case.decided and '"channel": "confirmed"' not in json.dumps(ledger(root)):
        yield "the ledger does not say that the user confirmed"
    if case.person and not any(t.endswith("confirm_decision") for t in client.asked):
        yield "the user was asked about %s" % client.asked


def ledger(root):
    entries = []
    folder = root + "/.code-intel/sessions"
    for path, _, files in os.walk(folder):
        for name in files:
            if name.endswith(".ledger.jsonl"):
                with open(os.path.join(path, name)) as f:
                    entries += map(json.loads, f)
    return entries


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--case", action="append", choices=list(CASES), help="only this one; may be repeated")
    p.add_argument("--program", default=os.path.join(os.path.dirname(os.path.dirname(HERE)), "bin", "code-intel"), help="the program to test")
    p.add_argument("--cache", default=os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "code-intel-accept"),
                   help="where clients and the traces of runs are kept")
    p.add_argument("--timeout", type=int, default=120, help="seconds for the client")
    p.add_argument("--job", help=argparse.SUPPRESS)
    a = p.parse_args()
    if a.job:
        from play import assert_alone
        assert_alone()
        with open(a.job) as f:
            job = json.load(f)
        try:
            failures = list(play(job))
        except Exception:                            # told in the report, whatever it is
            failures = [traceback.format_exc()]
        clients.write_json(job["folder"] + "/report.json", failures)
        return 0
    failed = 0
    for name in a.case or CASES:
        folder = os.path.join(os.path.realpath(a.cache), "runs", "gate." + name)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        clients.write_json(folder + "/job.json", {"case": name, "folder": folder, "binary": install.program(a.cache, CASES[name].package),
                                                  "program": os.path.abspath(a.program), "timeout": a.timeout})
        alone = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"] + (["--map-root-user"] if os.geteuid() != 0 else [])
        p = subprocess.run(alone + [sys.executable, os.path.abspath(__file__), "--job", folder + "/job.json"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        try:
            with open(folder + "/report.json") as f:
                failures = json.load(f)
        except FileNotFoundError:
            failures = [(p.stderr or p.stdout)[-1000:] or "no report"]
        print("%-8s %s" % (name, "FAIL" if failures else "ok"), flush=True)
        for f in failures:
            failed += 1
            print("  " + f.strip()[:2000].replace("\n", "\n  ") + "\n  see " + folder)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
