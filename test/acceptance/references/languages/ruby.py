"""Ruby, by the interpreter: ruby/meanings.rb runs a project's own tests and prints what
was called from where, and what each constant means. What did not run is left out, and
so is where a name stands that was not seen called. What gets an attribute and what sets
it are one thing. Locals are not asked for. Needs
Debian's ruby 3.1, ruby-rspec, ruby-rspec-its, ruby-public-suffix, ruby-minitest and ruby-minitest-global-expectations."""
import os
import re
import subprocess
import tempfile

import peers
from . import Corpus, Language, Target

VERSION = "3.1"
PROGRAM = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "ruby", "meanings.rb")
TESTS = ".tests"  # the file with the runner and the patterns of a corpus
WORD = r"[^\W\d]\w*(?:[?!](?!=))?"


class Run(peers.Meanings):
    """What a run showed. A line counts for a name if it was seen called there, or means a constant."""

    def __init__(self, printed, folder):
        rows = [r.split("\t") for r in printed.split("\n") if r]
        self.lines, self.seen = {}, {(r[0], int(r[1]), r[2] if len(r) == 3 else r[3]) for r in rows if len(r) > 2}
        self.folder = folder
        super().__init__("\n".join("\t".join(r) for r in rows if len(r) != 3))

    def references(self, path, line, column):
        name = self.word(path, line, column)
        return {(p, n) for p, n in super().references(path, line, column) if self.holds(p, n, name)}

    def word(self, path, line, column):
        found = re.compile(WORD).match(self.line(path, line).encode(errors="surrogateescape")[column - 1:].decode(errors="surrogateescape"))
        return found.group() if found else ""

    def line(self, path, number):
        if path not in self.lines:
            with open(os.path.join(self.folder, path), encoding="utf-8", errors="surrogateescape", newline="") as f:
                self.lines[path] = f.read().split("\n")
        return self.lines[path][number - 1] if number <= len(self.lines[path]) else ""  # code that is made as it runs

    def holds(self, path, number, name):
        return re.search(r"(?<!\w)%s(?![\w?!])" % re.escape(name), self.line(path, number))

    def leads(self, place, meant):
        return False

    def knows(self, path, line, column):
        return (path, line, self.word(path, line, column)) in self.seen

    def definition(self, path, line, column):
        return None


def start(cache, folder, files):
    told = subprocess.run(["ruby", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    if not told.startswith("ruby %s." % VERSION):
        raise SystemExit("the comparison is pinned to ruby %s, here is %s" % (VERSION, told))
    with open(os.path.join(folder, TESTS)) as f:
        tests = f.read().split("\n")
    with tempfile.NamedTemporaryFile("w") as listed:
        listed.write("\n".join(files))
        listed.flush()
        printed = subprocess.run(["ruby", "-W0", PROGRAM, folder, listed.name, *tests], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                 text=True, check=True).stdout
    return Run(printed, folder)


def at(repository, commit, tuned, *tests):
    """tests: minitest or rspec, and patterns of the files that it runs."""
    def prepare(folder, corpus):
        with open(os.path.join(folder, TESTS), "w") as f:
            f.write("\n".join(tests))
    return Corpus("git", repository, commit, tuned, prepare=prepare)


LANGUAGES = [Language("ruby", "ruby " + VERSION, (".rb", ".gemspec", ".ru", "Rakefile", "Gemfile", "Thorfile"), start, lambda kind, parent: kind, Target(0.90, 0.85), {
    "rack": at("rack/rack", "8bf4eb078498edc9105fb04add80d89c5340e60b", True, "minitest", "test/spec_*.rb"),
    "thor": at("rails/thor", "d89dd720c8774e6ba354d9df195ef003c3bbd465", True, "rspec", "spec/**/*_spec.rb"),
    "kramdown": at("gettalong/kramdown", "12b3d2e752793d4128b6355c338b23fefa674ee0", True, "minitest", "test/test_*.rb"),
    "addressable": at("sporkmonger/addressable", "13e426b28b3abb9f483ace6c98db854ae756bcfb", True, "rspec", "spec/**/*_spec.rb"),
    "mustache": at("mustache/mustache", "34eb94559c7d22d85a66f393f6c78b4bde27bdbd", True, "minitest", "test/*_test.rb"),
    "slop": at("leejarvis/slop", "c9740ba5c9db77de1cb4bc2804d1e1071f7de9e3", False, "minitest", "test/**/*_test.rb"),
    "liquid": at("Shopify/liquid", "7a5e45fc4784e6e2e3092f2eb6f613644f1e2e5a", True, "minitest", "test/**/*_test.rb"),
    "rubyzip": at("rubyzip/rubyzip", "4209b022069d4d5646753dd5799e8771e4699e5c", False, "minitest", "test/**/*_test.rb"),
    "rake": at("ruby/rake", "474500ab2eec41ef28068e18e30f84fa412a098f", True, "minitest", "test/test_*.rb"),
    "yard": at("lsegal/yard", "8ca7b6accf11daa50a154a6338be3885dfb7aa39", True, "rspec", "spec/**/*_spec.rb"),
}, word=WORD)]
