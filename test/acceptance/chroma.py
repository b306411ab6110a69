#!/usr/bin/env python3
"""Tests the Chroma store against a real Chroma server.

    python3 test/acceptance/chroma.py                           starts a server, runs the suite, stops it
    python3 test/acceptance/chroma.py --record                  also writes anew what go test replays

Fetches the server from npm once, into the cache, versions pinned. It listens on the
loopback alone, on a port that was free, and its data goes with it.
"""
import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))

# Newer bindings want a C library (glibc 2.39) that many machines do not have yet.
CHROMADB = "3.5.0"
BINDINGS = ("chromadb-js-bindings-linux-x64-gnu", "1.0.5")


def server(cache):
    """The folder of the server. Fetches it if it is not there."""
    folder = os.path.join(cache, "clients", "chromadb-%s-%s" % (CHROMADB, BINDINGS[1]))
    if os.path.exists(folder):
        return folder
    if shutil.which("npm") is None:
        raise SystemExit("npm is needed once, to fetch chromadb@%s" % CHROMADB)
    print("fetching chromadb@%s" % CHROMADB, flush=True)
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    new = tempfile.mkdtemp(dir=os.path.dirname(folder))
    try:
        with open(new + "/package.json", "w") as f:
            json.dump({"private": True, "dependencies": {"chromadb": CHROMADB}, "overrides": {BINDINGS[0]: BINDINGS[1]}}, f)
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"],
                       cwd=new, check=True, stdout=subprocess.DEVNULL)
        os.chmod(new, 0o755)
        os.rename(new, folder)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return folder


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait(url, process, seconds):
    """Waits until the server answers."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            raise SystemExit("the Chroma server ended with %s" % process.returncode)
        try:
            with urllib.request.urlopen(url + "/api/v2/heartbeat", timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    raise SystemExit("the Chroma server does not answer within %d s" % seconds)


def run(folder, arguments, extra):
    """Runs go test against a server with no data. Returns its exit code."""
    data = tempfile.mkdtemp(prefix="code-intel-chroma-")
    url = "http://127.0.0.1:%d" % free_port()
    command = ["node", folder + "/node_modules/chromadb/dist/cli.mjs", "run", "--path", data,
               "--host", "127.0.0.1", "--port", url.rsplit(":", 1)[1]]
    with open(data + ".log", "wb") as log:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=data)
    try:
        wait(url, process, 60)
        with urllib.request.urlopen(url + "/api/v2/version") as answer:
            print("Chroma %s at %s" % (json.load(answer), url), flush=True)
        env = dict(os.environ, CODE_INTEL_ACCEPT_CHROMA=url)
        go = [os.environ.get("GO", "go"), "test", "-count", "1"] + arguments + ["./internal/embedding/chroma"] + [e % url for e in extra]
        return subprocess.run(go, cwd=os.path.dirname(os.path.dirname(HERE)), env=env).returncode
    except SystemExit:
        with open(data + ".log", errors="replace") as log:
            print(log.read()[-2000:])
        raise
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        shutil.rmtree(data, ignore_errors=True)
        os.unlink(data + ".log")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--cache", default=os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "code-intel-accept"),
                   help="where the server is kept")
    p.add_argument("--record", action="store_true", help="write internal/embedding/chroma/testdata anew")
    a = p.parse_args()
    folder = server(os.path.realpath(a.cache))
    code = run(folder, ["-tags", "accept", "-run", "TestServer", "-v"], [])
    if a.record and code == 0:
        code = run(folder, ["-run", "TestStore"], ["-record=%s"])
    return code


if __name__ == "__main__":
    sys.exit(main())
