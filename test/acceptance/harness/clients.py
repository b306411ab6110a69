"""How each real client is started against the scripted model.

A client gets a home of its own, an environment made from nothing, and dummy keys:
nothing of the person who runs this reaches it.
"""
import json
import os
import subprocess

SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


class Client:
    """One client program in one project. `server` is the command of our MCP server."""

    def __init__(self, binary, model, project, folder, port, server):
        self.binary, self.model, self.project, self.folder = binary, model, project, folder
        self.port, self.server, self.path = port, server, SYSTEM_PATH
        self.home, self.tmp = folder + "/home", folder + "/tmp"
        for d in (self.home, self.tmp):
            os.makedirs(d, exist_ok=True)
        self.runs = 0
        self.modes = ()                            # of permission, of Claude Code: one for each run, the last for all others
        self.neighbour = None                      # the command of another server
        self.installed, self.plugin = None, None   # by code-intel install, a function: nothing of ours is then told to the client here

    def environment(self, **more):
        return dict({"PATH": self.path, "HOME": self.home, "TMPDIR": self.tmp, "LANG": "C.UTF-8",
                     "TERM": "xterm-256color", "USER": "tester", "SHELL": "/bin/bash", "NO_PROXY": "127.0.0.1,localhost",
                     "GIT_CONFIG_NOSYSTEM": "1"}, **more)

    def run(self, prompt, timeout, on=None):
        """Runs the client on one prompt, in a new conversation, or in one there was: the "last", or that of
        the first run by its "id". Returns what went wrong, or None."""
        command = self.command(prompt, self.conversation() if on == "id" else on)
        self.runs += 1
        log = "%s/run-%d" % (self.folder, self.runs)
        with open(log + ".stdout", "wb") as out, open(log + ".stderr", "wb") as err:
            try:
                p = subprocess.run(command, env=self.environment(), cwd=self.project,
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=err, timeout=timeout)
            except subprocess.TimeoutExpired:
                return "the client did not end within %d s" % timeout
        if p.returncode == 0:
            return None
        with open(log + ".stderr", errors="replace") as f:
            return "the client ended with status %d: %s" % (p.returncode, f.read()[-500:])

    def printed(self):
        """What the runs have printed, a JSON object a line."""
        for n in range(1, self.runs + 1):
            with open("%s/run-%d.stdout" % (self.folder, n), errors="replace") as f:
                for line in f:
                    if line.startswith("{"):
                        yield json.loads(line)

    def conversation(self):
        """The id of the first run's conversation."""
        return next(p[self.id] for p in self.printed() if self.id in p)


class Claude(Client):
    id = "session_id"
    tools = ("mcp__code-intel", "mcp__plugin_code-intel_code-intel", "Read", "Edit", "Write", "Bash", "Agent", "mcp__notes")   # the user has allowed these for good

    def environment(self):
        return super().environment(
            ANTHROPIC_BASE_URL="http://127.0.0.1:%d" % self.port, ANTHROPIC_API_KEY=DUMMY_KEY,
            CLAUDE_CONFIG_DIR=self.home + "/.claude", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
            CLAUDE_CODE_MAX_RETRIES="2", DISABLE_TELEMETRY="1", DISABLE_ERROR_REPORTING="1", DISABLE_AUTOUPDATER="1",
            DISABLE_GROWTHBOOK="1", ENABLE_CLAUDEAI_MCP_SERVERS="0", IS_SANDBOX="1", USE_BUILTIN_RIPGREP="1")

    def prepare(self):
        if self.installed:
            self.installed()
        os.makedirs(self.home + "/.claude", exist_ok=True)
        there = self.home + "/.claude/.claude.json"      # with the server, if that is installed for the user
        write_json(there, dict(read_json(there), **{
            "hasCompletedOnboarding": True, "theme": "dark", "autoUpdates": False,
            "customApiKeyResponses": {"approved": [DUMMY_KEY[-20:]], "rejected": []},
            "projects": {self.project: {"hasTrustDialogAccepted": True, "allowedTools": []}}}))
        # The user has said yes to the server of the project's .mcp.json.
        write_json(self.folder + "/settings.json", {"enableAllProjectMcpServers": True} if self.installed else {})
        write_json(self.folder + "/mcp.json", {"mcpServers": {"code-intel": {
            "command": self.server[0], "args": self.server[1:]}}})
        write_json(self.folder + "/others.json", {"mcpServers": {"notes": {"command": self.neighbour[0], "args": self.neighbour[1:]}} if self.neighbour else {}})

    def command(self, prompt, on):
        ours = ["--mcp-config", self.folder + "/mcp.json", "--strict-mcp-config"]
        if self.installed:
            ours = ["--plugin-dir", self.plugin] if self.plugin else []
        if self.neighbour:
            ours += ["--mcp-config", self.folder + "/others.json"]
        if self.modes:
            ours += ["--permission-mode", self.modes[min(self.runs, len(self.modes) - 1)]]
        again = {None: [], "last": ["--continue"]}.get(on, ["--resume", on])
        return [self.binary, *again, "-p", "--output-format", "stream-json", "--verbose", "--model", self.model or "claude-sonnet-4-5",
                "--settings", self.folder + "/settings.json", *ours,
                "--debug-file", "%s/debug-%d.log" % (self.folder, self.runs), "--allowedTools", *self.tools, "--", prompt]


