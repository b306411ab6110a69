"""The tools that are right by definition, each as one class of the same form.

    symbols(path)               [(name, kind, line, column, end line, depth, parent kind)], what the tool itself lists
    definition(path, line, col) where the name at a place is defined: (path, line, col), or None
    is_local(path, line, col)   whether the name at its definition is a parameter or a variable of a function
    references(path, line, col) {(path, line)} of every place that means the same, the definitions too

    close()

A tool that lists local variables among its symbols, by a kind that its kind_of
calls "local", needs no definition and no is_local. Paths are relative to the
corpus, lines and columns count from 1, columns in UTF-16 units as the tools
count them.
"""
import json
import os
import queue
import re
import subprocess
import threading
import urllib.parse

SECONDS = 300  # for one answer


class Wire:
    """A child process that speaks JSON: a line each, or with headers."""

    def __init__(self, command, folder, headers, env=None):
        self.headers, self.inbox = headers, queue.Queue()
        self.child = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, env=env)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        out = self.child.stdout
        while True:
            line = out.readline()
            if not line:
                self.inbox.put(None)
                return
            if line.startswith(b"Content-Length:"):
                size = int(line.split(b":")[1])
                while out.readline().strip():
                    pass
                line = out.read(size)
            if line.strip():
                self.inbox.put(json.loads(line))

    def send(self, message, headers=None):
        body = json.dumps(message).encode()
        if self.headers if headers is None else headers:
            body = b"Content-Length: %d\r\n\r\n" % len(body) + body
        else:
            body += b"\n"
        self.child.stdin.write(body)
        self.child.stdin.flush()

    def receive(self):
        message = self.inbox.get(timeout=SECONDS)
        if message is None:
            raise SystemExit("%s has gone" % self.child.args[0])
        return message

    def close(self):
        self.child.stdin.close()
        try:
            self.child.wait(10)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()


