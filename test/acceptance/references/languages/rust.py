"""Rust, by rustc itself: every item of a copy is marked as deprecated with a number
of its own, and the compiler warns of each use. What stands in a function that it calls
itself, or in the type that it names, it does not warn of, nor of the enum or trait
before a member: that is read off the text.
Locals cannot be marked, so none are asked for. The overriding functions of impls are
told by the name of their trait. What no crate leads to it does not read."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import time

import corpora
from . import Corpus, Language, Target

TREE_SITTER, GRAMMAR = "0.25.2", "0.24.0"
VERSION = "1.95.0"

NAMED = {"function_item": "function", "function_signature_item": "function", "struct_item": "type", "enum_item": "type",
         "union_item": "type", "trait_item": "type", "type_item": "type", "enum_variant": "field", "field_declaration": "field"}
CONDITION = re.compile(rb"#\[cfg\((?!test\)|feature)|#\[cfg_attr\(|#\[test\]|#\[deprecated")
TRUE = {"unix", "debug_assertions", 'target_os="linux"', 'target_family="unix"', 'target_arch="x86_64"', 'target_endian="little"',
        'target_pointer_width="64"', 'target_env="gnu"', 'target_has_atomic="ptr"', 'target_has_atomic="64"', 'target_feature="sse2"', 'panic="unwind"'}
OPEN = {"test", "doc", "docsrs", "doctest"}  # compiled in one way and in the other, or what is not known
WARNING = re.compile(r"use of deprecated ([a-z ]+) `.*`: o(\d+)$")
INHERITED = {"type": ("field", "associated"), "variant": ("field",)}  # what is not marked has the mark of what it is part of


def parser(cache):
    def make(new):
        corpora.run("python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target", new,
                    "tree-sitter==" + TREE_SITTER, "tree-sitter-rust==" + GRAMMAR)
    sys.path.insert(0, corpora.once(os.path.join(cache, "peers", "tree-sitter-rust-" + GRAMMAR), make))
    import tree_sitter
    import tree_sitter_rust
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_rust.language()))


class Item:
    def __init__(self, path, node, name, kind, within, trait):
        self.path, self.kind, self.within, self.trait = path, kind, within, trait
        self.name = name.text.decode()
        self.line, self.column = name.start_point[0] + 1, name.start_point[1] + 1  # sources are ASCII before a name
        self.sort = "variant" if node.type == "enum_variant" else kind
        self.owner = (path, node.parent.parent.start_point[0] + 1) if self.sort == "variant" or within == "trait" else None
        self.start, self.first, self.last = node.start_byte, node.start_point[0] + 1, node.end_point[0] + 1


class Rustc:
    """The answers of one build."""

    def __init__(self, cache, folder, files):
        self.texts, self.items, self.overrides, self.uses = {}, [], {}, {}
        self.compiled = set()  # the files that the compiler read
        read = parser(cache)
        for path in files:
            with open(os.path.join(folder, path), "rb") as f:
                self.texts[path] = f.read()
            self.scan(path, read.parse(self.texts[path]).root_node, "", "", False)
        with tempfile.TemporaryDirectory() as copy:
            corpora.copy(folder, copy)
            for path in files:
                self.mark(copy, path)
            self.check(copy, os.path.join(cache, "peers", "rustc-target"))
        self.variants()
        self.unread = {p: list(range(1, text.count(b"\n") + 2)) for p, text in self.texts.items() if p not in self.compiled}
        self.at = {(i.path, i.line, i.column): n for n, i in enumerate(self.items)}

    def scan(self, path, node, within, trait, skip):
        attributes = b""
        for c in node.children:
            if c.type == "attribute_item":
                attributes += c.text
                continue
            if c.type in ("line_comment", "block_comment"):
                continue
            hidden = skip or bool(CONDITION.search(attributes))
            attributes = b""
            inner, of = within, trait
            if c.type == "impl_item":
                of = c.child_by_field_name("trait")
                inner, of = "impl", last_name(of) if of else ""
            elif c.type == "trait_item":
                inner, of = "trait", c.child_by_field_name("name").text.decode()
            elif c.type in ("block", "mod_item"):
                inner, of = "", ""
            name = c.child_by_field_name("name")
            if c.type in NAMED and name is not None:
                if within == "impl" and trait:
                    self.overrides.setdefault((trait, name.text.decode()), set()).add((path, name.start_point[0] + 1))
                elif not hidden and not unmarked(c, name, within):
                    kind = NAMED[c.type]
                    self.items.append(Item(path, c, name, "method" if kind == "function" and within else kind, within, trait))
            if c.type != "macro_definition":
                self.scan(path, c, inner, of, hidden)

    def mark(self, copy, path):
        text = self.texts[path]
        for n, i in sorted(((n, i) for n, i in enumerate(self.items) if i.path == path), key=lambda p: -p[1].start):
            text = text[:i.start] + b'#[deprecated(note = "o%d")] ' % n + text[i.start:]
        with open(os.path.join(copy, path), "wb") as f:
            f.write(text)

    def check(self, copy, target):
        options = ["--all-features"] if not os.path.exists(os.path.join(copy, ".default-features")) else []
        began = time.time() - 1
        done = subprocess.run(["cargo", "check", "--quiet", "--workspace", "--lib", "--bins", "--tests", "--examples", "--message-format=json"] + options, cwd=copy,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=dict(os.environ, CARGO_TARGET_DIR=target, RUSTFLAGS="--force-warn deprecated --cap-lints warn"))
        if done.returncode != 0:
            raise SystemExit("cargo check failed:\n%s" % "\n".join(
                json.loads(x)["message"]["rendered"] for x in done.stdout.splitlines() if '"level":"error"' in x)[:3000] + done.stderr[-1000:])
        for path in glob.glob(os.path.join(target, "debug", "deps", "*.d")):
            if os.path.getmtime(path) >= began:
                with open(path) as f:
                    self.compiled |= {os.path.relpath(os.path.join(copy, p), copy) for p in re.findall(r"^(\S+\.rs):$", f.read(), re.M)}
        for line in done.stdout.splitlines():
            said = json.loads(line).get("message") or {}
            use = isinstance(said, dict) and WARNING.search(said.get("message", ""))
            if not use or use.group(1).startswith(INHERITED.get(self.items[int(use.group(2))].sort, ("nothing",))):
                continue
            for span in said["spans"]:
                if span["is_primary"] and span["file_name"] in self.texts:
                    name = self.items[int(use.group(2))].name
                    here = span["text"] and span["text"][0]["text"][span["column_start"] - 1:].startswith(name)
                    if not any(re.search(r"\b%s\b" % re.escape(name), t["text"]) for t in span["text"]):
                        continue  # what a derivation makes of the line
                    line = span["line_start"] if here else span["line_end"]  # a field's span begins with what is before the dot
                    self.uses.setdefault(int(use.group(2)), set()).add((span["file_name"], line))

    def variants(self):
        """Token::Word is a use of Token where it is one of Word, Trait::method of the trait."""
        owners = {(i.path, i.first): n for n, i in enumerate(self.items) if i.kind == "type"}
        for n, i in enumerate(self.items):
            owner = owners.get(i.owner)
            for path, line in self.uses.get(n, ()) if owner is not None else ():
                text = self.texts[path].decode(errors="replace").split("\n")[line - 1]
                if re.search(r"\b%s\b(::<[^>]*>)?::%s\b" % (self.items[owner].name, i.name), text):
                    self.uses.setdefault(owner, set()).add((path, line))

    def symbols(self, path):
        return [(i.name, i.kind, i.line, i.column, i.last, 0, i.within) for i in self.items if i.path == path and path in self.compiled]

    def definition(self, path, line, column):
        return None

    def is_local(self, path, line, column):
        return False

    def references(self, path, line, column):
        n = self.at[path, line, column]
        item = self.items[n]
        found = set(self.uses.get(n, ())) | {(path, line)}
        if item.within == "trait":
            found |= self.overrides.get((item.trait, item.name), set())
        word = re.escape(item.name)
        pattern = {"function": r"(?<![\w.:])%s\s*\(", "type": r"\b%s\b"}.get(item.kind)
        if pattern:
            lines = self.texts[path].decode(errors="replace").split("\n")
            for k in range(item.first, item.last + 1):
                if re.search(pattern % word, lines[k - 1].partition("//")[0]):
                    found.add((path, k))
        return found

    def close(self):
        pass


def unmarked(node, name, within):
    """Whether the compiler says too little of an item: fields of variants, where they are written; methods
    that call one of their name."""
    if within == "trait" and node.type == "type_item" or node.parent.parent is not None and node.parent.parent.type == "enum_variant":
        return True
    return bool(within and re.search(rb"[.:]%s\s*(::<.*>)?\(" % re.escape(name.text), node.text))


def prepare(folder, corpus):
    """Blanks what is not compiled here: items for other systems, benchmarks."""
    read = parser(os.path.dirname(os.path.dirname(folder)))
    for path in corpora.run("find", folder, "-name", "*.rs").split():
        with open(path, "rb") as f:
            text = f.read()
        todo = [read.parse(text).root_node]
        if any(c.type == "inner_attribute_item" and compiled(c.text.decode(errors="replace")) is False for c in todo[0].children):
            todo, text = [], b""  # the whole file
        while todo:
            lead, out, node = None, False, todo.pop()
            for c in node.children:
                if c.type == "attribute_item" or c.type.endswith("comment"):
                    lead, out = c.start_byte if lead is None else lead, out or compiled(c.text.decode(errors="replace")) is False
                    continue
                if out and c.is_named:
                    last = node.end_byte if node.type == "match_arm" else c.end_byte
                    end = last + text[last:].startswith(b",")
                    text = text[:lead] + re.sub(rb"[^\n]", b" ", text[lead:end]) + text[end:]
                else:
                    todo.append(c)
                lead, out = None, False
        with open(path, "wb") as f:
            f.write(b"" if "/benches/" in path else text)


def prepare_stable(folder, corpus):
    """The same, of a workspace with features that only an unstable compiler has."""
    prepare(folder, corpus)
    open(os.path.join(folder, ".default-features"), "w").close()


def compiled(attribute):
    """Whether what bears a #[cfg(…)] is compiled here with all features; None if it depends."""
    words = re.findall(r'\w+\s*=\s*"[^"]*"|\w+|[(),]', re.sub(r"//.*", "", attribute))
    if "cfg" not in words[:1]:
        return None

    def value(i):
        word = words[i].replace(" ", "")
        if word not in ("cfg", "all", "any", "not"):
            return None if word in OPEN else word in TRUE or word.startswith("feature="), i + 1
        parts, i = [], i + 2
        while words[i] != ")":
            part, i = value(i)
            parts.append(part)
            i += words[i] == ","
        if word == "not":
            return None if parts[0] is None else not parts[0], i + 1
        decides = word == "any"
        return decides if decides in parts else None if None in parts else not decides, i + 1
    return value(0)[0]


