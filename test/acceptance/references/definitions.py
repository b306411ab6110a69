#!/usr/bin/env python3
"""Compares the symbols of a file with what Universal Ctags lists.

    make definitions                                            all corpora; writes docs/design/definitions.md
    python3 test/acceptance/references/definitions.py c ruby --misses 20     the corpora of some languages, and what is wrong where

The comparison itself is TestDefinitions of internal/syntax. Needs ctags, and the
network once, to fetch what is pinned here. Exits with 1 if a language misses its
target, or a name does not stand where it is said to.
"""
import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path.insert(0, HERE)

import corpora                                                       # noqa: E402

TARGET = 5  # misses in 1,000

# By language: repositories of GitHub at a commit, and whether the rules of the language
# were made by looking at what was missed there.
CORPORA = {
    "ada": [("AdaCore/aws", "8cb6967fc9c2a2942a61bb970a937867eba3e092", True)],
    "bash": [("nvm-sh/nvm", "b17550a0b9ab691439815dfccc8b73e3a59fa103", True), ("bats-core/bats-core", "d22e41faad59f5fd942a88c992b4913a27a460c4", True)],
    "c": [("jqlang/jq", "579e6f76cffd7643ba4002a2c3618a5ea710589a", True), ("madler/zlib", "d201f04c72b0881220f5ba75ca19fd0e19fa848b", False),
          ("DaveGamble/cJSON", "a29814f285cc531c00223743ad3c55cd38c0dc56", False), ("redis/hiredis", "29ea2791c102fdffff350f1ea6e04d1f71903d0d", False)],
    "clojure": [("ring-clojure/ring", "75914ca942330ae6f8499b0ab9adda4664ad5f1b", False)],
    "cpp": [("google/leveldb", "78a352f47ed6c1e9d750545e9b242289185b87e1", True), ("zeux/pugixml", "3a8e1dc59ec00645179f0dcb701ee400e062ae54", False),
            ("gflags/gflags", "5319350323577cff4c42ab59118531d04f13edf4", False)],
    "csharp": [("serilog/serilog", "60935b4d7abad71cf6157b45a10f5c3c65ead527", True), ("DapperLib/Dapper", "6d48ef664acc7298c649e2d449d903b3360d5a90", True),
               ("jbogard/MediatR", "8a64581e2570e7410c5f44835d9ea112beccbe6b", True)],
    "d": [("dlang/dub", "67c858737bf996381ade3c27cd940ad577f3c4e5", True),
         ("vibe-d/vibe.d", "b09d230a6265e7bca7316d8fd5a38b204aa7c6f8", False)],
    "elixir": [("phoenixframework/phoenix", "167c46950cf53aef363d672687cc653267c20aa6", True), ("elixir-plug/plug", "a898c454a04ca5ffad306bd751a15c7ac9ff6927", False)],
    "erlang": [("ninenines/cowboy", "5c8535f409aa2fd49deb355e8ee43d5c06eb1c90", True),
              ("erlang/rebar3", "e8147e32210ad864966a718d148db163c7830f72", False)],
    "fortran": [("fortran-lang/fpm", "80b06defc4cad13dc26505d6aa12c07575446214", True),
               ("jacobwilliams/json-fortran", "a012a4dc5c6f69b736157d70e45ba7820c5bd23f", False)],
    "go": [("gin-gonic/gin", "dcaa4296d111981ffb31ac3eba90bb63e1eb5ab9", False), ("go-chi/chi", "735ae2b87f8c733d616e809ae86e0985c1bc3350", False)],
    "haskell": [("haskell/bytestring", "da6f41a98397967a953ad8d00c7f1b9bb23fa713", True), ("haskell/aeson", "40b03e5334b0571b986528b635fb874a86b31725", True),
                ("koalaman/shellcheck", "764802b7c023e9fdc191c12f57c418f186ad76ae", True)],
    "java": [("google/gson", "9835b6f90192f79cdf5300c528fc6212455fb6c1", False), ("apache/commons-lang", "d15939ef46f0bd4144994df8be95cf5a7f91eb52", False)],
    "javascript": [("lodash/lodash", "9429a4ee03056e5b7be9a85a54571d7630f05983", True), ("expressjs/express", "a3714473feb3d2908add734d340e7755fd85e0a3", True),
                   ("koajs/koa", "e0ba8ef39d27fe5dae5492f9fe753d155124f994", True), ("websockets/ws", "a2f4e7c046c2112bbce6fef39a083dac77d6f0d2", False)],
    "julia": [("JuliaLang/Pkg.jl", "e52498951d1169fca898632ba14741c3883b1b4e", True),
             ("JuliaData/DataFrames.jl", "3924697ea6c02ac186a95b298a4e06b52e881b53", True)],
    "kotlin": [("InsertKoinIO/koin", "fff5291f333c04fe5d6d9447f72740647d40d186", True), ("square/okio", "4164f2976ac7174f3d35d52150e8ffbdbe0acbec", True)],
    "lisp": [("magit/magit", "137f137dccb37097ae9caa31018cafa071ff4ec1", True)],
    "lua": [("lunarmodules/Penlight", "c317508c90cb384da22e79f6bd405eb4e406fc79", True), ("Kong/kong", "22246ef28c16842098369b494eef879222e30c7b", True),
            ("kikito/middleclass", "aa8f88b31715d7a58cc52d4bc6721d55e6c84f92", False)],
    "objective-c": [("AFNetworking/AFNetworking", "d9f589cc2c1fe9d55eb5eea00558010afea7a41e", True),
                   ("SDWebImage/SDWebImage", "36e79ba485e9bb4d3cd4e3318908866dac5e7b51", False)],
    "ocaml": [("mirage/ocaml-cohttp", "7b77cc7f18778967cbe3f64742290f268782fb7d", True),
             ("ocaml/ocaml-lsp", "83aaf09e353c90beda97f3c1ca8a0b6947d0e148", True)],
    "perl": [("mojolicious/mojo", "b4de430651b722f560b1577da9018e3f402d96ab", True)],
    "php": [("composer/composer", "eba7baa59eb1b59246cf9800b0120fe78915b6ac", True), ("Seldaek/monolog", "57eb1028342134e701e77c617565d51b6e5a2a53", False),
            ("twigphp/Twig", "f3db1d1a0c5cc21fad255bd6690bbde16d378459", False)],
    "powershell": [("pester/Pester", "ec8ca45bc782a055cf3c87bdb60a497f5a77536f", True),
                  ("PowerShell/PSReadLine", "2984546f62da9f63c31aba965ec3008fcb107024", False)],
    "python": [("pallets/flask", "2ac89889f4cc330eabd50f295dcef02828522c69", True), ("pallets/click", "2c8cd3ac958a7eb316d67f2d316c27086c4c0369", False),
               ("pytest-dev/pytest", "df87db7b0462fb764ef73fa00561adf8ad047572", False)],
    "r": [("tidyverse/stringr", "cc49bf4686b699c2c58a2c370b63e96cbd09f40b", True),
         ("tidyverse/dplyr", "d5e94e7fa8fd4a5f79c1a707d1842216bb4c691f", False)],
    "ruby": [("sidekiq/sidekiq", "1bb4aa06e5aa178a114a5e855f9f3d5c24f6c61b", True), ("sinatra/sinatra", "cb22afd7902b566b6eaba6c4ea89739494a65d12", False)],
    "rust": [("BurntSushi/ripgrep", "3fce3b5bb0236da2df6d99672afb8a719642eca7", True), ("BurntSushi/bstr", "08a77375dfa8e3cf5473f8afd22f2552988a10cf", False)],
    "tcl": [("flightaware/speedtables", "0fe25e1569c936e2a1bb477b7afecb8a74aad976", False)],
    "typescript": [("honojs/hono", "28a9c128912de19f3fb28b00ae289c9b93f6f392", True), ("colinhacks/zod", "e516c3baf22615e20934116abebfed6c000222c2", False),
                   ("immerjs/immer", "061c2425e1c9dff89e4e4189d42af1b7839dfe0a", False)],
    "verilog": [("lowRISC/ibex", "8b8ee086aef72e0833b7f0493d9d33f1e4d3c8e2", True),
               ("olofk/serv", "9baea86ff0e46e64b45342b9742898ed24e3c285", False)],
    "vhdl": [("stnolting/neorv32", "b3f390870f77b9bdc4ac282c242742b10408dc53", True),
            ("VUnit/vunit", "edddc0fd6a6fc652464e15d0d60bf09b53d28c74", False)],
    "vim": [("tpope/vim-fugitive", "61b51c09b7c9ce04e821f6cf76ea4f6f903e3cf4", False)],
}

