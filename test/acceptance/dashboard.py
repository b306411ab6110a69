#!/usr/bin/env python3
"""Looks at the dashboard in a real Chromium, beside real sessions and pipelines.

    python3 test/acceptance/dashboard.py
    python3 test/acceptance/dashboard.py --write docs/images     the pictures of docs/guide/dashboard.md; needs pngquant

A day at the lending desk is played through the real program: sessions that end well, badly
and not at all, a pipeline that ends and one that waits at a checkpoint, and a session that
is blocked until the user decides. Then the page is opened in English and Japanese, light and
dark, and must say what the files say; a change must appear without a reload; and the gate is
answered with the mouse, after which the agent's next submission finds the decision. Every
picture lies in the folder that is printed.
"""
import argparse
import dataclasses
import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import fixture                                                       # noqa: E402
import forge                                                         # noqa: E402
import channels                                                         # noqa: E402
import work                                                          # noqa: E402
from agent import Agent                                              # noqa: E402
from fixture import git                                              # noqa: E402
from harness import browser, clients                                 # noqa: E402


class Reached(Exception):
    """The story has reached the point to look at."""


def run(steps):
    """Plays a generator that asks for nothing."""
    try:
        while True:
            next(steps)
    except StopIteration as end:
        return end.value


class Undecided(Agent):
    """Goes back to look again, once more than it may: then only the user can say."""

    turns = 4

    def submit(self, answer, known):
        if self.at == ("READY", "implement") and self.reported == {"renew"} and self.turns:
            if known.get("task_id") == "renew":
                return (yield from super().submit(answer, known))
            self.turns -= 1
            return (yield from self.call("submit_phase", {"data": {
                "back_to": "EXPLORATION", "reason": "The rule for late loans is in two places that contradict each other: desk.py and docs/loans.md."}}))
        return (yield from super().submit(answer, known))

    def do_ready_implement(self, answer):
        if answer["next_task"]["id"] != "renew" and self.turns:
            yield from ()
            return {"task_id": answer["next_task"]["id"]}
        return (yield from super().do_ready_implement(answer))


SECONDS = {"phase-1": 74, "phase-2": 131, "phase-3": 248, "phase-3b": 95, "phase-5": 312, "phase-6": 118}    # that agents take


class Waits(forge.Orchestrator):
    """Its agents take their time, and its user has rejected a design once; then the user is away."""

    def asks(self, action, answer):
        yield from ()
        if answer.startswith("approve"):
            raise Reached(action["name"])
        return answer

    def do(self, action):
        report = yield from super().do(action)
        if "previous_tokens" in report:
            seconds = SECONDS.get(action["phase"], 40)
            report.update(previous_duration_ms=1000 * seconds, previous_tokens=170 * seconds + 900)
        return report


