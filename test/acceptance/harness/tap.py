#!/usr/bin/env python3
"""tap.py LOG PIDFILE -- COMMAND...   Runs an MCP server on stdio and reads along.

Bytes pass unchanged. Each frame is a JSON line of LOG: {"t", "dir": "c2s"|"s2c"|"stderr"|"meta",
"msg"|"raw"}. PIDFILE holds the server's process id, for whoever wants to kill it.
"""
import json
import os
import signal
import subprocess
import sys
import threading
import time

log = os.open(sys.argv[1], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
command = sys.argv[sys.argv.index("--") + 1:]


def note(direction, raw):
    entry = {"t": round(time.time(), 3), "dir": direction}
    try:
        entry["msg"] = json.loads(raw)
    except ValueError:
        entry["raw"] = raw.decode("utf-8", "replace")
    os.write(log, (json.dumps(entry) + "\n").encode())   # one write, so that lines stay whole


server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
with open(sys.argv[2], "w") as f:
    f.write(str(server.pid))
note("meta", json.dumps({"event": "start", "pid": server.pid, "cwd": os.getcwd()}).encode())
for s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(s, lambda number, frame: server.send_signal(number))


def pump(source, sink, direction):
    for line in iter(source.readline, b""):
        note(direction, line)
        try:
            sink.write(line)
            sink.flush()
        except (BrokenPipeError, ValueError):
            break
    if direction == "c2s":
        try:
            server.stdin.close()
        except OSError:
            pass


threading.Thread(target=pump, args=(sys.stdin.buffer, server.stdin, "c2s"), daemon=True).start()
back = [threading.Thread(target=pump, args=a) for a in
        ((server.stdout, sys.stdout.buffer, "s2c"), (server.stderr, sys.stderr.buffer, "stderr"))]
for t in back:
    t.start()
status = server.wait()
for t in back:
    t.join(2)
note("meta", json.dumps({"event": "exit", "status": status}).encode())
os._exit(status if status >= 0 else 128 - status)      # the thread that reads the client cannot be ended otherwise
