"""Fetches the real clients from npm, once, into the cache.

A client lies in a folder named after its version. The folder appears only when
the client is whole, so one that is there is used as it is. The packages carry
native programs; no install script runs, and Node.js is needed for npm only.
"""
import json
import os
import shutil
import subprocess
import tempfile

# name: (npm package, version, the program in it)
PACKAGES = {
    "claude": ("@anthropic-ai/claude-code", "2.1.329", "node_modules/@anthropic-ai/claude-code-linux-x64/claude"),
    "claude-old": ("@anthropic-ai/claude-code", "2.1.197", "node_modules/@anthropic-ai/claude-code-linux-x64/claude"),
    "codex": ("@openai/codex", "0.169.0", "node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"),
}


def program(cache, name):
    """The path of a client's program. Fetches the client if it is not there."""
    package, version, inside = PACKAGES[name]
    folder = os.path.join(cache, "clients", "%s-%s" % (package.split("/")[1], version))
    path = os.path.join(folder, inside)
    if os.path.exists(path):
        return path
    if shutil.which("npm") is None:
        raise SystemExit("npm is needed once, to fetch %s@%s; install it, or choose --client direct" % (package, version))
    print("fetching %s@%s" % (package, version), flush=True)
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    new = tempfile.mkdtemp(dir=os.path.dirname(folder))
    try:
        with open(new + "/package.json", "w") as f:
            json.dump({"private": True}, f)
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error",
                        "%s@%s" % (package, version)], cwd=new, check=True, stdout=subprocess.DEVNULL)
        if not os.path.exists(os.path.join(new, inside)):
            raise SystemExit("%s@%s has no program for this machine: %s is not there" % (package, version, inside))
        os.chmod(new, 0o755)
        os.rename(new, folder)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return path