class Desk:
    """The repository, and the programs that work on it."""

    def __init__(self, folder, program):
        self.folder, self.program, self.root = folder, program, folder + "/project"
        shutil.rmtree(folder, ignore_errors=True)
        for d in (self.root, folder + "/home", folder + "/bin"):
            os.makedirs(d)
        fixture.put(folder + "/bin", "gh", forge.GH)
        os.chmod(folder + "/bin/gh", 0o755)
        os.symlink(program, folder + "/bin/code-intel")
        self.environment = {"PATH": folder + "/bin:" + clients.SYSTEM_PATH, "HOME": folder + "/home", "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1", "TERM": "dumb"}

    def server(self, kind=channels.Direct):
        # The agent's program is a shell here: what this test starts is not its child.
        return kind(["sh", "-c", "code-intel mcp; exit $?"], self.root, self.folder + "/deeds.jsonl", self.environment, self.folder + "/server.pid")

    def command(self, *arguments, stdin=None, ends=(0,)):
        p = subprocess.run([self.program, *arguments], cwd=self.root, env=self.environment, capture_output=True, text=True, input=stdin)
        if p.returncode not in ends:
            raise RuntimeError("code-intel %s: %s%s" % (" ".join(arguments), p.stdout, p.stderr))
        return p.stdout

    def session(self, w, kind=Agent, until=None, before=None):
        """Plays a session, up to a phase if one is named: then the server goes on, and is returned."""
        h = self.server()

        def disturb(answer):
            at = (answer.get("phase"), answer.get("ready_step", ""))
            if before:
                before(at)
            if until == at[0]:
                raise Reached(at)
        a = kind(h, w, fixture.TEST_COMMAND, disturb)
        try:
            run(a.play())
        except Reached:
            return h, a
        h.close()
        return None, a

    def hook(self, event, **more):
        """Calls the hook as the client does, which first writes the call into its conversation."""
        conversation = self.folder + "/home/.claude/projects/desk/s.jsonl"
        os.makedirs(os.path.dirname(conversation), exist_ok=True)
        with open(conversation, "a") as f:
            use = {"type": "tool_use", "id": more["tool_use_id"], "name": more["tool_name"], "input": more["tool_input"]}
            f.write(json.dumps({"type": "assistant", "message": {"content": [use]}}) + "\n")
        payload = dict({"session_id": "s", "transcript_path": conversation, "cwd": self.root, "permission_mode": "default", "hook_event_name": event}, **more)
        return self.command("hook", "claude", stdin=json.dumps(payload), ends=(0, 2))     # 2 is how a hook says no

    def hooked(self, at):
        """What the hooks of a client report meanwhile: during exploration they are asked whether a
        file may be written; later, they have seen one read."""
        if at[0] == "EXPLORATION":
            said = self.hook("PreToolUse", tool_name="Write", tool_input={"file_path": self.root + "/lending/desk.py", "content": "x\n"}, tool_use_id="toolu_%d" % time.monotonic_ns())
            if '"deny"' not in said:
                raise RuntimeError("the hook let a write through: " + said)
        else:
            self.hook("PostToolUse", tool_name="Read", tool_input={"file_path": self.root + "/docs/loans.md"}, tool_response={"type": "text"}, tool_use_id="toolu_%d" % time.monotonic_ns())

    def play(self):
        """The day."""
        fixture.make(self.root, self.program, self.environment)
        self.command("trust", fixture.VERIFIER)
        for _ in range(2):
            self.session(work.where_fees_come_from())
        self.session(work.days_of_grace(["--gate=full"]), before=self.hooked)
        h = self.server()
        run(h.call("start_session", {"intent": "IMPLEMENT", "query": "Let members reserve a book that is lent.", "flags": []}))
        run(h.call("submit_phase", {"data": {"abort": True, "reason": "The user wants to think about it first."}}))
        h.close()
        self.session(dataclasses.replace(work.where_fees_come_from(), query="遅れた本の延滞料はどこで計算され、誰が会員に伝えるのか。",
                                         slots={"target_feature": ("延滞料", "延滞料")}), before=self.hooked)
        # A pipeline that ends, and one that waits.
        small = forge.Work("--auto --nopr say on the front page when the desk is open", "S", "opening hours", [],
                           {"1": [("README.md", "late book costs. See docs/loans.md for what members are told.",
                                   "late book costs. See docs/loans.md for what members are told.\nOpen on weekdays from ten to six.")]}, ["README.md"])
        for orchestrator, w in ((forge.Orchestrator, small), (Waits, forge.WORKS["M"]())):
            h = self.server(forge.Direct)
            o = orchestrator(h, w, forge.itself)
            try:
                run(o.play())
                branch = git(self.root, "branch", "--show-current").strip()
                git(self.root, "switch", "-q", "main")
                git(self.root, "merge", "-q", "--no-edit", branch)
            except Reached:
                git(self.root, "switch", "-q", "main")
            h.close()
        # The blocked one, where the word of the model is not enough.
        with open(self.root + "/.code-intel/config.json") as f:
            settings = dict(json.load(f), human_gate="dashboard")
        fixture.put(self.root, ".code-intel/config.json", json.dumps(settings, indent=2) + "\n")
        git(self.root, "commit", "-qam", "Decisions are the user's")
        return self.session(work.renewals(), Undecided, "USER_ESCALATION", self.hooked)


class Dashboard:
    """The program on a terminal of its own."""

    def __init__(self, desk):
        person, terminal = pty.openpty()
        self.person = person
        self.process = subprocess.Popen([desk.program, "dashboard"], cwd=desk.root, env=desk.environment, stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True)
        os.close(terminal)
        said, end = b"", time.time() + 20
        while b"Ctrl-C" not in said and time.time() < end:
            if select.select([person], [], [], 0.5)[0]:
                said += os.read(person, 4096)
        self.screen = said.decode()
        self.url = re.search(r"http://\S+", self.screen).group()
        self.origin = self.url.split("/?")[0]

    def close(self):
        self.process.terminate()
        status = self.process.wait(10)
        os.close(self.person)
        return status


