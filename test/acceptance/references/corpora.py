"""What the comparison runs over, and the tools it is held against, all pinned.

A corpus is one published package, unpacked into a git repository of its own. A
tool lies in a folder named after its version. Folders appear only when they
are whole, so one that is there is used as it is.
"""
import json
import os
import shutil
import subprocess
import tarfile
import tempfile

GOPLS = "v0.20.0"
PYRIGHT = "1.1.414"
TYPESCRIPT = "5.9.3"

# name: language, the registry's name of it, version, whether the resolver was
# tuned by looking at its mistakes. The others were only ever measured.
CORPORA = {
    "go-sdk": ("go", "github.com/modelcontextprotocol/go-sdk", "v1.8.0", True),
    "cobra": ("go", "github.com/spf13/cobra", "v1.10.2", False),
    "go-internal": ("go", "github.com/rogpeppe/go-internal", "v1.16.0", False),
    "afero": ("go", "github.com/spf13/afero", "v1.14.0", True),
    "toml": ("go", "github.com/BurntSushi/toml", "v1.5.0", True),
    "yaml": ("go", "go.yaml.in/yaml/v3", "v3.0.4", False),
    "click": ("python", "click", "8.3.1", True),
    "flask": ("python", "flask", "3.1.2", False),
    "rich": ("python", "rich", "14.2.0", False),
    "rxjs": ("typescript", "rxjs", "7.8.2", True),
    "zod": ("typescript", "zod", "4.1.12", True),
    "mobx": ("typescript", "mobx", "6.13.7", False),
    "table-core": ("typescript", "@tanstack/table-core", "8.21.3", False),
    "toolkit": ("typescript", "@reduxjs/toolkit", "2.9.0", True),
}

SUFFIX = {"go": (".go",), "python": (".py", ".pyi"), "typescript": (".ts", ".tsx", ".mts")}

# What TypeScript is told of a package that ships its sources but not how it
# compiles them; and that the package's own name is its sources.
TSCONFIG = {"compilerOptions": {"strict": True, "target": "es2022", "module": "esnext", "moduleResolution": "bundler",
                                "allowImportingTsExtensions": True, "noEmit": True, "types": [], "skipLibCheck": True},
            "include": ["src"]}


def version(language):
    return {"go": "gopls " + GOPLS, "python": "pyright " + PYRIGHT, "typescript": "tsserver " + TYPESCRIPT}[language]


def once(folder, make):
    """The folder, made by make(new) if it is not there."""
    if not os.path.isdir(folder):
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


def gopls(cache):
    def make(new):
        print("fetching gopls %s" % GOPLS, flush=True)
        run("go", "install", "golang.org/x/tools/gopls@" + GOPLS, env=dict(os.environ, GOBIN=new, GOFLAGS="-mod=mod"))
    return os.path.join(once(os.path.join(cache, "peers", "gopls-" + GOPLS), make), "gopls")


def npm(cache, package, of):
    """The folder of an npm package. No install script runs."""
    def make(new):
        print("fetching %s@%s" % (package, of), flush=True)
        with open(new + "/package.json", "w") as f:
            json.dump({"private": True}, f)
        run("npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", "%s@%s" % (package, of), cwd=new)
    return os.path.join(once(os.path.join(cache, "peers", "%s-%s" % (package, of)), make), "node_modules", package)


def corpus(cache, name):
    """The folder of a corpus."""
    language, package, of, _ = CORPORA[name]

    def make(new):
        print("fetching %s %s" % (package, of), flush=True)
        if language == "go":
            told = json.loads(run("go", "mod", "download", "-json", "%s@%s" % (package, of), cwd=new))
            shutil.copytree(told["Dir"], new, dirs_exist_ok=True, copy_function=shutil.copyfile)
            for folder, _, _ in os.walk(new):
                os.chmod(folder, 0o755)
        elif language == "python":
            run("python3", "-m", "pip", "download", "--no-deps", "--no-binary", ":all:", "--disable-pip-version-check",
                "-d", new + "/.sdist", "%s==%s" % (package, of))
            unpack(os.path.join(new, ".sdist"), new)
        else:
            run("npm", "pack", "--silent", "--pack-destination", new, "%s@%s" % (package, of), cwd=new)
            unpack(new, new)
            for item in os.listdir(new):  # only the sources: what was compiled from them would be found twice
                if item not in ("src", "package.json", "LICENSE", "LICENSE.txt", "README.md"):
                    path = os.path.join(new, item)
                    shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
            for folder, _, files in os.walk(new):
                if "tsconfig.json" in files:
                    os.remove(os.path.join(folder, "tsconfig.json"))
            with open(new + "/tsconfig.json", "w") as f:
                options = dict(TSCONFIG["compilerOptions"], paths={package: ["./src/index.ts"], package + "/*": ["./src/*"]})
                json.dump(dict(TSCONFIG, compilerOptions=options), f, indent=1)
        run("git", "init", "-q", new)
        run("git", "-C", new, "add", "-A")
        run("git", "-C", new, "-c", "user.name=accept", "-c", "user.email=accept@localhost", "commit", "-qm", "%s %s" % (package, of))
    return once(os.path.join(cache, "references", "%s-%s" % (name, of)), make)


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
    return sorted(p for p in listed if p.endswith(SUFFIX[language]) and not p.endswith(".d.ts"))
