#!/usr/bin/env python3
"""Tests the server's conformance to the Model Context Protocol with programs that others wrote.

    python3 test/acceptance/conformance.py                      everything
    python3 test/acceptance/conformance.py --only client        or suites, inspector
    python3 test/acceptance/conformance.py --write docs/reference/clients.md

suites     the official conformance suite, the release and the next one, over HTTP. It wants
           tools, resources and prompts of given names; a test of internal/mcp with the tag
           conformance has them, and they go the way of the real ones.
inspector  the MCP Inspector, strict, in both eras of the protocol, over both transports.
client     clients made with both generations of the official TypeScript SDK call every tool,
           cancel, subscribe, are asked, and hold all that is structured against its schema,
           with Ajv.

The packages come from npm, once, pinned in install.py. Everything is on the loopback.
"""
import argparse
import collections
import glob
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import install                                                       # noqa: E402
import page                                                          # noqa: E402

LEGACY, MODERN = "2025-11-25", "2026-07-28"
TOKEN = "for-this-run-alone"
STALE = "llm_task_20250101-000000000-aaaaa_from_main"

# name of a suite, what is asked of it, and the scenarios that decide: None, all that run
SUITES = [
    ("conformance", ["--suite", "active"], None),
    ("conformance-next", ["--requirements", LEGACY], LEGACY),
    ("conformance-next", ["--requirements", MODERN], MODERN),
]

# Scenarios that do not decide and do not pass, and why. One that passes must go from here.
KNOWN = {
    r"tasks-.*": "the extension io.modelcontextprotocol/tasks, which the Go SDK does not have; no call of ours needs it",
    r"server-sse-polling": "pending in the suite; streams are not resumed, a client calls again",
}

# Calls that together use every tool: the arguments, and for a refusal its code.
CALLS = [
    ("search_text", {"pattern": "Inspect", "limit": 5}, None),
    ("search_text", {"pattern": "(", "regex": True}, "invalid_argument"),
    ("search_files", {"pattern": "**/*.go", "limit": 5}, None),
    ("semantic_search", {"query": "walk a syntax tree", "n_results": 3}, None),
    ("fetch_chunk_detail", {"chunk_id": "$semantic_search.forest_hits.0.chunk_id"}, None),
    ("query", {"query": "where are comments parsed"}, None),
    ("find_definitions", {"symbol": "Inspect"}, None),
    ("find_definitions", {"symbol": "NoSuchThingAnywhere"}, None),
    ("find_references", {"symbol": "Inspect", "limit": 5}, None),
    ("find_references", {"symbol": "Inspect", "limit": 5, "cursor": "$find_references.next_cursor"}, None),
    ("find_references", {"symbol": "Inspect", "limit": 5, "cursor": "none"}, "invalid_cursor"),
    ("get_symbols", {"path": "ast/walk.go"}, None),
    ("get_symbols", {"path": "../secret.go"}, "path_outside_repository"),
    ("get_function_at_line", {"file_path": "ast/walk.go", "line": 40}, None),
    ("analyze_structure", {"path": "ast", "limit": 3}, None),
    ("analyze_impact", {"targets": ["Inspect"]}, None),
    ("explore", {"query": "Inspect"}, None),
    ("file_history", {"file_path": "ast/walk.go"}, None),
    ("file_dependencies", {"path": "ast/walk.go"}, None),
    ("find_dead_code", {}, None),
    ("validate_symbol_relevance", {"target_feature": "walk a tree", "symbols": ["Inspect", "Walk"]}, None),
    ("get_session_status", {}, None),
    ("check_write_target", {"file_path": "ast/walk.go"}, "phase_blocked"),
    ("add_explored_files", {"files": ["ast/walk.go"]}, "phase_blocked"),
    ("review_changes", {}, "phase_blocked"),
    ("confirm_decision", {"choice": "retry"}, "gate_closed"),
    ("update_context", {"project_rules_summary": "DO: nothing. DON'T: anything."}, None),
    ("submit_phase", {"data": {"summary": "nothing fits here"}}, "payload_mismatch"),
    ("submit_phase", {"data": {"abort": True, "reason": "the client has seen enough"}}, None),
    ("record_outcome", {"outcome": "partial", "trigger_message": "it was only looked at", "analysis": {"root_cause": "none"}}, None),
    ("get_outcome_stats", {}, None),
    ("cleanup_stale_branches", {"action": "delete"}, None),
    ("pipeline_init", {"arguments": "--nopr say goodbye"}, None),
    ("pipeline_init_with_context", {"workspace": "$pipeline_init.workspace", "flags": "$pipeline_init.flags", "task_text": "say goodbye",
                                    "user_confirmation": {"effort": "S"}}, None),
    ("pipeline_next_action", {"workspace": "$pipeline_init_with_context.workspace"}, None),
    ("pipeline_report_result", {"workspace": "$pipeline_init_with_context.workspace", "phase": "phase-4"}, "phase_mismatch"),
    ("state_resume_info", {"workspace": "$pipeline_init_with_context.workspace"}, None),
]