class Look:
    """One look at the page."""

    def __init__(self, b, dashboard, lang, dark, width=1440, height=1000):
        self.lang, self.page, self.dashboard = lang, b.page(width, height, dark), dashboard
        self.page.open(dashboard.url)
        self.page.until("location.pathname === '/' && location.search === '' && document.documentElement.dataset.ready")
        self.page.value("document.getElementById('lang-%s').click()" % lang)
        self.page.until("document.documentElement.dataset.ready.includes(' %s ') && document.querySelector('.live.live')" % lang)

    def view(self, name, ready):
        self.page.value("location.hash = '#/%s'" % name)
        self.page.until("document.documentElement.dataset.ready.startsWith('%s ') && (%s)" % (name.split("/")[0], ready))

    def shows(self, *texts):
        said = re.sub(r"\s+", " ", self.page.text())
        for text in texts:
            if text not in said:
                raise AssertionError("the page (%s) does not say %r:\n%s" % (self.lang, text, said[:3000]))

    def sound(self):
        """The page has logged no errors and contacted no other server."""
        wrong = self.page.complaints()
        strangers = [u for u in self.page.asked() if not u.startswith((self.dashboard.origin + "/", "about:", "data:"))]
        if wrong or strangers:
            raise AssertionError("complaints: %s; strangers: %s" % (wrong, strangers))


WORDS = {
    "en": {"session": ["Your decision is needed", "Blocked: your decision is needed", "Enforcement", "Explored files", "Desk.renew extends a loan", "Hooks have denied a write"],
           "pipelines": ["Approval needed", "Timeline", "Design review", "You review the design"],
           "index": ["Languages", "python", "Symbols", "Issues"], "learning": ["Overall failure rate", "The Map", "Decision log", "Past pipelines"]},
    "ja": {"session": ["あなたの判断が必要です", "あなたの判断待ちで停止している", "強制レベル", "調査済みファイル", "Desk.renew extends a loan", "フックが書き込みを拒否し"],
           "pipelines": ["承認が必要です", "タイムライン", "設計レビュー"],
           "index": ["言語", "python", "シンボル", "要対応"], "learning": ["全体の失敗率", "Map", "判断の記録", "過去のパイプライン"]},
}
READY = {"session": "document.querySelector('.rail')", "pipelines": "document.querySelector('.timeline')",
         "index": "document.querySelector('.findings')", "learning": "document.querySelector('.rates')"}


def look_around(b, dashboard, pictures):
    for lang in ("en", "ja"):
        for dark in (False, True):
            look = Look(b, dashboard, lang, dark)
            for name in READY:
                look.view(name, READY[name])
                look.shows(*WORDS[lang][name])
                look.page.picture("%s/%s-%s-%s.png" % (pictures, name, lang, "dark" if dark else "light"))
                wide = look.page.value("document.documentElement.scrollWidth - innerWidth")
                if wide > 0:
                    raise AssertionError("%s is %d pixels too wide" % (name, wide))
            look.sound()
            look.page.close()
    narrow = Look(b, dashboard, "en", False, 420, 900)
    for name in READY:
        narrow.view(name, READY[name])
        narrow.page.picture("%s/%s-narrow.png" % (pictures, name))
        wide = narrow.page.value("document.documentElement.scrollWidth - innerWidth")
        if wide > 0:
            raise AssertionError("%s is %d pixels too wide for a small window" % (name, wide))
    narrow.sound()
    narrow.page.close()


def by_file(b, dashboard, folder):
    """What --open does: the browser is led to the page by a file, and not kept out as a stranger."""
    path = folder + "/open.html"
    fixture.put("/", path, '<!doctype html><meta http-equiv="refresh" content="0;url=%s">' % dashboard.url)
    page = b.page(1200, 800)
    page.open("file://" + path)
    page.until("location.search === '' && document.querySelector('.live.live') && document.querySelector('.rail')")
    page.close()


