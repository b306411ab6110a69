"""Fetches what the comparison runs over, and the tools it is held against.

A corpus is one published package, or a repository at a commit, in a git
repository of its own. A tool lies in a folder named after its version. Folders
appear only when they are whole, so one that is there is used as it is.
"""
import fnmatch
import glob
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import zipfile

import languages

LANGUAGES = languages.load()
CORPORA = {name: (language, corpus) for language in LANGUAGES.values() for name, corpus in language.corpora.items()}


def once(folder, make):
    """The folder, made by make(new) if it is not there."""
    if not os.path.isdir(folder):
        print("fetching " + os.path.basename(folder), flush=True)
        os.makedirs(os.path.dirname(folder), exist_ok=True)
        new = tempfile.mkdtemp(dir=os.path.dirname(folder))
        try:
            make(new)
            os.rename(new, folder)
        finally:
            shutil.rmtree(new, ignore_errors=True)
    return folder


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    if done.returncode != 0:
        raise SystemExit("%s failed:\n%s" % (" ".join(command), done.stdout[-2000:]))
    return done.stdout


def go_tool(cache, package, version):
    """The program of a Go package."""
    name = os.path.basename(package)

    def make(new):
        run("go", "install", "%s@%s" % (package, version), env=dict(os.environ, GOBIN=new, GOFLAGS="-mod=mod"))
    return os.path.join(once(os.path.join(cache, "peers", "%s-%s" % (name, version)), make), name)


def npm_tool(cache, package, version):
    """The folder of an npm package. No install script runs."""
    def make(new):
        with open(new + "/package.json", "w") as f:
            json.dump({"private": True}, f)
        run("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", "%s@%s" % (package, version), cwd=new)
    return os.path.join(once(os.path.join(cache, "peers", "%s-%s" % (package, version)), make), "node_modules", package)


def from_go(new, package, version):
    told = json.loads(run("go", "mod", "download", "-json", "%s@%s" % (package, version), cwd=new))
    copy(told["Dir"], new)


def from_pypi(new, package, version):
    run("python3", "-m", "pip", "download", "--no-deps", "--no-binary", ":all:", "--disable-pip-version-check",
        "-d", new + "/.sdist", "%s==%s" % (package, version))
    unpack(os.path.join(new, ".sdist"), new)


def from_npm(new, package, version):
    run("npm", "pack", "--silent", "--pack-destination", new, "%s@%s" % (package, version), cwd=new)
    unpack(new, new)


def from_crates(new, package, version):
    with tempfile.TemporaryDirectory() as work:
        os.makedirs(work + "/src")
        open(work + "/src/lib.rs", "w").close()
        with open(work + "/Cargo.toml", "w") as f:
            f.write('[package]\nname = "fetch"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n%s = "=%s"\n' % (package, version))
        run("cargo", "vendor", "--quiet", "--versioned-dirs", "vendor", cwd=work)
        copy("%s/vendor/%s-%s" % (work, package, version), new)


def from_maven(new, package, version):
    """The sources of group:artifact."""
    with tempfile.TemporaryDirectory() as work:
        run("mvn", "-q", "-B", "dependency:copy", "-Dartifact=%s:%s:jar:sources" % (package, version), "-DoutputDirectory=" + work, cwd=work)
        with zipfile.ZipFile(glob.glob(work + "/*.jar")[0]) as jar:
            jar.extractall(new)


def from_git(new, package, version):
    """A repository of GitHub at a commit."""
    run("git", "init", "-q", new)
    run("git", "-C", new, "fetch", "-q", "--depth", "1", "https://github.com/" + package, version)
    run("git", "-C", new, "checkout", "-q", "FETCH_HEAD")
    shutil.rmtree(new + "/.git")


SOURCES = {"go": from_go, "pypi": from_pypi, "npm": from_npm, "crates": from_crates, "maven": from_maven, "git": from_git}


def corpus(cache, name):
    """The folder of a corpus."""
    of = CORPORA[name][1]

    def make(new):
        SOURCES[of.source](new, of.package, of.version)
        for item in os.listdir(new):
            if of.keep and item not in of.keep:
                remove(os.path.join(new, item))
        for folder, _, files in os.walk(new):
            for path in (os.path.join(folder, f) for f in files):
                if any(fnmatch.fnmatch(os.path.relpath(path, new), pattern) for pattern in of.drop):
                    remove(path)
        if of.prepare:
            of.prepare(new, of)
        run("git", "init", "-q", new)
        run("git", "-C", new, "add", "-A")
        run("git", "-C", new, "-c", "user.name=accept", "-c", "user.email=accept@localhost", "commit", "-qm", of.title())
    return once(os.path.join(cache, "references", "%s-%s" % (name, of.version[:12])), make)


def copy(folder, into):
    """Copies a folder's content, writable."""
    shutil.copytree(folder, into, dirs_exist_ok=True, copy_function=shutil.copyfile)
    for inner, _, _ in os.walk(into):
        os.chmod(inner, 0o755)


def remove(path):
    shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)


def unpack(folder, into):
    """Unpacks the one archive of a folder without its outermost directory."""
    archive = [f for f in os.listdir(folder) if f.endswith((".tgz", ".tar.gz"))]
    if len(archive) != 1:
        raise SystemExit("%s holds %s, not one archive" % (folder, archive))
    path = os.path.join(folder, archive[0])
    with tarfile.open(path) as t:
        for m in t:
            m.name = m.name.partition("/")[2]
            if m.name and ".." not in m.name.split("/") and (m.isfile() or m.isdir()):
                m.mode |= 0o600 if m.isfile() else 0o700
                t.extract(m, into)
    os.remove(path)
    if folder != into:
        os.rmdir(folder)


def sources(folder, language):
    """The paths of a corpus's sources, relative, in order."""
    listed = run("git", "-C", folder, "ls-files", "-z").split("\0")
    return sorted(p for p in listed if p.endswith(language.suffixes) and not p.endswith(".d.ts"))
