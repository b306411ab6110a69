#!/usr/bin/env python3
"""terminal.py   What a person sees of it, in the terminal: `install claude`, then a real Claude Code
that is denied a write. Prints both; needs tmux.

The person types what the README says, and answers what the client asks.
"""
import json
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
import hands                                                         # noqa: E402
import install                                                       # noqa: E402
import play                                                          # noqa: E402
from harness import clients, model                                   # noqa: E402

REQUEST = "/code --no-doc-research Lend books for 28 days instead of 21."
ANSWERS = (("Do you want to proceed", "1"), ("New MCP server found", "1"), ("Do you trust", "1"), ("trust this folder", "1"))
WAIT = 60


class Terminal:
    """A terminal that somebody types into."""

    def __init__(self, folder, environment, project, command):
        self.tmux = ["tmux", "-S", folder + "/tmux"]
        subprocess.run(self.tmux + ["-f", "/dev/null", "new-session", "-d", "-x", "110", "-y", "60", "-c", project] + command, env=environment, check=True)

    def screen(self):
        return subprocess.run(self.tmux + ["capture-pane", "-p", "-S", "-300"], capture_output=True, text=True, check=True).stdout

    def type(self, text):
        subprocess.run(self.tmux + ["send-keys", "-l", text], check=True)
        time.sleep(0.5)
        subprocess.run(self.tmux + ["send-keys", "Enter"], check=True)

    def until(self, done):
        """Answers what the client asks until done(screen)."""
        end = time.time() + WAIT
        while time.time() < end:
            screen = self.screen()
            if done(screen):
                return screen
            for question, answer in ANSWERS:
                if question in screen[-3000:]:
                    subprocess.run(self.tmux + ["send-keys", answer], check=True)
                    time.sleep(1)
                    break
            time.sleep(0.3)
        raise SystemExit("the terminal shows:\n" + self.screen())

    def close(self):
        subprocess.run(self.tmux + ["kill-server"], check=False)


def main(folder, binary, program):
    root, home = folder + "/project", folder + "/home"
    os.makedirs(root), os.makedirs(home), os.makedirs(folder + "/model"), os.makedirs(folder + "/bin")
    os.symlink(program, folder + "/bin/code-intel")
    environment = {"PATH": folder + "/bin:" + clients.SYSTEM_PATH, "HOME": home, "LANG": "C.UTF-8", "GIT_CONFIG_NOSYSTEM": "1", "TERM": "xterm-256color"}
    fixture.make(root, program, environment)
    shown = subprocess.run([folder + "/bin/code-intel", "install", "claude", "--yes"], cwd=root, env=environment, capture_output=True, text=True, check=True)
    print(shown.stdout.replace(folder, ""))

    def script(context):
        h = hands.Session(context, root, folder + "/deeds.jsonl", None)
        yield from h.call("start_session", {"intent": "MODIFY", "query": REQUEST.split(" ", 2)[2], "flags": ["--no-doc-research"]})
        yield from h.edit("lending/desk.py", "LOAN_DAYS = 21", "LOAN_DAYS = 28")
        yield from h.speak("The session first explores.")

    player = model.Player(script)
    server = model.Server(player, folder + "/model")
    client = clients.Claude(binary, None, root, folder, server.port, [])
    client.installed = lambda: None
    client.prepare()
    os.rename(home + "/.claude/.claude.json", home + "/.claude.json")
    env = dict(client.environment(), PATH=environment["PATH"])
    del env["CLAUDE_CONFIG_DIR"]
    terminal = Terminal(folder, env, root, [binary, "--model", "claude-sonnet-4-5"])
    try:
        terminal.until(lambda s: re.search(r"^[>❯]", s, re.M) and not any(q in s for q, _ in ANSWERS))
        terminal.type(REQUEST)
        print(terminal.until(lambda s: "The agent has stopped" in s))
    finally:
        terminal.close()
        server.close()


if __name__ == "__main__":
    if len(sys.argv) == 4:
        play.assert_alone()
        main(*sys.argv[1:])
    else:
        cache = os.path.join(os.path.expanduser("~"), ".cache", "code-intel-accept")
        where = os.path.join(cache, "runs", "terminal")
        shutil.rmtree(where, ignore_errors=True)
        os.makedirs(where)
        alone = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
        sys.exit(subprocess.run(alone + [sys.executable, os.path.abspath(__file__), where, install.program(cache, "claude"),
                                         os.path.join(os.path.dirname(HERE), "bin", "code-intel")]).returncode)