def decide(b, dashboard, desk, agent, pictures):
    """A change appears by itself, and the user decides."""
    look = Look(b, dashboard, "en", False)
    look.view("session", READY["session"])
    page = look.page
    page.value("window.never_loaded_anew = true")
    before = page.value("Number(document.documentElement.dataset.ready.split(' ')[2])")
    run(agent.call("search_text", {"pattern": "LOAN_DAYS"}))
    page.until("Number(document.documentElement.dataset.ready.split(' ')[2]) > %d && document.querySelector('.ledger tbody tr').innerText.includes('search_text')" % before)
    refused = run(agent.call("submit_phase", {"data": {"user_decision": "accept", "guidance": "", "summary": "the user said so"}}))
    if not refused.refused:
        raise AssertionError("human_gate is dashboard, and the word of the model was taken")
    page.value("document.querySelector('#choice-retry').click()")
    page.until("document.querySelector('.option.chosen')")
    page.value("document.querySelector('#guidance').focus()")
    page.send("Input.insertText", {"text": "desk.py is right; docs/loans.md follows it."})
    page.value("document.querySelector('.decide button[type=submit]').click()")
    page.until("document.querySelector('#confirm')")
    page.picture(pictures + "/gate-sure.png")
    page.value("document.querySelector('#confirm').click()")
    page.until("document.querySelector('.decided')")
    look.shows("Decided: retry.", "on the dashboard")
    page.picture(pictures + "/gate-decided.png")
    moved = run(agent.call("submit_phase", {"data": {"user_decision": "abort", "guidance": "", "summary": "the user said so"}}))
    if moved.refused or moved.answer["phase"] != "READY":
        raise AssertionError("the decision was not found: %s" % moved)
    page.until("!document.querySelector('.gate') && document.querySelector('[data-key=decisions]')")
    look.shows("desk.py is right; docs/loans.md follows it.")
    if not page.value("window.never_loaded_anew"):
        raise AssertionError("the page was loaded anew")
    look.sound()
    # The pipeline that waits is led by nobody now; its answer is applied at once.
    look.view("pipelines", READY["pipelines"])
    page.until("document.querySelector('#choice-reject')")
    page.picture(pictures + "/checkpoint.png")
    page.value("document.querySelector('#choice-reject').click()")
    page.until("document.querySelector('.option.chosen')")
    page.value("document.querySelector('#guidance').focus()")
    page.send("Input.insertText", {"text": "Name who must agree."})
    page.value("document.querySelector('.decide button[type=submit]').click()")
    page.until("document.querySelector('#confirm')")
    page.value("document.querySelector('#confirm').click()")
    page.until("!document.querySelector('.gate') && document.querySelector('[data-key=pdecisions]')")
    look.shows("Name who must agree.", "on the dashboard")
    said = json.loads(desk.command("pipeline", "show", "dearer-days", "--json"))["pipeline"]
    if said["phase"] != "phase-3" or [(d["choice"], d["by"]) for d in said["decisions"]] != [("reject", "relayed"), ("reject", "dashboard")]:
        raise AssertionError("the checkpoint was not answered: %s" % said)
    look.sound()
    page.close()
    checked = json.loads(desk.command("session", "verify", "--json"))
    if not checked["whole"]:
        raise AssertionError("the ledger does not hold any more: %s" % checked)


KEPT = {"session": ("en", False, 1180), "pipelines": ("en", True, 1240), "learning": ("ja", False, 900)}
MOST = 150_000       # bytes of a picture that is kept


def keep(b, dashboard, folder):
    """Makes the pictures of the documentation: a few colours are enough."""
    os.makedirs(folder, exist_ok=True)
    for name, (lang, dark, height) in KEPT.items():
        look = Look(b, dashboard, lang, dark, height=height)
        look.view(name, READY[name])
        path = "%s/dashboard-%s.png" % (folder, name)
        look.page.picture(path)
        look.page.close()
        subprocess.run(["pngquant", "--force", "--strip", "--nofs", "--speed", "1", "--output", path, "96", path], check=True)
        if os.path.getsize(path) > MOST:
            raise AssertionError("%s has %d bytes" % (path, os.path.getsize(path)))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--program", default=os.path.join(os.path.dirname(os.path.dirname(HERE)), "bin", "code-intel"), help="the program to test")
    p.add_argument("--cache", default=os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "code-intel-accept"),
                   help="where the traces of runs are kept")
    p.add_argument("--write", metavar="FOLDER", help="put the pictures of the documentation there")
    p.add_argument("--stay", action="store_true", help="leave the dashboard open until Enter is pressed")
    a = p.parse_args()
    chromium = browser.find()
    if not chromium:
        print("dashboard: no Chromium is on PATH (Debian: apt-get install chromium fonts-noto-cjk), and CHROMIUM names none")
        return 1
    folder = os.path.join(os.path.realpath(a.cache), "runs", "dashboard")
    began = time.time()
    desk = Desk(folder, os.path.abspath(a.program))
    pictures = folder + "/pictures"
    os.makedirs(pictures)
    server, agent = desk.play()
    dashboard = Dashboard(desk)
    try:
        if a.stay:
            print(dashboard.url)
            input()
            return 0
        with browser.Browser(chromium) as b:
            by_file(b, dashboard, folder)
            look_around(b, dashboard, pictures)
            if a.write:
                keep(b, dashboard, a.write)
            decide(b, dashboard, desk, agent, pictures)
    finally:
        status = dashboard.close()
        server.close()
    if status != 0:
        raise AssertionError("the dashboard ended with status %d" % status)
    print("dashboard  ok  %.1f s  %s" % (time.time() - began, pictures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