class Tally:
    """What was found wrong, and the lines for the page."""

    def __init__(self):
        self.wrong, self.rows = [], []

    def check(self, what, good, why=""):
        if not good:
            self.wrong.append(what)
            print("FAILED %s%s" % (what, ": " + why if why else ""), flush=True)

    def row(self, who, what, result):
        self.rows.append((who, what, result))
        print("%-52s %s: %s" % (who, what, result), flush=True)


class Place:
    """Where a run happens: its own home, and fresh projects."""

    def __init__(self, cache, program):
        self.home = tempfile.mkdtemp(prefix="code-intel-conformance-")
        self.cache, self.program, self.number = cache, program, 0
        _, self.node = install.suite(cache, "node")
        self.env = {"HOME": self.home, "TMPDIR": self.home, "LANG": "C.UTF-8", "XDG_STATE_HOME": self.home + "/state",
                    "PATH": os.path.dirname(self.node) + ":" + os.environ["PATH"],
                    "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}

    def run(self, argv, cwd=None, seconds=300):
        return subprocess.run(argv, env=self.env, cwd=cwd or self.home, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds)

    def project(self):
        """A repository of real code, with a branch that an earlier session left."""
        self.number += 1
        root = "%s/project%d" % (self.home, self.number)
        sources = subprocess.run([os.environ.get("GO", "go"), "env", "GOROOT"], check=True, capture_output=True, text=True).stdout.strip() + "/src/go"
        shutil.copytree(sources, root, ignore=shutil.ignore_patterns("testdata"))
        subprocess.run(["chmod", "-R", "u+w", root], check=True)
        os.makedirs(root + "/.code-intel")
        os.makedirs(root + "/many")
        for i in range(1500):  # so that reading them takes a while
            with open("%s/many/f%d.go" % (root, i), "w") as f:
                f.write("package many\n" + "".join("\nfunc f%d_%d() int { return %d }\n" % (i, n, n) for n in range(60)))
        with open(root + "/.code-intel/config.json", "w") as f:
            json.dump({"sync_on_start": False}, f)
        for argv in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "first"], ["branch", STALE]):
            subprocess.run(["git"] + argv, cwd=root, env=self.env, check=True)
        return root

    def close(self):
        shutil.rmtree(self.home, ignore_errors=True)


class Server:
    """A server over HTTP, on a port that was free: the program, or another one that serves at FIXTURES_ADDRESS."""

    def __init__(self, place, root, argv=None):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        self.url = "http://127.0.0.1:%d/mcp" % port
        self.log = open(root + ".log", "wb+")
        address = "127.0.0.1:%d" % port
        self.process = subprocess.Popen(argv or [place.program, "mcp", "--http", address], cwd=root,
                                        env=dict(place.env, CODE_INTEL_TOKEN=TOKEN, FIXTURES_ADDRESS=address), stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)

    def __enter__(self):
        end = time.monotonic() + 30
        while time.monotonic() < end and self.process.poll() is None:
            try:
                urllib.request.urlopen(self.url, timeout=2)
            except urllib.error.HTTPError:  # it answers
                return self
            except OSError:
                time.sleep(0.02)
        self.log.seek(0)
        raise SystemExit("the server does not answer: %s" % self.log.read().decode(errors="replace"))

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


