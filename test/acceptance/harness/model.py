"""The model: an HTTP server on the loopback that plays a script.

A script is a generator. It yields steps (see wire.py), and each yield returns the
results of the tools it called. It sees the world through a Context, as a model does
through its prompt. Requests beside the conversation (titles, probes) are answered
without it. Requests are kept as files, one each, in the order they came.
"""
import hashlib
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from . import wire

# The name of a tool that is only announced stands alone on its line.
ANNOUNCED = re.compile(r"^[A-Za-z][A-Za-z0-9_]*__[A-Za-z0-9_-]+$", re.M)


FULL = 500000            # tokens; more than any context here holds

SUMMARY = "The user wants a change made with code-intel. A session of it is open; get_session_status says where it stands."


class Context:
    """What the model has before it, and the ways it can call tools.

    use(), shell(), write() and edit() are generators, to be called by `yield from`;
    they hide in which of four ways a client offers its tools: directly, announced
    and loaded by ToolSearch (Claude Code), behind tool_search, or only from
    JavaScript (Codex with different models).
    """

    def __init__(self):
        self.request = None
        self.full = False                            # whether the next step tells that the context is nearly full

    @property
    def tools(self):
        return [t["name"] for t in self.request["tools"]]

    def text(self):
        """Everything the client put before the model."""
        r = self.request
        return "\n".join([r["system"]] + [p["text"] for m in r["messages"] for p in m["parts"]])

    def told(self):
        """What came after the model's last message, except tool results."""
        messages = self.request["messages"]
        said = max((i for i, m in enumerate(messages) if m["role"] == "assistant"), default=-1)
        return "\n".join(p["text"] for m in messages[said + 1:] for p in m["parts"] if p["type"] != "tool_result")

    def find(self, name):
        """The full name of a tool that is offered or announced, or None."""
        for full in self.tools + ANNOUNCED.findall(self.text()):
            if full == name or full.endswith(("__" + name, "." + name)):
                return full
        return None

    def use(self, name, arguments):
        """Calls the tool whose full name ends in name; returns its result."""
        if "functions.exec" in self.tools:
            code = ("const tool = ALL_TOOLS.find(t => t.name === %s || t.name.endsWith('__' + %s));\n"
                    "const r = await tools[tool.name](%s);\n"
                    "text(typeof r === 'string' ? r : JSON.stringify(r));"
                    % (json.dumps(name), json.dumps(name), json.dumps(arguments)))
            return (yield {"tool": "functions.exec", "input": code})[-1]
        if self.find(name) is None and "WaitForMcpServers" in self.tools:      # the server is still starting
            yield {"tool": "WaitForMcpServers", "input": {}}
        if self.find(name) is None and "tool_search" in self.tools:
            yield {"tool": "tool_search", "input": {"query": "%s %s" % (name, name.replace("_", " ")), "limit": 8}}
        if self.find(name) is None and "ToolSearch" in self.tools:  # waits for servers that are still connecting
            yield {"tool": "ToolSearch", "input": {"query": name}}
        full = self.find(name)
        if full is None:
            raise LookupError("the client offers no tool %r: %s" % (name, ", ".join(self.tools)))
        if full not in self.tools:
            yield {"tool": "ToolSearch", "input": {"query": "select:" + full}}
        return (yield {"tool": full, "input": arguments})[-1]

    @property
    def claude(self):
        return self.request["api"] == "anthropic"

    def shell(self, command):
        if self.claude:
            return (yield {"tool": "Bash", "input": {"command": command}})[-1]
        return (yield from self.use("exec_command", {"cmd": command}))

    def write(self, path, text):
        """Makes a file, or replaces it, with the client's own tool."""
        if self.claude:
            return (yield {"tool": "Write", "input": {"file_path": path, "content": text}})[-1]
        return (yield from self.patch("*** Add File: %s\n%s" % (path, marked("+", text))))

    def edit(self, path, old, new):
        """Replaces whole lines with the client's own tool."""
        if self.claude:
            yield {"tool": "Read", "input": {"file_path": path}}
            return (yield {"tool": "Edit", "input": {"file_path": path, "old_string": old, "new_string": new}})[-1]
        return (yield from self.patch("*** Update File: %s\n@@\n%s%s" % (path, marked("-", old), marked("+", new))))

    def patch(self, body):
        text = "*** Begin Patch\n%s*** End Patch\n" % body
        if self.find("apply_patch") or "functions.exec" in self.tools:
            return (yield from self.use("apply_patch", text))
        return (yield from self.shell("apply_patch <<'PATCH'\n%sPATCH" % text))    # for models that Codex does not know


def marked(sign, text):
    return "".join("%s%s\n" % (sign, line) for line in text.splitlines())


