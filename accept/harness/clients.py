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
        self.installed, self.plugin = False, None   # by code-intel install: nothing of ours is then told to the client here

    def environment(self, **more):
        return dict({"PATH": self.path, "HOME": self.home, "TMPDIR": self.tmp, "LANG": "C.UTF-8",
                     "TERM": "xterm-256color", "USER": "tester", "SHELL": "/bin/bash", "NO_PROXY": "127.0.0.1,localhost",
                     "GIT_CONFIG_NOSYSTEM": "1"}, **more)

    def run(self, prompt, timeout, on=False):
        """Runs the client on one prompt, in the conversation of the last run if it is to go on.
        Returns what went wrong, or None."""
        self.runs += 1
        log = "%s/run-%d" % (self.folder, self.runs)
        with open(log + ".stdout", "wb") as out, open(log + ".stderr", "wb") as err:
            try:
                p = subprocess.run(self.command(prompt, on), env=self.environment(), cwd=self.project,
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=err, timeout=timeout)
            except subprocess.TimeoutExpired:
                return "the client did not end within %d s" % timeout
        if p.returncode == 0:
            return None
        with open(log + ".stderr", errors="replace") as f:
            return "the client ended with status %d: %s" % (p.returncode, f.read()[-500:])


class Claude(Client):
    tools = ("mcp__code-intel", "mcp__plugin_code-intel_code-intel", "Read", "Edit", "Write", "Bash")   # the user has allowed these for good

    def environment(self):
        return super().environment(
            ANTHROPIC_BASE_URL="http://127.0.0.1:%d" % self.port, ANTHROPIC_API_KEY=DUMMY_KEY,
            CLAUDE_CONFIG_DIR=self.home + "/.claude", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
            CLAUDE_CODE_MAX_RETRIES="2", DISABLE_TELEMETRY="1", DISABLE_ERROR_REPORTING="1", DISABLE_AUTOUPDATER="1",
            DISABLE_GROWTHBOOK="1", ENABLE_CLAUDEAI_MCP_SERVERS="0", IS_SANDBOX="1", USE_BUILTIN_RIPGREP="1")

    def prepare(self):
        os.makedirs(self.home + "/.claude", exist_ok=True)
        write_json(self.home + "/.claude/.claude.json", {
            "hasCompletedOnboarding": True, "theme": "dark", "autoUpdates": False,
            "customApiKeyResponses": {"approved": [DUMMY_KEY[-20:]], "rejected": []},
            "projects": {self.project: {"hasTrustDialogAccepted": True, "allowedTools": []}}})
        # The user has said yes to the server of the project's .mcp.json.
        write_json(self.folder + "/settings.json", {"enableAllProjectMcpServers": True} if self.installed else {})
        write_json(self.folder + "/mcp.json", {"mcpServers": {"code-intel": {
            "command": self.server[0], "args": self.server[1:]}}})

    def command(self, prompt, on):
        ours = ["--mcp-config", self.folder + "/mcp.json", "--strict-mcp-config"]
        if self.installed:
            ours = ["--plugin-dir", self.plugin] if self.plugin else []
        return [self.binary, *(["--continue"] if on else []), "-p", "--output-format", "stream-json", "--verbose", "--model", self.model or "claude-sonnet-4-5",
                "--settings", self.folder + "/settings.json", *ours,
                "--debug-file", "%s/debug-%d.log" % (self.folder, self.runs), "--allowedTools", *self.tools, "--", prompt]


class Codex(Client):
    def environment(self):
        return super().environment(CODEX_HOME=self.home + "/.codex", SCRIPTED_API_KEY=DUMMY_KEY, RUST_LOG="error")

    def prepare(self):
        os.makedirs(self.home + "/.codex", exist_ok=True)
        tables = {
            "": {"model": self.model or "gpt-5.2-codex", "model_provider": "scripted", "approval_policy": "never",
                 "sandbox_mode": "danger-full-access", "check_for_update_on_startup": False, "web_search": "disabled"},
            "model_providers.scripted": {
                "name": "scripted", "base_url": "http://127.0.0.1:%d/v1" % self.port, "wire_api": "responses",
                "env_key": "SCRIPTED_API_KEY", "request_max_retries": 1, "stream_max_retries": 1},
            "features": {"enable_request_compression": False, "apps": False, "plugins": False, "remote_plugin": False,
                         "daemon_auto_start": False},
            "analytics": {"enabled": False},
            "feedback": {"enabled": False},
            "projects.%s" % json.dumps(self.project): {"trust_level": "trusted"},
        }
        if not self.installed:
            tables["mcp_servers.code-intel"] = {"command": self.server[0], "args": self.server[1:], "required": True}
        with open(self.home + "/.codex/config.toml", "w") as f:
            for name, table in tables.items():
                if name:
                    f.write("\n[%s]\n" % name)
                f.writelines("%s = %s\n" % (key, json.dumps(value)) for key, value in table.items())
        if self.installed:
            self.trust_hooks()

    def trust_hooks(self):
        """Trusts the hooks in view, as a user does with /hooks."""
        p = subprocess.Popen([self.binary, "app-server"], env=self.environment(), cwd=self.project, text=True,
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

        def ask(number, method, params):
            p.stdin.write(json.dumps({"id": number, "method": method, "params": params}) + "\n")
            p.stdin.flush()
            for line in p.stdout:
                answer = json.loads(line)
                if answer.get("id") == number and "method" not in answer:
                    return answer["result"]
            raise RuntimeError("codex app-server does not answer " + method)

        ask(0, "initialize", {"clientInfo": {"name": "accept", "version": "1"}})
        p.stdin.write('{"method": "initialized"}\n')
        hooks = [h for d in ask(1, "hooks/list", {"cwds": [self.project]})["data"] for h in d["hooks"]]
        ask(2, "config/batchWrite", {"edits": [{"keyPath": "hooks.state", "mergeStrategy": "upsert",
                                                "value": {h["key"]: {"trusted_hash": h["currentHash"]} for h in hooks}}]})
        p.stdin.close()
        p.wait(20)

    def command(self, prompt, on):
        return [self.binary, "exec", *(["resume", "--last"] if on else []), "--json", "--skip-git-repo-check", "--", prompt]


DUMMY_KEY = "sk-ant-dummy-0000000000000000000000000000"


def write_json(path, value):
    with open(path, "w") as f:
        json.dump(value, f, indent=1)
