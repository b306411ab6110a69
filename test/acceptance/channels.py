"""The ways an agent touches the world.

    Session(context, …)   through a real client: the model's tool calls
    Direct(server, …)     with no client: the server over stdio, files by ourselves

Both have the same deeds, all of them generators for `yield from`:

    call(tool, arguments) -> Reply      a tool of code-intel
    write(path, text), edit(path, old, new)     through a client: what the client answered
    shell(command) -> (exit status, output)
    speak(text)                         end the turn; the user then asks to resume
    leave()                             the same, in the middle of the work
    compact()                           the user has the client take a summary for everything said
    swell()                             the context is full, and the client does the same by itself
    back(), back_by_id()                the user closes the client, and later goes on in the same conversation
    clear()                             the user begins a new conversation

and kill(), which ends the server's process at once. Every deed is a line of `log`.
"""
import json
import os
import re
import select
import signal
import subprocess
import time

from harness.model import SUMMARY
from replies import Reply


class Hands:
    def __init__(self, root, log):
        self.root, self.log = root, log

    def note(self, deed, **details):
        with open(self.log, "a") as f:
            f.write(json.dumps(dict({"t": round(time.time(), 3), "deed": deed}, **details)) + "\n")

    def call(self, tool, arguments):
        began = time.time()
        reply = yield from self.ask(tool, arguments)
        self.note("call", tool=tool, arguments=arguments, refused=reply.refused, lost=reply.lost,
                  ms=round(1000 * (time.time() - began)), answer=reply.answer or reply.text)
        return reply


RESUME, GO_ON = "The session of code-intel was interrupted. Resume it.", "Go on."
HELD = re.compile(r"Stop hook feedback:|<hook_prompt")       # what a client tells a model that is not to stop yet


class Session(Hands):
    """prompts: what the user types once the turn has ended, each with the conversation that it is in:
    none (a new one), "last", or "id"."""

    def __init__(self, context, root, log, pidfile):
        super().__init__(root, log)
        self.context, self.pidfile = context, pidfile
        self.prompts, self.held = [], []

    def ask(self, tool, arguments):
        result = yield from self.context.use(tool, arguments)
        return Reply(result["text"], result["is_error"])

    def write(self, path, text):
        self.note("write", path=path)
        return (yield from self.context.write(os.path.join(self.root, path), text))

    def edit(self, path, old, new):
        self.note("edit", path=path)
        return (yield from self.context.edit(os.path.join(self.root, path), old, new))

    def shell(self, command):
        result = yield from self.context.shell(command + '; echo "exit status $?"')
        status = re.findall(r"exit status (\d+)", result["text"])
        self.note("shell", command=command, status=status[-1:], output=result["text"])
        if not status:
            raise RuntimeError("the shell did not run %r: %s" % (command, result["text"]))
        return int(status[-1]), result["text"]

    def speak(self, text, then=((RESUME, None),)):
        """Ends the turn, and again as often as the client's hooks do not let it."""
        self.note("speak", text=text)
        self.prompts = list(then)
        yield {"text": text}
        while HELD.search(self.context.told()):
            self.held.append(self.context.told())
            self.note("held", told=self.held[-1])
            yield {"text": text}

    def leave(self):
        yield from self.speak("The user has closed the client.")

    def back(self):
        yield from self.speak("The user has closed the client, and goes on.", [(GO_ON, "last")])

    def back_by_id(self):
        yield from self.speak("The user has closed the client, and goes on with this one.", [(GO_ON, "id")])

    def clear(self):
        yield from self.speak("The user clears the conversation.", [("/clear", "last"), (RESUME, "last")])

    def compact(self):
        before = len(self.context.request["messages"])
        yield from self.speak("The user compacts the conversation.", [("/compact", "last"), (GO_ON, "last")])
        self.compacted(before)

    def swell(self):
        before = len(self.context.request["messages"])
        self.note("swell")
        if self.context.claude:
            yield {"error": "prompt is too long: 215000 tokens > 200000 maximum"}
        else:
            self.context.full = True
            try:
                yield from self.context.shell("git log --oneline -n 1")
            except IndexError:                       # what it answered is in the summary
                pass
        self.compacted(before)

    def compacted(self, before):
        if SUMMARY not in self.context.text() or len(self.context.request["messages"]) >= before:
            raise RuntimeError("the client has not compacted: %d messages, then %d" % (before, len(self.context.request["messages"])))

    def kill(self):
        self.note("kill")
        with open(self.pidfile) as f:
            os.kill(int(f.read()), signal.SIGKILL)


class Direct(Hands):
    def __init__(self, command, root, log, environment, pidfile):
        super().__init__(root, log)
        self.command, self.environment, self.pidfile = command, environment, pidfile
        self.process, self.count, self.fuse = None, 0, None

    def start(self):
        with open(self.log + ".stderr", "ab") as err:
            self.process = subprocess.Popen(self.command, cwd=self.root, env=self.environment, bufsize=0,
                                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=err)
        with open(self.pidfile, "w") as f:
            f.write(str(self.process.pid))
        self.buffer = b""
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                    "clientInfo": {"name": "accept", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write((json.dumps(message) + "\n").encode())

    def request(self, method, params, fuse=None, timeout=120):
        """Sends a request and returns its response, or None if the server died.
        After `fuse` seconds, if given, the server is killed, whatever it is doing."""
        self.count += 1
        try:
            self.send({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params})
        except BrokenPipeError:
            return None
        end = time.time() + timeout
        burns = time.time() + fuse if fuse is not None else end + 1
        while True:
            while b"\n" in self.buffer:
                line, self.buffer = self.buffer.split(b"\n", 1)
                message = json.loads(line)
                if message.get("id") == self.count and "method" not in message:
                    return message
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, min(end, burns) - time.time()))
            if not ready and time.time() >= burns:
                self.kill()
                burns = end + 1
            elif not ready:
                raise TimeoutError("no answer to %s within %d s" % (method, timeout))
            else:
                data = os.read(self.process.stdout.fileno(), 65536)
                if not data:
                    return None
                self.buffer += data

    def ask(self, tool, arguments):
        yield from ()
        if self.process is None or self.process.poll() is not None:
            self.start()
        response = self.request("tools/call", {"name": tool, "arguments": arguments}, self.fuse and self.fuse())
        if response is None:
            self.process.wait()
            return Reply("the server has gone", True)
        if "error" in response:
            return Reply(json.dumps(response["error"]["message"]), True)
        result = response["result"]
        text = json.dumps(result["structuredContent"]) if "structuredContent" in result else result["content"][0]["text"]
        return Reply(text, result.get("isError", False))

    def write(self, path, text):
        yield from ()
        self.note("write", path=path)
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w") as f:
            f.write(text)

    def edit(self, path, old, new):
        with open(os.path.join(self.root, path)) as f:
            text = f.read()
        if text.count(old) != 1:
            raise RuntimeError("%s holds %r %d times" % (path, old, text.count(old)))
        yield from self.write(path, text.replace(old, new))

    def shell(self, command):
        yield from ()
        p = subprocess.run(command, shell=True, cwd=self.root, env=self.environment, capture_output=True, text=True)
        self.note("shell", command=command, status=p.returncode, output=p.stdout + p.stderr)
        return p.returncode, p.stdout + p.stderr

    def speak(self, text):
        yield from ()
        self.note("speak", text=text)

    def leave(self):
        yield from self.speak("The user has closed the client.")
        self.close()

    back = back_by_id = clear = leave

    def compact(self):
        yield from ()
        self.note("compact")

    swell = compact

    def kill(self):
        self.note("kill")
        self.process.kill()
        self.process.wait()

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait(10)
