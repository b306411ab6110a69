#!/usr/bin/env python3
"""terminal.py [--write PAGE]   What a person sees, in a terminal and a fresh home.

The person types what the README says, `code-intel install claude`, then `claude`, then a /code
line, and answers what the client asks (--yes stands for the answer to install). The model edits while the session has not explored, and
then stops: the terminal must show the denial, that the agent is sent back, and the note when it is
let go. With --write both screens go into the page. Needs tmux; without it nothing is played.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import fixture                                                       # noqa: E402
import channels                                                         # noqa: E402
import install                                                       # noqa: E402
import play                                                          # noqa: E402
from harness import clients, model                                   # noqa: E402

REQUEST = "/code --no-doc-research Lend books for 28 days instead of 21."
ANSWERS = {"New MCP server found": ("Up", "Up", "Enter"), "Do you want to proceed": ("Enter",)}     # which keys answer what the client asks
WAIT = 600                   # seconds, only to end a hang
WANTED = ("Error: PreToolUse:Edit hook error: lending/desk.py may not be written now", "is not over: it is in QUERY_FRAME", "Stop says: The agent has stopped")


class Terminal:
    """A terminal that somebody types into."""

    def __init__(self, folder, environment, project, command):
        self.tmux = ["tmux", "-S", folder + "/tmux"]
        subprocess.run(self.tmux + ["-f", "/dev/null", "new-session", "-d", "-x", "110", "-y", "60", "-c", project] + command, env=environment, check=True)

    def screen(self):
        return subprocess.run(self.tmux + ["capture-pane", "-p"], capture_output=True, text=True, check=True).stdout

    def press(self, *keys):
        subprocess.run(self.tmux + ["send-keys", *keys], check=True)
        time.sleep(0.3)

    def type(self, text):
        self.press("-l", text)
        self.press("Enter")

    def until(self, done):
        """Answers what the client asks until done(screen)."""
        end = time.time() + WAIT
        while time.time() < end:
            screen = self.screen()
            asked = [q for q in ANSWERS if q in screen]
            if not asked and done(screen):
                return screen
            for key in ANSWERS[asked[0]] if asked else ():
                self.press(key)
            time.sleep(1)
        raise SystemExit("the terminal shows:\n" + self.screen())

    def close(self):
        subprocess.run(self.tmux + ["kill-server"], check=False)


def main(folder, binary, program):
    """Plays it, and returns what was on the terminal: the installation, and the client."""
    root, home = folder + "/project", folder + "/home"
    for made in (root, home, folder + "/bin", folder + "/model"):
        os.makedirs(made)
    os.symlink(program, folder + "/bin/code-intel")
    environment = {"PATH": folder + "/bin:" + clients.SYSTEM_PATH, "HOME": home, "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1", "TERM": "xterm-256color"}
    fixture.make(root, program, environment)
    shown = subprocess.run([folder + "/bin/code-intel", "install", "claude", "--yes"], cwd=root, env=environment, capture_output=True, text=True)
    if shown.returncode != 0:
        raise SystemExit(shown.stdout + shown.stderr)
    installed = "$ code-intel install claude --yes\n" + shortened(shown.stdout)

    def script(context):
        h = channels.Session(context, root, folder + "/deeds.jsonl", None)
        yield from h.call("start_session", {"intent": "MODIFY", "query": REQUEST.split(" ", 2)[2], "flags": ["--no-doc-research"]})
        yield from h.edit("lending/desk.py", "LOAN_DAYS = 21", "LOAN_DAYS = 28")
        yield from h.speak("I cannot write yet.")

    player = model.Player(script)
    server = model.Server(player, folder + "/model")
    client = clients.Claude(binary, None, root, folder, server.port, [program, "mcp"])
    client.prepare()
    os.rename(home + "/.claude/.claude.json", home + "/.claude.json")     # a home as it is by default
    env = dict(client.environment(), PATH=environment["PATH"])
    del env["CLAUDE_CONFIG_DIR"]
    terminal = Terminal(folder, env, root, [binary, "--model", "claude-sonnet-4-5"])
    try:
        terminal.until(lambda s: re.search(r"^❯", s, re.M))
        terminal.type(REQUEST)
        screen = terminal.until(lambda s: "The agent has stopped" in s)
    finally:
        terminal.close()
        server.close()
    if player.error or any(w not in flat(screen) for w in WANTED) or fixture.git(root, "diff", "--", "lending"):
        raise SystemExit("not as it should be: %s\n%s" % (player.error, screen))
    lines = screen[screen.index("❯ /code"):].partition("\n✻")[0].rstrip().splitlines()
    return [text.replace(folder, "/home/you") for text in (installed, "$ claude\n" + "\n".join(line.rstrip() for line in lines))]


def flat(screen):
    return " ".join(screen.split())


def shortened(diff):
    """The first file whole, of the second the beginning, and what is said at the end."""
    files = re.split(r"^(?=--- )", re.sub(r"^diff .*\n", "", diff, flags=re.M), flags=re.M)
    settings = files[2].splitlines()[:16] + ["…"]
    end = diff[diff.index("claude (project):"):] if "claude (project):" in diff else ""
    return "\n".join([files[1].rstrip()] + settings + [end.rstrip()])


def write(page, screens):
    """Puts the screens between the marks of a page."""
    with open(page) as f:
        before, begun, rest = f.read().partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not begun or not ended:
        raise SystemExit("%s has no place for the terminal" % page)
    with open(page, "w") as f:
        f.write(before + BEGIN + "\n".join("```text\n%s\n```\n" % s for s in screens) + END + after)


BEGIN, END = "<!-- terminal: written by make accept -->\n", "<!-- end of terminal -->\n"


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--write", metavar="PAGE", help="put the screens into this page")
    p.add_argument("--program", default=os.path.join(os.path.dirname(os.path.dirname(HERE)), "bin", "code-intel"), help="the program to test")
    p.add_argument("--cache", default=os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "code-intel-accept"),
                   help="where clients and the traces of runs are kept")
    p.add_argument("--alone", nargs=2, metavar=("FOLDER", "BINARY"), help=argparse.SUPPRESS)
    return p.parse_args()


if __name__ == "__main__":
    a = arguments()
    program = os.path.abspath(a.program)
    if a.alone:
        play.assert_alone()
        folder, binary = a.alone
        clients.write_json(folder + "/screens.json", main(folder, binary, program))
    elif shutil.which("tmux") is None:
        print("terminal.py: tmux is not there; nothing was played")
    else:
        folder = os.path.join(os.path.realpath(a.cache), "runs", "terminal")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        alone = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"] + (["--map-root-user"] if os.geteuid() != 0 else [])
        p = subprocess.run(alone + [sys.executable, os.path.abspath(__file__), "--program", program,
                                    "--alone", folder, install.program(a.cache, "claude")])
        if p.returncode != 0:
            sys.exit(p.returncode)
        screens = clients.read_json(folder + "/screens.json")
        print("\n\n".join(screens))
        if a.write:
            write(a.write, screens)
