"""What `code-intel uninstall` must leave: every file as if install had never been there."""
import os

OURS = ".code-intel", ".git", "lending", "docs", "tests"      # of the project, but no settings
HOMES = {"claude": (".claude",), "codex": (".codex", ".agents")}
KEPT = "hooks.json", "SKILL.md", ".mcp.json"     # which no client writes by itself


def piece(was, left):
    """What was removed in one piece; none if something else has happened."""
    start = len(os.path.commonprefix([was, left]))
    end = len(os.path.commonprefix([was[::-1], left[::-1]]))
    return was[start:len(was) - (len(left) - start)] if start + end >= len(left) and len(was) > len(left) else None


def lines(was, left):
    """The lines that were removed; none if something else has happened."""
    kept, out = iter(left.splitlines(True)), []
    wanted = next(kept, None)
    for line in was.splitlines(True):
        if line == wanted:
            wanted = next(kept, None)
        else:
            out.append(line)
    return b"".join(out) if wanted is None else None


class Settings:
    """The files of a client's settings, in the project and in its home. `tell` runs install or uninstall."""

    def __init__(self, root, home, client, tell):
        self.root, self.home, self.client, self.tell = root, home, client, tell
        self.before = self.files()

    def files(self):
        """The content of every file, by its path; of a folder, none."""
        found = {}
        tops = [self.root] + [os.path.join(self.home, name) for name in HOMES[self.client]]
        for top in tops:
            for folder, folders, names in os.walk(top):
                if folder == self.root:
                    folders[:] = [f for f in folders if f not in OURS]
                found[folder] = None
                for name in filter(lambda n: os.path.isfile(os.path.join(folder, n)), names):
                    with open(os.path.join(folder, name), "rb") as f:
                        found[os.path.join(folder, name)] = f.read()
        return found

    def installed(self):
        """Call it once install has run."""
        self.made = self.files()
        self.ours = {path for path in self.made if self.made[path] != self.before.get(path, b"")}

    def uninstalled(self):
        """Removes everything, and yields what is not as it was before."""
        played = self.files()
        self.tell("uninstall")
        after = self.files()
        for path in sorted(set(played) | set(after)):
            left, was = after.get(path, "gone"), played.get(path, "not there")
            if path not in self.ours:
                if left != was and not (was is None and left == "gone"):
                    yield "uninstall has changed %s" % path
            elif was == self.made[path]:
                want = self.before.get(path, "gone")
                if left != want and was is not None:
                    yield "%s is not as it was before install: %s, want %s" % (path, left, want)
            elif os.path.basename(path) in KEPT:
                yield "%s has changed in the session" % path
            else:                                    # which the client has written, too
                out = lines(was, left) if path.endswith(".toml") else piece(was, left)
                if out is None or b"code-intel" not in out:
                    yield "uninstall has not just taken what is ours out of %s: %s" % (path, left)
        for path in self.made:
            if self.made[path] is None and path not in self.before and os.path.isdir(path) and not os.listdir(path):
                yield "uninstall has left the empty folder %s" % path
        self.tell("install")
        self.tell("uninstall")
        again = self.files()
        for path in sorted(set(after) | set(again)):
            if after.get(path, "gone") != again.get(path, "gone"):
                yield "installed and uninstalled once more, %s is another" % path