class Server:
    """A language server."""
    ID = ""       # of the language
    LOCAL = ()    # what the hover over a local variable begins with
    READS = False  # whether it answers before it has read everything, and says by a progress that it has

    def __init__(self, command, folder, options=None, env=None):
        self.root, self.serial, self.open, self.read = os.path.realpath(folder), 0, set(), False
        self.wire = Wire(command, folder, True, env)
        self.ask("initialize", {
            "processId": None, "initializationOptions": options or {}, "rootUri": self.uri(""), "workspaceFolders": [{"uri": self.uri(""), "name": "corpus"}],
            "capabilities": {"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
                                              "hover": {"contentFormat": ["plaintext"]}},
                             "workspace": {"configuration": True, "workspaceFolders": True}, "window": {"workDoneProgress": True}}})
        self.wire.send({"jsonrpc": "2.0", "method": "initialized", "params": {}})
        while self.READS and not self.read:
            self.take()

    def uri(self, path):
        return "file://" + urllib.parse.quote(os.path.join(self.root, path).rstrip("/"))

    def path(self, uri):
        """A path within the corpus, or None."""
        path = urllib.parse.unquote(uri[len("file://"):])
        return os.path.relpath(path, self.root) if path.startswith(self.root + os.sep) else None

    def ask(self, method, params):
        self.serial += 1
        self.wire.send({"jsonrpc": "2.0", "id": self.serial, "method": method, "params": params})
        while True:
            m = self.take()
            if m.get("id") == self.serial and "method" not in m:
                if "error" in m:
                    return None
                return m.get("result")

    def take(self):
        """The next message. What the server asks is answered."""
        m = self.wire.receive()
        if "method" in m and "id" in m:
            items = (m.get("params") or {}).get("items", []) if m["method"] == "workspace/configuration" else None
            self.wire.send({"jsonrpc": "2.0", "id": m["id"], "result": [self.settings(i.get("section")) for i in items] if items is not None else None})
        elif m.get("method") == "$/progress" and m["params"]["value"].get("kind") == "end":
            self.read = True
        return m

    def settings(self, section):
        return {}

    def at(self, path, line, column):
        if path not in self.open:
            self.open.add(path)
            with open(os.path.join(self.root, path), encoding="utf-8", errors="replace", newline="") as f:
                self.wire.send({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": {
                    "uri": self.uri(path), "languageId": self.ID, "version": 1, "text": f.read()}}})
        return {"textDocument": {"uri": self.uri(path)}, "position": {"line": line - 1, "character": column - 1}}

    def symbols(self, path):
        found, todo = [], [(s, 0, 0) for s in reversed(self.ask("textDocument/documentSymbol", self.at(path, 1, 1)) or [])]
        while todo:
            s, depth, parent = todo.pop()
            if "selectionRange" not in s:  # of a file that it only searches for names
                continue
            start = s["selectionRange"]["start"]
            found.append((s["name"], s["kind"], start["line"] + 1, start["character"] + 1, s["range"]["end"]["line"] + 1, depth, parent))
            todo += [(c, depth + 1, s["kind"]) for c in reversed(s.get("children") or [])]
        return found

    def definition(self, path, line, column):
        found = self.ask("textDocument/definition", self.at(path, line, column))
        found = found if isinstance(found, list) else [found] if found else []
        if len(found) != 1:
            return None
        target = found[0]
        where = self.path(target.get("uri") or target["targetUri"])
        start = (target.get("range") or target["targetSelectionRange"])["start"]
        return where and (where, start["line"] + 1, start["character"] + 1)

    def hover(self, path, line, column):
        shown = self.ask("textDocument/hover", self.at(path, line, column))
        text = shown and shown["contents"]
        return text.get("value", "") if isinstance(text, dict) else str(text)

    def is_local(self, path, line, column):
        return self.hover(path, line, column).lstrip("`\npython").lstrip().startswith(self.LOCAL)

    def lines(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8", errors="replace", newline="") as f:
            return f.read().split("\n")

    def line(self, path, line):
        return self.lines(path)[line - 1]

    def word(self, path, line, column):
        """The identifier at a place."""
        text = self.line(path, line).encode("utf-16-le")[2 * (column - 1):].decode("utf-16-le", "ignore")
        found = re.match(r"\w+", text)
        return found.group() if found else ""

    def named(self, name, files=()):
        """The places of a word in files, or in all: [(path, line, column)]."""
        word = re.compile(r"\b%s\b" % re.escape(name))
        return [(path, number, len(line[:m.start()].encode("utf-16-le")) // 2 + 1)
                for path in files or self.files for number, line in enumerate(self.lines(path), 1) for m in word.finditer(line)]

    def references(self, path, line, column):
        params = self.at(path, line, column)
        params["context"] = {"includeDeclaration": True}
        found = self.ask("textDocument/references", params) or []
        return {(self.path(f["uri"]), f["range"]["start"]["line"] + 1) for f in found if self.path(f["uri"])}

    def close(self):
        self.ask("shutdown", None)
        self.wire.send({"jsonrpc": "2.0", "method": "exit", "params": None})
        self.wire.close()


class Tsserver:
    LOCAL = ("let", "const", "var", "local var", "parameter")

    def __init__(self, command, folder, files, env=None):
        self.root, self.serial = os.path.realpath(folder), 0
        self.wire = Wire(command, folder, False, env)
        for path in files:  # all are open, so that all are of one project
            self.wire.send({"seq": 0, "type": "request", "command": "open", "arguments": {"file": os.path.join(self.root, path)}}, False)

    def ask(self, command, **arguments):
        self.serial += 1
        arguments["file"] = os.path.join(self.root, arguments["file"])
        self.wire.send({"seq": self.serial, "type": "request", "command": command, "arguments": arguments})
        while True:
            m = self.wire.receive()
            if m.get("type") == "response" and m.get("request_seq") == self.serial:
                return m.get("body") if m.get("success") else None

    def path(self, file):
        return os.path.relpath(file, self.root) if file.startswith(self.root + os.sep) else None

    def symbols(self, path):
        found, todo = [], [(self.ask("navtree", file=path), 0, "")]
        while todo:
            s, depth, parent = todo.pop()
            if s is None:
                continue
            if "nameSpan" in s:
                start = s["nameSpan"]["start"]
                found.append((s["text"], s["kind"], start["line"], start["offset"], s["spans"][-1]["end"]["line"], depth, parent))
            todo += [(c, depth + 1, s["kind"]) for c in reversed(s.get("childItems") or [])]
        return found

    def definition(self, path, line, column):
        found = self.ask("definition", file=path, line=line, offset=column) or []
        if len(found) != 1 or not self.path(found[0]["file"]):
            return None
        return self.path(found[0]["file"]), found[0]["start"]["line"], found[0]["start"]["offset"]

    def is_local(self, path, line, column):
        return (self.ask("quickinfo", file=path, line=line, offset=column) or {}).get("kind") in self.LOCAL

    def references(self, path, line, column):
        found = (self.ask("references", file=path, line=line, offset=column) or {}).get("refs", [])
        return {(self.path(f["file"]), f["start"]["line"]) for f in found if self.path(f["file"])}

    def close(self):
        self.wire.close()


class Meanings:
    """What a compiler tells of each name, as java/Meanings.java prints it: path, line, column, name, kind, path,
    line and column of the declaration, the declarations that this one overrides, and D where the name declares.
    A method means every one that overrides the same, or is overridden by the same. Lines of a path and a line
    are not read."""

    def __init__(self, printed):
        self.uses, self.roots, self.declared, self.unread = {}, {}, {}, {}
        for row in (r.split("\t") for r in printed.split("\n") if r):
            if len(row) == 2:
                self.unread.setdefault(row[0], []).append(int(row[1]))
                continue
            path, line, column, name, kind, at, at_line, at_column, over, declares = row
            meant = (at, int(at_line), int(at_column))
            self.uses.setdefault(meant, set()).add((path, int(line)))
            self.roots.setdefault(meant, {meant}).update((p, int(n), int(c)) for p, n, c in (o.rsplit(":", 2) for o in over.split(",") if o))
            if declares and (path, int(line), int(column)) == meant:
                self.declared.setdefault(path, {})[meant] = (name, kind)
        self.below = {}
        for meant, roots in self.roots.items():
            for root in roots:
                self.below.setdefault(root, set()).add(meant)

    def symbols(self, path):
        return [(name, kind, line, column, line, 0, "") for (_, line, column), (name, kind) in sorted(self.declared.get(path, {}).items())]

    def references(self, path, line, column):
        found = {(path, line)}
        for root in self.roots[path, line, column]:
            for meant in self.below[root]:
                found |= self.uses[meant]
        return found

    def close(self):
        pass


class CodeIntel:
    """Ours, as a client meets it: over MCP on standard input and output."""

    def __init__(self, program, folder, env=None):
        subprocess.run([program, "index"], cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env)
        self.wire, self.serial = Wire([program, "mcp", "--toolsets", "search"], folder, False, env), 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "references", "version": "1"}})
        self.wire.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def ask(self, method, params):
        self.serial += 1
        self.wire.send({"jsonrpc": "2.0", "id": self.serial, "method": method, "params": params})
        while True:
            m = self.wire.receive()
            if m.get("id") == self.serial and "method" not in m:
                if "error" in m:
                    raise SystemExit("code-intel: %s" % m["error"])
                return m["result"]

    def references(self, name, path, line, column):
        """{(path, line): the best confidence of what stands there}, over all pages."""
        found, question = {}, {"symbol": name, "file_path": path, "line": line, "column": column, "limit": 500, "max_tokens": 12500}
        while True:
            result = self.ask("tools/call", {"name": "find_references", "arguments": question})
            if result.get("isError"):
                if result["structuredContent"].get("error") == "internal":
                    raise SystemExit("code-intel failed at %s" % question)
                return found
            answer = result["structuredContent"]
            for d in answer["definitions"]:
                found[d["file"], d["line"]] = "certain"
            for r in answer["references"]:
                found.setdefault((r["file"], r["line"]), r["confidence"])
            if not answer.get("next_cursor"):
                return found
            question["cursor"] = answer["next_cursor"]

    def close(self):
        self.wire.close()