def suites(place, tally):
    """The conformance suites, against a test of the server that has what they want."""
    fixtures = place.home + "/fixtures.test"
    subprocess.run([os.environ.get("GO", "go"), "test", "-c", "-tags", "conformance", "-o", fixtures, "./internal/mcp"], cwd=os.path.dirname(os.path.dirname(HERE)), check=True)
    serve = [fixtures, "-test.run=^TestServeFixtures$", "-test.timeout=0"]
    for name, options, revision in SUITES:
        folder, entry = install.suite(place.cache, name)
        decides = None
        if revision:
            said = place.run([place.node, entry, "list", "--server", "--requirements", revision]).stdout
            decides = set(re.findall(r"^  - (\S+)$", said.partition("Server scenarios")[2].partition("\n\n")[0], re.M))
            tally.check("%s says what %s requires" % (name, revision), decides, said)
        results = tempfile.mkdtemp(dir=place.home)
        with Server(place, serve, place.project()) as server:
            r = place.run([place.node, entry, "server", "--url", server.url, "-o", results] + options)
        scenarios = collections.OrderedDict()
        for f in sorted(glob.glob(results + "/*/checks.json")):
            scenario = re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", os.path.basename(os.path.dirname(f)))
            with open(f) as h:
                scenarios.setdefault(scenario, []).extend(json.load(h))
        tally.check("%s %s runs" % (name, " ".join(options)), len(scenarios) >= 30, (r.stdout + r.stderr)[-2000:])
        passed, beside, checks = [], [], 0
        for scenario, found in scenarios.items():
            bad = ["%s %s: %s" % (c["status"], c["id"], c.get("errorMessage")) for c in found if c["status"] not in ("SUCCESS", "INFO", "SKIPPED")]
            good = not bad and any(c["status"] == "SUCCESS" for c in found)
            known = next((why for pattern, why in KNOWN.items() if re.fullmatch(pattern, scenario)), None)
            if decides is None or scenario in decides:
                tally.check("%s %s: %s" % (name, revision or "", scenario), good, "; ".join(bad) or "it checked nothing")
                passed += [scenario] if good else []
                checks += sum(c["status"] == "SUCCESS" for c in found)
            elif good:
                tally.check("%s: %s passes; strike it from KNOWN" % (name, scenario), not known)
                beside.append(scenario)
            else:
                tally.check("%s: %s" % (name, scenario), known, "; ".join(bad))
        tally.check("%s %s plays all that decides" % (name, revision or ""), not decides or decides <= set(scenarios), str(decides and decides - set(scenarios)))
        of = len(decides) if decides else len(scenarios)
        version = install.SUITES[name][0][0].rpartition("@")[2]
        what = "%s, what %s requires" % (version, revision) if revision else "%s, all that is active" % version
        more = "" if not beside else "; also, though not required: %s" % ", ".join(beside)
        tally.row("`@modelcontextprotocol/conformance`", what, "%d of %d scenarios, %d checks%s" % (len(passed), of, checks, more))
    left = sorted({(p, why) for p, why in KNOWN.items()})
    for pattern, why in left:
        tally.row("not played to its end", "`%s`" % pattern.replace(".*", "…"), why)