class Codex(Client):
    id = "thread_id"

    def environment(self):
        return super().environment(CODEX_HOME=self.home + "/.codex", SCRIPTED_API_KEY=DUMMY_KEY, RUST_LOG="error")

    def prepare(self):
        os.makedirs(self.home + "/.codex", exist_ok=True)
        tables = {
            "": {"model": self.model or "gpt-5.2-codex", "model_provider": "scripted", "approval_policy": "never",
                 "sandbox_mode": "danger-full-access", "model_auto_compact_token_limit": 400000, "check_for_update_on_startup": False, "web_search": "disabled"},
            "model_providers.scripted": {
                "name": "scripted", "base_url": "http://127.0.0.1:%d/v1" % self.port, "wire_api": "responses",
                "env_key": "SCRIPTED_API_KEY", "request_max_retries": 1, "stream_max_retries": 1},
            "features": {"enable_request_compression": False, "apps": False, "plugins": False, "remote_plugin": False,
                         "daemon_auto_start": False},
            "analytics": {"enabled": False},
            "feedback": {"enabled": False},
            **{"projects.%s" % json.dumps(path): {"trust_level": "trusted"}
               for path in (self.project, os.path.join(os.path.dirname(self.project), "main"))},    # of a linked working tree, Codex asks for the main one
        }
        if not self.installed:
            tables["mcp_servers.code-intel"] = {"command": self.server[0], "args": self.server[1:], "required": True}
        if self.neighbour:
            tables["mcp_servers.notes"] = {"command": self.neighbour[0], "args": self.neighbour[1:], "required": True}
        with open(self.home + "/.codex/config.toml", "w") as f:
            for name, table in tables.items():
                if name:
                    f.write("\n[%s]\n" % name)
                f.writelines("%s = %s\n" % (key, json.dumps(value)) for key, value in table.items())
        if self.installed:
            self.installed()
            self.trust_hooks()

    def trust_hooks(self):
        """Trusts the hooks in view, as a user does with /hooks."""
        with AppServer(self) as server:
            hooks = [h for d in server.ask("hooks/list", {"cwds": [self.project]})["data"] for h in d["hooks"]]
            server.ask("config/batchWrite", {"edits": [{"keyPath": "hooks.state", "mergeStrategy": "upsert",
                                                        "value": {h["key"]: {"trusted_hash": h["currentHash"]} for h in hooks}}]})

    def run(self, prompt, timeout, on=None):
        if prompt != "/compact":                     # which exec does not know
            return super().run(prompt, timeout, on)
        with AppServer(self) as server:
            server.ask("thread/resume", {"threadId": self.conversation()})
            server.ask("thread/compact/start", {"threadId": self.conversation()})
            server.hear("turn/completed")

    def command(self, prompt, on):
        again = {None: [], "last": ["resume", "--last"]}.get(on, ["resume", on])
        return [self.binary, "exec", *again, "--json", "--skip-git-repo-check", "--", prompt]


class AppServer:
    """Codex as its own applications use it, for what exec cannot do."""

    def __init__(self, client):
        self.process = subprocess.Popen([client.binary, "app-server"], env=client.environment(), cwd=client.project, text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.count = 0

    def __enter__(self):
        self.ask("initialize", {"clientInfo": {"name": "accept", "version": "1"}})
        self.send({"method": "initialized"})
        return self

    def __exit__(self, *error):
        self.process.stdin.close()
        self.process.wait(20)

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.count += 1
        self.send({"id": self.count, "method": method, "params": params})
        return self.until(lambda m: m.get("id") == self.count and "method" not in m, method)["result"]

    def hear(self, method):
        return self.until(lambda m: m.get("method") == method, method)

    def until(self, wanted, what):
        for line in self.process.stdout:
            message = json.loads(line)
            if wanted(message):
                return message
        raise RuntimeError("codex app-server ends without " + what)


DUMMY_KEY = "sk-ant-dummy-0000000000000000000000000000"


def read_json(path):
    if not os.path.exists(path):
        return {}
    with open(path) as f:
        return json.load(f)


def write_json(path, value):
    with open(path, "w") as f:
        json.dump(value, f, indent=1)