COUNTED = ("files", "tags", "missed", "symbols", "misplaced", "partial", "made_up", "in_text")


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("language", nargs="*", choices=[[], *CORPORA], help="only these: " + ", ".join(CORPORA))
    p.add_argument("--cache", default=os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "code-intel-accept"),
                   help="where corpora are kept")
    p.add_argument("--misses", type=int, default=0, help="print so many of what is missed, in each corpus")
    p.add_argument("--write", help="write the page to this file")
    return p.parse_args()


def fetched(cache, repository, commit):
    """The folder of a repository at a commit, a git repository of its own."""
    def make(new):
        corpora.from_git(new, repository, commit)
        corpora.run("git", "init", "-q", new)
        corpora.run("git", "-C", new, "add", "-A", "-f")
        corpora.run("git", "-C", new, "-c", "user.name=accept", "-c", "user.email=accept@localhost", "commit", "-qm", commit)
    return corpora.once(os.path.join(cache, "definitions", "%s-%s" % (repository.replace("/", "+"), commit[:12])), make)


def measure(a, language):
    """{repository: figures} of one language."""
    folders = {fetched(a.cache, repository, commit): repository for repository, commit, _ in CORPORA[language]}
    with tempfile.NamedTemporaryFile() as report:
        done = subprocess.run(["go", "test", "-tags", "definitions", "-run", "^TestDefinitions$", "-count", "1", "-timeout", "60m", "-v", "./internal/syntax",
                               "-definitions", ",".join(folders), "-only", language, "-misses", str(a.misses), "-report", report.name],
                              cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0 or a.misses:
            print(done.stdout, flush=True)
        if done.returncode != 0:
            raise SystemExit("TestDefinitions failed")
        found = {folders[f["folder"]]: f for f in json.load(report)}
    for repository, f in found.items():
        print("%-12s %-26s tags %6d missed %4d (%.1f in 1,000) misplaced %d" % (
            language, repository, f["tags"], f["missed"], rate(f), f["misplaced"]), flush=True)
    return found


def rate(f):
    return 1000 * f["missed"] / max(1, f["tags"])


def added(figures):
    total = collections.Counter()
    for f in figures:
        total.update({name: f[name] for name in COUNTED})
    return total


def table(results):
    rows = ["| language | repositories | looked at | files | declarations | missed | in 1,000 | symbols | misplaced | said to be partial | made up | in text |",
            "|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"]
    for language, found in results.items():
        for seen in (True, False):
            names = [(r, c) for r, c, looked in CORPORA[language] if looked == seen and r in found]
            if not names:
                continue
            f = added(found[r] for r, _ in names)
            cells = [language, ", ".join("%s %s" % (r, c[:7]) for r, c in names), "yes" if seen else "no", f["files"], f["tags"], f["missed"],
                     "%.1f" % rate(f), f["symbols"], f["misplaced"], f["partial"], f["made_up"], f["in_text"]]
            rows.append("| " + " | ".join(str(c) for c in cells) + " |")
    return "\n".join(rows)


def verdict(results):
    totals = {language: added(found.values()) for language, found in results.items()}
    good = [language for language, f in totals.items() if rate(f) <= TARGET]
    rest = ["%s (%.1f)" % (language, rate(f)) for language, f in totals.items() if rate(f) > TARGET]
    said = "At most %d of 1,000 are missed in %d languages: %s." % (TARGET, len(good), ", ".join(good))
    if rest:
        said += " More in " + ", ".join(rest) + "."
    misplaced = sum(f["misplaced"] for f in totals.values())
    symbols = sum(f["symbols"] for f in totals.values())
    return said + " Of {:,} symbols {} {} not stand where it is said to.".format(symbols, misplaced or "none", "does"), not rest and not misplaced


def main():
    a = arguments()
    results = {language: measure(a, language) for language in a.language or CORPORA}
    said, good = verdict(results)
    print(table(results) + "\n\n" + said)
    if a.write:
        with open(os.path.join(HERE, "definitions.md")) as f:
            text = f.read()
        with open(a.write, "w") as f:
            f.write(text.replace("{table}", table(results)).replace("{verdict}", said))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