def inspect(place, tally):
    """The Inspector over both transports, in both eras."""
    _, entry = install.suite(place.cache, "inspector")
    root = place.project()
    count = 0
    read = ["--method", "resources/read", "--uri"]
    asks = [
        (["--method", "initialize"], 0, "serverInfo"),
        (["--method", "tools/list", "--strict"], 0, "tools"),
        (["--method", "tools/call", "--tool-name", "sync_index"], 0, "structuredContent"),
        (["--method", "tools/call", "--tool-name", "search_text", "--tool-arg", "pattern=Inspect"], 0, "structuredContent"),
        (["--method", "tools/call", "--tool-name", "analyze_impact", "--tool-args-json", '{"targets": ["Inspect"]}'], 0, "structuredContent"),
        (["--method", "tools/call", "--tool-name", "search_text", "--tool-arg", "limit=x"], 5, "isError"),  # a refusal
        (["--method", "resources/list"], 0, "resources"),
        (["--method", "resources/templates/list"], 0, "resourceTemplates"),
        (read + ["code-intel://session"], 0, "contents"),
        (read + ["code-intel://file-outline/ast/walk.go"], 0, "contents"),
        (read + ["code-intel://file-outline/none.go"], 1, None),
        (["--method", "prompts/list"], 0, "prompts"),
        (["--method", "prompts/get", "--prompt-name", "code", "--prompt-args", "request=hello"], 0, "messages"),
        (["--method", "prompts/get", "--prompt-name", "none"], 1, None),
    ]
    with Server(place, root) as server:
        for transport, target in (("stdio", ["--cwd", root, place.program, "mcp"]), ("HTTP", ["--header", "Authorization: Bearer " + TOKEN, "--server-url", server.url])):
            for era in ("legacy", "modern"):
                for ask, code, field in asks:
                    r = place.run([place.node, entry, "--cli", "--quiet", "--protocol-era", era] + target + ask)
                    name = "inspector, %s, %s, %s" % (transport, era, " ".join(ask))
                    count += 1
                    tally.check(name, r.returncode == code if code != 1 else r.returncode != 0, "exit status %d: %s" % (r.returncode, (r.stderr or r.stdout)[-1500:]))
                    if field:
                        try:
                            tally.check(name + " answers", json.loads(r.stdout).get(field))
                        except ValueError:
                            tally.check(name + " answers in JSON", False, r.stdout[-500:])
                    if code == 0:
                        tally.check(name + " complains of nothing", not r.stderr.strip(), r.stderr[-1500:])
    tally.row("MCP Inspector", install.SUITES["inspector"][0][0].rpartition("@")[2] + ", strict", "%d requests over stdio and HTTP, in both eras" % count)


def clients(place, tally):
    """Clients of both generations of the official TypeScript SDK."""
    for generation, name, revision in ((1, "sdk", LEGACY), (2, "client", MODERN)):
        folder, _ = install.suite(place.cache, name)
        for transport in ("stdio", "HTTP"):
            root = place.project()
            plan = {
                "generation": generation, "revision": revision, "packages": folder, "project": root, "file": "ast/walk.go", "token": TOKEN,
                "client": {"name": "claude-code", "version": "1"}, "command": [place.program, "mcp"],
                "calls": [{"tool": t, "args": a, "refused": refused} for t, a, refused in CALLS],
            }

            def play():
                with open(root + ".plan.json", "w") as f:
                    json.dump(plan, f)
                return place.run([place.node, HERE + "/conformance_client.mjs", root + ".plan.json"], cwd=root)
            if transport == "stdio":
                r = play()
            else:
                with Server(place, root) as server:
                    plan["url"] = server.url
                    r = play()
            who = "client, %s, %s" % (install.SUITES[name][0][0], transport)
            try:
                report = json.loads(r.stdout)
            except ValueError:
                tally.check(who, False, (r.stderr or r.stdout)[-3000:])
                continue
            for s in report["steps"]:
                tally.check("%s: %s" % (who, s["name"]), "wrong" not in s, s.get("wrong", ""))
            good = sum("wrong" not in s for s in report["steps"])
            tally.row("`%s`" % install.SUITES[name][0][0].rpartition("@")[0], "%s, %s, over %s" % (install.SUITES[name][0][0].rpartition("@")[2], report.get("revision"), transport),
                      "%d of %d steps; all %d tools called, %d answers validated against their schemas" % (good, len(report["steps"]), report["tools"], report["validated"]))


PARTS = {"suites": suites, "inspector": inspect, "client": clients}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--program", default=os.path.join(os.path.dirname(os.path.dirname(HERE)), "bin", "code-intel"), help="the program to test")
    p.add_argument("--cache", default=os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "code-intel-accept"),
                   help="where the packages are kept")
    p.add_argument("--only", choices=PARTS, help="one part alone")
    p.add_argument("--write", metavar="FILE", help="write the table into this page, if nothing failed")
    a = p.parse_args()
    tally = Tally()
    place = Place(os.path.realpath(a.cache), os.path.realpath(a.program))
    try:
        for name, part in PARTS.items():
            if a.only in (None, name):
                part(place, tally)
    finally:
        place.close()
    print("%d wrong" % len(tally.wrong) if tally.wrong else "ok", flush=True)
    if tally.wrong:
        return 1
    if a.write:
        page.write(a.write, ["| by | what | result |", "|---|---|---|"] + ["| %s | %s | %s |" % r for r in tally.rows])
    return 0


if __name__ == "__main__":
    sys.exit(main())