class Player:
    """Plays one script, whichever process of the client asks."""

    def __init__(self, script):
        self.context = Context()
        self.steps = script(self.context)
        self.error = None
        self.begun = False
        self.ended = False
        self._said = {}                              # step by request: who asks again hears the same
        self._lock = threading.Lock()

    def new_process(self):
        """The next request comes from another process of the client, however alike it is."""
        with self._lock:
            self._said = {}

    def answer(self, request):
        with self._lock:
            digest = hashlib.sha256(json.dumps(request["messages"], sort_keys=True).encode()).hexdigest()
            if digest not in self._said:
                self._said[digest] = self._next(request)
            return self._said[digest]

    def _next(self, request):
        self.context.request = request
        try:
            step = self.steps.send(request["new_results"] if self.begun else None)
        except StopIteration:
            if self.ended:
                self.error = self.error or "the client asked for more than the script has"
            self.ended = True
            step = {"text": "Done."}
        except Exception as e:                       # the script's own: it is told in the report, and the turn ends
            self.error = self.error or "%s: %s" % (type(e).__name__, e)
            self.ended = True
            step = {"text": "The script has failed: %s" % e}
        self.begun = True
        if self.context.full:
            self.context.full, step = False, dict(step, tokens=FULL)
        return step


class Cast:
    """Several conversations at once, of agents that a client starts or of another process of
    it: each is known by its prompt, which is the first thing that it is told."""

    def __init__(self, main):
        self.main, self.others = main, {}

    def enter(self, prompt, script):
        self.others[prompt.strip()] = Player(script)

    @property
    def errors(self):
        return [p.error for p in self.others.values() if p.error]

    def answer(self, request):
        first = next((m for m in request["messages"] if m["role"] == "user" and not environment(m)), None)
        told = "\n".join(p["text"] for p in first["parts"]) if first else ""
        for prompt, player in self.others.items():
            if prompt in told:
                return player.answer(request)
        return self.main.answer(request)


def environment(message):
    """Whether a message holds only what a client says of itself, before the first prompt."""
    return all(p["text"].lstrip().startswith(("<environment_context>", "# AGENTS.md", "<user_instructions>")) for p in message["parts"])


def beside(request, body):
    """Whether a request is not part of the conversation: a probe, a title, a summary."""
    return body.get("max_tokens") == 1 or not request["tools"] or bool(body.get("output_config", {}).get("format"))


def summarises(request):
    """Whether a client asks for a summary that is to stand for the conversation."""
    last = request["messages"][-1]
    text = last["parts"][-1]["text"] if last["role"] == "user" and last["parts"] else ""
    return bool(re.search(r"create a detailed summary of|CONTEXT CHECKPOINT COMPACTION", text[:3000]))


class Server:
    """Serves a Player on 127.0.0.1 until closed."""

    def __init__(self, player, folder):
        self.player, self.folder, self.count = player, folder, 0
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args):
                pass

            def do_GET(self):
                outer.whole(self, 200, {"object": "list", "data": [], "models": [], "has_more": False})

            def do_POST(self):
                outer.post(self, json.loads(self.body() or b"{}"))

            def body(self):
                if self.headers.get("transfer-encoding", "").lower() != "chunked":
                    return self.rfile.read(int(self.headers.get("content-length") or 0))
                data = b""
                while True:
                    size = int(self.rfile.readline().split(b";")[0], 16)
                    data += self.rfile.read(size)
                    self.rfile.readline()
                    if size == 0:
                        return data

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.port = self.http.server_address[1]
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()

    def post(self, h, body):
        path = h.path.split("?")[0]
        if path.endswith("/count_tokens"):
            return self.whole(h, 200, {"input_tokens": len(json.dumps(body)) // 4})
        if path.endswith("/messages"):
            request, write = wire.read_anthropic(body), wire.write_anthropic
        elif path.endswith("/responses"):
            request, write = wire.read_openai(body), wire.write_openai
        else:
            return self.whole(h, 404, {"type": "error", "error": {"type": "not_found_error", "message": "no such path"}})
        if summarises(request):
            step = {"text": "<summary>%s</summary>" % SUMMARY}
        elif beside(request, body):
            step = {"text": '{"title": "A session"}'}
        else:
            step = self.player.answer(request)
        self.keep(h.path, body, step)
        if "error" in step:
            return self.whole(h, 400, {"type": "error", "error": {"type": "invalid_request_error", "message": step["error"]}})
        whole, events = write(step, request)
        if not body.get("stream"):
            return self.whole(h, 200, whole)
        h.send_response(200)
        h.send_header("content-type", "text/event-stream")
        h.send_header("connection", "close")
        h.end_headers()
        h.close_connection = True
        try:
            for name, data in events:
                h.wfile.write(("event: %s\ndata: %s\n\n" % (name, json.dumps(dict(data, type=name)))).encode())
            h.wfile.flush()
        except (BrokenPipeError, ConnectionResetError):
            pass                                     # the client has gone; its exit status tells

    def whole(self, h, status, value):
        data = json.dumps(value).encode()
        h.send_response(status)
        h.send_header("content-type", "application/json")
        h.send_header("content-length", str(len(data)))
        h.end_headers()
        h.wfile.write(data)

    def keep(self, path, body, step):
        with self._lock:
            self.count += 1
            if self.count > 1:                       # the first is kept whole, of the others what is new
                body = {k: v[-2:] for k, v in body.items() if k in ("messages", "input")}
            with open("%s/%03d.json" % (self.folder, self.count), "w") as f:
                json.dump({"path": path, "body": body, "step": step}, f, indent=1)