def last_name(node):
    if node.type == "generic_type":
        node = node.child_by_field_name("type")
    return (node.child_by_field_name("name") or node).text.decode()


def start(cache, folder, files):
    told = corpora.run("rustc", "--version")
    if VERSION not in told:
        raise SystemExit("the comparison is pinned to rustc %s, here is %s" % (VERSION, told))
    return Rustc(cache, folder, files)


def kind_of(kind, parent):
    return kind


def crate(package, version, tuned, prepare=prepare, **more):
    return Corpus("crates", package, version, tuned, prepare=prepare, **more)


LANGUAGES = [Language("rust", "rustc " + VERSION, (".rs",), start, kind_of, Target(0.90, 0.85), {
    "roxmltree": crate("roxmltree", "0.20.0", True),
    "similar": crate("similar", "2.7.0", True),
    "aho-corasick": crate("aho-corasick", "1.1.5", True),
    "regex-syntax": crate("regex-syntax", "0.8.5", False),
    "ignore": crate("ignore", "0.4.23", False),
    "textwrap": crate("textwrap", "0.16.2", False),
    "indexmap": crate("indexmap", "2.11.4", False),
    "petgraph": crate("petgraph", "0.8.3", True),
    "csv": crate("csv", "1.3.1", False),
    "semver-rs": crate("semver", "1.0.26", True),
    "bytes": crate("bytes", "1.10.1", True),
    "toml_edit": crate("toml_edit", "0.23.6", True),
    "serde": Corpus("git", "serde-rs/serde", "1023d077510b4aef36a41ef56fdb7798568a2654", True, prepare=prepare_stable),
})]
