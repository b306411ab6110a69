"""Corpora with an exact provider: a copy of each, with a SCIP index in it or a language
server that is trusted. What is asked, and what is right, is that of the corpus itself."""
import json
import os
import shutil
import subprocess

import corpora
from languages import clangd, golang, php, python, typescript

SCIP = {"python": ("@sourcegraph/scip-python", "0.6.6"), "typescript": ("@sourcegraph/scip-typescript", "0.4.0")}
SCIP["javascript"] = SCIP["typescript"]
MEASURED = (("immer", "scip"), ("query-core", "scip"), ("flask", "scip"), ("immer", "server"), ("cobra", "server"), ("flysystem", "server"))
TYPESCRIPT_SERVER = ("typescript-language-server", "5.3.0")


def title(language, kind):
    """The provider as the report shows it, or None if there is none of the kind."""
    if kind == "scip":
        return "%s %s" % (SCIP[language][0].split("/")[1], SCIP[language][1]) if language in SCIP else None
    named = {"python": "pyright " + python.VERSION, "php": "intelephense " + php.VERSION, "go": "gopls " + golang.VERSION,
             "c": "clangd " + clangd.VERSION, "cpp": "clangd " + clangd.VERSION}
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
